"""Stores that are written anew: versions 1 to 3 as version 4, and stores brought up to date with their dataset."""

import os
import time
from pathlib import Path

import pyarrow as pa
import pytest
from lake.metadatastore.datasets import (
    BLOOM,
    LEGACY_BLOOM,
    column,
    dataset,
    minmax,
    minmax_store,
    store_files,
    value_list,
)

from pqexplore.engine.errors import UnsupportedFeatureError, UsageError
from pqexplore.engine.format.encryption.keys import LocalKms
from pqexplore.lake import metadatastore
from pqexplore.lake.metadatastore import BloomFilter, MinMax, StoreKeys, ValueList, java_stream, names, sketch
from pqexplore.lake.store import run_lock

FILTER = sketch.build(500, 0.01, [1, 2, 3])
STREAM = sketch.to_java(FILTER)
OLD_CLASS = sketch.LEGACY_METADATA_CLASS
OLD_STREAM = STREAM.replace(java_stream.utf(sketch.METADATA_CLASS), java_stream.utf(OLD_CLASS))
PARAMS = {"index.bloom.fpp": "0.01", "index.bloom.ndv": "500"}


def old_store(directory, version, identifier="/t", objects=None):
    """A store of version 1, 2 or 3 as xskipper left it: three indexes, two objects below `date=…`."""
    objects = objects or [f"{identifier}/date=2020-01-0{n}/a.parquet#100{n}" for n in (1, 2)]
    prefix = "io.xskipper." if version == 3 else "spark.ibm.metaindex."
    params = {prefix + key: value for key, value in PARAMS.items()}
    listed = params if version == 3 else [f"{key}:{value}" for key, value in params.items()]
    indexes = [
        ({"name": "minmax", "cols": ["nest.ts"]}, minmax("timestamp")),
        ({"name": "valuelist", "cols": ["city"]}, value_list("string")),
        ({"name": "bloomfilter", "cols": ["n"], "params": listed}, BLOOM if version == 3 else LEGACY_BLOOM),
    ]
    columns = [column("obj_name", version=version, tableIdentifier=identifier)]
    for index, kind in indexes:
        name = names.index_column(version, index["cols"], index["name"])
        columns.append(column(name, kind, index=index))
    ends = pa.array([1_000, 5_000], pa.timestamp("ns"))
    values = [
        pa.StructArray.from_arrays([ends, ends], ["min", "max"], mask=pa.array([False, True])),
        pa.array([["x", "y"], None], pa.list_(pa.string())),
        pa.array([STREAM if version == 3 else OLD_STREAM, None], pa.binary()),
    ]
    rows = pa.table([pa.array(objects), *values], names=[one["name"] for one in columns])
    return store_files(directory, columns, rows)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_store_becomes_one_of_version_4(tmp_path, version):
    old = metadatastore.open(old_store(tmp_path / "old", version))
    new = old.upgrade(tmp_path / "new")
    assert (new.version, new.table_identifier) == (4, "t")
    assert Path(new.path) == tmp_path / "new" / names.store_directory("/t")
    assert [index.column for index in new.indexes] == ["nest$#$ts_minmax_9", "city_valuelist_4", "n_bloomfilter_1"]
    assert new.indexes[2].params == {"io.xskipper." + key: value for key, value in PARAMS.items()}
    assert new.indexes[2].type == BLOOM
    assert [(one.name, one.type) for one in new.partitions] == [("date", "date")]
    first, second = new.objects
    assert (first.name, first.partition) == ("/t/date=2020-01-01/a.parquet#1001", {"date": 18_262})
    assert first.values == {
        "nest$#$ts_minmax_9": {"min": 1, "max": 1},
        "city_valuelist_4": ["x", "y"],
        "n_bloomfilter_1": STREAM,
    }
    assert set(second.values.values()) == {None}
    assert old.version == version and len(old.objects) == 2


