"""The differences between schemas as findings: how bad they are is what engines make of them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pqexplore.engine.rule import Cost, Rule, Severity
from pqexplore.insight.diff.engines import Outcome
from pqexplore.lake.doctor.drift import ICEBERG, Drift, Drifted, judged, reading, worst_by_engine
from pqexplore.lake.doctor.report import LakeFinding
from pqexplore.lake.doctor.together import (
    COLUMNS_DIFFER,
    NAMES_DIFFER,
    NULLS_DIFFER,
    ORDER_DIFFERS,
    PATHS,
    TYPES_DIFFER,
)

_RULES: dict[str, Rule] = {
    "type": TYPES_DIFFER,
    "list-layout": TYPES_DIFFER,
    "column-added": COLUMNS_DIFFER,
    "column-removed": COLUMNS_DIFFER,
    "name-case": NAMES_DIFFER,
    "column-order": ORDER_DIFFERS,
    "nullability": NULLS_DIFFER,
}
"""By `Difference.what`."""

_OWN = {
    NAMES_DIFFER: "Write the files again with one spelling of the name.",
    ORDER_DIFFERS: "Nothing needs to be done; name the columns in queries and in unions.",
    NULLS_DIFFER: "Nothing needs to be done for these readers; let the writers agree.",
}
"""Rules whose findings are made here, and what to do."""


def with_judgements(found: Iterable[LakeFinding], drift: Drift) -> Iterator[LakeFinding]:
    """The findings of `together.drift` with what engines make of them, and those that only the comparison shows."""
    by_rule: dict[str, list[Drifted]] = {}
    for one in drift.differences:
        if one.what in _RULES:
            by_rule.setdefault(_RULES[one.what].name, []).append(one)
    for finding in found:
        yield _judged(finding, by_rule.get(finding.rule, ()))
    for rule, fix in _OWN.items():
        some = by_rule.get(rule.name)
        if some:
            yield _judged(_finding(rule, some, fix), some)


def _finding(rule: Rule, some: Sequence[Drifted], fix: str) -> LakeFinding:
    paths = sorted({path for one in some for path in one.files})
    columns: Counter[str] = Counter()
    for one in some:
        for column in one.columns:
            columns[column] += len(one.files)
    more = f" And {len(some) - 1:,} more." if len(some) > 1 else ""
    return LakeFinding(
        rule.name,
        "schema",
        f"{rule.title}: {some[0].sentence}{more}",
        cost=Cost(rule.why[:1].lower() + rule.why[1:].rstrip(".")),
        fix=fix,
        files=len(paths),
        of=sum({one.table: one.of for one in some}.values()),
        paths=tuple(paths[:PATHS]),
        columns=tuple(columns.most_common()),
        together=tuple(paths),
    )


def _judged(finding: LakeFinding, some: Sequence[Drifted]) -> LakeFinding:
    """The finding with the worst that each engine does, and a severity by that."""
    worst = worst_by_engine(some)
    if not worst:
        return finding
    seen = {engine: outcome for engine, (outcome, _) in worst.items()}
    return dataclasses.replace(
        finding,
        severity=_severity(finding, set(reading(seen).values()), any(one.unreadable for one in some)),
        engines={engine: f"{outcome.value}: {words}" for engine, (outcome, words) in worst.items()},
        cost=Cost(_cost(judged(seen).rstrip("."))),
    )


def _cost(said: str) -> str:
    if not said:
        return "none: the engines that were tried read all files"
    return said if said.startswith(ICEBERG) else f"read as one table, {said}"


def _severity(finding: LakeFinding, outcomes: set[Outcome], unreadable: bool) -> Severity:
    """Values that a query loses without an error can make a wrong answer; a column that it leaves out cannot.

    A table that an engine cannot read with any option is as bad.
    """
    if unreadable or (Outcome.LOSES in outcomes and finding.rule != COLUMNS_DIFFER.name):
        return Severity.WRONG
    if outcomes & {Outcome.LOSES, Outcome.FAILS}:
        return Severity.PORTABILITY
    return Severity.NOTE
