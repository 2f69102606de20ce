"""Two files in one explorer, on the screen: marks, keys, both places, comparing the values, and a saved page."""

import io
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.harness import digits, settle
from playwright.sync_api import expect

import pqexplore
from pqexplore.widget import rpc
from pqexplore.widget.operations import OPERATIONS

TABLE = pa.table({"id": range(4_000), "city": [f"city {x % 40}" for x in range(4_000)], "n": [1] * 4_000})


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


def go(page, line, slot):
    """Walk to a mark with the keys. Lines: all columns, id, city, n, new."""
    stage = board(page)
    for key in ("Home", *["ArrowDown"] * line, *["ArrowRight"] * slot):
        stage.press(key)
    expect(stage).to_have_attribute("aria-valuenow", str(line * 3 + slot))


def test_pointing_lights_the_bytes_and_a_click_on_what_is_gone_says_so(show, first, other):
    view = show(first, against=other, opens=("bytes",))
    page = view.page
    expect(page.locator('.pqx-tab[data-lens="diff"]')).to_have_attribute("aria-selected", "true")
    expect(board(page)).to_have_attribute("data-marks", "15")
    for word in ("larger", "smaller", "new", "gone"):
        expect(page.locator(".pqx-diff .pqx-legend")).to_contain_text(word)
    assert board(page).bounding_box()["height"] >= 18 + 5 * 45
    board(page).hover(position={"x": 30, "y": 18 + 45 + 22})
    expect(page.locator(".pqx-diff .pqx-readout")).to_contain_text("id, row group 0")
    chunk = view.explorer.file.row_groups[0].columns[0]
    begin = bytes(view.explorer.file.bytes(chunk.span))[:8].hex(" ")
    assert " ".join(digits(page, "hot")).startswith(begin)
    board(page).click(position={"x": 30, "y": 18 + 3 * 45 + 22})
    view.shown("row_groups/0/columns/2")
    expect(place(page)).to_contain_text("no such place")
    expect(place(page)).to_contain_text("The second file has no such column.")


def test_keys_walk_over_the_marks_and_lead_to_both_places(show, first, other):
    view = show(first, against=other)
    page, readout = view.page, view.page.locator(".pqx-diff .pqx-readout")
    for line, slot, words in (
        (1, 0, "id, row group 0: ▼ "),
        (3, 1, "n, row group 1: × "),
        (4, 0, "new, row group 0: + "),
        (1, 2, "id, row group 2 of B: + "),
    ):
        go(page, line, slot)
        expect(readout).to_contain_text(words)
        expect(board(page)).to_have_attribute("aria-valuetext", readout.inner_text())
    go(page, 2, 1)
    board(page).press("Enter")
    view.shown("row_groups/1/columns/1")
    assert view.explorer.selection == "row_groups/1/columns/1"
    expect(board(page)).to_be_focused()
    with pqexplore.open(other) as second:
        chunk = second.row_groups[1].columns[1]
        cells = place(page).locator("tbody tr").nth(1).locator("td")
        expect(cells.nth(1)).to_have_text(f"{len(chunk.span):,} bytes from {chunk.span.start:,} on")
        begin = bytes(second.bytes(chunk.span))[:16].hex(" ")
        expect(place(page).locator("pre span").first).to_contain_text(begin)
    # what only the second file has is shown without a selection
    go(page, 4, 1)
    board(page).press("Enter")
    expect(place(page)).to_contain_text("row_groups/1/columns/2")
    settle(page)
    assert view.explorer.selection == "row_groups/1/columns/1"
    row = place(page).locator("tbody tr").first.locator("td")
    expect(row.nth(0)).to_have_text("no such place")
    expect(row.nth(1)).to_contain_text("new")


