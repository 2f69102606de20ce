"""Bit packing, least significant bit first."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.engine.format.encodings import bits

# bits of the bytes, highest first | bit width | values
EXAMPLES = [
    ("10001000 11000110 11111010", 3, [0, 1, 2, 3, 4, 5, 6, 7]),  # the specification's example
    ("00000001", 1, [1, 0, 0, 0, 0, 0, 0, 0]),
    ("11100100", 2, [0, 1, 2, 3]),
    ("00100001", 4, [1, 2]),
    ("00000001 00000010", 8, [1, 2]),
    ("00000000 11111111 00000001", 12, [0xF00, 0x01F]),
    ("00000001 00000010 00000011", 24, [0x030201]),
    ("", 0, [0, 0, 0]),
    ("", 7, []),
]


def as_bytes(text):
    return bytes(int(byte, 2) for byte in text.split())


@pytest.mark.parametrize(("packed", "bit_width", "values"), EXAMPLES)
def test_examples(packed, bit_width, values):
    assert bits.unpack(as_bytes(packed), bit_width, len(values)).tolist() == values
    assert bits.pack(values, bit_width) == as_bytes(packed)


@pytest.mark.parametrize(
    ("bit_width", "dtype"),
    [(0, "u1"), (8, "u1"), (9, "u2"), (16, "u2"), (17, "u4"), (32, "u4"), (33, "u8"), (64, "u8")],
)
def test_the_type_is_the_smallest_that_fits(bit_width, dtype):
    assert bits.unpack(bytes(bit_width), bit_width, 8).dtype == dtype
    assert bits.unsigned_type(bit_width) == dtype


@st.composite
def packed_values(draw):
    bit_width = draw(st.integers(0, 64))
    values = draw(st.lists(st.integers(0, (1 << bit_width) - 1), max_size=40))
    return bit_width, values


@given(packed_values(), st.integers(0, 40), st.binary(max_size=20))
@settings(max_examples=150)
def test_values_are_slices_of_one_long_number(case, bit_offset, after):
    bit_width, values = case
    number = sum(value << (i * bit_width) for i, value in enumerate(values))
    size = bits.packed_size(bit_width, len(values))
    assert bits.pack(np.array(values, np.uint64), bit_width) == number.to_bytes(size, "little")
    moved = bits.packed_size(bit_width, len(values), bit_offset)
    data = (number << bit_offset).to_bytes(moved, "little") + after
    assert bits.unpack(data, bit_width, len(values), bit_offset).tolist() == values


@pytest.mark.parametrize("bit_width", range(1, 65))
def test_more_values_than_are_unpacked_at_a_time(bit_width):
    rng = np.random.default_rng(bit_width)
    count = 8 * bits.GROUPS_AT_ONCE + 77
    values = rng.integers(0, (1 << bit_width) - 1, count, np.uint64, endpoint=True)
    packed = bits.pack(values, bit_width)
    assert np.array_equal(bits.unpack(packed, bit_width, count), values)


@pytest.mark.parametrize(
    ("size", "bit_width", "count", "bit_offset"),
    [(0, 1, 1, 0), (2, 3, 6, 0), (3, 3, 8, 1), (7, 64, 1, 0), (1, 32, 1 << 40, 0), (0, 0, 0, 1)],
)
def test_too_few_bytes(size, bit_width, count, bit_offset):
    with pytest.raises(CorruptFileError, match="only"):
        bits.unpack(bytes(size), bit_width, count, bit_offset)


@pytest.mark.parametrize(("values", "bit_width"), [([8], 3), ([-1], 3), ([1], 0), ([1], 65)])
def test_values_that_do_not_fit(values, bit_width):
    with pytest.raises(UsageError):
        bits.pack(values, bit_width)
