"""The bytes: colours by structure, the card of a byte, readings, and the search."""

import re
import time

import pytest
from browser.harness import digits, settle
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES, sick, write_sample
from pqexplore.widget import hexview
from pqexplore.widget.operations import OPERATIONS

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
    return card["x"] <= x <= card["x"] + card["width"] and card["y"] <= y <= card["y"] + card["height"]


def coloured(page):
    page.locator(".pqx-owned").first.wait_for()
    settle(page)


def test_bytes_have_the_colour_of_their_part_and_fields_alternate(show, events):
    page = show(events, at=HEADER, view="facts", size=(1280, 780)).page
    coloured(page)
    fields = page.locator(".pqx-digits .pqx-f2.pqx-owned-begin")
    colours = [fields.nth(i).evaluate("(el) => getComputedStyle(el).backgroundColor") for i in range(3)]
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


def press_byte(page, offset, how="click"):
    """Click the byte at an offset, which is visible."""
    across = len(page.locator(".pqx-digits").first.inner_text().split())
    line = page.locator(f'[data-line="{offset // across}"] .pqx-digits')
    box, at = line.bounding_box(), offset % across
    places = across * 3 + -(-across // 8) - 1
    x = box["x"] + box["width"] * (3 * at + at // 8 + 1) / places
    getattr(page.mouse if how == "click" else page.touchscreen, how)(x, box["y"] + 8)


def test_a_click_goes_to_the_owner_in_tree_and_lens_and_the_caret_stays(show, events):
    view = show(events, at=HEADER, size=(1280, 780))
    page, file = view.page, view.explorer.file
    coloured(page)
    field = file.node(f"{HEADER}/data_page_header/num_values")
    press_byte(page, field.span.end - 1)
    view.shown(field.address)
    expect(page.get_by_role("treeitem", selected=True)).to_contain_text(field.label)
    expect(page.get_by_role("tabpanel").first).to_contain_text("num_values = 2,000")
    assert digits(page, "selected") == file.bytes(field.span).hex(" ").split()
    expect(page.locator(".pqx-hex-where")).to_contain_text(f"byte {field.span.end - 1:,} of")
    expect(page.locator(".pqx-hex-card")).to_be_hidden()
    # the other way: what is selected elsewhere marks its bytes
    view.go(f"{HEADER}/data_page_header/encoding")
    span = file.node(view.explorer.selection).span
    assert digits(page, "selected") == file.bytes(span).hex(" ").split()
    # in a large part the clicked byte does not move
    view.go("row_groups/0/columns/0/pages/1/values")
    span = file.node(view.explorer.selection).span
    press_byte(page, span.start + 20)
    page.locator('.pqx[data-shown^="row_groups/0/columns/0/pages/1/values/"]').wait_for()
    assert view.explorer.selection != "row_groups/0/columns/0/pages/1/values"
    expect(page.locator(".pqx-hex-where")).to_contain_text(f"byte {span.start + 20:,} of")


def test_a_tap_keeps_the_card_and_its_link_goes_to_the_owner(show, events):
    view = show(events, at=HEADER, size=(1280, 780), has_touch=True)
    page = view.page
    coloured(page)
    press_byte(page, view.explorer.file.node(HEADER).span.start, "tap")
    link = page.locator(".pqx-hex-card .pqx-link")
    expect(link).to_be_visible()
    assert view.explorer.selection == HEADER
    link.click()
    view.shown(f"{HEADER}/type")
    expect(page.locator(".pqx-hex-card")).to_be_hidden()


CHUNK = "row_groups/0/columns/2"
PARTS = {
    # sample, address, the letter of its colour, what the card says of its first byte
    "header": ("events", HEADER, "H", "type = DATA_PAGE"),
    "values": ("events", "row_groups/0/columns/0/pages/1/values", "P", "2,000 values, blocks of"),
    "dictionary": ("events", "row_groups/0/columns/3/pages/0/values/0", "D", "value 0 = DE"),
    "compressed": ("events", f"{CHUNK}/pages/0/body", "D", "Compressed with SNAPPY."),
    "column index": ("events", f"{CHUNK}/column_index", "C", "null_pages = "),
    "offset index": ("events", f"{CHUNK}/offset_index", "O", "page_locations = "),
    "Bloom filter": ("events", f"{CHUNK}/bloom_filter/bitset", "B", "of 256 bits set"),
    "footer": ("events", "footer/num_rows", "F", "num_rows = 20000"),
    "length": ("events", "footer_length", "M", "footer length = "),
    "bound": ("events", "footer/row_groups/0/columns/4/meta_data/statistics/max_value", "F", "Here: 19486.63."),
    "levels of v2": ("lz4-v2", "row_groups/0/columns/0/pages/0/definition_levels", "P", "header: 24 values of 1 bit"),
}  # fmt: skip


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")

    def make(name):
        path = folder / f"{name}.parquet"
        if not path.exists():
            write_sample(name, path)
        return path

    return make


def card_of(page):
    """The letter and the text of the card of the first selected byte, by keyboard: to the next byte and back."""
    coloured(page)
    pane = page.locator(".pqx-hex")
    pane.press("ArrowRight")
    pane.press("ArrowLeft")
    settle(page)
    card = page.locator(".pqx-hex-card")
    letter = card.locator(".pqx-hex-letter").inner_text()
    return letter, card.inner_text().removeprefix(letter).strip()


def test_every_part_has_its_letter_and_its_card(show, sample):
    views, wrong = {}, []
    for part, (name, address, letter, words) in PARTS.items():
        if name not in views:
            views = {name: show(sample(name), size=(1280, 780))}
        view, page = views[name], views[name].page
        view.go(address)
        said = card_of(page)
        if said[0] != letter or words not in said[1]:
            wrong.append((part, said))
    assert wrong == []


def test_levels_look_other_than_values_in_both_kinds_of_pages(show, sample):
    view = show(sample("lz4-v2"), at="row_groups/0/columns/0/pages/0", size=(1280, 780))
    page = view.page
    for number in (0, 1):
        view.go(f"row_groups/0/columns/{number}/pages/0/definition_levels")
        coloured(page)
        marked = page.locator(".pqx-digits .pqx-selected")
        assert marked.count() == page.locator(".pqx-digits .pqx-selected.pqx-owned-level").count()
    view.go("row_groups/0/columns/0/pages/0/body")
    page.locator(".pqx-hex").evaluate("(el) => el.scrollBy(0, 200)")
    coloured(page)
    assert page.locator(".pqx-digits .pqx-selected:not(.pqx-owned-level)").count() > 0


MODULE = "row_groups/0/columns/1/pages/0/header/module"


def test_the_parts_of_an_encrypted_module_are_told_apart(show, sample):
    keys = SAMPLES["encrypted-columns"].keys
    with pqexplore.open(sample("encrypted-columns"), decryption=pqexplore.Decryption(**keys)) as file:
        view = show(file, at=MODULE, size=(1280, 780))
        seen = []
        for part in ("length", "nonce", "ciphertext", "tag"):
            view.go(f"{MODULE}/{part}")
            said = card_of(view.page)
            seen.append((said[0], said[1].partition(" ")[0].partition("\n")[0]))
        assert seen == [("M", "length"), ("E", "nonce"), ("E", "ciphertext"), ("E", "tag")]


def test_bytes_that_nothing_refers_to_are_a_gap(show):
    view = show(sick.gap(), size=(1280, 780))
    file = view.explorer.file
    gap = next(one for one in file.layout().to_pylist() if one["kind"] == "gap")
    view.go(gap["address"])
    letter, text = card_of(view.page)
    assert letter == "G"
    assert f"{gap['end'] - gap['start']:,} bytes from {gap['start']:,} on" in text


def test_at_the_last_byte_only_what_fits_is_read(show, events):
    page = show(events, at="footer_magic", size=(1280, 780)).page
    coloured(page)
    reader = page.locator(".pqx-reader")
    names = reader.locator("li > span:first-child")
    assert {"int8", "int32", "float", "text"} <= set(names.all_inner_texts())
    assert not {"int64", "double", "int96", "uuid"} & set(names.all_inner_texts())
    page.locator(".pqx-hex").press("Control+End")
    settle(page)
    assert names.all_inner_texts() == ["bits", "int8", "varint", "zigzag", "text"]
    expect(reader).to_contain_text("“1”")
    page.locator(".pqx-hex").press("ArrowRight")  # there is no further byte
    assert names.all_inner_texts() == ["bits", "int8", "varint", "zigzag", "text"]


def test_by_keyboard_the_card_is_at_the_caret_and_escape_closes_it_first(show, events):
    view = show(events, at=HEADER, size=(1280, 780))
    page = view.page
    coloured(page)
    pane = page.locator(".pqx-hex")
    pane.focus()
    pane.press("ArrowRight")
    card = page.locator(".pqx-hex-card")
    expect(card).to_contain_text("type = DATA_PAGE")
    expect(page.locator("[role=status][aria-live=polite]").first).to_contain_text("type = DATA_PAGE")
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


def test_a_long_search_is_cancelled_and_can_be_asked_for_again(show, events, monkeypatch):
    steps = []

    def slow(file, needles, start=0, space="file"):
        for done in range(1000):
            steps.append(done)
            time.sleep(0.02)
            yield done / 1000
        return hexview.Found([], [], file.size, file.size, False)

    find = OPERATIONS["find"]
    monkeypatch.setitem(OPERATIONS, "find", slow)
    page = show(events, size=(1280, 780)).page
    page.locator(".pqx-hex").press("/")
    box = page.get_by_role("searchbox", name="Search the bytes")
    box.fill("50 41 52 31")
    expect(page.locator(".pqx-hex-find [role=status]")).to_have_text("searching…")
    box.press("Escape")
    expect(box).to_be_hidden()
    settle(page)
    assert 0 < len(steps) < 1000
    monkeypatch.setitem(OPERATIONS, "find", find)
    page.locator(".pqx-hex").press("/")
    box.press("Enter")
    expect(page.locator(".pqx-hex-find [role=status]")).to_have_text("1 of 2")


def test_bytes_without_a_key_have_the_colour_of_what_is_not_known(show, locked):
    page = show(locked, size=(1280, 780)).page
    coloured(page)
    expect(page.locator(".pqx-digits .pqx-f11").first).to_be_visible()


def test_a_saved_page_has_colours_and_searches_what_it_has(browser, tmp_path, saved_orders):
    path = tmp_path / "saved.html"
    path.write_text(saved_orders(300_000), "utf-8")
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
    # a click goes to the owner, or to the nearest node around it that the page has
    page.keyboard.press("Escape")
    press_byte(page, 1)
    expect(page.locator(".pqx[data-shown=magic]")).to_be_visible()
    page.locator(".pqx-hex").press("Home")
    press_byte(page, 20)
    shown = page.locator('.pqx[data-shown="row_groups/0/columns/0"]')
    expect(shown).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    context.close()
