"""A finding in one line: its place, then as many clauses of its sentence as fit."""

from __future__ import annotations

import re

MOST = 102
"""Characters of a headline: as many stand on one line beside the badges of a screen of 1,280 pixels."""

LEAST = 20
"""Characters of a first clause that ends with a colon: a shorter one is a place, and what is wrong there comes after it."""

_QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|\([^()]*\)")
_ASIDE = re.compile(r" \([^()]*\)$")
_BETWEEN = re.compile(r"[;:.] ")


COULD_BE = "of its size"
"""How the words end that say what a file could be: why comes after their colon."""


def _ends(begun: str) -> bool:
    """Whether a clause may end with a colon after these words."""
    return len(begun) >= LEAST and not begun.endswith(COULD_BE)


def one_line(text: str, most: int = MOST) -> str:
    """The first clauses of a sentence, at most `most` characters of them; the first clause has its words in any case.

    Clauses end with a semicolon, a colon or a full stop, outside of quotes and parentheses. A first clause that is too long
    is without the parenthesis at its end. Nothing else of it is left out: half of an "or" would say what is not known.
    """
    whole = text.rstrip(".")
    masked = _QUOTED.sub(lambda found: "x" * len(found[0]), whole)
    ends = [found.start() for found in _BETWEEN.finditer(masked) if found[0] != ": " or _ends(masked[: found.start()])]
    fitting = [end for end in (*ends, len(whole)) if end <= most]
    if fitting:
        return f"{whole[: fitting[-1]]}."
    first = whole[: (*ends, len(whole))[0]]
    return f"{_ASIDE.sub('', first)}."
