"""The query lens: type a condition, see what is read and what is skipped, move a literal; and what other views show."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.boards import answer, hot, marks, says, selected, stage
from browser.harness import settle, wait_until
from browser.looks import in_looks, misplaced, violations
from playwright.sync_api import expect
from widget.samples import parquet

import pqexplore
from pqexplore.engine.span import Span
from pqexplore.engine.writer.samples import write_sample

WHERE = "n BETWEEN 17 AND 25"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Four row groups of ten rows in pages of five: n is 0 to 39, city one for each row group."""
    table = pa.table(
        {"n": range(40), "city": np.repeat(["Bergen", "Lima", "Oslo", "Rome"], 10)},
        pa.schema([("n", pa.int64()), ("city", pa.string())]),
    )
    path = tmp_path_factory.mktemp("query") / "sales.parquet"
    options = pqexplore.WriteOptions(row_group_rows=10, page_rows=5, codec="UNCOMPRESSED")
    pqexplore.write(table, path, options)
    return path


def field(view):
    return view.page.get_by_role("textbox", name="WHERE")


def ask(view, where):
    field(view).fill(where)
    field(view).press("Enter")
    view.page.locator(f'.pqx-query[data-asked="{where}"]').wait_for()
    settle(view.page)


def test_a_condition_is_typed_and_the_row_groups_say_why(show, path):
    view = show(path, view="query")
    assert answer(view).startswith("Type a condition")
    ask(view, WHERE)
    assert view.explorer.where == WHERE
    assert "reads 2 of 4 row groups, 15 of 40 rows" in answer(view)
    legend = view.page.locator(".pqx-query").get_by_label("Legend").first
    expect(legend).to_have_text(re.compile(r"read 1.*some of its rows are read 1.*skipped by bounds 2"))
    assert marks(view) == 4
    assert says(view, "Home") == "row group 0: skipped by bounds: n >= 17: the max 9 is too small"
    assert says(view, "End") == "row group 3: skipped by bounds: n <= 25: the min 30 is too large"
    assert says(view, "ArrowLeft").startswith("row group 2: ")


def test_hovering_says_why_and_lights_the_bytes_and_a_click_goes_there(show, path):
    view = show(path, where=WHERE)
    box = stage(view).bounding_box()
    stage(view).hover(position={"x": min(box["width"], 4 * 64) * 0.9, "y": 10})
    expect(view.page.locator(".pqx-readout").first).to_have_text(
        "row group 3: skipped by bounds: n <= 25: the min 30 is too large"
    )
    stage(view).click(position={"x": min(box["width"], 4 * 64) * 0.4, "y": 10})
    selected(view, "row_groups/1")
    title = view.page.locator(".pqx-query-title[data-group]")
    expect(title).to_have_attribute("data-group", "1")
    assert view.explorer.view == "query"


def test_the_pages_of_a_row_group_lead_to_their_bytes(show, path):
    view = show(path, where="n = 17", at="row_groups/1")
    assert marks(view, 1) == 3
    assert says(view, "Home", nth=1) == (
        "page 0 of n, rows 0 to 4: ruled out by the page index for n = 17: the max 14 is too small"
    )
    assert "may match for n = 17" in says(view, "ArrowRight", nth=1)
    with pqexplore.open(path) as file:
        chunk = file.row_groups[1].columns[0]
        start = chunk.offset_index.page_locations[1].offset
        assert bytes.fromhex(hot(view))[:8] == file.bytes(Span(start, start + 8))
    assert says(view, "End", nth=1) == "rows 5 to 9 of row group 1 are decoded"
    says(view, "Home", nth=1)
    view.page.keyboard.press("Enter")
    settle(view.page)
    assert re.match(r"row_groups/1/columns/0/pages/\d", view.explorer.selection)


def test_an_example_is_one_click(show, path):
    view = show(path, view="query")
    view.page.get_by_role("button", name="n BETWEEN 18 AND 21").click()
    view.page.locator('.pqx-query[data-asked="n BETWEEN 18 AND 21"]').wait_for()
    assert view.explorer.where == "n BETWEEN 18 AND 21"
    expect(view.page.locator(".pqx-query-examples")).to_have_count(0)


