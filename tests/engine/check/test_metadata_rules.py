"""Footers, row groups and chunks that contradict what they describe, in one place each."""

import pytest
from engine.check import forged

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import (
    Encoding,
    PageEncodingStats,
    PageType,
    SortingColumn,
    Type,
)
from pqexplore.engine.writer import assembly


def file(**changes):
    return forged.one_column([forged.page([1, 2, 3])], **changes)


def more(by):
    return lambda right: right + by


def stats(kind, encoding, count):
    return [PageEncodingStats(page_type=int(kind), encoding=int(encoding), count=count)]


CHUNKS = {
    "another path": ({"path_in_schema": ["b"]}, [("path-disagrees", "error")]),
    "a codec that nobody knows": (
        {"codec": 77},
        [("unsupported", "warning")],
    ),
    "more values than there are": ({"num_values": 4}, [("unreadable", "error")]),
    "fewer values than there are": ({"num_values": 2}, [("num-values-disagree", "error")]),
    "uncompressed size": (
        {"total_uncompressed_size": more(1)},
        [("uncompressed-size-disagrees", "warning")],
    ),
    "where the data begins": ({"data_page_offset": more(0)}, []),
    "a dictionary that is not there": (
        {"dictionary_page_offset": 4},
        [("dictionary-page-offset", "warning")],
    ),
    "encodings not listed": (
        {"encodings": [int(Encoding.RLE)]},
        [("encodings-disagree", "warning")],
    ),
    "levels not listed": (
        {"encodings": [int(Encoding.PLAIN)]},
        [],  # a required column has no levels
    ),
    "pages counted by encoding": (
        {"encoding_stats": stats(PageType.DATA_PAGE, Encoding.PLAIN, 1)},
        [],
    ),
    "pages miscounted": (
        {"encoding_stats": stats(PageType.DATA_PAGE, Encoding.PLAIN, 2)},
        [("encoding-stats-disagree", "warning")],
    ),
    "V1 pages counted as V2": (
        {"encoding_stats": stats(PageType.DATA_PAGE_V2, Encoding.PLAIN, 1)},
        [("page-versions-confused", "note")],
    ),
}


@pytest.mark.parametrize(("metadata", "expected"), CHUNKS.values(), ids=CHUNKS)
def test_changed_column_metadata_has_findings(metadata, expected):
    assert forged.rules(file(metadata=metadata)) == expected


def test_unlisted_encodings_of_levels_are_a_note():
    levels = assembly.levels_v1(forged.bits([1, 0]), 1)
    page = assembly.page_v1(forged.encoded([1]), 2, definition_levels=levels)
    data = forged.one_column(
        [page],
        leaf=assembly.element("a", Type.INT32, 1),
        metadata={"encodings": [int(Encoding.PLAIN)]},
    )
    assert forged.rules(data) == [("level-encodings-unlisted", "note")]


def test_absent_dictionary_page_offset_is_a_note():
    dictionary = assembly.dictionary_page(forged.encoded([1, 2]), 2)
    page = assembly.page_v1(b"\x01\x03\x02", 2, Encoding.RLE_DICTIONARY)

    offsets = {"dictionary_page_offset": None, "data_page_offset": 4}
    data = forged.one_column([dictionary, page], metadata=offsets)
    assert forged.rules(data) == [("dictionary-page-offset-absent", "note")]


def test_wrong_data_page_offset_is_a_warning():
    dictionary = assembly.dictionary_page(forged.encoded([1, 2]), 2)
    page = assembly.page_v1(b"\x01\x03\x02", 2, Encoding.RLE_DICTIONARY)
    data = forged.one_column([dictionary, page], metadata={"data_page_offset": 5})
    assert forged.rules(data) == [("data-page-offset", "warning")]


GROUPS = {
    "an ordinal": ({"ordinal": 3}, [("row-group-ordinal", "warning")]),
    "the sum of sizes": ({"total_byte_size": more(1)}, [("row-group-size-disagrees", "warning")]),
    "the sum of compressed sizes": (
        {"total_compressed_size": more(1)},
        [("row-group-size-disagrees", "warning")],
    ),
    "where it begins": ({"file_offset": 99}, [("row-group-file-offset", "warning")]),
    "no sizes at all": ({"total_compressed_size": None, "file_offset": None, "ordinal": None}, []),
}


@pytest.mark.parametrize(("group", "expected"), GROUPS.values(), ids=GROUPS)
def test_changed_row_group_has_findings(group, expected):
    assert forged.rules(file(group=group)) == expected


