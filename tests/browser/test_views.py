"""Some views of a file look as they did, and axe-core finds nothing in them: columns, pages, values; narrow, dark."""

import pytest
from browser import views
from browser.harness import JUPYTER_DARK
from browser.looks import violations
from PIL import Image, ImageDraw

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


QUICK = {"file", "file-narrow", "column", "value", "dictionary-dark", "rows"}
"""Those of each run; the others are seen with the slow tests."""


@pytest.mark.parametrize("name", [pytest.param(one, marks=() if one in QUICK else pytest.mark.full) for one in VIEWS])
def test_a_view_looks_as_it_did(show, sample, name):
    at, lens, size, scheme = VIEWS[name]
    css = views.PINNED + (JUPYTER_DARK if scheme else "")
    more = {"color_scheme": "dark"} if scheme else {}
    page = show(sample("events"), at=at, view=lens or None, size=size, css=css, **more).page
    views.pin_fonts(page)
    views.check(page, name)
    assert violations(page) == []


def picture(left):
    made = Image.new("RGB", (400, 200), "white")
    ImageDraw.Draw(made).rectangle((left, 70, left + 120, 130), fill="#0072b2")
    return made


@pytest.mark.parametrize(("moved", "same"), [(0, True), (1, True), (30, False)])
def test_a_box_that_moves_is_seen(moved, same):
    assert (views.differing(picture(100), picture(100 + moved)) <= views.SHARE) is same


def test_another_size_is_another_picture():
    assert views.differing(picture(0), picture(0).crop((0, 0, 300, 200))) == 1
