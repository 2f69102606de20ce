"""A store below a URL: in memory, and on a server that speaks S3's protocol."""

import json
import os
import sys
import types

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_lake
from lake.test_spark_front import Frame, Session

import pqexplore.lake
from pqexplore.engine.errors import CorruptFileError, CredentialsError, NetworkError, UsageError
from pqexplore.lake.scanning.progress import Cancelled
from pqexplore.lake.store import remote_store
from pqexplore.lake.store.manifest import PARTIAL
from pqexplore.lake.tables import TABLES


@pytest.fixture
def folder(tmp_path):
    made_lake.make(tmp_path / "events", 12)
    return tmp_path / "events"


@pytest.fixture
def at():
    """The URL of a store in memory."""
    files = fsspec.filesystem("memory")
    yield "memory://lake-of-a-test/store"
    files.rm("/lake-of-a-test", recursive=True)


def names(url: str, **options) -> set[str]:
    files, base = fsspec.core.url_to_fs(url, **options)
    files.invalidate_cache()
    return {path[len(base) :].lstrip("/") for path in files.find(base)}


def rows(lake) -> dict[str, list[str]]:
    found = {}
    for table in TABLES:
        if table != "runs":
            leave = ("run_id", "seconds")
            columns = [name for name in TABLES[table].schema.names if name not in leave]
            found[table] = sorted(map(str, lake.dataset(table).to_table(columns=columns).to_pylist()))
    return found


def scan(folder, out, **options):
    return pqexplore.lake.scan(None, folder, out=out, processes=0, **options)


def stopping(progress):
    if progress.files > 9:
        raise Cancelled("the scan was cancelled")


def used(url, options, folder, tmp_path) -> None:
    """A scan, a refresh, and what another session opens."""
    given = {"storage_options": options}
    lake = scan(folder, url, **given)
    expected = rows(scan(folder, tmp_path / "here"))
    assert rows(lake) == expected and url in repr(lake)
    there = names(url, **options)
    parts = {part for some in lake.manifest.parts.values() for part in some}
    run = f"runs/{lake.manifest.run_id}"
    assert there == {"current.json", f"{run}/manifest.json", *parts}
    opened = pqexplore.lake.open(url, follow_outside=True, **given)
    assert rows(opened) == expected and opened.runs.num_rows == 1 and opened.path != lake.path
    pq.write_table(made_lake.table(7), folder / "new.parquet")
    opened.refresh()
    again = pqexplore.lake.open(url, **given)
    assert again.runs.num_rows == 2 and rows(again) == rows(scan(folder, tmp_path / "there"))
    assert lake.tables["files"].num_rows == again.tables["files"].num_rows - 1


def test_in_memory(folder, at, tmp_path):
    used(at, {}, folder, tmp_path)


def test_on_s3(folder, s3, tmp_path):
    used(f"{s3.url}/some/store", s3.options, folder, tmp_path)
    with pytest.raises(UsageError, match="s3://no-such-bucket/x has no complete scan"):
        pqexplore.lake.open("s3://no-such-bucket/x", storage_options=s3.options)


def test_delta_tables_on_s3(folder, s3, monkeypatch):
    from deltalake import DeltaTable

    lake = scan(folder, None)
    url = f"{s3.url}/tables"
    places = lake.to_delta(url, storage_options=s3.deltalake)
    assert places == [f"{url}/{name}" for name in TABLES]
    assert DeltaTable(lake.to_delta(folder.parent / "here")[0]).to_pyarrow_table().num_rows
    lake.to_delta(url, storage_options=s3.deltalake)
    table = DeltaTable(f"{url}/files", storage_options=s3.deltalake)
    assert table.version() == 1 and table.to_pyarrow_table().num_rows == 12 + 8
    with pytest.raises(UsageError, match="s3://no-such-bucket/x/"):
        lake.to_delta("s3://no-such-bucket/x", storage_options=s3.deltalake)
    monkeypatch.setitem(sys.modules, "deltalake", None)
    with pytest.raises(UsageError, match="pip install deltalake"):
        lake.to_delta(url)


def test_a_store_inside_of_its_source_is_refused(folder, at):
    with pytest.raises(UsageError, match="is inside of the source"):
        scan("memory://lake-of-a-test", f"{at}/x")
    scan(folder, at)


