"""A row, its pages and its bytes in every column at once."""

import pytest
from playwright.sync_api import expect


@pytest.fixture
def view(show, orders_bytes):
    rows_view = show(orders_bytes, view="rows")
    expect(rows_view.page.get_by_role("grid")).to_contain_text("Lima")
    return rows_view


def number(page, row):
    return page.get_by_role("grid", name="Rows of the file").locator(
        f'[data-row="{row}"] > [data-column="0"]'
    )


def test_the_sentence_counts_rows_and_row_groups(view):
    expect(view.page.locator(".pqx-answer > p")).to_have_text(
        "1,000 rows in 2 row groups of 600 and 400, 5 columns."
    )


def test_a_row_number_lights_its_page_in_every_column(view):
    page = view.page
    number(page, 3).click()
    places = page.get_by_role("list", name="Places of row 3").get_by_role("listitem")
    expect(places).to_have_count(5)
    file = view.explorer.file
    pages = places.evaluate_all("(all) => all.map((e) => e.dataset.page)")
    for column, address in enumerate(pages):
        assert address.startswith(f"row_groups/0/columns/{column}/pages/")
    expect(page.locator(".pqx-map .pqx-stage").first).to_have_attribute("data-lit", "5")
    lit = sum(len(file.node(address).span) for address in pages)
    expect(page.locator(".pqx-row-places")).to_contain_text(
        f"Row 3 lies in 5 pages, {lit / 1000:.2f} kB together."
        if lit > 999
        else f"{lit} B together."
    )
    assert view.explorer.selection == ""


def test_a_place_points_at_its_page_and_leads_to_its_value(view):
    page = view.page
    number(page, 1).click()
    link = page.get_by_role("list", name="Places of row 1").get_by_role("button", name="city")
    link.hover()
    expect(page.locator(".pqx-line .pqx-hot").first).to_be_visible()
    link.click()
    view.shown("row_groups/0/columns/1/pages/1/values/1")
    expect(page.locator(".pqx-map .pqx-stage").first).to_have_attribute("data-lit", "0")


def test_the_keyboard_lights_a_row(view):
    grid = view.page.get_by_role("grid", name="Rows of the file")
    grid.focus()
    grid.press("ArrowDown")
    grid.press("Enter")
    expect(view.page.get_by_role("list", name="Places of row 1")).to_be_visible()


def test_to_frame_gives_the_first_rows(view):
    frame = view.explorer.to_frame("rows", at="")
    assert frame["id"].tolist() == list(range(1000))
    assert frame["city"].dropna().tolist()[:3] == ["Oslo", "Lima", "Bern"]
    assert frame["tags.list.element"].tolist()[:4] == [["a", "b"], [], None, [None, "c"]]
