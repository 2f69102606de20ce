"""Column and offset indexes in, pages and contradictions out."""

import struct

import pytest

from pqexplore.engine.format import page_index, schema
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import (
    ColumnIndex,
    ColumnOrder,
    OffsetIndex,
    PageLocation,
    SchemaElement,
    Type,
)


def leaf(physical=Type.INT32, repetition=1):
    element = SchemaElement(type=int(physical), repetition_type=repetition, name="c")
    root = SchemaElement(name="schema", num_children=1)
    order = ColumnOrder(TYPE_ORDER=structs.TypeDefinedOrder())
    return schema.build([root, element], column_orders=[order]).leaves[0]


def i32(*numbers):
    return [struct.pack("<i", n) for n in numbers]


def places(*triples, **more):
    locations = [
        PageLocation(offset=offset, compressed_page_size=size, first_row_index=row) for offset, size, row in triples
    ]
    return OffsetIndex(page_locations=locations, **more)


def columns(lows, highs, nulls=None, order=1, **more):
    nulls = [False] * len(lows) if nulls is None else nulls
    return ColumnIndex(null_pages=nulls, min_values=lows, max_values=highs, boundary_order=order, **more)


OFFSETS = places((100, 50, 0), (150, 30, 10), (180, 40, 15))
COLUMNS = columns(i32(1, 0, 5), i32(4, 0, 9), [False, True, False], null_counts=[2, 5, 0])


def test_pages_read_both_indexes_side_by_side():
    first, second, third = page_index.pages(COLUMNS, OFFSETS, leaf(), 20)
    assert (first.offset, first.size, first.first_row, first.rows) == (100, 50, 0, 10)
    assert (first.min, first.max, first.null_count, first.null_page) == (1, 4, 2, False)
    assert (second.min, second.min_raw, second.rows, second.null_page) == (None, None, 5, True)
    assert (third.first_row, third.rows, third.max_raw) == (15, 5, i32(9)[0])


def test_one_index_alone_is_enough():
    assert [p.rows for p in page_index.pages(None, OFFSETS, leaf(), 20)] == [10, 5, 5]
    assert [p.min for p in page_index.pages(COLUMNS, None, leaf(), 20)] == [1, None, 5]
    assert len(page_index.pages(None, None, leaf(), 20)) == 0


def test_a_damaged_entry_is_left_out():
    damaged = columns([b"abc"], i32(1))
    page = page_index.pages(damaged, None, leaf(), 1)[0]
    assert (page.min, page.min_raw, page.max) == (None, b"abc", 1)
    short = ColumnIndex(null_pages=[False, False], min_values=i32(1), max_values=None)
    assert page_index.pages(short, None, leaf(), 1)[1].min is None


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (100, 220, ([100, 150, 180, 220], 0)),
        (80, 220, ([80, 100, 150, 180, 220], 1)),
        (101, 220, None),
        (100, 221, None),
        (100, 219, None),
    ],
)
def test_page_starts_of_offset_indexes(start, end, expected):
    assert page_index.page_starts(OFFSETS, start, end) == expected


@pytest.mark.parametrize(
    "index",
    [None, OffsetIndex(), places(), places((100, 50, 0), (151, 30, 1)), places((100, -1, 0)), OffsetIndex(page_locations=[PageLocation()])],
)  # fmt: skip
def test_an_offset_index_that_does_not_account_for_the_chunk(index):
    assert page_index.page_starts(index, 100, 180) is None
