"""The bytes of one stored Variant as a list of parts: headers with their bits, offsets, names and values.

The list is the tree of `engine.format.variant.spans`, depth first, cut where it gets long. If the value lies in its page
in one piece, each part has the address of its node.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.variant import parts as engine
from pqexplore.engine.format.variant.metadata_spans import read_metadata
from pqexplore.engine.format.variant.spans import read_value
from pqexplore.engine.span import Span
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.variant_nodes import to_node

PARTS = 240
"""Parts in the list."""

NUMBERS = 12
"""Ids, offsets, names or values of one container in the list."""

SHOWN = 24
"""Bytes of a part that are shown in hexadecimal."""

_MANY = frozenset({"field_ids", "field_offsets", "offsets", "strings", "values"})


@dataclasses.dataclass(slots=True)
class Bits:
    """A group of bits of a header byte. `digits` are its binary digits, the highest first."""

    name: str
    digits: str
    value: int
    meaning: str


@dataclasses.dataclass(slots=True)
class Part:
    """Bytes of a stored Variant. `kind` is that of `engine.format.variant.parts.VariantPart`, or "more" for a note.

    `bits` are those of a header byte, the highest first. `error` names the rule that the part breaks.
    """

    kind: str
    label: str
    depth: int
    hex: str = ""
    meaning: str = ""
    bits: list[Bits] = dataclasses.field(default_factory=list)
    error: str = ""
    address: str | None = None
    span: Span | None = None


@dataclasses.dataclass(slots=True)
class Stored:
    """One of the two byte strings of a Variant, `metadata` or `value`.

    `bytes` is its length. `why` says why there are no bytes. `left` counts the parts that the list leaves out.
    """

    name: str
    bytes: int
    address: str | None
    why: str = ""
    parts: list[Part] = dataclasses.field(default_factory=list)
    left: int = 0


def stored(file: ParquetFile, name: str, metadata: bytes | None, raw: bytes, address: str | None) -> Stored:
    """The metadata or value `raw` in its parts. `address` is the node of the column's value."""
    root = read_metadata(raw) if name == "metadata" else read_value(metadata, raw, limits=file.limits)
    below, span = _node_of(file, address)
    node = None if below is None or span is None else to_node(root, below, start=span.start, space=span.space)
    result = Stored(name, len(raw), address)
    todo: list[tuple[engine.VariantPart, Node | None, int]] = [(root, node, 0)]
    while todo:
        part, own, depth = todo.pop()
        if part.kind == "more":
            result.parts.append(Part("more", part.label, depth))
            continue
        if len(result.parts) >= PARTS:
            result.left += 1
            continue
        result.parts.append(_part(part, own, depth, raw))
        children = list(part.children[: NUMBERS if part.kind in _MANY else PARTS])
        nodes: Sequence[Node | None] = [None] * len(children) if own is None else own.children[: len(children)]
        below_it: list[tuple[engine.VariantPart, Node | None, int]] = [
            (child, one, depth + 1) for child, one in zip(children, nodes, strict=True)
        ]
        rest = len(part.children) - len(children)
        if rest:
            note = engine.VariantPart("more", f"… {rest:,} more", part.end, part.end)
            below_it.append((note, None, depth + 1))
        todo += reversed(below_it)
    return result


def _node_of(file: ParquetFile, address: str | None) -> tuple[str | None, Span | None]:
    """The address below which the parts of a stored value are nodes, and the value's bytes."""
    if address is None:
        return None, None
    with contextlib.suppress(ParquetError, LookupError):
        children = file.node(address).children
        if not len(children):
            return None, None
        first = children[0]
        return (first.address if first.kind == "possible_variant" else address), first.span
    return None, None


def _part(part: engine.VariantPart, node: Node | None, depth: int, raw: bytes) -> Part:
    data = raw[part.start : min(part.end, part.start + SHOWN)]
    more = part.end - part.start > SHOWN
    return Part(
        kind=part.kind,
        label=_label(part),
        depth=depth,
        hex=data.hex(" ") + (" …" if more else ""),
        meaning=part.meaning[:400],
        bits=[
            Bits(one.name, f"{one.value:0{one.last - one.first + 1}b}", one.value, one.meaning)
            for one in sorted(part.bits, key=lambda one: -one.first)
        ],
        error="" if part.error is None else part.error.message,
        address=None if node is None or not depth else node.address,
        span=None if node is None else node.span,
    )


def _label(part: engine.VariantPart) -> str:
    label = part.label if len(part.label) <= 120 else f"{part.label[:120]}…"
    if part.kind == "value" and part.name is not None and not label.startswith(part.name[:20]):
        return f"{part.name[:60]}: {label}"
    return label
