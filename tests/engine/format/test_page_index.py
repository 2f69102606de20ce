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
        PageLocation(offset=offset, compressed_page_size=size, first_row_index=row)
        for offset, size, row in triples
    ]
    return OffsetIndex(page_locations=locations, **more)


def columns(lows, highs, nulls=None, order=1, **more):
    nulls = [False] * len(lows) if nulls is None else nulls
    return ColumnIndex(
        null_pages=nulls, min_values=lows, max_values=highs, boundary_order=order, **more
    )


OFFSETS = places((100, 50, 0), (150, 30, 10), (180, 40, 15))
COLUMNS = columns(i32(1, 0, 5), i32(4, 0, 9), [False, True, False], null_counts=[2, 5, 0])


def test_pages_read_both_indexes_side_by_side():
    first, second, third = page_index.pages(COLUMNS, OFFSETS, leaf(), 20)
    assert (first.offset, first.size, first.first_row, first.rows) == (100, 50, 0, 10)
    assert (first.min, first.max, first.null_count, first.null_page) == (1, 4, 2, False)
    assert (second.min, second.min_raw, second.rows, second.null_page) == (None, None, 5, True)
    assert (third.first_row, third.rows, third.max_raw) == (15, 5, i32(9)[0])
    assert page_index.problems(COLUMNS, OFFSETS, leaf(), 20) == []


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
    ("index", "words"),
    [
        (OffsetIndex(), "lacks the required page_locations"),
        (OffsetIndex(page_locations=[PageLocation(offset=4)]), "without a required field"),
        (places((4, 0, 0)), "page 0 has a compressed_page_size of 0"),
        (places((4, 10, 0), (13, 10, 5)), "page 1 starts before page 0 ends"),
        (places((4, 10, 0), (14, 10, 5), (24, 10, 3)), "page 2 starts at row 3, page 1 at row 5"),
        (places((4, 10, 1)), "the first page starts at row 1"),
        (places((4, 10, 0), (14, 10, 20)), "page 1 starts at row 20, the row group has 20"),
        (places((4, 10, 0), unencoded_byte_array_data_bytes=[1, 2]), "2 unencoded_byte_array"),
    ],
)
def test_damaged_offset_indexes(index, words):
    said = page_index.problems(None, index, leaf(), 20)
    assert any(words in sentence for sentence in said), said


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (ColumnIndex(null_pages=[]), "lacks the required min_values, max_values, boundary_order"),
        (columns(i32(1), i32(1, 2)), "2 max_values for 1 pages"),
        (columns(i32(1), i32(2), null_counts=[0, 0]), "2 null_counts for 1 pages"),
        (columns(i32(1), i32(2), null_counts=[-1]), "page 0 has a negative entry in null_counts"),
        (columns(i32(1), i32(2), definition_level_histograms=[1, 2, 3]), "for 1 pages of 2 levels"),
        (columns(i32(1), i32(2), order=7), "boundary_order is 7"),
        (columns([b"abc"], i32(2)), "the bounds of page 0 are not values"),
        (columns(i32(3), i32(2)), "the minimum of page 0 is greater than its maximum"),
        (columns(i32(1, 3, 2), i32(1, 3, 2)), "ASCENDING, pages 1 and 2 are not"),
        (columns(i32(1, 1), i32(3, 2)), "ASCENDING, pages 0 and 1 are not"),
        (columns(i32(3, 4), i32(3, 4), order=2), "DESCENDING, pages 0 and 1 are not"),
    ],
)
def test_damaged_column_indexes(index, words):
    said = page_index.problems(index, None, leaf(), 20)
    assert any(words in sentence for sentence in said), said


@pytest.mark.parametrize("order", [0, 1])
def test_null_pages_take_no_part_in_the_order(order):
    index = columns(i32(1, 99, 2), i32(1, 0, 2), [False, True, False], order=order)
    assert page_index.problems(index, None, leaf(), 20) == []


def test_a_nan_bound_under_type_order():
    raw = [struct.pack("<d", float("nan"))]
    said = page_index.problems(columns(raw, raw), None, leaf(Type.DOUBLE), 1)
    assert said == ["page 0 has a NaN bound, which TYPE_ORDER forbids"]


@pytest.mark.parametrize(
    ("null_pages", "null_counts", "words"),
    [
        (
            [False, False, False],
            [2, 5, 0],
            "page 1 is marked as not a null page and has 5 nulls in 5 rows",
        ),
        (
            [True, True, False],
            [2, 5, 0],
            "page 0 is marked as a null page and has 2 nulls in 10 rows",
        ),
        ([False, True, False], [2, 5, 6], "page 2 has 6 nulls in 5 rows"),
    ],
)
def test_null_pages_against_null_counts(null_pages, null_counts, words):
    index = columns(i32(1, 2, 5), i32(4, 6, 9), null_pages, null_counts=null_counts)
    assert page_index.problems(index, OFFSETS, leaf(), 20) == [words]


def test_indexes_of_different_length():
    said = page_index.problems(columns(i32(1), i32(2)), OFFSETS, leaf(), 20)
    assert said == ["the column index has 1 pages, the offset index 3"]


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
