"""What a byte span of a Variant is: the parts that `spans` and `metadata_spans` find, and their nodes in the tree.

Parts are made when they are looked at, and made anew each time: nothing is kept of a value of a million elements but
its numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.tree import Fact, LazySequence, Node, Span, join


@dataclass(frozen=True, slots=True)
class Bits:
    """Bits `first` to `last` (0 is the lowest) of a header byte, their value and what it says."""

    name: str
    first: int
    last: int
    value: int
    meaning: str


@dataclass(slots=True)
class Part:
    """The bytes `[start, end)` of the buffer and what they are.

    `kind` is one of header, length, num_elements, field_ids, field_id, field_offsets, field_offset, values, value,
    scale, unscaled, data, dictionary_size, offsets, offset, strings, string, metadata, unread. `value` is what the
    bytes say (for `value` parts of containers, the number of elements), `name` the field's name where the part is
    the value of one, `type_name` the Variant type of a `value`. `items` has the values of a container in the order
    of its offsets, `children` all parts in the order of their bytes. `error` says which rule the part breaks; those
    of its children are their own.
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
    children: Sequence[Part] = ()
    items: Sequence[Part] = ()
    keys: Sequence[str] | None = None
    error: ParquetError | None = None


def walk(root: Part) -> Iterator[Part]:
    """The part and all below it, depth first, in the order of their bytes."""
    stack: list[Iterator[Part]] = [iter((root,))]
    while stack:
        part = next(stack[-1], None)
        if part is None:
            stack.pop()
        else:
            yield part
            stack.append(iter(part.children))


def to_node(part: Part, address: str, *, start: int = 0, space: str = "file") -> Node:
    """The part as a node of the file's tree, its children lazily.

    `start` is where the buffer that was read begins in `space`. Children are addressed by their kind (`…/field_ids`)
    and, inside of ids, offsets, strings and values, by their position (`…/values/3`).
    """

    def facts() -> list[Fact]:
        known = []
        if part.type_name:
            known.append(Fact("type", part.type_name, part.meaning))
        if part.name is not None:
            known.append(Fact("name", part.name, "The field's name, looked up in the metadata."))
        if not part.keys and not part.children and part.value is not None:
            known.append(Fact("value", part.value, part.meaning))
        elif part.kind == "value" and part.value is not None:
            known.append(Fact("elements" if part.items else "value", part.value))
        known += [
            Fact(bit.name, bit.value, f"{bit.meaning} Bits {bit.first} to {bit.last}.")
            for bit in part.bits
        ]
        return known

    def child(i: int) -> Node:
        below = part.children[i]
        numbered = below.kind in ("field_id", "field_offset", "offset", "string")
        name: str | int = i if numbered or part.kind == "values" else below.kind
        return to_node(below, join(address, name), start=start, space=space)

    return Node(
        f"variant_{part.kind}",
        part.label,
        address,
        Span(part.start + start, part.end + start, space),
        facts=facts,
        children=LazySequence(len(part.children), child),
        state="ok" if part.error is None else "corrupt",
        reason="" if part.error is None else part.error.message,
    )
