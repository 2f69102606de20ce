"""The DELTA encodings and the codecs, on pages that others wrote: Arrow here, and the writers of the corpus."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.engine.format import codecs
from pqexplore.engine.format.encodings import delta_binary_packed, delta_byte_array, delta_length_byte_array
from pqexplore.engine.format.thrift import structs

INT32, INT64, BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY = 1, 2, 6, 7
RNG = np.random.default_rng(7)
COUNT = 3000


def pages(file: bytes):
    """The pages of the first column, and the encoded values of each."""
    for page in pqexplore.open(file).row_groups[0].columns[0].pages:
        yield page, bytes(page.body.section("values").data)


INTEGERS = {
    "ascending": np.cumsum(RNG.integers(0, 300, COUNT)),
    "any": RNG.integers(-(2**63), 2**63 - 1, COUNT),
    "of changing size": RNG.integers(-(2**63), 2**63 - 1, COUNT) >> RNG.integers(0, 60, COUNT),
    "all equal": np.full(COUNT, -5),
    "one": np.array([2**40]),
}
WORDS = {
    "random": [RNG.bytes(n) for n in RNG.integers(0, 30, COUNT)],
    "sorted": sorted(f"shop/{n % 97}/item/{n * 7919 % COUNT}".encode() for n in range(COUNT)),
    "long": sorted(RNG.bytes(2) * 3000 for _ in range(20)),
    "empty": [b""] * 50,
}
CASES = [
    *[pytest.param(pa.array(values.astype(f"i{size}")), delta_binary_packed, INT32 if size == 4 else INT64,
        id=f"{name} int{8 * size}")
      for name, values in INTEGERS.items() for size in (4, 8)],
    *[
        pytest.param(pa.array(words, pa.binary()), module, BYTE_ARRAY, id=f"{name} {short}")
        for name, words in WORDS.items()
        for module, short in ((delta_length_byte_array, "length"), (delta_byte_array, "prefix"))
    ],
    pytest.param(pa.array([n.to_bytes(3, "big") for n in range(COUNT)], pa.binary(3)), delta_byte_array,
        FIXED_LEN_BYTE_ARRAY, id="fixed prefix"),
]  # fmt: skip


@pytest.mark.parametrize(("values", "module", "physical_type"), CASES)
def test_arrow_writes_what_we_read(values, module, physical_type):
    file = io.BytesIO()
    table = pa.Table.from_arrays([values], schema=pa.schema([pa.field("a", values.type, nullable=False)]))
    encoding = module.__name__.rpartition(".")[2].upper()
    pq.write_table(
        table,
        file,
        use_dictionary=False,
        column_encoding={"a": encoding},
        compression="none",
        data_page_size=4096,
        write_batch_size=64,
    )
    type_length = values.type.byte_width if physical_type == FIXED_LEN_BYTE_ARRAY else None
    decoded = []
    for page, body in pages(file.getvalue()):
        assert page.encoding == structs.Encoding[encoding]
        count = page.num_values
        decoded.append(module.decode(body, count, physical_type, type_length))
        steps = module.scan(body, count, physical_type, type_length).trace()
        yielded = [pa.array(step.values) for step in steps if step.count]
        assert pa.concat_arrays(yielded).equals(decoded[-1])
        if module is delta_binary_packed:
            # Arrow's blocks have 128 values of INT32 and 256 of INT64.
            assert module.encode(decoded[-1], 128 * physical_type, 4) == body
    assert pa.concat_arrays(decoded).equals(values)


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
    file = io.BytesIO()
    table = pa.table([values], pa.schema([pa.field("x", values.type, nullable=False)]))
    pq.write_table(table, file, use_dictionary=False, column_encoding={"x": encoding})
    with pqexplore.open(file.getvalue()) as opened:
        page = opened.row_groups[0].columns[0].pages[0]
        assert page.num_values == 2000
        assert len(opened.node(f"{page.address}/values/1998").span) in (size, size + 1)
