"""Statistics in, bounds and verdicts out; and order keys, which compare as values do."""

import decimal
import functools
import math
import struct

import pytest
from engine.format import leaves
from engine.format.leaves import FLOAT16, STRING
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format import literals, statistics
from pqexplore.engine.format.ordering import Order, declared_order, order_key, type_order
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ColumnOrder, Statistics, Type

TYPE_ORDER = ColumnOrder(TYPE_ORDER=structs.TypeDefinedOrder())
TOTAL_ORDER = ColumnOrder(IEEE_754_TOTAL_ORDER=structs.IEEE754TotalOrder())
INT96_ORDER = ColumnOrder(INT96_TIMESTAMP_ORDER=structs.Int96TimestampOrder())
NEW_MR = "parquet-mr version 1.13.1 (build db4183109d5b734ec5930d870cdae161e408ddba)"


leaf = functools.partial(leaves.leaf, repetition=1, order=TYPE_ORDER)

UINT32, DEC = leaves.integer(32, False), leaves.dec(18, 2)
i32, i64, f64 = (struct.Struct(code).pack for code in ("<i", "<q", "<d"))


# ------------------------------------------------------------------ orders


@pytest.mark.parametrize(
    ("column", "order"),
    [
        (leaf(Type.BOOLEAN), Order.BOOLEAN),
        (leaf(Type.INT32), Order.SIGNED),
        (leaf(Type.INT32, UINT32), Order.UNSIGNED),
        (leaf(Type.INT96), Order.NONE),
        (leaf(Type.INT96, order=INT96_ORDER), Order.INT96),
        (leaf(Type.DOUBLE), Order.FLOAT),
        (leaf(Type.DOUBLE, order=TOTAL_ORDER), Order.TOTAL),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, FLOAT16, length=2, order=TOTAL_ORDER), Order.TOTAL),
        (leaf(Type.BYTE_ARRAY, STRING, order=TOTAL_ORDER), Order.NONE),
        (leaf(Type.BYTE_ARRAY, STRING), Order.BYTES),
        (leaf(Type.BYTE_ARRAY), Order.BYTES),
        (leaf(Type.BYTE_ARRAY, DEC), Order.DECIMAL),
        (leaf(Type.BYTE_ARRAY, {"GEOMETRY": structs.GeometryType()}), Order.NONE),
        (leaf(Type.BYTE_ARRAY, {}), Order.NONE),
        (leaf(Type.INT32, STRING), Order.NONE),
        (leaf(Type.INT32, order=None), None),
        (leaf(Type.INT32, order=ColumnOrder()), None),
    ],
)
def test_the_order_of_a_column(column, order):
    assert declared_order(column) is order


def ascending(column, raws):
    keys = [order_key(column, raw) for raw in raws]
    assert None not in keys
    assert all(a < b for a, b in zip(keys, keys[1:], strict=False)), keys


def nan(bits):
    return struct.pack("<Q", bits)


@pytest.mark.parametrize(
    ("column", "raws"),
    [
        (leaf(Type.BOOLEAN), [b"\0", b"\1"]),
        (leaf(Type.INT32), [i32(n) for n in (-(2**31), -1, 0, 1, 2**31 - 1)]),
        (leaf(Type.INT32, UINT32), [i32(n) for n in (0, 1, 2**31 - 1, -(2**31), -1)]),
        (leaf(Type.INT64), [i64(n) for n in (-256, -255, 0, 255, 256)]),
        (leaf(Type.DOUBLE), [f64(n) for n in (-math.inf, -1.5, -5e-324, 0.0, 5e-324, 1e300, math.inf)]),
        (leaf(Type.DOUBLE, order=TOTAL_ORDER), [nan(2**64 - 1), f64(-math.inf), f64(-0.0), f64(0.0), f64(math.inf), nan(0x7FF8 << 48)]),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, FLOAT16, length=2), [struct.pack("<e", n) for n in (-2, -1, 0, 0.5, 65504)]),
        (leaf(Type.BYTE_ARRAY, STRING), [b"", b"Z", b"a", b"ab", "é".encode(), b"\xff"]),
        (leaf(Type.BYTE_ARRAY, DEC), [n.to_bytes(length, "big", signed=True) for n, length in ((-65536, 9), (-257, 2), (-256, 2), (-1, 1), (0, 3), (1, 1), (127, 1), (128, 8), (256, 2))]),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, DEC, length=8), [n.to_bytes(8, "big", signed=True) for n in (-(2**63), -1, 0, 1)]),
        (leaf(Type.INT96, order=INT96_ORDER), [struct.pack("<qi", n, d) for n, d in ((5, -1), (-1, 0), (0, 0), (1, 0), (0, 1))]),
    ],
)  # fmt: skip
def test_order_keys_ascend_as_values_do(column, raws):
    ascending(column, raws)


