"""The line below the name: what matters most of a file, in one line, and the same on the terminal, in JSON, in the picture."""

import html
import itertools

import pyarrow as pa
import pytest
from made import open_sample, parquet, rebuilt

import pqexplore
from pqexplore.engine.format.thrift.structs import RowGroup, SchemaElement
from pqexplore.insight.doctor.one_line import MOST, one_line
from pqexplore.insight.document import file_document
from pqexplore.insight.lenses import LENSES, answer_of
from pqexplore.insight.report import file_report
from pqexplore.insight.steps import finish
from pqexplore.widget.headline import headline
from pqexplore.widget.picture import picture

ROWS = pa.table({"n": range(1_000)})


def opened(table=ROWS, **changes):
    data = parquet(table)
    return pqexplore.open(rebuilt(data, **changes) if changes else data)


def no_row_group(rows):
    return opened(num_rows=rows, row_groups=[])


def no_columns():
    """Two rows of no column, as some writers leave them."""
    root = SchemaElement(name="root", num_children=0)
    group = RowGroup(columns=[], num_rows=2, total_byte_size=0)
    return opened(schema=[root], row_groups=[group], num_rows=2, column_orders=[])


SOUND = "No problems found"
OFFSET = "row_groups__0__columns__0__meta_data__data_page_offset"

LINES = [
    # what the line says, a file of which it is right, one of which it must not be said
    ("The footer is encrypted and no key opens it", lambda: open_sample("encrypted", False), lambda: open_sample("encrypted")),
    ("encrypted, and the keys given open it", lambda: open_sample("encrypted"), lambda: open_sample("plaintext-footer-bloom", False)),
    ("2 of 3 columns are encrypted and no key opens them: `secret` and `shared`.",
     lambda: open_sample("plaintext-footer-bloom", False), lambda: open_sample("plaintext-footer-bloom")),
    ("The file has no rows.", lambda: opened(ROWS.slice(0, 0)), opened),
    ("The file has no rows.", lambda: no_row_group(0), lambda: no_row_group(7)),
    ("The file has no columns.", no_columns, opened),
    (" kB, lie in 1 other file.",
     lambda: opened(row_groups__0__columns__0__file_path="a.parquet"), opened),
    ("`n`, row group 0 cannot be read: the chunk's pages are said to begin at byte -1.", lambda: opened(**{OFFSET: -1}), opened),
    ("`n`, row group 0, page 0 cannot be read: ", lambda: open_sample("sick-page"), lambda: open_sample("sick-checksum")),
    ("(footer, all 10 pages, no checksums)", lambda: opened(pa.table({name: range(9_000) for name in "abcde"})), opened),
    ("the file is small: ", lambda: opened(pa.table({"x": [1]})), opened),
    (SOUND, opened, lambda: open_sample("sick-bloom")),
    (SOUND, opened, lambda: open_sample("plaintext-footer-bloom", False)),
    (SOUND, lambda: opened(pa.table({"a": [1], "b": [2]})), lambda: opened(pa.table({"a": [1]}), num_rows=9)),
]  # fmt: skip


@pytest.mark.parametrize(("says", "right", "wrong"), LINES, ids=[one[0] for one in LINES])
def test_a_line_stands_where_it_is_right_and_only_there(says, right, wrong):
    with right() as file:
        said = finish(headline(file)).sentence
    assert says in said
    assert len(said) <= MOST + 1
    with wrong() as file:
        assert says not in finish(headline(file)).sentence


@pytest.mark.parametrize(("name", "severity"), [("sick-bloom", "wasteful"), ("sick-page", "damage"), ("encrypted", "")])
def test_the_sign_is_that_of_the_finding_that_the_line_is_about(name, severity):
    with open_sample(name, False) as file:
        assert finish(headline(file)).severity == severity


@pytest.mark.parametrize("name", ["events", "encrypted", "plaintext-footer-bloom", "sick-checksum", "sick-bloom"])
def test_the_terminal_json_and_the_overview_begin_alike(name):
    with open_sample(name, False) as file:
        made = finish(answer_of(file, file.root, LENSES["overview"]))
        line = finish(headline(file)).sentence
        assert made.sentence.count(line.rstrip(".")) == 1
        assert made.sentence.startswith(line.rstrip("."))
        assert file_document(file)["headline"] == line
        assert next(itertools.islice(file_report(file, 1_000), 1, None)).strip().startswith(line.rstrip("."))


@pytest.mark.parametrize("name", ["events", "plaintext-footer-bloom"])
def test_the_static_picture_says_it_if_it_quotes_no_finding(name):
    with open_sample(name, False) as file:
        assert finish(headline(file)).sentence.rstrip(".") in html.unescape(picture(file))
    with open_sample("sick-statistics") as file:
        assert "the min 0" not in html.unescape(picture(file))


BRIEF = [
    # a sentence, at most so many characters, what is left
    ("One thing; another.", 40, "One thing; another."),
    ("One thing; another.", 12, "One thing."),
    ("One: two; three.", 9, "One: two."),
    ("`a; b` is (c: d) long; more.", 24, "`a; b` is (c: d) long."),
    ("A first clause is never cut; more.", 3, "A first clause is never cut."),
    ("It's 1.5 × as large.", 4, "It's 1.5 × as large."),
    ("Too long (an aside); more.", 10, "Too long."),
    ("Short (an aside); more.", 20, "Short (an aside)."),
    ("This is one, or another; more.", 10, "This is one, or another."),
    ("No full stop", 40, "No full stop."),
    ("var, row 0, $: what is wrong there; more.", 20, "var, row 0, $: what is wrong there."),
]


@pytest.mark.parametrize(("text", "most", "left"), BRIEF)
def test_only_whole_clauses_are_left_out(text, most, left):
    assert one_line(text, most) == left
