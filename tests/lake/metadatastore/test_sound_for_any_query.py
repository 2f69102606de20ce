"""Any condition on any small dataset: mode sound never skips an object that has a matching row (DuckDB is asked)."""

import datetime
import math
from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lake.metadatastore.datasets import dataset

from pqexplore.lake import metadatastore
from pqexplore.lake.metadatastore import BloomFilter, MinMax, ValueList

numbers = st.integers(-3, 6)
doubles = st.sampled_from([-1.5, -0.0, 0.0, 0.1, 2.0, 3.25, math.nan, math.inf])
texts = st.sampled_from(["", "a", "ab", "b", "ä", "Z", "5", "z\U0001f600", "\uffff"])
days = st.dates(datetime.date(2020, 1, 1), datetime.date(2020, 1, 6))
decimals = st.integers(-200, 200).map(lambda n: Decimal(n) / 100)
moments = st.integers(0, 5).map(lambda n: datetime.datetime(2021, 1, 1, n, tzinfo=datetime.UTC))

COLUMNS = {
    "i": (pa.int32(), numbers),
    "d": (pa.float64(), doubles),
    "f": (pa.float32(), doubles),
    "s": (pa.string(), texts),
    "flag": (pa.bool_(), st.booleans()),
    "day": (pa.date32(), days),
    "amount": (pa.decimal128(6, 2), decimals),
    "ts": (pa.timestamp("us", "UTC"), moments),
}
INDEXES = [
    *(make(name) for name in (*COLUMNS, "nest.x") for make in (MinMax, ValueList)),
    *(BloomFilter(name, ndv=20) for name in ("i", "s", "nest.x")),
]


@st.composite
def tables(draw):
    """A few rows with NULLs anywhere, and columns of nothing but NULLs."""
    rows = draw(st.integers(0, 4))
    columns = {}
    for name, (kind, values) in COLUMNS.items():
        some = st.none() if draw(st.integers(0, 5)) == 0 else st.none() | values
        columns[name] = pa.array(draw(st.lists(some, min_size=rows, max_size=rows)), kind)
    inner = st.none() | st.fixed_dictionaries({"x": st.none() | numbers})
    nested = draw(st.lists(inner, min_size=rows, max_size=rows))
    columns["nest"] = pa.array(nested, pa.struct([("x", pa.int64())]))
    return pa.table(columns)


def quoted(text):
    return "'" + text + "'"


LITERALS = {
    "i": numbers.map(str) | st.sampled_from(["2.0", "2.5", "-1.0", "3e0", "3000000000"]),
    "nest.x": numbers.map(str) | st.sampled_from(["2.0", "0.5"]),
    "d": numbers.map(str) | st.sampled_from(["0.1", "-0.0", "2.0", "3.25", "1e-1"]),
    "f": numbers.map(str) | st.sampled_from(["0.1", "0.0", "2.0", "16777217"]),
    "s": texts.map(quoted),
    "flag": st.sampled_from(["true", "false"]),
    "day": days.map(lambda day: f"DATE '{day}'") | days.map(lambda day: f"'{day}'"),
    "amount": decimals.map(str) | numbers.map(str) | st.just("0.123"),
    "ts": moments.map(lambda moment: f"TIMESTAMP '{moment:%Y-%m-%d %H:%M:%S}+00:00'"),
    "p": st.integers(0, 2).map(str),
}
OPERATORS = ("<", "<=", ">", ">=", "=", "<>", "<=>")


COMPUTED = {
    "i + 1": numbers,
    "i * 2 - 3": numbers,
    "abs(i)": numbers,
    "i % 3": numbers,
    "-i": numbers,
    "i - nest.x": numbers,
    "coalesce(i, nest.x, 2)": numbers,
    "CASE WHEN flag THEN i WHEN i > 2 THEN 1 END": numbers,
    "CAST(i AS DOUBLE)": numbers,
    "length(s)": numbers,
    "year(day)": st.sampled_from([2019, 2020]),
    "dayofmonth(day)": st.integers(0, 7),
    "hour(ts)": st.integers(0, 6),
    "amount + i": numbers,
    "concat('a', s)": texts.map(quoted),
    "lower(s)": texts.map(quoted),
    "substring(s, 1, 1)": texts.map(quoted),
    "to_date(ts)": st.sampled_from(["DATE '2021-01-01'", "DATE '2021-01-02'"]),
}
"""Expressions that Spark and DuckDB compute alike, and what they are compared with."""

