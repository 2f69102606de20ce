"""What xskipper would skip, clause by clause, and the queries for which that is wrong."""

import math

import pyarrow as pa
import pytest
from lake.metadatastore.datasets import column, dataset, minmax_store, paths, store_files, value_list

from pqexplore.lake import metadatastore
from pqexplore.lake.metadatastore import BloomFilter, MinMax, ValueList


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    root = tmp_path_factory.mktemp("ds")
    dataset(
        root,
        **{
            "p=1/a": {"n": [1, 2, 3], "s": ["a", "b", None], "flag": [True, True, None]},
            "p=2/b": {"n": [5, 5, 5], "s": ["c", "c", "c"], "flag": [False, True, False]},
            "p=2/none": {
                "n": pa.array([None], pa.int64()),
                "s": pa.array([None], pa.string()),
                "flag": pa.array([None], pa.bool_()),
            },
        },
    )
    made = {}
    for kind, names in ((MinMax, "n s"), (ValueList, "n s flag"), (BloomFilter, "n s")):
        out = tmp_path_factory.mktemp(kind.__name__)
        made[kind.__name__] = metadatastore.build(None, root, [kind(x) for x in names.split()], out)
    return made


@pytest.mark.parametrize("condition, minmax, valuelist, bloom", [
    ("n > 3", "a none", "", ""),
    ("n <= 3", "b none", "", ""),
    ("n = 5", "a none", "a none", "a none"),
    ("n <> 5", "b none", "b none", ""),
    ("n <> 2", "a none", "none", ""),
    ("NOT (n > 3)", "b none", "", ""),
    ("n IN (4, 5)", "a none", "a none", "a none"),
    (f"n IN ({', '.join(map(str, range(5, 17)))})", "a none", "a none", "a none"),
    (f"n IN (0, 4, {', '.join(map(str, range(10, 20)))})", "none", "a b none", "a b none"),
    ("n NOT IN (1, 2, 3)", "", "a none", ""),
    ("n NOT IN (5)", "b none", "b none", ""),
    ("n = 5 AND s LIKE 'c%'", "a none", "a none", "a none"),
    ("n = 5 OR s LIKE 'c%'", "", "", ""),
    ("n = 5 OR s = 'a'", "none", "none", "none"),
    ("flag", "", "none", ""),
    ("NOT flag", "", "a none", ""),
    ("n IS NULL", "", "", ""),
    ("n <=> 5", "", "", ""),
    ("s = 'c'", "a none", "a none", "a none"),
    ("n = '5'", "", "", "a b none"),
])  # fmt: skip
def test_the_clauses_are_those_of_xskipper(indexed, condition, minmax, valuelist, bloom):
    for kind, expected in (("MinMax", minmax), ("ValueList", valuelist), ("BloomFilter", bloom)):
        found = indexed[kind].evaluate(condition, mode="xskipper")
        assert " ".join(paths(found.skipped)).replace(".parquet", "") == expected, kind


def test_conditions_on_partition_columns_are_filters_of_their_own(indexed):
    store = indexed["MinMax"]
    found = store.evaluate("p = 2 AND n > 3", mode="xskipper")
    assert paths(found.partition_pruned) == ["a.parquet"]
    assert paths(found.skipped) == ["none.parquet"]
    assert found.may_lose == {}
    mixed = store.evaluate("p = 1 OR n > 3", mode="xskipper")
    assert mixed.partition_pruned == mixed.skipped == ()


def test_metadata_that_is_missing_means_no_match_except_for_filters(tmp_path):
    rows = pa.table({"obj_name": ["/t/a#1", "/t/b#1"], "s_valuelist_1": [None, ["a", None]]})
    index = {"name": "valuelist", "cols": ["s"]}
    columns = [
        column("obj_name", version=4, tableIdentifier="/t"),
        column("s_valuelist_1", value_list("string"), index=index),
    ]
    store = metadatastore.open(store_files(tmp_path / "s", columns, rows))
    found = store.evaluate("s = 'x'", mode="xskipper")
    assert found.skipped == ("/t/a#1",)  # a NULL in the list makes the clause NULL, which keeps
    assert list(found.may_lose) == ["/t/a#1"]
    assert "no value for this object" in found.may_lose["/t/a#1"]


