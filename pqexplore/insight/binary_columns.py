"""Tables of numbers and texts, for pictures with many marks: each column is sent as a binary buffer.

A lens returns `Columns`; `pqexplore.widget.wire_tables` packs them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


class Columns:
    """Columns by name: numpy arrays of numbers, or sequences of texts and Nones, all of one length."""

    __slots__ = ("by_name",)

    def __init__(self, by_name: Mapping[str, Array | Sequence[str | None]]) -> None:
        self.by_name = dict(by_name)

    @property
    def nbytes(self) -> int:
        """Estimated bytes in memory, for caches."""
        return sum(
            column.nbytes if isinstance(column, np.ndarray) else sum(50 + len(text or "") for text in column)
            for column in self.by_name.values()
        )


def smallest(values: Array) -> Array:
    """The same non-negative integers in the narrowest dtype that the front end can read exactly."""
    top = int(values.max(initial=0))
    for dtype, limit in (("<u1", 1 << 8), ("<u2", 1 << 16), ("<u4", 1 << 32)):
        if top < limit:
            return values.astype(dtype)
    return values.astype("<f8")
