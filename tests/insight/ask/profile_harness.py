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


def chosen(name: str, every: int, but: Collection[str]) -> list[str]:
    """The conditions that a file is asked: each `every`th one, others for each file, without those of `but`."""
    first = list(FILES).index(name) % every
    return [one.sql for one in PREDICATES[first::every] if one.sql not in but]


def enough(every: int, but: Collection[str]) -> bool:
    """Whether at least 60 conditions are asked of at least ten files each."""
    counts: dict[str, int] = {}
    for name in FILES:
        for sql in chosen(name, every, but):
            counts[sql] = counts.get(sql, 0) + 1
    asked_of_ten = [sql for sql, count in counts.items() if count >= 10]
    return len(asked_of_ten) >= 60


def cases(
    engine: str, name: str, path: Path, *, every: int = 1, but: Collection[str] = ()
) -> Iterator[Case]:
    """The plans of an engine for the `chosen` conditions of a file."""
    with pqexplore.open(path) as file:
        for sql in chosen(name, every, but):
            yield Case(name, sql, pqexplore.ask(file, sql, engine=engine))


def differences(observed: Iterable[tuple[Case, list[int]]]) -> list[str]:
    """The conditions for which an engine does not read what its profile keeps, each with both."""
    return [
        f"{case.name}: {case.sql}: the profile keeps {case.kept}, the engine reads {seen}"
        for case, seen in observed
        if case.kept != seen
    ]
