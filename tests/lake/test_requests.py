"""What S3 is asked for: requests and bytes of an open file, and of a scan."""

import datetime

import fsspec
import fsspec.implementations.memory
import numpy as np
import pyarrow as pa
import pytest
from aiobotocore.client import AioBaseClient
from botocore.exceptions import ClientError
from made import parquet

import pqexplore
from pqexplore.cli import main
from pqexplore.engine.errors import CorruptFileError, NotParquetError, UsageError
from pqexplore.engine.file.opening import open_source
from pqexplore.insight.report import file_report
from pqexplore.lake.places.place import Item
from pqexplore.lake.places.remote import Remote

OPTIONS = {"use_dictionary": False, "compression": "none", "write_page_index": True}


def file_of(rows=60_000, groups=2):
    rng = np.random.default_rng(rows)
    return parquet(
        pa.table({name: rng.random(rows) for name in "abc"}),
        row_group_size=rows // groups,
        data_page_size=40_000,
        **OPTIONS,
    )


@pytest.fixture
def asked(monkeypatch):
    """The (operation, range) of each request to S3."""
    seen, send = [], AioBaseClient._make_api_call

    async def counted(self, operation, arguments):
        seen.append((operation, arguments.get("Range", "")))
        return await send(self, operation, arguments)

    monkeypatch.setattr(AioBaseClient, "_make_api_call", counted)
    return seen


@pytest.fixture
def stored(s3, asked):
    """A file on S3: its URL, and its bytes."""
    data = file_of()
    s3.filesystem().pipe_file(f"{s3.url}/x.parquet", data)
    asked.clear()
    return f"{s3.url}/x.parquet", data


def test_opening_and_the_overview_cost_two_requests(s3, stored, asked):
    url, data = stored
    with pqexplore.open(url, storage_options=s3.options) as file:
        assert asked == [("GetObject", "bytes=-122880")]
        assert file.num_rows == 60_000
        assert "page checksums" in "\n".join(file_report(file, 100))
        assert asked[1:] == [("GetObject", "bytes=0-4095")]
        assert file.bytes_read == 122_880 + 4096 < 128_000


@pytest.fixture
def from_environment(s3, monkeypatch):
    """The environment has what leads to the store; what fsspec keeps of it ends with the test."""
    for name, value in s3.deltalake.items():
        monkeypatch.setenv(name, value)
    yield
    fsspec.get_filesystem_class("s3").clear_instance_cache()


@pytest.mark.usefixtures("from_environment")
@pytest.mark.parametrize("condition", ["a < 0.001", "a < 0.001 AND b > 0.5", "a IS NULL", "c = 0.5"])
def test_a_question_asks_the_store_for_what_its_plan_needs(s3, stored, asked, capsys, condition):
    url, data = stored
    with pqexplore.open(url, storage_options=s3.options) as file:
        list(pqexplore.ask(file, condition).kept)
    plan = [one for one in asked if one[0] == "GetObject"]
    asked.clear()
    assert main(["ask", url, condition]) == 0
    assert [one for one in asked if one[0] == "GetObject"] == plan
    assert sum(map(length, plan)) < 130_000 < len(data)
    assert "Not asked for: it may read pages. --advice gives it." in capsys.readouterr().out


def length(request):
    """The bytes of a request for a range."""
    first, _, last = request[1].removeprefix("bytes=").partition("-")
    return int(last) + 1 - int(first) if first else int(last)


def test_the_layout_costs_the_headers(s3, stored, asked):
    url, data = stored
    with pqexplore.open(url, storage_options=s3.options) as file:
        layout = file.layout()
        headers = layout["kind"].to_pylist().count("page_header")
        assert layout.equals(pqexplore.open(data).layout())
        assert {operation for operation, _ in asked} == {"GetObject"}
        assert len(asked) <= 1 + headers
        assert file.bytes_read <= 122_880 + 128 * headers


# rows, bytes of a page | requests for all pages of a chunk, whether the values are there without another one
CHUNKS = [
    (120_000, 40_000, 1, True),  # 480 kB
    (400_000, 40_000, 1, True),  # 1.6 MB: pages of 40 kB
    (400_000, 160_000, 10, False),  # 1.6 MB: pages of 160 kB
    (80_000, 160_000, 2, False),
]


