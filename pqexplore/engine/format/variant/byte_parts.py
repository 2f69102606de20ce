"""The parts of a Variant's bytes, which `spans` and `metadata_spans` make.

Parts are made on access, anew each time: of a value with a million elements only the offsets and ids are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pqexplore.engine.errors import ParquetError


@dataclass(frozen=True, slots=True)
class Bits:
    """Bits `first` to `last` (0 is the lowest) of a header byte, their value and its meaning."""

    name: str
    first: int
    last: int
    value: int
    meaning: str


@dataclass(slots=True)
class VariantPart:
    """The bytes `[start, end)` of a buffer and their meaning.

    `kind` is one of header, length, num_elements, field_ids, field_id, field_offsets, field_offset, values, value,
    scale, unscaled, data, dictionary_size, offsets, offset, strings, string, metadata, unread. `value` is the
    decoded value (for containers, the number of elements), `name` the name of the field whose value the part is,
    `type_name` the Variant type of a `value`. `items` has the values of a container in the order
    of its offsets, `children` all parts in the order of their bytes. `error` says which rule the part breaks; its
    children have errors of their own.
    """

    kind: str
    label: str
    start: int
    end: int
    value: Any = None
    meaning: str = ""
    type_name: str = ""
    name: str | None = None
    bits: tuple[Bits, ...] = ()
    children: Sequence[VariantPart] = ()
    items: Sequence[VariantPart] = ()
    keys: Sequence[str] | None = None
    error: ParquetError | None = None


def walk(root: VariantPart) -> Iterator[VariantPart]:
    """The part and all parts below it, depth first, in the order of their bytes."""
    stack: list[Iterator[VariantPart]] = [iter((root,))]
    while stack:
        part = next(stack[-1], None)
        if part is None:
            stack.pop()
        else:
            yield part
            stack.append(iter(part.children))
