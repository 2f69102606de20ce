"""Nodes that are kept while a whole file is walked, so that the next address begins at the nearest of them.

To find a node of a Thrift struct, each struct and list above it is read. A saved page asks for thousands of nodes, most of
them beside or below the last one.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.tree.node import Node

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

MOST = 500
"""Nodes that are kept; all are dropped for the next one."""

CHANGES = frozenset({"", "gaps", "unknown_parts"})
"""Addresses of the nodes that have more children after the file's layout is known."""


class Found:
    """The nodes of one file that were found last. All are dropped after a new finding, which may be about one of them."""

    def __init__(self, file: ParquetFile) -> None:
        self._file = weakref.ref(file)
        self._nodes: dict[str, Node] = {}
        self._findings = 0

    def add(self, node: Node) -> None:
        """Keeps a node."""
        if node.address in CHANGES:
            return
        if len(self._nodes) >= MOST:
            self._nodes.clear()
        self._nodes[node.address] = node

    def nearest(self, parts: Sequence[str]) -> tuple[Node, Sequence[str]] | None:
        """The kept node that is nearest above an address, or at it, and the parts below it; None if there is none."""
        file = self._file()
        findings = 0 if file is None else file.finding_count
        if findings != self._findings:
            self._findings = findings
            self._nodes.clear()
        for length in range(len(parts), 0, -1):
            node = self._nodes.get("/".join(parts[:length]))
            if node is not None:
                return node, parts[length:]
        return None


_found: weakref.WeakKeyDictionary[ParquetFile, Found] = weakref.WeakKeyDictionary()


def found_in(file: ParquetFile) -> Found | None:
    """The nodes that are kept of a file; None if none are to be."""
    return _found.get(file)


@contextlib.contextmanager
def keeping_nodes(file: ParquetFile) -> Iterator[None]:
    """Keeps the nodes of a file that are found meanwhile."""
    _found[file] = Found(file)
    try:
        yield
    finally:
        _found.pop(file, None)
