"""The rules about logs, and about files that differ from the others of their table: each fires, and its near miss does not."""

import dataclasses
import datetime

import pytest

from pqexplore.engine.rule import Severity
from pqexplore.lake.doctor import column_bounds, states, together, uneven
from pqexplore.lake.doctor.column_bounds import ColumnRange
from pqexplore.lake.doctor.rules import NAMES, RULES
from pqexplore.lake.report import actions

FACTS = together.FileFacts("t/a.parquet", 1000, "t", "s", "w", "SNAPPY")


def facts(*, count=1, name="a", **changed):
    return [
        dataclasses.replace(FACTS, path=f"{changed.get('table', 't')}/{name}{at}.parquet", **changed)
        for at in range(count)
    ]


def sizes(count, size, large=0):
    """A file for each day, the first of another size."""
    return [
        dataclasses.replace(FACTS, path=f"t/day={at}/a.parquet", size=large if large and not at else size)
        for at in range(count)
    ]


MANY = uneven.PARTITIONS
LARGE = uneven.SKEW_BYTES
UNEVEN = [
    (facts(count=2) + facts(name="b", bare=True), "files-without-statistics"),
    (facts(count=2, bare=True), ""),  # none has statistics: the rule of each file says it
    (facts(count=2) + facts(bare=True, table="u"), ""),  # another table
    (facts(bare=True) + facts(name="b", codecs=""), ""),  # the other file has no column chunk
    (facts(count=2) + facts(name="b", unindexed=True), "files-without-page-index"),
    (facts(count=2, unindexed=True), ""),  # what pyarrow writes by default
    (sizes(MANY, 1000), "many-partitions"),
    (sizes(MANY - 1, 1000), ""),
    (sizes(MANY, uneven.PARTITION_BYTES), ""),  # enough data in each
    (sizes(3, 1000, LARGE + 1), "skewed-partitions"),
    (sizes(3, 1000, LARGE), ""),  # a small one, however far above the median
    (sizes(3, LARGE, 5 * LARGE), ""),  # five times the median, and not more
    (sizes(3, LARGE, 5 * LARGE + 1), "skewed-partitions"),
    (facts(count=9) + facts(name="b", size=2 << 20), "huge-file"),
    (facts(count=9) + facts(name="b", size=1 << 20), ""),
    (facts(count=6) + facts(name="b", size=2 << 20), ""),  # too few files to say
    (facts(count=9, size=30_000) + facts(name="b", size=2 << 20), ""),  # 70 times the median
]  # fmt: skip


@pytest.mark.parametrize("files, rule", UNEVEN)
def test_files_that_differ_from_the_others(files, rule):
    assert [one.rule for one in uneven.uneven(files)] == [rule] * bool(rule)


def ranges(*pairs, type="INT64", key=lambda at: f"t/{at:02}.parquet", text=str, **more):
    """Files of one table with a range of a column each, and the facts about them."""
    rows = [
        ColumnRange(key(at), "id", type, *(bytes([one]) for one in pair), *map(text, pair), 10, 0)
        for at, pair in enumerate(pairs)
    ]
    return rows, [dataclasses.replace(FACTS, path=key(at), rows=10, footer_hash=str(at), **more) for at in range(len(pairs))]  # fmt: skip


SORTED = [(10 * at, 10 * at + 9) for at in range(4)]
LAST = [(10 * at, 10 * at + 9) for at in range(4, 23)]
ORDERS = [
    # ranges, files that are named, files that a query for one value reads now, and when these are sorted together
    ([*SORTED, *[(0, 40)] * 4], 4, 5, 2),
    ([*SORTED, (0, 40), (0, 40), (50, 60), (70, 80)], 2, 1 + 4 / 3, 2),  # of 6 ranges, they overlap 4
    ([*SORTED, *LAST[:-3], *[(0, 230)] * 5], 5, 6, 2),
    ([*SORTED, (0, 40), (50, 60), (70, 80), (90, 99)], 0, 0, 0),  # one file overlaps: sorted alone, it would still
    ([*SORTED, *[(0, 19)] * 4], 4, 3, 2),  # half of the ranges
    ([*SORTED, *[(0, 9)] * 4], 0, 0, 0),  # one of them
    ([*SORTED, *LAST[:4]], 0, 0, 0),  # still sorted
    ([(at, at + 1) for at in range(8)], 0, 0, 0),  # neighbours share a bound
    ([(0, 40)] * 8, 0, 0, 0),  # never sorted
    ([(5, 5)] * 6 + [(0, 9)] * 6, 0, 0, 0),  # one value in many files
    ([*SORTED[:3], *[(0, 40)] * 3], 0, 0, 0),  # too few files to say
]


@pytest.mark.parametrize("pairs, files, now, joined", ORDERS)
def test_an_order_of_files_that_was_lost(pairs, files, now, joined):
    found = list(column_bounds.decayed(*ranges(*pairs)))
    assert [one.files for one in found] == [files] * bool(files)
    for one in found:
        assert one.columns == (("id", files),) and one.cost.requests == round(now - 1)
        assert f"`id` reads {now:.3g} of {len(pairs)} files; {joined} when these" in one.sentence


