"""Pairs of files that differ in one thing, by kind of difference, and what an engine made of them."""

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.insight.diff.engines import Outcome


def column(kind, *values, nullable=True):
    field = pa.field("a", kind, nullable)
    return pa.table([pa.array(values, kind)], schema=pa.schema([field]))


def struct(**fields):
    return pa.table({"a": pa.array([fields])})


A, MOMENT, DAY = pa.table({"a": [1, 2]}), dt.datetime(2024, 1, 1, 5), dt.date(2024, 1, 2)
US, MS, LOCAL = pa.timestamp("us", "UTC"), pa.timestamp("ms", "UTC"), pa.timestamp("us")
NS, LOCAL_MS, LOCAL_NS = pa.timestamp("ns", "UTC"), pa.timestamp("ms"), pa.timestamp("ns")
I32, I64, F32, F64, TEXT = pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.string()


def dec(digits, scale, text):
    return pa.decimal128(digits, scale), Decimal(text)


TYPES = {
    "integer-wider": [((I32, 1), (I64, 2**40))],
    "integer-narrower": [((I64, 2**40), (I32, 1))],
    "float-wider": [((F32, 1), (F64, 0.1))],
    "float-narrower": [((F64, 0.1), (F32, 1))],
    "integer-to-float": [((I32, 1), (F64, 0.25)), ((I32, 1), (F32, 0.25)), ((I64, 1), (F64, 0.25))],
    "float-to-integer": [((F64, 0.25), (I32, 1))],
    "float-to-longer-integer": [((F64, 0.25), (I64, 2**53 + 1)), ((F32, 0.25), (I32, 2**24 + 1))],
    "integer-to-decimal": [((I32, 1), dec(12, 2, "1.25")), ((I64, 1), dec(12, 2, "1.25"))],
    "decimal-to-integer": [(dec(12, 2, "1.25"), (I32, 1)), (dec(22, 2, "1.25"), (I64, 1))],
    "decimal-to-longer-integer": [(dec(12, 2, "1.25"), (I64, 10**15)), (dec(9, 2, "1.25"), (I32, 10**9))],
    "decimal-wider": [(dec(9, 2, "1.20"), dec(18, 2, "12345678901.30"))],
    "decimal-narrower": [(dec(18, 2, "1.20"), dec(9, 2, "1.30"))],
    "decimal-scale-wider": [(dec(9, 2, "1.20"), dec(12, 4, "1.2345"))],
    "decimal-scale-narrower": [(dec(12, 4, "1.2345"), dec(9, 2, "1.30"))],
    "date-to-timestamp": [((pa.date32(), DAY), (LOCAL, MOMENT))],
    "timestamp-to-date": [((LOCAL, MOMENT), (pa.date32(), DAY))],
    "text-to-binary": [((TEXT, "x"), (pa.binary(), b"\xff"))],
    "binary-to-text": [((pa.binary(), b"x"), (TEXT, "y"))],
    "unit-finer": [((MS, 1), (US, 1001)), ((LOCAL_MS, 1), (LOCAL, 1001))],
    "unit-coarser": [((US, 1001), (MS, 1)), ((LOCAL, 1001), (LOCAL_MS, 1))],
    "unit-to-ns": [((US, 1), (NS, 1001)), ((LOCAL_MS, 1), (LOCAL_NS, 1001))],
    "unit-from-ns": [((NS, 1001), (US, 1)), ((LOCAL_NS, 1001), (LOCAL_MS, 1))],
    "zone": [((US, MOMENT), (LOCAL, MOMENT)), ((LOCAL, MOMENT), (US, MOMENT))],
    "text-to-number": [((TEXT, "1"), (I64, 2)), ((TEXT, "1"), (F64, 2.5))],
    "number-to-text": [((I64, 2), (TEXT, "x")), ((F64, 2.5), (TEXT, "x"))],
    "boolean-to-integer": [((pa.bool_(), True), (I32, 7))],
    "integer-to-boolean": [((I32, 7), (pa.bool_(), True))],
}  # fmt: skip
"""By kind: the type and a value of the column in the first file, and in the second, which the answer is about."""


