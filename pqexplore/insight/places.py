"""Finds the node or the handle of an address; an error names what there is if there is none."""

from __future__ import annotations

import bisect
import contextlib
import dataclasses
import difflib
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.fact import Fact
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.footer import ENCRYPTED_MAGIC
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.tree.at import chunk_at
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.resolve_address import find
from pqexplore.insight.wording import listing, plural

NAMED = 12
"""Nodes or columns that an error names."""

LOOKED_AT = 20_000
"""Columns up to which they are searched for a name that is spelt in another way, or nearly so."""

FACTS = 400
"""Columns whose values are facts of a row."""

SCANNED = 5_000
"""Children to search for the one that owns a byte."""

UNSEARCHED = frozenset({"values", "repetition_levels", "definition_levels"})
"""Kinds whose children are too many, and too expensive to make, to search, except leftovers among the last."""

LAST = 2

_FIELD = re.compile(r"schema/(?:\d+/)*(\d+)$")
_ROW = re.compile(r"rows/(\d{1,18})")
_CELL = re.compile(r"rows/(\d{1,18})/(.+)")
_GROUP = re.compile(r"(row_groups/\d+)/(.+)")
_COLUMN = re.compile(r"row_groups/0/columns/(\d+)")
_OFFSET = re.compile(r"@?(0x[0-9a-f]{1,16}|\d[\d,_]{0,24})", re.IGNORECASE)
_COLUMNS = re.compile(r"(row_groups/\d+)?(?:^|/)columns/")


def file_span(finding: Finding, file: ParquetFile) -> Span | None:
    """The bytes of the innermost node around a finding that is in the file itself; None if it is about the whole file."""
    address = Address(finding.address)
    while address:
        with contextlib.suppress(ParquetError, KeyError, ValueError, IndexError):
            span = file.node(address).span
            if span is not None and span.space == FILE:
                return span
        address = address.parent
    return None


def is_encrypted(file: ParquetFile) -> bool:
    """Whether a part of the file may be encrypted: its footer, or columns under a plaintext footer."""
    if file.metadata is None or file.footer.magic == ENCRYPTED_MAGIC:
        return True
    return file.metadata.encryption_algorithm is not None


def leaf_at(file: ParquetFile, address: str) -> Leaf:
    """The leaf that an address in the schema names. UsageError if it names none."""
    match = _FIELD.match(address)
    index = int(match[1]) if match else -1
    for leaf in file.schema.leaves:
        if leaf.index == index:
            return leaf
    raise UsageError(f"{address or 'the file'} is not a leaf of the schema")


def is_column(node: Node) -> bool:
    """Whether a node is a column chunk, or the leaf of the schema that names its column."""
    if node.kind == "schema_field":
        return any(fact.name == "column" for fact in node.facts)
    return node.kind == "column_chunk"


def resolve(file: ParquetFile, address: str) -> Node:
    """The node at an address, which may have the names of columns in place of their numbers.

    - `row_groups/0/columns/country`, by the dotted path of a leaf, with or without the steps of lists (`tags.list.element`,
      `tags[]`, `tags`); numbers go first, and what follows stays: `…/columns/country/pages/0`;
    - `columns/country`: the leaf in the schema, which stands for all its column chunks; also a group of leaves;
    - `country`, `schema/country`, `row_groups/0/country`: the same without the word `columns`, unless a node is so called;
    - `rows/172`: row 172 of the file, with its row group, and its value in each column; `rows/172/country`: its value in a
      column;
    - `@1234`, or the number alone: the innermost node that owns this byte of the file.

    UsageError if there is none; the message names what there is. ParquetError if a node on the way is damaged or needs
    a key.
    """
    address = address.strip().strip("/")
    row, offset = _ROW.fullmatch(address), _OFFSET.fullmatch(address)
    if row is not None:
        return row_node(file, int(row[1]))
    cell = _CELL.fullmatch(address)
    if cell is not None:
        return _cell_node(file, int(cell[1]), cell[2])
    if offset is not None:
        digits = re.sub("[,_]", "", offset[1]).lower()
        return file.node(locate(file, int(digits, 16 if digits.startswith("0x") else 10)))
    address = _in_numbers(file, address)
    for tried in itertools.chain([address], _with_columns(file, address)):
        try:
            return _found(file, tried)
        except (KeyError, ValueError, IndexError):
            continue
    above = Address(address).parent
    while above:
        try:
            reached = _found(file, above)
            break
        except (KeyError, ValueError, IndexError):
            above = Address(above).parent
    else:
        reached = file.root
    raise UsageError(f"there is nothing at {address!r}; {_what_is_at(reached)}") from None


