"""PLAIN_DICTIONARY (= 2) and RLE_DICTIONARY (= 8): values as indexes into the column chunk's dictionary.

The dictionary page has the entries, encoded with PLAIN. A data page has one byte, the bit width of the indexes,
and then the indexes themselves, the *ids*, as runs (see `rle`), to the end of the page.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/#DICTIONARY
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute
from pqexplore.engine.arrays import arrow_numbers, numpy_numbers
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.encodings import plain, rle
from pqexplore.engine.format.encodings.bits import Buffer, UnsignedArray
from pqexplore.engine.format.encodings.encoding import SectionEncoding
from pqexplore.engine.format.encodings.run_scan import MAX_BIT_WIDTH
from pqexplore.engine.format.encodings.run_steps import Hybrid
from pqexplore.engine.format.encodings.run_values import RunValues
from pqexplore.engine.format.encodings.steps import Kind
from pqexplore.engine.format.explain import Part, Row, Step, little_endian
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.text import plural

WIDTH = Kind("bit width", "How many bits each index takes.")


def decode_ids(buffer: Buffer, num_values: int, dictionary_length: int) -> UnsignedArray:
    """The `num_values` ids of `buffer` as uint8, uint16 or uint32, all below `dictionary_length`.

    No values need no bytes, not even the bit width. Raises `CorruptFileError` when the bit width is missing or more
    than 32, when an id is beyond the dictionary, and what `rle.decode` raises.
    """
    if num_values == 0:
        return np.zeros(0, np.uint8)
    ids = rle.decode(buffer, _bit_width(buffer), num_values, start=1)
    _check_range(ids, dictionary_length, 0)
    return ids


def id_runs(buffer: Buffer, num_values: int, dictionary_length: int) -> RunValues:
    """Like `decode_ids`, but as runs; raises the same errors."""
    runs = rle.run_values(buffer, _bit_width(buffer) if num_values else 0, num_values, start=1)
    if runs.values.size and int(runs.values.max()) >= dictionary_length:
        decode_ids(buffer, num_values, dictionary_length)  # which says where the first one is
    return runs


def _bit_width(buffer: Buffer) -> int:
    if len(buffer) == 0:
        raise CorruptFileError(
            "dictionary ids begin with a byte that has their bit width; there are no bytes", offset=0
        )
    bit_width = buffer[0]
    if bit_width > MAX_BIT_WIDTH:
        raise CorruptFileError(
            f"the bit width of dictionary ids is {bit_width}, at most {MAX_BIT_WIDTH} is allowed", offset=0
        )
    return bit_width


def _check_range(ids: UnsignedArray, dictionary_length: int, first: int) -> None:
    if ids.size and int(ids.max()) >= dictionary_length:
        index = int(np.argmax(ids >= dictionary_length))
        raise CorruptFileError(
            f"value {first + index:,} is the dictionary id {int(ids[index]):,}, but the dictionary has "
            f"{dictionary_length:,} entries"
        )


def take(dictionary: pa.Array, ids: UnsignedArray, *, limits: Limits = DEFAULT) -> pa.Array:
    """The entry of each id: a physical array as long as `ids`, which must be below `len(dictionary)`.

    Few long entries can become many bytes: raises `LimitExceededError` beyond `limits.read_bytes`. The result is
    large_binary where a binary array cannot hold the bytes.
    """
    if not ids.size:
        return dictionary.slice(0, 0)
    kind = dictionary.type
    if pa.types.is_fixed_size_binary(kind):
        limits.check("read_bytes", kind.byte_width * ids.size, "looking up dictionary entries")
    elif _may_be_large(dictionary, ids, min(plain.MAX_BINARY_BYTES, limits.read_bytes)):
        lengths = numpy_numbers(compute.binary_length(dictionary)).astype(np.int64)
        total = int(lengths[ids].sum())
        limits.check("read_bytes", total, "looking up dictionary entries")
        if total > plain.MAX_BINARY_BYTES:
            dictionary = dictionary.cast(pa.large_binary())
    return compute.take(dictionary, arrow_numbers(ids), boundscheck=False)


def _may_be_large(dictionary: pa.Array, ids: UnsignedArray, most: int) -> bool:
    """Whether so many ids of the longest entry would be more than `most` bytes."""
    if not pa.types.is_binary(dictionary.type) and not pa.types.is_large_binary(dictionary.type):
        return False
    if dictionary.nbytes * ids.size <= most:
        return False
    longest = compute.max(compute.binary_length(dictionary)).as_py() or 0
    return bool(longest * ids.size > most)


class Indexes(Hybrid):
    """The bit width, then runs of ids."""

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        if self.steps[step].kind is WIDTH:
            return f"each index has {plural(self.bit_width, 'bit')}"
        return super().label(step)

    def facts(self, step: int) -> dict[str, Any]:
        """The bit width, or the facts of a run."""
        return {"bit_width": self.bit_width} if self.steps[step].kind is WIDTH else super().facts(step)

    def entry(self, value: int) -> int:
        """The value itself."""
        return value

    def explain(self, step: int, shown: range) -> tuple[list[Part], list[Row]]:
        """The byte with the bit width, or a run."""
        if self.steps[step].kind is WIDTH:
            return [little_endian("bit width", self.raw, 0, 1)], []
        return super().explain(step, shown)

    def summary(self, what: str) -> str:
        """How many runs there are, and how many bits an index has."""
        each = plural(self.bit_width, "bit")
        return f"{plural(self.wanted, 'index', 'indexes')} in {self.runs_text()}, {each} each"

    def remark(self) -> str:
        """None: the size is compared with PLAIN's."""
        return ""

    def trace_entries(self, dictionary: pa.Array | None, first: int, limits: Limits = DEFAULT) -> Iterator[Step]:
        """The steps of `trace` with entries as values, and ids as the fact `ids`; without a dictionary those of `trace`."""
        for step in self.trace(first=first):
            if dictionary is not None and step.count:
                ids = step.values
                _check_range(ids, len(dictionary), step.first)
                entries = take(dictionary, ids, limits=limits)
                step = dataclasses.replace(step, values=entries, facts={**step.facts, "ids": ids})
            yield step


