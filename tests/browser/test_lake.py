"""The lake explorer: brush, open a file, go back; a Metadatastore with a condition."""

import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.harness import JUPYTER_DARK, View, settle
from browser.looks import misplaced, violations
from browser.test_stage import WITHOUT_CUE, box, scrolls, seen
from lake import doctored_lake
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
def look(lend):
    """Open the lake explorer of a subject in a page."""

    def make(subject, panel="", size=(1200, 1000), css="", **context):
        explorer = pqexplore.explore_lake(subject)
        explorer.panel = panel or explorer.panel
        view = View(lend(size, **context), explorer, css=css)
        view.page.locator(".pqx-lake[data-shown]").wait_for()
        return view

    return make


def panel(view, name, title):
    view.page.get_by_role("tab", name=title).click()
    view.page.locator(f'.pqx-lake[data-shown^="{name}"]').wait_for()


def test_the_files_by_size_and_rows(look, lake, folder):
    page = look(lake, "fleet").page
    expect(page.locator(".pqx-answer")).to_contain_text("12 files have 55,500 rows")
    expect(page.locator(".pqx-answer")).to_contain_text("1 of them could not be read")
    squares = json.loads(page.locator(".pqx-fleet").get_attribute("data-squares"))
    assert sum(files for _, _, files in squares) == 12
    assert sum(files for _, rows, files in squares if rows < 0) == 1
    expect(page.get_by_role("grid")).to_contain_text("part-large.parquet")


def test_a_brush_keeps_only_the_files_under_it(look, lake):
    view = look(lake, "fleet")
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
    view = look(lake, "fleet")
    view.page.get_by_label("rows from").fill("500")
    view.page.get_by_label("rows from").press("Enter")
    view.page.get_by_label("rows to").wait_for()
    expect(view.page.locator(".pqx-answer")).to_contain_text("7 files that pass the filters")
    view.page.get_by_role("button", name=re.compile("Remove the filter: rows from 500")).click()
    expect(view.page.locator(".pqx-answer")).to_contain_text("12 files")


def test_a_bar_opens_its_file_at_its_address_and_back(look, lake, folder):
    view = look(lake)
    panel(view, "health", "Findings")
    expect(view.page.locator(".pqx-answer")).to_contain_text("1 file could not be read")
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
    expect(view.page.locator(".pqx-answer")).to_contain_text("One file alone")
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
    cards = view.page.locator(".pqx-card")
    assert [card.get_attribute("data-rule") for card in cards.all()][:2] == [
        "file-unreadable",
        "types-differ",
    ]
    expect(cards.nth(1)).to_contain_text("`id` is INT64 in 10 files and INT32 in 1 file")
    files = cards.nth(1).get_by_role("list", name="Files").get_by_role("button")
    assert files.all_inner_texts() == ["part-large.parquet"]
    files.click()
    view.page.locator('.pqx[data-shown="schema"]').wait_for()
    assert view.explorer.file == str(folder / "part-large.parquet")


def test_the_doctor_waits_for_the_button_before_it_reads_many_files(look, troubled, monkeypatch):
    monkeypatch.setattr(doctor, "AT_ONCE", 11)
    view = look(scan(None, troubled.manifest.options["source"], processes=0))
    rules = view.page.locator(".pqx-card")
    expect(view.page.locator(".pqx-diagnosis > .pqx-bar")).to_contain_text(
        "by the tables of the scan"
    )
    expect(rules.first).to_contain_text("Files that cannot be read")
    known = [card.get_attribute("data-rule") for card in rules.all()]
    headline = view.page.locator(".pqx-headline")
    expect(headline).to_contain_text("And 4 more findings.")
    view.page.get_by_role("button", name="diagnose 28 files").click()
    expect(headline).to_contain_text("And 4 more findings.")
    found = [card.get_attribute("data-rule") for card in rules.all()]
    assert set(known) < set(found) and "small-row-groups" in found


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


SCREEN, NARROW = (1280, 780), (400, 800)


