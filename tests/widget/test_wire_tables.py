import numpy as np
import pytest

from pqexplore.insight.binary_columns import smallest
from pqexplore.widget.wire_tables import pack


def test_numbers_travel_as_they_are_and_texts_as_offsets_and_utf8():
    header, buffers = pack({"n": np.array([1, 2], "<u2"), "t": ["é", ""], "m": ["a", None]})
    assert header == [("n", "u2"), ("t", "text"), ("m", "text?")]
    assert [bytes(b) for b in buffers] == [
        b"\x01\x00\x02\x00",
        b"\x00\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00",
        "é".encode(),
        b"\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00",
        b"a",
        b"\x00\x01",
    ]


def test_dtypes_without_a_javascript_array_become_doubles_and_big_endian_is_turned():
    header, buffers = pack({"i": np.array([7], "<i8"), "b": np.array([258], ">u2"), "t": np.array([True])})
    assert [dtype for _, dtype in header] == ["f8", "u2", "u1"]
    assert bytes(buffers[1]) == b"\x02\x01"


def test_empty_columns_have_empty_buffers():
    header, buffers = pack({"n": np.zeros(0, "<f8"), "t": []})
    assert header == [("n", "f8"), ("t", "text")]
    assert [bytes(b) for b in buffers] == [b"", bytes(4), b""]


@pytest.mark.parametrize(("top", "dtype"), [(0, "u1"), (255, "u1"), (256, "u2"), (65_536, "u4"), (1 << 32, "f8")])
def test_smallest_keeps_the_values_in_the_narrowest_dtype(top, dtype):
    narrow = smallest(np.array([0, top], np.int64))
    assert narrow.dtype.str[1:] == dtype
    assert narrow.tolist() == [0, top]


def test_a_lone_surrogate_does_not_stop_the_table():
    _, buffers = pack({"t": ["\ud800"]})
    assert bytes(buffers[1]) == b"?"
