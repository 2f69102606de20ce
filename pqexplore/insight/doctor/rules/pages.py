"""Rules about pages: too small, too large, without an index that would help, or with one that cannot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.statistics import bounds
from pqexplore.engine.rule import FOOTER, PAGES, Cost, Rule, Severity, Source
from pqexplore.engine.text import clip
from pqexplore.insight.doctor.rules.layout import CONFIGURATIONS, REQUEST, USUAL_ROWS, stored
from pqexplore.insight.doctor.rules.order import row_order
from pqexplore.insight.doctor.rules.trials import SHARE, uncompressed_bytes
from pqexplore.insight.doctor.rules.values import PREFIX, texts
from pqexplore.insight.doctor.subject import Range, ordered
from pqexplore.insight.wording import listing, name, percent, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.thrift.structs import ColumnIndex
    from pqexplore.insight.doctor.subject import Paged, Subject

PAGE_INDEX = Source("Parquet, page index", "https://parquet.apache.org/docs/file-format/pageindex/")

SMALL = 8 << 10
"""Bytes of a page before compression that the specification recommends; writers take a MiB."""

USUAL_PAGE_ROWS = 20_000
"""Rows at which parquet-java, arrow-rs and Arrow end a page, whatever its bytes."""

HEADER_BYTES = 16 << 10
HEADERS = 0.05
"""Bytes of page headers from which they count as waste, and their share of the column and of the file."""

LARGE = 16 << 20
"""Bytes of a page before compression from which it counts as large: 16 times the default of most writers."""

INDEX_BYTES = 64 << 10
"""Bytes of a page index from which they count."""

SEVERAL = 8
"""Pages of a column chunk from which skipping most of them counts."""

LISTED = 4


def _columns(subject: Subject) -> Iterator[tuple[Leaf, list[Paged]]]:
    """The leaves with pages that can be read."""
    for leaf in subject.leaves:
        chunks = subject.pages(leaf)
        if chunks:
            yield leaf, chunks


def _groups(pages: Sequence[Page]) -> tuple[int, ...]:
    """The row groups of pages, each once; the first 1,000."""
    return tuple(dict.fromkeys(page.chunk.row_group.index for page in pages))[:1_000]


def _header_bytes(pages: Sequence[Page]) -> int:
    return sum(page.frame.header_end - page.frame.start for page in pages)


def small_pages(subject: Subject) -> Iterator[Finding]:
    """Columns in so many small pages that the headers are a part of their bytes."""
    found = []
    for _, chunks in _columns(subject):
        # The last page of a chunk has what is left.
        full = [page for _, pages in chunks for page in pages[:-1]]
        if len(full) < SEVERAL or max(page.num_values for page in full) >= USUAL_PAGE_ROWS:
            continue
        typical = sorted(map(uncompressed_bytes, full))[len(full) // 2]
        headers, total = _header_bytes(full), sum(len(page.span) for page in full)
        if typical < SMALL and headers >= HEADERS * total:
            found.append((headers, total, typical, full))
    wasted = sum(one[0] for one in found)
    if wasted < max(HEADER_BYTES, HEADERS * subject.file.size):
        return
    headers, total, typical, full = max(found, key=lambda one: one[0])
    more = f" There {'is' if len(found) == 2 else 'are'} {plural(len(found) - 1, 'more such column')}."
    chunk = full[0].chunk
    yield Finding(
        "small-pages",
        chunk.address,
        f"{name(chunk.leaf.path)} has {plural(len(full), 'page')} of {size(typical)} each, typically, and their headers take "
        f"{percent(headers / total)} of its bytes.{more if len(found) > 1 else ''}",
        {
            "columns": [".".join(one[3][0].chunk.leaf.path) for one in found[:100]],
            "pages": len(full),
            "typical_bytes": typical,
            "header_bytes": wasted,
        },
        column=".".join(chunk.leaf.path),
        row_groups=_groups(full),
        cost=Cost(f"{size(wasted)} of page headers, which a reader parses one by one", bytes=wasted),
        fix="Let the writer use its default size of a page, 1 MiB in most.",
        code={
            "pyarrow": f"pq.write_table(table, path, data_page_size={1 << 20:_})",
            "Spark": f"df.write.option('parquet.page.size', {1 << 20:_}).parquet(path)",
            "polars": f"df.write_parquet(path, data_page_size={1 << 20:_})",
            "pqexplore": f"pqexplore.WriteOptions(page_bytes={1 << 20:_})",
        },
    )


def large_pages(subject: Subject) -> Iterator[Finding]:
    """Columns with very large pages."""
    for leaf, chunks in _columns(subject):
        pages = [page for _, of in chunks for page in of if uncompressed_bytes(page) > LARGE]
        if not pages:
            continue
        largest = max(pages, key=uncompressed_bytes)
        bytes_ = uncompressed_bytes(largest)
        yield Finding(
            "large-pages",
            largest.address,
            f"{name(leaf.path)} has {plural(len(pages), 'page')} of more than {size(LARGE)} before compression; the largest has "
            f"{size(bytes_)} for {plural(largest.num_values, 'value')}.",
            {"pages": len(pages), "largest": bytes_, "values": largest.num_values},
            column=".".join(leaf.path),
            row_groups=_groups(pages),
            cost=Cost("a reader decompresses and decodes a whole page for one value of it", bytes=bytes_),
            fix="Let the writer end pages earlier.",
            code={
                "pyarrow": f"pq.write_table(table, path, data_page_size={1 << 20:_})",
                "Spark": f"df.write.option('parquet.page.size', {1 << 20:_}).parquet(path)",
                "polars": f"df.write_parquet(path, data_page_size={1 << 20:_})",
                "pqexplore": f"pqexplore.WriteOptions(page_bytes={1 << 20:_}, page_rows={USUAL_PAGE_ROWS:_})",
            },
        )


def index_share(subject: Subject) -> Iterator[Finding]:
    """A page index that is a large part of the file, by the lengths in the footer."""
    lengths = sum(subject.numbers(f"{kind}_index_length").clip(0).sum(0) for kind in ("column", "offset"))
    by_leaf = lengths.tolist() if subject.leaves else []
    total = sum(by_leaf)
    if total < INDEX_BYTES or not SHARE <= total / subject.file.size <= 1:
        return
    leaf = subject.leaves[max(range(len(by_leaf)), key=lambda index: by_leaf[index])]
    own = by_leaf[leaf.leaf_index]
    yield Finding(
        "large-page-index",
        Address.of("schema", leaf.index),
        f"The page index takes {size(total)}, {percent(total / subject.file.size)} of the file; that of {name(leaf.path)} takes {size(own)}.",
        {"bytes": total, "columns": sum(map(bool, by_leaf))},
        column=".".join(leaf.path),
        cost=Cost("a reader that skips by it reads it first", bytes=total),
        fix="Write larger pages, or cut the bounds of long values.",
        code={
            "pyarrow": f"pq.write_table(table, path, write_page_index=True, data_page_size={1 << 20:_})",
            "Spark": f"df.write.option('parquet.page.row.count.limit', {USUAL_PAGE_ROWS}).parquet(path)",
            "pqexplore": f"pqexplore.WriteOptions(page_bytes={1 << 20:_}, page_rows={USUAL_PAGE_ROWS:_}, index_bytes=64)",
        },
    )


def cut_index(subject: Subject) -> Iterator[Finding]:
    """Page indexes whose bounds are cut where all values of a text column still begin alike."""
    for leaf in texts(subject):
        chunk = next(subject.chunks(leaf), None)
        if chunk is None or chunk.locked or chunk.struct.column_index_offset is None:
            continue
        try:
            index, known = chunk.column_index, subject.bounds(leaf, chunk.row_group.index)
        except ParquetError:
            continue
        if index is None or known is None or not known.trusted or not known.min_raw or not known.max_raw:
            continue
        cut, pages = _same_bound(index)
        if pages < SEVERAL or len(cut) < PREFIX or cut == known.min_raw:
            continue
        if not known.min_raw.startswith(cut) or not known.max_raw.startswith(cut):
            continue
        shown = clip(cut.decode(errors="replace"), 40)
        yield Finding(
            "index-bounds-too-short",
            Address.of(chunk.address, "column_index"),
            f"The page index of {name(leaf.path)} cuts bounds to {len(cut):,} bytes, and all {pages:,} pages of row group "
            f"{chunk.row_group.index:,} have the same ones: all values begin with {shown!r}.",
            {"prefix": shown, "bytes": len(cut), "pages": pages},
            column=".".join(leaf.path),
            row_groups=(chunk.row_group.index,),
            cost=Cost("a condition on values that begin like this skips no page"),
            fix="Raise the length at which the writer cuts bounds of the page index.",
            code={
                "Spark": "df.write.option('parquet.columnindex.truncate.length', 256).parquet(path)",
                "pqexplore": "pqexplore.WriteOptions(index_bytes=None)",
            },
        )


def _same_bound(index: ColumnIndex) -> tuple[bytes, int]:
    """The minimum that all pages have that are not null pages, and their number; 0 if the minima or the maxima differ."""
    null_pages = index.null_pages or ()
    lows = [low for low, empty in zip(index.min_values or (), null_pages, strict=False) if not empty]
    highs = {high for high, empty in zip(index.max_values or (), null_pages, strict=False) if not empty}
    return (lows[0], len(lows)) if len(set(lows)) == 1 and len(highs) <= 1 else (b"", 0)


def index_of_one_page(subject: Subject) -> Iterator[Finding]:
    """Page indexes that have one page to name."""
    found = []
    for leaf, chunks in _columns(subject):
        indexed = [
            (chunk, pages)
            for chunk, pages in chunks
            if chunk.struct.column_index_offset is not None and (chunk.row_group.metadata.num_rows or 0) >= USUAL_ROWS
        ]
        if indexed and all(len(pages) == 1 for _, pages in indexed):
            found.append((leaf, [chunk for chunk, _ in indexed]))
    if not found:
        return
    leaf, of_one_page = found[0]
    names = listing([name(each.path) for each, _ in found], most=LISTED)
    one_column = len(found) == 1
    yield Finding(
        "index-of-one-page",
        of_one_page[0].address,
        f"{names} {'has' if one_column else 'have'} a page index, and one page a row group: it lets a query skip no more "
        "than the bounds of the row group do.",
        {"columns": [".".join(each.path) for each, _ in found[:100]], "rows": of_one_page[0].row_group.num_rows},
        column=".".join(leaf.path) if one_column else "",
        row_groups=tuple(chunk.row_group.index for chunk in of_one_page[:1_000]),
        rows=sum(chunk.row_group.num_rows for chunk in of_one_page),
        cost=Cost(
            f"a search in row group {of_one_page[0].row_group.index:,} decodes {of_one_page[0].row_group.num_rows:,} rows"
        ),
        fix=f"Let the writer end a page after {USUAL_PAGE_ROWS:,} rows, as parquet-java does.",
        code={
            "pyarrow": f"pq.write_table(table, path, write_page_index=True, max_rows_per_page={USUAL_PAGE_ROWS:_})",
            "Spark": f"df.write.option('parquet.page.row.count.limit', {USUAL_PAGE_ROWS:_}).parquet(path)",
            "pqexplore": f"pqexplore.WriteOptions(page_rows={USUAL_PAGE_ROWS:_})",
        },
    )


def _page_ranges(pages: Sequence[Page], leaf: Leaf) -> list[Range]:
    """The ranges of pages by the statistics in their headers; those of pages without trusted ones are left out."""
    found = []
    for page in pages:
        known = page.statistics
        one = None if known is None else bounds(leaf, known.struct, page.chunk.file.created_by)
        if one is not None and one.trusted and one.min_key is not None and one.max_key is not None:
            found.append(Range(one.min_key, one.max_key, one.null_count))
    return found


def _why_ordered(chunk: ColumnChunk, pages: Sequence[Page]) -> str:
    """What shows that the pages of a chunk are in order; "" if nothing does."""
    declared = chunk.row_group.metadata.sorting_columns
    if declared and declared[0].column_idx == chunk.index:
        return "by the footer's sorting columns"
    ranges = _page_ranges(pages, chunk.leaf)
    if len(ranges) == len(pages) and row_order(chunk.leaf, ranges) is not None:
        return "by the statistics in their headers"
    return ""


def no_page_index(subject: Subject) -> Iterator[Finding]:
    """Columns in order, in several pages of a large row group, without an index of these pages."""
    for leaf, chunks in _columns(subject):
        for chunk, pages in chunks if ordered(leaf) else ():
            if len(pages) < SEVERAL or stored(chunk.row_group.metadata) < REQUEST:
                continue
            if chunk.struct.column_index_offset is not None:
                continue
            try:
                why = _why_ordered(chunk, pages)
            except ParquetError:
                why = ""
            if why:
                yield _unindexed(chunk, pages, why)
                break


def _unindexed(chunk: ColumnChunk, pages: Sequence[Page], why: str) -> Finding:
    total = sum(len(page.span) for page in pages)
    group = chunk.row_group.index
    return Finding(
        "no-page-index",
        chunk.address,
        f"In row group {group:,} the {len(pages):,} pages of {name(chunk.leaf.path)} are in order, {why}, and no page index "
        "names their bounds: a search for one value reads all of them.",
        {"pages": len(pages), "bytes": total, "why": why},
        column=".".join(chunk.leaf.path),
        row_groups=(group,),
        rows=chunk.row_group.metadata.num_rows,
        cost=Cost(
            f"{size(total)} of this column, and as many rows of the others, instead of about one page", bytes=total
        ),
        fix="Write a page index: parquet-java, Spark, DataFusion, Trino and Impala skip pages by it.",
        code={
            "pyarrow": "pq.write_table(table, path, write_page_index=True)",
            "Spark": "df.write.parquet(path)",
            "pqexplore": "pqexplore.WriteOptions(column_index=True, offset_index=True)",
        },
    )


RULES = (
    Rule(
        "small-pages", Severity.WASTEFUL, PAGES,
        "Many small pages",
        "Each page has a header, and is compressed by itself.",
        small_pages, CONFIGURATIONS,
        f"Pages of less than {size(SMALL)} before compression (the specification recommends 8 kB, writers take 1 MiB) and {USUAL_PAGE_ROWS:,} "
        f"rows, whose headers take {percent(HEADERS)} of the column and of the file, and {size(HEADER_BYTES)}.",
        explains=("large-page-index", "codec-enlarges"),
    ),
    Rule(
        "large-pages", Severity.SLOW, PAGES,
        "Very large pages",
        "A page is decompressed and decoded as a whole, and held in memory.",
        large_pages, CONFIGURATIONS, f"More than {size(LARGE)} before compression: 16 times the default of most writers.",
    ),
    Rule(
        "large-page-index", Severity.WASTEFUL, FOOTER,
        "A page index that is a large part of the file",
        "It has an entry for each page, with its bounds: of small pages, or of long values, it is large.",
        index_share, PAGE_INDEX, f"At least {size(INDEX_BYTES)}, and {percent(SHARE)} of the file.",
    ),
    Rule(
        "index-bounds-too-short", Severity.SLOW, PAGES,
        "Bounds of a page index that are cut too short",
        "If all values share a prefix longer than the bounds, every page has the same range.",
        cut_index, PAGE_INDEX, f"A shared prefix of at least {PREFIX} bytes in {SEVERAL} pages or more of the first row group.",
    ),
    Rule(
        "index-of-one-page", Severity.NOTE, PAGES,
        "A page index of one page",
        "A page index lets a query skip pages of a row group: of one page there is nothing to skip.",
        index_of_one_page, PAGE_INDEX,
        f"One page in each row group of {USUAL_ROWS:,} rows or more, DuckDB's size of a row group.",
    ),
    Rule(
        "no-page-index", Severity.NOTE, PAGES,
        "Ordered pages without a page index",
        "Where the values of a column are in order, an index of the pages leads to the one with a value.",
        no_page_index, PAGE_INDEX,
        f"{SEVERAL} pages or more in a row group of at least {size(REQUEST)}, a typical request to an object store, and the sorting columns "
        "or the statistics in the page headers show the order.",
    ),
)  # fmt: skip
