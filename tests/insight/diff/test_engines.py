"""What engines make of two files as one table: the answers of the table, seen again with those that are installed."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.diff.engine_cases import CASES, VARIED, outcome, written
from needs import needs, needs_pyarrow

from pqexplore.engine.file.file import open as open_file
from pqexplore.insight.diff.engines import ANSWERS
from pqexplore.insight.diff.matching import matching
from pqexplore.insight.diff.schema_differences import differences


def pyarrow(paths):
    table = pq.read_table(paths)
    return table.to_pylist(), {field.name: field.type for field in table.schema}


def duckdb(paths):
    import duckdb

    with duckdb.connect() as connection:
        asked = connection.sql("SELECT * FROM read_parquet(?)", params=[paths])
        types = dict(zip(asked.columns, asked.types, strict=True))
        return asked.to_arrow_table().to_pylist(), types


def polars(paths):
    import polars

    table = polars.scan_parquet(paths).collect()
    return table.to_dicts(), dict(zip(table.columns, table.dtypes, strict=True))


VERSIONS = {"pyarrow": "26", "DuckDB": "2.0", "polars": "2.1"}
READERS = {"pyarrow": pyarrow, "DuckDB": duckdb, "polars": polars}


def test_every_answer_has_a_case():
    assert set(CASES) == set(ANSWERS)


@pytest.mark.parametrize(
    "engine", [pytest.param(one, marks=needs(one.lower(), VERSIONS[one], "the version seen")) for one in READERS]
)
@pytest.mark.parametrize("kind, at", VARIED)
def test_engines_do_what_the_table_says(kind, at, engine, tmp_path):
    paths = written(tmp_path, kind, at)
    assert outcome(kind, at, READERS[engine], paths) is ANSWERS[kind][engine][0]


@pytest.mark.parametrize("kind, at", VARIED)
def test_a_difference_is_of_the_kind_that_was_seen(kind, at, tmp_path):
    first, second = map(open_file, written(tmp_path, kind, at))
    with first, second:
        found = differences(matching(first.schema.leaves, second.schema.leaves), "A", "B")
        assert {one.kind for one in found} == {kind}


UNSEEN = [
    (pa.int8(), pa.int32()),
    (pa.uint32(), pa.uint64()),
    pytest.param(pa.float16(), pa.float32(), marks=needs_pyarrow(15, "it writes no FLOAT16")),
    (pa.date32(), pa.timestamp("us", "UTC")),
    (pa.decimal128(12, 4), pa.decimal128(12, 2)),
    (pa.time32("ms"), pa.time64("us")),
]


@pytest.mark.parametrize("first, second", UNSEEN)
def test_of_a_kind_that_no_engine_was_tried_with_nothing_is_said(first, second, tmp_path):
    paths = [tmp_path / "1", tmp_path / "2"]
    for path, kind in zip(paths, (first, second), strict=True):
        pq.write_table(pa.table({"a": pa.array([None], kind)}), path)
    one, two = map(open_file, paths)
    with one, two:
        (found,) = differences(matching(one.schema.leaves, two.schema.leaves), "A", "B")
        assert (found.kind, dict(found.engines)) == ("", {})
