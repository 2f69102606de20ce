"""RLE (= 3) as an encoding of values: booleans as runs of width 1, with their length in 4 bytes in front.

It is the only use of the hybrid for values themselves; levels and dictionary ids use `rle` directly.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import numpy_numbers
from pqexplore.engine.format.encodings import plain, rle
from pqexplore.engine.format.encodings.bits import Buffer
from pqexplore.engine.format.encodings.encoding import ValueEncoding
from pqexplore.engine.format.encodings.run_scan import PREFIX_BYTES
from pqexplore.engine.format.encodings.run_steps import LENGTH, Hybrid
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.lazy_sequence import once
from pqexplore.engine.text import plural


class Booleans(Hybrid):
    """The runs, with booleans as values."""

    @once
    def values(self) -> pa.Array:
        """The array of booleans."""
        return plain.booleans(super().values)

    def yielded(self, step: int) -> Any:
        """The booleans of a run."""
        values = super().yielded(step)
        return None if values is None else plain.booleans(values)

    def summary(self, what: str) -> str:
        """How many runs there are."""
        return f"{plural(self.wanted, 'boolean')} in {self.runs_text()}"

    def remark(self) -> str:
        """None: the size is compared with PLAIN's."""
        return ""


def scan(
    buffer: Buffer, num_values: int, physical_type: int = Type.BOOLEAN, type_length: int | None = None
) -> Booleans:
    """Find the runs. Raises what `rle.scan` raises."""
    ENCODING.require(physical_type)
    return Booleans.of(buffer, 1, num_values, LENGTH)


def decode(
    buffer: Buffer, num_values: int, physical_type: int = Type.BOOLEAN, type_length: int | None = None
) -> pa.Array:
    """The `num_values` booleans of `buffer`.

    Raises UnsupportedFeatureError for another physical type, and what `rle.decode_prefixed` raises.
    """
    ENCODING.require(physical_type)
    return plain.booleans(rle.decode_prefixed(buffer, 1, num_values)[0])


def encode(values: pa.Array) -> bytes:
    """The runs of an Arrow array of booleans, with their length in front."""
    return rle.encode_prefixed(numpy_numbers(values).astype(np.uint8), 1)


def reference(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> list[bool]:
    """The values as the specification reads them, one at a time."""
    return [bool(value) for value in rle.reference(buffer, 1, num_values, PREFIX_BYTES)]


ENCODING = ValueEncoding(Encoding.RLE, (Type.BOOLEAN,), scan, decode, encode, reference)
