"""The schema's tree on the screen."""

import pyarrow as pa
from browser.harness import settle
from playwright.sync_api import expect
from widget.samples import parquet

LONG = "a_name_that_is_too_long_for_the_room_that_the_table_has_for_it_"


def test_the_tree_shows_levels_types_and_rules(show, orders_bytes):
    page = show(orders_bytes, at="schema").page
    expect(page.get_by_role("tab", selected=True)).to_have_text("Schema")
    expect(page.locator(".pqx-answer > p")).to_have_text(
        "5 leaves, up to 3 levels deep (`tags.list.element`); Arrow's own description agrees with it."
    )
    grid = page.get_by_role("grid", name="Fields of the schema")
    cells = grid.get_by_role("row").nth(6).get_by_role("gridcell")
    expect(cells.nth(0)).to_contain_text("element")
    expect(cells.nth(1)).to_contain_text("D 3  R 1")
    expect(cells.nth(2)).to_have_text("STRING")
    expect(cells.nth(3)).to_have_text("BYTE_ARRAY")
    levels = page.locator("[data-levels]").evaluate_all("(all) => all.map((e) => e.dataset.levels)")
    assert levels == ["0", "1", "1", "1", "2", "3", "1", "1"]


def test_a_row_leads_to_its_field_and_its_bytes(show, orders_bytes):
    view = show(orders_bytes, at="schema")
    page = view.page
    row = page.get_by_role("grid", name="Fields of the schema").get_by_role("row").nth(3)
    row.hover()
    expect(page.locator(".pqx-line .pqx-hot").first).to_be_visible()
    row.get_by_role("gridcell").first.click()
    view.shown("schema/2")
    expect(page.locator(".pqx-answer > p")).to_contain_text("`city` is optional STRING")
    expect(page.locator(".pqx-row.pqx-chosen")).to_contain_text("city")


def test_keys_walk_on_from_field_to_field(show, orders_bytes):
    view = show(orders_bytes, at="schema")
    grid = view.page.get_by_role("grid", name="Fields of the schema")
    grid.press("ArrowDown")
    grid.press("Enter")
    view.shown("schema/1")
    expect(grid).to_be_focused()
    grid.press("ArrowDown")
    grid.press("Enter")
    view.shown("schema/2")


def test_names_and_heads_are_not_cut_to_the_same_prefix(show):
    table = pa.table({f"{LONG}{end}": [1] for end in ("width", "height")})
    page = show(parquet(table), at="schema", size=(1280, 780)).page
    settle(page)
    ends = page.get_by_role("grid").locator(".pqx-end")
    assert ends.all_inner_texts() == ["_it_width", "it_height"]
    cut = "(all) => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"
    assert ends.evaluate_all(cut) == []
    assert page.locator(".pqx-head .pqx-cell > *").evaluate_all(cut) == []
