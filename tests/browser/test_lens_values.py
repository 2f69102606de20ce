"""Lenses of values: page, nesting, variant, schema, encryption, and the life of a value."""

import re

import pyarrow as pa
import pytest
from browser.harness import choose_lens, digits, settle, wait_until
from made import parquet
from playwright.sync_api import expect

import pqexplore


def hex_of(view, address):
    file = view.explorer.file
    return file.bytes(file.node(address).span).hex(" ").split()


# --- page

LISTS = "row_groups/0/columns/2/pages/1"


def test_the_parts_of_a_page_and_a_chosen_value_in_all_forms(show, orders_bytes):
    view = show(orders_bytes, at=LISTS)
    page = view.explorer.file.row_groups[0].columns[2].pages[1]
    parts = view.page.locator(".pqx-anatomy-key [data-part]")
    sizes = parts.evaluate_all("(all) => all.map(({ dataset: d }) => [d.part, Number(d.bytes)])")
    frame, sections = page.frame, {s.name.replace("_", " "): len(s.data) for s in page.body.sections}
    whole = {"header": frame.header_end - frame.start, "body": frame.end - frame.header_end}
    assert dict(sizes) == whole | sections
    expect(view.page.locator("[data-checksum]")).to_have_text("no checksum")
    grid = view.page.get_by_role("grid", name=re.compile("Levels and values"))
    expect(grid.get_by_role("row").nth(3)).to_contain_text("empty: tags")
    expect(grid.get_by_role("row").nth(5)).to_contain_text("null: element")
    grid.get_by_text("61", exact=True).first.click()
    view.shown(f"{LISTS}/values/0")
    choose_lens(view.page, "Levels and values")
    value = view.page.get_by_role("region", name="The selected entry")
    forms = {"means": "a", "in Python": "'a'", "bytes": "61"}
    for form, text in forms.items():
        expect(value.locator(f'[data-form="{form}"] dd')).to_have_text(text)
    view.page.get_by_role("grid").get_by_text("63", exact=True).first.click()
    view.shown(f"{LISTS}/values/2")
    expect(value.locator('[data-form="means"] dd')).to_have_text("c")
    view.page.get_by_role("button", name="header", exact=True).click()
    view.shown(f"{LISTS}/header")


def test_what_is_missing_is_before_a_long_name(show):
    name = "a_name_that_is_too_long_for_the_room_that_a_cell_has_for_it"
    page = show(parquet(pa.table({name: [None, 1]})), at="row_groups/0/columns/0/pages/1", view="page").page
    expect(page.get_by_role("gridcell").nth(1)).to_have_text(f"0 null: {name}")


# --- nesting

PAGE = "row_groups/0/columns/0/pages/0"


def rungs(view):
    """The state of each field of the path."""
    settle(view.page)
    return view.page.locator(".pqx-nest-rung").evaluate_all("(all) => all.map((e) => e.dataset.state)")


def record(view):
    """The lines of the row, and those that are new."""
    settle(view.page)
    lines = view.page.locator(".pqx-nest-line").evaluate_all(
        "(all) => all.map((e) => [e.lastChild.textContent, e.classList.contains('pqx-nest-new')])"
    )
    return [text for text, _ in lines], [text for text, new in lines if new]


def entry_is(view, entry):
    view.page.locator(f'.pqx-nest[data-entry="{entry}"]').wait_for()
    view.page.locator(f'.pqx-nest-three .pqx-chosen[data-row="{entry}"]').wait_for()


