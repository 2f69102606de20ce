"""Which files a lake has, whichever way it is named."""

import functools
import http.server
import json
import os
import sys
import threading
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
        ("nowhere", "is not a file, folder"),
        ("*.nothing", "no file matches"),
        ("day=2/none", "is not a file"),
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


def add(name: str, rows: int) -> str:
    stats = json.dumps({"numRecords": rows})
    return json.dumps({"add": {"path": name, "size": 1, "stats": stats, "dataChange": True}})


def test_a_delta_table_is_asked_and_the_rest_are_orphans(tmp_path):
    table = tmp_path / "table"
    for name in ("live", "gone", "day=a%20b/live"):
        (table / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"a": [1, 2]}), table / f"{name}.parquet")
    commit = [
        '{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}',
        '{"metaData": {"id": "x"}}',
        add("live.parquet", 2),
        add("day=a%2520b/live.parquet", 3),
    ]
    (table / "_delta_log").mkdir()
    (table / "_delta_log" / f"{0:020}.json").write_text("\n".join(commit))
    found = listing(table)
    assert names(found.entries, table) == ["day=a%20b/live.parquet", "live.parquet"]
    assert [entry.listed_rows for entry in found.entries] == [3, 2]
    assert names(found.others, table) == ["gone.parquet"]
    assert [entry.state for entry in found.others] == ["orphan"]
    inside = listing(tmp_path)  # a folder that has a table in it asks the table as well
    assert (inside.entries, inside.others) == (found.entries, found.others)


def test_an_iceberg_table_without_pyiceberg_is_not_just_listed(tmp_path, monkeypatch):
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "v1.metadata.json").touch()
    (tmp_path / "a.parquet").touch()
    monkeypatch.setitem(sys.modules, "pyiceberg.table.metadata", None)
    found = listing(tmp_path)
    assert [entry.state for entry in found.entries] == ["not-known"]
    assert found.tables[0].log.code == "missing-library"
    assert "pip install pqexplore[lake]" in found.tables[0].log.message


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


@pytest.fixture
def web(tmp_path):
    """The URL of a web server on `tmp_path`, and the requests that it got."""
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            asked.append(f"{self.command} {self.path}")
            super().do_GET()

        def do_HEAD(self):
            asked.append(f"{self.command} {self.path}")
            super().do_HEAD()

        def log_message(self, *_):
            pass

    handler = functools.partial(Handler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


@pytest.mark.parametrize(
    "name", ["a.parquet", "a.parquet?version=2", "data.bin", "data.bin?id=[3]"]
)
def test_a_file_of_a_web_server_is_one_entry_and_is_not_downloaded(web, tmp_path, name):
    url, asked = web
    (tmp_path / name.partition("?")[0]).write_bytes(b"12345")
    [entry] = listing(f"{url}/{name}").entries
    assert (entry.path, entry.size) == (f"{url}/{name}", 5)
    assert {one.partition(" ")[0] for one in asked} == {"HEAD"}


@pytest.mark.parametrize("source", ["", "/", "/day=1", "/day=1/", "/day=1/*.parquet"])
def test_a_folder_of_a_web_server_with_options_that_fsspec_does_not_know(web, tmp_path, source):
    url, _ = web
    (tmp_path / "day=1").mkdir()
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "day=1" / "a.parquet")
    lake = scan(
        None,
        f"{url}{source}",
        processes=0,
        storage_options={"timeout": 20, "follow_outside": True},
    )
    rows = [(row["path"], row["num_rows"]) for row in lake.tables["files"].to_pylist()]
    assert [(path.replace("%3D", "="), count) for path, count in rows] == [
        (f"{url}/day=1/a.parquet", 2)
    ]


def test_a_metadata_file_opens_no_other_file(tmp_path, monkeypatch):
    from pqexplore.lake import inspection

    collected = []
    pq.write_table(
        pa.table({"a": [1, 2]}), tmp_path / "secret.parquet", metadata_collector=collected
    )
    collected[0].set_file_path("../secret.parquet")
    (tmp_path / "table").mkdir()
    pq.write_metadata(pa.schema({"a": pa.int64()}), tmp_path / "table" / "_metadata", collected)
    opened = []
    real = inspection.open_source
    monkeypatch.setattr(
        inspection, "open_source", lambda path, **more: opened.append(path) or real(path, **more)
    )
    lake = scan(None, tmp_path / "table" / "_metadata", level="pages", processes=0)
    assert opened == [str(tmp_path / "table" / "_metadata")]
    rules = set(lake.tables["findings"]["rule"].to_pylist())
    assert "pages-elsewhere" in rules


def test_a_relative_folder_and_pattern_keep_the_callers_words(folder, monkeypatch):
    monkeypatch.chdir(folder)
    expected = [os.path.join("day=1", name) for name in (".hidden.parquet", "b.parquet")]
    assert [entry.path for entry in listing("day=1").entries] == expected
    assert [entry.path for entry in listing("day=1/*.parquet").entries] == expected[1:]
    assert [entry.path for entry in listing("*/b.parquet").entries] == expected[1:]
