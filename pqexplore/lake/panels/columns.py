"""Bytes of a lake by column, and how well each column compresses."""

from __future__ import annotations

import dataclasses

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import middle, percent, size
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.filters import Filters, ask
from pqexplore.lake.panels.panel import Panel

LISTED = 2_000
DRAWN = 40
NAME = 60
"""Max characters of a name in the sentence."""

COLUMNS = (
    Column("column_name", "column"),
    Column("compressed_bytes", "bytes", "bytes", "bytes of the column's chunks in the files"),
    Column("share", "share", "share", "share of the bytes of all chunks"),
    Column("uncompressed_bytes", "decompressed", "bytes"),
    Column("ratio", "ratio", "number"),
    Column("num_files", "files", "number"),
    Column("num_values", "values", "number", "nulls included"),
    Column("null_count", "nulls", "number"),
)


@dataclasses.dataclass(slots=True)
class Bar:
    """A column, the bytes of its chunks, and the address of its largest chunk."""

    column: str
    compressed_bytes: int
    uncompressed_bytes: int
    address: str | None


@dataclasses.dataclass(slots=True)
class Picture:
    """The largest columns, the largest first."""

    bars: list[Bar]


def answer(lake: Lake, filters: Filters, typed: str = "") -> Answer:
    """Bytes by column, the largest first; a row links to the column's largest chunk."""
    rows = ask(lake, f"SELECT * FROM column_sizes ORDER BY compressed_bytes DESC LIMIT {LISTED}", filters)
    chunks = dict(largest(lake, filters))
    table = Table(COLUMNS, caption="columns, the largest first")
    for row in rows:
        table.add(*(row[column.name] for column in COLUMNS), address=chunks.get(row["column_name"]))
    if not rows:
        return Answer("There are no column chunks.", empty=nothing(filters), table=table)
    total = sum(row["compressed_bytes"] or 0 for row in rows)
    first = rows[0]
    sentence = (
        f"Column {middle(first['column_name'], NAME)} has {percent(first['share'])} of the {size(total)} in column chunks"
        f"{_compressed(first['ratio'])}."
    )
    bars = [
        Bar(row["column_name"], row["compressed_bytes"] or 0, row["uncompressed_bytes"] or 0, table.addresses[i])
        for i, row in enumerate(rows[:DRAWN])
    ]
    return Answer(sentence, picture=Picture(bars), table=table, code="lake.views['column_sizes']")


def nothing(filters: Filters) -> str:
    """Why there are no columns."""
    return "No readable file passes the filters." if filters else "There is no file that can be read."


def largest(lake: Lake, filters: Filters, which: str = "TRUE") -> list[tuple[str, str]]:
    """Columns with the addresses of their largest chunks, the shortest names first; `which` is a condition on chunks."""
    return [
        (row["column_name"], f"{row['path']}#row_groups/{row['row_group']}/columns/{row['leaf']}")
        for row in ask(lake, _LARGEST.format(which=which), filters)
    ]


def _compressed(ratio: float | None) -> str:
    """How well the column compresses, by its bytes before / after; less than 2 % do not matter."""
    if not ratio:
        return ""
    if ratio > 1.02:
        return f", compressed to {percent(1 / ratio)} of its size"
    return "; it does not compress"


_LARGEST = """
SELECT column_name, path, row_group, leaf FROM (
  SELECT column_name, path, row_group, leaf,
         row_number() OVER (PARTITION BY column_name ORDER BY compressed_bytes DESC, path, row_group) AS size_rank
  FROM column_chunks WHERE {which}
) ranked WHERE size_rank = 1 ORDER BY length(column_name), column_name
"""


PANEL = Panel("columns", "Columns", answer, picture=Picture)