def test_old_stores_are_evaluated_as_they_are(tmp_path):
    for version in (1, 2, 3):
        store = metadatastore.open(old_store(tmp_path / str(version), version))
        found = store.evaluate("city = 'q' OR nest.ts > TIMESTAMP '2020-01-01 00:00:00Z'")
        assert [name.rpartition("#")[2] for name in found.skipped] == ["1001"]
        found = store.evaluate("n = 77 AND date = '2020-01-01'", types={"n": "long"})
        assert [name.rpartition("#")[2] for name in found.skipped] == ["1001"]


def test_filters_of_version_2_keep_the_class_that_reads_them(tmp_path):
    newer = sketch.to_java(sketch.SketchBloomFilter(2, 3, 0, bytes(64)))
    table = pa.table({"obj_name": ["/t/a#1"], "n_bloomfilter_1": pa.array([newer], pa.binary())})
    columns = [
        column("obj_name", version=3, tableIdentifier="/t"),
        column("n_bloomfilter_1", BLOOM, index={"name": "bloomfilter", "cols": ["n"]}),
    ]
    store = metadatastore.open(store_files(tmp_path / "v2", columns, table))
    assert store.upgrade(tmp_path / "new").objects[0].values == {"n_bloomfilter_1": newer}


def test_with_the_dataset_objects_that_are_gone_stay_behind(tmp_path):
    root = dataset(tmp_path / "ds", **{"date=2020-01-01/a": {"n": [1]}})
    objects = [f"{root}/date=2020-01-01/a.parquet#1600000000000", f"{root}/date=2020-01-02/a.parquet#1"]
    old = metadatastore.open(old_store(tmp_path / "old", 2, str(root), objects))
    new = old.upgrade(tmp_path / "new", dataset=root)
    assert [one.name for one in new.objects] == objects[:1]
    assert len(old.upgrade(tmp_path / "all").objects) == 2


def test_objects_that_lie_elsewhere_have_no_partition_columns(tmp_path):
    objects = ["/elsewhere/date=1/a#1", "/t/date=2/b#1"]
    old = metadatastore.open(old_store(tmp_path / "old", 3, "/t", objects))
    assert old.upgrade(tmp_path / "new").partitions == ()


@pytest.mark.parametrize(
    ("version", "message"),
    [(0, "Version 0"), (5, "Above version 4")],
    ids=["synthetic version 0", "synthetic version 5"],
)
def test_versions_that_are_not_understood_are_not_written_anew(tmp_path, version, message):
    columns = [column("obj_name", version=version, tableIdentifier="/t")]
    store = metadatastore.open(store_files(tmp_path / "s", columns, pa.table({"obj_name": ["/t/a#1"]})))
    for act in (lambda: store.upgrade(tmp_path / "new"), lambda: store.refresh()):
        with pytest.raises(UnsupportedFeatureError, match=message):
            act()
    assert not (tmp_path / "new").exists()


def test_an_index_that_nobody_knows_is_not_lost_silently(tmp_path):
    columns = [
        column("obj_name", version=3, tableIdentifier="/t"),
        column("s_regexvaluelist_1", value_list("string"), index={"name": "regexvaluelist", "cols": ["s"]}),
    ]
    rows = pa.table({"obj_name": ["/t/a#1"], "s_regexvaluelist_1": [["x"]]})
    store = metadatastore.open(store_files(tmp_path / "s", columns, rows))
    with pytest.raises(UnsupportedFeatureError, match="regexvaluelist on s"):
        store.upgrade(tmp_path / "new")


def test_a_current_store_has_nothing_to_upgrade(tmp_path):
    store = metadatastore.open(minmax_store(tmp_path / "s", "long", pa.int64(), {"/t/a#1": (1, 2)}))
    with pytest.raises(UsageError, match="already has version 4"):
        store.upgrade(tmp_path / "new")


# Refresh.


WANTED = [MinMax("n"), ValueList("s"), BloomFilter("s", fpp=0.05, ndv=20)]


@pytest.fixture
def lake(tmp_path):
    """A dataset of three files, and its store."""
    dataset(tmp_path / "ds", **{f"p={n}/f{n}": {"n": [n, n + 10], "s": [f"s{n}", None]} for n in (1, 2, 3)})
    return metadatastore.build(None, tmp_path / "ds", WANTED, tmp_path / "md")


def files(found):
    return sorted(Path(name.partition("#")[0]).name for name in found)


