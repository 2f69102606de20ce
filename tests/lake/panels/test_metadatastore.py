"""A Metadatastore: its objects, what a condition leaves out, how far it is up to date."""

import pyarrow as pa
import pyarrow.parquet as pq

from pqexplore.lake import metadatastore
from pqexplore.lake.panels import answer_of, skipping
from pqexplore.lake.panels.filters import Filters

ALL = Filters()


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
