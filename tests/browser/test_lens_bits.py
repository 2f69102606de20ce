"""Lenses that take bytes apart: encoding, thrift, dictionary, layout."""

import re

import numpy as np
import pyarrow as pa
import pytest
from browser.harness import choose_lens, digits, wait_until
from made import parquet
from playwright.sync_api import expect
from quick import quick

import pqexplore

CHUNK = "row_groups/0/columns/0"
VALUES = f"{CHUNK}/pages/1/values"


def hex_of(view, address):
    file = view.explorer.file
    return file.bytes(file.node(address).span).hex(" ").split()


# --- encoding


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """One column of indexes: 100 times 3, then 0 to 7, then 50 times 5."""
    ids = [3] * 100 + [0, 1, 2, 3, 4, 5, 6, 7] + [5] * 50
    path = tmp_path_factory.mktemp("runs") / "runs.parquet"
    table = pa.table({"word": [f"word {i}" for i in ids]})
    pqexplore.write(table, path, pqexplore.WriteOptions(codec="UNCOMPRESSED", sort_dictionary=True))
    return path.read_bytes()


def glass(view):
    return view.page.locator(".pqx-glass")


def step_is(view, step):
    expect(glass(view)).to_have_attribute("data-step", str(step))


def test_a_value_marks_its_bits_and_clicks_lead_to_values_steps_and_sections(show, runs):
    view = show(runs, at=f"{VALUES}/100", view="encoding", opens=("bytes",))
    page = view.page
    row = page.locator('.pqx-yields tr[data-index="102"]')
    expect(row.locator("td").first).to_have_text("010")
    row.hover()
    expect(page.locator(".pqx-piece.pqx-near")).to_have_count(2)
    assert digits(page, "hot") == ["88", "c6"]
    row.get_by_role("button", name="102").click()
    view.shown(f"{VALUES}/102")
    expect(glass(view)).to_have_attribute("data-focus", "102")
    page.get_by_role("button", name="entry 2").first.click()
    view.shown(f"{CHUNK}/pages/0/values/2")
    expect(page.locator(".pqx-yielded")).to_contain_text("word 2")
    view.go(VALUES)
    strips = page.locator(".pqx-strip canvas")
    assert [canvas.get_attribute("data-cells") for canvas in strips.all()] == ["4", "3"]
    width = strips.nth(1).bounding_box()["width"]
    strips.nth(1).click(position={"x": width * 104 / 158, "y": 10})
    step_is(view, 2)
    expect(strips.nth(1)).to_have_attribute("data-marked", "100 108")
    strips.nth(1).click(position={"x": width - 5, "y": 10})
    step_is(view, 3)
    page.get_by_role("button", name="definition levels: RLE").click()
    view.shown(f"{CHUNK}/pages/1/definition_levels")
    expect(page.locator(".pqx-microscope")).to_have_attribute("data-section", f"{CHUNK}/pages/1/definition_levels")


def test_keys_step_through_the_runs_and_down_to_a_value(show, runs):
    view = show(runs, at=VALUES, opens=("bytes",))
    kinds = view.page.locator(".pqx-step-kinds [data-kind]")
    counts = kinds.evaluate_all("(all) => all.map(({ dataset: d }) => [d.kind, d.steps, d.bytes].join())")
    assert sorted(counts) == ["bit width,1,1", "bit-packed run,1,4", "rle run,2,5"]
    for key, step, words, lit in (
        ("Home", 0, "", "03"),
        ("ArrowRight", 1, "100 times the same value", "c8 01 03"),
        ("ArrowRight", 2, "3 is odd: bit-packed; 3 >> 1 = 1 group of 8 values", "03 88 c6 fa"),
        ("End", 3, "", "64 05"),
        ("ArrowLeft", 2, "", "03 88 c6 fa"),
    ):
        glass(view).press(key)
        step_is(view, step)
        expect(glass(view)).to_contain_text(words)
        assert digits(view.page, "hot") == lit.split()
    for _ in range(4):  # header, packed values, value 100, value 101
        glass(view).press("ArrowDown")
    expect(view.page.locator("tr.pqx-chosen")).to_have_attribute("data-index", "101")
    glass(view).press("Enter")
    view.shown(f"{VALUES}/101")