def test_steps_walk_the_schema_and_build_the_row(show, sample):
    view = show(sample("nested"), at=PAGE, view="nesting", opens=("bytes",))
    page = view.page
    entry_is(view, 0)
    assert rungs(view) == ["there"] * 5
    assert record(view) == (["lists: [", "[", "1", "]", "]"], ["lists: [", "[", "1"])
    page.get_by_role("button", name="next entry").click()
    entry_is(view, 1)
    assert rungs(view) == ["there", "there", "there", "goes-on", "there"]
    assert record(view)[1] == ["2"]
    expect(page.locator(".pqx-nest-sentence")).to_contain_text(
        "Repetition 2 of 2: lists.list.element goes on with a further element"
    )
    for name, entry in (("next row", 3), ("next row", 7), ("next row", 8), ("row before", 7), ("next row", 8)):
        page.get_by_role("button", name=name).click()
        entry_is(view, entry)
    assert rungs(view) == ["null", "beyond", "beyond", "beyond", "beyond"]
    assert record(view) == (["lists: null"], ["lists: null"])
    page.get_by_role("grid", name="Entries of").locator('[data-row="5"] [data-column="0"]').click()
    entry_is(view, 5)
    assert record(view)[1] == ["[", "null"]
    page.get_by_role("button", name="last entry").click()
    entry_is(view, 9)
    for name, address in (
        ("repetition level", f"{PAGE}/repetition_levels/9"),
        ("definition level", f"{PAGE}/definition_levels/9"),
        ("value", f"{PAGE}/values/4"),
    ):
        page.locator(".pqx-nest-bytes").get_by_role("button", name=name).click()
        view.shown(address)
        entry_is(view, 9)
        assert digits(page, "selected") == hex_of(view, address)
    page.get_by_role("button", name="entry before").click()
    entry_is(view, 8)
    expect(page.locator(".pqx-nest-bytes")).not_to_contain_text("value")


def test_steps_by_keyboard_and_the_links_of_levels_and_fields(show, sample):
    view = show(sample("nested"), at=f"{PAGE}/definition_levels/4", view="nesting")
    page = view.page
    entry_is(view, 4)
    view.go(f"{PAGE}/values/4")
    entry_is(view, 9)
    page.get_by_role("slider", name="Entry of the page").focus()
    for key, entry in (("Home", 0), ("ArrowRight", 1), ("End", 9), ("ArrowLeft", 8)):
        page.keyboard.press(key)
        entry_is(view, entry)
    page.keyboard.press("End")
    entry_is(view, 9)
    assert record(view)[0] == ["lists: [", "[", "5", "]", "]"]
    row = page.get_by_role("grid", name="How often each level occurs").locator('[data-row="8"]')
    expect(row).to_contain_text("lists.list.element.list.element has a value")
    expect(row).to_contain_text("50.0 %")
    row.locator('[data-column="0"]').click()
    view.shown(f"{PAGE}/definition_levels")
    page.locator(".pqx-nest-ladder").get_by_role("button").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    view.shown("schema/2")


@pytest.mark.full
def test_it_plays_to_the_end(show, sample):
    page = show(sample("nested"), at=f"{PAGE}/definition_levels/6", view="nesting", reduced_motion="reduce").page
    page.get_by_role("button", name="play").click()
    expect(page.get_by_role("button", name="pause")).to_be_visible()
    wait_until(page, "() => document.querySelector('.pqx-nest').dataset.entry === '9'")
    expect(page.get_by_role("button", name="play")).to_be_visible()


# --- variant

VARIANT = "row_groups/0/columns/1/pages/1/values/22"


def row_is(view, row):
    view.page.locator(f'.pqx-variant-room[data-row="{row}"]').wait_for()


def go_to_row(view, row):
    view.page.get_by_role("spinbutton", name="Row of the row group").fill(str(row))
    view.page.keyboard.press("Enter")


def test_the_parts_of_a_variant_its_bytes_and_other_rows(show, sample):
    view = show(sample("variant"), at=VARIANT, view="variant", opens=("bytes",))
    page = view.page
    row_is(view, 22)
    json = page.locator(".pqx-variant-json")
    expect(json).to_have_text('{"name":"Ada","nested":{"deep":null},"tags":["x","y"]}')
    parts = page.get_by_role("list", name="Parts of value")
    expect(parts.locator(".pqx-variant-part").nth(1)).to_contain_text("02")
    assert "".join(parts.locator("[data-bits] code").all_inner_texts()[:5]) == f"{0x02:08b}"
    parts.get_by_text("name: string 'Ada'").click()
    view.shown(f"{VARIANT}/values/0")
    assert digits(page, "selected") == ["0d", "41", "64", "61"]
    expect(page.locator(".pqx-variant-part[aria-current]")).to_contain_text("name: string 'Ada'")
    page.get_by_role("button", name="next row").click()
    row_is(view, 23)
    expect(page.locator(".pqx-variant-room")).to_contain_text("The row is null")
    for row, shown in ((1, 1), (1_000_000, 23)):
        go_to_row(view, row)
        row_is(view, shown)
    page.get_by_role("button", name="row before").click()
    row_is(view, 22)


