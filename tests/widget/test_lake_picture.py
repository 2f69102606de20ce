"""What a saved notebook keeps of a lake."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.lake import scan
from pqexplore.widget.lake import explorer

pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    root = tmp_path_factory.mktemp("<b>lake")
    for name, kind in (("a", pa.int64()), ("b", pa.int32())):
        pq.write_table(pa.table({"secret": pa.array([41, 42], kind)}), root / f"{name}.parquet")
    (root / "broken.parquet").write_bytes(b"PAR1 no footer PAR1")
    return scan(None, str(root), processes=0)


def test_the_picture_says_what_the_files_are_and_what_is_wrong(lake):
    html = pqexplore.explore_lake(lake).picture()
    assert "3 files, 1 not read" in html
    assert "3 files have 4 rows in " in html and "1 of them could not be read" in html
    assert "<td>damage</td><td>file-unreadable</td><td>1</td>" in html
    assert "types-differ" in html
    assert "secret" not in html and "broken" not in html and "<b>lake" not in html
    assert html.endswith("<p>Run the cell to explore the files.</p>")


def test_of_many_files_no_findings_are_looked_for(lake, monkeypatch):
    monkeypatch.setattr(explorer, "AT_ONCE", 2)
    html = pqexplore.explore_lake(lake).picture()
    assert "3 files have 4 rows in " in html and "file-unreadable" not in html
