"""Which files a lake has, whichever way it is named."""

import functools
import http.server
import os
import sys
import threading
import types

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake.logs import made_logs

from pqexplore.engine.errors import UsageError
from pqexplore.lake import scan
from pqexplore.lake.listing import catalog, listing
from pqexplore.lake.places.remote import Remote


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
    listed = listing(folder)
    found = listed.entries
    assert names(found, folder) == ["a.parquet", "day=1/b.parquet", "day=2/empty.parq", "day=2/link.parquet"]
    assert [entry.size for entry in found] == [5, 5, 0, None]
    hidden = [entry for entry in listed.others if entry.state == "hidden"]
    assert names(hidden, folder) == ["_temporary/0/c.parquet", "day=1/.hidden.parquet"]
    assert [(entry.hidden, entry.size) for entry in hidden] == [(True, 5)] * 2
    assert found[0].modified == os.stat(folder / "a.parquet").st_mtime_ns // 1000


@pytest.mark.parametrize("source", ["", "**/*.parquet", "*/*.parquet"])
def test_the_tables_of_a_lake_inside_of_it_are_not_its_files(folder, source):
    scan(None, [folder / "a.parquet"], out=folder / "tables", processes=0)
    found = names(listing(os.path.join(folder, source)).entries, folder)
    assert "day=1/b.parquet" in found
    assert not [name for name in found if name.startswith("tables")]
    assert listing(folder / "tables").entries  # where they are what is asked for


@pytest.mark.parametrize("source, expected", [
    ("a.parquet", ["a.parquet"]),
    ("day=*/*.parquet", ["day=1/b.parquet", "day=2/link.parquet"]),
    ("**/b.parquet", ["day=1/b.parquet"]),
    ("day=[1]", ["day=1/b.parquet"]),
    ("day=1/.hidden.parquet", ["day=1/.hidden.parquet"]),
    ("day=1/.*.parquet", ["day=1/.hidden.parquet"]),
    ("_temporary", ["_temporary/0/c.parquet"]),
    ("_temp*/0", ["_temporary/0/c.parquet"]),
    ("*/*/c.parquet", []),
    ("day=2/notes.txt", ["day=2/notes.txt"]),
    (["day=1", "a.parquet", "a.parquet"], ["a.parquet", "day=1/b.parquet"]),
])  # fmt: skip
def test_files_patterns_and_lists(folder, source, expected):
    whole = [str(folder / one) for one in source] if isinstance(source, list) else str(folder / source)
    assert names(listing(whole).entries, folder) == expected
    if isinstance(whole, str):
        assert names(listing(f"file://{whole}").entries, folder) == expected


def test_other_names_on_request(folder):
    assert names(listing(folder / "day=2", patterns=["*.txt"]).entries, folder) == ["day=2/notes.txt"]


@pytest.mark.parametrize(
    ("source", "words"),
    [("nowhere", "is not a file, folder"), ("*.nothing", "no file matches"), ("day=2/none", "is not a file")],
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
    session = types.SimpleNamespace(
        table=lambda name: {"main.sales.events": Frame()}[name],
        sql=lambda text: types.SimpleNamespace(collect=list),  # nothing that Spark describes
    )
    assert [e.path for e in listing("main.sales.events", spark=session).entries] == expected


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
    assert [(e.path, e.size, e.hidden) for e in found] == [("memory:///lake/day=1/a.parquet", 2, False)]
    assert [e.path for e in listing("memory://lake/day=*/*").entries] == ["memory:///lake/day=1/a.parquet"]
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


@pytest.mark.parametrize("name", ["a.parquet", "a.parquet?version=2", "data.bin", "data.bin?id=[3]"])
def test_a_file_of_a_web_server_is_one_entry_and_is_not_downloaded(web, tmp_path, name):
    url, asked = web
    (tmp_path / name.partition("?")[0]).write_bytes(b"12345")
    [entry] = listing(f"{url}/{name}").entries
    assert (entry.path, entry.size) == (f"{url}/{name}", 5)
    # fsspec asks again with GET for what is not there: the folders of logs
    assert not [one for one in asked if one.startswith("GET /" + name.partition("?")[0])]


@pytest.mark.parametrize("source", ["", "/", "/day=1", "/day=1/", "/day=1/*.parquet"])
def test_a_folder_of_a_web_server_with_options_that_fsspec_does_not_know(web, tmp_path, source):
    url, _ = web
    (tmp_path / "day=1").mkdir()
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "day=1" / "a.parquet")
    lake = scan(None, f"{url}{source}", processes=0, storage_options={"timeout": 20, "follow_outside": True})
    rows = [(row["path"], row["num_rows"]) for row in lake.tables["files"].to_pylist()]
    assert [(path.replace("%3D", "="), count) for path, count in rows] == [(f"{url}/day=1/a.parquet", 2)]


