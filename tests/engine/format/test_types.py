"""Schema elements in, Arrow types and values out; and single values as people see them."""

import datetime
import decimal
import struct
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from needs import needs_pyarrow

from pqexplore.engine.errors import CorruptFileError, ParquetError, UnsupportedFeatureError
from pqexplore.engine.format import decimal as decimals
from pqexplore.engine.format import int96, schema, types, value_text
from pqexplore.engine.format.field import CONVERTED_NULL
from pqexplore.engine.format.logical import annotation, max_digits, meaning
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.structs import ConvertedType, LogicalType, SchemaElement, Type

MILLIS = structs.TimeUnit(MILLIS=structs.MilliSeconds())
MICROS = structs.TimeUnit(MICROS=structs.MicroSeconds())
NANOS = structs.TimeUnit(NANOS=structs.NanoSeconds())


def leaf(physical, logical=None, *, length=None, converted=None, precision=None, scale=None):
    """A column `c` of a file with just this column; `logical` is e.g. `{"STRING": StringType()}`."""
    element = SchemaElement(
        type=int(physical),
        type_length=length,
        repetition_type=0,
        name="c",
        converted_type=converted,
        precision=precision,
        scale=scale,
        logicalType=None if logical is None else LogicalType(**logical),
    )
    root = SchemaElement(name="schema", num_children=1)
    return schema.build([root, element]).leaves[0]


def integer(bits, signed):
    return {"INTEGER": structs.IntType(bitWidth=bits, isSigned=signed)}


def dec(precision, scale):
    return {"DECIMAL": structs.DecimalType(precision=precision, scale=scale)}


def time(unit, utc=True):
    return {"TIME": structs.TimeType(isAdjustedToUTC=utc, unit=unit)}


def timestamp(unit, utc=True):
    return {"TIMESTAMP": structs.TimestampType(isAdjustedToUTC=utc, unit=unit)}


STRING = {"STRING": structs.StringType()}
UUID = {"UUID": structs.UUIDType()}
FLOAT16 = {"FLOAT16": structs.Float16Type()}
DATE = {"DATE": structs.DateType()}

