"""Columns that another type holds without loss: what is offered is written and takes the bytes that were said."""

import decimal
import uuid

import numpy as np
import pyarrow as pa
import pytest
from made import ours, parquet

import pqexplore
from pqexplore.insight.steps import finish
from pqexplore.insight.what_if.retyping import retyping
from pqexplore.insight.what_if.saving import Kind

ROWS = 1_200
_RANDOM = np.random.default_rng(3)
DAYS = _RANDOM.integers(0, 30_000, ROWS).astype("M8[D]")
STAMPS = _RANDOM.integers(0, 10**15, ROWS).astype("M8[us]")
IDS = [str(uuid.UUID(bytes=_RANDOM.bytes(16))) for _ in range(ROWS)]
NUMBERS = _RANDOM.integers(-(10**9), 10**9, ROWS)
TENTHS = _RANDOM.integers(0, 10**6, ROWS).astype(float) / 10
DECIMALS = pa.array([decimal.Decimal(int(one)) / 100 for one in NUMBERS % 10**7], pa.decimal128(9, 2))  # fmt: skip


def with_last(values, last):
    return [*map(str, values[:-1]), last]


def nulls(values):
    return [None if at % 5 == 0 else one for at, one in enumerate(values)]


# The column, the options of pyarrow, the types that are offered, and the words about its values.
OFFERED = {
    "dates": (DAYS.astype(str), {}, {"date32"}, "are dates as text (year-month-day)"),
    "dates and nulls": (nulls(DAYS.astype(str)), {}, {"date32"}, "are dates as text"),
    "timestamps": (STAMPS.astype(str), {}, {"timestamp[us]"}, "are timestamps as text, all in one form"),
    "timestamps in seconds": ([str(one)[:19] for one in STAMPS], {}, {"timestamp[us]"}, "readers then get TIMESTAMP(µs, local)"),
    "timestamps in Z": ([f"{one}Z" for one in STAMPS], {}, {"timestamp[us, tz=UTC]"}, "TIMESTAMP(µs, UTC)"),
    "timestamps at +00:00": ([f"{one}+00:00" for one in STAMPS], {}, {"timestamp[us, tz=UTC]"}, "TIMESTAMP(µs, UTC)"),
    "nanoseconds": ([f"{one}001" for one in STAMPS], {}, {"timestamp[ns]"}, "TIMESTAMP(ns, local)"),
    "UUIDs": (IDS, {}, {"uuid"}, "are UUIDs as text"),
    "numbers": (NUMBERS.astype(str), {}, {"int32"}, "are whole numbers as text"),
    "large numbers, one of them late": (with_last(NUMBERS, str(1 << 40)), {}, {"int64"}, "instead of STRING"),
    "DOUBLE of whole numbers": (NUMBERS.astype(float), {}, {"int32"}, "are whole numbers."),
    "DOUBLE that is FLOAT": (TENTHS.astype(np.float32).astype(float), {}, {"float32"}, "bit for bit, also zeros and NaNs"),
    "INT96": (pa.array(STAMPS), {"use_deprecated_int96_timestamps": True}, {"timestamp[us]"}, "are whole microseconds"),
}  # fmt: skip

NOT_OFFERED = {
    "a bad date": with_last(DAYS, "2024-1-1"),
    "no such day": with_last(DAYS, "2023-02-29"),
    "a space at the end": with_last(DAYS, "2024-01-01 "),
    "an empty text": with_last(DAYS, ""),
    "Z and +00:00": [f"{one}{'Z' if at % 2 else '+00:00'}" for at, one in enumerate(STAMPS)],
    "one zone elsewhere": [f"{one}+02:00" for one in STAMPS],
    "one UUID in capitals": with_last(IDS, IDS[0].upper()),
    "numbers with zeros": [f"{abs(one):012d}" for one in NUMBERS],
    "one INT64 that is large": [*map(int, NUMBERS[:-1]), 1 << 40],
    "one value that is no FLOAT": [*map(float, TENTHS.astype(np.float32)[:-1]), 0.1],
    "few rows": DAYS[:999].astype(str),
    "words": [f"customer {one}" for one in NUMBERS],
    "only nulls": pa.nulls(ROWS, pa.string()),
    "INT64 in a dictionary": [0, 1] * (ROWS // 2),
    "DECIMAL that is small already": DECIMALS.cast(pa.decimal128(38, 2)),
}


def written(column, **options):
    column = column if isinstance(column, pa.Array) else pa.array(column)
    return parquet(pa.table({"a": column}), row_group_size=700, **options)


def savings(data, **budget):
    trial = pqexplore.what_if(data, budget=pqexplore.Budget(**budget))
    return trial, [one for one in trial.savings if one.kind is Kind.TYPE]


@pytest.mark.parametrize("name", OFFERED)
def test_a_type_is_offered_with_the_bytes_that_it_takes(name, tmp_path):
    column, options, types, words = OFFERED[name]
    data = written(column, **options)
    trial, found = savings(data)
    assert {target for one in found for _, target in one.types} == types
    [one] = found
    assert one.sentence.startswith("All values of `a` ") and words in one.sentence
    assert not one.sampled and one.error is None
    assert one.bytes < trial.columns[0].sizes[trial.columns[0].best].bytes.total == one.without
    with pqexplore.open(data) as file:
        plan = pqexplore.rewrite(file, tmp_path / "new.parquet", one.options, types=dict(one.types))
    assert plan.columns[0].compressed == one.bytes
    assert trial.predict(one.options, types=dict(one.types)).size == plan.size


@pytest.mark.parametrize("name", NOT_OFFERED)
def test_near_misses_are_not_offered(name):
    assert savings(written(NOT_OFFERED[name]))[1] == []


def test_a_decimal_in_more_bytes_than_it_needs():
    options = {"physical_type": "BYTE_ARRAY"}
    [one] = savings(ours(pa.table({"a": DECIMALS}), columns={"a": options}))[1]
    assert one.types == (("a", "int32"),)
    assert one.choice == "INT32 instead of BYTE_ARRAY"
    assert "fit INT32" in one.sentence and "It stays DECIMAL(9, 2)" in one.sentence


def test_of_spark_an_int96_is_an_instant():
    data = written(pa.array(STAMPS), use_deprecated_int96_timestamps=True)
    with pqexplore.open(data) as file:
        file.metadata.created_by = "parquet-mr version 1.15.2 (build 0)"
        [one] = [one for one in pqexplore.what_if(file).savings if one.kind is Kind.TYPE]
    assert one.types == (("a", "timestamp[us, tz=UTC]"),)


def test_what_was_not_looked_at_is_said():
    data = written(DAYS.astype(str))
    trial = pqexplore.what_if(data)
    with pqexplore.open(data) as file:
        room = max(len(group.columns[0].span) for group in file.row_groups)
        [one] = finish(retyping(file, trial.columns, pqexplore.Budget(bytes=room).start()))
    assert one.sampled
    assert one.sentence.startswith("In the 700 of 1,200 rows that were looked at, all values of `a` ")
    assert one.sentence.endswith("`rewrite` refuses the change if one of them would be lost.")
