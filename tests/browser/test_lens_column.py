"""What opens first at each node: the column card, the row group beside others, contents of groups; facts last."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.boards import answer, hot, marks, says, selected, stage
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
    expect(view.page.locator('.pqx-tab[data-lens][aria-selected="true"]')).to_have_text(
        "Statistics"
    )


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