def test_readers_see_complete_runs_only(folder, at, monkeypatch):
    before = scan(folder, at).manifest.run_id
    pointer = fsspec.filesystem("memory").cat_file("/lake-of-a-test/store/current.json")
    order, put = [], fsspec.implementations.memory.MemoryFileSystem.put_file

    def failing(self, local, path, **options):
        order.append(path.rpartition("/")[2])
        if path.endswith("manifest.json"):
            assert pqexplore.lake.open(at).manifest.run_id == before
            raise OSError("the network is gone")
        return put(self, local, path, **options)

    monkeypatch.setattr(fsspec.implementations.memory.MemoryFileSystem, "put_file", failing)
    with pytest.raises(UsageError, match="memory://lake-of-a-test/store cannot be reached: OSError$"):
        scan(folder, at)
    assert order.index("manifest.json") == len(order) - 1 > 3
    assert fsspec.filesystem("memory").cat_file("/lake-of-a-test/store/current.json") == pointer
    assert pqexplore.lake.open(at).manifest.run_id == before


def test_a_refusal_names_the_storage_options(at, monkeypatch):
    fsspec.filesystem("memory").pipe_file("/lake-of-a-test/there", b"")

    def find(self, path, **options):
        raise PermissionError("<Error>no</Error>")

    memory = fsspec.implementations.memory.MemoryFileSystem
    with monkeypatch.context() as patch:
        patch.setattr(memory, "protocol", "abfs")
        patch.setattr(memory, "find", find)
        with pytest.raises(CredentialsError, match="refuses access; looked for: storage_options"):
            pqexplore.lake.open(at)


def test_a_bucket_that_is_not_there(folder, at, monkeypatch):
    fsspec.filesystem("memory").pipe_file("/lake-of-a-test/there", b"")

    def put(self, local, path, **options):
        raise types.new_class("ResourceNotFoundError", (FileNotFoundError,))("<Error>no</Error>")

    monkeypatch.setattr(fsspec.implementations.memory.MemoryFileSystem, "put_file", put)
    with pytest.raises(UsageError, match="store: the store has no such file$"):
        scan(folder, at)


def test_a_lake_publishes_what_could_not_be_published(folder, at, monkeypatch):
    lake = scan(folder, at)
    pq.write_table(made_lake.table(7), folder / "new.parquet")
    with monkeypatch.context() as patch:
        refused = lambda *_, **__: (_ for _ in ()).throw(OSError("gone"))  # noqa: E731
        patch.setattr(fsspec.implementations.memory.MemoryFileSystem, "put_file", refused)
        with pytest.raises(UsageError, match="cannot be reached: OSError$"):
            lake.refresh()
    lake.refresh()
    assert pqexplore.lake.open(at).tables["files"].num_rows == 12 + 8 + 1


def test_two_at_once(folder, at):
    lake = scan(folder, at)
    other = pqexplore.lake.open(at, follow_outside=True)
    with pytest.raises(UsageError, match="another scan finished meanwhile in memory://"):
        lake.refresh(progress=lambda progress: progress.files or other.refresh())
    assert pqexplore.lake.open(at).manifest.run_id == other.manifest.run_id


def test_an_unfinished_scan_goes_on(folder, at, tmp_path):
    with pytest.raises(Cancelled, match="kept in memory://lake-of-a-test/store.*resume=True"):
        scan(folder, at, progress=stopping)
    assert {os.path.basename(name) for name in names(at)} > {PARTIAL}
    with pytest.raises(UsageError, match="memory://.* has no complete scan of a lake; an unfinished"):
        pqexplore.lake.open(at)
    lake = scan(folder, at, resume=True)
    assert lake.progress.kept > 0 and rows(lake) == rows(scan(folder, tmp_path / "here"))
    parts = {part for some in lake.manifest.parts.values() for part in some}
    run = f"runs/{lake.manifest.run_id}"
    assert names(at) == {"current.json", f"{run}/manifest.json", *parts}


def test_the_next_complete_scan_removes_unfinished_ones(folder, at):
    with pytest.raises(Cancelled):
        scan(folder, at, progress=stopping)
    lake = scan(folder, at)
    assert {name.split("/")[1] for name in names(at) if "/" in name} == {lake.manifest.run_id}


