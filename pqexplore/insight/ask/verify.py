"""Compares a plan with the values."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan


@dataclasses.dataclass(frozen=True, slots=True)
class Verification:
    """What the values say of a plan.

    - `matches`: a row for each row group: file, row_group, kept, matching (rows that meet the condition), rows (their
      half-open ranges, a list of structs start, end). `false_positives`: the row groups that are read and have no
      matching row; `lost`: those with matching rows that the plan skips.
    - `engine_rows`: how many rows the engine returned, None if it was not run. `sentence`: the outcome.
    """

    matches: pa.Table
    false_positives: tuple[int, ...]
    lost: tuple[int, ...]
    sentence: str
    engine_rows: int | None = None


def verify(plan: Plan, engine: str | None = None) -> Verification:
    """See `Plan.verify`."""
    raise NotImplementedError