TYPES = [
    # physical, logical, type_length, Arrow type, description
    (Type.BOOLEAN, None, None, pa.bool_(), "BOOLEAN"),
    (Type.INT32, None, None, pa.int32(), "INT32"),
    (Type.INT96, None, None, pa.timestamp("ns"), "INT96"),
    (Type.FLOAT, None, None, pa.float32(), "FLOAT"),
    (Type.DOUBLE, None, None, pa.float64(), "DOUBLE"),
    (Type.BYTE_ARRAY, None, None, pa.binary(), "BYTE_ARRAY"),
    (Type.FIXED_LEN_BYTE_ARRAY, None, 5, pa.binary(5), "FIXED_LEN_BYTE_ARRAY(5)"),
    (Type.BYTE_ARRAY, STRING, None, pa.string(), "STRING"),
    (Type.BYTE_ARRAY, {"ENUM": structs.EnumType()}, None, pa.binary(), "ENUM"),
    (Type.BYTE_ARRAY, {"JSON": structs.JsonType()}, None, pa.string(), "JSON"),
    (Type.BYTE_ARRAY, {"BSON": structs.BsonType()}, None, pa.binary(), "BSON"),
    (Type.INT32, integer(8, True), None, pa.int8(), "INT(8, signed)"),
    (Type.INT32, integer(16, False), None, pa.uint16(), "INT(16, unsigned)"),
    (Type.INT32, integer(32, False), None, pa.uint32(), "INT(32, unsigned)"),
    (Type.INT64, integer(64, False), None, pa.uint64(), "INT(64, unsigned)"),
    (Type.INT32, dec(9, 2), None, pa.decimal128(9, 2), "DECIMAL(9, 2)"),
    (Type.INT64, dec(18, 0), None, pa.decimal128(18, 0), "DECIMAL(18, 0)"),
    (Type.FIXED_LEN_BYTE_ARRAY, dec(38, 10), 16, pa.decimal128(38, 10), "DECIMAL(38, 10)"),
    (Type.FIXED_LEN_BYTE_ARRAY, dec(39, 10), 17, pa.decimal256(39, 10), "DECIMAL(39, 10)"),
    (Type.BYTE_ARRAY, dec(76, 76), None, pa.decimal256(76, 76), "DECIMAL(76, 76)"),
    (Type.BYTE_ARRAY, dec(77, 1), None, pa.binary(), "DECIMAL(77, 1)"),
    (Type.INT32, DATE, None, pa.date32(), "DATE"),
    (Type.INT32, time(MILLIS), None, pa.time32("ms"), "TIME(ms, UTC)"),
    (Type.INT64, time(MICROS, utc=False), None, pa.time64("us"), "TIME(µs, local)"),
    (Type.INT64, time(NANOS), None, pa.time64("ns"), "TIME(ns, UTC)"),
    (Type.INT64, timestamp(MILLIS), None, pa.timestamp("ms", "UTC"), "TIMESTAMP(ms, UTC)"),
    (Type.INT64, timestamp(NANOS, utc=False), None, pa.timestamp("ns"), "TIMESTAMP(ns, local)"),
    (Type.FIXED_LEN_BYTE_ARRAY, UUID, 16, pa.binary(16), "UUID"),
    (Type.FIXED_LEN_BYTE_ARRAY, FLOAT16, 2, pa.float16(), "FLOAT16"),
    (Type.INT32, {"UNKNOWN": structs.NullType()}, None, pa.null(), "UNKNOWN"),
    (Type.BYTE_ARRAY, {"GEOMETRY": structs.GeometryType()}, None, pa.binary(), "GEOMETRY"),
    (
        *(Type.BYTE_ARRAY, {"GEOGRAPHY": structs.GeographyType(crs="OGC:CRS84", algorithm=4)}),
        *(None, pa.binary(), "GEOGRAPHY(OGC:CRS84, KARNEY)"),
    ),
    (Type.BYTE_ARRAY, {}, None, pa.binary(), "unrecognised annotation of BYTE_ARRAY"),
]


@pytest.mark.parametrize(("physical", "logical", "length", "arrow", "words"), TYPES)
def test_arrow_type_and_description(physical, logical, length, arrow, words):
    column = leaf(physical, logical, length=length)
    assert types.arrow_type(column) == arrow
    assert types.describe(column) == words
    empty = types.to_arrow(pa.array([], types.physical_arrow_type(column)), column)
    assert empty.type == arrow


@pytest.mark.parametrize(
    ("converted", "physical", "arrow"),
    [
        (ConvertedType.UTF8, Type.BYTE_ARRAY, pa.string()),
        (ConvertedType.ENUM, Type.BYTE_ARRAY, pa.binary()),
        (ConvertedType.JSON, Type.BYTE_ARRAY, pa.string()),
        (ConvertedType.BSON, Type.BYTE_ARRAY, pa.binary()),
        (ConvertedType.DATE, Type.INT32, pa.date32()),
        (ConvertedType.TIME_MILLIS, Type.INT32, pa.time32("ms")),
        (ConvertedType.TIME_MICROS, Type.INT64, pa.time64("us")),
        (ConvertedType.TIMESTAMP_MILLIS, Type.INT64, pa.timestamp("ms", "UTC")),
        (ConvertedType.TIMESTAMP_MICROS, Type.INT64, pa.timestamp("us", "UTC")),
        (ConvertedType.UINT_8, Type.INT32, pa.uint8()),
        (ConvertedType.UINT_64, Type.INT64, pa.uint64()),
        (ConvertedType.INT_16, Type.INT32, pa.int16()),
        (ConvertedType.INTERVAL, Type.FIXED_LEN_BYTE_ARRAY, pa.binary(12)),
        (CONVERTED_NULL, Type.INT32, pa.null()),
        (ConvertedType.DECIMAL, Type.INT32, pa.decimal128(5, 2)),
        (99, Type.INT32, pa.int32()),
    ],
)
def test_converted_types_alone(converted, physical, arrow):
    length = 12 if physical == Type.FIXED_LEN_BYTE_ARRAY else None
    column = leaf(physical, converted=int(converted), length=length, precision=5, scale=2)
    assert types.arrow_type(column) == arrow


