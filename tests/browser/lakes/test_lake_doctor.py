"""The diagnosis of a lake: the worst first, its files, what to do."""

import re

from playwright.sync_api import expect

from pqexplore.lake import scan
from pqexplore.lake.panels import doctor


def test_the_doctor_names_the_worst_first_and_opens_the_place(look, lake, folder):
    view = look(lake)
    cards = view.page.locator(".pqx-card")
    assert [card.get_attribute("data-rule") for card in cards.all()][:2] == ["file-unreadable", "types-differ"]
    expect(cards.nth(1)).to_contain_text("`id` is INT64 in 10 files and INT32 in 1 file")
    files = cards.nth(1).get_by_role("list", name="Files").get_by_role("button")
    assert files.all_inner_texts() == ["part-large.parquet"]
    files.click()
    view.page.locator('.pqx[data-shown="schema"]').wait_for()
    assert view.explorer.file == str(folder / "part-large.parquet")


def test_the_doctor_waits_for_the_button_before_it_reads_many_files(look, troubled, monkeypatch):
    monkeypatch.setattr(doctor, "AT_ONCE", 11)
    view = look(scan(None, troubled.manifest.options["source"], processes=0))
    rules = view.page.locator(".pqx-card")
    expect(view.page.locator(".pqx-diagnosis > .pqx-bar")).to_contain_text("by the tables of the scan")
    expect(rules.first).to_contain_text("Files that cannot be read")
    known = [card.get_attribute("data-rule") for card in rules.all()]
    headline = view.page.locator(".pqx-headline")
    expect(headline).to_contain_text("And 4 more findings.")
    view.page.get_by_role("button", name="diagnose 28 files").click()
    expect(headline).to_contain_text("And 4 more findings.")
    found = [card.get_attribute("data-rule") for card in rules.all()]
    assert set(known) < set(found) and "small-row-groups" in found


class TestDiagnosis:
    def test_the_keyboard_alone_reaches_the_files_of_a_finding(self, look, troubled):
        view = look(troubled)
        page = view.page
        card = page.locator('.pqx-card[data-rule="small-row-groups"]')
        link = card.get_by_role("list", name="Files").get_by_role("button").first
        name = link.inner_text()
        page.get_by_role("tab", selected=True).focus()
        for _ in range(12):
            page.keyboard.press("Tab")
            if link.evaluate("(e) => e.matches(':focus')"):
                break
        page.keyboard.press("Enter")
        page.locator('.pqx[data-shown="row_groups/0"]').wait_for()
        assert view.explorer.file.endswith(name)
        page.keyboard.press("Enter")  # the way back has the focus
        expect(link).to_be_focused()
        assert (view.explorer.file, view.explorer.selection) == ("", "")

    def test_the_table_lists_the_files_of_one_finding(self, look, troubled):
        page = look(troubled).page
        card = page.locator('.pqx-card[data-rule="small-row-groups"]')
        expect(card.get_by_role("list", name="Writers")).to_have_text(
            re.compile(r"^parquet-cpp-arrow \S+ 12 of 14 files$")
        )
        card.get_by_role("button", name="list 12 files").press("Enter")
        table = page.get_by_role("grid", name="files with the finding small-row-groups")
        expect(table).to_be_focused()
        expect(table).to_have_attribute("aria-rowcount", "13")
        card.get_by_role("button", name="list 12 files").press("Enter")
        expect(page.get_by_role("grid")).to_have_attribute("aria-label", "findings by file, the worst first")

    def test_what_the_files_show_together_leads_to_its_panel(self, look, troubled):
        view = look(troubled)
        view.page.get_by_role("button", name="see Schema drift").click()
        view.page.locator('.pqx-lake[data-shown="drift"]').wait_for()
        expect(view.page.locator(".pqx-answer")).to_contain_text("n has several definitions")

    def test_notes_are_folded(self, look, troubled):
        page = look(troubled).page
        note = page.locator('.pqx-card[data-rule="codecs-differ"]')
        expect(note).to_be_hidden()
        page.locator(".pqx-notes summary").press("Enter")
        expect(note).to_be_visible()

    def test_a_sound_lake_says_so_and_stops(self, look, sound):
        page = look(sound).page
        expect(page.locator(".pqx-headline")).to_have_text(
            re.compile("By the footers of 2 files, nothing to mend: 2 files with 18 rows")
        )
        expect(page.locator(".pqx-headline").get_by_role("img")).to_have_count(0)
        expect(page.locator(".pqx-diagnosis h4")).to_have_text("✓ Nothing to mend")
        expect(page.get_by_role("grid")).to_have_count(0)
