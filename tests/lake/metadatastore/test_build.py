"""Building a store: which values become what, which files are left out, where it lies, and what cannot be asked for."""

import datetime
import json
import math
import os
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake.metadatastore.datasets import dataset
from made import rebuilt

import pqexplore
from pqexplore.engine.errors import EncryptedFileError, UsageError
from pqexplore.engine.format.encryption.keys import LocalKms
from pqexplore.lake import metadatastore
from pqexplore.lake.metadatastore import (
    BloomFilter,
    MinMax,
    StoreKeys,
    ValueList,
    building,
    indexes,
    names,
    sketch,
    store_schema,
    write,
)
from pqexplore.lake.metadatastore.dataset import DataFile, inferred, list_dataset


def values_of(store):
    """What a store says, by file name and column."""
    return {Path(one.path).name: one.values for one in store.objects}


def built(tmp_path, wanted, **files):
    dataset(tmp_path / "ds", **files)
    return metadatastore.build(None, tmp_path / "ds", wanted, tmp_path / "md")


UTC = datetime.UTC
TYPES = {
    "byte": (pa.array([3, None, -1], pa.int8()), -1, 3),
    "short": (pa.array([3, None, -1], pa.int16()), -1, 3),
    "integer": (pa.array([3, None, -1], pa.int32()), -1, 3),
    "long": (pa.array([3, None, -(1 << 62)], pa.int64()), -(1 << 62), 3),
    "float": (pa.array([0.5, None, -0.25], pa.float32()), -0.25, 0.5),
    "double": (pa.array([0.1, None, -0.2]), -0.2, 0.1),
    "string": (pa.array(["b", None, "ä", "Z"]), "Z", "ä"),
    "boolean": (pa.array([True, None, False]), False, True),
    "date": (pa.array([datetime.date(1969, 12, 31), None, datetime.date(1970, 1, 2)]), -1, 1),
    "timestamp": (pa.array([datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), None], pa.timestamp("ms", "UTC")),
        1_000_000, 1_000_000),
    "timestamp_ntz": (pa.array([-5, None, 5], pa.timestamp("us")), -5, 5),
    "decimal(6,2)": (pa.array([Decimal("1.50"), None, Decimal("-1.5")], pa.decimal128(6, 2)), Decimal("-1.50"),
        Decimal("1.50")),
    "decimal(25,0)": (pa.array([Decimal(10**24), None, Decimal(-1)], pa.decimal128(25, 0)), Decimal(-1),
        Decimal(10**24)),
}  # fmt: skip


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("source", ["values", "footers"])
def test_bounds_and_lists_of_every_type(tmp_path, kind, source):
    array, low, high = TYPES[kind]
    dataset(tmp_path / "ds", a={"X": array}, b={"X": pa.nulls(2, array.type)})
    wanted = [MinMax("x"), ValueList("X")]
    store = metadatastore.build(None, tmp_path / "ds", wanted, tmp_path / "md", source=source)
    assert [index.value_type for index in store.indexes] == [kind, kind]
    said = values_of(store)
    assert said["a.parquet"]["x_minmax_1"] == {"min": low, "max": high}
    assert sorted(said["a.parquet"]["x_valuelist_1"])[:: len(said) - 1][0] == low
    assert {low, high} <= set(said["a.parquet"]["x_valuelist_1"])
    assert len(said["a.parquet"]["x_valuelist_1"]) == len(array.drop_null())
    assert said["b.parquet"] == {"x_minmax_1": {"min": None, "max": None}, "x_valuelist_1": []}


def test_int96_timestamps_are_microseconds(tmp_path):
    moments = pa.array([-1, 1_500], pa.timestamp("ns"))
    (tmp_path / "ds").mkdir()
    pq.write_table(pa.table({"x": moments}), tmp_path / "ds/a.parquet", use_deprecated_int96_timestamps=True)
    store = metadatastore.build(None, tmp_path / "ds", [MinMax("x")], tmp_path / "md")
    assert store.indexes[0].value_type == "timestamp"
    assert values_of(store)["a.parquet"]["x_minmax_1"] == {"min": -1, "max": 1}


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [([1.0, math.nan, 2.0], "1.0", "nan"), ([math.nan, None], "nan", "nan"), ([math.inf, -math.inf], "-inf", "inf")],
)
@pytest.mark.parametrize("source", ["values", "footers"])
def test_nan_is_the_greatest_value(tmp_path, values, low, high, source):
    dataset(tmp_path / "ds", a={"x": pa.array(values, pa.float64())})
    store = metadatastore.build(None, tmp_path / "ds", [MinMax("x"), ValueList("x")], tmp_path / "md", source=source)
    found = values_of(store)["a.parquet"]
    assert (str(found["x_minmax_1"]["min"]), str(found["x_minmax_1"]["max"])) == (low, high)
    assert len(found["x_valuelist_1"]) == len({str(value) for value in values} - {"None"})


