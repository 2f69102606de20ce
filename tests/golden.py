"""Texts that a reader can judge, kept in files beside the tests and compared with what is made now.

`PQEXPLORE_RENEW_VIEWS=1` writes the files anew. Look at what changed before you commit it.
"""

import json
import os
from pathlib import Path
from typing import Any

from pqexplore.insight import wire
from pqexplore.insight.answer import Answer

WIDTH = 120


def same(path: Path, made: str) -> None:
    """The file has this text; it is written if it is to be renewed."""
    if os.environ.get("PQEXPLORE_RENEW_VIEWS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(made, "utf-8", newline="\n")
    assert made == path.read_text("utf-8")


def plain(value: Any, indent: int = 0) -> str:
    """JSON in lines that can be read: of an object without what is null, false or empty, of alike objects a table."""
    if isinstance(value, dict) and value.keys() == {"start", "end", "space"}:
        return f"{value['space']} {value['start']}-{value['end']}"
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    pad = f"\n{' ' * (indent + 1)}"
    if isinstance(value, list):
        if len(value) > 1 and all(isinstance(one, dict) and one.keys() == value[0].keys() for one in value):
            rows = [[plain(field, indent + 1) for field in one.values()] for one in value]
            if not any("\n" in cell for row in rows for cell in row):
                return pad.join([" | ".join(value[0]), *map(" | ".join, rows)])
        made, before, after = [plain(one, indent + 1) for one in value], "[", "]"
    else:
        kept = [(name, one) for name, one in value.items() if one not in (None, "", [], {}) and one is not False]
        made, before, after = [f"{name}: {plain(one, indent + 1)}" for name, one in kept], "{", "}"
    line = before + ", ".join(made) + after
    return (
        line if len(line) + indent <= WIDTH and "\n" not in line or not made else before + pad + pad.join(made) + after
    )


class Answers:
    """Answers as text, one below the other: sentence, table with addresses and spans, and picture. What is long is said once."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.said: dict[str, str] = {}

    def add(self, title: str, found: Answer) -> None:
        lines = [f"== {title}", found.sentence, f"empty: {found.empty}", f"code: {found.code}"]
        lines += [f"{one.severity.value}: {one.sentence}" for one in found.findings]
        if found.table is not None:
            lines.append(f"table of {found.table.total}: {found.table.caption}")
            for one in found.table.columns:
                line = f"  {one.name}: {one.title}, {one.kind}, {one.meaning} {one.total}".rstrip(" ,")
                lines.append("" if line in self.said else line)
                self.said[line] = title
            rows = []
            for row, address, span in zip(found.table.rows, found.table.addresses, found.table.spans, strict=True):
                where = "" if span is None else f"{span.space} {span.start}-{span.end}"
                rows.append(" | ".join([*map(str, row), str(address), where]))
            lines.append(self._once("\n".join(rows), title))
        if found.totals is not None:
            by_column = found.totals.by_column
            lines.append(f"totals: {found.totals.line}")
            lines += [" | ".join(map(str, row)) for row in (by_column.rows if by_column is not None else ())]
        if found.picture is not None:
            lines += [f"{name}: {self._once(plain(one), title)}" for name, one in wire.encode(found.picture).items()]
        self.parts.append(
            "\n".join(line for line in lines if line and not line.endswith((": ", ": null", ": []"))) + "\n"
        )

    def _once(self, text: str, title: str) -> str:
        first = self.said.setdefault(text, title)
        return text if first == title or len(text) < WIDTH else f"as at {first}"

    def __str__(self) -> str:
        return "\n".join(self.parts)
