"""A row, its pages and its bytes in every column at once."""

import re

import pyarrow as pa
import pytest
from browser.looks import in_looks, violations
from playwright.sync_api import expect
from widget.samples import parquet

import pqexplore


@pytest.fixture
def view(show, orders_bytes):
    rows_view = show(orders_bytes, view="rows")
    expect(rows_view.page.get_by_role("grid")).to_contain_text("Lima")
    return rows_view


def number(page, row):
    return page.get_by_role("grid", name="Rows of the file").locator(f'[data-row="{row}"] > [data-column="0"]')


def test_the_sentence_counts_rows_and_row_groups(view):
    expect(view.page.locator(".pqx-answer > p")).to_have_text("1,000 rows in 2 row groups of 600 and 400, 5 columns.")


def test_a_row_number_lights_its_page_in_every_column(view):
    page = view.page
    number(page, 3).click()
    places = page.get_by_role("list", name="Places of row 3").get_by_role("listitem")
    expect(places).to_have_count(5)
    file = view.explorer.file
    pages = places.evaluate_all("(all) => all.map((e) => e.dataset.page)")
    for column, address in enumerate(pages):
        assert address.startswith(f"row_groups/0/columns/{column}/pages/")
    expect(page.locator(".pqx-map .pqx-stage").first).to_have_attribute("data-lit", "5")
    lit = sum(len(file.node(address).span) for address in pages)
    expect(page.locator(".pqx-row-places")).to_contain_text(
        f"Row 3 lies in 5 pages, {lit / 1000:.2f} kB together." if lit > 999 else f"{lit} B together."
    )
    assert view.explorer.selection == ""


def test_a_place_points_at_its_page_and_leads_to_its_value(view):
    page = view.page
    number(page, 1).click()
    link = page.get_by_role("list", name="Places of row 1").get_by_role("button", name="city")
    link.hover()
    expect(page.locator(".pqx-line .pqx-hot").first).to_be_visible()
    link.click()
    view.shown("row_groups/0/columns/1/pages/1/values/1")
    expect(page.locator(".pqx-map .pqx-stage").first).to_have_attribute("data-lit", "0")


def test_the_keyboard_lights_a_row(view):
    grid = view.page.get_by_role("grid", name="Rows of the file")
    grid.focus()
    grid.press("ArrowDown")
    grid.press("Enter")
    expect(view.page.get_by_role("list", name="Places of row 1")).to_be_visible()


def test_to_frame_gives_the_first_rows(view):
    frame = view.explorer.to_frame("rows", at="")
    assert frame["id"].tolist() == list(range(1000))
    assert frame["city"].dropna().tolist()[:3] == ["Oslo", "Lima", "Bern"]
    assert frame["tags.list.element"].tolist()[:4] == [["a", "b"], [], None, [None, "c"]]


def test_an_empty_text_is_not_null(show):
    """It was shown as null, alone and in lists."""
    table = pa.table({"a": ["", None, "null"], "b": [["", None], [], None]})
    grid = show(parquet(table), view="rows").page.locator(".pqx-grid")
    cells = grid.locator('[data-row] > [data-column="1"]')
    expect(cells).to_have_text(["(empty)", "null", "null"])
    expect(grid.locator('[data-row="0"] > [data-column="2"]')).to_have_text("[(empty), null]")


BAR = ".pqx-rows-bar"


def first_row(page):
    """The number in the first row of the grid."""
    return page.locator('.pqx-grid [data-row="0"] > [data-column="0"]')


def test_pages_lead_through_all_rows(view):
    page = view.page
    bar = page.locator(BAR)
    expect(bar).to_contain_text("rows 0 to ")
    bar.get_by_role("button", name="Last rows").click()
    expect(bar).to_contain_text("to 999 of 1,000")
    expect(number(page, 999)).to_be_visible()
    expect(page.locator('[data-row="999"] > [data-column="1"]')).to_have_text("999")
    bar.get_by_role("button", name="Rows before").click()
    expect(bar).not_to_contain_text("to 999 of")
    bar.get_by_role("button", name="First rows").click()
    expect(number(page, 0)).to_be_visible()
    bar.get_by_role("spinbutton", name="Go to row").fill("617")
    bar.get_by_role("spinbutton", name="Go to row").press("Enter")
    expect(bar).to_contain_text("rows 617 to ")
    expect(page.locator('[data-row="617"] > [data-column="1"]')).to_have_text("617")


