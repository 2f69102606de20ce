"""The panels of a lake: files, drift, overlap, what a query reads, stored questions, a Metadatastore; names keep their end."""

import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.harness import settle
from browser.looks import misplaced
from browser.test_stage import WITHOUT_CUE, seen
from playwright.sync_api import expect

from pqexplore.lake import scan

ANSWER = ".pqx-answer"
SCREEN = (1280, 780)


def test_the_files_by_size_and_rows_and_a_brush_that_keeps_those_under_it(look, lake):
    view = look(lake, "fleet")
    page, stage = view.page, view.page.locator(".pqx-fleet")
    squares = json.loads(stage.get_attribute("data-squares"))
    assert sum(files for _, _, files in squares) == 12
    assert sum(files for _, rows, files in squares if rows < 0) == 1
    expect(page.get_by_role("grid")).to_contain_text("part-large.parquet")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    # the right half of the picture has the one large file
    page.mouse.move(box["x"] + box["width"] * 0.72, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 12, box["y"] + 215, steps=5)
    page.mouse.up()
    expect(page.locator(ANSWER)).to_contain_text("1 file that passes the filters has 50,000 rows")
    low, high = json.loads(view.explorer.filters)["size"]
    assert low < 800_000 < high
    view.tab("Columns")
    expect(page.locator(".pqx-bars li").first).to_contain_text("city")
    page.get_by_role("button", name="all files again").click()
    expect(page.locator('.pqx-lake[data-shown="columns"]')).to_be_visible()
    assert view.explorer.filters == ""


@pytest.mark.full
def test_the_boxes_filter_without_a_pointer_and_a_panel_without_anything_looks_empty(look, lake, sound):
    page = look(lake, "fleet").page
    page.get_by_label("rows from").fill("500")
    page.get_by_label("rows from").press("Enter")
    expect(page.locator(ANSWER)).to_contain_text("7 files that pass the filters")
    page.get_by_role("button", name=re.compile("Remove the filter: rows from 500")).click()
    expect(page.locator(ANSWER)).to_contain_text("12 files")
    findings = page.get_by_role("tab", name="Findings")
    expect(findings).to_have_class("pqx-tab")
    page.get_by_label("status").select_option("ok")
    expect(findings).to_have_class("pqx-tab pqx-tab-empty")
    page.get_by_role("button", name="all files again").click()
    expect(findings).to_have_class("pqx-tab")
    page.get_by_role("columnheader", name="row groups").hover()
    expect(page.get_by_role("tooltip")).to_contain_text("row group")
    drift = (page := look(sound).page).get_by_role("tab", name="Schema drift")
    expect(drift).to_have_class("pqx-tab pqx-tab-empty")
    expect(drift).to_have_attribute("title", "All 2 files have the same columns.")
    expect(drift).to_have_accessible_name(re.compile("Schema drift ?, empty"))
    expect(page.get_by_role("tab", name="Overlap")).to_have_class("pqx-tab")


def test_a_bar_opens_its_file_at_its_address_and_back(look, lake, folder):
    view = look(lake, "columns")
    page = view.page
    page.locator(".pqx-bars button").first.click()
    view.opened("row_groups/0/columns/1")
    assert view.explorer.file == str(folder / "part-large.parquet")
    assert view.explorer.selection == "row_groups/0/columns/1"
    expect(page.locator(".pqx-identity").nth(1)).to_contain_text("50,000 rows")
    page.get_by_role("tree").get_by_text("footer", exact=True).click()
    view.opened("footer")
    page.get_by_role("button", name="all files").click()
    expect(page.get_by_role("tab", name="Columns")).to_be_visible()
    assert (view.explorer.file, view.explorer.selection) == ("", "")


