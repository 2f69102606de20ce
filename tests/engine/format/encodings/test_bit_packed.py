"""The deprecated packing of levels, most significant bit first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.engine.format.encodings import bit_packed

# bits of the bytes, highest first | bit width | values
EXAMPLES = [
    ("00000101 00111001 01110111", 3, [0, 1, 2, 3, 4, 5, 6, 7]),  # the specification's example
    ("10000000", 1, [1]),
    ("10100000", 1, [1, 0, 1]),
    ("01101100", 2, [1, 2, 3]),
    ("00010010 00110000", 4, [1, 2, 3]),
    ("", 3, []),
    ("", 0, [0, 0]),
]


@pytest.mark.parametrize(("packed", "bit_width", "values"), EXAMPLES)
def test_examples(packed, bit_width, values):
    data = bytes(int(byte, 2) for byte in packed.split())
    decoded, consumed = bit_packed.decode(data + b"\xff", bit_width, len(values))
    assert (decoded.tolist(), consumed) == (values, len(data))
    assert bit_packed.encode(values, bit_width) == data


def test_thirty_values_of_two_bits_take_eight_bytes():
    assert bit_packed.length(30, 2) == 8


@given(st.integers(1, 32), st.lists(st.integers(0, (1 << 32) - 1), max_size=40))
def test_encode_decode_and_trace_agree(bit_width, values):
    values = [value >> (32 - bit_width) for value in values]
    data = bit_packed.encode(values, bit_width)
    decoded, consumed = bit_packed.decode(data, bit_width, len(values))
    assert (decoded.tolist(), consumed) == (values, len(data))
    traced = [v for step in bit_packed.scan(data, bit_width, len(values)).trace() for v in step.values]
    assert traced == values


def test_trace_says_where_the_bits_are():
    (step,) = bit_packed.scan(bytes.fromhex("053977"), 3, 8).trace(first=4)
    assert step.values.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert (step.start, step.end, step.first) == (0, 3, 0)
    assert (step.facts["bit_start"], step.facts["bit_end"]) == (0, 24)


@pytest.mark.parametrize(
    ("data", "bit_width", "count", "message"),
    [
        (b"\x05\x39", 3, 8, "take 3 bytes, but there are only 2"),
        (b"", 1, 1 << 60, "only 0"),
        (b"\0" * 9, 33, 1, "0 to 32, not 33"),
        (b"", 1, -1, "cannot have -1"),
    ],
)
def test_bad_input(data, bit_width, count, message):
    for read in (bit_packed.decode, lambda *a: list(bit_packed.scan(*a).trace())):
        with pytest.raises(CorruptFileError, match=message):
            read(data, bit_width, count)


def test_values_that_do_not_fit():
    with pytest.raises(UsageError):
        bit_packed.encode([4], 2)
