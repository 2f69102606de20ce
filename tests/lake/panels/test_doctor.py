"""The diagnosis of a lake as cards and rows."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import doctored_lake

from pqexplore.engine.rule import Severity
from pqexplore.lake import scan
from pqexplore.lake.panels import LAKE, answer_of, doctor
from pqexplore.lake.panels.filters import Filters
from pqexplore.widget.headline import Headline
from pqexplore.widget.lake import explorer

ALL = Filters()


class TestDoctor:
    def test_the_filters_of_small_files_are_valid(self):
        for _, panel, filters in doctor.SEE.values():
            assert panel in LAKE
            Filters.parse(filters)

    def test_the_table_lists_the_files_of_one_finding(self, tmp_path):
        doctored_lake.make(tmp_path, 20)
        lake = scan(None, str(tmp_path), out=tmp_path / "t", processes=0)
        whole = answer_of(lake, "doctor")
        some = answer_of(lake, "doctor", typed="footer:small-row-groups")
        finding = next(one for one in some.picture.findings if one.card.rule == "small-row-groups")
        assert some.sentence == whole.sentence
        assert some.table.total == len(some.table.rows) == finding.files == 12
        assert set(some.table.column("rule")) == {"small-row-groups"}
        assert len(whole.table.rows) > 12
        ranks = [one.value for one in Severity]
        severities = whole.table.column("severity")
        assert severities == sorted(severities, key=ranks.index) and len(set(severities)) > 2
        cards = [one.card for one in whole.picture.findings]
        [damage] = [card.sentence for card in cards if card.rule == "file-empty"]
        assert "The file cannot be read: date=2026-11-04/bad-00003-empty.parquet is em" in damage
        [writer] = finding.writers
        assert writer.name.startswith("parquet-cpp-arrow ")
        assert (writer.files, writer.of) == (12, 14)

    def test_many_files_wait_and_what_the_scan_shows_is_there(self, lake, folder, tmp_path, monkeypatch):
        known = {one.card.rule: one for one in answer_of(lake, "doctor").picture.findings}
        monkeypatch.setattr(doctor, "AT_ONCE", 4)
        fresh = scan(None, str(folder), out=tmp_path, processes=0)
        waiting = doctor.answer(fresh, ALL)
        assert waiting.sentence == "5 files are not diagnosed yet: that reads their footers again."
        assert waiting.picture.waiting == 5
        shown = {one.card.rule: one for one in waiting.picture.findings}
        assert shown.keys() == {"file-unreadable", "columns-differ"}
        assert all(shown[rule] == known[rule] for rule in shown)
        first = shown["file-unreadable"].card.sentence.partition(" For example")[0]
        assert explorer.headline(fresh) == Headline(f"{first} And 1 more finding.", "damage")
        monkeypatch.setattr(doctor, "BY_THE_SCAN", 4)
        again = scan(None, str(folder), out=tmp_path / "again", processes=0)
        assert doctor.answer(again, ALL).picture == doctor.Picture("", [], 0, 5, "")
        assert explorer.headline(again).sentence.startswith("5 files have 1,000 rows")
        assert doctor.answer(again, ALL, "footer").picture.waiting == 0
        assert doctor.answer(again, ALL).picture.waiting == 0  # it is known now

    def test_fewer_files_of_a_store_are_diagnosed_at_once(self, tmp_path, monkeypatch):
        fsspec = pytest.importorskip("fsspec")
        pq.write_table(pa.table({"id": [1]}), tmp_path / "a.parquet")
        data = (tmp_path / "a.parquet").read_bytes()
        for name in ("a", "b"):
            fsspec.filesystem("memory").pipe_file(f"/few/{name}.parquet", data)
        monkeypatch.setattr(doctor, "REMOTE_AT_ONCE", 1)
        lake = scan(None, "memory://few", out=tmp_path / "t", processes=0)
        assert doctor.answer(lake, ALL).picture.waiting == 2
        assert doctor.answer(lake, ALL, "footer:").picture.waiting == 0
