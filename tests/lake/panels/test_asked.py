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

    @pytest.mark.parametrize("typed, expected", [
        ("id = 1", ("format", "id = 1")),
        ("format: id = 1", ("format", "id = 1")),
        ("city = 'a: b'", ("format", "city = 'a: b'")),
    ])  # fmt: skip
    def test_an_engine_may_stand_before_the_condition(self, typed, expected):
        assert query.parts(typed) == expected

    def test_only_files_that_pass_the_filters_are_asked(self, lake):
        answer = query.answer(lake, Filters.parse('{"status": "ok"}'), "id < 50")
        assert "reads 1 of 4 files" in answer.sentence

    def test_a_condition_that_cannot_be_asked_is_refused(self, lake):
        with pytest.raises(UsageError, match="no column 'nowhere'"):
            answer_of(lake, "query", "", "nowhere = 1")
