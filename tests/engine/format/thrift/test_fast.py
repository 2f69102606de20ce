"""Bytes in, objects out: with the C reader, and the same without it."""

import copy
import functools
import gc
import subprocess
import sys

import numpy as np
import pytest
from engine.threads import together

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.thrift import c_reader, fast, struct_spans, structs
from pqexplore.engine.format.thrift.encode import encode, encode_fields, encode_list
from pqexplore.engine.format.varint import varint, zigzag


@pytest.fixture(params=["c", "python"])
def reader(request, monkeypatch):
    """Both implementations; the C reader is a dependency, so it has to work here."""
    assert c_reader.WORKS
    monkeypatch.setattr(c_reader, "WORKS", request.param == "c")
    return request.param


def raw(text):
    return bytes.fromhex(text.replace(" ", ""))


def chunk(**metadata):
    return structs.ColumnChunk(meta_data=structs.ColumnMetaData(**metadata))


FIRST = chunk(type=1, codec=6, encodings=[0, 3], data_page_offset=4, num_values=4)
SECOND = chunk(type=6, codec=1, encodings=[8, 3, 0], num_values=4, data_page_offset=99, dictionary_page_offset=50,
    total_compressed_size=10, bloom_filter_offset=77)  # fmt: skip
SECOND.file_path, SECOND.file_offset = "part.parquet", 9
SECOND.column_index_offset, SECOND.column_index_length = 1 << 40, 5
FOOTER = structs.FileMetaData(
    version=2,
    schema=[
        structs.SchemaElement(name="root", num_children=2),
        structs.SchemaElement(name="a", type=1, logicalType=structs.LogicalType(DATE=structs.DateType())),
        structs.SchemaElement(name="b", type=6, repetition_type=1),
    ],
    num_rows=7,
    row_groups=[
        structs.RowGroup(columns=[FIRST, SECOND], num_rows=4, total_byte_size=100),
        structs.RowGroup(columns=[structs.ColumnChunk(encrypted_column_metadata=b"?")], num_rows=3),
    ],
    key_value_metadata=[structs.KeyValue(key="k", value="v")],
    created_by="a test",
    column_orders=[structs.ColumnOrder(TYPE_ORDER=structs.TypeDefinedOrder())] * 2,
)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_decode_returns_the_offset_after_the_struct(reader, kind):
    data = encode(FOOTER)
    assert fast.decode(structs.FileMetaData, kind(data)) == (FOOTER, len(data))
    assert fast.decode(structs.FileMetaData, kind(b"---" + data + b"--"), 3) == (FOOTER, len(data) + 3)


@pytest.mark.parametrize("size", [10, 2_000, 20_000, 300_000])
def test_decode_of_any_size(reader, size):
    value = structs.Statistics(max=b"x" * size, null_count=1)
    data = b"-" + encode(value)
    assert fast.decode(structs.Statistics, data + b"--", 1) == (value, len(data))
    with pytest.raises(fast.Truncated):
        fast.decode(structs.Statistics, data, 1, len(data) - 1)


def test_decode_reads_nothing_beyond_the_end(reader):
    data = encode(FOOTER)
    for end in range(len(data)):
        with pytest.raises(fast.Truncated):
            fast.decode(structs.FileMetaData, data, 0, end)
        with pytest.raises(fast.Truncated):
            fast.decode(structs.FileMetaData, data[:end])


@pytest.mark.parametrize(
    ("struct", "data", "expected"),
    [
        (structs.DecimalType, "16 04 15 12 00", structs.DecimalType(precision=9)),
        (structs.SizeStatistics, "29 15 04 16 06 00", structs.SizeStatistics(definition_level_histogram=None)),
        (structs.KeyValue, "18 016b f5 02 08feff03 03616263 00", structs.KeyValue(key="k")),
        (structs.KeyValue, "18 016b 08ffff01 03616263 00", structs.KeyValue(key="k")),
        (structs.KeyValue, "18 02 61ff 00", structs.KeyValue(key="a\ufffd")),
        (structs.PageHeader, "15 ac02 00", structs.PageHeader(type=150)),
        (structs.DataPageHeaderV2, "00", structs.DataPageHeaderV2(is_compressed=True)),
        (structs.DataPageHeaderV2, "72 00", structs.DataPageHeaderV2(is_compressed=False)),
        (structs.ColumnIndex, "19 31 01 02 00 00", structs.ColumnIndex(null_pages=[True, False, False])),
        (structs.IntType, "13 80 00", structs.IntType(bitWidth=-128)),
    ],
    ids=["wire type", "elements", "extension", "extension 2", "utf-8", "enum", "default", "bool", "bools", "i8"],
)
def test_decode(reader, struct, data, expected):
    assert fast.decode(struct, raw(data)) == (expected, len(raw(data)))


