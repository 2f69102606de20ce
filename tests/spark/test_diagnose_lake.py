"""A lake's diagnosis, and what other choices would make of it, on Spark: the same as with processes of this machine."""

import importlib.util

import pytest
from lake import doctored_lake, planted

import pqexplore.lake
from pqexplore.lake.doctor import counting, diagnose
from pqexplore.lake.doctor.diagnose import scanned_lake
from pqexplore.lake.panels import doctor, empty, overlap, today
from pqexplore.lake.panels.filters import FOLDER, Filters, by_spark
from pqexplore.lake.scanning import run
from pqexplore.lake.spark import job as on_spark
from pqexplore.lake.store.temporary_tables import DIAGNOSES

FILES = 20
SECONDS = 60.0
"""More than a file takes, so that no prediction depends on the time."""


@pytest.fixture(scope="module")
def made(session, tmp_path_factory):
    """(lake on Spark, lake by this process, folder)"""
    folder = tmp_path_factory.mktemp("lake") / "events"
    doctored_lake.make(folder, FILES)
    lakes = [
        pqexplore.lake.scan(one, folder, out=tmp_path_factory.mktemp("store"), processes=0) for one in (session, None)
    ]
    return *lakes, folder


@pytest.fixture(scope="module")
def reports(made):
    return made[0].diagnose(), made[1].diagnose(processes=0)


@pytest.fixture(scope="module")
def predicted(made):
    return made[1].what_if(2, seconds=SECONDS, processes=0)


def rows(frame) -> list[dict]:
    """The rows without the run, in their order."""
    found = [row.asDict() for row in frame.collect()]
    return [{name: value for name, value in row.items() if name != "run_id"} for row in found]


def test_spark_finds_what_processes_find(reports):
    mine, local = reports
    assert mine.findings == local.findings and len(local.findings) >= 7
    assert mine.sentence == local.sentence
    assert rows(mine.files) == local.files.drop_columns("run_id").to_pylist()


PLANTED = ("clustering decayed", "one file without statistics", "codec that engines refuse", "many deleted rows")  # fmt: skip


def test_the_report_of_spark_is_that_of_processes(session, tmp_path):
    rules = set()
    for one in planted.TROUBLE:
        if one.kind in PLANTED:
            (tmp_path / "lake" / one.kind).mkdir(parents=True)
            one.plant(tmp_path / "lake" / one.kind)
            rules.add(one.rule)
    mine, local = (
        pqexplore.lake.scan(one, tmp_path / "lake", out=tmp_path / name, processes=0).report()
        for one, name in ((session, "a"), (None, "b"))
    )
    assert mine.actions == local.actions and mine.sentence == local.sentence
    assert sorted(mine.files.to_pylist(), key=str) == sorted(local.files.to_pylist(), key=str)
    assert rules <= set(mine.files["rule"].to_pylist()) and len(rules) == len(PLANTED)


def test_both_add_up_the_same(session, reports):
    table = reports[1].files
    for some in (table, table.slice(0, 0)):
        frame = session.createDataFrame([tuple(row.values()) for row in some.to_pylist()], DIAGNOSES.ddl)
        assert counting.by_spark(frame) == counting.by_arrow(some)


@pytest.mark.parametrize(("typed", "rows"), [("", 32), ("footer:small-row-groups", 12)])
def test_the_panel_shows_the_same(made, typed, rows):
    mine, local = (doctor.answer(lake, Filters(), typed) for lake in made[:2])
    assert mine.sentence == local.sentence and mine.picture == local.picture
    assert mine.table.rows == local.table.rows and len(mine.table.rows) == rows


def test_what_the_scan_shows_is_the_same(made):
    mine, local = (scanned_lake(lake) for lake in made[:2])
    assert mine.findings == local.findings and len(local.findings) > 4


def test_the_panels_that_are_empty_and_the_overlap_are_the_same(made):
    assert [empty.empty(lake) for lake in made[:2]] == [{}, {}]
    ok = '{"status": "ok", "partition": "date=2026-11-03"}'
    assert [set(empty.empty(lake, ok)) for lake in made[:2]] == [{"health"}] * 2
    mine, local = (overlap.answer(lake, Filters()) for lake in made[:2])
    assert mine.table.rows == local.table.rows and mine.sentence == local.sentence
    folders = [overlap.ranges(lake, "date", overlap.TYPE) for lake in made[:2]]
    assert folders[0] == folders[1] and len(folders[0].lines) == 20


NAMES = ("a", "ab", "it's", "back\\slash", "perc%nt_", "a.b")
"""Folders whose names are part of another's, or mean something in SQL."""