def test_columns_that_lost_their_order_in_the_same_files_are_one_finding():
    rows, files = ranges(*SORTED, *[(0, 40)] * 4)
    [one] = column_bounds.decayed([*rows, *(dataclasses.replace(row, column="at") for row in rows)], files)
    assert one.sentence.startswith("t/04.parquet, t/05.parquet and 2 more: lost order by `at` and `id`: 4 of 8 files")


def days(*pairs, **more):
    """Files in folders of the days 1, 2, …, with the range of a column by days."""
    return ranges(
        *pairs,
        key=lambda at: f"t/day=2026-11-{at + 1:02}/a.parquet",
        text=lambda day: f"2026-11-{day:02} 10:00",
        **more,
    )


WHERE = [
    (days((1, 1), (2, 2), (3, 3), (4, 4), (9, 9), type="TIMESTAMP(µs, UTC)"), 1),
    (days((1, 1), (2, 2), (3, 3), (4, 4), (4, 6), type="TIMESTAMP(µs, UTC)"), 0),  # some rows are of the day
    (days((1, 1), (2, 2), (3, 3), (9, 9), type="TIMESTAMP(µs, UTC)"), 0),  # too few to say
    (days((2, 2), (3, 3), (4, 4), (5, 5), (9, 9), type="DATE"), 0),  # never the day of the folder
    (days((1, 1), (2, 2), (3, 3), (4, 4), (9, 9), type="STRING"), 0),  # no day
    (ranges((1, 1), (2, 2), (3, 5), key=lambda at: f"t/id={at + 1}/a.parquet"), 1),  # other values, too
    (ranges((1, 1), (2, 2), (3, 3), key=lambda at: f"t/ID={at + 1:02}/a.parquet"), 0),  # numbers
    (ranges((1, 1), (2, 2), key=lambda at: f"t/id={at}/a.parquet"), 2),
    (ranges((1, 1), (2, 2), key=lambda at: f"t/no={at}/a.parquet"), 0),  # another column
    (ranges((1, 1), (2, 2), key=lambda at: f"t/id={at}/a.parquet", type="DOUBLE"), 0),  # texts that differ by reader
    (ranges((1, 5), (5, 5), key=lambda at: f"t/id={'3b'[at]}/a.parquet", type="STRING"), 1),  # the first may be cut
    (ranges((1, 1), key=lambda at: "t/id=__HIVE_DEFAULT_PARTITION__/a.parquet"), 1),
]  # fmt: skip


@pytest.mark.parametrize("made, files", WHERE)
def test_values_that_are_not_those_of_the_folder(made, files):
    assert [one.files for one in column_bounds.contradicted(*made)] == [files] * bool(files)


ALIKE = [
    # ranges, whether the rows are the same, files that are named
    ([(0, 9), (0, 9), (10, 19)], True, 1),
    ([(0, 9), (0, 9), (10, 19)], False, 0),
    ([(0, 9), (0, 9), (10, 19)], None, 0),  # not looked at
    ([(0, 9), (0, 8), (10, 19)], True, 0),
    ([(5, 5), (5, 5)], True, 0),  # one value each: that says nothing of rows
]


@pytest.mark.parametrize("pairs, equal, files", ALIKE)
def test_files_with_the_same_rows(pairs, equal, files):
    found = list(column_bounds.same_rows(*ranges(*pairs), lambda first, second: equal))
    assert [one.files for one in found] == [files] * bool(files)


def test_a_copy_and_a_file_of_another_partition_are_not_compared():
    rows, files = ranges((0, 9), (0, 9))
    copies = [dataclasses.replace(one, footer_hash="h") for one in files]
    assert list(column_bounds.same_rows(rows, copies, lambda *_: True)) == []
    apart = ranges((0, 9), (0, 9), key=lambda at: f"t/day={at}/a.parquet")
    assert list(column_bounds.same_rows(*apart, lambda *_: True)) == []


@pytest.mark.parametrize(
    "versions, old",
    [("1.8.1 1.13.0 1.13.0", 1), ("1.13.0 1.13.0", 0), ("1.9 1.10", 1), (" 1.13.0", 0), ("build-x 1.13.0", 1)],
)
def test_older_versions_of_a_writer(versions, old):
    files = [dataclasses.replace(FACTS, path=f"t/{at}", version=one) for at, one in enumerate(versions.split(" "))]
    assert [one.files for one in together.old_writers(files)] == [old] * bool(old)


@pytest.mark.parametrize("codecs, features, engines", [
    ("SNAPPY, ZSTD", set(), None),
    ("LZO, SNAPPY", set(), {"Spark", "DuckDB", "pyarrow", "polars"}),
    ("BROTLI", set(), {"Spark"}),
    ("SNAPPY", {"float16"}, {"Spark"}),
    ("SNAPPY", {"ordinary", "nested"}, None),
    ("SNAPPY", {"no-such-feature"}, None),
])  # fmt: skip
def test_what_engines_refuse(codecs, features, engines):
    found = list(uneven.refused(facts(codecs=codecs), {"s": features}))
    assert [set(one.engines) for one in found] == ([] if engines is None else [engines])


