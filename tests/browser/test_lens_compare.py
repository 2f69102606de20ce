"""The bars of a column across row groups, on the screen."""

from playwright.sync_api import expect


def drawn(show, data, at):
    view = show(data, at=at, view="compare")
    view.page.locator(".pqx-plot[data-drawn=true]").wait_for()
    return view


def test_bars_are_as_high_as_their_numbers(show, orders_bytes):
    view = drawn(show, orders_bytes, "schema/1")
    heights = view.page.evaluate(
        """() => [...document.querySelectorAll('.pqx-plot .trace.bars')].map((t) =>
             [...t.querySelectorAll('.point path')].map((p) => p.getBoundingClientRect().height))"""
    )
    sizes = [len(group.columns[0].span) for group in view.explorer.file.row_groups]
    first, second = heights[1]
    assert abs(first / second - sizes[0] / sizes[1]) < 0.05


def test_a_bar_leads_to_its_chunk_by_click_and_by_key(show, orders_bytes):
    view = drawn(show, orders_bytes, "schema/1")
    page = view.page
    chart = page.get_by_role("group", name="Bytes, ratio and range")
    chart.focus()
    chart.press("End")
    expect(page.locator(".pqx-plot-note")).to_contain_text("row group 1, ")
    expect(page.locator(".pqx-plot-at")).not_to_have_count(0)
    expect(page.locator(".pqx-line .pqx-hot").first).to_be_visible()
    chart.press("Enter")
    view.shown("row_groups/1/columns/0")


def test_the_table_has_one_row_for_each_row_group(show, orders_bytes):
    view = drawn(show, orders_bytes, "row_groups/0/columns/1")
    grid = view.page.get_by_role("grid", name="city, a row a row group")
    expect(grid.get_by_role("row")).to_have_count(3)
    grid.get_by_role("row").nth(2).get_by_role("gridcell").first.click()
    view.shown("row_groups/1/columns/1")
