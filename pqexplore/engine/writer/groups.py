"""Groups that mean one thing: VARIANT and FILE, whose rules their values must keep.

A leaf's rules are about one value; these are about several columns of a row. VARIANTs are found wherever they are, FILEs
only at the top of the schema.
"""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.schema import Field, Schema
from pqexplore.engine.thrift import structs
from pqexplore.engine.variant import check as variant_check
from pqexplore.engine.writer import shredded
from pqexplore.engine.writer.options import WriteOptions

_CHECKSUM = re.compile(
    r"ETAG:.+|MD5:[0-9a-f]{32}|CRC32C?:[0-9a-f]{8}|SHA-256:[0-9a-f]{64}", re.DOTALL
)


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


def _variant(array: Any, field: Field, first: int) -> None:
    """Shredded columns that contradict each other (specification, "Variant Shredding")."""
    entry = "element" if field.max_repetition_level else "row"
    for problem in variant_check.check(array, field, values=False, most=1):
        rule = variant_check.RULES.get(problem.rule, problem.rule)
        where = "" if problem.row is None else f", {entry} {first + problem.row:,}"
        raise UsageError(
            f"{'.'.join(field.path)}{where}, {problem.path}: {problem.message} ({rule})"
        )


def _file(chunk: Any, field: Field, first: int, options: WriteOptions) -> None:
    for row, value in enumerate(chunk.to_pylist(), first):
        reason = None if value is None else file_problem(value)
        if reason is None and value is not None and is_self_reference(value) and options.encryption:
            reason = "a file that refers to itself must not be encrypted"
        if reason:
            raise UsageError(f"{field.name}, row {row:,}: {reason}")


def is_self_reference(value: dict[str, Any]) -> bool:
    """Whether a FILE value is a range of the file that it is in."""
    return not value.get("inline") and not value.get("uri") and value.get("offset") is not None


def file_problem(value: dict[str, Any]) -> str | None:
    """What makes a FILE value invalid; None where it is valid. An empty string counts as not set."""
    uri, offset, size = value.get("uri") or None, value.get("offset"), value.get("size")
    for name, number in (("offset", offset), ("size", size)):
        if number is not None and number < 0:
            return f"{name} is {number}; it cannot be negative"
    checksum = value.get("checksum")
    if checksum and not _CHECKSUM.fullmatch(checksum):
        return f"checksum {checksum!r} is not ETAG:…, or MD5, CRC32, CRC32C or SHA-256 and lowercase hex"
    if value.get("inline") is not None:
        return None
    if offset is not None and size is None:
        return "an offset needs a size"
    if uri is None and size is not None and offset is None:
        return "a size without uri and offset refers to nothing"
    return None
