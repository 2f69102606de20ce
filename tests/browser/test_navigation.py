"""Back and forward, the palette, links to places, the pinned view: by keyboard, in notebooks and in saved pages."""

import json
import re

import pyarrow as pa
import pytest
from browser.harness import choose_lens, copied, keep_copies, let_time_pass, open_parts, settle, tool, wait_until
from browser.looks import violations
from made import parquet
from playwright.sync_api import expect
from widget.pages import parts_of, unpacked

import pqexplore
from pqexplore.widget import export

CHUNK = "row_groups/0/columns/1"
SAVE = re.compile("^Save this page")
PIN = re.compile("^Pin this view")
FOUND = ".pqx-found > [role=option]"

SMALL = 300_000
"""The budget of a saved page that needs no part of the file in particular."""


def find(page, typed):
    """Open the palette and type; the options that are found then."""
    page.locator(".pqx-door").click()
    page.locator(".pqx-palette input").fill(typed)
    settle(page)
    return page.locator(FOUND)


def do(page, name):
    """Run a command of the palette."""
    expect(find(page, name).first).to_contain_text(name)
    page.keyboard.press("Enter")
    expect(page.locator(".pqx-palette")).to_be_hidden()


def chosen(page, lens):
    """The tab of a lens, which is the chosen one."""
    return page.get_by_role("tab", name=lens, selected=True)


def shown(page, address):
    page.locator(f'.pqx[data-shown="{address or "file"}"]').wait_for()
    settle(page)


def test_back_and_forward_lead_through_the_places_and_their_lenses(orders_view):
    view, page = orders_view, orders_view.page
    let_time_pass(page)
    back, forward = (page.get_by_role("button", name=name, exact=True) for name in ("Back", "Forward"))
    panel, tree = page.locator(".pqx-detail > .pqx-panel"), page.get_by_role("tree")
    panel.evaluate("(el) => { el.scrollTop = 60; }")
    before = panel.evaluate("(el) => el.scrollTop")
    expect(back).to_have_attribute("aria-disabled", "true")
    view.go(CHUNK)  # from Python
    choose_lens(page, "Statistics")
    expect(chosen(page, "Statistics")).to_be_visible()
    tree.get_by_text("footer", exact=True).click()
    view.shown("footer")
    back.click()
    view.shown(CHUNK)
    expect(chosen(page, "Statistics")).to_be_visible()
    tree.press("Alt+ArrowLeft")
    expect(page.get_by_role("tab", selected=True)).not_to_have_attribute("data-lens", "statistics")
    tree.press("Alt+ArrowLeft")
    view.shown("")
    expect(back).to_have_attribute("aria-disabled", "true")
    assert before > 0 and panel.evaluate("(el) => el.scrollTop") == before  # scrolled as it was
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
    for _ in range(3):
        tree.press("ArrowDown")
        settle(page)
    assert view.explorer.selection != CHUNK
    tree.press("Alt+ArrowLeft")
    view.shown(CHUNK)


def test_the_palette_finds_columns_addresses_bytes_and_values(orders_view):
    page = orders_view.page
    for typed, first, address in (
        ("cty", "city", CHUNK),
        ("row_groups/1/columns/2", "tags", "row_groups/1/columns/2"),
        ("row_groups/1/col", "id", "row_groups/1/columns/0"),
        ("@2", "magic", "magic"),
        ("row 700 city", "city", "row_groups/1/columns/1/pages/1/values/75"),
        ("rows/700/city", "value", "row_groups/1/columns/1/pages/1/values/75"),
    ):
        option = find(page, typed).first
        expect(option).to_have_attribute("data-address", address)
        expect(option).to_contain_text(first)
        page.keyboard.press("Enter")
        orders_view.shown(address)
    find(page, "= Nowhere")
    expect(page.get_by_text("each column rules it out, or has another type")).to_be_visible()
    page.locator(".pqx-palette input").fill("= Lima")
    expect(page.locator(FOUND)).to_have_text(re.compile("^citycan have it, in 2 of 2 row groups"))
    page.keyboard.press("Enter")
    expect(chosen(page, "Query")).to_be_visible()
    assert orders_view.explorer.where == "`city` = 'Lima'"


