"""DELTA_LENGTH_BYTE_ARRAY: bytes in, byte arrays out."""

import pyarrow as pa
import pytest

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.format.encodings import delta_binary_packed, delta_length_byte_array

BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY = 6, 7

WORDS = [b"Hello", b"World", b"Foobar", b"ABCDEF"]


def lengths(*numbers: int) -> bytes:
    return delta_binary_packed.encode(pa.array(numbers, pa.int32()))


def test_the_specifications_example():
    stream = lengths(5, 5, 6, 6) + b"HelloWorldFoobarABCDEF"
    assert delta_length_byte_array.encode(pa.array(WORDS)) == stream
    decoded = delta_length_byte_array.decode(stream, 4, BYTE_ARRAY)
    assert decoded.type == pa.binary()
    assert decoded.to_pylist() == WORDS


@pytest.mark.parametrize("stream", [b"", lengths()])
def test_no_values(stream):
    assert delta_length_byte_array.decode(stream, 0, BYTE_ARRAY).to_pylist() == []


def test_values_are_views_of_the_page():
    stream = lengths(3) + b"abc"
    decoded = delta_length_byte_array.decode(stream, 1, BYTE_ARRAY)
    whole = pa.py_buffer(stream)
    assert decoded.buffers()[2].address == whole.address + len(stream) - 3


BAD = [
    (lengths(5, -1) + b"Hello", 2, "value 1 has the negative length -1"),
    (lengths(5, 5) + b"HelloWorl", 2, "come to 10 bytes, but only 9 follow them; value 1 "),
    (lengths(2**31 - 1, 2**31 - 1) + b"x", 2, "come to 4,294,967,294 bytes"),
    (lengths(5), 2, "counts 1 values, the page has 2"),
    (lengths(1, 2, 3)[:-1], 3, "there are only"),
    (b"", 1, "end inside the block size"),
]


@pytest.mark.parametrize(("stream", "count", "message"), BAD)
def test_damage_is_named(stream, count, message):
    with pytest.raises(CorruptFileError, match=message):
        delta_length_byte_array.decode(stream, count, BYTE_ARRAY)
    with pytest.raises(CorruptFileError, match=message):
        list(delta_length_byte_array.scan(stream, count, BYTE_ARRAY).trace())


def test_other_types_are_not_supported():
    with pytest.raises(UnsupportedFeatureError):
        delta_length_byte_array.decode(b"", 0, FIXED_LEN_BYTE_ARRAY, 3)


def test_trace():
    stream = delta_length_byte_array.encode(pa.array(WORDS))
    first, *values = delta_length_byte_array.scan(stream, 4, BYTE_ARRAY).trace()
    assert (first.kind, first.count, first.values) == ("lengths", 0, None)
    assert [part.kind for part in first.parts] == ["header", "first value", "block"]
    assert [stream[step.start : step.end] for step in values] == WORDS
    assert [step.first for step in values] == [0, 1, 2, 3]
    assert [step.facts["length"] for step in values] == [5, 5, 6, 6]


def test_trace_from_a_value_on():
    stream = delta_length_byte_array.encode(pa.array(WORDS))
    first, *values = delta_length_byte_array.scan(stream, 4, BYTE_ARRAY).trace(first=2)
    assert first.kind == "lengths"
    assert [stream[step.start : step.end] for step in values] == WORDS[2:]
    assert [step.first for step in values] == [2, 3]
