"""Bounds as a file stores them, for engines that take them without the tests of a careful reader."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pqexplore.engine.format.ordering import Order, is_nan
from pqexplore.insight.ask.bound import Both, Bound, Either, Test
from pqexplore.insight.parts import Skippable, group_part

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk


def stored_claims(chunk: ColumnChunk, legacy: bool) -> Skippable:
    """A chunk's statistics as they are stored: no writer and no column order is distrusted, and a bound of NaN is absent.

    With `legacy`, the deprecated min and max stand in for min_value and max_value. Raises ParquetError as `group_part`.
    """
    part = group_part(chunk)
    stored = chunk.statistics
    if part.error or part.elsewhere or stored is None:
        return part
    low, high = stored.min_value, stored.max_value
    part.low_exact, part.high_exact = stored.is_min_value_exact, stored.is_max_value_exact
    if legacy:
        low, high = stored.min if low is None else low, stored.max if high is None else high
    part.low, part.high = _unless_nan(chunk, low), _unless_nan(chunk, high)
    part.trusted, part.why = True, ""
    return part


def _unless_nan(chunk: ColumnChunk, raw: bytes | None) -> bytes | None:
    return None if raw is None or is_nan(chunk.leaf, raw) else raw


def numeric(bound: Bound) -> Bound:
    """The condition with floats in numeric order, in which both zeros are equal, whatever order the file declares."""
    if isinstance(bound, Both | Either):
        parts = tuple(numeric(part) for part in bound.parts)
        return dataclasses.replace(bound, parts=parts)
    if not isinstance(bound, Test) or bound.accepts.order is not Order.TOTAL:
        return bound
    intervals = tuple(
        dataclasses.replace(one, low=_positive(one.low), high=_positive(one.high))
        for one in bound.accepts.intervals
    )
    accepts = dataclasses.replace(bound.accepts, order=Order.FLOAT, intervals=intervals)
    return dataclasses.replace(bound, accepts=accepts)


def _positive(key: bytes | None) -> bytes | None:
    """The key of +0 for that of -0, which is the one before it; other keys as they are."""
    if key is None or not key or key != b"\x7f" + b"\xff" * (len(key) - 1):
        return key
    return b"\x80" + bytes(len(key) - 1)
