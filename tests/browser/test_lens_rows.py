"""The rows: their pages and bytes in every column, a window on all of them, conditions, and order."""

import re

import pyarrow as pa
import pytest
from browser.harness import choose_lens
from made import parquet
from playwright.sync_api import expect

import pqexplore

BAR = ".pqx-rows-bar"


@pytest.fixture
def view(show, orders_bytes):
    return show(orders_bytes, view="rows")


def grid(page):
    return page.get_by_role("grid", name="Rows of the file")


def cell(page, row, column=0):
    """A cell of the grid; column 0 has the numbers of the rows."""
    return grid(page).locator(f'[data-row="{row}"] > [data-column="{column}"]')


def ask(page, condition):
    field = page.get_by_role("textbox", name="Only rows that meet a condition")
    field.fill(condition)
    field.press("Enter")


def test_a_row_lights_its_pages_and_leads_to_its_values(view):
    page, file = view.page, view.explorer.file
    lit = page.locator(".pqx-map .pqx-stage").first
    view.open("bytes")
    cell(page, 3).click()
    places = page.get_by_role("list", name="Places of row 3").get_by_role("listitem")
    expect(places).to_have_count(5)
    pages = places.evaluate_all("(all) => all.map((e) => e.dataset.page)")
    for column, address in enumerate(pages):
        assert address.startswith(f"row_groups/0/columns/{column}/pages/")
    expect(lit).to_have_attribute("data-lit", "5")
    together = sum(len(file.node(address).span) for address in pages)
    expect(page.locator(".pqx-row-places")).to_contain_text(f"Row 3 lies in 5 pages, {together} B together.")
    assert view.explorer.selection == ""
    cell(page, 1).click()
    link = page.get_by_role("list", name="Places of row 1").get_by_role("button", name="city")
    link.hover()
    expect(page.locator(".pqx-line .pqx-hot").first).to_be_visible()
    link.click()
    view.shown("row_groups/0/columns/1/pages/1/values/1")
    expect(lit).to_have_attribute("data-lit", "0")
    view.go("")
    choose_lens(page, "Rows")
    cell(page, 1, 2).click()
    view.shown("row_groups/0/columns/1/pages/1/values/1")
    expect(page.locator(".pqx-life")).to_contain_text("Lima")


def test_the_rows_by_keyboard(view):
    page = view.page
    grid(page).focus()
    for key in ("ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("list", name="Places of row 1")).to_be_visible()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    view.shown("row_groups/0/columns/1/pages/1/values/1")


def test_an_empty_text_is_not_null(show):
    """It was shown as null, alone and in lists."""
    table = pa.table({"a": ["", None, "null"], "b": [["", None], [], None]})
    page = show(parquet(table), view="rows").page
    expect(grid(page).locator('[data-row] > [data-column="1"]')).to_have_text(["(empty)", "null", "null"])
    expect(cell(page, 0, 2)).to_have_text("[(empty), null]")


def test_pages_lead_through_all_rows(view):
    page, bar = view.page, view.page.locator(BAR)
    expect(bar).to_contain_text("rows 0 to ")
    bar.get_by_role("button", name="Last rows").click()
    expect(bar).to_contain_text("to 999 of 1,000")
    expect(cell(page, 999)).to_be_visible()
    expect(cell(page, 999, 1)).to_have_text("999")
    bar.get_by_role("button", name="Rows before").click()
    expect(bar).not_to_contain_text("to 999 of")
    bar.get_by_role("button", name="First rows").click()
    expect(cell(page, 0)).to_be_visible()
    bar.get_by_role("spinbutton", name="Go to row").fill("617")
    bar.get_by_role("spinbutton", name="Go to row").press("Enter")
    expect(bar).to_contain_text("rows 617 to ")
    expect(cell(page, 617, 1)).to_have_text("617")


def test_the_head_says_what_the_statistics_say(view):
    heads = view.page.locator(".pqx-head .pqx-cell")
    summary = heads.filter(has_text="id").locator(".pqx-rows-summary").first
    expect(summary).to_contain_text("0 – 999")
    expect(summary).to_contain_text("no nulls")
    # a histogram: as many values in each part
    tall = summary.locator("rect").evaluate_all("(all) => all.map((e) => +e.getAttribute('height'))")
    assert len(tall) == 32 and min(tall) > 0.9
    expect(summary).to_have_attribute("title", re.compile("a histogram of all values$"))
    expect(heads.filter(has_text="city").locator(".pqx-rows-summary")).to_contain_text("% null")


def test_a_condition_leaves_the_rows_that_meet_it(view):
    page, status = view.page, view.page.locator(".pqx-rows-status")
    ask(page, "nobody = 1")
    expect(status.locator(".pqx-error")).to_contain_text("nobody")
    expect(cell(page, 0)).to_have_text("0")
    ask(page, "id = 5")
    expect(cell(page, 0)).to_have_text("5")
    status.get_by_role("button", name="all rows").click()
    expect(cell(page, 0)).to_have_text("0")
    expect(page.locator(BAR)).to_contain_text("of 1,000")
    ask(page, "id >= 990")
    expect(status).to_contain_text("10 rows: 1 row group was read, 1 skipped.")
    expect(cell(page, 0)).to_have_text("990")
    expect(cell(page, 0, 1)).to_have_text("990")
    assert view.explorer.where == "id >= 990"
    cell(page, 3, 1).click()
    expect(page.locator(".pqx-answer p")).to_contain_text("it is column `id` of row 993.")


def test_a_column_sorts_up_then_down_then_not(view):
    page, status = view.page, view.page.locator(".pqx-rows-status")
    name = page.locator(".pqx-head").get_by_role("button", name="id")
    name.click()
    expect(status).to_contain_text("The 200 rows with the smallest values of `id`: 1 of 2 row groups")
    expect(cell(page, 0)).to_have_text("0")
    name.click()
    expect(status).to_contain_text("largest")
    expect(page.get_by_role("columnheader", name="id")).to_have_attribute("aria-sort", "descending")
    expect(cell(page, 0)).to_have_text("999")
    expect(page.locator(BAR)).to_contain_text("1 to ")
    name.click()
    expect(cell(page, 0)).to_have_text("0")
    expect(status).to_be_empty()


def test_a_saved_page_has_the_head_and_asks_nothing(saved, orders_bytes):
    page = saved(pqexplore.explore(orders_bytes, view="rows"))
    expect(page.locator(".pqx-rows-summary").first).to_contain_text("0 – 999")
    expect(page.locator(BAR)).to_contain_text("rows 0 to ")
    assert page.locator(".pqx-rows-form").count() == 0
    assert page.locator(".pqx-head").get_by_role("button").count() == 0
