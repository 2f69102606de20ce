"""What a query reads of all files; the files that are opened show the same condition."""

import re

from browser.harness import settle
from browser.lakes.panels import panel
from playwright.sync_api import expect


class TestQuery:
    """What a query reads of all files; the files that are opened show the same condition."""

    def ask(self, view, where):
        box = view.page.get_by_label("Condition in SQL")
        box.fill(where)
        box.press("Enter")
        settle(view.page)

    def test_a_condition_shows_which_files_are_read(self, look, lake):
        view = look(lake)
        panel(view, "query", "Ask")
        self.ask(view, "id >= 9000 AND city = 'Oslo'")
        assert (view.explorer.where, view.explorer.engine) == ("id >= 9000 AND city = 'Oslo'", "format")
        stages = view.page.get_by_label("What each kind of evidence leaves")
        expect(stages.locator("li").first).to_contain_text("file")
        kept = view.page.locator('.pqx-query-file[data-kept="true"]')
        expect(kept.first).to_have_attribute("title", re.compile("part-9.parquet"))
        skipped = view.page.locator('.pqx-query-file[data-kept="false"]')
        assert skipped.count() >= 8
        assert "skipped" in skipped.first.get_attribute("title")
        unreadable = view.page.locator('.pqx-query-file[data-kept="unreadable"]')
        expect(unreadable).to_have_count(1)
        words = re.compile("broken.parquet: not skipped: the file cannot be read: the footer")
        expect(unreadable).to_have_attribute("title", words)
        legend = view.page.get_by_label("Legend").locator("li")
        assert legend.all_inner_texts() == ["read", "not skipped: the file cannot be read", "skipped by bounds"]

    def test_a_file_opens_with_the_same_condition(self, look, lake, folder):
        view = look(lake)
        panel(view, "query", "Ask")
        self.ask(view, "id >= 9400")
        view.page.locator('.pqx-query-file[title*="part-9.parquet"]').click()
        view.page.locator('.pqx[data-shown="file"] .pqx-query[data-asked="id >= 9400"]').wait_for()
        assert view.explorer.file == str(folder / "part-9.parquet")
        expect(view.page.locator(".pqx-of-lake .pqx-answer > p")).to_contain_text("reads 2 of 2 row groups")

    def test_a_wrong_condition_keeps_its_field(self, look, lake):
        view = look(lake)
        panel(view, "query", "Ask")
        self.ask(view, "id >")
        expect(view.page.locator(".pqx-typed-trouble")).to_contain_text("is not a condition")
        expect(view.page.locator(".pqx-answer")).to_be_hidden()
        self.ask(view, "id > 5")
        expect(view.page.locator(".pqx-typed-trouble")).to_have_count(0)
        expect(view.page.locator(".pqx-answer")).to_be_visible()
        self.ask(view, "id >")
        panel(view, "columns", "Columns")
        view.page.get_by_role("tab", name="Ask").click()
        settle(view.page)
        expect(view.page.get_by_label("Condition in SQL")).to_have_value("id >")
        expect(view.page.locator(".pqx-typed-trouble")).to_contain_text("is not a condition")
        view.page.get_by_role("button", name="clear").click()
        expect(view.page.locator(".pqx-answer > p")).to_contain_text("Type a condition")
        assert view.explorer.where == ""
