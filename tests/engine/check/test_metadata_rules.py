"""Footers, row groups and chunks that contradict what they describe, in one place each."""

import made
import pytest
from engine.check import forged

from pqexplore.engine.format.thrift.structs import SortingColumn, Type
from pqexplore.engine.writer import assembly


def file(**changes):
    return forged.one_column([forged.page([1, 2, 3])], **changes)


def test_row_group_without_optional_fields_has_no_findings():
    absent = {"total_compressed_size": None, "file_offset": None, "ordinal": None}
    assert forged.rules(file(group=absent)) == []


# Sorting columns.


def two_columns(first, second, *order):
    """Two required columns of INT32, and the order that their rows are said to have."""
    elements = [forged.root(2), *(assembly.element(name, Type.INT32, 0) for name in "ab")]
    chunks = [assembly.chunk(name, Type.INT32, [forged.page(values)]) for name, values in (("a", first), ("b", second))]
    columns = [SortingColumn(column_idx=index, descending=descending, nulls_first=False) for index, descending in order]
    group = assembly.row_group(chunks, len(first), sorting_columns=columns)
    return assembly.file(elements, [group], column_orders=[forged.TYPE_ORDER] * 2)


def test_unsorted_rows_are_named_in_the_message():
    (found,) = forged.findings(two_columns([1, 3, 2], [0, 0, 0], (0, False)))
    assert found.address == "footer/row_groups/0/sorting_columns/0"
    assert "by a ascending, rows 1 and 2 are not" in found.message


# One fault, in files where it shows in many places.


def table(rows=30, **changes):
    """A file of Arrow with two row groups and lists, structs and maps; `changes` as `rebuilt` takes them."""
    data = made.parquet(made.events(2 * rows), row_group_size=rows, write_page_index=True)
    return made.rebuilt(data, **changes)


PLACES = {
    "a wrong num_rows of a row group": ({"row_groups__0__num_rows": 31},
        [("rows-disagree", "footer/row_groups/0/num_rows")]),
    "no num_rows of a row group": ({"row_groups__0__num_rows": None}, [("required-field", "footer/row_groups/0")]),
    "a negative num_rows of a row group": ({"row_groups__0__num_rows": -1},
        [("row-group-rows", "footer/row_groups/0/num_rows")]),
    "a num_values too large, before another chunk": ({"row_groups__0__columns__0__meta_data__num_values": 31},
        [("num-values-disagree", "row_groups/0/columns/0/metadata/meta_data/num_values")]),
    "a negative size of a chunk": ({"row_groups__0__columns__1__meta_data__total_compressed_size": -1},
        [("unreadable", "row_groups/0/columns/1")]),
    "another name in the schema": ({"schema__1__name": "other"},
        [("path-disagrees", "row_groups/0/columns/0/metadata/meta_data/path_in_schema")]),
    "another type in the schema": ({"schema__1__type": int(Type.INT96), "schema__1__logicalType": None},
        [("type-disagrees", "row_groups/0/columns/0/metadata/meta_data/type")]),
    "a type that does not exist": ({"schema__1__type": 9}, [("unsupported", "schema/1")]),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "expected"), PLACES.values(), ids=PLACES)
def test_a_fault_that_shows_in_many_places_is_one_finding(changes, expected):
    found = [one for one in forged.findings(table(**changes)) if one.severity.level != "note"]
    assert [(one.rule, one.address) for one in found] == expected
