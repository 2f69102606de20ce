"""Split block Bloom filters: the specification's numbers, other writers' filters, and Python values as bytes."""

import datetime
import decimal
import io
import struct
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xxhash
from engine.format import leaves
from engine.format.leaves import dec, integer, leaf, time, timestamp
from hypothesis import given, settings
from hypothesis import strategies as st
from made import parquet
from needs import needs, needs_option

import pqexplore
from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError, UsageError
from pqexplore.engine.format import bloom, literals, value_text
from pqexplore.engine.format.thrift import encode
from pqexplore.engine.format.thrift.structs import Type

STRING = leaf(Type.BYTE_ARRAY, leaves.STRING)


# ------------------------------------------------------------------ the filter


def test_a_probe_by_hand():
    """XXH64 of `a` is 0xd24ec4f1a98c6e5b; of four blocks the upper half takes block (0xd24ec4f1 · 4) >> 32 = 3."""
    empty = bytes(128)
    found = bloom.probe(empty, STRING, "a")
    assert (found.plain, found.hash, found.block) == (b"a", 0xD24EC4F1A98C6E5B, 3)
    assert found.bits[0] == (0xA98C6E5B * 0x47B6137B & 0xFFFFFFFF) >> 27
    assert (found.set, found.hit) == ((False,) * 8, False)
    filled = bytearray(empty)
    for index in found.bit_indexes:
        filled[index // 8] |= 1 << index % 8
    assert bloom.probe(bytes(filled), STRING, "a").hit
    assert bytes(filled) == bloom.build(np.array([found.hash], np.uint64), 128)
    filled[found.bit_indexes[5] // 8] &= ~(1 << found.bit_indexes[5] % 8)
    missed = bloom.probe(bytes(filled), STRING, "a")
    assert missed.set == (True,) * 5 + (False,) + (True,) * 2
    assert not missed.hit


@pytest.mark.parametrize("blocks", [1, 3, 1024])
def test_inserted_values_hit_for_any_number_of_blocks(blocks):
    hashes = bloom.of_words(np.arange(100, dtype=np.int64))
    bitset = bloom.build(hashes, 32 * blocks)
    assert bloom.probe_hashes(bitset, hashes).all()
    one_by_one = [bloom.derive(bitset, struct.pack("<q", n)).hit for n in range(300)]
    others = bloom.of_words(np.arange(300, dtype=np.int64))
    assert one_by_one == bloom.probe_hashes(bitset, others).tolist()


@pytest.mark.parametrize(("inserted", "false_positives"), [(26_214, 0.0126), (52_428, 0.18), (13_107, 0.0004)])
def test_the_specifications_example_of_1024_blocks(inserted, false_positives):
    hashes = bloom.of_words(np.arange(inserted, dtype=np.int64))
    found = bloom.occupancy(bloom.build(hashes, 1024 * 32))
    assert found.fpp == pytest.approx(false_positives, rel=0.1)
    assert found.ndv == pytest.approx(inserted, rel=0.02)


def test_occupancy_counts_bits():
    bitset = bytes(32) + b"\xff" * 32 + b"\x01" + bytes(31)
    found = bloom.occupancy(bitset)
    assert found.per_block.tolist() == [0, 256, 1]
    assert (found.bits_set, found.bits, found.saturated) == (257, 768, 1)
    assert [int(n) for n in np.flatnonzero(found.histogram)] == [0, 1, 256]
    assert found.fpp == pytest.approx(1 / 3)


def test_counting_bits_without_numpy_2(monkeypatch):
    bitset = bloom.build(bloom.of_words(np.arange(5000, dtype=np.int64)), 4096)
    new = bloom.occupancy(bitset)
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    old = bloom.occupancy(bitset)
    assert (new.per_block == old.per_block).all()
    assert new.fpp == old.fpp


@pytest.mark.parametrize("size", [0, 31, 33, 1000])
def test_a_filter_is_whole_blocks(size):
    with pytest.raises(CorruptFileError, match="blocks of 32 bytes"):
        bloom.derive(bytes(size), b"a")
    with pytest.raises(ValueError, match="whole blocks"):
        bloom.build(np.zeros(0, np.uint64), size)


@pytest.mark.parametrize(
    ("ndv", "fpp", "size"),
    [
        (0, 0.01, 32),
        (1, 0.01, 32),
        (1000, 0.01, 1344),
        (1_000_000, 0.01, 1_316_160),
        (1000, 1e-12, 418_368),
        (1000, 0.999999, 64),
        (10**12, 0.5, 128 << 20),
    ],
)
def test_optimal_bytes(ndv, fpp, size):
    assert bloom.optimal_bytes(ndv, fpp) == size


@pytest.mark.parametrize(("bits", "fpp"), [(6.0, 0.1), (10.5, 0.01), (16.9, 0.001), (26.4, 0.0001), (41, 0.00001)])
def test_the_specifications_table_of_bits_per_value(bits, fpp):
    assert bloom.expected_fpp(256 / bits) == pytest.approx(fpp, rel=0.02)
    assert 8 * bloom.optimal_bytes(1_000_000, fpp) / 1e6 == pytest.approx(bits, rel=0.01)


def written_filter(values, fpp, target):
    """The Bloom filter of a file that is written to `target`."""
    options = pqexplore.WriteOptions(bloom_filter=True, bloom_filter_fpp=fpp)
    pqexplore.write(pa.table({"a": values}), target, options)
    ((_, _, found),) = filters(target.getvalue())
    return found


@pytest.mark.parametrize(("fpp", "strangers"), [(0.01, 300_000), (0.001, 1_000_000), (0.0001, 3_000_000)])
def test_a_written_filter_has_the_rate_that_was_asked_for(fpp, strangers):
    """Measured with values that are not in the column; and the filter's own estimate agrees."""
    found = written_filter(np.arange(30_000, dtype=np.int64), fpp, io.BytesIO())
    others = bloom.of_words(np.arange(strangers, dtype=np.int64) + (1 << 40))
    measured = bloom.probe_hashes(found.bitset, others).mean()
    assert measured == pytest.approx(fpp, rel=0.2)
    assert found.occupancy().fpp == pytest.approx(measured, rel=0.2)


@pytest.mark.parametrize("fpp", [0.1, 0.01, 0.001])
def test_a_filter_of_any_size_measures_what_was_asked_for(fpp):
    """Two blocks of 48 values measured 1.6 % where 1 % was asked for; the estimate of a filter is its measure."""
    values = np.random.default_rng(1)
    for ndv in [*range(1, 200), 300, 500, 1_000, 3_000]:
        hashes = values.integers(0, 1 << 64, ndv, np.uint64)
        bits = bloom.build_for(hashes, fpp)
        assert bloom.occupancy(bits).fpp <= bloom.LENIENCE * fpp, ndv
        assert bloom.probe_hashes(bits, hashes).all()
        assert len(bits) <= 2 * bloom.optimal_bytes(ndv, fpp)


# ------------------------------------------------------------------ the header


def test_a_header_and_its_length():
    raw = encode.encode(bloom.new_header(64))
    header, length = bloom.BloomFilter.read_header(raw + b"bitset")
    assert (header.numBytes, length) == (64, len(raw))
    found = bloom.BloomFilter(header, memoryview(bytes(64)), STRING, 4, length)
    assert found.num_blocks == 2
    assert not found.probe("x").hit
    assert found.occupancy().bits_set == 0


@pytest.mark.parametrize("size", [None, 0, -32, 33, 16])
def test_a_header_with_an_impossible_size(size):
    header = bloom.new_header(32)
    header.numBytes = size
    with pytest.raises(CorruptFileError):
        bloom.BloomFilter.read_header(encode.encode(header))


@pytest.mark.parametrize("name", ["algorithm", "hash", "compression"])
def test_a_header_with_something_new(name):
    header = bloom.new_header(32)
    setattr(header, name, type(getattr(header, name))())
    with pytest.raises(UnsupportedFeatureError, match=name):
        bloom.BloomFilter.read_header(encode.encode(header))


def test_a_bitset_that_is_not_as_long_as_its_header_says():
    with pytest.raises(CorruptFileError, match="its header says 64"):
        bloom.BloomFilter(bloom.new_header(64), memoryview(bytes(32)), STRING, 0, 10)


def test_a_probe_reads_one_block():
    asked = []

    def read(start, size):
        asked.append((start, size))
        return memoryview(bytes(1 << 20))[start : start + size]

    found = bloom.BloomFilter(bloom.new_header(1 << 20), read, STRING, 0, 10)
    derived = found.probe("x")
    assert asked == [(derived.block * 32, 32)]
    assert not derived.hit
    assert derived == bloom.probe(bytes(1 << 20), STRING, "x")


# ------------------------------------------------------------------ hashing


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1), max_size=40))
def test_numbers_are_hashed_as_xxhash_does(numbers):
    for kind in ("<u8", "<u4"):
        words = np.array(numbers, np.uint64).astype(kind)
        expected = [xxhash.xxh64_intdigest(word.tobytes()) for word in words]
        assert bloom.of_words(words).tolist() == expected


