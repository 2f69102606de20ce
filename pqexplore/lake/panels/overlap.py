"""Whether a query on a column can skip files: how many files may contain a value, and the range of each file.

Partition columns come first. Their values are in the names of folders (`partitions`), so that a file has one value.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar
from urllib.parse import unquote

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import measured, middle
from pqexplore.lake.asking.partitions import value_of
from pqexplore.lake.lake import Lake
from pqexplore.lake.logs.table_log import HIVE_NULL
from pqexplore.lake.panels.filters import Filters, ask, by_spark, literal
from pqexplore.lake.panels.panel import Panel

Some = TypeVar("Some")

LISTED = 2_000
LINES = 400
"""Max ranges drawn for a column."""
NAME = 60
"""Max characters of a name in the sentence."""
NONE = "No column has bounds in two or more files, so no file can be skipped."

COLUMNS = (
    Column("column_name", "column"),
    Column("logical_type", "type"),
    Column("point_files", "files for a value", "number", "files that a query for one value reads on average"),
    Column("point_share", "share", "share", "share of the files that have the column"),
    Column(
        "range_files",
        "files for a range",
        "number",
        "files that a query for a range over 1% of the files reads on average",
    ),
    Column("mean_depth", "mean depth", "number", "files whose range contains a value, on average"),
    Column("max_depth", "max depth", "number", "maximum number of files whose range contains one value"),
    Column("num_files", "files", "number"),
    Column("unknown_files", "without bounds", "number", "files without bounds, or without trustworthy ones"),
    Column(
        "sorted_files",
        "sorted by it",
        "number",
        "files with a row group that declares to be sorted by the column first of all",
    ),
)


SORTED = """
SELECT c.column_name, count(DISTINCT g.path) AS files
FROM row_groups g
JOIN column_chunks c ON c.path = g.path AND c.row_group = g.row_group AND c.leaf = g.sorted_by
GROUP BY c.column_name
"""


@dataclasses.dataclass(slots=True)
class Bar:
    """A column: the share and the number of files that a query for one value reads, of `all` files."""

    column: str
    type: str
    share: float
    files: float
    all: int


@dataclasses.dataclass(slots=True)
class Picture:
    """The columns that files declare to be sorted by, then the others, those that skip best first."""

    bars: list[Bar]


@dataclasses.dataclass(slots=True)
class Line:
    """The range of a file: the ranks of its bounds among the sorted bounds of all files, and the bounds as text."""

    low: int
    high: int
    path: str
    low_text: str | None
    high_text: str | None


@dataclasses.dataclass(slots=True)
class Ranges:
    """The ranges of a column's files, as ranks among `ranks` sorted bounds.

    `total` counts the files that have the column, `unknown` the files without bounds. `first` and `last` are the lowest
    and the highest bound as text, "" if unknown.
    """

    column: str
    type: str
    ranks: int
    lines: list[Line]
    total: int
    unknown: int
    first: str
    last: str


def answer(lake: Lake, filters: Filters, typed: str = "") -> Answer:
    """Per column, how many files may contain a value: partition columns first, then those that files are sorted by."""
    sorted_by = {row["column_name"]: row["files"] for row in ask(lake, SORTED, filters)}
    rows = ask(lake, "SELECT * FROM overlap", filters)
    folders = folder_rows(lake, filters, {row["column_name"] for row in rows})
    by_folder = {row["column_name"] for row in folders}
    rows = [*folders, *rows]
    for row in rows:
        row["sorted_files"] = sorted_by.get(row["column_name"], 0)
    rows.sort(key=lambda row: (row["column_name"] not in by_folder, not row["sorted_files"], *_by_share(row)))
    order = ["partition columns"] * bool(folders) + ["those that files are sorted by"] * bool(sorted_by)
    caption = "columns: " + ", then ".join([*order, "those that skip best first"])
    table = Table(COLUMNS, caption=caption, total=len(rows))
    for row in rows[:LISTED]:
        table.add(
            *(row[column.name] for column in COLUMNS), address=f"column:{row['column_name']}:{row['logical_type']}"
        )
    known = [row for row in rows if row["point_files"] is not None and row["num_files"] > 1]
    if not known:
        return Answer("No column lets a query skip files.", table=table, empty=NONE)
    # the column that leads the list, then the one that skips best and the one that skips worst
    best = min(known, key=lambda row: float(row["point_share"]))
    lead, *others = (known[0], best, max(known, key=_by_share))
    sentence = f"A query for one value of {middle(lead['column_name'], NAME)} reads {_files(lead)} files"
    for row in [row for i, row in enumerate(others) if row is not lead and row not in others[:i]]:
        sentence += f"; of {middle(row['column_name'], NAME)}, {_files(row)}"
    bars = [
        Bar(r["column_name"], r["logical_type"], r["point_share"], r["point_files"], r["num_files"]) for r in known[:60]
    ]
    return Answer(sentence + ".", picture=Picture(bars), table=table, code="lake.views['overlap']")


def _files(row: dict[str, Any]) -> str:
    return f"{measured(row['point_files'])} of {row['num_files']:,}"


def _by_share(row: dict[str, Any]) -> tuple[bool, float, str]:
    """What skips best comes first, what has no bounds last."""
    return row["point_share"] is None, row["point_share"] or 0, row["column_name"]


def ranges(lake: Lake, column: str, type: str, filters: str = "") -> Ranges:
    """The ranges of a column's files of one type, because values of different types do not compare. `filters` are JSON."""
    if type == TYPE:
        return _folders(lake, column, Filters.parse(filters))
    spark = by_spark(lake)
    name, kind = literal(column, spark), literal(type, spark)
    rows = ask(
        lake,
        f"""
        SELECT path, min(min_key) AS low, max(max_key) AS high, min(min_text) AS low_text, max(max_text) AS high_text,
               count(*) AS chunks, count(min_key) AS known
        FROM column_chunks WHERE column_name = {name} AND logical_type = {kind} GROUP BY path
        """,
        Filters.parse(filters),
    )
    whole = [row for row in rows if row["known"] == row["chunks"] and row["low"] is not None]
    bounds = sorted({bytes(row[end]) for row in whole for end in ("low", "high")})
    rank = {bound: i for i, bound in enumerate(bounds)}
    whole.sort(key=lambda row: (bytes(row["low"]), bytes(row["high"])))
    lines = [
        Line(rank[bytes(r["low"])], rank[bytes(r["high"])], r["path"], r["low_text"], r["high_text"])
        for r in _drawn(whole)
    ]
    first = whole[0]["low_text"] if whole else ""
    last = max(whole, key=lambda row: bytes(row["high"]))["high_text"] if whole else ""
    unknown = len(rows) - len(whole)
    return Ranges(column, type, len(bounds), lines, len(rows), unknown, first or "", last or "")


