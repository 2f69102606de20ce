"""What is wrong: files that cannot be read, and findings inside those that can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import plural
from pqexplore.lake.answers.filters import Filters, ask

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

LISTED = 2_000

COLUMNS = (
    Column("severity", "severity"),
    Column("message", "what is wrong"),
    Column("path", "file"),
    Column("rule", "rule"),
)


def health(lake: Lake, filters: Filters) -> Answer:
    """Errors and findings by severity and rule; a row leads to the place in the file."""
    errors = ask(lake, _ERRORS, filters)
    findings = ask(lake, _FINDINGS, filters)
    groups = ask(lake, _GROUPS, filters)
    total = sum(group["places"] for group in groups)
    table = Table(COLUMNS, caption="what is wrong, errors first", total=total)
    for row in [*errors, *findings][:LISTED]:
        address = f"{row['path']}#{row['address']}" if row["address"] else row["path"]
        table.add(row["severity"], row["message"], row["path"], row["rule"], address=address)
    if not groups:
        told = "Nothing is wrong as far as this scan looked"
        checked = lake.manifest.options.get("check")
        more = "." if checked else ": it read footers; scan(check=True) reads every byte."
        return Answer(told + more, table=table, empty="There are no errors and no findings.")
    unreadable = sum(g["places"] for g in groups if g["severity"] == "unreadable")
    parts = []
    if unreadable:
        parts.append(f"{plural(unreadable, 'file')} cannot be read")
    for severity in ("error", "warning", "note"):
        count = sum(g["places"] for g in groups if g["severity"] == severity)
        if count:
            parts.append(plural(count, severity))
    bars = [[g["severity"], g["rule"], g["places"], g["files"]] for g in groups[:60]]
    sentence = ", ".join(parts) + f"; most often {groups[0]['rule']}."
    return Answer(sentence, picture={"bars": bars}, table=table, code="lake.views['errors']")


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