def test_a_folder_is_the_same_filter_in_the_sql_of_spark(session, tmp_path, monkeypatch):
    for number, name in enumerate(NAMES):
        for day in range(number + 2):
            planted.put(tmp_path / "lake", f"{name}/day={day}/x.parquet")
    mine, local = (
        pqexplore.lake.scan(one, tmp_path / "lake", out=tmp_path / out, processes=0)
        for one, out in ((session, "mine"), (None, "local"))
    )
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)  # no DuckDB: Spark answers
    assert by_spark(mine) and not by_spark(local)
    assert [one.name for one in folders(mine).folders] == [*reversed(NAMES)]
    assert folders(mine) == folders(local)
    for number, name in enumerate(NAMES):
        chosen = Filters((), ((FOLDER, str(tmp_path / "lake" / name)),))
        found = folders(mine, chosen)
        assert found == folders(local, chosen) and found.base == f"{name}/"
        assert {one.name for one in found.folders} == {f"day={day}" for day in range(number + 2)}


def folders(lake, filters=Filters()):
    """The first screen without its diagnosis."""
    return today.answer_by(lake, None, 0, filters).picture


def test_the_first_screen_is_the_same(made):
    mine, local = (today.answer(lake, Filters()) for lake in made[:2])
    assert mine.picture == local.picture and mine.sentence == local.sentence
    assert mine.table.rows == local.table.rows and len(local.picture.todo) > 3


def test_the_rows_can_be_read_as_long_as_the_report_exists(made):
    lake = made[0]
    report = lake.diagnose(tasks=2)
    assert report.files.where("rule = 'small-row-groups'").count() == 12
    assert len(lake._store._folders()) >= 2
    before = len(lake._store._folders())
    del report
    assert len(lake._store._folders()) == before - 1


def test_spark_predicts_what_processes_predict(made, predicted):
    seen, before = [], made[0]._store._folders()
    mine = made[0].what_if(2, seconds=SECONDS, progress=seen.append)
    assert mine.table.to_pylist() == predicted.table.to_pylist() and len(predicted.table) == 3
    assert mine.sentence == predicted.sentence and mine.best == predicted.best
    assert mine.compaction == predicted.compaction and predicted.compaction.code
    assert {table: dict(code) for table, code in mine.code.items()} == predicted.code
    assert (seen[-1].files, seen[-1].total) == (2, 2)
    assert made[0]._store._folders() == before


def test_rows_travel_where_a_node_does_not_see_the_store(made, reports, predicted, monkeypatch):
    monkeypatch.setattr(on_spark.os, "access", lambda *_: False)
    assert made[0].diagnose().findings == reports[0].findings
    assert made[0].what_if(2, seconds=SECONDS, tasks=2).table.to_pylist() == predicted.table.to_pylist()


def test_the_job_fixes_what_it_is_for(session, made, reports):
    _, _, folder = made
    [found] = [one for one in reports[0].findings if one.rule == "small-row-groups"]
    code = found.code["Spark job"]
    good = f"{folder}/date=*/part-*[0-8].parquet"  # damaged files, and those of another type, stop Spark
    code = code.replace(f".parquet('{folder}')", f".option('basePath', {str(folder)!r}).parquet({good!r})", 1)
    exec(code, {"spark": session})
    after = f"{folder}.rewritten"
    assert session.read.parquet(after).count() == 18 * 5_000
    again = pqexplore.lake.scan(None, after, processes=0).diagnose(processes=0)
    assert {one.rule for one in again.findings} & {"small-row-groups", "codecs-differ"} == set()


def test_of_many_files_a_report_on_spark_reads_what_the_scan_kept(session, tmp_path, monkeypatch):
    for module in (run, diagnose):
        monkeypatch.setattr(module, "AT_ONCE", 20)
        monkeypatch.setattr(module, "SAMPLE", 8)
    for n in range(30):
        planted.put(tmp_path / "lake", f"{n:03}.parquet", planted.ROWS.slice(n))
    (tmp_path / "lake" / "odd.parquet").write_bytes(planted.OF_ONE_FILE["small-row-groups"].make())
    lake = pqexplore.lake.scan(session, tmp_path / "lake", out=tmp_path / "store")
    read = []
    monkeypatch.setattr(diagnose.rescan, "read", lambda lake, entries, *_: read.extend(entries) or [])
    report = lake.diagnose()
    assert read == [] and 8 <= report.looked < 25
    assert "small-row-groups" in {one.rule for one in report.findings}
    assert report.files.where("rule = 'small-row-groups'").count() == 1
