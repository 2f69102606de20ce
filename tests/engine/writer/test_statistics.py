"""Bounds: in every order, with NaN, zeros and nulls, whole and cut; and the indexes made of them."""

import struct
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import ours

import pqexplore
from pqexplore.engine.format.ordering import order_key
from pqexplore.engine.format.schema import build
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import BoundaryOrder
from pqexplore.engine.writer import assembly
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.statistics import MinMax, cut


def chunk_of(values, kind, **options):
    return (
        pqexplore.open(ours(pa.table({"a": pa.array(values, kind)}), WriteOptions(**options))).row_groups[0].columns[0]
    )


def double(*values):
    return struct.pack(f"<{len(values)}d", *values)


NAN = float("nan")
TOTAL = {"column_order": "IEEE_754_TOTAL_ORDER"}
INTERVAL = {"columns": {"a": {"logical_type": "INTERVAL"}}}


@pytest.mark.parametrize(
    ("values", "kind", "options", "expected"),
    [
        ([3, -1, None, 2], pa.int64(), {}, (struct.pack("<q", -1), struct.pack("<q", 3))),
        ([1, 255], pa.uint8(), {}, (struct.pack("<i", 1), struct.pack("<i", 255))),
        ([1, 1 << 63], pa.uint64(), {}, (struct.pack("<Q", 1), struct.pack("<Q", 1 << 63))),
        ([True, False], pa.bool_(), {}, (b"\0", b"\1")),
        (["b", "ä", "a"], pa.string(), {}, (b"a", "ä".encode())),
        ([b"\xff", b"\x00"], pa.binary(), {}, (b"\x00", b"\xff")),
        ([b"\xff\0", b"\0\1"], pa.binary(2), {}, (b"\0\1", b"\xff\0")),
        ([1.5, NAN, -2.0], pa.float64(), {}, (double(-2), double(1.5))),
        ([0.0], pa.float64(), {}, (double(-0.0), double(0.0))),
        ([-0.0], pa.float64(), {}, (double(-0.0), double(0.0))),
        ([0.0], pa.float64(), TOTAL, (double(0.0), double(0.0))),
        ([0.0, -0.0], pa.float64(), TOTAL, (double(-0.0), double(0.0))),
        ([NAN, 1.0], pa.float64(), TOTAL, (double(1), double(1))),
        ([NAN], pa.float64(), TOTAL, (double(NAN), double(NAN))),
        ([NAN, None], pa.float64(), {}, (None, None)),
        ([None, None], pa.int32(), {}, (None, None)),
        ([bytes(12)], pa.binary(12), INTERVAL, (None, None)),
        ([np.float16(2), np.float16(-1)], pa.float16(), {}, (b"\x00\xbc", b"\x00\x40")),
    ],
)
def test_the_bounds_of_a_chunk(values, kind, options, expected):
    said = chunk_of(values, kind, **options).metadata.statistics
    assert (said.min_value, said.max_value) == expected
    assert said.null_count == sum(value is None for value in values)