def test_reasons_tell_what_became_of_each_clause(indexed):
    found = indexed["MinMax"].evaluate("p = 2 AND n > 3 AND s LIKE 'x%'", mode="xskipper")
    name = next(name for name in found.reasons if "/b.parquet" in name)
    assert [(one.clause, one.rules_out, one.because) for one in found.reasons[name]] == [
        ("p = 2", False, "the object's p is 2"),
        ("n > 3", False, "xskipper's clause for minmax on n is TRUE"),
        ("s LIKE 'x%'", False, "xskipper has no clause for it"),
    ]


# The faults.


def test_fault_1_objects_with_the_excluded_value_and_others(indexed):
    store = indexed["MinMax"]
    found = store.evaluate("n <> 2", mode="xskipper")
    assert paths(found.may_lose) == ["a.parquet"]
    assert paths(store.evaluate("n <> 2").kept) == ["a.parquet", "b.parquet"]
    hazards = [one for one in store.check_upstream() if one.index.columns == ("n",)]
    [hazard] = hazards
    assert (hazard.fault, hazard.certain, paths(hazard.objects)) == ("not equal", True, ["a.parquet"])
    assert hazard.example == "n <> 1"
    assert "loses rows of 1 objects" in str(hazard)


def test_fault_2_a_footer_without_bounds_is_no_object_of_nulls(tmp_path):
    objects = {"/t/nan.parquet#1": (None, None), "/t/b.parquet#1": (1.0, 1.0)}
    store = metadatastore.open(minmax_store(tmp_path, "double", pa.float64(), objects))
    found = store.evaluate("x > 0", mode="xskipper")
    assert paths(found.skipped) == paths(found.may_lose) == ["nan.parquet"]
    faults = {one.fault: one for one in store.check_upstream()}
    assert paths(faults["no bounds"].objects) == ["nan.parquet"]
    assert not faults["no bounds"].certain
    assert "may lose rows" in str(faults["no bounds"])


def test_fault_3_row_groups_with_a_nan_are_missing_from_the_range(tmp_path):
    objects = {"/t/some.parquet#1": (0.0, 160.0)}
    store = metadatastore.open(minmax_store(tmp_path, "double", pa.float64(), objects))
    found = store.evaluate("x > 160", mode="xskipper")
    assert list(found.may_lose) == ["/t/some.parquet#1"]
    assert store.evaluate("x > 160").kept == ("/t/some.parquet#1",)
    faults = {one.fault: one for one in store.check_upstream()}
    assert faults["some bounds"].example == "x > 160.0D"


def test_fault_4_text_is_bounded_in_the_order_of_utf_16(tmp_path):
    assert "\U0001f600".encode("utf-16-be") < "\uffff".encode("utf-16-be")
    objects = {"/t/a.csv#1": ("a", "\uffff"), "/t/b.csv#1": ("a", "é"), "/t/c.csv#1": ("\U0001f600", "\U0001f601")}
    store = metadatastore.open(minmax_store(tmp_path, "string", pa.string(), objects))
    found = store.evaluate("x > '\uffff'", mode="xskipper")
    assert paths(found.may_lose) == ["a.csv"]  # it may have 😀, which Spark orders above U+FFFF
    assert paths(store.evaluate("x > '\uffff'").kept) == ["a.csv", "c.csv"]
    assert paths(store.evaluate("x < 'a'").kept) == ["a.csv", "c.csv"]
    faults = {one.fault: one for one in store.check_upstream()}
    assert paths(faults["text order"].objects) == ["a.csv", "c.csv"]


def test_every_hazard_has_an_example_that_shows_it(indexed, tmp_path):
    stores = [
        indexed["MinMax"],
        metadatastore.open(
            minmax_store(tmp_path, "double", pa.float64(), {"/t/a#1": (0.0, 1.0), "/t/b#1": (None, None)})
        ),
    ]
    shown = 0
    for store in stores:
        for hazard in store.check_upstream():
            found = store.evaluate(hazard.example, mode="xskipper")
            assert set(found.may_lose) & set(hazard.objects)
            shown += 1
    assert shown == 5


def test_what_is_built_here_has_no_fault_but_the_first(tmp_path):
    dataset(tmp_path / "ds", nan={"d": [1.0, math.nan]}, none={"d": pa.array([None], pa.float64())})
    store = metadatastore.build(None, tmp_path / "ds", [MinMax("d")], tmp_path / "md")
    assert {one.fault for one in store.check_upstream()} == {"not equal"}
    found = store.evaluate("d > 50", mode="xskipper")
    assert paths(found.skipped) == ["none.parquet"]
    assert found.may_lose == {}
