"""The findings of a file at the places that they are about: in answers, in the tree, on the map."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.insight.doctor import places
from pqexplore.insight.doctor.diagnosis import Severity
from pqexplore.insight.lenses import LENSES, answer_of, finish

SMALL = "Slow: 60 row groups hold 100 rows"
BARE = "Slow: `n` has no statistics in any row group: a query"
QUOTED = {
    # lens, address, what the sentence quotes, "" for nothing
    "at the row group": ("rows", "row_groups/7", SMALL),
    "not at a column chunk of it": ("rows", "row_groups/7/columns/0", BARE),
    "at the leaf of the column": ("statistics", "schema/1", BARE),
    "at its column chunk": ("statistics", "row_groups/7/columns/0", BARE),
    "not at the other column's page": ("encoding", "row_groups/7/columns/0/pages/0/values", ""),
    "not in each answer about the file": ("rows", "", ""),
}


@pytest.mark.parametrize(("lens", "address", "words"), QUOTED.values(), ids=QUOTED)
def test_what_the_doctor_finds_is_quoted_at_its_place(lens, address, words):
    out = io.BytesIO()
    pq.write_table(pa.table({"n": range(6_000)}), out, row_group_size=100, write_statistics=False)
    with pqexplore.open(out.getvalue()) as file:
        answer = finish(answer_of(file, file.node(address), LENSES[lens]))
    for sentence in (SMALL, BARE):
        assert (sentence in answer.sentence) == (sentence == words)
    assert all(one.severity is not Severity.NOTE for one in answer.findings[:1])


def test_a_large_file_is_diagnosed_by_the_overview_only(monkeypatch):
    monkeypatch.setattr(places, "AT_ONCE", 10)
    out = io.BytesIO()
    pq.write_table(pa.table({"n": range(6_000)}), out, row_group_size=100)
    with pqexplore.open(out.getvalue()) as file:
        group = file.node("row_groups/0")
        assert SMALL not in finish(answer_of(file, group, LENSES["rows"])).sentence
        finish(answer_of(file, file.root, LENSES["overview"]))
        assert SMALL in finish(answer_of(file, group, LENSES["rows"])).sentence
