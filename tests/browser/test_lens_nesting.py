"""The stepper in the page: the ladder, the entries and the row go together, by click, key and time."""

import pathlib

import pytest
from browser.harness import settle
from browser.looks import in_looks, misplaced, violations
from browser.test_explorer import marked
from playwright.sync_api import expect

from pqexplore.engine.writer.samples import write_sample

PAGE = "row_groups/0/columns/0/pages/0"


@pytest.fixture(scope="module")
def nested(tmp_path_factory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("nested") / "nested.parquet"
    write_sample("nested", path)
    return path


def rungs(view):
    """The state of each field of the path."""
    settle(view.page)
    return view.page.locator(".pqx-nest-rung").evaluate_all("(all) => all.map((e) => e.dataset.state)")


def row(view):
    """The lines of the row, and those that are new."""
    settle(view.page)
    lines = view.page.locator(".pqx-nest-line").evaluate_all(
        "(all) => all.map((e) => [e.lastChild.textContent, e.classList.contains('pqx-nest-new')])"
    )
    return [text for text, _ in lines], [text for text, new in lines if new]


def at(view, entry):
    view.page.locator(f'.pqx-nest[data-entry="{entry}"]').wait_for()
    view.page.wait_for_function(
        "(n) => document.querySelector('.pqx-nest-three .pqx-chosen')?.dataset.row === String(n)", arg=entry
    )


def test_a_step_walks_the_schema_and_adds_to_the_row(show, nested):
    view = show(nested, at=PAGE, view="nesting")
    at(view, 0)
    view.page.wait_for_function("document.querySelector('[data-state=there]')")
    assert rungs(view) == ["there"] * 5
    assert row(view) == (["lists: [", "[", "1", "]", "]"], ["lists: [", "[", "1"])
    view.page.get_by_role("button", name="next entry").click()
    at(view, 1)
    assert rungs(view) == ["there", "there", "there", "goes-on", "there"]
    assert row(view)[1] == ["2"]
    expect(view.page.locator(".pqx-nest-sentence")).to_contain_text(
        "Repetition 2 of 2: lists.list.element goes on with a further element"
    )


def test_the_keyboard_steps_to_the_ends(show, nested):
    view = show(nested, at=PAGE, view="nesting")
    at(view, 0)
    slider = view.page.get_by_role("slider", name="Entry of the page")
    slider.focus()
    for key, entry in (("ArrowRight", 1), ("End", 9), ("ArrowLeft", 8), ("Home", 0)):
        view.page.keyboard.press(key)
        at(view, entry)
    view.page.keyboard.press("End")
    at(view, 9)
    assert row(view)[0] == ["lists: [", "[", "5", "]", "]"]


def test_the_row_buttons_go_to_the_next_and_previous_row(show, nested):
    view = show(nested, at=PAGE, view="nesting")
    view.page.wait_for_function("document.querySelector('[data-state=there]')")
    for entry, states in (
        (3, ["there", "there", "there", "empty", "beyond"]),
        (7, ["there", "empty", "beyond", "beyond", "beyond"]),
        (8, ["null", "beyond", "beyond", "beyond", "beyond"]),
    ):
        view.page.get_by_role("button", name="next row").click()
        at(view, entry)
        assert rungs(view) == states
    assert row(view) == (["lists: null"], ["lists: null"])
    view.page.get_by_role("button", name="row before").click()
    at(view, 7)


def test_an_entry_is_chosen_in_the_list(show, nested):
    view = show(nested, at=PAGE, view="nesting")
    grid = view.page.get_by_role("grid", name="Entries of")
    grid.locator('[data-row="5"] [data-column="0"]').click()
    at(view, 5)
    assert row(view)[1] == ["[", "null"]


def test_it_plays_to_the_end(show, nested):
    view = show(nested, at=PAGE, view="nesting", reduced_motion="reduce")
    view.page.get_by_role("button", name="last entry").click()
    at(view, 9)
    for entry in (8, 7, 6):
        view.page.get_by_role("button", name="entry before").click()
        at(view, entry)
    view.page.get_by_role("button", name="play").click()
    expect(view.page.get_by_role("button", name="pause")).to_be_visible()
    at(view, 9)
    expect(view.page.get_by_role("button", name="play")).to_be_visible(timeout=4000)


def test_selecting_a_level_shows_its_entry(show, nested):
    view = show(nested, at=PAGE, view="nesting")
    view.go(f"{PAGE}/definition_levels/4")
    at(view, 4)
    view.go(f"{PAGE}/values/4")
    at(view, 9)


def test_an_entry_links_to_the_bytes_of_its_levels_and_value(show, nested):
    view = show(nested, at=PAGE, view="nesting")
    view.page.get_by_role("button", name="last entry").click()
    at(view, 9)
    for name, address in (
        ("repetition level", f"{PAGE}/repetition_levels/9"),
        ("definition level", f"{PAGE}/definition_levels/9"),
        ("value", f"{PAGE}/values/4"),
    ):
        view.page.locator(".pqx-nest-bytes").get_by_role("button", name=name).click()
        view.shown(address)
        at(view, 9)
        assert marked(view) == [f"{b:02x}" for b in view.explorer.file.bytes(view.explorer.file.node(address).span)]
    view.page.get_by_role("button", name="entry before").click()
    at(view, 8)
    expect(view.page.locator(".pqx-nest-bytes")).not_to_contain_text("value")


def test_a_field_of_the_path_and_a_line_of_the_histogram_are_links(show, nested):
    view = show(nested, at=PAGE, view="nesting")
    table = view.page.get_by_role("grid", name="How often each level occurs")
    expect(table.locator('[data-row="8"]')).to_contain_text("lists.list.element.list.element has a value")
    expect(table.locator('[data-row="8"]')).to_contain_text("50.0 %")
    table.locator('[data-row="8"] [data-column="0"]').click()
    view.shown(f"{PAGE}/definition_levels")
    ladder = view.page.locator(".pqx-nest-ladder")
    ladder.get_by_role("button").first.focus()
    view.page.keyboard.press("ArrowDown")
    view.page.keyboard.press("Enter")
    view.shown("schema/2")


@in_looks("narrow", full=("light", "dark", "forced-colours"))
def test_everyone_can_use_it(show, nested, look):
    view = show(nested, at=f"{PAGE}/definition_levels/5", view="nesting", **look)
    at(view, 5)
    assert misplaced(view.page) == []
    assert violations(view.page) == []
