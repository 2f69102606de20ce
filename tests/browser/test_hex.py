"""The bytes: colours by structure, the card of a byte, readings, and the search."""

import re

import pytest
from browser.harness import digits, settle
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.writer.samples import write_sample

HEADER = "row_groups/0/columns/0/pages/1/header"
VALUE = "row_groups/0/columns/1/pages/0/values/1"


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    path = tmp_path_factory.mktemp("samples") / "events.parquet"
    write_sample("events", path)
    return path


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    path = tmp_path_factory.mktemp("samples") / "encrypted.parquet"
    write_sample("encrypted-columns", path)
    return path


def covers(card, x, y):
    return (
        card["x"] <= x <= card["x"] + card["width"] and card["y"] <= y <= card["y"] + card["height"]
    )


def coloured(page):
    page.locator(".pqx-owned").first.wait_for()
    settle(page)


def test_bytes_have_the_colour_of_their_part_and_fields_alternate(show, events):
    page = show(events, at=HEADER, view="facts", size=(1280, 780)).page
    coloured(page)
    fields = page.locator(".pqx-digits .pqx-f2.pqx-owned-begin")
    colours = [
        fields.nth(i).evaluate("(el) => getComputedStyle(el).backgroundColor") for i in range(3)
    ]
    assert colours[0] == colours[2] != colours[1]
    values = page.locator(".pqx-digits .pqx-f0.pqx-owned-begin").first
    assert values.evaluate("(el) => getComputedStyle(el).backgroundColor") not in colours
    expect(page.locator(".pqx-gutter").first).to_have_text(re.compile("[PHM]"))


def test_a_card_says_whose_the_byte_is_beside_it_and_lights_its_fact(show, events):
    page = show(events, at=HEADER, view="facts", size=(1280, 780)).page
    coloured(page)
    begin = page.locator(".pqx-digits .pqx-selected").first.bounding_box()
    x, y = begin["x"] + 8, begin["y"] + begin["height"] / 2
    page.mouse.move(x, y)
    card = page.locator(".pqx-hex-card")
    expect(card).to_contain_text("type = DATA_PAGE")
    expect(card).to_contain_text("Kind of the page.")
    box, root = card.bounding_box(), page.locator(".pqx").first.bounding_box()
    assert not covers(box, x, y)
    assert box["y"] >= root["y"] and box["y"] + box["height"] <= root["y"] + root["height"]
    expect(page.locator(".pqx-fact.pqx-glow .pqx-fact-name")).to_have_text("type")
    expect(page.locator(".pqx-row.pqx-glow")).to_contain_text("type = DATA_PAGE")
    page.mouse.move(5, 5)
    expect(card).to_be_hidden()


def test_a_click_keeps_the_card_and_its_link_goes_to_the_owner(show, events):
    view = show(events, at=HEADER, size=(1280, 780))
    page = view.page
    coloured(page)
    begin = page.locator(".pqx-digits .pqx-selected").first.bounding_box()
    page.mouse.click(begin["x"] + 8, begin["y"] + 8)
    assert view.explorer.selection == HEADER
    page.locator(".pqx-hex-card .pqx-link").click()
    view.shown(f"{HEADER}/type")
    expect(page.locator(".pqx-hex-card")).to_be_hidden()


def test_by_keyboard_the_card_is_at_the_caret_and_escape_closes_it_first(show, events):
    view = show(events, at=HEADER, size=(1280, 780))
    page = view.page
    coloured(page)
    pane = page.locator(".pqx-hex")
    pane.focus()
    pane.press("ArrowRight")
    card = page.locator(".pqx-hex-card")
    expect(card).to_contain_text("type = DATA_PAGE")
    expect(page.locator("[role=status][aria-live=polite]").first).to_contain_text(
        "type = DATA_PAGE"
    )
    pane.press("Escape")
    expect(card).to_be_hidden()
    assert view.explorer.selection == HEADER
    pane.press("Enter")
    view.shown(f"{HEADER}/type")


