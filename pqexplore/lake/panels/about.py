"""The header of the lake explorer: the name of a lake or a Metadatastore, and a few facts."""

from __future__ import annotations

import dataclasses
import pathlib
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
    """The name of a lake or of a Metadatastore, facts about the run or the store, and the panels.

    `root` is the folder of all files, which the view leaves out of their paths.
    """

    name: str
    root: str
    facts: list[str]
    panels: list[Tab]


def about(subject: Subject) -> About:
    """The header of a lake or a Metadatastore."""
    tabs = [Tab(name, panel.title) for name, panel in panels_of(subject).items()]
    if not isinstance(subject, Lake):
        name = subject.table_identifier or pathlib.PurePath(subject.path).name
        return About(
            name, "", [f"Metadatastore, version {subject.version} ({subject.status})"], tabs
        )
    run = subject.manifest.run
    facts = [
        f"{run['num_files']:,} files",
        f"{run['errors']:,} cannot be read" if run["errors"] else "",
        f"level {run['level']}",
        f"as of {str(run['finished'])[:19].replace('T', ' ')} UTC",
    ]
    return About(str(run["source"]), root(subject), [fact for fact in facts if fact], tabs)
