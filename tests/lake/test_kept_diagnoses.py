"""What a scan keeps of the diagnoses of some of many files, so that a report opens none of them again."""

import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import planted

from pqexplore.lake import scan
from pqexplore.lake.doctor import diagnose
from pqexplore.lake.doctor.diagnosing import READ
from pqexplore.lake.scanning import run

FILES = 40
EVERY = 5
"""One of so many files is diagnosed: 8 of 40."""

_opened = None


def _heard(event, arguments):
    if _opened is not None and event == "open" and str(arguments[0]).endswith(".parquet"):
        _opened.append(str(arguments[0]))


sys.addaudithook(_heard)


class opens:
    """The files of a folder that this process opens meanwhile."""

    def __init__(self, folder):
        self._folder = folder

    def __enter__(self):
        global _opened
        _opened = self._all = []
        return self

    def __exit__(self, *_):
        global _opened
        _opened = None

    @property
    def names(self):
        return [path.rpartition("/")[2] for path in self._all if path.startswith(f"{self._folder}/")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files of one kind; more than are read at once."""
    for module in (run, diagnose):
        monkeypatch.setattr(module, "AT_ONCE", 20)
        monkeypatch.setattr(module, "SAMPLE", FILES // EVERY)
    for n in range(FILES):
        planted.put(tmp_path / "lake", f"{n:03}.parquet", pa.table({"id": range(n * 100, n * 100 + 100)}))
    return tmp_path / "lake"


def scanned(folder, **more):
    return scan(None, folder, out=folder.parent / "tables", processes=0, **more)


def kept(lake):
    return [row for row in lake.tables["diagnoses"].to_pylist() if row["rule"] == READ]


def test_a_report_after_a_scan_opens_no_file(folder):
    with opens(folder) as by_scan:
        lake = scanned(folder)
    assert set(by_scan.names) == {f"{n:03}.parquet" for n in range(FILES)}  # it would be seen
    with opens(folder) as again:
        report = lake.report(processes=0)
    assert again.names == []
    assert report.diagnosis.looked == len(kept(lake)) and FILES // EVERY <= len(kept(lake)) < FILES // 2
    assert report.sentence.startswith("Nothing to do: 40 files with 4,000 rows in ")


def test_each_kind_is_among_them_and_what_is_said_is_what_reading_again_says(folder, monkeypatch):
    (folder / "odd.parquet").write_bytes(planted.OF_ONE_FILE["small-row-groups"].make())
    planted.put(folder, "other.parquet", pa.table({"id": range(9)}), compression="zstd")
    (folder / "broken.parquet").write_bytes(b"PAR1")
    lake = scanned(folder)
    with opens(folder) as again:
        report = lake.report(processes=0)
    assert again.names == []
    monkeypatch.setattr(diagnose, "_known", lambda *_: None)
    with opens(folder) as now:
        other = lake.report(processes=0)
    assert {"odd.parquet", "other.parquet"} < set(now.names)
    mine, theirs = (
        # of how many files differs, as the samples do
        [(one.rule, one.paths, one.example, one.cost, one.columns) for one in made.diagnosis.findings]
        for made in (report, other)
    )
    assert mine == theirs
    assert {rule for rule, *_ in mine} > {"small-row-groups", "file-unreadable"}


def test_after_a_refresh_only_a_file_of_a_new_kind_is_opened(folder):
    lake = scanned(folder)
    planted.put(folder, "040.parquet", pa.table({"id": range(4_000, 4_100)}))
    (folder / "odd.parquet").write_bytes(planted.OF_ONE_FILE["small-row-groups"].make())
    lake.refresh()
    with opens(folder) as again:
        report = lake.report(processes=0)
    assert again.names == ["odd.parquet"]
    assert "small-row-groups" in {one.rule for one in report.diagnosis.findings}


def test_a_file_that_changed_is_known_no_more(folder):
    lake = scanned(folder)
    first = kept(lake)[0]["path"]
    pq.write_table(pa.table({"id": ["another type"]}), first)
    lake.refresh()
    assert first not in {row["path"] for row in kept(lake)}


def test_a_level_that_is_asked_for_reads_the_files(folder):
    lake = scanned(folder)
    with opens(folder) as again:
        assert lake.diagnose("footer", processes=0).looked == FILES
    assert len(set(again.names)) == FILES


def test_of_few_files_and_of_a_store_nothing_is_kept(folder, monkeypatch):
    monkeypatch.setattr(run, "AT_ONCE", FILES)
    assert kept(scanned(folder)) == []
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setattr(run, "AT_ONCE", 2)
    for n in range(4):
        fsspec.filesystem("memory").pipe_file(f"/kept/{n}.parquet", (folder / f"{n:03}.parquet").read_bytes())
    assert kept(scan(None, "memory://kept", out=folder.parent / "store", processes=0)) == []
