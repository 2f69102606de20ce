"""The lens `what_if`: the matrix of a column, trying a file, what is chosen for the new file, and writing it."""

import re
import time

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from browser.boards import answer, marks, says, selected, stage
from browser.harness import settle, without_kernel
from browser.looks import in_looks, misplaced, violations
from playwright.sync_api import expect

import pqexplore
from pqexplore.insight.lenses.what_if import trials
from pqexplore.insight.what_if.saving import Kind, Saving
from pqexplore.widget.operations import OPERATIONS

ROWS = 20_000
TABLE = pa.table(
    {"id": pa.array(range(ROWS), pa.int64()), "city": [("Oslo", "Rome", "Lima")[i % 3] for i in range(ROWS)]}
)


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(TABLE, "cities.parquet", row_group_size=20_000, compression="none")
    return "cities.parquet"


def try_(view):
    view.page.get_by_role("button", name="try").click()
    view.page.locator(".pqx-whatif-choose").wait_for()
    settle(view.page)
    return view


@pytest.fixture
def tried(show, path):
    """A view of the file after it was tried."""
    return try_(show(path, view="what_if"))


def slider(page, name):
    return page.get_by_role("slider", name=name)


def asked(view, text):
    """Wait for the answer to a choice."""
    view.page.locator(f'.pqx-whatif-choose[data-asked="{text}"]').wait_for()
    settle(view.page)


def said(view):
    return view.page.locator(".pqx-whatif-choose .pqx-whatif-said")


def test_a_column_begins_at_its_best_choice_and_keys_go_through_the_others(show, path):
    view = show(path, at="row_groups/0/columns/1", view="what_if")
    [one] = pqexplore.what_if(path, ["city"]).columns
    assert marks(view) == len(one.sizes)
    text = stage(view).get_attribute("aria-valuetext")
    assert text.startswith(f"{one.best.encoding_name}, {one.best.codec_name}")
    assert f": {round(one.sizes[one.best].bytes.total):,} B" in text and text.endswith("the best")
    assert says(view, "Home").startswith("PLAIN, UNCOMPRESSED: ")
    assert "not read by Spark" in says(view, "End")
    view.page.keyboard.press("Enter")
    selected(view, "schema/2")
    expect(view.page.locator('.pqx-lens[data-lens="what_if"]')).to_have_count(1)


def test_a_file_is_tried_only_when_that_is_asked_and_a_column_is_one_key_away(show, path):
    view = show(path, view="what_if")
    expect(view.page.locator(".pqx-ask")).to_contain_text("takes up to 20 s")
    assert trials.known(view.explorer.file) is None
    try_(view)
    assert answer(view) == pqexplore.what_if(path).sentence
    assert says(view, "Home").startswith("all columns: ")
    says(view, "ArrowDown", "Enter")
    view.shown(view.explorer.selection)
    assert view.explorer.selection in ("schema/1", "schema/2")
    view.go("")  # it is known now, and not asked about again
    expect(view.page.locator(".pqx-whatif-choose")).to_have_count(1)


def test_a_slider_predicts_the_new_file_and_drops_answers_to_older_choices(tried, monkeypatch):
    expect(said(tried)).to_contain_text("in 1 row group. That is exact.")
    groups, predict = slider(tried.page, "rows of a row group"), OPERATIONS["ask_what_if"]
    expect(groups).to_have_attribute("aria-valuetext", "20,000 rows")
    groups.focus()
    tried.page.keyboard.press("Home")
    asked(tried, "20000 10000")
    expect(said(tried)).to_contain_text("in 2 row groups. That is exact.")
    expect(groups).to_have_attribute("aria-valuetext", "10,000 rows")
    expect(groups).to_be_focused()
    assert marks(tried, 1) == 3 + 5  # two chunks, then four, and the rest of each
    assert says(tried, "End", nth=1).startswith("predicted: footer: ")
    code = tried.page.locator('details[data-writer="pqexplore"] pre')
    expect(code).to_contain_text("row_group_rows=10000")
    move = "(range, to) => { range.value = to; range.dispatchEvent(new Event('input')); }"
    meanwhile = [1]

    def late(file, **chosen):
        if meanwhile:
            groups.evaluate(move, meanwhile.pop())
        return predict(file, **chosen)

    monkeypatch.setitem(OPERATIONS, "ask_what_if", late)
    groups.evaluate(move, 0)
    asked(tried, "20000 20000")
    expect(said(tried)).to_contain_text("in 1 row group.")
    expect(groups).to_have_attribute("aria-valuetext", "20,000 rows")


