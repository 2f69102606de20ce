"""Adds up the rows of `diagnoses`: with Arrow, or with Spark's DataFrames. Both give the same rows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.lake.doctor.diagnosing import READ

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EXAMPLES = 5
"""Files that are named for each rule, those with the highest cost first."""
SUMS = ("places", "bytes", "requests", "row_groups", "rows")
KEYS = ("rule", "severity", "writer", "dated_by")
EXAMPLE = ("path", "sentence", "address", "details")


@dataclasses.dataclass(frozen=True)
class Counts:
    """What the rows of `diagnoses` add up to.

    - `groups`: a row for each of `KEYS`: the number of `files`, the `first` and the `last` date, the sums of `SUMS`.
    - `examples`: the first rows of each rule and severity, with the columns of `EXAMPLE`, the highest cost first.
    - `columns`: (rule, severity, column, files).

    All are sorted by all their columns, but for `examples`, which are sorted by cost.
    """

    groups: list[dict[str, Any]]
    examples: list[dict[str, Any]]
    columns: list[dict[str, Any]]


def by_arrow(rows: pa.Table) -> Counts:
    """The counts of an Arrow table."""
    made = rows.group_by(list(KEYS)).aggregate(
        [("path", "count"), ("date", "min"), ("date", "max"), *((name, "sum") for name in SUMS)]
    )
    names = {"path_count": "files", "date_min": "first", "date_max": "last"}
    names |= {f"{name}_sum": name for name in SUMS}
    made = made.rename_columns([names.get(name, name) for name in made.column_names])
    found = rows.filter(pc.not_equal(rows["rule"], READ))
    ranked = found.append_column("cost", pc.fill_null(found["bytes"], 0))
    ranked = ranked.append_column("tried", pc.fill_null(found["requests"], 0))
    order = [("cost", "descending"), ("tried", "descending"), ("path", "ascending")]
    examples = []
    for rule, severity in _kinds(found):
        chosen = _of(ranked, rule, severity).sort_by(order)
        examples += chosen.slice(0, EXAMPLES).select(["rule", "severity", *EXAMPLE]).to_pylist()
    return Counts(_sorted(made.to_pylist()), examples, _sorted(_columns(found)))


def _kinds(found: pa.Table) -> list[tuple[str, str]]:
    if not found.num_rows:
        return []  # Arrow 15 takes memory of any size to group no rows
    kinds = found.select(["rule", "severity"]).group_by(["rule", "severity"]).aggregate([])
    return sorted((row["rule"], row["severity"]) for row in kinds.to_pylist())


def _of(rows: pa.Table, rule: str, severity: str) -> pa.Table:
    return rows.filter(pc.and_(pc.equal(rows["rule"], rule), pc.equal(rows["severity"], severity)))


def _columns(found: pa.Table) -> list[dict[str, Any]]:
    made = []
    for rule, severity in _kinds(found):
        names = _of(found, rule, severity)["columns"].combine_chunks().flatten()
        made += [
            {"rule": rule, "severity": severity, "column": one["values"], "files": one["counts"]}
            for one in pc.value_counts(names).to_pylist()
        ]
    return made


def by_spark(rows: DataFrame) -> Counts:
    """The counts of a DataFrame."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    groups = rows.groupBy(*KEYS).agg(
        F.count("path").alias("files"),
        F.min("date").alias("first"),
        F.max("date").alias("last"),
        *(F.sum(name).alias(name) for name in SUMS),
    )
    found = rows.where(F.col("rule") != READ)
    cost = [F.coalesce(F.col(name), F.lit(0)).desc() for name in ("bytes", "requests")]
    window = Window.partitionBy("rule", "severity").orderBy(*cost, F.col("path"))
    examples = (
        found.withColumn("place", F.row_number().over(window))
        .where(F.col("place") <= EXAMPLES)
        .select("rule", "severity", "place", *EXAMPLE)
        .collect()
    )
    columns = (
        found.select("rule", "severity", F.explode("columns").alias("column"))
        .groupBy("rule", "severity", "column")
        .agg(F.count(F.lit(1)).alias("files"))
    )
    ordered = sorted(examples, key=lambda row: (row["rule"], row["severity"], row["place"]))
    return Counts(
        _sorted([row.asDict() for row in groups.collect()]),
        [{name: row[name] for name in ("rule", "severity", *EXAMPLE)} for row in ordered],
        _sorted([row.asDict() for row in columns.collect()]),
    )


def _sorted(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows in the order of their values, whatever the order of their columns was."""
    same = [dict(sorted(row.items())) for row in rows]
    return sorted(same, key=lambda row: [(value is not None, str(value)) for value in row.values()])
