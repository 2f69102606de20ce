"""Compares a file that was written anew with the file that it was made of."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Int64s
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.file.source import Cache
from pqexplore.engine.format.nesting.levels import slice_records
from pqexplore.engine.format.nesting.shape import LeafColumn
from pqexplore.engine.writer.columns import leaf_column
from pqexplore.engine.writer.old_columns import Changes, file_column, row_ranges
from pqexplore.engine.writer.retype import Step
from pqexplore.engine.writer.sorting import reordered

if TYPE_CHECKING:
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.format.field import Leaf


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


ONCE = 16 << 20
"""Bytes that a file keeps of what it decoded while it is read once from beginning to end."""

Progress = Callable[[float], None]


def verify(
    file: ParquetFile,
    path: str | os.PathLike[str],
    changes: Changes,
    order: Int64s | None,
    decryption: Decryption | None,
    progress: Progress | None,
) -> None:
    """Compares all levels and values. CorruptFileError with the column and the rows of the first difference."""
    with open_file(path, decryption=decryption) as new:
        new.cache = Cache(ONCE)
        for index in range(len(file.schema.leaves)):
            change = changes.get(index)
            comparable = None if change is None else change.comparable
            one = _records(file, index, comparable)
            if order is not None:
                read = functools.partial(_comparable, file, comparable)
                ranges = [(start, stop) for start, stop in row_ranges(new, None) if start < stop]
                one = reordered(read, file.schema.leaves[index], order, ranges)
            rows = first_difference(one, _records(new, index, None if change is None else change.back))
            if rows is not None:
                _differs(file, index, *rows)
            if progress is not None:
                progress((index + 1) / len(file.schema.leaves))


def _records(file: ParquetFile, index: int, comparable: Step | None) -> Iterator[tuple[int, LeafColumn]]:
    for group in file.row_groups:
        if group.num_rows:
            yield group.num_rows, _stepped(leaf_column(group.columns[index]), comparable)


def _comparable(file: ParquetFile, comparable: Step | None, leaf: Leaf) -> LeafColumn:
    return _stepped(file_column(file, leaf), comparable)


def _stepped(column: LeafColumn, step: Step | None) -> LeafColumn:
    return column if step is None else dataclasses.replace(column, values=step(column.values))


def _differs(file: ParquetFile, index: int, start: int, stop: int) -> None:
    path = ".".join(file.schema.leaves[index].path)
    raise CorruptFileError(
        f"the new file differs from {file.name} in column {path}, rows {start:,} to {stop:,}; it was not kept",
        address=f"schema/{file.schema.leaves[index].index}",
    )
