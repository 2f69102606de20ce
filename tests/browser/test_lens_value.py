"""The life of a value on the screen: one block a stage, down to the row, and the ways that lead there."""

import re

import pyarrow as pa
import pytest
from browser.harness import digits
from browser.looks import in_looks, violations
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES, write_sample

CHUNK = "row_groups/0/columns/0"
VALUE = f"{CHUNK}/pages/1/values/2"


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "words.parquet"
    table = pa.table({"word": ["FR", "DE", None, "IT"] * 5})
    pqexplore.write(table, path, pqexplore.WriteOptions(codec="UNCOMPRESSED"))
    return path.read_bytes()


def stages(view):
    return view.page.locator(".pqx-life > li").evaluate_all("(all) => all.map((e) => e.dataset.stage)")


def test_the_stages_lead_from_the_header_to_the_row(show, words):
    view = show(words, at=VALUE)
    expect(view.page.locator(".pqx-answer p")).to_contain_text("Value 2 of page 1 is `IT`: 2 bits")
    expect(view.page.locator(".pqx-answer p")).to_contain_text("it is column `word` of row 3.")
    assert stages(view) == ["header", "definition", "encoding", "dictionary", "stored", "logical", "row"]
    near = view.page.locator('[data-stage="encoding"] .pqx-piece.pqx-near')
    assert near.evaluate("e => e.firstChild.textContent") == "10"


def test_a_stage_lights_its_bytes_and_leads_to_them(show, words):
    view = show(words, at=VALUE)
    dictionary = view.page.locator('[data-stage="dictionary"]')
    dictionary.hover()
    expect(view.page.locator(".pqx-map .pqx-stage").first).to_be_visible()
    dictionary.get_by_role("button", name="Dictionary entry").focus()
    view.page.keyboard.press("Enter")
    view.shown(f"{CHUNK}/pages/0/values/2")
    assert digits(view.page, "selected") == ["02", "00", "00", "00", "49", "54"]
    expect(view.page.locator('[data-stage="row"]')).to_contain_text("value 2 of page 1")


def test_before_and_after_walk_through_the_entries(show, words):
    view = show(words, at=VALUE)
    view.page.get_by_role("button", name="Entry before").click()
    view.shown(f"{CHUNK}/pages/1/definition_levels/2")
    expect(view.page.locator(".pqx-answer p")).to_contain_text("Entry 2 of page 1 has no value")
    view.page.get_by_role("button", name="Entry after").click()
    view.shown(VALUE)


def test_cells_of_the_rows_lead_to_lives(show, words):
    view = show(words, view="rows")
    grid = view.page.get_by_role("grid", name="Rows of the file")
    grid.locator('[data-row="2"] > [data-column="1"]').click()
    view.shown(f"{CHUNK}/pages/1/definition_levels/2")
    expect(view.page.locator(".pqx-answer p")).to_contain_text("says that word is null")


def test_entries_of_a_page_lead_to_lives(show, words):
    view = show(words, at=VALUE, view="page")
    view.page.get_by_role("button", name="its life").click()
    expect(view.page.locator('.pqx-life [data-stage="row"]')).to_contain_text("row 3")
    view.go(f"{CHUNK}/pages/1")
    view.page.get_by_role("grid").locator('[data-row="2"] > [data-column="2"]').click()
    view.shown(f"{CHUNK}/pages/1/definition_levels/2")


def test_a_life_is_one_step_from_every_lens_of_values(show, words):
    """The lens that was chosen before stays at a value; these links lead to its life all the same."""
    view = show(words, at=VALUE, view="encoding")
    page = view.page
    life = page.get_by_role("tab", name="Life of a value", selected=True)
    page.locator(".pqx-yielded").get_by_role("button", name="its life").click()
    expect(life).to_be_visible()
    page.get_by_role("tab", name="Nesting").click()
    page.locator(".pqx-nest-bytes").get_by_role("button", name="its life").click()
    expect(life).to_be_visible()
    view.go(f"{CHUNK}/pages/0/values")
    page.get_by_role("tab", name="Encoding").click()
    page.locator(".pqx-hex .pqx-line").first.wait_for()
    page.locator(".pqx-hex").press("ArrowRight")
    page.locator(".pqx-hex-card").get_by_role("button", name="its life").click()
    expect(life).to_be_visible()
    assert view.explorer.selection == f"{CHUNK}/pages/0/values/0"
    view.go(CHUNK)
    page.get_by_role("tab", name="Dictionary").click()
    page.locator(".pqx-entry").first.click()
    expect(page.locator(".pqx-life")).to_be_visible()


