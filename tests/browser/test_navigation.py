"""Back and forward, the palette, links to places, the pinned view: by keyboard, in notebooks and in saved pages."""

import base64
import gzip
import json
import pathlib
import re

import pytest
from browser.harness import copied, keep_copies, settle, wait_until
from browser.looks import violations
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.widget import export

CHUNK = "row_groups/0/columns/1"
SAVE = re.compile("^Save this page")
FOUND = ".pqx-found > [role=option]"

SMALL = 300_000
"""The budget of a saved page that needs no part of the file in particular."""


@pytest.fixture
def palette(orders_view):
    """The field of the palette, opened by its key."""
    page = orders_view.page
    page.get_by_role("tree").press("Control+k")
    field = page.get_by_role("combobox", name=re.compile("Find a column"))
    expect(field).to_be_focused()
    return field


@pytest.fixture
def saved(browser, tmp_path):
    """Open the page of an explorer, or a page, at a hash. Fails if the page throws an error."""
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 780})
    errors = []

    def make(explorer, hash_=""):
        path = tmp_path / "explorer.html"
        path.write_text(explorer if isinstance(explorer, str) else explorer.to_html(budget=SMALL), "utf-8")
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{path.as_uri()}{hash_}")
        page.locator(".pqx[data-shown]").wait_for()
        settle(page)
        return page

    yield make
    context.close()
    assert errors == []


def do(page, name):
    """Run a command of the palette."""
    page.locator(".pqx-door").click()
    page.keyboard.type(name)
    expect(page.locator(FOUND).first).to_contain_text(name)
    page.keyboard.press("Enter")
    expect(page.locator(".pqx-palette")).to_be_hidden()


def test_back_and_forward_lead_through_the_places_and_their_lenses(orders_view):
    view, page = orders_view, orders_view.page
    back, forward = (page.get_by_role("button", name=name, exact=True) for name in ("Back", "Forward"))
    expect(back).to_have_attribute("aria-disabled", "true")
    view.go(CHUNK)  # from Python
    page.get_by_role("tab", name="Statistics").click()
    expect(page.get_by_role("tab", name="Statistics", selected=True)).to_be_visible()
    page.get_by_role("tree").get_by_text("footer", exact=True).click()
    view.shown("footer")
    back.click()
    view.shown(CHUNK)
    expect(page.get_by_role("tab", name="Statistics", selected=True)).to_be_visible()
    page.get_by_role("tree").press("Alt+ArrowLeft")
    expect(page.get_by_role("tab", name="Statistics", selected=False)).to_be_visible()
    page.get_by_role("tree").press("Alt+ArrowLeft")
    view.shown("")
    expect(back).to_have_attribute("aria-disabled", "true")
    for _ in range(3):
        page.keyboard.press("Alt+ArrowRight")
    view.shown("footer")
    assert view.explorer.view == "statistics"
    expect(forward).to_have_attribute("aria-disabled", "true")


def test_a_walk_through_the_tree_is_one_step_back(orders_view):
    view, page = orders_view, orders_view.page
    view.go(CHUNK)
    tree = page.get_by_role("tree")
    tree.focus()
    page.evaluate("const now = performance.now() + 1000; performance.now = () => now")
    before = CHUNK
    for _ in range(3):
        tree.press("ArrowDown")
        wait_until(page, "(before) => document.querySelector('.pqx').dataset.shown !== before", before)
        before = page.locator(".pqx").get_attribute("data-shown")
    settle(page)
    assert view.explorer.selection != CHUNK
    tree.press("Alt+ArrowLeft")
    view.shown(CHUNK)


def test_the_lens_is_scrolled_as_it_was(show, orders_bytes):
    view = show(orders_bytes, size=(1000, 700))
    panel = view.page.locator(".pqx-detail > .pqx-panel")
    panel.evaluate("(el) => { el.scrollTop = 60; }")
    before = panel.evaluate("(el) => el.scrollTop")
    assert before > 0
    view.go("magic")
    assert panel.evaluate("(el) => el.scrollTop") == 0
    view.page.get_by_role("tree").press("Alt+ArrowLeft")
    view.shown("")
    assert panel.evaluate("(el) => el.scrollTop") == before


