"""Some views look as they did, and axe-core finds nothing in those of a file: columns, pages, values, a lake; narrow, dark."""

import pytest
from browser import views
from browser.harness import JUPYTER_DARK, View, settle
from browser.looks import violations
from lake import doctored_lake
from PIL import Image, ImageDraw

import pqexplore
from pqexplore.engine.writer.samples import write_sample
from pqexplore.lake import scan

SCREEN, NARROW = (1280, 780), (400, 800)
CHUNK = "row_groups/0/columns/3"

VIEWS = {
    "file": ("", "", SCREEN, ""),
    "file-dark": ("", "", SCREEN, "dark"),
    "file-narrow": ("", "", NARROW, ""),
    "row-group": ("row_groups/0", "", SCREEN, ""),
    "column": (CHUNK, "", SCREEN, ""),
    "column-narrow-dark": (CHUNK, "", NARROW, "dark"),
    "page": (f"{CHUNK}/pages/1", "", SCREEN, ""),
    "value": ("row_groups/0/columns/1/pages/1/values/3", "", SCREEN, ""),
    "dictionary-dark": (f"{CHUNK}/pages/0", "dictionary", SCREEN, "dark"),
    "footer": ("footer", "", SCREEN, ""),
    "rows": ("", "rows", SCREEN, ""),
    "statistics": ("row_groups/0/columns/1", "statistics", SCREEN, ""),
}
"""The place, the lens, the size, and whether it is dark, of the sample `events`."""


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    path = tmp_path_factory.mktemp("views") / "events.parquet"
    write_sample("events", path)
    return str(path)


@pytest.fixture(scope="module")
def lake_of_days(tmp_path_factory):
    """Twenty files in seven folders of days, and eight that cannot be read."""
    pytest.importorskip("duckdb")
    root = tmp_path_factory.mktemp("views") / "days"
    doctored_lake.make(root, 20)
    return scan(None, str(root), out=tmp_path_factory.mktemp("days-tables"), processes=0)


QUICK = {"file", "file-narrow", "column", "value", "dictionary-dark", "rows"}
"""Those of each run; the others are seen with the slow tests."""


@pytest.mark.parametrize("name", [pytest.param(one, marks=() if one in QUICK else pytest.mark.full) for one in VIEWS])
def test_a_view_looks_as_it_did(show, events, name):
    at, lens, size, scheme = VIEWS[name]
    css = views.PINNED + (JUPYTER_DARK if scheme else "")
    more = {"color_scheme": "dark"} if scheme else {}
    page = show(events, at=at, view=lens or None, size=size, css=css, **more).page
    page.locator(".pqx[data-layout=pages]").wait_for()
    views.pin_fonts(page)
    settle(page)
    views.check(page, name)
    assert violations(page) == []


LAKE_VIEWS = {"lake": ("doctor", SCREEN, ""), "lake-overlap-narrow-dark": ("overlap", NARROW, "dark")}
"""The panel, the size, and whether it is dark, of a lake with damage."""


@pytest.mark.parametrize("name", LAKE_VIEWS)
def test_a_lake_looks_as_it_did(lend, lake_of_days, name):
    panel, size, scheme = LAKE_VIEWS[name]
    explorer = pqexplore.explore_lake(lake_of_days, at=panel)
    more = {"color_scheme": "dark"} if scheme else {}
    css = views.PINNED + (JUPYTER_DARK if scheme else "")
    page = View(lend(size, **more), explorer, css=css).page
    page.locator(f'.pqx-lake[data-shown="{panel}"]').wait_for()
    views.pin_fonts(page)
    settle(page)
    views.check(page, name)


def picture(left):
    made = Image.new("RGB", (400, 200), "white")
    ImageDraw.Draw(made).rectangle((left, 70, left + 120, 130), fill="#0072b2")
    return made


@pytest.mark.parametrize(("moved", "same"), [(0, True), (1, True), (30, False)])
def test_a_box_that_moves_is_seen(moved, same):
    assert (views.differing(picture(100), picture(100 + moved)) <= views.SHARE) is same


def test_another_size_is_another_picture():
    assert views.differing(picture(0), picture(0).crop((0, 0, 300, 200))) == 1
