"""The profile `spark` against Spark and parquet-java themselves: which row groups each filter keeps, which rows are read.

`ParquetJava.java` takes the filters that Spark pushes for a query, makes parquet-java's predicate of them with Spark's own
`ParquetFilters`, opens the file with parquet-java's filters switched on one after the other, and runs the query.
"""

import pytest
from insight.ask import profile_cases
from spark import asked_files
from spark.held_plans import compared, plan_of

from pqexplore.insight.ask import row_ranges, run_engines

from .conftest import at_once, configured

QUICK = {
    "sorted_types": [
        "i = 1500",
        "u = 1500",
        "f > 0.1",
        "day > TIMESTAMP '1975-01-01 01:00:00'",
        "day IN (TIMESTAMP_NTZ '1975-01-01 00:00:00', TIMESTAMP_NTZ '1975-01-02 00:00:00')",
        "ts > TIMESTAMP '1970-01-01 00:50:00Z'",
        "ms <> TIMESTAMP '1970-01-01 00:16:40.0005Z'",
        "ms < TIMESTAMP '1970-01-01 00:16:40.0005Z'",
        "ntz IS NULL",
        "dec9 > 15.555",
        "dec30 = 1e1",
        "NOT b",
        "i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 3999)",
        "i NOT IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)",
        "i < 10 OR d > 990",
        "(i < 10 AND u = 5) OR i > 3990",
        "l > 3500.5e0",
        "s LIKE 'k0%5'",
        "s NOT LIKE 'k0%'",
    ],
    "floats": ["nan > 100000", "nan = double('NaN')", "nan < 100", "z = -0.0", "z = 0.0e0", "z > -0.0e0",
        "plain < 0.0e0", "plain = -0.0e0", "f <> 0.1"],
    "nulls": ["n <> 1600", "n > 5 OR i < 10", "NOT (one <=> 5)", "one <> 5", "n IN (1600, NULL)", "st.x IS NULL",
        "text NOT LIKE 'v%' OR i = 5"],
    "dictionaries": ["s = 'v002'", "i IN (1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31)", "dec > 11 AND dec < 12",
        "s LIKE '%51'", "s = 'v002' OR plain = 200"],
    "no_encoding_stats": ["s = 'v002'"],
    "blooms": ["s = 'e00401'", "d = 0.0e0", "dec = 4.01", "i IN (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21)",
        "i = 401 OR l > 3"],
    "legacy": ["s = 'k01500'", "same = 'g1'", "dec = 15", "day < DATE '1970-01-10'"],
    "legacy_old": ["same = 'g1'", "d > 1500"],
    "orders": ["i = 1500"],
    "total_order": ["d > 1500", "i = 1500"],
    "no_counts": ["n <> 5", "s = 'key101500'", "up > 1450 AND down < 2600 AND s > 'key1'"],
    "unpushed": ["e = 'v7'", "j = '7'", "dec = 7"],
    "by_duckdb": ["l = 6000", "low = 21", "s = 'v7'"],
    "by_spark": ["s = 'e000501'", "t96 IS NULL", "nan > 9999", "i BETWEEN 9995 AND 10005"],
}  # fmt: skip

