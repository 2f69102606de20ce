"""The statistics of a column chunk, and what is known about them from its values.

Statistics are claims. After a check of the values, a finding says which are false; then no reader may use the bounds.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.file.variant_bounds import chunk_bounds
from pqexplore.engine.finding import Finding, within
from pqexplore.engine.format.statistics import Bounds

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk

WRONG_BOUND = "statistics-bound"
"""The rule of findings that say that a value lies outside of the bounds."""


def statistics_address(chunk: ColumnChunk) -> Address:
    """The address of a chunk's Statistics."""
    return Address.of(chunk.address, "metadata/meta_data/statistics")


def statistics_findings(chunk: ColumnChunk) -> list[Finding]:
    """What was found so far about a chunk's Statistics."""
    return within(chunk.file.findings, statistics_address(chunk))


def known_bounds(chunk: ColumnChunk) -> Bounds | None:
    """`chunk_bounds`, not trusted if a finding says that a bound is wrong; None if absent. Raises as `chunk_bounds`."""
    decoded = chunk_bounds(chunk)
    if decoded is None:
        return None
    found = [one for one in chunk.file.findings if one.rule == WRONG_BOUND]
    wrong = [one.message for one in within(found, statistics_address(chunk))] if found else []
    return dataclasses.replace(decoded, trusted=False, why="; ".join(wrong)) if wrong else decoded
