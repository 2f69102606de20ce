"""Tables of any types, nesting and options, written by us and read by Spark, all in one session."""

import pyarrow as pa
import pytest
from engine.writer.strategies import CODECS, PRIMITIVES, known_to_others, options_for, shown, tables
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import pqexplore
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import WriteOptions

from .conftest import at_once

FILES = 60
STRANGE = {
    "float16": pa.float16(),
    "times of milliseconds": pa.time32("ms"),
    "times of microseconds": pa.time64("us"),
    "timestamps of nanoseconds": pa.timestamp("ns"),
    "decimals of more than 38 digits": pa.decimal256(60, 5),
}
"""What Spark 4.3 has no type for."""

KNOWN = tuple(kind for kind in PRIMITIVES if kind not in STRANGE.values())
SPARK_CODECS = tuple(codec for codec in CODECS if codec != "BROTLI")
"""Spark brings no library for Brotli."""


def random_tables(count):
    """The same tables and options in every run."""
    made = []

    @seed(20_260_101)
    @settings(max_examples=count, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.data())
    def draw(data):
        table = data.draw(tables(KNOWN, unique_keys=True))  # Spark's maps have each key once
        made.append((table, data.draw(options_for(table, known_to_others, codecs=SPARK_CODECS))))

    draw()
    return made


def test_spark_reads_what_was_written(spark, tmp_path):
    made = random_tables(FILES)
    assert len(made) >= FILES
    assert len({str(table.schema) for table, _ in made}) > FILES / 2
    paths = [str(tmp_path / f"{number}.parquet") for number in range(len(made))]
    for path, (table, options) in zip(paths, made, strict=True):
        write(table, path, options)
    for (table, options), read in zip(
        made, at_once(lambda path: spark.read.parquet(path).toArrow(), paths), strict=True
    ):
        assert shown(read) == shown(table), (table.schema, options)


@pytest.mark.parametrize("what", STRANGE)
def test_types_that_spark_does_not_have(spark, tmp_path, what):
    table = pa.table({"c": pa.nulls(2, STRANGE[what])})
    path = tmp_path / "table.parquet"
    write(table, path, WriteOptions())
    assert shown(pqexplore.open(path).read()) == shown(table)
    with pytest.raises(Exception, match="Illegal Parquet type|DECIMAL_PRECISION_EXCEEDS"):
        spark.read.parquet(str(path)).toArrow()
