"""Checks values of the logical type FILE: do references resolve, and do checksums have a known form?"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.address import Address
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.field import REPEATED, Field
from pqexplore.engine.format.file_reference import is_checksum
from pqexplore.engine.format.thrift import structs

if TYPE_CHECKING:
    from pqexplore.engine.file.row_group import RowGroup

Mask = np.ndarray[Any, np.dtype[np.bool_]]

MAX_ROWS = 1_000_000
"""Row groups with more rows are not checked."""

_MAX_CHECKSUMS = 100_000
"""Checksums of a row group that are checked."""


def findings(group: RowGroup, sound: Collection[int]) -> Iterator[Finding]:
    """Findings about the FILE groups of a row group that are not inside of lists. `sound` are the readable columns."""
    file = group.file
    if group.num_rows > MAX_ROWS:
        return
    for field in file.schema.fields[1:]:
        chosen = structs.union_field(field.element.logicalType)
        if chosen is None or chosen[0] != "FILE" or not field.children or _in_list(field):
            continue
        if any(leaf.leaf_index not in sound for leaf in field.leaves()):
            continue
        column: Any = file.read([field.path], [group.index])
        present = np.ones(group.num_rows, np.bool_)
        for name in field.path:
            column = column.column(name) if isinstance(column, pa.Table) else _field(column, name)
            column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
            if isinstance(column, pa.ChunkedArray):
                column = pa.concat_arrays(column.chunks)
            present &= column.is_valid().to_numpy(zero_copy_only=False)
        yield from _references(column, present, field, group)


def _in_list(field: Field) -> bool:
    node: Field | None = field
    while node is not None:
        if node.repetition == REPEATED:
            return True
        node = node.parent
    return False


def _field(column: pa.StructArray, name: str) -> Any:
    return column.field(column.type.get_field_index(name))


def _set(column: pa.StructArray, name: str) -> Mask:
    """Which rows have a value in a field: bool, shape (rows,). An empty string counts as not set."""
    index = column.type.get_field_index(name)
    if index < 0:
        return np.zeros(len(column), np.bool_)
    values = column.field(index)
    is_set: Mask = values.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        is_set &= pc.fill_null(pc.binary_length(values), 0).to_numpy(zero_copy_only=False) > 0
    return is_set


def _references(column: pa.StructArray, present: Mask, field: Field, group: RowGroup) -> Iterator[Finding]:
    inline, uri, offset, size = (_set(column, name) for name in ("inline", "uri", "offset", "size"))
    by_range = present & ~inline
    invalid = by_range & ((offset & ~size) | (~uri & ~offset))
    address, path = Address.of("schema", field.index), ".".join(field.path)
    if invalid.any():
        row = int(np.argmax(invalid))
        why = "an offset without a size" if offset[row] else "no inline bytes, uri or offset"
        yield Finding(
            "file-reference",
            address,
            f"{int(invalid.sum()):,} references of {path} in row group {group.index} are invalid; the first, row "
            f"{row:,}, has {why}",
            {"row_group": group.index, "row": row, "rows": int(invalid.sum())},
        )
    yield from _own_bytes(column, by_range & ~uri & offset & size, field, group)
    yield from _checksums(column, present, address, path, group)


def _own_bytes(column: pa.StructArray, own: Mask, field: Field, group: RowGroup) -> Iterator[Finding]:
    """References to bytes of the file itself."""
    if not own.any():
        return
    file, address, path = group.file, Address.of("schema", field.index), ".".join(field.path)
    if file.footer.cipher is not None:
        yield Finding(
            "file-reference-encrypted", address, f"{path} refers to bytes of its own file, which is encrypted"
        )
    start, length = (
        pc.fill_null(_field(column, name), 0).to_numpy(zero_copy_only=False) for name in ("offset", "size")
    )
    outside = own & ((start < 0) | (length < 0) | (start > file.size) | (length > file.size - start))
    if outside.any():
        row = int(np.argmax(outside))
        yield Finding(
            "file-reference-outside",
            address,
            f"{int(outside.sum()):,} references of {path} in row group {group.index} reach outside of the file; row {row:,} "
            f"asks for {int(length[row]):,} bytes from byte {int(start[row]):,} on, the file has {file.size:,}",
            {"row_group": group.index, "row": row},
        )


def _checksums(column: pa.StructArray, present: Mask, address: str, path: str, group: RowGroup) -> Iterator[Finding]:
    index = column.type.get_field_index("checksum")
    if index < 0:
        return
    values = column.field(index)
    for row in np.flatnonzero(present & _set(column, "checksum"))[:_MAX_CHECKSUMS].tolist():
        text = values[row].as_py()
        if not isinstance(text, str) or not is_checksum(text):
            yield Finding(
                "file-checksum",
                address,
                f"the checksum of {path} in row {row:,} of row group {group.index} is {str(text)[:80]!r}; expected "
                "ETAG:…, MD5:…, CRC32:…, CRC32C:… or SHA-256:… in lowercase hexadecimal",
                {"row_group": group.index, "row": row},
            )
            return
