"""Partition columns: their values are in the names of folders, `day=2026-11-03`, as Hive, Spark and Delta write them.

Iceberg names folders, too, but after a transform of a column (`at_day=2026-11-03`), by which nobody filters. Such a
folder counts only if the files have a column of that name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import unquote

from pqexplore.lake.asking.partitions import value_of
from pqexplore.lake.lake import Lake
from pqexplore.lake.logs.table_log import HIVE_NULL
from pqexplore.lake.panels.filters import Filters, ask

TYPE = "partition folder"
"""What stands for the type of a column that is in the names of folders."""


def rows(lake: Lake, filters: Filters, columns: Collection[str]) -> list[dict[str, Any]]:
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


def values(lake: Lake, key: str, filters: Filters) -> dict[str, str | None]:
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
