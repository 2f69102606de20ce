"""Paths as the lake explorer shows them: relative to the folder that all files lie in. Addresses keep whole paths."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from pqexplore.insight.answer import Table
from pqexplore.insight.answer_cache import Latest
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.filters import Filters, ask

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore import Store

PATHS = frozenset({"path", "file", "example", "first_path", "object"})
"""The names of columns that hold paths, and the names of objects, which begin with one."""
SENTENCES = frozenset({"message", "sentence"})
"""The names of columns whose texts may name the row's file."""

_roots: Latest[Lake, str] = Latest(1)


def root(subject: Lake | Store) -> str:
    """The folder of all files, or of all objects, with the slash at its end; "" if they have none in common."""
    if not isinstance(subject, Lake):
        return _shared(min(subject.rows, default=""), max(subject.rows, default=""))
    run = subject.manifest.run_id
    known = _roots.get(subject, run)
    if known is None:
        [ends] = ask(subject, "SELECT min(path) AS low, max(path) AS high FROM files", Filters())
        known = _shared(ends["low"] or "", ends["high"] or "")
        _roots.put(subject, run, known)
    return known


def _shared(low: str, high: str) -> str:
    """The folder that the first and the last path share: all between them share it, too."""
    pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(low, high, strict=False))
    shared = "".join(a for a, _ in pairs)
    return shared[: shared.rfind("/") + 1]


def short(source: str) -> str:
    """The last folder of a path; the whole text if that is a pattern."""
    last = re.split(r"[/\\]", source.rstrip("/\\"))[-1]
    return source if not last or set("*?[") & set(last) else last


def said(text: str, root: str) -> str:
    """A sentence with the paths below `root` as the view shows them: of its file, and of what that leads to."""
    return re.sub(rf"(?<![^\s'\"`(]){re.escape(root)}", "", text) if root else text


def relative(table: Table, root: str) -> Table:
    """The table with the paths below `root` as the view shows them, also where a sentence names the row's file."""
    at = {i for i, column in enumerate(table.columns) if column.name in PATHS}
    if not root or not at:
        return table
    sentences = {i for i, column in enumerate(table.columns) if column.name in SENTENCES}
    shown = Table(table.columns, table.caption, table.total)
    for row, address, span in zip(table.rows, table.addresses, table.spans, strict=True):
        cells = list(row)
        for i in at:
            if isinstance(cells[i], str):
                cells[i] = cells[i].removeprefix(root)
        for i in sentences:
            if isinstance(cells[i], str):
                cells[i] = said(cells[i], root)
        shown.add(*cells, address=address, span=span)
    return shown