def test_the_logical_type_goes_before_the_converted_type():
    column = leaf(Type.INT64, timestamp(MICROS, utc=False), converted=10)
    assert types.arrow_type(column) == pa.timestamp("us")


def test_an_unknown_logical_type_falls_back_to_the_converted_type():
    assert types.arrow_type(leaf(Type.BYTE_ARRAY, {}, converted=0)) == pa.string()


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (leaf(Type.INT32, STRING), "STRING annotates BYTE_ARRAY, not INT32"),
        (leaf(Type.INT64, DATE), "DATE annotates INT32"),
        (leaf(Type.INT32, integer(64, False)), "annotates INT64"),
        (leaf(Type.INT32, integer(7, False)), "INT of 7 bits"),
        (leaf(Type.INT32, time(MICROS)), "TIME in us annotates INT64"),
        (leaf(Type.INT96, timestamp(NANOS)), "TIMESTAMP annotates INT64"),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, UUID, length=15), "not FIXED_LEN_BYTE_ARRAY(15)"),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, FLOAT16, length=4), "FLOAT16 annotates"),
        (leaf(Type.INT32, dec(10, 2)), "INT32 holds 9 digits"),
        (leaf(Type.INT64, dec(19, 2)), "INT64 holds 18 digits"),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, dec(3, 0), length=1), "holds 2 digits"),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, dec(1, 0), length=0), "holds 0 digits"),
        (leaf(Type.DOUBLE, dec(3, 0)), "does not annotate DOUBLE"),
        (leaf(Type.INT32, dec(0, 0)), "precision must be at least 1"),
        (leaf(Type.INT32, dec(4, 5)), "scale must lie between"),
        (leaf(Type.INT32, dec(4, -1)), "scale must lie between"),
        (leaf(Type.INT32, converted=5), "precision must be at least 1"),
        (
            leaf(Type.INT32, {"DECIMAL": structs.DecimalType(precision=4)}),
            "lacks the required scale",
        ),
        (leaf(Type.BYTE_ARRAY, {"LIST": structs.ListType()}), "LIST annotates groups"),
    ],
)
def test_an_annotation_that_contradicts_its_column_has_a_problem_and_the_value_is_read_as_stored(
    column, words
):
    problem = annotation(column).problem
    assert isinstance(problem, CorruptFileError)
    assert words in problem.message
    assert "column c" in problem.message
    stamps = column.physical_type == Type.INT96
    assert types.arrow_type(column) == (
        pa.timestamp("ns") if stamps else types.physical_arrow_type(column)
    )
    assert meaning(column).name == ""
    stored = {1: 7, 2: 7, 5: 7.5}.get(column.physical_type, b"\x07" * 12)
    explained = value_text.explain_value(column, stored)
    assert words in explained["note"]
    assert explained["physical"] == stored
    assert bytes.fromhex(explained["hex"]) == value_text.stored_bytes(column, stored)


def test_an_unknown_time_unit_is_unsupported_not_corrupt():
    column = leaf(Type.INT64, timestamp(structs.TimeUnit()))
    assert isinstance(annotation(column).problem, UnsupportedFeatureError)
    assert types.arrow_type(column) == pa.int64()
    assert value_text.explain_value(column, 5)["logical"] == "5"


def test_an_unknown_physical_type_is_unsupported():
    column = leaf(Type.INT32)
    column.physical_type = 42
    with pytest.raises(UnsupportedFeatureError):
        types.arrow_type(column)


