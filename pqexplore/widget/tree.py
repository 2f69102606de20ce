"""Nodes for the view: one with its facts, its children by the page, and the node that owns a byte."""

from __future__ import annotations

import itertools
from typing import Any

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.tree import FILE, Fact, Node, Span, parent
from pqexplore.widget import lenses, text
from pqexplore.widget.bytemap import tile_at

PAGE = 200
"""Children in one answer."""

FACTS = 400
"""Facts in one answer; the rest is counted."""

SCANNED = 5_000
"""Children looked through for the one that owns a byte."""

LEAVES = frozenset(
    "magic footer_length footer_magic repetition_levels definition_levels value key_value gap "
    "bloom_filter_bitset".split()
)
"""Kinds that never have children, so that an outline need not look."""


def node(file: Any, address: str = "") -> dict[str, Any]:
    """What the view shows of one node: facts, the path to it, how many children, which lenses apply."""
    found = file.node(address)
    known = list(itertools.islice(found.facts, FACTS))
    answer = _brief(found)
    answer["facts"] = [_fact(fact) for fact in known]
    answer["more_facts"] = len(found.facts) - len(known)
    answer["path"] = _path(file, found)
    answer["lenses"] = lenses.applying(found)
    answer["spaces"] = sorted({f.span.space for f in known if f.span} | {FILE} | _space(found.span))
    answer["children"], answer["damage"] = _count(found)
    return answer


def children(file: Any, address: str = "", start: int = 0, count: int = PAGE) -> dict[str, Any]:
    """`count` children of a node from the one at `start`, in brief, and how many there are."""
    if start < 0 or not 0 <= count <= PAGE:
        raise UsageError(f"children {start} to {start + count}: ask for at most {PAGE}")
    below = file.node(address).children
    return {"total": len(below), "start": start, "items": [_brief(n) for n in below[start : start + count]]}


def locate(file: Any, offset: int, space: str = FILE) -> dict[str, str]:
    """The address of the innermost node that owns a byte."""
    if space == FILE:
        if not 0 <= offset < file.size:
            raise UsageError(f"byte {offset:,} is outside the file of {file.size:,} bytes")
        found = file.node(tile_at(file, offset))
    else:
        found = file.node(space.rpartition(":")[0])
    while True:
        inner = _owner(found, offset, space)
        if inner is None:
            return {"address": found.address}
        found = inner


def _owner(found: Node, offset: int, space: str) -> Node | None:
    try:
        for child in itertools.islice(found.children, SCANNED):
            if child.span and child.span.space == space and child.span.start <= offset < child.span.end:
                return child
            if child.span is None or child.span.space != space:
                inner = _owner(child, offset, space) if child.kind == "group" else None
                if inner is not None:
                    return inner
    except ParquetError:
        pass  # a damaged node owns its bytes as a whole
    return None


def _brief(found: Node) -> dict[str, Any]:
    return {
        "address": found.address,
        "kind": found.kind,
        "label": text.shorten(found.label, 300),
        "span": _span(found.span),
        "state": found.state,
        "reason": text.shorten(found.reason, 1_000),
        "leaf": found.kind in LEAVES,
    }


def _count(found: Node) -> tuple[int, str]:
    try:
        return len(found.children), ""
    except ParquetError as error:  # its facts can still be read
        return 0, str(error)


def _path(file: Any, found: Node) -> list[dict[str, str]]:
    """The nodes from the file down to this one; parts of the address that are no node of their own are left out."""
    steps = [{"address": found.address, "label": text.shorten(found.label, 120), "kind": found.kind}]
    above = found.address
    while above:
        above = parent(above)
        try:
            step = file.node(above)
        except (ParquetError, ValueError, LookupError):
            continue
        steps.append({"address": step.address, "label": text.shorten(step.label, 120), "kind": step.kind})
    return steps[::-1]


def _fact(fact: Fact) -> dict[str, Any]:
    return {
        "name": fact.name,
        "value": text.show(fact.value),
        "meaning": fact.meaning,
        "span": _span(fact.span),
        "address": fact.address,
    }


def _span(span: Span | None) -> list[Any] | None:
    return None if span is None else [span.start, span.end, span.space]


def _space(span: Span | None) -> set[str]:
    return set() if span is None else {span.space}
