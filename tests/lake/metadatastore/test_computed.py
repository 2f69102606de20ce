"""What is computed of a condition that no index compares by itself: functions, casts, texts as timestamps, patterns."""

import datetime
import math
from decimal import Decimal

import pyarrow as pa
import pytest
from lake.metadatastore.datasets import dataset, paths

from pqexplore.lake import metadatastore
from pqexplore.lake.metadatastore import BloomFilter, MinMax, ValueList

UTC = datetime.UTC


def at(*parts):
    return datetime.datetime(*parts, tzinfo=UTC)


ROWS = {
    "a": {
        "n": pa.array([1, 2, 4], pa.int32()),
        "d": pa.array([-1.5, 0.5, 2.5]),
        "s": pa.array(["ant", "bee", None]),
        "day": pa.array([datetime.date(2020, 1, 5), datetime.date(2020, 2, 10)] * 1 + [None]),
        "ts": pa.array([at(2020, 12, 31, 20), at(2020, 12, 31, 22, 30), None], pa.timestamp("us", "UTC")),
        "tn": pa.array([datetime.datetime(2020, 12, 31, 22)] * 3, pa.timestamp("us")),
        "amount": pa.array([Decimal("1.50"), Decimal("2.75"), None], pa.decimal128(5, 2)),
        "flag": pa.array([True, None, True]),
    },
    "b": {
        "n": pa.array([10, 2_147_483_647, None], pa.int32()),
        "d": pa.array([math.nan, 10.0, 20.0]),
        "s": pa.array(["Cat", "cow", "ÄÖ"]),
        "day": pa.array([datetime.date(2020, 11, 30), datetime.date(2021, 2, 1), None]),
        "ts": pa.array([at(2021, 3, 1), at(2021, 3, 28, 12), None], pa.timestamp("us", "UTC")),
        "tn": pa.array([datetime.datetime(2021, 3, 28, 12)] * 3, pa.timestamp("us")),
        "amount": pa.array([Decimal("-3.00"), Decimal("900.25"), None], pa.decimal128(5, 2)),
        "flag": pa.array([False, False, None]),
    },
}  # fmt: skip
NAMES = tuple(ROWS["a"])


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    root = dataset(tmp_path_factory.mktemp("ds"), **ROWS)
    wanted = {
        "minmax": [MinMax(name) for name in NAMES],
        "valuelist": [ValueList(name) for name in NAMES],
        "bloom": [BloomFilter("n", ndv=10), BloomFilter("s", ndv=10)],
    }
    return {name: metadatastore.build(None, root, some, tmp_path_factory.mktemp(name)) for name, some in wanted.items()}


def kept(store, condition, **options):
    return " ".join(paths(store.evaluate(condition, **options).kept)).replace(".parquet", "")


BOTH, NEITHER = "a b", ""