def test_under_type_order_zeros_are_equal_and_nan_has_no_key():
    column = leaf(Type.DOUBLE)
    assert order_key(column, f64(-0.0)) == order_key(column, f64(0.0))
    assert order_key(column, f64(math.nan)) is None


def test_a_decimal_has_one_key_however_many_bytes_it_takes():
    column = leaf(Type.BYTE_ARRAY, DEC)
    assert order_key(column, b"\x05") == order_key(column, b"\x00\x00\x05")
    assert order_key(column, b"\xfb") == order_key(column, b"\xff\xff\xfb")


@settings(max_examples=80, deadline=None)
@given(st.integers(-(10**16), 10**16), st.integers(-(10**16), 10**16))
def test_decimal_keys_compare_as_numbers(a, b):
    column = leaf(Type.BYTE_ARRAY, DEC)
    one, other = (order_key(column, literals.plain_bytes(column, decimal.Decimal(n).scaleb(-2))) for n in (a, b))
    assert (one < other) == (a < b)


@pytest.mark.parametrize(
    ("column", "raw"),
    [
        (leaf(Type.INT32), b"abc"),
        (leaf(Type.DOUBLE), b""),
        (leaf(Type.BYTE_ARRAY, DEC), b""),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, length=2), b"abc"),
    ],
)
def test_keys_of_the_wrong_length(column, raw):
    with pytest.raises(CorruptFileError):
        order_key(column, raw)


# ------------------------------------------------------------------ bounds


def test_bounds_of_a_column():
    given = Statistics(min_value=i32(-5), max_value=i32(7), null_count=2, distinct_count=9, is_min_value_exact=True)
    found = statistics.bounds(leaf(Type.INT32), given, NEW_MR)
    assert (found.min, found.max, found.min_exact, found.max_exact) == (-5, 7, True, None)
    assert (found.null_count, found.distinct_count, found.nan_count) == (2, 9, None)
    assert (found.source, found.trusted, found.why) == (statistics.NEW, True, "")
    assert found.min_key < found.max_key


def test_new_bounds_go_before_legacy_ones():
    given = Statistics(min=i32(1), max=i32(2), min_value=i32(3), max_value=i32(4))
    assert statistics.bounds(leaf(Type.INT32), given).min == 3


def test_no_statistics_and_no_bounds():
    assert statistics.bounds(leaf(Type.INT32), None) is None
    found = statistics.bounds(leaf(Type.INT32), Statistics(null_count=3))
    assert (found.null_count, found.trusted, found.min) == (3, False, None)


def new(low, high, **more):
    return Statistics(min_value=low, max_value=high, **more)


