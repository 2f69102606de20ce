"""`pqexplore diff` of folders and tables."""

import json

import pyarrow as pa
import pytest

import pqexplore
from pqexplore.cli import main


@pytest.fixture
def delta(tmp_path):
    """A Delta table: a file, two files, one of both."""
    from deltalake import DeltaTable, write_deltalake

    path = str(tmp_path / "events")
    for start in (0, 10):
        write_deltalake(path, pa.table({"id": range(start, start + 10)}), mode="append")
    DeltaTable(path).optimize.compact()
    return path


RUNS = [
    # options → exit status, what is printed
    (["--version", "0", "--to", "1"], 1, "Version 1 has 1 new file; it has 10 rows more."),
    (["--version", "1"], 1, "the rows are the same: 2 files were compacted into 1 file."),
    (["--version", "1", "--to", "1"], 0, "Version 1 and version 1 have the same 2 files."),
    (["--version", "7"], 2, "the log has versions 0 to 2, and no version 7"),
    (["--version", "main"], 2, "no version main"),
    (["here"], 2, "a file and a folder or table cannot be compared"),
]


@pytest.mark.parametrize("options, status, said", RUNS)
def test_versions(delta, tmp_path, capsys, monkeypatch, options, status, said):
    monkeypatch.chdir(tmp_path)
    pqexplore.write(pa.table({"id": [1]}), "here")
    assert main(["diff", delta, *options]) == status
    out = capsys.readouterr()
    assert said in " ".join((out.err if status > 1 else out.out).split())


def test_json(delta, capsys):
    assert main(["diff", delta, "--version", "1", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["same_rows"] and found["rows"] == [20, 20]
    assert {one["what"] for one in found["differences"]} == {"files-added", "files-removed"}
    assert [one["state"] for one in found["files"]].count("removed") == 2


@pytest.mark.parametrize("words", [["a", "b", "c", "--version", "3"], ["a", "--to", "3"]])
def test_usage(words):
    with pytest.raises(SystemExit) as stop:
        main(["diff", *words])
    assert stop.value.code == 2


def test_a_folder_with_a_file_that_cannot_be_read(tmp_path, capsys):
    for name in "ab":
        (tmp_path / name).mkdir()
        pqexplore.write(pa.table({"id": [1]}), tmp_path / name / "f.parquet")
    folders = [str(tmp_path / name) for name in "ab"]
    assert main(["diff", *folders]) == 0
    (tmp_path / "b" / "bad.parquet").write_bytes(b"no")
    assert main(["diff", *folders, "--json"]) == 3
    assert '"unread": [{"file": "bad.parquet"' in capsys.readouterr().out
