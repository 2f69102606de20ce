"""Rules about how a file is divided: rows, row groups, columns, footer."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import embedded
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.rule import FOOTER, Cost, Rule, Severity, Source
from pqexplore.insight.wording import percent, plural, size

if TYPE_CHECKING:
    from pqexplore.insight.doctor.subject import Subject

DUCKDB_GUIDE = Source(
    "DuckDB, performance guide: file formats", "https://duckdb.org/docs/stable/guides/performance/file_formats"
)
CONFIGURATIONS = Source("Parquet, configurations", "https://parquet.apache.org/docs/file-format/configurations/")

OBJECT_STORE = Source(
    "Amazon S3, best practices: byte-range fetches",
    "https://docs.aws.amazon.com/whitepapers/latest/s3-optimizing-performance-best-practices/use-byte-range-fetches.html",
)
METADATA = Source("Parquet, metadata", "https://parquet.apache.org/docs/file-format/metadata/")

FEW_ROWS = 5_000
"""Rows of a row group below which DuckDB measured runs of five to ten times the time."""

REQUEST = 8 << 20
"""Bytes of a typical request to an object store: a row group of as many is not small, however few its rows are."""

USUAL_ROWS = 122_880
"""Rows of a row group of DuckDB."""

SPLIT = 128 << 20
"""Bytes of a row group of parquet-java, and of a task of Spark (`spark.sql.files.maxPartitionBytes`)."""

LARGE = 1 << 30
"""Bytes of the largest row groups that the specification recommends."""

FOOTER_BYTES = 256 << 10
FOOTER_SHARE = 0.1
"""A footer of at least so many bytes, and of this share of the file."""

MANY_COLUMNS = 10_000


def code_row_groups(rows: int) -> dict[str, str]:
    """Code that writes row groups of so many rows; Spark's writer counts bytes."""
    return {
        "pyarrow": f"pq.write_table(table, path, row_group_size={rows:_})",
        "Spark": f"df.coalesce(1).write.option('parquet.block.size', {SPLIT:_}).parquet(path)",
        "DuckDB": f"COPY tbl TO 'file.parquet' (FORMAT parquet, ROW_GROUP_SIZE {rows})",
        "polars": f"df.write_parquet(path, row_group_size={rows:_})",
        "pqexplore": f"pqexplore.WriteOptions(row_group_rows={rows:_})",
    }


def no_rows(subject: Subject) -> Iterator[Finding]:
    """A file without a row."""
    metadata = subject.file.metadata
    if metadata is None or metadata.num_rows != 0 or any(subject.rows):
        return
    groups = f" in {plural(subject.groups, 'row group')}" if subject.groups else ""
    yield Finding(
        "no-rows",
        "",
        f"The file has no rows{groups}; it has {plural(len(subject.leaves), 'column')}.",
        {"num_rows": 0, "row_groups": subject.groups},
        cost=Cost("a query opens a file that has no rows", requests=1),
        fix="If files without rows are not wanted, write none, or remove it.",
    )


def stored(group: structs.RowGroup) -> int:
    """The bytes of a row group in the file, or before compression if the footer does not say them; 0 if neither."""
    return max(0, group.total_compressed_size or group.total_byte_size or 0)


@dataclasses.dataclass(frozen=True, slots=True)
class _Size:
    """A row group: its rows, its bytes in the file, and before compression."""

    index: int
    rows: int
    stored: int
    uncompressed: int


def _sizes(subject: Subject) -> Iterator[_Size]:
    """The row groups that are looked at; those with a damaged number of rows are left out."""
    for index in range(subject.groups):
        group = subject.file.row_groups[index]
        try:
            one = _Size(index, group.num_rows, stored(group.metadata), group.metadata.total_byte_size or 0)
        except ParquetError:
            continue
        yield one


