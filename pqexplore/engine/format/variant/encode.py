"""Python values to Variant bytes, in the smallest form that holds them.

That is: the narrowest integers, decimals, ids, offsets and counts, and short strings if the text fits. `Typed` sets the
type of one value. A tree is flattened first and encoded from its leaves up, without recursion.

Specification: "Value encoding" and "Encoding types" in https://github.com/apache/parquet-format/blob/master/VariantEncoding.md
"""

from __future__ import annotations

import datetime
import decimal
import struct
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Int64s
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.variant import metadata as variant_metadata
from pqexplore.engine.format.variant import variant_types
from pqexplore.engine.format.variant.metadata import Metadata, width
from pqexplore.engine.format.variant.primitives import EPOCH, EPOCH_UTC
from pqexplore.engine.format.variant.variant_types import Temporal, Typed, Unsupported
from pqexplore.engine.limits import DEFAULT, Limits

_MICROSECOND = datetime.timedelta(microseconds=1)
_EPOCH_ORDINAL = datetime.date(1970, 1, 1).toordinal()


def encode(value: Any, metadata: bytes | Metadata | None = None, *, limits: Limits = DEFAULT) -> tuple[bytes, bytes]:
    """Metadata and value of one Variant.

    The mapping is the reverse of `decode.decode`; numpy integers, numpy.float32 (float), numpy.float64 (double) and
    numpy.datetime64 are accepted too, and `Typed` sets a type. Without `metadata` a sorted dictionary of the field names
    is made; with it, its names are used.

    Raises UsageError for a value that a Variant cannot hold and for a name that `metadata` lacks, LimitExceededError for
    depth.
    """
    nodes = _flatten(value, limits)
    if metadata is None:
        known = variant_metadata.read(variant_metadata.encode(_names(nodes)))
    else:
        known = variant_metadata.read(metadata)
    return known.buffer, _encode(nodes, known)


def _names(nodes: Iterable[_Node]) -> list[str]:
    """The names of the fields of all objects."""
    return [name for node in nodes if isinstance(node[0], dict) for name in node[0]]


def encode_array(values: Iterable[Any], *, share_metadata: bool = True, limits: Limits = DEFAULT) -> pa.StructArray:
    """A column of Variants, `struct<metadata: binary, value: binary>`.

    Python's None becomes a null row; `Typed("null", None)` a Variant null. With `share_metadata` all rows have one
    dictionary of all names, which Parquet's dictionary encoding stores once; without, each row has its own.
    """
    rows = list(values)
    flat = [None if row is None else _flatten(row, limits) for row in rows]
    metadata: list[bytes | None] = []
    encoded: list[bytes | None] = []
    shared: Metadata | None = None
    if share_metadata:
        names = [name for nodes in flat if nodes for name in _names(nodes)]
        shared = variant_metadata.read(variant_metadata.encode(names))
    for nodes in flat:
        known = shared
        if nodes is not None and known is None:
            known = variant_metadata.read(variant_metadata.encode(_names(nodes)))
        metadata.append(variant_metadata.encode([]) if known is None else known.buffer)
        encoded.append(None if nodes is None or known is None else _encode(nodes, known))
    return pa.StructArray.from_arrays(
        [
            pa.array(metadata, pa.binary()),
            pa.array([variant_types.VARIANT_NULL if e is None else e for e in encoded], pa.binary()),
        ],
        fields=[pa.field("metadata", pa.binary(), nullable=False), pa.field("value", pa.binary(), nullable=False)],
        mask=pa.array([e is None for e in encoded], pa.bool_()),
    )


_Node = tuple[Any, int]
"""A value (containers as dict or list) and the index of its first child in the flat list."""


def _flatten(value: Any, limits: Limits) -> list[_Node]:
    """All values of a tree, level by level: the children of a container are adjacent, after it."""
    nodes: list[_Node] = []
    level, depth = [value], 0
    while level:
        limits.check("variant_depth", depth, "a Variant value")
        following: list[Any] = []
        first = len(nodes) + len(level)
        for item in level:
            if isinstance(item, Mapping):
                fields = dict(item)
                for key in fields:
                    if not isinstance(key, str):
                        raise UsageError(f"the names of a Variant object are text, not {key!r}")
                nodes.append((fields, first + len(following)))
                following.extend(fields.values())
            elif isinstance(item, list | tuple):
                nodes.append((list(item), first + len(following)))
                following.extend(item)
            else:
                nodes.append((item, 0))
        level = following
        depth += 1
    return nodes