def test_a_shredded_row_by_keyboard_and_how_well_shredding_fits(show, sample):
    view = show(sample("variant-shredded"), at="schema/1", view="variant")
    page = view.page
    row_is(view, 0)
    go_to_row(view, 7)
    row_is(view, 7)
    steps = page.locator(".pqx-variant-steps > li")
    assert steps.evaluate_all("(all) => all.map((e) => e.dataset.source)") == ["binary", "binary", "typed"]
    expect(steps.nth(1)).to_contain_text('"seven"')
    steps.last.locator("button").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    view.shown("row_groups/0/columns/2/pages/1/values/0")
    row_is(view, 7)
    view.go("schema/1")
    row = page.get_by_role("grid", name="Where the values are").locator('[data-row="1"]')
    expect(row).to_contain_text("$.id")
    expect(row).to_contain_text("97.4 %")
    row.locator('[data-column="0"]').click()
    view.shown("row_groups/0/columns/3")


# --- schema


def test_a_field_of_the_schema_leads_to_its_declaration(show, orders_bytes):
    view = show(orders_bytes, at="schema", opens=("bytes",))
    page = view.page
    rows = page.get_by_role("grid", name="Fields of the schema").get_by_role("row")
    cells = rows.nth(6).get_by_role("gridcell")
    for i, text in enumerate(("element", "D 3  R 1", "STRING", "BYTE_ARRAY")):
        expect(cells.nth(i)).to_contain_text(text)
    levels = page.locator("[data-levels]").evaluate_all("(all) => all.map((e) => e.dataset.levels)")
    assert levels == ["0", "1", "1", "1", "2", "3", "1", "1"]
    rows.nth(3).hover()
    assert digits(page, "hot")
    rows.nth(3).get_by_role("gridcell").first.click()
    view.shown("schema/2")
    expect(page.locator(".pqx-row.pqx-chosen")).to_contain_text("city")


def test_keys_walk_on_from_field_to_field(show, orders_bytes):
    view = show(orders_bytes, at="schema")
    grid = view.page.get_by_role("grid", name="Fields of the schema")
    for address in ("schema/1", "schema/2"):
        grid.press("ArrowDown")
        grid.press("Enter")
        view.shown(address)
        expect(grid).to_be_focused()


def test_names_and_heads_are_not_cut_to_the_same_prefix(show):
    long = "a_name_that_is_too_long_for_the_room_that_the_table_has_for_it_"
    page = show(parquet(pa.table({f"{long}{end}": [1] for end in ("width", "height")})), at="schema").page
    ends = page.get_by_role("grid").locator(".pqx-end")
    assert ends.all_inner_texts() == ["_it_width", "it_height"]
    cut = "(all) => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"
    assert ends.evaluate_all(cut) == []
    assert page.locator(".pqx-head .pqx-cell > *").evaluate_all(cut) == []


# --- encryption

SECRET = "row_groups/0/columns/1"


def module_parts(view):
    return view.page.locator(".pqx-encryption-frame strong").all_inner_texts()


def test_a_module_in_its_parts_with_its_aad(show, unlocked):
    view = show(unlocked("encrypted-columns"), at=f"{SECRET}/pages/1/body", view="encryption", opens=("bytes",))
    page = view.page
    assert module_parts(view) == ["length", "nonce", "ciphertext", "tag"]
    frame = page.locator(".pqx-encryption-frame")
    expect(frame).to_contain_text("ciphertext 123 bytes")
    expect(frame).to_contain_text("000000000000000000000003")
    aad = page.locator(".pqx-encryption-aad-part code").all_inner_texts()
    assert aad == ["no bytes", "65 6e 63 72 79 70 74 65", "02", "00 00", "01 00", "00 00"]
    expect(page.locator(".pqx-encryption-aad")).to_contain_text("AAD, 15 bytes")
    page.locator('[data-part="nonce"]').click()
    view.shown(f"{SECRET}/pages/1/body/nonce")
    assert digits(page, "selected") == ["00"] * 11 + ["03"]
    expect(page.locator('[data-part="nonce"]')).to_have_attribute("aria-current", "true")


