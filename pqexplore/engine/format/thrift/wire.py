"""The compact protocol's wire types: the types in field headers and list headers.

A declared type is stored as one wire type, but several declared types share one: text and bytes are both binary, enums
are i32, structs and unions are both structs. True and false are two types in a field header, and a byte in a list.

Specification: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

import functools

from pqexplore.engine.format.thrift.declaration import STRUCTS

TRUE, FALSE, I8, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID = range(1, 14)

CONTAINERS = (LIST, SET, MAP)

INTEGERS = {I16: (3, 16), I32: (5, 32), I64: (10, 64)}
"""For numbers stored as zigzag varints: their maximum of bytes, and their bits."""

NAMES: tuple[str, ...] = (
    *("stop", "bool", "bool", "i8", "i16", "i32", "i64", "double"),
    *("binary", "list", "set", "map", "struct", "uuid"),
)
"""Names of the wire types by number."""

EXTENSION_IDS = (32767, -16384)
"""The field ids of extensions ("Binary Protocol Extensions").

The format reserves 32767, and writes the header as `08 FF FF 01`, which is 32767 as a plain varint. Thrift's ids are
zigzagged, so a Thrift reader takes those bytes for −16384, and a Thrift writer would write 32767 as `08 FE FF 03`.
"""

EXTENSION_HEADER = b"\x08\xff\xff\x01"
"""The header of an extension field as the format shows it."""
EXTENSION_MARKS = (EXTENSION_HEADER, b"\x08\xfe\xff\x03")
"""Headers of field 32767: as the specification shows it, and as Thrift libraries write it."""

_OF_SCALARS = {
    "bool": TRUE,
    "i8": I8,
    "i16": I16,
    "i32": I32,
    "i64": I64,
    "double": DOUBLE,
    "string": BINARY,
    "binary": BINARY,
}


def name(wire_type: int) -> str:
    """The name of a wire type; true and false are both `bool`."""
    return NAMES[wire_type] if wire_type < len(NAMES) else f"wire type {wire_type}"


@functools.cache
def expected(declared: str) -> int:
    """The wire type of a declared type; TRUE for booleans."""
    if declared.startswith("list<"):
        return LIST
    return _OF_SCALARS.get(declared) or (STRUCT if declared in STRUCTS else I32)


def matches(wire_type: int, declared: str) -> bool:
    """Whether the wire type is that of the declared type; both boolean wire types match `bool`."""
    return (TRUE if wire_type == FALSE else wire_type) == expected(declared)
