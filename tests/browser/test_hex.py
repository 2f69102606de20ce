"""The bytes: colours by structure, the card of a byte, readings, and the search."""

import re
import time

import pytest
from browser.harness import digits, settle
from playwright.sync_api import expect

from pqexplore.engine.writer.samples import sick
from pqexplore.widget import hexview
from pqexplore.widget.operations import OPERATIONS

HEADER = "row_groups/0/columns/0/pages/1/header"
VALUE = "row_groups/0/columns/1/pages/0/values/1"
SCREEN = (1280, 780)
DRAWERS = ("tree", "bytes")
"""What is open beside the answer."""
CARD = ".pqx-hex-card"
WHERE = ".pqx-hex-where"


def coloured(page):
    page.locator(".pqx-owned").first.wait_for()
    settle(page)


@pytest.fixture
def header(show, sample):
    """A view of the sample `events` at the header of a page."""
    view = show(sample("events"), at=HEADER, view="facts", size=SCREEN, opens=DRAWERS)
    coloured(view.page)
    return view


def place_of(page, offset):
    """Where the byte at an offset is, which is visible."""
    across = len(page.locator(".pqx-digits").first.inner_text().split())
    box, at = page.locator(f'[data-line="{offset // across}"] .pqx-digits').bounding_box(), offset % across
    places = across * 3 + -(-across // 8) - 1
    return box["x"] + box["width"] * (3 * at + at // 8 + 1) / places, box["y"] + 8


def press_byte(page, offset, how="click"):
    """Click the byte at an offset, which is visible."""
    getattr(page.mouse if how == "click" else page.touchscreen, how)(*place_of(page, offset))


def test_bytes_have_the_colour_of_their_part_and_fields_alternate(header):
    background = "(all) => all.map((el) => getComputedStyle(el).backgroundColor)"
    fields = header.page.locator(".pqx-digits .pqx-f2.pqx-owned-begin").evaluate_all(background)
    values = header.page.locator(".pqx-digits .pqx-f0.pqx-owned-begin").evaluate_all(background)
    assert fields[0] == fields[2] != fields[1]
    assert values[0] not in fields[:3]
    expect(header.page.locator(".pqx-gutter").first).to_have_text(re.compile("[PHM]"))


def test_a_card_says_whose_the_byte_is_beside_it_and_lights_its_fact(header):
    page, card = header.page, header.page.locator(CARD)
    begin = page.locator(".pqx-digits .pqx-selected").first.bounding_box()
    x, y = begin["x"] + 8, begin["y"] + begin["height"] / 2
    page.mouse.move(x, y)
    expect(card).to_contain_text("type = DATA_PAGE")
    expect(card).to_contain_text("Kind of the page.")
    box, root = card.bounding_box(), page.locator(".pqx").first.bounding_box()
    assert not (box["x"] <= x <= box["x"] + box["width"] and box["y"] <= y <= box["y"] + box["height"])
    assert box["y"] >= root["y"] and box["y"] + box["height"] <= root["y"] + root["height"]
    expect(page.locator(".pqx-fact.pqx-glow .pqx-fact-name")).to_have_text("type")
    expect(page.locator(".pqx-row.pqx-glow")).to_contain_text("type = DATA_PAGE")
    page.mouse.move(5, 5)
    expect(card).to_be_hidden()


def test_a_click_goes_to_the_owner_in_tree_and_lens_and_the_caret_stays(header):
    view, page, file = header, header.page, header.explorer.file
    field = file.node(f"{HEADER}/data_page_header/num_values")
    press_byte(page, field.span.end - 1)
    view.shown(field.address)
    expect(page.get_by_role("treeitem", selected=True)).to_contain_text(field.label)
    assert digits(page, "selected") == file.bytes(field.span).hex(" ").split()
    expect(page.locator(WHERE)).to_contain_text(f"byte {field.span.end - 1:,} of")
    expect(page.locator(CARD)).to_be_hidden()
    # the other way: what is selected elsewhere marks its bytes
    view.go(f"{HEADER}/data_page_header/encoding")
    assert digits(page, "selected") == file.bytes(file.node(view.explorer.selection).span).hex(" ").split()
    # in a large part the clicked byte does not move
    values = "row_groups/0/columns/0/pages/1/values"
    view.go(values)
    start = file.node(values).span.start
    press_byte(page, start + 20)
    page.locator(f'.pqx[data-shown^="{values}/"]').wait_for()
    expect(page.locator(WHERE)).to_contain_text(f"byte {start + 20:,} of")


def test_the_card_of_a_byte_that_was_clicked_comes_back_after_another(header):
    page, card = header.page, header.page.locator(CARD)
    field = header.explorer.file.node(f"{HEADER}/data_page_header/num_values")
    press_byte(page, field.span.end - 1)
    header.shown(field.address)
    expect(card).to_be_hidden()
    x, y = place_of(page, field.span.end - 1)
    page.mouse.move(5, 5)
    page.mouse.move(x, y)
    page.locator(".pqx-glow").first.wait_for()
    settle(page)
    assert card.is_hidden()
    page.mouse.move(*place_of(page, field.span.start - 1))
    expect(card).to_be_visible()
    page.mouse.move(x, y)
    expect(card).to_contain_text("Values of the page")


@pytest.mark.full
def test_a_tap_keeps_the_card_and_its_link_goes_to_the_owner(show, sample):
    view = show(sample("events"), at=HEADER, size=SCREEN, has_touch=True, opens=DRAWERS)
    page = view.page
    coloured(page)
    press_byte(page, view.explorer.file.node(HEADER).span.start, "tap")
    link = page.locator(f"{CARD} .pqx-link")
    expect(link).to_be_visible()
    assert view.explorer.selection == HEADER
    link.click()
    view.shown(f"{HEADER}/type")
    expect(page.locator(CARD)).to_be_hidden()


CHUNK = "row_groups/0/columns/2"
PARTS = {
    HEADER: ("H", "type = DATA_PAGE"),
    "row_groups/0/columns/0/pages/1/values": ("P", "2,000 values, blocks of"),
    f"{CHUNK}/pages/0/body": ("D", "Compressed with SNAPPY."),
    f"{CHUNK}/column_index": ("C", "null_pages = "),
    f"{CHUNK}/offset_index": ("O", "page_locations = "),
    f"{CHUNK}/bloom_filter/bitset": ("B", "of 256 bits set"),
    "footer/num_rows": ("F", "num_rows = 20000"),
    "footer_length": ("M", "footer length = "),
}
"""Of the sample `events`: an address, the letter of its colour, and what the card says of its first byte."""


def card_of(page):
    """The letter and the text of the card of the first selected byte, by keyboard: to the next byte and back."""
    coloured(page)
    page.locator(".pqx-hex").press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    settle(page)
    card, letter = page.locator(CARD).inner_text(), page.locator(f"{CARD} .pqx-hex-letter").inner_text()
    return letter, card.removeprefix(letter).strip()


def test_every_part_has_its_letter_and_its_card(header):
    wrong = []
    for address, (letter, words) in PARTS.items():
        header.go(address)
        said = card_of(header.page)
        if said[0] != letter or words not in said[1]:
            wrong.append((address, said))
    assert wrong == []


def test_levels_look_other_than_values_in_both_kinds_of_pages(show, sample):
    view = show(sample("lz4-v2"), at="row_groups/0/columns/0/pages/0", size=SCREEN, opens=DRAWERS)
    page = view.page
    selected = ".pqx-digits .pqx-selected"
    for number in (0, 1):
        view.go(f"row_groups/0/columns/{number}/pages/0/definition_levels")
        coloured(page)
        assert page.locator(selected).count() == page.locator(f"{selected}.pqx-owned-level").count()
    view.go("row_groups/0/columns/0/pages/0/body")
    page.locator(".pqx-hex").evaluate("(el) => el.scrollBy(0, 200)")
    coloured(page)
    assert page.locator(f"{selected}:not(.pqx-owned-level)").count() > 0


@pytest.mark.full
def test_the_parts_of_a_module_gaps_and_locked_bytes_have_letters_of_their_own(show, sample, unlocked):
    view = show(unlocked("encrypted-columns"), size=SCREEN, opens=DRAWERS)
    module = "row_groups/0/columns/1/pages/0/header/module"
    for part, letter in {"length": "M", "nonce": "E", "tag": "E"}.items():
        view.go(f"{module}/{part}")
        said = card_of(view.page)
        assert said[0] == letter and said[1].startswith(part)
    view = show(sick.gap(), size=SCREEN, opens=DRAWERS)
    gap = next(one for one in view.explorer.file.layout().to_pylist() if one["kind"] == "gap")
    view.go(gap["address"])
    letter, text = card_of(view.page)
    assert letter == "G"
    assert f"{gap['end'] - gap['start']:,} bytes from {gap['start']:,} on" in text
    page = show(sample("encrypted-columns"), size=SCREEN, opens=DRAWERS).page
    coloured(page)
    expect(page.locator(".pqx-digits .pqx-f11").first).to_be_visible()


def test_at_the_last_byte_only_what_fits_is_read(show, sample):
    page = show(sample("events"), at="footer_magic", size=SCREEN, opens=DRAWERS).page
    coloured(page)
    reader = page.locator(".pqx-reader")
    names = reader.locator("li > span:first-child")
    assert {"int8", "int32", "float", "text"} <= set(names.all_inner_texts())
    assert not {"int64", "double", "int96", "uuid"} & set(names.all_inner_texts())
    for key in ("Control+End", "ArrowRight"):  # there is no further byte
        page.locator(".pqx-hex").press(key)
        settle(page)
        assert names.all_inner_texts() == ["bits", "int8", "varint", "zigzag", "text"]
    expect(reader).to_contain_text("“1”")


def test_by_keyboard_the_card_is_at_the_caret_and_escape_closes_it_first(header):
    page, pane = header.page, header.page.locator(".pqx-hex")
    pane.press("ArrowRight")
    expect(page.locator(CARD)).to_contain_text("type = DATA_PAGE")
    expect(page.locator("[role=status][aria-live=polite]").first).to_contain_text("type = DATA_PAGE")
    pane.press("Escape")
    expect(page.locator(CARD)).to_be_hidden()
    assert header.explorer.selection == HEADER
    pane.press("Enter")
    header.shown(f"{HEADER}/type")


def test_decoded_bytes_are_named_and_read_by_the_column_first(show, orders_bytes):
    view = show(orders_bytes, at=VALUE, size=SCREEN, opens=DRAWERS)
    page, file = view.page, view.explorer.file
    coloured(page)
    decompressed, reader = page.get_by_role("button", name="decompressed bytes"), page.locator(".pqx-reader")
    expect(decompressed).to_have_attribute("aria-pressed", "true")
    assert digits(page, "selected") == file.bytes(file.node(VALUE).span).hex(" ").split()
    expect(reader.locator("p")).to_have_text("value 1 = Lima")
    for _ in range(4):  # past the length
        page.locator(".pqx-hex").press("ArrowRight")
    expect(reader.locator("li").first).to_have_class(re.compile("pqx-own"))
    expect(reader.locator("li").first).to_contain_text("“Lima”")
    page.get_by_role("button", name="file bytes").click()
    expect(decompressed).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".pqx-bytes .pqx-bar")).to_contain_text(f"of {file.size:,}")


