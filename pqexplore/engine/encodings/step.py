"""One step of a derivation: which bytes gave which values, and why.

`trace` of an encoding yields steps in the order of the bytes. A step that yields values (a run, a block, a value)
has them in `values`; a step that only prepares (a header, a length) has none. The values of the top-level steps,
one after another, are exactly what `decode` gives. `parts` are the smaller steps that a step is made of: they
explain it, and yield nothing of their own beyond what their step yields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The bytes `[start, end)` of the values section, and the values `[first, first + count)` they yield.

    `kind` is a stable word (`header`, `rle run`, `bit-packed run`, `value`, …), `label` a short text for people.
    `values` is a numpy array or Arrow array of `count` values, or None where `count` is 0. `facts` holds the
    numbers that matter here under their names (`bit_width`, `min_delta`, …). What is finer than a byte is in the
    facts: value `first + i` of a bit-packed step lies at bits `[bit_start + i * bit_width, … + bit_width)`,
    where bit 0 is the least significant bit of byte 0 of the buffer.
    """

    kind: str
    label: str
    start: int
    end: int
    first: int = 0
    count: int = 0
    values: Any = None
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)
    parts: Sequence[Step] = ()
