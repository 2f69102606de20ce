"""A Metadatastore: its objects, what a condition leaves out, how far it is up to date."""

import re

import pyarrow as pa
import pyarrow.parquet as pq

from pqexplore.lake import metadatastore
from pqexplore.lake.panels import answer_of, objects, skipping
from pqexplore.lake.panels.filters import Filters
from pqexplore.widget.lake import explorer

ALL = Filters()


class TestMetadatastore:
    def test_objects_and_what_indexes_say(self, store):
        answer = objects.answer(store, ALL)
        assert answer.sentence.startswith("4 objects of ")
        assert sorted(answer.table.column(store.indexes[0].column)) == [
            "0 … 99",
            "1000 … 1199",
            "2000 … 2299",
            "3000 … 3399",
        ]
        assert sorted(row[0].partition("#")[0] for row in explorer.panel(store, "objects")["table"]["rows"]) == [
            f"day={n}.parquet" for n in range(4)
        ]
        bloom = next(i for i in answer.picture.indexes if i.kind == "bloomfilter")
        assert len(bloom.fills) == 4
        assert all(0 < fill < 0.5 for fill in bloom.fills)

    def test_what_a_condition_leaves_out(self, store):
        answer = skipping.answer(store, ALL, "sound:id > 2500 AND city = 'Lima'")
        assert re.fullmatch(
            r"1 of 4 objects must be read: indexes rule out 3\. Listed at \d\d:\d\d:\d\d UTC: The store is up to date: "
            r"it has 4 files of the dataset, and there are no others\.",
            answer.sentence,
        )
        assert answer.picture.counts == [1, 3, 0]
        assert answer.table.column("verdict") == ["skipped", "skipped", "skipped", "kept"]
        assert "ruled out" in answer.table.column("reason")[0]

    def test_upstream_loses_rows_and_it_says_so(self, store):
        answer = skipping.answer(store, ALL, "xskipper:id <> 5")
        assert answer.picture.counts[1] > 0
        assert answer.picture.may_lose
        assert "which xskipper would lose" in answer.sentence

    def test_without_a_condition_it_asks_for_one(self, store):
        answer = skipping.answer(store, ALL, "xskipper: ")
        assert answer.sentence.startswith("Type a condition")
        assert answer.picture == skipping.Picture("", "xskipper", [], [], [])


def test_how_far_a_metadatastore_is_up_to_date(tmp_path):
    for name in "abc":
        pq.write_table(pa.table({"id": [1]}), tmp_path / f"{name}.parquet")
    store = metadatastore.build(None, str(tmp_path), indexes=[metadatastore.MinMax("id")], out=f"{tmp_path}-md")
    pq.write_table(pa.table({"id": [1, 2]}), tmp_path / "a.parquet")
    (tmp_path / "b.parquet").unlink()
    for name in "de":
        pq.write_table(pa.table({"id": [1]}), tmp_path / f"{name}.parquet")
    for typed in ("sound:id = 1", "sound:"):
        said = skipping.answer(store, ALL, typed).sentence
        assert "since the store was written: 2 new, 1 changed, 1 vanished, 1 unchanged." in said
        assert said.endswith("New and changed files are read in any case.")
    for name in "ade":
        (tmp_path / f"{name}.parquet").unlink()
    assert "0 new, 0 changed, 2 vanished, 1 unchanged" in answer_of(store, "skipping", fresh=True).sentence
    assert "in any case" not in answer_of(store, "skipping").sentence
    (tmp_path / "c.parquet").unlink()
    assert "0 new, 0 changed, 2 vanished" in answer_of(store, "skipping").sentence  # kept
    assert "is not known" in answer_of(store, "skipping", fresh=True).sentence
