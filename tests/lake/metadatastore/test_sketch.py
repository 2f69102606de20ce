"""Spark's sketch Bloom filter: bits that Spark's own class sets, both versions, and damage."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UnsupportedFeatureError, UsageError
from pqexplore.lake.metadatastore import sketch
from pqexplore.lake.metadatastore.sketch import SketchBloomFilter

longs = st.integers(-(1 << 63), (1 << 63) - 1)
items = longs | st.binary(max_size=20)


@pytest.mark.parametrize(
    ("ndv", "fpp", "words", "hashes"),
    [(500, 0.05, 49, 4), (1000, 0.01, 150, 7), (100_000, 0.01, 14_977, 7), (1, 0.5, 1, 1)],
)
def test_a_filter_has_the_size_that_spark_gives_it(ndv, fpp, words, hashes):
    made = sketch.build(ndv, fpp)
    assert (made.bits, made.hashes, made.empty) == (64 * words, hashes, True)


BY_SPARK = {
    "version 1": (1, 0, "08040a00040000800040000000000010"),
    "version 2": (2, 0, "00020001010080406000000000000000"),
    "version 2 with a seed": (2, 99, "00000000001044050040040000000000"),
}
"""What Spark 4.3 makes of putLong(7), putString("city_0") in `BloomFilter.create(version, 20, 128, seed)`."""


@pytest.mark.parametrize(("version", "seed", "words"), BY_SPARK.values(), ids=BY_SPARK)
def test_the_bits_are_those_that_spark_sets(version, seed, words):
    empty = SketchBloomFilter(version, 4, seed, bytes(16))
    bits = {index % 128 for value in (7, "city_0") for index in sketch.bit_indexes(empty, value)}
    both = [sum(1 << bit % 64 for bit in bits if bit // 64 == word) for word in (0, 1)]
    assert struct.pack(">QQ", *both).hex() == words


@given(st.lists(items, max_size=8), st.integers(1, 300), st.sampled_from([0.3, 0.05, 0.001]))
def test_what_was_put_in_is_found(values, ndv, fpp):
    numbers = [value for value in values if isinstance(value, int)]
    texts = [value for value in values if isinstance(value, bytes)]
    made = sketch.build(ndv, fpp, numbers, texts)
    assert all(made.might_contain(value) for value in values)
    assert made.empty is (not values)
    assert made.ones <= made.hashes * len(values)
    assert sketch.parse(made.to_bytes()) == made
    assert sketch.from_java(sketch.to_java(made)) == made


@given(st.sampled_from([1, 2]), st.integers(1, 9), st.integers(-5, 5), st.lists(items, max_size=8))
def test_both_versions_are_probed_by_the_bits_that_belong_to_a_value(version, hashes, seed, values):
    empty = SketchBloomFilter(version, hashes, seed if version == 2 else 0, bytes(8 * 5))
    words = np.zeros(320, np.bool_)
    for value in values:
        words[[index % 320 for index in sketch.bit_indexes(empty, value)]] = True
    packed = np.packbits(words, bitorder="little").view("<u8").astype(">u8").tobytes()
    filled = SketchBloomFilter(version, hashes, empty.seed, packed)
    assert all(filled.might_contain(value) for value in values)
    assert sketch.parse(filled.to_bytes()) == filled
    for other in range(50):
        indexes = {index % 320 for index in sketch.bit_indexes(filled, other)}
        assert filled.might_contain(other) is bool(words[list(indexes)].all())


def test_text_is_its_utf_8():
    made = sketch.build(10, 0.01, (), ["grün"])
    assert made.might_contain("grün") and made.might_contain("grün".encode())
    assert not made.might_contain("grun")


def test_how_full_a_filter_is():
    made = sketch.build(1000, 0.01, range(1000))
    assert 0.45 < made.occupancy < 0.55
    assert 0.005 < made.false_positive_probability < 0.02
    wrong = sum(made.might_contain(value) for value in range(1000, 3000))
    assert wrong < 60


GOOD = sketch.build(20, 0.1, [7]).to_bytes()
DAMAGED = {
    "nothing": (b"", CorruptFileError),
    "half a header": (GOOD[:10], CorruptFileError),
    "one word less": (GOOD[:-8], CorruptFileError),
    "one byte more": (GOOD + b"\x00", CorruptFileError),
    "no words": (struct.pack(">iii", 1, 3, 0), CorruptFileError),
    "2 billion words": (struct.pack(">iii", 1, 3, 0x7FFFFFFF), CorruptFileError),
    "a negative number of words": (struct.pack(">iii", 1, 3, -1), CorruptFileError),
    "no hash functions": (struct.pack(">iii", 1, 0, 1) + bytes(8), CorruptFileError),
    "2 billion hash functions": (struct.pack(">iii", 1, 0x7FFFFFFF, 1) + bytes(8), LimitExceededError),
    "version 3": (struct.pack(">iii", 3, 3, 1) + bytes(8), UnsupportedFeatureError),
    "version 2 without a seed": (struct.pack(">iii", 2, 3, 1), CorruptFileError),
}


@pytest.mark.parametrize(("payload", "kind"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_filters_are_refused(payload, kind):
    with pytest.raises(kind) as error:
        sketch.parse(payload)
    assert error.value.offset is not None


@pytest.mark.parametrize(("ndv", "fpp"), [(0, 0.1), (10, 0.0), (10, 1.0), (1 << 40, 0.01)])
def test_filters_that_cannot_be_are_refused(ndv, fpp):
    with pytest.raises(UsageError):
        sketch.Builder(ndv, fpp)


def test_a_number_beyond_64_bits_is_in_no_filter():
    with pytest.raises(UsageError, match="64 bits"):
        sketch.build(10, 0.1).might_contain(1 << 63)
