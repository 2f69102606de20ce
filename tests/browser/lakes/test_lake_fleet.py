"""The files by size and rows: brush, boxes, columns; a file that is opened, and the way back."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
from browser.lakes.panels import panel
from playwright.sync_api import expect


def test_the_files_by_size_and_rows(look, lake, folder):
    page = look(lake, "fleet").page
    expect(page.locator(".pqx-answer")).to_contain_text("12 files have 55,500 rows")
    expect(page.locator(".pqx-answer")).to_contain_text("1 of them could not be read")
    squares = json.loads(page.locator(".pqx-fleet").get_attribute("data-squares"))
    assert sum(files for _, _, files in squares) == 12
    assert sum(files for _, rows, files in squares if rows < 0) == 1
    expect(page.get_by_role("grid")).to_contain_text("part-large.parquet")


def test_a_brush_keeps_only_the_files_under_it(look, lake):
    view = look(lake, "fleet")
    stage = view.page.locator(".pqx-fleet")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    # the right half of the picture has the one large file
    view.page.mouse.move(box["x"] + box["width"] * 0.72, box["y"] + 10)
    view.page.mouse.down()
    view.page.mouse.move(box["x"] + box["width"] - 12, box["y"] + 215, steps=5)
    view.page.mouse.up()
    expect(view.page.locator(".pqx-answer")).to_contain_text("1 file that passes the filters has 50,000 rows")
    low, high = json.loads(view.explorer.filters)["size"]
    assert low < 800_000 < high
    panel(view, "columns", "Columns")
    expect(view.page.locator(".pqx-bars li").first).to_contain_text("city")
    view.page.get_by_role("button", name="all files again").click()
    expect(view.page.locator('.pqx-lake[data-shown="columns"]')).to_be_visible()
    assert view.explorer.filters == ""


def test_the_boxes_filter_without_a_pointer(look, lake):
    view = look(lake, "fleet")
    view.page.get_by_label("rows from").fill("500")
    view.page.get_by_label("rows from").press("Enter")
    view.page.get_by_label("rows to").wait_for()
    expect(view.page.locator(".pqx-answer")).to_contain_text("7 files that pass the filters")
    view.page.get_by_role("button", name=re.compile("Remove the filter: rows from 500")).click()
    expect(view.page.locator(".pqx-answer")).to_contain_text("12 files")


def test_a_bar_opens_its_file_at_its_address_and_back(look, lake, folder):
    view = look(lake)
    panel(view, "health", "Findings")
    expect(view.page.locator(".pqx-answer")).to_contain_text("1 file could not be read")
    panel(view, "columns", "Columns")
    view.page.locator(".pqx-bars button").first.click()
    view.page.locator('.pqx[data-shown="row_groups/0/columns/1"]').wait_for()
    assert view.explorer.file == str(folder / "part-large.parquet")
    assert view.explorer.selection == "row_groups/0/columns/1"
    expect(view.page.locator(".pqx-identity").nth(1)).to_contain_text("50,000 rows")
    view.page.get_by_role("tree").get_by_text("footer", exact=True).click()
    view.page.locator(".pqx[data-shown=footer]").wait_for()
    view.page.get_by_role("button", name="all files").click()
    expect(view.page.get_by_role("tab", name="Columns")).to_be_visible()
    assert (view.explorer.file, view.explorer.selection) == ("", "")


def test_a_file_that_cannot_be_read_says_so_when_it_is_opened(look, lake, folder):
    view = look(lake)
    view.explorer.file = str(folder / "broken.parquet")
    view.flush()
    expect(view.page.get_by_role("alert")).to_contain_text("footer")


def test_files_outside_the_lake_are_not_opened(look, lake, tmp_path):
    pq.write_table(pa.table({"x": [1]}), tmp_path / "other.parquet")
    view = look(lake)
    view.explorer.file = str(tmp_path / "other.parquet")
    view.flush()
    expect(view.page.get_by_role("alert")).to_contain_text("the lake has no file")
