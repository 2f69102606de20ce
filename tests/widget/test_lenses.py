import numpy as np
import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.widget import lenses
from pqexplore.widget.lenses import page, rows
from pqexplore.widget.places import page_at


def texts(result, buffers):
    """The text columns of an answer as lists."""
    found, buffers = {}, list(buffers)
    for name, dtype in result["columns"]:
        if not dtype.startswith("text"):
            found[name] = np.frombuffer(buffers.pop(0), np.dtype(dtype)).tolist()
            continue
        offsets = np.frombuffer(buffers.pop(0), "<u4")
        data = bytes(buffers.pop(0))
        nulls = bytes(buffers.pop(0)) if dtype == "text?" else bytes(len(offsets))
        found[name] = [
            None if nulls[i] else data[offsets[i] : offsets[i + 1]].decode()
            for i in range(len(offsets) - 1)
        ]
    return found


@pytest.mark.parametrize(
    ("address", "first", "others"),
    [
        ("", "overview", ["rows", "facts"]),
        ("row_groups/1", "facts", ["rows"]),
        ("row_groups/0/columns/0/pages/0", "page", ["facts"]),
        ("row_groups/0/columns/0/pages/0/header", "thrift", ["facts"]),
        ("row_groups/0/columns/0/pages/1/values/0", "encoding", ["page", "facts"]),
        ("footer", "facts", ["thrift"]),
    ],
)
def test_which_lenses_apply_and_which_opens_first(file, address, first, others):
    names = [lens["name"] for lens in lenses.applying(file.node(address))]
    assert names[0] == first
    assert [name for name in names if name in others] == others


@pytest.mark.parametrize(("address", "lens"), [("", "page"), ("footer", "rows"), ("", "nonsense")])
def test_a_lens_that_does_not_apply_says_so(file, address, lens):
    with pytest.raises(UsageError):
        lenses.finish(lenses.show(file, address, lens))


def test_rows_shows_the_first_rows_of_every_leaf(file):
    result, buffers = rows.read(file, 0, 0)
    columns = texts(result, buffers)
    assert columns["0"][:4] == ["0", "1", "2", "3"]
    assert columns["1"][:4] == ["Oslo", "Lima", "null", "Bern"]
    assert columns["1?"][:4] == [0, 0, 1, 0]
    assert columns["2"][:4] == ["[a, b]", "tags is empty", "tags is null", "[null, c]"]
    assert columns["3"][0] == "2024-01-02 03:04:05.000000"
    assert columns["4"][:2] == ["1.5", "null"]
    assert result["errors"] == {}


def test_rows_go_on_over_the_end_of_a_row_group(file):
    result, buffers = rows.read(file, 600 - 600 % rows.ROWS, 0)
    columns = texts(result, buffers)
    start = result["start"]
    assert columns["0"] == [str(start + i) for i in range(result["count"])]
    last, _ = rows.read(file, 950, 0)
    assert last["count"] == 50


@pytest.mark.parametrize("column", range(5))
@pytest.mark.parametrize("row", [0, 3, 599, 600, 999])
def test_a_cell_leads_to_its_value(file, row, column):
    address = rows.cell(file, row, column)["address"]
    group = 0 if row < 600 else 1
    assert address.startswith(f"row_groups/{group}/columns/{column}/pages/")
    expected = file.read().column(column)[row].as_py()
    if isinstance(expected, list):
        expected = next((v for v in expected if v is not None), None)
    if expected is None:
        assert address.endswith("/definition_levels")
    else:
        index = int(address.rpartition("/")[2])
        assert page_at(file, address).values[index].as_py() == expected


@pytest.mark.parametrize(("row", "column"), [(-1, 0), (1000, 0), (0, 5), (0, -1)])
def test_there_are_no_cells_outside(file, row, column):
    with pytest.raises(UsageError):
        rows.cell(file, row, column)


def test_a_row_group_shows_its_own_rows(file):
    payload = lenses.finish(lenses.show(file, "row_groups/1", "rows"))["picture"]
    assert (payload["first"], payload["count"]) == (600, 400)
    assert [c["name"] for c in payload["columns"]] == [
        "id",
        "city",
        "tags.list.element",
        "when",
        "score",
    ]


def test_a_damaged_page_costs_its_own_column(broken_file):
    result, buffers = rows.read(broken_file, 0, 0)
    columns = texts(result, buffers)
    assert set(result["errors"]) == {"0"}
    assert result["errors"]["0"]["address"].startswith("row_groups/0/columns/0/pages/")
    assert columns["0"] == [""] * 50
    assert columns["1"][:2] == ["Oslo", "Lima"]


def test_a_page_is_levels_and_values_side_by_side(file):
    address = "row_groups/0/columns/2/pages/1"
    payload = lenses.finish(lenses.show(file, address, "page"))["picture"]
    assert payload["max_definition_level"] == 3
    assert payload["definitions"][0] == "tags is null"
    columns = texts(*page.entries(file, address, 0))
    assert columns["row"][:6] == [0, 0, 1, 2, 3, 3]
    assert columns["repetition"][:6] == [0, 1, 0, 0, 0, 1]
    assert columns["definition"][:6] == [3, 3, 1, 0, 2, 3]
    assert columns["value"][:6] == [0, 1, -1, -1, -1, 2]
    assert columns["logical"][:6] == ["a", "b", None, None, None, "c"]
    assert columns["physical"][:2] == ["61", "62"]


def test_a_dictionary_page_has_entries_without_levels(file):
    payload = lenses.finish(lenses.show(file, "row_groups/0/columns/1/pages/0", "page"))["picture"]
    assert payload["max_definition_level"] == 0
    columns = texts(*page.entries(file, "row_groups/0/columns/1/pages/0", 0))
    assert columns["logical"] == ["Oslo", "Lima", "Bern"]


def test_the_selected_value_is_an_entry(file):
    payload = lenses.finish(lenses.show(file, "row_groups/0/columns/2/pages/1/values/2", "page"))[
        "picture"
    ]
    assert payload["selected"] == 5


def test_entries_begin_where_they_begin(file):
    with pytest.raises(UsageError):
        page.entries(file, "row_groups/0/columns/0/pages/1", 7)
