"""The best options as code: the scripts run, and write what is predicted."""

import decimal
import re

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.what_if.what_if_cases import NESTED, NULLS, NUMBERS, TEXT, TIMES
from made import ours
from needs import ANY_BYTE_STREAM_SPLIT, needs_option

import pqexplore

ROWS = 20_000
_RANDOM = np.random.default_rng(11)

LARGE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "city": [("Paris", "Rome", "Oslo")[i] for i in _RANDOM.integers(0, 3, ROWS)],
        "noise": _RANDOM.normal(size=ROWS),
        "flag": _RANDOM.integers(0, 2, ROWS).astype(bool),
        "price": _RANDOM.integers(0, 5_000, ROWS) / 100,
    }
)

TABLES = {"large": LARGE, "numbers": NUMBERS, "text": TEXT, "nulls": NULLS, "times": TIMES, "nested": NESTED}


def chunks(path):
    metadata = pq.ParquetFile(path).metadata
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    return [group.column(i) for group in groups for i in range(group.num_columns)]


@pytest.fixture
def trial(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(TABLES[request.param], "source.parquet", row_group_size=8_000)
    return pqexplore.what_if("source.parquet")


@ANY_BYTE_STREAM_SPLIT
@pytest.mark.parametrize("trial", TABLES, indirect=True)
def test_the_code_for_pyarrow_writes_what_is_predicted(trial):
    script = trial.code["pyarrow"]
    exec(script.code, {})
    size = sum(chunk.total_compressed_size for chunk in chunks("fixed.parquet"))
    # Page headers of a few bytes more or less weigh in a column of some hundred bytes.
    assert size == pytest.approx(script.bytes, rel=0.1, abs=1_000)
    best = {one.path: one.best for one in trial.columns}
    for chunk in chunks("fixed.parquet"):
        expected = best[chunk.path_in_schema]
        assert expected.encoding_name in chunk.encodings
        assert chunk.compression == {"LZ4_RAW": "LZ4"}.get(expected.codec_name, expected.codec_name)
    assert pq.read_table("fixed.parquet").equals(pq.read_table("source.parquet"))
    assert script.left_out == ()


PRICES = pa.array([decimal.Decimal(i * 7919 % 9_000) / 100 for i in range(3_000)])
TOTALS = pa.array([decimal.Decimal(i) for i in range(3_000)], pa.decimal128(30, 0))


@needs_option("store_decimal_as_integer")
@pytest.mark.parametrize("types, stored", [
    ({"price": "INT32"}, {"price": "INT32", "total": "FIXED_LEN_BYTE_ARRAY"}),
    ({"price": "FIXED_LEN_BYTE_ARRAY"}, {"price": "FIXED_LEN_BYTE_ARRAY", "total": "FIXED_LEN_BYTE_ARRAY"}),
    ({"price": "INT32", "cost": "INT64"}, {"price": "INT32", "cost": "INT32", "total": "FIXED_LEN_BYTE_ARRAY"}),
    ({"price": "INT32", "cost": "FIXED_LEN_BYTE_ARRAY"}, {"price": "INT32", "cost": "INT32", "total": "FIXED_LEN_BYTE_ARRAY"}),
])  # fmt: skip
def test_the_code_for_pyarrow_stores_decimals_as_integers_if_the_file_does(types, stored, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pa.table(dict.fromkeys(types, PRICES) | {"total": TOTALS})
    columns = {name: {"physical_type": physical} for name, physical in types.items()}
    pqexplore.write(table, "source.parquet", pqexplore.WriteOptions(columns=columns))
    script = pqexplore.what_if("source.parquet").code["pyarrow"]
    exec(script.code, {})
    assert {chunk.path_in_schema: chunk.physical_type for chunk in chunks("fixed.parquet")} == stored
    assert pq.read_table("fixed.parquet").equals(table)
    for name, physical in types.items():
        said = [one for one in script.left_out if name in one and "pyarrow stores it as" in one]
        assert len(said) == (physical != stored[name])


@pytest.mark.parametrize("trial", ["large"], indirect=True)
def test_the_code_for_duckdb_writes_what_is_predicted(trial):
    script = trial.code["DuckDB"]
    duckdb.sql(script.code)
    written = chunks("fixed.parquet")
    assert {chunk.compression for chunk in written} == {"ZSTD"}
    size = sum(chunk.total_compressed_size for chunk in written)
    assert size == pytest.approx(script.bytes, rel=0.1)
    [encoding] = [one for one in script.left_out if "encoding" in one]
    assert encoding.startswith("The encoding of `id` (DELTA_BINARY_PACKED)")


@pytest.mark.parametrize("trial", ["large", "nulls", "text"], indirect=True)
def test_the_code_for_polars_runs(trial):
    exec(trial.code["polars"].code, {})
    codec = re.search(r"compression='(\w+)'", trial.code["polars"].code)[1]
    assert {chunk.compression.lower() for chunk in chunks("fixed.parquet")} == {codec}


@pytest.mark.parametrize("trial", ["large"], indirect=True)
def test_the_code_for_spark(trial):
    script = trial.code["Spark"]
    assert script.code == (
        "frame = spark.read.parquet('source.parquet')\n"
        "frame.write.option('compression', 'zstd').option('parquet.compression.codec.zstd.level', 9)"
        ".parquet('fixed')"
    )
    assert "Row groups of 8,000 rows: Spark ends a row group by its bytes." in script.left_out


def test_a_list_under_other_names_is_left_out():
    script = pqexplore.what_if(ours(NESTED, list_shape="bag")).code["pyarrow"]
    [left] = script.left_out
    assert left.startswith("The choices of `tags.") and "other names" in left
    assert "'s.x'" in script.code and "tags" not in script.code


@ANY_BYTE_STREAM_SPLIT
def test_a_name_that_is_code_stays_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "it's \"); raise SystemExit #\n"
    pq.write_table(pa.table({name: [1, 2, 3]}), "source.parquet")
    exec(pqexplore.what_if("source.parquet").code["pyarrow"].code, {})
    assert pq.read_table("fixed.parquet").column_names == [name]