MORE = {
    "sorted_types": [
        *("l > 3500", "d <= 300.1", "bin = 'k01500'", "dec30 < 5.25", "li[0] = 1500", "i IN (1, 2, 3999)", "b > false", "i < 10 OR u = 3999", "i + 1 = 1501", "st.x = 1500", "s > 'k03500'"),
        *("i <> 5", "small >= 35", "small = 100", "u IS NULL", "f = 0.25", "f <= 300.1", "d > 250", "d <=> 250"),
        *("s = 'k01500'", "day = DATE '1971-01-01'", "ts = TIMESTAMP '1970-01-01 00:10:00Z'", "ntz > TIMESTAMP_NTZ '2000-01-01 00:00:00'"),
        *("dec9 = 15.5", "dec9 >= 35", "dec9 = 5000000000", "b", "b = false", "b <> true", "b IS NOT TRUE", "b IS FALSE"),
        *("st.y = 'y03999'", "st IS NULL", "li IS NULL", "array_contains(li, 1500)", "i NOT IN (1, 2)", "i IS NOT NULL", "i <=> NULL"),
        *("i BETWEEN 990 AND 1010 AND s > 'k00995'", "i < 10 AND u = 5", "NOT (i < 3990 AND d < 900)", "upper(s) = 'K01500'"),
        *("s LIKE 'k015%'", "s LIKE '%500'", "s LIKE 'k01500'", "s LIKE 'k_1%'", "isnan(d)", "i IN (15, 5000000000)", "u = -5"),
        *("f IN (0.25, 0.5)", "i > 5.5 AND i < 7.5", "i = '1500'", "day = '1971-01-01'", "i IN (1000, 1999, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009)"),
    ],
    "floats": [
        *("nan = 5", "nan <> 3.5", "isnan(nan)", "all_nan > 1", "all_nan = 1.5", "all_nan <> 1.5", "z = -0.0e0", "z < 0.0e0"),
        *("z <= -0.0e0", "z <> 0.0e0", "z IN (0.0e0, 5e0)", "plain = 0.0e0", "plain >= 0.0e0", "f = 0.5", "f < 0.05", "f >= 0.9"),
    ],
    "nulls": [
        *("n = 1600", "n IS NULL", "n IS NOT NULL", "n <=> 1600", "NOT (n <=> 1600)", "one = 5", "one = 4", "one <> 5 OR i = 5"),
        *("text = 'v3'", "text IS NULL", "text IN ('v1', 'w')", "st.x = 3500", "n IN (1600, 3000)", "one NOT IN (5, 6)", "text LIKE '%3' OR i = 5"),
    ],
    "dictionaries": [
        *("s = 'v050'", "s <= 'v001'", "s > 'v098'", "s IN ('v002', 'v004')", "s <> 'v000'", "i = 1", "i = 2", "i < 1"),
        *("day = DATE '1970-01-06'", "dec = 3", "plain = 50", "s = 'v002' AND i = 3", "s LIKE '%5%'", "s LIKE 'v0%2'", "s NOT LIKE '%x'"),
    ],
    "blooms": [
        *("i = 400", "i = 401", "l = 401", "s = 'e00400'", "d = 401", "d = -0.0e0", "day = DATE '1970-01-04'", "i IN (401, 400)"),
        *("i = 401 AND l > 3", "i <> 401", "i > 7990", "i <=> 401", "i = 401 OR l = 403"),
    ],
    "legacy": ["i = 1500", "u = 1500", "d > 1500", "s IS NULL", "d = 2 OR day > DATE '1980-01-01'"],
    "legacy_old": ["i = 1500", "s = 'k01500'"],
    "orders": ["d > 1500", "s = 'k01500'", "x = 1500", "i = 1500 OR x = 10"],
    "total_order": ["d = 5", "i = 1500 OR d = 5", "d = double('NaN')"],
    "no_counts": ["n = 5", "n = 6", "n IS NULL", "n IS NOT NULL", "s > 'key2'", "up < 150 AND down < 150", "up < 150 OR down < 150"],
    "by_duckdb": [
        *("i = 5", "i = 6143", "i IN (1, 6000)", "low = 20", "s = 'v8'", "s > 'v78'", "d > 1500", "dec = 15", "s LIKE '%7'"),
        *("day > DATE '1986-01-01'", "low <> 5", "l > 6000 OR d < 3"),
    ],
    "by_spark": [
        *("i = 15000", "s = 'e000500'", "low = 20", "low = 21", "dec > 150.5", "day = DATE '1972-01-01'", "nan = double('NaN')"),
        *("t96 > TIMESTAMP '1970-01-01 05:00:00Z'", "nan < 100", "s LIKE '%501'", "i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 29000)"),
    ],
}  # fmt: skip

LOST = [
    ("floats", "nan > 100000", 4),
    ("floats", "nan = double('NaN')", 4),
    ("floats", "z = 0.0e0", 1000),
    ("sorted_types", "ms < TIMESTAMP '1970-01-01 00:16:40.0005Z'", 1),
]
"""Queries that lose rows, and how many."""