def test_values_of_decoded_bytes_are_named_and_read_by_the_column_first(show, orders_bytes):
    page = show(orders_bytes, at=VALUE, size=(1280, 780)).page
    coloured(page)
    reader = page.locator(".pqx-reader")
    expect(reader.locator("p")).to_have_text("value 1 = Lima")
    page.locator(".pqx-hex").focus()
    for _ in range(4):  # past the length
        page.keyboard.press("ArrowRight")
    expect(reader.locator("li").first).to_have_class(re.compile("pqx-own"))
    expect(reader.locator("li").first).to_contain_text("“Lima”")


@pytest.mark.parametrize(("size", "across"), [((1280, 780), 16), ((400, 800), 8)])
def test_as_many_bytes_a_line_as_fit_and_all_readings(show, events, size, across):
    page = show(events, at="row_groups/0/columns/1/pages/0", size=size).page
    if size[0] == 400:
        page.get_by_role("tab", name="bytes").click()
    coloured(page)
    assert len(page.locator(".pqx-digits").first.inner_text().split()) == across
    pane, reader = (page.locator(one).bounding_box() for one in (".pqx-hex", ".pqx-reader"))
    assert reader["x"] + reader["width"] <= size[0]
    if size[0] == 400:
        assert reader["y"] >= pane["y"] + pane["height"]
    else:
        assert reader["x"] >= pane["x"] + pane["width"]
    over = page.locator(".pqx-reader").evaluate(
        "(el) => [el.scrollHeight - el.clientHeight, el.scrollWidth - el.clientWidth]"
    )
    assert over == [0, 0]


def test_a_search_marks_counts_goes_round_and_names_the_owner(show, events):
    view = show(events, size=(1280, 780))
    page = view.page
    pane = page.locator(".pqx-hex")
    pane.focus()
    pane.press("/")
    box = page.get_by_role("searchbox", name="Search the bytes")
    box.fill("50 41 52 31")
    said = page.locator(".pqx-hex-find [role=status]")
    expect(said).to_have_text("1 of 2")
    assert digits(page, "found") == ["50", "41", "52", "31"]
    box.press("Enter")
    expect(said).to_have_text("2 of 2")
    size = view.explorer.file.size
    expect(page.locator(".pqx-hex-where")).to_contain_text(f"byte {size - 4:,} of")
    expect(page.locator("[aria-live=polite]").first).to_contain_text("closing magic")
    box.press("Enter")
    expect(said).to_have_text("1 of 2, round the end")
    box.press("Escape")
    expect(box).to_be_hidden()


def test_a_search_for_a_number_or_what_is_none_and_offsets_in_hex(show, events):
    page = show(events, at="footer_magic", size=(1280, 780)).page
    page.get_by_role("button", name="Offsets in decimal").click()
    expect(page.locator(".pqx-hex-where")).to_contain_text("byte 5f56f of 5f573")
    expect(page.get_by_role("button", name="Offsets in hex")).to_be_visible()
    page.locator(".pqx-hex").press("Control+f")
    page.get_by_role("combobox", name="What is searched for").select_option("zigzag varint")
    box = page.get_by_role("searchbox", name="Search the bytes")
    box.fill("20000")
    expect(page.locator(".pqx-hex-find [role=status]")).to_contain_text(re.compile(r"^1 of "))
    assert digits(page, "found") == ["c0", "b8", "02"]
    box.fill("many")
    expect(page.locator(".pqx-hex-find [role=status]")).to_have_text("this is no zigzag varint")


def test_bytes_without_a_key_have_the_colour_of_what_is_not_known(show, locked):
    page = show(locked, size=(1280, 780)).page
    coloured(page)
    expect(page.locator(".pqx-digits .pqx-f11").first).to_be_visible()


def test_a_saved_page_has_colours_and_searches_what_it_has(browser, tmp_path, orders_bytes):
    path = tmp_path / "saved.html"
    path.write_text(pqexplore.explore(orders_bytes).to_html(budget=300_000), "utf-8")
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 780})
    page = context.new_page()
    page.goto(path.as_uri())
    page.locator(".pqx[data-shown]").wait_for()
    coloured(page)
    page.locator(".pqx-hex").press("/")
    page.get_by_role("combobox", name="What is searched for").select_option("text")
    page.get_by_role("searchbox", name="Search the bytes").fill("PAR1")
    said = page.locator(".pqx-hex-find [role=status]")
    expect(said).to_contain_text("1 of 2, in the")
    expect(said).to_contain_text("that this page has")
    context.close()
