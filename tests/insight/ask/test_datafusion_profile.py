"""The profile of DataFusion against DataFusion: how many row groups, pages and rows each kind of evidence leaves."""

import math
import struct

import pyarrow as pa
import pytest
from insight.ask.profile_cases import PREDICATES
from insight.ask.profile_harness import Case

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.insight.ask import row_ranges, run_engines
from pqexplore.insight.ask.run_engines import datafusion as observer
from pqexplore.insight.ask.run_engines.process import run

pytest.importorskip("datafusion")

MORE = (
    *("s NOT LIKE 'k000%'", "gs LIKE '%2'", "gs NOT LIKE 'g_'", "s LIKE 'k00039%'", "fn IN (1.25, double('NaN'))"),
    *("z NOT IN (0.0, 7.0)", "z IN (-0e0, 7e0)", "bin IN (X'00000003', X'00000064')", "i < 39.5", "d > 1.999"),
    *("i = 4 AND i = 6", "i = 4 AND i IN (6, 8)", "i IN (2, 4) AND i IN (4, 6)", "i IN (2, 4) AND i IN (8, 10)"),
    *("(i = 4 AND s = 'k00004') OR (i = 6 AND s = 'k00006')", "(i = 101 AND f < 3) OR (i = 103 AND s = 'a')"),
    *("i = 4 AND i != 4", "n IS NULL AND n = 5", "i = 101 OR s = 'none'", "day >= TIMESTAMP_NTZ '2026-03-01 12:00:00'"),
    *(f"i IN ({', '.join(map(str, range(101, 101 + 2 * length, 2)))})" for length in (20, 21)),
    *(f"g NOT IN ({', '.join(map(str, range(2, length + 2)))})" for length in (20, 21)),
)  # fmt: skip
"""Conditions about what DataFusion does in its own way, beside those that all engines are asked."""

NOT_ASKED = (
    *("CAST(i AS STRING) = '100'", "CAST(i AS DOUBLE) = 100.0", "li IS NOT NULL", "st IS NOT NULL"),
    *("array_contains(li, 100)", "array_contains(li, 1001)", "li[0] = 100", "li[1] = 5000"),
)
"""Conditions that are not put to DataFusion: the profile skips nothing by them."""


def of_profile(plan):
    """How many row groups are left by bounds, and by Bloom filters, and how many rows by the column index."""
    left = [group for group in plan.groups if group.kept or group.asked[-1] == "page index"]
    by_bounds = [g for g in plan.groups if g.kept or g.asked[-1] in ("page index", "Bloom filter")]
    rows = sum(row_ranges.count(group.ranges) for group in plan.kept)
    return len(by_bounds), len(left), rows


def of_engine(outcome):
    counts = outcome["counts"]
    return (*(counts[kind][1] if counts else 0 for kind in ("statistics", "bloom")), outcome["rows_scanned"])


def compared(asked):
    """The conditions for which DataFusion does not read what the profile says, each with both."""
    made = []
    for case in asked:
        try:
            made.append((case, observer.job(case.plan)))
        except UsageError:
            assert case.sql in NOT_ASKED, case.sql
            assert len(case.kept) == len(case.plan.groups)
    outcomes = run("datafusion_process", [query for _, query in made])["outcomes"]
    assert not [(case.sql, one) for (case, _), one in zip(made, outcomes, strict=True) if "error" in one]
    both = [
        (case.name, case.sql, of_profile(case.plan), of_engine(one))
        for (case, _), one in zip(made, outcomes, strict=True)
    ]
    return [one for one in both if one[2] != one[3]]


def plans(files, conditions):
    for name, path in files.items():
        with pqexplore.open(path) as file:
            for where in conditions:
                yield Case(name, where, pqexplore.ask(file, where, ["i"], engine="datafusion"))