def test_the_palette_finds_lenses_of_other_places_and_words_of_the_glossary(orders_view):
    page = orders_view.page
    option = find(page, "index page").and_(page.locator('[data-kind="lens"]'))
    expect(option).to_contain_text("Page index")
    option.click()
    orders_view.shown("row_groups/0/columns/0")
    expect(chosen(page, "Page index")).to_be_visible()
    word = find(page, "group row").and_(page.locator('[data-kind="word"]')).first
    expect(word).to_contain_text("row group")
    word.click()
    card = page.locator(".pqx-word")
    expect(card).to_be_visible()
    expect(card.locator("strong")).to_have_text("row group")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_a_long_name_keeps_its_end_and_of_many_names_some_are_listed(show):
    deep = {"with_a_second_part": {"the_leaf_that_tells_columns_apart": 1}}
    many = {f"measure_{i}": [1] for i in range(100)} | {"a_very_long_name_of_the_outermost_group": [deep]}
    page = show(parquet(pa.table(many)), size=(400, 800)).page
    assert 0 < find(page, "measure").count() <= 60
    page.keyboard.press("Escape")
    option = find(page, "leaf").first
    expect(option.locator("strong").first).to_have_text("the_leaf_that_tells_columns_apart")
    for part in (option, option.locator("strong").first):
        assert part.evaluate("(el) => el.scrollWidth <= el.clientWidth")


def test_the_palette_is_a_combobox_and_gives_the_focus_back(orders_view):
    page = orders_view.page
    page.get_by_role("tree").press("Control+k")
    palette = page.get_by_role("combobox", name=re.compile("Find a column"))
    expect(palette).to_be_focused()

    def active():
        return page.locator(f"[id='{palette.get_attribute('aria-activedescendant')}']")

    expect(active()).to_have_text(re.compile("^Overview"))
    palette.press("ArrowUp")
    expect(page.locator(FOUND).last).to_have_attribute("aria-selected", "true")
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


def test_each_search_of_the_palette_starts_anew(orders_view):
    page = orders_view.page
    chosen_one = page.locator(f"{FOUND}[aria-selected=true]")
    find(page, "t")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    before = chosen_one.inner_text()
    expect(page.locator(FOUND).first).to_have_attribute("aria-selected", "false")
    page.keyboard.press("Escape")
    page.get_by_role("tree").press("Control+k")
    expect(page.locator(".pqx-palette input")).to_have_value("")
    expect(page.locator(FOUND).first).to_have_attribute("aria-selected", "true")
    page.locator(".pqx-palette input").fill("t")
    expect(page.get_by_text(before.splitlines()[0]).first).to_be_attached()
    expect(page.locator(FOUND).first).to_have_attribute("aria-selected", "true")


@pytest.mark.full
def test_the_palette_chooses_lenses_and_runs_commands(show, tmp_path, orders_bytes):
    path = tmp_path / "orders.parquet"
    path.write_bytes(orders_bytes)
    view = show(str(path), at=CHUNK)
    page, root = view.page, view.page.locator(".pqx")
    do(page, "Check all bytes")
    settle(page)
    assert "check" in [op for op, _ in view.explorer._asked.values()]
    do(page, "Statistics")
    expect(chosen(page, "Statistics")).to_be_visible()
    for part, name in (("map", "byte map"), ("tree", "tree"), ("bytes", "bytes")):
        expect(root).to_have_attribute(f"data-{part}", "closed")
        do(page, f"Open or close the {name}")
        expect(root).to_have_attribute(f"data-{part}", "open")
    keep_copies(page)
    do(page, "Copy the Python code that leads here")
    expect(page.get_by_text("Copied: pqexplore")).to_have_count(1)
    do(page, "Copy the address of this place")
    expect(page.get_by_text(f"Copied: {CHUNK}")).to_have_count(1)
    assert copied(page) == [f"pqexplore.explore({str(path)!r}, at={CHUNK!r}, view='statistics')", CHUNK]


