"""A schema as text: Parquet's message, and the table that DuckDB really makes of the file."""

import datetime
import decimal
import json

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import open_sample, parquet
from needs import LOCAL_TIMES, require_duckdb

import pqexplore
from pqexplore.engine.format.embedded import SPARK
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import schema_text

TABLE = pa.table(
    {
        **{f"i{bits}": pa.array([1], f"int{bits}") for bits in (8, 16, 32, 64)},
        **{f"u{bits}": pa.array([1], f"uint{bits}") for bits in (8, 16, 32, 64)},
        "f": pa.array([1.0], pa.float32()),
        "d": [1.0],
        "b": [True],
        "text": ["a"],
        "bytes": [b"a"],
        "fixed": pa.array([b"abc"], pa.binary(3)),
        "day": [datetime.date(2024, 1, 1)],
        "ms": pa.array([0], pa.timestamp("ms")),
        "us": pa.array([0], pa.timestamp("us")),
        "ns": pa.array([0], pa.timestamp("ns")),
        "utc": pa.array([0], pa.timestamp("us", "UTC")),
        "time": pa.array([0], pa.time64("us")),
        "dec": [decimal.Decimal("1.25")],
        "wide": pa.array([decimal.Decimal("1.25")], pa.decimal256(50, 2)),
        'odd "name"': [{"a b": [1], 'c"': "x"}],
        "list": [[{"x": 1}]],
        "map": pa.array([[("k", [1])]], pa.map_(pa.string(), pa.list_(pa.int8()))),
    }
)


def tables_of(path, statement):
    """What DuckDB says of a file, and of the table that the statement makes."""
    require_duckdb()
    with duckdb.connect() as connection:
        query = f"DESCRIBE SELECT * FROM read_parquet('{path}')"
        found = [row[:2] for row in connection.execute(query).fetchall()]
        connection.execute(statement)
        name = connection.execute("SHOW TABLES").fetchone()[0]
        made = connection.execute(f'DESCRIBE "{name}"').fetchall()
    return found, [row[:2] for row in made]


@LOCAL_TIMES
def test_the_table_is_that_of_duckdb(tmp_path):
    path = tmp_path / "types.parquet"
    pq.write_table(TABLE, path)
    with pqexplore.open(path) as file:
        found, made = tables_of(path, "\n".join(schema_text.sql(file, "a table")))
    assert made == found


@pytest.mark.parametrize("name", ["events", "nested", "variant", "page-index"])
def test_the_table_of_a_sample_is_that_of_duckdb(name, tmp_path):
    write_sample(name, path := tmp_path / "sample.parquet")
    with pqexplore.open(path) as file:
        found, made = tables_of(path, "\n".join(schema_text.sql(file, "odd name")))
    assert made == found


def test_arrow_is_described_or_derived():
    with pqexplore.open(parquet(pa.table({"a": pa.array(["x"]).dictionary_encode()}))) as file:
        source, schema = schema_text.arrow(file)
    assert source == "as ARROW:schema says" and pa.types.is_dictionary(schema.field("a").type)
    with open_sample("page-index") as file:
        source, schema = schema_text.arrow(file)
        assert source == "by the stored types; the file has no ARROW:schema"
        assert schema == file.read().schema


def test_spark_as_it_wrote_the_schema():
    fields = [{"name": "a", "type": {"type": "array", "elementType": "string"}, "nullable": True}]
    row = json.dumps({"type": "struct", "fields": fields})
    table = pa.table({"a": [["x"]]}).replace_schema_metadata({SPARK: row})
    with pqexplore.open(parquet(table)) as file:
        assert schema_text.spark(file) == ("as Spark wrote it", [("a", "array<string>")])
