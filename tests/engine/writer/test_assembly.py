"""Files by hand: right when nothing is overridden, and wrong in just the one way that was asked for."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.engine.format.encodings import dictionary, plain
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, Type
from pqexplore.engine.writer import assembly

ROOT = assembly.element("schema", repetition_type=None, num_children=1)
REQUIRED = assembly.element("a", Type.INT32)
OPTIONAL = assembly.element("a", Type.INT32, 1)
THREE = plain.encode(pa.array([1, 2, 3], pa.int32()))


def one_column(pages, num_rows=3, leaf=REQUIRED, chunk=None, group=None, **file):
    made = assembly.chunk("a", Type.INT32, pages, **(chunk or {}))
    return assembly.file([ROOT, leaf], [assembly.row_group([made], num_rows, **(group or {}))], **file)


def read(data):
    return pqexplore.open(data).read()["a"].to_pylist()


def optional_page(version):
    """Two values and a null between them."""
    values = plain.encode(pa.array([1, 3], pa.int32()))
    levels = pa.array([1, 0, 1]).to_numpy()
    if version == 1:
        return assembly.page_v1(values, 3, definition_levels=assembly.levels_v1(levels, 1))
    return assembly.page_v2(values, 3, 3, 1, definition_levels=assembly.levels_v2(levels, 1))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (one_column([assembly.page_v1(THREE, 3)]), [1, 2, 3]),
        (one_column([assembly.page_v2(THREE, 3, 3)]), [1, 2, 3]),
        (one_column([optional_page(1)], leaf=OPTIONAL), [1, None, 3]),
        (one_column([optional_page(2)], leaf=OPTIONAL), [1, None, 3]),
        (
            one_column(
                [
                    assembly.dictionary_page(THREE, 3),
                    assembly.page_v1(dictionary.encode([2, 0, 2]), 3, Encoding.RLE_DICTIONARY),
                ],
                chunk={"offset_index": True},
            ),
            [3, 1, 3],
        ),
        (
            one_column([assembly.page_v1(THREE, 3, packing=assembly.Packing(CompressionCodec.ZSTD))],
                chunk={"codec": CompressionCodec.ZSTD}),
            [1, 2, 3],
        ),
    ],
)  # fmt: skip
def test_correct_assembled_file_is_read_by_all_readers(data, expected):
    assert read(data) == expected
    assert [str(finding) for finding in pqexplore.open(data).check()] == []
    assert pq.read_table(io.BytesIO(data))["a"].to_pylist() == expected


def test_same_parts_assembled_twice_give_the_same_bytes():
    chunk = assembly.chunk("a", Type.INT32, [assembly.page_v1(THREE, 3)])
    group = assembly.row_group([chunk], 3)
    assert assembly.file([ROOT, REQUIRED], [group]) == assembly.file([ROOT, REQUIRED], [group])
    assert read(assembly.file([ROOT, REQUIRED], [group, group])) == [1, 2, 3, 1, 2, 3]


def test_override_is_a_value_none_or_a_function():
    page = assembly.page_v1(THREE, 3, num_values=lambda right: right + 1, crc=None, encoding=77)
    assert page.header.data_page_header.num_values == 4
    assert page.header.crc is None
    assert page.header.data_page_header.encoding == 77
    with pytest.raises(TypeError, match="DataPageHeader has no field 'colour'"):
        assembly.page_v1(THREE, 3, colour="red")


BROKEN = {
    "the magic": (one_column([assembly.page_v1(THREE, 3)], end_magic=b"PAR2"), "PAR1"),
    "the footer's length": (one_column([assembly.page_v1(THREE, 3)], footer_length=1 << 30), "footer"),
    "the number of values of a page": (
        one_column([assembly.page_v1(THREE, 3, num_values=4)], chunk={"metadata": {"num_values": 4}}, num_rows=4),
        "4 values of 32 bits take 16 bytes"),
    "the size of a page": (one_column([assembly.page_v1(THREE, 3, uncompressed_page_size=13)]), "13"),
    "where the pages are": (
        one_column([assembly.page_v1(THREE, 3)],
            chunk={"metadata": {"data_page_offset": lambda right: right + 1_000_000}}),
        "1,000,004",
    ),
    "the number of rows": (one_column([assembly.page_v1(THREE, 3)], num_rows=2), "3 rows"),
    "the encoding": (one_column([assembly.page_v1(THREE, 3, encoding=77)]), "encoding number 77"),
    "the metadata": (one_column([assembly.page_v1(THREE, 3)], chunk={"meta_data": None}), "no meta_data"),
    "an id beyond the dictionary": (
        one_column(
            [
                assembly.dictionary_page(THREE, 3),
                assembly.page_v1(dictionary.encode([7, 0, 0]), 3, Encoding.RLE_DICTIONARY),
            ]
        ),
        "dictionary id 7",
    ),
    "the row groups": (one_column([assembly.page_v1(THREE, 3)], row_groups=None), "row_groups"),
    "the schema": (one_column([assembly.page_v1(THREE, 3)], schema=[]), "no elements"),
    "a required field": (one_column([assembly.page_v1(THREE, 3)], group={"num_rows": None}), "num_rows"),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_one_wrong_field_gives_the_error_of_that_field(what):
    data, reason = BROKEN[what]
    with pytest.raises(pqexplore.ParquetError, match=reason):
        read(data)


def test_wrong_checksum_is_a_finding_and_values_are_read():
    data = one_column([assembly.page_v1(THREE, 3, crc=lambda right: right ^ 1)])
    assert read(data) == [1, 2, 3]
    assert [finding.rule for finding in pqexplore.open(data).check()] == ["crc-mismatch"]


def test_bytes_without_an_owner_are_gaps():
    data = one_column([assembly.page_v1(THREE, 3)], chunk={"after": b"between"}, before_footer=b"before")
    assert read(data) == [1, 2, 3]
    layout = pqexplore.open(data).layout().to_pydict()
    assert "gap" in layout["kind"]


def test_given_indexes_and_filters_are_read_back():
    bounds = [b"\1\0\0\0"], [b"\3\0\0\0"]
    index = structs.ColumnIndex(null_pages=[False], min_values=bounds[0], max_values=bounds[1], boundary_order=0)
    data = one_column(
        [assembly.page_v1(THREE, 3)], chunk={"column_index": index, "offset_index": True, "bloom_filter": bytes(32)}
    )
    chunk = pqexplore.open(data).row_groups[0].columns[0]
    assert chunk.column_index == index
    assert chunk.offset_index.page_locations[0].first_row_index == 0
    assert not chunk.bloom_filter.probe(1).hit


def test_overridden_bloom_filter_header_is_written():
    data = one_column(
        [assembly.page_v1(THREE, 3)], chunk={"bloom_filter": bytes(32), "bloom_filter_header": {"numBytes": 31}}
    )
    assert read(data) == [1, 2, 3]
    with pytest.raises(pqexplore.ParquetError, match="31"):
        _ = pqexplore.open(data).row_groups[0].columns[0].bloom_filter