FILE = {
    "path": "t/a",
    "size": 100,
    "status": "ok",
    "num_rows": 100,
    "listed_rows": 100,
    "table_path": "t",
    "state": "live",
    "state_reason": None,
    "deleted_rows": 0,
    "kept_until": None,
    "footer_hash": None,
}
NOW = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
SECOND = datetime.timedelta(seconds=1)
HASH = {"footer_hash": "h"}
TABLE = {"path": "t", "format": "delta", "status": "ok", "error_code": None, "error": None}
GONE = {"status": "not-read", "num_rows": None, "listed_rows": None}
STATES = [
    ([FILE], TABLE, ""),
    ([FILE | {"listed_rows": 99}], TABLE, "log-disagrees"),
    ([FILE | {"listed_rows": None}], TABLE, ""),  # the log does not say
    ([FILE | {"deleted_rows": 5}], TABLE, "deleted-rows"),
    ([FILE | {"deleted_rows": 4}], TABLE, ""),
    ([FILE | {"deleted_rows": 30}], TABLE | {"format": "iceberg"}, "deleted-rows"),
    ([FILE | {"deleted_rows": 29}], TABLE | {"format": "iceberg"}, ""),
    ([FILE | {"deleted_rows": None}], TABLE, ""),
    ([FILE | GONE | {"state": "removed", "kept_until": NOW}], TABLE, "removed-files"),
    ([FILE | GONE | {"state": "removed", "kept_until": NOW + SECOND}], TABLE, ""),
    ([FILE | GONE | {"state": "removed"}], TABLE, ""),  # until when it is kept is not known
    ([FILE | GONE | {"state": "orphan", "kept_until": NOW}], TABLE, "unreferenced-files"),
    ([FILE | GONE | {"state": "unreferenced", "kept_until": NOW}], TABLE, "unreferenced-files"),
    ([FILE | GONE | {"state": "unreferenced", "kept_until": NOW + SECOND}], TABLE, ""),
    ([FILE | HASH, FILE | HASH | {"path": "t/b"}], TABLE, "duplicate-files"),
    ([FILE | HASH, FILE | HASH | {"path": "t/b", "size": 101}], TABLE, ""),
    ([FILE | HASH, FILE | HASH | {"path": "u/a", "table_path": "u"}], TABLE, ""),
    ([FILE | HASH, FILE | {"path": "t/b"}], TABLE, ""),
    ([one | {"num_rows": 0, "listed_rows": 0} for one in (FILE | HASH, FILE | HASH)], TABLE, ""),
    ([FILE | GONE | {"state": "deletes"}], TABLE, ""),  # a delete file in use
    ([FILE | GONE | {"state": "changes"}], TABLE, ""),
    ([FILE | GONE | {"state": "removed", "status": "vanished"}], TABLE, ""),
    ([FILE], TABLE | {"status": "error", "error_code": "corrupt", "error": "x"}, "log-unreadable"),
]


@pytest.mark.parametrize("files, table, rule", STATES)
def test_what_logs_show(files, table, rule):
    assert [one.rule for one in states.states(files, [table], now=NOW)] == [rule] * bool(rule)


COPIED = [
    # partitions of equal files, other files of the table, severity
    ("a a", 0, Severity.WRONG),
    ("a b", 0, Severity.NOTE),  # whole partitions are equal
    ("a b c", 8, Severity.NOTE),
    ("a b", 6, Severity.WRONG),  # in a table whose other files differ
    ("a a b", 0, Severity.WRONG),
]


@pytest.mark.parametrize("partitions, others, severity", COPIED)
def test_copies_in_other_partitions_may_be_how_the_data_is(partitions, others, severity):
    equal = [
        FILE | HASH | {"path": f"t/{n}", "partition_values": f"k={one}"} for n, one in enumerate(partitions.split())
    ]
    more = [FILE | {"path": f"t/x{n}", "footer_hash": f"h{n}"} for n in range(others)]
    [one] = states.states([*equal, *more], [TABLE], now=NOW)
    assert (one.rule, one.severity, one.files) == ("duplicate-files", severity, len(equal) - 1)


@pytest.mark.parametrize("code, severity", [("corrupt", Severity.DAMAGE), ("missing-library", Severity.PORTABILITY)])
def test_a_log_that_we_cannot_read_is_not_called_damaged(code, severity):
    (one,) = states.states([], [TABLE | {"status": "error", "error_code": code, "error": "x."}])
    assert one.severity is severity


def test_each_rule_has_a_name_of_its_own_and_each_action_fixes_rules_that_exist():
    names = [one.name for one in RULES]
    assert len(set(names)) == len(names)
    assert {rule for kind in actions.KINDS for rule in kind.rules} <= NAMES
