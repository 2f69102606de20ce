"""Values split into streams of their first bytes, second bytes, and so on."""

import pyarrow as pa
import pytest

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.format.encodings import byte_stream_split, plain
from pqexplore.engine.format.thrift.structs import Type

FLBA = Type.FIXED_LEN_BYTE_ARRAY


def test_the_specification_s_example():
    data = bytes.fromhex("AA00A3 BB11B4 CC22C5 DD33D6")
    values = byte_stream_split.decode(data, 3, FLBA, 4)
    assert values.to_pylist() == [bytes.fromhex("AABBCCDD"), bytes.fromhex("00112233"), bytes.fromhex("A3B4C5D6")]
    assert byte_stream_split.encode(values) == data
    assert plain.encode(byte_stream_split.decode(data, 3, Type.FLOAT)) == plain.encode(values)


# type | type_length | Arrow type | values
VALUES = [
    (Type.FLOAT, None, pa.float32(), [1.5, -0.0, float("inf")]),
    (Type.DOUBLE, None, pa.float64(), [1.5, 1e300]),
    (Type.INT32, None, pa.int32(), [1, -2, 2**31 - 1]),
    (Type.INT64, None, pa.int64(), [1, -2, 2**63 - 1]),
    (FLBA, 2, pa.binary(2), [b"ab", b"cd"]),
    (FLBA, 1, pa.binary(1), [b"a"]),
    (FLBA, 100, pa.binary(100), [b"a" * 99 + b"b", b"c" * 100]),
    (FLBA, 0, pa.binary(0), [b"", b""]),
    (Type.DOUBLE, None, pa.float64(), []),
]


@pytest.mark.parametrize(("physical_type", "type_length", "arrow_type", "values"), VALUES)
def test_types(physical_type, type_length, arrow_type, values):
    array = pa.array(values, arrow_type)
    data = byte_stream_split.encode(array)
    assert byte_stream_split.decode(data, len(array), physical_type, type_length).equals(array)
    steps = byte_stream_split.scan(data, len(array), physical_type, type_length).trace()
    traced = [step.values for step in steps if step.count]
    assert pa.concat_arrays([array[:0], *traced]).equals(array)


def test_trace_shows_the_bytes_of_a_value():
    data = bytes.fromhex("AA00A3 BB11B4 CC22C5 DD33D6")
    streams, values = [], []
    for step in byte_stream_split.scan(data, 3, FLBA, 4).trace(first=1):
        (streams if step.kind == "stream" else values).append(step)
    assert [(s.start, s.end) for s in streams] == [(0, 3), (3, 6), (6, 9), (9, 12)]
    assert [step.first for step in values] == [1, 2]
    assert values[0].facts["positions"] == [1, 4, 7, 10]
    assert [part.label for part in values[0].parts] == ["00", "11", "22", "33"]


@pytest.mark.parametrize(
    ("size", "count", "physical_type", "type_length", "message"),
    [
        (15, 2, Type.DOUBLE, None, "take 16 bytes, but there are 15"),
        (17, 2, Type.DOUBLE, None, "take 16 bytes, but there are 17"),
        (8, 1 << 40, Type.DOUBLE, None, "but there are 8"),
        (8, -1, Type.DOUBLE, None, "cannot have -1"),
        (8, 1, FLBA, None, "type_length"),
        (8, 1, FLBA, -8, "type_length"),
    ],
)
def test_bad_input(size, count, physical_type, type_length, message):
    for read in (byte_stream_split.decode, lambda *a: list(byte_stream_split.scan(*a).trace())):
        with pytest.raises(CorruptFileError, match=message):
            read(bytes(size), count, physical_type, type_length)


@pytest.mark.parametrize(
    ("size", "count", "physical_type", "message"),
    [
        (1, 8, Type.BOOLEAN, "not values of physical type BOOLEAN"),
        (12, 1, Type.INT96, "INT96"),
        (8, 1, Type.BYTE_ARRAY, "BYTE_ARRAY"),
        (8, 1, 99, "99"),
    ],
)
def test_other_types_are_not_supported(size, count, physical_type, message):
    for read in (byte_stream_split.decode, byte_stream_split.scan):
        with pytest.raises(UnsupportedFeatureError, match=message):
            read(bytes(size), count, physical_type)
