"""The lake explorer is one screen, in all sizes, light and dark, with ways through its panels and files."""

import re

import pytest
from browser import views
from browser.harness import JUPYTER_DARK, settle
from browser.looks import misplaced, violations
from browser.test_stage import WITHOUT_CUE, box, scrolls, seen
from playwright.sync_api import expect
from quick import quick

import pqexplore
from pqexplore.engine.errors import UsageError

SCREEN, NARROW = (1280, 780), (400, 800)
PART = "part-3.parquet"


def shown(view, panel):
    view.page.locator(f'.pqx-lake[data-shown="{panel}"]').wait_for()
    settle(view.page)


@pytest.mark.parametrize("look_of", [
    {"size": SCREEN},
    {"size": NARROW, "color_scheme": "dark", "css": JUPYTER_DARK},
    pytest.param({"size": NARROW}, marks=pytest.mark.full),
    pytest.param({"size": SCREEN, "color_scheme": "dark", "css": JUPYTER_DARK}, marks=pytest.mark.full),
])  # fmt: skip
def test_one_screen_begins_with_the_worst(look, troubled, look_of):
    page = look(troubled, **look_of).page
    headline = page.locator(".pqx-headline")
    expect(headline).to_have_text(re.compile(r"^✗.* and 4 more: files that cannot be read.* And \d more findings\.$"))
    # six are damaged, one needs a key, one is a link to nothing
    expect(page.locator(".pqx-identity")).to_contain_text("8 not read")
    expect(headline.get_by_role("img")).to_have_attribute("aria-label", "damage")
    expect(page.get_by_role("tab", selected=True)).to_have_text("To do")
    expect(page.get_by_role("tab").first).to_have_text("To do")
    # the sentence is not said twice
    expect(page.locator(".pqx-answer > p")).to_have_class("pqx-hidden")
    for name in ("damage", "To do"):
        expect(page.locator(".pqx-card").first).to_contain_text(name)
    link = page.locator('.pqx-card[data-rule="file-not-read"]')
    expect(link).to_contain_text("a symbolic link to nowhere.parquet")
    assert scrolls(page) == [[0, 0], [0, 0]]
    assert all(seen(page, part) for part in (".pqx-lake", ".pqx-headline", ".pqx-panel"))
    expect(page.locator(".pqx-panel")).to_have_attribute("data-more", re.compile("down"))
    assert page.evaluate(WITHOUT_CUE) == []
    assert misplaced(page) == []
    assert violations(page) == []


@pytest.mark.parametrize("size", quick([SCREEN, NARROW], NARROW))
def test_every_panel_fits(look, troubled, size):
    view = look(troubled, size=size)
    for i, tab in enumerate(view.page.get_by_role("tab").all()):
        tab.click()
        name = tab.get_attribute("data-panel")
        shown(view, name)
        assert misplaced(view.page) == [], name
        assert scrolls(view.page) == [[0, 0], [0, 0]], name
        assert view.page.evaluate(WITHOUT_CUE) == [], name
        # axe-core takes most of the time: each panel has it in one of the sizes
        if i % 2 == (size == NARROW):
            assert violations(view.page) == [], name


LAKE_VIEWS = {"lake": ("doctor", SCREEN, ""), "lake-overlap-narrow-dark": ("overlap", NARROW, "dark")}
"""The panel, the size, and whether it is dark."""


@pytest.mark.parametrize("name", LAKE_VIEWS)
def test_a_lake_looks_as_it_did(look, troubled, name):
    panel, size, scheme = LAKE_VIEWS[name]
    more = {"color_scheme": "dark"} if scheme else {}
    page = look(troubled, panel, size, css=views.PINNED + (JUPYTER_DARK if scheme else ""), **more).page
    views.pin_fonts(page)
    views.check(page, name)