def scan(buffer: Buffer, num_values: int, physical_type: int = -1, type_length: int | None = None) -> Indexes:
    """Find the runs of ids. No values need no bytes, not even the bit width.

    Raises `CorruptFileError` when the bit width is missing or more than 32, and what `rle.scan` raises.
    """
    if not num_values and (not len(buffer) or buffer[0] > MAX_BIT_WIDTH):
        return Indexes.of(b"", 0, 0, WIDTH)
    return Indexes.of(buffer, _bit_width(buffer), num_values, WIDTH)


def encode(ids: Any, bit_width: int | None = None, *, minimum_run: int = 8) -> bytes:
    """The values section of a data page with these ids; by default with the smallest bit width that fits."""
    given = np.asarray(ids)
    if bit_width is None:
        bit_width = int(given.max()).bit_length() if given.size else 0
    return bytes([bit_width]) + rle.encode(given, bit_width, minimum_run=minimum_run)


def build(values: pa.Array) -> tuple[pa.Array, UnsignedArray]:
    """The dictionary of a physical array, entries in order of first appearance, and the id of each value (uint32).

    Values are the same when their bytes are: −0.0 and 0.0 are two entries, and so are NaNs of different bits.
    """
    kind = values.type
    if pa.types.is_floating(kind):
        values = values.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    encoded = values.dictionary_encode()
    entries = encoded.dictionary
    ids = numpy_numbers(encoded.indices).astype(np.uint32)
    return entries.view(kind) if pa.types.is_floating(kind) else entries, ids


def reference(buffer: Buffer, num_values: int) -> list[int]:
    """The ids as the specification reads them, one at a time."""
    return rle.reference(buffer, buffer[0], num_values, 1) if num_values else []


ENCODINGS = tuple(
    SectionEncoding(number, tuple(Type), scan) for number in (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)
)
