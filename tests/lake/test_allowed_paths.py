"""What a store names is opened only where the caller, and not the store, says that it may be."""

import functools
import http.server
import json
import os
import shutil
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
import pqexplore.lake
from pqexplore.engine.errors import UsageError
from pqexplore.lake import metadatastore
from pqexplore.lake.places.allowed_paths import AllowedPaths
from pqexplore.lake.scanning import processes, scan

REACH = [
    # path, whether a store /lake/store may lead to it
    ("/lake/a.parquet", True),
    ("/lake/store/a.parquet", True),
    ("file:///lake/a.parquet", True),
    ("/lake/../etc/passwd", False),
    ("/lake", True),
    ("/lakes/a.parquet", False),
    ("/etc/passwd", False),
    ("file:///etc/passwd", False),
    ("/dev/stdin", False),
    ("~/.ssh/id_rsa", False),
    ("relative.parquet", False),
    ("http://127.0.0.1/a.parquet", False),
    ("s3://bucket/a.parquet", False),
    ("simplecache::s3://bucket/a.parquet", False),
    ("s3://named/data/a.parquet", True),
    ("s3://named/database/a.parquet", False),
    ("s3://named/data/../secret/a.parquet", False),
    ("s3://named/data/%2e%2e/secret/a.parquet", False),
    ("s3://named/data/..%2Fsecret/a.parquet", False),
    ("/named/year=2024/a.parquet", True),
    ("/named/other/a.parquet", True),
    ("/listed/a.parquet", True),
    ("/listed/b.parquet", False),
]


@pytest.mark.parametrize(("path", "allowed"), REACH)
def test_where_a_store_may_lead(path, allowed):
    reach = AllowedPaths("/lake/store")
    reach.name(["s3://named/data", "/named/year=*/*.parquet"])
    reach.include(["/listed/a.parquet"])
    assert reach.allows(path) is allowed
    assert AllowedPaths("/lake/store", everywhere=True).allows(path)


def test_a_store_below_the_root_does_not_lead_to_all_of_the_machine():
    assert not AllowedPaths("/store").allows("/etc/passwd")
    assert AllowedPaths("/store").allows("/store/a.parquet")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """sent/store, a lake's store of sent/data; home/secret.parquet, which has nothing to do with it."""
    monkeypatch.setattr(processes, "_elsewhere", lambda *_: False)
    for name in ("sent/data/a", "sent/data/b", "home/secret"):
        path = tmp_path / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"a": [1, 2]}), path)
    pqexplore.lake.scan(None, tmp_path / "sent" / "data", out=tmp_path / "sent" / "store")
    scan.made_here.clear()  # as in another session
    return tmp_path


def forge(store, old: str, new: str) -> None:
    """Make a store name another place: in its manifest, and in the rows of its files."""
    for path in store.rglob("manifest.json"):
        document = json.loads(path.read_text().replace(old, new))
        path.write_text(json.dumps(document))
    for path in store.glob("runs/*/files/*.parquet"):
        table = pq.ParquetFile(path).read()
        paths = [one.replace(old, new) for one in table["path"].to_pylist()]
        at = table.schema.get_field_index("path")
        pq.write_table(table.set_column(at, "path", pa.array(paths, pa.string())), path)


