"""The diagnosis of a lake: the worst first, its files, what to do, and files that cannot be read."""

import re

import pyarrow as pa
import pytest
from browser.harness import settle
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.writer.options import Encryption
from pqexplore.lake import scan
from pqexplore.lake.panels import doctor


def card_of(page, rule):
    return page.locator(f'.pqx-card[data-rule="{rule}"]')


def files_of(card):
    return card.get_by_role("list", name="Files").get_by_role("button")


def test_the_doctor_names_the_worst_first_and_opens_the_place(look, lake, folder):
    view = look(lake, "doctor")
    cards = view.page.locator(".pqx-card")
    rules = cards.evaluate_all("(all) => all.map((card) => card.dataset.rule)")
    assert rules[:2] == ["file-unreadable", "types-differ"]
    expect(cards.nth(1)).to_contain_text("`id` is INT64 in 10 files and INT32 in 1 file")
    assert files_of(cards.nth(1)).all_inner_texts() == ["part-large.parquet"]
    files_of(cards.nth(1)).click()
    view.opened("schema")
    assert view.explorer.file == str(folder / "part-large.parquet")


@pytest.mark.full
def test_the_doctor_waits_for_the_button_before_it_reads_many_files(look, troubled, monkeypatch):
    monkeypatch.setattr(doctor, "AT_ONCE", 11)
    page = look(scan(None, troubled.manifest.options["source"], processes=0)).page
    cards, headline = page.locator(".pqx-card"), page.locator(".pqx-headline")
    rules = "(all) => all.map((card) => card.dataset.rule)"
    expect(page.locator(".pqx-diagnosis > .pqx-bar")).to_contain_text("by the tables of the scan")
    expect(cards.first).to_contain_text("files that cannot be read")
    expect(headline).to_contain_text("And 4 more findings.")
    known = cards.evaluate_all(rules)
    page.get_by_role("button", name="diagnose 28 files").click()
    settle(page)
    expect(headline).to_contain_text("And 5 more findings.")
    found = cards.evaluate_all(rules)
    assert set(known) < set(found) and "small-row-groups" in found


def test_the_keyboard_alone_reaches_the_files_of_a_finding(look, troubled):
    view = look(troubled, "doctor")
    page = view.page
    link = files_of(card_of(page, "small-row-groups")).first
    name = link.inner_text()
    page.get_by_role("tab", selected=True).focus()
    for _ in range(30):
        page.keyboard.press("Tab")
        if link.evaluate("(e) => e.matches(':focus')"):
            break
    page.keyboard.press("Enter")
    view.opened("row_groups/0")
    assert view.explorer.file.endswith(name)
    page.keyboard.press("Enter")  # the way back has the focus
    expect(link).to_be_focused()
    assert (view.explorer.file, view.explorer.selection) == ("", "")


def test_a_finding_lists_its_files_notes_are_folded_and_what_files_show_together_has_its_panel(look, troubled):
    page = look(troubled, "doctor").page
    card, note = card_of(page, "small-row-groups"), card_of(page, "codecs-differ")
    writers = card.get_by_role("list", name="Writers")
    expect(writers).to_have_text(re.compile(r"^parquet-cpp-arrow \S+ 12 of 14 files$"))
    card.get_by_role("button", name="list 12 files").press("Enter")
    table = page.get_by_role("grid", name="files with the finding small-row-groups")
    expect(table).to_be_focused()
    expect(table).to_have_attribute("aria-rowcount", "13")
    card.get_by_role("button", name="list 12 files").press("Enter")
    expect(page.get_by_role("grid")).to_have_attribute("aria-label", "findings by file, the worst first")
    expect(note).to_be_hidden()
    page.locator(".pqx-notes summary").press("Enter")
    expect(note).to_be_visible()
    page.get_by_role("button", name="see Schema drift").click()
    page.locator('.pqx-lake[data-shown="drift"]').wait_for()
    expect(page.locator(".pqx-answer")).to_contain_text("n has several definitions")


def test_a_sound_lake_says_so_and_stops(look, sound):
    page = look(sound, "doctor").page
    headline = page.locator(".pqx-headline")
    expect(headline).to_have_text(re.compile(r"No problems found \(footers of 2 files\): 2 files with 18 rows"))
    expect(headline.get_by_role("img")).to_have_count(0)
    expect(page.locator(".pqx-diagnosis h4")).to_have_text("✓ No problems found")
    expect(page.get_by_role("grid")).to_have_count(0)


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    """Two files with an encrypted footer."""
    root = tmp_path_factory.mktemp("locked")
    for n in range(2):
        options = pqexplore.WriteOptions(encryption=Encryption(b"k" * 16))
        pqexplore.write(pa.table({"id": range(n, n + 9)}), root / f"part-{n}.parquet", options)
    return scan(None, str(root), out=tmp_path_factory.mktemp("locked-tables"), processes=0)


def test_a_lake_that_needs_a_key_is_not_called_sound(look, locked):
    view = look(locked, "doctor", size=(1280, 780))
    page = view.page
    expect(page.locator(".pqx-headline")).to_contain_text("Not one of 2 files can be read without a key")
    expect(page.locator(".pqx-diagnosis h4")).to_have_text("No file can be read without a key")
    expect(card_of(page, "file-needs-key")).to_be_visible()  # the note is all that is known, so it is open
    view.tab("Files")
    expect(page.locator(".pqx-answer")).to_contain_text("not one of them could be read")
    expect(page.locator(".pqx-picture")).to_contain_text("✗: files whose rows are not known")
    page.get_by_label("status").select_option("vanished")
    expect(page.locator(".pqx-empty")).to_have_text("No file passes the filters.")
    expect(page.locator(".pqx-fleet")).to_have_count(0)
