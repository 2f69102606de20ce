"""Whether a query on a column can leave files out: how many files a value may lie in, and where each file's range is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.lake.answers.filters import Filters, ask, literal

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

LISTED = 2_000
LINES = 400
"""Files whose ranges are drawn for a column."""

COLUMNS = (
    Column("column_name", "column"),
    Column("logical_type", "type"),
    Column(
        "point_files",
        "files for a value",
        "number",
        "files that a query for one value reads on average",
    ),
    Column("point_share", "share", "share", "of the files that have the column"),
    Column(
        "range_files", "files for a range", "number", "for a range over a hundredth of the files"
    ),
    Column("mean_depth", "mean depth", "number", "files over a value, on average"),
    Column("max_depth", "greatest depth", "number", "the most files over one value"),
    Column("num_files", "files", "number"),
    Column(
        "unknown_files",
        "without bounds",
        "number",
        "files that have no bounds, or none to be believed",
    ),
)


def overlap(lake: Lake, filters: Filters) -> Answer:
    """Per column, how many files a value may lie in."""
    rows = ask(lake, "SELECT * FROM overlap", filters)
    rows.sort(
        key=lambda row: (row["point_share"] is None, row["point_share"] or 0, row["column_name"])
    )
    table = Table(COLUMNS, caption="columns, those that skip best first", total=len(rows))
    for row in rows[:LISTED]:
        table.add(
            *(row[column.name] for column in COLUMNS),
            address=f"column:{row['column_name']}:{row['logical_type']}",
        )
    known = [row for row in rows if row["point_files"] is not None and row["num_files"] > 1]
    if not known:
        why = "There are no two files with bounds of one column: nothing can be skipped by them."
        return Answer("No column lets a query leave files out.", table=table, empty=why)
    best, worst = known[0], known[-1]
    sentence = f"A query for one value of {best['column_name']} reads {best['point_files']:,.3g} of {best['num_files']:,} files"
    if worst is not best:
        sentence += (
            f", of {worst['column_name']} {worst['point_files']:,.3g} of {worst['num_files']:,}"
        )
    bars = [
        [r["column_name"], r["logical_type"], r["point_share"], r["point_files"], r["num_files"]]
        for r in known[:60]
    ]
    return Answer(sentence + ".", picture={"bars": bars}, table=table, code="lake.views['overlap']")


def ranges(lake: Lake, filters: Filters, column: str, logical_type: str) -> dict[str, Any]:
    """The ranges of a column's files on the scale of their sorted bounds, for a picture; of one type, as types do
    not compare.

    `lines` are [least rank, greatest rank, path, least, greatest]; `total` is how many files there are.
    """
    spark = lake.spark is not None
    name, kind = literal(column, spark), literal(logical_type, spark)
    rows = ask(
        lake,
        f"""
        SELECT path, min(min_key) AS low, max(max_key) AS high, min(min_text) AS low_text, max(max_text) AS high_text,
               count(*) AS chunks, count(min_key) AS known
        FROM column_chunks WHERE column_name = {name} AND logical_type = {kind} GROUP BY path
        """,
        filters,
    )
    whole = [row for row in rows if row["known"] == row["chunks"] and row["low"] is not None]
    bounds = sorted({bytes(row[end]) for row in whole for end in ("low", "high")})
    rank = {bound: i for i, bound in enumerate(bounds)}
    whole.sort(key=lambda row: (bytes(row["low"]), bytes(row["high"])))
    step = max(1, -(-len(whole) // LINES))
    lines = [
        [rank[bytes(r["low"])], rank[bytes(r["high"])], r["path"], r["low_text"], r["high_text"]]
        for r in whole[::step]
    ]
    return {
        "column": column,
        "type": logical_type,
        "ranks": len(bounds),
        "lines": lines,
        "total": len(rows),
        "unknown": len(rows) - len(whole),
    }
