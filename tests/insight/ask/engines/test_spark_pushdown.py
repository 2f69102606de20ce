"""Which conditions the profile of Spark passes on to the stages. `tests/spark/test_ask_spark_profile.py` asks Spark itself."""

import decimal
from pathlib import Path

import pyarrow as pa
import pytest
from table_files import table_rows

import pqexplore
from pqexplore.insight.ask import bound as bounds
from pqexplore.insight.ask import engines, sql
from pqexplore.insight.ask.binding import bind
from pqexplore.insight.ask.engines.spark_pushdown import pushed

TABLES = Path(__file__).parents[1] / "tables" / "spark_pushdown.txt"


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    table = pa.table(
        {
            "i": pa.array([1], pa.int32()),
            "l": pa.array([1], pa.int64()),
            "u": pa.array([1], pa.uint16()),
            "f": pa.array([1], pa.float32()),
            "d": pa.array([1.0]),
            "b": [True],
            "s": ["a"],
            "ms": pa.array([1], pa.timestamp("ms", "UTC")),
            "ntz": pa.array([1], pa.timestamp("us")),
            "dec": pa.array([decimal.Decimal(1)], pa.decimal128(9, 2)),
            "st": [{"x": 1}],
            "li": [[1]],
            "A": [1],
            "a": [1],
        }
    )
    path = tmp_path_factory.mktemp("schema") / "all.parquet"
    pqexplore.write(table, path)
    with pqexplore.open(path) as file:
        yield file.schema


def operators(where, schema):
    """The operators of the predicates that Spark pushes; `-` stands for a condition that it does not push."""
    used = engines.engine("spark").usable(bind(sql.parse(where, "UTC"), schema), schema)
    found = []
    for one in bounds.single(used):
        if isinstance(one, bounds.Undecided):
            found.append("-")
        elif isinstance(one, bounds.Test):
            made = pushed(one)
            assert not isinstance(made, str)
            found += [each.operator for each in made]
    return found


@pytest.mark.parametrize(("where", "expected"), table_rows(TABLES, "operators"))
def test_operators_that_reach_parquet_java(schema, where, expected):
    assert ", ".join(operators(where, schema)) == (expected or "-")


@pytest.mark.parametrize(
    ("where", "key"),
    [("ms < TIMESTAMP '1970-01-01 00:00:00.0025Z'", 2), ("ms < TIMESTAMP '1969-12-31 23:59:59.9985Z'", -2)],
)
def test_literals_are_cut_to_milliseconds(schema, where, key):
    bound = bind(sql.parse(where, "UTC"), schema)
    (made,) = pushed(bound)
    assert made.operator == "<"
    assert made.keys == ((key + (1 << 63)).to_bytes(8, "big"),)


def test_every_statement_has_a_source():
    spark = engines.engine("spark")
    assert len({one.text for one in spark.statements}) == len(spark.statements)
    assert all(one.source.startswith("https://") for one in spark.statements)
