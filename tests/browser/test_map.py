"""The byte map: its room, its navigation, and what it is coloured by."""

import re

import pytest
from browser.harness import settle, wait_until
from browser.looks import violations
from playwright.sync_api import expect

from pqexplore.widget.operations import OPERATIONS

SCREEN = {"size": (1280, 780)}
WHOLE = "the whole file"


@pytest.fixture
def view(show, orders_bytes):
    opened = show(orders_bytes, **SCREEN)
    opened.page.locator(".pqx[data-layout=pages]").wait_for()
    settle(opened.page)
    return opened


def stage(page):
    return page.locator(".pqx-stage")


def window(page):
    """The first and the last byte that the map shows; None if it shows all."""
    settle(page)
    found = re.search(r"bytes ([\d,]+) to ([\d,]+) of", page.locator(".pqx-map .pqx-bar").inner_text())
    return tuple(int(one.replace(",", "")) for one in found.groups()) if found else None


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, start, end):
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


def pixels(page, selector=".pqx-stage canvas"):
    """What a canvas shows, as a number that changes with it."""
    settle(page)
    return page.locator(selector).first.evaluate(
        """(c) => new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer)
             .reduce((sum, pixel) => (Math.imul(sum, 31) + pixel) | 0, 0)"""
    )


def unusable(page):
    """What axe-core finds in the map."""
    parts = ("pqx-map", "pqx-mini", "pqx-stage", "pqx-key", "pqx-legend", "pqx-by", "pqx-further")
    return [one for one in violations(page) if any(part in str(one) for part in parts)]


SIZES = """() => { const at = (s) => document.querySelector(s), map = at(".pqx-map"), canvas = at(".pqx-stage canvas");
  const box = canvas.getBoundingClientRect();
  return {map: map.clientHeight, over: map.scrollHeight - map.clientHeight, lines: box.height / 20,
    stretched: canvas.height / devicePixelRatio - box.height, room: at(".pqx-stage").clientHeight}; }"""


def test_the_map_fits_its_room_with_whole_lines(view):
    sizes = view.page.evaluate(SIZES)
    assert sizes["map"] == 168
    assert sizes["over"] == sizes["stretched"] == 0
    assert sizes["lines"] == 4
    assert sizes["room"] >= 20 * sizes["lines"] - 3
    view.page.get_by_role("separator", name="Height of the byte map").press("ArrowDown")
    view.page.get_by_role("separator", name="Height of the byte map").press("ArrowDown")
    settle(view.page)
    sizes = view.page.evaluate(SIZES)
    assert (sizes["map"], sizes["lines"], sizes["stretched"]) == (200, 5, 0)
    assert unusable(view.page) == []


def test_the_legend_is_one_line_that_shows_where_it_goes_on(view):
    page = view.page
    legend = page.get_by_role("list", name="Legend")
    assert legend.bounding_box()["height"] <= 20
    footer = legend.get_by_role("button", name="footer")
    further = page.locator(".pqx-further")
    page.set_viewport_size({"width": 900, "height": 780})
    expect(further).to_be_visible()
    further.click()
    expect(further).to_be_hidden()
    expect(footer).to_be_in_viewport()


def test_folded_the_strip_alone_is_the_slider(view):
    page = view.page
    page.get_by_role("button", name="Fold the byte map").click()
    settle(page)
    strip = page.get_by_role("slider", name="Byte map")
    assert strip.count() == 1
    assert strip.bounding_box()["height"] == 40
    expect(stage(page)).to_be_hidden()
    strip.click()
    wait_until(page, "() => document.querySelector('.pqx').dataset.shown !== 'file'")
    assert view.explorer.selection.startswith("row_groups/")
    strip.press("End")
    view.shown("footer_magic")
    strip.press("ArrowLeft")
    view.shown("footer_length")
    expect(strip).to_have_attribute("aria-valuetext", re.compile("^footer length"))
    assert unusable(page) == []
    page.get_by_role("button", name="Open the byte map").click()
    settle(page)
    assert page.get_by_role("slider", name="Byte map").count() == 1
    expect(page.get_by_role("slider", name="Byte map")).to_have_class("pqx-stage")


def test_in_little_width_the_map_has_the_whole_room(show, orders_bytes):
    page = show(orders_bytes, size=(400, 800)).page
    page.get_by_role("tab", name="map").click()
    settle(page)
    sizes = page.evaluate(SIZES)
    assert sizes["lines"] >= 15
    assert sizes["over"] == sizes["stretched"] == 0
    expect(page.get_by_role("list", name="Legend").get_by_role("button").last).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_a_drag_pans_and_a_click_selects(view):
    page = view.page
    x, y = middle(stage(page))
    page.mouse.move(x, y)
    page.keyboard.down("Control")
    for _ in range(3):
        page.mouse.wheel(0, -250)
    page.keyboard.up("Control")
    low, high = window(page)
    drag(page, (x, y), (x + 200, y))
    moved = window(page)
    assert moved[0] < low
    assert moved[1] - moved[0] == pytest.approx(high - low, abs=2)
    assert view.explorer.selection == ""
    page.mouse.click(x, y)
    wait_until(page, "() => document.querySelector('.pqx').dataset.shown !== 'file'")
    assert view.explorer.selection.startswith("row_groups/")


