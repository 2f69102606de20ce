"""The schema's tree on the screen."""

from playwright.sync_api import expect


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
