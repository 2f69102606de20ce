"""Variant bytes to Python values, quickly and checked.

The quick reader takes a value for well-formed and looks at each rule in the cheapest way: the field ids of an object
are looked up as one key among lists already checked, and each value must begin where another one ended. Whatever
surprises it (a broken rule, an unknown type, great depth) is left to `spans`, which knows precisely what and where.

Source: "Variant Binary Encoding", section "Value encoding".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NoReturn

import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError, ParquetError, UnsupportedFeatureError
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.variant import metadata as variant_metadata
from pqexplore.engine.variant import spans
from pqexplore.engine.variant.metadata import Metadata, unsigned
from pqexplore.engine.variant.parts import Part
from pqexplore.engine.variant.primitives import READERS, container

_QUICK_DEPTH = 32
"""Beyond this the iterative reader takes over, so that Python's own stack never decides."""


class _Surprise(Exception):
    """The quick reader met something that it leaves to the patient one."""


def decode(
    metadata: bytes | memoryview | Metadata,
    value: bytes | memoryview,
    *,
    limits: Limits = DEFAULT,
) -> Any:
    """The Python value of one Variant.

    null → None, booleans → bool, integers → int, double → float, float → numpy.float32, decimals → Decimal with
    their scale, date, time and timestamps (micros) → `datetime`, with UTC where adjusted to it; nanoseconds and what
    `datetime` cannot hold → `types.Temporal`; binary → bytes, string → str, uuid → UUID, array → list, object →
    dict in the order of names. A primitive of unknown type inside a container → `types.Unsupported`.

    Raises `CorruptFileError` with an offset in `value` (or, for metadata, in `metadata`), `UnsupportedFeatureError`
    where the value as a whole is of an unknown type, `LimitExceededError` for depth.
    """
    known = variant_metadata.read(metadata)
    if known.unsorted_at is not None:
        known.require_sorted()
    raw = value if isinstance(value, bytes) else bytes(value)
    try:
        result, end = _value(raw, 0, known, limits.variant_depth)
        if end == len(raw):
            return result
    except (_Surprise, IndexError, ValueError, struct.error):
        pass
    return from_parts(spans.read_value(known, raw, limits=limits))


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
            raise _Surprise from None
        count, base = layout.count, layout.values
        offsets = unsigned(raw, layout.offsets, count + 1, layout.offset_size).tolist()
        stop = offsets[count]
        keys = None
        if basic == 2:
            keys = known.keys(raw[layout.ids : layout.offsets], layout.id_size)
    # Each level of nesting costs the readers below it one of what is left; the quick reader has its own bound.
    if depth <= 0 or (keys is None and basic == 2):
        raise _Surprise
    values: list[Any] = []
    depth = depth - 1 if depth <= _QUICK_DEPTH else _QUICK_DEPTH - 1
    # Each value must start where the one before it in position ended. Checked before it is read, this also bounds the
    # work: offsets that point many times at the same bytes are never followed twice.
    position = base
    for i in range(count):
        if base + offsets[i] != position:
            position = _scattered(raw, base, position, offsets, count, values, known, depth)
            break
        item, position = _value(raw, position, known, depth)
        values.append(item)
    if position != base + stop:
        raise _Surprise
    if keys is None:
        return values, position
    return dict(zip(keys, values, strict=True)), position


def _scattered(
    raw: bytes,
    base: int,
    position: int,
    offsets: Any,
    count: int,
    values: list[Any],
    known: Metadata,
    depth: int,
) -> int:
    """Read on, after the first of `values`, values that are not in the order of their offsets; where they end."""
    done = len(values)
    values.extend([None] * (count - done))
    for i in sorted(range(done, count), key=offsets.__getitem__):
        if base + offsets[i] != position:
            raise _Surprise
        values[i], position = _value(raw, position, known, depth)
    return position


def from_parts(root: Part) -> Any:
    """The Python value of a tree of parts; raises the first error met, as `decode` does."""
    if root.error is not None:
        raise root.error
    if root.type_name not in ("object", "array"):
        return root.value
    holder: list[Any] = []
    stack: list[tuple[Part, Iterator[Part], list[Any]]] = [(root, iter(root.items), [])]
    while stack:
        part, items, values = stack[-1]
        child = next(items, None)
        if child is None:
            stack.pop()
            made: Any = values if part.keys is None else dict(zip(part.keys, values, strict=True))
            (stack[-1][2] if stack else holder).append(made)
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
    """Raise an error of one cell of a column again, with the row in its message.

    The error's offset is in the cell, which no caller can place in the file: it goes to the message, too.
    """
    place = "" if error.offset is None else f", at byte {error.offset:,} of the {cell}"
    error.message = f"row {row}: {error.message}{place}"
    error.offset = None
    raise error