@pytest.fixture
def server(place):
    """A web server on home/, and what it was asked for."""
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            super().do_GET()

        do_HEAD = do_GET

        def log_message(self, *_):
            pass

    handler = functools.partial(Handler, directory=str(place / "home"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}", asked
        running.shutdown()


def test_a_store_with_its_data_works_wherever_it_is_put(place):
    lake = pqexplore.lake.open(place / "sent" / "store")
    assert lake.refresh().runs.num_rows == 2
    explorer = pqexplore.explore_lake(lake)
    assert explorer.opened(str(place / "sent/data/a.parquet")).num_rows == 2


@pytest.mark.parametrize("kind", ["folder", "file", "link", "URL", "table"])
def test_a_forged_store_opens_nothing_outside(place, server, kind):
    url, asked = server
    store, data = place / "sent" / "store", str(place / "sent" / "data")
    new = {
        "folder": str(place / "home"),
        "file": str(place / "home" / "secret.parquet"),
        "link": str(place / "sent" / "link"),
        "URL": f"{url}/secret.parquet",
        "table": "catalog.secrets",
    }[kind]
    (place / "sent" / "link").symlink_to(place / "home")
    forge(store, data, new)
    lake = pqexplore.lake.open(store)
    assert lake.tables["files"].num_rows == 2  # what it says may be read
    with pytest.raises(UsageError, match="follow_outside=True"):
        lake.refresh()
    path = lake.tables["files"]["path"][0].as_py()
    with pytest.raises(UsageError, match="follow_outside=True"):
        pqexplore.explore_lake(store).opened(path)
    assert asked == []


def test_a_link_in_the_folder_does_not_lead_out(place):
    (place / "sent/data/c.parquet").symlink_to(place / "home/secret.parquet")
    lake = pqexplore.lake.open(place / "sent" / "store").refresh()
    [row] = [one for one in lake.tables["files"].to_pylist() if one["path"].endswith("c.parquet")]
    assert (row["error_code"], row["bytes_read"]) == ("outside", None)
    for known in (lake, pqexplore.lake.open(place / "sent" / "store")):
        with pytest.raises(UsageError, match="outside of"):
            pqexplore.explore_lake(known).opened(row["path"])


def test_who_trusts_the_store_says_so(place):
    store, data = place / "sent" / "store", place / "sent" / "data"
    shutil.move(data, place / "home" / "data")
    forge(store, str(data), str(place / "home" / "data"))
    path = str(place / "home" / "data" / "a.parquet")
    with pytest.raises(UsageError, match="follow_outside=True"):
        pqexplore.explore_lake(store).opened(path)
    assert pqexplore.explore_lake(store, follow_outside=True).opened(path).num_rows == 2
    lake = pqexplore.lake.open(store, follow_outside=True)
    assert lake.refresh().runs.num_rows == 2


def test_the_source_of_a_refresh_is_trusted_and_no_more(place):
    store, home = place / "sent" / "store", place / "home"
    lake = pqexplore.lake.open(store)
    lake.refresh(source=home)
    explorer = pqexplore.explore_lake(lake)
    assert explorer.opened(str(home / "secret.parquet")).num_rows == 2
    forge(store, str(place / "sent/data"), "/etc")
    with pytest.raises(UsageError, match="'/etc/a.parquet', which is outside"):
        explorer.opened("/etc/a.parquet")


def test_ones_own_lake_needs_no_word(place):
    """Scanned in this session, into any place, and found there again."""
    out = place / "elsewhere" / "deep" / "store"
    lake = pqexplore.lake.scan(None, place / "home", out=out)
    path = str(place / "home" / "secret.parquet")
    for known in (lake, pqexplore.lake.open(out)):
        assert known.refresh() and pqexplore.explore_lake(known).opened(path).num_rows == 2


def test_a_store_does_not_say_that_logs_may_name_files_elsewhere(place):
    """`follow_outside` of a scan is in the manifest: a sent store could say it, for a folder that its reader names."""
    store = place / "sent" / "store"
    for path in store.rglob("manifest.json"):
        document = json.loads(path.read_text())
        document["options"]["follow_outside"] = True
        path.write_text(json.dumps(document))
    lake = pqexplore.lake.open(store)
    for source in (None, place / "home"):
        with pytest.raises(UsageError, match="follow_outside=True"):
            lake.refresh(source=source)
    assert pqexplore.lake.open(store, follow_outside=True).refresh().runs.num_rows == 2


def test_files_of_a_bucket_open_where_the_caller_names_the_bucket_again(s3, tmp_path):
    with s3.filesystem().open(f"{s3.url}/a.parquet", "wb") as file:
        pq.write_table(pa.table({"a": [1, 2, 3]}), file)
    out, path = tmp_path / "store", f"{s3.url}/a.parquet"
    pqexplore.lake.scan(None, s3.url, out=out, storage_options=s3.options, processes=0)
    scan.made_here.clear()  # as in another session
    lake = pqexplore.lake.open(out)
    for refused in (lake.refresh, lambda: pqexplore.explore_lake(lake).opened(path)):
        with pytest.raises(UsageError, match="follow_outside=True"):
            refused()
    lake.refresh(source=s3.url.replace("s3:", "s3a:"), storage_options=s3.options)
    assert pqexplore.explore_lake(lake).opened(path).num_rows == 3


def test_the_refusal_says_how_to_open_the_store_from_a_notebook(place):
    store = place / "sent" / "store"
    forge(store, str(place / "sent" / "data"), str(place / "home"))
    words = f"explore_lake({str(store)!r}, follow_outside=True)"
    with pytest.raises(UsageError) as raised:
        pqexplore.explore_lake(store).opened(str(place / "home" / "a.parquet"))
    assert words in str(raised.value)


# The Metadatastore.


@pytest.fixture
def indexed(place):
    """sent/indexes, a Metadatastore of sent/data."""
    metadatastore.build(
        None, place / "sent/data", [metadatastore.MinMax("a")], place / "sent/indexes", location="explicit"
    )
    return place


def test_a_metadatastore_leads_nowhere_else_either(indexed):
    moved = indexed / "deep" / "down"
    moved.mkdir(parents=True)
    shutil.move(indexed / "sent" / "indexes", moved / "indexes")
    path = str(indexed / "sent" / "data" / "a.parquet")
    (indexed / "sent" / "data" / "b.parquet").unlink()
    store = metadatastore.open(moved / "indexes")
    assert len(store.evaluate("a > 5").skipped) == 2
    with pytest.raises(UsageError, match="follow_outside=True"):
        pqexplore.explore_lake(store).opened(path)
    with pytest.raises(UsageError, match="follow_outside=True"):
        store.refresh()
    trusted = pqexplore.explore_lake(moved / "indexes", follow_outside=True)
    assert trusted.opened(path).num_rows == 2
    assert len(metadatastore.open(moved / "indexes", follow_outside=True).refresh().removed) == 1


def test_ones_own_metadatastore_needs_no_word(place):
    made = metadatastore.build(None, place / "home", [metadatastore.MinMax("a")], place / "deep/down/indexes")
    path = os.path.join(str(place), "home", "secret.parquet")
    assert pqexplore.explore_lake(made).opened(path).num_rows == 2
    assert made.refresh().kept
