"""The map, on boxes that are known."""

import struct

import pyarrow as pa
import pytest
from browser.boards import answer, hot, marks, says, selected, stage
from playwright.sync_api import expect

import pqexplore


def point(x, y):
    return struct.pack("<BIdd", 1, 1, x, y)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Three row groups with two points each, far from each other."""
    path = tmp_path_factory.mktemp("places") / "f"
    corners = [(0, 0), (10, 10), (50, 40), (60, 50), (-120, -30), (-100, -20)]
    options = pqexplore.WriteOptions(
        row_group_rows=2, encoding="PLAIN", columns={"where": {"logical_type": "GEOMETRY"}}
    )
    table = pa.table({"where": pa.array([point(x, y) for x, y in corners], pa.binary())})
    pqexplore.write(table, path, options)
    return path


def test_boxes_are_read_from_the_picture(show, places):
    view = show(places, at="schema/1", view="geospatial")
    assert "reads 1 of 3 row groups on average" in answer(view)
    assert marks(view) == 3
    assert says(view, "Home") == "row group 0: x 0 to 10, y 0 to 10"
    assert says(view, "End") == "row group 2: x -120 to -100, y -30 to -20"
    view.page.keyboard.press("Enter")
    selected(view, "row_groups/2/columns/0")


def test_the_pointer_names_the_box_under_it(show, places):
    view = show(places, at="row_groups/0/columns/0", view="geospatial")
    assert says(view).startswith("row group 0")
    box = stage(view).bounding_box()
    names = set()
    for step in range(1, 40, 2):
        stage(view).hover(position={"x": box["width"] * step / 40, "y": box["height"] * 0.19})
        names.add(stage(view).get_attribute("aria-valuetext").split(":")[0])
    assert "row group 1" in names


def test_a_value_and_its_bytes(show, places):
    with pqexplore.open(places) as file:
        page = next(p for p in file.row_groups[1].columns[0].pages if p.is_data)
        address = f"{page.address}/values/0"
    view = show(places, at=address, view="geospatial")
    assert answer(view) == "Point, XY, 1 point: POINT (50 40)."
    assert says(view, "Home") == "point at (50 40)"
    grid = view.page.get_by_role("grid", name="The value's bytes")
    expect(grid.get_by_role("row").nth(3)).to_contain_text("XY: (50 40)")
    grid.get_by_role("row").nth(3).hover()
    assert bytes.fromhex(hot(view)) == struct.pack("<dd", 50, 40)
