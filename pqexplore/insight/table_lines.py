"""The table of an answer as lines: a bounded list, whole cells into a pipe or a file, else fitted to the terminal's width."""

from __future__ import annotations

from collections.abc import Iterator

from pqexplore.engine.text import plural, printable
from pqexplore.insight.answer import Table
from pqexplore.insight.cells import SHOWN, WHOLE, cells
from pqexplore.insight.terminal import indented, is_whole, leading, more, most_lines, table, too_wide

NAMES = frozenset({"column", "path", "field", "name", "place", "page"})
"""Columns of tables whose texts are paths: their ends differ."""


def table_lines(listed: Table, room: int, most: int | None = None) -> Iterator[str]:
    """Caption, head and rows with their addresses, and how many rows are not there; in at most `most` lines.

    Without `most`, a list has as many lines as `room` says (`most_lines`).
    """
    most = most_lines(room) if most is None else most
    above = indented(listed.caption, room, 2) if listed.caption else []
    count = len(listed.rows)
    if most is not None and count > most - len(above) - 1:
        count = most - len(above) - 2  # the head, and how many more there are
    lines = _lines(listed, count, room)
    if most is not None and len(lines) + len(above) > most:  # rows as paragraphs
        count = max(1, count * (most - len(above) - 1) // len(lines))
        lines = _lines(listed, count, room)
    yield from above
    yield from lines
    if listed.total > count:
        left = listed.total - count
        yield "  " + (more(left, "row") if len(listed.rows) == listed.total else f"and {plural(left, 'more row')}")


def _lines(listed: Table, count: int, room: int) -> list[str]:
    """The head and the first rows."""
    head, rows = cells(listed, count, WHOLE if is_whole(room) else SHOWN)
    return table(head, rows, room, right=_right(listed)) if is_whole(room) else list(_narrow(listed, head, rows, room))


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
        same = [i for i in _constant(rows, columns) if i != last]
        if same:
            said = ", ".join(f"{head[i]} {printable(rows[0][i])}" for i in same)
            yield from indented(f"in all rows: {said}", room, 2)
            columns = [i for i in columns if i not in same]
    titles, *texts = _select([head, *rows], columns)
    names = [i for i, at in enumerate(columns) if at < last and listed.columns[at].name in NAMES]
    right = "".join(_right(listed)[i : i + 1] or " " for i in columns)
    if _fits(head, rows, columns, room, last):
        whole = [columns.index(last)] if last in columns else []
        yield from table(titles, texts, room, right=right, names=names, whole=whole)
    else:
        yield from too_wide(titles, texts, room, right, names)


def _constant(rows: list[list[str]], columns: list[int]) -> list[int]:
    """Those of some columns that have one value in all rows."""
    return [i for i in columns if len({row[i] for row in rows}) == 1]


def _fits(head: list[str], rows: list[list[str]], kept: list[int], room: int, address: int) -> bool:
    whole = [kept.index(address)] if address in kept else []
    titles, *texts = _select([head, *rows], kept)
    return leading(titles, texts, room, whole) == len(kept)


def _select(rows: list[list[str]], columns: list[int]) -> list[list[str]]:
    return [[row[i] for i in columns] for row in rows]
