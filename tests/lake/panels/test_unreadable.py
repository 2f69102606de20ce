"""What the panels say of a lake if no file can be read, or not every file: nothing that is not known."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_lake

import pqexplore
from pqexplore.engine.writer.options import Encryption
from pqexplore.lake import scan
from pqexplore.lake.panels import answer_of, empty
from pqexplore.lake.panels.header import about
from pqexplore.widget.lake import explorer

TABLE = pa.table({"id": [1, 2]})


def lake_of(folder, locked=0, readable=0, damaged=0):
    files = folder / "files"
    files.mkdir()
    for n in range(locked):
        options = pqexplore.WriteOptions(encryption=Encryption(b"k" * 16))
        pqexplore.write(TABLE, files / f"locked-{n}.parquet", options)
    for n in range(readable):
        pq.write_table(pa.table({"id": [n, n + 1]}), files / f"readable-{n}.parquet")
    for n in range(damaged):
        (files / f"damaged-{n}.parquet").write_bytes(b"PAR1 and no footer PAR1")
    return scan(None, str(files), out=folder / "tables", processes=0)


@pytest.mark.parametrize("files, headline, title, fleet", [
    ({"locked": 2}, "Not one of 2 files can be read without a key: 2 files in ", "No file can be read without a key",
        "2 files have "),
    (
        {"locked": 1, "readable": 2},
        "No problems found (footers of 2 files), and 1 more file cannot be read without a key: 3 files in ",
        "No problems found in the 2 files that can be read without a key",
        "3 files have 4 rows in ",
    ),
    ({"readable": 2}, "No problems found (footers of 2 files): 2 files with 4 rows in ", "✓ No problems found",
        "2 files have 4 rows in "),
    ({"damaged": 2}, "damaged-0.parquet and 1 more: files that cannot be read: both files", "Problems",
        "2 files have "),
    ({"damaged": 1, "locked": 1}, "damaged-0.parquet: files that cannot be read: 1 of 2 files", "Problems",
        "2 files have "),
])  # fmt: skip
def test_nothing_is_said_of_files_that_were_not_read(tmp_path, files, headline, title, fleet):
    lake = lake_of(tmp_path, **files)
    made = explorer.headline(lake).sentence
    assert made.startswith(headline)
    assert answer_of(lake, "doctor").picture.title == title
    said = answer_of(lake, "fleet").sentence
    assert said.startswith(fleet)
    unread = files.keys() - {"readable"}
    if unread and "readable" not in files:
        assert "not one of them could be read" in said
        assert " row" not in said and " row" not in made
        assert answer_of(lake, "drift").empty == "There is no file that can be read."
        assert empty.empty(lake)["columns"] == "There is no file that can be read."
        filtered = '{"status": "ok"}'
        assert empty.empty(lake, filtered)["columns"] == "No readable file passes the filters."
    else:
        assert empty.empty(lake).get("columns") is None


class TestHeadline:
    def test_it_fits_in_its_line_and_ends_with_a_whole_clause(self, tmp_path):
        made_lake.make(tmp_path / "files", 6)
        lake = scan(None, str(tmp_path / "files"), out=tmp_path / "t", processes=0)
        made = explorer.headline(lake).sentence
        assert len(made) <= 112 and made.endswith(" more findings.")

    def test_a_sound_lake_says_as_much_as_fits(self, tmp_path):
        pq.write_table(TABLE, tmp_path / "a.parquet")
        report = scan(None, str(tmp_path), out=tmp_path / "t", processes=0).diagnose(processes=0)
        assert report.headline == report.sentence
        what = f"{report.what}, an Iceberg table at snapshot 6153211834731467390, and more"
        longer = type(report)(report.name, "footer", (), 1, what, report.files)
        assert longer.headline == report.sentence  # what is said of the table stays together
        assert what in longer.sentence


def test_a_table_without_files_says_so(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    folder = str(tmp_path / "events")
    deltalake.write_deltalake(folder, TABLE)
    deltalake.DeltaTable(folder).delete()
    lake = scan(None, folder, out=tmp_path / "t", processes=0)
    made = answer_of(lake, "doctor")
    assert made.picture.title == ""
    said = "There are no files: a Delta table at version 1, without 1 older file."
    assert (made.sentence, explorer.headline(lake).sentence) == (said, said)
    assert empty.empty(lake)["drift"] == answer_of(lake, "drift").empty
    assert about(lake).facts[:3] == ["0 files", "1 more in the folder", "Delta table"]
