"""The column card, a row group beside the others, and what differs between row groups."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.boards import hot, marks, says, selected, stage
from browser.harness import resize
from browser.looks import violations
from playwright.sync_api import expect

CHUNK = "row_groups/0/columns/0"
GROUPS = 1
"""The second board of the card: the row groups; the first has the pages."""


def many(groups):
    out = io.BytesIO()
    table = pa.table({"n": pa.array(range(groups * 10)), "word": ["a", "b"] * (groups * 5)})
    pq.write_table(table, out, row_group_size=10)
    return out.getvalue()


def test_a_question_leads_to_the_lens_that_explains_it_and_all_is_seen_without_scrolling(show, orders_bytes):
    view = show(orders_bytes, at=CHUNK, size=(1280, 780))
    page = view.page
    panel, questions = page.locator(".pqx-panel").bounding_box(), page.locator(".pqx-question")
    expect(questions).to_have_count(3)
    for part in [*questions.all(), page.locator(".pqx-column-pages .pqx-board-stage")]:
        box = part.bounding_box()
        assert box["y"] + box["height"] <= panel["y"] + panel["height"]
    assert stage(view, GROUPS).bounding_box()["y"] + 60 < panel["y"] + panel["height"]
    expect(questions.first.locator("strong")).to_have_text("yes.")
    questions.first.get_by_role("button", name="Can a query skip?").click()
    selected(view, CHUNK)
    expect(page.get_by_role("tab", name="Statistics", selected=True)).to_be_visible()


def test_a_row_group_by_keyboard_leads_to_its_chunk_and_lights_its_bytes(show, orders_bytes):
    view = show(orders_bytes, at=CHUNK, opens=("bytes",))
    assert marks(view, GROUPS) == 2
    assert says(view, "End", nth=GROUPS).startswith("row group 1: ")
    chunk = view.explorer.file.row_groups[1].columns[0]
    assert bytes.fromhex(hot(view))[:16] == view.explorer.file.bytes(chunk.span)[:16]
    view.page.keyboard.press("Enter")
    selected(view, "row_groups/1/columns/0")


@pytest.mark.full
def test_the_strip_marks_the_page_without_the_dictionary_and_values_are_counted_when_asked(show, sample):
    view = show(sample("dictionary-fallback"), at=CHUNK)
    page = view.page
    assert says(view, "Home").startswith("row group 0, page 0: dictionary, PLAIN, 400 entries, ")
    pages = view.explorer.file.row_groups[0].columns[0].pages
    first = next(i for i, one in enumerate(pages) if i and one.encoding == 0)
    keys = page.locator(".pqx-column-pages .pqx-keys li")
    hatched = [one for one in keys.all() if one.locator(".pqx-column-hatched").count()]
    assert [one.inner_text().split()[-1] for one in hatched] == ["RLE_DICTIONARY"]  # as its pages
    said = says(view, *["ArrowRight"] * first)
    assert "PLAIN" in said and said.endswith("; the first without the dictionary")
    values = page.get_by_role("group", name="Values")
    expect(values.get_by_role("listitem")).to_have_count(12)
    expect(values).to_contain_text("not counted")
    values.get_by_role("button", name="count values").click()
    expect(values.locator("li[data-count]")).to_have_count(12)
    expect(values).to_contain_text("2,000 values, ")
    expect(values.get_by_role("button", name="count values")).to_have_count(0)
    stage(view).focus()
    page.keyboard.press("Enter")
    selected(view, f"{CHUNK}/pages/{first}")


@pytest.mark.full
def test_many_row_groups_come_as_columns_and_numbers_become_a_histogram(show):
    view = show(many(400), at="schema/1")
    assert marks(view, GROUPS) == 400
    assert says(view, "End", nth=GROUPS).endswith("3990 … 3999; 0 % null")
    values = view.page.get_by_role("group", name="Values")
    values.get_by_role("button", name="count values").click()
    bars = values.get_by_role("img").locator("[data-count]")
    expect(bars).to_have_count(32)
    assert sum(bars.evaluate_all("(all) => all.map((one) => Number(one.dataset.count))")) == 4_000


def test_a_row_group_shows_its_columns_by_size(show, orders_bytes):
    view = show(orders_bytes, at="row_groups/1")
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
    page = show(orders_bytes, at="row_groups/0/columns/3", view="facts").page
    expect(page.locator(".pqx-fact-value.pqx-number").first).to_be_visible()
    boxed = """(all) => all.filter((one) => {
      const s = getComputedStyle(one);
      return s.borderStyle !== 'none' || s.boxShadow !== 'none' || s.outlineStyle !== 'none'
        || s.backgroundColor !== 'rgba(0, 0, 0, 0)';
    }).map((one) => one.outerHTML)"""
    values = page.locator(".pqx-fact-value, .pqx-fact-value *, .pqx-fact-name")
    assert values.count() > 10 and values.evaluate_all(boxed) == []
    page.locator('.pqx-tab[data-lens="column"]').click()
    shown = page.locator(".pqx-column p, .pqx-column p *, .pqx-column li > span")
    expect(shown.first).to_be_visible()
    assert shown.evaluate_all(boxed) == []


@pytest.fixture(scope="module")
def different() -> bytes:
    """Three row groups: in the second `city` has its dictionary given up; `id` has no statistics."""
    few = [f"city {i % 50}" for i in range(5_000)]
    others = [f"{i * 7919 % 5_000:012}" for i in range(5_000)]
    schema = pa.schema([("same", pa.int64()), ("id", pa.int64()), ("city", pa.string())])
    out = io.BytesIO()
    options = {"dictionary_pagesize_limit": 4096, "write_statistics": ["same", "city"]}
    with pq.ParquetWriter(out, schema, use_dictionary=["city"], **options) as writer:
        for city in (few, others, few):
            writer.write_table(pa.table([[7] * 5_000, range(5_000), city], schema=schema))
    return out.getvalue()


def test_what_differs_between_row_groups_comes_first_and_equals_are_counted(show, saved, different):
    """One view: the column whose dictionary was given up, any two row groups, and the saved page."""
    view = show(different, at="row_groups", size=(1280, 780))
    page = view.page
    said, one_of = page.locator(".pqx-apart-said"), page.get_by_label("Compare", exact=True)
    rows = page.locator(".pqx-apart-table tbody tr")
    assert rows.evaluate_all("(all) => all.map((one) => one.dataset.column)") == ["city", "id"]
    expect(rows.first.locator('[data-property="encodings"]')).to_contain_text("PLAIN, RLE_DICT")
    expect(rows.first.locator('[data-property="range"]')).to_contain_text("some overlap")
    for unknown in ("range", "nulls"):
        expect(rows.last.locator(f'[data-property="{unknown}"]')).to_have_text("?not known")
    expect(page.locator(".pqx-apart")).to_contain_text("1 column the same in all of this.")
    resize(page, 400, 800)
    assert violations(page) == []
    assert page.locator(".pqx-panel").evaluate("(e) => e.scrollWidth <= e.clientWidth")
    expect(rows.first.locator('[data-state="same"]').first).to_be_hidden()
    resize(page, 1280, 780)
    one_of.select_option("2")
    expect(said).to_contain_text("Row groups 1 and 2 differ in the enc")
    page.get_by_label("Compare with").select_option("0")
    expect(said).to_contain_text("Row groups 0 and 2 have the same enc")
    text = view.explorer.to_html(budget=200_000)
    one_of.select_option("")
    rows.first.get_by_role("button", name="Row groups 1", exact=True).first.click()
    view.shown("row_groups/1/columns/2")
    view.go("row_groups/1")
    expect(said).to_contain_text("Row groups 0 and 1 differ in the enc")
    page = saved(text)
    page.get_by_label("Compare", exact=True).select_option("1")
    expect(page.locator(".pqx-apart-said")).to_contain_text("Row groups 0 and 1 differ in the enc")
