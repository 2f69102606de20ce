"""All files of the lake by size and number of rows, and how many are too small."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import plural, size
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.filters import Filters, ask
from pqexplore.lake.panels.panel import Panel
from pqexplore.lake.target_sizes import TARGET

BINS = 8
"""Steps of the picture for each power of ten."""

LISTED = 2_000
"""Max files in the table; the largest come first."""

COLUMNS = (
    Column("path", "file"),
    Column("size", "bytes", "bytes", "bytes of the file"),
    Column("num_rows", "rows", "number", "rows, as the footer says"),
    Column("num_row_groups", "row groups", "number"),
    Column("num_columns", "columns", "number", "leaf columns of the schema"),
    Column("ratio", "ratio", "number", "decompressed bytes / compressed bytes of the column chunks"),
    Column("writer", "writer"),
    Column("modified", "modified"),
    Column("status", "status"),
    Column("state", "state", meaning="state in the log of the file's table"),
)


@dataclasses.dataclass(slots=True)
class Square:
    """A square of the picture: its step of size, its step of rows (-1 if unknown), and how many files are in it."""

    size: int
    rows: int
    files: int


@dataclasses.dataclass(slots=True)
class Picture:
    """Files by size and rows, on logarithmic axes with `bins` steps for each power of ten."""

    bins: int
    squares: list[Square]


def answer(lake: Lake, filters: Filters, typed: str = "") -> Answer:
    """Files by size and rows: a sentence, a picture with two logarithmic axes, and a table of files.

    Vanished files, and files that are not live in a table's log, are included only if a filter selects a status.
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
        picture=Picture(BINS, [Square(s["x"], s["y"], s["files"]) for s in squares]),
        table=table,
        empty="" if total["files"] else "No file passes the filters." if filters else "The lake is empty.",
        code="lake.tables['files']",
    )


def _sentence(total: dict[str, Any], filters: Filters, asked: bool) -> str:
    files, beside = total["files"] or 0, list(_beside(total, asked))
    if not files:
        return "; ".join(["There are no files", *beside]) + "."
    passes = "passes" if files == 1 else "pass"
    which = f" that {passes} the filters" if filters else ""
    have = "has" if files == 1 else "have"
    rows = f"{have} {plural(total['rows'] or 0, 'row')} in"
    if total["errors"] == files:
        rows = "has" if files == 1 else "have"
    first = f"{plural(files, 'file')}{which} {rows} {size(total['bytes'] or 0)}"
    return "; ".join([first, *_of_files(total, files), *beside]) + "."


def _beside(total: dict[str, Any], asked: bool) -> Iterator[str]:
    """What is said of files that a query does not read."""
    if total["vanished"] and not asked:
        yield f"{_are(total['vanished'])} gone"
    for name, words in () if asked else _BESIDE:
        if total[name]:
            yield f"{plural(total[name], 'more file')} {words}"
    if total["unknown"]:
        yield f"whether {plural(total['unknown'], 'file')} is live is unknown: see broken_tables"


def _of_files(total: dict[str, Any], files: int) -> Iterator[str]:
    """What is said of the files that a query reads: deleted rows, errors, sizes."""
    if total["deleted"]:
        yield (
            f"{plural(total['deleted'], 'row')} of them {'is' if total['deleted'] == 1 else 'are'} deleted by deletion "
            f"vectors or delete files, which leaves {(total['rows'] or 0) - total['deleted']:,} live"
        )
    if total["uncounted"]:
        yield f"how many rows delete files delete from {plural(total['uncounted'], 'file')} is unknown"
    if total["errors"] == files:
        yield "it could not be read" if files == 1 else "not one of them could be read"
    elif total["errors"]:
        yield f"{total['errors']:,} of them could not be read"
    small, best = total["small"] or 0, max(1, -(-(total["small_bytes"] or 0) // TARGET))
    if small > 1 and best < small:
        yield f"{small:,} are smaller than {TARGET >> 21} MiB: {plural(best, 'file')} of {TARGET >> 20} MiB would hold the same data"


def _are(count: int) -> str:
    return f"{count:,} {'is' if count == 1 else 'are'}"


_IN_THE_LAKE = "status NOT IN ('vanished', 'not-read')"

_BESIDE = (
    ("removed", "in the folder that only earlier versions of the table need"),
    ("orphans", "in the folder that the table's log does not name"),
    ("besides", "in the folder that hold deletes, changes, or another format"),
)
"""Counts of files that are not read, and what these files are."""

_TOTAL = f"""
SELECT count(CASE WHEN {{which}} THEN 1 END) AS files,
       sum(CASE WHEN {{which}} THEN num_rows END) AS rows,
       sum(CASE WHEN {{which}} THEN size END) AS bytes,
       count(CASE WHEN status = 'error' THEN 1 END) AS errors,
       count(CASE WHEN status = 'vanished' THEN 1 END) AS vanished,
       count(CASE WHEN status = 'not-read' AND state = 'removed' THEN 1 END) AS removed,
       count(CASE WHEN status = 'not-read' AND state IN ('unreferenced', 'orphan') THEN 1 END) AS orphans,
       count(CASE WHEN status = 'not-read' AND state IN ('live', 'deletes', 'changes') THEN 1 END) AS besides,
       count(CASE WHEN state = 'not-known' AND {{which}} THEN 1 END) AS unknown,
       sum(CASE WHEN {{which}} AND state = 'live' AND num_rows IS NOT NULL THEN deleted_rows END) AS deleted,
       count(CASE WHEN {{which}} AND state = 'live' AND deleted_rows IS NULL THEN 1 END) AS uncounted,
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
       CASE WHEN compressed_bytes > 0 AND uncompressed_bytes > 0 THEN 1.0 * uncompressed_bytes / compressed_bytes END AS ratio,
       created_by AS writer, modified, status, state, address
FROM files WHERE {{which}} ORDER BY size DESC, path LIMIT {LISTED}
"""


PANEL = Panel("fleet", "Files", answer, picture=Picture)
