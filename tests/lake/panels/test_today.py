"""The first screen of a lake: what to do, in consequences with numbers, the folders, and the page that keeps both."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import doctored_lake, planted, rule_examples

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


def planted_lake(root, plant):
    (root / "lake").mkdir(parents=True)
    plant(root / "lake")
    return scan(None, str(root / "lake"), out=root / "tables", processes=0)


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


NINE = {f"{n}.parquet": {"amount": [n / 2 + 0.25]} for n in range(9)}
BY_WHOM = rf", since \d{{4}}-\d\d-\d\d, written by parquet-cpp-arrow {re.escape(pa.__version__)}\."


class TestSchemasThatDiffer:
    """Engines take the schema of the first file: what they make of the table depends on it; what is odd, on most files."""

    @pytest.mark.parametrize("odd, fail", [
        ("z.parquet", "DuckDB, polars, pyarrow and Spark fail"),  # no number for engines that convert
        ("+.parquet", "polars and Spark fail"),  # numbers become text
    ])  # fmt: skip
    def test_most_files_decide_which_is_odd_and_the_first_what_engines_do(self, odd, fail, tmp_path):
        [sentence] = said(lake_of(tmp_path, NINE | {odd: {"amount": ["much"]}}), "types-differ")
        assert re.fullmatch(
            rf"{fail}, when the 10 files are read as one table: `amount` is DOUBLE in 9 files and STRING in BYTE_ARRAY "
            rf"in 1 file{BY_WHOM} Unlike most: {re.escape(odd)}\.",
            sentence,
        )

    def test_of_two_files_none_is_odd(self, tmp_path):
        made = lake_of(tmp_path, {"a.parquet": {"amount": [0.25]}, "b.parquet": {"amount": ["much"]}})
        [sentence] = said(made, "types-differ")
        assert "DOUBLE in 1 file and STRING in BYTE_ARRAY in 1 file" in sentence and "Unlike" not in sentence

    def test_where_the_values_decide_and_are_not_known_that_is_said(self, tmp_path):
        for name, kind, bounds in (("a", pa.int32(), True), ("b", pa.int64(), False), ("c", pa.int32(), True)):
            (tmp_path / "lake").mkdir(exist_ok=True)
            table = pa.table({"n": pa.array([1], kind)})
            pq.write_table(table, tmp_path / "lake" / f"{name}.parquet", write_statistics=bounds)
        made = scan(None, str(tmp_path / "lake"), out=tmp_path / "tables", processes=0)
        [sentence] = said(made, "types-differ")
        assert sentence.startswith(
            "polars and Spark fail, when the 3 files are read as one table: `n` is INT32 in 2 files"
        )
        assert sentence.endswith("Not known of DuckDB and pyarrow: the footers do not show whether the values fit.")

    def test_where_the_values_are_known_nothing_is_unknown(self, tmp_path):
        files = {"a.parquet": pa.int32(), "b.parquet": pa.int64(), "c.parquet": pa.int32()}
        made = lake_of(tmp_path, {name: {"n": pa.array([1], kind)} for name, kind in files.items()})
        [sentence] = said(made, "types-differ")
        assert sentence.startswith("polars and Spark fail, when") and "Not known" not in sentence

    def test_a_column_that_the_first_file_lacks_is_left_out_no_value_is_lost(self, tmp_path):
        [sentence] = said(lake_of(tmp_path, NINE | {"z.parquet": {"amount": [1.5], "more": [1]}}), "columns-differ")
        assert re.fullmatch(
            "DuckDB, pyarrow and Spark leave out what the first file lacks, polars needs an option, when the 10 files are "
            rf"read as one table: `more` is lacking in 9 files: only z.parquet has it{BY_WHOM}",
            sentence,
        )

    def test_a_column_that_a_later_file_lacks_is_null_for_most_engines(self, tmp_path):
        nine = {path: {**columns, "more": [1]} for path, columns in NINE.items()}
        [sentence] = said(lake_of(tmp_path, nine | {"z.parquet": NINE["0.parquet"]}), "columns-differ")
        assert re.fullmatch(
            "DuckDB and polars need an option, when the 10 files are read as one table: `more` is lacking in 1 file"
            rf"{BY_WHOM} Unlike most: z\.parquet\.",
            sentence,
        )

    @pytest.mark.parametrize("odd", ["z.parquet", "+.parquet"])
    def test_a_name_in_another_case(self, odd, tmp_path):
        [sentence] = said(lake_of(tmp_path, NINE | {odd: {"Amount": [1.5]}}), "column-case-differs")
        assert re.fullmatch(
            "pyarrow loses values, polars fails, when the 10 files are read as one table: 1 file has `Amount` in place of "
            rf"`amount`{BY_WHOM} Unlike most: {re.escape(odd)}\.",
            sentence,
        )

    @pytest.mark.parametrize("odd", ["z.parquet", "+.parquet"])
    def test_a_column_of_another_shape(self, odd, tmp_path):
        [sentence] = said(lake_of(tmp_path, NINE | {odd: {"amount": [[1.5]]}}), "columns-differ")
        assert sentence.startswith("DuckDB, polars, pyarrow and Spark fail, when the 10 files are read as one table: ")
        assert sentence.endswith(f" Unlike most: {odd}.")

    def test_columns_in_another_order_are_nothing_to_do(self, tmp_path):
        both = {"amount": [1.5], "more": [1]}
        made = lake_of(tmp_path, {"a.parquet": both, "b.parquet": dict(reversed(both.items()))})
        assert rules(made) == []

    def test_of_a_table_with_a_log_no_engine_is_said_to_fail(self, tmp_path):
        deltalake = pytest.importorskip("deltalake")
        (tmp_path / "lake").mkdir()
        deltalake.write_deltalake(tmp_path / "lake", pa.table({"n": [1]}))
        more = pa.table({"n": [1], "m": [1.5]})
        deltalake.write_deltalake(tmp_path / "lake", more, mode="append", schema_mode="merge")
        made = scan(None, str(tmp_path / "lake"), out=tmp_path / "tables", processes=0)
        assert not any("read as one" in one.sentence for one in answer_of(made, "today").picture.todo)


@pytest.mark.parametrize("rule", ["engines-refuse", "log-disagrees", "log-unreadable", "partition-contradicted"])
def test_other_rules_say_the_finding_with_its_cost_where_it_is_so_alone(rule, tmp_path):
    [example] = [one for one in rule_examples.EXAMPLES if one.rule == rule]
    [sentence] = said(planted_lake(tmp_path / "so", example.plant), rule)
    assert " Cost: " in sentence and "read as one table" not in sentence
    assert rule not in rules(planted_lake(tmp_path / "not", example.spare))


STORED = {
    "duplicate-files": r"100 rows may be counted twice: 1 of 3 files, with 1\.\d+ kB, looks like a copy of another\.",
    "deleted-rows": r"About \d+ B are read in vain: deleted rows in 1 of 2 files\.",
    "removed-files": r"1\.\d+ kB of storage can be freed: 1 of 3 files is needed only by versions that the table's settings "
    r"no longer keep\.",
    "unreferenced-files": r"1\.\d+ kB of storage can be freed: 1 of 3 files is old and in no table's log\.",
}


@pytest.mark.parametrize("rule", STORED)
def test_what_copies_and_logs_show_is_said_where_it_is_so_alone(rule, tmp_path):
    [example] = [one for one in rule_examples.EXAMPLES if one.rule == rule]
    [sentence] = said(planted_lake(tmp_path / "so", example.plant), rule)
    assert re.fullmatch(STORED[rule], sentence), sentence
    assert rule not in rules(planted_lake(tmp_path / "not", example.spare))


def test_a_file_that_needs_a_key_and_one_that_does_not(tmp_path):
    made = planted_lake(tmp_path / "so", planted.encrypted)
    assert said(made, "file-needs-key") == ["Nothing is known of 1 of 2 files without a key."]
    assert "file-needs-key" not in rules(planted_lake(tmp_path / "not", rule_examples.three_alike))


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
    assert sentence.startswith("A query that reads broken.parquet, 1 of 5 files, fails: the footer length says ")
    assert sentence.count("broken.parquet") == 1 and sentence.count("cannot be read") == 0
    assert "file-unreadable" not in rules(lake, '{"status": "ok"}')


def test_a_file_without_bytes_is_said_once(tmp_path):
    made = planted_lake(
        tmp_path / "one", lambda folder: [rule_examples.three_alike(folder), (folder / "e.parquet").write_bytes(b"")]
    )
    assert said(made, "file-empty") == ["A query that reads e.parquet, 1 of 4 files, fails: it has no bytes."]

    def two(folder):
        rule_examples.three_alike(folder)
        for name in "ef":
            (folder / f"{name}.parquet").write_bytes(b"")

    made = planted_lake(tmp_path / "two", two)
    assert said(made, "file-empty") == ["A query that reads any of 2 files, of 5, fails: they have no bytes."]
    assert "file-empty" not in rules(planted_lake(tmp_path / "not", rule_examples.three_alike))


def test_the_worst_comes_first_and_a_file_that_was_not_looked_at_may_be_sound(tmp_path):
    doctored_lake.make(tmp_path / "lake", 20)
    made = scan(None, str(tmp_path / "lake"), out=tmp_path / "tables", processes=0)
    ranks = [Severity(one.severity).rank for one in answer_of(made, "today").picture.todo]
    assert ranks == sorted(ranks) and len(set(ranks)) > 3
    [sentence] = said(made, "file-not-read")
    assert re.match(r"A query that reads \S+\.parquet, 1 of 28 files, may fail: ", sentence)
    assert "could not be looked at" not in sentence


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
        assert "A query that reads broken.parquet, 1 of 5 files, fails: the footer length says " in text
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
