"""The pages of all column chunks below a node, in one table: their sizes, encodings, counts, bounds and checksums."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from pqexplore.engine.address import Address
from pqexplore.engine.errors import LimitExceededError, ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.file.statistics import Statistics
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.statistics import bounds
from pqexplore.engine.format.thrift.fast import collection_paused
from pqexplore.engine.format.thrift.structs import Encoding, PageType, enum_name
from pqexplore.insight.across.scope import PLACE, Scope, address_of
from pqexplore.insight.across.statistics import is_compressed
from pqexplore.insight.answer import Answer, Column, Counts, Table
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

_BLANK: dict[str, Any] = dict.fromkeys(_NAMES[len(PLACE) :])
"""The cells of a page of which nothing is known, in the order of the columns after its place."""


@dataclasses.dataclass(slots=True)
class _Seen:
    """What the sentence says of the pages."""

    pages: int = 0
    grown: list[str] = dataclasses.field(default_factory=list)
    wrong: list[str] = dataclasses.field(default_factory=list)
    encodings: list[str] = dataclasses.field(default_factory=list)
    indexed: int = 0
    nulls: list[str] = dataclasses.field(default_factory=list)
    unread: list[str] = dataclasses.field(default_factory=list)
    columns: dict[str, int] = dataclasses.field(default_factory=dict)


def over(scope: Scope) -> Answer:
    """A row for each page, the dictionary pages included.

    Bodies are read and decompressed if all together are small (`DECODED`); else the levels of V1 pages are not measured,
    and checksums not computed.
    """
    with collection_paused():  # it would look, again and again, at all rows so far, of which none is garbage
        return _over(scope)


def _over(scope: Scope) -> Answer:
    whole = _uncompressed(scope)
    opens = whole <= DECODED
    table = Table(COLUMNS, "Pages")
    seen = _Seen()
    for group, leaf, chunk in scope.chunks():
        before = group, ".".join(leaf.path)
        if isinstance(chunk, ParquetError):
            _add_error(table, before, chunk, str(address_of(group, leaf)))
            continue
        try:
            for page, found in _pages(chunk, opens):
                _note(seen, page, found)
                seen.columns[before[1]] = seen.columns.get(before[1], 0) + 1
                table.add(*before, *found.values(), address=page.address, span=page.span)
        except LimitExceededError:
            if not scope.file.budget.exhausted:
                raise
            break
        except ParquetError as error:
            seen.unread.append(chunk.address)
            _add_error(table, before, error, chunk.address)
    said = _sentence(scope, seen) + _order(scope)
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
    for row, address, span in zip(listed.rows, listed.addresses, listed.spans, strict=True) if listed else ():
        found = dict(zip(_NAMES, row, strict=True))
        if found["values"] is None or found["type"] not in ("DATA_PAGE", "DATA_PAGE_V2"):
            continue
        found["level_encodings"] = (found["level_encodings"] or "none").replace(", ", " + ")
        both = [found["repetition_bytes"], found["definition_bytes"]]
        found["level_bytes"] = None if None in both else sum(both)
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


def _uncompressed(scope: Scope) -> int:
    """Bytes of all pages before compression, as the footer has them."""
    total = 0
    for _, _, chunk in scope.chunks():
        try:
            if not isinstance(chunk, ParquetError):
                total += max(0, chunk.metadata.total_uncompressed_size)
        except ParquetError:
            continue
    return total


def _add_error(table: Table, before: tuple[int, str], error: ParquetError, address: str) -> None:
    """The row of pages that cannot be read."""
    blank = [None] * (len(COLUMNS) - len(before) - 1)
    table.add(*before, *blank, error.message, address=error.address or address)


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
            _add_index(found, chunk.leaf, indexed.get(page.index), firsts[ordinal : ordinal + 2], first)
            ordinal += 1
        if opens:
            _open(page, found)
        if is_data:
            rows, begun = found["rows"], found["first_row"]
            if rows is None and len(firsts) == ordinal and begun is not None:
                rows = found["rows"] = chunk.row_group.num_rows - begun
            first = None if rows is None or begun is None else begun + rows
        yield page, found


def _add_index(
    found: dict[str, Any], leaf: Leaf, part: Skippable | None, firsts: Sequence[int | None], first: int | None
) -> None:
    """What the indexes say of a page: its bounds and nulls, its first row, and by that of the next page its rows.

    `firsts` are the first rows of the page and the next one; `first` is that by the pages before.
    """
    if part is not None and (part.low is not None or part.high is not None):
        found |= _bounds(leaf, part.low, part.high, "column index")
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
        found |= _bounds(leaf, decoded.min_raw, decoded.max_raw, "page header")
    return found


def _bounds(leaf: Leaf, low: bytes | None, high: bytes | None, source: str) -> dict[str, Any]:
    return {
        "min": value_of(leaf, low),
        "max": value_of(leaf, high),
        "bounds_from": source,
        "min_bytes": low,
        "max_bytes": high,
    }


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


def _note(seen: _Seen, page: Page, found: dict[str, Any]) -> None:
    seen.pages += 1
    seen.encodings += [found["encoding"]] if page.is_data else []
    seen.indexed += page.is_data and page.encoding in DICTIONARY_ENCODINGS
    if found["grows"]:
        seen.grown.append(page.address)
    if found["crc_ok"] is False:
        seen.wrong.append(page.address)
    if page.is_data and page.num_values and found["nulls"] == page.num_values:
        seen.nulls.append(page.address)
    if found["remark"]:
        seen.unread.append(page.address)


def _sentence(scope: Scope, seen: _Seen) -> str:
    said = f"{plural(seen.pages, 'page')} in {scope.named}"
    if len(seen.columns) > 1:
        ordered = sorted(seen.columns.items(), key=lambda one: -one[1])
        said += ": " + listing([f"{column} has {plural(count, 'page')}" for column, count in ordered], most=4)
    said += "."
    if seen.encodings:
        without = len(seen.encodings) - seen.indexed
        said += f" Encodings of the {plural(len(seen.encodings), 'data page')}: {Counts.of(seen.encodings).each}"
        said += f"; {without:,} without a dictionary." if without else "; none is without a dictionary."
    for found, one, many in (
        (seen.wrong, "page has a wrong checksum", "pages have a wrong checksum"),
        (seen.nulls, "page has only nulls", "pages have only nulls"),
        (seen.unread, "place cannot be read", "places cannot be read"),
        (seen.grown, "page is larger with compression", "pages are larger with compression"),
    ):  # fmt: skip
        if found:
            said += f" {plural(len(found), one, many)}, the first is {found[0]}."
    return said