@pytest.mark.parametrize(
    "data",
    ["1f", "15 ffffffffffff00", "f8 8080808008", "f9 10", "fc" * 100, "f9" + "19" * 100, "fb 01 00"],
    ids=["type", "varint", "length", "element", "structs", "lists", "map"],
)
def test_bytes_that_are_no_struct_raise(reader, data):
    with pytest.raises(CorruptFileError) as caught:
        fast.decode(structs.DecimalType, b"--" + raw(data) + bytes(200), 2)
    assert not isinstance(caught.value, fast.Truncated)
    assert caught.value.offset >= 2


def test_offsets_outside_of_the_buffer_raise(reader):
    for offset, end in [(-1, None), (3, None), (2, 1)]:
        with pytest.raises(fast.Truncated):
            fast.decode(structs.KeyValue, b"\0\0", offset, end)


def test_head(reader):
    head = fast.head(encode(FOOTER))
    assert (head.version, head.schema, head.num_rows) == (2, FOOTER.schema, 7)
    assert head.row_groups is None and head.created_by is None


def test_head_does_not_read_row_groups(reader):
    data = encode(FOOTER)
    groups = struct_spans.read(structs.FileMetaData, data).field("row_groups")
    assert fast.head(data[: groups.value[0].start + 1]).schema == FOOTER.schema


def test_head_without_row_groups(reader):
    assert fast.head(encode(structs.FileMetaData(version=1, row_groups=[]))).version == 1
    with pytest.raises(fast.Truncated):
        fast.head(encode(FOOTER)[:5])


def test_index_has_offsets_in_place_of_column_chunks(reader):
    data = encode(FOOTER)
    index = fast.index(data)
    found = [[fast.decode(structs.ColumnChunk, data, at)[0] for at in g.columns] for g in index.row_groups]
    assert found == [group.columns for group in FOOTER.row_groups]
    assert [g.num_rows for g in index.row_groups] == [4, 3]
    for name in ("version", "schema", "key_value_metadata", "created_by", "column_orders"):
        assert getattr(index, name) == getattr(FOOTER, name)


def test_index_with_wrong_element_types(reader):
    """A list of the wrong type stops the C reader; only that field is lost."""
    group = encode_fields([(1, 9, encode_list(12, [b"\0", b"\0"])), (4, 9, encode_list(5, [zigzag(1)]))])
    data = encode_fields([(1, 5, zigzag(1)), (4, 9, encode_list(12, [group]))])
    index = fast.index(data)
    assert index.row_groups[0].sorting_columns is None
    assert index.row_groups[0].columns == [data.index(b"\0"), data.index(b"\0") + 1]


def test_the_chunks_of_a_row_group_at_once(reader):
    footer = copy.deepcopy(FOOTER)
    footer.row_groups[0].columns[0].meta_data.size_statistics = structs.SizeStatistics(
        unencoded_byte_array_data_bytes=7
    )
    data = encode(footer)
    listed = [group.columns for group in fast.index(data).row_groups]
    ends = [listed[1][0], len(data)]
    for offsets, end, group in zip(listed, ends, footer.row_groups, strict=True):
        expected = [fast.outline(copy.deepcopy(one)) for one in group.columns]
        assert fast.chunks(data, offsets, end) == expected
    assert fast.chunks(data, [], len(data)) == []
    with pytest.raises(CorruptFileError):
        fast.chunks(data[: listed[0][1]], listed[0], ends[0])


def test_chunk_columns_that_are_wanted(reader):
    every = fast.chunk_columns(encode(FOOTER))
    some = fast.chunk_columns(encode(FOOTER), ["encodings", "column_index_length", "codec"])
    assert list(some) == ["row_group", "column", "column_index_length", "codec", "encodings"]
    assert all(array.tolist() == every[name].tolist() for name, array in some.items())


