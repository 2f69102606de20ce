"""What Spark makes of two files that differ in one thing: the answers of `insight/diff/engines`, seen again."""

import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.diff.engine_cases import CASES, VALUES, of_values, outcome, seen, stored, written
from lake.logs import typed_tables

from pqexplore.engine.file.file import open as open_file
from pqexplore.insight.diff.engines import ANSWERS
from pqexplore.insight.diff.matching import matching
from pqexplore.insight.diff.schema_differences import differences

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


@pytest.mark.parametrize("name", typed_tables.DELTA)
def test_spark_refuses_files_whose_types_the_log_does_not_allow(spark, tmp_path, name):
    """Spark reads a Delta table's files with the schema of the log."""
    typed_tables.delta(tmp_path / "t", name)
    log, _, _, refused = typed_tables.DELTA[name]
    frame = spark.read.schema(f"a {'int' if log == 'integer' else log}").parquet(str(tmp_path / "t" / "f.parquet"))
    if refused:
        with pytest.raises(Exception, match="(?i)mismatch|convert|type"):
            frame.collect()
    else:
        assert len(frame.collect()) == 1


@pytest.mark.parametrize("name", VALUES)
def test_spark_goes_by_types_and_not_by_values(read, tmp_path, name):
    first, second = of_values(name)
    paths = stored(tmp_path, (first, second))
    with open_file(paths[0]) as one, open_file(paths[1]) as two:
        [found] = differences(matching(one.schema.leaves, two.schema.leaves), "A", "B")
    assert seen(read, paths) is ANSWERS[found.kind]["Spark"][0]
