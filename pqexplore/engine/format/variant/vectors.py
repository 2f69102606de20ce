"""Whole Arrow columns to Variant bytes, vectorised, for reconstruction.

Most functions return a `large_binary` array with an encoded Variant value for each row, null if the column is null. A
container's bytes are its head (header, count, ids, offsets) and its values one after the other: heads are computed for
all rows together, and Arrow joins them to the values.

Specification: https://github.com/apache/parquet-format/blob/master/VariantEncoding.md
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import Array, Int64s, Mask
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.variant import variant_types

BINARY = pa.large_binary()


def is_bytes(kind: pa.DataType) -> bool:
    """Whether a type is binary or large_binary."""
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def binary_array(data: Array, offsets: Int64s, valid: Mask | None = None) -> pa.Array:
    """A large_binary array from bytes (uint8), int64 offsets and, if some rows are null, a mask of the others."""
    count = len(offsets) - 1
    bitmap = None
    if valid is not None and not valid.all():
        bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
    buffers = [bitmap, pa.py_buffer(np.ascontiguousarray(offsets, np.int64)), pa.py_buffer(data)]
    return pa.Array.from_buffers(BINARY, count, buffers)


def raw_bytes(array: pa.Array) -> tuple[Array, Int64s]:
    """The bytes (uint8) and offsets (int64, one more than rows) of a large_binary array; null rows can have bytes."""
    _, offsets, data = array.buffers()
    if offsets is None or len(array) == 0:
        return np.zeros(0, np.uint8), np.zeros(1, np.int64)
    positions = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8), positions


def validity(array: pa.Array) -> Mask:
    """A mask of the rows that are not null."""
    if array.null_count == 0:
        return np.ones(len(array), bool)
    mask: Mask = array.is_valid().to_numpy(zero_copy_only=False)
    return mask


def lengths(array: pa.Array) -> Int64s:
    """Bytes of each row of a large_binary array as int64; 0 if null."""
    filled = pc.fill_null(pc.binary_length(array), 0)
    result: Int64s = filled.to_numpy(zero_copy_only=False)
    return result


def keep(mask: Mask, array: pa.Array) -> pa.Array:
    """The array, with null for rows whose mask is false."""
    return array if mask.all() else pc.if_else(pa.array(mask), array, pa.scalar(None, array.type))


def join(columns: Sequence[pa.Array]) -> pa.Array:
    """The rows of large_binary columns, concatenated row by row; nulls add nothing."""
    return pc.binary_join_element_wise(*columns, pa.scalar(b"", BINARY), null_handling="skip")


def primitive(array: pa.Array, type_id: int) -> pa.Array:
    """A column of one primitive type, encoded as `type_id`; the array has the Arrow type for it."""
    count = len(array)
    valid = validity(array) if array.null_count else None
    if type_id in (variant_types.STRING, variant_types.BINARY):
        return _text(array, type_id)
    if type_id == variant_types.TRUE:
        values = pc.fill_null(array, False).to_numpy(zero_copy_only=False)
        headers = np.where(values, np.uint8(variant_types.TRUE << 2), np.uint8(variant_types.FALSE << 2))
        return binary_array(headers, np.arange(count + 1), valid)
    size = array.type.bit_width // 8
    data = array.buffers()[1] if count else None
    cells = np.zeros((count, size), np.uint8)
    if data is not None:
        first = array.offset * size
        cells = np.frombuffer(data, np.uint8)[first : first + count * size].reshape(count, size)
    lead = [type_id << 2]
    if type_id in variant_types.DECIMAL_BYTES:
        cells = cells[:, : variant_types.DECIMAL_BYTES[type_id]]
        lead.append(array.type.scale)
    values = np.empty((count, len(lead) + cells.shape[1]), np.uint8)
    values[:, : len(lead)] = lead
    values[:, len(lead) :] = cells
    return binary_array(values.reshape(-1), np.arange(count + 1) * values.shape[1], valid)


def _text(array: pa.Array, type_id: int) -> pa.Array:
    """Strings and binary: a head of one byte (short strings) or five, joined to the bytes."""
    cells = array.cast(BINARY)
    sizes = lengths(cells)
    if len(sizes) and sizes.max() > 0xFFFFFFFF:
        raise CorruptFileError("a string of more than 4 GB does not fit a Variant", offset=None)
    short = (sizes <= variant_types.MAX_SHORT_STRING) & (type_id == variant_types.STRING)
    positions = np.concatenate(([0], np.cumsum(np.where(short, 1, 5))))
    heads = np.empty(int(positions[-1]), np.uint8)
    at = positions[:-1]
    heads[at] = np.where(short, variant_types.SHORT_STRING | (sizes & 63) << 2, type_id << 2)
    _scatter(heads, at[~short] + 1, sizes[~short], np.full((~short).sum(), 4))
    return keep(validity(cells), join([binary_array(heads, positions), cells]))


def container_heads(counts: Int64s, sizes: Int64s, ids: Int64s | None = None) -> pa.Array:
    """The heads of containers: everything before their values, in the smallest form.

    `counts` has the number of values of each row, `sizes` the bytes of each value of all rows in order, `ids` their
    field ids, for objects; all int64. Raises CorruptFileError for more than 4 GiB in a container.
    """
    rows = len(counts)
    firsts = np.concatenate(([0], np.cumsum(counts)))
    ends = np.concatenate(([0], np.cumsum(sizes)))
    totals = ends[firsts[1:]] - ends[firsts[:-1]]
    if rows and totals.max() > 0xFFFFFFFF:
        raise CorruptFileError("the values of a Variant container come to more than 4 GB", offset=None)
    offset_size = _widths(totals)
    large = counts > 255
    header = (offset_size - 1) << 2
    id_size = np.zeros(rows, np.int64)
    if ids is None:
        header |= variant_types.ARRAY | large << 4
    else:
        largest = np.zeros(rows, np.int64)
        some = counts > 0
        if some.any():
            largest[some] = np.maximum.reduceat(ids, firsts[:-1][some])
        id_size = _widths(largest)
        header |= variant_types.OBJECT | (id_size - 1) << 4 | large << 6
    count_size = np.where(large, 4, 1)
    numbers = 1 + count_size + counts * id_size
    positions = np.concatenate(([0], np.cumsum(numbers + (counts + 1) * offset_size)))
    heads = np.zeros(int(positions[-1]), np.uint8)
    at = positions[:-1]
    heads[at] = header
    _scatter(heads, at + 1, counts, count_size)
    if ids is not None:
        inner = np.arange(len(ids)) - np.repeat(firsts[:-1], counts)
        width = np.repeat(id_size, counts)
        _scatter(heads, np.repeat(at + 1 + count_size, counts) + inner * width, ids, width)
    # Entry j of row r is entry firsts[r] + j of `ends`; rows have one entry more than values.
    more = counts + 1
    row_of = np.repeat(np.arange(rows), more)
    entry = np.arange(len(row_of)) - row_of
    begin = firsts[:-1][row_of]
    width = offset_size[row_of]
    _scatter(heads, (at + numbers)[row_of] + (entry - begin) * width, ends[entry] - ends[begin], width)
    return binary_array(heads, positions)


def _widths(numbers: Int64s) -> Int64s:
    """The fewest bytes, 1 to 4, that hold each unsigned number."""
    return 1 + (numbers > 0xFF).astype(np.int64) + (numbers > 0xFFFF) + (numbers > 0xFFFFFF)


def _scatter(target: Array, positions: Int64s, numbers: Int64s, sizes: Int64s) -> None:
    """Write little-endian numbers of `sizes` (1 to 4) bytes to `target` at `positions`."""
    if len(numbers) == 0:
        return
    for byte in range(int(sizes.max())):
        if byte and sizes.min() <= byte:
            wide = sizes > byte
            positions, numbers, sizes = positions[wide], numbers[wide], sizes[wide]
        target[positions + byte] = (numbers >> 8 * byte) & 0xFF


def lists(counts: Int64s, elements: pa.Array) -> pa.Array:
    """Arrays from their elements: `counts` has the number of elements of each row; no element is null."""
    heads = container_heads(counts, lengths(elements))
    data, positions = raw_bytes(elements)
    firsts = np.concatenate(([0], np.cumsum(counts)))
    # The elements of a row are adjacent already: they are a slice of the column's bytes.
    return join([heads, binary_array(data, positions[firsts])])