def test_the_head_says_what_the_statistics_say(view):
    head = view.page.locator(".pqx-head .pqx-cell").filter(has_text="id")
    summary = head.locator(".pqx-rows-summary").first
    expect(summary).to_contain_text("0 – 999")
    expect(summary).to_contain_text("no nulls")
    assert summary.locator("rect").count() == 32  # a histogram: as many values in each part
    tall = summary.locator("rect").evaluate_all("(all) => all.map((e) => +e.getAttribute('height'))")
    assert min(tall) > 0.9
    expect(summary).to_have_attribute("title", re.compile("a histogram of all values$"))
    city = view.page.locator(".pqx-head .pqx-cell").filter(has_text="city")
    expect(city.locator(".pqx-rows-summary")).to_contain_text("% null")


def test_a_condition_leaves_the_rows_that_meet_it(view):
    page = view.page
    condition = page.get_by_role("textbox", name="Only rows that meet a condition")
    condition.fill("id >= 990")
    condition.press("Enter")
    status = page.locator(".pqx-rows-status")
    expect(status).to_contain_text("10 rows: 1 row group was read, 1 skipped.")
    expect(first_row(page)).to_have_text("990")
    expect(page.locator('[data-row="0"] > [data-column="1"]')).to_have_text("990")
    assert view.explorer.where == "id >= 990"
    page.locator('[data-row="3"] > [data-column="1"]').click()
    expect(page.locator(".pqx-answer p")).to_contain_text("it is column `id` of row 993.")


def test_a_wrong_condition_says_why_and_keeps_the_rows(view):
    page = view.page
    condition = page.get_by_role("textbox", name="Only rows that meet a condition")
    condition.fill("nobody = 1")
    condition.press("Enter")
    expect(page.locator(".pqx-rows-status .pqx-error")).to_contain_text("nobody")
    expect(first_row(page)).to_have_text("0")


def test_a_column_sorts_up_then_down_then_not(view):
    page = view.page
    name = page.locator(".pqx-head").get_by_role("button", name="id")
    head = page.get_by_role("columnheader", name="id")
    status = page.locator(".pqx-rows-status")
    name.click()
    expect(status).to_contain_text("The 200 rows with the smallest values of `id`: 1 of 2 row groups")
    expect(first_row(page)).to_have_text("0")
    name.click()
    expect(status).to_contain_text("largest")
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(first_row(page)).to_have_text("999")
    expect(page.locator(BAR)).to_contain_text("1 to ")
    name.click()
    expect(first_row(page)).to_have_text("0")
    expect(status).to_be_empty()


def test_clearing_shows_all_rows_again(view):
    page = view.page
    condition = page.get_by_role("textbox", name="Only rows that meet a condition")
    condition.fill("id = 5")
    condition.press("Enter")
    expect(first_row(page)).to_have_text("5")
    page.locator(".pqx-rows-status").get_by_role("button", name="all rows").click()
    expect(first_row(page)).to_have_text("0")
    expect(page.locator(BAR)).to_contain_text("of 1,000")


@in_looks("narrow", full=("light", "dark"))
def test_axe_has_no_finding_in_rows(show, orders_bytes, look):
    view = show(orders_bytes, view="rows", **look)
    expect(view.page.locator(".pqx-rows-summary").first).to_be_visible()
    assert violations(view.page) == []


def test_a_saved_page_has_the_head_and_asks_nothing(browser, orders_bytes, tmp_path):
    saved = tmp_path / "rows.html"
    saved.write_text(pqexplore.explore(orders_bytes, view="rows").to_html(budget=300_000), "utf-8")
    page = browser.new_context(offline=True).new_page()
    page.goto(saved.as_uri())
    expect(page.locator(".pqx-rows-summary").first).to_contain_text("0 – 999")
    expect(page.locator(BAR)).to_contain_text("rows 0 to ")
    assert page.locator(".pqx-rows-form").count() == 0
    assert page.locator(".pqx-head").get_by_role("button").count() == 0
    page.context.close()