def _encode(nodes: list[_Node], known: Metadata) -> bytes:
    """The bytes of the first node. The loop goes backwards, because children come after their parents."""
    ready: list[bytes] = [b""] * len(nodes)
    for at in range(len(nodes) - 1, -1, -1):
        value, first = nodes[at]
        if isinstance(value, dict):
            children = ready[first : first + len(value)]
            for i in range(first, first + len(value)):
                ready[i] = b""
            try:
                fields = {known.ids[k]: child for k, child in zip(value, children, strict=True)}
            except KeyError as error:
                raise UsageError(f"the Variant metadata has no name {error.args[0]!r}") from None
            ready[at] = encode_object(fields, known)
        elif isinstance(value, list):
            ready[at] = encode_container(ready[first : first + len(value)])
            for i in range(first, first + len(value)):
                ready[i] = b""
        else:
            ready[at] = encode_primitive(value)
    return ready[0]


def encode_object(fields: Mapping[int, bytes], known: Metadata) -> bytes:
    """An object from encoded values by field id; the fields are put in the order of their names."""
    ids = sorted(fields, key=known.names.__getitem__)
    return encode_container([fields[i] for i in ids], ids)


def encode_container(
    values: Sequence[bytes],
    ids: Sequence[int] | None = None,
    *,
    is_large: bool | None = None,
    id_size: int | None = None,
    offset_size: int | None = None,
) -> bytes:
    """An object (with `ids`, already in the order of the names) or an array from encoded values.

    Sizes that are not given are the smallest possible. Raises UsageError if the values do not fit 32-bit offsets.
    """
    count = len(values)
    body = b"".join(values)
    if not (is_large or id_size or offset_size) and len(body) < 256 and max(ids or (0,)) < 256:
        starts = [0]
        for v in values:
            starts.append(starts[-1] + len(v))
        kind = variant_types.ARRAY if ids is None else variant_types.OBJECT
        return bytes((kind, count, *(ids or ()), *starts)) + body
    ends = np.concatenate(([0], np.cumsum([len(v) for v in values], dtype=np.int64)))
    total = int(ends[-1])
    if total > 0xFFFFFFFF or count > 0xFFFFFFFF:
        raise UsageError(f"a Variant container of {total:,} bytes is too large; offsets have 32 bits")
    large = count > 255 if is_large is None else is_large
    size = offset_size or width(total)
    numbers = _pack(ends, size)
    if ids is None:
        header = variant_types.ARRAY | (size - 1) << 2 | large << 4
    else:
        wide = id_size or width(max(ids, default=0))
        header = variant_types.OBJECT | (size - 1) << 2 | (wide - 1) << 4 | large << 6
        numbers = _pack(np.asarray(ids, np.int64), wide) + numbers
    return b"".join((bytes([header]), count.to_bytes(4 if large else 1, "little"), numbers, body))


def _pack(numbers: Int64s, size: int) -> bytes:
    packed: bytes = numbers.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :size].tobytes()
    return packed


def encode_primitive(value: Any) -> bytes:
    """The bytes of a value that is not a container, in its smallest form. Raises UsageError for other types."""
    if value is None:
        return variant_types.VARIANT_NULL
    if isinstance(value, bool | np.bool_):
        return bytes([(variant_types.TRUE if value else variant_types.FALSE) << 2])
    if isinstance(value, str):
        return encode_string(_utf8(value))
    if isinstance(value, int | np.integer):
        return _integer(int(value))
    if isinstance(value, np.float32):
        return _typed(variant_types.FLOAT, value)
    if isinstance(value, float):
        return _typed(variant_types.DOUBLE, value)
    if isinstance(value, decimal.Decimal):
        return _decimal(value, None)
    if isinstance(value, bytes | bytearray | memoryview):
        return _typed(variant_types.BINARY, bytes(value))
    if isinstance(value, uuid.UUID):
        return _typed(variant_types.UUID, value)
    if isinstance(value, datetime.datetime):
        return _typed(variant_types.TIMESTAMP if value.tzinfo else variant_types.TIMESTAMP_NTZ, value)
    if isinstance(value, datetime.date):
        return _typed(variant_types.DATE, value)
    if isinstance(value, datetime.time):
        return _typed(variant_types.TIME, value)
    if isinstance(value, np.datetime64):
        return _typed(variant_types.TIMESTAMP_NTZ_NANOS, int(value.astype("datetime64[ns]").astype(np.int64)))
    return _own_type(value)


def _own_type(value: Any) -> bytes:
    """The bytes of a value that names its Variant type."""
    if isinstance(value, Temporal):
        return _typed(value.type_id, value.ticks)
    if isinstance(value, Unsupported):
        return bytes([value.type_id << 2]) + value.data
    if isinstance(value, Typed):
        return _explicit(value)
    raise UsageError(f"a Variant cannot hold a {type(value).__name__}")