@pytest.mark.parametrize(("size", "across"), [(SCREEN, 16), ((400, 800), 8)])
def test_as_many_bytes_a_line_as_fit_and_all_readings(show, sample, size, across):
    page = show(sample("events"), at="row_groups/0/columns/1/pages/0", size=size, opens=("bytes",)).page
    coloured(page)
    assert len(page.locator(".pqx-digits").first.inner_text().split()) == across
    pane, reader = (page.locator(one).bounding_box() for one in (".pqx-hex", ".pqx-reader"))
    assert reader["x"] + reader["width"] <= size[0]
    side, length = ("y", "height") if size[0] == 400 else ("x", "width")
    assert reader[side] >= pane[side] + pane[length]
    over = "(el) => [el.scrollHeight - el.clientHeight, el.scrollWidth - el.clientWidth]"
    assert page.locator(".pqx-reader").evaluate(over) == [0, 0]


def test_a_search_marks_counts_goes_round_and_names_the_owner(show, sample):
    view = show(sample("events"), at="footer_magic", size=SCREEN, opens=DRAWERS)
    page, said = view.page, view.page.locator(".pqx-hex-find [role=status]")
    page.get_by_role("button", name="Offsets in decimal").click()
    expect(page.locator(WHERE)).to_contain_text("byte 5f56f of 5f573")
    expect(page.get_by_role("button", name="Offsets in hex")).to_be_visible()
    page.get_by_role("button", name="Offsets in hex").click()
    view.go("")
    page.locator(".pqx-hex").press("/")
    box = page.get_by_role("searchbox", name="Search the bytes")
    box.fill("50 41 52 31")
    expect(said).to_have_text("1 of 2")
    assert digits(page, "found") == ["50", "41", "52", "31"]
    box.press("Enter")
    expect(said).to_have_text("2 of 2")
    expect(page.locator(WHERE)).to_contain_text(f"byte {view.explorer.file.size - 4:,} of")
    expect(page.locator("[aria-live=polite]").first).to_contain_text("closing magic")
    box.press("Enter")
    expect(said).to_have_text("1 of 2, round the end")
    box.press("Escape")
    expect(box).to_be_hidden()
    page.locator(".pqx-hex").press("Control+f")
    page.get_by_role("combobox", name="What is searched for").select_option("zigzag varint")
    box.fill("20000")
    expect(said).to_contain_text(re.compile(r"^1 of "))
    assert digits(page, "found") == ["c0", "b8", "02"]
    box.fill("many")
    expect(said).to_have_text("this is no zigzag varint")


