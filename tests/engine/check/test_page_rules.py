"""Checks of pages and their indexes, with one fault each."""

import pytest
from engine.check import forged

import pqexplore
from pqexplore.engine.format import bloom
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ColumnIndex, Encoding, OffsetIndex, PageLocation, Type
from pqexplore.engine.writer import assembly

IDS = b"\x01\x03\x02"
"""Indexes into a dictionary: one bit wide, a group of eight: 0, 1, and padding."""


def dictionary(values=(1, 2), **fields):
    return assembly.dictionary_page(forged.encoded(values), len(values), **fields)


def by_dictionary(count=2, **fields):
    return assembly.page_v1(IDS, count, Encoding.RLE_DICTIONARY, **fields)


PAGES = {
    "a dictionary and its page": ([dictionary(), by_dictionary()], []),
    "a wrong checksum": ([forged.page([1], crc=1)], [("crc-mismatch", "error")]),
    "sorted as it says": ([dictionary(is_sorted=True), by_dictionary()], []),
    "not sorted as it says": ([dictionary((2, 1), is_sorted=True), by_dictionary()],
        [("dictionary-not-sorted", "error")]),
    "rows miscounted": ([assembly.page_v2(forged.encoded([1, 2]), 2, 3)],
        [("page-rows-disagree", "error"), ("rows-disagree", "error")]),
}  # fmt: skip


@pytest.mark.parametrize(("pages", "expected"), PAGES.values(), ids=PAGES)
def test_changed_page_has_findings(pages, expected):
    assert forged.rules(forged.one_column(pages)) == expected


def test_v2_page_that_begins_inside_a_record_is_an_error():
    first, second = forged.list_page([[1, 2]]), forged.list_page([[1], [2]])
    inside = assembly.page_v2(
        forged.encoded([3, 4]),
        2,
        1,
        repetition_levels=assembly.levels_v2(forged.bits([1, 0]), 1),
        definition_levels=assembly.levels_v2(forged.bits([3, 3]), 3),
    )
    assert forged.rules(forged.list_column([first, second])) == []
    assert forged.rules(forged.list_column([first, inside])) == [("page-inside-record", "error")]


def test_pages_after_an_unreadable_page_are_checked():
    broken = assembly.page_v1(b"\x01\x02", 2)
    data = forged.one_column([broken, forged.page([1], crc=1)])
    (unreadable, crc) = forged.findings(data)
    assert (unreadable.rule, unreadable.address) == ("unreadable", "row_groups/0/columns/0/pages/0/values")
    assert (crc.rule, crc.address) == ("crc-mismatch", "row_groups/0/columns/0/pages/1")


@pytest.mark.parametrize("at", ["page", "dictionary"])
def test_what_describes_a_page_is_not_blamed_for_its_changed_bytes(at):
    """The bounds are right, and so are the counts: the checksum says that the values are not those written."""
    crc = {"page": None, "dictionary": None} | {at: 1}
    pages = [dictionary((1, 7), crc=crc["dictionary"]), by_dictionary(crc=crc["page"])]
    bounds = structs.Statistics(min_value=forged.raw(1), max_value=forged.raw(2), distinct_count=1)
    right = structs.Statistics(min_value=forged.raw(1), max_value=forged.raw(7), distinct_count=2)
    for statistics in (bounds, right):
        data = forged.one_column(
            pages, metadata={"statistics": statistics}, column_index=index((1,), (2,), (False,)), offset_index=True
        )
        assert ("crc-mismatch", "error") in forged.rules(data)
        assert [rule for rule, _ in forged.rules(data) if rule != "crc-mismatch"] == []


# The page index: two pages of a required column, and two of an optional one.


def index(lows=(1, 3), highs=(2, 4), nulls=(False, False), order=1, **more):
    return ColumnIndex(
        null_pages=list(nulls),
        min_values=[forged.raw(value) for value in lows],
        max_values=[forged.raw(value) for value in highs],
        boundary_order=order,
        **more,
    )


def indexed(column_index, **more):
    pages = [forged.page([1, 2]), forged.page([3, 4])]
    return forged.one_column(pages, column_index=column_index, offset_index=True, **more)


