"""The pages of all column chunks below a node, in one table: their sizes, encodings, counts, bounds and checksums."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from pqexplore.engine.address import Address
from pqexplore.engine.errors import LimitExceededError, ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.file.page_headers import DATA_PAGES
from pqexplore.engine.file.statistics import Statistics
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.statistics import bounds
from pqexplore.engine.format.thrift.fast import collection_paused
from pqexplore.engine.format.thrift.structs import Encoding, PageType, enum_name
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.span import FILE, Span
from pqexplore.insight.across.scope import PLACE, Scope, address_of
from pqexplore.insight.across.statistics import is_compressed
from pqexplore.insight.across.usual_pages import UsualPages
from pqexplore.insight.answer import Answer, Column, Counts, LazyTable, Table
from pqexplore.insight.axis import value_of
from pqexplore.insight.lenses.page_index import boundary_order
from pqexplore.insight.row_pages import rows_of
from pqexplore.insight.skippable import Skippable, page_parts
from pqexplore.insight.totals import Totals, totals
from pqexplore.insight.wording import listing, plural, size

DECODED = 64 << 20
"""Bytes of pages before compression up to which they are decompressed, to measure levels and count rows and nulls."""

COLUMNS = (
    *PLACE,
    Column("page", "page", "number", "its number in the column chunk"),
    Column("offset", "offset", "number", "of the header in the file"),
    Column("type", "type", meaning="PageType of the header", total="each"),
    Column("encoding", "encoding", meaning="of the values"),
    Column("level_encodings", "of levels", meaning="repetition, then definition levels"),
    Column("first_row", "first row", "number", "counted from the first of the row group"),
    Column("rows", "rows", "number", "that begin in the page"),
    Column("values", "values", "number", "with nulls; of a dictionary, its entries"),
    Column("nulls", "nulls", "number", "values whose definition level is not the maximum", "most"),
    Column("header_bytes", "header", "bytes", "bytes of the page header", "sum"),
    Column("stored_bytes", "stored", "bytes", "bytes of the body in the file", "largest"),
    Column("bytes", "uncompressed", "bytes", "bytes of the body before compression", "largest"),
    Column("grows", "grows", "flag", "whether compression made the body larger", "true"),
    Column("repetition_bytes", "rep. levels", "bytes", "bytes of the repetition levels, with their length (V1)", "sum"),
    Column("definition_bytes", "def. levels", "bytes", "bytes of the definition levels, with their length (V1)", "sum"),
    Column("value_bytes", "value bytes", "bytes", "bytes of the values before compression", "some"),
    Column("crc", "CRC", "code", "the checksum in the header", "there"),
    Column("crc_computed", "CRC computed", "code", "the CRC32 of the body in the file"),
    Column("crc_ok", "right", "flag", "whether they are the same"),
    Column("min", "min", "code"),
    Column("max", "max", "code"),
    Column("bounds_from", "bounds from", meaning="the page header or the column index"),
    Column("min_bytes", "min as stored", "code"),
    Column("max_bytes", "max as stored", "code"),
    Column("remark", "remark", meaning="why something is not known"),
)  # fmt: skip

_NAMES = [column.name for column in COLUMNS]
_PAGE, _OFFSET, _HEADER, _STORED, _MIN, _MIN_BYTES = (
    _NAMES.index(name) for name in ("page", "offset", "header_bytes", "stored_bytes", "min", "min_bytes")
)

DATA = frozenset(enum_name(PageType, one) for one in DATA_PAGES)
"""The types of data pages, as the table names them."""
DICTIONARY_NAMES = frozenset(enum_name(Encoding, one) for one in DICTIONARY_ENCODINGS)
"""The encodings of values that are in a dictionary."""
_WAYS = (("crc_ok", False), ("grows", True))
"""The cells of a page with a wrong checksum, and of one that compression made larger."""

_BLANK: dict[str, Any] = dict.fromkeys(_NAMES[len(PLACE) :])
"""The cells of a page without any knowledge of it, in the order of the columns after its place."""


class PagesTable(LazyTable):
    """The table of pages: what is only shown, bounds as values, addresses and bytes, is made on access."""

    def __init__(self) -> None:
        self._cells: list[tuple[Any, ...]] = []
        self._leaves: list[Leaf] = []
        self._spaces: dict[int, str] = {}
        self._errors: dict[int, str] = {}
        super().__init__(COLUMNS, "Pages", (), (), ())

    def add_page(self, group: int, leaf: Leaf, found: dict[str, Any], space: str = FILE) -> None:
        """Append the row of a page: its cells by name, those of bounds as values left out."""
        if space != FILE:
            self._spaces[len(self._cells)] = space
        self._cells.append((group, path_of(leaf), *found.values()))
        self._leaves.append(leaf)

    def add_error(self, group: int, leaf: Leaf, error: ParquetError, address: str) -> None:
        """Append the row of pages that cannot be read."""
        self._errors[len(self._cells)] = error.address or address
        self.add_page(group, leaf, _BLANK | {"remark": error.message})

    def complete(self) -> None:
        """Ends the adding of rows."""
        count = len(self._cells)
        self.rows = LazySequence(count, self._row)
        self.addresses = LazySequence(count, self.address)
        self.spans = LazySequence(count, self._span)

    def column(self, name: str) -> list[Any]:
        """As `Table.column`."""
        at = _NAMES.index(name)
        if name in ("min", "max"):
            stored = self.column(f"{name}_bytes")
            return [value_of(leaf, raw) for leaf, raw in zip(self._leaves, stored, strict=True)]
        return [cells[at] for cells in self._cells]

    def address(self, row: int) -> Address:
        """The address of the page of a row, or of what cannot be read."""
        if row in self._errors:
            return Address(self._errors[row])
        return address_of(self._cells[row][0], self._leaves[row]).child("pages", self._cells[row][_PAGE])

    def _span(self, row: int) -> Span | None:
        if row in self._errors:
            return None
        cells = self._cells[row]
        start = cells[_OFFSET]
        return Span(start, start + cells[_HEADER] + cells[_STORED], self._spaces.get(row, FILE))

    def _row(self, row: int) -> tuple[Any, ...]:
        cells, leaf = self._cells[row], self._leaves[row]
        bounds = value_of(leaf, cells[_MIN_BYTES]), value_of(leaf, cells[_MIN_BYTES + 1])
        return (*cells[:_MIN], *bounds, *cells[_MIN + 2 :])


def path_of(leaf: Leaf) -> str:
    """The dotted path of a leaf."""
    return ".".join(leaf.path)


def over(scope: Scope) -> Answer:
    """A row for each page, the dictionary pages included.

    Bodies are read and decompressed if all together are small (`DECODED`); else the levels of V1 pages are not measured,
    and checksums not computed.
    """
    with collection_paused():  # it would look, again and again, at all rows so far, of which none is garbage
        return _over(scope)


def _over(scope: Scope) -> Answer:
    usual = UsualPages(scope)
    whole = _uncompressed(scope, usual)
    opens = whole <= DECODED
    table = PagesTable()
    unread: list[str] = []
    for group, leaf in scope.places():
        cells = usual.cells(group, leaf) if opens else None
        if cells is not None:
            for found in cells:
                table.add_page(group, leaf, _BLANK | found)
            continue
        try:
            chunk = scope.chunk(group, leaf)
        except ParquetError as error:
            table.add_error(group, leaf, error, address_of(group, leaf))
            continue
        try:
            for page, found in _pages(chunk, opens):
                if found["remark"]:
                    unread.append(page.address)
                table.add_page(group, leaf, found, chunk.space)
        except LimitExceededError:
            if not scope.file.budget.exhausted:
                raise
            break
        except ParquetError as error:
            unread.append(chunk.address)
            table.add_error(group, leaf, error, chunk.address)
    table.complete()
    said = _sentence(scope, table, unread) + _order(scope)
    if not opens:
        said += (
            f" They have {size(whole)} before compression, too much to be opened for this table: the levels of V1 pages "
            "are not measured, and no checksum is computed. Ask a single column chunk."
        )
    return Answer(said, table=table, totals=totals(table, "page"))


LEVELS = (
    *PLACE,
    Column("page", "page", "number"),
    Column("level_encodings", "encodings", meaning="repetition, then definition levels", total="each"),
    Column("values", "entries", "number", "with nulls", "sum"),
    Column("nulls", "without a value", "number", "entries whose definition level is not the maximum", "sum"),
    Column("repetition_bytes", "repetition levels", "bytes", "with their length (V1)", "sum"),
    Column("definition_bytes", "definition levels", "bytes", "with their length (V1)", "sum"),
    Column("level_bytes", "both", "bytes", "bytes of the levels of a page", "largest"),
    Column("bytes", "uncompressed", "bytes", "bytes of the pages before compression", "sum"),
    Column("share", "levels' share", "share", "of the bytes before compression", "level_bytes/bytes"),
)


def of_levels(scope: Scope) -> Totals | None:
    """What the levels of all data pages take; None without pages."""
    listed, pages = over(scope).table, Table(LEVELS)
    names = [name for name in _NAMES if name not in ("min", "max")]
    cells = zip(*(listed.column(name) for name in names), strict=True) if listed else ()
    for at, row in enumerate(cells):
        found = dict(zip(names, row, strict=True))
        if found["values"] is None or found["type"] not in DATA:
            continue
        found["level_encodings"] = (found["level_encodings"] or "none").replace(", ", " + ")
        both = [found["repetition_bytes"], found["definition_bytes"]]
        found["level_bytes"] = None if None in both else sum(both)
        assert listed is not None
        address, span = listed.addresses[at], listed.spans[at]
        pages.add(*(found.get(column.name) for column in LEVELS), address=address, span=span)
    return totals(pages, "data page", 1)


def _order(scope: Scope) -> str:
    """What the column index of a single column chunk says of the order of its pages."""
    for _, _, chunk in scope.chunks() if scope.size == 1 else ():
        with contextlib.suppress(ParquetError):
            if not isinstance(chunk, ParquetError):
                order = boundary_order(chunk.column_index)
                return f" By the column index the order of their bounds is {order}." if order else ""
    return ""


def _uncompressed(scope: Scope, usual: UsualPages) -> int:
    """Bytes of all pages before compression, as the footer has them."""
    total = 0
    for group, leaf in scope.places():
        known = usual.chunk(group, leaf)
        if known is not None:
            total += known.uncompressed
            continue
        with contextlib.suppress(ParquetError):
            total += max(0, scope.chunk(group, leaf).metadata.total_uncompressed_size)
    return total


def _pages(chunk: ColumnChunk, opens: bool) -> Iterator[tuple[Page, dict[str, Any]]]:
    """Each page with the cells of its row. Raises ParquetError at a damaged header."""
    try:
        indexed = {int(Address(p.address).name): p for p in page_parts(chunk) if p.address}
    except ParquetError:
        indexed = {}
    index = None
    with contextlib.suppress(ParquetError):
        index = chunk.offset_index
    firsts = [] if index is None else [one.first_row_index for one in index.page_locations or ()]
    # each body is read twice, for its checksum and for its sections
    held = chunk.in_memory() if opens and chunk.home.local else contextlib.nullcontext()
    with held:
        yield from _in_order(chunk, opens, indexed, firsts)


def _in_order(
    chunk: ColumnChunk, opens: bool, indexed: dict[int, Skippable], firsts: Sequence[int | None]
) -> Iterator[tuple[Page, dict[str, Any]]]:
    first: int | None = 0
    ordinal = 0
    compressed = is_compressed(chunk)
    for page in chunk.pages:
        found = _of_header(page, compressed)
        is_data = page.is_data
        if is_data:
            _add_index(found, indexed.get(page.index), firsts[ordinal : ordinal + 2], first)
            ordinal += 1
        if opens:
            _open(page, found)
        if is_data:
            rows, begun = found["rows"], found["first_row"]
            if rows is None and len(firsts) == ordinal and begun is not None:
                rows = found["rows"] = chunk.row_group.num_rows - begun
            first = None if rows is None or begun is None else begun + rows
        yield page, found


def _add_index(found: dict[str, Any], part: Skippable | None, firsts: Sequence[int | None], first: int | None) -> None:
    """What the indexes say of a page: its bounds and nulls, its first row, and by that of the next page its rows.

    `firsts` are the first rows of the page and the next one; `first` is that by the pages before.
    """
    if part is not None and (part.low is not None or part.high is not None):
        found |= _bounds(part.low, part.high, "column index")
    if part is not None and found["nulls"] is None:
        found["nulls"] = part.nulls
    listed, following = [*firsts, None, None][:2]
    found["first_row"] = first if listed is None else listed
    if listed is not None and following is not None:
        found["rows"] = following - listed


def _nulls_and_levels(page: Page, statistics: Statistics | None) -> dict[str, Any]:
    """What the header says of nulls, rows and levels, which depends on the kind of page."""
    leaf, is_data = page.chunk.leaf, page.is_data
    one, two = page.header.data_page_header, page.header.data_page_header_v2
    found: dict[str, Any] = {}
    if not is_data:
        found["nulls"] = found["repetition_bytes"] = found["definition_bytes"] = 0
    if one is not None:
        levels = (
            (leaf.max_repetition_level, one.repetition_level_encoding),
            (leaf.max_definition_level, one.definition_level_encoding),
        )
        used = [enum_name(Encoding, encoding) for maximum, encoding in levels if maximum]
        found["level_encodings"] = ", ".join(used) or None
        found["nulls"] = None if statistics is None else statistics.null_count
    elif two is not None:
        found["level_encodings"] = "RLE" if leaf.max_definition_level else None
        found["nulls"], found["rows"] = two.num_nulls, two.num_rows
        found["repetition_bytes"] = two.repetition_levels_byte_length
        found["definition_bytes"] = two.definition_levels_byte_length
    if is_data and not leaf.max_repetition_level:
        found["rows"] = page.num_values
    if is_data and not leaf.max_definition_level:
        found["nulls"] = 0
    return found


def _of_header(page: Page, compressed: bool) -> dict[str, Any]:
    """What the header says of a page of a chunk that is `compressed` or not."""
    header, frame, leaf = page.header, page.frame, page.chunk.leaf
    stored, opened = frame.end - frame.header_end, header.uncompressed_page_size
    statistics, encoding = page.statistics, page.encoding
    found = _BLANK | {
        "page": page.index,
        "type": enum_name(PageType, header.type),
        "encoding": None if encoding is None else enum_name(Encoding, encoding),
        "values": page.num_values,
        "header_bytes": frame.header_end - frame.start,
        "stored_bytes": stored,
        "bytes": opened,
        "grows": opened is not None and stored > opened and compressed,
        "crc": None if header.crc is None else f"{header.crc & 0xFFFFFFFF:08x}",
        "offset": frame.start,
    }
    found |= _nulls_and_levels(page, statistics)
    try:
        decoded = bounds(leaf, None if statistics is None else statistics.struct, page.chunk.file.created_by)
    except ParquetError as error:
        found["remark"] = error.message
        return found
    if decoded is not None and (decoded.min_raw is not None or decoded.max_raw is not None):
        found |= _bounds(decoded.min_raw, decoded.max_raw, "page header")
    return found


def _bounds(low: bytes | None, high: bytes | None, source: str) -> dict[str, Any]:
    return {"bounds_from": source, "min_bytes": low, "max_bytes": high}


_SECTIONS = (
    ("repetition_levels", "repetition_bytes"),
    ("definition_levels", "definition_bytes"),
    ("values", "value_bytes"),
)
"""The sections of a body, and the cells that have their lengths."""


def _open(page: Page, found: dict[str, Any]) -> None:
    """What the body says; why it cannot be read is a remark."""
    try:
        found["crc_computed"], found["crc_ok"] = f"{page.computed_crc:08x}", page.crc_ok
        if page.kind in ("index_page", "unknown_page"):
            return
        body = page.body
        for name, cell in _SECTIONS:
            found[cell] = len(body.section(name).data)
        if page.is_data:
            found["nulls"] = page.num_values - page.num_present
            if found["rows"] is None:
                found["rows"] = rows_of(page)
    except LimitExceededError:
        raise
    except ParquetError as error:
        found["remark"] = error.message


def _encodings(kinds: Sequence[str]) -> str:
    """The encodings of data pages, and how many have no dictionary."""
    without = len(kinds) - sum(one in DICTIONARY_NAMES for one in kinds)
    said = f" Encodings of the {plural(len(kinds), 'data page')}: {Counts.of(kinds).each}"
    return f"{said}; {without:,} without a dictionary." if without else f"{said}; none is without a dictionary."


def _sentence(scope: Scope, table: PagesTable, unread: Sequence[str]) -> str:
    """What the pages are; `unread` are the addresses of what cannot be read."""
    pages = [row for row, page in enumerate(table.column("page")) if page is not None]
    types, encodings, values, nulls = (table.column(name) for name in ("type", "encoding", "values", "nulls"))
    data = [row for row in pages if types[row] in DATA]
    said = f"{plural(len(pages), 'page')} in {scope.named}"
    paths = table.column("column")
    columns = Counts.of(paths[row] for row in pages)
    if len(columns) > 1:
        said += ": " + listing([f"{column} has {plural(count, 'page')}" for column, count in columns.items()], most=4)
    said += "."
    if data:
        said += _encodings([encodings[row] for row in data])
    only_nulls = [row for row in data if values[row] and nulls[row] == values[row]]
    wrong, grown = ([row for row, one in enumerate(table.column(name)) if one is way] for name, way in _WAYS)
    for found, one, many in (
        (list(map(table.address, wrong)), "page has a wrong checksum", "pages have a wrong checksum"),
        (list(map(table.address, only_nulls)), "page has only nulls", "pages have only nulls"),
        (unread, "place cannot be read", "places cannot be read"),
        (list(map(table.address, grown)), "page is larger with compression", "pages are larger with compression"),
    ):  # fmt: skip
        if found:
            said += f" {plural(len(found), one, many)}, the first is {found[0]}."
    return said
