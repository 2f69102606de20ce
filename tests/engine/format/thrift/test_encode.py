"""Struct in, bytes out: the compact protocol by example."""

import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.thrift import structs, wire
from pqexplore.engine.format.thrift.encode import encode, encode_fields, encode_list
from pqexplore.engine.format.varint import varint, zigzag


@pytest.mark.parametrize(
    ("number", "raw"), [(0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (300, "ac02"), (32767, "ffff01")]
)
def test_varint(number, raw):
    assert varint(number).hex() == raw


@pytest.mark.parametrize(
    ("number", "raw"),
    [(0, "00"), (-1, "01"), (1, "02"), (-2, "03"), (63, "7e"), (64, "8001"), (-64, "7f")]
    + [(2**63 - 1, "fe" + "ff" * 8 + "01"), (-(2**63), "ff" * 9 + "01")],
)
def test_zigzag(number, raw):
    assert zigzag(number).hex() == raw


@pytest.mark.parametrize(
    ("obj", "raw", "why"),
    [
        (structs.StringType(), "00", "a struct without fields is its stop byte"),
        (structs.DecimalType(scale=2, precision=9), "1504 1512 00", "i32: distance 1, type 5"),
        (structs.DecimalType(precision=9), "2512 00", "an absent field makes the distance 2"),
        (structs.KeyValue(key="é", value=""), "1802c3a9 1800 00", "text has a length in bytes"),
        (structs.Statistics(min=b"\xff"), "2801ff 00", "bytes, too"),
        (structs.IntType(bitWidth=8, isSigned=True), "1308 11 00", "i8 as is; true is type 1"),
        (structs.IntType(bitWidth=-1, isSigned=False), "13ff 12 00", "false is type 2"),
        (structs.RowGroup(ordinal=-1), "7401 00", "i16 is a zigzag varint"),
        (structs.BoundingBox(xmin=1.0), "17000000000000f03f 00", "doubles are little-endian"),
        (structs.SizeStatistics(repetition_level_histogram=[1, 2]), "29260204 00", "short list"),
        (structs.SizeStatistics(repetition_level_histogram=[0] * 15), "29f60f" + "00" * 15 + "00",
            "15 elements and more have a length of their own"),
        (structs.ColumnIndex(null_pages=[True, False]), "19210102 00", "booleans in a list: bytes"),
        (structs.LogicalType(FILE=structs.FileType()), "0c26 00 00",
            "a distance over 15 takes the long header: the id itself"),
        (structs.TimeType(isAdjustedToUTC=False, unit=structs.TimeUnit(NANOS=structs.NanoSeconds())),
            "12 1c 3c 00 00 00", "structs in structs"),
        (structs.ColumnChunk(), "2600 00", "a declared default is written"),
    ],
)  # fmt: skip
def test_bytes(obj, raw, why):
    assert encode(obj).hex() == raw.replace(" ", ""), why


def test_extension_has_the_header_that_the_format_shows():
    """Binary Protocol Extensions: 08 FF FF 01, the size, the bytes, and the struct's stop byte."""
    struct = structs.KeyValue(key="k")
    assert encode(struct, extension=b"abc").hex() == "18016b" + "08ffff01" + "03616263" + "00"


def test_extension_of_an_inner_struct():
    inner = structs.KeyValue()
    inner._extension = b""
    outer = structs.FileMetaData(key_value_metadata=[inner])
    assert encode(outer).hex() == "591c" + "08ffff0100" + "00" + "00"


def test_fields_that_no_object_can_hold():
    raw = encode_fields([(12, wire.I32, zigzag(1)), (3, wire.TRUE, b""), (3, wire.BINARY, b"\0")])
    assert raw.hex() == "c502" + "0106" + "080600" + "00"


def test_raw_list():
    assert encode_list(wire.I32, [zigzag(1)] * 2).hex() == "250202"


@pytest.mark.parametrize(
    ("obj", "field"),
    [
        (structs.DecimalType(scale=1 << 31), "DecimalType.scale is i32"),
        (structs.IntType(bitWidth=128), "IntType.bitWidth is i8"),
        (structs.KeyValue(key=b"k"), "KeyValue.key is string"),
        (structs.Statistics(min="text"), "Statistics.min is binary"),
        (structs.BoundingBox(xmin="text"), "BoundingBox.xmin is double"),
        (structs.ColumnIndex(min_values=3), "ColumnIndex.min_values is list<binary>"),
    ],
)
def test_values_that_a_field_cannot_hold(obj, field):
    with pytest.raises(UsageError, match=field):
        encode(obj)