LIKES = ("s LIKE 'a%'", "s NOT LIKE 'a%'", "s LIKE '%b'", "s LIKE '_'", "startswith(s, 'z')")


@st.composite
def computed(draw):
    if draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(LIKES))
    left = draw(st.sampled_from(sorted(COMPUTED)))
    if draw(st.integers(0, 5)) == 0:
        return f"({left}) IS {draw(st.sampled_from(['NULL', 'NOT NULL']))}"
    return f"{left} {draw(st.sampled_from(OPERATORS))} {draw(COMPUTED[left])}"


@st.composite
def comparisons(draw):
    name = draw(st.sampled_from(sorted(LITERALS)))
    literal = LITERALS[name]
    form = draw(st.integers(0, 5))
    if form == 0:
        listed = draw(st.lists(literal | st.just("NULL"), min_size=1, max_size=12))
        return f"{name} {draw(st.sampled_from(['IN', 'NOT IN']))} ({', '.join(listed)})"
    if form == 1:
        return f"{name} IS {draw(st.sampled_from(['NULL', 'NOT NULL']))}"
    if form == 2:
        low, high = draw(literal), draw(literal)
        return f"{name} {draw(st.sampled_from(['BETWEEN', 'NOT BETWEEN']))} {low} AND {high}"
    if form == 3 and name == "flag":
        return name
    operator, value = draw(st.sampled_from(OPERATORS)), draw(literal)
    return f"{value} {operator} {name}" if draw(st.booleans()) else f"{name} {operator} {value}"


conditions = st.recursive(
    comparisons() | computed(),
    lambda inner: (
        inner.map(lambda one: f"NOT ({one})")
        | st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(
            lambda three: f"({three[0]} {three[1]} {three[2]})"
        )
    ),
    max_leaves=4,
)


def matching_rows(connection, path: str, p: int, condition: str) -> int:
    """How many rows of a file match, as DuckDB sees it; `p` is its partition."""
    [duck] = sqlglot.transpile(f"SELECT 1 FROM t WHERE {condition}", read="spark", write="duckdb")
    where = duck.partition(" WHERE ")[2]
    source = f"(SELECT *, {p}::INTEGER AS p FROM read_parquet('{path}'))"
    [[count]] = connection.execute(f"SELECT count(*) FROM {source} WHERE {where}").fetchall()
    return count


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as opened:
        opened.execute("SET TimeZone = 'UTC'")
        yield opened


ANY = given(st.lists(tables(), min_size=1, max_size=3), st.lists(conditions, min_size=1, max_size=6))


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@ANY
def test_no_object_with_a_matching_row_is_skipped(tmp_path_factory, connection, made, asked):
    evaluated(tmp_path_factory, connection, made, asked)


@pytest.mark.full
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@ANY
def test_no_object_with_a_matching_row_is_skipped_for_many_conditions(tmp_path_factory, connection, made, asked):
    evaluated(tmp_path_factory, connection, made, asked)


def evaluated(tmp_path_factory, connection, made, asked):
    """Fails if a row matches in an object that is skipped."""
    root = tmp_path_factory.mktemp("ds")
    if not any(table.num_rows for table in made):
        made.append(
            pa.table({name: pa.nulls(1, field.type) for name, field in zip(made[0].schema.names, made[0].schema)})
        )
    dataset(root, **{f"p={number}/f": table for number, table in enumerate(made)})
    source = "footers" if len(asked) % 2 else "values"
    store = metadatastore.build(None, root, INDEXES, tmp_path_factory.mktemp("md"), source=source)
    assert not store.omitted
    for condition in asked:
        found = store.evaluate(condition, timezone="UTC")
        assert len(found.kept) + len(found.skipped) + len(found.partition_pruned) == len(made)
        for name in (*found.skipped, *found.partition_pruned):
            known = store.object(name)
            count = matching_rows(connection, known.path, known.partition["p"], condition)
            assert count == 0, (condition, [str(reason) for reason in found.reasons[name]])