@pytest.mark.parametrize(("where", "words"), [("m > 1", "there is no column 'm'"), ("n >", "is not a condition")])
def test_a_wrong_condition_is_said_below_the_field(show, path, where, words):
    view = show(path, view="query")
    ask(view, where)
    error = view.page.locator(".pqx-query-error")
    expect(error).to_contain_text(words)
    expect(error).to_have_attribute("aria-live", "polite")
    expect(field(view)).to_have_attribute("aria-invalid", "true")
    expect(field(view)).to_have_value(where)
    ask(view, "n > 1")
    expect(error).to_have_text("")
    expect(field(view)).to_have_attribute("aria-invalid", "false")


def test_escape_takes_back_what_was_typed(show, path):
    view = show(path, where=WHERE, at="row_groups/1")
    field(view).fill("nonsense")
    field(view).press("Escape")
    expect(field(view)).to_have_value(WHERE)
    assert view.explorer.selection == "row_groups/1"


def test_a_late_answer_does_not_undo_what_is_typed(show, path):
    view = show(path, where=WHERE)
    field(view).fill("n > 3")
    view.go("row_groups/1")
    expect(field(view)).to_have_value("n > 3")
    assert view.explorer.where == WHERE
    field(view).press("Enter")
    view.page.locator('.pqx-query[data-asked="n > 3"]').wait_for()
    view.page.get_by_role("button", name="clear").first.click()
    settle(view.page)
    expect(field(view)).to_have_value("")


def test_a_slider_redraws_live_and_then_changes_the_condition(show, path):
    view = show(path, where="n > 17")
    slider = view.page.get_by_role("slider", name=re.compile("^n: literal 1"))
    expect(slider).to_have_attribute("aria-valuetext", "17")
    slider.focus()
    for _ in range(13):
        view.page.keyboard.press("ArrowRight")
    wait_until(view.page, "() => document.querySelector('.pqx-query').dataset.live === 'n > 30'")
    expect(view.page.locator(".pqx-answer > p")).to_contain_text("reads 1 of 4 row groups")
    view.page.locator('.pqx-query[data-asked="n > 30"]').wait_for()
    settle(view.page)
    assert view.explorer.where == "n > 30"
    expect(field(view)).to_have_value("n > 30")
    expect(slider).to_be_focused()
    took = float(view.page.locator(".pqx-query").get_attribute("data-took"))
    assert took < 1_000 * view.slow


def test_a_slider_of_a_long_name_is_one_line_and_keeps_the_end_of_it(show):
    name = "a_name_that_is_too_long_for_the_room_beside_a_slider_17"
    page = show(parquet(pa.table({name: [1, 2, 3]})), where=f"{name} > 1", view="query").page
    label = page.locator(".pqx-query-column")
    assert label.bounding_box()["height"] < 20
    end = label.locator(".pqx-end")
    expect(end).to_have_text("slider_17")
    assert end.evaluate("(e) => e.scrollWidth <= e.clientWidth")


def test_an_older_answer_does_not_move_a_slider_back(show, path):
    """The answer to a pause on the way came while the slider moved on, and put it back."""
    view = show(path, where="n > 17")
    slider = view.page.get_by_role("slider", name=re.compile("^n: literal 1"))
    slider.evaluate(
        """async (range) => {
          const move = (by) => {
            range.value = Number(range.value) + by;
            range.dispatchEvent(new Event("input"));
          };
          move(7);
          range.dispatchEvent(new Event("change"));
          await new Promise((done) => setTimeout(done, 251));  // the condition n > 24 has just been asked
          move(1);
        }"""
    )
    wait_until(view.page, "() => document.querySelector('.pqx-query').dataset.live === 'n > 25'")
    settle(view.page)
    assert view.explorer.where == "n > 24"
    expect(slider).to_have_attribute("aria-valuetext", "25")
    slider.evaluate("(range) => range.dispatchEvent(new Event('change'))")
    view.page.locator('.pqx-query[data-asked="n > 25"]').wait_for()
    settle(view.page)
    assert view.explorer.where == "n > 25"


