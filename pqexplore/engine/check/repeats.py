"""Limits how often one rule is reported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import RULES

MAX_OF_A_RULE = 1_000
"""Findings of one rule that are listed; the rest are counted."""


def without_repeats(findings: Iterable[Finding | None]) -> Iterator[Finding | None]:
    """The first `MAX_OF_A_RULE` findings of each rule, one of a rule that is listed once, then a count of the rest of each.

    None, a step without a finding, stays.
    """
    counts: dict[str, int] = {}
    for finding in findings:
        if finding is None:
            yield None
            continue
        count = counts[finding.rule] = counts.get(finding.rule, 0) + 1
        if count <= _listed(finding.rule):
            yield finding
    for rule, count in counts.items():
        if count > _listed(rule) > 1:
            yield Finding(
                "more-findings",
                "",
                f"{count - MAX_OF_A_RULE:,} more findings of the rule {rule} are not listed",
                {"rule": rule, "findings": count},
            )


def _listed(rule: str) -> int:
    """How many findings of a rule are listed: one of a rule that holds for the whole file if it holds anywhere."""
    return 1 if rule in RULES and RULES[rule].once else MAX_OF_A_RULE
