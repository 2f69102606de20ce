"""Colour: on a terminal only, and never without the words."""

import io

import pytest

from pqexplore.cli.out import Out, painted, wanted

LINES = [
    # printed, painted
    ("Schema", "\x1b[1mSchema\x1b[0m"),
    ("", ""),
    ("  error   wrong checksum", "  \x1b[31merror\x1b[0m   wrong checksum"),
    ("  slow: one", "  \x1b[33mslow\x1b[0m: one"),
    ("  wrong answer possible: x", "  \x1b[31mwrong answer possible\x1b[0m: x"),
    ("  errors are few", "  errors are few"),
    ("    note is indented more", "    note is indented more"),
    ("  a note", "  a note"),
]


@pytest.mark.parametrize("line, expected", LINES)
def test_heads_and_severities(line, expected):
    assert painted(line) == expected


class Terminal(io.StringIO):
    def isatty(self):
        return True


WANTED = [
    # stream, environment, whether there is colour
    (Terminal, {}, True),
    (io.StringIO, {}, False),
    (Terminal, {"NO_COLOR": "1"}, False),
    (Terminal, {"NO_COLOR": ""}, True),
    (Terminal, {"TERM": "dumb"}, False),
]


@pytest.mark.parametrize("stream, environment, expected", WANTED)
def test_colour_is_for_terminals(stream, environment, expected, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    made = stream()
    assert wanted(made) == expected
    Out(80, made).say("a\x1b[31m")
    assert made.getvalue() == ("\x1b[1ma\\x1b[31m\x1b[0m\n" if expected else "a\\x1b[31m\n")
