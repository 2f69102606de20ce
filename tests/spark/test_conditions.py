"""Any condition on files that Spark wrote: no stage skips a row that matches. DuckDB says which rows match."""

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from insight.ask.any_table import tables
from insight.ask.soundness import Seen, ask

import pqexplore

from .conftest import configured

CHOICES = {
    "parquet.block.size": ["64", "1048576"],
    "parquet.page.row.count.limit": ["3", "20000"],
    "parquet.enable.dictionary": ["true", "false"],
    "parquet.bloom.filter.enabled": ["true", "false"],
    "parquet.writer.version": ["PARQUET_1_0", "PARQUET_2_0"],
    "parquet.columnindex.truncate.length": ["1", "64"],
}
"""Options of Spark's writer, which change what a query can skip."""

FEW_ROWS = {"parquet.block.size.row.check.min": "4", "parquet.page.size.row.check.min": "1"}


def written(spark, made, options, timestamps, folder):
    """The path of the file that Spark writes of a table."""
    frame = spark.createDataFrame(made.table).coalesce(1)
    with configured(spark, {"spark.sql.parquet.outputTimestampType": timestamps}):
        frame.write.options(**FEW_ROWS, **options).mode("overwrite").parquet(str(folder))
    (path,) = folder.glob("*.parquet")
    return path


@pytest.mark.parametrize("files", [30, pytest.param(150, marks=pytest.mark.full)])
def test_no_row_that_matches_is_skipped(spark, files, tmp_path, record_property):
    seen = Seen()

    @seed(20_260_301)
    @settings(max_examples=files, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.data())
    def of_one_file(data):
        made = data.draw(tables("spark"))
        options = {name: data.draw(st.sampled_from(CHOICES[name])) for name in CHOICES}
        timestamps = data.draw(st.sampled_from(["INT96", "TIMESTAMP_MICROS"]))
        path = written(spark, made, options, timestamps, tmp_path / "table")
        with pqexplore.open(path) as file:
            seen["row groups"] += len(file.row_groups)
            ask(file, made, data, seen)

    of_one_file()
    record_property("stated", f"conditions on Spark's files: {dict(sorted(seen.items()))}")
    assert seen["conditions"] >= 4 * files
    assert seen["row groups"] > files
    assert seen["skipped by bounds"] > 0 and seen["skipped by page index"] > 0
