"""What mode sound skips, and why: each index alone, values that deceive, and stores by other writers."""

import datetime
import math
from decimal import Decimal

import pyarrow as pa
import pytest
from lake.metadatastore.datasets import BLOOM, column, dataset, minmax, minmax_store, paths, store_files, value_list

from pqexplore.engine.errors import UsageError
from pqexplore.lake import metadatastore
from pqexplore.lake.metadatastore import BloomFilter, MinMax, ValueList, sketch


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    """Three files: `low` (1 to 3), `high` (10 to 30), `none` (only NULLs); each kind of index on each column."""
    root = tmp_path_factory.mktemp("events")
    utc = datetime.UTC
    dataset(
        root,
        low={
            "n": [1, 2, None, 3],
            "d": [0.5, 1.5, None, 2.5],
            "s": ["a", "ab", None, "b"],
            "day": [datetime.date(2020, 1, d) for d in (1, 2, 3)] + [None],
            "ts": pa.array([datetime.datetime(2020, 1, 1, h, tzinfo=utc) for h in range(4)]),
            "amount": pa.array([Decimal("1.00"), Decimal("1.50"), None, None]),
            "flag": [True, True, None, True],
            "nest": [{"x": 1}, None, {"x": None}, {"x": 3}],
        },
        high={
            "n": [10, 20, 30],
            "d": [10.0, math.nan, -0.0],
            "s": ["x", "y", "ÿ"],
            "day": [datetime.date(2021, 1, d) for d in (1, 2, 3)],
            "ts": pa.array([datetime.datetime(2021, 1, 1, h, tzinfo=utc) for h in range(3)]),
            "amount": pa.array([Decimal("2.00"), Decimal("2.50"), Decimal("9.99")]),
            "flag": [False, False, True],
            "nest": [{"x": 10}, {"x": 11}, {"x": 12}],
        },
        none={
            "n": pa.array([None, None], pa.int64()),
            "d": pa.array([None, None], pa.float64()),
            "s": pa.array([None, None], pa.string()),
            "day": pa.array([None, None], pa.date32()),
            "ts": pa.array([None, None], pa.timestamp("us", "UTC")),
            "amount": pa.array([None, None], pa.decimal128(3, 2)),
            "flag": pa.array([None, None], pa.bool_()),
            "nest": pa.array([None, {"x": None}], pa.struct([("x", pa.int64())])),
        },
    )
    stores = {}
    names = ("n", "d", "s", "day", "ts", "amount", "flag", "nest.x")
    for kind in (MinMax, ValueList, BloomFilter):
        some = ("n", "s", "nest.x") if kind is BloomFilter else names
        out = tmp_path_factory.mktemp(kind.__name__)
        stores[kind.__name__] = metadatastore.build(None, root, [kind(name) for name in some], out)
    return stores


ALL = "high low none"