@pytest.fixture(scope="module")
def files(spark, tmp_path_factory):
    return asked_files.make(spark, tmp_path_factory.mktemp("asked"))


@pytest.fixture(scope="module")
def judge(spark):
    """What Spark and parquet-java do with queries on a file: a dict of the lines of `ParquetJava.ask` for each."""
    conf, asked = spark._jsc.hadoopConfiguration(), spark._jvm.pqexplore.spark.ParquetJava.ask

    def ask(path, conditions):
        frame = spark.read.parquet(str(path))
        said = asked([frame.where(one)._jdf for one in conditions], str(path), conf)
        return [_lines(one) for one in said]

    return ask


def _lines(said):
    return dict(line.split("=", 1) for line in said.split("\n"))


def differences(path, conditions, judge):
    """What is not as the plan says, by condition."""
    found = {}
    for where, said in zip(conditions, judge(path, conditions), strict=True):
        plan = plan_of(path, where)
        if said["predicate"] != "no scan":
            found[where] = compared(said, plan)
        elif plan.kept:  # the optimizer knows that no row can match
            found[where] = {"kept": ([], [group.index for group in plan.kept])}
    return {where: pairs for where, pairs in found.items() if pairs}


@pytest.mark.parametrize("conditions", [QUICK, pytest.param(MORE, marks=pytest.mark.full)], ids=["quick", "more"])
def test_row_groups_and_rows_are_those_of_spark(files, judge, conditions):
    found = at_once(lambda name: differences(files[name], conditions[name], judge), conditions)
    assert dict(zip(conditions, found, strict=True)) == dict.fromkeys(conditions, {})


@pytest.mark.full
@pytest.mark.parametrize("name", ["ours-clustered", "arrow-bloom", "duckdb-shuffled"])
def test_conditions_that_all_engines_are_asked(spark, tmp_path, name):
    path, conf = tmp_path / "asked.parquet", spark._jsc.hadoopConfiguration()
    profile_cases.FILES[name](path)
    frame, found, scans = spark.read.parquet(str(path)), {}, 0
    for where in (predicate.sql for predicate in profile_cases.PREDICATES):
        query = frame.where(where)._jdf
        said = _lines(spark._jvm.pqexplore.spark.ParquetJava.filters(query, str(path), conf))
        if said["predicate"] != "no scan":
            scans += 1
            found[where] = compared(said, plan_of(path, where))
    assert {where: pairs for where, pairs in found.items() if pairs} == {}
    assert scans > 200


@pytest.mark.parametrize(("name", "where", "lost"), LOST)
def test_lost_rows_are_announced(spark, files, name, where, lost):
    plan = plan_of(files[name], where)
    assert plan.wrong_rows, "the plan must say that Spark may lose rows"
    frame = spark.read.parquet(str(files[name]))
    found = len(frame.where(where).collect())
    with configured(spark, {"spark.sql.parquet.filterPushdown": "false"}):
        assert frame.where(where).count() - found == lost


def test_a_contradiction_is_found_by_spark_and_not_by_the_plan(files, judge):
    where = "i = 5 AND i = 6"
    [said] = judge(files["sorted_types"], [where])
    assert said["predicate"] == "no scan"
    assert [group.index for group in plan_of(files["sorted_types"], where).kept] == [0]


def test_no_rows_are_announced_as_lost_where_none_is(files):
    for name, where in [("floats", "f <> 0.1"), ("sorted_types", "i = 1500"), ("by_spark", "nan > 9999")]:
        assert plan_of(files[name], where).wrong_rows == ()


@pytest.mark.parametrize(("where", "rows"), [("i BETWEEN 990 AND 1010", 21), ("u = 7", 1)])
def test_the_observer_counts_the_rows_of_scan_and_result(spark, files, where, rows):
    plan = plan_of(files["sorted_types"], where)
    seen = run_engines.observe("spark", plan)
    decoded = sum(row_ranges.count(group.ranges) for group in plan.kept)
    assert (seen.rows, seen.rows_scanned) == (rows, decoded)
