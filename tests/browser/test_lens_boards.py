"""Lenses whose picture is a board of marks: statistics, page index, Bloom filter, map, across row groups, overview."""

import io
import re
import struct

import numpy as np
import pyarrow as pa
import pytest
from browser.boards import hot, marks, pixel, says, selected, stage
from browser.harness import choose_lens, resize
from playwright.sync_api import expect

import pqexplore
from pqexplore.insight.lenses import LENSES, answer_of, finish

BLUE = [0, 114, 178, 255]


def written(table, **options):
    out = io.BytesIO()
    pqexplore.write(table, out, pqexplore.WriteOptions(**options))
    return out.getvalue()


def bytes_at(view, address, size=16):
    """The first bytes of a node, as digits."""
    file = view.explorer.file
    return file.bytes(file.node(address).span)[:size].hex()


# --- statistics


@pytest.fixture(scope="module")
def ranges() -> bytes:
    """Three row groups of two values: 0 … 50, 50 … 100, and nulls."""
    return written(pa.table({"n": [0, 50, 50, 100, None, None]}), row_group_rows=2, codec="UNCOMPRESSED")


def test_the_bars_of_ranges_lie_on_their_axis_and_can_be_clicked(show, ranges):
    view = show(ranges, at="schema/1", view="statistics")
    expect(view.page.locator(".pqx-ranges")).to_have_attribute("data-verdict", "sorted")
    # the bar of row group 0 begins after its name and ends in the middle of the axis
    axis = 100, stage(view).bounding_box()["width"] - 12
    middle = sum(axis) / 2
    assert pixel(view, axis[0] + 8, 8) == BLUE and pixel(view, middle - 8, 8) == BLUE
    assert pixel(view, middle + 8, 8) != BLUE
    assert pixel(view, middle + 8, 2 * 18 + 8) == BLUE
    stage(view).click(position={"x": 200, "y": 2 * 18 + 8})
    selected(view, "row_groups/1/columns/0")
    stage(view).click(position={"x": 200, "y": 18 + 8})
    selected(view, "row_groups/1/columns/0/metadata/meta_data/statistics")


def test_ranges_by_keyboard(show, ranges):
    view = show(ranges, at="schema/1", view="statistics", opens=("bytes",))
    assert marks(view) == 6
    assert says(view, "Home") == "row group 0: 0 … 50"
    assert says(view, "End").endswith("nulls only")
    assert says(view, "Home", "ArrowDown", "ArrowDown") == "row group 1: 50 … 100"
    assert hot(view).startswith(bytes_at(view, "row_groups/1/columns/0"))
    view.page.keyboard.press("Enter")
    selected(view, "row_groups/1/columns/0")


# --- page index

TEN_PAGES = "row_groups/0/columns/3"
"""Of the sample `page-index`: ten pages of 100 rows; page 3 has nulls only and is small."""


def test_a_page_is_chosen_by_its_rows_and_by_its_bytes(show, sample):
    view = show(sample("page-index"), at=TEN_PAGES, view="page_index", opens=("bytes",))
    axis = stage(view).bounding_box()["width"] - 104 - 10
    rows, data = 8 + 130 + 10 + 9, 8 + 130 + 10 + 18 + 34 + 9
    # half of the rows are before page 5; half of the bytes are in it, because page 3 is small
    stage(view).hover(position={"x": 104 + 0.52 * axis, "y": rows})
    expect(stage(view)).to_have_attribute("aria-valuenow", "5")
    stage(view).hover(position={"x": 104 + 0.47 * axis, "y": data})
    expect(stage(view)).to_have_attribute("aria-valuenow", "5")
    assert hot(view).startswith(bytes_at(view, f"{TEN_PAGES}/pages/5"))
    stage(view).click(position={"x": 104 + 0.52 * axis, "y": rows})
    selected(view, f"{TEN_PAGES}/pages/5")


def test_pages_by_keyboard(show, sample):
    view = show(sample("page-index"), at=TEN_PAGES, view="page_index")
    assert marks(view) == 10
    text = "page 4, 400 … 499, rows 400 to 499, 451 bytes at 14,922"
    assert says(view, "Home", *["ArrowRight"] * 4) == text
    assert says(view, "ArrowLeft") == "page 3, nulls only, rows 300 to 399, 36 bytes at 14,886, 100 nulls"
    view.page.keyboard.press("Enter")
    selected(view, f"{TEN_PAGES}/pages/3")