def test_the_sentence_stays_and_leads_to_the_diagnosis(look, troubled):
    view = look(troubled, "drift")
    headline = view.page.locator(".pqx-headline")
    expect(headline).to_contain_text("files that cannot be read")
    expect(view.page.locator(".pqx-answer > p")).to_be_visible()
    headline.get_by_role("button").click()
    expect(view.page.get_by_role("tab", selected=True)).to_have_text("To do")
    assert view.explorer.panel == "today"


def test_the_first_screen_names_what_to_do_and_a_folder_opens_by_the_keyboard(look, troubled):
    view = look(troubled)
    page = view.page
    first = page.locator(".pqx-todo li").first
    expect(first).to_contain_text("A query that reads")
    folders = page.get_by_role("list", name="Folders, the largest first").get_by_role("button")
    before = folders.count()
    folders.first.press("Enter")
    page.locator('.pqx-lake[data-shown^="today {"]').wait_for()
    settle(page)
    expect(page.locator(".pqx-folders h4")).to_contain_text("In date=2026-11")
    page.get_by_role("button", name="all files again").press("Enter")
    shown(view, "today")
    assert folders.count() == before
    page.locator(".pqx-todo").get_by_role("button", name="see Diagnosis").first.press("Enter")
    shown(view, "doctor")


def test_the_height_handle_and_full_screen(look, lake):
    page = look(lake, size=(1280, 1000)).page
    before, handle = box(page, ".pqx"), page.locator(".pqx-divide-tall")
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


def test_the_file_and_the_way_back_fit_in_the_window(look, troubled):
    view = look(troubled, "doctor", size=SCREEN)
    card = view.page.locator('.pqx-card[data-rule="types-differ"]')
    card.get_by_role("list", name="Files").get_by_role("button").first.click()
    view.opened("schema")
    assert seen(view.page, ".pqx-back") and seen(view.page, ".pqx-of-lake .pqx-stage-room")
    expect(view.page.locator(".pqx-back code")).to_have_text(re.compile(r"^date=2026-11-\d\d/part"))


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
    assert "Show Overlap" in titles and "Show To do" not in titles
    page.keyboard.press("Escape")
    expect(page.get_by_role("tab", selected=True)).to_be_focused()
    find(page, "schema dr")
    page.keyboard.press("Enter")
    shown(view, "drift")
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
    view.opened("file")
    assert view.explorer.file == str(folder / PART)


@pytest.mark.full
def test_back_and_forward_lead_through_panels_filters_and_files(look, lake, folder):
    view = look(lake, "fleet")
    page = view.page
    back = page.locator(".pqx-lake").get_by_role("button", name="Back")
    expect(back).to_have_attribute("aria-disabled", "true")
    view.tab("Columns")
    expect(back).to_have_attribute("aria-disabled", "false")
    page.locator(".pqx-bars button").first.press("Enter")
    view.opened("row_groups/0/columns/1")
    # the file has no place before this one, so the key leads out of it
    for key, panel in (("Alt+ArrowLeft", "columns"), ("Alt+ArrowLeft", "fleet"), ("Alt+ArrowRight", "columns")):
        page.keyboard.press(key)
        shown(view, panel)
        assert view.explorer.file == ""
    page.keyboard.press("Alt+ArrowRight")
    view.opened("row_groups/0/columns/1")
    assert view.explorer.file == str(folder / "part-large.parquet")


@pytest.mark.full
def test_an_explorer_begins_where_it_is_told_to(look, lake, folder):
    view = look(lake, at=f"{PART}#row_groups/0/columns/1")
    view.opened("row_groups/0/columns/1")
    expect(view.page.locator(".pqx-back code")).to_have_text(PART)
    assert pqexplore.explore_lake(lake, at="drift").panel == "drift"
    assert pqexplore.explore_lake(lake, at=str(folder / PART)).file == str(folder / PART)
    with pytest.raises(UsageError, match="no panel and no file 'nowhere'; the panels are today"):
        pqexplore.explore_lake(lake, at="nowhere")