@pytest.mark.parametrize(
    "array",
    [
        pa.array([1, -1], pa.int32()),
        pa.array([1.5, -0.0], pa.float64()),
        pa.array([b"", b"abc" * 20]),
        pa.array([b"abc"], pa.binary(3)),
        pa.array([True, False]),
    ],
)
def test_arrays_are_hashed_as_their_plain_bytes(array):
    physical = {"int32": 1, "double": 5, "binary": 6, "bool": 0}.get(str(array.type), 7)
    column = leaf(physical, length=3 if physical == 7 else None)
    expected = [bloom.of_bytes(value_text.stored_bytes(column, v)) for v in array.to_pylist()]
    assert bloom.hash_array(array).tolist() == expected


# ------------------------------------------------------------------ literals

INT8 = leaf(Type.INT32, integer(8, True))
UINT32 = leaf(Type.INT32, integer(32, False))
DECIMAL = dec(9, 2)
DATE = leaf(Type.INT32, leaves.DATE)
STAMP = leaf(Type.INT64, timestamp(leaves.MICROS, True))
LOCAL = leaf(Type.INT64, timestamp(leaves.MILLIS, False))
NANOS = leaf(Type.INT64, timestamp(leaves.NANOS, True))
UUIDS = leaf(Type.FIXED_LEN_BYTE_ARRAY, leaves.UUID, length=16)
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        (leaf(Type.BOOLEAN), "true", b"\1"),
        (leaf(Type.INT32), -1, b"\xff" * 4),
        (leaf(Type.INT64), "0x10", struct.pack("<q", 16)),
        (leaf(Type.INT64), np.int32(7), struct.pack("<q", 7)),
        (leaf(Type.DOUBLE), "1.5", struct.pack("<d", 1.5)),
        (leaf(Type.FLOAT), 0.1, struct.pack("<f", 0.1)),
        (leaf(Type.BYTE_ARRAY), "0xCAFE", b"\xca\xfe"),
        (leaf(Type.BYTE_ARRAY), b"raw", b"raw"),
        (STRING, "é", b"\xc3\xa9"),
        (STRING, "0xCAFE", b"0xCAFE"),
        (INT8, -128, struct.pack("<i", -128)),
        (UINT32, 2**32 - 1, b"\xff" * 4),
        (leaf(Type.INT32, DECIMAL), decimal.Decimal("1.5"), struct.pack("<i", 150)),
        (leaf(Type.INT32, DECIMAL), 3, struct.pack("<i", 300)),
        (leaf(Type.BYTE_ARRAY, DECIMAL), "-0.01", b"\xff"),
        (leaf(Type.BYTE_ARRAY, DECIMAL), "1.28", b"\x00\x80"),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, DECIMAL, length=5), "-1", b"\xff\xff\xff\xff\x9c"),
        (DATE, "2024-01-01", struct.pack("<i", 19723)),
        (DATE, datetime.date(1969, 12, 31), struct.pack("<i", -1)),
        (STAMP, EPOCH + datetime.timedelta(microseconds=5), struct.pack("<q", 5)),
        (STAMP, "1970-01-01T01:00:00+01:00", struct.pack("<q", 0)),
        (STAMP, 7, struct.pack("<q", 7)),
        (LOCAL, "1970-01-01 00:00:01", struct.pack("<q", 1000)),
        (NANOS, "1970-01-01T00:00:00.000000001", struct.pack("<q", 1)),
        (leaf(Type.INT32, time(leaves.MILLIS, True)), "00:00:01", struct.pack("<i", 1000)),
        (UUIDS, "00112233-4455-6677-8899-aabbccddeeff", bytes.fromhex("00112233445566778899aabbccddeeff")),
        (UUIDS, uuid.UUID(int=1), bytes(15) + b"\1"),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, leaves.FLOAT16, length=2), 1, b"\x00\x3c"),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, length=12, converted=21), (1, 2, 3), struct.pack("<III", 1, 2, 3)),
        (leaf(Type.INT96), datetime.datetime(1970, 1, 2), struct.pack("<qi", 0, 2440589)),
    ],
)  # fmt: skip
def test_python_values_as_plain_bytes(column, value, expected):
    assert bloom.plain_bytes(column, value) == expected


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        (leaf(Type.INT32), 2**31, "out of the range"),
        (leaf(Type.INT32), 1.5, "not a whole number"),
        (leaf(Type.INT32), "abc", "is no value of c (INT32)"),
        (leaf(Type.INT32), None, "is no value of c"),
        (leaf(Type.FLOAT), 1e300, "is no value of c"),
        (INT8, 128, "does not fit 8 bits"),
        (UINT32, -1, "does not fit 32 bits"),
        (leaf(Type.INT32, DECIMAL), "0.001", "2 digits after the decimal point"),
        (leaf(Type.INT32, DECIMAL), "1e999999999", "so many digits"),
        (leaf(Type.INT32, DECIMAL), "NaN", "not a decimal number"),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, length=2), b"abc", "the column's values have 2"),
        (LOCAL, EPOCH, "local timestamps"),
        (LOCAL, "1970-01-01 00:00:00.0001", "counts in ms"),
        (UUIDS, "no uuid", "is no value"),
        (STRING, 5, "is no value"),
        (leaf(Type.BYTE_ARRAY), 5, "expected bytes or text"),
    ],
)
def test_values_that_the_column_cannot_hold(column, value, words):
    with pytest.raises(UsageError) as error:
        literals.plain_bytes(column, value)
    assert words in str(error.value)


