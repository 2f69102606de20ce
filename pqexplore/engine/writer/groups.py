"""Checks the values of VARIANT and FILE groups before they are written.

Their rules concern several columns of a row. VARIANTs are checked at every depth, FILEs only at the top of the schema.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.field import Field
from pqexplore.engine.format.file_reference import is_checksum
from pqexplore.engine.format.schema import Schema
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.variant import check as variant_check
from pqexplore.engine.writer import shredded
from pqexplore.engine.writer.options import WriteOptions


def check(table: pa.Table, schema: Schema, options: WriteOptions) -> None:
    """Raise UsageError for the first row that breaks a rule of its group's type."""
    for array, field, first in shredded.groups(table, schema):
        _variant(array, field, first)
    for column, field in zip(table.columns, schema.root.children, strict=True):
        chosen = structs.union_field(field.element.logicalType)
        if chosen is None or chosen[0] != "FILE" or field.kind == "leaf":
            continue
        first = 0
        for chunk in column.chunks:
            _file(chunk, field, first, options)
            first += len(chunk)


def _variant(array: pa.Array, field: Field, first: int) -> None:
    """Raise UsageError if shredded columns contradict each other (specification, "Variant Shredding")."""
    entry = "element" if field.max_repetition_level else "row"
    for problem in variant_check.check(array, field, values=False, most=1):
        rule = variant_check.RULES.get(problem.rule, problem.rule)
        where = "" if problem.row is None else f", {entry} {first + problem.row:,}"
        raise UsageError(f"{'.'.join(field.path)}{where}, {problem.path}: {problem.message} ({rule})")


def _file(chunk: pa.Array, field: Field, first: int, options: WriteOptions) -> None:
    for row, value in enumerate(chunk.to_pylist(), first):
        reason = None if value is None else file_problem(value)
        if reason is None and value is not None and is_self_reference(value) and options.encryption:
            reason = "a file that refers to itself must not be encrypted"
        if reason:
            raise UsageError(f"{field.name}, row {row:,}: {reason}")


def is_self_reference(value: dict[str, Any]) -> bool:
    """Whether a FILE value refers to a range of its own file."""
    return not value.get("inline") and not value.get("uri") and value.get("offset") is not None


def file_problem(value: dict[str, Any]) -> str | None:
    """Why a FILE value is invalid; None if it is valid. An empty string counts as not set."""
    uri, offset, size = value.get("uri") or None, value.get("offset"), value.get("size")
    for name, number in (("offset", offset), ("size", size)):
        if number is not None and number < 0:
            return f"{name} is {number}; it cannot be negative"
    checksum = value.get("checksum")
    if checksum and not is_checksum(checksum):
        return f"checksum {checksum!r} is not ETAG:…, or MD5, CRC32, CRC32C or SHA-256 and lowercase hex"
    if value.get("inline") is not None:
        return None
    if offset is not None and size is None:
        return "an offset needs a size"
    if uri is None and size is not None and offset is None:
        return "a size without uri and offset refers to nothing"
    return None