def _found(file: ParquetFile, address: str) -> Node:
    """The node at an address in numbers, or with the name of a column chunk. NoNodeError if there is none."""
    with file.budget.asking("node()", address):
        return find(file, address)


def _with_columns(file: ParquetFile, address: str) -> Iterator[str]:
    """The address with the word `columns` where it was left out before the name of a column, in numbers."""
    group, rest = _GROUP.fullmatch(address), address.removeprefix("schema/")
    before, rest = (f"{group[1]}/", group[2]) if group is not None else ("", rest)
    if not rest.partition("/")[0].isdecimal() and any(_fields_called(file, one) for one in _beginnings(rest)):
        yield _in_numbers(file, f"{before}columns/{rest}")


def _beginnings(path: str) -> list[str]:
    """The path, and what is left of it without its last parts; a name may have slashes."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


def _in_numbers(file: ParquetFile, address: str) -> str:
    """An address with the numbers of columns in place of their names. UsageError for a column that does not exist."""
    below = _COLUMNS.match(address)
    if below is None:
        return address
    before, rest = below[1] or "", address[below.end() :].split("/")
    if before and rest[0].isdecimal():
        return address
    for count in range(len(rest), 0, -1):  # a name may have slashes
        fields = _fields_called(file, "/".join(rest[:count]))
        if fields:
            break
    else:
        names = file.schema.dotted
        close = difflib.get_close_matches(rest[0], names[:LOOKED_AT], 3)
        mean = f"; do you mean {listing(close, 'or')}?" if close else ""
        raise UsageError(f"no column {rest[0]!r}{mean or _columns_are(names)}")
    if not before:
        return Address.of("schema", fields[0].index, *rest[count:])
    leaves = [leaf for field in fields for leaf in field.leaves()]
    if len(leaves) > 1:
        names = [".".join(leaf.path) for leaf in leaves]
        said = f"{'/'.join(rest[:count])!r} has {len(leaves):,} columns"
        raise UsageError(f"{said}{_columns_are(names)}")
    return Address.of(before, "columns", leaves[0].leaf_index, *rest[count:])


def _columns_are(names: Sequence[str]) -> str:
    return f"; columns are {listing(names, most=NAMED)}" if names else "; there are no columns"


def _fields_called(file: ParquetFile, name: str) -> list[Field]:
    """The fields at a dotted path; if there are none, the leaves that are so called without the steps of lists."""
    from pqexplore.insight.row_place import spelt

    found = file.schema.fields_at(name)
    if found or len(file.schema.leaves) > LOOKED_AT:
        return found
    if name.isdecimal() and int(name) < len(file.schema.leaves):
        return [file.schema.leaves[int(name)]]
    wanted = name.replace("[]", "")
    return [
        leaf for leaf in file.schema.leaves if spelt(leaf, leaf.max_definition_level, None).replace("[?]", "") == wanted
    ]


def row_node(file: ParquetFile, row: int) -> Node:
    """A row of the file as a node without bytes; its facts are the row group and the value in each column.

    UsageError if there is no such row; ParquetError if the row groups do not say how many rows they have.
    """
    from pqexplore.engine.file.row_group import row_starts
    from pqexplore.insight.row_pages import by_group

    starts = row_starts(file)
    if row >= starts[-1]:
        raise UsageError(f"there is no row {row:,}; {file.name} has {plural(starts[-1], 'row')}")
    group, within, _ = by_group(starts, row, row + 1)[0]

    def facts() -> list[Fact]:
        where = f"row_groups/{group}"
        return [
            Fact("row group", group, address=where),
            Fact("row in the row group", within, "counted from 0"),
            *(
                Fact(one.column, one.value, one.trouble, one.span, one.address)
                for one in (cell_of_row(file, row, leaf) for leaf in file.schema.leaves[:FACTS])
            ),
        ]

    return Node(Kind.GROUP, f"row {row:,}", f"rows/{row}", facts=facts)


def _cell_node(file: ParquetFile, row: int, column: str) -> Node:
    """The value of a column in a row: the first of several in lists, or its level if it is null or empty.

    UsageError if there is no such row or column.
    """
    chunk = _COLUMN.fullmatch(_in_numbers(file, f"row_groups/0/columns/{column}"))
    if chunk is None or int(chunk[1]) >= len(file.schema.leaves):
        raise UsageError(f"no column {column!r}{_columns_are(file.schema.dotted)}")
    row_node(file, row)
    cell = cell_of_row(file, row, file.schema.leaves[int(chunk[1])])
    if cell.address is None:
        raise UsageError(f"row {row:,} of {column!r}: {cell.trouble}")
    return _found(file, cell.address)


def row_of(node: Node) -> int | None:
    """The number of the row that a node stands for (`row_node`); None if it is of another kind."""
    match = _ROW.fullmatch(node.address)
    return None if match is None else int(match[1])


@dataclasses.dataclass(frozen=True, slots=True)
class CellOfRow:
    """The value of one leaf in one row (a list of its entries for a leaf in lists), and where it is stored.

    `page` is the page's address, `span` its bytes. `trouble` says why the value is not known, "" if it is.
    """

    leaf: Leaf
    value: Any
    address: str | None = None
    page: str | None = None
    span: Span | None = None
    trouble: str = ""

    @property
    def column(self) -> str:
        """The dotted path of the leaf."""
        return ".".join(self.leaf.path)


def cell_of_row(file: ParquetFile, row: int, leaf: Leaf) -> CellOfRow:
    """The value of a leaf in a row, and where it is stored."""
    from pqexplore.insight.row_pages import locate as locate_cell
    from pqexplore.insight.row_values import column_values

    try:
        found = locate_cell(file, row, leaf.leaf_index)
        value = column_values(file, leaf.leaf_index, row, row + 1)[0]
    except (ParquetError, UsageError) as error:
        return CellOfRow(leaf, None, trouble=str(error))
    return CellOfRow(leaf, value, found.address, found.page, found.span)


def locate(file: ParquetFile, offset: int, space: str = FILE) -> str:
    """The address of the innermost node that owns a byte, down to fields of structs and sections of pages.

    Single values are not searched: their bytes depend on the encoding. UsageError for a byte outside of the file.
    """
    if space == FILE:
        if not 0 <= offset < file.size:
            raise UsageError(f"byte {offset:,} is outside the file of {file.size:,} bytes")
        table = file.layout("chunks")
        at = int(np.searchsorted(table["start"].to_numpy(), offset, "right")) - 1
        if table["kind"][at].as_py() == Kind.GAP:  # page headers can show an owner of the byte
            table = file.layout("pages")
            at = int(np.searchsorted(table["start"].to_numpy(), offset, "right")) - 1
        found = file.node(str(table["address"][at].as_py()))
    else:
        found = file.node(space.rpartition(":")[0])
    while True:
        inner = _page(file, found, offset) if found.kind == "column_chunk" else _owner(found, offset, space)
        if inner is None:
            return found.address
        found = inner


def _owner(found: Node, offset: int, space: str) -> Node | None:
    """The child that has a byte; None if the node has it itself, or is damaged and owns its bytes as a whole."""
    with contextlib.suppress(ParquetError):
        searched = found.children
        if found.kind in UNSEARCHED:
            searched = [one for one in searched[-LAST:] if one.kind == "leftover"]
        for child in itertools.islice(searched, SCANNED):
            span = child.span
            if span is not None and span.space == space and span.start <= offset < span.end:
                return child
    return None


def _page(file: ParquetFile, chunk: Node, offset: int) -> Node | None:
    """The page of a column chunk that has a byte of the file."""
    with contextlib.suppress(ParquetError):
        pages = chunk_at(file, chunk.address).pages
        at = bisect.bisect_right(pages, offset, key=lambda page: page.span.start) - 1
        if at >= 0 and offset < pages[at].span.end:
            return file.node(pages[at].address)
    return None


def _what_is_at(node: Node) -> str:
    where = node.address or "the file"
    try:
        count = len(node.children)
        if not count:
            return f"{where} is a {node.kind.replace('_', ' ')} and has nothing below"
        if count <= NAMED:
            below = listing([child.address for child in node.children], most=NAMED)
        else:
            below = f"{count:,}, from {node.children[0].address} to {node.children[count - 1].address}"
    except ParquetError as error:
        return f"what lies below {where} cannot be read: {error.message}"
    verb = "is" if count == 1 else "are"
    said = f"below {where} there {verb} {below}"
    return said if node.address else f"{said}; also rows/N, rows/N/COLUMN, columns/NAME and @OFFSET"
