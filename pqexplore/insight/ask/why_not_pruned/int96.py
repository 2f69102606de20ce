"""Timestamps as INT96, which has no order for most readers. The estimate compares their microseconds."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.format.int96 import NANOSECONDS_PER_DAY, UNIX_EPOCH
from pqexplore.engine.format.ordering import Order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import int96_parts
from pqexplore.engine.writer.file import write
from pqexplore.insight.ask import predicate, sql
from pqexplore.insight.ask.binding import bind
from pqexplore.insight.ask.bound import Test, tests
from pqexplore.insight.ask.why_not_pruned.cause import Cause
from pqexplore.insight.ask.why_not_pruned.column import Column, column_of
from pqexplore.insight.ask.why_not_pruned.estimate import worth
from pqexplore.insight.ask.why_not_pruned.recast import asked, estimate_by
from pqexplore.insight.ask.why_not_pruned.rewriting import Change, replaced, scripts
from pqexplore.insight.ask.why_not_pruned.value_evidence import read
from pqexplore.insight.axis import order_of, text_of
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan


def find(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column of INT96 without an order, if bounds of a TIMESTAMP would skip."""
    by_leaf: dict[int, list[Test]] = {}
    for test in tests(plan.bound):
        if test.leaf.physical_type == Type.INT96 and not test.leaf.max_repetition_level:
            by_leaf.setdefault(test.leaf.leaf_index, []).append(test)
    for of_leaf in by_leaf.values():
        column = column_of(plan, tuple(of_leaf))
        if order_of(column.leaf) is not Order.NONE:
            continue
        values = read(plan.file, column.leaf, Order.INT96)
        if values is None:
            continue
        micros = np.array([_micros(values.raw(rank)) for rank in range(len(values.distinct))], np.float64)
        estimate = estimate_by(plan, column, values, micros, lambda test: asked(test, _moment), plan.bound)
        if not worth(plan, estimate) or estimate is None or not _used_as_timestamp(plan, column):
            continue
        first = values.groups[0]
        ranks = values.ranks(first)
        low, high = (text_of(column.leaf, values.raw(rank)) for rank in (ranks.min(), ranks.max()))
        yield Cause(
            "wrong_column_type",
            column.path,
            f"{column.name} is stored as INT96, which has no order, so that its bounds rule out no row group. The "
            f"values of row group {first:,} range from {low} to {high}{values.remark}.",
            f"Store TIMESTAMP (INT64, microseconds, adjusted to UTC): about {plural(estimate.reads, 'row group')} instead of "
            f"{len(plan.kept):,} would be read.",
            scripts(plan, _as_timestamp(column)),
            {"type": "INT96", "row_groups": len(plan.kept)},
            tuple(part.address or "" for part in list(column.claims.values())[:8]),
            estimate.saves,
            estimate.reads,
        )


def _as_timestamp(column: Column) -> Change:
    """INT96 is an instant, so the timestamp is adjusted to UTC."""
    change = replaced(
        column.leaf,
        "{c}.cast(pa.timestamp('us')).cast(pa.timestamp('us', 'UTC'))",
        "CAST({c} AS TIMESTAMP) AT TIME ZONE 'UTC'",
        "{c}.cast(pl.Datetime('us')).dt.replace_time_zone('UTC')",
        "{c}",
    )
    setting = "spark.conf.set('spark.sql.parquet.outputTimestampType', 'TIMESTAMP_MICROS')"
    if not change.writers:
        return change
    return dataclasses.replace(change, spark="", options=(("Spark", setting),), retyped=column.leaf.path[0])


def _used_as_timestamp(plan: Plan, column: Column) -> bool:
    """Whether the engine would compare the clauses with bounds of a TIMESTAMP: asked of a file of this one column."""
    empty: pa.Array = pa.array([], pa.timestamp("us", "UTC"))
    for name in reversed(column.leaf.path[1:]):
        empty = pa.StructArray.from_arrays([empty], [name])
    made = io.BytesIO()
    write(pa.table({column.leaf.path[0]: empty}), made)
    with open_file(made.getvalue()) as file:
        for test in column.tests:
            try:
                bound = bind(sql.parse(test.sql), file.schema)
            except UsageError:
                return False
            if not any(True for _ in tests(plan.engine.usable(bound, file.schema))):
                return False
    return True


def _micros(raw: bytes) -> float:
    day, nanos = int96_parts(raw)
    return ((day - UNIX_EPOCH) * NANOSECONDS_PER_DAY + nanos) / 1000


def _moment(literal: predicate.Literal) -> float | None:
    if literal.kind in (predicate.TIMESTAMP, predicate.LOCAL_TIMESTAMP):
        return float(literal.value)
    return literal.value * 86_400e6 if literal.kind == predicate.DATE else None
