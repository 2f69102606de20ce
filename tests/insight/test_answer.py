"""An answer's table: rows with where they lead, as a DataFrame, as lines and as JSON."""

import pytest

from pqexplore.engine.span import Span
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.document import answer_document
from pqexplore.insight.report import answer_report


@pytest.fixture
def table():
    made = Table(
        [
            Column("name", "name"),
            Column("size", "bytes", "bytes"),
            Column("part", "share", "share"),
        ],
        caption="two chunks",
        total=7,
    )
    made.add("a", 1_000, 0.25, address="row_groups/0/columns/0", span=Span(4, 1_004))
    made.add("b\x1b", None, None)
    return made


def test_a_row_has_a_value_for_each_column(table):
    with pytest.raises(ValueError, match="2 values for 3 columns"):
        table.add("a", 1)


def test_a_column_by_its_name(table):
    assert table.column("size") == [1_000, None]


def test_lines_for_a_terminal(table):
    lines = list(answer_report(Answer("One of two is large.", table=table), 100))
    assert lines == [
        "  One of two is large.",
        "",
        "  two chunks",
        "  name   bytes  share  address",
        "  a      1,000  25.0%  row_groups/0/columns/0",
        "  b\\x1b",
    ]


def test_what_is_empty_says_why():
    answer = Answer("There is no index.", empty="The writer made none.")
    assert list(answer_report(answer, 80)) == ["  There is no index.", "  The writer made none."]


def test_json(table):
    made = answer_document(Answer("One.", table=table, code="f.check()"))
    assert made["rows"][0]["address"] == "row_groups/0/columns/0"
    assert made["rows"][0]["size"] == 1000
    assert made["rows"][1] == {
        "name": "b\x1b",
        "size": None,
        "part": None,
        "address": None,
        "span": None,
    }
    assert (made["sentence"], made["total"], made["code"], made["empty"]) == (
        "One.",
        7,
        "f.check()",
        None,
    )
