"""Finds the node of an address without making the nodes beside the path."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from pqexplore.engine.address import Address
from pqexplore.engine.errors import NoNodeError, ParquetError, UsageError
from pqexplore.engine.text import plural
from pqexplore.engine.tree import layout
from pqexplore.engine.tree.at import page_at
from pqexplore.engine.tree.chunks import chunk_node, known_page_node, row_group_node
from pqexplore.engine.tree.file_nodes import file_node, gap_node, row_groups_node
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.page_nodes import section_node
from pqexplore.engine.tree.struct_nodes import column_chunk_node

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.file.row_group import RowGroup


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


T = TypeVar("T")

SECTIONS = frozenset({"values", "definition_levels", "repetition_levels"})
"""Parts of a page that are nodes only if its body can be decompressed."""

SEARCHED = 100_000
"""Number of children up to which all are searched for a name."""

NAMED = 64
"""Number of children to search at both ends if there are more: parts with names come before pages, and after values."""


_OF_NO_NODE = ("columns", "pages")
"""The parts of an address that name no node: the nodes below a row group and a column chunk are named by the next part."""


def find(file: ParquetFile, address: str) -> Node:
    """The node at an address; a column chunk may be named by its dotted path instead of its number.

    NoNodeError if there is none; ParquetError if damage or a missing key hides it.
    """
    parts = [part for part in address.split("/") if part]
    kept = found_in(file)
    node = None if kept is None else _from_nearest(kept, parts)
    return node or _from_start(file, parts, address, kept)


def _from_nearest(kept: Found, parts: list[str]) -> Node | None:
    """The node at an address, from the nearest one that is kept; None if that leads to none."""
    near = kept.nearest(parts)
    if near is None:
        return None
    node, rest = near
    if rest and rest[0] in _OF_NO_NODE:
        return None  # `_from_start` goes to the node at once; a search makes all children of this one
    for part in rest:
        below = child(node, part)
        if below is None:
            return None
        node = below
        kept.add(node)
    return node


def _from_start(file: ParquetFile, parts: list[str], address: str, kept: Found | None) -> Node:
    start = _start(file, parts)
    if start is None:
        raise NoNodeError(f"no node at {address!r}")
    node, rest = start
    if kept is not None:
        kept.add(node)
    for position, part in enumerate(rest):
        found = child(node, part)
        if found is None:
            page = _page(file, "/".join(parts)) if part in SECTIONS and position == 0 else None
            if page is not None:
                _ = page.body  # which raises where the page cannot be opened
            raise NoNodeError(
                f"no node at {address!r}: {node.address or 'the file'} has no "
                f"{'/'.join(rest[position : position + 1])!r}"
            )
        node = found
        if kept is not None:
            kept.add(node)
    return node


Start = tuple[Node, list[str]]
"""A node, and the parts of the address after it."""


def _start(file: ParquetFile, parts: list[str]) -> Start | None:
    """The node of the first parts of an address, and the parts after them; None if there is none."""
    match parts:
        case ["gaps", name]:
            return gap_node(file, name), []
        case ["unknown_parts", name, *rest]:
            from pqexplore.engine.tree.unknown_parts import part_node

            place = next((one for one in layout.unknown(file) if str(one[0]) == name), None)
            return None if place is None else (part_node(file, *place), rest)
        case ["footer", "row_groups", _, "columns", _, *_]:
            return _footer_chunk(file, parts)
        case ["row_groups"]:
            return row_groups_node(file), []
        case ["row_groups", number, *rest]:
            group = _item(file.row_groups, number)
            return None if group is None else _in_group(group, rest)
    return file_node(file), parts


def _in_group(group: RowGroup, parts: list[str]) -> Start | None:
    """The same below a row group: the parts `columns` and `pages` name no node."""
    match parts:
        case ["columns", name, "pages", number, *rest]:
            return _in_page(_chunk(group, name), number, rest)
        case ["columns", name, *rest]:
            return chunk_node(_chunk(group, name)), [part for part in rest if part != "pages"]
    return row_group_node(group), [part for part in parts if part != "columns"]


def _in_page(chunk: ColumnChunk, number: str, rest: list[str]) -> Start | None:
    """The same below a page."""
    if chunk.elsewhere:
        raise chunk.not_here("open that file to see its pages")
    address = Address.of(chunk.address, "pages", number)
    try:
        page = _item(chunk.pages, number)
    except ParquetError:
        unreadable = _unreadable_page(chunk, address)
        if unreadable is None:
            raise
        return unreadable
    if page is None:
        return _unreadable_page(chunk, address)
    section = rest and rest[0] in SECTIONS and section_node(page, rest[0])
    return (section, rest[1:]) if section else (known_page_node(page), rest)


def _chunk(group: RowGroup, name: str) -> ColumnChunk:
    """The column chunk of this number or dotted path. NoNodeError if there is none."""
    chunk = _item(group.columns, name)
    if chunk is not None:
        return chunk
    if name.isdecimal():
        raise NoNodeError(
            f"{group.address} has no column {name}; it has {plural(len(group.columns), 'column')}, counted from 0"
        )
    try:
        return group.columns[name]
    except KeyError as error:
        raise NoNodeError(f"{group.address}: {error.args[0]}") from None


def _unreadable_page(chunk: ColumnChunk, address: Address) -> Start | None:
    """The node of the damage that ended the walk through the pages, if its address is the page's; else None."""
    children = chunk_node(chunk).children
    last = children[-1] if len(children) else None
    return (last, []) if last is not None and last.address == address else None


