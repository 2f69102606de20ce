"""Metadatastores and datasets at URLs: in fsspec's memory, and in a bucket of an S3 server."""

import io
import itertools
import re

import fsspec
import fsspec.implementations.memory
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.engine.errors import (
    CredentialsError,
    NetworkError,
    NoAnswerError,
    StoreError,
    ThrottledError,
    UsageError,
)
from pqexplore.lake import metadatastore
from pqexplore.lake.metadatastore import MinMax, ValueList
from pqexplore.lake.metadatastore.remote import reached

_NUMBERS = itertools.count()


class Place:
    """A folder at a URL, and how to write there."""

    def __init__(self, url, options):
        self.url, self.options = url, options

    def put(self, name, rows):
        data = io.BytesIO()
        pq.write_table(pa.table(rows), data)
        with fsspec.open(f"{self.url}/{name}", "wb", **self.options) as file:
            file.write(data.getvalue())

    def remove(self, name):
        files, path = fsspec.core.url_to_fs(f"{self.url}/{name}", **self.options)
        files.rm_file(path)

    def names(self, folder):
        files, path = fsspec.core.url_to_fs(f"{self.url}/{folder}", **self.options)
        files.invalidate_cache()
        return sorted(one.rpartition("/")[2] for one in files.find(path))


@pytest.fixture(params=["memory", "s3"])
def place(request):
    if request.param == "memory":
        made = Place(f"memory://mds-{next(_NUMBERS)}", {})
    else:
        bucket = request.getfixturevalue("s3")
        made = Place(bucket.url, bucket.options)
    for number in range(3):
        made.put(f"ds/p={number % 2}/f{number}.parquet", {"n": [10 * number, 10 * number + 5]})
    return made


def names(paths):
    return sorted(path.rpartition("/")[2] for path in paths)


def test_a_store_at_a_url_is_built_opened_asked_and_refreshed(place):
    wanted, options = [MinMax("n"), ValueList("n")], place.options
    metadatastore.build(None, f"{place.url}/ds", wanted, f"{place.url}/md", storage_options=options)
    assert metadatastore.is_store(f"{place.url}/md", storage_options=options)
    store = metadatastore.open(f"{place.url}/md", storage_options=options)
    assert metadatastore.open(store.path, storage_options=options).num_rows == 3
    assert f"/{store.table_identifier}".endswith("/ds") and "://" not in store.table_identifier
    assert [one.name for one in store.partitions] == ["p"]
    assert names(one.path for one in store.objects) == ["f0.parquet", "f1.parquet", "f2.parquet"]
    found = store.files_to_read("n % 10 = 5 AND n < 9")
    assert names(found.paths) == ["f0.parquet"] and not found.staleness.stale
    assert all(path.startswith(place.url.partition("://")[0]) for path in found.paths)
    place.put("ds/p=1/new.parquet", {"n": [99]})
    place.put("ds/p=0/_hidden.parquet", {"n": [99]})
    place.remove("ds/p=0/f0.parquet")
    found = store.files_to_read("n > 20")
    assert names(found.paths) == ["f2.parquet", "new.parquet"]
    assert [names(one) for one in (found.staleness.new, found.staleness.vanished)] == [["new.parquet"], ["f0.parquet"]]
    before = place.names("md")
    refreshed = store.refresh()
    assert re.search(r"^<Refreshed .*: \d+ objects added, \d+ removed, \d+ kept, \d+ omitted>$", repr(refreshed))  # fmt: skip
    assert (len(refreshed.added), len(refreshed.removed), len(refreshed.kept)) == (1, 1, 2)
    assert len(place.names("md")) == 1 and place.names("md") != before
    assert names(refreshed.store.files_to_read("n > 50").paths) == ["new.parquet"]
    assert "secret" not in repr(store) and "'s'" not in repr(refreshed)