def test_the_file_is_written_beside_the_notebook_and_nothing_is_overwritten(tried, path):
    page, write = tried.page, tried.page.get_by_role("button", name="write the file")
    expect(page.get_by_label("new file")).to_have_value("cities-smaller.parquet")
    write.click()
    result = page.locator(".pqx-whatif-write .pqx-whatif-said")
    expect(result).to_contain_text("✓ cities-smaller.parquet is written")
    assert pq.read_table("cities-smaller.parquet").equals(pq.read_table(path))
    expect(result).to_contain_text(re.search(r"has (\S+ \S+),", said(tried).inner_text())[1])
    write.click()
    expect(result).to_contain_text("already; choose another name")


def test_writing_can_be_stopped_and_leaves_nothing(tried, tmp_path, monkeypatch):
    def endless(*given, progress, **more):
        while True:
            progress(0.3)
            time.sleep(0.01)

    monkeypatch.setattr(trials, "rewrite", endless)
    tried.page.get_by_role("button", name="write the file").click()
    tried.page.get_by_role("button", name="stop writing").click()
    expect(tried.page.locator(".pqx-whatif-write .pqx-whatif-said")).to_contain_text("Stopped")
    settle(tried.page)
    assert [one.name for one in tmp_path.iterdir()] == ["cities.parquet"]


def test_savings_say_their_sentence_and_an_order_is_a_choice(show, path, monkeypatch):
    found = Saving(
        Kind.ORDER, None, "sorted by city", 90_000, 70_200, 20, True, "Sorted, it has longer runs.", sort=("city",)
    )

    def looking(file, columns, clock):
        yield 0.5
        return [found]

    monkeypatch.setattr("pqexplore.insight.what_if.savings.FINDERS", (looking,))
    page = try_(show(path, view="what_if")).page
    one = page.locator('.pqx-whatif-savings li[data-kind="sort order"]')
    expect(one).to_contain_text("90.0 kB → ~70.2 kB, 78 %, ± 20 B")
    expect(one).to_contain_text("Sorted, it has longer runs.")
    orders = page.get_by_label("order of the rows")
    expect(orders.locator("option")).to_have_text(["as it is", "sorted by city"])
    one.get_by_role("checkbox").check()
    expect(orders).to_have_value("1")
    orders.select_option("as it is")
    expect(one.get_by_role("checkbox")).not_to_be_checked()


def test_a_click_on_a_change_reshapes_the_headline_at_once_and_a_type_is_chosen_for_the_new_file(
    show, path, monkeypatch
):
    text = pc.cast(pa.array([i * 7_919 % ROWS for i in range(ROWS)], pa.int32()).cast(pa.date32()), pa.string())
    pq.write_table(TABLE.append_column("day", text), path)
    view = try_(show(path, view="what_if"))
    page, predict, held = view.page, OPERATIONS["ask_what_if"], [True]

    def late(file, **chosen):
        while held:
            yield 0.5
        return (yield from predict(file, **chosen))

    monkeypatch.setitem(OPERATIONS, "ask_what_if", late)
    change = page.locator('.pqx-whatif-savings li[data-kind="type"]', has_text="day")
    expect(change).to_contain_text("DATE instead of STRING")
    box, head = change.get_by_role("checkbox"), page.locator(".pqx-answer > p")
    box.focus()
    page.keyboard.press("Space")
    expect(head).to_contain_text("The new file has about ")
    expect(said(view)).to_have_text("Trying it…")
    held.clear()
    asked(view, "20000 20000 day date32")
    expect(head).to_have_text(re.compile("^The new file has .* That is exact"))
    expect(box).to_be_checked()
    expect(box).to_be_focused()
    expect(page.locator('details[data-writer="pqexplore"] pre')).to_contain_text("types={'day': 'date32'}")
    page.get_by_role("button", name="write the file").click()
    expect(page.locator(".pqx-whatif-write .pqx-whatif-said")).to_contain_text("✓ cities-smaller.parquet is written")
    assert pq.read_schema("cities-smaller.parquet").field("day").type == pa.date32()
    page.keyboard.press("Escape")


