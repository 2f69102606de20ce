"""Which files a query must read, when the dataset is not what it was."""

import os

import pyarrow as pa
import pytest
from lake.metadatastore.datasets import dataset, paths

from pqexplore.engine.errors import UsageError
from pqexplore.lake import metadatastore
from pqexplore.lake.metadatastore import MinMax, ValueList

NUMBERS = {f"f{number}": {"n": [10 * number, 10 * number + 5]} for number in range(4)}


@pytest.fixture
def made(tmp_path):
    root = dataset(tmp_path / "ds", **NUMBERS)
    return root, metadatastore.build(None, root, [MinMax("n")], tmp_path / "md")


def test_an_unchanged_dataset(made):
    root, store = made
    found = store.files_to_read("n = 15")
    assert found.paths == (str(root / "f1.parquet"),)
    assert not found.staleness.stale
    assert found.sentence == (
        "n = 15: reads 1 of 4 files. The store is up to date: it has 4 files of the dataset, and there are no others."
    )


def test_new_and_changed_files_are_read_and_vanished_ones_are_not(made):
    root, store = made
    dataset(root, new={"n": [99]})
    os.utime(root / "f0.parquet", (1_700_000_000, 1_700_000_000))
    (root / "f2.parquet").unlink()
    (root / "_ignored").mkdir()
    dataset(root / "_ignored", hidden={"n": [15]})
    found = store.files_to_read("n IN (15, 25)")
    assert found.table.select(["file", "why"]).to_pylist() == [
        {"file": str(root / "f0.parquet"), "why": "changed since the store was written"},
        {"file": str(root / "f1.parquet"), "why": "kept by the indexes"},
        {"file": str(root / "new.parquet"), "why": "not in the store"},
    ]
    assert found.staleness.sentence == (
        "The dataset has changed since the store was written: 1 new, 1 changed, 1 vanished, 2 unchanged."
    )
    assert store.staleness() == found.staleness
    assert not store.refresh().store.staleness().stale


def test_a_dataset_that_is_elsewhere_is_refused(made, tmp_path):
    root, store = made
    moved = root.rename(tmp_path / "moved")
    with pytest.raises(UsageError, match="does not exist; pass dataset"):
        store.files_to_read("n = 1")
    assert store.ask("n = 1").sentence.endswith("is not known: it cannot be listed from here.")
    with pytest.raises(UsageError, match="objects have other names"):
        store.files_to_read("n = 1", dataset=moved)


def test_other_partition_columns_skip_nothing(tmp_path):
    root = dataset(tmp_path / "ds", **{"p=1/f": {"n": [1]}, "p=10/g": {"n": [2]}})
    store = metadatastore.build(None, root, [MinMax("n")], tmp_path / "md")
    assert paths(f"{path}#1" for path in store.files_to_read("p < 9").paths) == ["f.parquet"]
    dataset(root, **{"p=x/h": {"n": [3]}})  # now p is text, and '10' < '9'
    found = store.files_to_read("p < '9'")
    assert (len(found), found.repartitioned) == (3, True)
    assert found.sentence.endswith("Nothing is skipped: the partition columns are others than the store's.")


def test_footers_say_which_files_have_no_null(tmp_path):
    files = {
        "some": {"n": [1, None], "s": ["a", None]},
        "none": {"n": [5, 6], "s": ["b", "c"]},
        "all": {"n": pa.array([None, None], pa.int64()), "s": ["d", "e"]},
        "new": {"n": [7, 8], "s": ["f", "g"]},
    }
    root = dataset(tmp_path / "ds", **files)
    (root / "new.parquet").rename(tmp_path / "new.parquet")
    store = metadatastore.build(None, root, [MinMax("n"), ValueList("s")], tmp_path / "md")
    (tmp_path / "new.parquet").rename(root / "new.parquet")

    def read(condition, footers):
        found = store.files_to_read(condition, footers=footers)
        return " ".join(paths(f"{path}#1" for path in found.paths)).replace(".parquet", "")

    for condition, without, with_footers in (
        ("n IS NULL", "all new none some", "all new some"),
        ("s IS NULL", "all new none some", "new some"),
        ("n IS NOT NULL", "new none some", "new none some"),
        ("coalesce(n, 0) = 0", "all new none some", "all new some"),
        ("n IS NULL OR n = 5", "all new none some", "all new none some"),
        ("n + 1 IS NULL AND s > 'a'", "all new none", "all new"),
        ("n <=> NULL", "all new none some", "all new some"),
    ):
        assert read(condition, False) == without, condition
        assert read(condition, True) == with_footers, condition