TABLE = [
    # timestamps as text are in the session's zone, here Europe/Berlin
    ("ts >= '2021-01-01'", "b", "b"),
    ("ts < '2020-12-31 23:30:00'", "a", "a"),
    ("ts < '2020-12-31 21:00:00'", NEITHER, NEITHER),
    ("ts > '2020-12-31 23:30:01'", "b", "b"),
    ("ts = '2020-12-31T20:00:00Z'", "a", "a"),
    ("ts <= '2020-12-31 20:00:00+00:00'", "a", "a"),
    ("ts >= '2021'", BOTH, BOTH),  # a form that is not read
    ("tn >= '2021-01-01'", "b", "b"),
    ("tn > '2020-12-31 22:00:00'", "b", "b"),
    ("tn >= '2020-12-31 22:00:00'", BOTH, BOTH),
    ("tn >= '2021-01-01Z'", BOTH, BOTH),  # Spark's reading of the zone is not certain
    ("ts >= DATE '2021-01-01'", "b", "b"),
    ("day >= TIMESTAMP '2020-12-01 00:00:00'", "b", "b"),
    # patterns
    ("s LIKE 'be%'", BOTH, "a"),
    ("s LIKE 'c%'", "b", "b"),
    ("s LIKE 'b_e'", BOTH, "a"),
    ("s LIKE '%w'", BOTH, "b"),
    ("s LIKE ''", NEITHER, NEITHER),
    ("s NOT LIKE '%'", NEITHER, NEITHER),
    ("startswith(s, 'C')", "b", "b"),
    ("contains(s, 'ee')", BOTH, "a"),
    ("s ILIKE 'CA%'", BOTH, "b"),
    ("s ILIKE 'be%'", BOTH, BOTH),  # ÄÖ is not computed
    ("s RLIKE '^be'", BOTH, "a"),
    ("s RLIKE 'b.e'", BOTH, BOTH),
    # functions of text
    ("upper(s) = 'ANT'", BOTH, BOTH),
    ("length(s) = 2", BOTH, "b"),
    ("substr(s, 1, 1) = 'a'", BOTH, "a"),
    ("substr(s, 2, 1) = 'n'", BOTH, "a"),
    ("left(s, 2) >= 'c'", "b", "b"),
    ("concat('x', s) < 'xb'", BOTH, BOTH),
    ("concat('x', s) < 'xC'", NEITHER, NEITHER),
    ("coalesce(s, 'q') = 'q'", BOTH, BOTH),
    ("coalesce(s, 'q') = 'r'", "b", NEITHER),
    ("trim(s) IN ('ant', 'emu')", BOTH, "a"),
    # parts of dates
    ("year(ts) = 2020", "a", "a"),
    ("year(ts) > 2020", "b", "b"),
    ("month(day) = 12", "b", NEITHER),
    ("month(day) = 11", "b", "b"),
    ("month(day) = 3", "b", NEITHER),
    ("day(day) = 7", BOTH, NEITHER),
    ("quarter(ts) = 4", "a", "a"),
    ("dayofweek(day) = 1", BOTH, "a"),  # a Sunday
    ("hour(ts) = 23", BOTH, "a"),
    ("date_trunc('YEAR', ts) = TIMESTAMP '2021-01-01 00:00:00'", "b", "b"),
    ("date_trunc('fortnight', ts) = '2021-01-01'", BOTH, BOTH),
    ("trunc(day, 'MM') = DATE '2020-02-01'", "a", "a"),
    ("trunc(day, 'MM') < DATE '2020-01-01'", NEITHER, NEITHER),
    ("to_date(ts) = '2020-12-31'", "a", "a"),
    ("CAST(ts AS DATE) < DATE '2020-12-31'", NEITHER, NEITHER),
    ("to_date(s, 'yyyy') = DATE '2020-01-01'", BOTH, BOTH),
    ("date_add(day, 30) > DATE '2021-03-01'", "b", "b"),
    ("datediff(day, DATE '2020-01-01') < 5", "a", "a"),
    ("CAST(day AS STRING) LIKE '2020-0%'", "a", "a"),
    ("last_day(day) = DATE '2021-02-28'", "b", "b"),
    ("day + 1 = DATE '2020-01-06'", "a", "a"),
    # numbers: an overflow is an error or another number, so that nothing is known
    ("n + 1 = 2", BOTH, BOTH),
    ("n - 1 = 1", "a", "a"),
    ("n * 2 = 8", BOTH, BOTH),
    ("-n < -5", "b", "b"),
    ("n % 10 = 7", "b", "b"),
    ("n / 2 > 2", "b", "b"),
    ("n / 0 > 2", BOTH, BOTH),
    ("abs(amount) > 1", BOTH, BOTH),
    ("floor(amount) = 900", "b", "b"),
    ("amount + 1 > 5", "b", "b"),
    ("CAST(n AS BIGINT) + 1 = 2", "a", "a"),
    ("CAST(n AS TINYINT) = 1", BOTH, BOTH),
    ("CAST(d AS INT) = -1", BOTH, BOTH),  # b has a NaN
    ("CAST(d AS INT) = 1", BOTH, "b"),
    ("floor(d) = 77", "b", "b"),
    ("d + 1 > 100", "b", "b"),  # NaN is above all numbers
    ("d * 2 < -5", "b", NEITHER),
    ("isnan(d)", "b", "b"),
    ("NOT isnan(d)", BOTH, BOTH),
    ("CAST(n AS STRING) = '4'", BOTH, "a"),
    ("CAST(s AS INT) = 4", BOTH, BOTH),
    ("try_cast(s AS INT) = 4", BOTH, "b"),
    ("n = '4'", "a", "a"),
    ("n = '4 '", BOTH, BOTH),
    ("n < d", BOTH, BOTH),
    ("n < d - 100", "b", "b"),
    ("round(d) = 77", BOTH, BOTH),
    # NULL, CASE
    ("n + 1 IS NULL", BOTH, BOTH),
    ("day + 1 IS NOT NULL", BOTH, BOTH),
    ("(n > 5) IS TRUE", "b", "b"),
    ("IF(n > 5, 'x', 'y') = 'x'", "b", "b"),
    ("CASE WHEN flag THEN 1 WHEN NOT flag THEN 2 ELSE 3 END = 2", BOTH, "b"),
    ("nullif(n, 1) = 1", "a", NEITHER),
    ("NOT (year(ts) = 2020)", "b", "b"),
    ("NOT (year(ts) = 2020 OR s LIKE 'C%')", "b", "b"),
    # constants
    ("n = 2 + 2", "a", "a"),
    ("n <=> 2 * 2", "a", "a"),
    ("n IN (2 + 2, 5)", "a", "a"),
    ("n BETWEEN 2 * 3 AND 10 + 10", "b", "b"),
    ("1 = 2", NEITHER, NEITHER),
    ("length('ab') = 2", BOTH, BOTH),
    ("rand() < 0", BOTH, BOTH),
    ("current_date() < day", BOTH, BOTH),
    ("unknown + 1 = 2", BOTH, BOTH),
    ("s = 'ant' COLLATE UTF8_LCASE", BOTH, BOTH),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "minmax", "valuelist"), TABLE)
