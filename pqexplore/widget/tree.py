"""Nodes for the view: one with its facts, its children by the page, and the node that owns a byte."""

from __future__ import annotations

import bisect
import contextlib
import itertools
from collections.abc import Generator
from typing import Any

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.tree import FILE, Fact, Node, Span, parent
from pqexplore.widget import lenses, text
from pqexplore.widget.bytemap import tile_at
from pqexplore.widget.places import chunk_at, in_page, page_at
from pqexplore.widget.rpc import describe

PAGE = 200
"""Children in one answer."""

FACTS = 400
"""Facts in one answer; the rest is counted."""

SCANNED = 5_000
"""Children looked through for the one that owns a byte."""

UNSEARCHED = frozenset({"values", "repetition_levels", "definition_levels"})
"""Kinds whose children are too many, and too dear to make, to look through."""

LEAVES = frozenset(
    {
        "magic",
        "footer_length",
        "footer_magic",
        "repetition_levels",
        "definition_levels",
        "values",
        "value",
        "key_value",
        "gap",
        "bloom_filter_bitset",
    }
)
"""Kinds whose children an outline does not show: they have none, or the page lens shows them better."""


def node(
    file: Any, address: str = "", view: str = "", sure: bool = False
) -> Generator[float, None, dict[str, Any]]:
    """What the view shows of one node: facts, the path to it, its place, and what the lens to open has to show.

    `view` is the lens that is preferred; where it does not apply, the node's own first lens is taken. A lens that
    fails leaves its error in `trouble`, and the facts stay. `sure` lets a lens decode much without asking.
    """
    found = file.node(address)
    known, facts_damage = _facts(found)
    path = _path(file, found)
    answer = _brief(found)
    answer["facts"] = [_fact(fact) for fact in known[:FACTS]]
    answer["more_facts"] = max(0, len(known) - FACTS)
    answer["path"] = [
        {"address": n.address, "label": text.shorten(n.label, 120), "kind": n.kind} for n in path
    ]
    answer["place"] = _place(path)
    answer["spaces"] = sorted(
        {f.span.space for f in known[:FACTS] if f.span} | _spaces(file, found)
    )
    answer["children"], answer["damage"] = _count(found)
    answer["damage"] = answer["damage"] or facts_damage
    answer["lenses"] = lenses.applying(found)
    names = [lens["name"] for lens in answer["lenses"]]
    answer["lens"] = view if view in names else names[0]
    answer["payload"], answer["trouble"] = None, None
    try:
        answer["payload"] = yield from lenses.payload(file, found, answer["lens"], sure)
    except ParquetError as error:
        answer["trouble"] = describe(error)
    return answer


def children(file: Any, address: str = "", start: int = 0, count: int = PAGE) -> dict[str, Any]:
    """`count` children of a node from the one at `start`, in brief, and how many there are."""
    if start < 0 or not 0 <= count <= PAGE:
        raise UsageError(f"children {start} to {start + count}: ask for at most {PAGE}")
    below = file.node(address).children
    return {
        "total": len(below),
        "start": start,
        "items": [_brief(n) for n in below[start : start + count]],
    }


def locate(file: Any, offset: int, space: str = FILE) -> dict[str, str]:
    """The address of the innermost node that owns a byte, down to fields of structs and sections of pages.

    Single values are not looked through: where each one lies is a question of its encoding.
    """
    if space == FILE:
        if not 0 <= offset < file.size:
            raise UsageError(f"byte {offset:,} is outside the file of {file.size:,} bytes")
        found = file.node(tile_at(file, offset))
    else:
        found = file.node(space.rpartition(":")[0])
    while True:
        inner = (
            _page(file, found, offset)
            if found.kind == "column_chunk"
            else _owner(found, offset, space)
        )
        if inner is None:
            return {"address": found.address}
        found = inner


def _owner(found: Node, offset: int, space: str) -> Node | None:
    """The child that has a byte; None where the node has it itself, or is damaged and owns its bytes as a whole."""
    if found.kind in UNSEARCHED:
        return None
    with contextlib.suppress(ParquetError):
        for child in itertools.islice(found.children, SCANNED):
            span = child.span
            if span is not None and span.space == space and span.start <= offset < span.end:
                return child
    return None


def _page(file: Any, chunk: Node, offset: int) -> Node | None:
    """The page of a column chunk that has a byte of the file."""
    with contextlib.suppress(ParquetError):
        pages = chunk_at(file, chunk.address).pages
        at = bisect.bisect_right(pages, offset, key=lambda page: page.span.start) - 1
        if at >= 0 and offset < pages[at].span.end:
            page: Node = file.node(pages[at].address)
            return page
    return None


def _brief(found: Node) -> dict[str, Any]:
    return {
        "address": found.address,
        "kind": found.kind,
        "label": text.shorten(found.label, 300),
        "span": _span(found.span),
        "state": found.state,
        "reason": text.shorten(found.reason, 1_000),
        "leaf": _is_leaf(found),
    }


def _is_leaf(found: Node) -> bool:
    """Whether an outline ends here; a value does, but for a Variant's, which has parts."""
    if found.kind == "value":
        with contextlib.suppress(ParquetError):
            return not len(found.children)
    return found.kind in LEAVES


def _count(found: Node) -> tuple[int, dict[str, Any] | None]:
    """How many children there are to show, and what is wrong where they cannot be had."""
    if _is_leaf(found):
        return 0, None
    try:
        return len(found.children), None
    except ParquetError as error:  # its facts can still be read
        return 0, describe(error)


def _facts(found: Node) -> tuple[list[Fact], dict[str, Any] | None]:
    try:
        return list(found.facts), None
    except ParquetError as error:
        return [], describe(error)


def _path(file: Any, found: Node) -> list[Node]:
    """The nodes from the file down to this one; parts of the address that are no node of their own are left out."""
    steps = [found]
    above = found.address
    while above:
        above = parent(above)
        with contextlib.suppress(ParquetError, ValueError, LookupError):
            steps.append(file.node(above))
    return steps[::-1]


def _place(path: list[Node]) -> list[int] | None:
    """The bytes of the file that hold the last node of a path: its own, or those of what it lies in."""
    for step in reversed(path):
        if step.span is not None and step.span.space == FILE:
            return (
                None
                if step.kind == "file" and step is not path[-1]
                else [step.span.start, step.span.end]
            )
        if step.kind == "row_group":
            return _extent(step)
    return None


def _extent(group: Node) -> list[int] | None:
    """From the first byte of a row group's first chunk to the last of its last."""
    with contextlib.suppress(ParquetError):
        chunks = [group.children[i].span for i in (0, -1)] if len(group.children) else []
        spans = [span for span in chunks if span is not None and span.space == FILE]
        if spans:
            return [min(s.start for s in spans), max(s.end for s in spans)]
    return None


def _spaces(file: Any, found: Node) -> set[str]:
    """The spaces that have the bytes of a node: the file, and what a page becomes when it is decoded."""
    spaces = {FILE} if found.span is None else {FILE, found.span.space}
    if in_page(found.address):
        with contextlib.suppress(ParquetError, LookupError):
            spaces |= set(page_at(file, found.address).body.spaces)
    return spaces


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
