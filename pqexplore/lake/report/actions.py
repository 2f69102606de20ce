"""Groups findings by what fixes them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

from pqexplore.engine.rule import Severity
from pqexplore.engine.text import plural
from pqexplore.insight.diff.engines import Outcome
from pqexplore.lake.doctor.diagnosing import EMPTY, NEEDS_KEY, NOT_READ, OUTSIDE, UNREADABLE
from pqexplore.lake.doctor.drift import reading
from pqexplore.lake.doctor.lake_report import LakeFinding
from pqexplore.lake.report.savings import Saving


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """A kind of action: its stable name, its title, and the rules whose findings it fixes."""

    name: str
    title: str
    rules: frozenset[str] = frozenset()


def _kind(name: str, title: str, rules: str = "") -> Kind:
    return Kind(name, title, frozenset(rules.split()))


REPLACE = _kind("replace", "Replace or remove files that cannot be read", f"{UNREADABLE} {EMPTY}")
COPIES = _kind("copies", "Compare files that look like copies, and remove those that are", "duplicate-files same-rows")  # fmt: skip
LOG = _kind("log", "Fix the logs of tables", "log-unreadable log-disagrees")
SCHEMA = _kind(
    "schema", "Give the files of a table one schema", "types-differ columns-differ column-case-differs"
)  # fmt: skip
MOVE = _kind("move", "Put files into the folders of their values", "partition-contradicted")
COMPACT = _kind("compact", "Join small files", "small-files")
PURGE = _kind("purge", "Write files again without their deleted rows", "deleted-rows")
CLUSTER = _kind("cluster", "Sort or cluster the files that overlap the others", "clustering-decayed")
DIVIDE = _kind("divide", "Write files that are far too large as several", "huge-file")
PARTITION = _kind("partition", "Choose other partitions", "many-partitions skewed-partitions")
REWRITE = _kind("rewrite", "Write files again with other options")
VACUUM = _kind("vacuum", "Delete files that the table no longer needs", "removed-files unreferenced-files")  # fmt: skip
REACH = _kind("reach", "Let the files be read", f"{NEEDS_KEY} {NOT_READ} {OUTSIDE}")
ENGINES = _kind("engines", "Make the files readable for every engine", "engines-refuse")
KNOW = _kind("know", "Nothing to do, but to know")

KINDS = (
    *(REPLACE, LOG, MOVE, COPIES, SCHEMA, COMPACT, PURGE, CLUSTER, DIVIDE, PARTITION, REWRITE, VACUUM, REACH),
    *(ENGINES, KNOW),
)
"""In the order in which actions of one severity are done: first what makes queries fail, last what only takes space."""

_BY_RULE = {rule: kind for kind in KINDS for rule in kind.rules}


def kind_of(one: LakeFinding) -> Kind:
    """What fixes a finding. Notes are only to know, but for files that wait for a key."""
    if one.rule == NEEDS_KEY:
        return REACH
    if one.severity is Severity.NOTE:
        return KNOW
    known = _BY_RULE.get(one.rule)
    if known is not None:
        return known
    return REPLACE if one.severity is Severity.DAMAGE else REWRITE


@dataclasses.dataclass(frozen=True, slots=True)
class Action:
    """Something to do, with all findings that it fixes.

    - `name`, `title`: see `Kind`. `severity`: that of its worst finding. `findings`: the worst first.
    - `files`: how many are concerned; `Advice.files` names them.
    - `saves`: what it saves. `breaks`: by engine, what it does if nothing is done, where that was seen.
    - `commands`: by what runs them.
    """

    name: str
    title: str
    severity: Severity
    findings: tuple[LakeFinding, ...]
    files: int
    saves: Saving
    breaks: Mapping[str, str]
    commands: Mapping[str, str]

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of its findings."""
        return tuple(one.rule for one in self.findings)

    @property
    def sentence(self) -> str:
        """What to do, for how many files, and why."""
        others = len(self.findings) - 1
        more = f" And {plural(others, 'more finding')}." if others else ""
        return f"{self.title} ({plural(self.files, 'file')}). {self.findings[0].sentence}{more}"


_READ = tuple(one.value for one in (Outcome.HARMLESS, Outcome.WIDENS))


def grouped(found: Iterable[LakeFinding]) -> Iterator[tuple[Kind, list[LakeFinding]]]:
    """The findings by what fixes them: the action with the worst finding first."""
    by_kind: dict[str, list[LakeFinding]] = {}
    for one in found:
        by_kind.setdefault(kind_of(one).name, []).append(one)
    made = [(kind, by_kind[kind.name]) for kind in KINDS if kind.name in by_kind]
    yield from sorted(made, key=lambda pair: (pair[0] is KNOW, min(one.severity.rank for one in pair[1])))


def breaks_of(found: Iterable[LakeFinding]) -> dict[str, str]:
    """By engine, what the findings do to it; the worst finding decides. Engines that read all values are left out."""
    made: dict[str, str] = {}
    for one in found:
        for engine, text in reading(one.engines).items():
            if not text.startswith(_READ):
                made.setdefault(engine, text)
    return made
