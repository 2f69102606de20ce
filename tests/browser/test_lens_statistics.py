"""The statistics lens, on row groups whose ranges are known."""

import io

import pyarrow as pa
import pytest
from browser.boards import answer, hot, marks, pixel, says, selected, stage

import pqexplore

BLUE = [0, 114, 178, 255]


@pytest.fixture(scope="module")
def groups() -> bytes:
    """Three row groups of two values: 0 … 50, 50 … 100, and nulls."""
    table = pa.table({"n": pa.array([0, 50, 50, 100, None, None], pa.int64())})
    out = io.BytesIO()
    pqexplore.write(table, out, pqexplore.WriteOptions(row_group_rows=2, codec="UNCOMPRESSED"))
    return out.getvalue()


def test_ranges_are_read_from_the_picture(show, groups):
    view = show(groups, at="schema/1", view="statistics")
    assert answer(view).startswith("Row groups are sorted: a filter on one value reads 1 of 3")
    assert view.page.locator(".pqx-ranges").get_attribute("data-verdict") == "sorted"
    assert marks(view) == 6
    assert says(view, "Home") == "row group 0: 0 … 50"
    assert says(view, "ArrowDown", "ArrowDown") == "row group 1: 50 … 100"
    assert says(view, "End").endswith("nulls only")
    # the bar of row group 0 begins after its name and ends in the middle of the axis
    width = stage(view).bounding_box()["width"]
    axis = 100, width - 12
    middle = sum(axis) / 2
    assert pixel(view, axis[0] + 8, 8) == BLUE and pixel(view, middle - 8, 8) == BLUE
    assert pixel(view, middle + 8, 8) != BLUE
    assert pixel(view, middle + 8, 2 * 18 + 8) == BLUE


def test_a_mark_leads_to_its_chunk_and_lights_its_bytes(show, groups):
    view = show(groups, at="schema/1", view="statistics")
    says(view, "Home", "ArrowDown", "ArrowDown")
    with pqexplore.open(groups) as file:
        chunk = file.row_groups[1].columns[0]
        assert bytes.fromhex(hot(view))[:16] == file.bytes(chunk.span)[:16]
    view.page.keyboard.press("Enter")
    selected(view, "row_groups/1/columns/0")
    stage(view).click(position={"x": 200, "y": 18 + 8})
    selected(view, "row_groups/1/columns/0/metadata/meta_data/statistics")


def test_level_histograms_have_the_names_of_schema_nodes(show):
    rows = pa.array([[1, 2], [], None], pa.list_(pa.int32()))
    out = io.BytesIO()
    pqexplore.write(pa.table({"a": rows}), out)
    view = show(out.getvalue(), at="row_groups/0/columns/0", view="statistics")
    lines = view.page.locator(".pqx-histogram").first.locator("tr").all_inner_texts()
    assert [text.split("\t")[:2] for text in lines] == [
        ["0 a is null", "1"],
        ["1 a is empty", "1"],
        ["2 a.list.element is null", "0"],
        ["3 a.list.element has a value", "2"],
    ]
