"""Asks the files of `profile_cases` what an engine keeps, to compare it with what the engine reads."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from insight.ask.profile_cases import FILES, PREDICATES

import pqexplore
from pqexplore.insight.ask.plan import Plan

LEAST_FILES, LEAST_CONDITIONS = 10, 60
"""A profile is proven if so many conditions are asked of so many files each."""


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


def chosen(name: str, every: int, quick: bool, but: Collection[str]) -> list[str]:
    """The conditions that a file is asked, without those of `but`: each `every`th one, others for each file.

    If `quick`, two of seven conditions are asked of every second file, and each of the others of one file.
    """
    index = list(FILES).index(name)

    def is_asked(at: int) -> bool:
        if not quick:
            return at % every == index % every
        often = at % 7 in (0, 3)
        return (at + index) % 2 == 0 if often else at % len(FILES) == index

    some = [one.sql for at, one in enumerate(PREDICATES) if is_asked(at)]
    return [sql for sql in some if sql not in but]


def enough(but: Collection[str]) -> bool:
    """Whether the quick choice is enough, and asks every condition of some file."""
    counts = dict.fromkeys((one.sql for one in PREDICATES if one.sql not in but), 0)
    for name in FILES:
        for sql in chosen(name, 1, True, but):
            counts[sql] += 1
    return min(counts.values()) >= 1 and sum(count >= LEAST_FILES for count in counts.values()) >= LEAST_CONDITIONS


def cases(
    engine: str, name: str, path: Path, *, every: int = 1, quick: bool = False, but: Collection[str] = ()
) -> Iterator[Case]:
    """The plans of an engine for the `chosen` conditions of a file."""
    with pqexplore.open(path) as file:
        for sql in chosen(name, every, quick, but):
            yield Case(name, sql, pqexplore.ask(file, sql, engine=engine))


def differences(observed: Iterable[tuple[Case, list[int]]]) -> list[str]:
    """The conditions for which an engine does not read what its profile keeps, each with both."""
    return [
        f"{case.name}: {case.sql}: the profile keeps {case.kept}, the engine reads {seen}"
        for case, seen in observed
        if case.kept != seen
    ]
