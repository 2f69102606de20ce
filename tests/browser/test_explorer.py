"""The actions of a person in the explorer, and their outcomes."""

import re
import time

import pytest
from browser.harness import digits
from playwright.sync_api import expect
from widget.samples import HOSTILE, parquet

import pqexplore
from pqexplore.widget.operations import OPERATIONS

VALUE = "row_groups/0/columns/0/pages/1/values/3"


def marked(view):
    """The hex digits that are marked as selected."""
    return digits(view.page, "selected")


def colours(view, selector=".pqx-stage canvas"):
    """How many different colours a canvas shows."""
    return view.page.locator(selector).first.evaluate(
        """(c) => new Set(new Uint32Array(
             c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size"""
    )


def python_selects(view, address):
    """Wait until Python has a selection."""
    deadline = time.monotonic() + 5
    while view.explorer.selection != address:
        assert time.monotonic() < deadline, f"{view.explorer.selection!r} is selected, not {address!r}"
        view.page.wait_for_timeout(20)


def test_opening_a_file_shows_identity_map_and_overview(orders_view):
    page = orders_view.page
    expect(page.locator(".pqx-identity")).to_contain_text("1,000 rows")
    expect(page.locator(".pqx-identity")).to_contain_text("2 row groups")
    badges = page.get_by_role("list", name="What the file has")
    expect(badges).to_contain_text("✓ page index: yes")
    expect(badges).to_contain_text("✗ Bloom filters: no")
    legend = page.get_by_role("list", name="Legend")
    for part in ("data pages", "dictionary", "page header", "offset index", "footer"):
        expect(legend).to_contain_text(part)
    page.locator(".pqx[data-layout=pages]").wait_for()
    assert colours(orders_view) > 4
    assert colours(orders_view, ".pqx-tail canvas") > 3
    expect(page.get_by_role("slider", name="The bytes of the file")).to_be_visible()
    page.get_by_role("tab", name="Rows").click()
    rows = page.get_by_role("grid", name="Rows of the file")
    expect(rows.get_by_role("row").nth(2)).to_contain_text("Lima")
    expect(rows.get_by_role("row").nth(3)).to_contain_text("null")
    expect(page.locator(".pqx-letters").first).to_contain_text("PAR1")


def test_a_click_on_the_map_selects_the_node_in_python(orders_view):
    page = orders_view.page
    page.locator(".pqx[data-layout=pages]").wait_for()
    stage = page.get_by_role("slider", name="Byte map")
    box = stage.bounding_box()
    lines = (box["height"] + 3) // 20
    stage.click(position={"x": box["width"] - 1, "y": 20 * lines - 10})
    python_selects(orders_view, "footer_magic")
    expect(page.locator("[aria-current=location]")).to_have_text("closing magic")
    assert marked(orders_view) == [f"{b:02x}" for b in b"PAR1"]


def test_a_click_on_the_tail_selects(orders_view):
    page = orders_view.page
    tail = page.locator(".pqx-tail-stage")
    tail.click(position={"x": tail.bounding_box()["width"] - 4, "y": 10})
    python_selects(orders_view, "footer_magic")


def test_setting_the_selection_in_python_moves_every_view(show, orders_bytes):
    view = show(orders_bytes, views_=2)
    view.explorer.selection = "row_groups/1/columns/1"
    view.flush()
    for nth in range(2):
        view.shown("row_groups/1/columns/1", nth)
    expect(view.page.locator("[aria-current=location]")).to_have_text(["city", "city"])


def test_two_views_stay_in_step(show, orders_bytes):
    view = show(orders_bytes, views_=2)
    view.shown("", 1)
    view.page.locator(".pqx-tree").nth(1).get_by_text("footer", exact=True).click()
    view.shown("footer", 0)
    view.shown("footer", 1)
    assert view.explorer.selection == "footer"


def test_a_row_leads_to_its_bytes(show, orders_bytes):
    view = show(orders_bytes, view="rows")
    page = view.page
    page.get_by_role("grid", name="Rows of the file").get_by_role("row").nth(2).get_by_text("Lima").click()
    view.shown("row_groups/0/columns/1/pages/1/values/1")
    python_selects(view, "row_groups/0/columns/1/pages/1/values/1")
    expect(page.locator(".pqx-life")).to_contain_text("Lima")


