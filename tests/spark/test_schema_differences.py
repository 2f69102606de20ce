"""What Spark makes of two files that differ in one thing: the answers of `insight/diff/engines`, seen again."""

import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.diff.engine_cases import CASES, outcome, written

from pqexplore.insight.diff.engines import ANSWERS

from .conftest import at_once


@pytest.fixture(scope="module")
def read(spark):
    """Gives the rows of some files as dicts, and the types by column."""

    def rows(paths):
        found = spark.read.parquet(*paths)
        types = {field.name: field.dataType.simpleString() for field in found.schema}
        instant = "timestamp" in types.get("a", "").replace("timestamp_ntz", "")
        made = [row.asDict(recursive=True) for row in found.collect()]
        return [{name: _aware(value) if instant else value for name, value in row.items()} for row in made], types  # fmt: skip

    return rows


def _aware(value):
    """Instants with their zone, which Spark's rows leave out."""
    if isinstance(value, dict):
        return {name: _aware(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_aware(one) for one in value]
    return value.replace(tzinfo=dt.UTC) if isinstance(value, dt.datetime) else value


ALL = [(kind, at) for kind, pairs in CASES.items() for at in range(len(pairs))]
ALONE = [(kind, at) for kind, at in ALL if at == 0]
"""The first pair of each kind: for types, those of a column that is in no list or struct."""


@pytest.mark.parametrize(
    "cases", [ALONE, pytest.param([*{*ALL} - {*ALONE}], marks=pytest.mark.full)], ids=["alone", "others"]
)
def test_spark_does_what_the_table_says(cases, read, tmp_path):
    def found(case):
        folder = tmp_path / "-".join(map(str, case))
        folder.mkdir()
        return outcome(*case, read, written(folder, *case))

    assert dict(zip(cases, at_once(found, cases), strict=True)) == {
        case: ANSWERS[case[0]]["Spark"][0] for case in cases
    }


def test_spark_takes_the_schema_of_the_first_file_by_path(spark, tmp_path):
    for name, kind in (("b=2/a.parquet", pa.int32()), ("b=10/z.parquet", pa.int64())):
        (tmp_path / name).parent.mkdir()
        pq.write_table(pa.table({"n": pa.array([1] * 100, kind)}), tmp_path / name)
    assert spark.read.parquet(str(tmp_path)).schema["n"].dataType.simpleString() == "bigint"