def test_the_wheel_pans_only_where_the_map_can_move(view):
    page = view.page
    page.evaluate("document.body.style.height = '3000px'")
    page.mouse.move(*middle(stage(page)))
    page.mouse.wheel(0, 30)
    wait_until(page, "() => scrollY > 0")
    page.evaluate("scrollTo(0, 0)")
    stage(page).press("+")
    stage(page).press("+")
    stage(page).blur()
    low, _ = window(page)
    page.mouse.move(*middle(stage(page)))
    page.mouse.wheel(0, 40)
    assert window(page)[0] > low
    assert page.evaluate("scrollY") == 0
    page.mouse.wheel(0, 3000)
    assert window(page)[1] == view.explorer.file.size
    page.mouse.wheel(0, 30)  # the map is at its end
    wait_until(page, "() => scrollY > 0")


def test_a_double_click_zooms_and_escape_goes_back_and_then_up(view):
    page = view.page
    page.mouse.dblclick(*middle(stage(page)))
    wait_until(page, "() => document.querySelector('.pqx').dataset.shown !== 'file'")
    tile = view.explorer.file.node(view.explorer.selection).span
    low, high = window(page)
    assert low <= tile.start
    assert high >= tile.end
    assert high - low < view.explorer.file.size / 3
    selected = view.explorer.selection
    stage(page).press("Escape")
    assert window(page) is None
    assert view.explorer.selection == selected
    stage(page).press("Escape")
    view.shown(selected.rpartition("/pages/")[0])


def test_keys_zoom_and_pan(view):
    page, keys = view.page, stage(view.page)
    for key in ("+", "+", "+"):
        keys.press(key)
    low, high = window(page)
    keys.press("Shift+ArrowRight")
    right = window(page)
    assert right[0] - low == pytest.approx((high - low) / 16, abs=2)
    keys.press("Shift+ArrowDown")
    assert window(page)[0] - right[0] == pytest.approx((high - low) / 4, abs=2)
    keys.press("Shift+ArrowUp")
    keys.press("Shift+ArrowLeft")
    assert window(page) == (low, high)
    assert view.explorer.selection == ""
    keys.press("-")
    assert window(page)[1] - window(page)[0] == pytest.approx(2 * (high - low), abs=2)
    keys.press("0")
    assert window(page) is None


def test_the_strip_s_window_moves_and_stretches(view):
    page, size = view.page, view.explorer.file.size
    strip = page.locator(".pqx-mini")
    box = strip.bounding_box()

    def at(share):
        return box["x"] + share * box["width"], box["y"] + 5

    drag(page, at(0.2), at(0.4))
    assert window(page) == (pytest.approx(0.2 * size, abs=20), pytest.approx(0.4 * size, abs=20))
    drag(page, at(0.3), at(0.5))
    assert window(page) == (pytest.approx(0.4 * size, abs=20), pytest.approx(0.6 * size, abs=20))
    drag(page, at(0.6), at(0.9))
    assert window(page) == (pytest.approx(0.4 * size, abs=20), pytest.approx(0.9 * size, abs=40))
    page.mouse.click(*at(0.25))
    assert window(page) == (pytest.approx(0, abs=20), pytest.approx(0.5 * size, abs=60))
    assert view.explorer.selection == ""


def test_two_fingers_pinch(show, orders_bytes):
    view = show(orders_bytes, has_touch=True, **SCREEN)
    page = view.page
    x, y = middle(stage(page))
    touch = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 40), ("touchMove", 80), ("touchMove", 160), ("touchEnd", 0)):
        points = [{"x": x - apart, "y": y, "id": 1}, {"x": x + apart, "y": y, "id": 2}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points if apart else []})
    low, high = window(page)
    assert high - low == pytest.approx(view.explorer.file.size / 4, rel=0.1)
    assert view.explorer.selection == ""


COLOURS = {
    # by, an entry of the legend, what the note says of a page of the first column
    "column": ("score", ""),
    "codec": ("SNAPPY", "codec: SNAPPY"),
    "ratio": ("2–4 ×", "compression ratio: "),
    "encoding": ("RLE_DICTIONARY", "encoding: "),
    "nulls": ("to 50 %", "null share: 0.00 %"),
    "entropy": ("4–5", "entropy: "),
    "group": ("row group 1", ""),
    "findings": ("no finding", "no finding"),
    "skipped": ("no condition is set", ""),
}


