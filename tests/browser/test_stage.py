"""The stage: the answer fills it, the map is a strip, the tree and the bytes are drawers; what opens, moves and is kept."""

import re

import pytest
from browser.harness import choose_lens, resize, settle, tool, wait_until
from browser.looks import misplaced, violations
from browser.test_first_screen import MANY, false_max
from browser.test_look import hold
from playwright.sync_api import expect

SCREEN, NARROW = (1280, 780), (400, 800)
DRAWERS = ("map", "tree", "bytes")
PARTS = {
    "header": ".pqx-identity",
    "headline": ".pqx-headline",
    "map": ".pqx-map",
    "crumbs": ".pqx-crumbs",
    "lens": ".pqx-detail",
    "bytes": ".pqx-bytes",
}
"""What is always there; the tree only while it is open."""
PLACES = ["", "row_groups/0/columns/7", "row_groups/0/columns/7/pages/1", "footer"]
COLUMN = "row_groups/0/columns/7"
"""Of the sample `events`: `payload.screen.width`, a long name."""


@pytest.fixture
def view(show, orders_bytes):
    """An explorer whose drawers are open."""
    return show(orders_bytes, size=SCREEN, opens=DRAWERS)


def box(page, selector):
    """Left, top, width, height of an element, in whole pixels."""
    found = page.locator(selector).first.bounding_box()
    assert found is not None, f"{selector} has no box"
    return tuple(round(found[side]) for side in ("x", "y", "width", "height"))


def seen(page, selector):
    """Whether all of an element is in the window, and it has a size."""
    x, y, width, height = box(page, selector)
    room = page.viewport_size
    inside = x >= 0 and y >= 0 and x + width <= room["width"] and y + height <= room["height"]
    return inside and width > 0 and height > 0


def unseen(page):
    """The parts that are not in the window as a whole."""
    return [name for name, part in PARTS.items() if not seen(page, part)]


def scrolls(page):
    """By how many pixels the page and the explorer are larger than their room."""
    return page.evaluate(
        """() => [document.documentElement, document.querySelector('.pqx')].map(
             (e) => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight])"""
    )


WITHOUT_CUE = """() => [...document.querySelectorAll('.pqx *')].filter((e) =>
  /auto|scroll/.test(getComputedStyle(e).overflow) && e.clientHeight && !e.matches('.pqx-more, .pqx-legend:has(+ .pqx-further:not([hidden]))')
  && (e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1)).map((e) => e.className)"""


def divider(page, name):
    return page.locator(f".pqx-divide-{name}")


def drag(page, name, by):
    """Drag a divider, in pixels to the right and down."""
    x, y, width, height = box(page, f".pqx-divide-{name}")
    page.mouse.move(x + width / 2, y + height / 2)
    page.mouse.down()
    page.mouse.move(x + width / 2 + by, y + height / 2 + by)
    page.mouse.up()


@pytest.mark.parametrize("size", [SCREEN, (800, 780)], ids=str)
def test_jumps_of_19_px_all_parts_are_on_one_screen_and_stay_there(show, sample, size):
    """Tabs and bytes jumped by 19 pixels when the breadcrumb or the tabs took a second line."""
    view = show(sample("events"), size=size)
    boxes = set()
    for place in PLACES:
        view.go(place)
        assert unseen(view.page) == []
        assert scrolls(view.page) == [[0, 0], [0, 0]]
        assert view.page.evaluate(WITHOUT_CUE) == [], place
        boxes.add(tuple(box(view.page, part)[:2] for part in (".pqx-tabs", ".pqx-panel")))
    assert len(boxes) == 1
    # the answer has most of the room
    view.go("")
    assert box(view.page, ".pqx-panel")[3] >= 0.65 * size[1]
    view.open(*DRAWERS)
    assert unseen(view.page) == []
    assert seen(view.page, ".pqx-tree") or size != SCREEN
    assert scrolls(view.page)[0] == [0, 0]