def test_levels_and_values_stand_side_by_side(show, orders_bytes):
    view = show(orders_bytes, at="row_groups/0/columns/2/pages/1")
    grid = view.page.get_by_role("grid", name=re.compile("Levels and values"))
    expect(grid.get_by_role("row").nth(3)).to_contain_text("empty: tags")
    expect(grid.get_by_role("row").nth(5)).to_contain_text("null: element")
    grid.get_by_text("61", exact=True).first.click()
    view.shown("row_groups/0/columns/2/pages/1/values/0")


def test_the_hex_view_shows_the_file_and_the_decompressed_page(show, orders_bytes):
    view = show(orders_bytes, at=VALUE)
    decompressed = view.page.get_by_role("button", name="decompressed bytes")
    expect(decompressed).to_have_attribute("aria-pressed", "true")
    span = view.explorer.file.node(VALUE).span
    assert marked(view) == [f"{b:02x}" for b in view.explorer.file.bytes(span)]
    view.page.get_by_role("button", name="file bytes").click()
    expect(decompressed).to_have_attribute("aria-pressed", "false")
    expect(view.page.locator(".pqx-bytes .pqx-bar")).to_contain_text(f"of {view.explorer.file.size:,}")


def test_bytes_in_facts_do_not_look_like_the_hex_view(show, orders_bytes):
    view = show(orders_bytes, view="facts", at="row_groups/1/columns/4/column_index/max_values/0")
    value = view.page.locator(".pqx-fact-value.pqx-bytes").first
    assert value.evaluate("(el) => getComputedStyle(el).display") == "block"


def test_a_fact_marks_its_bytes_and_links_to_its_node(show, orders_bytes):
    view = show(orders_bytes, at="row_groups/0/columns/0/pages/1/header", view="facts")
    facts = view.page.locator(".pqx-fact")
    first = facts.filter(has_text="uncompressed page size")
    first.hover()
    hot = digits(view.page, "hot")
    span = next(
        f.span
        for f in view.explorer.file.node("row_groups/0/columns/0/pages/1/header").facts
        if f.name == "uncompressed_page_size"
    )
    assert hot == [f"{b:02x}" for b in view.explorer.file.bytes(span)]
    view.page.mouse.move(0, 0)
    expect(view.page.locator(".pqx-hot")).to_have_count(0)


def test_enter_on_a_byte_selects_its_owner(orders_view):
    hexes = orders_view.page.locator(".pqx-hex")
    hexes.press("Control+End")
    hexes.press("Enter")
    orders_view.shown("footer_magic")


def test_a_damaged_page_shows_an_error_with_its_address(show, orders_bytes):
    with pqexplore.open(orders_bytes) as file:
        page = next(p for p in file.row_groups[0].columns["id"].pages if p.is_data)
        start, end = page.frame.header_end, page.frame.end
    damaged = bytearray(orders_bytes)
    damaged[start:end] = b"\xff" * (end - start)
    view = show(bytes(damaged), view="rows")
    expect(view.page.locator(".pqx-cell.pqx-error").first).to_have_text("not readable")
    expect(view.page.get_by_role("grid").get_by_text("Lima").first).to_be_visible()
    view.go(page.address)
    alert = view.page.get_by_role("alert").first
    expect(alert).to_contain_text("Corrupt file")
    expect(alert).to_contain_text(page.address)


def test_a_selection_that_python_cannot_show_leaves_the_view_usable(orders_view, monkeypatch):
    def fail(file, address="", view=""):
        raise RuntimeError("the disk is gone")

    node = OPERATIONS["node"]
    monkeypatch.setitem(OPERATIONS, "node", fail)
    orders_view.explorer.selection = "footer"
    orders_view.flush()
    expect(orders_view.page.get_by_role("alert")).to_contain_text("the disk is gone")
    monkeypatch.setitem(OPERATIONS, "node", node)
    orders_view.page.get_by_role("button", name="try again").click()
    orders_view.shown("footer")