def test_a_file_that_cannot_be_read_or_lies_outside_says_so_when_it_is_opened(look, lake, folder, tmp_path):
    pq.write_table(pa.table({"x": [1]}), tmp_path / "other.parquet")
    view = look(lake)
    for path, words in ((folder / "broken.parquet", "footer"), (tmp_path / "other.parquet", "the lake has no file")):
        view.explorer.file = str(path)
        view.flush()
        expect(view.page.get_by_role("alert")).to_contain_text(words)


def test_drift_is_a_row_for_each_schema_with_what_differs(look, lake):
    page = look(lake, "drift").page
    rows = page.get_by_role("list", name="Schemas").get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("the most common, 2 columns")
    expect(rows.last.locator('[data-kind="differs"]')).to_have_text(re.compile(r"^id is INT\d\d, not INT\d\d$"))
    expect(page.locator(".pqx-schemas")).not_to_contain_text("city")
    table = page.get_by_role("grid", name="definitions of columns that differ")
    expect(table).to_have_attribute("aria-rowcount", "3")  # two definitions of id, below the head
    page.get_by_role("button", name=re.compile("1 file$")).press("Enter")
    expect(page.locator(ANSWER)).to_contain_text("One file alone")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("the same in all files")


def test_overlap_and_the_ranges_of_a_column(look, lake):
    page = look(lake, "overlap").page
    # ids of the small files follow one another; the large file has another type, and is not compared with them
    bars = page.locator(".pqx-bars li")
    expect(bars.filter(has_text="id").first).to_have_attribute("data-value", re.compile("1 of 10 files"))
    note = page.locator(".pqx-ranges-note")
    page.locator('.pqx-ranges-stage[data-column="id"]').hover(position={"x": 10, "y": 2})
    expect(note).to_contain_text(re.compile(r"^part-0\.parquet: 0 to 99$"))
    page.mouse.move(0, 0)
    expect(note).to_contain_text("Point at a line")
    page.locator(".pqx-bars button", has_text="city STRING").click()
    lines = json.loads(page.locator('.pqx-ranges-stage[data-column="city"]').get_attribute("data-lines"))
    # Bern, Lima, Oslo: ten files reach from Lima to Oslo, one has Bern alone
    assert sorted(map(tuple, lines)) == [(0, 0)] + [(1, 2)] * 10
    assert page.locator(".pqx-ranges-ends > span").all_inner_texts() == ["Bern", "Oslo"]


def test_the_overlap_leads_with_partition_columns(look, troubled):
    page = look(troubled, "overlap").page
    expect(page.locator(".pqx-bars button").first).to_have_text("date partition folder")
    stage = page.locator('.pqx-ranges-stage[data-column="date"]')
    lines = json.loads(stage.get_attribute("data-lines"))
    assert len(lines) == 20 and {low for low, _ in lines} == set(range(7))
    stage.hover(position={"x": 10, "y": 2})
    expect(page.locator(".pqx-ranges-note")).to_have_text("date=2026-11-03/part-0000.parquet: 2026-11-03 to 2026-11-03")


def ask(view, where):
    box = view.page.get_by_label("Condition in SQL")
    box.fill(where)
    box.press("Enter")
    settle(view.page)


def test_a_condition_shows_which_files_are_read_and_a_file_opens_with_it(look, lake, folder):
    view = look(lake, "query")
    page, files = view.page, view.page.locator(".pqx-query-file")
    ask(view, "id >= 9000 AND city = 'Oslo'")
    assert (view.explorer.where, view.explorer.engine) == ("id >= 9000 AND city = 'Oslo'", "format")
    expect(page.get_by_label("What each kind of evidence leaves").locator("li").first).to_contain_text("file")
    kept, skipped, unreadable = (
        page.locator(f'.pqx-query-file[data-kept="{k}"]') for k in ("true", "false", "unreadable")
    )
    expect(kept.first).to_have_attribute("title", re.compile("part-9.parquet"))
    assert skipped.count() >= 8
    assert "skipped" in skipped.first.get_attribute("title")
    expect(unreadable).to_have_count(1)
    words = re.compile("broken.parquet: not skipped: the file cannot be read: the footer")
    expect(unreadable).to_have_attribute("title", words)
    legend = page.get_by_label("Legend").locator("li")
    assert legend.all_inner_texts() == ["read", "not skipped: the file cannot be read", "skipped by bounds"]
    ask(view, "id >= 9400")
    files.and_(page.locator('[title*="part-9.parquet"]')).click()
    page.locator('.pqx[data-shown="file"] .pqx-query[data-asked="id >= 9400"]').wait_for()
    assert view.explorer.file == str(folder / "part-9.parquet")
    expect(page.locator(".pqx-of-lake .pqx-answer > p")).to_contain_text("reads 2 of 2 row groups")