def test_both_zeros_are_one_value(tmp_path):
    store = built(tmp_path, [ValueList("x")], a={"x": [0.0, -0.0, 0.0]})
    assert values_of(store)["a.parquet"]["x_valuelist_1"] == [0.0]


def test_a_filter_has_all_values_and_its_parameters(tmp_path):
    store = built(
        tmp_path,
        [BloomFilter("n", fpp=0.05, ndv=500), BloomFilter("s", fpp=1e-5)],
        a={"n": pa.array([*range(100), None], pa.int16()), "s": ["x", "ü", None, *["y"] * 98]},
    )
    said = values_of(store)["a.parquet"]
    numbers = sketch.from_java(said["n_bloomfilter_1"])
    assert numbers == sketch.build(500, 0.05, range(100))
    assert sketch.from_java(said["s_bloomfilter_1"]) == sketch.build(100_000, 1e-5, (), ["x", "ü", "y"])
    assert store.indexes[1].params == {"io.xskipper.index.bloom.ndv": "100000", "io.xskipper.index.bloom.fpp": "1.0E-5"}
    assert store.column_types == {"n": "short", "s": "string"}


@pytest.mark.parametrize(
    ("number", "text"), [(0.01, "0.01"), (0.001, "0.001"), (1e-4, "1.0E-4"), (1.25e-7, "1.25E-7"), (0.5, "0.5")]
)
def test_numbers_are_written_as_java_does(number, text):
    assert indexes.java_double(number) == text


def test_many_row_groups_and_pages_are_one_object(tmp_path):
    (tmp_path / "ds").mkdir()
    table = pa.table({"n": range(10_000), "s": [f"s{i % 7}" for i in range(10_000)]})
    pq.write_table(table, tmp_path / "ds/a.parquet", row_group_size=1_500, data_page_size=512)
    store = metadatastore.build(None, tmp_path / "ds", [MinMax("n"), ValueList("s")], tmp_path / "md")
    said = values_of(store)["a.parquet"]
    assert said["n_minmax_1"] == {"min": 0, "max": 9_999}
    assert said["s_valuelist_1"] == [f"s{i}" for i in range(7)]


def test_the_store_lies_where_xskipper_looks_and_says_what_it_should(tmp_path):
    store = built(tmp_path, [MinMax("Nest.X")], a={"Nest": [{"X": 1}]})
    assert store.path == str(tmp_path / "md" / names.store_directory(str(tmp_path / "ds")))
    assert f"/{store.table_identifier}" == str(tmp_path / "ds")
    assert [one.name for one in store.objects] == [f"{tmp_path}/ds/a.parquet#1600000000000"]
    with pqexplore.open(store.parts[0].path) as opened:
        said = opened.key_value_metadata
        leaves = [".".join(leaf.path) for leaf in opened.schema.leaves]
        assert opened.schema.leaves[0].max_definition_level == 0
    assert said["org.apache.spark.version"] == "4.0.0"
    fields = json.loads(said[store_schema.ROW_METADATA])["fields"]
    assert [field["name"] for field in fields] == ["obj_name", "nest$#$x_minmax_8"]
    assert fields[0]["metadata"] == {"tableIdentifier": str(tmp_path / "ds")[1:], "version": 4}
    assert [field["nullable"] for field in fields] == [False, True]
    assert fields[1]["metadata"] == {"index": {"name": "minmax", "cols": ["nest.x"]}}
    assert leaves == ["obj_name", "nest$#$x_minmax_8.min", "nest$#$x_minmax_8.max"]
    assert os.path.basename(store.parts[0].path).endswith("-c000.snappy.parquet")
    explicit = metadatastore.build(
        None, tmp_path / "ds/a.parquet", [MinMax("nest.x")], tmp_path / "x", location="explicit"
    )
    assert explicit.path == str(tmp_path / "x")


def test_a_build_replaces_the_store_that_was_there(tmp_path):
    first = built(tmp_path, [MinMax("n")], a={"n": [1]})
    second = metadatastore.build(None, tmp_path / "ds", [ValueList("n")], tmp_path / "md")
    assert first.path == second.path
    assert [index.name for index in second.indexes] == ["valuelist"]
    assert os.listdir(tmp_path / "md") == [os.path.basename(second.path)]


