"""The stored queries, and what a condition reads of all files."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.insight import wire
from pqexplore.lake import scan
from pqexplore.lake.panels import answer_of, asked, query
from pqexplore.lake.panels.filters import Filters
from pqexplore.lake.views import VIEWS

ALL = Filters()


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
    def test_the_files_that_are_read_come_first(self, lake):
        answer = query.answer(lake, ALL, "day = 3 OR id < 50")
        assert [file.kept for file in answer.picture.files] == [True, True, True, False, False]
        assert answer.table.addresses[0] == answer.picture.files[0].path

    @pytest.mark.parametrize("typed, expected", [
        ("id = 1", ("format", "id = 1")),
        ("format: id = 1", ("format", "id = 1")),
        ("city = 'a: b'", ("format", "city = 'a: b'")),
    ])  # fmt: skip
    def test_an_engine_may_stand_before_the_condition(self, typed, expected):
        assert query.parts(typed) == expected

    def test_a_condition_that_cannot_be_asked_is_refused(self, lake):
        with pytest.raises(UsageError, match="no column 'nowhere'"):
            answer_of(lake, "query", "", "nowhere = 1")