@pytest.mark.full
def test_the_marks_of_a_thousand_pages_come_when_they_are_pointed_at(show):
    many = written(pa.table({"n": np.arange(2_000)}), page_rows=2, encoding="PLAIN", codec="UNCOMPRESSED")
    view = show(many, at="row_groups/0/columns/0", view="page_index")
    assert marks(view) == 1_000
    says(view, "End")
    text = re.compile(r"^page 999, 1998 … 1999, rows 1,998 to 1,999, ")
    expect(stage(view)).to_have_attribute("aria-valuetext", text)
    choose_lens(view.page, "Statistics")
    view.page.locator(".pqx-ranges .pqx-board-stage[data-drawn]").wait_for()
    assert marks(view) == 1_001
    assert says(view, "End") == "page 999: 1998 … 1999"


# --- Bloom filter

FILTER = "row_groups/0/columns/0/bloom_filter"


def test_a_typed_value_shows_its_hash_its_block_and_its_bits(show, sample):
    view = show(sample("bloom-filter"), at=FILTER, opens=("bytes",))
    page = view.page

    def ask(value):
        page.get_by_label("Is this value there?").fill(value)
        page.keyboard.press("Enter")

    ask("nothing here")
    verdict = page.locator(".pqx-bloom-verdict")
    expect(verdict).to_contain_text("nothing here is certainly not there")
    expect(verdict).to_contain_text("9adbbe68 eed11347")
    expect(verdict).to_have_attribute("data-hit", "false")
    bits = verdict.get_by_role("button").all_inner_texts()
    assert len(bits) == 8 and sum("✗" in bit for bit in bits) == 2
    expect(page.locator(".pqx-bloom-block")).to_have_attribute("data-block", "77")
    # the byte of the bit under the pointer is highlighted
    verdict.get_by_role("button").first.hover()
    assert hot(view) == bytes_at(view, f"{FILTER}/bitset/77")[21 // 8 * 2 :][:2]
    ask("right 25")
    expect(verdict).to_contain_text("right 25 may be there")


def test_blocks_and_bits_by_keyboard(show, sample):
    view = show(sample("bloom-filter"), at=FILTER, opens=("bytes",))
    assert marks(view) == 128
    assert says(view, "End").startswith("block 127: ")
    assert says(view, "Home") == "block 0: 57 of 256 bits set, 22 %"
    says(view, "ArrowRight", "ArrowRight", "Enter")
    selected(view, f"{FILTER}/bitset/2")
    expect(view.page.locator(".pqx-bloom-block")).to_have_attribute("data-block", "2")
    expect(stage(view)).to_have_attribute("data-marks", "256")
    byte = bytes_at(view, f"{FILTER}/bitset/2")[8:10]
    is_set = "set" if int(byte, 16) & 1 else "not set"
    assert says(view, "Home", "ArrowDown").startswith(f"word 1, bit 0: {is_set}; byte ")
    assert hot(view) == byte


# --- map


@pytest.fixture(scope="module")
def places() -> bytes:
    """Three row groups with two points each, far from each other."""
    corners = [(0, 0), (10, 10), (50, 40), (60, 50), (-120, -30), (-100, -20)]
    points = pa.table({"where": pa.array([struct.pack("<BIdd", 1, 1, *one) for one in corners], pa.binary())})
    return written(points, row_group_rows=2, encoding="PLAIN", columns={"where": {"logical_type": "GEOMETRY"}})


@pytest.mark.full
def test_the_pointer_names_the_box_under_it_and_a_value_has_its_bytes(show, places):
    view = show(places, at="row_groups/0/columns/0", view="geospatial", opens=("bytes",))
    assert says(view).startswith("row group 0")
    box, names = stage(view).bounding_box(), set()
    for step in range(1, 40, 2):
        stage(view).hover(position={"x": box["width"] * step / 40, "y": box["height"] * 0.19})
        names.add(stage(view).get_attribute("aria-valuetext").split(":")[0])
    assert "row group 1" in names
    data = next(page for page in view.explorer.file.row_groups[1].columns[0].pages if page.is_data)
    view.go(f"{data.address}/values/0")
    assert says(view, "Home") == "point at (50 40)"
    row = view.page.get_by_role("grid", name="The value's bytes").get_by_role("row").nth(3)
    expect(row).to_contain_text("XY: (50 40)")
    row.hover()
    assert bytes.fromhex(hot(view)) == struct.pack("<dd", 50, 40)


def test_boxes_by_keyboard(show, places):
    view = show(places, at="schema/1", view="geospatial")
    assert marks(view) == 3
    assert says(view, "Home") == "row group 0: x 0 to 10, y 0 to 10"
    assert says(view, "End") == "row group 2: x -120 to -100, y -30 to -20"
    view.page.keyboard.press("Enter")
    selected(view, "row_groups/2/columns/0")


# --- across row groups

HEIGHTS = """(canvas, blue) => {
  const context = canvas.getContext('2d');
  const isBlue = (x, y) => context.getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1)
    .data.every((part, i) => part === blue[i]);
  const heights = [];
  for (let x = 60; x < 260; x += 4)
    if (isBlue(x, 63)) heights.push([...Array(48).keys()].filter((y) => isBlue(x, 16 + y)).length);
  return heights; }"""
"""The heights of the blue bars of bytes, in CSS pixels; the panel reaches from 16 to 64."""

DRAWN_AT = """(canvas, y) => {
  const row = canvas.getContext('2d').getImageData(0, y * devicePixelRatio, canvas.width, 1).data;
  return row.some((part, i) => i % 4 === 3 && part > 0); }"""
"""Whether anything is drawn on a line of pixels."""


def test_bars_are_as_high_as_their_numbers_and_a_row_of_the_table_leads_to_its_chunk(show, orders_bytes):
    view = show(orders_bytes, at="row_groups/0/columns/0", view="compare")
    bars, frame = (stage(view).locator("canvas").nth(i) for i in (0, -1))
    heights = bars.evaluate(HEIGHTS, BLUE)
    chunks = [group.columns[0].metadata for group in view.explorer.file.row_groups]
    most = max(one.total_uncompressed_size for one in chunks)
    for one in chunks:
        expected = one.total_compressed_size / most * 48
        assert any(abs(height - expected) <= 1 for height in heights), (expected, heights)
    # the frame of the chosen row group does not cross the titles at 80 and 136
    assert {y: frame.evaluate(DRAWN_AT, y) for y in (40, 80, 100, 136)} == {40: True, 80: False, 100: True, 136: False}
    rows = view.page.get_by_role("grid", name="id in each row group").get_by_role("row")
    expect(rows).to_have_count(3)
    rows.nth(2).get_by_role("gridcell").first.click()
    selected(view, "row_groups/1/columns/0")


def test_bars_by_keyboard(show, orders_bytes):
    view = show(orders_bytes, at="schema/1", view="compare", opens=("bytes",))
    expect(view.page.get_by_role("slider", name="Bytes, ratio and range of the column in each of 2")).to_be_visible()
    assert says(view, "End").startswith("row group 1, ")
    assert hot(view)
    view.page.keyboard.press("Enter")
    selected(view, "row_groups/1/columns/0")


# --- overview

COLOURS = {"data pages": [0, 114, 178], "footer": [240, 228, 66], "dictionary": [230, 159, 0]}


def test_the_icicle_draws_its_tiles_in_their_colours_and_follows_the_width(orders_view):
    file, page = orders_view.explorer.file, orders_view.page
    tiles = finish(answer_of(file, file.root, LENSES["overview"])).picture.tiles
    wide = stage(orders_view).evaluate("(el) => el.clientWidth")

    def place(tile):
        return (tile.start + tile.size / 2) / tiles[0].size * wide, 10 if tile.level == 0 else 12 + 46 * tile.level

    large = [tile for tile in tiles if tile.size > 200]
    assert {"data pages", "footer"} <= {tile.label for tile in large}
    for tile in large:
        if tile.label in COLOURS:
            found = pixel(orders_view, *place(tile))[:3]
            # a pattern darkens, the background shines through by a fiftieth
            assert all(0.68 * c - 6 <= f <= c + 6 for f, c in zip(found, COLOURS[tile.label], strict=True)), tile
    x, y = place(next(tile for tile in tiles if tile.label == "row group 0"))
    stage(orders_view).click(position={"x": x, "y": y})
    selected(orders_view, "row_groups/0/columns/0")
    orders_view.go("")
    resize(page, 500, 900)
    canvas = stage(orders_view).locator("canvas").first
    assert canvas.evaluate("(e) => Math.abs(e.clientWidth - e.closest('.pqx-board').clientWidth)") < 2


def test_the_overview_by_keyboard_and_its_ranking(orders_view):
    page, file = orders_view.page, orders_view.explorer.file
    height = "document.querySelector('.pqx-board').getBoundingClientRect().height"
    before = page.evaluate(height)
    assert says(orders_view, "Home", "ArrowDown").startswith("id: ")
    assert says(orders_view, "ArrowDown").startswith("id, row group 0: ")
    assert says(orders_view, "ArrowRight").startswith("id, row group 1: ")
    assert hot(orders_view)
    assert page.evaluate(height) == before
    assert says(orders_view, "ArrowUp").startswith("id: ")
    says(orders_view, "ArrowDown", "ArrowRight", "Enter")
    selected(orders_view, "row_groups/1/columns/0")
    orders_view.go("")
    sizes = page.locator(".pqx-overview ol li").evaluate_all("(all) => all.map((e) => Number(e.dataset.compressed))")
    assert sizes == sorted((sum(len(g.columns[i].span) for g in file.row_groups) for i in range(5)), reverse=True)
    absent = page.locator('[data-state="none"]').evaluate_all("(all) => all.map((e) => e.dataset.feature)")
    assert "Bloom filters" in absent and "page index" not in absent
