"""The first screen of a lake: what to do, in consequences with numbers, the folders, and the page that keeps both."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import doctored_lake

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.rule import Severity
from pqexplore.lake import scan
from pqexplore.lake.panels import answer_of, page


def lake_of(root, files):
    for path, columns in files.items():
        (root / "lake" / path).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(columns), root / "lake" / path)
    return scan(None, str(root / "lake"), out=root / "tables", processes=0)


def rules(lake, filters=""):
    return [one.rule for one in answer_of(lake, "today", filters).picture.todo]


def said(lake, rule):
    return [one.sentence for one in answer_of(lake, "today").picture.todo if one.rule == rule]


def test_small_files_say_what_a_compaction_saves(tmp_path):
    made = lake_of(tmp_path, {f"events/{n:03}.parquet": {"id": [n]} for n in range(60)})
    [sentence] = said(made, "small-files")
    assert re.fullmatch(
        r"\S+ kB in 60 files below 134 MB: compacting `events` saves 98 % of the requests for footers\.", sentence
    )


def test_few_small_files_are_nothing_to_do(tmp_path):
    made = lake_of(tmp_path, {f"events/{n}.parquet": {"id": [n]} for n in range(10)})
    assert rules(made) == []
    assert answer_of(made, "today").sentence.startswith("Nothing to do: 10 files with 10 rows in ")


def test_a_type_that_differs_names_the_engines_that_fail(tmp_path):
    files = {f"{n}.parquet": {"amount": [n / 2 + 0.25]} for n in range(9)}
    made = lake_of(tmp_path, files | {"z.parquet": {"amount": ["much"]}})
    [sentence] = said(made, "types-differ")
    assert re.match(r".*\b(Spark|polars)\b.* fail on 1 file of 10, since `amount` is DOUBLE in 9 files", sentence)


def test_files_of_two_tables_have_no_consequence(tmp_path):
    made = lake_of(tmp_path, {"a/x.parquet": {"amount": [1.5]}, "b/x.parquet": {"amount": ["much"]}})
    assert rules(made) == []


def test_nothing_is_said_of_columns_that_are_null_in_all_files(tmp_path):
    nothing = pa.array([None, None], pa.int64())
    made = lake_of(tmp_path, {f"{n}.parquet": {"id": [n, 7], "none": nothing} for n in range(2)})
    assert rules(made) == []
    assert "none" not in answer_of(made, "drift").sentence
    assert "none" not in answer_of(made, "today").sentence


def test_files_that_cannot_be_read(lake, folder):
    [sentence] = said(lake, "file-unreadable")
    assert sentence.startswith("A query that reads 1 of 5 files fails: it cannot be read: ")
    assert "file-unreadable" not in rules(lake, '{"status": "ok"}')


def test_the_worst_comes_first_and_a_file_that_was_not_looked_at_may_be_sound(tmp_path):
    doctored_lake.make(tmp_path / "lake", 20)
    made = scan(None, str(tmp_path / "lake"), out=tmp_path / "tables", processes=0)
    ranks = [Severity(one.severity).rank for one in answer_of(made, "today").picture.todo]
    assert ranks == sorted(ranks) and len(set(ranks)) > 3
    [sentence] = said(made, "file-not-read")
    assert sentence.startswith("A query that reads 1 of 28 files may fail: it could not be looked at: ")


class TestFolders:
    def test_tables_then_their_partitions_then_files(self, tmp_path):
        rows = {"a/day=1/x.parquet": [1] * 90_000, "a/day=2/y.parquet": [1], "b/z.parquet": [2]}
        made = lake_of(tmp_path, {path: {"id": list(range(len(ids)))} for path, ids in rows.items()})
        picture = answer_of(made, "today").picture
        assert [(one.name, one.files, one.rows, one.is_file) for one in picture.folders] == [
            ("a", 2, 90_001, False),
            ("b", 1, 1, False),
        ]
        inner = answer_of(made, "today", json.dumps({"folder": picture.folders[0].path})).picture
        assert [one.name for one in inner.folders] == ["day=1", "day=2"] and inner.base == "a/"
        last = answer_of(made, "today", json.dumps({"folder": inner.folders[1].path})).picture
        assert [(one.name, one.is_file) for one in last.folders] == [("y.parquet", True)]

    def test_a_folder_is_no_prefix_of_a_name(self, tmp_path):
        made = lake_of(
            tmp_path, {"a/x.parquet": {"id": [1]}, "ab/x.parquet": {"id": [1]}, "it's/y.parquet": {"id": [1]}}
        )
        for name in ("a", "it's"):
            chosen = json.dumps({"folder": str(tmp_path / "lake" / name)})
            assert [one.files for one in answer_of(made, "today", chosen).picture.folders] == [1]


class TestPage:
    def test_it_runs_no_script_and_text_is_text(self, tmp_path):
        made = lake_of(tmp_path, {"<img src=x onerror=alert(1)>/a.parquet": {"<b>": [1]}, "b/a.parquet": {"c": [1]}})
        text = pqexplore.explore_lake(made).to_html()
        assert "<script" not in text and "<img" not in text and "<b>" not in text and " style=" not in text
        assert "default-src 'none'; style-src 'sha256-" in text and "color-scheme: light dark" in text

    def test_it_has_what_the_first_screen_has(self, lake):
        text = page.page(lake)
        assert "A query that reads 1 of 5 files fails: it cannot be read: " in text
        assert "day=3/" in text and "<rect" in text and "extra is not in all files" in text

    def test_it_keeps_to_its_budget_and_counts_what_is_left_out(self, tmp_path):
        names = [f"{n:03}{'long' * 60}" for n in range(300)]
        made = lake_of(tmp_path, {f"{name}/a.parquet": {"id": [1]} for name in names[:20]})
        assert len(page.page(made).encode()) <= page.BUDGET
        whole = page.BUDGET
        try:
            page.BUDGET = 8_000
            small = page.page(made)
        finally:
            page.BUDGET = whole
        assert len(small.encode()) <= 8_000 and re.search(r"and \d+ more", small)

    def test_a_metadatastore_has_none(self, store):
        with pytest.raises(UsageError, match="no first screen"):
            pqexplore.explore_lake(store).to_html()
