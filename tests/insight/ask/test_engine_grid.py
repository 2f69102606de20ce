"""What each engine reads of the files of `grid_cases`, compared with its plan: the same row groups, or "not known".

What an engine reads, and how many rows it returns, is counted by the engine. A case is "not known" if the plan says that
the engine may skip more; it must then read no other row groups. `tests/spark/test_ask_spark_grid.py` asks Spark the same.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from insight.ask.grid_cases import CONDITIONS, FILES, asked_of, write_files
from needs import needs, needs_pyarrow

import pqexplore
from pqexplore.insight.ask import row_ranges
from pqexplore.insight.ask.bound import Undecided, single
from pqexplore.insight.ask.plan import Plan
from pqexplore.insight.ask.pruning_result import BLOOM
from pqexplore.insight.ask.run_engines import datafusion, duckdb, duckdb_process, polars, pyarrow
from pqexplore.insight.ask.run_engines.process import run

pytestmark = needs_pyarrow(26, "its writer has fewer options")

Outcome = dict[str, Any]
TOGETHER = 100
VERSIONS = {"pyarrow": "26", "duckdb": "2.0", "polars": "2.1", "datafusion": "55"}
ENGINES = [
    pytest.param(name, marks=needs(name, version, "its profile is that of this version"))
    for name, version in VERSIONS.items()
]


@dataclasses.dataclass(frozen=True)
class Case:
    """A condition about a file, and the plan of an engine."""

    name: str
    path: Path
    sql: str
    plan: Plan

    @property
    def kept(self) -> list[int]:
        return [group.index for group in self.plan.kept]

    @property
    def rows(self) -> int:
        """How many rows the engine returns by its plan: those that match, without those that it loses."""
        matches = self.plan.verify().matches
        return sum(matches["matching"].to_pylist()) - sum(matches["lost"].to_pylist())

    def left(self, stage: str) -> int:
        """How many row groups a stage of the plan leaves."""
        return next(one.groups_out for one in self.plan.stages if one.name == stage)

    def __str__(self) -> str:
        return f"{self.name}: {self.sql}"

    @property
    def known(self) -> bool:
        """Whether the plan says all: no condition by which the engine may skip more."""
        undecided = (one for one in single(self.plan.used) if isinstance(one, Undecided))
        return all(one.certain for one in undecided)


def job(engine: str, case: Case) -> Outcome:
    """The query of a case for the process that runs an engine."""
    if engine == "polars":
        return {"path": str(case.path), "where": polars.tree(case.plan.bound)}
    return {"pyarrow": pyarrow, "duckdb": duckdb, "datafusion": datafusion}[engine].job(case.plan)


def outcomes(engine: str, cases: list[Case]) -> list[Outcome]:
    """What an engine says of each case when it runs the query."""
    jobs = [job(engine, case) for case in cases]
    if engine == "duckdb":
        paths = sorted({str(case.path) for case in cases})
        with duckdb_process.connected(paths) as connection:
            return [duckdb_process.outcome(connection, one) for one in jobs]
    environment = polars.ENVIRONMENT if engine == "polars" else None
    found: list[Outcome] = []
    for start in range(0, len(jobs), TOGETHER):  # the time of a process is limited
        found += run(f"{engine}_process", jobs[start : start + TOGETHER], environment)["outcomes"]
    return found


def read(engine: str, outcome: Outcome, case: Case) -> list[int] | int | None:
    """The row groups that the engine read, or how many of them; None if it does not say."""
    if engine in ("pyarrow", "duckdb"):
        groups: list[int] = outcome["row_groups" if engine == "pyarrow" else "groups"]
        return groups
    count: int | None = outcome["read" if engine == "polars" else "row_groups"]
    if engine == "polars" and count is None:  # it makes no expression over statistics, and reads all
        return len(case.plan.groups)
    if engine == "datafusion" and count is None and outcome["counts"]["bloom"][1] == case.left(BLOOM):
        return len(case.kept)  # it counts those before the page index, and the rows after it
    return count


def verdict(engine: str, outcome: Outcome, case: Case) -> str:
    """Whether an engine does what the plan says: a name of `VERDICTS`, or what differs."""
    if "error" in outcome:
        return "refused" if "refuses" in " ".join(case.plan.remarks) else f"{case}: refused: {outcome['error']}"
    seen = read(engine, outcome, case)
    if seen is None:
        return f"{case}: it does not say what it reads, {outcome}"
    fewer = len(seen) if isinstance(seen, list) else seen
    beyond = isinstance(seen, list) and not set(seen) <= set(case.kept)
    if seen != case.kept and seen != len(case.kept):
        if not case.known and not beyond and fewer < len(case.kept):
            return "not known"
        return f"{case}: row groups {seen}, the plan says {case.kept}"
    rows = sum(row_ranges.count(group.ranges) for group in case.plan.kept)
    if engine == "datafusion" and outcome["rows_scanned"] != rows:
        return f"{case}: {outcome['rows_scanned']} rows, the plan says {rows}"
    if outcome["rows"] == case.rows:
        return "agree"
    said = case.plan.engine.all_otherwise(case.plan.bound, case.plan.file)
    return "otherwise" if said else f"{case}: {outcome['rows']} rows returned, the plan says {case.rows}"


VERDICTS = {
    "agree": "the row groups, the rows that are read, and the rows that are returned are those of the plan",
    "not known": "the plan says that the engine may read less, and it does",
    "otherwise": "row groups and rows are those of the plan; the plan says that the engine compares the values otherwise",
    "refused": "the plan says that the engine refuses it, and it does",
}


def plans(engine: str, files: dict[str, Path], every: int = 1) -> Iterator[Case]:
    """The plans for each `every`th condition of each file, others for each file."""
    for at, (name, path) in enumerate(files.items()):
        file = pqexplore.open(path)
        for sql in list(asked_of(path))[at % every :: every]:
            yield Case(name, path, sql, pqexplore.ask(file, sql, engine=engine))


def compared(engine: str, cases: list[Case]) -> tuple[collections.Counter[str], list[str]]:
    """How many cases had each verdict, and what differs."""
    found = [verdict(engine, outcome, case) for outcome, case in zip(outcomes(engine, cases), cases, strict=True)]
    return collections.Counter(one for one in found if one in VERDICTS), [one for one in found if one not in VERDICTS]


@pytest.fixture(scope="session")
def grid_files(tmp_path_factory) -> dict[str, Path]:
    return write_files(tmp_path_factory.mktemp("grid"))


def test_the_grid_is_large_enough():
    assert len(FILES) >= 10 and len({package for package, _ in FILES.values()}) >= 5
    assert sum(map(len, CONDITIONS.values())) >= 150


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_read_what_their_plans_say(grid_files, engine, record_property):
    counts, differences = compared(engine, list(plans(engine, grid_files, every=32)))
    record_property("stated", f"{engine}: {dict(counts)}, {len(differences)} differ")
    assert differences == []
    assert counts["agree"] > 50


@pytest.mark.full
@pytest.mark.parametrize("engine", ENGINES)
def test_engines_read_what_their_plans_say_for_every_condition(grid_files, engine, record_property):
    counts, differences = compared(engine, list(plans(engine, grid_files)))
    record_property("stated", f"{engine}: {dict(counts)}, {len(differences)} differ")
    assert differences == []
    assert counts["agree"] > 2_000
    assert counts["not known"] + counts["refused"] < 0.02 * counts.total()
