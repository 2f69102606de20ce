"""Schema drift: only what differs."""

import re

from browser.lakes.panels import panel
from playwright.sync_api import expect


def test_drift_is_a_matrix_of_the_columns_that_differ(look, lake):
    view = look(lake)
    panel(view, "drift", "Schema drift")
    expect(view.page.locator(".pqx-answer")).to_contain_text("id has several definitions")
    row = view.page.locator(".pqx-matrix tbody tr", has=view.page.locator("th", has_text="id"))
    assert sorted(row.locator("td").all_inner_texts()) == ["A", "B"]
    city = view.page.locator(".pqx-matrix tbody tr", has=view.page.locator("th", has_text="city"))
    expect(city).to_be_hidden()
    table = view.page.get_by_role("grid", name="definitions of columns that differ")
    expect(table).to_have_attribute("aria-rowcount", "3")  # two definitions of id, below the head
    view.page.get_by_role("button", name="show 1 column without differences").click()
    expect(city).to_be_visible()
    assert city.locator("td").all_inner_texts() == ["A", "A"]
    view.page.get_by_role("button", name=re.compile("1 file$")).click()
    expect(view.page.locator(".pqx-answer")).to_contain_text("One file alone")
    # none differs, so all are shown
    expect(view.page.locator(".pqx-matrix tbody tr")).to_have_count(2)
    expect(view.page.locator(".pqx-matrix tbody tr").last).to_be_visible()
