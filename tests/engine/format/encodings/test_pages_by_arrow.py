"""Pages that another writer, Arrow's, encoded."""

import io
import itertools

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.engine.format.encodings import dictionary, plain, rle, value_encoding
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.structs import Encoding, PageType, Type

RANDOM = np.random.default_rng(0)
ROWS = 3000


def pages(values, nullable=False, **options):
    """The column's physical type and its pages: header and uncompressed bytes."""
    table = pa.table([values], pa.schema([pa.field("x", values.type, nullable)]))
    file = io.BytesIO()
    pq.write_table(table, file, compression="none", data_page_size=4096, **options)
    data = file.getvalue()
    chunk = pq.ParquetFile(pa.BufferReader(data)).metadata.row_group(0).column(0)
    starts = [chunk.dictionary_page_offset, chunk.data_page_offset]
    position = min(start for start in starts if start is not None)
    end = position + chunk.total_compressed_size
    while position < end:
        header, position = fast.decode(structs.PageHeader, data, position)
        yield (Type[chunk.physical_type], header, data[position : position + header.compressed_page_size])
        position += header.compressed_page_size


def runs_of_all_lengths(values):
    return np.repeat(values, RANDOM.integers(1, 40, len(values)))[:ROWS]


WORDS = pa.array([f"{i:x}" * (i % 7) for i in range(ROWS)]).cast(pa.binary())
COLUMNS = [
    ("booleans", pa.array(RANDOM.integers(0, 2, ROWS).astype(bool)), Encoding.PLAIN),
    ("32 bits", pa.array(RANDOM.integers(-9, 9, ROWS).astype(np.int32)), Encoding.PLAIN),
    ("byte arrays", WORDS, Encoding.PLAIN),
    ("equal long", pa.array([b"x" * 300] * 99), Encoding.PLAIN),
    ("fixed", pa.array([b"abcde"] * 50, pa.binary(5)), Encoding.PLAIN),
    ("random bits", pa.array(RANDOM.integers(0, 2, ROWS).astype(bool)), Encoding.RLE),
    ("runs", pa.array(runs_of_all_lengths(RANDOM.integers(0, 2, ROWS)).astype(bool)), Encoding.RLE),
    ("floats", pa.array(RANDOM.normal(size=ROWS).astype(np.float32)), Encoding.BYTE_STREAM_SPLIT),
    ("doubles", pa.array(RANDOM.normal(size=ROWS)), Encoding.BYTE_STREAM_SPLIT),
    ("few", pa.array(RANDOM.integers(0, 5, ROWS)), Encoding.RLE_DICTIONARY),
    ("many", pa.array(RANDOM.integers(0, 900, ROWS)), Encoding.RLE_DICTIONARY),
    ("mixed", pa.array(runs_of_all_lengths(RANDOM.integers(0, 900, ROWS))), Encoding.RLE_DICTIONARY),
    ("one", pa.array([7] * 100), Encoding.RLE_DICTIONARY),
    ("words", WORDS, Encoding.RLE_DICTIONARY),
]


@pytest.mark.parametrize(("values", "encoding"), [case[1:] for case in COLUMNS], ids=[c[0] for c in COLUMNS])
def test_required_columns(values, encoding):
    by_dictionary = encoding == Encoding.RLE_DICTIONARY
    options = {"use_dictionary": by_dictionary, "column_encoding": encoding.name}
    if by_dictionary:
        del options["column_encoding"]
    decoded, traced = [values[:0]], [values[:0]]
    entries = None
    for physical_type, header, data in pages(values, **options):
        length = getattr(values.type, "byte_width", None) if physical_type == 7 else None
        if header.type == PageType.DICTIONARY_PAGE:
            count = header.dictionary_page_header.num_values
            entries = plain.decode(data, count, physical_type, length)
            continue
        count = header.data_page_header.num_values
        assert header.data_page_header.encoding == encoding
        if by_dictionary:
            ids = dictionary.decode_ids(data, count, len(entries))
            decoded.append(dictionary.take(entries, ids))
            steps = dictionary.scan(data, count).trace_entries(entries, 0)
        else:
            module = value_encoding(encoding)
            decoded.append(module.decode(data, count, physical_type, length))
            steps = module.scan(data, count, physical_type, length).trace()
        traced += [step.values for step in steps if step.count]
    assert pa.concat_arrays(decoded).equals(values)
    assert pa.concat_arrays(traced).equals(values)


def test_definition_levels():
    defined = np.concatenate((runs_of_all_lengths(RANDOM.integers(0, 2, 60)), [0, 1] * 500, [1] * 900))
    values = pa.array(range(defined.size), mask=defined == 0)
    found = []
    for _, header, data in pages(values, nullable=True, use_dictionary=False):
        levels, _ = rle.decode_prefixed(data, 1, header.data_page_header.num_values)
        found.append(levels.tolist())
    assert len(found) > 1
    assert list(itertools.chain(*found)) == defined.tolist()