def test_a_build_replaces_nothing_but_a_store(place):
    place.put("md/other.parquet", {"n": [1]})
    with pytest.raises(UsageError, match="not a readable file of a metadatastore"):
        metadatastore.build(
            None, f"{place.url}/ds", [MinMax("n")], f"{place.url}/md",
            location="explicit", storage_options=place.options,
        )  # fmt: skip
    assert place.names("md") == ["other.parquet"]


def test_a_dataset_outside_of_the_stores_folder_must_be_named(place):
    options = place.options
    where = f"{place.url}/a/b/c/md"
    metadatastore.build(None, f"{place.url}/ds", [MinMax("n")], where, storage_options=options)
    store = metadatastore.open(where, storage_options=options)
    with pytest.raises(UsageError, match="follow_outside"):
        store.files_to_read("n = 1")
    assert names(store.files_to_read("n = 5", dataset=f"{place.url}/ds").paths) == ["f0.parquet"]


def test_nothing_at_a_url_is_refused(place):
    for url in (f"{place.url}/nowhere", "unknown://x/y"):
        with pytest.raises((UsageError, OSError)):
            metadatastore.open(url, storage_options=place.options if "unknown" not in url else None)


class Fault(Exception):
    """An error of a driver's own kind, whose text is a page of a server."""


def test_an_upload_that_fails_leaves_the_old_store(monkeypatch):
    place = Place(f"memory://mds-{next(_NUMBERS)}", {})
    place.put("ds/f.parquet", {"n": [1]})
    md = f"{place.url}/md"
    metadatastore.build(None, f"{place.url}/ds", [MinMax("n")], md, location="explicit")
    before = place.names("md")

    def half(files, _, path, **__):
        files.pipe_file(path, b"half")
        raise Fault("<html>secret</html>")

    monkeypatch.setattr(fsspec.implementations.memory.MemoryFileSystem, "put_file", half)
    with pytest.raises(OSError, match="cannot be reached: Fault") as caught:
        metadatastore.build(None, f"{place.url}/ds", [MinMax("n")], md, location="explicit")
    assert "secret" not in str(caught.value)
    assert place.names("md") == before


# a driver's error | the one to raise, its words
ERRORS = [
    (PermissionError("Access Denied"), CredentialsError, "the store refuses access"),
    (ConnectionRefusedError(111, "Connection refused"), NetworkError, "memory://b/x"),
    (TimeoutError(), NoAnswerError, "did not answer in time"),
    (FileNotFoundError("b/x"), FileNotFoundError, "the store has no such file"),
    (ThrottledError("memory://b/x: busy"), ThrottledError, "busy"),
    (OSError(28, "No space left on device"), OSError, "cannot be reached: .*No space left"),
    (OSError("memory://b/x cannot be read: cut"), OSError, "^memory://b/x cannot be read: cut$"),
    (OSError("<html><body>secret</body></html>"), OSError, "cannot be reached: OSError$"),
    (ImportError("Install s3fs"), OSError, "cannot be reached: Install s3fs"),
    (Fault("<html>secret</html>"), OSError, "cannot be reached: Fault$"),
    (UsageError("two datasets"), UsageError, "^two datasets$"),
]


@pytest.mark.parametrize(("error", "kind", "words"), ERRORS)
def test_an_error_of_a_driver_is_said_in_our_words(error, kind, words):
    with pytest.raises(kind, match=words) as caught, reached("memory://b/x"):
        raise error
    assert type(caught.value) is kind
    assert "secret" not in str(caught.value)


def test_a_store_without_credentials_says_so(s3):
    wrong = {**s3.options, "key": "", "secret": "", "endpoint_url": "http://127.0.0.1:9"}
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:9|credentials"):
        metadatastore.open(f"{s3.url}/md", storage_options=wrong)


def test_storage_options_do_not_reach_spark():
    with pytest.raises(UsageError, match="would be in its plans"):
        metadatastore.build(object(), "memory://x", [MinMax("n")], "memory://y", storage_options={"key": "k"})