def test_a_column_that_a_file_does_not_have_is_null_there(tmp_path):
    store = built(tmp_path, [MinMax("n"), BloomFilter("n")], a={"n": [1]}, b={"m": [1]})
    assert values_of(store)["b.parquet"]["n_minmax_1"] == {"min": None, "max": None}
    assert [Path(name).name[0] for name in store.evaluate("n = 1").kept] == ["a"]


def test_whole_numbers_of_different_widths_take_the_widest(tmp_path):
    store = built(tmp_path, [MinMax("n")], a={"n": pa.array([1], pa.int16())}, b={"n": pa.array([2], pa.int64())})
    assert store.indexes[0].value_type == "long"
    assert store.omitted == {}


def test_files_that_cannot_be_indexed_get_no_row(tmp_path):
    good = {"n": [1, 2]}
    dataset(tmp_path / "ds", good=good, list={"n": [[1]]}, nanos={"n": pa.array([1], pa.timestamp("ns"))})
    pq.write_table(pa.table(good), tmp_path / "ds/cut.parquet")
    data = (tmp_path / "ds/cut.parquet").read_bytes()
    (tmp_path / "ds/cut.parquet").write_bytes(data[:-20])
    (tmp_path / "ds/notes.txt").write_text("hello")
    pages = bytearray(data)
    pages[4:40] = b"\xff" * 36
    (tmp_path / "ds/pages.parquet").write_bytes(pages)
    (tmp_path / "ds/columns.parquet").write_bytes(rebuilt(data, row_groups__0__columns=[]))
    store = metadatastore.build(None, tmp_path / "ds", [MinMax("n")], tmp_path / "md")
    assert [Path(one.path).name for one in store.objects] == ["good.parquet"]
    why = {Path(path).name: problem for path, problem in store.omitted.items()}
    assert set(why) == {"list.parquet", "nanos.parquet", "cut.parquet", "notes.txt", "pages.parquet", "columns.parquet"}
    assert "is a group, or is inside a list or map" in why["list.parquet"]
    assert "has a type that cannot be indexed" in why["nanos.parquet"]
    assert "row_groups/0/columns/0" in why["pages.parquet"]
    assert "the row group lists 0 column chunks, the schema has 1 leaves" in why["columns.parquet"]


@pytest.mark.parametrize("notes, first, indexed", [
    ({"org.apache.spark.version": "2.4.5"}, datetime.date(1582, 10, 14), False),
    ({"org.apache.spark.version": "2.4.5"}, datetime.date(1582, 10, 15), True),
    ({"org.apache.spark.version": "3.5.0"}, datetime.date(1066, 10, 14), True),
    ({"org.apache.spark.version": "3.5.0", "org.apache.spark.legacyDateTime": ""}, datetime.date(1066, 10, 14), False),
    ({"org.apache.spark.legacyDateTime": ""}, datetime.date(1066, 10, 14), False),
    ({"org.apache.spark.legacyINT96": ""}, datetime.date(1066, 10, 14), True),
    ({}, datetime.date(1066, 10, 14), True),
])  # fmt: skip
def test_dates_that_spark_would_move_are_not_indexed(tmp_path, notes, first, indexed):
    table = pa.table({"day": [datetime.date(2020, 1, 1), first]})
    dataset(tmp_path / "ds", a=table.replace_schema_metadata(notes), b={"day": [first]})
    for source in ("values", "footers"):
        out = tmp_path / source
        store = metadatastore.build(None, tmp_path / "ds", [MinMax("day")], out, source=source)
        assert ("a.parquet" in values_of(store)) is indexed
        assert all("old calendar" in problem for problem in store.omitted.values())


@pytest.mark.parametrize("notes, indexed", [
    ({"org.apache.spark.version": "3.0.3"}, False),
    ({"org.apache.spark.version": "3.1.0"}, True),
    ({"org.apache.spark.legacyINT96": ""}, False),
    ({"org.apache.spark.legacyDateTime": ""}, True),
])  # fmt: skip
def test_int96_that_spark_would_move_is_not_indexed(tmp_path, notes, indexed):
    table = pa.table({"x": pa.array([datetime.datetime(1066, 10, 14)], pa.timestamp("us"))})
    (tmp_path / "ds").mkdir()
    marked = table.replace_schema_metadata(notes)
    pq.write_table(marked, tmp_path / "ds/a.parquet", use_deprecated_int96_timestamps=True)
    pq.write_table(table.slice(0, 0), tmp_path / "ds/b.parquet", use_deprecated_int96_timestamps=True)  # fmt: skip
    store = metadatastore.build(None, tmp_path / "ds", [MinMax("x")], tmp_path / "store")
    assert ("a.parquet" in values_of(store)) is indexed


