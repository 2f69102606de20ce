"""Runs conditions on Parquet files with pyarrow: the process that `observed.pyarrow` starts.

The job is a list of `{"path": …, "where": …, "columns": …, "read": …}`. `where` is a nested list as `observed.pyarrow.tree`
makes it, which `expression` turns into an Arrow expression. The file is read through an object that counts the bytes.
"""

from __future__ import annotations

import functools
import io
import json
import operator
import os
import sys
from collections.abc import Callable
from decimal import Context, Decimal
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

_COMPARISONS: dict[str, Callable[[pc.Expression, pa.Scalar], pc.Expression]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "<=>": operator.eq,
    "not <=>": lambda column, value: (column != value) | column.is_null(),
}


class Counting(io.RawIOBase):
    """A file that notes which ranges of it are read."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.ranges: list[tuple[int, int]] = []

    def read(self, size: int = -1) -> bytes:
        """Reads, and notes the range."""
        start = self.file.tell()
        data = self.file.read(size)
        self.ranges.append((start, start + len(data)))
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        """Moves to a position."""
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        """The position."""
        return self.file.tell()

    def seekable(self) -> bool:
        """True."""
        return True

    def readable(self) -> bool:
        """True."""
        return True


def scalar(literal: list[Any], of: pa.DataType) -> pa.Scalar:
    """A literal in the type of the column, or as a double if the type does not have it."""
    kind, *value = literal
    if kind == "bytes":
        raw = bytes.fromhex(value[0])
        if pa.types.is_string(of) or pa.types.is_large_string(of) or pa.types.is_string_view(of):
            return pa.scalar(raw.decode(), of)
        return pa.scalar(raw, of)
    if kind == "float":
        return pa.scalar(float(value[0]))
    if kind == "moment":
        return pa.scalar(value[0], pa.timestamp("ns", getattr(of, "tz", None)))
    numerator, denominator = value
    if pa.types.is_decimal(of):
        if denominator == 1:
            return pa.scalar(Decimal(numerator).scaleb(-of.scale, WIDE), of)
        exact = WIDE.divide(Decimal(numerator), Decimal(denominator))
        return pa.scalar(exact.scaleb(-of.scale, WIDE))
    if denominator != 1 or pa.types.is_floating(of):
        return pa.scalar(numerator / denominator, of if pa.types.is_floating(of) else None)
    if pa.types.is_boolean(of):
        return pa.scalar(bool(numerator))
    try:
        if pa.types.is_integer(of):
            return pa.scalar(numerator, of)
        return pa.scalar(numerator, pa.int32() if of.bit_width == 32 else pa.int64()).cast(of)
    except (pa.ArrowInvalid, OverflowError):  # it is beyond the values of the column
        return pa.scalar(numerator if abs(numerator) < 1 << 63 else float(numerator))


WIDE = Context(prec=80)


def expression(node: Any, schema: pa.Schema) -> pc.Expression:
    """The Arrow expression of a condition; see `observed.pyarrow.tree` for its form."""
    kind = node[0]
    if kind in ("and", "or"):
        joined = operator.and_ if kind == "and" else operator.or_
        return functools.reduce(joined, [expression(part, schema) for part in node[1]])
    if kind == "constant":
        return pc.scalar(bool(node[1]))
    path = node[1]
    column, of = pc.field(*path), schema.field(path[0]).type
    for name in path[1:]:
        of = of.field(name).type
    if kind == "true":
        return column
    if kind == "false":
        return ~column
    if kind == "null":
        return column.is_valid() if node[2] else column.is_null()
    if kind == "compare":
        return _COMPARISONS[node[2]](column, scalar(node[3], of))
    if kind == "in":
        listed = column.isin(pa.array([scalar(one, of).as_py() for one in node[3]], _decoded(of)))
        return ~listed if node[2] else listed  # TRUE for null, as pyarrow's users write NOT IN
    found = pc.is_nan(column) if kind == "nan" else pc.match_like(column, node[3])
    return ~found & column.is_valid() if node[2] else found


def _decoded(of: pa.DataType) -> pa.DataType:
    """The type of the values of a dictionary, which `isin` wants; another type as it is."""
    return of.value_type if pa.types.is_dictionary(of) else of


def outcome(query: dict[str, Any]) -> dict[str, Any]:
    """The row groups that Arrow keeps for a query; if it is to be read, the rows that match, and the ranges."""
    with open(query["path"], "rb") as file:
        counting = Counting(file)
        fragment = ds.ParquetFileFormat().make_fragment(pa.PythonFile(counting, mode="r"))
        where = expression(query["where"], fragment.physical_schema)
        kept = [part.row_groups[0].id for part in fragment.split_by_row_group(where)]
        made: dict[str, Any] = {"row_groups": kept}
        if query["read"]:
            scanner = fragment.scanner(columns=query["columns"], filter=where, use_threads=False)
            made["rows"] = sum(batch.num_rows for batch in scanner.to_batches())
            made["ranges"] = counting.ranges
            made["bytes"] = sum(end - start for start, end in counting.ranges)
        return made


def main() -> None:
    """Reads the job, runs its queries, and writes a list of outcomes."""
    outcomes: list[dict[str, Any]] = []
    for query in json.load(sys.stdin):
        try:
            outcomes.append(outcome(query))
        except (pa.ArrowException, KeyError, TypeError, ValueError, OSError) as error:
            outcomes.append({"error": f"{type(error).__name__}: {error}"})
    print(json.dumps({"version": pa.__version__, "outcomes": outcomes}))


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # a thread of Arrow that still wants to read through Python's file would end the process with an error