def test_all_of_it_by_keys_alone(show, path):
    view = show(path, view="query")
    view.page.get_by_role("tab", name="Query").focus()
    for _ in range(12):
        view.page.keyboard.press("Tab")
        if field(view).evaluate("(e) => e === document.activeElement"):
            break
    view.page.keyboard.type("n = 17")
    view.page.keyboard.press("Enter")
    view.page.locator('.pqx-query[data-asked="n = 17"]').wait_for()
    settle(view.page)
    expect(field(view)).to_be_focused()
    for _ in range(12):
        view.page.keyboard.press("Tab")
        if stage(view).evaluate("(e) => e === document.activeElement"):
            break
    view.page.keyboard.press("End")
    view.page.keyboard.press("Enter")
    selected(view, "row_groups/3")
    expect(stage(view)).to_be_focused()
    view.page.keyboard.press("ArrowLeft")
    view.page.keyboard.press("Enter")
    selected(view, "row_groups/2")


def test_the_map_shows_what_is_not_read_until_the_condition_is_cleared(show, path):
    view = show(path, where=WHERE, view="overview")
    legend = view.page.locator(".pqx-legend .pqx-skipped-item")
    expect(legend).to_contain_text(f"not read by the query {WHERE}")
    wait_until(view.page, "() => Number(document.querySelector('.pqx-stage').dataset.skipped) > 0")
    legend.get_by_role("button", name="clear").click()
    expect(legend).to_have_count(0)
    wait_until(view.page, "() => document.querySelector('.pqx-stage').dataset.skipped === '0'")
    assert view.explorer.where == ""
    assert view.explorer.view == "overview"


def test_the_map_s_note_says_what_skips_a_tile(show, path):
    view = show(path, where=WHERE)
    stage_ = view.page.locator(".pqx-stage")
    settle(view.page)
    box = stage_.bounding_box()
    stage_.hover(position={"x": box["width"] * 0.25, "y": 8})
    expect(view.page.locator(".pqx-tip")).to_contain_text("not read by the query: row group 0 is skipped by bounds")


def test_other_lenses_say_what_is_not_read(show, path):
    view = show(path, where=WHERE, at="row_groups/1/columns/0", view="page_index")
    assert says(view, "Home").endswith("not read by the query")
    assert "not read" not in says(view, "End")
    view.page.get_by_role("tab", name="Statistics").click()
    view.page.locator(".pqx-ranges .pqx-board-stage[data-drawn]").wait_for()
    assert says(view, "Home") == "row group 0: 0 … 9, not read by the query"
    assert says(view, "ArrowDown") == "row group 1: 10 … 19"
    expect(view.page.locator(".pqx-picture .pqx-skipped-item")).to_contain_text(WHERE)


def test_the_bloom_lens_says_what_becomes_of_its_row_group(show, tmp_path):
    options = pqexplore.WriteOptions(row_group_rows=500, bloom_filter=True)
    keys = pa.table({"k": [f"{i:04d}" for i in np.random.default_rng(1).permutation(1_000)]})
    pqexplore.write(keys, tmp_path / "f", options)
    with pqexplore.open(tmp_path / "f") as file:
        there = "0500" in file.row_groups[0].columns[0].pages[0].values.to_pylist()
    skipped = 1 if there else 0
    view = show(tmp_path / "f", where="k = '0500'", at=f"row_groups/{skipped}/columns/0/bloom_filter", view="bloom")
    expect(view.page.locator(".pqx-bloom-query")).to_have_text(f"The query skips row group {skipped} by Bloom filter.")
    view.go(f"row_groups/{1 - skipped}/columns/0/bloom_filter")
    expect(view.page.locator(".pqx-bloom-query")).to_contain_text("The query reads row group")


def test_a_condition_set_in_python_moves_the_view(show, path):
    view = show(path, view="query")
    view.explorer.where = "n = 3"
    view.flush()
    view.page.locator('.pqx-query[data-asked="n = 3"]').wait_for()
    expect(field(view)).to_have_value("n = 3")


def test_without_a_kernel_the_form_is_disabled_and_says_why(show, path):
    page = show(path, view="query").page
    connection = "window.pqxBridge.receive({type: 'event', event: 'comm_live_update'})"
    page.evaluate(
        "() => { window.answers = window.pqxPython; window.pqxPython = () => new Promise(() => {}); "
        f"{connection}; }}"
    )
    where = page.get_by_role("textbox", name="WHERE")
    expect(where).to_be_disabled(timeout=20_000)
    expect(page.get_by_role("button", name="ask", exact=True)).to_be_disabled()
    expect(page.locator(".pqx-query-saved")).to_contain_text("run the cell again")
    expect(page.locator(".pqx-lost")).to_contain_text("The kernel does not answer")
    expect(page.locator(".pqx-map").first).to_be_visible()  # the last picture stays
    page.evaluate(f"() => {{ window.pqxPython = window.answers; {connection}; }}")
    expect(where).to_be_enabled(timeout=20_000)
    expect(page.locator(".pqx-query-saved")).to_be_hidden()
    expect(page.locator(".pqx-lost")).to_be_hidden()


