"""What other choices would make of a lake, on Spark: the same rows as with processes of this machine."""

import pytest
from lake import doctored_lake

import pqexplore.lake
from pqexplore.lake import spark as on_spark

SECONDS = 60.0
"""More than a file takes, so that nothing depends on the time."""


@pytest.fixture(scope="module")
def lakes(session, tmp_path_factory):
    """(lake on Spark, lake by this process)"""
    folder = tmp_path_factory.mktemp("lake") / "events"
    doctored_lake.make(folder, 20)
    return [
        pqexplore.lake.scan(one, folder, out=tmp_path_factory.mktemp("store"), processes=0) for one in (session, None)
    ]


@pytest.fixture(scope="module")
def local(lakes):
    return lakes[1].what_if(2, seconds=SECONDS, processes=0)


def test_spark_finds_what_processes_find(lakes, local):
    seen = []
    mine = lakes[0].what_if(2, seconds=SECONDS, progress=seen.append)
    assert mine.table.to_pylist() == local.table.to_pylist() and len(local.table) == 3
    assert mine.sentence == local.sentence and mine.best == local.best
    assert mine.compaction == local.compaction and local.compaction.code
    assert {table: dict(code) for table, code in mine.code.items()} == local.code
    assert (seen[-1].files, seen[-1].total) == (2, 2)
    assert lakes[0]._store._folders() == [lakes[0].manifest.run_id]


def test_rows_travel_where_a_node_does_not_see_the_store(lakes, local, monkeypatch):
    monkeypatch.setattr(on_spark.os, "access", lambda *_: False)
    mine = lakes[0].what_if(2, seconds=SECONDS, tasks=2)
    assert mine.table.to_pylist() == local.table.to_pylist()
