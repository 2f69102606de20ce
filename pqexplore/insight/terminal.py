"""Answers as text for a terminal: columns that line up, and nothing in it that a terminal would obey.

Names, values and messages come from files. Whatever is not printable is written as an escape, so that no file can
move the cursor, change the title or turn the text around.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

GAP = "  "

NARROWEST = 8
"""Cells that a column of a table keeps when the line is too long."""


def visible(text: str) -> str:
    """`text` with everything unprintable (controls, direction marks, lone surrogates) as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    known = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}.get(character)
    if known is not None:
        return known
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def width(text: str) -> int:
    """Cells that a terminal takes for visible text: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def clip(text: str, room: int) -> str:
    """`text` in at most `room` cells; an ellipsis stands for what does not fit."""
    if width(text) <= room:
        return text
    kept, used = [], 0
    for character in text:
        used += width(character)
        if used > room - 1:
            break
        kept.append(character)
    return "".join(kept) + "…" if room > 0 else ""


def wrap(text: str, room: int, indent: str = "") -> list[str]:
    """`text` broken at spaces into lines of at most `room` cells, each after the first behind `indent`."""
    lines, line = [], ""
    for word in text.split(" "):
        candidate = f"{line} {word}" if line else word
        if line and width(candidate) > room:
            lines.append(line)
            line = indent + word
        else:
            line = candidate
    return [*lines, line]


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    room: int,
    *,
    right: str = "",
    whole: Sequence[int] = (),
    indent: str = "  ",
) -> list[str]:
    """Rows as aligned lines of at most `room` cells; `right` has `>` for each column that is aligned to the right.

    Where the lines would be too long, the longest column gives way, then the next; those in `whole` never do.
    """
    lines = [tuple(head), *(tuple(visible(cell) for cell in row) for row in rows)]
    widths = [max(width(line[i]) for line in lines) for i in range(len(head))]
    over = len(indent) + sum(widths) + len(GAP) * (len(widths) - 1) - room
    yielding = [i for i in range(len(widths)) if i not in whole]
    while over > 0 and yielding:
        ordered = sorted((widths[i] for i in yielding), reverse=True)
        if ordered[0] <= NARROWEST:
            break
        widest = max(yielding, key=lambda i: widths[i])
        next_widest = ordered[1] if len(ordered) > 1 else 0
        cut = min(over, max(1, ordered[0] - max(next_widest, NARROWEST)))
        widths[widest] -= cut
        over -= cut
    made = []
    for line in lines:
        cells = []
        for i, text in enumerate(line):
            cell = clip(text, widths[i])
            space = " " * (widths[i] - width(cell))
            cells.append(space + cell if right[i : i + 1] == ">" else cell + space)
        made.append((indent + GAP.join(cells)).rstrip())
    return made


def hexdump(data: bytes, start: int, per_line: int = 16) -> list[str]:
    """Bytes as lines of offset, hexadecimal and ASCII; `start` is the offset of the first."""
    lines = []
    for at in range(0, len(data), per_line):
        part = data[at : at + per_line]
        text = "".join(chr(b) if 0x20 <= b < 0x7F else "." for b in part)
        lines.append(f"{start + at:10,}  {part.hex(' '):<{per_line * 3}} {text}")
    return lines