def test_wrong_num_rows_of_footer_or_row_group_is_an_error():
    assert forged.rules(file(file={"num_rows": 4})) == [("row-count-disagrees", "error")]
    assert forged.rules(file(rows=4)) == [("rows-disagree", "error")]


KEYS = [structs.KeyValue(key="a", value="1"), structs.KeyValue(key="a", value="2")]
FILES = {
    "version 3": ({"version": 3}, [("format-version", "warning")]),
    "no writer": ({"created_by": None}, [("no-created-by", "note")]),
    "a key twice": ({"key_value_metadata": KEYS}, [("key-repeated", "warning")]),
    "a column order too many": (
        {"column_orders": [forged.TYPE_ORDER] * 2},
        [("column-orders-length", "error")],
    ),
    "an order that nobody knows": (
        {"column_orders": [structs.ColumnOrder()]},
        [("column-order-unknown", "warning")],
    ),
    "an order of another type": (
        {"column_orders": [forged.TOTAL_ORDER]},
        [("column-order-unsuited", "error")],
    ),
    "another opening magic": ({"magic": b"PARE"}, [("opening-magic", "warning")]),
    "no opening magic": ({"magic": b"\0\0\0\0"}, [("opening-magic", "error")]),
    "bytes that nobody owns": ({"before_footer": bytes(8)}, [("gap", "note")]),
}


@pytest.mark.parametrize(("fields", "expected"), FILES.values(), ids=FILES)
def test_changed_footer_has_findings(fields, expected):
    assert forged.rules(file(file=fields)) == expected


def test_pages_in_another_file_are_a_note():
    data = file(file_path="part-0.parquet")
    (found,) = [one for one in forged.findings(data) if one.rule != "gap"]
    assert (found.rule, found.severity) == ("pages-elsewhere", "note")
    assert "part-0.parquet" in found.message


# Sorting columns.


def two_columns(first, second, *order):
    """Two required columns of INT32, and the order that their rows are said to have."""
    elements = [forged.root(2), *(assembly.element(name, Type.INT32, 0) for name in "ab")]
    chunks = [
        assembly.chunk(name, Type.INT32, [forged.page(values)])
        for name, values in (("a", first), ("b", second))
    ]
    columns = [
        SortingColumn(column_idx=index, descending=descending, nulls_first=False)
        for index, descending in order
    ]
    group = assembly.row_group(chunks, len(first), sorting_columns=columns)
    return assembly.file(elements, [group], column_orders=[forged.TYPE_ORDER] * 2)


ORDERS = [
    ([1, 1, 2], [5, 4, 9], [(0, False), (1, True)], []),
    ([1, 1, 2], [4, 5, 9], [(0, False), (1, True)], ["not-sorted"]),
    ([1, 3, 2], [0, 0, 0], [(0, False)], ["not-sorted"]),
    ([3, 2, 1], [0, 0, 0], [(0, True)], []),
    ([1, 2, 3], [0, 0, 0], [(2, False)], ["sorting-column"]),
    ([1, 2, 3], [0, 0, 0], [(0, False), (0, False)], ["sorting-column"]),
]


@pytest.mark.parametrize(("first", "second", "order", "expected"), ORDERS)
def test_rows_compared_with_sorting_columns(first, second, order, expected):
    assert [rule for rule, _ in forged.rules(two_columns(first, second, *order))] == expected


def test_unsorted_rows_are_named_in_the_message():
    (found,) = forged.findings(two_columns([1, 3, 2], [0, 0, 0], (0, False)))
    assert found.address == "footer/row_groups/0/sorting_columns/0"
    assert "by a ascending, rows 1 and 2 are not" in found.message


@pytest.mark.parametrize(
    ("values", "nulls_first", "expected"),
    [
        ([None, 1, 2], True, []),
        ([1, 2, None], False, []),
        ([1, 2, None], True, ["not-sorted"]),
        ([None, 1, 2], False, ["not-sorted"]),
    ],
)
def test_nulls_compared_with_nulls_first(values, nulls_first, expected):
    column = SortingColumn(column_idx=0, descending=False, nulls_first=nulls_first)
    data = forged.one_column(
        [forged.optional_page(values)],
        leaf=assembly.element("a", Type.INT32, 1),
        group={"sorting_columns": [column]},
    )
    assert [rule for rule, _ in forged.rules(data)] == expected
