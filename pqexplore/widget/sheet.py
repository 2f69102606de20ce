"""The table under a picture, as the view gets it: texts, by the window.

A cell is a text, or a number where the view draws a bar. What a row leads to travels beside it.
"""

from __future__ import annotations

import datetime
import weakref
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.insight import short_text, wire
from pqexplore.insight.answer import Column, Table
from pqexplore.insight.wording import measured

ROWS = 100
"""Rows in one answer."""

CELL = 300
"""Characters of one cell."""


def first(table: Table) -> wire.Encoded:
    """The columns, and the first rows; kept as long as the table, which many answers can have in common."""
    known = _firsts.get(table)
    if known is None:
        shown = part(table, 0)
        known = _firsts[table] = wire.Encoded(
            caption=table.caption,
            columns=[{"name": c.name, "title": c.title, "kind": c.kind, "meaning": c.meaning} for c in table.columns],
            listed=len(table.rows),
            total=table.total,
            width=[_width(column, i, shown["rows"]) for i, column in enumerate(table.columns)],
            **wire.encode(shown),
        )
    return known


_firsts: weakref.WeakKeyDictionary[Table, wire.Encoded] = weakref.WeakKeyDictionary()


def part(table: Table, start: int) -> dict[str, Any]:
    """`ROWS` rows from the one at `start`."""
    if start % ROWS or not 0 <= start <= len(table.rows):
        raise UsageError(f"row {start:,} is not where {ROWS} rows begin")
    stop = start + ROWS
    return {
        "start": start,
        "rows": [
            [cell(column, value) for column, value in zip(table.columns, row, strict=True)]
            for row in table.rows[start:stop]
        ],
        "addresses": table.addresses[start:stop],
        "spans": list(table.spans[start:stop]),
    }


def cell(column: Column, value: Any) -> str | float | None:
    """One value as the view shows it; None if absent."""
    if value is None:
        return None
    if column.kind == "share":
        return float(value)
    if column.kind == "flag":
        return "yes" if value else "no"
    if column.kind in ("number", "bytes") and isinstance(value, int):
        return f"{value:,}" if value.bit_length() < 200 else short_text.inline(value, CELL)
    if column.kind in ("number", "bytes") and isinstance(value, float):
        return measured(value)
    if isinstance(value, datetime.datetime):
        return short_text.inline(value.replace(microsecond=0), CELL).replace("+00:00", " UTC")
    return short_text.inline(value, CELL)


def _width(column: Column, at: int, rows: list[list[str | float | None]]) -> int:
    """Characters that the column needs, by its title and the cells of its first rows."""
    cells = (row[at] for row in rows)
    longest = max((len(one) for one in cells if isinstance(one, str)), default=6)
    return max(len(column.title) + 1, min(longest, 48))  # titles are bold