@pytest.mark.full
def test_datafusion_reads_what_the_profile_says(profile_files):
    conditions = [one.sql for one in PREDICATES][::3]
    files = dict(list(profile_files.items())[::2])
    assert len(conditions) >= 60
    assert len(files) >= 10
    assert compared(plans(files, conditions)) == []
    assert compared(plans(dict(list(files.items())[::3]), MORE)) == []


@pytest.mark.full
def test_datafusion_reads_what_the_profile_says_for_every_condition(profile_files):
    conditions = [one.sql for one in PREDICATES]
    assert compared(plans(profile_files, [*conditions, *MORE])) == []


OURS = {
    "i": pa.array(range(30), pa.int64()),
    "i8": pa.array(range(30), pa.int8()),
    "s": [f"k{k:02}" for k in range(30)],
    "mixed": pa.array([None if k % 2 else k for k in range(30)], pa.int64()),
    "nulls": pa.array([None] * 30, pa.int64()),
    "same": pa.array([5] * 30, pa.int64()),
    "b": [None] * 10 + [False] * 10 + [True] * 10,
    "nan": [math.nan] * 10 + [float(k) for k in range(20)],
    "z": [0.0] * 10 + [-0.0] * 10 + [1.0] * 10,
    "at": pa.array([k * 86_400_000_000 for k in range(30)], pa.timestamp("us")),
    "st": [{"x": k} for k in range(30)],
}
"""Three row groups of ten rows."""

BLOOM = {"bloom_filter": True, "bloom_filter_bytes": 1024, "statistics": (), "column_index": False}
INT96 = {"columns": {"at": {"physical_type": "INT96"}}}

CHOICES = [
    # A null count that is absent counts as 0.
    ({"statistics_fields": ("bounds",)}, "mixed IS NULL", 0),
    ({}, "mixed IS NULL", 3),
    # Bounds of the file leave out row groups without bounds; NaN is not in bounds.
    ({}, "nan > 100.0", 0),
    ({}, "nan = 5.0", 2),
    ({"statistics_fields": ("null_count",), "column_index": False}, "nan > 100.0", 3),
    # A column with one value, or with nulls only, is replaced by it.
    ({}, "same = 6 OR i = 3", 1),
    ({}, "nulls = 5", 3),
    ({}, "nulls = 5 OR i = 3", 3),
    ({}, "nulls = 5 AND i = 3", 1),
    ({}, "nulls <=> 5", 0),
    # A boolean column by itself is compared without a look at its nulls; IS TRUE is not.
    ({}, "b", 2),
    ({}, "b = true", 2),
    ({}, "b <=> true", 1),
    # Legacy bounds and unknown orders are used, bounds of INT96 and fields of structs are not.
    ({"column_order": None, "statistics_fields": ("legacy", "null_count")}, "i = 3", 1),
    ({"column_order": None}, "s = 'k03'", 1),
    ({"created_by": "parquet-mr version 1.7.0"}, "s = 'k03'", 1),
    (INT96, "at = TIMESTAMP_NTZ '1970-01-05 00:00:00'", 3),
    ({}, "st.x = 3", 3),
    # Bloom filters: which types, and one zero only.
    (BLOOM, "i = 3", 1),
    (BLOOM, "i8 = 3", 3),
    (BLOOM, "i <=> 3", 3),
    (BLOOM, "z = 0.0", 1),
    (BLOOM, "z = -0e0", 1),
    (BLOOM, "at = TIMESTAMP_NTZ '1970-01-05 00:00:00'", 3),
    (BLOOM, "i = 300 OR s = 'none'", 3),
    (BLOOM, "i = 300 OR i = 301", 0),
]  # fmt: skip
"""Options of the writer, a condition, and how many row groups DataFusion reads."""


def written(folder, options):
    path = folder / "ours.parquet"
    chosen = {"row_group_rows": 10, "page_rows": 5, **options}
    pqexplore.write(pa.table(OURS), path, pqexplore.WriteOptions(**chosen))
    return path


