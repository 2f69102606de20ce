"""The byte map: its room, its ways by pointer, wheel and keys, and what it is coloured by."""

import re

import pytest
from browser.harness import View, let_time_pass, open_parts, resize, settle, wait_until
from browser.looks import violations
from playwright.sync_api import expect

from pqexplore.widget import rpc
from pqexplore.widget.operations import OPERATIONS

SCREEN = {"size": (1280, 780), "opens": ("map",)}


@pytest.fixture
def view(show, orders_bytes):
    return show(orders_bytes, **SCREEN)


def stage(page):
    return page.locator(".pqx-stage")


def window(page):
    """The first and the last byte that the map shows; None if it shows all."""
    settle(page)
    found = re.search(r"bytes ([\d,]+) to ([\d,]+) of", page.locator(".pqx-map .pqx-bar").inner_text())
    return tuple(int(one.replace(",", "")) for one in found.groups()) if found else None


def width(page):
    low, high = window(page)
    return high - low


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def byte_at(page, x, y):
    """The byte that the map shows at a point of the window, by its range and its lines."""
    low, high = window(page) or (0, page.shows.explorer.file.size)
    box, lines = stage(page).bounding_box(), stage(page).evaluate("(e) => e.clientHeight + 3") // 20
    across = (x - box["x"] - 76) / (box["width"] - 76)
    return low + ((y - box["y"]) // 20 + across) * (high - low) / lines


def drag(page, start, end):
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


def zoom(page, *wheels):
    """Turn the wheel while Control is held."""
    page.keyboard.down("Control")
    for by in wheels:
        page.mouse.wheel(0, by)
        settle(page)
    page.keyboard.up("Control")


def pixels(page, selector=".pqx-stage canvas"):
    """What a canvas shows, as a number that changes with it."""
    settle(page)
    return page.locator(selector).first.evaluate(
        """(c) => new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer)
             .reduce((sum, pixel) => (Math.imul(sum, 31) + pixel) | 0, 0)"""
    )


SIZES = """() => { const at = (s) => document.querySelector(s), map = at(".pqx-map"), canvas = at(".pqx-stage canvas");
  const box = canvas.getBoundingClientRect();
  return {map: map.clientHeight, over: map.scrollHeight - map.clientHeight, lines: box.height / 20,
    stretched: canvas.height / devicePixelRatio - box.height, room: at(".pqx-stage").clientHeight}; }"""


def test_the_map_fits_its_room_with_whole_lines_and_its_legend_is_one_line(view):
    page = view.page
    sizes = page.evaluate(SIZES)
    assert sizes["room"] >= 20 * sizes["lines"] - 3
    assert (sizes["map"], sizes["over"], sizes["lines"], sizes["stretched"]) == (188, 0, 5, 0)
    for _ in range(2):
        page.get_by_role("separator", name="Height of the byte map").press("ArrowDown")
    settle(page)
    sizes = page.evaluate(SIZES)
    assert (sizes["map"], sizes["lines"], sizes["stretched"]) == (220, 6, 0)
    legend, further = page.get_by_role("list", name="Legend"), page.locator(".pqx-further")
    assert legend.bounding_box()["height"] <= 20
    resize(page, 900, 780)
    expect(further).to_be_visible()
    wide = legend.bounding_box()["width"]
    further.click()
    expect(further).to_be_hidden()
    assert legend.bounding_box()["width"] == wide  # a click that follows on the scroll meets what it is meant for
    expect(legend.get_by_role("button", name="footer")).to_be_in_viewport()


@pytest.mark.full
def test_closed_the_map_is_a_strip_that_a_click_opens_and_keys_walk(show, orders_bytes):
    view = show(orders_bytes, size=(1280, 780))
    page = view.page
    strip = page.get_by_role("slider", name="Byte map")
    assert strip.count() == 1
    assert page.locator(".pqx-map").bounding_box()["height"] == 28
    strip.click()
    settle(page)
    expect(page.locator(".pqx")).to_have_attribute("data-map", "open")
    assert view.explorer.selection == ""
    page.get_by_role("button", name="The map").click()
    settle(page)
    for key, address in (("End", "footer_magic"), ("ArrowLeft", "footer_length")):
        strip.press(key)
        view.shown(address)
    expect(strip).to_have_attribute("aria-valuetext", re.compile("^footer length"))
    parts = ("pqx-map", "pqx-mini", "pqx-stage", "pqx-key", "pqx-legend", "pqx-by", "pqx-further")
    assert [one for one in violations(page) if any(part in str(one) for part in parts)] == []
    assert strip.count() == 1


def test_in_little_width_the_map_opens_to_several_lines(show, orders_bytes):
    page = show(orders_bytes, size=(400, 800), opens=("map",)).page
    sizes = page.evaluate(SIZES)
    assert sizes["lines"] >= 4
    assert sizes["over"] == sizes["stretched"] == 0
    last = page.get_by_role("list", name="Legend").get_by_role("button").last
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_a_drag_pans_and_a_click_selects(view):
    page = view.page
    x, y = middle(stage(page))
    page.mouse.move(x, y)
    zoom(page, -250, -250, -250)
    low, high = window(page)
    drag(page, (x, y), (x + 200, y))
    assert window(page)[0] < low
    assert width(page) == pytest.approx(high - low, abs=2)
    # a press that ends outside, before it is a drag, does not drag the map afterwards
    before, top = window(page), stage(page).bounding_box()["y"]
    page.mouse.move(x, top + 1)
    page.mouse.down()
    page.mouse.move(x, top - 2)
    page.mouse.up()
    page.mouse.move(x + 300, top + 30)
    page.mouse.move(x - 100, top + 50)
    assert window(page) == before
    assert view.explorer.selection == ""
    page.mouse.click(x, y)
    settle(page)
    assert view.explorer.selection.startswith("row_groups/")


def test_the_wheel_pans_only_where_the_map_can_move_and_zooms_with_control_only(view):
    page = view.page
    page.evaluate("document.body.style.height = '3000px'")
    page.mouse.move(*middle(stage(page)))
    page.mouse.wheel(0, 30)
    wait_until(page, "() => scrollY > 0")
    assert window(page) is None
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


def test_the_wheel_zooms_at_the_byte_below_the_pointer(view):
    page = view.page
    box = stage(page).bounding_box()
    x, y = box["x"] + 76 + 0.9 * (box["width"] - 76), box["y"] + 20 * 3 + 8
    page.mouse.move(x, y)
    before = byte_at(page, x, y)
    page.mouse.move(x + 1, y)
    tile = page.locator(".pqx-tip code").inner_text()
    for by in (-250, -250, -100, 150):
        zoom(page, by)
        assert byte_at(page, x, y) == pytest.approx(before, abs=2 + width(page) / 1000)
    page.mouse.move(x, y)
    assert page.locator(".pqx-tip code").inner_text() == tile


def test_two_fingers_pinch_and_hold_the_byte_between_them(show, orders_bytes):
    view = show(orders_bytes, has_touch=True, **SCREEN)
    page = view.page
    x, y = middle(stage(page))
    x -= 250
    before = byte_at(page, x, y)
    touch = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 40), ("touchMove", 80), ("touchMove", 160), ("touchEnd", 0)):
        points = [{"x": x - apart, "y": y, "id": 1}, {"x": x + apart, "y": y, "id": 2}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points if apart else []})
    assert width(page) == pytest.approx(view.explorer.file.size / 4, rel=0.1)
    assert byte_at(page, x, y) == pytest.approx(before, abs=width(page) / 200)
    assert view.explorer.selection == ""


