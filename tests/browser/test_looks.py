"""In each size and colour scheme nothing overlaps or is cut off, axe-core finds nothing, and labels in pictures are whole."""

import itertools
import struct

import pyarrow as pa
import pytest
from browser.boards import stage
from browser.harness import resize
from browser.lens_places import LENS_PLACES
from browser.looks import LOOKS, change_look, in_looks, misplaced, violations

import pqexplore

PLACES = ["", "row_groups/0", "row_groups/0/columns/2/pages/1", "footer"]


def at_places(*looks):
    """Parametrize a test by look and places.

    Each run has two looks, with two places each; every lens is seen in the others (test_every_lens).
    """
    pairs = itertools.cycle((PLACES[:2], PLACES[2:]))
    some = [pytest.param(LOOKS[look], next(pairs), id=look) for look in looks[:2]]
    every = [pytest.param(LOOKS[look], PLACES, id=f"{look}-all", marks=pytest.mark.full) for look in looks]
    return pytest.mark.parametrize(("look", "places"), some + every)


@at_places("wide", "zoomed", "light", "narrow-dark", "dark", "narrow")
def test_nothing_overlaps_or_is_cut_off(show, orders_bytes, look, places):
    view = show(orders_bytes, **look)
    for place in places:
        view.go(place)
        assert misplaced(view.page) == [], place or "file"


@at_places("light", "forced-colours", "narrow", "dark", "narrow-dark")
def test_axe_has_no_finding(show, orders_bytes, look, places):
    view = show(orders_bytes, **look)
    for place in places:
        view.go(place)
        assert violations(view.page) == [], place or "file"


def test_the_map_follows_a_change_of_theme_and_the_chosen_tab_a_change_of_size(show, orders_bytes):
    page = show(orders_bytes, at="row_groups/0/columns/1", view="facts", **LOOKS["light"]).page
    before = page.evaluate("document.querySelector('.pqx-stage').dataset.drawn")
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    page.wait_for_function("(n) => document.querySelector('.pqx-stage').dataset.drawn !== n", arg=before)
    change_look(page, "narrow")
    bar, tab = (page.locator(f".pqx-tabs{part}").first.bounding_box() for part in ("", " [aria-selected=true]"))
    assert bar["x"] <= tab["x"] and tab["x"] + tab["width"] <= bar["x"] + bar["width"]


def test_reduced_motion_stops_all_animations(show, orders_bytes):
    moving = "() => { document.querySelector('.pqx-progress').hidden = false; return document.getAnimations().length; }"
    assert show(orders_bytes, reduced_motion="reduce").page.evaluate(moving) == 0


@pytest.fixture(scope="module")
def rich(tmp_path_factory):
    """A column of geometries with statistics, page index, Bloom filter and bounding boxes."""
    path = tmp_path_factory.mktemp("rich") / "f"
    points = [struct.pack("<BIdd", 1, 1, x * 1.5, x % 7) for x in range(90)]
    options = pqexplore.WriteOptions(
        row_group_rows=30, page_rows=10, bloom_filter=True, columns={"where": {"logical_type": "GEOMETRY"}}
    )
    table = pa.table({"where": pa.array(points, pa.binary()), "n": [*range(88), None, None]})
    pqexplore.write(table, path, options)
    return path


@in_looks("zoomed", full=("light", "dark", "narrow", "wide", "narrow-dark", "forced-colours"))
@pytest.mark.parametrize(
    "lens",
    ["bloom", *(pytest.param(one, marks=pytest.mark.full) for one in ("statistics", "page_index", "geospatial"))],
)
def test_boards_of_marks_in_each_look(show, rich, lens, look):
    page = (view := show(rich, at=f"row_groups/2/columns/{int(lens != 'geospatial')}", view=lens, **look)).page
    if lens == "bloom":
        page.get_by_label("Is this value there?").fill("12")
        page.keyboard.press("Enter")
        page.locator(".pqx-bloom-verdict").wait_for()
    stage(view, int(lens == "bloom"))
    assert misplaced(page) == []
    assert violations(page) == []


WATCH = """() => {
  const proto = CanvasRenderingContext2D.prototype, { fillText, clearRect } = proto;
  window.pqxTexts = new Map();
  proto.clearRect = function (x, y, w, h) {
    if (x <= 0 && y <= 0) window.pqxTexts.set(this.canvas, []);
    return clearRect.call(this, x, y, w, h);
  };
  proto.fillText = function (text, x, y, ...more) {
    const m = this.measureText(text), t = this.getTransform();
    const corners = [[-m.actualBoundingBoxLeft, -m.actualBoundingBoxAscent],
      [m.actualBoundingBoxRight, m.actualBoundingBoxDescent]].map(([dx, dy]) => t.transformPoint({ x: x + dx, y: y + dy }));
    const [xs, ys] = [corners.map((c) => c.x), corners.map((c) => c.y)];
    const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    const all = window.pqxTexts.get(this.canvas) ?? [];
    all.push({ text: String(text), box, scale: t.a || 1 });
    window.pqxTexts.set(this.canvas, all);
    return fillText.call(this, text, x, y, ...more);
  };
}"""
"""Notes where each text of each canvas is drawn, until the canvas is cleared."""

WRONG = """() => {
  const wrong = [];
  let seen = 0;
  for (const [canvas, texts] of window.pqxTexts) {
    if (!canvas.closest(".pqx-picture")) continue;
    const visible = texts.filter(({ text }) => text.trim());
    seen += visible.length;
    visible.forEach(({ text, box: [left, top, right, bottom], scale }, i) => {
      const near = scale; // half a pixel of a letter's edge may be outside
      if (left < -near || top < -near || right > canvas.width + near || bottom > canvas.height + near)
        wrong.push(`cut: ${text}`);
      for (const { text: other, box: [l, t, r, b] } of visible.slice(i + 1))
        if (left + near < r && l + near < right && top + near < b && t + near < bottom && other !== text)
          wrong.push(`${text} over ${other}`);
    });
  }
  return { wrong, seen };
}"""

DRAWN = ("statistics", "geospatial", "compare", "bloom", "page_index", "column", "row_group", "query", "layout")


@pytest.mark.parametrize(
    "lens", [pytest.param(one, marks=() if one in DRAWN[:2] else pytest.mark.full) for one in DRAWN]
)
def test_the_labels_of_a_picture_are_whole_and_none_is_over_another(show, sample, lens):
    name, address = LENS_PLACES[lens]
    page = show(sample(name), at=address, view=lens, size=(1270, 1400), kept=False).page
    page.evaluate(WATCH)
    for width in (1280, 400):
        page.evaluate("() => window.pqxTexts.clear()")
        resize(page, width, 1400)
        found = page.evaluate(WRONG)
        assert found["wrong"] == [], width
        assert found["seen"] or lens not in DRAWN[:2]
