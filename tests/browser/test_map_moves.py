"""The byte map under pointer, wheel and keys: what one points at stays, and Escape goes back from wherever one is."""

import re

import pytest
from browser.harness import settle
from browser.test_map import SCREEN, drag, middle, pixels, stage, window
from playwright.sync_api import expect


@pytest.fixture
def view(show, orders_bytes):
    opened = show(orders_bytes, **SCREEN)
    opened.page.locator(".pqx[data-layout=pages]").wait_for()
    settle(opened.page)
    return opened


def byte_at(page, x, y):
    """The byte that the map shows at a point of the window, by its range and its lines."""
    low, high = window(page) or (0, page.shows.explorer.file.size)
    box, lines = stage(page).bounding_box(), stage(page).evaluate("(e) => e.clientHeight + 3") // 20
    across = (x - box["x"] - 76) / (box["width"] - 76)
    return low + ((y - box["y"]) // 20 + across) * (high - low) / lines


def wheel(page, by, *, control=False):
    if control:
        page.keyboard.down("Control")
    page.mouse.wheel(0, by)
    if control:
        page.keyboard.up("Control")
    settle(page)


@pytest.mark.parametrize(("across", "line"), [(0.2, 0), (0.5, 2), (0.9, 3)])
def test_the_wheel_zooms_at_the_byte_below_the_pointer(view, across, line):
    page = view.page
    box = stage(page).bounding_box()
    x, y = box["x"] + 76 + across * (box["width"] - 76), box["y"] + 20 * line + 8
    page.mouse.move(x, y)
    before = byte_at(page, x, y)
    page.mouse.move(x + 1, y)
    tile = page.locator(".pqx-tip code").inner_text()
    for by in (-250, -250, -100, 150):
        wheel(page, by, control=True)
        low, high = window(page)
        assert byte_at(page, x, y) == pytest.approx(before, abs=2 + (high - low) / 1000)
    page.mouse.move(x, y)
    assert page.locator(".pqx-tip code").inner_text() == tile


def test_two_fingers_hold_the_byte_between_them(show, orders_bytes):
    page = show(orders_bytes, has_touch=True, **SCREEN).page
    x, y = middle(stage(page))
    x -= 250
    before = byte_at(page, x, y)
    touch = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 40), ("touchMove", 80), ("touchMove", 160), ("touchEnd", 0)):
        points = [{"x": x - apart, "y": y, "id": 1}, {"x": x + apart, "y": y, "id": 2}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points if apart else []})
    low, high = window(page)
    assert byte_at(page, x, y) == pytest.approx(before, abs=(high - low) / 200)


def test_a_press_that_ends_outside_does_not_drag_the_map_afterwards(view):
    page = view.page
    stage(page).press("+")
    before = window(page)
    box = stage(page).bounding_box()
    page.mouse.move(box["x"] + 400, box["y"] + 1)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] - 2)  # outside, before it is a drag
    page.mouse.up()
    page.mouse.move(box["x"] + 700, box["y"] + 30)
    page.mouse.move(box["x"] + 300, box["y"] + 50)
    assert window(page) == before


def test_escape_goes_back_from_the_buttons_and_the_strip_too(view):
    page = view.page
    view.go("row_groups/0/columns/0")
    for name in ("Zoom in", "Zoom in"):
        page.get_by_role("button", name=name).click()
        page.wait_for_timeout(450)  # zooms that follow each other at once are one
    inner = window(page)
    page.keyboard.press("Escape")
    assert window(page)[1] - window(page)[0] == pytest.approx(2 * (inner[1] - inner[0]), abs=4)
    page.keyboard.press("Escape")
    assert window(page) is None
    box = page.locator(".pqx-mini").bounding_box()
    drag(page, (box["x"] + 300, box["y"] + 5), (box["x"] + 500, box["y"] + 5))
    assert window(page) is not None
    expect(stage(page)).to_be_focused()
    page.keyboard.press("Escape")
    assert window(page) is None
    assert view.explorer.selection == "row_groups/0/columns/0"
    page.keyboard.press("Escape")
    view.shown("row_groups/0")


