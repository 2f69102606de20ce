"""Text for people: makes text from a file safe to display, and counts things in words.

Names, values and key-values of a file can hold any characters: some move a terminal's cursor, change its title, reverse the
text around them, or are invisible. Data keeps them unchanged. Every text for people (a repr, a label, a message, a line of
the command line) goes through `printable`, and through `markup` if it becomes HTML.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence

_SHAPELESS = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]")
"""Letters and marks without a shape; `str.isprintable` accepts them."""

_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def printable(text: str) -> str:
    r"""`text` with an escape such as `\x1b` or `\u202e` for each invisible character.

    These are what `repr` of a str escapes (controls, format characters such as bidirectional overrides and zero-width
    joiners, separators other than a space, lone surrogates, unassigned and private characters), and letters without a
    shape. Backslashes stay as they are, so printable text is returned unchanged.
    """
    if _is_printable(text):
        return text
    return "".join(c if _is_printable(c) else _escape(c) for c in text)


def printable_lines(text: str) -> str:
    """`text` as printable text that keeps its line feeds."""
    return "\n".join(map(printable, text.split("\n")))


def markup(text: str) -> str:
    """`text` as printable text in HTML, in an element or in a quoted attribute."""
    return html.escape(printable(text))


def clip(text: str, limit: int) -> str:
    """`text`, or its beginning and `…`, in at most `limit` characters."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def plural(count: int, one: str, many: str = "") -> str:
    """1 row, 2 rows, 1,000 indexes."""
    words = one if count == 1 else many or (f"{one}es" if one.endswith("x") else f"{one}s")
    return f"{count:,} {words}"


def listing(words: Sequence[str], last: str = "and", most: int = 6) -> str:
    """Words with commas and `last`: "a", "a and b", "a, b and c". Only the number of those after `most` is given."""
    shown = list(words)
    if len(shown) > most:
        shown[most - 1 :] = [f"{len(words) - most + 1:,} more"]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


NAME = 60
"""Characters of a column's name in a sentence."""


def name(path: Sequence[str] | str) -> str:
    """A column's name in backquotes, shortened."""
    return f"`{middle(path if isinstance(path, str) else '.'.join(path), NAME)}`"


def middle(text: str, most: int) -> str:
    """A name of at most so many characters, shortened in its middle: its end often tells it from others."""
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"


def json_string(text: str) -> str:
    r"""`text` as a JSON string that is printable: invisible characters are written as `\uXXXX`, which JSON reads back."""
    quoted = json.dumps(text, ensure_ascii=False)
    if _is_printable(quoted):
        return quoted
    return "".join(c if _is_printable(c) else json.dumps(c)[1:-1] for c in quoted)


def _is_printable(text: str) -> bool:
    return text.isprintable() and (text.isascii() or _SHAPELESS.search(text) is None)


def _escape(character: str) -> str:
    known = _NAMED.get(character)
    if known is not None:
        return known
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
