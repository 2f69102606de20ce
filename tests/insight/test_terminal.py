"""Text for terminals: nothing in it that a terminal obeys, and columns that line up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqexplore.engine.text import printable
from pqexplore.insight.terminal import WHOLE, clip, hexdump, line_room, records, shortened, table, too_wide, width, wrap


@pytest.mark.parametrize("text, cells", [("abc", 3), ("東京", 4), ("e\u0301", 1), ("", 0)])
def test_width(text, cells):
    assert width(text) == cells


@pytest.mark.parametrize(
    "text, room, clipped",
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("東京都", 5, "東京…"), ("東京都", 4, "東…"), ("abc", 0, "")],
)
def test_clip(text, room, clipped):
    assert clip(text, room) == clipped


@given(st.text(), st.integers(0, 30))
def test_clipped_text_fits(text, room):
    assert width(clip(printable(text), room)) <= room


def test_wrap_indents_what_follows():
    assert wrap("one two three four", 9, "  ") == ["one two", "  three", "  four"]
    assert wrap("one two  [three]", 8) == ["one two", "[three]"]


def test_table_aligns():
    assert table(("name", "size"), [("a", "1,000"), ("longer", "5")], 80, right=" >") == [
        "  name     size",
        "  a       1,000",
        "  longer      5",
    ]


def test_the_longest_column_gives_way_first():
    lines = table(("a", "b"), [("x" * 30, "y" * 12)], 30)
    assert lines[1] == f"  {'x' * 13}…  {'y' * 12}"


def test_what_is_to_stay_whole_does():
    lines = table(("a", "b"), [("x" * 30, "y" * 12)], 42, whole=(0,))
    assert lines[1] == f"  {'x' * 30}  {'y' * 7}…"


def test_cells_of_a_table_are_visible():
    assert table(("a",), [("\x1b[2J",)], 80)[1] == r"  \x1b[2J"


def test_hexdump():
    assert hexdump(b"PAR1\x15\x04" + b"x" * 12, 4) == [
        "         4  50 41 52 31 15 04 78 78 78 78 78 78 78 78 78 78  PAR1..xxxxxxxxxx",
        "        20  78 78                                            xx",
    ]


@pytest.mark.parametrize("text, room, short", [
    ("tags.list.element", 17, "tags.list.element"),
    ("c_orders.bag.array_element.o_lineitems", 20, "c_order….o_lineitems"),
    ("東京/大阪/札幌", 9, "東…/札幌"),
    ("abcd", 1, "…"),
    ("abcd", 0, ""),
])  # fmt: skip
def test_shortened_in_the_middle(text, room, short):
    assert shortened(text, room) == short
    assert width(short) <= room


@given(st.text(), st.integers(0, 30))
def test_shortened_text_fits(text, room):
    assert width(shortened(printable(text), room)) <= room


def test_names_keep_their_ends_in_a_table():
    names = ("orders.bag.array_element.o_comment", "orders.bag.array_element.o_lines")
    lines = table(("column", "n"), [(name, "1") for name in names], 26, names=(0,))
    assert [line.partition("…")[2] for line in lines[1:]] == ["ent.o_comment  1", "ement.o_lines  1"]


def test_wide_characters_line_up():
    lines = table(("name", "n"), [("東京", "1"), ("abcd", "2")], 80)
    assert [width(line.rpartition("  ")[0]) for line in lines] == [6, 6, 6]


def test_rows_as_paragraphs():
    rows = [("a", "1" * 30, ""), ("b\x1b", "2", "x y")]
    assert records(("name", "number", "note"), rows, 40) == [
        "  name: a,",
        f"    number: {'1' * 30}",
        "",
        r"  name: b\x1b, number: 2, note: x y",
    ]


SENTENCE = "the writer gave up its dictionary here"


@pytest.mark.parametrize("rows, note, first, last", [
    (4, "short", "  name", "  The line is too short for: note. --wide shows them."),
    (3, "short", "  name: aaaa", "  note: short"),
    (4, SENTENCE, "  name: aaaa", SENTENCE),
], ids=["a table", "few rows", "a sentence"])  # fmt: skip
def test_rows_that_are_wider_than_the_line(rows, note, first, last):
    some = [("a" * 16, "1", note)] * rows
    lines = too_wide(("name", "number", "note"), some, 30, " > ")
    assert lines[0].startswith(first)
    assert " ".join(line.strip() for line in lines).endswith(last.strip())


@pytest.mark.parametrize("columns, tty, room", [("", False, WHOLE), ("90", False, 90), ("90", True, 90), ("9", True, 72)])  # fmt: skip
def test_the_room_of_a_line(monkeypatch, columns, tty, room):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("sys.stdout.isatty", lambda: tty, raising=False)
    assert line_room() == room
