"""The overview on the screen: its numbers, its marks by mouse and keyboard, and a layout that does not move."""

import pyarrow as pa
from browser.boards import hot, pixel, says, selected, stage
from playwright.sync_api import expect
from widget.samples import parquet

from pqexplore.insight.lenses import LENSES, answer_of, finish


def drawn(view):
    stage(view)
    return view.page


def test_the_first_view_of_a_file_says_where_its_bytes_are(orders_view):
    page = drawn(orders_view)
    expect(page.get_by_role("tab", selected=True)).to_have_text("Overview")
    expect(page.locator(".pqx-answer > p")).to_contain_text("is column `id`, which Snappy shrinks")
    sizes = page.locator(".pqx-overview ol li").evaluate_all("(all) => all.map((e) => Number(e.dataset.compressed))")
    file = orders_view.explorer.file
    chunks = [sum(len(g.columns[i].span) for g in file.row_groups) for i in range(5)]
    assert sizes == sorted(chunks, reverse=True)
    absent = page.locator('[data-state="none"]').evaluate_all("(all) => all.map((e) => e.dataset.feature)")
    assert "Bloom filters" in absent and "page index" not in absent


COLOURS = {"data pages": [0, 114, 178], "footer": [240, 228, 66], "dictionary": [230, 159, 0]}


def tiles_of(view):
    node = view.explorer.file.root
    return finish(answer_of(view.explorer.file, node, LENSES["overview"])).picture.tiles


def place(view, tile):
    """The middle of a tile on the picture, in CSS pixels."""
    whole = tiles_of(view)[0].size
    wide = stage(view).evaluate("(el) => el.clientWidth")
    return (tile.start + tile.size / 2) / whole * wide, 10 if tile.level == 0 else 20 + 46 * tile.level - 8


def test_the_icicle_draws_its_tiles_in_their_colours(orders_view):
    drawn(orders_view)
    seen = {tile.label for tile in tiles_of(orders_view) if tile.size > 200}
    assert {"data pages", "footer"} <= seen
    for tile in tiles_of(orders_view):
        if tile.label in COLOURS and tile.size > 200:
            found = pixel(orders_view, *place(orders_view, tile))[:3]
            # a pattern darkens, the background shines through by a fiftieth
            assert all(0.68 * c - 6 <= f <= c + 6 for f, c in zip(found, COLOURS[tile.label], strict=True)), tile


def test_a_mark_is_pointed_at_by_keys_and_followed(orders_view):
    drawn(orders_view)
    expect(orders_view.page.get_by_role("slider", name="The bytes of the file")).to_be_visible()
    assert says(orders_view, "Home", "ArrowDown").startswith("id: ")
    assert says(orders_view, "ArrowDown").startswith("id, row group 0: ")
    assert says(orders_view, "ArrowRight").startswith("id, row group 1: ")
    assert hot(orders_view)
    assert says(orders_view, "ArrowUp").startswith("id: ")
    says(orders_view, "ArrowDown", "ArrowRight")
    orders_view.page.keyboard.press("Enter")
    selected(orders_view, "row_groups/1/columns/0")


def test_a_click_on_a_mark_goes_there(orders_view):
    drawn(orders_view)
    tile = next(one for one in tiles_of(orders_view) if one.label == "row group 0")
    x, y = place(orders_view, tile)
    stage(orders_view).click(position={"x": x, "y": y})
    selected(orders_view, "row_groups/0/columns/0")


def test_the_layout_does_not_move_when_the_chart_appears(show, orders_bytes):
    view = show(orders_bytes)
    box = "document.querySelector('.pqx-board').getBoundingClientRect().height"
    before = view.page.evaluate(box)
    drawn(view)
    assert view.page.evaluate(box) == before
    says(view, "ArrowRight")
    assert view.page.evaluate(box) == before


def test_the_chart_follows_the_width(orders_view):
    page = drawn(orders_view)
    page.set_viewport_size({"width": 500, "height": 900})
    page.wait_for_function(
        """() => { const s = document.querySelector('.pqx-board-stage');
             return Math.abs(s.querySelector('canvas').clientWidth - s.parentElement.clientWidth) < 2; }"""
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_bidirectional_control_characters_are_shown_as_codes(show):
    view = show(parquet(pa.table({"\u202eevil\x1b": [str(i) for i in range(2_000)]})))
    page = drawn(view)
    assert says(view, "Home", "ArrowDown").startswith("⟨U+202E⟩evil␛: ")
    everything = page.locator(".pqx").evaluate(
        "(el) => el.textContent + [...el.querySelectorAll('*')].flatMap((e) => "
        "[...e.attributes].filter((a) => /^aria-|^title$/.test(a.name)).map((a) => a.value)).join()"
    )
    assert "\u202e" not in everything
    assert "\x1b" not in everything
