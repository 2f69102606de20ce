"""Single values as people see them."""

import datetime
import decimal
import struct
import uuid

import pytest
from engine.format.leaves import DATE, FLOAT16, MICROS, MILLIS, NANOS, STRING, UUID, dec, integer, leaf, time, timestamp
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format import types, value_text
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type


@pytest.mark.parametrize(
    ("column", "stored", "python", "text", "hexadecimal"),
    [
        (leaf(Type.BOOLEAN), True, True, "true", "01"),
        (leaf(Type.INT32), -2, -2, "-2", "feffffff"),
        (leaf(Type.FLOAT), struct.unpack("<f", struct.pack("<f", 0.1))[0], pytest.approx(0.1), "0.1", "cdcccc3d"),
        (leaf(Type.DOUBLE), 0.1, 0.1, "0.1", "9a9999999999b93f"),
        (leaf(Type.BYTE_ARRAY), b"\x01\xff", b"\x01\xff", "0x01ff", "01ff"),
        (leaf(Type.BYTE_ARRAY, STRING), "é".encode(), "é", "é", "c3a9"),
        (leaf(Type.BYTE_ARRAY, STRING), b"a\xff", b"a\xff", "a\\xff", "61ff"),
        (leaf(Type.INT32, integer(8, False)), 300, 44, "44", "2c010000"),
        (leaf(Type.INT32, integer(32, False)), -1, 2**32 - 1, "4294967295", "ffffffff"),
        (leaf(Type.INT32, dec(5, 2)), 150, decimal.Decimal("1.50"), "1.50", "96000000"),
        (leaf(Type.BYTE_ARRAY, dec(20, 3)), b"\xff", decimal.Decimal("-0.001"), "-0.001", "ff"),
        (leaf(Type.INT32, DATE), 19723, datetime.date(2024, 1, 1), "2024-01-01", "0b4d0000"),
        (leaf(Type.INT32, DATE), 2**31 - 1, None, "+5881580-07-11", "ffffff7f"),
        (leaf(Type.INT32, DATE), -(2**31), None, "-5877641-06-23", "00000080"),
        (leaf(Type.INT32, time(MILLIS)), 86_399_999, datetime.time(23, 59, 59, 999000, datetime.UTC), "23:59:59.999 UTC", "ff5b2605"),
        (leaf(Type.INT64, time(NANOS, utc=False)), 1, datetime.time(0), "00:00:00.000000001", "0100000000000000"),
        (leaf(Type.INT32, time(MILLIS)), 86_400_000, None, "86,400,000 ms after midnight", "005c2605"),
        (leaf(Type.INT64, timestamp(MILLIS)), 172_800_000, datetime.datetime(1970, 1, 3, tzinfo=datetime.UTC), "1970-01-03 00:00:00.000 UTC", "00b84c0a00000000"),
        (leaf(Type.INT64, timestamp(MICROS, utc=False)), -1, datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), "1969-12-31 23:59:59.999999", "f" * 16),
        (leaf(Type.INT64, timestamp(MILLIS)), 2**63 - 1, None, "+292278994-08-17 07:12:55.807 UTC", "ffffffffffffff7f"),
        (leaf(Type.INT96), struct.pack("<qi", 1, 2440589), datetime.datetime(1970, 1, 2), "1970-01-02 00:00:00.000000001", "01000000000000008d3d2500"),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, UUID, length=16), bytes.fromhex("00112233445566778899aabbccddeeff"), uuid.UUID("00112233-4455-6677-8899-aabbccddeeff"), "00112233-4455-6677-8899-aabbccddeeff", "00112233445566778899aabbccddeeff"),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, FLOAT16, length=2), b"\x66\x2e", pytest.approx(0.1, abs=1e-4), "0.1", "662e"),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, length=12, converted=21), struct.pack("<III", 1, 2, 3), {"months": 1, "days": 2, "milliseconds": 3}, "1 months 2 days 3 ms", "010000000200000003000000"),
    ],
)  # fmt: skip
def test_one_value_explained(column, stored, python, text, hexadecimal):
    explained = value_text.explain_value(column, stored)
    assert explained["physical"] == stored
    assert explained["python"] == python
    assert explained["logical"] == text == value_text.format_value(column, stored)
    assert explained["hex"] == hexadecimal
    assert explained["type"] == types.describe(column)
    assert value_text.physical_value(column, bytes.fromhex(hexadecimal)) == stored