def _folders(lake: Lake, column: str, filters: Filters) -> Ranges:
    """The values of a partition column, one for each file."""
    values = folder_values(lake, column, filters)
    known = sorted(
        ((value, path) for path, value in values.items() if value is not None),
        key=lambda pair: (order(pair[0]), pair[1]),
    )
    rank = {value: i for i, value in enumerate(dict.fromkeys(value for value, _ in known))}
    lines = [Line(rank[v], rank[v], path, v, v) for v, path in _drawn(known)]
    unknown = len(values) - len(known)
    ends = list(rank)[:1] + list(rank)[-1:] or ["", ""]
    return Ranges(column, TYPE, len(rank), lines, len(values), unknown, *ends)


def _drawn(some: list[Some]) -> list[Some]:
    """So many of them as are drawn, evenly spread."""
    return some[:: max(1, -(-len(some) // LINES))]


PANEL = Panel("overlap", "Overlap", answer, picture=Picture, operations={"ranges": ranges})


# Partition columns: their values are in the names of folders, `day=2026-11-03`, as Hive, Spark and Delta write them.
#
# Iceberg names folders, too, but after a transform of a column (`at_day=2026-11-03`), by which nobody filters. Such a
# folder counts only if the files have a column of that name.

TYPE = "partition folder"
"""What stands for the type of a column that is in the names of folders."""


def folder_rows(lake: Lake, filters: Filters, columns: Collection[str]) -> list[dict[str, Any]]:
    """A row for each partition column, with the columns of the view `overlap`. `columns` are those of the files.

    A file has one value, so the files for a value are those of its folder; `point_files` is the mean over all files.
    """
    by_key: dict[str, Counter[str | None]] = {}
    for row in ask(lake, _FOLDERS, filters):
        for key in dict.fromkeys(_keys(row["partition_values"])):
            if row["format"] != "iceberg" or key in columns:
                values = by_key.setdefault(key, Counter())
                values[_value(row["partition_values"], key)] += row["files"]
    return [_row(key, values) for key, values in by_key.items()]


def _row(key: str, values: Counter[str | None]) -> dict[str, Any]:
    total, nulls = values.total(), values[None]
    counts = [files for value, files in values.items() if value is not None]
    known = total - nulls
    mean = sum(files**2 for files in counts) / known if known else 0.0
    return {
        "column_name": key,
        "logical_type": TYPE,
        "num_files": total,
        "ranged_files": known,
        "null_files": nulls,
        "unknown_files": 0,
        "max_depth": max(counts, default=0),
        "mean_depth": mean,
        "point_files": mean,
        "range_files": min(known, mean + 0.01 * known),
        "point_share": mean / total,
    }


def folder_values(lake: Lake, key: str, filters: Filters) -> dict[str, str | None]:
    """The value of each file that lies in a folder of that key, by path; None is NULL."""
    found = ask(lake, "SELECT path, partition_values FROM files WHERE status = 'ok'", filters)
    return {row["path"]: _value(row["partition_values"], key) for row in found if key in _keys(row["partition_values"])}


def order(value: str) -> tuple[bool, Decimal, str]:
    """A key by which values are sorted: numbers as such, then texts."""
    try:
        number = Decimal(value)
    except InvalidOperation:
        return True, Decimal(0), value
    return (False, number, value) if number.is_finite() else (True, Decimal(0), value)


def _keys(text: str) -> list[str]:
    return [part.partition("=")[0] for part in text.split("/") if part]


def _value(text: str, key: str) -> str | None:
    raw = value_of(text, key.lower())
    return None if raw is None or raw == HIVE_NULL else unquote(raw)


_FOLDERS = """
SELECT f.partition_values, t.format, count(*) AS files
FROM files f LEFT JOIN tables t ON f.table_path = t.path
WHERE f.status = 'ok' AND f.partition_values <> ''
GROUP BY f.partition_values, t.format ORDER BY f.partition_values
"""
