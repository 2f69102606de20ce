"""The rules about logs, and about files that differ from the others of their table: each fires, and its near miss does not."""

import dataclasses
import datetime

import pytest

from pqexplore.engine.rule import Severity
from pqexplore.lake.doctor import states, together, uneven
from pqexplore.lake.doctor.rules import NAMES, RULES
from pqexplore.lake.report import actions

FACTS = together.FileFacts("t/a.parquet", 1000, "t", "s", "w", "SNAPPY")


def facts(*, count=1, name="a", **changed):
    return [
        dataclasses.replace(FACTS, path=f"{changed.get('table', 't')}/{name}{at}.parquet", **changed)
        for at in range(count)
    ]


def days(count, size, large=0):
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
    (days(MANY, 1000), "many-partitions"),
    (days(MANY - 1, 1000), ""),
    (days(MANY, uneven.PARTITION_BYTES), ""),  # enough data in each
    (days(3, 1000, LARGE + 1), "skewed-partitions"),
    (days(3, 1000, LARGE), ""),  # a small one, however far above the median
    (days(3, LARGE, 5 * LARGE), ""),  # five times the median, and not more
    (days(3, LARGE, 5 * LARGE + 1), "skewed-partitions"),
]  # fmt: skip


@pytest.mark.parametrize("files, rule", UNEVEN)
def test_files_that_differ_from_the_others(files, rule):
    assert [one.rule for one in uneven.uneven(files)] == [rule] * bool(rule)


def ranges(*pairs):
    """Files of one table by date, with a range each; and the facts about them."""
    rows, files = [], []
    for at, (low, high) in enumerate(pairs):
        path = f"t/{at:02}.parquet"
        rows.append({"path": path, "column_name": "id", "logical_type": "INT64", "low": bytes([low]), "high": bytes([high])})  # fmt: skip
        files.append(dataclasses.replace(FACTS, path=path, date=f"2026-11-{at + 1:02}"))
    return rows, files


SORTED = [(10 * at, 10 * at + 9) for at in range(4)]
DECAYED = [
    ([*SORTED, *[(0, 40)] * 4], 4),
    ([*SORTED, (0, 40), (0, 40), (50, 60), (70, 80)], 2),  # half of the newer files
    ([*SORTED, (0, 40), (50, 60), (70, 80), (90, 99)], 0),  # fewer
    ([*SORTED, *[(0, 19)] * 4], 4),  # half of the older ranges
    ([*SORTED, *[(0, 9)] * 4], 0),  # fewer
    ([*SORTED, *[(10 * at, 10 * at + 9) for at in range(4, 8)]], 0),  # still sorted
    ([(0, 40)] * 8, 0),  # never sorted
    ([*SORTED[:3], *[(0, 40)] * 3], 0),  # too few files to say
]


@pytest.mark.parametrize("pairs, files", DECAYED)
def test_an_order_of_files_that_was_lost(pairs, files):
    found = list(uneven.decayed(*ranges(*pairs)))
    assert [one.files for one in found] == [files] * bool(files)
    assert all(one.columns == (("id", files),) and "`id`" in one.sentence for one in found)


def test_files_of_one_day_are_neither_older_nor_newer():
    rows, files = ranges(*SORTED, *[(0, 40)] * 4)
    same = [dataclasses.replace(one, date="2026-11-01") for one in files]
    assert list(uneven.decayed(rows, same)) == []


@pytest.mark.parametrize(
    "codecs, features, engines",
    [
        ("SNAPPY, ZSTD", set(), None),
        ("LZO, SNAPPY", set(), {"Spark", "DuckDB", "pyarrow", "polars"}),
        ("BROTLI", set(), {"Spark"}),
        ("SNAPPY", {"float16"}, {"Spark"}),
        ("SNAPPY", {"ordinary", "nested"}, None),
        ("SNAPPY", {"no-such-feature"}, None),
    ],
)
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


@pytest.mark.parametrize("code, severity", [("corrupt", Severity.DAMAGE), ("missing-library", Severity.PORTABILITY)])
def test_a_log_that_we_cannot_read_is_not_called_damaged(code, severity):
    (one,) = states.states([], [TABLE | {"status": "error", "error_code": code, "error": "x."}])
    assert one.severity is severity


def test_each_rule_has_a_name_of_its_own_and_each_action_mends_rules_that_exist():
    names = [one.name for one in RULES]
    assert len(set(names)) == len(names)
    assert {rule for kind in actions.KINDS for rule in kind.rules} <= NAMES
