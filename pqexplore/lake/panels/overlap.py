"""Whether a query on a column can skip files: how many files may contain a value, and the range of each file."""

from __future__ import annotations

import dataclasses
from typing import Any

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.filters import Filters, ask, literal
from pqexplore.lake.panels.panel import Panel

LISTED = 2_000
LINES = 400
"""Max ranges drawn for a column."""

COLUMNS = (
    Column("column_name", "column"),
    Column("logical_type", "type"),
    Column(
        "point_files",
        "files for a value",
        "number",
        "files that a query for one value reads on average",
    ),
    Column("point_share", "share", "share", "share of the files that have the column"),
    Column(
        "range_files",
        "files for a range",
        "number",
        "files that a query for a range over 1% of the files reads on average",
    ),
    Column("mean_depth", "mean depth", "number", "files whose range contains a value, on average"),
    Column(
        "max_depth", "max depth", "number", "maximum number of files whose range contains one value"
    ),
    Column("num_files", "files", "number"),
    Column(
        "unknown_files",
        "without bounds",
        "number",
        "files without bounds, or without trustworthy ones",
    ),
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

    `total` counts the files that have the column, `unknown` the files without bounds.
    """

    column: str
    type: str
    ranks: int
    lines: list[Line]
    total: int
    unknown: int


def answer(lake: Lake, filters: Filters, typed: str = "") -> Answer:
    """Per column, how many files may contain a value; columns that files declare to be sorted by come first."""
    sorted_by = {row["column_name"]: row["files"] for row in ask(lake, SORTED, filters)}
    rows = ask(lake, "SELECT * FROM overlap", filters)
    for row in rows:
        row["sorted_files"] = sorted_by.get(row["column_name"], 0)
    rows.sort(key=lambda row: (not row["sorted_files"], *_by_share(row)))
    first = "those that files are sorted by first, then " if sorted_by else ""
    caption = f"columns, {first}those that skip best{'' if first else ' first'}"
    table = Table(COLUMNS, caption=caption, total=len(rows))
    for row in rows[:LISTED]:
        table.add(
            *(row[column.name] for column in COLUMNS),
            address=f"column:{row['column_name']}:{row['logical_type']}",
        )
    known = [row for row in rows if row["point_files"] is not None and row["num_files"] > 1]
    if not known:
        why = "No column has bounds in two or more files, so no file can be skipped."
        return Answer("No column lets a query skip files.", table=table, empty=why)
    best, worst = min(known, key=_by_share), max(known, key=_by_share)
    sentence = f"A query for one value of {best['column_name']} reads {best['point_files']:,.3g} of {best['num_files']:,} files"
    if worst is not best:
        sentence += (
            f"; for {worst['column_name']}, {worst['point_files']:,.3g} of {worst['num_files']:,}"
        )
    bars = [
        Bar(r["column_name"], r["logical_type"], r["point_share"], r["point_files"], r["num_files"])
        for r in known[:60]
    ]
    return Answer(sentence + ".", picture=Picture(bars), table=table, code="lake.views['overlap']")


def _by_share(row: dict[str, Any]) -> tuple[bool, float, str]:
    """What skips best comes first, what has no bounds last."""
    return row["point_share"] is None, row["point_share"] or 0, row["column_name"]


def ranges(lake: Lake, column: str, type: str, filters: str = "") -> Ranges:
    """The ranges of a column's files of one type, because values of different types do not compare. `filters` are JSON."""
    spark = lake.spark is not None
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
    step = max(1, -(-len(whole) // LINES))
    lines = [
        Line(
            rank[bytes(r["low"])], rank[bytes(r["high"])], r["path"], r["low_text"], r["high_text"]
        )
        for r in whole[::step]
    ]
    return Ranges(column, type, len(bounds), lines, len(rows), len(rows) - len(whole))


PANEL = Panel("overlap", "Overlap", answer, picture=Picture, operations={"ranges": ranges})
