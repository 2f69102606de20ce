"""Expressions over rows give what Python computes, with DuckDB and with pyarrow alone."""

import made
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import parquet

import pqexplore
from pqexplore.engine.errors import LimitExceededError, UsageError
from pqexplore.insight import some_rows
from pqexplore.insight.ask import expressions
from pqexplore.insight.some_rows import numbered_batches, out_of_order, selected_rows

ENGINES = ("duckdb", "pyarrow")
A = [1, 2, None, 4, 5, -6, 7, None, 9, 10]
B = [1, 3, 3, 4, None, 6, -7, None, 8, 10]
PRICE = [0.5, 1.4, 2.5, 3.6, -2.5, None, 7.0, 8.0, float("nan"), 9.5]
WORD = ["a", "bb", None, "A", "bb", "ccc", "a", "", "bb", "a"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Ten rows in row groups of four."""
    path = tmp_path_factory.mktemp("expressions") / "ten.parquet"
    points = [{"x": i, "y": 9 - i} for i in range(10)]
    table = pa.table({"a": A, "b": B, "price": PRICE, "word": WORD, "point": points, "list": [[i] for i in range(10)]})
    pq.write_table(table, path, row_group_size=4)
    with pqexplore.open(path) as opened:
        yield opened


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch):
    """Each engine that is installed."""
    if request.param == "pyarrow":
        monkeypatch.setattr(expressions, "has_duckdb", lambda: False)
    return request.param


def both(test):
    return [i for i, (a, b) in enumerate(zip(A, B, strict=True)) if a is not None and b is not None and test(a, b)]


@pytest.mark.parametrize("where, rows", [
    ("a <> b", both(lambda a, b: a != b)),
    ("a = b", both(lambda a, b: a == b)),
    ("a IS DISTINCT FROM b", [i for i in range(10) if A[i] != B[i]]),
    ("a <=> b", [i for i in range(10) if A[i] == B[i]]),
    ("a + b > 10", both(lambda a, b: a + b > 10)),
    ("a - b = 1 OR a = 1", sorted({*both(lambda a, b: a - b == 1), 0})),
    ("a * 2 = b + a", both(lambda a, b: a * 2 == b + a)),
    ("NOT (a < b)", both(lambda a, b: not a < b)),
    ("abs(a) = abs(b)", both(lambda a, b: abs(a) == abs(b))),
    ("a / 2 = 2", [3]),
    ("round(price) = 3", [2]),
    ("round(price) = -3", [4]),
    ("length(word) = 2 AND a > 1", [1, 4, 8]),
    ("upper(word) = 'A'", [0, 3, 6, 9]),
    ("point.x = point.y + 1", [5]),
    ("a = 99 + b", []),
    ("SELECT * FROM t WHERE t.a * 2 = t.b + t.a", both(lambda a, b: a * 2 == b + a)),
    ("SELECT * FROM t WHERE t.point.x = t.point.y + 1", [5]),
])  # fmt: skip
def test_which_rows_meet_a_condition(file, engine, where, rows):
    remarks = []
    found = list(numbered_batches(file, 0, 10, ["a"], where, remarks))
    assert [row for part in found for row in part["row"].to_pylist()] == rows
    assert len(remarks) == 1 and remarks[0].startswith({"duckdb": "DuckDB ", "pyarrow": "pyarrow "}[engine])


def test_a_condition_of_single_columns_needs_no_other_engine(file):
    remarks = []
    assert sum(part.num_rows for part in numbered_batches(file, 0, 10, ["a"], "a > 4 AND b > 0", remarks)) == 2
    assert not remarks


@pytest.mark.parametrize("select, by, where, rows", [
    ("count(*)", [], "", [{"count(*)": 10}]),
    ("count(*)", [], "a = 99", [{"count(*)": 0}]),
    ("count(a), sum(a), min(b) AS low, max(row)", [], "",
        [{"count(a)": 8, "sum(a)": 32, "low": -7, "max(row)": 9}]),
    ("min(row) AS row", [], "a <> b", [{"row": 1}]),
    ("count(*) AS count", ["word"], "word = 'a' OR word = 'bb' AND b > 0",
        [{"word": "a", "count": 3}, {"word": "bb", "count": 2}]),
    ("sum(point.x) AS x", [], "", [{"x": 45}]),
])  # fmt: skip
def test_what_rows_add_up_to(file, engine, select, by, where, rows):
    assert selected_rows(file, 0, 10, select, by, where, []).to_pylist() == rows


def test_expressions_of_each_row(file):
    pytest.importorskip("duckdb")
    found = selected_rows(file, 3, 5, "row, a + b AS sum", [], "", [])
    assert found.to_pylist() == [{"row": 3, "sum": 8}, {"row": 4, "sum": None}]


@pytest.mark.parametrize("select", ["sum(a + b)", "a + 1", "avg(a)"])
def test_pyarrow_says_what_needs_duckdb(file, monkeypatch, select):
    monkeypatch.setattr(expressions, "has_duckdb", lambda: False)
    with pytest.raises(UsageError, match="without DuckDB: pip install duckdb"):
        selected_rows(file, 0, 10, select, [], "", [])
    with pytest.raises(UsageError, match="without DuckDB: pip install duckdb"):
        list(numbered_batches(file, 0, 10, ["a"], "sqrt(a) = b"))


@pytest.mark.parametrize("select, said", [
    *((one, "not a list of expressions") for one in ("", ",", "sum(", "1 /*", "1; SELECT 2", "1 FROM these_rows")),
    *(
        (one, "not a list of expressions")
        for one in ("1 FROM read_text('/etc/passwd') --", "1; COPY t TO '/tmp/t'")
    ),
    *((one, "query inside") for one in ("(SELECT 1)", "a + (SELECT count(*) FROM duckdb_settings())")),
    ("*", "name the columns"),
    (":a", "parameters"),
    (f"{'(' * 3000}a{')' * 3000}", "too deeply"),
    ("read_text('/etc/passwd')", "cannot (be evaluated|evaluate)"),
    ("getenv('HOME')", "cannot (be evaluated|evaluate)"),
    ("count(a, b)", "cannot (be evaluated|evaluate)"),
    ("sum(list.list.element)", "cannot evaluate|inside lists"),
    ("max(page)", "name a column"),
])  # fmt: skip
def test_what_no_expression_may_be(file, engine, select, said):
    with pytest.raises(UsageError, match=said):
        selected_rows(file, 0, 10, select, [], "", [])


@pytest.mark.parametrize("where", ["sum(a) > 5", "a + b", "a * 9223372036854775807 > b", "explode(array(a > b, true))"])
def test_what_no_condition_on_a_row_may_be(file, engine, where):
    with pytest.raises(UsageError):
        list(numbered_batches(file, 0, 10, ["a"], where))


@pytest.mark.parametrize(
    "table", [pa.table({"a": pa.array([], pa.int64())}), pa.table({"a": pa.array([7], pa.int64())})]
)
def test_an_empty_file_is_counted_as_any_other(engine, table):
    with pqexplore.open(made.parquet(table)) as opened:
        found = selected_rows(opened, 0, table.num_rows, "count(*) AS n, sum(a) AS s", [], "", []).to_pylist()
    assert found == [{"n": table.num_rows, "s": 7 if table.num_rows else None}]


def test_columns_that_duckdb_takes_for_one_are_refused():
    pytest.importorskip("duckdb")
    with pqexplore.open(made.parquet(pa.table({"a": [1, 2], "A": [10, 20]}))) as opened:
        assert selected_rows(opened, 0, 2, "sum(`A`) AS x", [], "", []).to_pylist() == [{"x": 30}]
        with pytest.raises(UsageError, match="'a' and 'A'"):
            selected_rows(opened, 0, 2, "sum(a), sum(`A`)", [], "", [])


def test_a_name_of_several_columns_is_refused(engine):
    twice = pa.Table.from_arrays([pa.array([3, 1]), pa.array([1, 2])], names=["a", "a"])
    with pqexplore.open(made.parquet(twice)) as opened:
        assert selected_rows(opened, 0, 2, "count(*) AS n", [], "", []).to_pylist() == [{"n": 2}]
        for ask in (
            lambda: selected_rows(opened, 0, 2, "sum(a)", [], "", []),
            lambda: list(out_of_order(opened, 0, 2, "a")),
        ):
            with pytest.raises(UsageError):
                ask()


def test_halves_are_numbers(engine):
    pytest.importorskip("duckdb")
    with pqexplore.open(made.ours(pa.table({"h": pa.array(np.array([3, 1, 2], np.float16))}))) as opened:
        assert selected_rows(opened, 0, 3, "max(h) AS x", [], "", []).to_pylist() == [{"x": 3}]
        assert [one["before"].to_pylist() for one in out_of_order(opened, 0, 3, "h")] == [[3]]


def test_halves_that_are_null_or_nan_stay_so(engine):
    pytest.importorskip("duckdb")
    halves = pa.array([np.float16(1.5), None, np.float16("nan"), np.float16(-2)], pa.float16())
    with pqexplore.open(made.ours(pa.table({"h": halves}))) as opened:
        found = selected_rows(opened, 0, 4, "count(h) AS n, min(h) AS low", [], "", []).to_pylist()
        assert found == [{"n": 3, "low": -2}]
        assert list(expressions.mask(opened.read(), "h IS NULL")) == [False, True, False, False]


def test_no_more_rows_than_fit(file, monkeypatch):
    monkeypatch.setattr(some_rows, "SELECTED", 10)
    with pytest.raises(LimitExceededError):
        selected_rows(file, 0, 10, "sum(a)", [], "", [])


@pytest.mark.parametrize("column, rows", [
    ("a", [(5, 5, -6)]),
    ("b", [(6, 6, -7)]),
    ("price", [(4, 3.6, -2.5)]),
    ("word", [(3, "bb", "A"), (6, "ccc", "a"), (7, "a", ""), (9, "bb", "a")]),
    ("point.x", None),
    ("list", None),
])  # fmt: skip
def test_where_an_order_breaks(file, column, rows):
    if rows is None:
        with pytest.raises(UsageError, match="no order"):
            list(out_of_order(file, 0, 10, column))
        return
    found = [row for part in out_of_order(file, 0, 10, column) for row in part.to_pylist()]
    assert [(one["row"], one["before"], one[column]) for one in found] == rows
    assert all(one["row_group"] == one["row"] // 4 for one in found)


def test_rows_out_of_order_are_counted_though_there_are_none(engine):
    for rows in ([1, 2], []):
        with pqexplore.open(parquet(pa.table({"n": pa.array(rows, pa.int64())}))) as opened:
            found = selected_rows(opened, 0, len(rows), "count(*)", [], "", [], "n")
        assert found.to_pylist() == [{"count(*)": 0}]
