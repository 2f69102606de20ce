"""Text for a terminal: aligned tables, wrapped lines, hexadecimal dumps.

Names, values and messages come from files. Cells go through `printable`, so that no file can move the cursor, change
the title or reverse the text.
"""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterable, Sequence

from pqexplore.engine.text import printable

GAP = "  "

NARROWEST = 8
"""Cells that a column of a table keeps if the line is too long."""


def line_room() -> int:
    """Cells in a line: the terminal's, but at least 72; 120 if the output goes elsewhere."""
    return max(72, shutil.get_terminal_size((120, 24)).columns)


def width(text: str) -> int:
    """The cells of printable text in a terminal: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def clip(text: str, room: int) -> str:
    """`text` in at most `room` cells. If it is longer, it ends with an ellipsis."""
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
    """`text` broken at spaces into lines of at most `room` cells. Lines after the first begin with `indent`."""
    lines, line = [], ""
    for word in text.split(" "):
        candidate = f"{line} {word}" if line else word
        if line and width(candidate) > room:
            lines.append(line)
            line = indent + word
        else:
            line = candidate
    return [*lines, line]


def indented(text: str, room: int, by: int) -> list[str]:
    """`text` made printable, in lines of at most `room` cells that begin with `by` spaces."""
    return [" " * by + line for line in wrap(printable(text), room - by)]


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    room: int,
    *,
    right: str = "",
    whole: Sequence[int] = (),
    indent: str = "  ",
) -> list[str]:
    """Rows as aligned lines of at most `room` cells. `right` has `>` for each column that is aligned to the right.

    If the lines are too long, the widest columns are narrowed first. Columns in `whole` are not narrowed.
    """
    lines = [tuple(head), *(tuple(printable(cell) for cell in row) for row in rows)]
    widths = [max(width(line[i]) for line in lines) for i in range(len(head))]
    over = len(indent) + sum(widths) + len(GAP) * (len(widths) - 1) - room
    narrowable = [i for i in range(len(widths)) if i not in whole]
    while over > 0 and narrowable:
        ordered = sorted((widths[i] for i in narrowable), reverse=True)
        if ordered[0] <= NARROWEST:
            break
        widest = max(narrowable, key=lambda i: widths[i])
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
