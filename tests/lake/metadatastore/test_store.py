"""Opening a store: where it lies, what it says, and what is wrong with it."""

import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake.metadatastore.datasets import LEGACY_BLOOM, column, minmax, minmax_store, store_files

from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.lake import metadatastore
from pqexplore.lake.metadatastore import java_stream, names, sketch

OBJECTS = {"/t/a.parquet#1600000000000": (1, 5), "/t/b.parquet#7": (6, 9)}


def test_what_a_store_says_of_itself(tmp_path):
    store = metadatastore.open(minmax_store(tmp_path / "s", "long", pa.int64(), OBJECTS))
    assert (store.version, store.status, store.table_identifier) == (4, "current", "/t")
    assert [str(index) for index in store.indexes] == ["minmax on x"]
    assert store.column_types == {"x": "long"}
    assert repr(store).endswith("version 4 (current), 2 objects of /t; minmax on x>")
    first = store.objects[0]
    assert (first.name, first.path, first.modified) == ("/t/a.parquet#1600000000000", "/t/a.parquet", 1_600_000_000_000)
    assert first.values == {"x_minmax_1": {"min": 1, "max": 5}}
    assert first.partition == {}
    assert [one.modified for one in store] == [1_600_000_000_000, 7]
    assert store.object("/t/b.parquet#7").values["x_minmax_1"]["max"] == 9