def test_the_palette_finds_columns_addresses_and_bytes(orders_view):
    page = orders_view.page
    for typed, first, address in (
        ("cty", "city", CHUNK),
        ("row_groups/1/columns/2", "tags", "row_groups/1/columns/2"),
        ("row_groups/1/col", "id", "row_groups/1/columns/0"),
        ("@2", "magic", "magic"),
    ):
        page.get_by_role("tree").press("Control+k")
        page.keyboard.type(typed)
        option = page.locator(FOUND).first
        expect(option).to_have_attribute("data-address", address)
        expect(option).to_contain_text(first)
        page.keyboard.press("Enter")
        orders_view.shown(address)


def test_the_palette_ranks_among_two_thousand_columns(show):
    import pyarrow as pa
    from widget.samples import parquet

    names = [f"measure_{i:04d}" for i in range(1_997)] + ["customer_id", "order.customer", "city"]
    page = show(parquet(pa.table(dict.fromkeys(names, [1])))).page
    page.locator(".pqx-door").click()
    for typed, first in (
        ("cid", "customer_id"),
        ("customer", "order.customer"),
        ("measure_1776", "measure_1776"),
        ("city", "city"),
    ):
        page.locator(".pqx-palette input").fill(typed)
        settle(page)
        expect(page.locator(FOUND).first).to_have_attribute("title", first)
        assert page.locator(FOUND).count() <= 60


