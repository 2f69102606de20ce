"""Colour on a terminal: heads are bold, the word of a severity has its colour. The words stay: colour is a second cue."""

from __future__ import annotations

import os
import re
from typing import TextIO

RED, YELLOW, BLUE, BOLD, PLAIN = "\x1b[31m", "\x1b[33m", "\x1b[34m", "\x1b[1m", "\x1b[0m"

SEVERITIES = {
    "error": RED,
    "damage": RED,
    "wrong answer possible": RED,
    "warning": YELLOW,
    "slow": YELLOW,
    "wasteful": YELLOW,
    "portability": BLUE,
    "note": BLUE,
}
"""Of findings and of diagnoses."""

_SEVERITY = re.compile(rf"( *)({'|'.join(SEVERITIES)})(?=:| )")


def wanted(stream: TextIO) -> bool:
    """Whether `stream` is a terminal with colours, and NO_COLOR (https://no-color.org) is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") != "dumb"


def painted(line: str) -> str:
    """A printable line with colours: lines of two spaces that begin with a severity, and lines without an indent."""
    if line and line[0] != " ":
        return f"{BOLD}{line}{PLAIN}"
    found = _SEVERITY.match(line)
    if found is None or len(found[1]) != 2:
        return line
    return f"{found[1]}{SEVERITIES[found[2]]}{found[2]}{PLAIN}{line[found.end() :]}"
