"""What Spark makes of two files that differ in one thing: the answers of `insight/diff/engines`, seen again."""

import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.diff.engine_cases import CASES, outcome, written

from pqexplore.insight.diff.engines import ANSWERS


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


@pytest.mark.parametrize(
    "kind, at",
    [
        pytest.param(kind, at, marks=[pytest.mark.full] if at else [])
        for kind, pairs in CASES.items()
        for at in range(len(pairs))
    ],
)
def test_spark_does_what_the_table_says(kind, at, read, tmp_path):
    paths = written(tmp_path, kind, at)
    assert outcome(kind, at, read, paths) is ANSWERS[kind]["Spark"][0]


def test_spark_takes_the_schema_of_the_first_file_by_path(spark, tmp_path):
    for name, kind in (("b=2/a.parquet", pa.int32()), ("b=10/z.parquet", pa.int64())):
        (tmp_path / name).parent.mkdir()
        pq.write_table(pa.table({"n": pa.array([1] * 100, kind)}), tmp_path / name)
    assert spark.read.parquet(str(tmp_path)).schema["n"].dataType.simpleString() == "bigint"