@settings(max_examples=60, deadline=None)
@given(st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1)))
def test_a_timestamp_and_its_bytes(value):
    column = leaf(Type.INT64, timestamp(leaves.MICROS, False))
    raw = literals.plain_bytes(column, value)
    assert value_text.python_value(column, value_text.physical_value(column, raw)) == value
    assert literals.plain_bytes(column, value.isoformat()) == raw


@settings(max_examples=60, deadline=None)
@given(st.decimals(-(10**6), 10**6, places=2))
def test_a_decimal_and_its_bytes(value):
    for column in (leaf(Type.INT32, DECIMAL), leaf(Type.BYTE_ARRAY, DECIMAL)):
        raw = literals.plain_bytes(column, value)
        assert value_text.python_value(column, value_text.physical_value(column, raw)) == value


# ------------------------------------------------------------------ other writers


def filters(data):
    """(row group, leaf, filter) of a Parquet file in memory."""
    for chunk in pqexplore.open(data).chunks():
        if chunk.bloom_filter is not None:
            yield chunk.row_group.index, chunk.leaf, chunk.bloom_filter


@pytest.mark.parametrize(
    "name",
    [
        "apache__parquet-testing/data/data_index_bloom_encoding_stats.parquet",
        "hardwood-hq__hardwood/core/src/test/resources/bloom_filter_test.parquet",
        "hardwood-hq__hardwood/core/src/test/resources/bloom_filter_signed_zero_test.parquet",
        "hangxie__parquet-tools/testdata/bloom-filter.parquet",
    ],
)
def test_every_value_of_other_writers_is_found_and_others_mostly_not(corpus, name):
    data = (corpus / name).read_bytes()
    file, probed = pq.ParquetFile(pa.BufferReader(data)), 0
    for group, column, found in filters(data):
        if len(column.path) > 1:
            continue
        stored = set(file.read_row_group(group).column(column.path[0]).drop_null().to_pylist())
        assert all(found.probe(value).hit for value in stored), column.path
        strangers = bloom.of_words(np.arange(20_000, dtype=np.int64) + (1 << 60))
        assert bloom.probe_hashes(found.bitset, strangers).mean() == pytest.approx(found.occupancy().fpp, abs=0.01)
        probed += len(stored)
    assert probed > 0


