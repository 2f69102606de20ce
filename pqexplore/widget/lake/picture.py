"""The picture of a lake that a saved notebook keeps: HTML that needs no kernel, no script and no style sheet.

It shows what the files are, and the rules of what is wrong with them: counts, sizes and rules. It names no file and no
column, and opens no file. Nothing in it took a key to read: a scan has none.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.text import markup, plural
from pqexplore.insight.html_table import html_table
from pqexplore.lake.doctor.diagnose import scanned_lake
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels import answer_of
from pqexplore.lake.panels.about import about
from pqexplore.lake.panels.filters import Filters, ask

if TYPE_CHECKING:
    from pqexplore.lake.panels import Subject

AT_ONCE = 2_000
"""Files whose findings are looked for while a cell waits: less than a second."""
RULES, CELL = 12, 60
CLOSING = "<p>Run the cell to explore the files.</p>"


def picture(subject: Subject) -> str:
    """HTML of a few kB about a lake or a Metadatastore."""
    header = about(subject)
    facts = markup(", ".join(header.facts))
    parts = [f"<p><b>{markup(header.name)}</b>: {facts}</p>"]
    if isinstance(subject, Lake):
        with contextlib.suppress(ParquetError, UsageError):
            parts += _said(subject)
    return "".join(parts) + CLOSING


def _said(lake: Lake) -> list[str]:
    said = [f"<p>{markup(answer_of(lake, 'fleet').sentence)}</p>"]
    [known] = ask(lake, "SELECT count(*) AS files FROM files", Filters())
    if known["files"] > AT_ONCE:
        return said
    found = scanned_lake(lake, None).findings
    rows = [(one.severity.value, one.rule, f"{one.files:,}") for one in found[:RULES]]
    if rows:
        said.append(f"<p>By the scan, {plural(len(found), 'finding')}:</p>")
        said.append(html_table(("severity", "rule", "files"), rows, CELL))
    return said
