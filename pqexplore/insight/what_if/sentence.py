"""What a trial found, in a sentence or two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.insight.wording import percent, plural, size

if TYPE_CHECKING:
    from pqexplore.insight.what_if.column import ColumnTrial


def sentence(columns: Sequence[ColumnTrial], part: str = "row group") -> str:
    """What the columns take today, and with the best choice of each. `part` is what sizes were measured of."""
    tried = [(one, one.sizes[one.best].bytes) for one in columns if one.best is not None]
    left = len(columns) - len(tried)
    more = f" {plural(left, 'column')} could not be tried." if left else ""
    if not tried:
        return f"No column was tried.{more}"
    today = sum(one.today for one, _ in tried)
    best = sum(found.total for _, found in tried)
    ratio = f", {percent(best / today)} of it" if today else ""
    errors = [found.error for _, found in tried]
    known = [error for error in errors if error is not None]
    margin = ""
    if any(found.sampled for _, found in tried):
        margin = f" That is an estimate, ± {size(round(sum(known)))}."
        if len(known) < len(errors):
            margin = f" That is an estimate; its error is not known, because few {part}s were measured or others are unlike them."
    verb = "takes" if len(tried) == 1 else "take"
    each = "with its best choice" if len(tried) == 1 else "with the best choice of each"
    return (
        f"{plural(len(tried), 'column')} {verb} {size(today)} today, {size(round(best))} {each}{ratio}.{margin}{more}"
    )
