"""The header of the lake explorer: the name of a lake or a Metadatastore, and a few facts."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pqexplore.engine.text import plural
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels import panels_of
from pqexplore.lake.panels.filters import Filters, ask
from pqexplore.lake.panels.root import root, short

if TYPE_CHECKING:
    from pqexplore.lake.panels import Subject


READ = {"chunks": "footers", "pages": "footers and page headers"}
"""What was read of each file, by the level of the scan."""


@dataclasses.dataclass(slots=True)
class Tab:
    """A panel: its name, and the text of its tab."""

    name: str
    title: str


@dataclasses.dataclass(slots=True)
class About:
    """The name of a lake or of a Metadatastore, where it is, facts about the run or the store, and the panels.

    `root` is the folder of all files, or of all objects, which the view leaves out of their paths.
    """

    name: str
    source: str
    root: str
    facts: list[str]
    panels: list[Tab]


def _files(lake: Lake) -> list[str]:
    """The files of the lake, and how many others lie in its folder: those that a table does not need now."""
    [found] = ask(lake, _COUNTS, Filters())
    rest = found["others"]
    return [plural(found["files"], "file"), f"{rest:,} more in the folder" if rest else ""]


_COUNTS = """
SELECT count(CASE WHEN status IN ('ok', 'error') THEN 1 END) AS files,
       count(CASE WHEN status = 'not-read' THEN 1 END) AS others
FROM files
"""


def _tables(lake: Lake) -> list[str]:
    """The tables with a log, by format; their versions are in what is said of the files."""
    found = ask(lake, "SELECT format, count(*) AS tables FROM tables GROUP BY format", Filters())
    counts = sorted((row["format"].capitalize(), row["tables"]) for row in found)
    return [f"{name} table" if n == 1 else f"{n:,} {name} tables" for name, n in counts]


def about(subject: Subject) -> About:
    """The header of a lake or a Metadatastore."""
    tabs = [Tab(name, panel.title) for name, panel in panels_of(subject).items()]
    if not isinstance(subject, Lake):
        name = short(subject.table_identifier or subject.path)
        return About(
            name, subject.path, root(subject), [f"Metadatastore, version {subject.version} ({subject.status})"], tabs
        )
    run = subject.manifest.run
    facts = [
        *_files(subject),
        *_tables(subject),
        f"{run['errors']:,} not read" if run["errors"] else "",
        f"scanned: {READ.get(run['level'], run['level'])}",
        f"as of {str(run['finished'])[:19].replace('T', ' ')} UTC",
    ]
    source = str(run["source"])
    return About(short(source), source, root(subject), [fact for fact in facts if fact], tabs)
