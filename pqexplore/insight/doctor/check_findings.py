"""What `check()` finds, with what is known of the writer's defects, and without what a rule of the doctor says closer."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import RULES, Cost, Severity
from pqexplore.insight.doctor.verdict import ranked
from pqexplore.insight.writers.defects import BY_SOURCE


def unsaid(findings: Iterable[Finding], said: Sequence[Finding]) -> list[Finding]:
    """The findings that no rule of the doctor has said already, with what is known of the writer's defects."""
    same = {name for one in said if one.rule in RULES for name in RULES[one.rule].repeats}
    return [with_defect(one) for one in findings if one.rule not in same]


def with_defect(finding: Finding) -> Finding:
    """The finding; if it names a known defect of the writer, with the defect's severity, cost, fix and source."""
    defect = BY_SOURCE.get(str(finding.evidence.get("writer", "")))
    if defect is None:
        return finding
    return dataclasses.replace(
        finding,
        severity=finding.severity if finding.severity is Severity.NOTE else defect.severity,
        cost=finding.cost if finding.cost.text else Cost(defect.hurts),
        fix=defect.fix,
        source=defect.source,
    )


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """The findings in the order of the verdict, in which known defects of the writer count."""
    known = [(with_defect(one), one) for one in findings]
    own = {id(one): finding for one, finding in known}
    return [own[id(one)] for one in ranked(one for one, _ in known)]


def without_named(found: list[Finding], findings: Sequence[Finding]) -> list[Finding]:
    """The findings without those about a defect of the writer that a finding of `check()` names, too."""
    names = {finding.evidence.get("writer") for finding in findings} - {None}
    return [one for one in found if one.evidence.get("defect") not in names]
