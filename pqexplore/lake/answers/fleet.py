"""The fleet: how many files of which size and how many rows, and which of them are too small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.lake.answers.filters import Filters, ask

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

BINS = 8
"""Steps of the picture for each power of ten."""

LISTED = 2_000
"""Files in the table; the largest come first."""

TARGET = 128 << 20
"""Bytes that a file should have, more or less: what Spark and Delta aim at by default."""

COLUMNS = (
    Column("path", "file"),
    Column("size", "bytes", "bytes", "bytes of the file"),
    Column("num_rows", "rows", "number", "rows by the footer"),
    Column("num_row_groups", "row groups", "number"),
    Column("num_columns", "columns", "number", "leaves of the schema"),
    Column("ratio", "ratio", "number", "decompressed bytes for each byte of column chunks"),
    Column("writer", "writer"),
    Column("modified", "modified"),
    Column("status", "status"),
)


def fleet(lake: Lake, filters: Filters) -> Answer:
    """Files by size and rows: the sentence, counts of the squares of a picture with two logarithmic axes, the files."""
    [total] = ask(lake, _TOTAL, filters)
    squares = ask(lake, _SQUARES, filters)
    table = Table(COLUMNS, caption="files, the largest first", total=total["files"])
    for row in ask(lake, _FILES, filters):
        table.add(
            *(row[column.name] for column in COLUMNS),
            address=row["path"] + (f"#{row['address']}" if row["address"] else ""),
        )
    return Answer(
        _sentence(total, filters),
        picture={"bins": BINS, "squares": [[s["x"], s["y"], s["files"]] for s in squares]},
        table=table,
        empty=""
        if total["files"]
        else "No file is left by the filters."
        if filters
        else "The lake is empty.",
        code="lake.tables['files']",
    )


def _sentence(total: dict[str, Any], filters: Filters) -> str:
    files = total["files"]
    if not files:
        return "There are no files."
    which = " that the filters leave" if filters else ""
    parts = [
        f"{files:,} files{which} have {total['rows'] or 0:,} rows in {_size(total['bytes'] or 0)}"
    ]
    if total["errors"]:
        parts.append(f"{total['errors']:,} of them cannot be read")
    small = total["small"] or 0
    if small > 1:
        best = max(1, -(-(total["small_bytes"] or 0) // TARGET))
        if best < small:
            parts.append(
                f"{small:,} are smaller than half of 128 MiB, and {best:,} of that size would hold the same"
            )
    if total["vanished"]:
        parts.append(f"{total['vanished']:,} are gone since they were read")
    return "; ".join(parts) + "."


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 999.5 or unit == "TB":
            return f"{count:,.0f} {unit}" if unit == "B" else f"{count:,.3g} {unit}"
        count /= 1000
    raise AssertionError


_TOTAL = f"""
SELECT count(*) AS files, sum(num_rows) AS rows, sum(size) AS bytes,
       sum(CASE WHEN status = 'error' THEN 1 ELSE 0 END) AS errors,
       sum(CASE WHEN status = 'vanished' THEN 1 ELSE 0 END) AS vanished,
       sum(CASE WHEN status = 'ok' AND size < {TARGET // 2} THEN 1 ELSE 0 END) AS small,
       sum(CASE WHEN status = 'ok' AND size < {TARGET // 2} THEN size ELSE 0 END) AS small_bytes
FROM files
"""

_SQUARES = f"""
SELECT CAST(floor({BINS} * log10(CASE WHEN size > 1 THEN size ELSE 1 END)) AS int) AS x,
       CASE WHEN num_rows IS NULL THEN -1
            ELSE CAST(floor({BINS} * log10(CASE WHEN num_rows > 1 THEN num_rows ELSE 1 END)) AS int) END AS y,
       count(*) AS files
FROM files WHERE size IS NOT NULL
GROUP BY 1, 2 ORDER BY 1, 2
"""

_FILES = f"""
SELECT path, size, num_rows, num_row_groups, num_columns,
       CASE WHEN compressed_bytes > 0 THEN 1.0 * uncompressed_bytes / compressed_bytes END AS ratio,
       created_by AS writer, modified, status, address
FROM files ORDER BY size DESC, path LIMIT {LISTED}
"""
