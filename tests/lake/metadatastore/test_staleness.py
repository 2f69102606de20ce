"""Which files a query must read, when the dataset is not what it was."""

from __future__ import annotations

import os

import pytest
from lake.metadatastore.datasets import dataset, paths

from pqexplore.engine.errors import UsageError
from pqexplore.lake import metadatastore
from pqexplore.lake.metadatastore import MinMax

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
    assert found.sentence.endswith(
        "Nothing is skipped: the partition columns are others than the store's."
    )
