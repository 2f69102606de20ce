"""The statistics of a file that a table's log keeps: Delta's `stats`, and the bounds and counts of Iceberg's manifests."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from decimal import Decimal

Key = int | tuple[str, ...]
"""A column: its path of names in the file (Delta), or its field id (Iceberg)."""


@dataclasses.dataclass(frozen=True, slots=True)
class Statistics:
    """Bounds and counts by column. Bounds are JSON values (Delta) or Iceberg's single-value serialization in bytes."""

    lows: Mapping[Key, object]
    highs: Mapping[Key, object]
    nulls: Mapping[Key, object]
    values: Mapping[Key, object]


@dataclasses.dataclass(frozen=True, slots=True)
class DeltaStatistics:
    """`stats` of an add action, unread; `vector` is whether the file has a deletion vector."""

    text: str
    vector: bool

    def read(self) -> Statistics | None:
        """The statistics that hold for all rows of the file; None if there are none.

        With a deletion vector, bounds may be those of the rows that are left, and wide bounds (`tightBounds` false) go
        with null counts that may be wrong: these are left out. Source: "Per-file Statistics" in
        https://github.com/delta-io/delta/blob/master/PROTOCOL.md.
        """
        try:
            found = json.loads(self.text, parse_float=Decimal)
        except (ValueError, RecursionError):
            return None
        if not isinstance(found, dict) or self.vector:
            return None
        tight = found.get("tightBounds") is not False
        lows, highs, nulls = (dict(_flat(found.get(name), (), 0)) for name in ("minValues", "maxValues", "nullCount"))
        return Statistics(lows, highs, nulls if tight else {}, {})


def _flat(value: object, path: tuple[str, ...], depth: int) -> Iterator[tuple[Key, object]]:
    if isinstance(value, dict) and depth < 100:
        for name, inner in value.items():
            yield from _flat(inner, (*path, name), depth + 1)
    elif path and value is not None and not isinstance(value, dict):
        yield path, value


@dataclasses.dataclass(frozen=True, slots=True)
class IcebergStatistics:
    """The maps of a manifest's data file, by field id; None if absent."""

    lower_bounds: Mapping[int, bytes] | None
    upper_bounds: Mapping[int, bytes] | None
    null_value_counts: Mapping[int, int] | None
    value_counts: Mapping[int, int] | None

    def read(self) -> Statistics:
        """The statistics; they hold for all rows of the file, also for those that delete files delete."""
        maps = (self.lower_bounds, self.upper_bounds, self.null_value_counts, self.value_counts)
        return Statistics(*(_by_key(one) for one in maps))


def _by_key(values: Mapping[int, object] | None) -> dict[Key, object]:
    return {} if values is None else dict(values.items())


LogStatistics = DeltaStatistics | IcebergStatistics