def _forms(one):
    kind, value = one
    yield column(kind, value)
    yield column(pa.list_(kind), [value])
    yield column(pa.struct([pa.field("x", kind)]), {"x": value})


CASES = {kind: [pair for one, two in some for pair in zip(_forms(one), _forms(two), strict=True)] for kind, some in TYPES.items()} | {
    "column-removed": [(pa.table({"a": [1, 2], "b": [3, 4]}), A)],
    "column-added": [(A, pa.table({"a": [1, 2], "b": [3, 4]}))],
    "struct-field-removed": [(struct(x=1, y=2), struct(x=3)), (pa.table({"a": [[{"x": 1, "y": 2}]]}), pa.table({"a": [[{"x": 1}]]}))],
    "struct-field-added": [(struct(x=1), struct(x=3, y=2)), (pa.table({"a": [[{"x": 1}]]}), pa.table({"a": [[{"x": 1, "y": 2}]]}))],
    "shape": [(A, pa.table({"a": [[1]]})), (pa.table({"a": [[1]]}), A), (A, struct(x=1)), (struct(x=1), A), (struct(x=1), pa.table({"a": [[1]]}))],
    "name-case": [(A, pa.table({"A": [3, 4]})), (struct(x=1), struct(X=3))],
    "column-order": [
        (pa.table({"a": [1], "b": ["x"]}), pa.table({"b": ["y"], "a": [2]})),
        (struct(x=1, y="t"), pa.table({"a": pa.array([{"y": "u", "x": 3}], pa.struct([("y", TEXT), ("x", I64)]))})),
    ],
    "nullability": [(column(I64, 1, nullable=False), column(I64, None))],
    "nullability-required": [(column(I64, None), column(I64, 1, nullable=False))],
}  # fmt: skip
"""By kind: pairs of the first file and the second. A type is tried alone, in a list and in a struct."""

VARIED = [
    pytest.param(kind, at, marks=[pytest.mark.full] if kind in TYPES and at % 3 else [])
    for kind, pairs in CASES.items()
    for at in range(len(pairs))
]
"""(kind, number of the pair); lists and structs of types are tried by `make test-full`."""


SHORT = pa.decimal128(9, 2)

VALUES = {
    # the type of the first file, that of the second, the second's values, whether the first type holds them: by the bounds
    "INT64 that INT32 holds": (I32, I64, [1, 7], "fit"),
    "INT64 beyond INT32": (I32, I64, [1, 2**31], "not"),
    "DOUBLE that FLOAT holds": (F32, F64, [0.5, 0.5], "fit"),
    "DOUBLE that FLOAT rounds": (F32, F64, [0.1, 0.5], "not"),
    "DOUBLE that FLOAT may round": (F32, F64, [0.5, 0.75], "open"),
    "whole DOUBLE": (I64, F64, [7.0, 7.0], "fit"),
    "DOUBLE with a fraction": (I64, F64, [0.5, 7.0], "not"),
    "DOUBLE between whole bounds": (I64, F64, [1.0, 2.0], "open"),
    "short INT64 in DOUBLE": (F64, I64, [-(2**53), 2**53], "fit"),
    "long INT64 in DOUBLE": (F64, I64, [1, 2**53 + 1], "not"),
    "INT64 of unknown digits in DOUBLE": (F64, I64, [1, 2**60], "open"),
    "whole decimal": (I64, SHORT, [Decimal("7.00")] * 2, "fit"),
    "decimal with a fraction": (I64, SHORT, [Decimal("7.00"), Decimal("7.25")], "not"),
    "long decimal of few digits": (SHORT, pa.decimal128(18, 2), [Decimal("1.25"), Decimal("-9999999.99")], "fit"),
    "long decimal of many digits": (SHORT, pa.decimal128(18, 2), [Decimal("1.25"), Decimal("10000000.00")], "not"),
    "decimal with zeros at the end": (SHORT, pa.decimal128(12, 4), [Decimal("1.2500")] * 2, "fit"),
    "decimal with more after the point": (SHORT, pa.decimal128(12, 4), [Decimal("1.2500"), Decimal("1.2501")], "not"),
    "INT64 in a decimal": (dec(12, 2, "1.25")[0], I64, [1, 10**9], "fit"),
    "INT64 with more digits than a decimal": (dec(12, 2, "1.25")[0], I64, [1, 10**10], "not"),
    "whole milliseconds": (MS, US, [1000, 1000], "fit"),
    "microseconds": (MS, US, [1000, 1001], "not"),
    "nanoseconds that are microseconds": (US, NS, [1000, 1000], "fit"),
    "nanoseconds": (US, NS, [1000, 1001], "not"),
    "text that is a number": (I64, TEXT, ["7", "7"], "fit"),
    "text that may be numbers": (I64, TEXT, ["1", "7"], "open"),
    "text that is no number": (I64, TEXT, ["7", "x"], "not"),
    "text that begins as a number": (F64, TEXT, ["1.5", "2024-01-01"], "not"),
    "empty text": (I64, TEXT, ["", "7"], "not"),
}
"""Pairs of types whose values decide what pyarrow and DuckDB do."""


