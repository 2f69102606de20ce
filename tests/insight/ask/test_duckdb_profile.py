"""DuckDB reads exactly the row groups that its profile keeps, and in the requests that it plans."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.ask.grid_cases import asked_of, write_files
from insight.ask.profile_cases import FILES
from insight.ask.profile_harness import Case, cases, differences, enough
from needs import DUCKDB

import pqexplore
from pqexplore.insight.ask.engines.duckdb import ENGINE
from pqexplore.insight.ask.run_engines import duckdb, duckdb_process
from pqexplore.insight.wording import size

pytestmark = DUCKDB
EXPRESSIONS = ("CAST(i AS DOUBLE) = 100.0",)
"""Conditions whose bounds DuckDB works out and the profile does not: DuckDB may read less than the profile keeps."""


def test_the_plan_names_the_version_that_these_tests_install():
    lock = Path(__file__).resolve().parents[2] / "environments" / "dev.txt"
    [version] = re.findall(r"^duckdb==(\S+)$", lock.read_text(), re.MULTILINE)
    assert ENGINE.title == f"DuckDB {version}"


@pytest.fixture(scope="module")
def connection(profile_files):
    with duckdb_process.connected([str(path) for path in profile_files.values()]) as connection:
        yield connection


def read(connection, case: Case) -> list[int]:
    outcome = duckdb_process.outcome(connection, duckdb.job(case.plan))
    assert "error" not in outcome, (case.sql, outcome["error"])
    assert len(outcome["groups"]) == outcome["read"], (case.sql, outcome)
    return outcome["groups"]


@pytest.mark.parametrize("name", FILES)
def test_duckdb_reads_what_the_profile_keeps(profile_files, connection, name):
    asked = cases("duckdb", name, profile_files[name], quick=True, but=EXPRESSIONS)
    assert not differences((case, read(connection, case)) for case in asked)


@pytest.mark.full
@pytest.mark.parametrize("name", FILES)
def test_duckdb_reads_what_the_profile_keeps_for_every_condition(profile_files, connection, name):
    asked = cases("duckdb", name, profile_files[name], quick=False, but=EXPRESSIONS)
    assert not differences((case, read(connection, case)) for case in asked)


def test_enough_conditions_and_files_prove_the_profile():
    assert enough(EXPRESSIONS)


@pytest.mark.parametrize("sql", EXPRESSIONS)
def test_the_plan_says_that_duckdb_may_skip_more(profile_files, connection, sql):
    with pqexplore.open(profile_files["arrow-sorted"]) as file:
        plan = pqexplore.ask(file, sql, engine="duckdb")
        case = Case("arrow-sorted", sql, plan)
        assert set(read(connection, case)) < set(case.kept)
        assert any("may skip more than the plan says" in remark for remark in plan.remarks)
        assert not any("skips nothing" in remark for remark in plan.remarks)


@pytest.mark.parametrize(("name", "sql", "lost"), [
    ("arrow-sorted", "fn > 100000.0", True),
    ("arrow-sorted", "isnan(fn)", True),
    ("ours-clustered", "fn > 100000.0", False),  # the file counts NaNs
    ("arrow-sorted", "fn < 5.0", False),  # NaN is larger than every number
    ("arrow-sorted", "f < 5.0", False),
])  # fmt: skip
def test_duckdb_loses_rows_with_nan_where_the_plan_says_so(profile_files, connection, name, sql, lost):
    with pqexplore.open(profile_files[name]) as file:
        plan = pqexplore.ask(file, sql, engine="duckdb")
        rows = duckdb_process.outcome(connection, duckdb.job(plan))["rows"]
    column = pq.read_table(profile_files[name], columns=["fn", "f"])
    fn, f = (column[name].to_numpy() for name in ("fn", "f"))
    expected = {"fn > 100000.0": np.isnan(fn), "isnan(fn)": np.isnan(fn), "fn < 5.0": fn < 5}
    truth = int(expected.get(sql, f < 5).sum())
    assert (rows < truth) == lost
    assert bool(plan.wrong_rows) == lost
    assert ("may lose rows" in plan.sentence) == lost


@pytest.mark.parametrize(
    ("rows", "footer", "what"),
    [(20_000, "within the guess", "few row groups"), (1_000, "longer than the guess", "many row groups")],
)
def test_duckdb_reads_the_bytes_that_the_plan_says(tmp_path, rows, footer, what):
    """With a fixed gap: without one, DuckDB adapts the gap to the speed of the storage."""
    path = tmp_path / "wide.parquet"
    numbers = np.random.default_rng(0).integers(0, 1 << 40, (6, 40_000))
    table = pa.table({"id": np.arange(40_000), **{f"c{k}": numbers[k] for k in range(6)}})
    pq.write_table(table, path, row_group_size=rows, compression="none", use_dictionary=False)
    with duckdb_process.connected([str(path)], gap=16 * 1024) as connection:
        for columns in (["id"], ["c0"], ["c0", "c2"], ["c0", "c5"], None):
            for where in ("id >= 0", "id < 100", "TRUE", "id > 1000000", "id BETWEEN 9000 AND 22000"):
                plan = pqexplore.ask(path, where, columns, engine="duckdb")
                outcome = duckdb_process.outcome(connection, duckdb.job(plan))
                assert outcome["bytes"] == plan.reading.bytes, (columns, where, footer, what)


@pytest.fixture(scope="module")
def grid_files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("grid"))


def measured(files, every):
    """(case, plan, bytes that DuckDB reads) with its own gap, for each `every`th condition and three choices of columns."""
    with duckdb_process.connected([str(path) for path in files.values()]) as connection:
        for at, (name, path) in enumerate(files.items()):
            file = pqexplore.open(path)
            tops = [field.name for field in file.schema.root.children]
            for number, sql in enumerate(list(asked_of(path))[at % every :: every]):
                two = [tops[number % len(tops)], tops[(3 * number + at) % len(tops)]]
                for columns in (None, [], two):
                    plan = pqexplore.ask(file, sql, columns, engine="duckdb")
                    outcome = duckdb_process.outcome(connection, duckdb.job(plan))
                    assert "error" not in outcome, (name, sql, outcome)
                    yield f"{name}: {sql}: {columns}", plan, outcome["bytes"]


def test_duckdb_reads_bytes_between_those_that_the_plan_says(grid_files, record_property):
    """Structs and lists among the columns, dictionaries, Bloom filters: how much DuckDB reads differs from run to run."""
    count, exact, near = 0, 0, 0
    for case, plan, bytes_read in measured(grid_files, every=48):
        reading = plan.reading
        assert reading.least <= bytes_read <= reading.most, case
        count += 1
        exact += reading.least == reading.most
        near += abs(reading.bytes - bytes_read) <= 0.02 * bytes_read
        assert ("the speed that it measures" in plan.sentence) == (size(reading.least) != size(reading.most))
    said = f"DuckDB: {count} cases, all inside of what the plan says; {exact} exact; the first requests are off by 2 % in {count - near}"
    record_property("stated", said)
    assert count >= 40 and exact >= 40


@pytest.mark.parametrize(
    "equal, filters", [("x = double('NaN')", True), ("x IN (double('NaN'), 5)", True), ("isnan(x)", False)]
)
def test_duckdb_reads_bloom_filters_for_nan_and_skips_nothing_by_them(tmp_path, equal, filters):
    path = tmp_path / "nan.parquet"
    options = {"bloom_filter": True, "bloom_filter_bytes": 1024, "statistics": ()}
    pqexplore.write(pa.table({"x": np.arange(40.0)}), path, pqexplore.WriteOptions(row_group_rows=20, **options))
    with duckdb_process.connected([str(path)]) as connection:
        plan = pqexplore.ask(path, equal, engine="duckdb")
        outcome = duckdb_process.outcome(connection, duckdb.job(plan))
    assert (outcome["groups"], len(plan.kept)) == ([0, 1], 2)
    assert outcome["bytes"] == plan.reading.bytes
    assert any(piece.what == "Bloom filter" for piece in plan.reading.pieces) == filters


def test_duckdb_reads_the_first_of_columns_whose_names_differ_in_case_and_the_plan_says_so(tmp_path):
    path = tmp_path / "twins.parquet"
    pq.write_table(pa.table({"id": [1, 2, 3, 4], "ID": [9, 9, 1, 1]}), path, row_group_size=2)
    with duckdb_process.connected([str(path)]) as connection:
        for sql, rows, groups, said in (
            ("`ID` = 9", 0, [], True),
            ("`ID` = 1", 1, [0], True),
            ("`id` = 1", 1, [0], False),
        ):
            plan = pqexplore.ask(path, sql, engine="duckdb")
            outcome = duckdb_process.outcome(connection, duckdb.job(plan))
            assert (outcome["rows"], outcome["groups"]) == (rows, groups)
            assert ("DuckDB reads `id` in place of `ID`" in " ".join(plan.remarks)) == said
            known = not any("may skip more than the plan says" in remark for remark in plan.remarks)
            assert known is not said
            assert said or [group.index for group in plan.kept] == groups


def test_duckdb_loses_rows_by_bloom_filters_of_float16_and_the_plan_says_so(tmp_path):
    path = tmp_path / "half.parquet"
    table = pa.table({"x": pa.array(np.arange(40, dtype=np.float16))})
    bloom = {"bloom_filter": True, "bloom_filter_bytes": 1024, "statistics": ()}
    pqexplore.write(table, path, pqexplore.WriteOptions(row_group_rows=20, **bloom))
    with duckdb_process.connected([str(path)]) as connection:
        for where, lost in (("x = 30.0", True), ("x > 29.0 AND x < 31.0", False)):
            plan = pqexplore.ask(path, where, engine="duckdb")
            outcome = duckdb_process.outcome(connection, duckdb.job(plan))
            assert outcome["rows"] == (0 if lost else 1)
            assert outcome["groups"] == [group.index for group in plan.kept]
            assert bool(plan.wrong_rows) == lost


def test_duckdb_takes_the_fields_of_a_struct_for_one_column_if_it_reads_all(profile_files, connection):
    sql = "st.x = 3 OR st.y = 'y00101'"
    for columns, groups in ((None, [0, 2]), (["i"], [0, 1, 2, 3, 4, 5])):
        plan = pqexplore.ask(profile_files["arrow-sorted"], sql, columns, engine="duckdb")
        if columns:
            plan.leaves = [leaf for leaf in plan.leaves if leaf.path != ("st", "y")]
        assert duckdb_process.outcome(connection, duckdb.job(plan))["groups"] == groups


def test_an_observation_of_a_path_with_quotes_and_wildcards(profile_files, tmp_path):
    path = tmp_path / "x=1 [a]*?'\".parquet"
    path.write_bytes(profile_files["arrow-sorted"].read_bytes())
    seen = duckdb.observe(pqexplore.ask(path, "i = 100", engine="duckdb"))
    assert (seen.rows, seen.row_groups, seen.groups_read) == (1, (2,), 1)
