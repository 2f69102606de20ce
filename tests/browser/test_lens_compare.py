"""The bars of a column across row groups, on the screen."""

from browser.boards import hot, says, selected, stage
from playwright.sync_api import expect

BLUE = [0, 114, 178, 255]


def drawn(show, data, at):
    view = show(data, at=at, view="compare")
    stage(view)
    return view


HEIGHTS = """(canvas, blue) => {
  const context = canvas.getContext('2d');
  const isBlue = (x, y) => context.getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1)
    .data.every((part, i) => part === blue[i]);
  const heights = [];
  for (let x = 60; x < 260; x += 4)
    if (isBlue(x, 63)) heights.push([...Array(48).keys()].filter((y) => isBlue(x, 16 + y)).length);
  return heights; }"""
"""The heights of the blue bars of bytes, in CSS pixels; the panel reaches from 16 to 64."""


def test_bars_are_as_high_as_their_numbers(show, orders_bytes):
    view = drawn(show, orders_bytes, "schema/1")
    bars = stage(view).locator("canvas").first.evaluate(HEIGHTS, BLUE)
    chunks = [group.columns[0].metadata for group in view.explorer.file.row_groups]
    most = max(one.total_uncompressed_size for one in chunks)
    for one in chunks:
        expected = one.total_compressed_size / most * 48
        assert any(abs(height - expected) <= 1 for height in bars), (expected, bars)


def test_a_bar_leads_to_its_chunk_by_click_and_by_key(show, orders_bytes):
    view = drawn(show, orders_bytes, "schema/1")
    chart = view.page.get_by_role("slider", name="Bytes, ratio and range of the column in each of 2")
    expect(chart).to_be_visible()
    assert says(view, "End").startswith("row group 1, ")
    expect(view.page.locator(".pqx-line .pqx-hot").first).to_be_visible()
    assert hot(view)
    view.page.keyboard.press("Enter")
    selected(view, "row_groups/1/columns/0")


def test_the_table_has_one_row_for_each_row_group(show, orders_bytes):
    view = drawn(show, orders_bytes, "row_groups/0/columns/1")
    grid = view.page.get_by_role("grid", name="city in each row group")
    expect(grid.get_by_role("row")).to_have_count(3)
    grid.get_by_role("row").nth(2).get_by_role("gridcell").first.click()
    view.shown("row_groups/1/columns/1")


DRAWN_AT = """(canvas, y) => {
  const row = canvas.getContext('2d').getImageData(0, y * devicePixelRatio, canvas.width, 1).data;
  return row.some((part, i) => i % 4 === 3 && part > 0); }"""
"""Whether anything is drawn on a line of pixels."""


def test_the_frame_of_the_chosen_row_group_does_not_cross_the_titles(show, orders_bytes):
    view = drawn(show, orders_bytes, "row_groups/0/columns/0")
    frame = stage(view).locator("canvas").last
    lines = {y: frame.evaluate(DRAWN_AT, y) for y in (40, 80, 100, 136)}
    assert lines == {40: True, 80: False, 100: True, 136: False}  # titles at 80 and 136