def test_what_spark_hides_is_not_indexed(tmp_path):
    dataset(tmp_path / "ds", a={"n": [1]}, _temporary={"n": [1]}, **{".b": {"n": [1]}, "_c/d": {"n": [1]}})
    (tmp_path / "ds/empty.parquet").touch()
    assert [Path(one.path).name for one in list_dataset(tmp_path / "ds").files] == ["a.parquet"]


@pytest.mark.parametrize("values, kind", [
    (["1", "+2", "-3"], "integer"),
    (["1", "3000000000"], "long"),
    (["99999999999999999999"], "decimal(38,0)"),
    (["1", "2.5"], "double"),
    (["3000000000", "2.5"], "string"),
    (["2020-01-01", None], "date"),
    (["2020-01-01", "1"], "string"),
    (["2020-13-01"], "string"),
    (["a b", "ü"], "string"),
    ([None], "string"),
])  # fmt: skip
def test_partition_columns_have_the_type_that_spark_infers(values, kind):
    assert inferred(values) == kind


def test_partition_columns_are_in_the_store(tmp_path):
    some = {"n": [1]}
    store = built(
        tmp_path, [MinMax("n")], **{"Year=2020/d=2020-01-02/a": some, "Year=2021/d=__HIVE_DEFAULT_PARTITION__/a": some}
    )
    assert [(one.name, one.column, one.type) for one in store.partitions] == [
        ("Year", "virtual_Year", "integer"),
        ("d", "virtual_d", "date"),
    ]
    assert [one.partition for one in store.objects] == [{"Year": 2020, "d": 18_263}, {"Year": 2021, "d": None}]


def test_values_of_partition_columns_are_unescaped(tmp_path):
    store = built(tmp_path, [MinMax("n")], **{"p=a%2Fb c/x": {"n": [1]}})
    assert store.objects[0].partition == {"p": "a/b c"}


REFUSED = {
    "no indexes": ([], "no indexes"),
    "a column that is nowhere": ([MinMax("q")], "no file has a column q"),
    "twice the same": ([MinMax("n"), MinMax("N")], "is given twice"),
    "a partition column": ([MinMax("p")], "is a partition column"),
    "a filter of doubles": ([BloomFilter("d")], "no bloomfilter index on d: its type is double"),
    "bounds of bytes": ([MinMax("raw")], "its type is binary"),
    "types that have nothing in common": ([MinMax("mixed")], "without a common type: long, string"),
}


