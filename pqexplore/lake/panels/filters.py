"""Filters of the lake explorer: by ranges of size and rows, and by status, writer, schema, partition, error and folder."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.lake import query
from pqexplore.lake.lake import Lake

RANGES = {"size": "size", "rows": "num_rows"}
TEXTS = {
    "status": "status",
    "writer": "created_by",
    "schema": "schema_id",
    "partition": "partition_values",
    "error": "error_code",
}
"""The column of `files` for each filter."""

FOLDER = "folder"
"""The filter by a folder: its whole path, without the slash at its end."""

LONGEST = 2_000
"""Max characters of a filter's text."""


@dataclasses.dataclass(frozen=True)
class Filters:
    """Conditions on files: `ranges` has (name, min, max), where min or max may be None; `texts` has (name, value).

    `schema` may be several schemas, with commas between.
    """

    ranges: tuple[tuple[str, float | None, float | None], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Filters:
        """Filters from JSON such as `{"size": [0, 1000000], "writer": "…"}`. UsageError if they are invalid."""
        if not text:
            return cls()
        try:
            given = json.loads(text)
        except ValueError as error:
            raise UsageError(f"filters are not JSON: {error}") from None
        if not isinstance(given, dict):
            raise UsageError("filters must be a JSON object")
        ranges, texts = [], []
        for name, value in given.items():
            if name in RANGES and isinstance(value, list) and len(value) == 2:
                ranges.append((name, *map(_number, value)))
            elif name in (*TEXTS, FOLDER) and isinstance(value, str) and len(value) <= LONGEST:
                texts.append((name, value))
            else:
                known = ", ".join([*RANGES, *TEXTS, FOLDER])
                raise UsageError(f"there is no filter {name!r} of {value!r}; there are {known}")
        return cls(tuple(ranges), tuple(texts))

    def __bool__(self) -> bool:
        return bool(self.ranges or self.texts)

    def where(self, spark: bool) -> str:
        """The condition on `files`, in the dialect of Spark or of DuckDB; empty without filters."""
        conditions = []
        for name, low, high in self.ranges:
            column = RANGES[name]
            if low is not None:
                conditions.append(f"{column} >= {math.floor(low)}")
            if high is not None:
                conditions.append(f"{column} <= {math.ceil(high)}")
        for name, text in self.texts:
            if name == FOLDER:
                begin = f"{text}/"
                conditions.append(f"substr(path, 1, {len(begin)}) = {literal(begin, spark)}")
                continue
            some = text.split(",") if name == "schema" else [text]
            quoted = [literal(one, spark) for one in some]
            among = f"IN ({', '.join(quoted)})" if len(some) > 1 else f"= {quoted[0]}"
            conditions.append(f"{TEXTS[name]} {among}")
        return " AND ".join(conditions)


def ask(lake: Lake, text: str, filters: Filters) -> list[dict[str, Any]]:
    """Runs a query over the files that pass the filters. Returns its rows as dictionaries."""
    return query.rows(lake, text, filters.where(by_spark(lake)))


def by_spark(lake: Lake) -> bool:
    """Whether Spark answers `ask`, not DuckDB."""
    return query.engine(lake) == query.SPARK


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise UsageError(f"a filter's range has the bound {value!r}, which is not a number")


def literal(text: str, spark: bool) -> str:
    """A text as a quoted SQL literal of Spark or DuckDB."""
    if not spark:
        return "'" + text.replace("'", "''") + "'"
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
