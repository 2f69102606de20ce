"""A part of a step, as lenses draw it: bytes, and the groups of bits in them (js/src/lenses/bits.ts)."""

from __future__ import annotations

import dataclasses
from typing import Literal, cast

from pqexplore.engine.format import explain
from pqexplore.engine.format.explain import Group


@dataclasses.dataclass(slots=True)
class Part:
    """A part of a step. `start`, `end`, `at` and `places` are positions in the space of the part's bytes."""

    name: str
    start: int
    end: int
    at: int
    shown: list[int]
    groups: list[Group]
    says: list[str]
    form: Literal["bits", "bytes", "text"]
    order: Literal["lsb", "msb"]
    value: int | None
    places: list[int]


def drawn(part: explain.Part, base: int) -> Part:
    """The part for a picture; the section that it counts from begins at byte `base` of its space."""
    return Part(
        name=part.name,
        start=part.start + base,
        end=part.end + base,
        at=part.at + base,
        shown=list(part.shown),
        groups=list(part.groups),
        says=list(part.says),
        form=cast('Literal["bits", "bytes", "text"]', part.form),
        order=cast('Literal["lsb", "msb"]', part.order),
        value=part.value,
        places=[place + base for place in part.places],
    )