def test_a_value_leads_to_what_a_query_for_it_reads(orders_view):
    page = orders_view.page
    page.get_by_role("tree").press("Control+k")
    page.keyboard.type("= Nowhere")
    expect(page.get_by_text("each column rules it out, or has another type")).to_be_visible()
    for _ in "Nowhere":
        page.keyboard.press("Backspace")
    page.keyboard.type("Lima")
    option = page.locator(FOUND)
    expect(option).to_have_text(re.compile("^citycan have it, in 2 of 2 row groups"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Query", selected=True)).to_be_visible()
    assert orders_view.explorer.where == "`city` = 'Lima'"


def test_the_palette_is_a_combobox_and_gives_the_focus_back(palette, orders_view):
    page = orders_view.page

    def active():
        return page.locator(f"[id='{palette.get_attribute('aria-activedescendant')}']")

    expect(active()).to_have_text(re.compile("^Overview"))
    palette.press("ArrowUp")
    last = page.locator(FOUND).last
    expect(last).to_have_attribute("aria-selected", "true")
    palette.press("ArrowDown")
    expect(active()).to_have_text(re.compile("^Overview"))
    palette.press_sequentially("no such thing")
    expect(page.get_by_text("nothing found")).to_have_count(2)  # it is announced, too
    palette.press("Enter")
    assert violations(page) == []
    palette.press("Escape")
    expect(page.locator(".pqx-palette")).to_be_hidden()
    expect(page.get_by_role("tree")).to_be_focused()
    orders_view.shown("")


def test_the_palette_chooses_lenses_and_runs_commands(orders_view):
    page = orders_view.page
    do(page, "Check all bytes")
    settle(page)
    assert "check" in [op for op, _ in orders_view.explorer._asked.values()]
    do(page, "Rows")
    expect(page.get_by_role("tab", name="Rows", selected=True)).to_be_visible()
    root = page.locator(".pqx")
    do(page, "Fold or open the byte map")
    expect(root).to_have_attribute("data-map", "folded")
    before = root.get_attribute("data-dock")
    do(page, "Bytes below, beside, or hidden")
    assert root.get_attribute("data-dock") != before


def test_a_long_name_keeps_its_end(show):
    import pyarrow as pa
    from widget.samples import parquet

    leaf = {"the_leaf_that_tells_columns_apart": 1}
    deep = {"with_a_second_part": leaf}
    table = pa.table({"a_very_long_name_of_the_outermost_group_of_this_file": [deep]})
    page = show(parquet(table), size=(400, 800)).page
    page.locator(".pqx-door").click()
    page.keyboard.type("leaf")
    strong = page.locator(f"{FOUND} strong").first
    expect(strong).to_have_text("the_leaf_that_tells_columns_apart")
    assert strong.evaluate("(el) => el.scrollWidth <= el.clientWidth")
    assert page.locator(FOUND).first.evaluate("(el) => el.scrollWidth <= el.clientWidth")


def test_code_and_address_are_copied(show, tmp_path, orders_bytes):
    path = pathlib.Path(tmp_path) / "orders.parquet"
    path.write_bytes(orders_bytes)
    view = show(str(path), at=CHUNK, view="statistics")
    keep_copies(view.page)
    do(view.page, "Copy the Python code that leads here")
    expect(view.page.get_by_text("Copied: pqexplore")).to_have_count(1)
    do(view.page, "Copy the address of this place")
    expect(view.page.get_by_text(f"Copied: {CHUNK}")).to_have_count(1)
    assert copied(view.page) == [f"pqexplore.explore({str(path)!r}, at={CHUNK!r}, view='statistics')", CHUNK]


def test_a_pinned_view_stays_while_the_first_goes_on(orders_view):
    view, page = orders_view, orders_view.page
    view.go(CHUNK)
    page.get_by_role("tab", name="Statistics").click()
    settle(page)
    page.get_by_role("button", name=re.compile("^Pin this view")).click()
    pin = page.get_by_role("region", name="Pinned: Statistics of city")
    said = pin.locator(".pqx-answer > p").inner_text()
    assert said == page.locator(".pqx-panel .pqx-answer > p").first.inner_text()
    view.go("row_groups/1/columns/0")
    expect(pin.locator(".pqx-answer > p")).to_have_text(said)
    assert page.locator(".pqx-panel .pqx-answer > p").first.inner_text() != said
    assert violations(page) == []
    pin.get_by_role("button", name="city").click()
    view.shown(CHUNK)
    pin.get_by_role("button", name="Close the pinned view").click()
    expect(pin).to_have_count(0)


@pytest.mark.parametrize("size", [(1280, 780), (800, 780), (400, 800)])
def test_both_views_are_seen_in_any_width(show, orders_bytes, size):
    page = show(orders_bytes, at=CHUNK, view="statistics", size=size).page
    page.get_by_role("button", name=re.compile("^Pin this view")).click()
    settle(page)
    one, other = (page.locator(f"{room} > .pqx-panel").bounding_box() for room in (".pqx-detail", ".pqx-pin"))
    for box in (one, other):
        assert box["width"] > (300 if size[0] != 800 else 200)
        assert box["height"] > 100
    assert one["x"] + one["width"] <= other["x"] or one["y"] + one["height"] <= other["y"]
    tab, bar = (
        page.locator(name).bounding_box()
        for name in (".pqx-tab[aria-selected=true][data-lens]", ".pqx-detail > .pqx-tabs")
    )
    assert bar["x"] <= tab["x"] and tab["x"] + tab["width"] <= bar["x"] + bar["width"]


def test_search_in_saved_pages(saved, saved_orders):
    """The search box of a saved page said of every name that it was not saved."""
    page = saved(saved_orders(SMALL))
    for typed, address in (
        ("city", CHUNK),
        ("row_groups/1/columns/2", "row_groups/1/columns/2"),
        ("footer", "footer"),
        ("@2", "magic"),
    ):
        page.locator(".pqx-door").click()
        page.keyboard.type(typed)
        page.locator(f'{FOUND}[data-address="{address}"]').first.click()
        page.locator(f'.pqx[data-shown="{address}"]').wait_for()
    do(page, "Facts")
    expect(page.get_by_role("tab", name="Facts", selected=True)).to_be_visible()
    expect(page.locator(".pqx-palette")).to_be_hidden()


def test_the_hash_of_a_saved_page_leads_to_a_place_and_follows_it(saved, saved_orders):
    page = saved(saved_orders(SMALL), f"#{CHUNK}?lens=facts")
    page.locator(f'.pqx[data-shown="{CHUNK}"]').wait_for()
    expect(page.get_by_role("tab", name="Facts", selected=True)).to_be_visible()
    page.get_by_role("tree").get_by_text("footer", exact=True).click()
    page.locator('.pqx[data-shown="footer"]').wait_for()
    assert page.url.endswith("#footer?lens=facts")
    page.evaluate("location.hash = 'row_groups/1'")
    page.locator('.pqx[data-shown="row_groups/1"]').wait_for()
    do(page, "Copy a link to this place")
    expect(page.get_by_text(f"Copied: {page.url}")).to_have_count(1)
    assert page.url.endswith("explorer.html#row_groups/1")


def test_the_back_button_of_the_browser_leads_through_the_places(saved, saved_orders):
    page = saved(saved_orders(SMALL))

    def shown(address):
        page.locator(f'.pqx[data-shown="{address or "file"}"]').wait_for()
        settle(page)

    tree = page.get_by_role("tree")
    for name in ("footer", "magic"):
        tree.get_by_text(name, exact=True).first.click()
        shown(name)
    page.evaluate("location.hash = 'row_groups/1'")
    shown("row_groups/1")
    page.go_back()
    shown("magic")
    page.keyboard.press("Alt+ArrowLeft")  # the explorer's own key: the same step
    shown("footer")
    page.go_back()
    shown("")
    for address in ("footer", "magic", "row_groups/1"):
        page.go_forward()
        shown(address)
    page.go_back()
    shown("magic")
    page.reload()
    shown("magic")
    page.go_back()
    shown("footer")
    page.go_back()
    shown("")


def unpacked_later(text):
    """The addresses of nodes that a saved page has in its compressed part only."""
    part = {name: re.search(f'id="pqx-{name}">(.*?)</script>', text, re.S)[1] for name in ("snapshot", "later")}
    blocks = [gzip.decompress(base64.b64decode(one)).decode() for one in part["later"].splitlines()]
    names = [line.split("\t")[0] for block in blocks for line in block.splitlines()]
    nodes = [json.loads(json.loads(name)[4:])["address"] for name in names if '"node{' in name]
    return [one for one in nodes if json.dumps(f'node{{"address":"{one}"')[:-1] not in part["snapshot"]]


def test_the_page_is_saved_at_this_place_and_with_this_lens(show, saved, orders_bytes, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "BUDGET", 300_000)
    value = f"{CHUNK}/pages/1/values/2"
    page = show(orders_bytes, at=value).page
    expect(page.get_by_role("tab", name="Value", selected=True)).to_be_visible()
    with page.expect_download() as began:
        page.get_by_role("button", name=SAVE).click()
    assert began.value.suggested_filename == "bytes.html"
    expect(page.locator(".pqx-nav-note")).to_contain_text("If no file came:copy code")
    page = saved(began.value.path().read_text("utf-8"))
    expect(page.locator(".pqx")).to_have_attribute("data-shown", value)
    expect(page.get_by_role("tab", name="Value", selected=True)).to_be_visible()
    expect(page.get_by_role("button", name=SAVE)).to_have_count(0)
    page.locator(".pqx-door").click()
    page.keyboard.type("Save this page")
    expect(page.get_by_text("nothing found").first).to_be_visible()


@pytest.mark.parametrize("keys", [True, False])
def test_the_button_says_that_decrypted_values_are_saved(show, tmp_path, keys):
    write_sample("encrypted", tmp_path / "a")
    decryption = pqexplore.Decryption(**SAMPLES["encrypted"].keys) if keys else None
    with pqexplore.open(tmp_path / "a", decryption=decryption) as file:
        button = show(file).page.get_by_role("button", name=SAVE)
        expect(button).to_have_attribute("title", re.compile("decrypted$" if keys else "of the file$"))


def test_the_compressed_part_of_a_saved_page_is_found_and_linked(saved, saved_orders):
    whole = saved_orders(600_000)
    *_, first, second = unpacked_later(whole)
    page = saved(whole, f"#{first}")
    page.locator(f'.pqx[data-shown="{first}"]').wait_for()
    page = saved(whole)
    page.locator(".pqx-door").click()
    page.keyboard.type(second)
    page.locator(f'{FOUND}[data-address="{second}"]').click()
    page.locator(f'.pqx[data-shown="{second}"]').wait_for()
    expect(page.locator(".pqx-nav-note, .pqx-detail .pqx-trouble")).to_have_count(0)


def test_a_link_that_waits_for_its_place_does_not_undo_a_later_step(saved, saved_orders):
    whole = saved_orders(600_000)
    *_, late = unpacked_later(whole)
    page = saved(whole)
    page.evaluate("""(hash) => {
      const read = Response.prototype.arrayBuffer, go = new Promise((done) => { window.pqxGo = done; });
      Response.prototype.arrayBuffer = async function () {
        window.pqxWaits = true;
        await go;
        return read.call(this);
      };
      location.hash = hash;
    }""", late)  # fmt: skip
    wait_until(page, "() => window.pqxWaits")
    page.get_by_role("tree").get_by_text("magic", exact=True).first.click()
    wait_until(page, "() => location.hash === '#magic'")
    page.evaluate("() => window.pqxGo()")
    page.locator(".pqx[data-shown=magic]").wait_for()
    settle(page)
    assert page.url.endswith("#magic")


def test_a_hostile_hash_is_only_an_address(saved, saved_orders):
    page = saved(saved_orders(SMALL), "#<img src=x onerror=alert(1)>")
    note = page.locator(".pqx-nav-note")
    expect(note).to_contain_text("<img src=x onerror=alert(1)>; this page has nothing of it")
    for hash_, said in (
        ("javascript:alert(1)", "The link leads to javascript:alert(1)"),
        ("%zz", "The link leads to %zz"),
        ("__proto__", "The link leads to __proto__"),
        ("row_groups/0?lens=constructor", "the lens constructor, which does not exist"),
    ):
        page.evaluate("(hash) => { location.hash = hash; }", hash_)
        expect(note).to_contain_text(said)
        expect(page.locator(".pqx")).to_have_attribute("data-shown", "file")
    assert page.locator("img").count() == 0
    page.get_by_role("button", name="Dismiss").click()
    expect(note).to_have_count(0)


def test_a_page_in_a_frame_works_without_an_address_of_its_own(browser, saved_orders):
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_content("<iframe style='width: 1000px; height: 800px'></iframe>")
    text = saved_orders(SMALL)
    page.evaluate("(text) => { document.querySelector('iframe').srcdoc = text; }", text)
    frame = page.frame_locator("iframe")
    frame.get_by_role("tree").get_by_text("footer", exact=True).click()
    frame.locator('.pqx[data-shown="footer"]').wait_for()
    frame.locator(".pqx-door").click()
    page.keyboard.type("Copy a")
    expect(frame.locator(FOUND)).to_contain_text(["Copy the address of this place"])
    page.close()
    assert errors == []


def test_where_one_was_is_said_and_the_way_to_the_start_is_there(show, tmp_path, orders_bytes, monkeypatch):
    monkeypatch.setattr("pqexplore.widget.explorer._interactive", lambda: object())
    path = pathlib.Path(tmp_path) / "orders.parquet"
    path.write_bytes(orders_bytes)
    pqexplore.explore(path).selection = CHUNK
    explorer = pqexplore.explore(path)
    monkeypatch.setattr("pqexplore.explore", lambda *_, **__: explorer)
    view = show(path, at=CHUNK)
    note = view.page.locator(".pqx-nav-note")
    expect(note).to_contain_text("You are back where you were.")
    assert explorer.resumed == ""
    note.get_by_role("button", name="start at the file").click()
    view.shown("")
    expect(note).to_have_count(0)
