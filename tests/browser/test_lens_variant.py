"""A Variant in the page: rows by number and arrow, parts with links to bytes, steps with links to columns."""

import pytest
from browser.looks import in_looks, misplaced, violations
from browser.test_explorer import marked
from playwright.sync_api import expect

from pqexplore.engine.writer.samples import write_sample

VALUE = "row_groups/0/columns/1/pages/1/values/22"


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp("variants")

    def path(name):
        file = folder / f"{name}.parquet"
        if not file.exists():
            write_sample(name, file)
        return file

    return path


def at(view, row):
    view.page.locator(f'.pqx-variant-room[data-row="{row}"]').wait_for()


def test_the_parts_of_a_value_and_their_bytes(show, sample):
    view = show(sample("variant"), at=VALUE, view="variant")
    at(view, 22)
    expect(view.page.locator(".pqx-variant-json")).to_have_text(
        '{"name":"Ada","nested":{"deep":null},"tags":["x","y"]}'
    )
    parts = view.page.get_by_role("list", name="Parts of value")
    expect(parts.locator(".pqx-variant-part").nth(1)).to_contain_text("02")
    digits = parts.locator("[data-bits] code").all_inner_texts()
    assert "".join(digits[:5]) == f"{0x02:08b}"
    parts.get_by_text("name: string 'Ada'").click()
    view.shown(f"{VALUE}/values/0")
    assert marked(view) == ["0d", "41", "64", "61"]
    expect(view.page.locator(".pqx-variant-part[aria-current]")).to_contain_text("name: string 'Ada'")


def test_rows_by_arrow_and_by_number(show, sample):
    view = show(sample("variant"), at="schema/1", view="variant")
    at(view, 0)
    view.page.get_by_role("button", name="next row").click()
    at(view, 1)
    expect(view.page.locator(".pqx-variant-json")).to_have_text("false")
    number = view.page.get_by_role("spinbutton", name="Row of the row group")
    number.fill("23")
    number.press("Enter")
    at(view, 23)
    expect(view.page.locator(".pqx-variant-room")).to_contain_text("The row is null")
    number.fill("1000000")
    number.press("Enter")
    at(view, 23)
    view.page.get_by_role("button", name="row before").click()
    at(view, 22)


def test_a_shredded_row_is_put_together_from_its_columns(show, sample):
    view = show(sample("variant-shredded"), at="schema/1", view="variant")
    at(view, 0)
    view.page.get_by_role("spinbutton").fill("7")
    view.page.keyboard.press("Enter")
    at(view, 7)
    steps = view.page.locator(".pqx-variant-steps > li")
    assert steps.evaluate_all("(all) => all.map((e) => e.dataset.source)") == ["binary", "binary", "typed"]
    expect(steps.nth(1)).to_contain_text('"seven"')
    steps.last.locator("button").focus()
    view.page.keyboard.press("ArrowUp")
    view.page.keyboard.press("Enter")
    view.shown("row_groups/0/columns/2/pages/1/values/0")
    at(view, 7)


def test_the_table_says_how_well_shredding_fits(show, sample):
    view = show(sample("variant-shredded"), at="schema/1", view="variant")
    grid = view.page.get_by_role("grid", name="Where the values are")
    expect(grid.locator('[data-row="1"]')).to_contain_text("$.id")
    expect(grid.locator('[data-row="1"]')).to_contain_text("97.4 %")
    grid.locator('[data-row="1"] [data-column="0"]').click()
    view.shown("row_groups/0/columns/3")


@in_looks("narrow", full=("light", "dark", "forced-colours"))
@pytest.mark.parametrize("name", ["variant", "variant-shredded"])
def test_everyone_can_use_it(show, sample, name, look):
    view = show(sample(name), at="schema/1", view="variant", **look)
    assert misplaced(view.page) == []
    assert violations(view.page) == []
