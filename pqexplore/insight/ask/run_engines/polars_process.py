"""Runs conditions on Parquet files with polars: the process that `observed.polars` starts.

The job is a list of `{"path": …, "where": …}`. A condition is a nested list, which `expression` turns into a polars
expression. polars logs how many row groups it reads to its standard error if POLARS_VERBOSE is set before it is
imported, so the log is redirected into a file for each query.
"""

from __future__ import annotations

import datetime
import functools
import json
import operator
import os
import re
import sys
import tempfile
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars

_READS = re.compile(r"Predicate pushdown: reading (\d+) / (\d+) row groups")
_SKIPS = re.compile(r"^skip_batch_predicate: (.*)$", re.MULTILINE)
_EPOCH = datetime.datetime(1970, 1, 1)

_COMPARISONS: dict[str, Callable[[polars.Expr, polars.Expr], polars.Expr]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "<=>": lambda column, value: column.eq_missing(value),
    "not <=>": lambda column, value: column.ne_missing(value),
}


def literal(kind: str, text: str) -> Any:
    """The Python value of a literal: its kind, and its value as text."""
    if kind == "int":
        return int(text)
    if kind == "float":
        return float(text)
    if kind == "decimal":
        return Decimal(text)
    if kind == "bool":
        return text == "true"
    if kind == "bytes":
        return bytes.fromhex(text)
    if kind == "date":
        return (_EPOCH + datetime.timedelta(days=int(text))).date()
    if kind == "instant":
        moment = _EPOCH + datetime.timedelta(microseconds=int(text))
        return moment.replace(tzinfo=datetime.UTC)
    if kind == "local":
        return _EPOCH + datetime.timedelta(microseconds=int(text))
    if kind == "time":
        return (_EPOCH + datetime.timedelta(microseconds=int(text) // 1000)).time()
    return text


def expression(node: Any) -> polars.Expr:
    """The polars expression of a condition; see `observed.polars.tree` for its form."""
    import polars as pl

    kind = node[0]
    if kind in ("and", "or"):
        joined = operator.and_ if kind == "and" else operator.or_
        return functools.reduce(joined, [expression(part) for part in node[1]])
    if kind == "constant":
        return pl.lit(bool(node[1]))
    path = node[1]
    column = functools.reduce(lambda outer, name: outer.struct.field(name), path[1:], pl.col(path[0]))
    if kind == "list":
        value = pl.lit(literal(*node[3]))
        return column.list.contains(value) if node[2] is None else column.list.get(node[2], null_on_oob=True) == value
    if kind == "nan":
        return column.is_not_nan() if node[2] else column.is_nan()
    if kind == "like":
        found = column.str.starts_with(node[4]) if node[3] else column.str.contains(node[4])
        return ~found if node[2] else found
    if kind == "null":
        return column.is_not_null() if node[2] else column.is_null()
    if kind == "true":
        return column
    if kind == "false":
        return ~column
    if kind == "in":
        found = column.is_in([literal(*one) for one in node[3]])
        return ~found if node[2] else found
    return _COMPARISONS[node[2]](column, pl.lit(literal(*node[3])))


def main() -> None:
    """Reads the job, runs its queries, and writes a list of outcomes."""
    import polars as pl

    outcomes = []
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 2)
        for query in json.load(sys.stdin):
            log.seek(0)
            log.truncate()
            try:
                frame = pl.scan_parquet(query["path"], glob=False, hive_partitioning=False)
                where = expression(query["where"])
                made = frame.filter(where).select(pl.len()).collect(engine="streaming")
                outcome: dict[str, Any] = {"rows": made.item()}
            except Exception as error:
                outcome = {"error": f"{type(error).__name__}: {error}"}
            log.seek(0)
            text = log.read().decode(errors="replace")
            reads, skips = _READS.search(text), _SKIPS.search(text)
            outcome["read"] = None if reads is None else int(reads[1])
            outcome["total"] = None if reads is None else int(reads[2])
            outcome["skip"] = None if skips is None else skips[1]
            outcomes.append(outcome)
    print(json.dumps({"version": pl.__version__, "outcomes": outcomes}))


if __name__ == "__main__":
    main()