@pytest.mark.parametrize("physical_type", ["INT32", "INT64", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"])
def test_decimals_are_ordered_as_numbers_however_they_are_stored(physical_type):
    numbers = [None if n is None else Decimal(n) for n in (100, -3, None, 7, -300)]
    values = pa.array(numbers, pa.decimal128(9, 0))
    chunk = chunk_of(values, values.type, columns={"a": {"physical_type": physical_type}})
    order = "little" if physical_type.startswith("INT") else "big"
    said = chunk.metadata.statistics
    assert int.from_bytes(said.min_value, order, signed=True) == -300
    assert int.from_bytes(said.max_value, order, signed=True) == 100


def test_int96_has_bounds_under_its_own_order_only():
    values = pa.array([5, -5, 1_000_000_000_000_000], pa.timestamp("us"))
    stored = {"columns": {"a": {"physical_type": "INT96"}}}
    assert chunk_of(values, values.type, **stored).metadata.statistics.min_value is None
    stored["columns"]["a"]["column_order"] = "INT96_TIMESTAMP_ORDER"
    said = chunk_of(values, values.type, **stored).metadata.statistics
    nanos, day = struct.unpack("<qi", said.min_value)
    assert (day, nanos) == (2_440_587, 86_399_999_995_000)
    assert struct.unpack("<qi", said.max_value)[1] == 2_440_588 + 11_574


def test_statistics_have_the_chosen_fields():
    asked = ("distinct_count", "legacy", "nan_count")
    said = chunk_of([1, 2, 2, None], pa.int32(), statistics_fields=asked).metadata.statistics
    assert said == structs.Statistics(distinct_count=2, min=struct.pack("<i", 1), max=struct.pack("<i", 2))
    assert chunk_of([1], pa.int32(), statistics=()).metadata.statistics is None
    assert chunk_of([NAN, 1, NAN], pa.float64()).metadata.statistics.nan_count == 2
    assert chunk_of([1, 2], pa.int32()).metadata.statistics.is_max_value_exact is True


TEXT = structs.LogicalType(STRING=structs.StringType())


def leaf_of(type, **fields):
    elements = [assembly.element("schema", num_children=1), assembly.element("a", type, **fields)]
    return build(elements).leaves[0]


@pytest.mark.parametrize(
    ("logical", "bounds", "length", "expected"),
    [
        (TEXT, (b"abc", b"abc"), 3, (b"abc", b"abc", True, True)),
        (TEXT, (b"abc", b"abc"), 2, (b"ab", b"ac", False, False)),
        (TEXT, (b"ab", b"xyz"), 2, (b"ab", b"xz", True, False)),
        # ä is two bytes: it is kept whole, or not at all, and raised as a character.
        (TEXT, ("aä".encode(), "aä".encode()), 2, (b"a", b"b", False, False)),
        (TEXT, ("ää".encode(), "ää".encode()), 3, ("ä".encode(), "å".encode(), False, False)),
        # The character after U+007F takes two bytes, which are one too many: the one before is raised.
        (TEXT, (b"", b"a\x7fc"), 2, (b"", b"b", True, False)),
        (TEXT, (b"", b"\x7f\x7f"), 1, (b"", b"\x7f\x7f", True, True)),
        (TEXT, (b"", "\U0010ffff!".encode()), 4, (b"", "\U0010ffff!".encode(), True, True)),
        (TEXT, (b"", "\ud7ffx".encode()), 3, (b"", "\ue000".encode(), True, False)),
        (None, (b"\0\1\2", b"\1\xff\xff"), 2, (b"\0\1", b"\2", False, False)),
        (None, (b"", b"\xff\xff\xff"), 2, (b"", b"\xff\xff\xff", True, True)),
        (None, (b"abc", b"abc"), None, (b"abc", b"abc", True, True)),
    ],
)  # fmt: skip
def test_truncated_bounds_are_still_bounds(logical, bounds, length, expected):
    made = cut(leaf_of(6, logicalType=logical), MinMax(*bounds), length)
    assert (made.min, made.max, made.min_exact, made.max_exact) == expected


def test_bounds_of_numbers_are_not_truncated():
    bounds = MinMax(bytes(8), bytes(8))
    assert cut(leaf_of(2), bounds, 1) is bounds


@settings(deadline=None)
@given(st.text(min_size=1, max_size=9), st.integers(1, 8), st.booleans())
def test_truncated_bounds_enclose_the_text(text, length, is_text):
    leaf = leaf_of(6, logicalType=TEXT if is_text else None)
    raw = text.encode()
    made = cut(leaf, MinMax(raw, raw), length)
    assert made.min <= raw <= made.max
    assert len(made.min) <= length
    assert len(made.max) <= length or made.max_exact
    if is_text:
        made.min.decode()
        made.max.decode()


@pytest.mark.parametrize(
    ("values", "order"),
    [
        ([1, 2, 3, 4], BoundaryOrder.ASCENDING),
        ([4, 3, 2, 1], BoundaryOrder.DESCENDING),
        ([1, 3, 2, 4], BoundaryOrder.UNORDERED),
        ([1, 1, 1, 1], BoundaryOrder.ASCENDING),
        ([4, None, None, 1], BoundaryOrder.DESCENDING),
        ([None, None, None, None], BoundaryOrder.ASCENDING),
    ],
)
def test_the_boundary_order_of_pages(values, order):
    index = chunk_of(values, pa.int32(), page_rows=1).column_index
    assert index.boundary_order == order
    assert index.null_pages == [value is None for value in values]
    assert [low == b"" for low in index.min_values] == index.null_pages
    assert index.null_counts == [int(value is None) for value in values]


def test_page_of_nans_under_type_order_gives_no_column_index():
    chunk = chunk_of([1.0, NAN], pa.float64(), page_rows=1)
    assert chunk.column_index is None
    assert len(chunk.offset_index.page_locations) == 2
    total = chunk_of([1.0, NAN], pa.float64(), page_rows=1, **TOTAL).column_index
    assert total.nan_counts == [0, 1]
    assert total.min_values == [double(1), double(NAN)]


def test_size_statistics_add_up_over_the_pages():
    chunk = chunk_of([["a", None], [], None, ["bcd"]], pa.list_(pa.string()), page_rows=2)
    sizes = chunk.metadata.size_statistics
    assert sizes.unencoded_byte_array_data_bytes == 4
    assert sizes.repetition_level_histogram == [4, 1]
    assert sizes.definition_level_histogram == [1, 1, 1, 2]
    assert chunk.offset_index.unencoded_byte_array_data_bytes == [1, 3]
    assert chunk.column_index.repetition_level_histograms == [2, 1, 2, 0]
    assert chunk.column_index.definition_level_histograms == [0, 1, 1, 1, 1, 0, 0, 1]


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.none() | st.floats(), min_size=1, max_size=20), st.sampled_from(["TYPE_ORDER", "IEEE_754_TOTAL_ORDER"])
)
def test_every_float_lies_within_the_bounds(values, order):
    chunk = chunk_of(values, pa.float64(), column_order=order)
    said = chunk.metadata.statistics
    if said.min_value is None:
        return
    low, high = (order_key(chunk.leaf, raw) for raw in (said.min_value, said.max_value))
    for value in values:
        if value is not None and value == value:
            assert low <= order_key(chunk.leaf, double(value)) <= high