def test_the_values_are_compared_on_a_button_and_that_can_be_stopped(show, first, monkeypatch):
    monkeypatch.setattr("pqexplore.insight.diff.diff.SMALL", 0)  # the values of small files are compared at once
    changed = TABLE.set_column(2, "n", pa.array([1] * 3_999 + [2]))
    page = show(first, against=parquet(changed)).page
    level, closed = page.locator(".pqx-diff-level"), []

    def forever(file, *_):
        try:
            while True:
                yield 0.42
        finally:
            closed.append(True)

    expect(level).to_contain_text("Compared: the footers.")
    with monkeypatch.context() as patched:
        patched.setattr(rpc, "SLICE", 0.02)
        patched.setitem(OPERATIONS, "diff_values", forever)
        page.get_by_role("button", name="compare the values").click()
        expect(page.locator(".pqx-progress")).to_contain_text("42 %")
        expect(page.get_by_role("button", name="comparing…")).to_be_disabled()
        page.get_by_role("button", name="stop").click()
        expect(level.locator(".pqx-trouble")).to_contain_text("Stopped")
        settle(page)
        assert closed == [True]
    page.get_by_role("button", name="compare the values").click()
    expect(level).to_contain_text("everything, the values too")
    expect(page.get_by_role("button", name="compare the values")).to_have_count(0)
    expect(page.locator(".pqx-answer > p")).to_contain_text("`n` has other values in 1 row")
    expect(page.get_by_role("grid", name="What differs here")).to_contain_text("values")


@pytest.mark.full
def test_many_chunks_are_folded_and_the_keys_scroll_to_their_marks(show):
    groups = 40
    small = pa.table({f"c{i}": [0] * groups for i in range(100)})
    large = small.set_column(70, "c70", pa.array(range(groups)))
    files = []
    for table in (small, large):
        out = io.BytesIO()
        pq.write_table(table, out, row_group_size=1)
        files.append(out.getvalue())
    view = show(files[0], against=files[1])
    page, room = view.page, view.page.locator(".pqx-diff .pqx-board-room")
    expect(board(page)).to_have_attribute("data-marks", str(62 * 20))
    expect(page.locator(".pqx-diff .pqx-axis")).to_contain_text("60 of 100 columns have a line")
    expect(page.locator(".pqx-diff .pqx-axis")).to_contain_text(f"{groups} row groups in 20 slots")
    in_sight = "(e) => [e.scrollTop > 0, e.scrollTop + e.clientHeight >= e.scrollHeight - 1]"
    for key, seen in (("End", [True, True]), ("Home", [False, False])):
        board(page).press(key)
        assert room.evaluate(in_sight) == seen
    view.go("row_groups/0/columns/99")
    assert room.evaluate(in_sight)[0]


def test_a_saved_page_has_the_map_and_no_button(show, saved, first, other):
    view = show(first, against=other, at="row_groups/0/columns/0")
    page = saved(view.explorer, budget=20_000)
    expect(board(page)).to_have_attribute("data-marks", "15")
    expect(page.locator(".pqx-answer > p")).to_contain_text("`id` in row group 0 takes")
    expect(place(page)).to_contain_text("row_groups/0/columns/0")
    expect(page.get_by_role("button", name="compare the values")).to_have_count(0)
    board(page).press("End")
    board(page).press("Enter")  # it is in the second file only, and the budget has no room for it
    expect(place(page).locator(".pqx-trouble")).to_contain_text("saved page")


def test_the_causes_are_bars_that_add_up_and_both_files_have_a_verdict(show, first, other):
    page = show(first, against=other).page
    bars = page.locator(".pqx-diff-causes li[data-bytes]")
    expect(bars.first).to_be_visible()
    count = [int(one) for one in bars.evaluate_all("(all) => all.map((one) => one.dataset.bytes)")]
    assert sum(count) == len(other) - len(first)
    widths = bars.locator(".pqx-diff-bar > i").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect().width)"
    )
    whole = max(widths) / max(map(abs, count))
    assert widths == pytest.approx([max(1, abs(one) * whole) for one in count], abs=0.6)
    expect(bars.first).to_contain_text("`id`")
    verdicts = page.locator(".pqx-diff-verdicts p")
    expect(verdicts).to_have_count(2)
    for at, letter in enumerate("AB"):
        expect(verdicts.nth(at)).to_have_text(re.compile(f"^{letter} .+: .+"))


def test_equal_sizes_have_no_causes(show, first):
    page = show(first, against=bytes(first)).page
    expect(page.locator(".pqx-diff-verdicts p")).to_have_count(2)
    expect(page.locator(".pqx-diff-causes")).to_be_hidden()
