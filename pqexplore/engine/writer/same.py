"""Compares a column of two files: levels, and values bit by bit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from pqexplore.engine.format.nesting.column import LeafColumn
from pqexplore.engine.format.nesting.levels import slice_records

Parts = Iterator[tuple[int, LeafColumn]]
"""A column in parts: the number of records of each, and its levels and values."""


def first_difference(one: Parts, two: Parts) -> tuple[int, int] | None:
    """First row and end of the first rows that differ; None if all are the same. The parts need not be equally long."""
    a, b = next(one, None), next(two, None)
    row = 0
    while a is not None and b is not None:
        count = min(a[0], b[0])
        if not _same(slice_records(a[1], 0, count), slice_records(b[1], 0, count)):
            return row, row + count
        row += count
        a = next(one, None) if a[0] == count else (a[0] - count, slice_records(a[1], count, a[0]))
        b = next(two, None) if b[0] == count else (b[0] - count, slice_records(b[1], count, b[0]))
    return None if a is None and b is None else (row, row)


def _same(one: LeafColumn, two: LeafColumn) -> bool:
    """Whether two columns have the same levels and the same bits of values."""
    for a, b in ((one.definition_levels, two.definition_levels), (one.repetition_levels, two.repetition_levels)):
        if a is None or b is None:
            if a is not b:
                return False
        elif not np.array_equal(a, b):
            return False
    return bool(_bits(one.values).equals(_bits(two.values)))


def _bits(values: pa.Array) -> pa.Array:
    """Floats as integers, so that NaN and the sign of zero count; other values as they are."""
    as_integers = {pa.float32(): pa.int32(), pa.float64(): pa.int64()}.get(values.type)
    return values if as_integers is None else values.view(as_integers)
