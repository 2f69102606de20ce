"""The causes for which a query reads more than it needs, each with its evidence and what would fix it.

A cause is one function `find(plan)` that yields what the file's evidence supports, and nothing else. The registry names
them in the order in which they are looked for, the smallest change to a file first. If two changes of one column save
about the same, the first is enough, and only it is named.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.text import printable
from pqexplore.insight.ask.why_not_pruned import int96, lookups, not_pushed, order, pages, recast, statistics
from pqexplore.insight.ask.why_not_pruned.cause import Cause

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan

__all__ = ["CAUSES", "Cause", "causes"]

CAUSES: dict[str, Callable[[Plan], Iterator[Cause]]] = {
    "not_pushed": not_pushed.find,
    "no_statistics": statistics.no_statistics,
    "truncated": statistics.truncated,
    "distrusted": statistics.distrusted,
    "no_nan_count": statistics.no_nan_count,
    "wrong_column_type": int96.find,
    "text_numbers": recast.text_numbers,
    "text_dates": recast.text_dates,
    "sentinel": statistics.sentinel,
    "dictionary_given_up": lookups.dictionary_given_up,
    "no_bloom": lookups.no_bloom,
    "no_page_index": pages.no_page_index,
    "few_rows_a_page": pages.few_rows_a_page,
    "large_row_groups": pages.large_row_groups,
    "clustered_within": order.clustered_within,
    "unsorted": order.unsorted,
}
"""The functions that find each cause, by its name."""

ALMOST = 0.7
"""A change that saves this share of what a larger change saves is enough."""


def causes(plan: Plan) -> list[Cause]:
    """The causes in a plan, the one that costs most bytes first."""
    found: list[Cause] = []
    for find in CAUSES.values():
        try:
            for cause in find(plan):
                if not any(one.column == cause.column and one.saves >= ALMOST * cause.saves for one in found):
                    found.append(cause)
        except ParquetError:
            continue  # what cannot be read is no evidence
    found = [dataclasses.replace(one, sentence=printable(one.sentence), fix=printable(one.fix)) for one in found]
    return sorted(found, key=lambda cause: -cause.saves)
