"""Asks the files of `profile_cases` what an engine keeps, to compare it with what the engine reads."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from insight.ask.profile_cases import PREDICATES

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


def cases(
    engine: str, name: str, path: Path, *, every: int = 1, kinds: Iterable[str] | None = None
) -> Iterator[Case]:
    """Asks an engine's profile about a file: each condition, or with `every` each nth one, others for each file."""
    chosen = [one for one in PREDICATES if kinds is None or one.kind in kinds]
    first = zlib.crc32(name.encode()) % every
    with pqexplore.open(path) as file:
        for one in chosen[first::every]:
            yield Case(name, one.sql, pqexplore.ask(file, one.sql, engine=engine))


def differences(observed: Iterable[tuple[Case, list[int]]]) -> list[str]:
    """The conditions for which an engine does not read what its profile keeps, each with both."""
    return [
        f"{case.name}: {case.sql}: the profile keeps {case.kept}, the engine reads {seen}"
        for case, seen in observed
        if case.kept != seen
    ]