def test_a_file_in_memory_is_not_written_and_says_why(show, path):
    with open(path, "rb") as held:
        page = try_(show(held.read(), view="what_if")).page
    expect(page.get_by_role("button", name="write the file")).to_be_disabled()
    expect(page.locator(".pqx-whatif-write")).to_contain_text("Only a local file")


@pytest.mark.full
def test_without_a_kernel_and_in_a_saved_page_nothing_can_be_chosen_or_written(tried, saved):
    page, write = tried.page, tried.page.get_by_role("button", name="write the file")
    text, sentence = tried.explorer.to_html(budget=500_000), answer(tried)
    with without_kernel(page):
        expect(write).to_be_disabled()
        expect(slider(page, "rows of a page")).to_be_disabled()
        expect(page.locator(".pqx-whatif-write")).to_contain_text("The kernel does not answer")
    expect(write).to_be_enabled()
    expect(slider(page, "rows of a page")).to_be_enabled()
    page = saved(text)
    expect(page.locator(".pqx-answer > p")).to_have_text(sentence)
    expect(slider(page, "rows of a page")).to_be_disabled()
    expect(page.get_by_role("button", name="write the file")).to_be_disabled()
    expect(page.locator(".pqx-whatif-write")).to_contain_text("This is a saved page")


@pytest.mark.full
def test_a_saved_page_without_a_trial_says_how_to_get_one(saved, path):
    page = saved(pqexplore.explore(path, view="what_if"))
    expect(page.locator(".pqx-ask")).to_contain_text("open the file in a notebook")
    expect(page.get_by_role("button", name="try")).to_have_count(0)


def test_results_come_best_first_while_it_computes(show, path, monkeypatch):
    view, whole, held = show(path, view="what_if"), trials.trial.steps, [True]

    def slow(*given):
        made = yield from whole(*given)
        while held:
            yield 0.9
        return made

    monkeypatch.setattr(trials.trial, "steps", slow)
    view.page.get_by_role("button", name="try").click()
    found = view.page.locator(".pqx-ask-found")
    expect(found).to_contain_text("2 of 2 columns tried, the largest saving first:")
    rows = [one.column for one in trials.what_if_so_far(view.explorer.file).rows]
    expect(found.locator("li strong")).to_have_text(rows)
    assert rows[0] == "id"
    held.clear()
    view.page.locator(".pqx-whatif-choose").wait_for()
    expect(found).to_have_count(0)
    assert trials.what_if_so_far(view.explorer.file).rows == []


def test_the_work_can_be_stopped_and_begun_again(show, path, monkeypatch):
    def endless(file, *given):
        while True:
            yield 0.4

    view = show(path, view="what_if")
    with monkeypatch.context() as patched:
        patched.setattr("pqexplore.insight.what_if.trial._steps", endless)
        view.page.get_by_role("button", name="try").click()
        expect(view.page.locator(".pqx-progress")).to_contain_text("20 %")
        view.page.get_by_role("button", name="stop").click()
        expect(view.page.locator(".pqx-detail")).to_contain_text("Stopped")
        settle(view.page)
    assert trials.known(view.explorer.file) is None


@pytest.mark.full
@in_looks("light", "narrow-dark", full=("zoomed", "forced-colours"))
def test_the_file_in_every_look(show, path, look):
    view = try_(show(path, view="what_if", **look))
    assert misplaced(view.page) == []
    assert violations(view.page) == []