def test_the_wheel_moves_and_zooms_over_the_strip_also_where_it_is_alone(view):
    page, size = view.page, view.explorer.file.size
    for folded in (False, True):
        if folded:
            page.get_by_role("button", name="Fold the byte map").click()
            settle(page)
        strip = page.locator(".pqx-mini")
        box = strip.bounding_box()
        page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 5)
        wheel(page, -250, control=True)
        wheel(page, -250, control=True)
        if folded:
            page.get_by_role("button", name="Open the byte map").click()
            box = strip.bounding_box()
        low, high = window(page)
        # what is below the pointer on the strip is in the window, at the same share of it
        assert (0.25 * size - low) / (high - low) == pytest.approx(0.25, abs=0.02)
        page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 5)
        wheel(page, 60)
        assert window(page)[0] > low
        stage(page).press("0")


def test_enter_zooms_to_what_is_selected(view):
    page = view.page
    stage(page).press("Enter")  # the whole file is no tile
    assert window(page) is None
    view.go("row_groups/0/columns/0/pages/0")
    tile = view.explorer.file.node(view.explorer.selection).span
    stage(page).press("Enter")
    low, high = window(page)
    assert low <= tile.start < tile.end <= high
    assert high - low < 1.5 * (tile.end - tile.start)
    stage(page).press("Escape")
    assert window(page) is None


def test_each_page_says_whether_the_query_reads_it_and_that_is_so(show, orders_bytes):
    """`id` is 0 to 999 in order: a page is read if its last number is above 800."""
    view = show(orders_bytes, where="id > 800", **SCREEN)
    page, file = view.page, view.explorer.file
    page.locator(".pqx[data-layout=pages]").wait_for()
    page.get_by_role("combobox", name="Colour the map by").select_option("skipped")
    said = {}
    right = {}
    for group in (0, 1):
        last = 600 * group - 1
        for one in file.row_groups[group].columns["id"].pages:
            if one.is_data:
                view.go(one.address)
                text = stage(page).get_attribute("aria-valuetext")
                said[one.address] = text.rpartition(", ")[2]
                last += one.num_values
                right[one.address] = last > 800
    assert set(said.values()) == {"read by the query", "not read by the query"}
    assert {one: text == "read by the query" for one, text in said.items()} == right
    page.mouse.move(*middle(stage(page)))
    note = page.locator(".pqx-tip")
    assert len(re.findall("read by the query", note.inner_text())) == 1


def test_a_class_that_is_no_more_does_not_leave_the_map_pale(show, orders_bytes):
    view = show(orders_bytes, where="id > 800", **SCREEN)
    page = view.page
    page.get_by_role("combobox", name="Colour the map by").select_option("skipped")
    legend = page.get_by_role("list", name="Legend")
    legend.get_by_role("button", name=re.compile("^read by")).click()
    page.get_by_role("button", name="clear").first.click()
    entry = legend.get_by_role("button", name=re.compile("^no condition"))
    expect(entry).to_be_visible()
    assert legend.locator("[aria-pressed=true]").count() == 0
    shown = pixels(page)
    entry.click()
    assert pixels(page) == shown  # all tiles have this class


def test_on_a_dark_page_the_first_step_of_the_scale_stands_out(show, orders_bytes):
    page = show(orders_bytes, color_scheme="dark", **SCREEN).page
    page.get_by_role("combobox", name="Colour the map by").select_option("nulls")
    entry = page.get_by_role("list", name="Legend").get_by_role("button", name=re.compile("none"))
    contrast = entry.evaluate(
        """(entry) => {
          const light = (text) => text.match(/\\d+/g).slice(0, 3).map((n) => n / 255)
            .map((n) => (n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4))
            .reduce((sum, n, i) => sum + n * [0.2126, 0.7152, 0.0722][i], 0);
          const swatch = getComputedStyle(entry.querySelector(".pqx-swatch")).backgroundColor;
          const page = getComputedStyle(document.querySelector(".pqx")).backgroundColor;
          return (light(swatch) + 0.05) / (light(page) + 0.05); }"""
    )
    assert contrast >= 2.9
