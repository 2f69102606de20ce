"""The cells of a table as texts, for a terminal, Markdown and HTML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pqexplore.engine.text import printable
from pqexplore.insight.answer import Counts
from pqexplore.insight.terminal import clip

if TYPE_CHECKING:
    from pqexplore.insight.answer import Column, Table

SHOWN = 160
"""Characters of a value or a label that are shown."""


WHOLE = 1 << 16
"""Characters of a value that are shown where there is room for all of it."""


def cells(table: Table, most: int, limit: int = SHOWN) -> tuple[list[str], list[list[str]]]:
    """Titles and texts of the first rows, at most `most`; the last column is the address, if a row has one.

    A text has at most `limit` characters.
    """
    head = [column.title for column in table.columns]
    rows = [[_cell(c, v, limit) for c, v in zip(table.columns, row, strict=True)] for row in table.rows[:most]]
    if any(table.addresses[:most]):
        head.append("address")
        rows = [[*row, table.addresses[i] or ""] for i, row in enumerate(rows)]
    return head, rows


def _cell(column: Column, value: Any, limit: int) -> str:
    if value is None:
        return ""
    if column.kind == "share":
        return f"{value:.1%}"
    return shown(value, limit)


def shown(value: Any, limit: int = SHOWN) -> str:
    """A value as a printable text of at most `limit` characters; of bytes the first `limit` / 6."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if value.bit_length() < 200 else f"an integer of {value.bit_length():,} bits"
    if isinstance(value, (bytes, bytearray, memoryview)):
        head = bytes(value[: max(24, limit // 6)])
        more = f" … ({len(value):,} bytes)" if len(value) > len(head) else ""
        return f"{head.hex(' ')}{more}" if head else "empty"
    if isinstance(value, str):
        return clip(printable(value[: 4 * limit]), limit) or "empty"
    return clip(printable(_text(value)[: 4 * limit]), limit)


def _text(value: Any) -> str:
    """A list, a struct or another object as text; texts in it are in double quotes, as in JSON."""
    if isinstance(value, Counts):
        return str(value)
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
