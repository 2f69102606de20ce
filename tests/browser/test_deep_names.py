"""Names of columns 40 and 100 levels deep: on one line, with their leaf whole, in all lenses."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.harness import settle
from playwright.sync_api import expect

LEAVES = "the_leaf_of_forty", "the_leaf_of_a_hundred"

TALL = """() => [...document.querySelectorAll(".pqx :is(button, th, td, li, span, a, h4)")].filter((el) =>
  el.textContent.includes("level_") && el.checkVisibility() && !el.querySelector("*:not(i, span, strong, code)")
  && el.getBoundingClientRect().height > 5 * parseFloat(getComputedStyle(el).fontSize)
).map((el) => `${el.tagName}.${el.className}: ${el.textContent.slice(0, 60)}`)"""
"""What has a name in it and takes more than three lines."""


@pytest.fixture(scope="module")
def deep():
    columns = {}
    for levels, leaf in zip((40, 100), LEAVES, strict=True):
        kind, value, name = pa.int64(), 1, leaf
        for level in range(levels - 1):
            kind, value, name = pa.struct([(name, kind)]), {name: value}, f"level_{level:02}_name"
        columns[f"{name}_{levels}"] = pa.array([value] * 200, kind)
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


@pytest.mark.parametrize("at", ["", "row_groups/0", "row_groups/0/columns/1"])
def test_no_name_takes_more_than_three_lines(show, deep, at):
    view = show(deep, at=at, size=(760, 1_000))
    tabs = view.page.locator(".pqx-tab[data-lens]").evaluate_all("(all) => all.map((one) => one.dataset.lens)")
    for lens in tabs:
        view.explorer.view = lens
        view.flush()
        settle(view.page)
        assert view.page.evaluate(TALL) == [], lens


def test_the_leaf_is_whole_in_the_tree_the_path_and_the_overview_and_the_whole_name_is_one_hover_away(show, deep):
    page = show(deep, size=(1_000, 1_000), opens=("tree",)).page
    for leaf in LEAVES:
        link = page.locator(".pqx-overview-column > button", has_text=leaf)
        assert link.bounding_box()["height"] < 24
        assert link.get_attribute("title").endswith(f".{leaf}")
        end = link.locator(".pqx-end")
        assert end.evaluate("(el) => el.scrollWidth <= el.clientWidth")
    page.locator(".pqx-overview-column > button").first.click()
    settle(page)
    row = page.locator('.pqx-node[aria-selected="true"]')
    assert row.get_attribute("title").count(".") in (39, 99)
    place = page.locator('.pqx-crumbs [aria-current="location"]')
    assert any(place.text_content().endswith(leaf) for leaf in LEAVES)


def test_the_tree_says_how_many_values_a_page_has_before_it_cuts(show, deep):
    page = show(deep, at="row_groups/0/columns/1/pages/1", opens=("tree",)).page
    label = page.locator('.pqx-node[aria-selected="true"] .pqx-label')
    expect(label).to_have_text("page 1 · 200 values · data, RLE_DICTIONARY")
    expect(label.locator(".pqx-end")).to_have_text("page 1 · 200 values")
