"""Text for a terminal: aligned tables, wrapped lines, hexadecimal dumps.

Names, values and messages come from files. Cells go through `printable`, so that no file can move the cursor, change
the title or reverse the text.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from pqexplore.engine.text import plural, printable

T = TypeVar("T")

GAP = "  "

NARROWEST = 8
"""Cells that a column of a table keeps if the line is too long."""

LEGIBLE = 16
"""Cells of a column that can still be read; a table with narrower ones is `too_wide`."""

FEW = 3
"""Rows of a table that is too wide which are printed as paragraphs, with all of their cells."""

_WORDS = re.compile(r"[^\W\d_]{2,}")

WHOLE = 1 << 20
"""The room of output that no terminal shows: tables keep all of each cell."""

LISTED = 200
"""Lines of a list: rows, columns, schema fields, row groups. The others are counted, unless `--all` asks for them."""

ALL = "--all"
"""The option that lists all of them."""


class Room(int):
    """Cells in a line of output that lists everything."""


def most_lines(room: int) -> int | None:
    """How many lines a list has; None for all of them."""
    return None if isinstance(room, Room) else LISTED


def more(count: int, what: str) -> str:
    """The line in the place of the rest of a list."""
    return f"… and {plural(count, f'more {what}')}: {ALL}"


def listed(items: Sequence[T], lines_of: Callable[[T], Iterable[str]], room: int, what: str) -> Iterator[str]:
    """The lines of a list of items: whole ones, until the list is as long as `room` says; then how many more there are."""
    left = most_lines(room)
    for number, one in enumerate(items):
        lines = list(lines_of(one))
        if left is not None:
            if number and len(lines) >= left:
                yield f"  {more(len(items) - number, what)}"
                return
            left -= len(lines)
        yield from lines


READABLE = 120
"""Cells of a line of sentences where the room is `WHOLE`."""


def line_room() -> int:
    """Cells in a line: the terminal's, but at least 72; `WHOLE` if the output goes elsewhere, unless COLUMNS is set."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal():
        return max(72, shutil.get_terminal_size((READABLE, 24)).columns)
    return WHOLE


def is_whole(room: int) -> bool:
    """Whether `room` is `WHOLE`, or what is left of it beside an indent."""
    return room > WHOLE // 2


def width(text: str) -> int:
    """The cells of printable text in a terminal: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


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


def shortened(text: str, room: int) -> str:
    """`text` in at most `room` cells. If it is longer, an ellipsis stands in its middle: the end of a path tells more."""
    if width(text) <= room:
        return text
    if room < 2:
        return clip(text, room)
    end = clip(text[::-1], 2 * (room - 1) // 3 + 1)[:-1][::-1]
    return clip(text, room - width(end)) + end


def wrap(text: str, room: int, indent: str = "") -> list[str]:
    """`text` broken at spaces into lines of at most `room` cells. Lines after the first begin with `indent`."""
    if is_whole(room):
        room = READABLE
    lines, line = [], ""
    for word in text.split(" "):
        candidate = f"{line} {word}" if line else word
        if line and width(candidate) > room:
            lines.append(line.rstrip(" "))
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
    names: Sequence[int] = (),
    indent: str = "  ",
) -> list[str]:
    """Rows as aligned lines of at most `room` cells. `right` has `>` for each column that is aligned to the right.

    If the lines are too long, the widest columns are narrowed first. Columns in `whole` are not narrowed; those in
    `names` keep the ends of their texts.
    """
    lines = [tuple(head), *(tuple(printable(cell) for cell in row) for row in rows)]
    widths = [max(width(line[i]) for line in lines) for i in range(len(head))]
    cut = [shortened if i in names else clip for i in range(len(head))]
    over = len(indent) + sum(widths) + len(GAP) * (len(widths) - 1) - room
    narrowable = [i for i in range(len(widths)) if i not in whole]
    while over > 0 and narrowable:
        ordered = sorted((widths[i] for i in narrowable), reverse=True)
        if ordered[0] <= NARROWEST:
            break
        widest = max(narrowable, key=lambda i: widths[i])
        next_widest = ordered[1] if len(ordered) > 1 else 0
        by = min(over, max(1, ordered[0] - max(next_widest, NARROWEST)))
        widths[widest] -= by
        over -= by
    made = []
    for line in lines:
        cells = []
        for i, text in enumerate(line):
            cell = cut[i](text, widths[i])
            space = " " * (widths[i] - width(cell))
            cells.append(space + cell if right[i : i + 1] == ">" else cell + space)
        made.append((indent + GAP.join(cells)).rstrip())
    return made


def records(head: Sequence[str], rows: Iterable[Sequence[str]], room: int, indent: str = "  ") -> list[str]:
    """Rows as paragraphs, for a table that is wider than the line: `title: cell` for each cell that is not empty."""
    made: list[str] = []
    for number, row in enumerate(rows):
        cells = zip(head, map(printable, row), strict=True)
        pairs = [f"{title}:\0{cell}" if title else cell for title, cell in cells if cell]
        lines = wrap(", ".join(pairs), room - len(indent), "  ")
        made += [""] * bool(number) + [f"{indent}{line}".replace("\0", " ") for line in lines]
    return made


def leading(
    head: Sequence[str], rows: Iterable[Sequence[str]], room: int, whole: Sequence[int] = (), indent: str = "  "
) -> int:
    """How many of the first columns fit the line if none is narrowed to less than `LEGIBLE` cells, and those in `whole` not."""
    lines = [tuple(head), *(tuple(row) for row in rows)]
    used = len(indent) - len(GAP)
    for i in range(len(head)):
        widest = max(width(printable(line[i])) for line in lines)
        used += len(GAP) + (widest if i in whole else min(widest, LEGIBLE))
        if used > room:
            return i
    return len(head)


def too_wide(
    head: Sequence[str], rows: Sequence[Sequence[str]], room: int, right: str, names: Sequence[int] = ()
) -> list[str]:
    """The lines of a table that is wider than the line.

    A few rows, and rows with sentences, are paragraphs (`records`). Of others, the first columns are a table, and the
    other columns are named.
    """
    count = leading(head, rows, room)
    sentences = any(len(_WORDS.findall(cell)) > 5 for row in rows for cell in row)
    if len(rows) <= FEW or sentences or count < 2:
        return records(head, rows, room)
    made = table(head[:count], [row[:count] for row in rows], room, right=right, names=[i for i in names if i < count])
    left = ", ".join(filter(None, head[count:]))
    said = f"The line is too short for: {left}. --wide shows them."
    return made + (indented(said, room, 2) if left else [])


def hexdump(data: bytes, start: int, per_line: int = 16) -> list[str]:
    """Bytes as lines of offset, hexadecimal and ASCII; `start` is the offset of the first."""
    lines = []
    for at in range(0, len(data), per_line):
        part = data[at : at + per_line]
        text = "".join(chr(b) if 0x20 <= b < 0x7F else "." for b in part)
        lines.append(f"{start + at:10,}  {part.hex(' '):<{per_line * 3}} {text}")
    return lines