NAMES = ["a", "b c", "x=y", "50%", "ä/ö", None, "q?#&+[*]"]


@pytest.mark.parametrize("source", ["", "/my%20table", "/my table/", "/my%20table/g%3D*/*.parquet"])
def test_encoded_names_of_a_web_server_are_those_of_the_log(web, tmp_path, source):
    """A server writes `g%3Da` where the log has `g=a`: compared as texts, live files are missing and orphans appear."""
    from deltalake import DeltaTable, write_deltalake

    rows = pa.table({"id": range(len(NAMES)), "g": NAMES})
    write_deltalake(tmp_path / "my table", rows, partition_by=["g"])
    DeltaTable(tmp_path / "my table").delete("id = 0")
    url, _ = web
    found = listing(f"{url}{source}")
    assert sorted(str(one.partition) for one in found.entries) == sorted(
        f"g={'__HIVE_DEFAULT_PARTITION__' if one is None else one.replace('%', '%25').replace('/', '%2F')}"
        for one in NAMES[1:]
    )
    assert {one.state for one in found.entries} == {"live"}
    assert [one.state for one in found.others] == ["removed"]
    lake = scan(None, f"{url}{source}", processes=0)
    files = lake.sql("SELECT num_rows FROM files WHERE status = 'ok'")["num_rows"].to_pylist()
    assert files == [1] * 6
    [one, *_] = [entry.path for entry in found.entries if "g=b" in entry.path]
    [file] = listing(one).entries  # one file of a table knows its table
    assert (file.path, file.state, file.partition) == (one, "live", "g=b c")


def test_one_file_of_a_web_server_has_the_deletion_vector_of_its_log(web, tmp_path):
    table = tmp_path / "t"
    made_logs.data(table, "g=a/part 0.parquet")
    vector = {"deletionVector": made_logs.inline_vector([1, 3, 5])}
    protocol = {"protocol": {"minReaderVersion": 3, "readerFeatures": ["deletionVectors"]}}
    action = made_logs.add("g=a/part%200.parquet", 10, **vector, partitionValues={"g": "a"})
    made_logs.commit(table, 0, protocol, made_logs.METADATA, action)
    url, _ = web
    for path in (table / "g=a" / "part 0.parquet", f"{url}/t/g%3Da/part%200.parquet"):
        [file] = listing(str(path)).entries
        assert (file.state, file.listed_rows, file.deleted_rows) == ("live", 10, 3), path
        assert file.partition == "g=a"


@pytest.mark.parametrize("form, same", [
    ("http://h/g%3Da/x", "http://h/g=a/x"),
    ("http://h/g=a b/ä", "http://h/g=a%20b/%C3%A4"),
    ("http://h/100%/x", "http://h/100%25/x"),
    ("http://h/a%2fb/%5b1%5D", "http://h/a%2Fb/%5B1%5D"),
    ("http://h/%67*/x", "http://h/g*/x"),
    ("http://h/a%3Db?sig=x%3D", "http://h/a%3Db?sig=x%3D"),  # the path may be signed
])  # fmt: skip
def test_urls_have_one_form(form, same):
    place, path = Remote.of(form, {})
    assert path == same == place.own(form)


