"""Overlap: partition columns first, and where the range of each file lies."""

import json
import re

from browser.lakes.panels import panel
from playwright.sync_api import expect


def test_overlap_and_the_ranges_of_a_column(look, lake):
    view = look(lake)
    panel(view, "overlap", "Overlap")
    # ids of the small files follow one another; the large file has another type, and is not compared with them
    bars = view.page.locator(".pqx-bars li")
    expect(bars.filter(has_text="id").first).to_have_attribute("data-value", re.compile("1 of 10 files"))
    view.page.locator(".pqx-bars button", has_text="city STRING").click()
    stage = view.page.locator('.pqx-ranges-stage[data-column="city"]')
    lines = json.loads(stage.get_attribute("data-lines"))
    assert len(lines) == 11
    # Bern, Lima, Oslo: ten files reach from Lima to Oslo, one has Bern alone
    assert sorted(map(tuple, lines)) == [(0, 0)] + [(1, 2)] * 10
    assert view.page.locator(".pqx-ranges-ends > span").all_inner_texts() == ["Bern", "Oslo"]


def test_a_line_of_the_ranges_names_its_file(look, lake):
    view = look(lake)
    panel(view, "overlap", "Overlap")
    stage = view.page.locator('.pqx-ranges-stage[data-column="id"]')
    stage.hover(position={"x": 10, "y": 2})
    note = view.page.locator(".pqx-ranges-note")
    expect(note).to_contain_text(re.compile(r"^part-0\.parquet: 0 to 99$"))
    view.page.mouse.move(0, 0)
    expect(note).to_contain_text("Point at a line")


def test_the_overlap_leads_with_partition_columns(look, troubled):
    page = look(troubled, "overlap").page
    names = page.locator(".pqx-bars button")
    expect(names.first).to_have_text("date partition folder")
    stage = page.locator('.pqx-ranges-stage[data-column="date"]')
    lines = json.loads(stage.get_attribute("data-lines"))
    assert len(lines) == 20 and {low for low, _ in lines} == set(range(7))
    stage.hover(position={"x": 10, "y": 2})
    expect(page.locator(".pqx-ranges-note")).to_have_text("date=2026-11-03/part-0000.parquet: 2026-11-03 to 2026-11-03")
