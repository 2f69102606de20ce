"""An answer's table: rows with where they lead, as a DataFrame, as lines and as JSON."""

import math

import pytest

from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import Severity
from pqexplore.engine.span import Span
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.report import answer_report


@pytest.fixture
def table():
    made = Table(
        [Column("name", "name"), Column("size", "bytes", "bytes"), Column("part", "share", "share")],
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


def finding(sentence):
    return Finding("checksum", message=sentence, severity=Severity.DAMAGE)


def test_a_long_answer_is_shown_in_part():
    made = Table([Column("n", "n", "number")])
    for i in range(21):
        made.add(i)
    answer = Answer("Much.", table=made, findings=tuple(finding(f"No. {i}") for i in range(12)))
    for shown, row in ((answer._repr_html_(), "<td>19</td>"), (answer._repr_markdown_(), "| 19 |")):
        assert row in shown and row.replace("19", "20") not in shown
        assert "No. 9" in shown and "No. 10" not in shown
        assert "and 1 more row" in shown and "and 2 more findings" in shown


@pytest.mark.parametrize("text, written", [
    ("<img src=x>", "&lt;img src=x&gt;"),
    ("a | b\n", r"a \| b\\n"),
    ("![x](https://evil.example)", r"!\[x\](https\://evil.example)"),
    ("www.evil.example, me@evil.example", r"www\.evil.example, me\@evil.example"),
    ("*a* __b__ `c` ~~d~~ $e$", r"\*a\* \_\_b\_\_ \`c\` \~\~d\~\~ \$e\$"),
    ("# a", r"\# a"),
    ("- a", r"\- a"),
    ("12. a", r"12\. a"),
    ("a-b costs 1.5 bytes (+2)", "a-b costs 1.5 bytes (+2)"),
])  # fmt: skip
def test_markdown_shows_text_as_it_is(text, written):
    assert Answer(text)._repr_markdown_() == written


def test_what_is_empty_says_why():
    answer = Answer("There is no index.", empty="The writer made none.")
    assert list(answer_report(answer, 80)) == ["  There is no index.", "  The writer made none."]


def test_a_frame_has_the_columns_and_where_each_row_lies():
    table = Table([Column("name", "name"), Column("size", "bytes", "bytes")])
    table.add("a", 1_000, address="row_groups/0/columns/0", span=Span(4, 1_004))
    table.add("b", None)
    frame = table.to_pandas()
    assert list(frame.columns) == ["name", "size", "address", "start", "end", "space"]
    assert frame.loc[0].to_list() == ["a", 1000, "row_groups/0/columns/0", 4, 1004, "file"]
    assert math.isnan(frame.loc[1, "size"])


VALUES = [
    # values, Arrow's type of the column
    ([1, None], "int64"),
    ([b"a", None], "binary"),
    ([1, "a"], "string"),
    ([1 << 70, 1], "string"),
    (["\ud800"], "string"),
    ([[1], [2, 3]], "list<item: int64>"),
    ([{"a"}, 1], "string"),
]


@pytest.mark.parametrize("values, kind", VALUES, ids=[repr(row[0]) for row in VALUES])
def test_a_table_as_arrow(values, kind):
    made = Table([Column("x", "x")])
    for one in values:
        made.add(one)
    arrow = made.to_arrow()
    assert arrow.column_names == ["x", "address", "start", "end", "space"]
    assert str(arrow.schema.field("x").type) == kind
    assert arrow.num_rows == len(values)


def test_reprs_are_one_short_line(table):
    assert repr(table) == "<Table 2 of 7 rows: name, size, part>"
    assert repr(Answer("It is small.", table=table, lens="page")) == "<Answer page, 7 rows: It is small.>"
    long = repr(Answer("It is\nlong. " * 900))
    assert len(long) <= 300 and "\n" not in long