@pytest.mark.full
def test_a_wrong_condition_keeps_its_field(look, lake):
    view = look(lake, "query")
    page, trouble = view.page, view.page.locator(".pqx-typed-trouble")
    ask(view, "id >")
    expect(trouble).to_contain_text("is not a condition")
    expect(page.locator(ANSWER)).to_be_hidden()
    ask(view, "id > 5")
    expect(trouble).to_have_count(0)
    expect(page.locator(ANSWER)).to_be_visible()
    ask(view, "id >")
    view.tab("Columns")
    view.tab("Ask")
    expect(page.get_by_label("Condition in SQL")).to_have_value("id >")
    expect(trouble).to_contain_text("is not a condition")
    page.get_by_role("button", name="clear").click()
    expect(page.locator(".pqx-answer > p")).to_contain_text("Type a condition")
    assert view.explorer.where == ""


def test_a_stored_query_is_chosen_and_keeps_the_focus(look, lake):
    page = look(lake, "asked").page
    choice = page.get_by_label("question", exact=True)
    choice.focus()
    choice.select_option("writers")
    expect(page.locator(ANSWER)).to_contain_text("Which programs wrote the files")
    expect(page.get_by_role("grid")).to_contain_text("parquet-cpp-arrow")
    expect(choice).to_be_focused()


def test_a_metadatastore_and_a_condition(look, store):
    view = look(store)
    page = view.page
    expect(page.locator(ANSWER)).to_contain_text("10 objects")
    known = page.locator(".pqx-indexes li").evaluate_all("(all) => all.map((li) => li.dataset.known)")
    assert known == ["10", "10"]
    view.tab("What a query skips")
    page.get_by_label("Condition in SQL").fill("id = 3050")
    page.get_by_role("button", name="evaluate").click()
    expect(page.locator(ANSWER)).to_contain_text("1 of 10 objects must be read")
    expect(page.locator("[data-verdict=skipped]")).to_have_attribute("data-count", "9")
    expect(page.locator(".pqx-verdicts i.pqx-verdict-1")).to_have_count(9)
    expect(page.get_by_role("grid")).to_contain_text("part-3.parquet")
    page.get_by_label("Condition in SQL").fill("id <>")
    page.get_by_role("button", name="evaluate").click()
    expect(page.get_by_role("alert")).to_be_visible()