def test_blocks_are_walked_with_the_keyboard(show, unlocked):
    view = show(unlocked("encrypted-columns"), at=SECRET, view="encryption", opens=("bytes",))
    page, title = view.page, view.page.locator(".pqx-encryption-title")
    blocks = page.locator(".pqx-encryption-block")
    expect(blocks).to_have_count(7)
    blocks.first.focus()
    page.keyboard.press("End")
    expect(title).to_contain_text("data page · 155 bytes at 2,287")
    assert digits(page, "hot")
    page.keyboard.press("ArrowLeft")
    expect(title).to_contain_text("data page header · 58 bytes")
    page.keyboard.press("Enter")
    view.shown(f"{SECRET}/pages/1/header/module")
    view.go("")
    cards = page.get_by_role("list", name="Keys").locator(":scope > li")
    expect(cards).to_have_count(2)
    expect(cards.nth(0)).to_contain_text("footer key at hand · 13 modules")
    expect(cards.nth(1)).to_contain_text('asks for the key "the key of column secret"')
    letters = page.locator(".pqx-encryption-key").all_inner_texts()
    assert (letters.count("A"), letters.count("B")) == (13, 14)


# --- the life of a value

CHUNK = "row_groups/0/columns/0"
VALUE = f"{CHUNK}/pages/1/values/2"
ENTRY = ["02", "00", "00", "00", "49", "54"]
"""The dictionary's third entry: a length, then `IT`."""


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "words.parquet"
    table = pa.table({"word": ["FR", "DE", None, "IT"] * 5})
    pqexplore.write(table, path, pqexplore.WriteOptions(codec="UNCOMPRESSED"))
    return path.read_bytes()


def test_the_stages_of_a_life_and_the_numbers_in_it_are_links(show, words):
    view = show(words, at=VALUE, opens=("bytes",))
    page = view.page
    stages = page.locator(".pqx-life > li").evaluate_all("(all) => all.map((e) => e.dataset.stage)")
    assert stages == ["header", "definition", "encoding", "dictionary", "stored", "logical", "row"]
    near = page.locator('[data-stage="encoding"] .pqx-piece.pqx-near')
    assert near.evaluate("e => e.firstChild.textContent") == "10"
    dictionary, sentence = page.locator('[data-stage="dictionary"]'), page.locator(".pqx-answer p")
    dictionary.hover()
    assert digits(page, "hot")
    page.locator(".pqx-toggle-bytes").click()
    expect(page.locator(".pqx-hex")).to_be_hidden()
    dictionary.get_by_role("button", name="6 bytes at ").click()
    assert digits(page, "selected") == ENTRY
    dictionary.get_by_role("button", name="2 bytes", exact=True).click()
    assert digits(page, "selected") == ["49", "54"]
    assert view.explorer.selection == VALUE
    sentence.get_by_role("button", name=re.compile("^2 bits at byte ")).click()
    assert len(digits(page, "selected")) == 1
    sentence.get_by_role("button", name="IT", exact=True).click()
    assert digits(page, "selected") == ENTRY
    sentence.get_by_role("button", name="page 1", exact=True).click()
    view.shown(f"{CHUNK}/pages/1")
    view.go(VALUE)
    page.locator(".pqx-life").get_by_role("button", name="index 2", exact=True).click()
    view.shown(f"{CHUNK}/pages/0/values/2")
    view.go(VALUE)
    page.locator('[data-stage="row"]').get_by_role("button", name="row 3").first.click()
    view.shown("row_groups/0")
    expect(page.get_by_role("tab", name="Rows", selected=True)).to_be_visible()
    expect(page.get_by_role("list", name="Places of row 3")).to_be_visible()
    expect(page.locator(".pqx-grid .pqx-chosen")).to_contain_text("IT")


def test_a_life_by_keyboard_and_its_neighbours(show, words):
    view = show(words, at=VALUE)
    page = view.page
    page.locator('[data-stage="dictionary"]').get_by_role("button", name="Dictionary entry").press("Enter")
    view.shown(f"{CHUNK}/pages/0/values/2")
    assert digits(page, "selected") == ENTRY
    expect(page.locator('[data-stage="row"]')).to_contain_text("value 2 of page 1")
    view.go(VALUE)
    for name, address in (("Entry before", f"{CHUNK}/pages/1/definition_levels/2"), ("Entry after", VALUE)):
        page.get_by_role("button", name=name).press("Enter")
        view.shown(address)