def test_a_web_servers_pages_lead_to_no_other_place(monkeypatch):
    place, folder = Remote.of("http://h/t", {})
    links = ["a.parquet", "./b.parquet", "?C=N;O=D", "../x.parquet", "c/", "c/d.parquet", "x&amp;y"]
    page = [{"name": f"http://h/t/{one}", "size": None} for one in links]
    monkeypatch.setattr(place._filesystem, "ls", lambda *_, **__: page)
    assert [one.path.rpartition("/")[2] for one in place.files(folder)] == ["a.parquet", "b.parquet", "x&y"]


def test_a_metadata_file_opens_no_other_file(tmp_path, monkeypatch):
    from pqexplore.lake.places import opening

    collected = []
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "secret.parquet", metadata_collector=collected)
    collected[0].set_file_path("../secret.parquet")
    (tmp_path / "table").mkdir()
    pq.write_metadata(pa.schema({"a": pa.int64()}), tmp_path / "table" / "_metadata", collected)
    opened = []
    real = opening.open_source
    monkeypatch.setattr(opening, "open_source", lambda path, **more: opened.append(path) or real(path, **more))
    lake = scan(None, tmp_path / "table" / "_metadata", level="pages", processes=0)
    assert opened == [str(tmp_path / "table" / "_metadata")]
    rules = set(lake.tables["findings"]["rule"].to_pylist())
    assert "pages-elsewhere" in rules


def test_a_relative_folder_and_pattern_keep_the_callers_words(folder, monkeypatch):
    monkeypatch.chdir(folder)
    expected = [os.path.join("day=1", "b.parquet")]
    assert [entry.path for entry in listing("day=1").entries] == expected
    assert [entry.path for entry in listing("day=1/*.parquet").entries] == expected
    assert [entry.path for entry in listing("*/b.parquet").entries] == expected


def reasons(found, folder) -> dict[str, tuple[str | None, str | None]]:
    return {
        os.path.relpath(one.path, folder).replace(os.sep, "/"): (one.state, one.state_reason) for one in found.others
    }


@pytest.mark.parametrize(
    "name", ["a.pq", "A.PARQUET", "000000_0", "000001_1_copy_2", "x-0_1_data.0.", "part-00000", "b.PQ"]
)  # fmt: skip
def test_names_that_do_not_say_parquet_are_looked_at(tmp_path, name):
    pq.write_table(pa.table({"a": [1]}), tmp_path / name)
    assert names(listing(tmp_path).entries, tmp_path) == [name]
    for content in (b"ORC" * 9, b"PAR1", b"PAR1" + b"x" * 20, b"x" * 20 + b"PAR1", b""):
        (tmp_path / name).write_bytes(content)
        (tmp_path / "sure.parquet").write_bytes(b"")
        found = listing(tmp_path)
        assert names(found.entries, tmp_path) == ["sure.parquet"]
        state, reason = reasons(found, tmp_path)[name]
        assert state == "other" and "first and last bytes" in reason


def test_an_encrypted_footer_is_parquet_too_and_a_name_that_says_csv_is_not_opened(tmp_path):
    (tmp_path / "000000_0").write_bytes(b"PARE" + b"x" * 20 + b"PARE")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.csv")
    found = listing(tmp_path)
    assert names(found.entries, tmp_path) == ["000000_0"]
    assert reasons(found, tmp_path)["a.csv"][0] == "other"


def test_patterns_of_the_caller_leave_no_name_to_look_at(tmp_path):
    for name in ("a.x", "000000_0"):
        pq.write_table(pa.table({"a": [1]}), tmp_path / name)
    found = listing(tmp_path, patterns=["*.x"])
    assert names(found.entries, tmp_path) == ["a.x"]
    assert list(reasons(found, tmp_path)) == ["000000_0"]


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "part-00000")
    (tmp_path / "sure.parquet").touch()
    assert reasons(listing(tmp_path), tmp_path)["part-00000"][0] == "other"


