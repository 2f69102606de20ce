"""RLE (= 3) as an encoding of values: booleans as runs of width 1, with their length in 4 bytes in front.

It is the only use of the hybrid for values themselves; levels and dictionary ids use `rle` directly.
Specification: Encodings, "Run Length Encoding / Bit-Packing Hybrid".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from pqexplore.engine.encodings import plain, rle
from pqexplore.engine.encodings.bits import Buffer
from pqexplore.engine.encodings.step import Step
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.thrift.structs import Type


def decode(
    buffer: Buffer,
    num_values: int,
    physical_type: int = Type.BOOLEAN,
    type_length: int | None = None,
) -> pa.Array:
    """The `num_values` booleans of `buffer`.

    Raises `CorruptFileError` for another physical type, and what `rle.decode_prefixed` raises.
    """
    _check(physical_type)
    return plain.booleans(rle.decode_prefixed(buffer, 1, num_values)[0])


def trace(
    buffer: Buffer,
    num_values: int,
    physical_type: int = Type.BOOLEAN,
    type_length: int | None = None,
    *,
    first: int = 0,
) -> Iterator[Step]:
    """The steps of `rle.trace_prefixed`, with booleans as values."""
    _check(physical_type)
    for step in rle.trace_prefixed(buffer, 1, num_values, first=first):
        if step.count:
            step = dataclasses.replace(step, values=plain.booleans(step.values))
        yield step


def encode(values: pa.Array) -> bytes:
    """The runs of an Arrow array of booleans, with their length in front."""
    return rle.encode_prefixed(values.to_numpy(zero_copy_only=False).astype(np.uint8), 1)


def _check(physical_type: int) -> None:
    if physical_type != Type.BOOLEAN:
        raise CorruptFileError(
            f"RLE encodes BOOLEAN values, levels and dictionary ids, not values of physical type {physical_type}"
        )
