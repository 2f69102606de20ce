"""Values that a file need not have: those of its partition by the log or its folders, and defaults of columns."""

from __future__ import annotations

import base64
import binascii
import datetime
import uuid
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from urllib.parse import unquote

import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.text import clip
from pqexplore.lake.logs.table_log import HIVE_NULL


def pairs(partition_values: str) -> dict[str, str | None]:
    """Partition values by column, from `key=value` joined by slashes."""
    found: dict[str, str | None] = {}
    for part in partition_values.split("/"):
        name, separator, value = part.partition("=")
        if separator:
            found[unquote(name)] = None if value == HIVE_NULL else unquote(value)
    return found


def scalar(name: str, text: str | None, kind: pa.DataType, format: str) -> pa.Scalar:
    """The value of a column that a log or a folder has as text. CorruptFileError if it is none of the column's type."""
    if text is None:
        return pa.scalar(None, kind)
    try:
        return pa.scalar(_value(text, kind, format), kind)
    except (ValueError, InvalidOperation, OverflowError, binascii.Error, pa.ArrowException):
        raise CorruptFileError(
            f"the value of column {clip(name, 100)!r} of a partition is {clip(text, 100)!r}, which is no {kind}",
            address="",
        ) from None


def _value(text: str, kind: pa.DataType, format: str) -> object:
    types = pa.types
    if types.is_boolean(kind):
        return {"true": True, "false": False}[text.lower()] if text.lower() in ("true", "false") else int(text) != 0
    if types.is_integer(kind):
        return int(text)
    if types.is_floating(kind):
        return float(text)
    if types.is_decimal(kind):
        return Decimal(text)
    if types.is_date(kind):
        return datetime.date.fromisoformat(text)
    if types.is_time(kind):
        return datetime.time.fromisoformat(text)
    if types.is_timestamp(kind):
        return _moment(text, kind)
    if types.is_fixed_size_binary(kind) and kind.byte_width == 16 and len(text) == 36:
        return uuid.UUID(text).bytes
    if types.is_binary(kind) or types.is_fixed_size_binary(kind):
        return base64.b64decode(text, validate=True) if format == "iceberg" else text.encode()
    return text


def _moment(text: str, kind: pa.DataType) -> datetime.datetime:
    """A time, in UTC if it does not say where; Delta writes it with a space, and may write `Z`."""
    found = datetime.datetime.fromisoformat(text)
    if kind.tz is None:
        return found if found.tzinfo is None else found.astimezone(datetime.UTC).replace(tzinfo=None)
    return found.replace(tzinfo=datetime.UTC) if found.tzinfo is None else found


def inferred(values: Iterable[str | None]) -> pa.DataType:
    """The type of a partition column that only folders name: whole numbers or dates if all values are, else text.

    So do Spark, DuckDB and polars. A number with leading zeros is text, because it would lose them.
    """
    some = [one for one in values if one is not None]
    for kind in (pa.int64(), pa.date32()):
        if some and all(_is(one, kind) for one in some):
            return kind
    return pa.string()


def _is(text: str, kind: pa.DataType) -> bool:
    try:
        value = pa.scalar(_value(text, kind, ""), kind).as_py()
    except (ValueError, OverflowError, pa.ArrowException):
        return False
    return str(value) == text


def default(name: str, value: object, kind: pa.DataType) -> pa.Scalar:
    """The default of a column that a file lacks, as Iceberg's JSON has it. CorruptFileError if it is none of its type."""
    if value is None:
        return pa.scalar(None, kind)
    if pa.types.is_binary(kind) or (
        pa.types.is_fixed_size_binary(kind) and isinstance(value, str) and "-" not in value
    ):
        try:
            return pa.scalar(bytes.fromhex(str(value)), kind)
        except (ValueError, pa.ArrowException):
            raise CorruptFileError(f"the default of column {clip(name, 100)!r} is no {kind}", address="") from None
    if isinstance(value, Mapping | list):
        raise CorruptFileError(f"the default of column {clip(name, 100)!r} is no {kind}", address="")
    return scalar(name, str(value), kind, "")