def test_what_is_not_taken_for_data_is_listed_with_what_it_is(tmp_path, monkeypatch):
    from pqexplore.lake.listing import members
    from pqexplore.lake.listing import names as known

    markers = ("_SUCCESS", "_committed_123", "_started_123", ".a.parquet.crc")
    for name in (*markers, "_metadata", "_common_metadata", "notes.txt", "p", "q"):
        (tmp_path / name).write_bytes(b"12345")
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "a.parquet")
    found = reasons(listing(tmp_path), tmp_path)
    assert {name for name, (state, _) in found.items() if state == "marker"} == set(markers)
    assert {n for n, (s, _) in found.items() if s == "summary"} == {"_metadata", "_common_metadata"}
    assert {n for n, (s, _) in found.items() if s == "other"} == {"notes.txt", "p", "q"}
    assert "has finished" in found["_SUCCESS"][1]
    monkeypatch.setattr(known, "LOOKED_AT", 1)
    some = reasons(listing(tmp_path), tmp_path)
    assert sorted("not opened" in some[name][1] for name in ("p", "q")) == [False, True]
    monkeypatch.setattr(members, "OTHERS", 4)
    lake = scan(None, tmp_path, processes=0)
    rows = lake.tables["files"].to_pylist()
    assert sorted(row["status"] for row in rows) == ["not-read"] * 4 + ["ok"]
    [run] = lake.runs.to_pylist()
    assert (run["num_files"], run["other_files"], run["errors"]) == (1, 9, 0)
    assert "1 files" in repr(lake)
    lake.refresh()
    assert lake.tables["files"].num_rows == 5
    assert lake.runs["other_files"].to_pylist() == [9, 9]


def test_on_a_store_no_file_is_opened_for_its_name(monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe({"/names/a.parquet": b"12", "/names/b.pq": b"PAR1" * 9, "/names/_SUCCESS": b""})
    opened = []
    monkeypatch.setattr(type(memory), "_open", lambda *a, **k: opened.append(a))
    found = listing("memory://names")
    assert [one.path for one in found.entries] == ["memory:///names/a.parquet"]
    assert [(one.path[-4:], one.state) for one in found.others] == [("CESS", "marker"), ("b.pq"[-4:], "other")]  # fmt: skip
    assert "pass patterns=" in found.others[1].state_reason and not opened
    assert len(listing("memory://names", patterns=["*.pq"]).entries) == 1
    memory.rm("/names", recursive=True)


@pytest.mark.parametrize("source", ["", "**/*.parquet", "*"])
def test_linked_folders_are_followed_once(tmp_path, source):
    (tmp_path / "lake" / "day=1").mkdir(parents=True)
    (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
    for name in ("lake/a.parquet", "lake/day=1/b.parquet", "elsewhere/c.parquet", "elsewhere/deep/d.parquet"):  # fmt: skip
        pq.write_table(pa.table({"a": [1]}), tmp_path / name)
    lake = tmp_path / "lake"
    (lake / "0-day").symlink_to(lake / "day=1")  # inside: by its own path
    (lake / "cycle").symlink_to(lake)
    (lake / "first").symlink_to(tmp_path / "elsewhere")
    (lake / "second").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "back").symlink_to(lake)
    (lake / "nowhere.parquet").symlink_to(lake / "nowhere.parquet")
    found = names(listing(os.path.join(lake, source), follow_outside=True).entries, lake)
    assert {"a.parquet", "day=1/b.parquet", "nowhere.parquet"} <= set(found)
    assert len({os.path.realpath(lake / one) for one in found}) == len(found) == 5


class Anything:
    """As a DataFrame of Spark Connect, whose attributes are its columns."""

    def __getattr__(self, name):
        return Anything()


def test_a_frame_with_any_attribute_is_no_table_of_a_library():
    assert not catalog.is_delta_table(Anything())
    assert not catalog.is_iceberg_table(Anything())