def planned(folder, at, options, where, columns=("i",)):
    """The plan of a query on a file of its own, which stays open."""
    folder = folder / str(at)
    folder.mkdir()
    return pqexplore.ask(written(folder, options), where, columns, engine="datafusion")


def test_which_claims_datafusion_trusts(tmp_path):
    plans = [planned(tmp_path, at, options, where) for at, (options, where, _) in enumerate(CHOICES)]
    expected = [(where, groups) for _, where, groups in CHOICES]
    outcomes = run("datafusion_process", [observer.job(plan) for plan in plans])["outcomes"]
    assert [(plan.where, len(plan.kept)) for plan in plans] == expected
    found = zip(plans, outcomes, strict=True)
    assert [(plan.where, one["row_groups"]) for plan, one in found] == expected


PAGES = [
    ({}, "i = 3", 5),
    ({}, "i = 3 AND s = 'k03'", 5),
    ({}, "i = 3 AND s = 'k09'", 0),
    ({}, "i = 3 OR i = 25", 10),
    ({}, "i = 3 OR s = 'k25'", 20),
    ({"columns": {"s": {"column_index": False}}}, "i = 3", 5),
    ({"columns": {"s": {"column_index": False, "offset_index": False}}}, "i = 3", 10),
]
"""Options of the writer, a condition, and how many rows DataFusion decodes."""


def test_rows_that_the_column_index_leaves(tmp_path):
    plans = [planned(tmp_path, at, options, where) for at, (options, where, _) in enumerate(PAGES)]
    expected = [(where, rows) for _, where, rows in PAGES]
    outcomes = run("datafusion_process", [observer.job(plan) for plan in plans])["outcomes"]
    assert [(plan.where, of_profile(plan)[2]) for plan in plans] == expected
    found = zip(plans, outcomes, strict=True)
    assert [(plan.where, one["rows_scanned"]) for plan, one in found] == expected


def without_statistics(path, column, row_group):
    """The file with a footer that has no Statistics of one chunk."""
    raw = path.read_bytes()
    with pqexplore.open(raw) as file:
        metadata, start = file.metadata, file.footer.start
        names = [leaf.path[0] for leaf in file.schema.leaves]
        groups = list(metadata.row_groups)
        columns = list(groups[row_group].columns)
        columns[names.index(column)].meta_data.statistics = None
        groups[row_group].columns, metadata.row_groups = columns, groups
        footer = encode(metadata)
    made = path.with_name("cut.parquet")
    made.write_bytes(raw[:start] + footer + struct.pack("<i", len(footer)) + b"PAR1")
    return made


def test_rows_of_a_row_group_without_statistics_are_lost(tmp_path):
    path = without_statistics(written(tmp_path, {"column_index": False}), "i", 0)
    with pqexplore.ask(path, "i = 3", engine="datafusion") as plan:
        assert [group.by for group in plan.groups] == ["bounds of the file"] * 3
        found = run_engines.observe("datafusion", plan)
        assert (found.rows, found.groups_read) == (0, 0)
        assert [one.row_groups for one in plan.wrong_rows] == [(0,)]
        assert plan.sentence.startswith("DataFusion 55 (arrow-rs) may lose rows")
    with pqexplore.ask(path, "i = 13", engine="datafusion") as plan:
        assert [group.kept for group in plan.groups] == [True, True, False]
        assert not plan.wrong_rows


LOST = [
    ({}, "nan > 100.0", [0]),
    ({}, "nan < 5.0", []),
    ({}, "i = 3", []),
    (BLOOM, "z = 0.0", [1]),
    (BLOOM, "z = 1.0", []),
    ({"statistics_fields": ("bounds",)}, "mixed IS NULL", [0, 1, 2]),
]
"""Options of the writer, a condition, and the row groups of which DataFusion may lose rows."""