def test_a_life_is_one_step_from_every_lens_of_values(show, words):
    """The lens that was chosen before stays at a value; these links lead to its life all the same."""
    view = show(words, at=VALUE, view="encoding")
    page = view.page
    life = page.get_by_role("tab", name="Life of a value", selected=True)
    null = f"{CHUNK}/pages/1/definition_levels/2"

    def leads(link, address=None):
        link.click()
        expect(life).to_be_visible()
        view.shown(address or view.explorer.selection)

    leads(page.locator(".pqx-yielded").get_by_role("button", name="its life"))
    choose_lens(page, "Nesting")
    leads(page.locator(".pqx-nest-bytes").get_by_role("button", name="its life"))
    choose_lens(page, "Levels and values")
    leads(page.get_by_role("button", name="its life"))
    view.go(f"{CHUNK}/pages/1")
    leads(page.get_by_role("grid").locator('[data-row="2"] > [data-column="2"]'), null)
    view.go("")
    choose_lens(page, "Rows")
    leads(page.get_by_role("grid", name="Rows of the file").locator('[data-row="2"] > [data-column="1"]'), null)
    view.go(f"{CHUNK}/pages/0/values")
    choose_lens(page, "Encoding")
    page.locator(".pqx-hex .pqx-line").first.wait_for()
    page.locator(".pqx-hex").press("ArrowRight")
    leads(page.locator(".pqx-hex-card").get_by_role("button", name="its life"), f"{CHUNK}/pages/0/values/0")
    view.go(CHUNK)
    choose_lens(page, "Dictionary")
    leads(page.locator(".pqx-entry").first)


@pytest.mark.full
def test_a_life_is_saved_as_a_page_of_its_own(show, saved, words):
    view = show(words, at=VALUE)
    with view.page.expect_download() as began:
        view.page.locator(".pqx-life-bar").get_by_role("button", name="save as a page").click()
    page = saved(began.value.path().read_text("utf-8"))
    expect(page.locator('.pqx-life [data-stage="row"]')).to_contain_text("row 3")
    expect(page.get_by_role("button", name="save as a page")).to_have_count(0)
    page.locator('[data-stage="dictionary"]').get_by_role("button", name="2 bytes", exact=True).click()
    assert digits(page, "selected") == ["49", "54"]
    page.locator(".pqx-answer p").get_by_role("button", name="IT", exact=True).click()
    assert digits(page, "selected") == ENTRY
    page.get_by_role("button", name="Dictionary entry").click()
    expect(page.locator(f'[data-shown="{CHUNK}/pages/0/values/2"]')).to_be_visible()
    page.go_back()
    page.locator(".pqx-answer p").get_by_role("button", name="row 3").click()
    expect(page.locator(".pqx-grid .pqx-chosen")).to_contain_text("IT")


NUMBER = re.compile(r"(?:byte|index|entry|page|row|row group|value) \d[\d,]*|\d[\d,]* (?:bits?|bytes?|entry|entries)\b")
"""An offset, a size or an index, as the stages name them."""

UNLINKED = """(all) => all.flatMap((stage) => {
  const copy = stage.cloneNode(true);
  // arithmetic of a part stands under the link to its bytes; the bits and the value are the file's own
  for (const el of copy.querySelectorAll("button, .pqx-says, .pqx-bits, .pqx-bytes-row, .pqx-bit-key"))
    el.replaceWith("…");
  if (["stored", "logical"].includes(stage.dataset.stage)) copy.querySelector(".pqx-life-gives").remove();
  return copy.textContent;
})"""
"""The texts of the stages and of the sentence above them, without their links."""


@pytest.mark.parametrize("name, address", [
    ("events", "row_groups/0/columns/5/pages/2/values/1007"),
    pytest.param("deltas", "row_groups/0/columns/0/pages/0/values/70", marks=pytest.mark.full),
    pytest.param("everything", "row_groups/0/columns/3/pages/0/values/1", marks=pytest.mark.full),
    pytest.param("encrypted-columns", "row_groups/0/columns/1/pages/1/values/7", marks=pytest.mark.full),
    ("nested", "row_groups/0/columns/0/pages/0/values/2"),
    pytest.param("alp", "row_groups/0/columns/0/pages/0/values/5", marks=pytest.mark.full),
    pytest.param("dictionary-fallback", f"{CHUNK}/pages/0/values/7", marks=pytest.mark.full),
])  # fmt: skip
def test_each_offset_size_and_index_is_a_link(show, unlocked, name, address):
    page = show(unlocked(name), at=address).page
    [said] = page.locator(".pqx-answer p").evaluate_all(UNLINKED)
    assert not re.search(r"\d", said), said
    texts = page.locator(".pqx-life > li").evaluate_all(UNLINKED)
    assert len(texts) > 3
    assert [(text, one) for text in texts for one in NUMBER.findall(text)] == []
