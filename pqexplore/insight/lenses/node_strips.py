"""Strips of what lies in a row group: the pages of a chunk, the parts of a page or a struct, the sections of a page's body."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.file.chunk_pages import IndexedPages
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.tree.node import Node
from pqexplore.insight.lenses.strip import Strip

CHILDREN = 2_000
"""Max parts of a struct or a page in a strip."""


SECTIONS = frozenset({"values", "repetition_levels", "definition_levels"})


LEFTOVERS = 2
"""The most leftovers at the end of a section: of its last run, and after it."""


PAGE_KINDS = {0: "data_page", 1: "index_page", 2: "dictionary_page", 3: "data_page_v2"}


def page_strip(file: ParquetFile, address: str) -> Strip:
    """The pages of a chunk. ParquetError if they need a key or lie in another file."""
    parts = address.split("/")
    chunk = file.row_groups[int(parts[1])].columns[int(parts[3])]
    if chunk.elsewhere:
        raise chunk.not_here("open that file to see its pages")
    span, pages = chunk.span, chunk.pages
    title = ".".join(chunk.leaf.path)
    template = Address.of(address, "pages", "#")
    if isinstance(pages, IndexedPages):
        edges = np.asarray(pages.starts, np.int64)
        kind = np.zeros(len(pages), np.int64)
        kinds = ["data_page", "dictionary_page"]
        kind[: pages.ahead] = 1
        return Strip(address, title, span.start, span.end, FILE, edges[:-1], edges[1:], kind, kinds, template=template)
    frames = chunk.frames
    starts = [frame.start for frame in frames.frames]
    ends = [frame.end for frame in frames.frames]
    names = [PAGE_KINDS.get(frame.header.type, "unknown_page") for frame in frames.frames]
    note = ""
    if frames.end < span.end:
        starts.append(frames.end)
        ends.append(span.end)
        names.append("unreadable" if frames.error is not None else "gap")
        note = "" if frames.error is None else frames.error.message
    kinds = list(dict.fromkeys(names))
    return Strip(
        address,
        title,
        span.start,
        span.end,
        FILE,
        np.array(starts, np.int64),
        np.array(ends, np.int64),
        np.array([kinds.index(one) for one in names], np.int64),
        kinds,
        template=template,
        note=note,
    )


def node_strip(node: Node, span: Span) -> Strip | None:
    """The children of a node as tiles of its bytes; None if none of them lies there."""
    parts = [
        child
        for child in _cut(node.children[:CHILDREN])
        if child.span is not None and child.span.space == span.space and len(child.span)
    ]
    if not parts:
        return None
    return _of_nodes(node.address, node.label, span, parts)


def _cut(nodes: Sequence[Node]) -> Iterator[Node]:
    """Nodes; the sections of a page without the leftovers at their ends, which follow them."""
    for node in nodes:
        leftovers: list[Node] = []
        if node.kind in SECTIONS:
            leftovers = [one for one in node.children[-LEFTOVERS:] if one.kind == "leftover"]
        if leftovers and node.span is not None and leftovers[0].span is not None:
            span = dataclasses.replace(node.span, end=leftovers[0].span.start)
            node = Node(node.kind, node.label, node.address, span)
        yield node
        yield from leftovers


def body_strip(file: ParquetFile, page: Node, above: Strip) -> Strip | None:
    """The levels and values in a page's body, after decryption and decompression."""
    address = page.address
    parts = [
        child
        for child in _cut(page.children)
        if child.span is not None and child.span.space != FILE and len(child.span)
    ]
    if not parts:
        return None
    space = parts[0].span.space if parts[0].span is not None else FILE
    span = Span(0, file.space_size(space), space)
    own = [one for one in parts if one.span is not None and one.span.space == space]
    return _of_nodes(address, f"the body of {above.title}, {space.rpartition(':')[2]}", span, own)


def _of_nodes(address: str, title: str, whole: Span, nodes: Sequence[Node]) -> Strip:
    """Nodes in the order of their bytes, with a tile for each gap between them."""
    tiles: list[tuple[int, int, str, str, str]] = []
    at = whole.start
    for child in sorted(nodes, key=lambda one: one.span.start if one.span else 0):
        span = child.span
        assert span is not None
        start, end = max(span.start, at), min(span.end, whole.end)
        if end <= start:
            continue
        if start > at:
            tiles.append((at, start, "rest", address, "in between"))
        tiles.append((start, end, child.kind, child.address, child.label))
        at = end
    if at < whole.end:
        tiles.append((at, whole.end, "rest", address, "the end of the struct"))
    kinds = list(dict.fromkeys(tile[2] for tile in tiles))
    return Strip(
        address,
        title,
        whole.start,
        whole.end,
        whole.space,
        np.array([tile[0] for tile in tiles], np.int64),
        np.array([tile[1] for tile in tiles], np.int64),
        np.array([kinds.index(tile[2]) for tile in tiles], np.int64),
        kinds,
        [tile[3] for tile in tiles],
        [tile[4] for tile in tiles],
    )
