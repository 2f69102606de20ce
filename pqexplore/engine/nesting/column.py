"""What record assembly takes and shredding gives: one leaf's levels and values."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.schema import Leaf

Levels = np.ndarray[Any, Any]
"""Levels: an array of unsigned integers, as narrow as the maximum allows."""


@dataclasses.dataclass(frozen=True, slots=True)
class LeafColumn:
    """A leaf's data over whole records.

    - `definition_levels`, `repetition_levels`: as long as the column has values, nulls included; None where the leaf's
      maximum is 0.
    - `values`: an Arrow array without nulls of the values at the maximum definition level, in order.
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