@pytest.mark.parametrize(
    ("length", "digits"), [(0, 0), (1, 2), (4, 9), (8, 18), (16, 38), (32, 76)]
)
def test_digits_that_fit_into_bytes(length, digits):
    assert max_digits(length) == digits


def test_digits_of_a_huge_length_are_estimated_not_computed():
    assert max_digits(2**31 - 1) == 5171655943


# ------------------------------------------------------------------ arrays


@pytest.mark.parametrize(
    ("physical", "column", "expected"),
    [
        (pa.array([1, -1], pa.int32()), leaf(Type.INT32, integer(32, False)), [1, 2**32 - 1]),
        (pa.array([1, 300, -1], pa.int32()), leaf(Type.INT32, integer(8, True)), [1, 44, -1]),
        (pa.array([1, 300, -1], pa.int32()), leaf(Type.INT32, integer(8, False)), [1, 44, 255]),
        (pa.array([0, -719162], pa.int32()), leaf(Type.INT32, DATE), [datetime.date(1970, 1, 1), datetime.date(1, 1, 1)]),
        (pa.array([b"\x00\x3c", b"\x00\xc0"], pa.binary(2)), leaf(Type.FIXED_LEN_BYTE_ARRAY, FLOAT16, length=2), [1.0, -2.0]),
        (pa.array([b"", "é".encode()]), leaf(Type.BYTE_ARRAY, STRING), ["", "é"]),
        (pa.array([b"x"], pa.large_binary()), leaf(Type.BYTE_ARRAY, STRING), ["x"]),
        (pa.array([7, 8], pa.int32()), leaf(Type.INT32, {"UNKNOWN": structs.NullType()}), [None, None]),
        (pa.array([150, -5], pa.int32()), leaf(Type.INT32, dec(5, 2)), [decimal.Decimal("1.50"), decimal.Decimal("-0.05")]),
        (pa.array([-(10**17)], pa.int64()), leaf(Type.INT64, dec(18, 0)), [decimal.Decimal(-(10**17))]),
        (pa.array([b"\x01\x00", b"\xff\xff"], pa.binary(2)), leaf(Type.FIXED_LEN_BYTE_ARRAY, dec(4, 1), length=2), [decimal.Decimal("25.6"), decimal.Decimal("-0.1")]),
        (pa.array([b"\x05", b"\xff\x00", b"\x00\x80"]), leaf(Type.BYTE_ARRAY, dec(20, 0)), [5, -256, 128]),
        (pa.array([b"\x05"]), leaf(Type.BYTE_ARRAY, dec(77, 0)), [b"\x05"]),
        (pa.array([b"\x00" * 33], pa.binary(33)), leaf(Type.FIXED_LEN_BYTE_ARRAY, dec(78, 0), length=33), [b"\x00" * 33]),
    ],
)  # fmt: skip
def test_arrays(physical, column, expected):
    result = types.to_arrow(physical, column)
    result.validate(full=True)
    assert result.to_pylist() == expected
    repeated = pa.concat_arrays([physical[:1], physical])
    assert types.to_arrow(repeated.slice(1), column).to_pylist() == expected, "of a slice"


def test_text_keeps_its_buffers_and_is_not_checked():
    physical = pa.array([b"ok", b"\xff\xfe"])
    text = types.to_arrow(physical, leaf(Type.BYTE_ARRAY, STRING))
    assert text.type == pa.string()
    assert [a.address for a in text.buffers()[1:]] == [b.address for b in physical.buffers()[1:]]
    assert text[0].as_py() == "ok"


