"""Evaluates a condition on values: which entries of a dictionary, and which rows of a row group, meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Mask
from pqexplore.engine.format.literals import plain_bytes
from pqexplore.engine.format.ordering import order_key

if TYPE_CHECKING:
    from pqexplore.insight.ask.bound import Test


def accepted(test: Test, values: pa.Array, nan_largest: bool | None) -> Mask:
    """Whether each value of a leaf (not null, in its logical type) may meet the clause, as a bool array."""
    keys = [
        order_key(test.leaf, plain_bytes(test.leaf, v), test.accepts.order)
        for v in values.to_pylist()
    ]
    return np.array([key is None or test.accepts.takes(key) for key in keys], bool)
