"""Variant bytes to Python values, fast and checked.

The fast reader assumes that a value is well-formed and checks each rule in the cheapest way: the list of field ids of an
object is looked up among lists that were checked before, and each value must begin where another one ended. For anything
else (a broken rule, an unknown type, deep nesting) `spans` reads the value, and reports exactly what is wrong and where.

Specification: "Value encoding" in https://github.com/apache/parquet-format/blob/master/VariantEncoding.md
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NoReturn

import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError, ParquetError, UnsupportedFeatureError
from pqexplore.engine.format.variant import metadata as variant_metadata
from pqexplore.engine.format.variant import value_spans
from pqexplore.engine.format.variant.byte_parts import VariantPart
from pqexplore.engine.format.variant.metadata import Metadata, unsigned
from pqexplore.engine.format.variant.primitives import READERS, container
from pqexplore.engine.limits import DEFAULT, Limits

_QUICK_DEPTH = 32
"""Deeper values are read without recursion, by `spans`."""


class _Unusual(Exception):
    """The fast reader cannot read the value; `spans` must."""


def decode(metadata: bytes | memoryview | Metadata, value: bytes | memoryview, *, limits: Limits = DEFAULT) -> Any:
    """The Python value of one Variant.

    null → None, booleans → bool, integers → int, double → float, float → numpy.float32, decimals → Decimal with
    their scale, date, time and timestamps (micros) → `datetime`, with UTC where adjusted to it; nanoseconds and values that
    `datetime` cannot hold → `types.Temporal`; binary → bytes, string → str, uuid → UUID, array → list, object →
    dict in the order of names. A primitive of unknown type inside a container → `types.Unsupported`.

    Raises CorruptFileError with an offset in `value` (or, for metadata, in `metadata`), UnsupportedFeatureError if the
    value as a whole is of an unknown type, LimitExceededError for depth.
    """
    known = variant_metadata.read(metadata)
    if known.unsorted_at is not None:
        known.require_sorted()
    raw = value if isinstance(value, bytes) else bytes(value)
    try:
        result, end = _value(raw, 0, known, limits.variant_depth)
        if end == len(raw):
            return result
    except (_Unusual, IndexError, ValueError, struct.error):
        pass
    return from_parts(value_spans.read_value(known, raw, limits=limits))


def _value(raw: bytes, at: int, known: Metadata, depth: int) -> tuple[Any, int]:
    header = raw[at]
    basic = header & 3
    if basic == 1:
        end = at + 1 + (header >> 2)
        return raw[at + 1 : end].decode(), end
    if basic == 0:
        return READERS[header >> 2](raw, at + 1)
    count = raw[at + 1]
    if header == 2:
        middle = at + 2 + count
        base = middle + count + 1
        field_ids = raw[at + 2 : middle]
        keys = known._keys.get((field_ids, 1)) or known.keys(field_ids, 1)
        offsets: Any = raw[middle:base]
        stop = offsets[count]
    elif header == 3:
        keys = None
        base = at + 3 + count
        offsets = raw[at + 2 : base]
        stop = offsets[count]
    else:
        try:
            layout = container(raw, at, len(raw))
        except CorruptFileError:
            raise _Unusual from None
        count, base = layout.count, layout.values
        offsets = unsigned(raw, layout.offsets, count + 1, layout.offset_size).tolist()
        stop = offsets[count]
        keys = None
        if basic == 2:
            keys = known.keys(raw[layout.ids : layout.offsets], layout.id_size)
    # `depth` is how many levels may follow; the fast reader has a bound of its own.
    if depth <= 0 or (keys is None and basic == 2):
        raise _Unusual
    values: list[Any] = []
    depth = depth - 1 if depth <= _QUICK_DEPTH else _QUICK_DEPTH - 1
    # Each value must start where the one before it in position ended. This is checked before it is read, which also
    # bounds the work: no bytes are read twice, even if many offsets point to them.
    position = base
    for i in range(count):
        if base + offsets[i] != position:
            position = _scattered(raw, base, position, offsets, count, values, known, depth)
            break
        item, position = _value(raw, position, known, depth)
        values.append(item)
    if position != base + stop:
        raise _Unusual
    if keys is None:
        return values, position
    return dict(zip(keys, values, strict=True)), position


def _scattered(
    raw: bytes, base: int, position: int, offsets: Any, count: int, values: list[Any], known: Metadata, depth: int
) -> int:
    """Read the other values of a container, whose offsets do not ascend. Returns the position after them."""
    done = len(values)
    values.extend([None] * (count - done))
    for i in sorted(range(done, count), key=offsets.__getitem__):
        if base + offsets[i] != position:
            raise _Unusual
        values[i], position = _value(raw, position, known, depth)
    return position


def from_parts(root: VariantPart) -> Any:
    """The Python value of a tree of parts. Raises its first error, as `decode` does."""
    if root.error is not None:
        raise root.error
    if root.type_name not in ("object", "array"):
        return root.value
    holder: list[Any] = []
    stack: list[tuple[VariantPart, Iterator[VariantPart], list[Any]]] = [(root, iter(root.items), [])]
    while stack:
        part, items, values = stack[-1]
        child = next(items, None)
        if child is None:
            stack.pop()
            value: Any = values if part.keys is None else dict(zip(part.keys, values, strict=True))
            (stack[-1][2] if stack else holder).append(value)
        elif isinstance(child.error, UnsupportedFeatureError):
            values.append(child.value)
        elif child.error is not None:
            raise child.error
        elif child.type_name in ("object", "array"):
            stack.append((child, iter(child.items), []))
        else:
            values.append(child.value)
    return holder[0]


def decode_array(array: pa.StructArray, *, limits: Limits = DEFAULT) -> list[Any]:
    """The Python values of a column of unshredded Variants, `struct<metadata, value>`; None for null rows.

    A Variant null is None, too; `array.is_valid()` tells them apart. Errors name the row, and the byte in its value.
    """
    cells = array.field("metadata").to_pylist()
    values = array.field("value").to_pylist()
    valid = array.is_valid().to_pylist()
    result: list[Any] = []
    for row, (m, v, ok) in enumerate(zip(cells, values, valid, strict=True)):
        if not ok:
            result.append(None)
            continue
        try:
            if m is None or v is None:
                missing = "metadata" if m is None else "value"
                raise CorruptFileError(f"the {missing} of a Variant is null", offset=0)
            result.append(decode(m, v, limits=limits))
        except ParquetError as error:
            raise_in_row(error, row, "value")
    return result


def raise_in_row(error: ParquetError, row: int, cell: str) -> NoReturn:
    """Raise the error of a cell again, with the row in its message.

    The error's offset counts from the start of the cell, not of the file: it is moved to the message.
    """
    position = "" if error.offset is None else f", at byte {error.offset:,} of the {cell}"
    error.message = f"row {row}: {error.message}{position}"
    error.offset = None
    raise error