@pytest.mark.parametrize(("rows", "page", "requests", "whole"), CHUNKS)
def test_the_pages_of_a_small_chunk_cost_one_request(s3, asked, rows, page, requests, whole):
    values = pa.table({name: np.random.default_rng(rows).random(rows) for name in "abc"})
    data = parquet(values, row_group_size=rows // 2, data_page_size=page, write_batch_size=1000, **OPTIONS)
    s3.filesystem().pipe_file(f"{s3.url}/x.parquet", data)
    with pqexplore.open(f"{s3.url}/x.parquet", storage_options=s3.options) as file:
        chunk, local = file.row_groups[0].columns[1], pqexplore.open(data).row_groups[0].columns[1]
        asked.clear()
        pages = list(chunk.pages)
        assert len(asked) == requests
        assert [page.header for page in pages] == [page.header for page in local.pages]
        assert len(asked) == requests  # the offset index came with the footer
        assert [page.values for page in pages] == [page.values for page in local.pages]
        assert (len(asked) == requests) is whole
        asked.clear()
        assert [one.span for one in chunk.pages[1:2]] == [local.pages[1].span]
        assert not asked
    with pqexplore.open(f"{s3.url}/x.parquet", storage_options=s3.options) as file:
        asked.clear()
        file.row_groups[0].columns[1].frames  # noqa: B018 - a walk costs the same
        assert len(asked) == requests


def test_a_file_that_is_overwritten_is_noticed(s3, stored):
    url, data = stored
    with pqexplore.open(url, storage_options=s3.options) as file:
        assert not file.source.changed()
        for other in (data[:5000] + b"!" + data[5001:], data[-200_000:], data[:3000]):
            s3.filesystem().pipe_file(url, other)
            with pytest.raises(CorruptFileError, match="changed while it was open") as raised:
                file.source.read(4096, 100)
            assert raised.value.offset == 4096
            assert file.source.changed()


def test_a_store_that_refuses_a_range_is_not_a_file_that_changed(s3, stored, monkeypatch):
    with pqexplore.open(stored[0], storage_options=s3.options) as file:
        send = AioBaseClient._make_api_call

        async def refused(self, operation, arguments):
            if operation == "GetObject":
                said = {"Error": {"Code": "InvalidToken", "Message": "the token is malformed"}}
                raise ClientError(said, operation)
            return await send(self, operation, arguments)

        monkeypatch.setattr(AioBaseClient, "_make_api_call", refused)
        with pytest.raises(OSError, match="malformed|refuses access"):
            file.source.read(4096, 100)


# what is at the path | the error and its words
NO_FILES = [
    ("nothing.parquet", FileNotFoundError, "nothing.parquet"),
    ("folder", UsageError, "is a folder"),
    ("empty", NotParquetError, "is empty"),
    ("short", NotParquetError, "has 10 bytes"),
    ("", UsageError, "is a folder"),
]


@pytest.mark.parametrize(("path", "kind", "words"), NO_FILES)
def test_what_is_no_file_on_s3_says_so(s3, path, kind, words):
    for name, data in (("empty", b""), ("short", b"0123456789"), ("folder/a", b"a")):
        s3.filesystem().pipe_file(f"{s3.url}/{name}", data)
    with pytest.raises(kind, match=words):
        pqexplore.open(f"{s3.url}/{path}", storage_options=s3.options)


# level | requests of a file beside the one that opens it
LEVELS = [("chunks", 0), ("pages", 2 * 3 * 6)]


@pytest.mark.parametrize(("level", "more"), LEVELS)
def test_a_scan_asks_for_no_sizes_and_reads_what_it_needs(s3, asked, tmp_path, level, more):
    for number in range(4):
        s3.filesystem().pipe_file(f"{s3.url}/{number}.parquet", file_of(60_000 + number * 2))
    asked.clear()
    options = {"storage_options": s3.options, "processes": 0, "level": level}
    lake = pqexplore.lake.scan(None, s3.url, out=tmp_path / "store", **options)
    files = lake.sql("select * from files").to_pylist()
    assert [one["status"] for one in files] == ["ok"] * 4
    assert "HeadObject" not in {operation for operation, _ in asked}
    gets = [wanted for operation, wanted in asked if operation == "GetObject"]
    assert gets.count("bytes=-65536") == 4
    assert len(gets) <= 4 * (1 + more)
    assert sum(one["bytes_read"] for one in files) <= 4 * (65_536 + 128 * more)


class Listing(fsspec.implementations.memory.MemoryFileSystem):
    """A store without ranges of the end, as most drivers of fsspec; counts what it is asked."""

    asked: list = []  # noqa: RUF012 - instances of a file system are shared

    def info(self, path, **options):
        self.asked.append("info")
        return {**super().info(path, **options), "ETag": '"tag"'}

    def cat_file(self, path, start=None, end=None, **options):
        self.asked.append((start, end))
        return super().cat_file(path, start, end, **options)


@pytest.mark.parametrize(("listed", "asked"), [(None, ["info"]), ((3000, "tag"), [])])
def test_a_size_that_was_listed_is_not_asked_for(listed, asked):
    files = Listing()
    files.pipe_file("/listed.bin", bytes(3000))
    Listing.asked.clear()
    source = open_source("/listed.bin", filesystem=files, listed=listed)
    assert (source.size, bytes(source.read(10, 5))) == (3000, bytes(5))
    assert Listing.asked == [*asked, (10, 15)]
    assert not source.changed()  # the listing and `info` write the ETag in two ways


class Cached(fsspec.implementations.memory.MemoryFileSystem):
    """A driver that answers `info` from its listings, and forgets only the folder that is named, as adlfs does."""

    listings: dict = {}  # noqa: RUF012 - instances of a file system are shared

    def ls(self, path, detail=True, **options):
        self.listings[path.rstrip("/")] = super().ls(path, detail=True)
        return super().ls(path, detail, **options)

    def info(self, path, **options):
        known = self.listings.get(path.rpartition("/")[0], ())
        return next((one for one in known if one["name"] == path), None) or super().info(path)

    def invalidate_cache(self, path=None):
        self.listings.pop(path, None)


def test_an_earlier_listing_does_not_give_the_size():
    files = Cached()
    files.pipe_file("/cached/x.bin", bytes(300))
    files.ls("/cached")
    files.pipe_file("/cached/x.bin", bytes(400))
    assert files.info("/cached/x.bin")["size"] == 300
    source = open_source("/cached/x.bin", filesystem=files)
    assert source.size == 400
    files.ls("/cached")
    files.pipe_file("/cached/x.bin", bytes(500))
    assert source.changed()


MOMENT = datetime.datetime(2026, 11, 23, 11, 3, 39, tzinfo=datetime.UTC)
# What adlfs 2026.8.0 and gcsfs 2026.10.1 say of a file, without the fields that are not read.
FIELDS = {
    "adlfs": {"creation_time": MOMENT, "last_modified": MOMENT, "content_settings": {"content_md5": bytearray(b"x")}, "etag": '"0x249BD38D50B9500"'},
    "gcsfs": {"timeCreated": "2026-11-23T11:03:39Z", "updated": "2026-11-23T11:03:39Z", "generation": "1795", "md5Hash": "nEU+DT==", "etag": "nEU+DT==", "mtime": MOMENT, "ctime": MOMENT},
}  # fmt: skip


@pytest.mark.parametrize(("driver", "etag"), [("adlfs", "0x249BD38D50B9500"), ("gcsfs", "nEU+DT==")])  # fmt: skip
def test_the_fields_of_a_listing(driver, etag):
    class Fields(fsspec.implementations.memory.MemoryFileSystem):
        cachable = False

        def _with(self, facts):
            return {"name": facts["name"], "size": facts["size"], "type": "file", **FIELDS[driver]}

        def find(self, path, **options):
            return {at: self._with(one) for at, one in super().find(path, **options).items()}

        def info(self, path, **options):
            return self._with(super().info(path, **options))

    files = Fields()
    files.pipe_file("/fields/x.parquet", bytes(300))
    place = Remote(files, "memory")
    at = int(MOMENT.timestamp() * 1_000_000)
    expected = Item("/fields/x.parquet", 300, at, etag)
    assert list(place.walk("/fields", lambda _: True)) == [expected]
    assert place.item("/fields/x.parquet") == expected
    assert not open_source("/fields/x.parquet", filesystem=files, listed=(300, etag)).changed()
