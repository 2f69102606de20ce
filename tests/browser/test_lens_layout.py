"""The strips on the screen: their numbers, clicks and keys, and a hundred thousand pages."""

import numpy as np
import pyarrow as pa
import pytest
from browser.harness import digits
from playwright.sync_api import expect
from widget.samples import parquet


@pytest.fixture
def view(show, orders_bytes):
    layout_view = show(orders_bytes, view="layout")
    layout_view.page.locator(".pqx-layout[data-drawn]").wait_for()
    return layout_view


def strip(page, name):
    return page.locator(f'.pqx-layout-strip[data-strip="{name}"] .pqx-layout-tiles')


def marked(page, how):
    """The bytes that the hex view marks, as digits."""
    return " ".join(digits(page, how))


def test_strips_go_down_to_the_largest_page(view):
    names = view.page.locator(".pqx-layout-strip").evaluate_all("(all) => all.map((e) => e.dataset.strip)")
    assert names[:4] == ["file", "row_groups/0", "row_groups/0/columns/0", "row_groups/0/columns/0/pages/0"]
    expect(view.page.locator(".pqx-answer > p")).to_contain_text("2 row groups")


def test_the_four_bytes_of_the_magic_can_be_clicked(view):
    strip(view.page, "file").click(position={"x": 3, "y": 10})
    view.shown("magic")
    assert view.explorer.selection == "magic"
    assert marked(view.page, "selected") == "50 41 52 31"


def test_a_click_opens_a_tile_and_the_strips_follow(view):
    page = view.page
    chunks = strip(page, "row_groups/0")
    width = chunks.bounding_box()["width"]
    chunks.click(position={"x": width - 5, "y": 10})
    view.shown("row_groups/0/columns/4")
    expect(strip(page, "row_groups/0/columns/4")).to_be_visible()
    expect(page.locator(".pqx-answer > p")).to_contain_text("a dictionary page of")


def test_pointing_lights_the_bytes_and_says_what_they_are(view):
    page = view.page
    strip(page, "file").hover(position={"x": 3, "y": 10})
    expect(page.locator(".pqx-layout-note")).to_have_text("magic: 4 bytes from 0 on, 0.0 % of the file")
    assert marked(page, "hot") == "50 41 52 31"


def test_keys_walk_along_and_between_strips(view):
    page = view.page
    first = strip(page, "file")
    first.focus()
    first.press("Home")
    expect(first).to_have_attribute("aria-valuetext", "magic: 4 bytes from 0 on, 0.0 % of the file")
    first.press("ArrowRight")
    expect(page.locator(".pqx-layout-note")).to_contain_text("row group 0: ")
    first.press("ArrowDown")
    second = strip(page, "row_groups/0")
    expect(second).to_be_focused()
    second.press("ArrowRight")
    expect(second).to_have_attribute("aria-valuenow", "1")
    second.press("Enter")
    view.shown("row_groups/0/columns/1")
    expect(page.locator(".pqx-layout-tiles:focus")).to_have_count(1)


def test_the_table_has_the_parts_of_the_strip(show, orders_bytes):
    view = show(orders_bytes, at="row_groups/0", view="layout")
    grid = view.page.get_by_role("grid", name="The parts of row group 0")
    chunk = view.explorer.file.row_groups[0].columns[0].span
    expect(grid.get_by_role("row").nth(1)).to_contain_text(f"{len(chunk):,}")


@pytest.mark.parametrize("count", [10_000, pytest.param(100_000, marks=pytest.mark.full)])
def test_many_pages_are_drawn_in_a_frame(show, count):
    table = pa.table({"x": np.arange(16 * count)})
    data = parquet(
        table,
        data_page_size=100,
        write_batch_size=16,
        use_dictionary=False,
        row_group_size=2_000_000,
        write_page_index=True,
        compression="none",
    )
    view = show(data, at="row_groups/0/columns/0/pages/7", view="layout")
    page = view.page
    pages = strip(page, "row_groups/0/columns/0")
    assert int(pages.get_attribute("aria-valuemax")) >= count - 1
    page.wait_for_function("Number(document.querySelector('.pqx-layout').dataset.drawn) > 1")
    pages.hover(position={"x": 200, "y": 10})
    expect(page.locator(".pqx-layout-note")).to_contain_text("page ")
    took = float(page.locator(".pqx-layout").get_attribute("data-took"))
    assert took < 200  # 20 ms on a quiet machine; a test that measures that would fail beside others
    pages.click(position={"x": 200, "y": 10})
    page.wait_for_function("document.querySelector('.pqx').dataset.shown.includes('/pages/')")
