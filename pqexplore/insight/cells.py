"""The cells of a table as texts, for a terminal, Markdown and HTML."""

from __future__ import annotations

from typing import Any

from pqexplore.engine.text import printable
from pqexplore.insight.answer import Column, Table
from pqexplore.insight.terminal import clip

SHOWN = 160
"""Characters of a value or a label that are shown."""


def cells(table: Table, most: int) -> tuple[list[str], list[list[str]]]:
    """Titles and texts of the first rows, at most `most`; the last column is the address, if a row has one."""
    head = [column.title for column in table.columns]
    rows = [
        [_cell(c, v) for c, v in zip(table.columns, row, strict=True)] for row in table.rows[:most]
    ]
    if any(table.addresses[:most]):
        head.append("address")
        rows = [[*row, table.addresses[i] or ""] for i, row in enumerate(rows)]
    return head, rows


def _cell(column: Column, value: Any) -> str:
    if value is None:
        return ""
    if column.kind == "share":
        return f"{value:.1%}"
    return shown(value)


def shown(value: Any) -> str:
    """A fact's value as a short printable text."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return (
            f"{value:,}"
            if value.bit_length() < 200
            else f"an integer of {value.bit_length():,} bits"
        )
    if isinstance(value, (bytes, bytearray, memoryview)):
        head = bytes(value[:24])
        more = f" … ({len(value):,} bytes)" if len(value) > len(head) else ""
        return f"{head.hex(' ')}{more}" if head else "empty"
    if isinstance(value, str):
        return clip(printable(value[: 4 * SHOWN]), SHOWN) or "empty"
    return clip(printable(str(value)[: 4 * SHOWN]), SHOWN)
