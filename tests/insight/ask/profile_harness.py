"""Asks the files of `profile_cases` what an engine keeps, to compare it with what the engine reads."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from insight.ask.profile_cases import FILES, PREDICATES

import pqexplore
from pqexplore.insight.ask.plan import Plan


@dataclasses.dataclass(frozen=True)
class Case:
    """A condition about a file of `profile_cases`, and the plan of an engine."""

    name: str
    sql: str
    plan: Plan

    @property
    def kept(self) -> list[int]:
        """The row groups that the profile keeps."""
        return [group.index for group in self.plan.kept]


def chosen(name: str, quick: bool, but: Collection[str]) -> list[str]:
    """The conditions that a file is asked, without those of `but`: all, or if `quick` so many that a profile is proven.

    Then two of seven conditions are asked of every second file, and each of the others of one file.
    """
    index = list(FILES).index(name)

    def is_asked(at: int) -> bool:
        often = at % 7 in (0, 3)
        return (at + index) % 2 == 0 if often else at % len(FILES) == index

    some = [one.sql for at, one in enumerate(PREDICATES) if not quick or is_asked(at)]
    return [sql for sql in some if sql not in but]


def enough(but: Collection[str]) -> bool:
    """Whether the quick choice asks at least 60 conditions of at least ten files each, and every condition of one."""
    counts = dict.fromkeys((one.sql for one in PREDICATES if one.sql not in but), 0)
    for name in FILES:
        for sql in chosen(name, True, but):
            counts[sql] += 1
    return min(counts.values()) >= 1 and sum(count >= 10 for count in counts.values()) >= 60


def cases(
    engine: str, name: str, path: Path, *, quick: bool, but: Collection[str] = ()
) -> Iterator[Case]:
    """The plans of an engine for the `chosen` conditions of a file."""
    with pqexplore.open(path) as file:
        for sql in chosen(name, quick, but):
            yield Case(name, sql, pqexplore.ask(file, sql, engine=engine))


def differences(observed: Iterable[tuple[Case, list[int]]]) -> list[str]:
    """The conditions for which an engine does not read what its profile keeps, each with both."""
    return [
        f"{case.name}: {case.sql}: the profile keeps {case.kept}, the engine reads {seen}"
        for case, seen in observed
        if case.kept != seen
    ]