def test_the_map_is_coloured_by_what_one_chooses(view):
    page = view.page
    choice = page.get_by_role("combobox", name="Colour the map by")
    assert choice.input_value() == "kind"
    legend = page.get_by_role("list", name="Legend")
    seen = {pixels(page)}
    missing = []
    view.go("row_groups/0/columns/0/pages/1")
    for by, (entry, says) in COLOURS.items():
        choice.select_option(by)
        page.locator(f".pqx-stage[data-by={by}]").wait_for()
        seen.add(pixels(page))
        if entry not in legend.inner_text():
            missing.append((by, legend.inner_text()))
        spoken = stage(page).get_attribute("aria-valuetext")
        assert spoken.endswith(says) if says[-1:].isalnum() else says in spoken, (by, spoken)
    assert missing == []
    assert len(seen) == len(COLOURS)  # one picture for "no finding" and "no condition"
    choice.select_option("nulls")
    expect(stage(page)).to_have_attribute("aria-label", re.compile("coloured by null share$"))
    page.mouse.move(*middle(stage(page)))
    expect(page.locator(".pqx-tip")).to_contain_text(re.compile("null share: "))


def test_the_legend_shows_the_tiles_of_an_entry_alone(view):
    page = view.page
    page.get_by_role("combobox", name="Colour the map by").select_option("codec")
    entry = page.get_by_role("list", name="Legend").get_by_role("button", name="SNAPPY")
    expect(entry).to_have_attribute("aria-pressed", "false")
    before = pixels(page)
    entry.click()
    expect(entry).to_have_attribute("aria-pressed", "true")
    expect(entry).to_be_focused()
    assert pixels(page) != before
    entry.press("Enter")
    expect(entry).to_have_attribute("aria-pressed", "false")
    assert pixels(page) == before


def test_a_condition_colours_what_is_read(show, orders_bytes):
    page = show(orders_bytes, where="id > 800", **SCREEN).page
    page.get_by_role("combobox", name="Colour the map by").select_option("skipped")
    legend = page.get_by_role("list", name="Legend")
    expect(legend.get_by_role("button", name=re.compile("^read by the query"))).to_be_visible()
    expect(legend.get_by_role("button", name=re.compile("^not read"))).to_be_visible()


def test_an_answer_that_fails_leaves_the_map_as_it_was(view, monkeypatch):
    from pqexplore.widget.operations import OPERATIONS

    def fail(file, by, level):
        raise RuntimeError("the disk is gone")

    monkeypatch.setitem(OPERATIONS, "map_colours", fail)
    before = pixels(view.page)
    choice = view.page.get_by_role("combobox", name="Colour the map by")
    choice.select_option("codec")
    expect(view.page.locator(".pqx-by-note")).to_have_text("the disk is gone")
    assert choice.input_value() == "kind"
    assert pixels(view.page) == before


def test_a_saved_page_has_the_colours_of_the_footer_and_keeps_the_choice(browser, saved_orders, tmp_path):
    path = tmp_path / "explorer.html"
    path.write_text(saved_orders(300_000), "utf-8")
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 780})
    page = context.new_page()
    page.goto(path.as_uri())
    choice = page.get_by_role("combobox", name="Colour the map by")
    legend = page.get_by_role("list", name="Legend")
    for by in ("entropy", "nulls", "column", "codec"):
        choice.select_option(by)
        if by == "entropy":
            expect(page.locator(".pqx-by-note")).to_contain_text("saved page")
            assert choice.input_value() == "kind"
        else:
            expect(legend).to_contain_text(COLOURS[by][0])
    page.reload()
    expect(legend).to_contain_text("SNAPPY")
    assert choice.input_value() == "codec"
    context.close()


def test_the_map_with_pages_says_how_much_of_them_is_read_and_chunks_are_there_meanwhile(view, monkeypatch):
    page, layout = view.page, OPERATIONS["layout"]
    read = page.locator(".pqx-progress")
    seen = []

    def slow(file, level):
        if level == "pages":
            page.wait_for_timeout(300)  # longer than a slice: the view hears how much is done
            yield 0.42
            page.wait_for_timeout(700)  # longer than the patience of the view
            tiles = int(stage(page).get_attribute("data-tiles"))
            button = read.get_by_role("button", name="stop")
            seen.append((read.inner_text(), tiles, button.is_visible()))
        return (yield from layout(file, level))

    monkeypatch.setitem(OPERATIONS, "layout", slow)
    whole = int(stage(page).get_attribute("data-tiles"))
    again = type(view)(page, view.explorer)
    again.shown("")
    page.locator(".pqx[data-layout=pages]").wait_for()
    (words, tiles, stoppable) = seen[0]
    assert words.startswith("reading… 42 %") and stoppable
    assert 0 < tiles < whole
    assert int(stage(page).get_attribute("data-tiles")) == whole
    expect(read).to_be_hidden()