def test_a_store_opens_without_what_is_slow_to_import(tmp_path):
    directory = minmax_store(tmp_path / "s", "long", pa.int64(), OBJECTS)
    program = f"""
import sys
from pqexplore.lake import metadatastore
store = metadatastore.open({str(directory)!r})
assert store.num_rows == 2
print(*{{"sqlglot", "pyspark", "duckdb", "pandas"}} & set(sys.modules))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_opening_reads_no_values(tmp_path):
    directory = minmax_store(tmp_path / "s", "long", pa.int64(), OBJECTS)
    store = metadatastore.open(directory)
    for part in directory.iterdir():
        part.unlink()
    with pytest.raises(OSError):
        len(store.objects)


def test_several_files_are_one_store(tmp_path):
    directory = minmax_store(tmp_path / "s", "long", pa.int64(), OBJECTS)
    other = minmax_store(tmp_path / "o", "long", pa.int64(), {"/t/c#1": (0, 0)})
    os.rename(other / "part-00000-c000.snappy.parquet", directory / "part-00001.parquet")
    (directory / "_SUCCESS").touch()
    (directory / ".part-00000.parquet.crc").touch()
    store = metadatastore.open(directory)
    assert [one.path for one in store.objects] == ["/t/a.parquet", "/t/b.parquet", "/t/c"]
    assert len(store.parts) == 2


def test_files_of_different_schemas_are_not_one_store(tmp_path):
    directory = minmax_store(tmp_path / "s", "long", pa.int64(), OBJECTS)
    columns = [column("obj_name", version=3, tableIdentifier="/t")]
    other = store_files(tmp_path / "o", columns, pa.table({"obj_name": ["/t/c#1"]}))
    os.rename(other / "part-00000-c000.snappy.parquet", directory / "part-00001.parquet")
    with pytest.raises(CorruptFileError, match=r"part-00001.parquet has version 3 .* interrupted"):
        metadatastore.open(directory)


def test_a_base_path_with_one_store_is_enough(tmp_path):
    below = names.store_directory("/t")
    minmax_store(tmp_path / below, "long", pa.int64(), OBJECTS)
    assert metadatastore.open(tmp_path).path == str(tmp_path / below)
    (tmp_path / ".other.0123").mkdir()
    (tmp_path / "empty").mkdir()
    assert metadatastore.open(str(tmp_path) + "/").path == str(tmp_path / below)
    assert metadatastore.find(tmp_path) == {str(tmp_path / below): "/t"}
    assert metadatastore.is_store(tmp_path) and metadatastore.is_store(tmp_path / below)
    assert not metadatastore.is_store(tmp_path / "empty")
    assert not metadatastore.is_store(tmp_path / "nowhere")


def test_of_several_stores_the_table_decides(tmp_path):
    minmax_store(tmp_path / names.store_directory("/t"), "long", pa.int64(), OBJECTS)
    columns = [column("obj_name", version=4, tableIdentifier="/u")]
    store_files(tmp_path / names.store_directory("/u"), columns, pa.table({"obj_name": ["/u/c#1"]}))
    with pytest.raises(UsageError, match="table_identifier, one of: /t, /u"):
        metadatastore.open(tmp_path)
    assert metadatastore.open(tmp_path, table_identifier="/u/").table_identifier == "/u"
    with pytest.raises(UsageError, match="no metadatastore for /v"):
        metadatastore.open(tmp_path, table_identifier="/v")


def test_what_is_no_store_is_said_to_be_none(tmp_path):
    with pytest.raises(FileNotFoundError):
        metadatastore.open(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="is not a metadatastore"):
        metadatastore.open(tmp_path)
    pq.write_table(pa.table({"x": [1]}), tmp_path / "table.parquet")
    with pytest.raises(CorruptFileError, match="not a file of a metadatastore"):
        metadatastore.open(tmp_path)
    assert not metadatastore.is_store(tmp_path)


def test_a_row_without_a_name_is_damage(tmp_path):
    columns = [column("obj_name", version=4, tableIdentifier="/t")]
    store = metadatastore.open(store_files(tmp_path / "s", columns, pa.table({"obj_name": ["/a#1", None]})))
    with pytest.raises(CorruptFileError, match="row 1 of the metadatastore has no object name"):
        len(store.objects)


def test_a_store_that_was_written_since_is_noticed(tmp_path):
    directory = minmax_store(tmp_path / "s", "long", pa.int64(), OBJECTS)
    store = metadatastore.open(directory)
    minmax_store(directory, "long", pa.int64(), {"/t/z#1": (1, 1)})
    with pytest.raises(CorruptFileError, match="open it again"):
        len(store.objects)


def test_timestamps_and_dates_are_counts_whatever_the_file_calls_them(tmp_path):
    moments = pa.array([-1_500, 0], pa.timestamp("ns"))
    ends = pa.StructArray.from_arrays([moments, moments], ["min", "max"])
    columns = [
        column("obj_name", version=4, tableIdentifier="/t"),
        column("x_minmax_1", minmax("timestamp"), index={"name": "minmax", "cols": ["x"]}),
    ]
    rows = pa.table({"obj_name": ["/t/a#1", "/t/b#1"], "x_minmax_1": ends})
    store = metadatastore.open(store_files(tmp_path / "s", columns, rows))
    assert [one.values["x_minmax_1"]["min"] for one in store] == [-2, 0]
    found = store.evaluate("x < TIMESTAMP '1970-01-01 00:00:00Z'")
    assert found.skipped == ("/t/b#1",)


def test_synthetic_version_0_shows_opaque_objects_and_their_class(tmp_path):
    columns = [
        column("obj_name"),
        column(
            "x_bloomfilter", LEGACY_BLOOM, index={"name": "bloomfilter", "cols": ["x"], "tableIdentifier": "bucket/t"}
        ),
    ]
    stream = sketch.to_java(sketch.build(10, 0.1))
    rows = pa.table({"obj_name": ["/t/a"], "x_bloomfilter": [stream]})
    store = metadatastore.open(store_files(tmp_path / "s", columns, rows))
    assert (store.version, store.status, store.table_identifier) == (0, "values opaque", "bucket/t")
    assert store.objects[0].modified is None
    value = store.objects[0].values["x_bloomfilter"]
    assert java_stream.class_name(value) == "io.xskipper.index.metadata.BloomFilterMetaData"
    assert store.check_upstream() == []


def test_synthetic_version_5_is_recognised_as_too_new(tmp_path):
    columns = [column("obj_name", version=5, tableIdentifier="/t")]
    store = metadatastore.open(store_files(tmp_path / "s", columns, pa.table({"obj_name": ["/t/a#1"]})))
    assert (store.version, store.status) == (5, "too new")


def rules(store):
    return [finding.rule for finding in store.findings]


def odd_store(directory, *indexes, objects=("/t/a#1",), **notes):
    """A store of MinMax indexes in columns of the given names, on the given columns, under the given labels."""
    columns = [column("obj_name", **{"version": 4, "tableIdentifier": "/t", **notes})]
    for name, on, label in indexes:
        index = {"name": "minmax", "cols": [on], **({"key_metadata": label} if label else {})}
        columns.append(column(name, minmax("long"), index=index))
    ends = pa.array([{"min": 1, "max": 2}] * len(objects))
    rows = pa.table([pa.array(objects), *[ends] * len(indexes)], names=[one["name"] for one in columns])
    return metadatastore.open(store_files(directory, columns, rows))


def test_findings_name_what_does_not_fit(tmp_path):
    store = odd_store(tmp_path / "name", ("x_minmax", "x", None))
    [finding] = store.findings
    assert finding.rule == "index-name-disagrees"
    assert "is called 'x_minmax'; version 4 calls it 'x_minmax_1'" in finding.message
    inside = odd_store(tmp_path / "prefix", ("a_minmax_1", "a", None), ("a_minmax_1_minmax_10", "a_minmax_1", None))
    assert rules(inside) == ["index-names-not-prefix-free"]
    twice = odd_store(tmp_path / "twice", ("x_minmax_1", "x", None), objects=("/t/a#1", "/t/a#1"))
    assert rules(twice) == ["duplicate-objects"]
    labels = {"encryption.footer.key": "k1", "encryption.column.keys": "k2:x_minmax_1.min,x_minmax_1.max;k1:obj_name"}
    good = odd_store(tmp_path / "good", ("x_minmax_1", "x", "k2"), encryption=labels)
    assert rules(good) == []
    bad = odd_store(tmp_path / "bad", ("x_minmax_1", "x", "k3"), encryption=labels)
    assert rules(bad) == ["key-labels-disagree"]
    new = odd_store(tmp_path / "new", ("x_minmax_1", "x", None), version=5)
    assert rules(new) == ["store-not-understood"]


def test_an_index_that_is_not_understood_is_noted(tmp_path):
    index = {"name": "regexvaluelist", "cols": ["s"]}
    columns = [column("obj_name", version=4, tableIdentifier="/t"), column("s_regexvaluelist_1", "binary", index=index)]
    rows = pa.table({"obj_name": ["/t/a#1"], "s_regexvaluelist_1": [b""]})
    store = metadatastore.open(store_files(tmp_path / "s", columns, rows))
    assert rules(store) == ["index-not-understood"]