@pytest.mark.parametrize("condition, minmax, valuelist, bloom", [
    ("n < 5", "high none", "high none", "none"),
    ("n <= 10", "none", "none", "none"),
    ("n > 3", "low none", "low none", "none"),
    ("n = 2", "high none", "high none", "high none"),
    ("n = 15", "low none", ALL, ALL),
    ("n <> 2", "none", "none", "none"),
    ("n = 2.0", "high none", "high none", "high none"),
    ("n = 2.5", "high none", ALL, ALL),
    ("n < 2.5D", "high none", "high none", "none"),
    ("n IN (2, 40)", "high none", "high none", "high none"),
    ("n IN (4, 5, 6)", ALL, ALL, ALL),
    ("n NOT IN (1, 2, 3)", "none", "low none", "none"),
    ("n NOT IN (1, NULL)", ALL, ALL, ALL),
    ("n IS NULL", "", "", ""),
    ("n IS NOT NULL", "none", "none", "none"),
    ("n <=> 2", "high none", "high none", "high none"),
    ("NOT n <=> 2", "", "", ""),
    ("NOT (n < 5)", "low none", "low none", "none"),
    ("n BETWEEN 4 AND 9", ALL, ALL, "none"),
    ("n = 2 OR n = 20", "none", "none", "none"),
    ("n = 2 AND s = 'x'", ALL, ALL, ALL),
    ("n = 2 OR unknown = 1", "", "", ""),
    ("n = 2 AND unknown = 1", "high none", "high none", "high none"),
    ("d > 1e9", "low none", "low none", ""),
    ("d < 0", ALL, ALL, ""),
    ("d = 0", "low none", "low none", ""),
    ("s = 'ab'", "high none", "high none", "high none"),
    ("s = 'aa'", "high none", ALL, ALL),
    ("s > 'z'", "low none", "low none", "none"),
    ("s = 5", "none", "none", "none"),
    ("n = '5'", ALL, ALL, "none"),
    ("day = DATE '2020-01-02'", "high none", "high none", ""),
    ("day <> '2020-01-02'", "none", "none", ""),
    ("day = 'yesterday'", "none", "none", ""),
    ("ts >= TIMESTAMP '2020-06-01 00:00:00Z'", "low none", "low none", ""),
    ("ts >= TIMESTAMP '2020-06-01 00:00:00'", "low none", "low none", ""),
    ("amount = 1.5", "high none", "high none", ""),
    ("amount > 2", "low none", "low none", ""),
    ("flag", "none", "none", ""),
    ("NOT flag", "low none", "low none", ""),
    ("flag = false", "low none", "low none", ""),
    ("nest.x > 5", "low none", "low none", "none"),
    ("NEST.X = 11", "low none", "low none", "low none"),
    ("s LIKE 'a%'", "high none", "high none", ""),
    ("isnan(d)", "low none", "low none", ""),
    ("d = double('NaN')", "low none", "low none", ""),
    ("n = 5F", "", "", "none"),  # an empty filter is of nothing but NULLs
    ("s = X'61'", "", "", "none"),
    ("`nest.x` = 11", "", "", ""),  # a column with a dot in its name
    ("n[0] = 1 OR array_contains(n, 1)", "", "", ""),
    ("variant_get(n, '$.a', 'int') = 1", "", "", ""),
    ("TRUE", "", "", ""),
])  # fmt: skip
def test_each_index_skips_what_it_can_prove(events, condition, minmax, valuelist, bloom):
    for kind, expected in (("MinMax", minmax), ("ValueList", valuelist), ("BloomFilter", bloom)):
        found = events[kind].evaluate(condition)
        skipped = [*found.skipped, *found.partition_pruned]
        assert " ".join(paths(skipped)).replace(".parquet", "") == expected, kind
        assert len(skipped) + len(found.kept) == 3


def test_every_object_has_its_reasons(events):
    store = events["MinMax"]
    found = store.evaluate("n < 5 AND s LIKE 'a%' AND unknown = 1")
    by_file = {paths([name])[0]: [str(one) for one in found.reasons[name]] for name in found.reasons}
    like = "s LIKE 'a%' [s_minmax_1]:"
    unknown = "unknown = 1: there is no index on unknown"
    assert by_file == {
        "high.parquet": [
            "n < 5 [n_minmax_1]: ruled out, the object's values go from 10 to 30",
            *(f"{like} ruled out, s goes from 'x' to 'ÿ'", unknown),
        ],
        "low.parquet": [
            "n < 5 [n_minmax_1]: the object's values go from 1 to 3",
            *(f"{like} s goes from 'a' to 'b'", unknown),
        ],
        "none.parquet": [
            "n < 5 [n_minmax_1]: ruled out, all values of the object are NULL",
            *(f"{like} ruled out, all values of s are NULL", unknown),
        ],
    }
    [kept] = found.kept
    assert [found.verdict(name) for name in (kept, found.skipped[0])] == ["kept", "skipped"]
    with pytest.raises(KeyError):
        found.verdict("/elsewhere")


def test_reasons_of_value_lists_and_filters(events):
    name = next(name for name in events["ValueList"].rows if "high" in name)
    [reason] = events["ValueList"].evaluate("s = 'q'").reasons[name]
    assert reason.because == "the object has 3 different values: 'x', 'y', 'ÿ'"
    said = {
        "s = 'q'": "the filter does not have the value",
        "s = 'x'": "the filter may have the value",
        "s > 'x'": "a Bloom filter only answers whether a value may be present",
        "s = 5": "comparing a column of type string with a whole number needs a cast that depends on the session",
    }
    for condition, because in said.items():
        [reason] = events["BloomFilter"].evaluate(condition).reasons[name]
        assert (reason.column, reason.because) == ("s_bloomfilter_1", because)


def test_a_mode_that_does_not_exist_is_refused(events):
    with pytest.raises(UsageError, match="sound and xskipper"):
        events["MinMax"].evaluate("n = 1", mode="fast")


# Stores that xskipper wrote.

SMALL = {"/t/a.parquet#1": (1, 5), "/t/b.parquet#1": (None, None), "/t/c.parquet#1": None}


def kept(store, condition, **options):
    return paths(store.evaluate(condition, **options).kept)


