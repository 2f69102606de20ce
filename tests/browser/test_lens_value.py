"""The life of a value on the screen: one block a stage, down to the row, and the ways that lead there."""

import pyarrow as pa
import pytest
from browser.harness import digits
from browser.looks import in_looks, violations
from playwright.sync_api import expect

import pqexplore

CHUNK = "row_groups/0/columns/0"
VALUE = f"{CHUNK}/pages/1/values/2"


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "words.parquet"
    table = pa.table({"word": ["FR", "DE", None, "IT"] * 5})
    pqexplore.write(table, path, pqexplore.WriteOptions(codec="UNCOMPRESSED"))
    return path.read_bytes()


def stages(view):
    return view.page.locator(".pqx-life > li").evaluate_all(
        "(all) => all.map((e) => e.dataset.stage)"
    )


def test_the_stages_lead_from_the_header_to_the_row(show, words):
    view = show(words, at=VALUE)
    expect(view.page.locator(".pqx-answer p")).to_contain_text("Value 2 of page 1 is `IT`: 2 bits")
    expect(view.page.locator(".pqx-answer p")).to_contain_text("it is column `word` of row 3.")
    assert stages(view) == [
        "header",
        "definition",
        "encoding",
        "dictionary",
        "stored",
        "logical",
        "row",
    ]
    near = view.page.locator('[data-stage="encoding"] .pqx-piece.pqx-near')
    assert near.evaluate("e => e.firstChild.textContent") == "10"


def test_a_stage_lights_its_bytes_and_leads_to_them(show, words):
    view = show(words, at=VALUE)
    dictionary = view.page.locator('[data-stage="dictionary"]')
    dictionary.hover()
    expect(view.page.locator(".pqx-map .pqx-stage").first).to_be_visible()
    dictionary.get_by_role("button").focus()
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


def test_a_saved_page_has_the_whole_life(browser, words, tmp_path):
    saved = tmp_path / "life.html"
    saved.write_text(pqexplore.explore(words, at=VALUE).to_html(budget=300_000), "utf-8")
    page = browser.new_context(offline=True).new_page()
    page.goto(saved.as_uri())
    expect(page.locator('[data-stage="row"]')).to_contain_text("row 3")
    page.locator('[data-stage="dictionary"]').get_by_role("button").click()
    expect(page.locator(f'[data-shown="{CHUNK}/pages/0/values/2"]')).to_be_visible()
    expect(page.locator('[data-stage="logical"]')).to_contain_text("IT")
    page.context.close()


@in_looks("narrow", full=("light", "dark"))
def test_axe_has_no_finding(show, words, look):
    view = show(words, at=VALUE, **look)
    assert violations(view.page) == []