def test_rows_that_datafusion_may_lose(tmp_path):
    bare = {"statistics": (), "column_index": False}
    plans = [planned(tmp_path, at, options, where) for at, (options, where, _) in enumerate(LOST)]
    whole = [planned(tmp_path, -1 - at, bare, where) for at, (_, where, _) in enumerate(LOST)]
    outcomes = run("datafusion_process", [observer.job(plan) for plan in plans + whole])["outcomes"]
    rows = [one["rows"] for one in outcomes]
    for at, (_, where, groups) in enumerate(LOST):
        lost = [index for one in plans[at].wrong_rows for index in one.row_groups]
        assert (where, lost) == (where, groups)
        assert (where, rows[at] < rows[at + len(LOST)]) == (where, bool(groups))


READS = [
    ({}, "i = 3", ["s"]),
    ({}, "i > 3", ["i8", "s", "st", "z"]),
    (BLOOM, "i = 3 AND s = 'k03'", ["z"]),
    ({}, "st.x = 3", ["i"]),
]


def test_pages_and_filters_are_the_bytes_that_datafusion_counts(tmp_path):
    plans = [planned(tmp_path, at, *read) for at, read in enumerate(READS)]
    outcomes = run("datafusion_process", [observer.job(plan) for plan in plans])["outcomes"]
    counted = ("data page", "dictionary page", "column chunk", "Bloom filter")
    ours = [sum(len(one.span) for one in plan.reading.pieces if one.what in counted) for plan in plans]
    assert ours == [one["bytes"] for one in outcomes]


@pytest.mark.parametrize("name", ["it's 100% *.parquet", 'a "b";DROP TABLE rows.parquet'])
def test_names_of_files_and_columns_are_data(tmp_path, name):
    column = "x\" FROM rows; DROP TABLE rows; --'"
    path = tmp_path / name
    pqexplore.write(pa.table({column: ["it's", "o\\k"]}), path)
    with pqexplore.ask(path, f"`{column}` IN (\"it's\", 'x')", engine="datafusion") as plan:
        assert run_engines.observe("datafusion", plan).rows == 1


def test_an_observation(tmp_path):
    import datafusion

    with pqexplore.ask(written(tmp_path, {}), "i > 12", ["s"], engine="datafusion") as plan:
        found = run_engines.observe("datafusion", plan)
        assert (found.engine, found.version) == ("datafusion", datafusion.__version__)
        assert (found.rows, found.groups_read, found.rows_scanned) == (17, 2, 20)


@pytest.mark.full
def test_row_groups_that_the_page_index_rules_out_are_not_counted_as_read(tmp_path):
    """DataFusion's metrics do not count them: of several row groups with ruled out pages, it is not known how many are read."""
    path = written(tmp_path, {})
    seen = {}
    for where in (
        "i IN (4, 14) AND s IN ('k09', 'k19')",  # no page is left
        "i IN (3, 13, 27) AND s IN ('k09', 'k19', 'k27')",  # a page of the last row group
        "i IN (3, 13) AND s IN ('k04', 'k14')",  # a page of each
        "i IN (3, 5) AND s IN ('k04', 'k09')",
    ):
        with pqexplore.ask(path, where, ["i"], engine="datafusion") as plan:
            found = run_engines.observe("datafusion", plan)
            seen[where[6:].split(")")[0]] = (found.row_groups, found.groups_read, len(plan.kept))
    assert seen == {"4, 14": ((), 0, 0), "3, 13": (None, None, 2), "3, 13, 27": (None, None, 1), "3, 5": (None, 1, 1)}


def test_without_datafusion(tmp_path, monkeypatch):
    monkeypatch.setattr(observer.importlib.util, "find_spec", lambda name: None)
    plan = pqexplore.ask(written(tmp_path, {}), "i > 12", engine="datafusion")
    with plan, pytest.raises(UsageError, match="pip install datafusion"):
        run_engines.observe("datafusion", plan)