def test_without_a_row_from_here_null_bounds_of_numbers_may_mean_unknown(tmp_path):
    store = metadatastore.open(minmax_store(tmp_path, "integer", pa.int32(), SMALL))
    assert kept(store, "x > 9") == ["b.parquet", "c.parquet"]
    name = "/t/b.parquet#1"
    [reason] = store.evaluate("x > 9").reasons[name]
    assert "may be all NULL, or its footer has no bounds" in reason.because
    assert kept(store, "x > 9", mode="xskipper") == []


@pytest.mark.parametrize("kind, arrow, values, condition", [
    ("string", pa.string(), ("a", "b"), "x > 'z'"),
    ("date", pa.date32(), (datetime.date(2020, 1, 1),) * 2, "x > '2021-01-01'"),
    ("decimal(5,2)", pa.decimal128(5, 2), (Decimal(1), Decimal(2)), "x > 9"),
    ("boolean", pa.bool_(), (False, False), "x"),
])  # fmt: skip
def test_for_other_types_they_mean_all_null(tmp_path, kind, arrow, values, condition):
    objects = {"/t/a.parquet#1": values, "/t/b.parquet#1": (None, None), "/t/c.parquet#1": None}
    store = metadatastore.open(minmax_store(tmp_path, kind, arrow, objects))
    assert kept(store, condition) == ["c.parquet"]


def test_ranges_of_doubles_are_believed_only_where_they_come_from_rows(tmp_path):
    objects = {"/t/a.parquet#1": (1.0, 5.0), "/t/b.csv#1": (1.0, 5.0), "/t/c.csv.gz#1": (None, None)}
    store = metadatastore.open(minmax_store(tmp_path, "double", pa.float64(), objects))
    assert kept(store, "x > 9") == ["a.parquet"]
    assert kept(store, "x > 3") == ["a.parquet", "b.csv"]


def test_an_index_of_another_kind_shows_that_all_come_from_rows(tmp_path):
    ends = pa.array([{"min": 1.0, "max": 5.0}, {"min": None, "max": None}])
    rows = pa.table({"obj_name": ["/t/a#1", "/t/b#1"], "x_minmax_1": ends, "s_valuelist_1": [["a"], []]})
    columns = [
        column("obj_name", version=4, tableIdentifier="/t"),
        column("x_minmax_1", minmax("double"), index={"name": "minmax", "cols": ["x"]}),
        column("s_valuelist_1", value_list("string"), index={"name": "valuelist", "cols": ["s"]}),
    ]
    store = metadatastore.open(store_files(tmp_path / "s", columns, rows))
    assert kept(store, "x > 9") == []


ODD = {
    "a minimum above the maximum": ((5, 1), "the minimum is greater than the maximum"),
    "one bound": ((1, None), "the index has only one of minimum and maximum"),
    "nothing": (None, "the index has no value for this object"),
}


@pytest.mark.parametrize(("value", "because"), ODD.values(), ids=ODD)
def test_odd_bounds_prove_nothing(tmp_path, value, because):
    store = metadatastore.open(minmax_store(tmp_path, "long", pa.int64(), {"/t/a#1": value}))
    found = store.evaluate("x = 100")
    assert found.kept == ("/t/a#1",)
    assert found.reasons["/t/a#1"][0].because == because


def bloom_store(directory, *streams):
    rows = pa.table(
        {
            "obj_name": [f"/t/{number}.parquet#1" for number in range(len(streams))],
            "x_bloomfilter_1": pa.array(streams, pa.binary()),
        }
    )
    index = {"name": "bloomfilter", "cols": ["x"]}
    columns = [column("obj_name", version=4, tableIdentifier="/t"), column("x_bloomfilter_1", BLOOM, index=index)]
    return metadatastore.open(store_files(directory, columns, rows))


@pytest.fixture(scope="module")
def blooms(tmp_path_factory):
    numbers = sketch.to_java(sketch.build(100, 0.001, [5, 6]))
    words = sketch.to_java(sketch.build(100, 0.001, (), ["x", "5"]))
    return bloom_store(tmp_path_factory.mktemp("bloom"), numbers, words, None, numbers[:-9])


@pytest.mark.parametrize("condition, types, expected", [
    ("x = 'x'", None, "1 2 3"),
    ("x = 'q'", None, "2 3"),
    ("x = '7'", None, "0 1 2 3"),
    ("x = ' \\t7'", None, "0 1 2 3"),
    ("x = 7", None, "0 1 2 3"),
    ("x = 7", {"X": "long"}, "2 3"),
    ("x = 5", {"x": "integer"}, "0 2 3"),
    ("x = 7.0", {"x": "integer"}, "2 3"),
    ("x = 7e0", {"x": "integer"}, "0 1 2 3"),
    ("x = '7'", {"x": "string"}, "2 3"),
    ("x = 7", {"x": "string"}, "0 1 2 3"),
    ("x = 7", {"x": "double"}, "0 1 2 3"),
    ("x IN ('q', 'x')", None, "1 2 3"),
    ("x IN ('q', '7')", None, "0 1 2 3"),
])  # fmt: skip
def test_a_filter_without_a_type_is_asked_only_what_no_cast_changes(blooms, condition, types, expected):
    found = blooms.evaluate(condition, types=types)
    assert " ".join(paths(found.kept)).replace(".parquet", "") == expected


