"""How rows become pages and pages a chunk: cuts, dictionaries and their fallback, versions, and what the file holds."""

import dataclasses
import zlib

import numpy as np
import pyarrow as pa
import pytest
from made import ours

import pqexplore
from pqexplore.engine.format.thrift.structs import Encoding, PageType
from pqexplore.engine.writer.chunk_encoding import encode_chunk
from pqexplore.engine.writer.column_data import leaf_column
from pqexplore.engine.writer.options import ColumnOptions, WriteOptions
from pqexplore.engine.writer.page_builder import Packing, recompressed

NUMBERS = pa.table({"a": pa.array(range(100), pa.int64())})


def opened(table, **options):
    return pqexplore.open(ours(table, WriteOptions(**options)))


def chunk_of(table, **options):
    return opened(table, **options).row_groups[0].columns[0]


def data_pages(chunk):
    return [page for page in chunk.pages if page.is_data]


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({"page_rows": 40}, [40, 40, 20]),
        ({"page_rows": 100}, [100]),
        ({"page_bytes": 8 * 30, "encoding": "PLAIN"}, [30, 30, 30, 10]),
        ({"page_bytes": 1, "page_rows": None, "encoding": "PLAIN"}, [1] * 100),
        # Ids of seven bits: 40 of them are 35 bytes.
        ({"page_bytes": 35}, [40, 40, 20]),
    ],
)
def test_page_ends_at_the_first_limit(options, rows):
    assert [page.num_values for page in data_pages(chunk_of(NUMBERS, **options))] == rows


def test_page_begins_with_a_record():
    table = pa.table({"a": [[1] * 5, [2] * 90, [3], None, [4] * 4]})
    pages = data_pages(chunk_of(table, page_bytes=64, encoding="PLAIN"))
    assert [page.num_values for page in pages] == [5, 90, 6]
    assert [page.repetition_levels[0] for page in pages] == [0, 0, 0]


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({"row_group_rows": 60}, [60, 40]),
        ({"row_group_bytes": 8 * 50}, [50, 50]),
        ({"row_group_rows": 30, "row_group_bytes": 8 * 50}, [30, 30, 30, 10]),
    ],
)
def test_row_groups(options, rows):
    file = opened(NUMBERS, **options)
    assert [group.num_rows for group in file.metadata.row_groups] == rows


def test_pages_before_the_dictionary_is_too_large_use_it():
    values = np.concatenate([np.arange(60) % 3, np.arange(60)])
    chunk = chunk_of(pa.table({"a": values}), page_rows=20, dictionary_bytes=8 * 20)
    encodings = [page.encoding for page in data_pages(chunk)]
    # 20 entries fit; the fifth page needs more: it, and all behind it, are PLAIN.
    assert encodings == [Encoding.RLE_DICTIONARY] * 4 + [Encoding.PLAIN] * 2
    assert chunk.dictionary.to_pylist() == list(range(20))
    assert {(each.page_type, each.encoding): each.count for each in chunk.metadata.encoding_stats} == {
        (PageType.DICTIONARY_PAGE, Encoding.PLAIN): 1,
        (PageType.DATA_PAGE, Encoding.RLE_DICTIONARY): 4,
        (PageType.DATA_PAGE, Encoding.PLAIN): 2,
    }


def test_unused_dictionary_is_not_written():
    chunk = chunk_of(NUMBERS, dictionary_bytes=8, fallback="DELTA_BINARY_PACKED")
    assert [page.encoding for page in chunk.pages] == [Encoding.DELTA_BINARY_PACKED]
    assert chunk.metadata.dictionary_page_offset is None


def test_sorted_dictionary_sets_is_sorted():
    table = pa.table({"a": [3, -1, None, 2, -1]})
    chunk = chunk_of(table, sort_dictionary=True)
    assert chunk.dictionary.to_pylist() == [-1, 2, 3]
    assert chunk.dictionary_page.header.dictionary_page_header.is_sorted is True
    assert chunk.pages[1].values.to_pylist() == [3, -1, 2, -1]


def test_plain_dictionary_names_the_encoding_of_both_pages():
    chunk = chunk_of(NUMBERS, encoding="PLAIN_DICTIONARY")
    assert [page.encoding for page in chunk.pages] == [Encoding.PLAIN_DICTIONARY] * 2


def test_both_page_versions_have_the_same_levels():
    table = pa.table({"a": [[1, None], None, [], [2]]})
    first, second = (data_pages(chunk_of(table, page_version=version, codec="ZSTD"))[0] for version in (1, 2))
    assert first.header.type == PageType.DATA_PAGE
    header = second.header.data_page_header_v2
    assert (header.num_values, header.num_nulls, header.num_rows) == (5, 3, 4)
    assert list(first.definition_levels) == list(second.definition_levels) == [3, 2, 0, 1, 3]
    assert list(first.repetition_levels) == list(second.repetition_levels) == [0, 1, 0, 0, 0]
    assert first.values.equals(second.values)


def test_checksum_is_of_the_stored_body():
    for page in chunk_of(NUMBERS, codec="ZSTD").pages:
        assert page.crc_ok is True
        assert page.header.crc & 0xFFFFFFFF == zlib.crc32(page._stored())
    assert [page.crc_ok for page in chunk_of(NUMBERS, checksum=False).pages] == [None, None]


