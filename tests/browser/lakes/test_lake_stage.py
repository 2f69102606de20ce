"""The lake explorer is one screen, in all sizes, light and dark."""

import re

import pytest
from browser.harness import JUPYTER_DARK, settle
from browser.looks import misplaced, violations
from browser.test_stage import WITHOUT_CUE, box, scrolls, seen
from playwright.sync_api import expect

SCREEN, NARROW = (1280, 780), (400, 800)


class TestStage:
    """The lake explorer is one screen: name, sentence and questions stay; the answer scrolls."""

    @pytest.mark.parametrize(
        "look_of",
        [
            {"size": SCREEN},
            {"size": NARROW, "color_scheme": "dark", "css": JUPYTER_DARK},
            pytest.param({"size": NARROW}, marks=pytest.mark.full),
            pytest.param({"size": SCREEN, "color_scheme": "dark", "css": JUPYTER_DARK}, marks=pytest.mark.full),
        ],
    )
    def test_one_screen_begins_with_the_worst(self, look, troubled, look_of):
        page = look(troubled, **look_of).page
        headline = page.locator(".pqx-headline")
        expect(headline).to_have_text(
            re.compile(r"^✗Files that cannot be read: 5 of 28 files.* And 5 more findings\.$")
        )
        # six are damaged, one needs a key, one is a link to nothing
        expect(page.locator(".pqx-identity")).to_contain_text("8 not read")
        expect(headline.get_by_role("img")).to_have_attribute("aria-label", "damage")
        expect(page.get_by_role("tab", selected=True)).to_have_text("Diagnosis")
        expect(page.get_by_role("tab").first).to_have_text("Diagnosis")
        # the sentence is not said twice
        expect(page.locator(".pqx-answer > p")).to_have_class("pqx-hidden")
        for name in ("damage", "To do"):
            expect(page.locator(".pqx-card").first).to_contain_text(name)
        # files go by their path from the folder of all, also the target of a link
        link = page.locator('.pqx-card[data-rule="file-not-read"]')
        expect(link).to_contain_text("a symbolic link to date=2026-11-04/nowhere.parquet")
        settle(page)
        assert scrolls(page) == [[0, 0], [0, 0]]
        assert seen(page, ".pqx-lake") and seen(page, ".pqx-headline")
        assert seen(page, ".pqx-panel")
        expect(page.locator(".pqx-panel")).to_have_attribute("data-more", re.compile("down"))
        assert page.evaluate(WITHOUT_CUE) == []
        assert misplaced(page) == []
        assert violations(page) == []

    @pytest.mark.parametrize("size", [SCREEN, NARROW])
    def test_every_panel_fits(self, look, troubled, size):
        view = look(troubled, size=size)
        for tab in view.page.get_by_role("tab").all():
            tab.click()
            name = tab.get_attribute("data-panel")
            view.page.locator(f'.pqx-lake[data-shown="{name}"]').wait_for()
            assert misplaced(view.page) == [], name
            assert scrolls(view.page) == [[0, 0], [0, 0]], name
            assert view.page.evaluate(WITHOUT_CUE) == [], name
            assert violations(view.page) == [], name

    def test_the_sentence_stays_and_leads_to_the_diagnosis(self, look, troubled):
        view = look(troubled, "drift")
        headline = view.page.locator(".pqx-headline")
        expect(headline).to_contain_text("Files that cannot be read: 5 of 28 files")
        expect(view.page.locator(".pqx-answer > p")).to_be_visible()
        headline.get_by_role("button").click()
        expect(view.page.get_by_role("tab", selected=True)).to_have_text("Diagnosis")
        assert view.explorer.panel == "doctor"

    def test_the_height_handle_and_full_screen(self, look, lake):
        page = look(lake, size=(1280, 1000)).page
        before = box(page, ".pqx")
        handle = page.locator(".pqx-divide-tall")
        handle.press("ArrowUp")
        assert box(page, ".pqx")[3] == before[3] - 16
        handle.press("Home")
        assert box(page, ".pqx") == before
        page.get_by_role("button", name="Full screen", exact=True).press("Enter")
        page.get_by_role("button", name="Leave full screen").wait_for()
        settle(page)
        assert list(box(page, ".pqx")) == page.evaluate("[0, 0, innerWidth, innerHeight]")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Full screen", exact=True).wait_for()
        settle(page)
        assert box(page, ".pqx") == before

    def test_the_file_and_the_way_back_fit_in_the_window(self, look, troubled):
        view = look(troubled, size=SCREEN)
        card = view.page.locator('.pqx-card[data-rule="types-differ"]')
        card.get_by_role("list", name="Files").get_by_role("button").first.click()
        view.page.locator(".pqx-of-lake .pqx[data-shown=schema]").wait_for()
        settle(view.page)
        assert seen(view.page, ".pqx-back") and seen(view.page, ".pqx-of-lake .pqx-stage-room")
        expect(view.page.locator(".pqx-back code")).to_have_text(re.compile(r"^date=2026-11-\d\d/part"))