def test_the_explorer_grows_with_its_answer_and_then_the_lens_scrolls_below_its_sentence(show, sample):
    view = show(sample("events"), at="row_groups/0/columns/0", view="statistics", size=(1280, 1400))
    page = view.page
    # as in a notebook: a window of its own is filled
    page.locator(".pqx").evaluate("(e) => e.style.setProperty('--pqx-tall', 'initial')")
    settle(page)
    panel = page.locator(".pqx-panel")
    over = "(e) => e.scrollHeight - e.clientHeight"
    assert panel.evaluate(over) == 0
    short = box(page, ".pqx")[3]
    view.explorer.view = "overview"
    view.go("")
    assert panel.evaluate(over) == 0
    assert short < box(page, ".pqx")[3] < 1400 - 24  # as high as the answer, and no higher
    view.go("row_groups/1")
    resize(page, 1280, 600)
    assert box(page, ".pqx")[3] == 600 - 24
    assert panel.evaluate(over) > 40
    sentence, tabs = ".pqx-answer > p", ".pqx-tabs"
    places = [box(page, one) for one in (sentence, tabs)]
    panel.evaluate("(e) => e.scrollTo(0, 1000)")
    assert [box(page, one) for one in (sentence, tabs)] == places
    on_top = "([x, y]) => document.elementFromPoint(x, y).closest('.pqx-answer') !== null"
    assert page.evaluate(on_top, [places[0][0] + 8, places[0][1] + 4])


def test_the_overview_does_not_repeat_the_headline(show, sample):
    page = show(sample("events"), size=SCREEN).page
    said, answer = page.locator(".pqx-headline").text_content().strip(), page.locator(".pqx-answer > p").first
    assert answer.text_content().startswith(said.rstrip("."))
    assert answer.bounding_box()["height"] <= 1
    choose_lens(page, "Layout")
    settle(page)
    assert answer.bounding_box()["height"] > 10
    expect(page.locator(".pqx-headline")).to_have_text(said)
    page.locator(".pqx-headline button").click()
    expect(page.get_by_role("tab", name="Overview", selected=True)).to_be_visible()


DIVIDERS = [
    ("map", ".pqx-map", 3, "ArrowDown", "ArrowUp"),
    ("tree", ".pqx-tree", 2, "ArrowRight", "ArrowLeft"),
    ("bytes", ".pqx-bytes", 3, "ArrowUp", "ArrowDown"),
]
"""The name of a divider, the part that it makes larger, the side of its box, and the keys for more and less."""


def test_a_divider_moves_by_keys_and_by_dragging_and_pushes_nothing_out(view):
    page = view.page
    resize(page, 1280, 1000)
    for name, part, side, more, less in DIVIDERS:
        line, first = divider(page, name), box(page, part)[side]
        expect(line).to_have_attribute("aria-valuenow", str(first))
        for keys, by in (([more], 16), ([less, less], -16), (["Home"], 0)):
            for key in keys:
                line.press(key)
            assert box(page, part)[side] == first + by
            expect(line).to_have_attribute("aria-valuenow", str(first + by))
        drag(page, name, -40 if name == "bytes" else 40)
        assert box(page, part)[side] == first + 40
        line.dblclick()
        assert box(page, part)[side] == first
    for name, way in (("map", 1), ("bytes", -1), ("tree", 1)):
        drag(page, name, 2_000 * way)
    for size in (SCREEN, (900, 600)):
        resize(page, *size)
        assert unseen(page) == []
        assert scrolls(page) == [[0, 0], [0, 0]]
        assert box(page, ".pqx-panel")[3] > 60
        assert box(page, ".pqx-panel")[2] > 240


KEYS = {"map": "m", "tree": "t", "bytes": "b"}


def test_the_drawers_open_by_their_buttons_and_by_keys(show, orders_bytes):
    page = show(orders_bytes, size=SCREEN).page
    root, first = page.locator(".pqx"), box(page, ".pqx-detail")
    for part, name in {"map": "The map", "tree": "The tree", "bytes": "bytes"}.items():
        button = page.locator(f".pqx-toggle-{part}")
        expect(button).to_have_accessible_name(name)
        expect(button).to_have_attribute("aria-expanded", "false")
        button.press("Enter")
        expect(root).to_have_attribute(f"data-{part}", "open")
        expect(button).to_have_attribute("aria-expanded", "true")
        expect(button).to_be_focused()
        page.keyboard.press(KEYS[part])
        expect(root).to_have_attribute(f"data-{part}", "closed")
        settle(page)
        assert box(page, ".pqx-detail") == first
    for divider_ in page.locator(".pqx-divider").all():
        expect(divider_).to_be_hidden()
    # a letter in a field is text
    page.locator(".pqx-door").click()
    page.keyboard.type("tmb")
    page.keyboard.press("Escape")
    assert [root.get_attribute(f"data-{part}") for part in DRAWERS] == ["closed"] * 3


