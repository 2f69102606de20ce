"""The stored queries, words with cards, tabs of panels without anything to show."""

import re

from browser.harness import settle
from browser.lakes.panels import panel
from playwright.sync_api import expect


def test_each_stored_query_can_be_chosen(look, lake):
    view = look(lake)
    panel(view, "asked", "More questions")
    view.page.get_by_label("question", exact=True).select_option("writers")
    expect(view.page.locator(".pqx-answer")).to_contain_text("Which programs wrote the files")
    expect(view.page.get_by_role("grid")).to_contain_text("parquet-cpp-arrow")


def test_a_panel_without_anything_to_show_looks_empty(look, sound, lake):
    page = look(sound).page
    drift = page.get_by_role("tab", name="Schema drift")
    expect(drift).to_have_class("pqx-tab pqx-tab-empty")
    expect(drift).to_have_attribute("title", "All 2 files have the same columns.")
    expect(drift).to_have_accessible_name(re.compile("Schema drift ?, empty"))
    expect(page.get_by_role("tab", name="Overlap")).to_have_class("pqx-tab")
    other = look(lake, "fleet").page
    findings = other.get_by_role("tab", name="Findings")
    settle(other)
    expect(findings).to_have_class("pqx-tab")
    other.get_by_label("status").select_option("ok")
    expect(findings).to_have_class("pqx-tab pqx-tab-empty")
    other.get_by_role("button", name="all files again").click()
    expect(findings).to_have_class("pqx-tab")


def test_a_word_of_the_specification_has_its_card(look, lake):
    page = look(lake, "fleet").page
    page.get_by_role("columnheader", name="row groups").hover()
    expect(page.get_by_role("tooltip")).to_contain_text("row group")


def test_the_chosen_question_keeps_the_focus(look, lake):
    page = look(lake, "asked").page
    choice = page.get_by_label("question", exact=True)
    choice.focus()
    choice.select_option("writers")
    expect(page.locator(".pqx-answer")).to_contain_text("Which programs wrote the files")
    expect(page.get_by_label("question", exact=True)).to_be_focused()
