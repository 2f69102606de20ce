"""The ways through a lake: the palette, back and forward, and where an explorer begins."""

import pytest
from browser.harness import settle
from browser.lakes.panels import panel
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.errors import UsageError

PART = "part-3.parquet"


def find(page, typed):
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Find a file").fill(typed)
    settle(page)
    return page.get_by_role("listbox", name="Found").get_by_role("option")


def test_the_palette_finds_files_columns_questions_and_takes_a_condition(look, lake, folder):
    view = look(lake)
    page = view.page
    page.get_by_role("tab", selected=True).focus()
    # what can be done comes first, and the panel that is shown is no choice
    titles = find(page, "").locator(".pqx-found-name").all_inner_texts()
    assert "Show Overlap" in titles and "Show Diagnosis" not in titles
    page.keyboard.press("Escape")
    expect(page.get_by_role("tab", selected=True)).to_be_focused()
    find(page, "schema dr")
    page.keyboard.press("Enter")
    page.locator('.pqx-lake[data-shown="drift"]').wait_for()
    found = find(page, "part-3")
    expect(found).to_have_count(1)
    expect(found).to_contain_text(PART)
    page.keyboard.press("Escape")
    assert find(page, "cit").first.get_attribute("data-address").endswith("#row_groups/0/columns/1")
    page.keyboard.press("Escape")
    find(page, "id >= 9400").first.click()
    page.locator('.pqx-lake[data-shown="query"] .pqx-query[data-asked="id >= 9400"]').wait_for()
    assert view.explorer.where == "id >= 9400"
    find(page, "part-3").first.click()
    page.locator(".pqx-of-lake .pqx[data-shown=file]").wait_for()
    assert view.explorer.file == str(folder / PART)


def test_back_and_forward_lead_through_panels_filters_and_files(look, lake, folder):
    view = look(lake, "fleet")
    page = view.page
    back = page.locator(".pqx-lake").get_by_role("button", name="Back")
    expect(back).to_have_attribute("aria-disabled", "true")
    settle(page)
    panel(view, "columns", "Columns")
    expect(back).to_have_attribute("aria-disabled", "false")
    settle(page)
    page.locator(".pqx-bars button").first.press("Enter")
    page.locator('.pqx[data-shown="row_groups/0/columns/1"]').wait_for()
    settle(page)
    # the file has no place before this one, so the key leads out of it
    page.keyboard.press("Alt+ArrowLeft")
    page.locator('.pqx-lake[data-shown="columns"]').wait_for()
    assert view.explorer.file == ""
    page.keyboard.press("Alt+ArrowLeft")
    page.locator('.pqx-lake[data-shown="fleet"]').wait_for()
    page.keyboard.press("Alt+ArrowRight")
    page.locator('.pqx-lake[data-shown="columns"]').wait_for()
    page.keyboard.press("Alt+ArrowRight")
    page.locator('.pqx[data-shown="row_groups/0/columns/1"]').wait_for()
    assert view.explorer.file == str(folder / "part-large.parquet")


def test_an_explorer_begins_where_it_is_told_to(look, lake, folder):
    page = look(lake, at=f"{PART}#row_groups/0/columns/1").page
    page.locator('.pqx-of-lake .pqx[data-shown="row_groups/0/columns/1"]').wait_for()
    expect(page.locator(".pqx-back code")).to_have_text(PART)
    assert pqexplore.explore_lake(lake, at="drift").panel == "drift"
    assert pqexplore.explore_lake(lake, at=str(folder / PART)).file == str(folder / PART)
    with pytest.raises(UsageError, match="no panel and no file 'nowhere'; the panels are doctor"):
        pqexplore.explore_lake(lake, at="nowhere")