@pytest.mark.parametrize(
    ("column", "stored", "words"),
    [
        (leaf(Type.INT64, timestamp(MICROS)), 0, "an instant"),
        (leaf(Type.INT64, timestamp(MICROS, utc=False)), 0, "not an instant"),
        (leaf(Type.INT32, integer(8, True)), 300, "does not fit 8 bits"),
        (leaf(Type.INT32, dec(2, 0)), 100, "3 digits, the precision allows 2"),
        (leaf(Type.BYTE_ARRAY, STRING), b"ab\xff", "byte 2 is 0xff"),
        (leaf(Type.INT32, {"UNKNOWN": structs.NullType()}), 7, "but one is stored: 7"),
        (leaf(Type.BYTE_ARRAY), b"text", "printable"),
        (leaf(Type.BYTE_ARRAY, dec(20, 2)), b"", "they are read as 0"),
        (leaf(Type.BYTE_ARRAY, dec(20, 0)), b"\x01" * 100_000, "a decimal of 100,000 bytes"),
        (leaf(Type.BYTE_ARRAY, {"GEOMETRY": structs.GeometryType()}), b"\x01", "WKB ends"),
        (leaf(Type.INT96), struct.pack("<qi", -1, 0), "not within a day"),
    ],
)
def test_notes_of_values(column, stored, words):
    assert words in value_text.explain_value(column, stored)["note"]


def test_an_interval_that_parquet_java_annotated_unknown_is_still_shown():
    column = leaf(Type.FIXED_LEN_BYTE_ARRAY, {"UNKNOWN": structs.NullType()}, length=12, converted=21)
    assert value_text.format_value(column, struct.pack("<III", 1, 2, 3)) == "1 months 2 days 3 ms"


def test_null_is_null():
    assert value_text.explain_value(leaf(Type.INT32), None)["logical"] == "null"


@settings(max_examples=100, deadline=None)
@given(st.integers(-(2**63), 2**63 - 1), st.sampled_from([MILLIS, MICROS, NANOS]), st.booleans())
def test_every_timestamp_has_a_text(count, unit, utc):
    column = leaf(Type.INT64, timestamp(unit, utc))
    explained = value_text.explain_value(column, count)
    if explained["python"] is not None:
        stamp = explained["python"].replace(tzinfo=None).isoformat(sep=" ", timespec="seconds")
        assert explained["logical"].startswith(stamp)


@settings(max_examples=100, deadline=None)
@given(st.dates())
def test_civil_dates_are_pythons(date):
    days = (date - datetime.date(1970, 1, 1)).days
    assert value_text.civil_date(days) == (date.year, date.month, date.day)


@settings(max_examples=100, deadline=None)
@given(st.floats(width=32))
def test_the_text_of_a_float_reads_back_as_the_same_float(number):
    text = value_text.format_value(leaf(Type.FLOAT), number)
    assert struct.pack("<f", float(text)) == struct.pack("<f", number) or number != number


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_physical_values_and_their_bytes_are_inverse(data):
    physical = data.draw(st.sampled_from([Type.BOOLEAN, Type.INT32, Type.INT64, Type.FLOAT, Type.DOUBLE]))
    column = leaf(physical)
    length = value_text.plain_length(column)
    raw = data.draw(st.binary(min_size=length, max_size=length))
    value = value_text.physical_value(column, raw)
    if value == value and physical != Type.BOOLEAN:
        assert value_text.stored_bytes(column, value) == raw


@pytest.mark.parametrize(("physical", "raw"), [(Type.INT32, b"abc"), (Type.INT96, b""), (Type.BOOLEAN, b"")])
def test_values_of_the_wrong_length(physical, raw):
    with pytest.raises(CorruptFileError, match="expected"):
        value_text.physical_value(leaf(physical), raw)
