"""What a saved page shows beyond its first screen, in the order of what a reader looks for first.

The nodes above the pages come level by level, each with all its lenses; then the places of findings; then the column
chunks, the largest first, each with its pages; then the bytes of the file; then all other nodes that the outline lists:
the columns of the schema, the fields of structs. The page's budget ends it anywhere.
"""

from __future__ import annotations

import contextlib
import itertools
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.tree.node import Node
from pqexplore.insight.about import flagged
from pqexplore.insight.lenses import applying
from pqexplore.insight.lenses.rows import ROWS
from pqexplore.widget import hexview, tree

Request = tuple[str, dict[str, Any]]

ABOVE = frozenset({"row_group", "group"})
"""Kinds whose children are visited level by level."""

LISTED = 1_500
"""Nodes above the pages, and as many pages, that are visited."""

ROWS_READ = 500
"""Rows of the file, in its first columns."""

FINDINGS = 50
"""Findings whose places are visited first."""


def visits(file: ParquetFile) -> Iterator[Request]:
    """The requests of all views of the nodes, and of the bytes of the file."""
    above = list(itertools.islice(_above(file), LISTED))
    if len(above) < LISTED:  # else the view reads the page headers only when asked
        yield "layout", {"level": "pages"}
    for node in above:
        yield from _opened(node)
    for start in range(0, min(_rows(file), ROWS_READ), ROWS):
        yield "rows", {"start": start, "column": 0}
    places = [one.address for one in flagged(file, file.root)[:FINDINGS] if one.address]
    chunks = sorted((one for one in above if one.kind == "column_chunk"), key=_size, reverse=True)
    pages = itertools.chain(_nodes(file, places), _below(chunks))
    seen = set()
    for node in itertools.chain(above, itertools.islice(pages, LISTED)):
        seen.add(node.address)
        yield from _seen(file, node)
    for start in range(0, file.size, hexview.CHUNK):
        yield "bytes", {"start": start, "space": "file"}
    for node in listed(file):
        if node.address not in seen:
            yield from _seen(file, node)


def _rows(file: ParquetFile) -> int:
    """Rows of the file; 0 if that cannot be read."""
    try:
        return file.num_rows or 0
    except ParquetError:
        return 0


def _above(file: ParquetFile) -> Iterator[Node]:
    """The nodes above the pages, level by level."""
    level: Iterable[Node] = [file.root]
    while level:
        below: list[Node] = []
        for node in level:
            for child in _children(node):
                yield child
                if child.kind in ABOVE:
                    below.append(child)
        level = below


def listed(file: ParquetFile) -> Iterator[Node]:
    """All nodes that the outline lists, level by level."""
    parents = deque([file.root])
    while parents:
        for child in itertools.islice(_children(parents.popleft()), LISTED):
            yield child
            if child.kind not in tree.LEAVES:
                parents.append(child)


def _below(nodes: Iterable[Node]) -> Iterator[Node]:
    """The children of nodes, and theirs: pages, and their parts."""
    for node in nodes:
        for child in _children(node):
            yield child
            if child.kind.endswith(("_page", "_page_v2")):
                yield from _children(child)


def _children(node: Node) -> Iterator[Node]:
    with contextlib.suppress(ParquetError):
        yield from node.children


def _nodes(file: ParquetFile, addresses: Iterable[str]) -> Iterator[Node]:
    for address in addresses:
        with contextlib.suppress(ParquetError, LookupError, ValueError):
            yield file.node(address)


def _opened(node: Node) -> Iterator[Request]:
    """A node as the tree and the tabs show it first."""
    yield "node", {"address": node.address}
    count = 0
    if node.kind not in tree.LEAVES:
        with contextlib.suppress(ParquetError):
            count = len(node.children)
    for start in range(0, min(count, LISTED), tree.PAGE):
        yield "children", {"address": node.address, "start": start}


def _seen(file: ParquetFile, node: Node) -> Iterator[Request]:
    """Everything that can be opened at a node: its lenses, and the first bytes of its page."""
    yield from _opened(node)
    for lens in applying(node)[1:]:  # the node comes with its first lens
        if lens.name != "facts":  # which are in the node
            yield "lens", {"address": node.address, "lens": lens.name}
    if node.kind.endswith(("_page", "_page_v2")):
        for space in sorted(tree.spaces_of(file, node)):
            if space != "file":
                yield "bytes", {"start": 0, "space": space}


def _size(node: Node) -> int:
    return 0 if node.span is None else node.span.end - node.span.start
