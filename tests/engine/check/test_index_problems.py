"""Column and offset indexes that contradict themselves, in sentences: no page is read."""

import struct
from types import SimpleNamespace

import pytest
from engine.format.test_page_index import OFFSETS, columns, i32, leaf, places

from pqexplore.engine.check.page_index import contradictions
from pqexplore.engine.format.thrift.structs import ColumnIndex, OffsetIndex, PageLocation, Type


def problems(column_index, offset_index, leaf, num_rows):
    chunk = SimpleNamespace(address="row_groups/0/columns/0", leaf=leaf, column_index=column_index,
        offset_index=offset_index, row_group=SimpleNamespace(metadata=SimpleNamespace(num_rows=num_rows)))  # fmt: skip
    return [finding.message for finding in contradictions(chunk)]


# column index | offset index | what is said
PROBLEMS = [
    (None, OffsetIndex(), "lacks the required page_locations"),
    (None, OffsetIndex(page_locations=[PageLocation(offset=4)]), "without a required field"),
    (None, places((4, 0, 0)), "page 0 has a compressed_page_size of 0"),
    (None, places((4, 10, 0), (13, 10, 5)), "page 1 starts before page 0 ends"),
    (None, places((4, 10, 0), (14, 10, 5), (24, 10, 3)), "page 2 starts at row 3, page 1 at row 5"),
    (None, places((4, 10, 1)), "the first page starts at row 1"),
    (None, places((4, 10, 0), (14, 10, 20)), "page 1 starts at row 20, the row group has 20"),
    (None, places((4, 10, 0), unencoded_byte_array_data_bytes=[1, 2]), "the column is not BYTE_ARRAY"),
    (ColumnIndex(null_pages=[]), None, "lacks the required min_values, max_values, boundary_order"),
    (columns(i32(1), i32(1, 2)), None, "2 max_values for 1 pages"),
    (columns(i32(1), i32(2), null_counts=[0, 0]), None, "2 null_counts for 1 pages"),
    (columns(i32(1), i32(2), null_counts=[-1]), None, "null_counts has -1 for data page 0"),
    (columns(i32(1), i32(2), definition_level_histograms=[1, 2, 3]), None, "for 1 pages of 2 levels"),
    (columns(i32(1), i32(2), order=7), None, "boundary_order is 7"),
    (columns([b"abc"], i32(2)), None, "the bounds of data page 0 are not values"),
    (columns(i32(3), i32(2)), None, "the min of data page 0, 3, is greater than its max, 2"),
    (columns(i32(1, 3, 2), i32(1, 3, 2)), None, "ASCENDING, pages 1 and 2 are not"),
    (columns(i32(1, 1), i32(3, 2)), None, "ASCENDING, pages 0 and 1 are not"),
    (columns(i32(3, 4), i32(3, 4), order=2), None, "DESCENDING, pages 0 and 1 are not"),
    (columns(i32(1), i32(2)), OFFSETS, "the column index has 1 entries, the offset index has 3 data pages"),
]


@pytest.mark.parametrize(("column_index", "offset_index", "words"), PROBLEMS)
def test_damaged_indexes(column_index, offset_index, words):
    said = problems(column_index, offset_index, leaf(), 20)
    assert any(words in sentence for sentence in said), said


@pytest.mark.parametrize("order", [0, 1])
def test_null_pages_take_no_part_in_the_order(order):
    nothing = b""
    index = columns([*i32(1), nothing, *i32(1)], [*i32(1), nothing, *i32(1)], [False, True, False])
    index.boundary_order = order
    assert problems(index, None, leaf(), 20) == []


def test_a_nan_bound_under_type_order():
    raw = [struct.pack("<d", float("nan"))]
    said = problems(columns(raw, raw), None, leaf(Type.DOUBLE), 1)
    assert said == ["data page 0 has a NaN bound, which TYPE_ORDER forbids"]


@pytest.mark.parametrize(
    ("null_pages", "null_counts", "words"),
    [
        ([False, False, False], [2, 5, 0], "null_pages is false for data page 1, which has 5 nulls in 5 rows"),
        ([True, True, False], [2, 5, 0], "null_pages is true for data page 0, which has 2 nulls in 10 rows"),
        ([False, True, False], [2, 5, 6], "page 2 has 6 nulls in 5 rows"),
    ],
)
def test_null_pages_against_null_counts(null_pages, null_counts, words):
    lows, highs = i32(1, 2, 5), i32(4, 6, 9)
    for i, null in enumerate(null_pages):
        if null:
            lows[i] = highs[i] = b""
    index = columns(lows, highs, null_pages, null_counts=null_counts)
    assert problems(index, OFFSETS, leaf(), 20) == [words]
