"""Values as they are."""

import tracemalloc

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.format.encodings import byte_array_scan, plain, value_encoding
from pqexplore.engine.format.thrift.structs import Type

FLBA = Type.FIXED_LEN_BYTE_ARRAY

# bytes | physical type | type_length | Arrow array
VALUES = [
    ("0d", Type.BOOLEAN, None, pa.array([True, False, True, True])),
    ("ff 01", Type.BOOLEAN, None, pa.array([True] * 9)),
    ("01000000 feffffff", Type.INT32, None, pa.array([1, -2], pa.int32())),
    ("01000000 00000080", Type.INT64, None, pa.array([1 - 2**63])),
    ("0000c03f", Type.FLOAT, None, pa.array([1.5], pa.float32())),
    ("000000000000f83f", Type.DOUBLE, None, pa.array([1.5])),
    ("000102030405060708090a0b", Type.INT96, None, pa.array([bytes(range(12))], pa.binary(12))),
    ("6162 6364", FLBA, 2, pa.array([b"ab", b"cd"], pa.binary(2))),
    ("", FLBA, 0, pa.array([b"", b"", b""], pa.binary(0))),
    ("02000000 6162 00000000 01000000 63", Type.BYTE_ARRAY, None, pa.array([b"ab", b"", b"c"])),
    ("", Type.BYTE_ARRAY, None, pa.array([], pa.binary())),
    ("", Type.INT64, None, pa.array([], pa.int64())),
    ("", Type.BOOLEAN, None, pa.array([], pa.bool_())),
]


@pytest.mark.parametrize(("stream", "physical_type", "type_length", "array"), VALUES)
def test_types(stream, physical_type, type_length, array):
    data = bytes.fromhex(stream)
    decoded = plain.decode(data, len(array), physical_type, type_length)
    decoded.validate(full=True)
    assert decoded.equals(array)
    assert plain.decode(memoryview(data + b"more"), len(array), physical_type, type_length).equals(array)
    assert plain.encode(array) == data
    assert traced(plain.scan(data, len(array), physical_type, type_length).trace(), array.type) == array


@pytest.mark.parametrize(("stream", "physical_type", "type_length", "array"), VALUES)
def test_a_slice_of_an_array_is_encoded_alone(stream, physical_type, type_length, array):
    twice = pa.concat_arrays([array, array])
    assert plain.encode(twice[len(array) :]) == bytes.fromhex(stream)


def traced(steps, arrow_type):
    return pa.concat_arrays([pa.array([], arrow_type), *(step.values for step in steps)])


def test_fixed_width_values_are_a_view_of_the_page():
    page = plain.encode(pa.array(range(1000), pa.int64()))
    decoded = plain.decode(page, 1000, Type.INT64)
    assert decoded.buffers()[1].address == pa.py_buffer(page).address


@pytest.mark.parametrize(("physical_type", "width"), [(Type.INT32, 4), (Type.DOUBLE, 8)])
def test_values_that_are_not_aligned_are_copied(physical_type, width):
    page = b"#" + plain.encode(pa.array(range(2), plain.storage_type(physical_type)))
    decoded = plain.decode(memoryview(page)[1:], 2, physical_type)
    assert decoded.to_pylist() == [0, 1]
    assert decoded.buffers()[1].address % width == 0


# bytes | count | physical type | type_length | message | offset
TOO_SHORT = [
    ("ff", 9, Type.BOOLEAN, None, "9 values of 1 bit take 2 bytes, but there are only 1", 1),
    ("010000", 1, Type.INT32, None, "takes 4 bytes, but there are only 3", 3),
    ("01000000", 1 << 60, Type.INT64, None, "but there are only 4", 4),
    ("6162 63", 2, FLBA, 2, "take 4 bytes", 3),
    ("6162", 1, FLBA, None, "needs a type_length in the schema, not None", None),
    ("6162", 1, FLBA, -2, "needs a type_length in the schema, not -2", None),
    ("01000000", -1, Type.INT32, None, "cannot have -1", None),
    ("01000000", -1, Type.BYTE_ARRAY, None, "cannot have -1", None),
    ("020000", 1, Type.BYTE_ARRAY, None, "byte arrays", 3),
    ("02000000 61", 1, Type.BYTE_ARRAY, None, "number 0 says it has 2 bytes, but only 1 are", 0),
    ("01000000 61 00000080 616161", 2, Type.BYTE_ARRAY, None, "number 1 says it has 2,147", 5),
    ("01000000 61 ffffffff", 2, Type.BYTE_ARRAY, None, "number 1 says it has 4,294,967,295", 5),
    ("06000000 616161616161 0000", 2, Type.BYTE_ARRAY, None, "after 1 values, expected 2", 12),
    ("", 1 << 60, Type.BYTE_ARRAY, None, "byte arrays", 0),
]


@pytest.mark.parametrize(("stream", "count", "physical_type", "type_length", "message", "offset"), TOO_SHORT)
def test_too_few_bytes(stream, count, physical_type, type_length, message, offset):
    data = bytes.fromhex(stream)
    for read in (plain.decode, lambda *a: list(plain.scan(*a).trace())):
        with pytest.raises(CorruptFileError, match=message) as caught:
            read(data, count, physical_type, type_length)
        assert caught.value.offset == offset


