"""Values of the logical type FILE: references that resolve to something, checksums that can be one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.schema import REPEATED, Field
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.row_group import RowGroup

MOST_ROWS = 1_000_000
"""Rows of a row group whose references are looked at; of larger ones none are."""

_CHECKSUM = re.compile(
    r"(ETAG:.+|MD5:[0-9a-f]{32}|CRC32C?:[0-9a-f]{8}|SHA-256:[0-9a-f]{64})", re.DOTALL
)
_CHECKSUMS_TOLD = 100_000
"""Checksums whose form is looked at."""


def findings(group: RowGroup, sound: Collection[int]) -> Iterator[Finding]:
    """The FILE groups of a row group that do not lie in lists."""
    file = group.file
    if group.num_rows > MOST_ROWS:
        return
    for field in file.schema.fields[1:]:
        chosen = structs.union_field(field.element.logicalType)
        if chosen is None or chosen[0] != "FILE" or not field.children or _in_list(field):
            continue
        if any(leaf.leaf_index not in sound for leaf in field.leaves()):
            continue
        column: Any = file.read([field.path], [group.index])
        there = np.ones(group.num_rows, np.bool_)
        for name in field.path:
            column = column.column(name) if isinstance(column, pa.Table) else _field(column, name)
            column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
            if isinstance(column, pa.ChunkedArray):
                column = pa.concat_arrays(column.chunks)
            there &= column.is_valid().to_numpy(zero_copy_only=False)
        yield from _references(column, there, field, group)


def _in_list(field: Field) -> bool:
    here: Field | None = field
    while here is not None:
        if here.repetition == REPEATED:
            return True
        here = here.parent
    return False


def _field(column: pa.StructArray, name: str) -> Any:
    return column.field(column.type.get_field_index(name))


def _set(column: pa.StructArray, name: str) -> Any:
    """Where a field has a value; an empty string counts as not set."""
    index = column.type.get_field_index(name)
    if index < 0:
        return np.zeros(len(column), np.bool_)
    values = column.field(index)
    there = values.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        there = there & (
            pc.fill_null(pc.binary_length(values), 0).to_numpy(zero_copy_only=False) > 0
        )
    return there


def _references(
    column: pa.StructArray, there: Any, field: Field, group: RowGroup
) -> Iterator[Finding]:
    inline, uri, offset, size = (_set(column, name) for name in ("inline", "uri", "offset", "size"))
    by_place = there & ~inline
    invalid = by_place & ((offset & ~size) | (~uri & ~offset))
    address, path = join("schema", field.index), ".".join(field.path)
    if invalid.any():
        row = int(np.argmax(invalid))
        why = "an offset and no size" if offset[row] else "neither inline bytes nor a place"
        yield Finding(
            "file-reference",
            "error",
            address,
            f"{int(invalid.sum()):,} references of {path} in row group {group.index} resolve to nothing; row {row:,} "
            f"has {why}",
            {"row_group": group.index, "row": row, "rows": int(invalid.sum())},
            "FILE: an offset without a size is invalid, and so is a reference without inline bytes, uri and offset",
        )
    yield from _own_bytes(column, by_place & ~uri & offset & size, field, group)
    yield from _checksums(column, there, address, path, group)


def _own_bytes(
    column: pa.StructArray, own: Any, field: Field, group: RowGroup
) -> Iterator[Finding]:
    """References to bytes of the file itself."""
    if not own.any():
        return
    file, address, path = group.file, join("schema", field.index), ".".join(field.path)
    if file.footer.cipher is not None:
        yield Finding(
            "file-reference-encrypted",
            "error",
            address,
            f"{path} refers to bytes of this file, which is encrypted",
            {},
            "Files with references to themselves must not be encrypted",
        )
    start, length = (
        pc.fill_null(_field(column, name), 0).to_numpy(zero_copy_only=False)
        for name in ("offset", "size")
    )
    outside = own & (
        (start < 0) | (length < 0) | (start > file.size) | (length > file.size - start)
    )
    if outside.any():
        row = int(np.argmax(outside))
        yield Finding(
            "file-reference-outside",
            "error",
            address,
            f"{int(outside.sum()):,} references of {path} in row group {group.index} leave the file; row {row:,} asks "
            f"for {int(length[row]):,} bytes from byte {int(start[row]):,} on, the file has {file.size:,}",
            {"row_group": group.index, "row": row},
        )


def _checksums(
    column: pa.StructArray, there: Any, address: str, path: str, group: RowGroup
) -> Iterator[Finding]:
    index = column.type.get_field_index("checksum")
    if index < 0:
        return
    values = column.field(index)
    for row in np.flatnonzero(there & _set(column, "checksum"))[:_CHECKSUMS_TOLD].tolist():
        text = values[row].as_py()
        if not isinstance(text, str) or not _CHECKSUM.fullmatch(text):
            yield Finding(
                "file-checksum",
                "warning",
                address,
                f"the checksum of {path} in row {row:,} of row group {group.index} is {str(text)[:80]!r}; expected "
                "ETAG:…, MD5:…, CRC32:…, CRC32C:… or SHA-256:… in lowercase hexadecimal",
                {"row_group": group.index, "row": row},
                "`checksum` is `ALGORITHM:digest`",
            )
            return
