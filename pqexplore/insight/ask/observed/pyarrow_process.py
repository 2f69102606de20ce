"""Runs conditions on Parquet files with pyarrow: the process that `observed.pyarrow` starts.

The job is a list of `{"path": …, "where": …, "columns": …, "read": …}`. `where` is a nested list as `observed.polars.tree`
makes it, which `expression` turns into an Arrow expression. The file is read through an object that counts the bytes.
"""

from __future__ import annotations

import functools
import io
import json
import operator
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from pqexplore.insight.ask.observed.polars_process import literal

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
        start = self.file.tell()
        data = self.file.read(size)
        self.ranges.append((start, start + len(data)))
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


def scalar(kind: str, text: str, of: pa.DataType) -> pa.Scalar:
    """A literal in the type of the column, or in its own if the column's type cannot hold it."""
    value = literal(kind, text)
    try:
        return pa.scalar(value, of)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.scalar(value)


def expression(node: Any, schema: pa.Schema) -> pc.Expression:
    """The Arrow expression of a condition; see `observed.polars.tree` for its form."""
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
    if kind == "null":
        return column.is_valid() if node[2] else column.is_null()
    if kind == "true":
        return column
    if kind == "false":
        return ~column
    if kind == "in":
        found = column.isin(pa.array([literal(*one) for one in node[3]], of))
        return ~found & column.is_valid() if node[2] else found
    return _COMPARISONS[node[2]](column, scalar(*node[3], of))


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
