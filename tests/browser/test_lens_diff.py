"""Two files in one explorer, on the screen: marks, keys, both places, comparing the values, and a saved page."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.harness import digits, settle
from playwright.sync_api import expect

import pqexplore
from pqexplore.widget import rpc
from pqexplore.widget.operations import OPERATIONS

TABLE = pa.table({"id": range(4_000), "city": [f"city {x % 40}" for x in range(4_000)], "n": [1] * 4_000})  # fmt: skip


def parquet(table, rows=2_000, **options):
    out = io.BytesIO()
    pqexplore.write(table, out, pqexplore.WriteOptions(row_group_rows=rows, **options))
    return out.getvalue()


@pytest.fixture(scope="module")
def first():
    return parquet(TABLE)


@pytest.fixture(scope="module")
def other():
    """`n` is gone, `new` is new, `id` is in another encoding, and there is one row group more."""
    table = pa.concat_tables([TABLE, TABLE.slice(0, 2_000)]).drop(["n"])
    table = table.append_column("new", table["city"])
    return parquet(table, columns={"id": {"encoding": "DELTA_BINARY_PACKED"}})


def board(page):
    return page.locator(".pqx-diff .pqx-board-stage")


def place(page):
    return page.locator(".pqx-diff-beside")


def mark(view, line, slot):
    """The number of a mark. Lines: all columns, id, city, n, new."""
    return line * 3 + slot


def go(view, line, slot):
    """Walk to a mark with the keys."""
    stage = board(view.page)
    stage.focus()
    stage.press("Home")
    for _ in range(line):
        stage.press("ArrowDown")
    for _ in range(slot):
        stage.press("ArrowRight")
    expect(stage).to_have_attribute("aria-valuenow", str(mark(view, line, slot)))


def test_the_lens_opens_with_the_map_of_both_files(show, first, other):
    view = show(first, against=other)
    page = view.page
    expect(page.locator('.pqx-tab[data-lens="diff"]')).to_have_attribute("aria-selected", "true")
    expect(board(page)).to_have_attribute("data-marks", "15")
    sentence = pqexplore.diff(first, other).sentence
    expect(page.locator(".pqx-answer > p")).to_have_text(sentence)
    for word in ("larger", "smaller", "new", "gone"):
        expect(page.locator(".pqx-diff .pqx-legend")).to_contain_text(word)


def test_without_a_second_file_there_is_no_tab(show, first):
    view = show(first)
    assert view.page.locator('.pqx-tab[data-lens="diff"]').count() == 0


def test_keys_walk_over_the_marks_and_say_their_figures(show, first, other):
    view = show(first, against=other)
    readout = view.page.locator(".pqx-diff .pqx-readout")
    go(view, 1, 0)
    expect(readout).to_contain_text("id, row group 0: ▼ ")
    expect(readout).to_contain_text("dictionary page")
    go(view, 3, 1)
    expect(readout).to_contain_text("n, row group 1: × ")
    expect(readout).to_contain_text("only in A")
    go(view, 4, 0)
    expect(readout).to_contain_text("new, row group 0: + ")
    go(view, 1, 2)
    expect(readout).to_contain_text("id, row group 2 of B: + ")
    expect(board(view.page)).to_have_attribute("aria-valuetext", readout.inner_text())


def test_pointing_lights_the_bytes_of_the_first_file(show, first, other):
    view = show(first, against=other)
    stage = board(view.page)
    box = stage.bounding_box()
    stage.hover(position={"x": 30, "y": 18 + 45 + 22})
    expect(view.page.locator(".pqx-diff .pqx-readout")).to_contain_text("id, row group 0")
    assert box["height"] >= 18 + 5 * 45
    chunk = view.explorer.file.row_groups[0].columns[0]
    begin = bytes(view.explorer.file.bytes(chunk.span))[:8].hex(" ")
    assert " ".join(digits(view.page, "hot")).startswith(begin)


def test_enter_selects_the_node_and_shows_the_matching_one(show, first, other):
    view = show(first, against=other)
    page = view.page
    go(view, 2, 1)
    board(page).press("Enter")
    view.shown("row_groups/1/columns/1")
    assert view.explorer.selection == "row_groups/1/columns/1"
    expect(board(page)).to_be_focused()
    expect(page.locator(".pqx-answer > p")).to_contain_text("`city` in row group 1 takes")
    with pqexplore.open(other) as second:
        chunk = second.row_groups[1].columns[1]
        cells = place(page).locator("tbody tr").nth(1).locator("td")
        expect(cells.nth(1)).to_have_text(f"{len(chunk.span):,} bytes from {chunk.span.start:,} on")
        begin = bytes(second.bytes(chunk.span))[:16].hex(" ")
        expect(place(page).locator("pre span").first).to_contain_text(begin)


def test_a_click_on_what_is_gone_says_that_there_is_no_such_place(show, first, other):
    view = show(first, against=other)
    board(view.page).click(position={"x": 30, "y": 18 + 3 * 45 + 22})
    view.shown("row_groups/0/columns/2")
    expect(place(view.page)).to_contain_text("no such place")
    expect(place(view.page)).to_contain_text("The second file has no such column.")


def test_what_only_the_second_file_has_is_shown_without_a_selection(show, first, other):
    view = show(first, against=other)
    go(view, 4, 1)
    board(view.page).press("Enter")
    expect(place(view.page)).to_contain_text("row_groups/1/columns/2")
    settle(view.page)
    assert view.explorer.selection == ""
    row = place(view.page).locator("tbody tr").first.locator("td")
    expect(row.nth(0)).to_have_text("no such place")
    expect(row.nth(1)).to_contain_text("new")


def test_the_values_are_compared_on_a_button(show, first):
    changed = TABLE.set_column(2, "n", pa.array([1] * 3_999 + [2]))
    view = show(first, against=parquet(changed))
    page = view.page
    expect(page.locator(".pqx-diff-level")).to_contain_text("Compared: the footers.")
    page.get_by_role("button", name="compare the values").click()
    expect(page.locator(".pqx-diff-level")).to_contain_text("everything, the values too")
    expect(page.get_by_role("button", name="compare the values")).to_have_count(0)
    expect(page.locator(".pqx-answer > p")).to_contain_text("`n` has other values in 1 row")
    expect(page.get_by_role("grid", name="What differs here")).to_contain_text("values")


def test_comparing_the_values_can_be_stopped(show, first, other, monkeypatch):
    monkeypatch.setattr(rpc, "SLICE", 0.02)
    closed = []

    def forever(file, *_):
        try:
            while True:
                yield 0.42
        finally:
            closed.append(True)

    view = show(first, against=other)
    monkeypatch.setitem(OPERATIONS, "diff_values", forever)
    page = view.page
    page.get_by_role("button", name="compare the values").click()
    expect(page.locator(".pqx-progress")).to_contain_text("42 %")
    expect(page.get_by_role("button", name="comparing…")).to_be_disabled()
    page.get_by_role("button", name="stop").click()
    expect(page.locator(".pqx-diff-level .pqx-trouble")).to_contain_text("Stopped")
    expect(page.get_by_role("button", name="compare the values")).to_be_enabled()
    settle(page)
    assert closed == [True]


@pytest.mark.full
@pytest.mark.parametrize("groups", [40, pytest.param(100, marks=pytest.mark.full)])
def test_many_chunks_are_folded_and_drawn_in_a_frame(show, groups):
    small = pa.table({f"c{i}": [0] * groups for i in range(100)})
    large = small.set_column(70, "c70", pa.array(range(groups)))
    files = []
    for table in (small, large):
        out = io.BytesIO()
        pq.write_table(table, out, row_group_size=1)
        files.append(out.getvalue())
    view = show(files[0], against=files[1])
    page = view.page
    expect(board(page)).to_have_attribute("data-marks", str(62 * 20))
    expect(page.locator(".pqx-diff .pqx-axis")).to_contain_text("60 of 100 columns have a line")
    expect(page.locator(".pqx-diff .pqx-axis")).to_contain_text(f"{groups} row groups in 20 slots")
    in_sight = "(e) => [e.scrollTop > 0, e.scrollTop + e.clientHeight >= e.scrollHeight - 1]"
    board(page).press("End")  # the keys scroll to the mark
    assert page.locator(".pqx-diff .pqx-board-room").evaluate(in_sight) == [True, True]
    board(page).press("Home")
    assert page.locator(".pqx-diff .pqx-board-room").evaluate(in_sight) == [False, False]
    view.go("row_groups/0/columns/99")
    assert page.locator(".pqx-diff .pqx-board-room").evaluate(in_sight)[0]
    # 30 ms on a quiet machine; a test that measures that would fail beside others
    assert float(board(page).get_attribute("data-drawn")) < 400


def test_a_hostile_name_stays_text(show):
    name = "<img src=x onerror=alert(1)>\u202e"
    view = show(parquet(pa.table({name: [1]})), against=parquet(pa.table({"b": [1]})))
    go_to = board(view.page)
    go_to.focus()
    go_to.press("End")
    expect(view.page.locator(".pqx-diff img")).to_have_count(0)
    assert "\u202e" not in view.page.locator(".pqx-detail").inner_text()


def test_a_saved_page_has_the_map_and_no_button(show, browser, first, other, tmp_path):
    view = show(first, against=other, at="row_groups/0/columns/0")
    path = tmp_path / "two.html"
    path.write_text(view.explorer.to_html(budget=500_000), "utf-8")
    page = browser.new_context(offline=True).new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    expect(board(page)).to_have_attribute("data-marks", "15")
    expect(page.locator(".pqx-answer > p")).to_contain_text("`id` in row group 0 takes")
    expect(place(page)).to_contain_text("row_groups/0/columns/0")
    expect(page.get_by_role("button", name="compare the values")).to_have_count(0)
    go_to = board(page)
    go_to.focus()
    go_to.press("End")
    go_to.press("Enter")  # it is in the second file only, and was not asked for
    expect(place(page).locator(".pqx-trouble")).to_contain_text("saved page")
    page.context.close()
    assert errors == []
