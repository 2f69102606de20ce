"""The fleet: how many files of which size and how many rows, and which of them are too small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import plural, size
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
    """Files by size and rows: the sentence, counts of the squares of a picture with two logarithmic axes, the files.

    Files that are gone, or that a table's log does not have, are in it only where the filters ask for their status.
    """
    asked = any(name == "status" for name, _ in filters.texts)
    which = "TRUE" if asked else _IN_THE_LAKE
    [total] = ask(lake, _TOTAL.format(which=which), filters)
    squares = ask(lake, _SQUARES.format(which=which), filters)
    table = Table(COLUMNS, caption="files, the largest first", total=total["files"] or 0)
    for row in ask(lake, _FILES.format(which=which), filters):
        table.add(
            *(row[column.name] for column in COLUMNS),
            address=row["path"] + (f"#{row['address']}" if row["address"] else ""),
        )
    return Answer(
        _sentence(total, filters, asked),
        picture={"bins": BINS, "squares": [[s["x"], s["y"], s["files"]] for s in squares]},
        table=table,
        empty=""
        if total["files"]
        else "No file is left by the filters."
        if filters
        else "The lake is empty.",
        code="lake.tables['files']",
    )


def _sentence(total: dict[str, Any], filters: Filters, asked: bool) -> str:
    files = total["files"] or 0
    beside = []
    if total["vanished"] and not asked:
        beside.append(f"{_are(total['vanished'])} gone since read")
    if total["orphans"] and not asked:
        beside.append(
            f"{plural(total['orphans'], 'more file')} in the folder that the table's log does not have"
        )
    if not files:
        return "; ".join(["There are no files", *beside]) + "."
    which = " that the filters leave" if filters else ""
    have = "has" if files == 1 else "have"
    parts = [
        f"{plural(files, 'file')}{which} {have} {plural(total['rows'] or 0, 'row')} in {size(total['bytes'] or 0)}"
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
    return "; ".join(parts + beside) + "."


def _are(count: int) -> str:
    return f"{count:,} {'is' if count == 1 else 'are'}"


_IN_THE_LAKE = "status NOT IN ('vanished', 'orphan')"

_TOTAL = f"""
SELECT count(CASE WHEN {{which}} THEN 1 END) AS files,
       sum(CASE WHEN {{which}} THEN num_rows END) AS rows,
       sum(CASE WHEN {{which}} THEN size END) AS bytes,
       count(CASE WHEN status = 'error' THEN 1 END) AS errors,
       count(CASE WHEN status = 'vanished' THEN 1 END) AS vanished,
       count(CASE WHEN status = 'orphan' THEN 1 END) AS orphans,
       count(CASE WHEN status = 'ok' AND size < {TARGET // 2} THEN 1 END) AS small,
       sum(CASE WHEN status = 'ok' AND size < {TARGET // 2} THEN size ELSE 0 END) AS small_bytes
FROM files
"""

_SQUARES = f"""
SELECT CAST(floor({BINS} * log10(CASE WHEN size > 1 THEN size ELSE 1 END)) AS int) AS x,
       CASE WHEN num_rows IS NULL THEN -1
            ELSE CAST(floor({BINS} * log10(CASE WHEN num_rows > 1 THEN num_rows ELSE 1 END)) AS int) END AS y,
       count(*) AS files
FROM files WHERE size IS NOT NULL AND {{which}}
GROUP BY 1, 2 ORDER BY 1, 2
"""

_FILES = f"""
SELECT path, size, num_rows, num_row_groups, num_columns,
       CASE WHEN compressed_bytes > 0 THEN 1.0 * uncompressed_bytes / compressed_bytes END AS ratio,
       created_by AS writer, modified, status, address
FROM files WHERE {{which}} ORDER BY size DESC, path LIMIT {LISTED}
"""