def small_row_groups(subject: Subject) -> Iterator[Finding]:
    """Many row groups of few rows and few bytes."""
    sizes = list(_sizes(subject))
    full = sizes[:-1]  # the last row group has what is left
    total = sum(one.rows for one in sizes)
    if len(full) < 2 or total < FEW_ROWS:
        return
    small = [one for one in full if one.rows < FEW_ROWS and one.stored < REQUEST]
    if len(small) * 2 <= len(full):
        return
    rows = sorted(one.rows for one in full)[len(full) // 2]
    bytes_ = sorted(one.stored for one in full)[len(full) // 2]
    fewer = max(1, -(-total // USUAL_ROWS))
    leaves = len(subject.leaves)
    yield Finding(
        "small-row-groups",
        f"row_groups/{small[0].index}",
        f"{plural(len(sizes), 'row group')} hold {plural(rows, 'row')} ({size(bytes_)}) each, typically: {total:,} rows "
        f"would fit into {plural(fewer, 'row group')} of {USUAL_ROWS:,}.",
        {"row_groups": len(sizes), "typical_rows": rows, "typical_bytes": bytes_, "rows": total},
        row_groups=tuple(one.index for one in small[:1_000]),
        rows=sum(one.rows for one in small),
        cost=Cost(
            f"each column of each row group is a read and a header of its own: "
            f"{len(sizes) * leaves:,} column chunks instead of {fewer * leaves:,}",
            requests=(len(sizes) - fewer) * leaves,
        ),
        fix="Write more rows a row group: collect rows before they are written, or compact the file.",
        code=code_row_groups(USUAL_ROWS),
    )


def large_row_groups(subject: Subject) -> Iterator[Finding]:
    """Row groups that are larger than the specification recommends."""
    found = [one for one in _sizes(subject) if one.uncompressed > LARGE]
    if not found:
        return
    worst = max(found, key=lambda one: one.uncompressed)
    index, rows, largest = worst.index, worst.rows, worst.uncompressed
    yield Finding(
        "large-row-groups",
        f"row_groups/{index}",
        f"{len(found):,} of {plural(subject.groups, 'row group')} {'is' if len(found) == 1 else 'are'} larger than 1 GiB "
        f"before compression; row group {index:,} has {size(largest)} in {plural(rows, 'row')}.",
        {"row_groups": len(found), "largest": largest, "rows": rows},
        row_groups=tuple(one.index for one in found[:1_000]),
        rows=sum(one.rows for one in found),
        cost=Cost("a reader that decodes a whole row group at once needs that much memory a task"),
        fix="Write smaller row groups.",
        code=code_row_groups(max(1, rows * (LARGE // 2) // largest)),
    )


def single_row_group(subject: Subject) -> Iterator[Finding]:
    """A large file in one row group."""
    if subject.groups != 1 or subject.partial:
        return
    one = next(_sizes(subject), None)
    if one is None or one.stored < SPLIT or one.rows < 2 * USUAL_ROWS:
        return
    yield Finding(
        "single-row-group",
        "row_groups/0",
        f"All {one.rows:,} rows ({size(one.stored)}) are in one row group: a reader that divides its work by row groups "
        "reads them in one task.",
        {"rows": one.rows, "bytes": one.stored},
        severity=Severity.SLOW if one.stored >= 2 * SPLIT else Severity.NOTE,
        row_groups=(0,),
        rows=one.rows,
        cost=Cost("DuckDB uses one thread a row group, and Spark one task"),
        fix="Write several row groups.",
        code=code_row_groups(USUAL_ROWS),
    )


def _key_value_bytes(subject: Subject) -> int:
    """Bytes of the key-value metadata without Arrow's schema, which grows with the columns."""
    metadata = subject.file.metadata
    pairs = () if metadata is None else metadata.key_value_metadata or ()
    others = [one for one in pairs if one.key != embedded.ARROW]
    return sum(len(text.encode(errors="replace")) for one in others for text in (one.key, one.value) if text)


def _bound_bytes(subject: Subject) -> int:
    """Bytes of the bounds in the footer."""
    total = 0
    for leaf in subject.leaves:
        for _, metadata in subject.metadata(leaf):
            found = metadata.statistics
            if found is not None:
                bounds = (found.min, found.max, found.min_value, found.max_value)
                total += sum(len(bound) for bound in bounds if bound)
    return total


def footer_share(subject: Subject) -> Iterator[Finding]:
    """A footer that is a large part of the file, apart from its key-value metadata (`heavy-key-values`)."""
    file, footer = subject.file, subject.footer_size
    own = footer - _key_value_bytes(subject)
    if own < FOOTER_BYTES or own < FOOTER_SHARE * file.size or file.other_files:
        return
    leaves = len(subject.leaves)
    chunks = leaves * len(file.row_groups)
    bounds = _bound_bytes(subject)
    fix = "Write fewer and larger row groups, or fewer columns."
    code = code_row_groups(USUAL_ROWS)
    if 2 * bounds > own:
        of = f"{size(bounds)} of it are bounds, the minimum and maximum of each column chunk"
        fix = "Let the writer cut bounds of long values, or leave them out for columns of long values."
        code = {"pqexplore": "pqexplore.WriteOptions(statistics_bytes=64)"}
    elif chunks:
        each = size((file.size - footer) // chunks)
        of = f"it describes {plural(chunks, 'column chunk')} with {each} of data each"
    else:
        of = f"it describes a schema of {plural(leaves, 'column')}, and no row group"
        fix, code = "Write fewer columns.", {}
    yield Finding(
        "large-footer",
        "footer",
        f"The footer takes {size(footer)}, {percent(footer / file.size)} of the file: {of}.",
        {"footer_bytes": footer, "file_bytes": file.size, "column_chunks": chunks, "bound_bytes": bounds},
        cost=Cost("every query reads and decodes the whole footer first", bytes=footer),
        fix=fix,
        code=code,
        source=CONFIGURATIONS if code else METADATA,
    )


def many_columns(subject: Subject) -> Iterator[Finding]:
    """More columns than most readers handle well."""
    count = len(subject.leaves)
    if count < MANY_COLUMNS:
        return
    yield Finding(
        "many-columns",
        "schema",
        f"The schema has {count:,} leaves; the footer takes {size(subject.footer_size)}, and readers decode it whole.",
        {"leaves": count, "footer_bytes": subject.footer_size},
        cost=Cost("opening the file costs time and memory for every column", bytes=subject.footer_size),
        fix="Store sparse columns as a MAP or a VARIANT, or divide the table.",
    )


RULES = (
    Rule(
        "no-rows", Severity.NOTE, FOOTER,
        "A file without rows",
        "It costs a request, and says nothing but its schema.",
        no_rows,
    ),
    Rule(
        "small-row-groups", Severity.SLOW, FOOTER,
        "Many row groups of few rows",
        "Each row group repeats headers, dictionaries and statistics, and is read by requests of its own.",
        small_row_groups, DUCKDB_GUIDE,
        f"More than half of the row groups but the last have fewer than {FEW_ROWS:,} rows and less than {size(REQUEST)}, and the file "
        f"has at least {FEW_ROWS:,} rows. DuckDB measured five to ten times the time below {FEW_ROWS:,} rows; [Amazon S3]({OBJECT_STORE.url}) names 8 MB as a typical "
        "request.",
        explains=("large-footer", "small-pages", "large-page-index", "rows-unsorted", "sentinel-bounds"),
    ),
    Rule(
        "large-row-groups", Severity.SLOW, FOOTER,
        "Row groups that are too large",
        "A row group is the unit of parallel work and, in most readers, of memory.",
        large_row_groups, CONFIGURATIONS,
        "More than 1 GiB before compression; the specification recommends 512 MB to 1 GB.",
    ),
    Rule(
        "single-row-group", Severity.NOTE, FOOTER,
        "A large file in one row group",
        "Engines divide their work by row groups.",
        single_row_group, DUCKDB_GUIDE,
        f"At least {size(SPLIT)} (parquet-java's default size of a row group), and two row groups of {USUAL_ROWS:,} rows (DuckDB's). "
        f"From {size(2 * SPLIT)} on it is slow: Spark makes two tasks of it, and one has no row.",
    ),
    Rule(
        "large-footer", Severity.WASTEFUL, FOOTER,
        "A footer that is a large part of the file",
        "A reader needs the whole footer before it can read a value.",
        footer_share, CONFIGURATIONS,
        f"At least {size(FOOTER_BYTES)}, and {percent(FOOTER_SHARE)} of the file, without its key-value metadata but Arrow's schema.",
        repeats=("large-page-index",),
    ),
    Rule(
        "many-columns", Severity.SLOW, FOOTER,
        "Very many columns",
        "The footer has an entry for each column in each row group.",
        many_columns, METADATA, f"At least {MANY_COLUMNS:,} leaves.",
        explains=("large-footer",),
    ),
)  # fmt: skip
