"""A report as lines of text for a terminal, and as JSON values; the formats of other tools are in `formats`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import Severity
from pqexplore.engine.text import printable
from pqexplore.insight import terminal
from pqexplore.insight.doctor.diagnose import Report
from pqexplore.insight.doctor.verdict import above_notes, columns, in_a_list, listed
from pqexplore.insight.document import diagnosis_document
from pqexplore.insight.json_values import plain
from pqexplore.insight.terminal import indented
from pqexplore.insight.wording import listing, name, plural

ALIKE = 3
"""Findings of one rule that are printed, unless all are wanted."""


def report_lines(report: Report, room: int, notes: bool = True) -> Iterator[str]:
    """A report: its sentence, who probably wrote it, then each finding with its place, its cost and its fix.

    Without `notes`, the notes are a line each, after the other findings.
    """
    yield from indented(report.sentence, room, 2)
    if report.writer is not None and report.writer.why:
        why = "; ".join(report.writer.why)
        yield from indented(f"Probably written by {report.writer}: {why}.", room, 2)
    full = report.findings if notes else above_notes(report.findings)
    yield from terminal.listed(_by_rule(full), lambda alike: _rule_lines(alike, room), room, "rule")
    if len(full) < len(report.findings):
        yield from _note_lines([one for one in report.findings if one.severity is Severity.NOTE], room)


def _rule_lines(alike: Sequence[Finding], room: int) -> Iterator[str]:
    """The first findings of a rule, and how many more it has."""
    most = len(alike) if terminal.most_lines(room) is None else ALIKE
    for one in alike[:most]:
        yield from finding_lines(one, [_place(one)], room)
    if len(alike) > most:
        yield from indented(f"and {len(alike) - most:,} more of {alike[0].rule}{_columns(alike[most:])}", room, 4)


def _note_lines(notes: Sequence[Finding], room: int) -> Iterator[str]:
    """A line for each rule with notes, after an empty one."""
    yield ""
    yield from indented(f"{plural(len(notes), 'note')}; --notes says what they cost and what to do:", room, 2)

    def lines(alike: Sequence[Finding]) -> list[str]:
        rule = f"  [{alike[0].rule}]"
        more = f" And {len(alike) - 1:,} more." if len(alike) > 1 else ""
        return indented(f"{in_a_list(alike[0], room - 4 - len(more) - len(rule))}{more}{rule}", room, 4)

    yield from terminal.listed(_by_rule(notes), lines, room, "rule")


def _by_rule(findings: Sequence[Finding]) -> list[list[Finding]]:
    """The findings of each rule, in the order of the first of each."""
    found: dict[str, list[Finding]] = {}
    for one in findings:
        found.setdefault(one.rule, []).append(one)
    return list(found.values())


def _columns(alike: Sequence[Finding]) -> str:
    """The columns of findings after a colon, the first of many; "" if they are about no columns."""
    named = columns(alike)
    return f": {named}" if named else ""


def _place(one: Finding) -> str:
    """The addresses of a finding, the first of many, and its column if an index stands for it there."""
    column = f", column {name(one.column)}" if one.column and "columns/" in one.address else ""
    also = listing([each.address for each in one.alike if each.address], most=ALIKE)
    return f"at {one.address or 'file'}{column}{also and f'; also at {also}'}"


def finding_lines(one: Finding, place: Sequence[str], room: int) -> Iterator[str]:
    """A finding after an empty line: its sentence, the lines of its place, its cost and its fix."""
    yield ""
    yield from indented(f"{one.severity.value}: {listed(one)}  [{one.rule}]", room, 2)
    for line in place:
        yield from indented(line, room, 4)
    if one.cost.text:
        yield from indented(f"costs: {one.cost.text}", room, 4)
    if one.fix:
        yield from indented(f"to do: {one.fix}", room, 4)
    for writer, code in one.code.items():
        lines = code.splitlines()
        if len(lines) < 2:
            yield from indented(f"{writer}: {code}", room, 6)
        else:  # a program: its lines stay as they are
            yield from indented(f"{writer}:", room, 6)
            yield from (f"        {printable(line)}" for line in lines)
    if one.source is not None:
        yield from indented(f"see: {one.source.title}", room, 4)


def report_document(report: Report) -> dict[str, Any]:
    """A report as JSON values."""
    return {
        "name": plain(report.name),
        "level": report.level,
        "sentence": report.sentence,
        "what": plain(report.what),
        "partial": report.partial,
        "writer": plain(report.writer),
        "unseen": list(report.unseen),
        "findings": [diagnosis_document(one) for one in report.findings],
        **({"others": dict(report.others)} if report.others else {}),
    }