@pytest.mark.parametrize("motion", quick(["no-preference", "reduce"], "reduce"))
def test_play_steps_to_the_end_and_stops(show, runs, motion):
    view = show(runs, at=VALUES, reduced_motion=motion)
    glass(view).press("ArrowRight")
    glass(view).press(" ")
    expect(view.page.get_by_role("button", name="Pause")).to_be_visible()
    wait_until(view.page, "() => document.querySelector('.pqx-glass').dataset.step === '3'")
    glass(view).press(" ")
    expect(view.page.get_by_role("button", name="Play the steps")).to_be_visible()


# --- thrift

HEADER = f"{CHUNK}/pages/0/header"


def test_a_click_selects_a_field_and_the_struct_stays_or_opens(show, orders_bytes):
    view = show(orders_bytes, at=HEADER)
    struct, fields = view.page.locator(".pqx-thrift"), view.page.locator(".pqx-struct [data-field]")
    ends = fields.evaluate_all("(all) => all.map(({ dataset: d }) => [Number(d.start), Number(d.end)])")
    span = view.explorer.file.node(HEADER).span
    assert (ends[0][0], ends[-1][1]) == (span.start, span.end - 1)
    assert fields.first.locator("code").inner_text().split() == hex_of(view, HEADER)[: ends[0][1] - ends[0][0]]
    view.page.locator('.pqx-struct [data-field="compressed_page_size"]').click()
    view.shown(f"{HEADER}/compressed_page_size")
    current = view.page.locator('.pqx-struct [aria-current="true"]')
    expect(current).to_have_attribute("data-field", "compressed_page_size")
    expect(struct).to_have_attribute("data-struct", HEADER)
    view.go("footer")
    choose_lens(view.page, "Thrift")
    view.page.mouse.move(0, 0)  # a pointer that rests on the tab opens the word's card, over the fields
    view.page.locator('.pqx-struct [data-field="schema"]').click()
    view.shown("footer/schema")
    expect(struct).to_have_attribute("data-struct", "footer/schema")
    expect(struct).to_contain_text("each is struct")


def test_arrow_keys_show_a_field_and_light_its_bytes(show, orders_bytes):
    view = show(orders_bytes, at=HEADER, opens=("bytes",))
    view.page.locator(".pqx-struct [data-field]").first.focus()
    view.page.keyboard.press("ArrowRight")
    part = view.page.locator(".pqx-glass[data-field]")
    expect(part).to_have_attribute("data-field", "uncompressed_page_size")
    expect(part).to_contain_text("upper half 1, so the id is 1 + 1 = 2; lower half 5, i32")
    assert digits(view.page, "hot") == hex_of(view, f"{HEADER}/uncompressed_page_size")


# --- dictionary


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "words.parquet"
    table = pa.table({"word": ["a"] * 50 + ["bb"] * 30 + ["ccc"] * 20})
    pqexplore.write(table, path, pqexplore.WriteOptions(codec="UNCOMPRESSED"))
    return path.read_bytes()


def test_entries_by_keyboard_below_their_heads(show, words):
    view = show(words, at=CHUNK, view="dictionary", opens=("bytes",))
    entries = view.page.locator(".pqx-entry")
    assert entries.evaluate_all("(all) => all.map((e) => Number(e.dataset.uses))") == [50, 30, 20]
    weights = view.page.locator(".pqx-weight").evaluate_all("(all) => all.map((e) => Number(e.dataset.bytes))")
    assert weights[0] == 18 and weights[2] == 570
    heads = view.page.locator(".pqx-entry-head > span")
    assert heads.all_inner_texts() == ["entry", "value", "", "uses"]
    for i in (0, 3):
        head, cell = heads.nth(i).bounding_box(), entries.first.locator("> span").nth(i).bounding_box()
        assert head["x"] + head["width"] == pytest.approx(cell["x"] + cell["width"], abs=1)
    entries.first.focus()
    view.page.keyboard.press("ArrowDown")
    view.page.keyboard.press("Enter")
    view.shown(f"{CHUNK}/pages/0/values/1")
    expect(view.page.locator(".pqx-life")).to_contain_text("bb")
    assert digits(view.page, "selected") == ["02", "00", "00", "00", "62", "62"]


