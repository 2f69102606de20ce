"""Schema elements in, Arrow types and arrays out."""

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pytest
from engine.format.leaves import DATE, FLOAT16, MICROS, MILLIS, NANOS, STRING, UUID, dec, integer, leaf, time, timestamp
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.format import decimal as decimals
from pqexplore.engine.format import types, value_text
from pqexplore.engine.format.field import CONVERTED_NULL
from pqexplore.engine.format.logical import annotation, max_digits, meaning
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, Type

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
    (*(Type.BYTE_ARRAY, {"GEOGRAPHY": structs.GeographyType(crs="OGC:CRS84", algorithm=4)}),
        *(None, pa.binary(), "GEOGRAPHY(OGC:CRS84, KARNEY)")),
    (Type.BYTE_ARRAY, {}, None, pa.binary(), "unrecognised annotation of BYTE_ARRAY"),
]  # fmt: skip


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
        (leaf(Type.INT32, {"DECIMAL": structs.DecimalType(precision=4)}), "lacks the required scale"),
        (leaf(Type.BYTE_ARRAY, {"LIST": structs.ListType()}), "LIST annotates groups"),
    ],
)
def test_an_annotation_that_contradicts_its_column_has_a_problem_and_the_value_is_read_as_stored(column, words):
    problem = annotation(column).problem
    assert isinstance(problem, CorruptFileError)
    assert words in problem.message
    assert "column `c`" in problem.message
    stamps = column.physical_type == Type.INT96
    assert types.arrow_type(column) == (pa.timestamp("ns") if stamps else types.physical_arrow_type(column))
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


@pytest.mark.parametrize(("length", "digits"), [(0, 0), (1, 2), (4, 9), (8, 18), (16, 38), (32, 76)])
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
@given(st.lists(st.integers(-(10**38) + 1, 10**38 - 1), max_size=8), st.sampled_from(["fixed", "variable", "wide"]))
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
    raw = [n.to_bytes(n.bit_length() // 8 + 1 + (0, 1, 40)[at % 3], "big", signed=True) for at, n in enumerate(numbers)]
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


def test_small_integers_stay_numpy_compatible():
    array = types.to_arrow(pa.array([1, 2], pa.int32()), leaf(Type.INT32, integer(16, True)))
    assert array.to_numpy().dtype == np.int16
