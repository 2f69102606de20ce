"""What a look at a lake says, over all files and over those that filters leave."""

import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import doctored_lake

from pqexplore.engine.errors import UsageError
from pqexplore.insight import wire
from pqexplore.insight.doctor.diagnosis import Severity
from pqexplore.lake import metadatastore, scan
from pqexplore.lake.panels import (
    LAKE,
    STORE,
    answer_of,
    asked,
    columns,
    doctor,
    drift,
    empty,
    fleet,
    health,
    objects,
    overlap,
    partitions,
    query,
    skipping,
)
from pqexplore.lake.panels.filters import Filters, literal
from pqexplore.lake.views import VIEWS
from pqexplore.widget.headline import Headline
from pqexplore.widget.lake import desk

pytest.importorskip("duckdb")

ALL = Filters()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Four files of 100 to 400 rows; the last has another column; one that is no Parquet."""
    root = tmp_path_factory.mktemp("lake")
    for i in range(4):
        n = 100 * (i + 1)
        made = {"id": np.arange(i * 1_000, i * 1_000 + n), "city": ["Oslo", "Lima"] * (n // 2)}
        if i == 3:
            made["extra"] = np.ones(n)
        (root / f"day={i}").mkdir()
        pq.write_table(pa.table(made), root / f"day={i}" / "it's.parquet")
    (root / "broken.parquet").write_bytes(b"PAR1 no footer PAR1")
    return root


@pytest.fixture(scope="module")
def lake(folder, tmp_path_factory):
    return scan(None, str(folder), out=tmp_path_factory.mktemp("tables"), processes=0)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", ""),
        ("{}", ""),
        ('{"size": [10.5, null]}', "size >= 10"),
        ('{"rows": [1, 9.5]}', "num_rows >= 1 AND num_rows <= 10"),
        ('{"status": "ok", "writer": "it\'s"}', "status = 'ok' AND created_by = 'it''s'"),
    ],
)
def test_filters_are_conditions_on_files(text, where):
    assert Filters.parse(text).where(spark=False) == where


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "x",
        '{"size": 3}',
        '{"size": [1]}',
        '{"size": [true, null]}',
        '{"path": "a"}',
        '{"size": [1e999, 0]}',
    ],
)
def test_what_is_no_filter_is_refused(text):
    with pytest.raises(UsageError):
        Filters.parse(text)


def test_texts_cannot_leave_their_quotes():
    assert literal("a' OR '1'='1", spark=False) == "'a'' OR ''1''=''1'"
    assert literal("a\\' OR 1", spark=True) == "'a\\\\\\' OR 1'"


class TestFleet:
    def test_all_files(self, lake):
        answer = fleet.answer(lake, ALL)
        assert answer.sentence.startswith("5 files have 1,000 rows in ")
        assert "1 of them could not be read" in answer.sentence
        assert sum(square.files for square in answer.picture.squares) == 5
        assert sorted(filter(None, answer.table.column("num_rows"))) == [100, 200, 300, 400]

    def test_squares_have_sizes_and_rows_on_logarithmic_axes(self, lake):
        [square] = fleet.answer(lake, Filters.parse('{"rows": [400, 400]}')).picture.squares
        [size] = fleet.answer(lake, Filters.parse('{"rows": [400, 400]}')).table.column("size")
        assert square.files == 1
        assert 10 ** (square.size / fleet.BINS) <= size < 10 ** ((square.size + 1) / fleet.BINS)
        assert 10 ** (square.rows / fleet.BINS) <= 400 < 10 ** ((square.rows + 1) / fleet.BINS)

    def test_filters_leave_files(self, lake):
        answer = fleet.answer(lake, Filters.parse('{"rows": [150, 350]}'))
        assert answer.sentence.startswith("2 files that pass the filters have 500 rows")

    def test_nothing_left_says_so(self, lake):
        answer = fleet.answer(lake, Filters.parse('{"partition": "no\'where"}'))
        assert (answer.sentence, answer.empty) == (
            "There are no files.",
            "No file passes the filters.",
        )

    def test_files_that_are_gone_are_told_and_not_counted(self, tmp_path):
        for name, rows in (("stays", 10), ("goes", 90)):
            pq.write_table(pa.table({"id": range(rows)}), tmp_path / f"{name}.parquet")
        lake = scan(None, str(tmp_path), out=tmp_path / "tables", processes=0)
        (tmp_path / "goes.parquet").unlink()
        lake.refresh()
        answer = fleet.answer(lake, ALL)
        assert answer.sentence.startswith("1 file has 10 rows in ")
        assert answer.sentence.endswith("; 1 is gone.")
        assert sum(square.files for square in answer.picture.squares) == 1
        gone = fleet.answer(lake, Filters.parse('{"status": "vanished"}'))
        assert gone.table.column("num_rows") == [90]

    def test_a_broken_file_leads_to_its_fault(self, lake, folder):
        table = fleet.answer(lake, Filters.parse('{"status": "error"}')).table
        [address] = table.addresses
        assert address.startswith(f"{folder / 'broken.parquet'}")


def test_columns_lead_to_their_largest_chunk(lake, folder):
    answer = columns.answer(lake, ALL)
    rows = dict(zip(answer.table.column("column_name"), answer.table.addresses, strict=True))
    assert rows["id"] == f"{folder}/day=3/it's.parquet#row_groups/0/columns/0"
    metadata = [pq.read_metadata(path) for path in sorted(folder.glob("day=*/*"))]
    expected = sum(m.row_group(0).column(0).total_compressed_size for m in metadata)
    assert (
        dict(
            zip(
                answer.table.column("column_name"),
                answer.table.column("compressed_bytes"),
                strict=True,
            )
        )["id"]
        == expected
    )


def test_overlap_and_ranges(lake):
    answer = overlap.answer(lake, ALL)
    by_name = dict(
        zip(answer.table.column("column_name"), answer.table.column("point_files"), strict=True)
    )
    assert (by_name["id"], by_name["city"]) == (1.0, 4.0)
    found = overlap.ranges(lake, "id", "INT64")
    assert [(line.low, line.high) for line in found.lines] == [(0, 1), (2, 3), (4, 5), (6, 7)]
    assert [line.low_text for line in found.lines] == ["0", "1000", "2000", "3000"]
    assert overlap.ranges(lake, "id", "INT64", '{"rows": [200, null]}').total == 3
    assert overlap.ranges(lake, "no 'such", "INT64").total == 0


def test_columns_that_files_are_sorted_by_lead_the_overlap(tmp_path):
    for i in range(3):
        table = pa.table({"a": np.arange(i * 10, i * 10 + 10), "z": np.arange(10) + i % 2})
        sorting = [pq.SortingColumn(1)] if i else None
        pq.write_table(table, tmp_path / f"{i}.parquet", sorting_columns=sorting)
    made = overlap.answer(scan(None, str(tmp_path), out=tmp_path / "t", processes=0), ALL)
    assert made.table.column("column_name") == ["z", "a"]
    assert made.table.column("sorted_files") == [2, 0]
    assert [bar.column for bar in made.picture.bars] == ["z", "a"]
    assert made.sentence.startswith("A query for one value of a reads 1 of 3 files; for z, ")
    assert (
        made.table.caption
        == "columns: those that files are sorted by, then those that skip best first"
    )


def test_partition_columns_lead_the_overlap(tmp_path):
    """Of seven files, four lie in one folder and two in another; the folder of the seventh says NULL."""
    for i, day in enumerate(["a", "a", "a", "a", "b", "b", "__HIVE_DEFAULT_PARTITION__"]):
        (tmp_path / f"day={day}").mkdir(exist_ok=True)
        pq.write_table(pa.table({"id": [i]}), tmp_path / f"day={day}" / f"{i}.parquet")
    lake = scan(None, str(tmp_path), out=tmp_path / "t", processes=0)
    made = overlap.answer(lake, ALL)
    assert made.table.column("column_name") == ["day", "id"]
    assert made.table.column("logical_type") == ["partition folder", "INT64"]
    assert made.table.column("point_files") == [pytest.approx((16 + 4) / 6), 1]
    assert made.table.column("max_depth") == [4, 1]
    assert made.table.caption == "columns: partition columns, then those that skip best first"
    assert made.sentence == "A query for one value of id reads 1 of 7 files; for day, 3.33 of 7."
    found = overlap.ranges(lake, "day", "partition folder")
    assert [(line.low, line.high, line.low_text) for line in found.lines] == [
        *[(0, 0, "a")] * 4,
        *[(1, 1, "b")] * 2,
    ]
    assert (found.total, found.unknown) == (7, 1)
    assert overlap.ranges(lake, "day", "partition folder", '{"partition": "day=b"}').total == 2


@pytest.mark.parametrize(
    ("folder", "format", "expected"),
    [
        ("Day=1/city=Oslo", None, ["Day", "city"]),
        ("day=1", "delta", ["day"]),
        ("id=1", "iceberg", ["id"]),
        ("at_day=2026-01-01", "iceberg", []),  # the day of a column `at`
    ],
)
def test_folders_of_a_transform_are_no_columns(monkeypatch, folder, format, expected):
    row = {"partition_values": folder, "format": format, "files": 2}
    monkeypatch.setattr(partitions, "ask", lambda *_: [row])
    assert [made["column_name"] for made in partitions.rows(None, ALL, {"id"})] == expected


def test_of_columns_that_skip_best_the_sentence_names_the_partition_column(lake):
    answer = overlap.answer(lake, ALL)
    assert answer.table.column("column_name")[:2] == ["day", "id"]
    assert answer.table.column("point_share")[:2] == [0.25, 0.25]
    assert answer.sentence.startswith("A query for one value of day reads 1 of 4 files; for ")


def test_values_of_folders_are_in_the_order_of_numbers():
    assert sorted(["b", "10", "9", "NaN", "-1.5"], key=partitions.order) == [
        *("-1.5", "9", "10", "NaN", "b")
    ]


def test_without_partitions_and_order_what_skips_best_leads_the_overlap(tmp_path):
    for i in range(3):
        rows = pa.table({"same": ["x"], "some": [i // 2], "each": [i]})
        pq.write_table(rows, tmp_path / f"{i}.parquet")
    table = overlap.answer(scan(None, str(tmp_path), out=tmp_path / "t", processes=0), ALL).table
    assert table.column("column_name") == ["each", "some", "same"]
    assert set(table.column("sorted_files")) == {0}
    assert table.caption == "columns: those that skip best first"


def test_drift_names_what_is_not_everywhere(lake):
    answer = drift.answer(lake, ALL)
    assert answer.sentence == "extra is not in all files: 2 schemas in all."
    assert answer.picture.columns[0] == "extra"
    [row] = [row for row in answer.table.to_arrow().to_pylist() if row["column_name"] == "extra"]
    assert row["engines"] == "DuckDB, pyarrow and Spark lose values, polars fails."
    assert sorted(map(str, answer.picture.cells[0])) == ["0", "None"]
    same = drift.answer(lake, Filters.parse('{"rows": [null, 300]}'))
    assert same.sentence == "All 3 files have the same columns."


def test_health(lake, folder):
    answer = health.answer(lake, ALL)
    assert answer.sentence.startswith("1 file could not be read")
    assert answer.table.column("severity") == ["unreadable"]
    assert answer.table.addresses[0].startswith(str(folder / "broken.parquet"))
    sound = health.answer(lake, Filters.parse('{"status": "ok"}'))
    assert sound.sentence.startswith("This scan found no problems")


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_can_be_asked(lake, view):
    answer = asked.answer(lake, Filters.parse('{"status": "ok"}'), view)
    assert answer.sentence == VIEWS[view].question
    json.dumps(wire.encode(answer.picture), allow_nan=False)
    json.dumps(answer.table and answer.table.rows, allow_nan=False)
    assert answer.table is not None or answer.empty
    assert answer.table is None or "answered by DuckDB" in answer.table.caption


def test_a_list_in_a_view_is_named_in_part(tmp_path):
    for number in range(5):
        pq.write_table(pa.table({"a": [1]}), tmp_path / f"{number}.parquet")
    lake = scan(None, tmp_path, processes=0)
    [paths] = asked.answer(lake, ALL, "compaction_plan").table.column("paths")
    assert paths == f"{tmp_path}/0.parquet, {tmp_path}/1.parquet, {tmp_path}/2.parquet and 2 more"


def test_a_view_that_is_none(lake):
    with pytest.raises(UsageError, match="there is no view 'x'"):
        asked.answer(lake, ALL, "x")


class TestQuery:
    def test_the_stages_and_the_files_that_are_read_first(self, lake):
        answer = query.answer(lake, ALL, "day = 3 OR id < 50")
        picture = answer.picture
        assert "reads 3 of 5 files" in answer.sentence  # two match, one is damaged
        assert [file.kept for file in picture.files] == [True, True, True, False, False]
        assert picture.total_files == answer.table.total == 5
        (stage,) = picture.stages
        assert (stage.files_in, stage.files_out) == (5, 3)
        assert answer.table.addresses[0] == picture.files[0].path
        assert answer.code == "lake.ask('day = 3 OR id < 50')"
        assert any("broken.parquet cannot be read" in remark for remark in picture.remarks)

    def test_without_a_condition_it_asks_for_one(self, lake):
        answer = query.answer(lake, ALL, " ")
        assert answer.sentence == "Type a condition to see which files a query reads."
        assert answer.picture.where == "" and answer.picture.files == []
        assert [one.name for one in answer.picture.engines][0] == "format"

    @pytest.mark.parametrize(
        ("typed", "expected"),
        [
            ("id = 1", ("format", "id = 1")),
            ("format: id = 1", ("format", "id = 1")),
            ("city = 'a: b'", ("format", "city = 'a: b'")),
        ],
    )
    def test_an_engine_may_stand_before_the_condition(self, typed, expected):
        assert query.parts(typed) == expected

    def test_only_files_that_pass_the_filters_are_asked(self, lake):
        answer = query.answer(lake, Filters.parse('{"status": "ok"}'), "id < 50")
        assert "reads 1 of 4 files" in answer.sentence

    def test_a_condition_that_cannot_be_asked_is_refused(self, lake):
        with pytest.raises(UsageError, match="no column 'nowhere'"):
            answer_of(lake, "query", "", "nowhere = 1")


@pytest.fixture(scope="module")
def store(folder, tmp_path_factory):
    clean = tmp_path_factory.mktemp("dataset")
    for path in folder.glob("day=*/*"):
        (clean / f"{path.parent.name}.parquet").write_bytes(path.read_bytes())
    wanted = [metadatastore.MinMax("id"), metadatastore.BloomFilter("city", fpp=0.01, ndv=100)]
    return metadatastore.build(
        None, str(clean), indexes=wanted, out=str(tmp_path_factory.mktemp("md"))
    )


class TestMetadatastore:
    def test_objects_and_what_indexes_say(self, store):
        answer = objects.answer(store, ALL)
        assert answer.sentence.startswith("4 objects of ")
        assert sorted(answer.table.column(store.indexes[0].column)) == [
            "0 … 99",
            "1000 … 1199",
            "2000 … 2299",
            "3000 … 3399",
        ]
        bloom = next(i for i in answer.picture.indexes if i.kind == "bloomfilter")
        assert len(bloom.fills) == 4
        assert all(0 < fill < 0.5 for fill in bloom.fills)

    def test_what_a_condition_leaves_out(self, store):
        answer = skipping.answer(store, ALL, "sound:id > 2500 AND city = 'Lima'")
        assert re.fullmatch(
            r"1 of 4 objects must be read: indexes rule out 3\. Listed at \d\d:\d\d:\d\d UTC: The store is up to date: "
            r"it has 4 files of the dataset, and there are no others\.",
            answer.sentence,
        )
        assert answer.picture.counts == [1, 3, 0]
        assert answer.table.column("verdict") == ["skipped", "skipped", "skipped", "kept"]
        assert "ruled out" in answer.table.column("reason")[0]

    def test_upstream_loses_rows_and_it_says_so(self, store):
        answer = skipping.answer(store, ALL, "xskipper:id <> 5")
        assert answer.picture.counts[1] > 0
        assert answer.picture.may_lose
        assert "which xskipper would lose" in answer.sentence

    def test_without_a_condition_it_asks_for_one(self, store):
        answer = skipping.answer(store, ALL, "xskipper: ")
        assert answer.sentence.startswith("Type a condition")
        assert answer.picture == skipping.Picture("", "xskipper", [], [], [])


def test_how_far_a_metadatastore_is_up_to_date(tmp_path):
    for name in "abc":
        pq.write_table(pa.table({"id": [1]}), tmp_path / f"{name}.parquet")
    store = metadatastore.build(
        None, str(tmp_path), indexes=[metadatastore.MinMax("id")], out=f"{tmp_path}-md"
    )
    pq.write_table(pa.table({"id": [1, 2]}), tmp_path / "a.parquet")
    (tmp_path / "b.parquet").unlink()
    for name in "de":
        pq.write_table(pa.table({"id": [1]}), tmp_path / f"{name}.parquet")
    for typed in ("sound:id = 1", "sound:"):
        said = skipping.answer(store, ALL, typed).sentence
        assert "since the store was written: 2 new, 1 changed, 1 vanished, 1 unchanged." in said
        assert said.endswith("New and changed files are read in any case.")
    for name in "ade":
        (tmp_path / f"{name}.parquet").unlink()
    assert (
        "0 new, 0 changed, 2 vanished, 1 unchanged"
        in answer_of(store, "skipping", fresh=True).sentence
    )
    assert "in any case" not in answer_of(store, "skipping").sentence
    (tmp_path / "c.parquet").unlink()
    assert "0 new, 0 changed, 2 vanished" in answer_of(store, "skipping").sentence  # kept
    assert "is not known" in answer_of(store, "skipping", fresh=True).sentence


@pytest.mark.parametrize("panel", [*LAKE, *STORE])
def test_what_every_panel_sends_is_its_picture_as_json(lake, store, panel):
    subject, known = (lake, LAKE) if panel in LAKE else (store, STORE)
    answer = answer_of(subject, panel)
    assert isinstance(answer.picture, known[panel].picture)
    json.dumps(wire.encode(answer.picture), allow_nan=False)


def test_answers_are_kept_until_a_refresh(tmp_path):
    pq.write_table(pa.table({"id": [1]}), tmp_path / "a.parquet")
    lake = scan(None, tmp_path, out=tmp_path / "tables", processes=0)
    first = answer_of(lake, "fleet")
    assert first.sentence.startswith("1 file has 1 row")
    assert answer_of(lake, "fleet") is first
    pq.write_table(pa.table({"id": [1]}), tmp_path / "b.parquet")
    lake.refresh()
    assert answer_of(lake, "fleet").sentence.startswith("2 files have 2 rows")


def test_a_panel_that_is_none(lake, store):
    with pytest.raises(UsageError, match="there is no panel 'objects'; there are doctor, fleet"):
        answer_of(lake, "objects")
    with pytest.raises(UsageError, match="there is no panel 'fleet'; there are objects, skipping"):
        answer_of(store, "fleet")


class TestDoctor:
    def test_a_card_for_each_finding_and_a_row_for_each_file(self, lake, folder):
        answer = answer_of(lake, "doctor")
        assert answer.sentence.startswith("Files that cannot be read: 1 of 5 files")
        first = answer.picture.findings[0]
        assert (first.card.rule, first.card.severity) == ("file-unreadable", "damage")
        assert (first.files, first.places) == (1, [str(folder / "broken.parquet")])
        assert answer.table.column("rule")[0] == "file-unreadable"
        assert answer.table.total == len(answer.table.rows)

    def test_what_only_the_files_together_show_leads_to_a_panel(self, lake):
        by_rule = {one.card.rule: one for one in answer_of(lake, "doctor").picture.findings}
        differ = by_rule["columns-differ"]
        assert (differ.listed, differ.see, differ.panel) == (False, "Schema drift", "drift")
        assert len(differ.places) == differ.files == 3
        assert (by_rule["file-unreadable"].listed, by_rule["file-unreadable"].see) == (True, "")

    def test_the_filters_of_small_files_are_valid(self):
        for _, panel, filters in doctor.SEE.values():
            assert panel in LAKE
            Filters.parse(filters)

    def test_the_table_lists_the_files_of_one_finding(self, tmp_path):
        doctored_lake.make(tmp_path, 20)
        lake = scan(None, str(tmp_path), out=tmp_path / "t", processes=0)
        whole = answer_of(lake, "doctor")
        some = answer_of(lake, "doctor", typed="footer:small-row-groups")
        finding = next(one for one in some.picture.findings if one.card.rule == "small-row-groups")
        assert some.sentence == whole.sentence
        assert some.table.total == len(some.table.rows) == finding.files == 12
        assert set(some.table.column("rule")) == {"small-row-groups"}
        assert len(whole.table.rows) > 12
        ranks = [one.value for one in Severity]
        severities = whole.table.column("severity")
        assert severities == sorted(severities, key=ranks.index) and len(set(severities)) > 2
        cards = [one.card for one in whole.picture.findings]
        [damage] = [card.sentence for card in cards if card.rule == "file-empty"]
        assert "The file cannot be read: date=2026-11-04/bad-00003-empty.parquet is em" in damage
        [writer] = finding.writers
        assert writer.name.startswith("parquet-cpp-arrow ")
        assert (writer.files, writer.of) == (12, 14)

    def test_the_files_that_pass_the_filters(self, lake):
        answer = answer_of(lake, "doctor", '{"partition": "day=1"}')
        assert answer.sentence.startswith(
            "By the footers of 1 file, nothing to mend: 1 file with 200 rows"
        )
        assert answer.picture.findings == []

    def test_many_files_wait_and_what_the_scan_shows_is_there(
        self, lake, folder, tmp_path, monkeypatch
    ):
        monkeypatch.setattr(doctor, "AT_ONCE", 4)
        fresh = scan(None, str(folder), out=tmp_path, processes=0)
        waiting = doctor.answer(fresh, ALL)
        assert waiting.sentence == "The doctor reads the footers of 5 files again."
        assert waiting.picture.waiting == 5
        shown = {one.card.rule: one for one in waiting.picture.findings}
        known = {one.card.rule: one for one in answer_of(lake, "doctor").picture.findings}
        assert shown.keys() == {"file-unreadable", "columns-differ"}
        assert all(shown[rule] == known[rule] for rule in shown)
        first = shown["file-unreadable"].card.sentence.partition(" For example")[0]
        assert desk.headline(fresh) == Headline(f"{first} And 1 more finding.", "damage")
        monkeypatch.setattr(doctor, "BY_THE_SCAN", 4)
        again = scan(None, str(folder), out=tmp_path / "again", processes=0)
        assert doctor.answer(again, ALL).picture == doctor.Picture([], 0, 5, "")
        assert desk.headline(again).sentence.startswith("5 files have 1,000 rows")
        assert doctor.answer(again, ALL, "footer").picture.waiting == 0
        assert doctor.answer(again, ALL).picture.waiting == 0  # it is known now

    def test_fewer_files_of_a_store_are_diagnosed_at_once(self, tmp_path, monkeypatch):
        fsspec = pytest.importorskip("fsspec")
        pq.write_table(pa.table({"id": [1]}), tmp_path / "a.parquet")
        data = (tmp_path / "a.parquet").read_bytes()
        for name in ("a", "b"):
            fsspec.filesystem("memory").pipe_file(f"/few/{name}.parquet", data)
        monkeypatch.setattr(doctor, "REMOTE_AT_ONCE", 1)
        lake = scan(None, "memory://few", out=tmp_path / "t", processes=0)
        assert doctor.answer(lake, ALL).picture.waiting == 2
        assert doctor.answer(lake, ALL, "footer:").picture.waiting == 0


class TestHeadline:
    def test_the_worst_finding(self, lake):
        made = desk.headline(lake)
        assert made.sentence == answer_of(lake, "doctor").sentence
        assert made.severity == "damage"

    def test_a_sound_lake(self, tmp_path):
        pq.write_table(pa.table({"id": [1]}), tmp_path / "a.parquet")
        made = desk.headline(scan(None, str(tmp_path), out=tmp_path / "t", processes=0))
        assert made.sentence.startswith("By the footers of 1 file, nothing to mend: 1 file with")
        assert made.severity == ""

    def test_a_metadatastore(self, store):
        assert desk.headline(store).sentence == answer_of(store, "objects").sentence


class TestEmpty:
    def test_a_panel_with_something_to_show_is_left_out(self, lake, store):
        assert empty.empty(lake) == {}
        assert empty.empty(store) == {}

    def test_the_reasons(self, lake, tmp_path):
        assert empty.empty(lake, '{"status": "ok", "rows": [null, 250]}') == {
            "drift": "All 2 files have the same columns.",
            "health": "There are no errors and no findings.",
        }
        assert empty.empty(lake, '{"partition": "day=1"}') == {
            "overlap": "No column has bounds in two or more files, so no file can be skipped.",
            "drift": "One file alone has no differences.",
            "health": "There are no errors and no findings.",
        }
        assert set(empty.empty(lake, '{"partition": "nowhere"}')) == {
            *("columns", "overlap", "drift", "health")
        }

    @pytest.mark.parametrize("filters", ["", '{"partition": "day=1"}', '{"status": "error"}'])
    def test_a_panel_that_is_empty_is_in_the_list(self, lake, filters):
        known = empty.empty(lake, filters)
        for name in ("columns", "overlap", "health"):
            assert bool(answer_of(lake, name, filters).empty) is (name in known), name