def test_a_double_click_zooms_and_escape_goes_back_and_then_up(view):
    page = view.page
    page.mouse.dblclick(*middle(stage(page)))
    settle(page)
    selected = view.explorer.selection
    tile = view.explorer.file.node(selected).span
    low, high = window(page)
    assert low <= tile.start < tile.end <= high
    assert high - low < view.explorer.file.size / 3
    stage(page).press("Escape")
    assert window(page) is None
    assert view.explorer.selection == selected
    stage(page).press("Escape")
    view.shown(selected.rpartition("/pages/")[0])


def test_escape_goes_back_from_the_buttons_and_the_strip_too(view):
    page = view.page
    view.go("row_groups/0/columns/0")
    let_time_pass(page)  # zooms that follow each other at once are one
    for _ in range(2):
        page.get_by_role("button", name="Zoom in").click()
    inner = width(page)
    page.keyboard.press("Escape")
    assert width(page) == pytest.approx(2 * inner, abs=4)
    page.keyboard.press("Escape")
    assert window(page) is None
    page.evaluate("void delete performance.now")  # a drag is one
    box = page.locator(".pqx-mini").bounding_box()
    drag(page, (box["x"] + 300, box["y"] + 5), (box["x"] + 500, box["y"] + 5))
    assert window(page) is not None
    expect(stage(page)).to_be_focused()
    page.keyboard.press("Escape")
    assert window(page) is None
    assert view.explorer.selection == "row_groups/0/columns/0"
    page.keyboard.press("Escape")
    view.shown("row_groups/0")


