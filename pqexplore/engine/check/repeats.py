"""Limits how often one rule is reported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pqexplore.engine.finding import Finding

MAX_OF_A_RULE = 1_000
"""Findings of one rule that are listed; the rest are counted."""

ONCE = frozenset(
    (
        "int96-deprecated",
        "lz4-deprecated",
        "bit-packed-deprecated",
        "plain-dictionary-deprecated",
        "converted-type-absent",
        "converted-type-only",
        "list-names",
        "local-time-converted-type",
        "map-key-value-unknown",
        "map-names",
        "pages-elsewhere",
        "index-page",
        "zero-padding",
        "leftover-values",
        "nan-count-absent",
        "column-orders-absent",
        "page-statistics-beside-index",
        "old-statistics-unsuited",
        "dictionary-page-offset-absent",
        "level-encodings-unlisted",
        "page-versions-confused",
    )
)
"""Rules that hold for the whole file if they hold anywhere: only the first finding is listed."""


def without_repeats(findings: Iterable[Finding | None]) -> Iterator[Finding | None]:
    """The first `MAX_OF_A_RULE` findings of each rule, one of a rule in `ONCE`, then a count of the rest of each.

    None, a step without a finding, stays.
    """
    counts: dict[str, int] = {}
    for finding in findings:
        if finding is None:
            yield None
            continue
        count = counts[finding.rule] = counts.get(finding.rule, 0) + 1
        if count <= (1 if finding.rule in ONCE else MAX_OF_A_RULE):
            yield finding
    for rule, count in counts.items():
        if rule not in ONCE and count > MAX_OF_A_RULE:
            yield Finding(
                "more-findings",
                "note",
                "",
                f"{count - MAX_OF_A_RULE:,} more findings of the rule {rule} are not listed",
                {"rule": rule, "findings": count},
            )
