"""What holds for every panel: its picture as JSON, answers that are kept, reasons for nothing to show, the headline."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.insight import wire
from pqexplore.lake import metadatastore, scan
from pqexplore.lake.panels import LAKE, STORE, answer_of, empty
from pqexplore.widget.lake import explorer


@pytest.mark.parametrize("panel", [*LAKE, *STORE])
def test_what_every_panel_sends_is_its_picture_as_json(lake, store, panel):
    subject, known = (lake, LAKE) if panel in LAKE else (store, STORE)
    answer = answer_of(subject, panel)
    assert isinstance(answer.picture, known[panel].picture)
    json.dumps(wire.encode(answer.picture), allow_nan=False)


def test_answers_are_kept_until_a_refresh(tmp_path):
    pq.write_table(pa.table({"id": [1]}), tmp_path / "a.parquet")
    lake = scan(None, tmp_path, out=tmp_path / "tables", processes=0)
    first = answer_of(lake, "fleet")
    assert first.sentence.startswith("1 file has 1 row")
    assert answer_of(lake, "fleet") is first
    pq.write_table(pa.table({"id": [1]}), tmp_path / "b.parquet")
    lake.refresh()
    assert answer_of(lake, "fleet").sentence.startswith("2 files have 2 rows")


def test_a_panel_that_is_none(lake, store):
    with pytest.raises(UsageError, match="there is no panel 'objects'; there are today, doctor, fleet"):
        answer_of(lake, "objects")
    with pytest.raises(UsageError, match="there is no panel 'fleet'; there are objects, skipping"):
        answer_of(store, "fleet")


class TestHeadline:
    def test_a_metadatastore_without_faults_says_what_it_has(self, tmp_path):
        pq.write_table(pa.table({"id": [1]}), tmp_path / "a.parquet")
        indexes = [metadatastore.ValueList("id")]
        made = metadatastore.build(None, str(tmp_path), indexes=indexes, out=f"{tmp_path}-md")
        name = tmp_path.name
        assert explorer.headline(made).sentence == f"1 object of {name}, version 4: 1 valuelist."
        assert explorer.headline(made).severity == ""


class TestEmpty:
    @pytest.mark.parametrize("filters", ["", '{"partition": "day=1"}', '{"status": "error"}'])
    def test_a_panel_that_is_empty_is_in_the_list(self, lake, filters):
        known = empty.empty(lake, filters)
        for name in ("columns", "overlap", "health"):
            assert bool(answer_of(lake, name, filters).empty) is (name in known), name