def test_chunk_columns(reader):
    columns = fast.chunk_columns(encode(FOOTER))
    assert {name: array.tolist() for name, array in columns.items()} == {
        "row_group": [0, 0, 1],
        "column": [0, 1, 0],
        "file_offset": [0, 9, 0],
        "offset_index_offset": [-1, -1, -1],
        "offset_index_length": [-1, -1, -1],
        "column_index_offset": [-1, 1 << 40, -1],
        "column_index_length": [-1, 5, -1],
        "data_page_offset": [4, 99, -1],
        "dictionary_page_offset": [-1, 50, -1],
        "total_compressed_size": [-1, 10, -1],
        "total_uncompressed_size": [-1, -1, -1],
        "num_values": [4, 4, -1],
        "codec": [6, 1, -1],
        "bloom_filter_offset": [-1, 77, -1],
        "bloom_filter_length": [-1, -1, -1],
        "encodings": [0b1001, 0b1_0000_1001, 0],
        "file_path": [None, "part.parquet", None],
    }
    assert columns["encodings"].dtype == np.uint32
    assert columns.pop("file_path").dtype == np.object_
    assert {a.dtype.name for n, a in columns.items() if n != "encodings"} == {"int64"}


def test_chunk_columns_with_encodings_that_have_no_bit(reader):
    one = structs.FileMetaData(row_groups=[structs.RowGroup(columns=[chunk(encodings=[-1, 31, 32])])])
    assert fast.chunk_columns(encode(one))["encodings"].tolist() == [1 << 31]


@pytest.mark.parametrize("footer", [b"\0", b"\x49\x0c\0", b"\x49\x1c\0\0", b"\x49\x1c\x19\x0c\0\0"])
def test_footers_without_chunks(reader, footer):
    assert fast.chunk_columns(footer)["codec"].shape == (0,)
    assert [g.columns or [] for g in fast.index(footer).row_groups or []] in ([], [[]])


def crowd(field_ids, count):
    """A footer of `count` structs of one byte each, in lists of structs nested by these field ids."""
    data = b"\xfc" + varint(count) + bytes(count)
    for number in reversed(field_ids[1:]):
        data = b"\x1c" + encode_fields([(number, 9, data)])
    return encode_fields([(field_ids[0], 9, data)])


@pytest.mark.parametrize("where", [[2], [4], [4, 1], [7]], ids=["schema", "groups", "chunks", "orders"])
def test_crowds_of_tiny_structs_are_refused(where):
    data = crowd(where, 1_000_000)
    with pytest.raises(CorruptFileError, match="far more structs"):
        fast.decode(structs.FileMetaData, data)
    if where != [2]:
        assert fast.head(data) == structs.FileMetaData()
    with pytest.raises(CorruptFileError, match="far more structs"):
        fast.index(data)


def test_structs_as_small_as_they_get_in_real_files_are_not_refused():
    leaves = 100_000
    schema = [structs.SchemaElement(name="", type=6, logicalType=structs.LogicalType(STRING=structs.StringType()))]
    orders = [structs.ColumnOrder(TYPE_ORDER=structs.TypeDefinedOrder())]
    data = encode_fields(
        [(2, 9, encode_list(12, [encode(schema[0])] * leaves)), (7, 9, encode_list(12, [encode(orders[0])] * leaves))]
    )
    assert fast.index(data).schema == schema * leaves


def test_the_buffer_is_not_kept():
    data = encode(FOOTER)
    before = sys.getrefcount(data)
    for call in (fast.head, fast.index, fast.chunk_columns):
        call(data)
        assert sys.getrefcount(data) == before


def test_garbage_collection_is_as_it_was():
    assert gc.isenabled()
    data = encode(FOOTER)
    for call in (fast.head, fast.index, fast.chunk_columns):
        call(data)
        assert gc.isenabled()
        with pytest.raises(CorruptFileError):
            call(b"\x1f")
        assert gc.isenabled()
    with fast.collection_paused():
        with fast.collection_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
        fast.index(data)
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        fast.index(data)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_threads_do_not_mix_their_footers():
    def footer(number):
        columns = [chunk(num_values=number, path_in_schema=["x" * number])] * 50
        return encode(structs.FileMetaData(row_groups=[structs.RowGroup(columns=columns)] * 20))

    footers = [footer(number) for number in range(1, 5)]
    expected = [[g.columns for g in fast.index(data).row_groups] for data in footers]
    wrong = []

    def work(number):
        for _ in range(20):
            index = fast.index(footers[number])
            values = fast.chunk_columns(footers[number])["num_values"]
            if [g.columns for g in index.row_groups] != expected[number]:
                wrong.append(number)
            if set(values.tolist()) != {number + 1}:
                wrong.append(number)

    assert together(*(functools.partial(work, number) for number in range(4))) == []
    assert wrong == []


def test_the_c_reader_works_whatever_is_imported_first():
    program = "import pqexplore.engine.format.thrift.c_reader as c; print(c.WORKS)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout.strip() == "True", run.stderr
