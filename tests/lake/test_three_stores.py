"""Every kind of table, on this machine, in S3 and on a web server: live files and rows are right, or refused with the reason.

A table is made once, on this machine, and copied or served; `every_table` says what is true of it.
"""

import functools
import http.server
import json
import os
import threading
from urllib.parse import unquote

import pytest
from lake.conftest import bucket
from lake.every_table import TABLES, copied, plainly

from pqexplore.cli import main
from pqexplore.engine.errors import ParquetError
from pqexplore.lake import open_table, scan

STORES = ("local", "S3", "http")

SAMPLE = {
    ("local", "Delta: vector in a file"),
    ("local", "Delta: checkpoint"),
    ("local", "Delta: vacuumed"),
    ("local", "Iceberg: expired"),
    ("local", "plain"),
    ("local", "Delta: mapping by id"),
    ("local", "Iceberg: equality deletes"),
    ("local", "Iceberg: renamed"),
    ("http", "Delta: odd partitions"),
    ("http", "hive: odd partitions"),
    ("S3", "Iceberg: deletion vector"),
}
"""Those that the quick tests look at."""

CASES = [
    pytest.param(store, name, id=f"{store}-{name}", marks=() if (store, name) in SAMPLE else pytest.mark.full)
    for store in STORES
    for name in TABLES
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table by its name: its folder, and what is true of it."""

    @functools.cache
    def make(name):
        root = tmp_path_factory.mktemp("table") / "my table"
        return root, TABLES[name](root)

    return make


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def address(request):
    """Puts a folder into a store; its address there, and the storage options."""

    def put(store, root):
        if store == "local":
            return str(root), {}
        if store == "S3":
            place = bucket(request.getfixturevalue("s3_endpoint"))
            copied(root, place.filesystem(), f"{place.url}/my table")
            return f"{place.url}/my table", place.options
        handler = functools.partial(_Quiet, directory=str(root.parent))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        request.addfinalizer(server.server_close)
        request.addfinalizer(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}/my%20table", {}

    return put


def below(path: str, root: str) -> str:
    """A path as the log has it."""
    if root.startswith("http"):
        path, root = unquote(path), unquote(root)
    return os.path.relpath(path, root)


@pytest.mark.parametrize("store, name", CASES)
def test_live_files_and_rows_are_right_or_refused_with_the_reason(made, address, store, name):
    folder, truth = made(name)
    truth = truth.on(store)
    root, options = address(store, folder)
    with scan(None, root, processes=0, storage_options=options, **truth.version) as lake:
        check_scan(lake, root, truth)
    table = open_table(root, storage_options=options, **truth.version)
    if truth.refused:
        with pytest.raises((ParquetError, OSError)) as refused:
            table.read()
        assert truth.refused in str(refused.value)
        assert "my table" in unquote(str(refused.value))  # it says which table
        return
    assert sorted(below(one, root) for one in table.files) == truth.files
    rows = table.read()
    assert plainly(rows) == truth.rows
    assert rows.num_rows == table.num_rows
    if truth.rows:
        assert rows.schema.names == list(truth.rows[0])
        some = table.head(2)
        assert some.num_rows == min(2, len(truth.rows)) and all(row in truth.rows for row in some.to_pylist())


CATTED = ["Delta: vector in a file", "Delta: odd partitions", "Iceberg: renamed", "Iceberg: equality deletes", "hive: odd partitions"]  # fmt: skip


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", CATTED)
def test_cat_prints_the_rows_of_a_table_by_its_address(made, address, capsys, monkeypatch, store, name):
    folder, truth = made(name)
    root, options = address(store, folder)
    if store == "S3":
        import s3fs

        s3fs.S3FileSystem.clear_instance_cache()  # it would keep the settings that it was made with
        monkeypatch.setenv("AWS_ENDPOINT_URL", options["endpoint_url"])
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", options["key"])
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", options["secret"])
    assert main(["cat", root]) == 0
    out, err = capsys.readouterr()
    assert sorted(map(json.loads, out.splitlines()), key=repr) == truth.rows
    pattern = f"{root}/**/*.parquet"
    if name.startswith("Delta"):  # also files of earlier versions match, and are none of its rows
        assert main(["cat", pattern]) == 0
        out, err = capsys.readouterr()
        assert sorted(map(json.loads, out.splitlines()), key=repr) == truth.rows


def check_scan(lake, root, truth) -> None:
    """The lake has the files that are live, and counts their rows; what is refused has a reason."""
    files = lake.sql("SELECT path, status, error FROM files WHERE status IN ('ok', 'error')").to_pylist()
    tables = lake.tables["tables"].to_pylist()
    errors = [one["error"] for one in (*files, *tables) if one["status"] == "error"]
    if truth.files is None:
        assert any(truth.refused in one for one in errors)
        return
    assert sorted(below(one["path"], root) for one in files if one["status"] == "ok") == truth.files
    assert all(truth.refused and truth.refused in one for one in errors)
    if not truth.refused:
        assert [(one["status"], one["path"], one["live_files"]) for one in tables] == [
            ("ok", root, len(truth.files))
        ] * len(tables)
    if truth.rows is not None:
        live = lake.views["live_rows"]["live_rows"].to_pylist()
        assert (None if None in live else sum(live)) == (len(truth.rows) if truth.counted else None)
    assert "ok" not in lake.views["log_disagreements"]["status"].to_pylist()
