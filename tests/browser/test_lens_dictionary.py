"""A dictionary in a browser: its uses, its bytes, its pages."""

import pyarrow as pa
import pytest
from browser.harness import digits
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES

CHUNK = "row_groups/0/columns/0"


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "words.parquet"
    table = pa.table({"word": ["a"] * 50 + ["bb"] * 30 + ["ccc"] * 20})
    pqexplore.write(table, path, pqexplore.WriteOptions(codec="UNCOMPRESSED"))
    return path.read_bytes()


def test_entries_with_their_uses(show, words):
    view = show(words, at=CHUNK, view="dictionary")
    entries = view.page.locator(".pqx-entry")
    assert [(int(e.get_attribute("data-entry")), int(e.get_attribute("data-uses"))) for e in entries.all()] == [
        (0, 50),
        (1, 30),
        (2, 20),
    ]
    bytes_ = [int(b.get_attribute("data-bytes")) for b in view.page.locator(".pqx-weight").all()]
    assert bytes_[0] == 18 and bytes_[2] == 570


def test_an_entry_leads_to_its_value_and_its_bytes(show, words):
    view = show(words, at=CHUNK, view="dictionary")
    view.page.locator(".pqx-entry").first.focus()
    view.page.keyboard.press("ArrowDown")
    view.page.keyboard.press("Enter")
    view.shown(f"{CHUNK}/pages/0/values/1")
    expect(view.page.locator(".pqx-life")).to_contain_text("bb")
    assert digits(view.page, "selected") == ["02", "00", "00", "00", "62", "62"]


def test_pages_without_the_dictionary_are_drawn_and_can_be_clicked(show, tmp_path):
    path = tmp_path / "fallback.parquet"
    SAMPLES["dictionary-fallback"].write(path)
    view = show(path.read_bytes(), at=CHUNK, view="dictionary")
    counts = view.page.locator(".pqx-step-kinds [data-encoding]").all_inner_texts()
    assert counts == ["4 RLE_DICTIONARY pages", "6 PLAIN pages"]
    strip = view.page.locator(".pqx-strip canvas")
    strip.click(position={"x": strip.bounding_box()["width"] * 0.45, "y": 8})
    view.shown(f"{CHUNK}/pages/5")


def test_without_a_dictionary_it_says_why(show, tmp_path):
    path = tmp_path / "plain.parquet"
    pqexplore.write(pa.table({"n": [1, 2]}), path, pqexplore.WriteOptions(encoding="PLAIN"))
    view = show(path.read_bytes(), at=CHUNK, view="dictionary")
    expect(view.page.locator(".pqx-empty")).to_contain_text("use_dictionary=True")


def test_the_list_has_heads_above_its_columns(show, words):
    page = show(words, at=CHUNK, view="dictionary").page
    heads = page.locator(".pqx-entry-head > span")
    assert heads.all_inner_texts() == ["entry", "value", "", "uses"]
    entry = page.locator(".pqx-entry").first
    for i in (0, 3):
        head, cell = heads.nth(i).bounding_box(), entry.locator("> span").nth(i).bounding_box()
        assert head["x"] + head["width"] == pytest.approx(cell["x"] + cell["width"], abs=1)