def test_keys_zoom_and_pan(view):
    page, keys = view.page, stage(view.page)
    keys.press("Enter")  # the whole file is no tile
    assert window(page) is None
    for key in ("+", "+", "+"):
        keys.press(key)
    low, high = window(page)
    lines = page.evaluate(SIZES)["lines"]
    keys.press("Shift+ArrowRight")
    right = window(page)
    assert right[0] - low == pytest.approx((high - low) / (4 * lines), abs=2)
    keys.press("Shift+ArrowDown")
    assert window(page)[0] - right[0] == pytest.approx((high - low) / lines, abs=2)
    keys.press("Shift+ArrowUp")
    keys.press("Shift+ArrowLeft")
    assert window(page) == (low, high)
    assert view.explorer.selection == ""
    keys.press("-")
    assert width(page) == pytest.approx(2 * (high - low), abs=2)
    keys.press("0")
    assert window(page) is None
    view.go("row_groups/0/columns/0/pages/0")
    tile = view.explorer.file.node(view.explorer.selection).span
    keys.press("Enter")
    low, high = window(page)
    assert low <= tile.start < tile.end <= high
    assert high - low < 1.5 * (tile.end - tile.start)


@pytest.mark.full
def test_the_strip_s_window_moves_and_stretches_and_the_wheel_is_over_it_too(view):
    page, size = view.page, view.explorer.file.size
    strip = page.locator(".pqx-mini")

    def at(share):
        box = strip.bounding_box()
        return box["x"] + share * box["width"], box["y"] + 5

    def shows(low, high):
        return window(page) == (pytest.approx(low * size, abs=20), pytest.approx(high * size, abs=60))

    for start, end, low, high in ((0.2, 0.4, 0.2, 0.4), (0.3, 0.5, 0.4, 0.6), (0.6, 0.9, 0.4, 0.9)):
        drag(page, at(start), at(end))
        assert shows(low, high)
    page.mouse.click(*at(0.25))
    assert shows(0, 0.5)
    assert view.explorer.selection == ""
    for closed in (False, True):
        stage(page).press("0")
        if closed:
            page.get_by_role("button", name="The map").click()
            settle(page)
        page.mouse.move(*at(0.25))
        zoom(page, -250, -250)
        if closed:
            page.get_by_role("button", name="The map").click()
        low, high = window(page)
        # what is below the pointer on the strip is in the window, at the same share of it
        assert (0.25 * size - low) / (high - low) == pytest.approx(0.25, abs=0.02)
        page.mouse.move(*at(0.25))
        page.mouse.wheel(0, 60)
        assert window(page)[0] > low


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


def choice_of(page):
    return page.get_by_role("combobox", name="Colour the map by")


def legend_of(page):
    return page.get_by_role("list", name="Legend")