def test_a_pinned_view_stays_while_the_first_goes_on(show, orders_bytes):
    view = show(orders_bytes, at=CHUNK, view="statistics")
    page, said = view.page, view.page.locator(".pqx-panel .pqx-answer > p").first
    tool(page, PIN).click()
    pin = page.get_by_role("region", name="Pinned: Statistics of city")
    kept = pin.locator(".pqx-answer > p").inner_text()
    assert kept == said.inner_text()
    view.go("row_groups/1/columns/0")
    expect(pin.locator(".pqx-answer > p")).to_have_text(kept)
    assert said.inner_text() != kept
    assert violations(page) == []
    pin.get_by_role("button", name="city").click()
    view.shown(CHUNK)
    pin.get_by_role("button", name="Close the pinned view").click()
    expect(pin).to_have_count(0)


@pytest.mark.parametrize("size", [(1280, 780), (800, 780), (400, 800)])
def test_both_views_are_seen_in_any_width(show, orders_bytes, size):
    page = show(orders_bytes, at=CHUNK, view="statistics", size=size).page
    tool(page, PIN).click()
    settle(page)
    one, other = (page.locator(f"{room} > .pqx-panel").bounding_box() for room in (".pqx-detail", ".pqx-pin"))
    for box in (one, other):
        assert box["width"] > (300 if size[0] != 800 else 200)
        assert box["height"] > 100
    assert one["x"] + one["width"] <= other["x"] or one["y"] + one["height"] <= other["y"]
    tab, bar = (
        page.locator(name).bounding_box()
        for name in (".pqx-tab[aria-selected=true][data-lens]", ".pqx-detail > .pqx-tab-bar > .pqx-tabs")
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
        find(page, typed)
        page.locator(f'{FOUND}[data-address="{address}"]').first.click()
        shown(page, address)
    do(page, "Facts")
    expect(chosen(page, "Facts")).to_be_visible()


@pytest.mark.full
def test_the_hash_of_a_saved_page_and_the_back_button_lead_through_its_places(saved, saved_orders):
    page = saved(saved_orders(SMALL), f"#{CHUNK}?lens=facts")
    shown(page, CHUNK)
    expect(chosen(page, "Facts")).to_be_visible()
    let_time_pass(page)
    open_parts(page, "tree")
    tree = page.get_by_role("tree")
    for name in ("footer", "magic"):
        tree.get_by_text(name, exact=True).first.click()
        shown(page, name)
        assert page.url.endswith(f"#{name}?lens=facts")
    page.evaluate("location.hash = 'row_groups/1'")
    shown(page, "row_groups/1")
    do(page, "Copy a link to this place")
    expect(page.get_by_text(f"Copied: {page.url}")).to_have_count(1)
    assert page.url.endswith("explorer.html#row_groups/1")
    page.go_back()
    shown(page, "magic")
    page.keyboard.press("Alt+ArrowLeft")  # the explorer's own key: the same step
    shown(page, "footer")
    page.go_back()
    shown(page, CHUNK)
    for address in ("footer", "magic", "row_groups/1"):
        page.go_forward()
        shown(page, address)
    page.go_back()
    shown(page, "magic")
    page.reload()
    for address in ("magic", "footer", CHUNK):
        shown(page, address)
        page.go_back()


@pytest.mark.full
def test_an_address_without_a_hash_leads_to_where_the_page_begins(saved, orders_bytes):
    page = saved(pqexplore.explore(orders_bytes, at=CHUNK))
    open_parts(page, "tree")
    page.get_by_role("tree").get_by_text("footer", exact=True).click()
    shown(page, "footer")
    page.go_back()
    shown(page, CHUNK)


def unpacked_later(text):
    """The addresses of nodes that a saved page does not unpack at once."""
    state_and_first, later = parts_of(text)
    first = unpacked(state_and_first.split("\n")[1])
    names = [name for block in later.splitlines() for name in unpacked(block) if name.startswith("node{")]
    return [json.loads(name[4:])["address"] for name in names if name not in first]


@pytest.mark.full
def test_the_compressed_part_of_a_saved_page_is_linked_and_found(saved, saved_orders):
    whole = saved_orders(600_000)
    *_, first, second = unpacked_later(whole)
    page = saved(whole, f"#{first}")
    shown(page, first)
    page.reload()
    find(page, second)
    page.locator(f'{FOUND}[data-address="{second}"]').click()
    shown(page, second)
    expect(page.locator(".pqx-nav-note, .pqx-detail .pqx-trouble")).to_have_count(0)


def test_a_link_that_waits_for_its_place_does_not_undo_a_later_step(saved, saved_orders):
    whole = saved_orders(600_000)
    page = saved(whole)
    page.evaluate(
        """(hash) => {
          const read = Response.prototype.arrayBuffer, go = new Promise((done) => { window.pqxGo = done; });
          Response.prototype.arrayBuffer = async function () {
            window.pqxWaits = true;
            await go;
            return read.call(this);
          };
          location.hash = hash;
        }""",
        unpacked_later(whole)[-1],
    )
    wait_until(page, "() => window.pqxWaits")
    page.locator(".pqx-toggle-tree").click()
    page.get_by_role("tree").get_by_text("magic", exact=True).first.click()
    wait_until(page, "() => location.hash === '#magic'")
    page.evaluate("() => window.pqxGo()")
    shown(page, "magic")
    assert page.url.endswith("#magic")


def test_the_page_is_saved_at_this_place_and_with_this_lens(show, saved, orders_bytes, monkeypatch):
    monkeypatch.setattr(export, "BUDGET", 300_000)
    value = f"{CHUNK}/pages/1/values/2"
    page = show(orders_bytes, at=value).page
    with page.expect_download() as began:
        tool(page, SAVE).click()
    assert began.value.suggested_filename == "bytes.html"
    expect(page.locator(".pqx-nav-note")).to_contain_text("If no file came:copy code")
    page = saved(began.value.path().read_text("utf-8"))
    shown(page, value)
    expect(chosen(page, "Value")).to_be_visible()
    expect(page.locator(".pqx-tool").filter(has_text="Save")).to_have_count(0)
    find(page, "Save this page")
    expect(page.get_by_text("nothing found").first).to_be_visible()


@pytest.mark.parametrize("keys", [True, False])
def test_the_button_says_that_decrypted_values_are_saved(show, sample, unlocked, keys):
    button = tool(show(unlocked("encrypted") if keys else sample("encrypted")).page, SAVE)
    expect(button).to_have_attribute("title", re.compile("decrypted$" if keys else "of the file$"))


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
    frame.locator(".pqx[data-shown]").wait_for()
    frame.get_by_role("button", name="The tree").click()
    frame.get_by_role("tree").get_by_text("footer", exact=True).click()
    frame.locator('.pqx[data-shown="footer"]').wait_for()
    frame.locator(".pqx-door").click()
    page.keyboard.type("Copy a")
    expect(frame.locator(FOUND)).to_contain_text(["Copy the address of this place"])
    page.close()
    assert errors == []


def test_where_one_was_is_said_and_the_way_to_the_start_is_there(show, tmp_path, orders_bytes, monkeypatch):
    monkeypatch.setattr("pqexplore.widget.explorer._interactive", lambda: object())
    path = tmp_path / "orders.parquet"
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
