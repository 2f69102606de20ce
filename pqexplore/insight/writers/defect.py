"""A known defect of a writer, and whether a file shows it.

The bytes decide: a version that is known for a defect is no proof that this file has it. A defect can be shown by a
finding of `check()`, which names it (`engine/check/writers.py`), or by a test of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.created_by import Version
from pqexplore.engine.rule import Severity, Source
from pqexplore.insight.writers.known import BY_NAME
from pqexplore.insight.writers.writer import Writer

BOUNDS, VALUES, SPLITS = "bounds", "values", "splits"


@dataclasses.dataclass(frozen=True, slots=True)
class Seen:
    """What a file shows: the address of the first place, what is there in words, and the values that show it."""

    address: str
    words: str
    evidence: Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True)
class Defect:
    """A defect of the writer `library` (a name of `known.LIBRARIES`), from version `since` and before `fixed`.

    - `name`: the writer's issue, or what it is about. `what` is wrong; `hurts`: who suffers, and how.
    - `since`, `fixed`: None if there is no such limit. `unnumbered`: versions that write their name only have it, too.
      `built_by`: only builds of this vendor have it.
    - `test`: what the file shows, None if nothing; `pages`: the test reads page headers or indexes. `checked`: a finding
      of `check()` shows it, and names it. Without both the bytes are not known to show it.
    - `concerns`: whether the file has what the defect is about, by its footer.
    - `misleads`: what a wrong answer comes from: `BOUNDS` and counts, `VALUES`, or `SPLITS`, where row groups begin.
    """

    name: str
    library: str
    what: str
    hurts: str
    severity: Severity
    url: str
    since: Version | None = None
    fixed: Version | None = None
    unnumbered: bool = False
    built_by: str = ""
    test: Callable[[ParquetFile], Seen | None] | None = None
    pages: bool = False
    checked: bool = False
    concerns: Callable[[ParquetFile], bool] = lambda file: True
    misleads: str = BOUNDS

    @property
    def source(self) -> Source:
        """Where the defect is documented."""
        return Source(self.name, self.url)

    @property
    def versions(self) -> str:
        """The versions in words."""
        parts = [] if self.since is None else [f"from {dotted(self.since)}"]
        if self.fixed is not None:
            parts.append(f"before {dotted(self.fixed)}")
        return " ".join(parts) or "all versions"

    @property
    def fix(self) -> str:
        """What to do about it."""
        title = BY_NAME[self.library].title
        if self.fixed is None:
            return f"No release of {title} is known to be without it: use another writer."
        return f"Write the file again with a current {title}: version {dotted(self.fixed)} is without the defect."

    def seen(self, file: ParquetFile) -> Seen | None:
        """What the file shows by the defect's own test; None if nothing, if it cannot be read, or without a test."""
        try:
            return None if self.test is None else self.test(file)
        except ParquetError:
            return None

    def about(self, file: ParquetFile) -> bool:
        """Whether the file has what the defect is about; False if that cannot be read."""
        try:
            return self.concerns(file)
        except ParquetError:
            return False

    def known_for(self, writer: Writer) -> bool:
        """Whether this writer and version is known for the defect."""
        if writer.name != self.library or (self.built_by and self.built_by != writer.built_by):
            return False
        if writer.version is None:
            return self.unnumbered or (self.fixed is None and self.since is None)
        after = self.since is None or writer.version >= self.since
        return after and (self.fixed is None or writer.version < self.fixed)


def dotted(version: Version) -> str:
    """1.12.0."""
    return ".".join(map(str, version))
