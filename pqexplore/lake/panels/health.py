"""Problems: unreadable files, and findings inside readable ones."""

from __future__ import annotations

import dataclasses
from typing import Any

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import plural
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels.filters import Filters, ask
from pqexplore.lake.panels.panel import Panel

LISTED = 2_000
NONE = "There are no errors and no findings."

COLUMNS = (
    Column("severity", "severity"),
    Column("message", "what is wrong"),
    Column("path", "file"),
    Column("rule", "rule"),
)


@dataclasses.dataclass(slots=True)
class Bar:
    """A rule, its severity, and the number of places and files where it fired."""

    severity: str
    rule: str
    places: int
    files: int


@dataclasses.dataclass(slots=True)
class Picture:
    """What is wrong, by rule."""

    bars: list[Bar]


def answer(lake: Lake, filters: Filters, typed: str = "") -> Answer:
    """Errors and findings by severity and rule; a row links to the place in the file."""
    broken = [] if filters else ask(lake, _BROKEN, filters)
    errors = ask(lake, _ERRORS, filters)
    findings = ask(lake, _FINDINGS, filters)
    groups = ask(lake, _GROUPS, filters)
    often = most(groups)
    groups = [{"severity": "broken table", "places": 1, "files": 1, **row} for row in broken] + groups
    total = sum(group["places"] for group in groups)
    table = Table(COLUMNS, caption="what is wrong, errors first", total=total)
    for row in [*broken, *errors, *findings][:LISTED]:
        address = f"{row['path']}#{row['address']}" if row["address"] else row["path"]
        table.add(row["severity"], row["message"], row["path"], row["rule"], address=address)
    if not groups:
        sentence = "This scan found no problems"
        checked = lake.manifest.options.get("check")
        more = "." if checked else ": it read only footers; scan(check=True) reads every byte."
        return Answer(sentence + more, table=table, empty=NONE)
    unreadable = sum(g["places"] for g in groups if g["severity"] == "unreadable")
    parts = []
    if broken:
        parts.append(f"the log of {plural(len(broken), 'table')} cannot be read, so the live files are unknown")
    if unreadable:
        parts.append(f"{plural(unreadable, 'file')} could not be read")
    for severity in ("error", "warning", "note"):
        count = sum(g["places"] for g in groups if g["severity"] == severity)
        if count:
            parts.append(plural(count, severity))
    bars = [Bar(g["severity"], g["rule"], g["places"], g["files"]) for g in groups[:60]]
    sentence = f"{', '.join(parts)}{often}."
    return Answer(sentence, picture=Picture(bars), table=table, code="lake.views['errors']")


def most(groups: list[dict[str, Any]]) -> str:
    """The rule that fired most often; of several as frequent ones, none."""
    if not groups or (len(groups) > 1 and groups[0]["places"] == groups[1]["places"]):
        return ""
    which = "the most frequent rule" if len(groups) > 1 else "the rule"
    return f"; {which} is {groups[0]['rule']}"


_BROKEN = """
SELECT path, 'broken table' AS severity, error_code AS rule, error AS message, NULL AS address
FROM tables WHERE status = 'error' ORDER BY path
"""

_ERRORS = f"""
SELECT path, 'unreadable' AS severity, error_code AS rule, error AS message, address
FROM files WHERE status = 'error' ORDER BY path LIMIT {LISTED}
"""

_FINDINGS = f"""
SELECT path, severity, rule, message, address FROM findings
ORDER BY CASE severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, path LIMIT {LISTED}
"""

_GROUPS = """
SELECT 'unreadable' AS severity, error_code AS rule, count(*) AS places, count(DISTINCT path) AS files
FROM files WHERE status = 'error' GROUP BY error_code
UNION ALL
SELECT severity, rule, count(*) AS places, count(DISTINCT path) AS files FROM findings GROUP BY severity, rule
ORDER BY 3 DESC, 2
"""


PANEL = Panel("health", "Findings", answer, picture=Picture)
