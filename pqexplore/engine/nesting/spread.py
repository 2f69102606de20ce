"""Values without nulls, spread over slots of which some are empty.

A page stores only the values that are there; an Arrow array has a slot for each, null or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

Mask = np.ndarray[Any, np.dtype[np.bool_]]


def validity(valid: Mask) -> pa.Buffer:
    """An Arrow validity bitmap, one bit a slot."""
    return pa.py_buffer(np.packbits(valid, bitorder="little"))


def spread(values: pa.Array, valid: Mask, *, nullable: bool) -> pa.Array:
    """An array of `len(valid)` slots: the values in order where `valid`, the rest null.

    As many values as `valid` has true slots. Where the type is not `nullable`, the empty slots lie below a null parent:
    they hold a zero or an empty value, and the array has no validity bitmap, as pyarrow does it.
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
            np.frombuffer(values.buffers()[1] or b"", np.uint8),
            count=values.offset + len(values),
            bitorder="little",
        )
        full = np.zeros(slots, np.uint8)
        full[valid] = bits[values.offset :]
        data = pa.py_buffer(np.packbits(full, bitorder="little"))
        return pa.Array.from_buffers(kind, slots, [bitmap, data], nulls)
    width = _width(kind)
    if width is not None:
        return pa.Array.from_buffers(
            kind, slots, [bitmap, _spread_fixed(values, valid, width)], nulls
        )
    if _is_variable(kind):
        offsets = _spread_offsets(values, valid, slots)
        return pa.Array.from_buffers(
            kind, slots, [bitmap, pa.py_buffer(offsets), values.buffers()[2]], nulls
        )
    positions = np.cumsum(valid, dtype=np.int64) - 1
    return values.take(pa.array(positions, mask=~valid))


def _width(kind: pa.DataType) -> int | None:
    """Bytes of a value, for types of whole bytes that lie in one buffer."""
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
    kind: Any = f"u{width}" if width in (1, 2, 4, 8) else f"V{width}"
    dense = np.frombuffer(
        values.buffers()[1] or b"", kind, count=len(values), offset=values.offset * width
    )
    full = np.zeros(len(valid), kind)
    full[valid] = dense
    return pa.py_buffer(full.view(np.uint8))


def _is_variable(kind: pa.DataType) -> bool:
    return any(
        test(kind)
        for test in (
            pa.types.is_binary,
            pa.types.is_string,
            pa.types.is_large_binary,
            pa.types.is_large_string,
        )
    )


def _spread_offsets(values: pa.Array, valid: Mask, slots: int) -> np.ndarray[Any, Any]:
    """Offsets in which an empty slot ends where it begins; the data stays where it is."""
    large = pa.types.is_large_binary(values.type) or pa.types.is_large_string(values.type)
    kind = np.int64 if large else np.int32
    buffer = values.buffers()[1]
    if not len(values) or buffer is None or buffer.size == 0:
        return np.zeros(slots + 1, kind)
    start = values.offset * np.dtype(kind).itemsize
    offsets = np.frombuffer(buffer, kind, count=len(values) + 1, offset=start)
    before = np.zeros(slots + 1, np.intp)
    np.cumsum(valid, out=before[1:])
    spread_offsets: np.ndarray[Any, Any] = offsets[before]
    return spread_offsets