def test_the_bytes_open_by_themselves_where_the_answer_is_in_bytes(show, sample):
    view = show(sample("events"), at="row_groups/0/columns/3/pages/1/header", view="thrift", size=SCREEN)
    page, root = view.page, view.page.locator(".pqx")
    expect(root).to_have_attribute("data-bytes", "open")
    picture = page.locator(".pqx-picture")
    expect(picture).to_be_in_viewport(ratio=1)
    assert box(page, ".pqx-hex")[3] > 60
    for lens in ("statistics", "column", "rows"):
        view.explorer.view = lens
        view.go("row_groups/0/columns/3")
        expect(root).to_have_attribute("data-bytes", "closed")
    # what a person chose stays
    page.locator(".pqx-toggle-bytes").click()
    view.go("row_groups/0/columns/2")
    expect(root).to_have_attribute("data-bytes", "open")
    page.locator(".pqx-toggle-bytes").click()
    view.explorer.view = "thrift"
    view.go("row_groups/0/columns/3/pages/1/header")
    expect(root).to_have_attribute("data-bytes", "closed")


def test_each_step_of_the_path_has_the_list_of_its_level(show, sample):
    view = show(sample("events"), at="row_groups/0/columns/3", size=SCREEN)
    page = view.page
    page.get_by_role("button", name="Other places beside country").click()
    options = page.get_by_role("listbox", name="Places").get_by_role("option")
    expect(options.filter(has_text="amount")).to_be_visible()
    expect(page.get_by_role("option", selected=True)).to_contain_text("country")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    view.shown("row_groups/0/columns/4")
    page.get_by_role("button", name="Other places beside row group 0").press("Enter")
    expect(page.get_by_role("option", selected=True)).to_contain_text("row group 0")
    assert misplaced(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox", name="Places")).to_be_hidden()
    expect(page.get_by_role("button", name="Other places beside row group 0")).to_be_focused()
    assert view.explorer.selection == "row_groups/0/columns/4"


def test_escape_leaves_full_screen_and_does_not_go_up(show, orders_bytes):
    view = show(orders_bytes, at="row_groups/0", size=SCREEN, width="700px")
    page, before = view.page, box(view.page, ".pqx")
    tool(page, "Full screen").press("Enter")
    expect(page.locator(".pqx-room")).to_have_class("pqx-room pqx-full")
    settle(page)
    assert list(box(page, ".pqx")) == page.evaluate("[0, 0, innerWidth, innerHeight]")
    page.keyboard.press("Escape")
    expect(page.locator(".pqx-room")).to_have_class("pqx-room")
    settle(page)
    assert box(page, ".pqx") == before
    assert view.explorer.selection == "row_groups/0"


def test_the_choices_are_kept_for_the_next_explorer(saved, saved_orders):
    page = saved(saved_orders(300_000))
    page.locator(".pqx-toggle-tree").click()
    divider(page, "tree").press("ArrowRight")
    page.locator(".pqx-toggle-map").click()
    width = box(page, ".pqx-tree")[2]
    page.reload()
    expect(page.locator(".pqx[data-shown]")).to_have_attribute("data-tree", "open")
    settle(page)
    assert box(page, ".pqx-tree")[2] == width
    expect(page.locator(".pqx")).to_have_attribute("data-map", "open")
    assert page.evaluate("Object.keys(localStorage)") == ["pqx-stage"]
    # a broken memory is as none: js/src/kept.test.ts has more of them
    broken = '{"sizes": {"map": "x", "tree": 1e9, "bytes": -4}, "map": 7}'
    assert unseen(saved(saved_orders(300_000), stored={"pqx-stage": broken})) == []


def test_another_size_of_type_or_space_is_found(view):
    """`misplaced` looks for them in every lens and panel."""
    view.page.add_style_tag(content=".pqx .pqx-tab { font-size: 12px; padding: 0 7px }")
    found = misplaced(view.page)
    for words in ("type of 12px: pqx-tab", "padding-left of 7px: pqx-tab"):
        assert any(one.startswith(words) for one in found)


def test_texts_in_pictures_have_the_small_size(show, sample):
    view = show(sample("events"), at=COLUMN, size=SCREEN, kept=False)
    view.page.evaluate(
        """() => {
          const pen = CanvasRenderingContext2D.prototype, write = pen.fillText;
          window.pqxFonts = new Set();
          pen.fillText = function (...args) { window.pqxFonts.add(this.font); write.apply(this, args); };
          document.body.dataset.jpThemeLight = 'false';  // pictures are drawn again
        }"""
    )
    view.go("row_groups/0")
    fonts = view.page.evaluate("[...window.pqxFonts]")
    assert {re.search(r"[\d.]+px", font)[0] for font in fonts} == {"11px"}


SHIFTS = """() => {
  window.pqxShifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      window.pqxShifts.push([value, sources.map(({ node }) => node?.className)]);
  }).observe({ type: "layout-shift" });
}"""


@pytest.mark.parametrize(
    "places",
    [("row_groups/0/columns/0", ""), pytest.param(("row_groups/0", "footer", ""), marks=pytest.mark.full)],
    ids="/".join,
)
def test_jumps_of_19_px(show, sample, places):
    """The old defect: a line more above pushed what was below. A jump of all parts counts 0.01 and more."""
    view = show(sample("sick-checksum"), size=SCREEN, kept=False)
    page = view.page
    for _ in range(2):  # closed by choice, the bytes do not open beside Thrift
        page.locator(".pqx-toggle-bytes").click()
    settle(page)
    page.evaluate(SHIFTS)
    map_at = box(page, ".pqx-map")
    for place in places:
        view.go(place)
        for tab in page.get_by_role("tablist", name="Lenses").get_by_role("tab").all():
            tab.click()
            settle(page)
    choose_lens(page, "Overview")
    settle(page)
    assert [one for one in page.evaluate("window.pqxShifts") if one[0] >= 0.002] == []
    expect(page.locator(".pqx-headline [role=img]")).to_have_count(1)
    # the sentence comes after the parts are drawn
    page.locator(".pqx-headline .pqx-plain > :last-child").evaluate("(e) => e.textContent = ''")
    assert box(page, ".pqx-map") == map_at
    page.locator(".pqx-identity").evaluate("(e) => e.style.marginTop = '19px'")
    settle(page)
    wait_until(page, "() => window.pqxShifts.some(([value]) => value >= 0.01)")


AROUND = (".pqx-identity", ".pqx-map", ".pqx-crumbs", ".pqx-tabs")
"""The parts above a lens."""


def test_what_the_look_finds_pushes_nothing_around_the_lens(show):
    data = false_max(MANY, data_page_size=64, write_batch_size=100)
    view = show(data, size=SCREEN, kept=False, prepare=hold, rests=False)
    page, asked, handle = view.page, [], view.explorer._handle_msg

    def noted(message):
        asked.append(message["content"]["data"].get("content", {}).get("op"))
        handle(message)

    view.explorer._handle_msg = noted
    page.locator(".pqx-look").get_by_role("button", name="stop").click()
    settle(page)
    places = [box(page, part) for part in AROUND]
    view.explorer._look.go_on.held = False
    page.get_by_role("button", name="look at all bytes").click()
    settle(page)
    assert [box(page, part) for part in AROUND] == places
    assert "headline" in asked[asked.index("look") :]  # it is asked again after the look
    expect(page.locator(".pqx-headline [role=img]")).to_have_count(1)


@pytest.mark.parametrize("size", [SCREEN, (800, 780), NARROW], ids=str)
def test_a_long_name_keeps_its_end_and_leaves_room_for_the_counts(show, sample, tmp_path, size):
    path = tmp_path / "part-00000-da87f068-79ec-432e-a704-fc7370267d6b-c000.snappy.parquet"
    path.write_bytes(sample("sick-checksum").read_bytes())
    page = show(str(path), size=size).page
    expect(page.locator(".pqx-name .pqx-end")).to_have_text("y.parquet")
    assert seen(page, ".pqx-name .pqx-end")
    counts = page.locator(".pqx-counts").bounding_box()
    columns = page.locator(".pqx-counts").get_by_text("1 column").bounding_box()
    assert columns["x"] + columns["width"] <= counts["x"] + counts["width"]
    sentence = page.locator(".pqx-headline")
    expect(sentence).to_contain_text("the page header stores the CRC32")
    assert sentence.bounding_box()["height"] == {1280: 20, 800: 40, 400: 60}[size[0]]


def test_what_scrolls_shows_that_there_is_more(show, sample):
    page = show(sample("events"), size=(1280, 600), opens=("tree", "bytes")).page
    panel = page.locator(".pqx-panel")
    expect(panel).to_have_attribute("data-more", "down")
    mask = "(e) => getComputedStyle(e).maskImage"
    faded = panel.evaluate(mask)
    for to, more in ((40, "up down"), (100_000, "up")):
        panel.evaluate("(e, to) => e.scrollTo(0, to)", to)
        expect(panel).to_have_attribute("data-more", more)
    assert panel.evaluate(mask) != faded
    expect(page.locator(".pqx-hex")).to_have_attribute("data-more", "down")
    expect(page.locator(".pqx-tree")).to_have_attribute("data-more", re.compile("^(down)?$"))
    path = page.locator(".pqx-crumbs ol")
    resize(page, 400, 800)
    page.shows.go("row_groups/0/columns/7/pages/1")
    expect(path).to_have_attribute("data-more", "left")
    path.evaluate("el => el.scrollTo(0, 0)")
    expect(path).to_have_attribute("data-more", "right")


def test_tabs_are_questions_in_one_line_and_those_that_do_not_fit_or_are_empty_are_in_a_menu(show, sample):
    page = show(sample("events"), at=COLUMN, view="compare", size=(800, 780)).page
    tabs, more = page.get_by_role("tablist", name="Lenses"), page.locator(".pqx-more-tabs")
    shown = tabs.get_by_role("tab").all()
    assert len({round(tab.bounding_box()["y"]) for tab in shown}) == 1
    assert len(shown) >= 3
    chosen = tabs.get_by_role("tab", selected=True)
    expect(chosen).to_have_attribute("data-lens", "compare")
    for tab in shown:
        assert tab.inner_text().splitlines()[0].endswith("?")
        assert tab.evaluate("(e) => e.scrollWidth <= e.clientWidth")
        expect(tab).to_be_in_viewport(ratio=1)
    before = [tab.get_attribute("data-lens") for tab in shown]
    # by keyboard alone: the menu, down, and Enter
    more.press("Enter")
    menu = page.get_by_role("group", name="More questions")
    expect(menu).to_be_visible()
    expect(menu.locator("button").first).to_be_focused()
    assert misplaced(page) == []
    assert violations(page) == []
    names = menu.locator("button").evaluate_all("all => all.map((one) => one.dataset.lens)")
    assert not set(names) & set(before)
    empty = menu.locator("[data-lens=bloom]")
    expect(empty).to_have_class("pqx-tab pqx-tab-empty")
    expect(empty).to_have_attribute("title", "this column chunk has no Bloom filter")
    for _ in range(names.index("bloom")):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(menu).to_be_hidden()
    expect(page.locator(".pqx-empty")).to_contain_text("has no Bloom filter")
    expect(tabs.get_by_role("tab", selected=True)).to_have_attribute("data-lens", "bloom")
    expect(tabs.get_by_role("tab", selected=True)).to_be_in_viewport(ratio=1)


def test_names_cut_to_the_same_prefix_keep_their_end(show, sample):
    """`payload.screen.width` and `payload.screen.height` were both cut to `payload.s…`."""
    page = show(sample("events"), at=COLUMN, size=SCREEN, opens=("tree",)).page
    for leaf in ("width", "height"):
        row = page.get_by_role("treeitem").filter(has_text=f"payload.screen.{leaf}")
        end = row.locator(".pqx-end")
        expect(end).to_have_text(leaf)
        fits = end.evaluate("(e) => e.scrollWidth <= e.clientWidth && e.getBoundingClientRect().right")
        assert fits and fits <= row.locator(".pqx-size").bounding_box()["x"], leaf
    expect(page.locator("[aria-current] .pqx-end")).to_have_text("width")


def test_where_it_is_narrow_the_drawers_are_above_and_below_the_answer(show, sample):
    view = show(sample("events"), at="row_groups/0/columns/2", size=NARROW)
    page = view.page
    assert seen(page, ".pqx-headline")
    assert box(page, ".pqx-identity")[3] <= 5 * 28
    assert box(page, ".pqx-counts")[3] <= 20
    assert box(page, ".pqx-panel")[3] >= 330 and box(page, ".pqx-panel")[2] >= 340
    for part, element in {"map": ".pqx-map", "tree": ".pqx-tree", "bytes": ".pqx-hex"}.items():
        page.locator(f".pqx-toggle-{part}").click()
        settle(page)
        assert seen(page, element), part
        assert box(page, element)[3] >= 90 and box(page, element)[2] >= 340, part
        assert seen(page, ".pqx-tabs")
        assert misplaced(page) == [], part
        page.locator(f".pqx-toggle-{part}").click()
        settle(page)


@pytest.mark.parametrize("column", [0, 3])
def test_cut_nesting_its_record_is_shown_where_it_is_narrow(show, sample, column):
    """The record was cut off below the window."""
    page = show(sample("nested"), at=f"row_groups/0/columns/{column}/pages/0", view="nesting", size=NARROW).page
    record = page.locator(".pqx-nest-record")
    record.scroll_into_view_if_needed()
    assert seen(page, ".pqx-nest-record")
    (x, y, width, height), (px, py, pwidth, pheight) = (box(page, one) for one in (".pqx-nest-record", ".pqx-panel"))
    assert height >= 24
    assert px <= x and x + width <= px + pwidth
    assert py <= y and y + height <= py + pheight
    assert record.evaluate("(e) => e.scrollWidth <= e.clientWidth")
