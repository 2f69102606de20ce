"""Pages that others wrote: Arrow here, in every encoding that it has, and the writers of the corpus."""

import numpy as np
import pyarrow as pa
import pytest
from made import parquet

import pqexplore
from pqexplore.engine.format import codecs
from pqexplore.engine.format.encodings import delta_binary_packed
from pqexplore.engine.format.thrift.structs import Encoding

RNG = np.random.default_rng(7)
COUNT = 3000


def runs_of_all_lengths(values):
    return np.repeat(values, RNG.integers(1, 40, len(values)))[:COUNT]


INTEGERS = {
    "ascending": np.cumsum(RNG.integers(0, 300, COUNT)),
    "any": RNG.integers(-(2**63), 2**63 - 1, COUNT),
    "of changing size": RNG.integers(-(2**63), 2**63 - 1, COUNT) >> RNG.integers(0, 60, COUNT),
    "all equal": np.full(COUNT, -5),
    "one": np.array([2**40]),
}
BYTES = {
    "random": [RNG.bytes(n) for n in RNG.integers(0, 30, COUNT)],
    "sorted": sorted(f"shop/{n % 97}/item/{n * 7919 % COUNT}".encode() for n in range(COUNT)),
    "long": sorted(RNG.bytes(2) * 3000 for _ in range(20)),
    "empty": [b""] * 50,
}
WORDS = pa.array([f"{i:x}" * (i % 7) for i in range(COUNT)]).cast(pa.binary())
COLUMNS = [
    ("booleans", pa.array(RNG.integers(0, 2, COUNT).astype(bool)), Encoding.PLAIN),
    ("32 bits", pa.array(RNG.integers(-9, 9, COUNT).astype(np.int32)), Encoding.PLAIN),
    ("byte arrays", WORDS, Encoding.PLAIN),
    ("equal long", pa.array([b"x" * 300] * 99), Encoding.PLAIN),
    ("fixed", pa.array([b"abcde"] * 50, pa.binary(5)), Encoding.PLAIN),
    ("random bits", pa.array(RNG.integers(0, 2, COUNT).astype(bool)), Encoding.RLE),
    ("runs", pa.array(runs_of_all_lengths(RNG.integers(0, 2, COUNT)).astype(bool)), Encoding.RLE),
    ("floats", pa.array(RNG.normal(size=COUNT).astype(np.float32)), Encoding.BYTE_STREAM_SPLIT),
    ("doubles", pa.array(RNG.normal(size=COUNT)), Encoding.BYTE_STREAM_SPLIT),
    ("few", pa.array(RNG.integers(0, 5, COUNT)), Encoding.RLE_DICTIONARY),
    ("many", pa.array(RNG.integers(0, 900, COUNT)), Encoding.RLE_DICTIONARY),
    ("mixed", pa.array(runs_of_all_lengths(RNG.integers(0, 900, COUNT))), Encoding.RLE_DICTIONARY),
    ("one", pa.array([7] * 100), Encoding.RLE_DICTIONARY),
    ("words", WORDS, Encoding.RLE_DICTIONARY),
    *((f"{name} int{8 * size}", pa.array(values.astype(f"i{size}")), Encoding.DELTA_BINARY_PACKED)
      for name, values in INTEGERS.items() for size in (4, 8)),
    *((name, pa.array(values, pa.binary()), encoding) for name, values in BYTES.items()
      for encoding in (Encoding.DELTA_LENGTH_BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY)),
    ("fixed", pa.array([n.to_bytes(3, "big") for n in range(COUNT)], pa.binary(3)), Encoding.DELTA_BYTE_ARRAY),
]  # fmt: skip


def data_pages(values, nullable=False, **options):
    """The data pages of a column, as Arrow writes it."""
    table = pa.table([values], pa.schema([pa.field("x", values.type, nullable)]))
    return [
        page
        for page in pqexplore.open(
            parquet(table, compression="none", data_page_size=4096, write_batch_size=64, **options)
        )
        .row_groups[0]
        .columns[0]
        .pages
        if page.is_data
    ]


