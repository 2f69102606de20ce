"""A rule in words: what it looks for, why that matters, what to do."""

from __future__ import annotations

from collections.abc import Iterator

from pqexplore.engine.rule import RULES
from pqexplore.insight.doctor.selection import Selection
from pqexplore.insight.terminal import indented

READS = {
    "footer": "reads the footer",
    "pages": "reads page headers, indexes and Bloom filters, too",
    "sample": "reads some pages, too",
    "data": "reads everything",
}
"""What each level reads."""


def rule_lines(name: str, room: int) -> Iterator[str]:
    """The lines about a rule. UsageError if there is none of that name."""
    [name] = Selection(select=[name]).checked().select
    rule = RULES[name]
    yield from indented(f"{rule.name}: {rule.title}", room, 0)
    said = [
        rule.why,
        f"Severity: {rule.severity.value}.",
        f"Level {rule.level}: {READS[rule.level]}.",
        f"Threshold: {rule.threshold}" if rule.threshold else "",
        f"It costs: {rule.cost}" if rule.cost else "",
        f"The specification: {rule.specification}" if rule.specification else "",
        f"To do: {rule.fix}" if rule.fix else "",
        *(f"{writer}: {code}" for writer, code in rule.code.items()),
        f"See: {rule.source.title}, {rule.source.url}" if rule.source is not None else "",
    ]
    for one in filter(None, said):
        yield from indented(one, room, 2)
