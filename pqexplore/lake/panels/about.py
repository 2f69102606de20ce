"""The header of the lake explorer: the name of a lake or a Metadatastore, and a few facts."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from pqexplore.lake.lake import Lake
from pqexplore.lake.panels import panels_of
from pqexplore.lake.panels.root import root

if TYPE_CHECKING:
    from pqexplore.lake.panels import Subject


@dataclasses.dataclass(slots=True)
class Tab:
    """A panel: its name, and the text of its tab."""

    name: str
    title: str


@dataclasses.dataclass(slots=True)
class About:
    """The name of a lake or of a Metadatastore, where it is, facts about the run or the store, and the panels.

    `root` is the folder of all files, which the view leaves out of their paths.
    """

    name: str
    source: str
    root: str
    facts: list[str]
    panels: list[Tab]


def about(subject: Subject) -> About:
    """The header of a lake or a Metadatastore."""
    tabs = [Tab(name, panel.title) for name, panel in panels_of(subject).items()]
    if not isinstance(subject, Lake):
        name = short(subject.table_identifier or subject.path)
        return About(
            name,
            subject.path,
            "",
            [f"Metadatastore, version {subject.version} ({subject.status})"],
            tabs,
        )
    run = subject.manifest.run
    facts = [
        f"{run['num_files']:,} files",
        f"{run['errors']:,} not read" if run["errors"] else "",
        f"level {run['level']}",
        f"as of {str(run['finished'])[:19].replace('T', ' ')} UTC",
    ]
    source = str(run["source"])
    return About(short(source), source, root(subject), [fact for fact in facts if fact], tabs)


def short(source: str) -> str:
    """The last folder of a path; the whole text if that is a pattern."""
    last = re.split(r"[/\\]", source.rstrip("/\\"))[-1]
    return source if not last or set("*?[") & set(last) else last