def test_a_long_search_is_cancelled_and_can_be_asked_for_again(show, sample, monkeypatch):
    steps = []

    def slow(file, needles, start=0, space="file"):
        for done in range(1000):
            steps.append(done)
            time.sleep(0.02)
            yield done / 1000
        return hexview.Found([], [], file.size, file.size, False)

    page = show(sample("events"), size=SCREEN, opens=DRAWERS).page
    box, said = page.get_by_role("searchbox", name="Search the bytes"), page.locator(".pqx-hex-find [role=status]")
    with monkeypatch.context() as patched:
        patched.setitem(OPERATIONS, "find", slow)
        page.locator(".pqx-hex").press("/")
        box.fill("50 41 52 31")
        expect(said).to_have_text("searching…")
        box.press("Escape")
        expect(box).to_be_hidden()
        settle(page)
    assert 0 < len(steps) < 1000
    page.locator(".pqx-hex").press("/")
    box.press("Enter")
    expect(said).to_have_text("1 of 2")


@pytest.mark.full
def test_a_saved_page_has_colours_and_searches_what_it_has(saved, saved_orders):
    page = saved(saved_orders(300_000))
    coloured(page)
    page.locator(".pqx-hex").press("/")
    page.get_by_role("combobox", name="What is searched for").select_option("text")
    page.get_by_role("searchbox", name="Search the bytes").fill("PAR1")
    said = page.locator(".pqx-hex-find [role=status]")
    expect(said).to_contain_text("1 of 2, in the")
    expect(said).to_contain_text("that this page has")
    # a click goes to the owner, or to the nearest node around it that the page has
    page.keyboard.press("Escape")
    press_byte(page, 1)
    expect(page.locator(".pqx[data-shown=magic]")).to_be_visible()
    page.locator(".pqx-hex").press("Home")
    press_byte(page, 20)
    expect(page.locator('.pqx[data-shown="row_groups/0/columns/0"]')).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
