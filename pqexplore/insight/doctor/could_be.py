"""How large a file could be: the estimates of its columns added up, and said before the first that is wasteful."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import Severity
from pqexplore.insight.doctor.one_line import COULD_BE
from pqexplore.insight.doctor.rules.trials import SHARE
from pqexplore.insight.wording import name, percent, size


def saved(findings: Iterable[Finding]) -> dict[str, int]:
    """The bytes that each column could save by the best of the findings about it, by path; the most first."""
    found: dict[str, int] = {}
    for one in findings:
        for path, count in _columns(one).items():
            found[path] = max(found.get(path, 0), count)
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, with one that is wasteful for each column: others about it save less of the same bytes, and are notes."""
    every = list(findings)
    most = saved(one for one in every if one.severity is Severity.WASTEFUL)
    taken: set[str] = set()
    for one in every:
        columns = _columns(one) if one.severity is Severity.WASTEFUL else {}
        best = {path for path, count in columns.items() if count == most[path] and path not in taken}
        taken |= best
        yield dataclasses.replace(one, severity=Severity.NOTE) if columns and not best else one


def _columns(one: Finding) -> dict[str, int]:
    """The bytes that each column could save by a finding; empty for those about something else."""
    columns = one.evidence.get("saved")
    return columns if isinstance(columns, dict) else {}


def stated(findings: Sequence[Finding], whole: int) -> tuple[Finding, ...]:
    """Ranked findings about a file of `whole` bytes; the first about a wasteful column begins with what the file could be."""
    columns = saved(findings)
    at = next((i for i, one in enumerate(findings) if one.severity is Severity.WASTEFUL and _columns(one)), None)
    total = sum(columns.values())
    if at is None or not 0 < total <= whole:
        return tuple(findings)
    first = findings[at]
    next_ = next((path for path in columns if path not in _columns(first)), None)
    also = ""
    if next_ is not None and columns[next_] >= SHARE * whole:
        also = f" Then comes {name(next_)}, {size(columns[next_])} less."
    message = first.message
    if message[:1].isupper() and message[1:2].islower():
        message = message[0].lower() + message[1:]
    message = f"The file could be {percent(1 - total / whole)} {COULD_BE}: {message}{also}"
    return (*findings[:at], dataclasses.replace(first, message=message), *findings[at + 1 :])