def test_a_saved_page_has_the_whole_life(browser, words, tmp_path):
    saved = tmp_path / "life.html"
    saved.write_text(pqexplore.explore(words, at=VALUE).to_html(budget=300_000), "utf-8")
    page = browser.new_context(offline=True).new_page()
    page.goto(saved.as_uri())
    expect(page.locator('[data-stage="row"]')).to_contain_text("row 3")
    page.get_by_role("button", name="Dictionary entry").click()
    expect(page.locator(f'[data-shown="{CHUNK}/pages/0/values/2"]')).to_be_visible()
    expect(page.locator('[data-stage="logical"]')).to_contain_text("IT")
    page.context.close()


def test_the_numbers_lead_to_bytes_entries_and_rows(show, words):
    view = show(words, at=VALUE)
    page = view.page
    page.get_by_role("button", name="Bytes: ").click()  # beside
    page.get_by_role("button", name="hide them").click()
    expect(page.locator(".pqx-hex")).to_be_hidden()
    dictionary = page.locator('[data-stage="dictionary"]')
    dictionary.get_by_role("button", name="6 bytes at ").click()
    assert digits(page, "selected") == ["02", "00", "00", "00", "49", "54"]
    dictionary.get_by_role("button", name="2 bytes", exact=True).click()
    assert digits(page, "selected") == ["49", "54"]
    assert view.explorer.selection == VALUE
    sentence = page.locator(".pqx-answer p")
    sentence.get_by_role("button", name=re.compile("^2 bits at byte ")).click()
    assert len(digits(page, "selected")) == 1
    sentence.get_by_role("button", name="`IT`").click()
    assert digits(page, "selected") == ["02", "00", "00", "00", "49", "54"]
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


def test_the_life_is_saved_as_a_page_of_its_own(show, browser, words, tmp_path):
    view = show(words, at=VALUE)
    with view.page.expect_download() as began:
        view.page.locator(".pqx-life-bar").get_by_role("button", name="save as a page").click()
    began.value.save_as(tmp_path / "life.html")
    page = browser.new_context(offline=True).new_page()
    page.goto((tmp_path / "life.html").as_uri())
    expect(page.locator('.pqx-life [data-stage="row"]')).to_contain_text("row 3")
    expect(page.get_by_role("button", name="save as a page")).to_have_count(0)
    page.locator('[data-stage="dictionary"]').get_by_role("button", name="2 bytes", exact=True).click()
    assert digits(page, "selected") == ["49", "54"]
    sentence = page.locator(".pqx-answer p")
    sentence.get_by_role("button", name="`IT`").click()
    assert digits(page, "selected") == ["02", "00", "00", "00", "49", "54"]
    sentence.get_by_role("button", name="row 3").click()
    expect(page.locator(".pqx-grid .pqx-chosen")).to_contain_text("IT")
    page.context.close()


@in_looks("narrow", full=("light", "dark"))
def test_axe_has_no_finding(show, words, look):
    view = show(words, at=VALUE, **look)
    assert violations(view.page) == []


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


SAID = """(p) => {
  const copy = p.cloneNode(true);
  for (const el of copy.querySelectorAll("button")) el.replaceWith("…");
  return copy.textContent;
}"""
"""The sentence above the stages, without its links."""


@pytest.mark.parametrize(
    ("sample", "address"),
    [
        ("events", "row_groups/0/columns/5/pages/2/values/1007"),
        ("deltas", "row_groups/0/columns/0/pages/0/values/70"),
        ("everything", "row_groups/0/columns/3/pages/0/values/1"),
        ("encrypted-columns", "row_groups/0/columns/1/pages/1/values/7"),
        ("nested", "row_groups/0/columns/0/pages/0/values/2"),
        ("alp", "row_groups/0/columns/0/pages/0/values/5"),
        ("dictionary-fallback", f"{CHUNK}/pages/0/values/7"),
    ],
)
def test_each_offset_size_and_index_is_a_link(show, tmp_path, sample, address):
    write_sample(sample, tmp_path / sample)
    keys = SAMPLES[sample].keys
    decryption = pqexplore.Decryption(**keys) if keys else None
    view = show(pqexplore.open(tmp_path / sample, decryption=decryption), at=address)
    said = view.page.locator(".pqx-answer p").evaluate(SAID)
    assert not re.search(r"\d", said), said
    texts = view.page.locator(".pqx-life > li").evaluate_all(UNLINKED)
    assert len(texts) > 3
    assert [(text, one) for text in texts for one in NUMBER.findall(text)] == []