def test_a_slow_request_shows_progress(orders_view, monkeypatch):
    node = OPERATIONS["node"]

    def slow(file, address="", view=""):
        orders_view.page.wait_for_timeout(900)
        seen.append(orders_view.page.locator(".pqx-progress").is_visible())
        return node(file, address, view)

    seen = []
    monkeypatch.setitem(OPERATIONS, "node", slow)
    expect(orders_view.page.locator(".pqx-progress")).to_be_hidden()
    orders_view.go("footer")
    expect(orders_view.page.locator(".pqx-progress")).to_be_hidden()
    assert seen == [True]


def test_a_late_answer_to_an_earlier_selection_is_dropped(orders_view):
    orders_view.page.evaluate(
        """() => { const receive = window.pqxBridge.receive;
             window.pqxBridge.receive = (m) => m.content?.result?.items
               ? setTimeout(() => receive(m), 700) : receive(m); }"""
    )
    for address in ("row_groups/0/columns/0/pages/1", "footer"):  # the outline knows the footer already
        orders_view.explorer.selection = address
        orders_view.flush()
        orders_view.page.wait_for_timeout(200)
    orders_view.shown("footer")
    orders_view.page.wait_for_timeout(2_000)
    expect(orders_view.page.locator(".pqx")).to_have_attribute("data-shown", "footer")
    expect(orders_view.page.locator("[aria-current=location]")).to_have_text("footer")
    expect(orders_view.page.locator("[role=treeitem][aria-selected=true]")).to_contain_text("footer")


def test_text_of_the_file_stays_text(show):
    import pyarrow as pa

    table = pa.table({HOSTILE: [HOSTILE, "x"]}).replace_schema_metadata({HOSTILE: HOSTILE})
    view = show(parquet(table), view="rows")
    dialogs = []
    view.page.on("dialog", lambda dialog: dialogs.append(dialog))
    for address in ("row_groups/0/columns/0/pages/1", "key_value_metadata/0", "schema/1", "footer"):
        view.go(address)
    assert view.page.locator(".pqx img").count() == 0
    assert dialogs == []
    view.go("")
    expect(view.page.get_by_role("gridcell").nth(1)).to_contain_text("⟨U+202E⟩␊</script>")


def test_a_hundred_thousand_tiles(show, orders_bytes):
    import pyarrow as pa

    explorer = pqexplore.explore(orders_bytes)
    size, count = explorer.file.size, 100_000
    starts = [i * size / count for i in range(count)]
    many = pa.table(
        {
            "start": starts,
            "end": [*starts[1:], float(size)],
            "kind": ["page_header", "data_page"] * (count // 2),
            "address": [f"row_groups/0/columns/{i // 50_000}/pages/{i % 50_000}" for i in range(count)],
        }
    )
    layout = explorer.file.layout
    explorer.file.layout = lambda level: many if level == "pages" else layout(level)
    view = show(explorer.file)
    view.page.locator(f'.pqx-stage[data-tiles="{count}"]').wait_for()
    stage = view.page.get_by_role("slider", name="Byte map")
    for _ in range(12):
        stage.press("+")
    view.page.wait_for_function("Number(document.querySelector('.pqx-stage').dataset.drawn) > 3")
    assert colours(view) > 2


def test_no_message_is_too_long_for_databricks(show):
    import pyarrow as pa

    view = show(parquet(pa.table({"x": ["y" * 1000] * 20_000}), use_dictionary=False, compression="none"))
    view.go("row_groups/0/columns/0/pages/0")
    assert 0 < view.comm.largest < 4_000_000


@pytest.mark.parametrize("lens", ["rows", "facts"])
def test_the_view_trait_chooses_the_lens(show, orders_bytes, lens):
    view = show(orders_bytes, view=lens)
    chosen = view.page.locator(".pqx-tabs [aria-selected=true]")
    expect(chosen).to_have_attribute("data-lens", lens)


def test_a_tab_sets_the_view_trait(orders_view):
    orders_view.page.get_by_role("tab", name="Facts").click()
    expect(orders_view.page.locator(".pqx-facts")).to_be_visible()
    assert orders_view.explorer.view == "facts"
