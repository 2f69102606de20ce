"""The report of a lake as lines of text, and as JSON values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from pqexplore.engine.text import plural
from pqexplore.insight.json_values import plain
from pqexplore.insight.terminal import indented
from pqexplore.lake.doctor.diagnosis_text import lake_finding_document
from pqexplore.lake.report.actions import Action
from pqexplore.lake.report.advice import Advice

PATHS = 5
"""Files that are printed of a finding."""


def report_lines(report: Advice, room: int) -> Iterator[str]:
    """The report: its sentence, then each action with its files, what it saves, what breaks, and its commands."""
    yield from indented(report.sentence, room, 2)
    for number, one in enumerate(report.actions, 1):
        yield ""
        yield from indented(f"{number}. {one.title} ({plural(one.files, 'file')})  [{one.name}]", room, 2)
        yield from _action_lines(one, room)
    if report.unlisted:
        yield f"  {report.unlisted:,} more rows of files are not listed"


def _action_lines(action: Action, room: int) -> Iterator[str]:
    for one in action.findings:
        yield from indented(f"{one.severity.value}: {one.sentence}  [{one.rule}]", room, 4)
        for path in one.paths[:PATHS]:
            yield from indented(f"at {path}", room, 6)
        if one.files > PATHS:
            yield f"      and {one.files - PATHS:,} more"
        if one.fix:
            yield from indented(f"to do: {one.fix}", room, 6)
    if action.saves.text:
        yield from indented(f"saves: {action.saves.text} ({action.saves.how})", room, 4)
    for engine, text in action.breaks.items():
        yield from indented(f"if nothing is done, {engine}: {text}", room, 4)
    for title, code in action.commands.items():
        yield f"    {title}:"
        yield from (f"      {line}" for line in code.splitlines())


def report_document(report: Advice) -> dict[str, Any]:
    """The report as JSON values."""
    return {
        "name": plain(report.name),
        "level": report.diagnosis.level,
        "sentence": plain(report.sentence),
        "what": plain(report.diagnosis.what),
        "num_files": report.diagnosis.num_files,
        "actions": [
            {
                "action": one.name,
                "title": one.title,
                "severity": one.severity.value,
                "sentence": plain(one.sentence),
                "num_files": one.files,
                "files": [
                    {"rule": row["rule"], "path": plain(row["path"])}
                    for row in report.files.to_pylist()
                    if row["action"] == one.name
                ],
                "saves": dataclasses.asdict(one.saves),
                "breaks": plain(one.breaks),
                "commands": plain(one.commands),
                "findings": [lake_finding_document(finding) for finding in one.findings],
            }
            for one in report.actions
        ],
    }
