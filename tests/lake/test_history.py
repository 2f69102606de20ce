"""What a lake says of its runs: what grew, drifted, decayed and broke, and what cannot be compared."""

import json
import os

import pyarrow as pa
import pytest
from lake.test_views import put

import pqexplore.lake
from pqexplore.engine.errors import UsageError
from pqexplore.lake.scanning import processes


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Four files whose ids follow one another, and the store of a scan of them."""
    monkeypatch.setattr(processes, "_elsewhere", lambda *_: False)
    for number in range(4):
        ids(tmp_path, f"{number}.parquet", number * 10)
    pqexplore.lake.scan(None, tmp_path / "lake", out=tmp_path / "store", processes=0)
    return tmp_path


def ids(place, name: str, first: int, last: int | None = None, **more) -> None:
    last = first + 9 if last is None else last
    put(place / "lake", name, {"id": [first, last], "wild": [0, 99], **more})


def opened(place):
    return pqexplore.lake.open(place / "store", follow_outside=True)


def test_one_run_has_nothing_to_compare_with(place):
    history = opened(place).history()
    assert history.sentence.startswith("One run can be read: 4 files with 8 rows in ")
    assert history.growth.num_rows == 1 and history.remarks == ()
    assert not history.drift.num_rows + history.overlap.num_rows + history.problems.num_rows


def test_a_refresh_without_a_change_says_so(place):
    history = opened(place).refresh().history()
    assert "4 files and now 4, 8 rows and now 8" in history.sentence
    assert history.sentence.endswith(
        "Since the run before: 0 new files, 0 changed, 0 gone; no new definition of a column; 0 new problems."
    )
    assert history.drift.num_rows == history.problems.num_rows == 0
    overlap = [(one["column_name"], one["point_files"]) for one in history.overlap.to_pylist()]
    assert overlap == [("id", 1.0)] * 2  # not of the column that nothing sorts


def test_what_grew_drifted_decayed_and_broke(place):
    lake = opened(place)
    ids(place, "wide.parquet", 0, 39, extra=["x", "y"])
    ids(place, "1.parquet", 10)
    os.utime(place / "lake" / "1.parquet", (1, 1))  # changed
    (place / "lake" / "3.parquet").unlink()
    (place / "lake" / "zero.parquet").touch()
    history = lake.refresh().history()
    first, last = history.growth.to_pylist()
    assert first["new_files"] is None
    names = ("num_files", "errors", "num_rows", "new_files", "changed_files", "gone_files")
    assert [last[name] for name in names] == [5, 1, 8, 2, 1, 1]
    [drift] = history.drift.to_pylist()
    assert (drift["change"], drift["column_name"], drift["num_files"]) == ("new column", "extra", 1)
    assert drift["example"].endswith("wide.parquet") and "parquet-cpp" in drift["created_by"]
    [problem] = history.problems.to_pylist()
    assert (problem["rule"], problem["path"][-12:]) == ("not-parquet", "zero.parquet")
    assert "a new definition of `extra`; 1 new problem." in history.sentence
    assert "Files overlap more: a query for one value of `id` reads 2 of 4 files" in history.sentence
    html = history._repr_html_()
    assert "extra" in html and "zero.parquet" in html and "<script" not in html
    # the next run has the same problem: it is not new any more
    assert lake.refresh().history().problems.num_rows == 0
    drifts = lake.history().drift.to_pylist()
    assert [one["run_id"] for one in drifts] == [last["run_id"]]


def test_another_type_is_a_new_definition_and_the_old_one_goes(place):
    for number in range(4):
        put(place / "lake", f"{number}.parquet", {"id": pa.array([1, 2], pa.int32()), "wild": [0, 99]})
    drift = opened(place).refresh().history().drift.to_pylist()
    assert [(one["change"], one["column_name"], one["definition"]) for one in drift] == [
        ("new definition", "id", "optional id INT32"),
        ("gone", "id", "optional id INT64"),
    ]


def test_runs_that_cannot_be_compared_are_named(place):
    opened(place).refresh().refresh()
    put(place / "other", "a.parquet", {"a": [1]})
    lake = pqexplore.lake.scan(None, place / "other", out=place / "store", processes=0)
    assert lake.history().remarks == ("3 runs of another source are not compared.",)
    lake = pqexplore.lake.scan(None, place / "lake", out=place / "store", processes=0)
    assert lake.history().remarks == ("1 run of another source is not compared.",)
    first, second, *_ = sorted((place / "store" / "runs").iterdir())
    part = next((second / "files").iterdir())
    part.write_bytes(b"x" * 100)
    history = lake.history()
    assert history.growth.num_rows == 3
    assert any(second.name in one and "cannot be read" in one for one in history.remarks)
    assert lake.history(runs=1).growth.num_rows == 1
    assert "3 earlier runs are not compared." in lake.history(runs=1).remarks
    with pytest.raises(UsageError, match="from 1 on"):
        lake.history(runs=0)


def test_findings_of_another_level_are_not_new(place):
    opened(place)
    lake = pqexplore.lake.scan(None, place / "lake", "pages", out=place / "store", processes=0, check=True)
    history = lake.history()
    assert history.problems.num_rows == 0 and lake.tables["findings"].num_rows >= 0
    assert any("level, checks or version" in one for one in history.remarks)
    assert json.dumps(history.growth.to_pylist(), default=str)


def test_names_of_columns_are_printable_in_the_sentence(place):
    put(place / "lake", "new.parquet", {"id": [1], "wild": [2], "a\x1b[2J": [3]})
    history = opened(place).refresh().history()
    assert "\x1b" not in history.sentence and "[2J`" in history.sentence
    assert "\x1b" not in history._repr_html_()
