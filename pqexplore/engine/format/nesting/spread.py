"""Spreads values without nulls over the slots of an Arrow array.

A page stores only values that are not null; an Arrow array has a slot for each entry, null or not.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Array, Mask


def validity(valid: Mask) -> pa.Buffer:
    """An Arrow validity bitmap: one bit for each slot."""
    return pa.py_buffer(np.packbits(valid, bitorder="little"))


def spread(values: pa.Array, valid: Mask, *, nullable: bool) -> pa.Array:
    """An array of `len(valid)` slots: the values in order where `valid`, the rest null.

    `valid` has as many true slots as there are values. If the type is not `nullable`, empty slots are below a null
    parent: they hold zero or an empty value, and the array has no validity bitmap, as in pyarrow.
    """
    slots = len(valid)
    if len(values) == slots:
        return values
    kind = values.type
    if pa.types.is_null(kind):
        return pa.nulls(slots)
    nulls = slots - len(values) if nullable else 0
    bitmap = validity(valid) if nullable else None
    if pa.types.is_boolean(kind):
        bits = np.unpackbits(
            np.frombuffer(values.buffers()[1] or b"", np.uint8), count=values.offset + len(values), bitorder="little"
        )
        full = np.zeros(slots, np.uint8)
        full[valid] = bits[values.offset :]
        data = pa.py_buffer(np.packbits(full, bitorder="little"))
        return pa.Array.from_buffers(kind, slots, [bitmap, data], nulls)
    width = _width(kind)
    if width is not None:
        return pa.Array.from_buffers(kind, slots, [bitmap, _spread_fixed(values, valid, width)], nulls)
    if _is_variable(kind):
        offsets = _spread_offsets(values, valid, slots)
        return pa.Array.from_buffers(kind, slots, [bitmap, pa.py_buffer(offsets), values.buffers()[2]], nulls)
    positions = np.cumsum(valid, dtype=np.int64) - 1
    return values.take(pa.array(positions, mask=~valid))


def _width(kind: pa.DataType) -> int | None:
    """Bytes of a value, for types of whole bytes in one buffer; None for other types."""
    if pa.types.is_dictionary(kind) or isinstance(kind, pa.BaseExtensionType):
        return None
    if pa.types.is_fixed_size_binary(kind):
        return int(kind.byte_width)
    try:
        return int(kind.bit_width) // 8
    except ValueError:  # no fixed width
        return None


def _spread_fixed(values: pa.Array, valid: Mask, width: int) -> pa.Buffer:
    if width == 0:
        return pa.py_buffer(b"")
    kind = np.dtype(f"u{width}" if width in (1, 2, 4, 8) else f"V{width}")
    dense = np.frombuffer(values.buffers()[1] or b"", kind, count=len(values), offset=values.offset * width)
    full = np.zeros(len(valid), kind)
    full[valid] = dense
    return pa.py_buffer(full.view(np.uint8))


def _is_variable(kind: pa.DataType) -> bool:
    return any(
        test(kind)
        for test in (pa.types.is_binary, pa.types.is_string, pa.types.is_large_binary, pa.types.is_large_string)
    )


def _spread_offsets(values: pa.Array, valid: Mask, slots: int) -> Array:
    """Offsets (int32 or int64) in which an empty slot has length 0; the data is not moved."""
    large = pa.types.is_large_binary(values.type) or pa.types.is_large_string(values.type)
    kind = np.int64 if large else np.int32
    buffer = values.buffers()[1]
    if not len(values) or buffer is None or buffer.size == 0:
        return np.zeros(slots + 1, kind)
    start = values.offset * np.dtype(kind).itemsize
    offsets = np.frombuffer(buffer, kind, count=len(values) + 1, offset=start)
    before = np.zeros(slots + 1, np.intp)
    np.cumsum(valid, out=before[1:])
    spread_offsets: Array = offsets[before]
    return spread_offsets
