"""Which columns the bytes of a lake are in, and how well they compress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.lake.answers.filters import Filters, ask

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

LISTED = 2_000
DRAWN = 40

COLUMNS = (
    Column("column_name", "column"),
    Column("compressed_bytes", "bytes", "bytes", "bytes of its chunks in the files"),
    Column("share", "share", "share", "of the bytes of all chunks"),
    Column("uncompressed_bytes", "decompressed", "bytes"),
    Column("ratio", "ratio", "number"),
    Column("num_files", "files", "number"),
    Column("num_values", "values", "number", "nulls included"),
    Column("null_count", "nulls", "number"),
)


def columns(lake: Lake, filters: Filters) -> Answer:
    """Bytes by column, most first; a row leads to the column's largest chunk."""
    rows = ask(
        lake, f"SELECT * FROM column_sizes ORDER BY compressed_bytes DESC LIMIT {LISTED}", filters
    )
    largest = {row["column_name"]: row for row in ask(lake, _LARGEST, filters)}
    table = Table(COLUMNS, caption="columns, the largest first")
    for row in rows:
        at = largest.get(row["column_name"])
        address = None
        if at is not None:
            address = f"{at['path']}#row_groups/{at['row_group']}/columns/{at['leaf']}"
        table.add(*(row[column.name] for column in COLUMNS), address=address)
    if not rows:
        return Answer(
            "No column chunk is known.", empty="No file that can be read is left.", table=table
        )
    total = sum(row["compressed_bytes"] or 0 for row in rows)
    first = rows[0]
    sentence = (
        f"{first['share']:.0%} of {total:,} bytes is column {first['column_name']}, "
        f"which compression shrinks {first['ratio'] or 1:.2g} times."
    )
    bars = [
        [row["column_name"], row["compressed_bytes"], row["uncompressed_bytes"], table.addresses[i]]
        for i, row in enumerate(rows[:DRAWN])
    ]
    return Answer(sentence, picture={"bars": bars}, table=table, code="lake.views['column_sizes']")


_LARGEST = """
SELECT column_name, path, row_group, leaf FROM (
  SELECT column_name, path, row_group, leaf,
         row_number() OVER (PARTITION BY column_name ORDER BY compressed_bytes DESC, path, row_group) AS place
  FROM column_chunks
) ranked WHERE place = 1
"""
