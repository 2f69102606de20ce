"""Types of numpy arrays, for annotations. A docstring says dtype and shape where the type does not."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
"""An array of any dtype and shape."""

Levels: TypeAlias = npt.NDArray[Any]
"""Definition or repetition levels: one dimension, unsigned integers as narrow as the maximum allows."""

Mask: TypeAlias = npt.NDArray[np.bool_]
"""A truth value for each element of something: one dimension."""

Int64s: TypeAlias = npt.NDArray[np.int64]
"""Offsets, positions, counts: one dimension."""

UInt64s: TypeAlias = npt.NDArray[np.uint64]
"""Hashes, or bits of 8-byte values: one dimension."""
