"""DELTA_LENGTH_BYTE_ARRAY (= 6): all lengths first, as DELTA_BINARY_PACKED, then all bytes, back to back.

The bytes are already laid out as Arrow wants them, so decoding is a sum: the lengths become offsets, and the array
is a view of the page. Nothing is copied.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#DELTALENGTH
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.format.encodings import delta_binary_packed
from pqexplore.engine.format.encodings.bits import Buffer
from pqexplore.engine.format.encodings.delta_binary_packed import BLOCK, FIRST, HEADER, Blocks
from pqexplore.engine.format.encodings.delta_stream import find_blocks
from pqexplore.engine.format.encodings.encoding import Array, Fault, Structure, ValueEncoding
from pqexplore.engine.format.encodings.steps import Kind, Steps
from pqexplore.engine.format.explain import Part, Row, Step, bytes_part
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.lazy_sequence import LazySequence, once

_INT32_MAX = (1 << 31) - 1


@dataclasses.dataclass(eq=False)
class Strings(Structure):
    """Streams of lengths, then the bytes of each value: value i has the bytes `[starts[i], starts[i + 1])`.

    `starts` (int64) has one element if there are no values, or if `error` is in the lengths. The steps of a stream have
    its name: `lengths: block`.
    """

    raw: Buffer
    streams: Sequence[Blocks]
    starts: Array
    error: ParquetError | None

    names: ClassVar[tuple[str, ...]] = ("lengths",)
    value: ClassVar[Kind] = Kind("value", "The bytes of one value; the lengths say how many.", "values")

    @property
    def end(self) -> int:
        """The byte after the last value."""
        return int(self.starts[-1])

    @once
    def steps(self) -> Steps:
        """The steps of the streams, then the values."""
        kinds = [
            Kind(f"{name}: {kind.name}", kind.meaning, name if kind.yields else "")
            for name in self.names
            for kind in (HEADER, FIRST, BLOCK)
        ]
        steps = Steps(*kinds, self.value)
        for nth, stream in enumerate(self.streams):
            steps.include(stream.steps, 3 * nth)
        count = len(self.starts) - 1
        steps.add(self.value, self.starts[:-1], self.starts[1:], range(count), 1)
        return steps

    @once
    def values(self) -> pa.Array:
        """The binary array, over the section itself."""
        start, end = int(self.starts[0]), self.end
        return binary_array(self.starts - start, memoryview(self.raw)[start:end])

    def faults(self) -> Iterator[Fault]:
        """Those of the streams of lengths."""
        for name, stream in zip(self.names, self.streams, strict=False):
            for fault in stream.faults():
                yield fault._replace(message=f"in the {name}, {fault.message}")

    def _stream(self, step: int) -> tuple[Blocks | None, int]:
        """The stream of a step, and the step's number in it; or None, and the number of the value."""
        for stream in self.streams:
            if step < len(stream.steps):
                return stream, step
            step -= len(stream.steps)
        return None, step

    def lengths(self, index: int) -> tuple[int, int]:
        """The number of bytes that a value copies from the previous one, and the number of its own bytes."""
        return 0, int(self.starts[index + 1] - self.starts[index])

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        stream, own = self._stream(step)
        return stream.label(own) if stream else self.value_label(*self.lengths(own))

    def value_label(self, prefix: int, own: int) -> str:
        """What the step of a value is."""
        return f"{own:,} byte{'s' * (own != 1)}"

    def facts(self, step: int) -> dict[str, Any]:
        """The numbers of a stream's step; a value's lengths."""
        stream, own = self._stream(step)
        return stream.facts(own) if stream else self.value_facts(*self.lengths(own))

    def value_facts(self, prefix: int, own: int) -> dict[str, Any]:
        """A value's length."""
        return {"length": own}

    def explain(self, step: int, shown: range) -> tuple[list[Part], list[Row]]:
        """The stream's explanation of its step; for a value, its bytes and its lengths."""
        stream, index = self._stream(step)
        if stream:
            return stream.explain(index, shown)
        _, start, end, _, _ = self.steps[step]
        name, says, how = self.value_says(index, *self.lengths(index))
        return [bytes_part(name, self.raw, start, end, says, "text")], [Row(index, "", how)]

    def value_says(self, index: int, prefix: int, own: int) -> tuple[str, tuple[str, ...], str]:
        """The name of a value's bytes, the text of its lengths, and how the value is computed from them."""
        says = (f"length {index:,} of the lengths is {own:,}",)
        return "bytes", says, f"the {own:,} bytes as they are"

    def length_bytes(self) -> tuple[int, int]:
        """The bytes of the lengths, and those of the values."""
        lengths = self.streams[-1].end if self.streams else 0
        end = self.end if self.error is None else len(self.raw)
        return lengths, max(0, end - lengths)

    def summary(self, what: str) -> str:
        """What the lengths take."""
        lengths, own = self.length_bytes()
        return f"{what}: {lengths:,} bytes say their lengths, {own:,} are theirs"

    def trace(self, *, first: int = 0) -> Iterator[Step]:
        """Each stream as one step whose parts are the stream's own steps, then the values from number `first` on."""
        for name, stream in zip(self.names, self.streams, strict=False):
            if stream.error is not None:
                break
            count = stream.stream.total_count
            yield Step(
                name,
                f"{count:,} {name}",
                stream.stream.start,
                stream.end,
                facts={"count": count},
                parts=LazySequence(len(stream.steps), stream.step),
            )
        before = sum(len(stream.steps) for stream in self.streams)
        yield from map(self.step, range(before + first, len(self.steps)))
        if self.error is not None:
            raise copy.copy(self.error)


