"""The findings of a file at the places that they are about: in answers, in the tree, on the map."""

import re

import pyarrow as pa
import pytest
from insight.writers.defective_files import FILES
from made import parquet

import pqexplore
from pqexplore.engine.rule import Severity
from pqexplore.insight.doctor import findings_by_place
from pqexplore.insight.lenses import LENSES, answer_of, applying, finish

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
    with pqexplore.open(parquet(pa.table({"n": range(6_000)}), row_group_size=100, write_statistics=False)) as file:
        answer = finish(answer_of(file, file.node(address), LENSES[lens]))
    for sentence in (SMALL, BARE):
        assert (sentence in answer.sentence) == (sentence == words)
    assert all(one.severity is not Severity.NOTE for one in answer.findings[:1])


NODES = {
    "file": "",
    "footer": "footer",
    "row group": "row_groups/0",
    "second row group": "row_groups/1",
    "chunk": "row_groups/0/columns/0",
    "page": "row_groups/0/columns/0/pages/0",
    "leaf": "schema/1",
    "statistics": "footer/row_groups/0/columns/0/meta_data/statistics",
    "file_offset": "footer/row_groups/1/file_offset",
}
CONCERNED = {
    # the writer's defect that the file has: the lenses that quote it, by node; all others of these nodes do not. The
    # overview begins with it.
    "PARQUET-1025": {  # bounds
        "file": "query",
        "row group": "query row_group",
        "chunk": "column compare query statistics",
        "leaf": "column compare query statistics",
        "statistics": "facts thrift",
    },
    "SPARK-31404": {  # values
        "file": "query rows",
        "row group": "query row_group rows",
        "chunk": "column compare query statistics",
        "leaf": "column compare query statistics",
        "statistics": "facts thrift",
    },
    "PARQUET-2078": {  # where row groups begin
        "file": "overview",
        "second row group": "row_group",
        "file_offset": "facts thrift",
    },
}


@pytest.mark.parametrize("name", CONCERNED)
def test_a_defect_by_which_answers_are_wrong_is_quoted_by_the_lenses_that_it_concerns(name):
    case = next(case for case in FILES if case.name == name)
    found = {}
    with pqexplore.open(case.bad(created_by=case.of)) as file:
        nodes = {what: file.node(address) for what, address in NODES.items() if _has(file, address)}
        for what, node in nodes.items():
            answers = {lens.name: finish(answer_of(file, node, lens)).sentence for lens in applying(node)}
            quoted = [
                name
                for name in sorted(answers)
                if re.search("wrong answer possible|a known fault of", answers[name], re.I)
            ]
            found |= {what: " ".join(quoted)} if quoted else {}
    assert found == CONCERNED[name]


def _has(file, address):
    try:
        return bool(file.node(address))
    except LookupError:
        return False


def test_a_large_file_is_diagnosed_by_the_overview_only(monkeypatch):
    monkeypatch.setattr(findings_by_place, "AT_ONCE", 10)
    with pqexplore.open(parquet(pa.table({"n": range(6_000)}), row_group_size=100)) as file:
        group = file.node("row_groups/0")
        assert SMALL not in finish(answer_of(file, group, LENSES["rows"])).sentence
        finish(answer_of(file, file.root, LENSES["overview"]))
        assert SMALL in finish(answer_of(file, group, LENSES["rows"])).sentence