INDEXES = {
    "right": (index(), []),
    "right, with counts": (index(null_counts=[0, 0]), []),
    "a bound too small": (index(highs=(1, 4)), [("column-index-bound", "error")]),
    "a bound wider than needed": (index(lows=(0, 3)), [("column-index-loose", "note")]),
    "nulls that are not there": (index(null_counts=[0, 1]), [("column-index-null-count", "error")]),
    "a null page with values": (index(nulls=(False, True)), [("null-page-disagrees", "error")]),
    "in no such order": (index(order=2), [("boundary-order-wrong", "error")]),
    "in an order that is not claimed": (index(order=0), [("boundary-order-unclaimed", "note")]),
    "an entry too few": (index((1,), (4,), (False,)), [("page-index-length", "error")]),
}


@pytest.mark.parametrize(("column_index", "expected"), INDEXES.values(), ids=INDEXES)
def test_changed_column_index_has_findings(column_index, expected):
    assert forged.rules(indexed(column_index)) == expected


def test_column_index_without_an_offset_index_is_a_warning():
    data = forged.one_column([forged.page([1])], column_index=index((1,), (1,), (False,)))
    assert forged.rules(data) == [("column-index-alone", "warning")]


def test_null_page_without_its_mark_is_an_error():
    leaf = assembly.element("a", Type.INT32, 1)
    pages = [forged.optional_page([None, None]), forged.optional_page([5])]
    entries = ColumnIndex(
        null_pages=[True, False],
        min_values=[b"", forged.raw(5)],
        max_values=[b"", forged.raw(5)],
        boundary_order=1,
        null_counts=[2, 0],
    )
    data = forged.one_column(pages, leaf=leaf, column_index=entries, offset_index=True)
    assert forged.rules(data) == []
    entries.null_pages = [False, False]
    entries.null_counts = None
    wrong = forged.one_column(pages, leaf=leaf, column_index=entries, offset_index=True)
    assert forged.rules(wrong) == [("null-page-unmarked", "error")]


def test_bounds_belong_to_the_pages_that_exist_where_the_offset_index_lists_others():
    """Impala lists empty pages that it did not write, and gives them no entry in the column index."""
    pages = [forged.page([1, 2]), forged.page([3, 4])]
    size = len(pages[0].stored)
    places = [
        PageLocation(offset=offset, compressed_page_size=length, first_row_index=row)
        for offset, length, row in ((4, size, 0), (-1, 0, -1), (4 + size, len(pages[1].stored), 2))
    ]
    offsets = OffsetIndex(page_locations=places)
    right, wrong = index(), index(highs=(2, 3))
    for entries, expected in ((right, []), (wrong, [("column-index-bound", "error")])):
        data = forged.one_column(pages, column_index=entries, offset_index=offsets)
        assert forged.rules(data) == [("offset-index-disagrees", "error"), *expected]
        with pqexplore.open(data) as file:
            assert "lists 3 data pages, the page headers give 2" in file.check()[0].message


def test_column_index_of_a_nan_page_under_type_order_is_an_error():
    entries = ColumnIndex(
        null_pages=[False],
        min_values=[forged.raw(float("nan"), Type.DOUBLE)],
        max_values=[forged.raw(float("nan"), Type.DOUBLE)],
        boundary_order=0,
    )
    page = forged.page([float("nan")], Type.DOUBLE)
    data = forged.one_column([page], Type.DOUBLE, column_index=entries, offset_index=True)
    assert forged.rules(data) == [("column-index-of-nans", "error")]


def test_wrong_level_histogram_of_a_page_is_an_error():
    page = forged.list_page([[1, None], None])
    entries = ColumnIndex(
        null_pages=[False],
        min_values=[forged.raw(1)],
        max_values=[forged.raw(1)],
        boundary_order=0,
        repetition_level_histograms=[2, 1],
        definition_level_histograms=[1, 0, 1, 1],
    )
    good = forged.list_column([page], column_index=entries, offset_index=True)
    assert forged.rules(good) == []
    entries.definition_level_histograms = [0, 1, 1, 1]
    bad = forged.list_column([page], column_index=entries, offset_index=True)
    assert forged.rules(bad) == [("level-histogram-disagrees", "error")]