def test_the_map_is_coloured_by_what_one_chooses(view):
    page = view.page
    assert choice_of(page).input_value() == "kind"
    seen = {pixels(page)}
    view.go("row_groups/0/columns/0/pages/1")
    for by, (entry, says) in COLOURS.items():
        choice_of(page).select_option(by)
        page.locator(f".pqx-stage[data-by={by}]").wait_for()
        seen.add(pixels(page))
        assert entry in legend_of(page).inner_text(), by
        spoken = stage(page).get_attribute("aria-valuetext")
        assert spoken.endswith(says) if says[-1:].isalnum() else says in spoken, (by, spoken)
    assert len(seen) == len(COLOURS)  # one picture for "no finding" and "no condition"
    choice_of(page).select_option("nulls")
    expect(stage(page)).to_have_attribute("aria-label", re.compile("coloured by null share$"))
    page.mouse.move(*middle(stage(page)))
    expect(page.locator(".pqx-tip")).to_contain_text(re.compile("null share: "))


def test_each_page_says_whether_the_query_reads_it_and_that_is_so(show, orders_bytes):
    """`id` is 0 to 999 in order: a page is read if its last number is above 800."""
    view = show(orders_bytes, where="id > 800", **SCREEN)
    page, file = view.page, view.explorer.file
    choice_of(page).select_option("skipped")
    said, right = {}, {}
    for group in (0, 1):
        last = 600 * group - 1
        for one in file.row_groups[group].columns["id"].pages:
            if one.is_data:
                view.go(one.address)
                said[one.address] = stage(page).get_attribute("aria-valuetext").rpartition(", ")[2]
                last += one.num_values
                right[one.address] = "read by the query" if last > 800 else "not read by the query"
    assert said == right and len(set(said.values())) == 2
    page.mouse.move(*middle(stage(page)))
    assert page.locator(".pqx-tip").inner_text().count("read by the query") == 1
    expect(legend_of(page).get_by_role("button", name=re.compile("^not read"))).to_be_visible()
    # a class that is no more does not leave the map pale
    legend_of(page).get_by_role("button", name=re.compile("^read by")).click()
    page.get_by_role("button", name="clear").first.click()
    entry = legend_of(page).get_by_role("button", name=re.compile("^no condition"))
    expect(entry).to_be_visible()
    assert legend_of(page).locator("[aria-pressed=true]").count() == 0
    shown = pixels(page)
    entry.click()
    assert pixels(page) == shown  # all tiles have this class


def test_an_answer_that_fails_leaves_the_map_as_it_was(view, monkeypatch):
    def fail(file, by, level):
        raise RuntimeError("the disk is gone")

    monkeypatch.setitem(OPERATIONS, "map_colours", fail)
    before = pixels(view.page)
    choice_of(view.page).select_option("codec")
    expect(view.page.locator(".pqx-by-note")).to_have_text("the disk is gone")
    assert choice_of(view.page).input_value() == "kind"
    assert pixels(view.page) == before


@pytest.mark.full
def test_a_saved_page_has_the_colours_of_the_footer_and_keeps_the_choice(saved, saved_orders):
    page = saved(saved_orders(300_000))
    open_parts(page, "map")
    choice_of(page).select_option("entropy")
    expect(page.locator(".pqx-by-note")).to_contain_text("saved page")
    assert choice_of(page).input_value() == "kind"
    for by in ("nulls", "column", "codec"):
        choice_of(page).select_option(by)
        expect(legend_of(page)).to_contain_text(COLOURS[by][0])
    page.reload()
    expect(legend_of(page)).to_contain_text("SNAPPY")
    assert choice_of(page).input_value() == "codec"


def test_the_map_with_pages_says_how_much_of_them_is_read_and_chunks_are_there_meanwhile(view, monkeypatch):
    page, layout, seen = view.page, OPERATIONS["layout"], []
    read = page.locator(".pqx-progress")

    def slow(file, level):
        if level == "pages":
            yield 0.42
            read.wait_for()
            expect(read).to_contain_text("42 %")
            expect(read.get_by_role("button", name="stop")).to_be_visible()
            seen.append(int(stage(page).get_attribute("data-tiles")))
        return (yield from layout(file, level))

    monkeypatch.setattr(rpc, "SLICE", 0)
    monkeypatch.setitem(OPERATIONS, "layout", slow)
    whole = int(stage(page).get_attribute("data-tiles"))
    View(page, view.explorer).shown("")
    assert 0 < seen[0] < whole
    assert int(stage(page).get_attribute("data-tiles")) == whole
    expect(read).to_be_hidden()