def test_a_store_of_another_person(folder, at):
    """What its files say is checked before it is used; other files there are not looked at."""
    files, run = fsspec.filesystem("memory"), scan(folder, at).manifest.run_id
    top = "/lake-of-a-test/store"
    files.pipe_file(f"{top}/runs/../../x.parquet", b"")
    files.pipe_file(f"{top}/photo.jpg", b"")
    pqexplore.lake.open(at)
    manifest = json.loads(files.cat_file(f"{top}/runs/{run}/manifest.json"))
    changed = manifest | {"parts": manifest["parts"] | {"files": ["../../../etc/passwd"]}}
    files.pipe_file(f"{top}/runs/{run}/manifest.json", json.dumps(changed).encode())
    with pytest.raises(CorruptFileError, match="parts/files/0"):
        pqexplore.lake.open(at)
    files.pipe_file(f"{top}/runs/{run}/manifest.json", json.dumps(manifest).encode())
    files.rm_file(f"{top}/{manifest['parts']['row_groups'][0]}")
    with pytest.raises(CorruptFileError, match="row_groups/part-.* is missing"):
        pqexplore.lake.open(at)


def test_a_store_may_not_name_files_of_this_machine(folder, at, monkeypatch):
    scan(folder, at)
    monkeypatch.setattr("pqexplore.lake.scanning.scan.made_here", set())
    lake = pqexplore.lake.open(at)
    assert not lake.reach.allows(str(next(folder.rglob("part-*.parquet"))))
    with pytest.raises(UsageError, match="follow_outside"):
        lake.refresh()


def test_what_cannot_be_written_to(folder):
    with pytest.raises(UsageError, match="cannot be reached: Protocol not known: nosuchscheme"):
        scan(folder, "nosuchscheme://x/y")
    with pytest.raises(NetworkError, match=r"\*\*\*@.*no connection to the store") as raised:
        scan(folder, "ftp://user:hidden@127.0.0.1:1/x")
    assert "hidden" not in str(raised.value)


class Cluster(Session):
    """A session of several nodes: they read these URLs, and no folder of this machine."""

    def __init__(self, reads=(), master="spark://host:7077") -> None:
        super().__init__(**{"spark.master": master})
        self.urls, self.tried, self.read = reads, [], self

    def schema(self, ddl):
        return self

    def parquet(self, *paths):
        self.tried += paths
        if not all(path.startswith(tuple(self.urls)) for path in paths):
            raise OSError("no such file on this node")
        found = [fsspec.open(path).open() for path in paths]
        return Frame(self, pa.concat_tables([pq.read_table(one) for one in found]))


def test_a_cluster_reads_the_tables_at_the_url(folder, at):
    session = Cluster([at])
    lake = pqexplore.lake.scan(session, folder, out=at)
    session.tried.clear()
    assert len(lake.tables["files"].collect()) == lake.dataset("files").count_rows() == 20
    assert session.tried and all(path.startswith(f"{at}/runs/") for path in session.tried)
    assert not [name for name in names(at) if "probe" in name]
    assert len(pqexplore.lake.open(at, session).tables["files"].collect()) == 20


def test_a_cluster_that_reads_neither_is_refused_before_a_file_is_read(folder, at):
    session = Cluster()
    with pytest.raises(UsageError, match="its nodes do not see this machine's folders, and Spark"):
        pqexplore.lake.scan(session, folder, out=at)
    assert session.asked == [] and names(at) == set()
    small = pqexplore.lake.scan(session, folder, out=at, spark_from=1_000, processes=0)
    assert small.spark is None  # this machine read the files
    with pytest.raises(UsageError, match="give Spark access to the URL"):
        pqexplore.lake.open(at, session)


@pytest.mark.parametrize("url, master, reads, expected", [
    ("s3://b/lake", "yarn", ["s3://"], "s3://b/lake"),
    ("s3://b/lake", "yarn", ["s3a://"], "s3a://b/lake"),
    ("s3://b/lake", "local[2]", ["s3a://", "file://"], "file://COPY"),
    ("s3://b/lake", "local[2]", ["s3a://"], "s3a://b/lake"),  # Connect with a server elsewhere
    ("s3://b/lake", "yarn", ["file://"], None),
    ("ftp://me:word@host/lake", "yarn", ["ftp://"], None),  # a plan would show the password
])  # fmt: skip
def test_where_spark_reads_a_store(tmp_path, url, master, reads, expected):
    class Reader(Cluster):
        def parquet(self, *paths):
            self.tried += paths
            return types.SimpleNamespace(collect=lambda: [1] * paths[0].startswith(tuple(reads)))

    session, put = Reader(reads, master), []
    try:
        found = remote_store.root_for(session, url, str(tmp_path), put.append, put.remove)
    except UsageError as error:
        assert expected is None and "word" not in str(error)
    else:
        assert found.replace(str(tmp_path), "COPY") == expected
    assert put == [] == list(tmp_path.iterdir())
    assert not any("word" in path for path in session.tried)