def test_wrong_first_row_index_is_an_error():
    pages = [forged.page([1, 2]), forged.page([3])]
    start, size = 4, len(pages[0].stored)

    def offset_index(second_row):
        return OffsetIndex(
            page_locations=[
                PageLocation(offset=start, compressed_page_size=size, first_row_index=0),
                PageLocation(
                    offset=start + size, compressed_page_size=len(pages[1].stored), first_row_index=second_row
                ),
            ]
        )

    assert forged.rules(forged.one_column(pages, offset_index=offset_index(2))) == []
    wrong = forged.rules(forged.one_column(pages, offset_index=offset_index(1)))
    assert wrong == [("first-row-disagrees", "error")]


def test_wrong_unencoded_bytes_of_a_page_are_an_error():
    page = forged.page([b"abc", b"d"], Type.BYTE_ARRAY)

    def offset_index(size):
        location = PageLocation(offset=4, compressed_page_size=len(page.stored), first_row_index=0)
        return OffsetIndex(page_locations=[location], unencoded_byte_array_data_bytes=[size])

    good = forged.one_column([page], Type.BYTE_ARRAY, offset_index=offset_index(4))
    assert forged.rules(good) == []
    bad = forged.one_column([page], Type.BYTE_ARRAY, offset_index=offset_index(5))
    assert forged.rules(bad) == [("unencoded-bytes-disagree", "error")]


def test_wrong_page_location_is_an_error():
    page = forged.page([1])
    location = PageLocation(offset=5, compressed_page_size=9, first_row_index=0)
    data = forged.one_column([page], offset_index=OffsetIndex(page_locations=[location]))
    assert forged.rules(data) == [("offset-index-disagrees", "error")]


# Bloom filters.


def bitset(values, size=32):
    return bloom.build(bloom.hash_array(forged.physical(values)), size)


def test_value_that_the_bloom_filter_denies_is_an_error():
    pages = [dictionary(), by_dictionary(), forged.page([3])]
    assert forged.rules(forged.one_column(pages, bloom_filter=bitset([1, 2, 3]))) == []
    data = forged.one_column(pages, bloom_filter=bitset([1, 3], 1024))
    (found,) = forged.findings(data)
    assert (found.rule, found.severity) == ("bloom-filter-denies", "error")
    assert found.evidence["values"] == 1
    assert found.evidence["address"] == "row_groups/0/columns/0/pages/1/values/1"


def test_full_bloom_filter_is_a_note():
    data = forged.one_column([forged.page([1])], bloom_filter=b"\xff" * 32)
    assert forged.rules(data) == [("bloom-filter-full", "note")]


def test_wrong_bloom_filter_length_is_a_warning():
    data = forged.one_column(
        [forged.page([1])], bloom_filter=bitset([1]), metadata={"bloom_filter_length": lambda right: right - 1}
    )
    assert ("bloom-filter-length", "warning") in forged.rules(data)


# Size statistics of the chunk.

SIZES = [
    ({"definition_level_histogram": [1, 1, 1, 1], "repetition_level_histogram": [3, 1]}, []),
    ({"definition_level_histogram": [1, 1, 0, 2]}, [("level-histogram-disagrees", "error")]),
    ({"repetition_level_histogram": [3]}, [("level-histogram-disagrees", "error")]),
    ({"unencoded_byte_array_data_bytes": 8}, [("unencoded-bytes-unsuited", "warning")]),
]


@pytest.mark.parametrize(("fields", "expected"), SIZES)
def test_changed_size_statistics_have_findings(fields, expected):
    data = forged.list_column(
        [forged.list_page([[1, None], None, []])], metadata={"size_statistics": structs.SizeStatistics(**fields)}
    )
    assert forged.rules(data) == expected


def test_wrong_histogram_names_the_level_by_the_schema():
    sizes = structs.SizeStatistics(definition_level_histogram=[1, 1, 0, 2])
    data = forged.list_column([forged.list_page([[1, None], None, []])], metadata={"size_statistics": sizes})
    (found,) = forged.findings(data)
    assert "counts 0 for level 2 (a.list.element is null), which occurs 1 times" in found.message


def test_repeated_null_list_is_an_error_and_read_as_one():
    page = forged.levels_page(repetition=[0, 1, 1, 0], definition=[0, 0, 0, 3], values=[7])
    data = forged.list_column([page])
    assert ("null-list-repeats", "error") in forged.rules(data)
    with pqexplore.open(data) as file:
        assert file.read().column(0).to_pylist() == [None, [7]]
