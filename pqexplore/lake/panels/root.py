"""Paths as the lake explorer shows them: relative to the folder that all files lie in. Addresses keep whole paths."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from pqexplore.insight.answer import Table
from pqexplore.insight.kept import Latest
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.filters import Filters, ask

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore import Store

PATHS = frozenset({"path", "file", "example", "first_path"})
"""The names of columns that hold paths."""
SENTENCES = frozenset({"message", "sentence"})
"""The names of columns whose texts may name the row's file."""

_roots: Latest[Lake, str] = Latest(1)


def root(subject: Lake | Store) -> str:
    """The folder of all files of a lake, with the slash at its end; "" if they have none in common, and for a store."""
    if not isinstance(subject, Lake):
        return ""
    run = subject.manifest.run_id
    known = _roots.get(subject, run)
    if known is None:
        [ends] = ask(subject, "SELECT min(path) AS low, max(path) AS high FROM files", Filters())
        pairs = zip(ends["low"] or "", ends["high"] or "", strict=False)
        shared = "".join(a for a, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
        known = shared[: shared.rfind("/") + 1]
        _roots.put(subject, run, known)
    return known


def relative(table: Table, root: str) -> Table:
    """The table with the paths below `root` as the view shows them, also where a sentence names the row's file."""
    at = {i for i, column in enumerate(table.columns) if column.name in PATHS}
    if not root or not at:
        return table
    said = {i for i, column in enumerate(table.columns) if column.name in SENTENCES}
    shown = Table(table.columns, table.caption, table.total)
    for row, address, span in zip(table.rows, table.addresses, table.spans, strict=True):
        cells = list(row)
        for path in [row[i] for i in at if isinstance(row[i], str) and row[i].startswith(root)]:
            for i in at | said:
                if isinstance(cells[i], str):
                    cells[i] = cells[i].replace(path, path.removeprefix(root))
        shown.add(*cells, address=address, span=span)
    return shown