def test_nothing_is_written_where_nothing_changed(lake):
    before = [(part.path, os.stat(part.path).st_mtime_ns) for part in lake.parts]
    found = lake.refresh()
    assert (found.added, found.removed, len(found.kept)) == ((), (), 3)
    assert found.store is lake
    assert [(part.path, os.stat(part.path).st_mtime_ns) for part in lake.parts] == before


def test_new_changed_and_removed_objects(lake, tmp_path):
    (tmp_path / "ds/p=1/f1.parquet").unlink()
    dataset(tmp_path / "ds", **{"p=4/f4": {"n": [400], "s": ["new"]}, "p=2/f2": {"n": [200], "s": ["b"]}})
    os.utime(tmp_path / "ds/p=2/f2.parquet", (1_700_000_000, 1_700_000_000))
    found = lake.refresh()
    assert files(found.added) == ["f2.parquet", "f4.parquet"]
    assert files(found.removed) == ["f1.parquet", "f2.parquet"]
    assert files(found.kept) == ["f3.parquet"]
    store = found.store
    assert store.path == lake.path
    assert os.listdir(tmp_path / "md") == [os.path.basename(store.path)]
    assert store.duplicates == []
    whole = metadatastore.build(None, tmp_path / "ds", WANTED, tmp_path / "whole")
    assert {one.name: (one.partition, one.values) for one in store} == {
        one.name: (one.partition, one.values) for one in whole
    }
    assert store.schema == whole.schema
    assert files(metadatastore.open(tmp_path / "md").evaluate("n > 100").kept) == ["f2.parquet", "f4.parquet"]


def test_a_store_by_xskipper_keeps_its_doubts_and_new_rows_have_none(tmp_path):
    root = dataset(tmp_path / "ds", old={"x": [1.0]}, new={"x": [2.0]})
    objects = {f"{root}/old.parquet#1600000000000": (1.0, 1.0)}
    directory = minmax_store(tmp_path / "md", "double", pa.float64(), objects, str(root))
    store = metadatastore.open(directory)
    found = store.refresh()
    assert files(found.added) == ["new.parquet"]
    assert [part.mark is not None for part in found.store.parts] == [False, True]
    assert files(found.store.evaluate("x > 9").kept) == ["old.parquet"]


def test_an_old_store_is_upgraded_when_it_is_refreshed(tmp_path):
    root = dataset(
        tmp_path / "ds",
        **{
            "date=2020-01-01/a": {"n": [1], "city": ["x"], "nest": NEST},
            "date=2020-01-03/a": {"n": [9], "city": ["z"], "nest": NEST},
        },
    )
    objects = [f"{root}/date=2020-01-01/a.parquet#1600000000000", f"{root}/date=2020-01-02/a.parquet#1"]
    store = metadatastore.open(old_store(tmp_path / "md", 2, str(root), objects))
    found = store.refresh()
    assert (len(found.kept), len(found.added), len(found.removed)) == (1, 1, 1)
    assert (found.store.version, found.store.path) == (4, str(tmp_path / "md"))
    assert sketch.from_java(found.store.object(objects[0]).values["n_bloomfilter_1"]) == FILTER
    new = sketch.from_java(found.store.object(found.added[0]).values["n_bloomfilter_1"])
    assert new == sketch.build(500, 0.01, [9])


NEST = pa.array([{"ts": 5}], pa.struct([("ts", pa.timestamp("us", "UTC"))]))


def test_duplicates_go(tmp_path):
    root = dataset(tmp_path / "ds", a={"x": pa.array([1], pa.int64())})
    name = f"{root}/a.parquet#1600000000000"
    directory = minmax_store(tmp_path / "md", "long", pa.int64(), {name: (1, 1)}, str(root))
    (directory / "part-00001.parquet").write_bytes((directory / "part-00000-c000.snappy.parquet").read_bytes())
    store = metadatastore.open(directory)
    assert store.duplicates == [name]
    found = store.refresh()
    assert (found.store.num_rows, found.kept) == (1, (name,))


