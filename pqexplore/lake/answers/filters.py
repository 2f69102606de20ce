"""Which files a look at a lake is about: those in a range of sizes and rows, of a writer, a schema, a partition."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

RANGES = {"size": "size", "rows": "num_rows"}
TEXTS = {
    "status": "status",
    "writer": "created_by",
    "schema": "schema_id",
    "partition": "partition_values",
    "error": "error_code",
}
"""What can be filtered by, and the column of `files` that has it."""

LONGEST = 2_000
"""Characters of a filter's text."""


@dataclasses.dataclass(frozen=True)
class Filters:
    """Conditions on files. `ranges` has least and greatest by name, either may be None; `texts` the value by name."""

    ranges: tuple[tuple[str, float | None, float | None], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Filters:
        """Filters from JSON such as `{"size": [0, 1000000], "writer": "…"}`. UsageError for what is none."""
        if not text:
            return cls()
        try:
            given = json.loads(text)
        except ValueError as error:
            raise UsageError(f"filters are not JSON: {error}") from None
        if not isinstance(given, dict):
            raise UsageError("filters are a JSON object")
        ranges, texts = [], []
        for name, value in given.items():
            if name in RANGES and isinstance(value, list) and len(value) == 2:
                ranges.append((name, *map(_number, value)))
            elif name in TEXTS and isinstance(value, str) and len(value) <= LONGEST:
                texts.append((name, value))
            else:
                known = ", ".join([*RANGES, *TEXTS])
                raise UsageError(f"there is no filter {name!r} of {value!r}; there are {known}")
        return cls(tuple(ranges), tuple(texts))

    def __bool__(self) -> bool:
        return bool(self.ranges or self.texts)

    def where(self, spark: bool) -> str:
        """The condition on `files`, in the dialect of Spark or of DuckDB; empty where there is none."""
        conditions = []
        for name, least, greatest in self.ranges:
            column = RANGES[name]
            if least is not None:
                conditions.append(f"{column} >= {math.floor(least)}")
            if greatest is not None:
                conditions.append(f"{column} <= {math.ceil(greatest)}")
        conditions += [f"{TEXTS[name]} = {literal(text, spark)}" for name, text in self.texts]
        return " AND ".join(conditions)


def ask(lake: Lake, text: str, filters: Filters) -> list[dict[str, Any]]:
    """The rows of a query over the files that the filters leave, as dictionaries."""
    found = lake.sql(text, where=filters.where(lake.spark is not None))
    if hasattr(found, "to_pylist"):
        rows: list[dict[str, Any]] = found.to_pylist()
        return rows
    return [row.asDict() for row in found.collect()]


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise UsageError(f"a filter's range has the bound {value!r}, which is no number")


def literal(text: str, spark: bool) -> str:
    """A text as Spark or DuckDB writes it in a query."""
    if not spark:
        return "'" + text.replace("'", "''") + "'"
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
