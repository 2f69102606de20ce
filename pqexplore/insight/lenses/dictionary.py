"""A column chunk's dictionary: how often each entry is used, where pages do without it, and what it saves.

A data page in a dictionary encoding has only indexes; so what an entry is worth is how often it is pointed at. When a
dictionary grows too large, writers fall back: the pages from there on have another encoding.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.address import Address
from pqexplore.engine.arrays import numpy_numbers
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.format.encodings import plain
from pqexplore.engine.format.thrift.structs import Encoding, Type, enum_name
from pqexplore.engine.span import Span
from pqexplore.engine.tree.at import chunk_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Bars, Column, Table
from pqexplore.insight.lenses.lens import Lens, Steps
from pqexplore.insight.short_text import value_texts
from pqexplore.insight.wording import listing, percent, plural
from pqexplore.insight.writers.defect import VALUES

LISTED = 1_000
"""Entries in the table, the most used first."""

DRAWN = 24
"""Entries in the picture."""

PAGES = 1_200
"""Pages in the picture."""

_NO_DICTIONARY = (
    "Most writers begin every column with a dictionary, except BOOLEAN ones: pyarrow with use_dictionary=True, Spark and "
    "parquet-java with parquet.enable.dictionary=true. A writer may drop it when it does not pay."
)


@dataclasses.dataclass(slots=True)
class Entry:
    """An entry of the dictionary, and how many values point at it."""

    index: int
    value: str
    uses: int
    address: str


@dataclasses.dataclass(slots=True)
class Pages:
    """The data pages by row, as columns. `encoding` is an index into `names`; `total` counts all pages."""

    names: list[str]
    indexed: list[bool]
    encoding: list[int]
    start: list[int]
    end: list[int]
    address: list[str]
    first_byte: list[int]
    last_byte: list[int]
    total: int


@dataclasses.dataclass(slots=True)
class Picture:
    """What the dictionary costs beside PLAIN, its most used entries, and the pages with and without it."""

    chunk: str
    dictionary: str
    entries: int
    values: int
    dictionary_bytes: int
    index_bytes: int
    plain_bytes: int
    other_bytes: int
    unused: int
    top: list[Entry]
    rest: int
    pages: Pages


@dataclasses.dataclass(slots=True)
class Uses:
    """What the pages of a chunk make of the dictionary. Bytes are those of values sections, before compression."""

    counts: np.ndarray[Any, Any]
    rows: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    """Of each data page: the first row, or value where rows are not known without decoding levels, and the end."""
    encodings: list[int] = dataclasses.field(default_factory=list)
    pages: list[Page] = dataclasses.field(default_factory=list)
    values: int = 0
    """Values by index."""
    bit_widths: set[int] = dataclasses.field(default_factory=set)
    index_bytes: int = 0
    other_values: int = 0
    other_bytes: int = 0
    unread: list[str] = dataclasses.field(default_factory=list)

    @property
    def fallback(self) -> int | None:
        """The index of the first page that does not use the dictionary; None if all do."""
        for nth, encoding in enumerate(self.encodings):
            if encoding not in DICTIONARY_ENCODINGS:
                return nth
        return None


def answer(file: ParquetFile, node: Node) -> Steps:
    """Count the uses of each entry over all data pages; yields how much is done.

    Raises ParquetError if the chunk's key was not given, or its dictionary cannot be read.
    """
    chunk = chunk_at(file, node.address)
    code = f"f.row_groups[{chunk.row_group.index}].columns[{chunk.index}].dictionary"
    dictionary = chunk.dictionary_page
    if dictionary is None:
        used = sorted({p.encoding for p in chunk.pages if p.is_data and p.encoding is not None})
        names = listing([enum_name(Encoding, one) for one in used])
        said = f"No dictionary: the pages of this column chunk are {names}." if names else "No pages."
        return Answer(said, empty=_NO_DICTIONARY, code=code)
    entries = chunk.dictionary_physical
    assert entries is not None
    uses = Uses(np.zeros(len(entries), np.int64))
    pages = [page for page in chunk.pages if page.is_data]
    row = 0
    for nth, page in enumerate(pages):
        if chunk.file.budget.exhausted:
            break
        yield nth / len(pages)
        row = _count(uses, page, row)
    lengths = _lengths(entries, chunk)
    without = int((lengths * uses.counts).sum())
    size = len(dictionary.body.section("values").data)
    order = np.argsort(-uses.counts, kind="stable")
    picture = Picture(
        chunk=chunk.address,
        dictionary=dictionary.address,
        entries=len(entries),
        values=uses.values,
        dictionary_bytes=size,
        index_bytes=uses.index_bytes,
        plain_bytes=without,
        other_bytes=uses.other_bytes,
        unused=int((uses.counts == 0).sum()),
        top=[_drawn(chunk, dictionary, entries, uses, int(at)) for at in order[:DRAWN]],
        rest=int(uses.counts[order[DRAWN:]].sum()),
        pages=_pages(uses),
    )
    table = _table(chunk, dictionary, entries, uses, lengths, order)
    return Answer(_sentence(chunk, entries, uses, size, without), picture, table, code=code)


def _count(uses: Uses, page: Page, row: int) -> int:
    """Adds one page to the counts. Returns the row (or value) after it."""
    end = row + page.num_values
    if page.chunk.leaf.max_repetition_level:
        levels = None
        try:
            levels = page.repetition_levels
        except ParquetError as error:
            uses.unread.append(error.message)
        end = row + (0 if levels is None else int(np.count_nonzero(levels == 0)))
    uses.pages.append(page)
    uses.encodings.append(-1 if page.encoding is None else page.encoding)
    uses.rows.append((row, end))
    try:
        size = len(page.body.section("values").data)
        runs = page.id_runs
        if runs is None:
            uses.other_values += page.num_present
            uses.other_bytes += size
        else:
            runs.add_to(uses.counts)
            uses.values += len(runs)
            uses.index_bytes += size
            if len(runs):
                uses.bit_widths.add(page.body.section("values").data[0])
    except ParquetError as error:
        uses.unread.append(error.message)
    return end


def _lengths(entries: pa.Array, chunk: ColumnChunk) -> np.ndarray[Any, Any]:
    """The PLAIN bytes of each entry."""
    leaf = chunk.leaf
    if leaf.physical_type == Type.BYTE_ARRAY:
        found: np.ndarray[Any, Any] = pc.binary_length(entries).to_numpy(zero_copy_only=False)
        return found.astype(np.int64) + 4
    if leaf.physical_type == Type.BOOLEAN:
        return np.full(len(entries), 1 / 8)
    return np.full(len(entries), plain.value_bytes(leaf.physical_type, leaf.type_length), np.int64)


def _drawn(chunk: ColumnChunk, dictionary: Page, entries: pa.Array, uses: Uses, at: int) -> Entry:
    return Entry(
        index=at,
        value=value_texts(chunk.leaf, entries[at].as_py(), 60)["logical"],
        uses=int(uses.counts[at]),
        address=Address.of(dictionary.address, "values", at),
    )


def _pages(uses: Uses) -> Pages:
    """The pages in the order of their rows, with their encodings."""
    encodings = sorted(set(uses.encodings), key=lambda one: one not in DICTIONARY_ENCODINGS)
    shown = range(min(len(uses.pages), PAGES))
    return Pages(
        names=["none" if one < 0 else enum_name(Encoding, one) for one in encodings],
        indexed=[one in DICTIONARY_ENCODINGS for one in encodings],
        encoding=[encodings.index(uses.encodings[nth]) for nth in shown],
        start=[uses.rows[nth][0] for nth in shown],
        end=[uses.rows[nth][1] for nth in shown],
        address=[uses.pages[nth].address for nth in shown],
        first_byte=[uses.pages[nth].span.start for nth in shown],
        last_byte=[uses.pages[nth].span.end for nth in shown],
        total=len(uses.pages),
    )


def _table(
    chunk: ColumnChunk,
    dictionary: Page,
    entries: pa.Array,
    uses: Uses,
    lengths: np.ndarray[Any, Any],
    order: np.ndarray[Any, Any],
) -> Table:
    table = Table(
        (
            Column("entry", "entry", "number", "its index in the dictionary"),
            Column("value", "value"),
            Column("uses", "uses", "number", "values of the data pages that point at it"),
            Column("share", "share", "share", "of the values that point at any"),
            Column("bytes", "bytes", "bytes", "what it takes in the dictionary"),
            Column("stored", "stored as", "code"),
        ),
        caption="Entries, the most used first",
        total=len(entries),
    )
    steps = dictionary.structure().steps
    section = dictionary.body.section("values")
    whole = max(1, uses.values)
    for at in order[:LISTED].tolist():
        shown = value_texts(chunk.leaf, entries[at].as_py())
        step = steps.of_value(at)
        span = None
        if step is not None:
            span = Span(steps[step].start, steps[step].end, section.span.space).shifted(section.span.start)
        table.add(
            at,
            shown["logical"],
            int(uses.counts[at]),
            float(uses.counts[at] / whole),
            int(lengths[at]) if lengths[at] >= 1 else float(lengths[at]),
            shown["hex"],
            address=Address.of(dictionary.address, "values", at),
            span=span,
        )
    return table


def _sentence(chunk: ColumnChunk, entries: pa.Array, uses: Uses, size: int, without: int) -> str:
    count = len(entries)
    used = f"{plural(count, 'entry', 'entries')} for {plural(uses.values, 'value')}"
    widths = sorted(uses.bit_widths)
    if widths:
        bits = plural(widths[0], "bit") if len(widths) == 1 else f"{widths[0]} to {widths[-1]} bits"
        used += f", {bits} an index"
    cost = size + uses.index_bytes
    parts = f"{plural(size, 'byte')} of dictionary and {uses.index_bytes:,} of indexes"
    if not uses.values:
        said = f"{used}: {plural(size, 'byte')} of dictionary that no page uses."
    elif cost <= without:
        saved = percent(1 - cost / without) if without else "0 %"
        said = f"{used}: {parts} instead of {without:,} in PLAIN, {saved} less (before compression)."
    else:
        said = f"{used}: it does not pay. {parts} are more than the {without:,} of PLAIN (before compression)."
    said += _fallback(chunk, uses)
    unused = int((uses.counts == 0).sum())
    if unused and uses.values and not uses.unread:
        said += f" {plural(unused, 'entry is', 'entries are')} never used."
    distinct = _distinct(entries)
    if distinct < count:
        said += f" {plural(count - distinct, 'entry repeats', 'entries repeat')} another one."
    if uses.unread:
        said += f" {plural(len(uses.unread), 'page')} could not be read: {uses.unread[0]}"
    return said


def _distinct(entries: pa.Array) -> int:
    """How many different entries there are, numbers by their bits: sorting them takes half of the time that Arrow takes."""
    kind = entries.type
    if not len(entries) or not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return len(entries.unique())
    ordered = np.sort(numpy_numbers(entries).view(f"u{kind.bit_width // 8}"))
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


def _fallback(chunk: ColumnChunk, uses: Uses) -> str:
    nth = uses.fallback
    if nth is None or not uses.values:
        return ""
    page, row = uses.pages[nth], uses.rows[nth][0]
    name = enum_name(Encoding, uses.encodings[nth])
    later = [one for one in uses.encodings[nth:] if one in DICTIONARY_ENCODINGS]
    others = sum(one not in DICTIONARY_ENCODINGS for one in uses.encodings)
    if later:
        return f" {plural(others, 'page does', 'pages do')} without it, the first is page {page.index} ({name}, from row {row:,})."
    return (
        f" From page {page.index} on (row {row:,}) pages do without it: {plural(others, 'page')} of {name}, "
        f"{plural(uses.other_values, 'value')} in {uses.other_bytes:,} bytes."
    )


def cost(file: ParquetFile, node: Node) -> int:
    """All pages of the chunk, once decompressed."""
    return int(chunk_at(file, node.address).metadata.total_uncompressed_size or 0)


def lacking(file: ParquetFile, node: Node) -> str:
    """Why the lens has nothing to show of a column chunk: its metadata names no dictionary. Old writers give offset 0."""
    if node.kind == "dictionary_page":
        return ""
    metadata = chunk_at(file, node.address).metadata
    encodings = metadata.encodings or ()
    named = metadata.dictionary_page_offset or any(e in DICTIONARY_ENCODINGS for e in encodings)
    return "" if named else "the metadata of this column chunk names no dictionary"


LENS = Lens(
    "dictionary",
    title="Dictionary",
    answer=answer,
    kinds=frozenset({"column_chunk", "dictionary_page"}),
    cost=cost,
    lacking=lacking,
    picture=Picture,
    misled_by=frozenset({VALUES}),
    figure=(Bars("value", "uses", "values that point at it", "count"),),
    across="dictionaries",
    value_free=("entry", "uses", "share", "bytes"),
)