@pytest.fixture(scope="module")
def troubled(tmp_path_factory):
    """Twenty files in seven folders of days, written by two writers, and eight that cannot be read."""
    root = tmp_path_factory.mktemp("troubled")
    doctored_lake.make(root, 20)
    return scan(None, str(root), out=tmp_path_factory.mktemp("troubled-tables"), processes=0)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Two files with the same columns and nothing wrong."""
    root = tmp_path_factory.mktemp("sound")
    for day in (1, 2):
        (root / f"day={day}").mkdir()
        pq.write_table(pa.table({"id": range(day, 9 + day)}), root / f"day={day}" / "a.parquet")
    return scan(None, str(root), out=tmp_path_factory.mktemp("sound-tables"), processes=0)


class TestStage:
    """The lake explorer is one screen: name, sentence and questions stay; the answer scrolls."""

    @pytest.mark.parametrize(
        "look_of",
        [
            {"size": SCREEN},
            {"size": NARROW, "color_scheme": "dark", "css": JUPYTER_DARK},
            pytest.param({"size": NARROW}, marks=pytest.mark.full),
            pytest.param(
                {"size": SCREEN, "color_scheme": "dark", "css": JUPYTER_DARK},
                marks=pytest.mark.full,
            ),
        ],
    )
    def test_one_screen_begins_with_the_worst(self, look, troubled, look_of):
        page = look(troubled, **look_of).page
        headline = page.locator(".pqx-headline")
        expect(headline).to_have_text(
            re.compile(r"^✗Files that cannot be read: 5 of 28 files.* And 5 more findings\.$")
        )
        # six are damaged, one needs a key, one is a link to nothing
        expect(page.locator(".pqx-identity")).to_contain_text("8 not read")
        expect(headline.get_by_role("img")).to_have_attribute("aria-label", "damage")
        expect(page.get_by_role("tab", selected=True)).to_have_text("Diagnosis")
        expect(page.get_by_role("tab").first).to_have_text("Diagnosis")
        # the sentence is not said twice
        expect(page.locator(".pqx-answer > p")).to_have_class("pqx-hidden")
        for name in ("damage", "To do"):
            expect(page.locator(".pqx-card").first).to_contain_text(name)
        settle(page)
        assert scrolls(page) == [[0, 0], [0, 0]]
        assert seen(page, ".pqx-lake") and seen(page, ".pqx-headline")
        assert seen(page, ".pqx-panel")
        expect(page.locator(".pqx-panel")).to_have_attribute("data-more", re.compile("down"))
        assert page.evaluate(WITHOUT_CUE) == []
        assert misplaced(page) == []
        assert violations(page) == []

    @pytest.mark.parametrize("size", [SCREEN, NARROW])
    def test_every_panel_fits(self, look, troubled, size):
        view = look(troubled, size=size)
        for tab in view.page.get_by_role("tab").all():
            tab.click()
            name = tab.get_attribute("data-panel")
            view.page.locator(f'.pqx-lake[data-shown="{name}"]').wait_for()
            assert misplaced(view.page) == [], name
            assert scrolls(view.page) == [[0, 0], [0, 0]], name
            assert view.page.evaluate(WITHOUT_CUE) == [], name
            assert violations(view.page) == [], name

    def test_the_sentence_stays_and_leads_to_the_diagnosis(self, look, troubled):
        view = look(troubled, "drift")
        headline = view.page.locator(".pqx-headline")
        expect(headline).to_contain_text("Files that cannot be read: 5 of 28 files")
        expect(view.page.locator(".pqx-answer > p")).to_be_visible()
        headline.get_by_role("button").click()
        expect(view.page.get_by_role("tab", selected=True)).to_have_text("Diagnosis")
        assert view.explorer.panel == "doctor"

    def test_the_height_handle_and_full_screen(self, look, lake):
        page = look(lake, size=(1280, 1000)).page
        before = box(page, ".pqx")
        handle = page.locator(".pqx-divide-tall")
        handle.press("ArrowUp")
        assert box(page, ".pqx")[3] == before[3] - 16
        handle.press("Home")
        assert box(page, ".pqx") == before
        page.get_by_role("button", name="Full screen", exact=True).press("Enter")
        page.get_by_role("button", name="Leave full screen").wait_for()
        settle(page)
        assert list(box(page, ".pqx")) == page.evaluate("[0, 0, innerWidth, innerHeight]")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Full screen", exact=True).wait_for()
        settle(page)
        assert box(page, ".pqx") == before

    def test_the_file_and_the_way_back_fit_in_the_window(self, look, troubled):
        view = look(troubled, size=SCREEN)
        card = view.page.locator('.pqx-card[data-rule="types-differ"]')
        card.get_by_role("list", name="Files").get_by_role("button").first.click()
        view.page.locator(".pqx-of-lake .pqx[data-shown=schema]").wait_for()
        settle(view.page)
        assert seen(view.page, ".pqx-back") and seen(view.page, ".pqx-of-lake .pqx-stage-room")
        expect(view.page.locator(".pqx-back code")).to_have_text(
            re.compile(r"^date=2026-11-\d\d/part")
        )


class TestDiagnosis:
    def test_the_keyboard_alone_reaches_the_files_of_a_finding(self, look, troubled):
        view = look(troubled)
        page = view.page
        card = page.locator('.pqx-card[data-rule="small-row-groups"]')
        link = card.get_by_role("list", name="Files").get_by_role("button").first
        name = link.inner_text()
        page.get_by_role("tab", selected=True).focus()
        for _ in range(12):
            page.keyboard.press("Tab")
            if link.evaluate("(e) => e.matches(':focus')"):
                break
        page.keyboard.press("Enter")
        page.locator('.pqx[data-shown="row_groups/0"]').wait_for()
        assert view.explorer.file.endswith(name)
        page.keyboard.press("Enter")  # the way back has the focus
        expect(link).to_be_focused()
        assert (view.explorer.file, view.explorer.selection) == ("", "")

    def test_the_table_lists_the_files_of_one_finding(self, look, troubled):
        page = look(troubled).page
        card = page.locator('.pqx-card[data-rule="small-row-groups"]')
        expect(card.get_by_role("list", name="Writers")).to_have_text(
            re.compile(r"^parquet-cpp-arrow \S+ 12 of 14 files$")
        )
        card.get_by_role("button", name="list 12 files").press("Enter")
        table = page.get_by_role("grid", name="files with the finding small-row-groups")
        expect(table).to_be_focused()
        expect(table).to_have_attribute("aria-rowcount", "13")
        card.get_by_role("button", name="list 12 files").press("Enter")
        expect(page.get_by_role("grid")).to_have_attribute(
            "aria-label", "findings by file, the worst first"
        )

    def test_what_the_files_show_together_leads_to_its_panel(self, look, troubled):
        view = look(troubled)
        view.page.get_by_role("button", name="see Schema drift").click()
        view.page.locator('.pqx-lake[data-shown="drift"]').wait_for()
        expect(view.page.locator(".pqx-answer")).to_contain_text("n has several definitions")

    def test_notes_are_folded(self, look, troubled):
        page = look(troubled).page
        note = page.locator('.pqx-card[data-rule="codecs-differ"]')
        expect(note).to_be_hidden()
        page.locator(".pqx-notes summary").press("Enter")
        expect(note).to_be_visible()

    def test_a_sound_lake_says_so_and_stops(self, look, sound):
        page = look(sound).page
        expect(page.locator(".pqx-headline")).to_have_text(
            re.compile("By the footers of 2 files, nothing to mend: 2 files with 18 rows")
        )
        expect(page.locator(".pqx-headline").get_by_role("img")).to_have_count(0)
        expect(page.locator(".pqx-diagnosis h4")).to_have_text("✓ Nothing to mend")
        expect(page.get_by_role("grid")).to_have_count(0)


def test_a_panel_without_anything_to_show_looks_empty(look, sound, lake):
    page = look(sound).page
    drift = page.get_by_role("tab", name="Schema drift")
    expect(drift).to_have_class("pqx-tab pqx-tab-empty")
    expect(drift).to_have_attribute("title", "All 2 files have the same columns.")
    expect(drift).to_have_accessible_name(re.compile("Schema drift ?, empty"))
    expect(page.get_by_role("tab", name="Overlap")).to_have_class("pqx-tab")
    other = look(lake, "fleet").page
    findings = other.get_by_role("tab", name="Findings")
    settle(other)
    expect(findings).to_have_class("pqx-tab")
    other.get_by_label("status").select_option("ok")
    expect(findings).to_have_class("pqx-tab pqx-tab-empty")
    other.get_by_role("button", name="all files again").click()
    expect(findings).to_have_class("pqx-tab")


def test_the_overlap_leads_with_partition_columns(look, troubled):
    page = look(troubled, "overlap").page
    names = page.locator(".pqx-bars button")
    expect(names.first).to_have_text("date partition folder")
    stage = page.locator('.pqx-ranges-stage[data-column="date"]')
    lines = json.loads(stage.get_attribute("data-lines"))
    assert len(lines) == 20 and {low for low, _ in lines} == set(range(7))
    stage.hover(position={"x": 10, "y": 2})
    expect(page.locator(".pqx-ranges-note")).to_have_text(
        "date=2026-11-03/part-0000.parquet: 2026-11-03 to 2026-11-03"
    )


def test_a_word_of_the_specification_has_its_card(look, lake):
    page = look(lake, "fleet").page
    page.get_by_role("columnheader", name="row groups").hover()
    expect(page.get_by_role("tooltip")).to_contain_text("row group")


def test_the_chosen_question_keeps_the_focus(look, lake):
    page = look(lake, "asked").page
    choice = page.get_by_label("question", exact=True)
    choice.focus()
    choice.select_option("writers")
    expect(page.locator(".pqx-answer")).to_contain_text("Which programs wrote the files")
    expect(page.get_by_label("question", exact=True)).to_be_focused()