def test_a_saved_page_keeps_the_answer_and_says_why_nothing_else_can_be_asked(show, browser, path, tmp_path):
    explorer = pqexplore.explore(path, where=WHERE, at="row_groups/1")
    page_path = tmp_path / "saved.html"
    page_path.write_text(explorer.to_html(budget=500_000), "utf-8")
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 1000})
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(page_path.as_uri())
    page.locator(f'.pqx-query[data-asked="{WHERE}"]').wait_for()
    settle(page)
    expect(page.get_by_role("textbox", name="WHERE")).to_be_disabled()
    expect(page.locator(".pqx-query-saved")).to_contain_text("open the file in a notebook")
    expect(page.locator(".pqx-answer > p")).to_contain_text("reads 2 of 4 row groups")
    expect(page.locator(".pqx-legend .pqx-skipped-item")).to_contain_text(WHERE)
    page.locator(".pqx-board-stage").first.focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.locator('.pqx[data-shown="row_groups/3"]').wait_for()
    expect(page.locator(".pqx-query")).to_be_visible()
    context.close()
    assert errors == []


@pytest.mark.full
@in_looks("light", "narrow-dark", full=("dark", "narrow", "zoomed", "forced-colours"))
@pytest.mark.parametrize("where", [WHERE, "m > 1"], ids=["asked", "wrong"])
def test_nothing_is_outside_cut_off_or_hard_to_use(show, path, look, where):
    view = show(path, where=where, **look)
    view.page.locator(".pqx-query").wait_for()
    assert misplaced(view.page) == []
    assert violations(view.page) == []


def test_a_thousand_row_groups_all_have_marks_and_reasons(show, tmp_path):
    pqexplore.write(pa.table({"n": range(1_000)}), tmp_path / "f", pqexplore.WriteOptions(row_group_rows=1))
    view = show(tmp_path / "f", where="n = 700", size=(420, 900))
    assert marks(view) == 1_000
    says(view, "End")
    expect(stage(view)).to_have_attribute(
        "aria-valuetext", "row group 999: skipped by bounds: n = 700: the min 999 is too large"
    )


def test_an_engine_is_chosen(show, path):
    view = show(path, where="city = 'Lima'")
    view.page.get_by_role("combobox", name="Engine").select_option("spark")
    expect(view.page.locator(".pqx-answer > p")).to_contain_text("Spark")
    settle(view.page)
    assert view.explorer.engine == "spark"
    assert view.explorer.where == "city = 'Lima'"


def test_rows_that_an_engine_may_lose_are_the_first_thing_below_the_condition(show, tmp_path):
    table = pa.table({"x": [3.0, 4.0, float("nan"), 1.0]})
    pq.write_table(table, tmp_path / "f", row_group_size=2)
    view = show(tmp_path / "f", where="x > 2.5", engine="duckdb")
    alert = view.page.locator(".pqx-query-danger")
    expect(alert).to_have_attribute("role", "alert")
    expect(alert).to_contain_text("⚠ This engine may lose rows")
    below = view.page.locator(".pqx-query > :not(:empty)")
    expect(below.nth(1)).to_contain_text("may lose rows")
    alert.get_by_role("button").first.click()
    settle(view.page)
    assert view.explorer.selection.startswith("row_groups/")
    view.page.get_by_role("combobox", name="Engine").select_option("format")
    expect(alert).to_have_count(0)


def test_advice_has_its_evidence_its_fix_and_code(show, tmp_path):
    write_sample("slow-unsorted", tmp_path / "f")
    view = show(tmp_path / "f", where="amount BETWEEN 449989 AND 549979")
    cause = view.page.locator('.pqx-query-cause[data-cause="unsorted"]')
    expect(cause).to_contain_text("amount")
    cause.locator("summary").first.click()
    expect(cause.locator("pre").first).to_contain_text("amount")
    assert "import pyarrow.parquet as pq\n" in cause.locator("pre").first.inner_text()
    expect(cause.get_by_role("button", name="copy").first).to_be_visible()
