"""Rules about how a file is divided: rows, row groups, pages, footer, bytes that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.insight.doctor.diagnosis import Cost, Diagnosis, Severity, Source
from pqexplore.insight.doctor.rules.rule import FOOTER, Rule
from pqexplore.insight.wording import percent, plural, size

if TYPE_CHECKING:
    from pqexplore.insight.doctor.subject import Subject

DUCKDB_GUIDE = Source(
    "DuckDB, performance guide: file formats",
    "https://duckdb.org/docs/stable/guides/performance/file_formats",
)
CONFIGURATIONS = Source(
    "Parquet, configurations: row group size",
    "https://parquet.apache.org/docs/file-format/configurations/",
)

FEW_ROWS = 5_000
"""Rows of a row group below which DuckDB measured runs of five to ten times the time."""

LARGE = 1 << 30
"""Bytes of the largest row groups that the specification recommends."""

FOOTER_BYTES = 256 << 10
FOOTER_SHARE = 0.25
"""A footer of at least so many bytes, and of this share of the file."""

MANY_COLUMNS = 10_000

CODE_ROW_GROUPS = {
    "pyarrow": "pq.write_table(table, path, row_group_size=1_000_000)",
    "Spark": 'df.coalesce(n).write.option("parquet.block.size", 128 << 20).parquet(path)',
    "DuckDB": "COPY … TO 'path' (FORMAT parquet, ROW_GROUP_SIZE 122_880)",
    "polars": "df.write_parquet(path, row_group_size=250_000)",
    "pqexplore": "pqexplore.WriteOptions(row_group_rows=1_000_000)",
}


def no_rows(subject: Subject) -> Iterator[Diagnosis]:
    """A file without a row."""
    metadata = subject.file.metadata
    if metadata is None or metadata.num_rows != 0 or any(subject.rows):
        return
    groups = f" in {plural(subject.groups, 'row group')}" if subject.groups else ""
    yield Diagnosis(
        "no-rows",
        Severity.NOTE,
        f"The file has no rows{groups}; it has {plural(len(subject.leaves), 'column')}.",
        evidence={"num_rows": 0, "row_groups": subject.groups},
        cost=Cost("a query opens the file for nothing", requests=1),
        fix="If files without rows are not wanted, write none, or remove it.",
    )


def small_row_groups(subject: Subject) -> Iterator[Diagnosis]:
    """Many row groups of few rows."""
    rows = subject.rows
    full = rows[:-1]  # the last row group has what is left
    if len(full) < 2 or sum(rows) < FEW_ROWS:
        return
    small = [index for index, count in enumerate(full) if count < FEW_ROWS]
    if len(small) * 2 <= len(full):
        return
    typical = sorted(full)[len(full) // 2]
    total = sum(rows)
    fewer = max(1, -(-total // 122_880))
    yield Diagnosis(
        "small-row-groups",
        Severity.SLOW,
        f"{plural(len(rows), 'row group')} hold {typical:,} rows each, typically: {total:,} rows would fit into "
        f"{plural(fewer, 'row group')} of 122,880.",
        address="row_groups/0",
        row_groups=tuple(small[:1_000]),
        evidence={"row_groups": len(rows), "typical_rows": typical, "rows": total},
        cost=Cost(
            f"each column of each row group is a read and a header of its own: "
            f"{len(rows) * len(subject.leaves):,} column chunks instead of {fewer * len(subject.leaves):,}",
            requests=(len(rows) - fewer) * len(subject.leaves),
        ),
        fix="Write more rows a row group: collect rows before they are written, or compact the file.",
        code=CODE_ROW_GROUPS,
        source=DUCKDB_GUIDE,
    )


def large_row_groups(subject: Subject) -> Iterator[Diagnosis]:
    """Row groups that are larger than the specification recommends."""
    found = []
    for index in range(subject.groups):
        metadata = subject.file.row_groups[index].metadata
        total = metadata.total_byte_size
        if total is not None and total > LARGE:
            found.append((index, total))
    if not found:
        return
    largest = max(total for _, total in found)
    yield Diagnosis(
        "large-row-groups",
        Severity.SLOW,
        f"{len(found):,} of {plural(subject.groups, 'row group')} {'is' if len(found) == 1 else 'are'} larger than 1 GiB before compression; the largest has "
        f"{size(largest)}.",
        address=f"row_groups/{found[0][0]}",
        row_groups=tuple(index for index, _ in found[:1_000]),
        evidence={"row_groups": len(found), "largest": largest},
        cost=Cost("a reader that decodes a whole row group at once needs that much memory a task"),
        fix="Write smaller row groups.",
        code=CODE_ROW_GROUPS,
        source=CONFIGURATIONS,
    )


def footer_share(subject: Subject) -> Iterator[Diagnosis]:
    """A footer that is a large part of the file."""
    file, footer = subject.file, subject.footer_size
    share = footer / file.size if file.size else 0
    if footer < FOOTER_BYTES or share < FOOTER_SHARE or file.other_files:
        return
    chunks = len(subject.leaves) * len(file.row_groups)
    yield Diagnosis(
        "large-footer",
        Severity.SLOW,
        f"The footer takes {size(footer)}, {percent(share)} of the file: it describes "
        f"{plural(chunks, 'column chunk')} with {size((file.size - footer) // max(1, chunks))} of data each.",
        address="footer",
        evidence={"footer_bytes": footer, "file_bytes": file.size, "column_chunks": chunks},
        cost=Cost("every query reads and decodes the whole footer first", bytes=footer),
        fix="Write fewer and larger row groups, or fewer columns.",
        code=CODE_ROW_GROUPS,
        source=CONFIGURATIONS,
    )


def many_columns(subject: Subject) -> Iterator[Diagnosis]:
    """More columns than most readers handle well."""
    count = len(subject.leaves)
    if count < MANY_COLUMNS:
        return
    yield Diagnosis(
        "many-columns",
        Severity.SLOW,
        f"The schema has {count:,} leaves; the footer takes {size(subject.footer_size)}, and readers decode it whole.",
        address="schema",
        evidence={"leaves": count, "footer_bytes": subject.footer_size},
        cost=Cost(
            "opening the file costs time and memory for every column", bytes=subject.footer_size
        ),
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
        f"More than half of the row groups but the last have fewer than {FEW_ROWS:,} rows, and the file has at least as many; DuckDB measured five to ten "
        "times the time below it.",
    ),
    Rule(
        "large-row-groups", Severity.SLOW, FOOTER,
        "Row groups that are too large",
        "A row group is the unit of parallel work and, in most readers, of memory.",
        large_row_groups, CONFIGURATIONS,
        "More than 1 GiB before compression; the specification recommends 512 MB to 1 GB.",
    ),
    Rule(
        "large-footer", Severity.SLOW, FOOTER,
        "A footer that is a large part of the file",
        "A reader needs the whole footer before it can read a value.",
        footer_share, CONFIGURATIONS,
        f"At least {size(FOOTER_BYTES)}, and {percent(FOOTER_SHARE)} of the file.",
    ),
    Rule(
        "many-columns", Severity.SLOW, FOOTER,
        "Very many columns",
        "The footer has an entry for each column in each row group.",
        many_columns, None, f"At least {MANY_COLUMNS:,} leaves.",
    ),
)  # fmt: skip
