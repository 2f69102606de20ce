"""Which files a lake has, whichever way it is named."""

import os
import sys
import types

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.lake import scan
from pqexplore.lake.listing import listing


@pytest.fixture
def folder(tmp_path):
    for name in (
        "a.parquet",
        "day=1/b.parquet",
        "day=1/.hidden.parquet",
        "_temporary/0/c.parquet",
        "day=2/empty.parq",
        "day=2/notes.txt",
        "_SUCCESS",
        "day=2/.b.parquet.crc",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"" if "empty" in name else b"12345")
    os.symlink(tmp_path / "nowhere", tmp_path / "day=2" / "link.parquet")
    return tmp_path


def names(found, folder) -> list[str]:
    return [os.path.relpath(entry.path, folder) for entry in found]


def test_a_folder_with_what_spark_hides(folder):
    found = listing(folder).entries
    assert names(found, folder) == [
        "_temporary/0/c.parquet",
        "a.parquet",
        "day=1/.hidden.parquet",
        "day=1/b.parquet",
        "day=2/empty.parq",
        "day=2/link.parquet",
    ]
    assert [entry.hidden for entry in found] == [True, False, True, False, False, False]
    assert [entry.size for entry in found] == [5, 5, 5, 5, 0, None]
    assert found[1].modified == os.stat(folder / "a.parquet").st_mtime_ns // 1000


@pytest.mark.parametrize("source", ["", "**/*.parquet", "*/*.parquet"])
def test_the_tables_of_a_lake_inside_of_it_are_not_its_files(folder, source):
    scan(None, [folder / "a.parquet"], out=folder / "tables", processes=0)
    found = names(listing(os.path.join(folder, source)).entries, folder)
    assert "day=1/b.parquet" in found
    assert not [name for name in found if name.startswith("tables")]
    assert listing(folder / "tables").entries  # where they are what is asked for


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a.parquet", ["a.parquet"]),
        ("day=*/*.parquet", ["day=1/b.parquet", "day=2/link.parquet"]),
        ("**/b.parquet", ["day=1/b.parquet"]),
        ("day=[1]", ["day=1/.hidden.parquet", "day=1/b.parquet"]),
        ("day=2/notes.txt", ["day=2/notes.txt"]),
        (
            ["day=1", "a.parquet", "a.parquet"],
            ["a.parquet", "day=1/.hidden.parquet", "day=1/b.parquet"],
        ),
    ],
)
def test_files_patterns_and_lists(folder, source, expected):
    whole = (
        [str(folder / one) for one in source] if isinstance(source, list) else str(folder / source)
    )
    assert names(listing(whole).entries, folder) == expected
    if isinstance(whole, str):
        assert names(listing(f"file://{whole}").entries, folder) == expected


def test_other_names_on_request(folder):
    assert names(listing(folder / "day=2", patterns=["*.txt"]).entries, folder) == [
        "day=2/notes.txt"
    ]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("nowhere", "is no file, no folder"),
        ("*.nothing", "no file matches"),
        ("day=2/none", "is no file"),
    ],
)
def test_what_names_nothing_is_an_error(folder, source, words):
    with pytest.raises(UsageError, match=words):
        listing(str(folder / source))
    with pytest.raises(UsageError, match="not int"):
        listing(3)


def test_a_folder_without_parquet_says_how_to_take_other_names(tmp_path):
    (tmp_path / "a.csv").touch()
    with pytest.raises(UsageError, match="patterns="):
        listing(tmp_path)


class Frame:
    """What a Spark DataFrame says of its files."""

    def inputFiles(self):  # noqa: N802
        return ["dbfs:/Volumes/main/x%20y/a.parquet", "file:///tmp/b.parquet"]


def test_a_dataframe_and_a_table_by_name():
    expected = ["/Volumes/main/x%20y/a.parquet", "/tmp/b.parquet"]
    assert [entry.path for entry in listing(Frame()).entries] == expected
    session = types.SimpleNamespace(table=lambda name: {"main.sales.events": Frame()}[name])
    assert [e.path for e in listing("main.sales.events", spark=session).entries] == expected


def test_a_delta_table_is_asked_and_the_rest_are_orphans(tmp_path, monkeypatch):
    tmp_path = tmp_path / "table"
    tmp_path.mkdir()
    (tmp_path / "_delta_log").mkdir()
    (tmp_path / "_delta_log" / "00000000000000000010.checkpoint.parquet").touch()
    (tmp_path / "day=a%20b").mkdir()
    for name in ("live", "gone", "day=a%20b/live"):
        pq.write_table(pa.table({"a": [1, 2]}), tmp_path / f"{name}.parquet")

    class DeltaTable:
        def __init__(self, path, storage_options=None):
            assert path == str(tmp_path)

        def get_add_actions(self, flatten):
            return pa.table(
                {"path": ["live.parquet", "day=a%2520b/live.parquet"], "num_records": [2, 3]}
            )

    monkeypatch.setitem(sys.modules, "deltalake", types.SimpleNamespace(DeltaTable=DeltaTable))
    found = listing(tmp_path)
    assert names(found.entries, tmp_path) == ["day=a%20b/live.parquet", "live.parquet"]
    assert [entry.listed_rows for entry in found.entries] == [3, 2]
    assert names(found.orphans, tmp_path) == ["gone.parquet"]
    inside = listing(tmp_path.parent)  # a folder that has a table in it asks the table as well
    assert (inside.entries, inside.orphans) == (found.entries, found.orphans)


@pytest.mark.parametrize(
    ("mark", "package"), [("_delta_log", "deltalake"), ("metadata", "pyiceberg")]
)
def test_a_table_with_a_log_is_never_just_listed(tmp_path, monkeypatch, mark, package):
    (tmp_path / mark).mkdir()
    (tmp_path / mark / "v1.metadata.json").touch()
    (tmp_path / "a.parquet").touch()
    monkeypatch.setitem(sys.modules, package, None)
    if package == "pyiceberg":
        monkeypatch.setitem(sys.modules, "pyiceberg.table", None)
    with pytest.raises(UsageError, match=f"pip install {package}"):
        listing(tmp_path)


def test_urls_go_through_fsspec():
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe({"/lake/day=1/a.parquet": b"12", "/lake/_b.parquet": b"123", "/lake/c.txt": b""})
    found = listing("memory://lake").entries
    assert [(e.path, e.size, e.hidden) for e in found] == [
        ("memory:///lake/_b.parquet", 3, True),
        ("memory:///lake/day=1/a.parquet", 2, False),
    ]
    assert [e.path for e in listing("memory://lake/day=*/*").entries] == [
        "memory:///lake/day=1/a.parquet"
    ]
    memory.rm("/lake", recursive=True)
