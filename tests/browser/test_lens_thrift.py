"""A struct in a browser: fields by their bytes, one of them down to the bits."""

from browser.harness import digits
from playwright.sync_api import expect

HEADER = "row_groups/0/columns/0/pages/0/header"


def test_the_blocks_are_the_bytes_of_the_struct(show, orders_bytes):
    view = show(orders_bytes, at=HEADER)
    file = view.explorer.file
    span = file.node(HEADER).span
    blocks = view.page.locator(".pqx-struct [data-field]").all()
    ends = [(int(b.get_attribute("data-start")), int(b.get_attribute("data-end"))) for b in blocks]
    assert ends[0][0] == span.start and ends[-1][1] == span.end - 1
    assert all(a[1] == b[0] for a, b in zip(ends, ends[1:], strict=False))
    first = view.page.locator(".pqx-struct [data-field] code").first
    assert first.inner_text().split() == [f"{b:02x}" for b in file.bytes(span)[: ends[0][1] - ends[0][0]]]


def test_arrow_keys_show_a_field_and_mark_its_bytes(show, orders_bytes):
    view = show(orders_bytes, at=HEADER)
    view.page.locator(".pqx-struct [data-field]").first.focus()
    view.page.keyboard.press("ArrowRight")
    glass = view.page.locator(".pqx-glass[data-field]")
    expect(glass).to_have_attribute("data-field", "uncompressed_page_size")
    expect(glass).to_contain_text("upper half 1, so the id is 1 + 1 = 2; lower half 5, i32")
    span = next(f.span for f in view.explorer.file.node(HEADER).facts if f.name == "uncompressed_page_size")
    assert digits(view.page, "hot") == [f"{b:02x}" for b in view.explorer.file.bytes(span)]


def test_a_click_selects_the_field_and_the_struct_stays(show, orders_bytes):
    view = show(orders_bytes, at=HEADER)
    view.page.locator('.pqx-struct [data-field="compressed_page_size"]').click()
    view.shown(f"{HEADER}/compressed_page_size")
    expect(view.page.locator('.pqx-struct [aria-current="true"]')).to_have_attribute(
        "data-field", "compressed_page_size"
    )
    expect(view.page.locator(".pqx-thrift")).to_have_attribute("data-struct", HEADER)


def test_a_struct_in_a_field_opens(show, orders_bytes):
    view = show(orders_bytes, at="footer", view="thrift")
    view.page.locator('.pqx-struct [data-field="schema"]').click()
    view.shown("footer/schema")
    expect(view.page.locator(".pqx-thrift")).to_have_attribute("data-struct", "footer/schema")
    expect(view.page.locator(".pqx-thrift")).to_contain_text("each is struct")
