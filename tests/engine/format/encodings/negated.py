"""NEGATED (= 11): INT32 with all bits inverted. Not in Parquet: the example of how an encoding is added.

It is what a module in `pqexplore/engine/format/encodings/` looks like; `test_adding_an_encoding` registers it for a
while.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.encodings.bits import Buffer
from pqexplore.engine.format.encodings.encoding import Structure, ValueEncoding
from pqexplore.engine.format.encodings.steps import Kind, Steps
from pqexplore.engine.format.explain import Part, Row, little_endian
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.lazy_sequence import once

VALUE = Kind("value", "Four bytes with all bits inverted.", "values")


@dataclasses.dataclass(eq=False)
class Inverted(Structure):
    """One step a value."""

    raw: Buffer
    count: int
    error = None

    @once
    def steps(self) -> Steps:
        """The values."""
        steps, end = Steps(VALUE), self.end
        steps.add(VALUE, range(0, end, 4), range(4, end + 1, 4), range(self.count), 1)
        return steps

    @property
    def end(self) -> int:
        """The byte after the last value."""
        return 4 * self.count

    @once
    def values(self) -> pa.Array:
        """The int32 array."""
        return pa.array(~np.frombuffer(self.raw, "<i4", self.count))

    def label(self, step: int) -> str:
        """The value."""
        return f"{self.values[step].as_py():,}, inverted"

    def explain(self, step: int, shown: range) -> tuple[list[Part], list[Row]]:
        """The four bytes."""
        part = little_endian("inverted", self.raw, 4 * step, 4, signed=True)
        return [part], [Row(step, "", f"all bits inverted: {self.values[step].as_py():,}")]

    def summary(self, what: str) -> str:
        """What is done."""
        return f"{what} with all bits inverted"


def scan(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> Inverted:
    """Raises CorruptFileError when the bytes are too few."""
    ENCODING.require(physical_type)
    if 4 * num_values > len(buffer):
        raise CorruptFileError(f"{num_values:,} values of 4 bytes do not fit into {len(buffer):,}")
    return Inverted(buffer, num_values)


def decode(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> pa.Array:
    """The `num_values` values: an int32 Arrow array."""
    return scan(buffer, num_values, physical_type).values


def encode(values: pa.Array) -> bytes:
    """The bytes of an int32 array."""
    return (~values.to_numpy()).astype("<i4").tobytes()


def reference(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> list[Any]:
    """The values, one at a time."""
    return [~int.from_bytes(buffer[4 * nth : 4 * nth + 4], "little", signed=True) for nth in range(num_values)]


def added_to_the_enum() -> Encoding:
    """`NEGATED = 11` in the Thrift enum, which one would write there."""
    member = int.__new__(Encoding, 11)
    member._name_, member._value_ = "NEGATED", 11
    member.__dict__.update(meaning="All bits inverted.")
    return member


NEGATED = added_to_the_enum()
ENCODING = ValueEncoding(NEGATED, (Type.INT32,), scan, decode, encode, reference, fixed_width=True)
