"""A Metadatastore with a condition."""

from browser.lakes.panels import panel
from playwright.sync_api import expect


def test_a_metadatastore_and_a_condition(look, store):
    view = look(store)
    page = view.page
    expect(page.locator(".pqx-answer")).to_contain_text("10 objects")
    expect(page.locator(".pqx-indexes li")).to_have_count(2)
    assert [li.get_attribute("data-known") for li in page.locator(".pqx-indexes li").all()] == ["10", "10"]
    panel(view, "skipping", "What a query skips")
    page.get_by_label("Condition in SQL").fill("id = 3050")
    page.get_by_role("button", name="evaluate").click()
    expect(page.locator(".pqx-answer")).to_contain_text("1 of 10 objects must be read")
    assert page.locator("[data-verdict=skipped]").get_attribute("data-count") == "9"
    expect(page.locator(".pqx-verdicts i.pqx-verdict-1")).to_have_count(9)
    expect(page.get_by_role("grid")).to_contain_text("part-3.parquet")
    page.get_by_label("Condition in SQL").fill("id <>")
    page.get_by_role("button", name="evaluate").click()
    expect(page.get_by_role("alert")).to_be_visible()
