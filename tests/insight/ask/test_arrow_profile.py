"""The profile of pyarrow against pyarrow: the row groups that it keeps, and the bytes that it reads."""

import datetime
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.ask.profile_cases import PREDICATES
from insight.ask.profile_harness import Case, differences
from needs import needs_pyarrow

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.span import FILE, Span
from pqexplore.insight.ask import run_engines
from pqexplore.insight.ask.engines import engine
from pqexplore.insight.ask.run_engines import pyarrow as observer
from pqexplore.insight.ask.run_engines.process import run

pytestmark = needs_pyarrow(26, "the profile is that of version 26")

MORE = (
    *("s NOT LIKE 'k000%'", "gs LIKE '%2'", "gs NOT LIKE 'g_'", "fn IN (1.25, double('NaN'))", "i < 39.5", "d > 1.999"),
    *("z NOT IN (0.0, 7.0)", "z IN (0.0)", "z IN (-0e0, 7e0)", "bin IN (X'00000003', X'00000064')", "st.x != 100"),
    *("at > TIMESTAMP_NTZ '2026-01-05 05:00:00.0000001'", "day >= TIMESTAMP_NTZ '2026-03-01 12:00:00'", "g != 2.5"),
    *(f"i IN ({', '.join(map(str, range(length)))})" for length in (50, 51)),
    *(f"g IN ({', '.join(map(str, range(2, length + 2)))})" for length in (50, 51)),
)  # fmt: skip
"""Conditions about what pyarrow does in its own way, beside those that all engines are asked."""

NOT_ASKED = (
    *("CAST(i AS STRING) = '100'", "CAST(i AS DOUBLE) = 100.0", "i + 1 = 101", "li IS NOT NULL", "st IS NOT NULL"),
    *("array_contains(li, 100)", "array_contains(li, 1001)", "li[0] = 100", "li[1] = 5000"),
)
"""Conditions that are not put to pyarrow: the profile skips nothing by them."""