def of_values(name):
    """The two tables of a line of `VALUES`."""
    first, second, values, _ = VALUES[name]
    one = {SHORT: Decimal("1.25")}.get(first, 1)
    return column(first, dt.datetime(2024, 1, 1) if pa.types.is_timestamp(first) else one), column(second, *values)


def stored(folder, tables):
    """The paths of two files with these tables."""
    paths = [str(folder / name) for name in ("1.parquet", "2.parquet")]
    for path, table in zip(paths, tables, strict=True):
        pq.write_table(table, path)
    return paths


def written(folder, kind, at):
    """The paths of the two files."""
    return stored(folder, CASES[kind][at])


def outcome(kind, at, read, paths):
    """What an engine does with the second file, of a kind of difference."""
    return seen(read, paths, kind in TYPES)


def seen(read, paths, of_type=True):
    """What an engine does with the second file. `read` gives the rows of some paths as dicts, and the types by column.

    The files may come in any order. `of_type`: they differ in the type of the column `a`.
    """
    try:
        rows, types = read(paths)
        alone, own = read(paths[1:])
    except Exception:  # each engine raises its own
        return Outcome.FAILS
    left = [_same(row, types) for row in rows]
    for row in read(paths[:1])[0]:
        left.remove(_same(row, types))
    if left != [_same(row, types) for row in alone] or _lost(alone, types):
        return Outcome.LOSES
    if not of_type or types["a"] == own["a"]:
        return Outcome.HARMLESS
    return Outcome.WIDENS


def _lost(rows, types):
    names = {name.lower() for name in types}
    return any(name.lower() not in names for row in rows for name in row)


def _same(row, types):
    """A row in one form: names in lower case, missing columns and fields as nulls left out, numbers as text."""
    return {name.lower(): plain(value) for name, value in row.items() if value is not None}


def plain(value):
    """Values that are equal in other types: 2, 2.0, Decimal("2.00") and "2"; a date and its midnight; text and its bytes."""
    if isinstance(value, dict):
        return {name.lower(): plain(one) for name, one in value.items() if one is not None}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, bytes):
        return value.decode() if value.isascii() else value
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return dt.datetime(value.year, value.month, value.day)
    if isinstance(value, str):
        try:
            return Decimal(value)
        except ArithmeticError:
            return value
    return Decimal(str(float(value))) if isinstance(value, float) else Decimal(value) if isinstance(value, int) else value  # fmt: skip
