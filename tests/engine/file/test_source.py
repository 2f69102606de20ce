"""Bytes with positions, from wherever they come; what they cost; what happens when they change."""

import functools
import io

import fsspec
import pyarrow as pa
import pytest
from engine.threads import together
from pyarrow import fs

from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.engine.file.opening import open_source
from pqexplore.engine.file.source import local_path

# what is written | where it is on this machine; None: not on this machine
PATHS = [
    ("a/b.parquet", "a/b.parquet"),
    ("/a/b:c.parquet", "/a/b:c.parquet"),
    ("file:/a/b%20c.parquet", "/a/b c.parquet"),
    ("file:///a/b.parquet", "/a/b.parquet"),
    ("file://localhost/a/b.parquet", "/a/b.parquet"),
    ("dbfs:/Volumes/x/y.parquet", "/Volumes/x/y.parquet"),
    ("dbfs:/x/y.parquet", "/dbfs/x/y.parquet"),
    ("dbfs:///x/y.parquet", "/dbfs/x/y.parquet"),
    (r"C:\data\x.parquet", r"C:\data\x.parquet"),
    ("C:/data/x.parquet", "C:/data/x.parquet"),
    ("s3://bucket/x.parquet", None),
    ("memory://x.parquet", None),
]


@pytest.mark.parametrize(("written", "expected"), PATHS)
def test_local_path_of_paths_and_urls(written, expected):
    assert local_path(written) == expected


DATA = bytes(range(200))


def _kinds(folder):
    path = folder / "data.bin"
    path.write_bytes(DATA)
    fsspec.filesystem("memory").pipe("/data.bin", DATA)
    return {
        "path": (str(path), {}),
        "Path": (path, {}),
        "file URL": (path.as_uri(), {}),
        "bytes": (DATA, {}),
        "bytearray": (bytearray(DATA), {}),
        "file object": (io.BytesIO(DATA), {}),
        "NativeFile": (pa.BufferReader(DATA), {}),
        "memory map": (pa.memory_map(str(path)), {}),
        "Arrow buffer": (pa.py_buffer(DATA), {}),
        "fsspec URL": ("memory://data.bin", {}),
        "fsspec filesystem": ("/data.bin", {"filesystem": fsspec.filesystem("memory")}),
        "pyarrow filesystem": (str(path), {"filesystem": fs.LocalFileSystem()}),
    }


@pytest.mark.parametrize("kind", range(12))
def test_every_kind_reads_and_counts_alike(tmp_path, kind):
    name, (what, options) = list(_kinds(tmp_path).items())[kind]
    source = open_source(what, **options)
    assert source.size == 200, name
    assert bytes(source.read(10, 5)) == DATA[10:15], name
    assert bytes(source.read(199, 1)) == DATA[199:], name
    assert bytes(source.read(0, 0)) == b"", name
    assert (source.bytes_read, source.reads, list(source.ranges)) == (6, 2, [(10, 5), (199, 1)])
    for start, length in ((-1, 2), (199, 2), (0, 201), (5, -1)):
        with pytest.raises(CorruptFileError):
            source.read(start, length)


def test_many_threads_read_one_file_object():
    source = open_source(io.BytesIO(DATA))
    wrong = []

    def work(offset):
        for _ in range(200):
            if bytes(source.read(offset, 10)) != DATA[offset : offset + 10]:
                wrong.append(offset)

    assert together(*(functools.partial(work, n * 10) for n in range(8))) == []
    assert not wrong
    assert source.bytes_read == 8 * 200 * 10


def test_a_file_that_changes_is_noticed(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(DATA)
    source = open_source(path)
    source.read(0, 10)
    path.write_bytes(DATA[:100])
    with pytest.raises(CorruptFileError, match="changed while it was open"):
        source.read(0, 10)


def test_siblings_are_plain_names_in_the_same_folder(tmp_path):
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "b").write_bytes(b"other")
    source = open_source(tmp_path / "a")
    assert bytes(source.sibling("b").read(0, 5)) == b"other"
    assert [source.sibling(name) for name in ("c", "", "..", "../b", "x/b", r"x\b")] == [None] * 6


@pytest.mark.parametrize("wrong", [None, 5, ["a"]])
def test_an_object_that_is_no_source_is_a_usage_error(wrong):
    with pytest.raises(UsageError, match="is expected"):
        open_source(wrong)


def test_a_folder_and_a_closed_source_raise_usage_errors(tmp_path):
    with pytest.raises(UsageError, match="is a folder"):
        open_source(tmp_path)
    source = open_source(DATA)
    source.close()
    with pytest.raises(UsageError, match="closed"):
        source.read(0, 1)