@pytest.mark.parametrize(("wanted", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_built_is_refused(tmp_path, wanted, message):
    some = {"n": [1], "d": [0.5], "raw": [b"x"]}
    dataset(tmp_path / "ds", **{"p=1/a": {**some, "mixed": [1]}, "p=2/a": {**some, "mixed": ["x"]}})
    with pytest.raises(UsageError, match=message):
        metadatastore.build(None, tmp_path / "ds", wanted, tmp_path / "md")
    assert not (tmp_path / "md").exists()


@pytest.mark.parametrize(
    ("options", "message"), [({"source": "guess"}, "values and footers"), ({"location": "hive"}, "base and explicit")]
)
def test_options_that_do_not_exist_are_refused(tmp_path, options, message):
    dataset(tmp_path / "ds", a={"n": [1]})
    with pytest.raises(UsageError, match=message):
        metadatastore.build(None, tmp_path / "ds", [MinMax("n")], tmp_path / "md", **options)


@pytest.mark.parametrize(
    ("path", "message"), [("nowhere", "not a file or directory"), ("unknown://bucket/x", "cannot be listed")]
)
def test_a_dataset_that_is_not_there_is_refused(tmp_path, path, message):
    with pytest.raises(UsageError, match=message):
        metadatastore.build(None, path, [MinMax("n")], tmp_path)


def test_directories_that_disagree_are_refused(tmp_path):
    dataset(tmp_path / "ds", **{"p=1/a": {"n": [1]}, "q=1/a": {"n": [1]}})
    with pytest.raises(UsageError, match="different partition columns: p; q"):
        metadatastore.build(None, tmp_path / "ds", [MinMax("n")], tmp_path / "md")


# From footers.


def test_footers_that_tell_for_certain_are_enough(tmp_path, monkeypatch):
    from pqexplore.lake.metadatastore import collect

    dataset(tmp_path / "ds", a={"n": [1, 2], "s": ["a", "b"]})
    read = []
    monkeypatch.setattr(collect, "_values", lambda opened, leaf, kind: read.append(leaf.path) or iter(()))
    wanted = [MinMax("n"), MinMax("s")]
    store = metadatastore.build(None, tmp_path / "ds", wanted, tmp_path / "md", source="footers")
    assert read == []
    assert values_of(store)["a.parquet"]["s_minmax_1"] == {"min": "a", "max": "b"}


def test_a_row_group_without_statistics_is_read(tmp_path):
    dataset(tmp_path / "ds")
    (tmp_path / "ds").mkdir()
    pq.write_table(pa.table({"n": [1, 2]}), tmp_path / "ds/a.parquet", write_statistics=False)
    store = metadatastore.build(None, tmp_path / "ds", [MinMax("n")], tmp_path / "md", source="footers")
    assert values_of(store)["a.parquet"]["n_minmax_1"] == {"min": 1, "max": 2}


def test_doubles_are_read_because_their_bounds_never_tell_of_nan(tmp_path):
    dataset(tmp_path / "ds", a={"d": [1.0, math.nan]})
    with pqexplore.open(tmp_path / "ds/a.parquet") as opened:
        assert opened.row_groups[0].columns[0].statistics.max_value is not None
    store = metadatastore.build(None, tmp_path / "ds", [MinMax("d")], tmp_path / "md", source="footers")
    assert math.isnan(values_of(store)["a.parquet"]["d_minmax_1"]["max"])


def test_with_a_count_of_nans_footers_tell_of_doubles_too(tmp_path, monkeypatch):
    from pqexplore.lake.metadatastore import collect

    (tmp_path / "ds").mkdir()
    for name, values in (("a", [1.0, math.nan]), ("b", [1.0, 2.0])):
        pqexplore.write(pa.table({"d": values}), tmp_path / f"ds/{name}.parquet")
    monkeypatch.setattr(collect, "_values", None)
    store = metadatastore.build(None, tmp_path / "ds", [MinMax("d")], tmp_path / "md", source="footers")
    said = {name: value["d_minmax_1"] for name, value in values_of(store).items()}
    assert (said["a.parquet"]["min"], math.isnan(said["a.parquet"]["max"])) == (1.0, True)
    assert said["b.parquet"] == {"min": 1.0, "max": 2.0}


# Several files, and putting them in place.


def test_a_large_store_is_several_files(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "ROWS_PER_FILE", 2)
    store = built(tmp_path, [MinMax("n")], **{f"f{i}": {"n": [i]} for i in range(5)})
    assert [part.num_rows for part in store.parts] == [2, 2, 1]
    assert [one.values["n_minmax_1"]["min"] for one in store.objects] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("count, size, tasks", [
    (1, 10, 1),
    (32, 10, 32),  # each file is a task
    (2_000, 2_000, 32),  # 63 small files in each
    (10_000, 2_000, 79),
    (100, 1 << 30, 100),  # each large file is a task
    (1_000, 32 << 20, 250),
])  # fmt: skip
def test_small_files_share_a_task_and_large_ones_do_not(count, size, tasks):
    assert building.tasks_of([DataFile(f"{n}.parquet", 0, size) for n in range(count)]) == tasks


def test_what_waits_is_measured_once_however_many_rows_are_added(tmp_path):
    asked = []

    class Rows:
        num_rows = 1

        def cast(self, _):
            return self

        @property
        def nbytes(self):
            asked.append(self)
            return 1

    of = store_schema.current_schema("t", [], [], None, False)
    with write.StoreWriter(str(tmp_path / "md"), of, {}) as writer:
        for _ in range(100):
            writer.add(Rows(), marked=True)
    assert len(asked) == 100


@pytest.mark.parametrize("exchange", [True, False], ids=["in one step", "in two"])
def test_a_flip_leaves_the_new_and_nothing_else(tmp_path, monkeypatch, exchange):
    if not exchange:
        monkeypatch.setattr(write, "_exchange", lambda one, other: False)
    for name in ("fresh", "target"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    write.flip(str(tmp_path / "fresh"), str(tmp_path / "target"))
    assert os.listdir(tmp_path) == ["target"]
    assert os.listdir(tmp_path / "target") == ["fresh"]


def test_nothing_but_a_store_is_ever_replaced(tmp_path):
    root = dataset(tmp_path / "ds", a={"n": [1]})
    for out in (root, root / "a.parquet"):
        with pytest.raises(UsageError, match=r"a\.parquet"):
            metadatastore.build(None, root, [MinMax("n")], out, location="explicit")
    assert os.listdir(root) == ["a.parquet"]
    (tmp_path / "md/more").mkdir(parents=True)
    with pytest.raises(UsageError, match="'more'"):
        metadatastore.build(None, root, [MinMax("n")], tmp_path / "md", location="explicit")
    (tmp_path / "md/more").rmdir()
    for _ in range(2):
        metadatastore.build(None, root, [MinMax("n")], tmp_path / "md", location="explicit")
        (tmp_path / "md/_SUCCESS").touch()
    (tmp_path / "md/notes.txt").touch()
    with pytest.raises(UsageError, match="notes.txt"):
        metadatastore.build(None, root, [MinMax("n")], tmp_path / "md", location="explicit")
    assert sorted(os.listdir(tmp_path)) == ["ds", "md"]


def test_what_fails_leaves_the_old_store_and_nothing_else(tmp_path, monkeypatch):
    store = built(tmp_path, [MinMax("n")], a={"n": [1]})

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr(write, "write_file", fail)
    with pytest.raises(OSError, match="no space"):
        metadatastore.build(None, tmp_path / "ds", [ValueList("n")], tmp_path / "md")
    assert os.listdir(tmp_path / "md") == [os.path.basename(store.path)]
    assert metadatastore.open(tmp_path / "md").indexes[0].name == "minmax"


# Encrypted.


@pytest.fixture
def kms():
    return LocalKms({"k1": bytes(range(16)), "k2": bytes(range(16, 32))})


@pytest.mark.parametrize("plaintext", [True, False])
def test_an_encrypted_store_opens_with_its_keys_only(tmp_path, kms, plaintext):
    dataset(tmp_path / "ds", **{"p=1/a": {"n": [1, 2], "s": ["x", "y"]}})
    keys = StoreKeys("k1", kms, plaintext_footer=plaintext)
    wanted = [MinMax("n", key="k2"), ValueList("s"), BloomFilter("s", key="k2")]
    store = metadatastore.build(None, tmp_path / "ds", wanted, tmp_path / "md", keys=keys)
    assert store.evaluate("n = 5").skipped == tuple(store.rows)
    assert store.encryption.column_keys == {
        "k2": ("n_minmax_1.min", "n_minmax_1.max", "s_bloomfilter_1"),
        "k1": ("obj_name", "virtual_p"),
    }
    if plaintext:
        locked = metadatastore.open(tmp_path / "md")
        assert [index.key_metadata for index in locked.indexes] == ["k2", None, "k2"]
        assert "k1" in locked.locked("obj_name")
        assert locked.locked("s_valuelist_1") == ""
    else:
        with pytest.raises(EncryptedFileError):
            metadatastore.open(tmp_path / "md")
    some = LocalKms({"k1": bytes(range(16))})
    part = metadatastore.open(tmp_path / "md", decryption=pqexplore.Decryption(kms=some))
    found = part.evaluate("n = 5 AND s = 'q'")
    assert len(found.skipped) == 1
    said = {one.column: one for one in found.reasons[found.skipped[0]]}
    assert said["n_minmax_1"].because.startswith("the index cannot be read: ")
    assert said["s_valuelist_1"].rules_out
    assert repr(keys) == "StoreKeys('k1', LocalKms)"


@pytest.mark.parametrize(
    ("wanted", "with_keys", "message"),
    [([MinMax("n", key="k2")], False, "need keys"), ([MinMax("n")], True, "no index has a key")],
)
def test_labels_and_keys_go_together(tmp_path, kms, wanted, with_keys, message):
    dataset(tmp_path / "ds", a={"n": [1]})
    keys = StoreKeys("k1", kms) if with_keys else None
    with pytest.raises(UsageError, match=message):
        metadatastore.build(None, tmp_path / "ds", wanted, tmp_path / "md", keys=keys)


@pytest.mark.parametrize("arguments", [(b"0123456789abcdef", None), ("k1", object()), ("", None)])
def test_what_are_no_keys_is_refused(kms, arguments):
    label, service = arguments
    with pytest.raises(UsageError):
        StoreKeys(label, kms if service is None else service)