def test_what_is_kept(stores, condition, minmax, valuelist):
    assert kept(stores["minmax"], condition, timezone="Europe/Berlin") == minmax
    assert kept(stores["valuelist"], condition, timezone="Europe/Berlin") == valuelist


@pytest.mark.parametrize("condition, expected", [
    ("n = 2 + 2", "a"),
    ("s = concat('C', 'at')", "b"),
    ("s = lower('BEE')", "a"),
    ("n + 1 = 2", BOTH),
    ("upper(s) = 'ANT'", BOTH),
])  # fmt: skip
def test_filters_answer_for_constants(stores, condition, expected):
    assert kept(stores["bloom"], condition) == expected


@pytest.mark.parametrize("condition, zone, expected", [
    ("ts >= '2021-01-02'", None, "b"),
    ("ts >= '2021-01-01'", None, BOTH),  # in Honolulu it is 10 hours later
    ("ts >= '2021-01-01'", "UTC", "b"),
    ("ts >= '2021-01-01'", "Asia/Tokyo", BOTH),
    ("year(ts) = 2021", "Asia/Tokyo", BOTH),
    ("year(ts) = 2021", None, BOTH),
    ("year(ts) = 2022", None, NEITHER),
    ("to_date(ts) = DATE '2021-03-28'", "America/New_York", "b"),
])  # fmt: skip
def test_the_sessions_zone(stores, condition, zone, expected):
    assert kept(stores["valuelist"], condition, timezone=zone) == expected
    assert set(expected.split()) <= set(kept(stores["minmax"], condition, timezone=zone).split())


def test_clocks_that_are_set_back_show_a_date_twice(tmp_path):
    """In St. John's, clocks went from 00:01 on 2006-10-29 back to 23:01: a day after midnight is the day before."""
    low, high = at(2006, 10, 29, 2, 30, 30), at(2006, 10, 29, 3, 0)
    root = dataset(tmp_path / "ds", f={"ts": pa.array([low, high], pa.timestamp("us", "UTC"))})
    store = metadatastore.build(None, root, [MinMax("ts")], tmp_path / "md")
    for day in ("2006-10-28", "2006-10-29"):
        condition = f"to_date(ts) = DATE '{day}'"
        assert kept(store, condition, timezone="America/St_Johns") == "f"


def test_a_partition_column_is_computed_with(tmp_path):
    root = dataset(tmp_path / "ds", **{"y=2020/f": {"n": [1]}, "y=2021/g": {"n": [1]}})
    store = metadatastore.build(None, root, [MinMax("n")], tmp_path / "md")
    found = store.evaluate("y * 100 + n = 202101")
    assert (paths(found.kept), len(found.skipped)) == (["g.parquet"], 1)
    found = store.evaluate("y + 1 = 2021")
    assert (paths(found.kept), len(found.partition_pruned)) == (["f.parquet"], 1)


def test_the_reason_names_the_values(stores):
    found = stores["valuelist"].evaluate("length(s) = 2")
    [name] = found.skipped
    [reason] = found.reasons[name]
    assert str(reason) == ("LENGTH(s) = 2 [s_valuelist_1]: ruled out, s has 2 different values: 'ant', 'bee'")
