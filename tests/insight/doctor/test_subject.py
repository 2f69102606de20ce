"""What the rules see of a footer's chunks is what the chunks' handles say."""

import copy
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import rebuilt
from needs import ONE_COLUMN_METADATA

import pqexplore
from pqexplore.engine.check import footer
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.chunk_bounds import known_bounds
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import ColumnMetaData, FileMetaData
from pqexplore.insight.doctor.subject import Subject

ENCRYPTED = "apache__parquet-testing/data/encrypt_columns_and_footer_ctr.parquet.encrypted"
PLAIN_FOOTER = "apache__parquet-testing/data/encrypt_columns_plaintext_footer.parquet.encrypted"


@pytest.fixture
def groups(tmp_path):
    path = tmp_path / "groups.parquet"
    table = pa.table({"a": range(30), "b": [1.5, None, 2.5] * 10, "c": ["x", "yy", None] * 10})
    pq.write_table(table, path, row_group_size=10, write_page_index=True)
    return path


def handle(subject, group, leaf):
    """The handle of a chunk; None if its metadata cannot be read."""
    try:
        chunk = subject.file.row_groups[group].columns[leaf.leaf_index]
        _ = chunk.metadata
    except ParquetError:
        return None
    return chunk


def number(chunk, name):
    if chunk is None:
        return -1
    of = chunk.metadata if name in ColumnMetaData.__slots__ else chunk.struct
    value = getattr(of, name)
    return -1 if value is None else value


def of_bounds(subject, chunk, call):
    try:
        return None if chunk is None else call()
    except ParquetError as error:
        return error.message


def assert_as_the_handles_say(file):
    subject = Subject(file)
    assert subject.groups and subject.leaves
    for leaf in subject.leaves:
        chunks = [handle(subject, group, leaf) for group in range(subject.groups)]
        column = leaf.leaf_index
        readable = [group for group, chunk in enumerate(chunks) if chunk is not None]
        assert np.flatnonzero(subject.readable[:, column]).tolist() == readable
        assert [group for group, _ in subject.column_chunks(leaf)] == readable
        for name in ("num_values", "total_compressed_size", "codec", "column_index_offset"):
            expected = [number(chunk, name) for chunk in chunks]
            assert subject.numbers(name)[:, column].tolist() == expected
        for group, metadata in subject.metadata(leaf):
            full = copy.deepcopy(chunks[group].metadata)
            expected = fast.outline(structs.ColumnChunk(meta_data=full)).meta_data
            given = fast.outline(structs.ColumnChunk(meta_data=metadata)).meta_data
            assert given == expected
        for group, chunk in enumerate(chunks):
            known = of_bounds(subject, chunk, lambda chunk=chunk: known_bounds(chunk))
            seen = of_bounds(subject, chunk, lambda leaf=leaf, group=group: subject.bounds(leaf, group))
            assert seen == known


def test_an_ordinary_file(groups):
    with pqexplore.open(groups) as file:
        assert_as_the_handles_say(file)


@pytest.mark.parametrize("name", [ENCRYPTED, PLAIN_FOOTER])
@pytest.mark.parametrize("with_keys", [True, False])
def test_encrypted_columns(corpus, name, with_keys):
    keys = json.loads((corpus / "keys.json").read_text())[name]
    footer = {"footer_key": bytes.fromhex(keys["footer_key_hex"])}
    columns = {path: bytes.fromhex(key) for path, key in keys["column_keys_hex"].items()}
    footer |= {"column_keys": columns} if with_keys else {}
    with pqexplore.open(corpus / name, decryption=pqexplore.Decryption(**footer)) as file:
        assert_as_the_handles_say(file)
        assert Subject(file).readable.all() == (with_keys or name is PLAIN_FOOTER)


@pytest.mark.parametrize("lost", ["num_values", "meta_data"])
def test_a_chunk_without_a_required_field(groups, lost):
    data = groups.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    footer, _ = fast.decode(FileMetaData, data[-8 - length : -8])
    chunk = footer.row_groups[1].columns[1]
    setattr(chunk if lost == "meta_data" else chunk.meta_data, lost, None)
    spoilt = encode(footer)
    end = len(spoilt).to_bytes(4, "little") + b"PAR1"
    with pqexplore.open(data[: -8 - length] + spoilt + end) as file:
        assert_as_the_handles_say(file)
        assert Subject(file).readable.tolist() == [[True] * 3, [True, False, True], [True] * 3]


@ONE_COLUMN_METADATA
def test_a_diagnosis_by_the_footer_reads_nothing_else_and_makes_few_handles(groups, monkeypatch):
    """By a writer without known defects: whether one concerns a file is asked of up to a thousand chunks."""
    groups.write_bytes(rebuilt(groups.read_bytes(), created_by="parquet-cpp-arrow version 26.0.1"))
    made = []
    monkeypatch.setattr(ColumnChunk, "__init__", counted(ColumnChunk.__init__, made))
    monkeypatch.setattr(footer, "CHUNKS", 2)
    with pqexplore.open(groups) as file:
        _ = file.metadata
        read = file.bytes_read
        pqexplore.diagnose(file, "footer")
        assert file.bytes_read <= read + 4  # the magic at its beginning
    assert len(made) <= 5  # of nine chunks


def counted(call, calls):
    def count(*args):
        calls.append(args)
        return call(*args)

    return count


@ONE_COLUMN_METADATA
def test_check_decodes_each_page_once(groups, monkeypatch):
    opened = []
    monkeypatch.setattr(Page, "_open_body", counted(Page._open_body, opened))
    with pqexplore.open(groups) as file:
        assert file.check() == []
        pages = sum(len(chunk.pages) for chunk in file.chunks())
    assert len(opened) == pages == 18  # nine of a dictionary


@ONE_COLUMN_METADATA
def test_unnamed_bytes_are_the_gaps(groups):
    data = groups.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    end = len(data) - 8 - length
    with pqexplore.open(data[:end] + bytes(700) + data[end:]) as file:
        layout = file.layout("chunks").to_pylist()
        gaps = sum(one["end"] - one["start"] for one in layout if one["kind"] == "gap")
        assert Subject(file).unnamed == gaps == 700
