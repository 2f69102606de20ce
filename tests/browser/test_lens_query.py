"""The query lens: type a condition, see what is read and what is skipped, move a literal; and what other views show."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.boards import hot, marks, says, selected, stage
from browser.harness import choose_lens, resize, settle, wait_until, without_kernel
from browser.looks import in_looks, misplaced, violations
from made import parquet
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.span import Span
from pqexplore.widget.operations import OPERATIONS

WHERE = "n BETWEEN 17 AND 25"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Four row groups of ten rows in pages of five: n is 0 to 39, city one for each row group."""
    table = pa.table(
        {"n": range(40), "city": np.repeat(["Bergen", "Lima", "Oslo", "Rome"], 10)},
        pa.schema([("n", pa.int64()), ("city", pa.string())]),
    )
    path = tmp_path_factory.mktemp("query") / "sales.parquet"
    pqexplore.write(table, path, pqexplore.WriteOptions(row_group_rows=10, page_rows=5, codec="UNCOMPRESSED"))
    return path


def field(view):
    return view.page.get_by_role("textbox", name="WHERE")


def asked(view, where):
    """Wait for the answer to a condition."""
    view.page.locator(f'.pqx-query[data-asked="{where}"]').wait_for()
    settle(view.page)


def ask(view, where):
    field(view).fill(where)
    field(view).press("Enter")
    asked(view, where)


def slider_of(view):
    return view.page.get_by_role("slider", name=re.compile("^n: literal 1"))


def test_an_example_and_a_row_group_are_one_click_and_pointing_says_why(show, path):
    view = show(path, view="query")
    page = view.page
    page.get_by_role("button", name="n BETWEEN 18 AND 21").click()
    asked(view, "n BETWEEN 18 AND 21")
    assert view.explorer.where == "n BETWEEN 18 AND 21"
    expect(page.locator(".pqx-query-examples")).to_have_count(0)
    ask(view, WHERE)
    legend = page.locator(".pqx-query").get_by_label("Legend").first
    expect(legend).to_have_text(re.compile(r"read 1.*some of its rows are read 1.*skipped by bounds 2"))
    wide = min(stage(view).bounding_box()["width"], 4 * 64)
    stage(view).hover(position={"x": wide * 0.9, "y": 10})
    expect(page.locator(".pqx-readout").first).to_have_text(
        "row group 3: skipped by bounds: n <= 25: the min 30 is too large"
    )
    stage(view).click(position={"x": wide * 0.4, "y": 10})
    selected(view, "row_groups/1")
    expect(page.locator(".pqx-query-title[data-group]")).to_have_attribute("data-group", "1")
    assert view.explorer.view == "query"