def test_a_metadatastore_begins_with_what_is_wrong_and_names_objects_by_their_end(look, store):
    view = look(store, size=(400, 800))
    page, headline = view.page, view.page.locator(".pqx-headline")
    expect(headline).to_have_text(re.compile(r"xskipper loses rows of some queries, by 1 of 2"))
    expect(headline.get_by_role("img")).to_have_attribute("aria-label", "wrong answer possible")
    names = page.get_by_role("grid").locator("[role=row] .pqx-goes")
    assert re.fullmatch(r"part-0\.parquet#\d+", names.first.text_content())
    # back, forward and the palette are here, too
    view.tab("What a query skips")
    page.keyboard.press("Alt+ArrowLeft")
    page.locator('.pqx-lake[data-shown="objects"]').wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").fill("part-3")
    found = page.get_by_role("listbox", name="Found").get_by_role("option")
    expect(found).to_have_count(1)
    expect(found.locator(".pqx-found-name")).to_have_text("part-3.parquet")


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Three files with thirty columns; each column is of another type in the last file."""
    root = tmp_path_factory.mktemp("wide")
    for n in range(3):
        made = {f"c{i:02}": np.arange(n, n + 9, dtype="i4" if n > 1 else "i8") for i in range(30)}
        pq.write_table(pa.table(made), root / f"part-{n}.parquet")
    return scan(None, str(root), out=tmp_path_factory.mktemp("wide-tables"), processes=0)


@pytest.mark.full
def test_the_ranges_that_are_asked_for_are_seen(look, wide):
    page = look(wide, "overlap", size=SCREEN).page
    bars = page.locator(".pqx-bars li")
    expect(bars).to_have_count(30)
    assert sum(bar.is_visible() for bar in bars.all()) == 10
    page.get_by_role("button", name="show 20 more").press("Enter")
    expect(page.get_by_role("button", name="show the first 10 only")).to_be_focused()
    page.locator(".pqx-bars button").last.press("Enter")
    name = page.locator(".pqx-bars .pqx-bar-name").last.get_attribute("title").split()[0]
    expect(page.locator(".pqx-ranges h4")).to_have_text(f"Ranges of {name}, a line for each file")
    settle(page)
    assert seen(page, ".pqx-ranges-stage")


@pytest.mark.parametrize("size", [SCREEN, (400, 800)])
def test_columns_that_differ_alike_are_one_line_that_opens(look, wide, size):
    page = look(wide, "drift", size=size).page
    other = page.get_by_role("list", name="Schemas").get_by_role("listitem").last
    lines = other.locator("[data-kind]")
    expect(lines).to_have_count(1)
    expect(lines).to_contain_text("c00, c01, c02, c03, c04, c05 and 24 more columns are INT32, not INT64")
    assert not other.get_by_text("c06").is_visible()
    other.get_by_text("name 18 of them").click()
    expect(other.get_by_text("c06")).to_be_visible()
    assert misplaced(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(WITHOUT_CUE) == []


DEEP = "payload.measurement.of_the_sensor.channel_number_{:03d}"
FILE = "part-{:05d}-a1b2c3d4-e5f6-7890-abcd-ef0123456789.c000.snappy.parquet"

CUT = """(all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)"""


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    """Two files with long names, and twelve columns whose names differ at their end only; one has another type."""
    root = tmp_path_factory.mktemp("deep")
    for i in range(2):
        made = {DEEP.format(n): np.arange(50) for n in range(12)}
        made[DEEP.format(3)] = np.arange(50, dtype=[np.int32, np.int64][i])
        pq.write_table(pa.table(made), root / FILE.format(i))
    return scan(None, str(root), out=tmp_path_factory.mktemp("deep-tables"), processes=0)


@pytest.mark.parametrize("size", [SCREEN, (400, 800)])
def test_names_are_not_cut_to_the_same_prefix(look, deep, size):
    page = look(deep, "columns", size=size).page
    ends = page.locator(".pqx-bars .pqx-bar-name .pqx-end")
    assert sorted(ends.all_inner_texts()) == sorted(f"umber_{n:03d}" for n in range(12))
    assert ends.evaluate_all(CUT) == []
    assert misplaced(page) == []
    expect(page.locator(".pqx-bars button").first).to_have_attribute("title", DEEP.format(0)[:-3] + "000")
    ends = page.get_by_role("grid").locator(".pqx-end")
    assert len(set(ends.all_inner_texts())) == ends.count() > 3
    assert ends.evaluate_all(CUT) == []
    # in a narrow room a name leaves room for the numbers
    room = page.get_by_role("grid").bounding_box()["width"]
    assert page.get_by_role("columnheader", name="column").bounding_box()["width"] < 0.61 * room
