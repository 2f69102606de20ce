"""An explorer: its parts stay in step, by mouse, by keyboard and from Python, and errors leave it usable."""

import pyarrow as pa
import pytest
from browser.harness import digits, settle, wait_until
from made import parquet
from playwright.sync_api import expect
from widget.samples import HOSTILE

import pqexplore
from pqexplore.widget.operations import OPERATIONS

PAGE = "row_groups/0/columns/0/pages/1"


def colours(page, selector=".pqx-stage canvas"):
    """How many different colours a canvas shows."""
    return page.locator(selector).first.evaluate(
        """(c) => new Set(new Uint32Array(
             c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size"""
    )


def test_a_file_opens_with_its_parts_and_clicks_on_map_and_tail_select(orders_view):
    view, page = orders_view, orders_view.page
    for text in ("1,000 rows", "2 row groups"):
        expect(page.locator(".pqx-identity")).to_contain_text(text)
    badges = page.locator(".pqx-badges")
    for text in ("✓ page index: yes", "✗ Bloom filters: no"):
        expect(badges).to_contain_text(text)
    for part in ("data pages", "dictionary", "page header", "offset index", "footer"):
        expect(page.get_by_role("list", name="Legend")).to_contain_text(part)
    expect(page.locator(".pqx-letters").first).to_contain_text("PAR1")
    assert colours(page) > 4 and colours(page, ".pqx-tail canvas") > 3
    stage, tail = page.get_by_role("slider", name="Byte map"), page.locator(".pqx-tail-stage")
    box = stage.bounding_box()
    for part, place in (
        (stage, {"x": box["width"] - 1, "y": 20 * ((box["height"] + 3) // 20) - 10}),
        (tail, {"x": tail.bounding_box()["width"] - 4, "y": 10}),
    ):
        part.click(position=place)
        view.shown("footer_magic")
        assert view.explorer.selection == "footer_magic"
        expect(page.locator("[aria-current=location]")).to_have_text("closing magic")
        assert digits(page, "selected") == [f"{b:02x}" for b in b"PAR1"]
        view.go("")


def test_two_views_and_python_stay_in_step(show, orders_bytes):
    view = show(orders_bytes, views_=2, opens=("map", "tree", "bytes"))
    view.explorer.selection = "row_groups/1/columns/1"
    view.flush()
    for nth in range(2):
        view.shown("row_groups/1/columns/1", nth)
    expect(view.page.locator("[aria-current=location]")).to_have_text(["city", "city"])
    view.page.locator(".pqx-tree").nth(1).get_by_text("footer", exact=True).click()
    for nth in range(2):
        view.shown("footer", nth)
    assert view.explorer.selection == "footer"


def test_a_fact_lights_its_bytes(show, orders_bytes):
    view = show(orders_bytes, at=f"{PAGE}/header", view="facts", opens=("bytes",))
    facts = view.explorer.file.node(f"{PAGE}/header").facts
    view.page.locator(".pqx-fact").filter(has_text="uncompressed page size").first.hover()
    span = next(f.span for f in facts if f.name == "uncompressed_page_size")
    assert digits(view.page, "hot") == view.explorer.file.bytes(span).hex(" ").split()
    view.page.mouse.move(0, 0)
    expect(view.page.locator(".pqx-hot")).to_have_count(0)


def test_a_damaged_page_shows_an_error_with_its_address(show, orders_bytes):
    with pqexplore.open(orders_bytes) as file:
        page = next(p for p in file.row_groups[0].columns["id"].pages if p.is_data)
        start, end = page.frame.header_end, page.frame.end
    damaged = bytearray(orders_bytes)
    damaged[start:end] = b"\xff" * (end - start)
    view = show(bytes(damaged), view="rows")
    expect(view.page.locator(".pqx-cell.pqx-error").first).to_have_text("not readable")
    expect(view.page.get_by_role("grid").get_by_text("Lima").first).to_be_visible()
    view.go(page.address)
    alert = view.page.get_by_role("alert").first
    expect(alert).to_contain_text("Corrupt file")
    expect(alert).to_contain_text(page.address)


def test_a_slow_answer_shows_progress_and_one_that_fails_can_be_asked_again(orders_view, monkeypatch):
    page, node = orders_view.page, OPERATIONS["node"]
    progress, seen = page.locator(".pqx-progress"), []

    def slow(file, address="", view=""):
        progress.wait_for()
        seen.append(address)
        raise RuntimeError("the disk is gone")

    expect(progress).to_be_hidden()
    with monkeypatch.context() as patched:
        patched.setitem(OPERATIONS, "node", slow)
        orders_view.explorer.selection = "footer"
        orders_view.flush()
        expect(page.get_by_role("alert")).to_contain_text("the disk is gone")
    assert seen == ["footer"]
    assert OPERATIONS["node"] is node
    expect(progress).to_be_hidden()
    page.get_by_role("button", name="try again").click()
    orders_view.shown("footer")


def test_a_late_answer_to_an_earlier_selection_is_dropped(orders_view):
    page = orders_view.page
    page.evaluate(
        """() => { const { receive } = window.pqxBridge, held = window.pqxHeld = [];
             window.pqxBridge.receive = (m) => m.content?.result?.items ? held.push(() => receive(m)) : receive(m); }"""
    )
    for address in (PAGE, "footer"):  # the outline knows the footer already
        orders_view.explorer.selection = address
        orders_view.flush()
        wait_until(page, "() => window.pqxHeld.length")
    page.locator(".pqx[data-shown=footer]").wait_for()
    page.evaluate("() => window.pqxHeld.forEach((receive) => receive())")
    orders_view.shown("footer")
    expect(page.locator("[aria-current=location]")).to_have_text("footer")
    expect(page.locator("[role=treeitem][aria-selected=true]")).to_contain_text("footer")


SEEN = """(el) => el.textContent + [...el.querySelectorAll('*')].flatMap((e) =>
  [...e.attributes].filter((a) => /^aria-|^title$/.test(a.name)).map((a) => a.value)).join()"""
"""All that a person sees or hears."""


def test_text_of_the_file_stays_text_without_control_characters(show):
    names = pa.array([HOSTILE + "\x1b", "x"])
    table = pa.Table.from_arrays([names, names], [HOSTILE, HOSTILE]).replace_schema_metadata({HOSTILE: HOSTILE})
    other = parquet(pa.table({"b": [1]}))
    view = show(parquet(table, use_dictionary=False), view="rows", against=other)
    page, dialogs = view.page, []
    page.on("dialog", lambda dialog: dialogs.append(dialog))
    expect(page.get_by_role("gridcell").nth(1)).to_contain_text("⟨U+202E⟩␊</script>")
    for address, lens in (
        ("", "overview"),
        ("", "diff"),
        ("row_groups/0/columns/0/pages/0", "page"),
        ("row_groups/0/columns/0/pages/0/values/0", "encoding"),
        ("key_value_metadata/0", ""),
        ("schema/1", ""),
        ("footer", ""),
    ):
        view.explorer.view = lens
        view.go(address)
        everything = page.locator(".pqx").evaluate(SEEN)
        assert "<img" in everything and not {"\u202e", "\x1b"} & set(everything), (address, lens)
        assert page.locator(".pqx img").count() == 0
    assert dialogs == []


@pytest.mark.full
def test_a_hundred_thousand_tiles(show, orders_bytes):
    explorer = pqexplore.explore(orders_bytes)
    size, count = explorer.file.size, 100_000
    starts = [i * size / count for i in range(count)]
    many = pa.table(
        {
            "start": starts,
            "end": [*starts[1:], float(size)],
            "kind": ["page_header", "data_page"] * (count // 2),
            "address": [f"row_groups/0/columns/{i // 50_000}/pages/{i % 50_000}" for i in range(count)],
        }
    )
    layout = explorer.file.layout
    explorer.file.layout = lambda level: many if level == "pages" else layout(level)
    page = show(explorer.file).page
    page.locator(f'.pqx-stage[data-tiles="{count}"]').wait_for()
    for _ in range(12):
        page.get_by_role("slider", name="Byte map").press("+")
    settle(page)
    assert colours(page) > 2


def test_tab_follows_reading_order_and_nothing_leaves_its_keys_to_jupyter(orders_view):
    page = orders_view.page
    tops, seen = [], []
    for _ in range(80):
        page.keyboard.press("Tab")
        name, top = page.evaluate(
            """() => { const e = document.activeElement;
                 return [e.getAttribute('aria-label') || e.className || e.tagName,
                   e.closest('section, header, nav, [role=separator], body').getBoundingClientRect().top]; }"""
        )
        if name == "BODY":
            break
        seen.append(name)
        tops.append(top)
    assert tops == sorted(tops)
    parts = ("Byte map", "Height of the byte map", "Outline", "pqx-tab", "The bytes of the file", "Bytes. ", "The tree")
    for part in parts:
        assert any(name.startswith(part) for name in seen), part
    orders_view.go(PAGE)
    loose = page.evaluate(
        """() => [...document.querySelectorAll('.pqx *')]
             .filter((e) => e.tabIndex >= 0 && e.dataset.lmSuppressShortcuts !== 'true')
             .map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert loose == []


def test_arrows_walk_through_the_map_and_each_selection_is_announced(orders_view):
    stage = orders_view.page.get_by_role("slider", name="Byte map")
    for key, address in (
        ("Home", "magic"),
        ("ArrowRight", "row_groups/0/columns/0/pages/0/header"),
        ("ArrowRight", "row_groups/0/columns/0/pages/0"),
        ("ArrowRight", "row_groups/0/columns/0/pages/1/header"),
        ("ArrowLeft", "row_groups/0/columns/0/pages/0"),
        ("End", "footer_magic"),
    ):
        stage.press(key)
        orders_view.shown(address)
    text = "closing magic, magic, 4 bytes at 8,621"
    expect(stage).to_have_attribute("aria-valuetext", text)
    expect(orders_view.page.locator(".pqx > [aria-live=polite]")).to_have_text(text)


def test_the_outline_is_a_tree(orders_view):
    page, tree = orders_view.page, orders_view.page.get_by_role("tree")

    def active():
        return page.locator(f"[id='{tree.get_attribute('aria-activedescendant')}']")

    tree.focus()
    expect(active()).to_have_attribute("aria-level", "1")
    for keys, text, expanded in (
        (["ArrowDown"], "magic", None),
        (["ArrowDown", "ArrowDown"], "row groups", "false"),
        (["ArrowRight"], "row groups", "true"),
        (["ArrowRight"], "row group 0", "false"),
        (["ArrowLeft"], "row groups", "true"),
        (["ArrowLeft"], "row groups", "false"),
    ):
        for key in keys:
            tree.press(key)
        settle(page)
        expect(active()).to_contain_text(text)
        if expanded:
            expect(active()).to_have_attribute("aria-expanded", expanded)
    tree.press("End")
    orders_view.shown("footer_magic")


def test_an_answer_that_comes_between_two_keys_does_not_move_the_outline_back(orders_view):
    """The answer for the node before took the cursor back, so that the next arrow led to the wrong node."""
    orders_view.page.evaluate(
        """() => {
          const tree = document.querySelector('[role=tree]'), { receive } = window.pqxBridge;
          const down = () => tree.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true}));
          window.pqxBridge.receive = (m) => {
            const between = m.content?.result?.address === 'magic';
            if (between) down();
            receive(m);
            if (between) setTimeout(down, 50);
          };
          down();
        }"""
    )
    orders_view.shown("row_groups")


def test_escape_goes_up_to_the_file_and_other_keys_outside_are_not_handled(show, orders_bytes):
    view = show(orders_bytes, at="row_groups/0/columns/0", kept=False, opens=("map", "tree", "bytes"))
    page = view.page
    page.evaluate("window.keys = 0; document.addEventListener('keydown', () => window.keys++)")
    page.get_by_role("tree").focus()
    for address in ("row_groups/0", "row_groups", ""):
        page.keyboard.press("Escape")
        view.shown(address)
    assert page.evaluate("window.keys") == 0
    page.keyboard.press("Escape")
    assert page.evaluate("window.keys") == 1  # at the top the key is the notebook's
    page.evaluate(
        """() => { const i = document.createElement('input'); i.id = 'other'; document.body.append(i); i.focus();
             window.prevented = 0;
             i.addEventListener('keydown', (e) => setTimeout(() => { window.prevented += e.defaultPrevented; })); }"""
    )
    for key in ("ArrowDown", "Escape", "+", "Enter", "Home"):
        page.locator("#other").press(key)
    settle(page)
    assert page.evaluate("window.prevented") == 0
    assert view.explorer.selection == ""
