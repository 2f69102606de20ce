"""Predictions of a whole file within a share of a budget, and two of them compared in a sentence."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.insight.doctor.rules.types import SAVED_SHARE
from pqexplore.insight.what_if import predict
from pqexplore.insight.wording import size

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.writer.options import WriteOptions
    from pqexplore.insight.what_if.budget import Clock
    from pqexplore.insight.what_if.column import ColumnTrial

DECODING = 1.5
"""Seconds to read, decode and encode a chunk, to those to encode it: decoding is the faster half, as benchmarks/ has it."""

Attempt = Generator[float, None, predict.Prediction | None]


def encoding_seconds(file: ParquetFile, columns: Sequence[ColumnTrial]) -> float:
    """How long the whole file takes with the best choice of each column, by those row groups that were tried."""
    groups = len(file.row_groups)
    tried = [(one, one.sizes[one.best]) for one in columns if one.best is not None]
    return DECODING * sum(found.seconds * groups / one.row_groups for one, found in tried)


def predicted(
    file: ParquetFile, columns: Sequence[ColumnTrial], options: WriteOptions, clock: Clock, parts: int
) -> Attempt:
    """The prediction in one of `parts` shares of a clock; None if the share is too short for one row group, or it cannot be made."""
    budget = clock.share(parts)
    rows = max(1, sum(group.num_rows for group in file.row_groups))
    one = min(1.0, options.row_group_rows / rows) * encoding_seconds(file, columns)
    if clock.left <= 0 or one > budget.seconds:
        return None
    try:
        return (yield from predict.steps(file, options, budget))
    except (ParquetError, UsageError):
        return None


def takes(made: predict.Prediction) -> str:
    """The predicted size in words: about, if it is an estimate."""
    return f"{'about ' * made.sampled}{size(made.size)}"


def instead(made: predict.Prediction, base: predict.Prediction) -> str:
    """The two sizes of a file in words."""
    if size(made.size) == size(base.size) and made.sampled == base.sampled:
        return f"takes {takes(made)} as without this change"
    return f"takes {takes(made)} instead of {takes(base)}"


def is_smaller(made: predict.Prediction, base: predict.Prediction) -> bool:
    """Whether the first file is smaller by so much that it matters, whatever the errors of the estimates, as far as they are known."""
    return made.size + (made.error or 0) + (base.error or 0) <= (1 - SAVED_SHARE) * base.size
