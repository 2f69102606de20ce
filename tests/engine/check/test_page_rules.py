"""Checks of pages and their indexes: what the table of violations does not say."""

import pytest
from engine.check import forged

import pqexplore
from pqexplore.engine.format import bloom
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ColumnIndex, Encoding, OffsetIndex, PageLocation
from pqexplore.engine.writer import assembly

IDS = b"\x01\x03\x02"
"""Indexes into a dictionary: one bit wide, a group of eight: 0, 1, and padding."""


def dictionary(values=(1, 2), **fields):
    return assembly.dictionary_page(forged.encoded(values), len(values), **fields)


def by_dictionary(count=2, **fields):
    return assembly.page_v1(IDS, count, Encoding.RLE_DICTIONARY, **fields)


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


def index(lows=(1, 3), highs=(2, 4), nulls=(False, False), order=1, **more):
    return ColumnIndex(null_pages=list(nulls), min_values=[forged.raw(value) for value in lows],
        max_values=[forged.raw(value) for value in highs], boundary_order=order, **more)  # fmt: skip


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


def bitset(values, size=32):
    return bloom.build(bloom.hash_array(forged.physical(values)), size)


def test_value_that_the_bloom_filter_denies_is_an_error():
    pages = [dictionary(), by_dictionary(), forged.page([3])]
    assert forged.rules(forged.one_column(pages, bloom_filter=bitset([1, 2, 3]))) == []
    data = forged.one_column(pages, bloom_filter=bitset([1, 3], 1024))
    (found,) = forged.findings(data)
    assert (found.rule, found.severity.level) == ("bloom-filter-denies", "error")
    assert found.evidence["values"] == 1
    assert found.evidence["address"] == "row_groups/0/columns/0/pages/1/values/1"


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