def _footer_chunk(file: ParquetFile, parts: list[str]) -> Start | None:
    """The ColumnChunk of `footer/row_groups/G/columns/C/…`, read at its offset in the footer."""
    group = _item(file.footer.chunk_offsets, parts[2])
    if group is None or _item(group, parts[4]) is None:
        return None
    address = Address.of(*parts[:5])
    label = f"{parts[4]} ColumnChunk"
    return column_chunk_node(file, int(parts[2]), int(parts[4]), address, label), parts[5:]


def _item(items: Sequence[T], name: str) -> T | None:
    """The item whose index is written as `name`; None if absent."""
    if not name.isdecimal() or int(name) >= len(items):
        return None
    return items[int(name)]


def child(node: Node, name: str) -> Node | None:
    """The child whose address ends in `name`; None if absent. Children named by their position are found at once."""
    children = node.children
    if name.isdecimal() and int(name) < len(children):
        likely = children[int(name)]
        if likely.name == name:
            return likely
    if len(children) > SEARCHED:
        children = [*children[:NAMED], *children[-NAMED:]]
    return next((one for one in children if one.name == name), None)


def space(file: ParquetFile, name: str) -> memoryview:
    """The bytes of a space other than the file: a page's decrypted or decompressed body, or the decrypted footer.

    NoNodeError if there is no such space.
    """
    address, _, kind = name.partition(":")
    if address == "footer" and file.footer.raw is not None:
        return memoryview(file.footer.raw)
    parts = address.split("/")
    page = _page(file, address)
    if page is not None and len(parts) == 6 and name in page.body.spaces:
        return page.body.spaces[name]
    if page is not None and len(parts) == 8 and parts[6] == "values" and kind == "value":
        value = _item(page.physical, parts[7])
        if value is not None:
            return memoryview(value.as_py())
    from pqexplore.engine.tree import chunk_modules

    opened = chunk_modules.decrypted(file, address) if kind == "decrypted" else None
    if opened is None:
        raise NoNodeError(f"no bytes are called {name!r}")
    return opened


def _page(file: ParquetFile, address: str) -> Page | None:
    """The page that an address is in; None if it is in no page."""
    try:
        return page_at(file, address)
    except UsageError:
        return None