def test_text_of_large_arrays_is_large_text():
    physical = pa.array([b"a"], pa.large_binary())
    assert types.to_arrow(physical, leaf(Type.BYTE_ARRAY, STRING)).type == pa.large_string()
    assert types.to_arrow(physical, leaf(Type.BYTE_ARRAY)).type == pa.large_binary()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-(10**38) + 1, 10**38 - 1), max_size=8),
    st.sampled_from(["fixed", "variable", "wide"]),
)
def test_decimals_of_any_width_are_those_of_python(numbers, form):
    if form == "variable":
        raw = [n.to_bytes((n.bit_length() // 8) + 1, "big", signed=True) for n in numbers]
        physical = pa.array(raw, pa.binary())
    else:
        length = 16 if form == "fixed" else 20
        raw = [n.to_bytes(length, "big", signed=True) for n in numbers]
        physical = pa.array(raw, pa.binary(length))
    assert decimals.to_arrow(physical, pa.decimal128(38, 0)).to_pylist() == numbers


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-(10**76) + 1, 10**76 - 1), max_size=6))
def test_wide_decimals_are_those_of_python(numbers):
    raw = [n.to_bytes((n.bit_length() // 8) + 1, "big", signed=True) for n in numbers]
    found = decimals.to_arrow(pa.array(raw, pa.binary()), pa.decimal256(76, 3)).to_pylist()
    with decimal.localcontext() as context:
        context.prec = 80
        assert found == [decimal.Decimal(n).scaleb(-3) for n in numbers]


@pytest.mark.parametrize(
    ("physical", "words"),
    [
        (pa.array([b"\x01", b"\x01" + b"\x00" * 16]), "(value 1)"),
        (pa.array([b"\x00" * 17, b"\x01" + b"\x00" * 16], pa.binary(17)), "(value 1)"),
        (pa.array([b"\x00\x80" + b"\x00" * 15], pa.binary(17)), "(value 0)"),
    ],
)
def test_decimals_that_do_not_fit(physical, words):
    with pytest.raises(CorruptFileError) as error:
        decimals.to_arrow(physical, pa.decimal128(38, 0))
    assert words in error.value.message


def in_bytes(numbers, kind):
    """The numbers as an array of a physical type, those that fit; binary with up to 40 bytes too many."""
    if pa.types.is_integer(kind):
        fitting = [n for n in numbers if abs(n) < 1 << (8 * kind.bit_width // 8 - 1)]
        return fitting, pa.array(fitting, kind)
    if pa.types.is_fixed_size_binary(kind):
        length = kind.byte_width
        fitting = [n for n in numbers if abs(n) < 1 << (8 * length - 1)]
        return fitting, pa.array([n.to_bytes(length, "big", signed=True) for n in fitting], kind)
    raw = [
        n.to_bytes(n.bit_length() // 8 + 1 + (0, 1, 40)[at % 3], "big", signed=True)
        for at, n in enumerate(numbers)
    ]
    return numbers, pa.array(raw, kind)


AROUND_LIMITS = [
    sign * 10**digits + more
    for digits in (0, 1, 5, 9, 18, 19, 20, 37, 38, 39, 75, 76, 77, 90)
    for sign in (1, -1)
    for more in (-1, 0, 1)
]


@pytest.mark.parametrize(
    "kind",
    [pa.int32(), pa.int64(), pa.binary(), pa.large_binary()]
    + [pa.binary(length) for length in (4, 8, 9, 16, 17, 32, 33, 45)],
    ids=str,
)
def test_decimals_with_too_many_digits_are_seen_at_every_limit(kind):
    numbers, physical = in_bytes(AROUND_LIMITS, kind)
    for precision in (1, 5, 9, 18, 19, 37, 38, 39, 75, 76, 77, 5_000, 2**31 - 1):
        expected = [abs(number) >= 10 ** min(precision, 100) for number in numbers]
        assert decimals.beyond(physical, precision).tolist() == expected
        for at, one in enumerate(expected):
            assert decimals.beyond(physical.slice(at, 1), precision).tolist() == [one]


@pytest.mark.parametrize(
    ("declared", "numbers", "expected"),
    [
        (5, [99_999, -99_999], pa.decimal128(5, 2)),
        (5, [100_000], pa.decimal128(38, 2)),
        (38, [10**38 - 1], pa.decimal128(38, 2)),
        (38, [-(10**38)], pa.decimal256(76, 2)),
        (5, [10**76 - 1], pa.decimal256(76, 2)),
        (5, [10**76], pa.binary()),
        (76, [2**255 - 1], pa.binary()),
        (5, [10**90, 1], pa.binary()),
        (77, [10**90], pa.binary()),
        (5, [], pa.decimal128(5, 2)),
    ],
)
@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary(45)], ids=str)
def test_values_decide_how_wide_a_decimal_is(declared, numbers, expected, kind):
    physical = in_bytes(numbers, kind)[1]
    fixed = pa.types.is_fixed_size_binary(kind)
    column = leaf(
        Type.FIXED_LEN_BYTE_ARRAY if fixed else Type.BYTE_ARRAY,
        dec(declared, 2),
        length=kind.byte_width if fixed else None,
    )
    small = in_bytes([7], kind)[1]
    assert types.type_of(column, [small, physical]) == expected
    found = types.to_arrow(physical, column)
    found.validate(full=True)
    if pa.types.is_binary(expected):
        assert found.cast(pa.binary()).to_pylist() == physical.cast(pa.binary()).to_pylist()
    else:
        assert [int(one.as_py().scaleb(2, decimal.Context(prec=80))) for one in found] == numbers


def test_a_decimal_of_no_bytes_is_zero():
    for values in ([b"", b"\x05"], [b""], [b"\xff", b""]):
        found = types.to_arrow(pa.array(values), leaf(Type.BYTE_ARRAY, dec(5, 2)))
        assert [one.is_zero() for one in found.to_pylist()] == [not value for value in values]


# ------------------------------------------------------------------ INT96


def int96_array(*pairs):
    return pa.array([struct.pack("<qi", nanos, day) for day, nanos in pairs], pa.binary(12))


@pytest.mark.parametrize(
    ("day", "nanos", "unit"),
    [
        (2440588, 0, "ns"),
        (2440588, -1, "ns"),
        (2440588 + 106751, 85636854775807, "ns"),
        (2440588 + 106751, 85636854775808, "us"),
        (2440588 - 106752, 763145224192, "ns"),
        (2440588 - 106752, 763145224191, "us"),
        (1721426, 0, "us"),
        (1, 0, "us"),
    ],
)
def test_int96_is_in_nanoseconds_if_all_values_fit(day, nanos, unit):
    array = int96_array((2440588, 5), (day, nanos))
    assert types.type_of(leaf(Type.INT96), [int96_array(), array]) == pa.timestamp(unit)
    expected = (day - 2440588) * 86_400 * 10**9 + nanos
    result = types.to_arrow(array, leaf(Type.INT96), pa.timestamp(unit))
    assert result.type == pa.timestamp(unit)
    assert result.cast(pa.int64())[1].as_py() == expected // (1 if unit == "ns" else 1000)


def test_int96_of_julian_day_0_is_the_epoch_as_in_arrow():
    array = int96_array((0, 0), (0, 99))
    assert types.type_of(leaf(Type.INT96), [array]) == pa.timestamp("ns")
    assert int96.to_arrow(array, "ns").cast(pa.int64()).to_pylist() == [0, 0]


def test_int96_of_a_slice():
    array = int96_array((0, 0), (2440588, 7))
    assert int96.to_arrow(array.slice(1), "ns").cast(pa.int64()).to_pylist() == [7]


def test_int96_beyond_microseconds_is_refused_not_wrapped():
    array = int96_array((2440588, 0), (2**31 - 1, 0))
    assert types.type_of(leaf(Type.INT96), [array]) == pa.timestamp("us")
    with pytest.raises(UnsupportedFeatureError, match="INT96 value 1"):
        types.to_arrow(array, leaf(Type.INT96))


def test_int96_that_overflowed_in_spark_is_wrapped_back():
    """The microseconds are those of the file's own description, int96_from_spark.md."""
    stored = pa.array([bytes.fromhex("0060b9c76ee2ffffa8abb0f9")], pa.binary(12))
    assert types.to_arrow(stored, leaf(Type.INT96)).cast(pa.int64()).to_pylist() == [
        9_089_380_393_200_000_000
    ]
    explained = value_text.explain_value(leaf(Type.INT96), stored[0].as_py())
    assert explained["logical"] == "+290000-12-30 23:00:00.000000"
    assert "overflowed" in explained["note"]


@pytest.mark.parametrize("pair", [(-(2**31), -1), (-105_862_232, 0)])
def test_int96_far_in_the_past_without_the_mark_of_an_overflow_is_refused(pair):
    with pytest.raises(UnsupportedFeatureError):
        types.to_arrow(int96_array(pair), leaf(Type.INT96))


# ------------------------------------------------------------------ one value


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
    column = leaf(
        Type.FIXED_LEN_BYTE_ARRAY, {"UNKNOWN": structs.NullType()}, length=12, converted=21
    )
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
    physical = data.draw(
        st.sampled_from([Type.BOOLEAN, Type.INT32, Type.INT64, Type.FLOAT, Type.DOUBLE])
    )
    column = leaf(physical)
    length = value_text.plain_length(column)
    raw = data.draw(st.binary(min_size=length, max_size=length))
    value = value_text.physical_value(column, raw)
    if value == value and physical != Type.BOOLEAN:
        assert value_text.stored_bytes(column, value) == raw


@pytest.mark.parametrize(
    ("physical", "raw"), [(Type.INT32, b"abc"), (Type.INT96, b""), (Type.BOOLEAN, b"")]
)
def test_values_of_the_wrong_length(physical, raw):
    with pytest.raises(CorruptFileError, match="expected"):
        value_text.physical_value(leaf(physical), raw)


# ------------------------------------------------------------------ other writers' files


def _storage(kind):
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _arrow_leaves(kind):
    kind = _storage(kind)
    if pa.types.is_map(kind):
        yield from _arrow_leaves(kind.key_type)
        yield from _arrow_leaves(kind.item_type)
    elif pa.types.is_struct(kind):
        for field in kind:
            yield from _arrow_leaves(field.type)
    elif pa.types.is_list(kind):
        yield from _arrow_leaves(kind.value_type)
    else:
        yield kind


@pytest.mark.parametrize(
    "folder",
    [
        "apache__parquet-testing/data",
        "hangxie__parquet-tools",
        "r-lib__nanoparquet",
        "dask__fastparquet",
    ],
)
@needs_pyarrow(18, "it reads JSON and old types of time otherwise")
def test_types_are_those_of_pyarrow_without_hints(corpus, folder):
    compared = 0
    for path in sorted((corpus / folder).rglob("*.parquet")):
        data = path.read_bytes() if path.is_file() else b""
        start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        if data[-4:] != b"PAR1" or start < 0:
            continue
        footer = data[start:].replace(b"ARROW:schema", b"ARROW:ignore")
        try:
            theirs = pq.ParquetFile(pa.BufferReader(data[:start] + footer)).schema_arrow
            metadata = fast.decode(structs.FileMetaData, data[start:-8])[0]
            leaves = schema.build(metadata.schema).leaves
        except (pa.ArrowException, OSError, ParquetError):
            continue
        expected = [kind for field in theirs for kind in _arrow_leaves(field.type)]
        if len(expected) != len(leaves):
            continue
        for column, kind in zip(leaves, expected, strict=True):
            assert types.arrow_type(column) == kind, f"{path.name} {column.path}"
            compared += 1
    assert compared > 20


def test_small_integers_stay_numpy_compatible():
    array = types.to_arrow(pa.array([1, 2], pa.int32()), leaf(Type.INT32, integer(16, True)))
    assert array.to_numpy().dtype == np.int16
