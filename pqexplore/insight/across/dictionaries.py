"""The dictionaries of all column chunks below a node: which are used throughout, and where writers fell back."""

from __future__ import annotations

import contextlib
import dataclasses

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.file.row_group import row_starts
from pqexplore.engine.format.thrift.structs import Encoding, enum_name
from pqexplore.insight.across.scope import PLACE, Scope, address_of
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.doctor.rules.dictionaries import LIMIT
from pqexplore.insight.row_pages import first_row
from pqexplore.insight.totals import totals
from pqexplore.insight.wording import listing, name, percent, plural, size

COLUMNS = (
    *PLACE,
    Column("dictionary", "dictionary", meaning="whole: all data pages use it; fallback: some do not", total="each"),
    Column("entries", "entries", "number", "of the dictionary", "some"),
    Column("bytes", "bytes", "bytes", "of the dictionary, before compression", "largest"),
    Column("stored_bytes", "stored", "bytes", "bytes of the dictionary page in the file, with its header", "some"),
    Column("chunk_bytes", "chunk", "bytes", "bytes of the column chunk in the file"),
    Column("share", "of the chunk", "share", "the dictionary page's share of the column chunk", "stored_bytes/chunk_bytes"),
    Column("values", "values", "number", "with nulls"),
    Column("pages", "data pages", "number", total="some"),
    Column("indexed", "with it", "number", "data pages that use the dictionary", "some"),
    Column("plain", "without it", "number", "data pages that do not use a dictionary", "some"),
    Column("fallback_page", "first page without", "number", "its number in the column chunk"),
    Column("fallback_row", "its first row", "number", "counted from the first of the row group"),
    Column("fallback_row_of_file", "in the file", "number", "the same row, counted from the first of the file"),
    Column("encoding", "its encoding"),
    Column("cause", "cause"),
)  # fmt: skip


@dataclasses.dataclass(slots=True)
class _Use:
    """What the page headers of a column chunk say about its dictionary."""

    state: str
    dictionary: Page | None = None
    pages: int = 0
    indexed: int = 0
    first: Page | None = None
    row: int | None = None

    @property
    def bytes(self) -> int | None:
        """Bytes of the dictionary before compression."""
        return None if self.dictionary is None else self.dictionary.header.uncompressed_page_size


def over(scope: Scope) -> Answer:
    """A row for each column chunk, from the headers of its pages; a fallback leads to its first page."""
    table = Table(COLUMNS, "Column chunks, by their dictionaries", total=scope.size)
    fallbacks: list[str] = []
    states: dict[str, int] = {}
    starts: list[int] | None = None
    with contextlib.suppress(ParquetError):  # a row group without a count
        starts = row_starts(scope.file)
    for group, leaf, chunk in scope.chunks():
        address = str(address_of(group, leaf))
        path = ".".join(leaf.path)
        try:
            if isinstance(chunk, ParquetError):
                raise chunk
            use, values, whole = _use(chunk), chunk.num_values, chunk.metadata.total_compressed_size
        except ParquetError as error:
            states["unreadable"] = states.get("unreadable", 0) + 1
            blank: list[object] = [None] * (len(COLUMNS) - 3)
            blank[-1] = error.message
            table.add(group, path, "unreadable", *blank, address=address)
            continue
        states[use.state] = states.get(use.state, 0) + 1
        stored = None if use.dictionary is None else len(use.dictionary.span)
        page = use.first if use.state == "fallback" else use.dictionary
        if use.state == "fallback" and use.first is not None:
            where = "" if use.row is None else f", row {use.row:,}"
            fallbacks.append(f"{name(path)} in row group {group} (page {use.first.index}{where})")
        table.add(
            group,
            path,
            use.state,
            None if use.dictionary is None else use.dictionary.num_values,
            use.bytes,
            stored,
            whole,
            stored / whole if stored is not None and whole else None,
            values,
            use.pages,
            use.indexed,
            use.pages - use.indexed,
            None if use.first is None else use.first.index,
            use.row,
            None if use.row is None or starts is None else starts[group] + use.row,
            None if use.first is None else enum_name(Encoding, use.first.encoding),
            _cause(use),
            address=address if page is None else page.address,
            span=None if page is None else page.span,
        )
    said = _sentence(scope, states, fallbacks) + _shares(table, scope.file.size)
    return Answer(said, table=table, totals=totals(table, "column chunk"))


def _shares(table: Table, size_of_file: int) -> str:
    """What the dictionary pages take of their column chunks and of the file."""
    pairs = [pair for pair in zip(table.column("stored_bytes"), table.column("chunk_bytes"), strict=True) if pair[0]]
    stored, chunks = sum(a for a, _ in pairs), sum(b or 0 for _, b in pairs)
    if not stored or not chunks:
        return ""
    pages = plural(len(pairs), "dictionary page takes", "dictionary pages take")
    of_chunks = f"{percent(stored / chunks)} of {'its column chunk' if len(pairs) == 1 else 'their column chunks'}"
    return f" {pages} {stored:,} bytes: {of_chunks}, {percent(stored / size_of_file)} of the file."


def _use(chunk: ColumnChunk) -> _Use:
    """Raises ParquetError if a page header cannot be read."""
    found = _Use("none", chunk.dictionary_page)
    for page in chunk.pages:
        if not page.is_data:
            continue
        found.pages += 1
        if page.encoding in DICTIONARY_ENCODINGS:
            found.indexed += 1
        elif found.first is None:
            found.first = page
    if found.dictionary is None and not found.indexed:
        found.first = None
        return found
    found.state = "whole" if found.first is None else "fallback" if found.indexed else "unused"
    if found.state != "fallback":
        found.first = None
    elif found.first is not None:
        found.row = first_row(found.first)
    return found


def _cause(use: _Use) -> str | None:
    """What the file shows of why the writer fell back: how large the dictionary was by then."""
    if use.state != "fallback" or use.dictionary is None or use.bytes is None:
        return None
    text = f"the dictionary had grown to {use.dictionary.num_values:,} entries, {size(use.bytes)}"
    if abs(use.bytes - LIMIT) < LIMIT / 10:
        text += ": about 1 MiB, at which Arrow and parquet-java fall back by default"
    return text


def _sentence(scope: Scope, states: dict[str, int], fallbacks: list[str]) -> str:
    words = {
        "whole": "with a dictionary for all pages",
        "fallback": "with a dictionary fallback",
        "unused": "with a dictionary that no data page uses",
        "none": "without a dictionary",
        "unreadable": "not readable",
    }
    counts = [f"{states[state]:,} {said}" for state, said in words.items() if state in states]
    said = f"{scope.named[:1].upper()}{scope.named[1:]}: {listing(counts)}."
    return said + (f" Given up: {listing(fallbacks)}." if fallbacks else "")
