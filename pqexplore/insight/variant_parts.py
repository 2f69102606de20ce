"""The bytes of one stored Variant as a list of parts: every header with its bits, every offset, every value.

The list is what the tree of `engine.variant.spans` has, depth first and cut where it gets long; each part knows the node
that shows it, where the value lies in its page in one piece.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.tree import Node, Span
from pqexplore.engine.variant.metadata_spans import read_metadata
from pqexplore.engine.variant.parts import Part, to_node
from pqexplore.engine.variant.spans import read_value

PARTS = 240
"""Parts that are listed."""

NUMBERS = 12
"""Ids, offsets, names or values of one container that are listed."""

SHOWN = 24
"""Bytes of a part that are shown in hexadecimal."""

_MANY = frozenset({"field_ids", "field_offsets", "offsets", "strings", "values"})


def parts_of(
    file: Any, name: str, metadata: bytes | None, raw: bytes, address: str | None
) -> dict[str, Any]:
    """`parts` of the metadata or value `raw`, stored at the node `address`; `more` says how many are left out."""
    root = (
        read_metadata(raw) if name == "metadata" else read_value(metadata, raw, limits=file.limits)
    )
    below, span = _place(file, address)
    node = (
        None
        if below is None or span is None
        else to_node(root, below, start=span.start, space=span.space)
    )
    parts: list[dict[str, Any]] = []
    todo: list[tuple[Part, Node | None, int]] = [(root, node, 0)]
    left = 0
    while todo:
        part, shown, depth = todo.pop()
        if part.kind == "more":
            parts.append(_cut(part, depth))
            continue
        if len(parts) >= PARTS:
            left += 1
            continue
        parts.append(_part(part, shown, depth, raw))
        many = part.kind in _MANY
        children = list(part.children[:NUMBERS] if many else part.children[:PARTS])
        nodes: Sequence[Node | None] = (
            [None] * len(children) if shown is None else shown.children[: len(children)]
        )
        found: list[tuple[Part, Node | None, int]] = [
            (child, one, depth + 1) for child, one in zip(children, nodes, strict=True)
        ]
        rest = len(part.children) - len(children)
        if rest:
            found.append((Part("more", f"… {rest:,} more", part.end, part.end), None, depth + 1))
        todo += reversed(found)
    return {"parts": parts, "left": left}


def _place(file: Any, address: str | None) -> tuple[str | None, Span | None]:
    """The address below which the parts of a stored value are nodes, and the bytes of the value."""
    if address is None:
        return None, None
    with contextlib.suppress(ParquetError, LookupError):
        children = file.node(address).children
        if not len(children):
            return None, None
        first = children[0]
        if first.kind == "possible_variant":
            return first.address, first.span
        span = first.span
        return address, span
    return None, None


def _part(part: Part, node: Node | None, depth: int, raw: bytes) -> dict[str, Any]:
    data = raw[part.start : min(part.end, part.start + SHOWN)]
    more = part.end - part.start > SHOWN
    span = None if node is None else node.span
    return {
        "kind": part.kind,
        "label": _label(part),
        "depth": depth,
        "start": part.start,
        "end": part.end,
        "hex": data.hex(" ") + (" …" if more else ""),
        "meaning": part.meaning[:400],
        "type": part.type_name,
        "bits": [
            {
                "name": b.name,
                "first": b.first,
                "last": b.last,
                "value": b.value,
                "meaning": b.meaning,
            }
            for b in part.bits
        ],
        "error": "" if part.error is None else part.error.message,
        "address": None if node is None or not depth else node.address,
        "span": None if span is None else [span.start, span.end, span.space],
    }


def _label(part: Part) -> str:
    label = part.label if len(part.label) <= 120 else f"{part.label[:120]}…"
    if part.kind == "value" and part.name is not None and not label.startswith(part.name[:20]):
        return f"{part.name[:60]}: {label}"
    return label


def _cut(part: Part, depth: int) -> dict[str, Any]:
    return {
        "kind": "more",
        "label": part.label,
        "depth": depth,
        "start": part.start,
        "end": part.end,
        "hex": "",
        "meaning": "",
        "type": "",
        "bits": [],
        "error": "",
        "address": None,
        "span": None,
    }
