"""How many findings of a kind are told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pqexplore.engine.tree import Finding

MOST_OF_A_RULE = 1_000
"""Findings of one rule that are told one by one; the others are counted."""

ONCE = frozenset(
    (
        "int96-deprecated",
        "lz4-deprecated",
        "bit-packed-deprecated",
        "plain-dictionary-deprecated",
        "converted-type-only",
        "pages-elsewhere",
        "index-page",
        "nan-count-absent",
        "column-orders-absent",
        "dictionary-page-offset-absent",
        "level-encodings-unlisted",
        "page-versions-confused",
    )
)
"""Rules that hold for a whole file wherever they hold: told at the first place only."""


def measured(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings without repetition: what holds for the whole file once, and no rule without end."""
    told: dict[str, int] = {}
    for finding in findings:
        count = told[finding.rule] = told.get(finding.rule, 0) + 1
        if count <= (1 if finding.rule in ONCE else MOST_OF_A_RULE):
            yield finding
    for rule, count in told.items():
        if rule not in ONCE and count > MOST_OF_A_RULE:
            yield Finding(
                "more-findings",
                "note",
                "",
                f"{count - MOST_OF_A_RULE:,} more findings of the rule {rule} are not listed",
                {"rule": rule, "findings": count},
            )