def test_all_of_it_by_keys_alone(show, path):
    view = show(path, view="query", opens=("bytes",))
    page = view.page

    def tab_to(locator):
        for _ in range(12):
            page.keyboard.press("Tab")
            if locator.evaluate("(e) => e === document.activeElement"):
                break

    page.get_by_role("tab", name="Query").focus()
    tab_to(field(view))
    page.keyboard.type("n = 17")
    page.keyboard.press("Enter")
    asked(view, "n = 17")
    expect(field(view)).to_be_focused()
    tab_to(stage(view))
    assert marks(view) == 4
    assert says(view, "Home") == "row group 0: skipped by bounds: n = 17: the max 9 is too small"
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    selected(view, "row_groups/3")
    expect(stage(view)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    selected(view, "row_groups/1")
    # the pages of the row group lead to their bytes
    assert marks(view, 1) == 3
    assert says(view, "Home", nth=1) == (
        "page 0 of n, rows 0 to 4: ruled out by the page index for n = 17: the max 14 is too small"
    )
    assert "may match for n = 17" in says(view, "ArrowRight", nth=1)
    file = view.explorer.file
    start = file.row_groups[1].columns[0].offset_index.page_locations[1].offset
    assert bytes.fromhex(hot(view))[:8] == file.bytes(Span(start, start + 8))
    assert says(view, "End", nth=1) == "rows 5 to 9 of row group 1 are decoded"
    says(view, "Home", nth=1)
    page.keyboard.press("Enter")
    settle(page)
    assert re.match(r"row_groups/1/columns/0/pages/\d", view.explorer.selection)


@pytest.mark.full
def test_the_field_keeps_what_is_typed_and_says_what_is_wrong_with_it(show, path):
    view = show(path, where=WHERE, at="row_groups/1")
    page, error = view.page, view.page.locator(".pqx-query-error")
    field(view).fill("nonsense")
    field(view).press("Escape")
    expect(field(view)).to_have_value(WHERE)
    assert view.explorer.selection == "row_groups/1"
    for where, words in (("m > 1", "there is no column 'm'"), ("n >", "is not a condition")):
        ask(view, where)
        expect(error).to_contain_text(words)
        expect(error).to_have_attribute("aria-live", "polite")
        expect(field(view)).to_have_attribute("aria-invalid", "true")
        expect(field(view)).to_have_value(where)
    ask(view, "n > 1")
    expect(error).to_have_text("")
    expect(field(view)).to_have_attribute("aria-invalid", "false")
    field(view).fill("n > 3")
    view.go("row_groups/2")  # its answer comes late
    expect(field(view)).to_have_value("n > 3")
    assert view.explorer.where == "n > 1"
    field(view).press("Enter")
    asked(view, "n > 3")
    page.get_by_role("button", name="clear").first.click()
    settle(page)
    expect(field(view)).to_have_value("")
    view.explorer.where = "n = 3"  # in Python
    view.flush()
    asked(view, "n = 3")
    expect(field(view)).to_have_value("n = 3")


def test_a_slider_redraws_live_and_then_changes_the_condition(show, path):
    view = show(path, where="n > 17")
    expect(slider_of(view)).to_have_attribute("aria-valuetext", "17")
    slider_of(view).focus()
    for _ in range(13):
        view.page.keyboard.press("ArrowRight")
    wait_until(view.page, "() => document.querySelector('.pqx-query').dataset.live === 'n > 30'")
    expect(view.page.locator(".pqx-answer > p")).to_contain_text("reads 1 of 4 row groups")
    asked(view, "n > 30")
    assert view.explorer.where == "n > 30"
    expect(field(view)).to_have_value("n > 30")
    expect(slider_of(view)).to_be_focused()


def test_an_older_answer_does_not_move_a_slider_back(show, path, monkeypatch):
    """The answer to a pause on the way came while the slider moved on, and put it back."""
    view = show(path, where="n > 17")
    slider, node, moved = slider_of(view), OPERATIONS["node"], []
    slide = "(range, by) => { range.value = Number(range.value) + by; range.dispatchEvent(new Event('input')); }"
    pause = "(range) => range.dispatchEvent(new Event('change'))"

    def meanwhile(file, **args):
        if view.explorer.where == "n > 24" and not moved:
            moved.append(slider.evaluate(slide, 1))
        return node(file, **args)

    monkeypatch.setitem(OPERATIONS, "node", meanwhile)
    slider.evaluate(slide, 7)
    slider.evaluate(pause)
    wait_until(view.page, "() => document.querySelector('.pqx-query').dataset.live === 'n > 25'")
    settle(view.page)
    assert view.explorer.where == "n > 24"
    expect(slider).to_have_attribute("aria-valuetext", "25")
    slider.evaluate(pause)
    asked(view, "n > 25")
    assert view.explorer.where == "n > 25"


def test_a_slider_of_a_long_name_is_one_line_and_keeps_the_end_of_it(show):
    name = "a_name_that_is_too_long_for_the_room_beside_a_slider_17"
    page = show(parquet(pa.table({name: [1, 2, 3]})), where=f"{name} > 1", view="query").page
    label = page.locator(".pqx-query-column")
    assert label.bounding_box()["height"] < 20
    end = label.locator(".pqx-end")
    expect(end).to_have_text("slider_17")
    assert end.evaluate("(e) => e.scrollWidth <= e.clientWidth")


def test_the_map_and_other_lenses_say_what_is_not_read_until_the_condition_is_cleared(show, path):
    view = show(path, where=WHERE, at="row_groups/1/columns/0", view="page_index", opens=("map",))
    page, map_ = view.page, view.page.locator(".pqx-stage")
    assert says(view, "Home").endswith("not read by the query")
    assert "not read" not in says(view, "End")
    choose_lens(page, "Statistics")
    page.locator(".pqx-ranges .pqx-board-stage[data-drawn]").wait_for()
    assert says(view, "Home") == "row group 0: 0 … 9, not read by the query"
    assert says(view, "ArrowDown") == "row group 1: 10 … 19"
    expect(page.locator(".pqx-picture .pqx-skipped-item")).to_contain_text(WHERE)
    map_.hover(position={"x": map_.bounding_box()["width"] * 0.25, "y": 8})
    expect(page.locator(".pqx-tip")).to_contain_text("not read by the query: row group 0 is skipped by bounds")
    legend = page.locator(".pqx-legend .pqx-skipped-item")
    expect(legend).to_contain_text(f"not read by the query {WHERE}")
    expect(map_).to_have_attribute("data-skipped", re.compile("[1-9]"))
    legend.get_by_role("button", name="clear").click()
    expect(legend).to_have_count(0)
    expect(map_).to_have_attribute("data-skipped", "0")
    assert (view.explorer.where, view.explorer.view) == ("", "statistics")


def test_the_bloom_lens_says_what_becomes_of_its_row_group(show, tmp_path):
    options = pqexplore.WriteOptions(row_group_rows=500, bloom_filter=True)
    keys = pa.table({"k": [f"{i:04d}" for i in np.random.default_rng(1).permutation(1_000)]})
    pqexplore.write(keys, tmp_path / "f", options)
    skipped = 1 if "0500" in keys["k"].slice(0, 500).to_pylist() else 0
    view = show(tmp_path / "f", where="k = '0500'", at=f"row_groups/{skipped}/columns/0/bloom_filter", view="bloom")
    expect(view.page.locator(".pqx-bloom-query")).to_have_text(f"The query skips row group {skipped} by Bloom filter.")
    view.go(f"row_groups/{1 - skipped}/columns/0/bloom_filter")
    expect(view.page.locator(".pqx-bloom-query")).to_contain_text("The query reads row group")


@pytest.mark.full
def test_without_a_kernel_the_form_is_disabled_and_says_why(show, path):
    view = show(path, view="query")
    page, ask_ = view.page, view.page.get_by_role("button", name="ask", exact=True)
    with without_kernel(page):
        expect(field(view)).to_be_disabled()
        expect(ask_).to_be_disabled()
        expect(page.locator(".pqx-query-saved")).to_contain_text("run the cell again")
        expect(page.locator(".pqx-lost")).to_contain_text("The kernel does not answer")
        expect(page.locator(".pqx-map").first).to_be_visible()  # the last picture stays
    expect(field(view)).to_be_enabled()
    expect(page.locator(".pqx-query-saved")).to_be_hidden()
    expect(page.locator(".pqx-lost")).to_be_hidden()


@pytest.mark.full
def test_a_saved_page_keeps_the_answer_and_says_why_nothing_else_can_be_asked(saved, path):
    page = saved(pqexplore.explore(path, where=WHERE, at="row_groups/1"), budget=500_000)
    page.locator(f'.pqx-query[data-asked="{WHERE}"]').wait_for()
    expect(page.get_by_role("textbox", name="WHERE")).to_be_disabled()
    expect(page.locator(".pqx-query-saved")).to_contain_text("open the file in a notebook")
    expect(page.locator(".pqx-answer > p")).to_contain_text("reads 2 of 4 row groups")
    expect(page.locator(".pqx-legend .pqx-skipped-item")).to_contain_text(WHERE)
    page.locator(".pqx-board-stage").first.focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.locator('.pqx[data-shown="row_groups/3"]').wait_for()
    expect(page.locator(".pqx-query")).to_be_visible()


def test_a_saved_page_has_the_answers_to_the_conditions_that_it_offers(saved, path):
    page = saved(pqexplore.explore(path, view="query"), budget=500_000)
    offered = page.locator(".pqx-query-examples")
    expect(offered).to_contain_text("Conditions that this page has the answer to")
    expect(page.get_by_role("textbox", name="WHERE")).to_be_disabled()
    for where, words in (
        ("n BETWEEN 18 AND 21", "reads 2 of 4 row groups"),
        ("city = 'Oslo'", "reads 1 of 4 row groups"),
    ):
        offered.get_by_role("button", name=where).click()
        page.locator(f'.pqx-query[data-asked="{where}"]').wait_for()
        expect(page.locator(".pqx-answer > p")).to_contain_text(words)
        expect(page.locator(".pqx-query-stages")).to_be_visible()
        expect(page.locator(".pqx-legend .pqx-skipped-item")).to_contain_text(where)
    page.get_by_role("button", name="clear").first.click()
    expect(page.locator(".pqx-query-stages")).to_have_count(0)
    expect(page.locator(".pqx-trouble")).to_have_count(0)


@pytest.mark.full
@in_looks("light", "narrow-dark", full=("dark", "narrow", "zoomed", "forced-colours"))
@pytest.mark.parametrize("where", [WHERE, "m > 1"], ids=["asked", "wrong"])
def test_nothing_is_outside_cut_off_or_hard_to_use(show, path, look, where):
    view = show(path, where=where, **look)
    view.page.locator(".pqx-query").wait_for()
    assert misplaced(view.page) == []
    assert violations(view.page) == []


def test_rows_that_an_engine_may_lose_are_the_first_thing_below_the_sentence(show, tmp_path):
    table = pa.table({"x": [3.0, 4.0, float("nan"), 1.0]})
    pq.write_table(table, tmp_path / "f", row_group_size=2)
    view = show(tmp_path / "f", where="x > 2.5", engine="duckdb")
    engine, alert = view.page.get_by_role("combobox", name="Engine"), view.page.locator(".pqx-query-danger")
    expect(alert).to_have_attribute("role", "alert")
    expect(alert).to_contain_text("⚠ This engine may lose rows")
    expect(view.page.locator(".pqx-query > :not(:empty)").first).to_contain_text("may lose rows")
    alert.get_by_role("button").first.click()
    settle(view.page)
    assert view.explorer.selection.startswith("row_groups/")
    engine.select_option("spark")
    expect(view.page.locator(".pqx-answer > p")).to_contain_text("Spark")
    settle(view.page)
    assert (view.explorer.engine, view.explorer.where) == ("spark", "x > 2.5")
    engine.select_option("format")
    expect(alert).to_have_count(0)


def test_advice_has_its_evidence_its_fix_and_code(show, sample):
    page = show(sample("slow-unsorted"), where="amount BETWEEN 449989 AND 549979").page
    cause = page.locator('.pqx-query-cause[data-cause="unsorted"]')
    expect(cause).to_contain_text("amount")
    cause.locator("summary").first.click()
    expect(cause.locator("pre").first).to_contain_text("amount")
    assert "import pyarrow.parquet as pq\n" in cause.locator("pre").first.inner_text()
    expect(cause.get_by_role("button", name="copy").first).to_be_visible()


def test_a_long_condition_is_seen_whole_and_the_stages_are_the_first_thing_below_the_sentence(show, path):
    where = " OR ".join(f"(n = {i} AND city <> 'Lima')" for i in range(12))
    view = show(path, where=where, view="query", size=(400, 900))
    height = "(el) => [el.scrollHeight, el.clientHeight]"
    for width in (400, 1000):
        resize(view.page, width, 900)
        needed, has = field(view).evaluate(height)
        assert needed <= has
    assert has > 28
    places = [
        view.page.locator(one).first.bounding_box()["y"]
        for one in (
            ".pqx-query-form",
            ".pqx-answer > p",
            ".pqx-query-stages",
            ".pqx-query-sliders",
            ".pqx-query .pqx-keys",
        )
    ]
    assert places == sorted(places)
    field(view).fill("n = 3")
    assert field(view).bounding_box()["height"] < 40
    field(view).press("Shift+Enter")
    expect(field(view)).to_have_value("n = 3\n")
    field(view).press("Enter")
    asked(view, "n = 3")


def test_below_the_stages_a_sentence_says_why_a_condition_skips_little_and_none_where_it_skips_much(show, tmp_path):
    table = pa.table({"price": [1, 9, 1, 9, 2, 9, 1, 9], "day": range(8)})
    pq.write_table(table, tmp_path / "f", row_group_size=2, use_dictionary=False)
    view = show(tmp_path / "f", where="price = 6", view="query")
    why = view.page.locator(".pqx-query-stages + .pqx-query-more")
    expect(why).to_contain_text(" is not sorted across row groups: each row group spans nearly the whole range.")
    expect(why.locator("code")).to_contain_text("price")
    ask(view, "price = 6 AND day = 3")
    expect(why).to_have_count(0)


def test_columns_and_values_complete_a_condition_by_keys_alone(show, path):
    view = show(path, view="query")
    page, offers = view.page, view.page.get_by_role("listbox", name="What can follow")
    field(view).focus()
    page.keyboard.type("it")
    option = offers.get_by_role("option")
    expect(option).to_have_text(["citySTRING"])
    page.keyboard.press("ArrowDown")
    expect(field(view)).to_have_attribute("aria-activedescendant", option.first.get_attribute("id"))
    page.keyboard.press("Enter")
    expect(field(view)).to_have_value("city")
    page.keyboard.type(" = 'R")
    expect(option).to_have_text(["'Rome'max"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    expect(field(view)).to_have_value("city = 'Rome'")
    expect(offers).to_be_hidden()
    expect(field(view)).to_be_focused()
    assert view.explorer.where == ""
    page.keyboard.type(" AND n")
    expect(offers).to_be_hidden()
    page.keyboard.type(" >")
    expect(option.first).to_have_text("0min")
    page.keyboard.press("Escape")
    expect(offers).to_be_hidden()
    expect(field(view)).to_have_value("city = 'Rome' AND n >")
    page.keyboard.type(" 3")
    expect(option.first).to_have_text("39max")
    page.keyboard.press("Enter")  # nothing was chosen: it asks what was typed
    asked(view, "city = 'Rome' AND n > 3")
    expect(offers).to_be_hidden()


def test_what_completes_a_condition_is_text_whatever_the_file_says(show):
    evil = "<img src=x onerror=alert(1)>"
    page = show(parquet(pa.table({evil: ["<b>a</b>", "<b>z</b>"]})), view="query").page
    written = page.get_by_role("textbox", name="WHERE")
    written.focus()
    page.keyboard.type("img")
    option = page.get_by_role("listbox", name="What can follow").get_by_role("option")
    option.first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(written).to_have_value(f"`{evil}`")
    page.keyboard.type(" = ")
    expect(option).to_have_text(["'<b>a</b>'min", "'<b>z</b>'max"])
    assert page.locator(".pqx-query-offers :is(img, b)").count() == 0