def test_files_that_do_not_fit_are_left_out_with_a_reason(lake, tmp_path):
    dataset(tmp_path / "ds", **{"p=5/f5": {"n": ["text"], "s": ["x"]}})
    (tmp_path / "ds/p=5/g.parquet").write_bytes(b"PAR1 nothing")
    found = lake.refresh()
    assert found.added == ()
    why = {Path(path).name: problem for path, problem in found.omitted.items()}
    assert why["f5.parquet"] == "column n has type string, the index has type long"
    assert set(why) == {"f5.parquet", "g.parquet"}
    assert len(found.store.objects) == 3
    assert found.store.omitted == found.omitted


def test_partition_columns_follow_the_dataset(lake, tmp_path):
    dataset(tmp_path / "ds", **{"p=x/f5": {"n": [5], "s": ["x"]}})
    store = lake.refresh().store
    assert [one.type for one in store.partitions] == ["string"]
    assert sorted(one.partition["p"] for one in store) == ["1", "2", "3", "x"]


def test_a_dataset_elsewhere_has_to_be_named_and_cannot_be_another(lake, tmp_path):
    os.rename(tmp_path / "ds", tmp_path / "moved")
    with pytest.raises(UsageError, match="pass dataset"):
        lake.refresh()
    with pytest.raises(UsageError, match="have other names"):
        lake.refresh(dataset=tmp_path / "moved")


def test_an_encrypted_store_is_refreshed_with_its_keys_only(tmp_path):
    kms = LocalKms({"k1": bytes(range(16)), "k2": bytes(range(16, 32))})
    keys = StoreKeys("k1", kms)
    dataset(tmp_path / "ds", a={"n": [1]})
    wanted = [MinMax("n", key="k2")]
    store = metadatastore.build(None, tmp_path / "ds", wanted, tmp_path / "md", keys=keys)
    dataset(tmp_path / "ds", b={"n": [7]})
    with pytest.raises(UsageError, match="encrypted indexes need keys"):
        store.refresh()
    found = store.refresh(keys=keys)
    assert files(found.added) == ["b.parquet"]
    assert found.store.encryption == store.encryption
    assert files(found.store.evaluate("n > 5").kept) == ["b.parquet"]


def test_a_store_that_was_opened_by_its_file_is_not_refreshed(lake, tmp_path):
    dataset(tmp_path / "ds", **{"p=9/f9": {"n": [9], "s": ["x"]}})
    [part] = lake.parts
    alone = metadatastore.open(part.path)
    assert len(alone.objects) == 3
    with pytest.raises(UsageError, match="not a directory"):
        alone.refresh()
    assert os.listdir(lake.path) == [os.path.basename(part.path)]


def test_a_store_behind_a_link_is_refreshed_in_its_place(lake, tmp_path):
    (tmp_path / "link").symlink_to(lake.path)
    dataset(tmp_path / "ds", **{"p=9/f9": {"n": [9], "s": ["x"]}})
    found = metadatastore.open(tmp_path / "link").refresh()
    assert files(found.added) == ["f9.parquet"]
    assert (tmp_path / "link").is_symlink()
    assert len(metadatastore.open(lake.path).objects) == len(found.store.objects) == 4


@pytest.mark.parametrize(
    ("age", "machine", "gone"),
    [(0, run_lock.machine(), True), (60, "another machine", False), (2 * run_lock.STALE, "", True)],
)
def test_what_a_killed_process_left_goes_with_the_next_one(tmp_path, age, machine, gone):
    root = dataset(tmp_path / "ds", a={"n": [1, 2]})
    metadatastore.build(None, root, [MinMax("n")], tmp_path / "md", location="explicit")
    left, other = tmp_path / ".md.0123abcd", tmp_path / ".md.backup"
    for path in (left, other):
        path.mkdir()
    (left / "part-0.parquet").write_bytes(b"half")
    (left / run_lock.ALIVE).write_text(machine)
    for path in (*left.iterdir(), left):
        os.utime(path, (time.time() - age,) * 2)
    dataset(tmp_path / "ds", b={"n": [3]})
    metadatastore.open(tmp_path / "md").refresh()
    assert left.exists() is not gone and other.exists()
    assert not list((tmp_path / "md").glob(".*"))