def test_a_damaged_filter_keeps_its_object_and_says_so(blooms):
    [reason] = blooms.evaluate("x = 'q'").reasons["/t/3.parquet#1"]
    assert reason.because.startswith("the filter cannot be read: ")


def test_filters_of_version_2_are_probed(tmp_path):
    filled = sketch.SketchBloomFilter(2, 3, 0, bytes(64))
    store = bloom_store(tmp_path, sketch.to_java(filled))
    assert store.evaluate("x = 'a'").skipped == ("/t/0.parquet#1",)
    full = sketch.SketchBloomFilter(2, 3, 0, b"\xff" * 64)
    store = bloom_store(tmp_path / "full", sketch.to_java(full))
    assert store.evaluate("x = 'a'").kept == ("/t/0.parquet#1",)


# Partition columns.


@pytest.fixture(scope="module")
def by_year(tmp_path_factory):
    root = tmp_path_factory.mktemp("years")
    some = {"n": [1, 2]}
    dataset(root, **{"year=2020/a": some, "year=2021/a": some, "year=__HIVE_DEFAULT_PARTITION__/a": some})
    return metadatastore.build(None, root, [MinMax("n")], tmp_path_factory.mktemp("md"))


@pytest.mark.parametrize("condition, pruned, skipped", [
    ("year = 2020", 2, 0),
    ("YEAR <> 2020", 2, 0),
    ("year IS NULL", 2, 0),
    ("year IS NOT NULL", 1, 0),
    ("year > 2020 OR n = 1", 0, 0),
    ("year > 2020 OR n = 7", 0, 2),
    ("year > 2020 AND n = 7", 2, 1),
    ("year = '2020'", 2, 0),
    ("NOT year = 2020 AND n < 5", 2, 0),
])  # fmt: skip
def test_partition_columns_decide_for_the_whole_object(by_year, condition, pruned, skipped):
    found = by_year.evaluate(condition)
    assert (len(found.partition_pruned), len(found.skipped)) == (pruned, skipped)


def test_a_partition_column_with_a_dot_is_no_field_of_a_struct(tmp_path):
    dataset(tmp_path / "ds", **{"a.b=1/f": {"a": [{"b": 2}], "n": [1]}})
    store = metadatastore.build(None, tmp_path / "ds", [MinMax("n")], tmp_path / "md")
    for mode in ("sound", "xskipper"):
        assert len(store.evaluate("a.b = 2", mode=mode).kept) == 1


# Versions whose values are not understood.


@pytest.mark.parametrize(
    ("version", "name", "word"),
    [(0, "x_minmax", "Version 0"), (5, "x_minmax_1", "Above version 4")],
    ids=["synthetic version 0", "synthetic version 5"],
)
def test_nothing_is_skipped(tmp_path, version, name, word):
    columns = [
        column("obj_name", version=version),
        column(name, minmax("integer"), index={"name": "minmax", "cols": ["x"], "tableIdentifier": "t"}),
    ]
    rows = pa.table({"obj_name": ["/t/a#1"], name: [{"min": 1, "max": 2}]})
    store = metadatastore.open(store_files(tmp_path / "s", columns, rows))
    for mode in ("sound", "xskipper"):
        assert store.evaluate("x = 100", mode=mode).kept == ("/t/a#1",)
    [reason] = store.evaluate("x = 100").reasons["/t/a#1"]
    assert reason.because.startswith(word)


def test_of_two_rows_for_an_object_both_have_to_prove_it(tmp_path):
    objects = {"/t/a#1": (1, 2), "/t/b#1": (1, 2)}
    directory = minmax_store(tmp_path / "s", "long", pa.int64(), objects)
    more = minmax_store(tmp_path / "more", "long", pa.int64(), {"/t/a#1": (5, 6), "/t/b#1": (1, 2)})
    (more / "part-00000-c000.snappy.parquet").rename(directory / "part-00001-c000.snappy.parquet")
    store = metadatastore.open(directory)
    assert store.duplicates == ["/t/a#1", "/t/b#1"]
    assert (len(store.objects), store.num_rows) == (2, 4)
    assert store.evaluate("x > 4").kept == ("/t/a#1",)
    assert store.evaluate("x > 9").kept == ()
