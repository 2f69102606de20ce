"""What opens first at each node: the column card, the row group beside others, contents of groups; facts last."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.boards import answer, hot, marks, says, selected, stage
from browser.harness import settle
from browser.looks import violations
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.writer.samples import write_sample

GROUPS = 1
"""The second board of the card: the row groups; the first has the pages."""


@pytest.fixture(scope="module")
def fallback(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("card") / "fallback.parquet"
    write_sample("dictionary-fallback", path)
    return str(path)


def many(groups):
    out = io.BytesIO()
    table = pa.table({"n": pa.array(range(groups * 10)), "word": ["a", "b"] * (groups * 5)})
    pq.write_table(table, out, row_group_size=10)
    return out.getvalue()


FIRST = {
    "row_groups": "contents",
    "row_groups/1": "row_group",
    "row_groups/1/columns/0": "column",
    "schema": "schema",
    "schema/1": "column",
    "footer": "contents",
    "footer_length": "layout",
}


def test_each_node_opens_on_its_answer_and_facts_are_the_last_tab(show, orders_bytes):
    view = show(orders_bytes)
    tabs = view.page.get_by_role("tablist", name="Lenses").get_by_role("tab")
    for address, lens in FIRST.items():
        view.go(address)
        expect(tabs.first).to_have_attribute("data-lens", lens)
        expect(tabs.first).to_have_attribute("aria-selected", "true")
        expect(tabs.last).to_have_attribute("data-lens", "facts")
        assert answer(view)


def test_questions_and_pictures_are_seen_without_scrolling(show, orders_bytes):
    view = show(orders_bytes, at="row_groups/0/columns/0", size=(1280, 780))
    panel = view.page.locator(".pqx-panel").bounding_box()
    bottom = panel["y"] + panel["height"]
    questions = view.page.locator(".pqx-question")
    expect(questions).to_have_count(3)
    for part in [*questions.all(), view.page.locator(".pqx-column-pages .pqx-board-stage")]:
        box = part.bounding_box()
        assert box["y"] + box["height"] <= bottom
    assert stage(view, GROUPS).bounding_box()["y"] + 60 < bottom


def test_a_question_leads_to_the_lens_that_explains_it(show, orders_bytes):
    view = show(orders_bytes, at="row_groups/0/columns/0")
    one = view.page.locator(".pqx-question").first
    expect(one.locator("strong")).to_have_text("yes.")
    one.get_by_role("button", name="Can a query skip?").click()
    selected(view, "row_groups/0/columns/0")
    expect(view.page.locator('.pqx-tab[data-lens][aria-selected="true"]')).to_have_text("Statistics")


def test_a_row_group_leads_to_its_chunk_and_lights_its_bytes(show, orders_bytes):
    view = show(orders_bytes, at="row_groups/0/columns/0")
    assert marks(view, GROUPS) == 2
    assert says(view, "End", nth=GROUPS).startswith("row group 1: ")
    with pqexplore.open(orders_bytes) as file:
        chunk = file.row_groups[1].columns[0]
        assert bytes.fromhex(hot(view))[:16] == file.bytes(chunk.span)[:16]
    view.page.keyboard.press("Enter")
    selected(view, "row_groups/1/columns/0")


def test_the_strip_marks_the_page_that_gives_the_dictionary_up(show, fallback):
    view = show(fallback, at="row_groups/0/columns/0")
    assert says(view, "Home").startswith("row group 0, page 0: dictionary, PLAIN, 400 entries, ")
    with pqexplore.open(fallback) as file:
        pages = file.row_groups[0].columns[0].pages
        first = next(i for i, page in enumerate(pages) if i and page.encoding == 0)
    keys = view.page.locator(".pqx-column-pages .pqx-keys li")
    hatched = [one for one in keys.all() if one.locator(".pqx-column-hatched").count()]
    assert [one.inner_text().split()[-1] for one in hatched] == ["RLE_DICTIONARY"]  # as its pages
    said = says(view, *["ArrowRight"] * first)
    assert "PLAIN" in said and said.endswith("; the first without the dictionary")
    view.page.keyboard.press("Enter")
    selected(view, f"row_groups/0/columns/0/pages/{first}")


def test_values_are_counted_when_asked(show, fallback):
    view = show(fallback, at="row_groups/0/columns/0")
    values = view.page.get_by_role("group", name="Values")
    expect(values.get_by_role("listitem")).to_have_count(12)
    expect(values).to_contain_text("not counted")
    values.get_by_role("button", name="count values").click()
    expect(values.locator("li[data-count]")).to_have_count(12)
    expect(values).to_contain_text("2,000 values, ")
    expect(values.get_by_role("button", name="count values")).to_have_count(0)


def test_numbers_become_a_histogram(show):
    view = show(many(20), at="schema/1")
    values = view.page.get_by_role("group", name="Values")
    values.get_by_role("button", name="count values").click()
    bars = values.get_by_role("img").locator("[data-count]")
    expect(bars).to_have_count(32)
    counts = bars.evaluate_all("(all) => all.map((one) => Number(one.dataset.count))")
    assert sum(counts) == 200


def test_many_row_groups_come_as_columns(show):
    view = show(many(400), at="schema/1")
    assert marks(view, GROUPS) == 400
    assert says(view, "End", nth=GROUPS).endswith("3990 … 3999; 0 % null")


def test_a_row_group_shows_its_columns_beside_the_others(show, orders_bytes):
    view = show(orders_bytes, at="row_groups/1")
    assert answer(view).startswith("Row group 1 of 2: 400 rows in ")
    assert says(view, "Home").startswith("row group 0: ")
    rows = view.page.locator(".pqx-ranked")
    sizes = rows.evaluate_all("(all) => all.map((one) => Number(one.dataset.bytes))")
    assert sizes == sorted(sizes, reverse=True)
    address = rows.nth(1).get_attribute("data-address")
    rows.first.focus()
    view.page.keyboard.press("ArrowDown")
    view.page.keyboard.press("Enter")
    selected(view, address)


def test_fake_input_boxes(show, orders_bytes):
    """The old defect: numbers in what looked like an input field."""
    view = show(orders_bytes, at="row_groups/0/columns/3", view="facts")
    expect(view.page.locator(".pqx-fact-value.pqx-number").first).to_be_visible()
    boxed = """(all) => all.filter((one) => {
      const s = getComputedStyle(one);
      return s.borderStyle !== 'none' || s.boxShadow !== 'none' || s.outlineStyle !== 'none'
        || s.backgroundColor !== 'rgba(0, 0, 0, 0)';
    }).map((one) => one.outerHTML)"""
    values = view.page.locator(".pqx-fact-value, .pqx-fact-value *, .pqx-fact-name")
    assert values.count() > 10 and values.evaluate_all(boxed) == []
    view.page.locator('.pqx-tab[data-lens="column"]').click()
    shown = view.page.locator(".pqx-column p, .pqx-column p *, .pqx-column li > span")
    expect(shown.first).to_be_visible()
    assert shown.evaluate_all(boxed) == []


def test_what_differs_between_row_groups_comes_first_and_equals_are_counted(show, browser, tmp_path):
    """One view: the column whose dictionary was given up, any two row groups, and the saved page."""
    few = [f"city {i % 50}" for i in range(5_000)]
    many = [f"{i * 7919 % 5_000:012}" for i in range(5_000)]
    schema = pa.schema([("same", pa.int64()), ("id", pa.int64()), ("city", pa.string())])
    out = io.BytesIO()
    options = {"dictionary_pagesize_limit": 4096, "write_statistics": ["same", "city"]}
    with pq.ParquetWriter(out, schema, use_dictionary=["city"], **options) as writer:
        for city in (few, many, few):
            writer.write_table(pa.table([[7] * 5_000, range(5_000), city], schema=schema))
    view = show(out.getvalue(), at="row_groups", size=(1280, 780))
    page = view.page
    expect(page.locator(".pqx-answer p")).to_contain_text("differ in the encodings of `city`.")
    rows = page.locator(".pqx-apart-table tbody tr")
    assert rows.evaluate_all("(all) => all.map((one) => one.dataset.column)") == ["city", "id"]
    expect(rows.first.locator('[data-property="encodings"]')).to_contain_text("PLAIN, RLE_DICT")
    expect(rows.first.locator('[data-property="range"]')).to_contain_text("some overlap")
    for unknown in ("range", "nulls"):
        cell = rows.last.locator(f'[data-property="{unknown}"]')
        expect(cell).to_have_text("?not known")
    expect(page.locator(".pqx-apart")).to_contain_text("1 column the same in all of this.")
    assert violations(page) == []
    page.set_viewport_size({"width": 400, "height": 800})
    settle(page)
    assert violations(page) == []
    panel = page.locator(".pqx-panel")
    assert panel.evaluate("(e) => e.scrollWidth <= e.clientWidth")
    expect(rows.first.locator('[data-state="same"]').first).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 780})
    page.get_by_label("Compare", exact=True).select_option("2")
    expect(page.locator(".pqx-apart-said")).to_contain_text("Row groups 1 and 2 differ in the enc")
    page.get_by_label("Compare with").select_option("0")
    expect(page.locator(".pqx-apart-said")).to_contain_text("Row groups 0 and 2 have the same enc")
    saved = tmp_path / "groups.html"
    saved.write_text(view.explorer.to_html(budget=200_000), "utf-8")
    page.get_by_label("Compare", exact=True).select_option("")
    rows.first.get_by_role("button", name="Row groups 1", exact=True).first.click()
    view.shown("row_groups/1/columns/2")
    view.go("row_groups/1")
    expect(page.locator(".pqx-apart-said")).to_contain_text("Row groups 0 and 1 differ in the enc")
    page = browser.new_context(offline=True).new_page()
    page.goto(saved.as_uri())
    page.get_by_label("Compare", exact=True).select_option("1")
    expect(page.locator(".pqx-apart-said")).to_contain_text("Row groups 0 and 1 differ in the enc")
    page.context.close()