@pytest.mark.parametrize(
    ("values", "encoding"), [case[1:] for case in COLUMNS], ids=[f"{c[0]}, {c[2].name}" for c in COLUMNS]
)
def test_required_columns(values, encoding):
    by_dictionary = encoding == Encoding.RLE_DICTIONARY
    options = {} if by_dictionary else {"column_encoding": encoding.name}
    pages = data_pages(values, use_dictionary=by_dictionary, **options)
    assert {page.encoding for page in pages} == {encoding}
    assert pa.concat_arrays([page.physical for page in pages]).equals(values)
    steps = [pa.array(step.values) for page in pages for step in page.trace() if step.count]
    assert pa.concat_arrays(steps).equals(values)
    if encoding == Encoding.DELTA_BINARY_PACKED:  # Arrow's blocks have 128 values of INT32 and 256 of INT64
        for page in pages:
            encoded = delta_binary_packed.encode(page.physical, 32 * values.type.bit_width // 8, 4)
            assert encoded == page.body.section("values").data


def test_definition_levels():
    defined = np.concatenate((runs_of_all_lengths(RNG.integers(0, 2, 60)), [0, 1] * 500, [1] * 900))
    pages = data_pages(pa.array(range(defined.size), mask=defined == 0), nullable=True, use_dictionary=False)
    assert len(pages) > 1
    assert np.concatenate([page.definition_levels for page in pages]).tolist() == defined.tolist()


TESTING = "apache__parquet-testing/data"


@pytest.mark.parametrize(
    ("path", "codec"),
    [
        (f"{TESTING}/hadoop_lz4_compressed.parquet", codecs.LZ4),
        (f"{TESTING}/non_hadoop_lz4_compressed.parquet", codecs.LZ4),
        (f"{TESTING}/lz4_raw_compressed.parquet", codecs.LZ4_RAW),
        (f"{TESTING}/concatenated_gzip_members.parquet", codecs.GZIP),
        ("dvirtz__vscode-parquet-viewer/test/workspace/parquet/brotli.parquet", codecs.BROTLI),
        ("facebookincubator__velox/velox/dwio/parquet/tests/examples/lzo.parquet", codecs.LZO),
    ],
)
def test_every_page_of_the_corpus_decompresses(corpus, path, codec):
    with pqexplore.open(corpus / path) as file:
        for chunk in file.row_groups[0].columns:
            assert chunk.metadata.codec == codec
            pages = list(chunk.pages)
            assert sum(len(page.physical) for page in pages if page.is_data)
            # "total byte size of all uncompressed pages in this column chunk (including the headers)"
            sizes = [page.frame.header_end - page.frame.start + page.header.uncompressed_page_size for page in pages]
            assert sum(sizes) == chunk.metadata.total_uncompressed_size


@pytest.mark.parametrize(
    ("encoding", "values", "size"),
    [
        ("DELTA_BINARY_PACKED", pa.array(RNG.integers(0, 1 << 16, 2000)), 3),
        ("DELTA_LENGTH_BYTE_ARRAY", pa.array([b"%04d" % i for i in range(2000)]), 4),
        ("DELTA_BYTE_ARRAY", pa.array([b"%04d" % i for i in range(2000)]), 1),
    ],
)
def test_a_value_late_in_a_page_has_bytes_of_its_own(encoding, values, size):
    table = pa.table([values], pa.schema([pa.field("x", values.type, nullable=False)]))
    with pqexplore.open(parquet(table, use_dictionary=False, column_encoding={"x": encoding})) as opened:
        page = opened.row_groups[0].columns[0].pages[0]
        assert page.num_values == 2000
        assert len(opened.node(f"{page.address}/values/1998").span) in (size, size + 1)
