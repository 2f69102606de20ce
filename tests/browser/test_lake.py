"""The lake explorer: brush, open a file, go back; a Metadatastore with a condition."""

import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.harness import View, settle
from playwright.sync_api import expect

import pqexplore
from pqexplore.lake import metadatastore, scan
from pqexplore.lake.panels import doctor

pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Twelve files: ten of 100 to 1,000 rows, one of 50,000 with another type of `id`, one that is no Parquet."""
    root = tmp_path_factory.mktemp("lake")
    for i in range(10):
        n = 100 * (i + 1)
        ids = pa.array(np.arange(i * 1_000, i * 1_000 + n))
        table = pa.table({"id": ids, "city": ["Oslo", "Lima"] * (n // 2)})
        pq.write_table(table, root / f"part-{i}.parquet", row_group_size=500)
    large = pa.table({"id": pa.array(np.arange(50_000, dtype="int32")), "city": ["Bern"] * 50_000})
    pq.write_table(large, root / "part-large.parquet", use_dictionary=False, compression="none")
    (root / "broken.parquet").write_bytes(b"PAR1 and then nothing that is a footer PAR1")
    return root


@pytest.fixture(scope="module")
def lake(folder, tmp_path_factory):
    return scan(None, str(folder), out=tmp_path_factory.mktemp("tables"), processes=0)


@pytest.fixture
def look(browser):
    """Open the lake explorer of a subject in a page."""
    views = []

    def make(subject, width=1200, css=""):
        context = browser.new_context(viewport={"width": width, "height": 1000})
        view = View(context.new_page(), pqexplore.explore_lake(subject), css=css)
        views.append(view)
        view.page.locator(".pqx-lake[data-shown]").wait_for()
        return view

    yield make
    for view in views:
        view.page.context.close()
        assert view.errors == []


def panel(view, name, title):
    view.page.get_by_role("tab", name=title).click()
    view.page.locator(f'.pqx-lake[data-shown^="{name}"]').wait_for()


def test_the_lake_opens_with_the_files_by_size_and_rows(look, lake, folder):
    page = look(lake).page
    expect(page.locator(".pqx-answer")).to_contain_text("12 files have 55,500 rows")
    expect(page.locator(".pqx-answer")).to_contain_text("1 of them cannot be read")
    squares = json.loads(page.locator(".pqx-fleet").get_attribute("data-squares"))
    assert sum(files for _, _, files in squares) == 12
    assert sum(files for _, rows, files in squares if rows < 0) == 1
    expect(page.get_by_role("grid")).to_contain_text("part-large.parquet")


def test_a_brush_keeps_only_the_files_under_it(look, lake):
    view = look(lake)
    stage = view.page.locator(".pqx-fleet")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    # the right half of the picture has the one large file
    view.page.mouse.move(box["x"] + box["width"] * 0.72, box["y"] + 10)
    view.page.mouse.down()
    view.page.mouse.move(box["x"] + box["width"] - 12, box["y"] + 215, steps=5)
    view.page.mouse.up()
    expect(view.page.locator(".pqx-answer")).to_contain_text(
        "1 file that passes the filters has 50,000 rows"
    )
    low, high = json.loads(view.explorer.filters)["size"]
    assert low < 800_000 < high
    panel(view, "columns", "Columns")
    expect(view.page.locator(".pqx-bars li").first).to_contain_text("city")
    view.page.get_by_role("button", name="all files again").click()
    expect(view.page.locator('.pqx-lake[data-shown="columns"]')).to_be_visible()
    assert view.explorer.filters == ""


def test_the_boxes_filter_without_a_pointer(look, lake):
    view = look(lake)
    view.page.get_by_label("rows from").fill("500")
    view.page.get_by_label("rows from").press("Enter")
    view.page.get_by_label("rows to").wait_for()
    expect(view.page.locator(".pqx-answer")).to_contain_text("7 files that pass the filters")
    view.page.get_by_role("button", name=re.compile("Remove the filter: rows from 500")).click()
    expect(view.page.locator(".pqx-answer")).to_contain_text("12 files")


def test_a_bar_opens_its_file_at_its_address_and_back(look, lake, folder):
    view = look(lake)
    panel(view, "health", "Findings")
    expect(view.page.locator(".pqx-answer")).to_contain_text("1 file cannot be read")
    panel(view, "columns", "Columns")
    view.page.locator(".pqx-bars button").first.click()
    view.page.locator('.pqx[data-shown="row_groups/0/columns/1"]').wait_for()
    assert view.explorer.file == str(folder / "part-large.parquet")
    assert view.explorer.selection == "row_groups/0/columns/1"
    expect(view.page.locator(".pqx-identity").nth(1)).to_contain_text("50,000 rows")
    view.page.get_by_role("tree").get_by_text("footer", exact=True).click()
    view.page.locator(".pqx[data-shown=footer]").wait_for()
    view.page.get_by_role("button", name="all files").click()
    expect(view.page.get_by_role("tab", name="Columns")).to_be_visible()
    assert (view.explorer.file, view.explorer.selection) == ("", "")


def test_a_file_that_cannot_be_read_says_so_when_it_is_opened(look, lake, folder):
    view = look(lake)
    view.explorer.file = str(folder / "broken.parquet")
    view.flush()
    expect(view.page.get_by_role("alert")).to_contain_text("footer")


def test_files_outside_the_lake_are_not_opened(look, lake, tmp_path):
    pq.write_table(pa.table({"x": [1]}), tmp_path / "other.parquet")
    view = look(lake)
    view.explorer.file = str(tmp_path / "other.parquet")
    view.flush()
    expect(view.page.get_by_role("alert")).to_contain_text("the lake has no file")


def test_overlap_and_the_ranges_of_a_column(look, lake):
    view = look(lake)
    panel(view, "overlap", "Overlap")
    # ids of the small files follow one another; the large file has another type, and is not compared with them
    bars = view.page.locator(".pqx-bars li")
    expect(bars.filter(has_text="id").first).to_have_attribute(
        "data-value", re.compile("1 of 10 files")
    )
    view.page.locator(".pqx-bars button", has_text="city STRING").click()
    stage = view.page.locator('.pqx-ranges-stage[data-column="city"]')
    lines = json.loads(stage.get_attribute("data-lines"))
    assert len(lines) == 11
    # Bern, Lima, Oslo: ten files reach from Lima to Oslo, one has Bern alone
    assert sorted(map(tuple, lines)) == [(0, 0)] + [(1, 2)] * 10


def test_a_line_of_the_ranges_names_its_file(look, lake):
    view = look(lake)
    panel(view, "overlap", "Overlap")
    stage = view.page.locator('.pqx-ranges-stage[data-column="id"]')
    stage.hover(position={"x": 10, "y": 2})
    note = view.page.locator(".pqx-ranges-note")
    expect(note).to_contain_text(re.compile(r"^part-0\.parquet: 0 to 99$"))
    view.page.mouse.move(0, 0)
    expect(note).to_contain_text("Point at a line")


def test_drift_is_a_matrix_of_the_columns_that_differ(look, lake):
    view = look(lake)
    panel(view, "drift", "Schema drift")
    expect(view.page.locator(".pqx-answer")).to_contain_text("id has several definitions")
    row = view.page.locator(".pqx-matrix tbody tr", has=view.page.locator("th", has_text="id"))
    assert sorted(row.locator("td").all_inner_texts()) == ["A", "B"]
    city = view.page.locator(".pqx-matrix tbody tr", has=view.page.locator("th", has_text="city"))
    expect(city).to_be_hidden()
    view.page.get_by_role("button", name="show 1 column without differences").click()
    expect(city).to_be_visible()
    assert city.locator("td").all_inner_texts() == ["A", "A"]
    view.page.get_by_role("button", name=re.compile("1 file$")).click()
    expect(view.page.locator(".pqx-answer")).to_contain_text("files have the same columns")
    # none differs, so all are shown
    expect(view.page.locator(".pqx-matrix tbody tr")).to_have_count(2)
    expect(view.page.locator(".pqx-matrix tbody tr").last).to_be_visible()


def test_each_stored_query_can_be_chosen(look, lake):
    view = look(lake)
    panel(view, "asked", "More questions")
    view.page.get_by_label("question", exact=True).select_option("writers")
    expect(view.page.locator(".pqx-answer")).to_contain_text("Which programs wrote the files")
    expect(view.page.get_by_role("grid")).to_contain_text("parquet-cpp-arrow")


@pytest.fixture(scope="module")
def store(folder, tmp_path_factory):
    """MinMax on `id` and a value list of `city`, of the eleven files that can be read."""
    clean = tmp_path_factory.mktemp("dataset")
    for path in folder.glob("part-?.parquet"):
        (clean / path.name).write_bytes(path.read_bytes())
    wanted = [metadatastore.MinMax("id"), metadatastore.ValueList("city")]
    out = tmp_path_factory.mktemp("indexes")
    return metadatastore.build(None, str(clean), indexes=wanted, out=str(out))


def test_the_doctor_names_the_worst_first_and_opens_the_place(look, lake, folder):
    view = look(lake)
    panel(view, "doctor", "Doctor")
    answer = view.page.locator(".pqx-answer > p")
    expect(answer).to_contain_text("Files that cannot be read: 1 of 12 files, last changed")
    cards = view.page.locator(".pqx-card")
    assert [card.get_attribute("data-rule") for card in cards.all()][:2] == [
        "file-unreadable",
        "types-differ",
    ]
    expect(cards.nth(1)).to_contain_text("`id` is INT64 in 10 files and INT32 in 1 file")
    view.page.get_by_role("button", name="show me types-differ").click()
    view.page.locator('.pqx[data-shown="schema"]').wait_for()
    assert view.explorer.file == str(folder / "part-large.parquet")


def test_the_doctor_waits_for_the_button_before_it_reads_many_files(look, lake, monkeypatch):
    monkeypatch.setattr(doctor, "AT_ONCE", 11)
    view = look(scan(None, lake.manifest.options["source"], processes=0))
    panel(view, "doctor", "Doctor")
    expect(view.page.locator(".pqx-card")).to_have_count(0)
    view.page.get_by_role("button", name="diagnose 12 files").click()
    expect(view.page.locator(".pqx-card").first).to_contain_text("Files that cannot be read")


def test_a_metadatastore_and_a_condition(look, store):
    view = look(store)
    page = view.page
    expect(page.locator(".pqx-answer")).to_contain_text("10 objects")
    expect(page.locator(".pqx-indexes li")).to_have_count(2)
    assert [li.get_attribute("data-known") for li in page.locator(".pqx-indexes li").all()] == [
        "10",
        "10",
    ]
    panel(view, "skipping", "What a query skips")
    page.get_by_label("Condition in SQL").fill("id = 3050")
    page.get_by_role("button", name="evaluate").click()
    expect(page.locator(".pqx-answer")).to_contain_text("1 of 10 objects must be read")
    assert page.locator("[data-verdict=skipped]").get_attribute("data-count") == "9"
    expect(page.locator(".pqx-verdicts i.pqx-verdict-1")).to_have_count(9)
    expect(page.get_by_role("grid")).to_contain_text("part-3.parquet")
    page.get_by_label("Condition in SQL").fill("id <>")
    page.get_by_role("button", name="evaluate").click()
    expect(page.get_by_role("alert")).to_be_visible()


class TestQuery:
    """What a query reads of all files; the files that are opened show the same condition."""

    def ask(self, view, where):
        box = view.page.get_by_label("Condition in SQL")
        box.fill(where)
        box.press("Enter")
        settle(view.page)

    def test_a_condition_shows_which_files_are_read(self, look, lake):
        view = look(lake)
        panel(view, "query", "Ask")
        self.ask(view, "id >= 9000 AND city = 'Oslo'")
        assert (view.explorer.where, view.explorer.engine) == (
            "id >= 9000 AND city = 'Oslo'",
            "format",
        )
        stages = view.page.get_by_label("What each kind of evidence leaves")
        expect(stages.locator("li").first).to_contain_text("file")
        kept = view.page.locator('.pqx-query-file[data-kept="true"]')
        expect(kept.first).to_have_attribute("title", re.compile("part-9.parquet"))
        skipped = view.page.locator('.pqx-query-file[data-kept="false"]')
        assert skipped.count() >= 8
        assert "skipped" in skipped.first.get_attribute("title")
        unreadable = view.page.locator('.pqx-query-file[data-kept="unreadable"]')
        expect(unreadable).to_have_count(1)
        words = re.compile("broken.parquet: not skipped: the file cannot be read: the footer")
        expect(unreadable).to_have_attribute("title", words)
        legend = view.page.get_by_label("Legend").locator("li")
        assert legend.all_inner_texts() == [
            "read",
            "not skipped: the file cannot be read",
            "skipped by bounds",
        ]

    def test_a_file_opens_with_the_same_condition(self, look, lake, folder):
        view = look(lake)
        panel(view, "query", "Ask")
        self.ask(view, "id >= 9400")
        view.page.locator('.pqx-query-file[title*="part-9.parquet"]').click()
        view.page.locator('.pqx[data-shown="file"] .pqx-query[data-asked="id >= 9400"]').wait_for()
        assert view.explorer.file == str(folder / "part-9.parquet")
        expect(view.page.locator(".pqx-of-lake .pqx-answer > p")).to_contain_text(
            "reads 2 of 2 row groups"
        )

    def test_a_wrong_condition_keeps_its_field(self, look, lake):
        view = look(lake)
        panel(view, "query", "Ask")
        self.ask(view, "id >")
        expect(view.page.locator(".pqx-typed-trouble")).to_contain_text("is not a condition")
        expect(view.page.locator(".pqx-answer")).to_be_hidden()
        self.ask(view, "id > 5")
        expect(view.page.locator(".pqx-typed-trouble")).to_have_count(0)
        expect(view.page.locator(".pqx-answer")).to_be_visible()
        self.ask(view, "id >")
        panel(view, "columns", "Columns")
        view.page.get_by_role("tab", name="Ask").click()
        settle(view.page)
        expect(view.page.get_by_label("Condition in SQL")).to_have_value("id >")
        expect(view.page.locator(".pqx-typed-trouble")).to_contain_text("is not a condition")
        view.page.get_by_role("button", name="clear").click()
        expect(view.page.locator(".pqx-answer > p")).to_contain_text("Type a condition")
        assert view.explorer.where == ""
