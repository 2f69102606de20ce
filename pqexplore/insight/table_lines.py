"""The table of an answer as lines: whole into a pipe or a file, fitted to the width of a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from pqexplore.engine.text import plural, printable
from pqexplore.insight.answer import Table
from pqexplore.insight.cells import SHOWN, WHOLE, cells
from pqexplore.insight.terminal import indented, is_whole, leading, table, too_wide

ROWS = 200
"""Rows, columns, schema fields and row groups that are listed on a terminal. The others are counted."""

IN_A_PIPE = "; a pipe or a file gets them all"
"""What follows the number of those that are not listed on a terminal."""

NAMES = frozenset({"column", "path", "field", "name", "place", "page"})
"""Columns of tables whose texts are paths: their ends differ."""


def table_lines(listed: Table, room: int) -> Iterator[str]:
    """Caption, head and rows with their addresses, and how many rows are not there."""
    if listed.caption:
        yield from indented(listed.caption, room, 2)
    most = len(listed.rows) if is_whole(room) else ROWS
    head, rows = cells(listed, most, WHOLE if is_whole(room) else SHOWN)
    if is_whole(room):
        yield from table(head, rows, room, right=_right(listed))
    else:
        yield from _narrow(listed, head, rows, room)
    if listed.total > len(rows):
        more = IN_A_PIPE if len(listed.rows) == listed.total else ""
        yield f"  and {plural(listed.total - len(rows), 'more row')}{more}"


def _right(listed: Table) -> str:
    """Which columns are aligned to the right, as `table` takes it."""
    numbers = ("number", "bytes", "share")
    return "".join(">" if column.kind in numbers else " " for column in listed.columns)


def _narrow(listed: Table, head: list[str], rows: list[list[str]], room: int) -> Iterator[str]:
    """A table for a terminal: without columns of blanks, and if it is too wide, columns of one value once above it.

    Of a table that is still too wide, the first columns are shown, or a few rows as paragraphs.
    """
    columns = [i for i in range(len(head)) if any(row[i] for row in rows)]
    last = len(listed.columns)  # the address
    if not _fits(head, rows, columns, room, last) and len(rows) > 1:
        same = [i for i in columns if i != last and len({row[i] for row in rows}) == 1]
        if same:
            said = ", ".join(f"{head[i]} {printable(rows[0][i])}" for i in same)
            yield from indented(f"in all rows: {said}", room, 2)
            columns = [i for i in columns if i not in same]
    titles, texts = [head[i] for i in columns], [[row[i] for i in columns] for row in rows]
    names = [i for i, at in enumerate(columns) if at < last and listed.columns[at].name in NAMES]
    right = "".join(_right(listed)[i : i + 1] or " " for i in columns)
    if _fits(head, rows, columns, room, last):
        whole = [columns.index(last)] if last in columns else []
        yield from table(titles, texts, room, right=right, names=names, whole=whole)
    else:
        yield from too_wide(titles, texts, room, right, names)


def _fits(head: list[str], rows: list[list[str]], kept: list[int], room: int, address: int) -> bool:
    whole = [kept.index(address)] if address in kept else []
    return leading([head[i] for i in kept], [[row[i] for i in kept] for row in rows], room, whole) == len(kept)