@pytest.mark.parametrize(
    ("column", "given", "trusted", "words"),
    [
        (leaf(Type.INT32, order=None), new(i32(1), i32(2)), False, "no known column order"),
        (leaf(Type.INT32), new(i32(2), i32(1)), False, "min is greater than max"),
        (leaf(Type.INT32, UINT32), new(i32(1), i32(-1)), True, ""),
        (leaf(Type.INT32), new(i32(2), None), True, "no maximum"),
        (leaf(Type.DOUBLE), new(f64(0.0), f64(1.0)), True, "NaNs may be present"),
        (leaf(Type.DOUBLE), new(f64(0.0), f64(1.0), nan_count=0), True, ""),
        (leaf(Type.DOUBLE), new(f64(0.0), f64(math.nan)), False, "max is NaN"),
        (leaf(Type.DOUBLE), new(f64(math.nan), f64(math.nan)), False, "min and max are NaN"),
        (leaf(Type.DOUBLE), new(f64(0.0), f64(-0.0)), True, ""),
        (leaf(Type.DOUBLE, order=TOTAL_ORDER), new(f64(0.0), f64(1.0)), False, "requires nan_count"),
        (leaf(Type.DOUBLE, order=TOTAL_ORDER), new(f64(math.nan), f64(math.nan), nan_count=3), True, ""),
        (leaf(Type.DOUBLE, order=TOTAL_ORDER), new(f64(0.0), f64(-0.0), nan_count=0), False, "greater"),
        (leaf(Type.INT96), new(b"\0" * 12, b"\1" * 12), False, "INT96 has no order"),
        (leaf(Type.INT96, order=INT96_ORDER), new(b"\0" * 12, b"\1" * 12), True, ""),
        (leaf(Type.BYTE_ARRAY, {"GEOMETRY": structs.GeometryType()}), new(b"a", b"b"), False, "no order"),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, length=12, order=TYPE_ORDER), new(b"a", b"b"), True, ""),
    ],
)  # fmt: skip
def test_which_bounds_are_trusted(column, given, trusted, words):
    found = statistics.bounds(column, given, NEW_MR)
    assert found.trusted is trusted
    assert words in found.why


OLD = "parquet-mr version 1.6.0 (build 1)"


@pytest.mark.parametrize(
    ("column", "created_by", "equal", "words"),
    [
        (leaf(Type.INT32), OLD, False, ""),
        (leaf(Type.INT64, DEC), None, False, ""),
        (leaf(Type.DOUBLE), None, False, ""),
        (leaf(Type.INT32, UINT32), NEW_MR, False, "signed"),
        (leaf(Type.INT32, UINT32), NEW_MR, True, ""),
        (leaf(Type.BYTE_ARRAY, STRING), NEW_MR, False, "signed"),
        (leaf(Type.BYTE_ARRAY, STRING), NEW_MR, True, ""),
        (leaf(Type.BYTE_ARRAY, STRING), OLD, True, "PARQUET-251"),
        (leaf(Type.BYTE_ARRAY, STRING), "parquet-mr version 1.8.0", True, ""),
        (leaf(Type.BYTE_ARRAY, STRING), "parquet-mr version 1.5.0-cdh5.5.0 (build x)", True, ""),
        (leaf(Type.BYTE_ARRAY, STRING), "parquet-mr version 1.5.0-cdh5.4.2 (build x)", True, "PARQUET-251"),
        (leaf(Type.BYTE_ARRAY, STRING), "parquet-mr", True, "cannot be read"),
        (leaf(Type.BYTE_ARRAY, STRING), None, True, "does not name its writer"),
        (leaf(Type.BYTE_ARRAY, STRING), "impala version 2.0", True, ""),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, DEC, length=8), NEW_MR, False, "signed"),
    ],
)  # fmt: skip
def test_legacy_min_and_max(column, created_by, equal, words):
    low = b"\1" * (4 if column.physical_type == Type.INT32 else 8)
    high = low if equal else bytes([2]) + low[1:]
    found = statistics.bounds(column, Statistics(min=low, max=high), created_by)
    assert found.source == statistics.LEGACY
    assert words in found.why
    assert found.trusted is (not words)


@pytest.mark.parametrize(
    ("column", "given"),
    [
        (leaf(Type.INT32), Statistics(min_value=b"abc", max_value=i32(1))),
        (leaf(Type.INT64), Statistics(max=i32(1))),
        (leaf(Type.INT32), Statistics(null_count=-1)),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, length=2), new(b"abc", b"abc")),
        (leaf(Type.FIXED_LEN_BYTE_ARRAY, DEC, length=8), new(b"a", b"b")),
    ],
)
def test_damaged_statistics(column, given):
    with pytest.raises(CorruptFileError):
        statistics.bounds(column, given)


def test_bounds_of_text_are_text_and_may_be_cut():
    found = statistics.bounds(leaf(Type.BYTE_ARRAY, STRING), new(b"a", "é".encode()[:1]))
    assert found.min == "a"
    assert found.max == b"\xc3"


def test_type_order_needs_no_footer():
    assert type_order(leaf(Type.INT32, UINT32, order=None)) is Order.UNSIGNED