def test_aligned_and_padded_chunks_tile_the_file():
    table = pa.table({"a": [1, 2], "b": ["x", "y"]})
    file = opened(table, alignment=64, padding=3, metadata_copy=True, codec="UNCOMPRESSED")
    chunks = file.row_groups[0].columns
    assert [chunk.start % 64 for chunk in chunks] == [0, 0]
    for chunk in chunks:
        assert chunk.struct.file_offset == chunk.span.end  # the copy follows the pages
    layout = file.layout().to_pydict()
    assert layout["start"][0] == 0 and layout["end"][-1] == file.size
    assert layout["start"][1:] == layout["end"][:-1]


def test_bloom_filter_has_every_value_and_the_given_size():
    table = pa.table({"a": [f"value {i}" for i in range(500)] * 2})
    for options, size in (
        ({"bloom_filter_fpp": 0.01}, 672),
        ({"bloom_filter_ndv": 5_000}, 6592),
        ({"bloom_filter_bytes": 96}, 96),
    ):
        bloom = chunk_of(table, bloom_filter=True, **options).bloom_filter
        assert len(bloom.bitset) == size
        assert all(bloom.probe(value).hit for value in set(table["a"].to_pylist()))
    assert not chunk_of(table, bloom_filter=True).bloom_filter.probe("another").hit


def test_offset_index_has_the_location_of_each_page():
    chunk = chunk_of(NUMBERS, page_rows=30)
    locations = chunk.offset_index.page_locations
    assert [each.first_row_index for each in locations] == [0, 30, 60, 90]
    spans = [(page.span.start, len(page.span)) for page in data_pages(chunk)]
    assert [(each.offset, each.compressed_page_size) for each in locations] == spans


def test_column_options_override_those_of_its_group():
    kind = pa.struct([("x", pa.int64()), ("y", pa.int64())])
    table = pa.table({"s": pa.array([{"x": 1, "y": 2}], kind), "t": [1]})
    file = opened(
        table,
        codec="GZIP",
        columns={"s": {"codec": "ZSTD", "page_version": 2}, ("s", "y"): {"codec": "SNAPPY"}},
        encodings={"s.y": "PLAIN"},
    )
    chunks = file.row_groups[0].columns
    assert [chunk.metadata.codec for chunk in chunks] == [6, 1, 2]
    versions = [data_pages(chunk)[0].header.type for chunk in chunks]
    assert versions == [PageType.DATA_PAGE_V2, PageType.DATA_PAGE_V2, PageType.DATA_PAGE]
    assert [page.encoding for page in chunks[1].pages] == [Encoding.PLAIN]


def test_footer_options_are_written():
    table = pa.table({"a": pa.array([1, 2], pa.int32()), "b": ["x", "y"]})
    file = opened(table, version=1, created_by="somebody", root_name="root", key_value_metadata={"a": "1", "b": None},
        arrow_schema=True, sorting_columns=[("a", False, True)],
        columns={"a": {"field_id": 7, "key_values": {"note": "of the chunk"}}, "b": {"field_id": 8}})  # fmt: skip
    metadata = file.metadata
    assert (metadata.version, metadata.created_by) == (1, "somebody")
    assert [element.name for element in metadata.schema] == ["root", "a", "b"]
    assert [element.field_id for element in metadata.schema] == [None, 7, 8]
    keys = [(each.key, each.value) for each in metadata.key_value_metadata]
    assert keys[:2] == [("a", "1"), ("b", None)]
    assert keys[2][0] == "ARROW:schema"
    sorting = metadata.row_groups[0].sorting_columns[0]
    assert (sorting.column_idx, sorting.descending, sorting.nulls_first) == (0, False, True)
    noted = file.row_groups[0].columns[0].metadata.key_value_metadata
    assert [(each.key, each.value) for each in noted] == [("note", "of the chunk")]


COLUMNS = pa.table(
    {
        "number": [None if i % 7 == 0 else i for i in range(500)],
        "list": [[] if i % 3 else [f"t{i}", None] for i in range(500)],
        "nulls": pa.nulls(500, pa.int32()),
        "one": [True] * 500,
    }
)
CODECS = [("UNCOMPRESSED", None), ("SNAPPY", None), ("GZIP", 9), ("BROTLI", 4), ("ZSTD", 1), ("LZ4_RAW", None)]  # fmt: skip


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("codec", "level"), CODECS)
def test_a_recompressed_page_is_the_page_that_is_written_with_that_codec(codec, level, version):
    options = ColumnOptions(page_version=version, page_rows=200)
    chosen = dataclasses.replace(options, codec=codec, codec_level=level)
    packing = Packing(int(chosen.codec), level)
    with opened(COLUMNS) as file:
        for chunk in file.chunks():
            column = leaf_column(chunk)
            bare = encode_chunk(column, 500, dataclasses.replace(options, codec="UNCOMPRESSED"))
            written = encode_chunk(column, 500, chosen)
            assert [recompressed(each.page, packing).stored for each in bare.pages] == [
                each.header + each.page.body for each in written.pages
            ]