def scan(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> Strings:
    """Find the lengths, and where each value begins. An empty buffer holds no values.

    Raises what `find_blocks` raises; damage after a stream's header is in the structure's `error`.
    """
    ENCODING.require(physical_type)
    if num_values == 0 and len(buffer) == 0:
        return Strings(buffer, (), np.zeros(1, np.int64), None)
    lengths = Blocks(buffer, find_blocks(buffer, 0, num_values, 32), 32)
    try:
        return Strings(buffer, (lengths,), value_starts(lengths), None)
    except CorruptFileError as error:
        return Strings(buffer, (lengths,), np.array([lengths.end]), error)


def decode(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> pa.Array:
    """The `num_values` byte arrays of a values section, as a binary Arrow array over `buffer` itself.

    large_binary where the bytes are more than 2^31 - 1. An empty buffer holds no values.

    Raises CorruptFileError where the lengths are damaged, negative, or come to more bytes than there are;
    UnsupportedFeatureError for another physical type.
    """
    structure = scan(buffer, num_values, physical_type)
    if structure.error is not None:
        raise structure.error
    return structure.values


def value_starts(stream: Blocks) -> Array:
    """Where the bytes of each value begin that a stream of lengths is followed by: int64, and one more, their end.

    Raises CorruptFileError for damage in the stream, for a negative length, and for more bytes than there are.
    """
    if stream.error is not None:
        raise stream.error
    lengths, start, size = stream.integers, stream.end, len(stream.raw)
    if lengths.size and int(lengths.min()) < 0:
        bad = int(np.argmax(lengths < 0))
        raise CorruptFileError(
            f"DELTA_LENGTH_BYTE_ARRAY: value {bad:,} has the negative length {int(lengths[bad]):,}",
            offset=stream.stream.start,
        )
    starts = np.empty(lengths.size + 1, np.int64)
    starts[0] = 0
    np.cumsum(lengths, dtype=np.int64, out=starts[1:])
    starts += start
    if int(starts[-1]) > size:
        bad = int(np.searchsorted(starts, size, "right")) - 1
        raise CorruptFileError(
            f"DELTA_LENGTH_BYTE_ARRAY: the lengths come to {int(starts[-1]) - start:,} bytes, but only "
            f"{size - start:,} follow them; value {bad:,} is the first that does not fit",
            offset=size,
        )
    return starts


def binary_array(offsets: Array, data: Any) -> pa.Array:
    """A binary (or large_binary) Arrow array of the slices of `data` between consecutive int64 `offsets`."""
    large = int(offsets[-1]) > _INT32_MAX
    stored = offsets if large else offsets.astype(np.int32)
    return pa.Array.from_buffers(
        pa.large_binary() if large else pa.binary(), len(offsets) - 1, [None, pa.py_buffer(stored), pa.py_buffer(data)]
    )


def encode(values: pa.Array, block_size: int = 128, miniblocks: int = 4) -> bytes:
    """The stream of a binary or large_binary Arrow array without nulls."""
    offsets, data = offsets_and_bytes(values)
    lengths = np.diff(offsets).astype(np.int32)
    return delta_binary_packed.encode_integers(lengths, block_size, miniblocks) + bytes(data)


def offsets_and_bytes(values: pa.Array) -> tuple[Array, memoryview]:
    """The int64 offsets of a binary, large_binary or fixed_size_binary array, from 0, and the bytes they cut."""
    if pa.types.is_fixed_size_binary(values.type):
        width = values.type.byte_width
        offsets = np.arange(len(values) + 1, dtype=np.int64) * width
        start = values.offset * width
        whole = memoryview(values.buffers()[1] or b"")
        return offsets, whole[start : start + int(offsets[-1])]
    dtype = np.int64 if values.type == pa.large_binary() else np.int32
    if len(values) == 0:
        return np.zeros(1, np.int64), memoryview(b"")
    _, stored, data = values.buffers()
    offsets = np.frombuffer(stored, dtype)[values.offset : values.offset + len(values) + 1]
    start, end = int(offsets[0]), int(offsets[-1])
    return offsets.astype(np.int64) - start, memoryview(data or b"")[start:end]


def reference(buffer: Buffer, num_values: int, physical_type: int, type_length: int | None = None) -> list[bytes]:
    """The values as the specification reads them, one at a time."""
    lengths, at = delta_binary_packed.reference_stream(buffer, 32)
    values = []
    for length in lengths:
        values.append(bytes(buffer[at : at + length]))
        at += length
    return values


ENCODING = ValueEncoding(
    Encoding.DELTA_LENGTH_BYTE_ARRAY,
    (Type.BYTE_ARRAY,),
    scan,
    decode,
    encode,
    reference,
    options=("delta_block_size", "delta_miniblocks"),
)
