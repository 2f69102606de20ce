"""The parts of the lens above a page's levels and values."""

import pyarrow as pa
from playwright.sync_api import expect
from widget.samples import parquet

PAGE = "row_groups/0/columns/2/pages/1"


def test_parts_sizes_and_verdict(show, orders_bytes):
    view = show(orders_bytes, at=PAGE)
    page = view.explorer.file.row_groups[0].columns[2].pages[1]
    parts = {
        part.get_attribute("data-part"): int(part.get_attribute("data-bytes"))
        for part in view.page.locator(".pqx-anatomy-key [data-part]").all()
    }
    sections = {s.name.replace("_", " "): len(s.data) for s in page.body.sections}
    header = page.frame.header_end - page.frame.start
    assert parts == {"header": header, "body": page.frame.end - page.frame.header_end, **sections}
    expect(view.page.locator("[data-checksum]")).to_have_text("no checksum")
    view.page.get_by_role("button", name="header", exact=True).click()
    view.shown(f"{PAGE}/header")


def test_a_chosen_value_is_shown_in_all_forms(show, orders_bytes):
    view = show(orders_bytes, at=f"{PAGE}/values/2", view="page")
    value = view.page.get_by_role("region", name="The selected entry")
    expect(value.locator('[data-form="means"] dd')).to_have_text("c")
    expect(value.locator('[data-form="in Python"] dd')).to_have_text("'c'")
    expect(value.locator('[data-form="bytes"] dd')).to_have_text("63")
    view.page.get_by_role("grid").get_by_text("61", exact=True).first.click()
    view.shown(f"{PAGE}/values/0")
    expect(value.locator('[data-form="means"] dd')).to_have_text("a")


def test_what_is_missing_is_before_a_long_name(show):
    name = "a_name_that_is_too_long_for_the_room_that_a_cell_has_for_it"
    page = show(parquet(pa.table({name: [None, 1]})), at="row_groups/0/columns/0/pages/1", view="page").page
    cells = page.get_by_role("gridcell")
    expect(cells.nth(1)).to_have_text(f"0 null: {name}")