def test_pages_without_the_dictionary_are_drawn_and_can_be_clicked(show, sample):
    view = show(sample("dictionary-fallback"), at=CHUNK, view="dictionary")
    counts = view.page.locator(".pqx-step-kinds [data-encoding]").all_inner_texts()
    assert counts == ["4 RLE_DICTIONARY pages", "6 PLAIN pages"]
    strip = view.page.locator(".pqx-strip canvas")
    strip.click(position={"x": strip.bounding_box()["width"] * 0.45, "y": 8})
    view.shown(f"{CHUNK}/pages/5")


# --- layout


def strip(page, name):
    return page.locator(f'.pqx-layout-strip[data-strip="{name}"] .pqx-layout-tiles')


def test_a_tile_is_pointed_at_and_opens_the_strips_below_it(show, orders_bytes):
    view = show(orders_bytes, view="layout", opens=("bytes",))
    page = view.page
    names = page.locator(".pqx-layout-strip").evaluate_all("(all) => all.map((e) => e.dataset.strip)")
    assert names[:4] == ["file", "row_groups/0", CHUNK, f"{CHUNK}/pages/0"]
    chunks = strip(page, "row_groups/0")
    chunks.click(position={"x": chunks.bounding_box()["width"] - 5, "y": 10})
    view.shown("row_groups/0/columns/4")
    expect(strip(page, "row_groups/0/columns/4")).to_be_visible()
    strip(page, "file").hover(position={"x": 3, "y": 10})
    expect(page.locator(".pqx-layout-note")).to_have_text("magic: 4 bytes from 0 on, 0.0 % of the file")
    assert digits(page, "hot") == ["50", "41", "52", "31"]
    strip(page, "file").click(position={"x": 3, "y": 10})
    view.shown("magic")
    assert view.explorer.selection == "magic"
    assert digits(page, "selected") == ["50", "41", "52", "31"]


def test_keys_walk_along_and_between_strips(show, orders_bytes):
    view = show(orders_bytes, view="layout")
    page = view.page
    first, second = strip(page, "file"), strip(page, "row_groups/0")
    first.press("Home")
    expect(first).to_have_attribute("aria-valuetext", "magic: 4 bytes from 0 on, 0.0 % of the file")
    first.press("ArrowRight")
    expect(page.locator(".pqx-layout-note")).to_contain_text("row group 0: ")
    first.press("ArrowDown")
    expect(second).to_be_focused()
    second.press("ArrowRight")
    expect(second).to_have_attribute("aria-valuenow", "1")
    second.press("Enter")
    view.shown("row_groups/0/columns/1")
    expect(page.locator(".pqx-layout-tiles:focus")).to_have_count(1)


@pytest.mark.parametrize("count", quick([2_000, 10_000, 100_000], 2_000))
def test_the_tiles_of_many_pages_can_be_pointed_at_and_clicked(show, count):
    table = pa.table({"x": np.arange(16 * count)})
    small = {"data_page_size": 100, "write_batch_size": 16, "row_group_size": 2_000_000, "compression": "none"}
    data = parquet(table, use_dictionary=False, write_page_index=True, **small)
    view = show(data, at=f"{CHUNK}/pages/7", view="layout")
    pages = strip(view.page, CHUNK)
    assert int(pages.get_attribute("aria-valuemax")) >= count - 1
    pages.hover(position={"x": 200, "y": 10})
    expect(view.page.locator(".pqx-layout-note")).to_contain_text("page ")
    pages.click(position={"x": 200, "y": 10})
    expect(view.page.locator(".pqx")).to_have_attribute("data-shown", re.compile(f"^{CHUNK}/pages/(?!7$)"))