def encode_string(utf8: bytes) -> bytes:
    """A string from its UTF-8; a short string if it fits."""
    if len(utf8) <= variant_types.MAX_SHORT_STRING:
        return bytes([variant_types.SHORT_STRING | len(utf8) << 2]) + utf8
    return bytes([variant_types.STRING << 2]) + struct.pack("<I", len(utf8)) + utf8


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"a string is not valid Unicode: {error.reason}") from None


def _integer(value: int) -> bytes:
    for kind, size in variant_types.INTEGER_BYTES.items():
        if -(1 << 8 * size - 1) <= value < 1 << 8 * size - 1:
            return bytes([kind << 2]) + value.to_bytes(size, "little", signed=True)
    return _decimal(decimal.Decimal(value), None)


def _decimal(value: decimal.Decimal, kind: int | None) -> bytes:
    """A decimal with its own scale; a positive exponent becomes zeros."""
    if not value.is_finite():
        raise UsageError(f"a Variant decimal is finite, not {value}")
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    scale = max(0, -exponent)
    if len(digits) + max(0, exponent) > 2 * variant_types.MAX_SCALE:
        raise UsageError(f"{value:.10E} has too many digits for a Variant decimal")
    number: int = int("".join(map(str, digits))) * 10 ** max(0, exponent) * (-1 if sign else 1)
    precision = len(str(abs(number)))
    if kind is None:
        kind = next((k for k, most in variant_types.DECIMAL_DIGITS.items() if precision <= most), None)
    if kind is None or precision > variant_types.DECIMAL_DIGITS[kind] or scale > variant_types.MAX_SCALE:
        name = variant_types.PRIMITIVES[variant_types.DECIMAL16 if kind is None else kind].name
        raise UsageError(f"{value} does not fit a Variant {name}: {precision} digits, scale {scale}")
    size = variant_types.DECIMAL_BYTES[kind]
    return bytes([kind << 2, scale]) + number.to_bytes(size, "little", signed=True)


def _explicit(asked: Typed) -> bytes:
    kind = asked.type if isinstance(asked.type, int) else variant_types.TYPE_IDS.get(asked.type, -1)
    if asked.type == "boolean":
        kind = variant_types.TRUE if asked.value else variant_types.FALSE
    if not 0 <= kind < len(variant_types.PRIMITIVES):
        names = ", ".join(variant_types.TYPE_IDS)
        raise UsageError(f"there is no Variant type {asked.type!r}; there are {names}")
    try:
        return _typed(kind, asked.value)
    except (struct.error, OverflowError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(
            f"{asked.value!r} does not fit a Variant {variant_types.PRIMITIVES[kind].name}: {error}"
        ) from None


def _typed(kind: int, value: Any) -> bytes:
    header = bytes([kind << 2])
    if kind in (variant_types.NULL, variant_types.TRUE, variant_types.FALSE):
        return header
    if kind in variant_types.INTEGER_BYTES:
        return header + int(value).to_bytes(variant_types.INTEGER_BYTES[kind], "little", signed=True)
    if kind in variant_types.DECIMAL_BYTES:
        return _decimal(decimal.Decimal(value), kind)
    if kind == variant_types.DOUBLE:
        return header + struct.pack("<d", value)
    if kind == variant_types.FLOAT:
        return header + struct.pack("<f", value)
    if kind == variant_types.STRING:
        utf8 = _utf8(value)
        return header + struct.pack("<I", len(utf8)) + utf8
    if kind == variant_types.BINARY:
        return header + struct.pack("<I", len(value)) + bytes(value)
    if kind == variant_types.UUID:
        known: uuid.UUID = value if isinstance(value, uuid.UUID) else uuid.UUID(value)
        return header + known.bytes
    if kind == variant_types.DATE:
        days = value.toordinal() - _EPOCH_ORDINAL if isinstance(value, datetime.date) else value
        return header + struct.pack("<i", days)
    return header + struct.pack("<q", ticks(kind, value))


def ticks(kind: int, value: Any) -> int:
    """The stored integer of a time or timestamp."""
    if isinstance(value, datetime.time):
        hour = (value.hour * 60 + value.minute) * 60 + value.second
        return hour * 1_000_000 + value.microsecond
    if isinstance(value, datetime.datetime):
        micros = (value - (EPOCH_UTC if value.tzinfo else EPOCH)) // _MICROSECOND
        return micros * 1_000 if kind in (variant_types.TIMESTAMP_NANOS, variant_types.TIMESTAMP_NTZ_NANOS) else micros
    return int(value)
