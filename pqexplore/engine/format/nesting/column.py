"""The levels and values of one leaf: the input of record assembly and the result of shredding."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Levels
from pqexplore.engine.format.field import Leaf


@dataclasses.dataclass(frozen=True, slots=True)
class LeafColumn:
    """A leaf's data over whole records.

    - `definition_levels`, `repetition_levels`: unsigned integers, one for each value, nulls included; None if the leaf's
      maximum is 0.
    - `values`: an Arrow array without nulls: the values at the maximum definition level, in order.
    """

    leaf: Leaf
    definition_levels: Levels | None
    repetition_levels: Levels | None
    values: pa.Array


def level_type(maximum: int) -> type[np.unsignedinteger[Any]]:
    """The narrowest numpy type that holds levels up to `maximum`."""
    if maximum < 1 << 8:
        return np.uint8
    return np.uint16 if maximum < 1 << 16 else np.uint32