def test_an_unknown_physical_type():
    with pytest.raises(UnsupportedFeatureError, match="physical type number 8"):
        plain.decode(b"", 0, 8)


TEXT = st.text("abcdef", max_size=20).map(str.encode)
ZEROS = st.text("\0\0\0\1a", max_size=12).map(str.encode)
LONG = st.sampled_from([0, 5, 255, 256, 257, 700]).map(lambda size: b"x" * size)


@given(
    st.one_of(st.lists(TEXT, max_size=80), st.lists(ZEROS, max_size=40), st.lists(LONG, max_size=30)),
    st.sampled_from([1, 30]),
    st.sampled_from([b"", b"\0\0\0", b"\0" * 9, b"after"]),
)
@settings(max_examples=150, deadline=None)
def test_byte_arrays_of_all_sorts(some, repeat, after):
    values = some * repeat
    page = b"".join(len(value).to_bytes(4, "little") + value for value in values)
    array = pa.array(values, pa.binary())
    assert plain.encode(array) == page
    decoded = plain.decode(page + after, len(values), Type.BYTE_ARRAY)
    decoded.validate(full=True)
    assert decoded.equals(array)


@given(st.lists(TEXT | ZEROS | LONG, min_size=1, max_size=30), st.data())
@settings(max_examples=150, deadline=None)
def test_damaged_byte_arrays_are_noticed(values, data):
    """Found all at once, values are those that are found one by one; so is the place where they end."""
    page = bytearray(plain.encode(pa.array(values, pa.binary())))
    page[data.draw(st.integers(0, len(page) - 1))] = data.draw(st.integers(0, 255))
    del page[data.draw(st.integers(0, len(page))) :]
    page, count = bytes(page), len(values)
    positions, end = byte_array_scan.values_before_damage(page, count)
    structure = plain.scan(page, count, Type.BYTE_ARRAY)
    assert (structure.positions.tolist(), structure.end) == (positions.tolist(), end)
    sound = plain.reference(page, len(positions), Type.BYTE_ARRAY)
    assert structure.values.to_pylist() == sound
    if len(positions) == count:
        assert plain.decode(page, count, Type.BYTE_ARRAY).to_pylist() == sound
        return
    assert structure.error is not None
    with pytest.raises(CorruptFileError):
        plain.decode(page, count, Type.BYTE_ARRAY)


def test_values_are_found_across_windows(monkeypatch):
    monkeypatch.setattr(byte_array_scan, "WINDOW", 50)
    values = [b"x" * (i % 23) for i in range(400)] + [b"y" * 300, b""] * 5 + [b""] * 40
    page = plain.encode(pa.array(values))
    assert plain.decode(page, len(values), Type.BYTE_ARRAY).to_pylist() == values


def test_trace_shows_length_and_bytes():
    page = bytes.fromhex("02000000 6162 00000000 01000000 63")
    steps = list(plain.scan(page, 3, Type.BYTE_ARRAY).trace())
    assert [(step.start, step.end, step.first) for step in steps] == [(0, 6, 0), (6, 10, 1), (10, 15, 2)]
    assert [(part.kind, part.start, part.end) for part in steps[0].parts] == [("length", 0, 4), ("bytes", 4, 6)]
    assert [step.first for step in plain.scan(page, 3, Type.BYTE_ARRAY).trace(first=2)] == [2]


def test_trace_gives_the_byte_arrays_before_the_damage():
    steps = plain.scan(bytes.fromhex("01000000 61 ffffffff"), 2, Type.BYTE_ARRAY).trace()
    assert next(steps).values.to_pylist() == [b"a"]
    with pytest.raises(CorruptFileError):
        next(steps)


def test_trace_of_booleans_goes_byte_by_byte():
    steps = list(plain.scan(bytes.fromhex("0d01"), 9, Type.BOOLEAN).trace())
    assert [(step.label, step.start, step.first, step.count) for step in steps] == [
        ("10110000", 0, 0, 8),
        ("1", 1, 8, 1),
    ]
    assert [step.first for step in plain.scan(b"\x0d\x01", 9, Type.BOOLEAN).trace(first=8)] == [8]


@pytest.mark.parametrize(("number", "name"), [(0, "PLAIN"), (3, "RLE"), (9, "BYTE_STREAM_SPLIT")])
def test_encodings_are_found_by_number(number, name):
    assert value_encoding(number).name == name


@pytest.mark.parametrize("number", [1, 2, 4, 8, 99, -1])
def test_numbers_that_are_no_encoding_of_values(number):
    with pytest.raises(UnsupportedFeatureError, match=f"encoding number {number} "):
        value_encoding(number)


def test_a_large_page_of_byte_arrays_is_not_copied():
    page = memoryview(plain.encode(pa.array([b"x" * (16 << 20)], pa.binary())))
    tracemalloc.start()
    values = plain.decode(page, 1, Type.BYTE_ARRAY)
    scanned = plain.scan(page, 1, Type.BYTE_ARRAY)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert values == scanned.values and len(values[0].as_py()) == 16 << 20
    assert peak < 8 << 20
