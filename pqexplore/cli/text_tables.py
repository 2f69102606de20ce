"""Rows of values as a table for a terminal, and as CSV cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from pqexplore.engine.text import printable

if TYPE_CHECKING:
    import pyarrow as pa

    from pqexplore.insight.json_values import Json


def cells(row: Sequence[Json], null: str = "") -> list[str]:
    """The values of a row as texts: nested values as JSON."""
    return [null if one is None else _TEXTS.get(type(one), _json)(one) for one in row]


def _json(value: Any) -> str:
    from pqexplore.insight.json_values import compact

    return compact(value)


_TEXTS: dict[type, Callable[[Any], str]] = {
    str: str,
    int: str,
    float: lambda one: repr(one) if isfinite(one) else _json(one),
}
"""What most values become, as `_json` has it, without its cost."""


def no_formula(cell: str) -> str:
    """A cell of CSV that a spreadsheet takes for text, not for a formula, without control characters."""
    first = cell.lstrip()[:1]
    formula = first in ("=", "+", "-", "@") or cell[:1] in ("\t", "\r")
    return f"'{printable(cell)}" if formula else printable(cell)


def is_plain(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers, dates, times or booleans, whose text comes from no one else."""
    import pyarrow.types as types

    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_temporal(kind)
        or types.is_boolean(kind)
    )


def lines(names: Sequence[str], columns: Sequence[list[Json]], room: int) -> list[str]:
    """Columns of values as a table, or what fits of it; numbers are aligned to the right."""
    from pqexplore.insight.terminal import is_whole, leading, table, too_wide

    right = "".join(">" if _are_numbers(column) else " " for column in columns)
    rows = [cells(row, "null") for row in zip(*columns, strict=True)]
    if not is_whole(room) and leading(names, rows, room) < len(names):
        return too_wide(names, rows, room, right)
    return table(names, rows, room, right=right)


def arrow_lines(table: pa.Table, room: int) -> list[str]:
    """An Arrow table as lines, all of its rows."""
    return lines(table.column_names, arrow_columns(table), room)


def arrow_columns(table: pa.Table) -> list[list[Json]]:
    """The columns of an Arrow table as JSON values."""
    from pqexplore.insight.json_values import json_values

    return [json_values(column.combine_chunks()) for column in table.columns]


def arrow_rows(table: pa.Table) -> list[dict[str, Json]]:
    """The rows of an Arrow table as JSON objects."""
    columns = arrow_columns(table)
    return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def _are_numbers(column: list[Json]) -> bool:
    return all(one is None or (isinstance(one, (int, float)) and not isinstance(one, bool)) for one in column)