OURS = {
    "i": pa.array(range(30), pa.int64()),
    "s": [f"k{k:02}" for k in range(30)],
    "m": pa.array([None if k in (12, 17) else k for k in range(30)], pa.int64()),
    "c": pa.array([None if k == 25 else k // 10 for k in range(30)], pa.int64()),
    "one": pa.array([5.0 if k < 10 else k for k in range(30)], pa.float64()),
    "nan": [5.0] * 9 + [math.nan] * 11 + [2.0] * 10,
    "z": [0.0] * 10 + [-0.0] * 10 + [1.0] * 10,
    "h": pa.array([None if k < 10 else np.float16(k) for k in range(30)], pa.float16()),
    "at": [None if k < 10 else datetime.datetime(2026, 1, 1 + k) for k in range(30)],
}
"""Three row groups of ten rows: `m` has nulls in the second, `c` one value in each and a null in the third."""

CHOICES = [
    # Ranges of row groups with nulls are not used, and single values are, for comparisons and IN.
    ({}, "m = 5", [0, 1]),
    ({}, "m = 25", [1, 2]),
    ({}, "c = 0", [0]),
    ({}, "c != 2", [0, 1]),
    ({}, "c IN (2, 7)", [2]),
    ({}, "c NOT IN (2, 7)", [0, 1, 2]),
    ({"statistics_fields": ("bounds",)}, "i = 5", [0, 1, 2]),
    # NaN does not count: rows of NaN are lost in the first row group.
    ({}, "nan != 5.0", [1, 2]),
    ({}, "isnan(nan)", [1]),
    ({}, "nan > 100.0", [1]),
    # Both zeros are equal for =, and not for IN: the rows of the first row group are lost.
    ({}, "z = 0.0", [0, 1]),
    ({}, "z IN (0.0, 7.0)", []),
    ({}, "z IN (-0e0, 7e0)", [0, 1]),
    # Types whose bounds are not used; null counts without bounds are used if there are nulls only.
    ({"columns": {"at": {"physical_type": "INT96"}}}, "at = TIMESTAMP_NTZ '2026-01-15 00:00:00'", [1, 2]),
    ({"columns": {"at": {"physical_type": "INT96"}}}, "at IS NULL", [0, 1, 2]),
    ({}, "h IS NULL", [0, 1, 2]),
    ({}, "h IS NOT NULL", [1, 2]),
    ({"statistics_fields": ("null_count",)}, "i IS NULL", [0, 1, 2]),
    # Which fields are used: min_value with TYPE_ORDER only, min without column_orders only.
    ({"column_order": None}, "i = 5", [0, 1, 2]),
    ({"column_order": None, "statistics_fields": ("legacy", "null_count")}, "i = 5", [0]),
    ({"column_order": None, "statistics_fields": ("legacy", "null_count")}, "s = 'k05'", [0, 1, 2]),
    ({"statistics_fields": ("legacy", "null_count")}, "i = 5", [0, 1, 2]),
    ({"columns": {"one": {"column_order": "IEEE_754_TOTAL_ORDER"}}}, "one = 25.0", [0, 1, 2]),
    # Writers whose bounds of text are not trusted.
    ({"created_by": "parquet-mr version 1.9.0"}, "s = 'k05'", [0, 1, 2]),
    ({"created_by": "parquet-mr version 1.9.0"}, "i = 5", [0]),
    ({"created_by": "parquet-mr version 1.10.0"}, "s = 'k05'", [0]),
    ({"created_by": "parquet-mr"}, "s = 'k05'", [0, 1, 2]),
    ({"created_by": "parquet-cpp version 1.2.0"}, "s = 'k05'", [0, 1, 2]),
    ({"created_by": "parquet-cpp-arrow version 1.2.0"}, "s = 'k05'", [0]),
    ({"created_by": None}, "s = 'k05'", [0]),
]  # fmt: skip
"""Options of the writer, a condition, and the row groups that Arrow keeps."""


def kept(plan):
    return [group.index for group in plan.kept]


def written(folder, options, rows=10):
    path = folder / "ours.parquet"
    pqexplore.write(pa.table(OURS), path, pqexplore.WriteOptions(row_group_rows=rows, **options))
    return str(path)


def compared(asked):
    """The conditions for which Arrow does not keep the row groups of the profile, each with both.

    By the conditions that Arrow has no expression for, the profile must skip nothing.
    """
    made, groups = [], []
    for case in asked:
        try:
            made.append((case, observer.job(case.plan, read=False)))
        except UsageError:
            assert case.sql in NOT_ASKED, case.sql
            groups.append((case, [group.index for group in case.plan.groups]))
    outcomes = run("pyarrow_process", [query for _, query in made])["outcomes"]
    groups += [(case, one.get("row_groups", one)) for (case, _), one in zip(made, outcomes, strict=True)]
    return differences(groups)


def plans(files, conditions):
    for name, path in files.items():
        with pqexplore.open(path) as file:
            for where in conditions:
                yield Case(name, where, pqexplore.ask(file, where, engine="pyarrow"))


def test_arrow_keeps_the_row_groups_of_the_profile(profile_files):
    conditions = [one.sql for one in PREDICATES][::6]
    files = dict(list(profile_files.items())[::2])
    assert len(conditions) >= 30
    assert len(files) >= 10
    assert compared(plans(files, conditions)) == []
    assert compared(plans(dict(list(files.items())[::3]), MORE)) == []


@pytest.mark.full
def test_arrow_keeps_the_row_groups_of_the_profile_for_every_condition(profile_files):
    conditions = [one.sql for one in PREDICATES]
    assert compared(plans(profile_files, [*conditions, *MORE])) == []


def test_which_claims_arrow_trusts(tmp_path):
    found, expected = [], []
    for number, (options, where, groups) in enumerate(CHOICES):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pqexplore.open(written(folder, options)) as file:
            plan = pqexplore.ask(file, where, engine="pyarrow")
            found.append((number, where, kept(plan), observer.job(plan, read=False)))
            expected.append((number, where, groups))
    outcomes = run("pyarrow_process", [query for *_, query in found])["outcomes"]
    assert [(n, where, own) for n, where, own, _ in found] == expected
    assert [(n, w, one["row_groups"]) for (n, w, *_), one in zip(found, outcomes, strict=True)] == expected


def test_a_dictionary_of_the_arrow_schema_has_no_statistics(tmp_path):
    path = tmp_path / "dictionary.parquet"
    text = pa.array([f"k{k:02}" for k in range(30)])
    table = pa.table(
        {"d": text.dictionary_encode(), "st": pa.StructArray.from_arrays([text.dictionary_encode()], ["x"])}
    )
    pq.write_table(table, path, row_group_size=10)
    conditions = ("d = 'k05'", "d IS NULL", "st.x = 'k05'")
    with pqexplore.open(path) as file:
        plans = [pqexplore.ask(file, where, engine="pyarrow") for where in conditions]
        jobs = [observer.job(plan, read=False) for plan in plans]
    assert [kept(plan) for plan in plans] == [[0, 1, 2]] * 3
    assert [one["row_groups"] for one in run("pyarrow_process", jobs)["outcomes"]] == [[0, 1, 2]] * 3


@pytest.mark.parametrize("where", NOT_ASKED)
def test_conditions_that_decide_nothing(profile_files, where):
    with pqexplore.ask(str(profile_files["arrow-sorted"]), where, engine="pyarrow") as plan:
        assert len(kept(plan)) == 6
        with pytest.raises(UsageError, match="pyarrow"):
            run_engines.observe("pyarrow", plan)


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Four row groups; a small column between large ones, a struct, and a footer of more than 64 KiB."""
    chosen = np.random.default_rng(1)
    rows = 40_000
    columns = {
        "i": pa.array(range(rows)),
        "a": chosen.random(rows),
        "small": pa.array([k % 3 for k in range(rows)], pa.int8()),
        "s": [f"k{k}" for k in range(rows)],
        "st": pa.array([{"x": k, "y": 2 * k} for k in range(rows)]),
    }
    path = tmp_path_factory.mktemp("wide") / "it's 100% *wide*.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=10_000)
    narrow = tmp_path_factory.mktemp("many") / "many.parquet"
    pq.write_table(pa.table({f"c{j}": chosen.random(400) for j in range(100)}), narrow, row_group_size=20)
    return {"few": str(path), "many": str(narrow)}


READS = [
    ("few", "i < 12000", ["i"]),
    ("few", "i < 12000", ["a", "s"]),
    ("few", "i < 12000", ["i", "s", "small"]),
    ("few", "i < 12000", ["st.x"]),
    ("few", "st.x < 12000", ["i"]),
    ("few", "i < 12000", None),
    ("few", "i < 0", None),
    ("many", "c1 < 0.5", ["c3", "c20"]),
    ("many", "c1 < 0.5", None),
]


def test_the_requests_are_those_that_arrow_makes(wide):
    plans = []
    for name, where, columns in READS:
        with pqexplore.ask(wide[name], where, columns=columns, engine="pyarrow") as plan:
            plans.append((plan, observer.job(plan)))
    outcomes = run("pyarrow_process", [query for _, query in plans])["outcomes"]
    ours = [sorted([one.start, one.end] for one in plan.reading.requests) for plan, _ in plans]
    assert ours == [sorted(one["ranges"]) for one in outcomes]
    assert [plan.reading.bytes for plan, _ in plans] == [one["bytes"] for one in outcomes]
    footer = plans[-1][0].reading.pieces[0].span
    assert len(footer) > engine("pyarrow").footer_guess


@pytest.mark.parametrize(("spans", "requests"), [
    ([(0, 100), (8292, 9000)], [(0, 9000)]),
    ([(0, 100), (8293, 9000)], [(0, 100), (8293, 9000)]),
    ([(0, 20 << 20), (20 << 20, 40 << 20)], [(0, 20 << 20), (20 << 20, 40 << 20)]),
    ([(0, 10 << 20), (10 << 20, 32 << 20)], [(0, 32 << 20)]),
    ([(0, 40 << 20)], [(0, 40 << 20)]),
])  # fmt: skip
def test_ranges_are_joined_up_to_32_mib_and_not_divided(spans, requests):
    made = engine("pyarrow").requests(Span(start, end, FILE) for start, end in spans)
    assert [(one.start, one.end) for one in made] == requests


def test_an_observation(wide):
    with pqexplore.ask(wide["few"], "i < 12000", columns=["a"], engine="pyarrow") as plan:
        found = run_engines.observe("pyarrow", plan)
        assert (found.engine, found.version) == ("pyarrow", pa.__version__)
        assert (found.rows, found.row_groups, found.groups_read) == (12_000, (0, 1), 2)
        assert (found.rows_scanned, found.bytes_read) == (20_000, plan.reading.bytes)


LOST = [
    ("z IN (0.0, 7.0)", [0, 1], "distinguishes the zeros"),
    ("nan != 5.0", [0], "5"),
    ("isnan(nan)", [0], ""),
    ("z = 0.0", [], ""),
    ("nan > 100.0", [], ""),
    ("m = 5", [], ""),
]


@pytest.mark.parametrize(("where", "groups", "why"), LOST)
def test_rows_that_arrow_may_lose(tmp_path, where, groups, why):
    with pqexplore.ask(written(tmp_path, {}), where, engine="pyarrow") as plan:
        assert [index for one in plan.wrong_rows for index in one.row_groups] == groups
        assert all(why in one.why for one in plan.wrong_rows)
