"""Where an engine may lose rows: row groups or pages that it skips although no claim that can be trusted rules them out.

The engine's own cascade is compared with the one of a careful reader, which orders NaN as the engine does. What only the
engine skips is not proven to have no matching row.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pqexplore.insight.ask import row_ranges
from pqexplore.insight.ask.engines.engine import Engine
from pqexplore.insight.ask.pruning import Group
from pqexplore.insight.wording import plural


@dataclasses.dataclass(frozen=True, slots=True)
class WrongRows:
    """Row groups (or rows of them) that an engine skips without proof.

    `why` is the reason by which the engine skips, `instead` the reason for which a careful reader does not.
    `rows` counts the rows that are skipped without proof; how many of them match is known only from the values (`verify`).
    """

    row_groups: tuple[int, ...]
    rows: int
    why: str
    instead: str
    sentence: str


def suspects(groups: Sequence[Group], engine: Engine) -> list[int]:
    """The row groups where an engine skips rows, for a careful reader to look at; none if it is careful itself."""
    if type(engine) is Engine:
        return []
    return [one.index for one in groups if row_ranges.count(one.ranges) < one.num_rows]


def wrong_rows(careful: Sequence[Group], engine: Engine, groups: Sequence[Group]) -> list[WrongRows]:
    """What an engine skips of `groups` and a careful reader would not, by reason; most rows first."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for other in careful:
        own = groups[other.index]
        kept = other.ranges if other.kept else ()
        lost = row_ranges.count(kept) - row_ranges.count(row_ranges.intersected(kept, own.ranges))
        if lost:
            found.setdefault((own.by or "its rules", other.reason), []).append((own.index, lost))
    made = []
    for (by, instead), places in found.items():
        rows = sum(lost for _, lost in places)
        indexes = tuple(index for index, _ in places)
        first = groups[indexes[0]]
        text = (
            f"{engine.title} may lose rows: it skips {plural(rows, 'row')} of {plural(len(indexes), 'row group')} by {by} "
            f"(row group {indexes[0]:,}: {first.reason}), which does not prove that no row matches: {instead}."
        )
        made.append(WrongRows(indexes, rows, first.reason, instead, text))
    return sorted(made, key=lambda one: -one.rows)


class Careful(Engine):
    """A reader that trusts no more than it may, and orders NaN as a given engine does."""

    def __init__(self, other: Engine) -> None:
        self.nan_largest = other.nan_largest
