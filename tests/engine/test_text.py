"""Text that is safe to display: nothing in it that a terminal obeys, that turns text around, or that is invisible."""

import html
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError, UsageError, located
from pqexplore.engine.fact import Fact
from pqexplore.engine.finding import Finding
from pqexplore.engine.kind import Kind
from pqexplore.engine.rule import Severity
from pqexplore.engine.span import Span
from pqexplore.engine.text import json_string, markup, printable, printable_lines
from pqexplore.engine.tree.node import Node

TEXTS = st.text(st.characters())

HOSTILE = "\x1b[31m\u202e\u200b\ud800\r\n"
SHOWN = r"\x1b[31m\u202e\u200b\ud800\r\n"


@pytest.mark.parametrize(
    "text, shown",
    [
        ("plain", "plain"),
        ("Zürich 東京", "Zürich 東京"),
        ("\x1b[31m", r"\x1b[31m"),
        ("a\nb\tc\r", r"a\nb\tc\r"),
        ("\x9b", r"\x9b"),
        ("\u202eabc", r"\u202eabc"),
        ("\u2067abc\u2069", r"\u2067abc\u2069"),
        ("\u061c\u200e\u200f", r"\u061c\u200e\u200f"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("\u3164\u115f", r"\u3164\u115f"),
        ("\ud800", r"\ud800"),
        ("\U000e0001", r"\U000e0001"),
        ("C:\\new", "C:\\new"),
    ],
)
def test_printable(text, shown):
    assert printable(text) == shown


@given(TEXTS)
def test_printable_text_is_printable_and_stays_as_it_is(text):
    shown = printable(text)
    assert shown.isprintable()
    assert printable(shown) == shown


@given(TEXTS)
def test_markup_has_no_tag_and_stands_for_the_same_text(text):
    made = markup(text)
    assert not set("<>\"'") & set(made)
    assert html.unescape(made) == printable(text)


@given(TEXTS)
def test_json_strings_are_printable_and_read_back(text):
    made = json_string(text)
    assert made.isprintable()
    assert json.loads(made) == json.loads(json.dumps(text))


def test_an_error_shows_no_control_of_the_file_in_message_address_and_str():
    error = CorruptFileError(f"column {HOSTILE}", offset=5, address=f"schema/{HOSTILE}")
    assert error.message == f"column {SHOWN}"
    assert str(error) == f"column {SHOWN} (at schema/{SHOWN}, byte 5)"
    assert repr(error).isprintable()
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert error.address == f"schema/{HOSTILE}"
    error.message += HOSTILE
    assert str(error).isprintable()
    assert str(UsageError(HOSTILE)) == SHOWN


def test_a_located_error_stays_printable():
    with pytest.raises(CorruptFileError) as caught, located("footer", 100, direct=False):
        raise CorruptFileError(HOSTILE, offset=3)
    assert caught.value.message == f"{SHOWN}, at byte 3 of the decoded bytes"


@pytest.mark.parametrize(
    "shown",
    [
        str(Finding("rule", HOSTILE, HOSTILE, severity=Severity.DAMAGE)),
        repr(Finding("rule", HOSTILE, HOSTILE, {HOSTILE: HOSTILE}, severity=Severity.DAMAGE)),
        Finding("rule", "", HOSTILE, severity=Severity.DAMAGE).message,
        repr(Fact(HOSTILE, HOSTILE, HOSTILE)),
        Fact(HOSTILE, "").name,
        Fact("", "", HOSTILE).meaning,
        repr(Node(Kind.GROUP, HOSTILE, HOSTILE, reason=HOSTILE)),
        Node(Kind.GROUP, HOSTILE, "").label,
        Node(Kind.GROUP, "", "", reason=HOSTILE).reason,
        str(Span(0, 1, HOSTILE)),
    ],
)
def test_nodes_facts_and_findings_show_printable_text(shown):
    assert shown.isprintable()
    assert r"\x1b" in shown


def test_a_fact_keeps_its_value():
    assert Fact("name", HOSTILE).value == HOSTILE


def test_lines_stay_lines():
    assert printable_lines("a\nb\x1b\r\nc") == "a\nb\\x1b\\r\nc"