@needs_option("bloom_filter_options")
def test_the_filter_is_bit_for_bit_pyarrows():
    table = pa.table({"i": pa.array(range(500), pa.int64()), "s": [f"v{n}" for n in range(500)]})
    options = {name: {"ndv": 500, "fpp": 0.01} for name in table.column_names}
    data = parquet(table, bloom_filter_options=options)
    seen = 0
    for _, column, found in filters(data):
        physical = table.column(column.leaf_index).combine_chunks()
        if pa.types.is_string(physical.type):
            physical = physical.cast(pa.binary())
        assert bloom.build(bloom.hash_array(physical), len(found.bitset)) == bytes(found.bitset)
        seen += 1
    assert seen == 2


@needs("duckdb", "1.2", "it probes no Bloom filters")
def test_probes_agree_with_duckdb(corpus):
    duckdb = pytest.importorskip("duckdb")
    path = corpus / "hardwood-hq__hardwood/core/src/test/resources/bloom_filter_test.parquet"
    found = {column.path[0]: bloom_ for _, column, bloom_ in filters(path.read_bytes())}
    for name, value in [("id", 1), ("id", 10**9), ("name", "name_1"), ("name", "nobody"), ("code", 5)]:
        query = "SELECT bloom_filter_excludes FROM parquet_bloom_probe(?, ?, ?)"
        with duckdb.connect() as connection:
            excluded = connection.execute(query, [str(path), name, value]).fetchone()[0]
        assert found[name].probe(value).hit is not excluded, (name, value)


@needs("duckdb", "1.2", "it probes no Bloom filters")
def test_duckdb_reads_a_filter_of_21_blocks(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    target = io.BytesIO()
    found = written_filter(np.arange(500, dtype=np.int64), 0.01, target)
    assert found.num_blocks == 21
    path = tmp_path / "a.parquet"
    path.write_bytes(target.getvalue())
    with duckdb.connect() as connection:
        for value in (*range(0, 500, 20), *range(500, 1500, 20)):
            query = "SELECT bloom_filter_excludes FROM parquet_bloom_probe(?, 'a', ?)"
            excluded = connection.execute(query, [str(path), value]).fetchone()[0]
            assert found.probe(value).hit is not excluded
