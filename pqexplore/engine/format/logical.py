"""The annotation of a leaf, which says what its values mean.

The schema has a physical type, which says how values are stored, and may annotate it: an INT64 can be a TIMESTAMP, a
BYTE_ARRAY a STRING. Logical types and the older converted types become one `Annotation` here.

An annotation that contradicts the physical type, or itself, has a `problem`: the values are decoded and shown as stored.
`annotation` returns what the file has, `meaning` what to decode by.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md
"""

from __future__ import annotations

import dataclasses
import math

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.format.field import Annotation, Leaf
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, Type
from pqexplore.engine.text import name as column_name

UNRECOGNISED = "unrecognised"
"""Name of an annotation that this version does not know."""

UNITS = {"MILLIS": "ms", "MICROS": "us", "NANOS": "ns"}
"""The specification's time units, as Arrow spells them."""


def annotation(leaf: Leaf) -> Annotation:
    """The annotation in the schema, right or wrong; never raises (see `Annotation.problem`)."""
    known = leaf.annotation
    if known is None:
        known = _annotation(leaf)
        if known.problem is None:  # an error gets the address where it is raised, so each use needs its own
            leaf.annotation = known
    return known


_AS_STORED = Annotation()


def meaning(leaf: Leaf) -> Annotation:
    """The annotation to decode a leaf's values by: an empty one if the file's contradicts the physical type or itself."""
    logical = annotation(leaf)
    return logical if logical.problem is None else _AS_STORED


def _annotation(leaf: Leaf) -> Annotation:
    chosen = structs.union_field(leaf.logical_type)
    if chosen is None:
        if leaf.element.converted_type == ConvertedType.INTERVAL:
            return _checked(leaf, Annotation("INTERVAL"))
        return Annotation("" if leaf.logical_type is None else UNRECOGNISED)
    name, value = chosen
    absent = structs.missing(value)
    if absent:
        return _corrupt(leaf, Annotation(name), f"{name} lacks the required {absent[0]}")
    if name in ("TIME", "TIMESTAMP"):
        unit = structs.union_field(value.unit)
        logical = Annotation(name, unit=UNITS[unit[0]] if unit else "", utc=value.isAdjustedToUTC)
        if unit is None:
            reason = (
                f"{_named(leaf)}: {name} has a unit that this version does not know; read() refuses it, "
                "and page.values has its values as stored"
            )
            return dataclasses.replace(logical, problem=UnsupportedFeatureError(reason))
    elif name == "DECIMAL":
        logical = Annotation(name, precision=value.precision, scale=value.scale)
    elif name == "INTEGER":
        logical = Annotation(name, bit_width=value.bitWidth, signed=value.isSigned)
    elif name == "GEOMETRY":
        logical = Annotation(name, crs=value.crs)
    elif name == "GEOGRAPHY":
        logical = Annotation(name, crs=value.crs, algorithm=value.algorithm)
    else:
        logical = Annotation(name)
    return _checked(leaf, logical)


def _named(leaf: Leaf) -> str:
    return f"column {column_name(leaf.path)}"


def _corrupt(leaf: Leaf, logical: Annotation, reason: str) -> Annotation:
    error = CorruptFileError(f"{_named(leaf)}: {reason}; read() refuses it, and page.values has its values as stored")
    return dataclasses.replace(logical, problem=error)


TEXT = frozenset(("STRING", "ENUM", "JSON"))
"""Annotations whose values are UTF-8."""
_BYTE_ARRAY_ONLY = frozenset(("STRING", "ENUM", "JSON", "BSON", "GEOMETRY", "GEOGRAPHY"))
_FIXED_LENGTHS = {"UUID": 16, "FLOAT16": 2, "INTERVAL": 12}
_INTEGER_TYPES = {"DATE": "INT32", "TIMESTAMP": "INT64"}
_GROUPS_ONLY = frozenset(("MAP", "LIST", "VARIANT", "FILE"))


def _checked(leaf: Leaf, logical: Annotation) -> Annotation:
    """The annotation, with `problem` set if it does not fit the physical type."""
    name, physical = logical.name, leaf.physical_type
    stored = structs.enum_name(Type, physical)
    if name in _BYTE_ARRAY_ONLY and physical != Type.BYTE_ARRAY:
        return _corrupt(leaf, logical, f"{name} annotates BYTE_ARRAY, not {stored}")
    if name in _FIXED_LENGTHS:
        length = _FIXED_LENGTHS[name]
        if physical != Type.FIXED_LEN_BYTE_ARRAY or leaf.type_length != length:
            want = f"{name} annotates FIXED_LEN_BYTE_ARRAY({length})"
            return _corrupt(leaf, logical, f"{want}, not {physical_name(leaf)}")
    if name in _INTEGER_TYPES and stored != _INTEGER_TYPES[name]:
        return _corrupt(leaf, logical, f"{name} annotates {_INTEGER_TYPES[name]}, not {stored}")
    if name == "TIME" and physical != (Type.INT32 if logical.unit == "ms" else Type.INT64):
        want = "INT32" if logical.unit == "ms" else "INT64"
        return _corrupt(leaf, logical, f"TIME in {logical.unit} annotates {want}, not {stored}")
    if name == "INTEGER":
        if logical.bit_width not in (8, 16, 32, 64):
            return _corrupt(leaf, logical, f"INT of {logical.bit_width} bits; 8, 16, 32 or 64 exist")
        want = "INT64" if logical.bit_width == 64 else "INT32"
        if stored != want:
            return _corrupt(leaf, logical, f"{_integer(logical)} annotates {want}, not {stored}")
    if name == "DECIMAL":
        reason = _decimal_problem(leaf, logical)
        return _corrupt(leaf, logical, reason) if reason else logical
    if name in _GROUPS_ONLY:
        return _corrupt(leaf, logical, f"{name} annotates groups, not a column")
    return logical


def max_digits(length: int) -> int:
    """Decimal digits that always fit into `length` bytes of two's complement: floor(log10(2^(8·length − 1) − 1))."""
    if length > 128:
        return math.floor((8 * length - 1) * math.log10(2))
    return len(str(2 ** (8 * length - 1) - 1)) - 1 if length > 0 else 0


def _decimal_problem(leaf: Leaf, logical: Annotation) -> str | None:
    """What is wrong with precision and scale for the physical type, None if nothing (specification, "DECIMAL")."""
    spelt = f"DECIMAL(precision {logical.precision}, scale {logical.scale})"
    if logical.precision < 1:
        return f"{spelt}: the precision must be at least 1"
    if not 0 <= logical.scale <= logical.precision:
        return f"{spelt}: the scale must lie between 0 and the precision"
    limits: dict[int, int] = {
        Type.INT32: 9,
        Type.INT64: 18,
        Type.FIXED_LEN_BYTE_ARRAY: max_digits(leaf.type_length or 0),
        Type.BYTE_ARRAY: logical.precision,
    }
    if leaf.physical_type not in limits:
        return f"DECIMAL does not annotate {physical_name(leaf)}"
    maximum = limits[leaf.physical_type]
    if logical.precision > maximum:
        return f"{spelt}: {physical_name(leaf)} holds {maximum} digits"
    return None


def physical_name(leaf: Leaf) -> str:
    """The name of the physical type, with the length if it has one: `FIXED_LEN_BYTE_ARRAY(16)`."""
    name = structs.enum_name(Type, leaf.physical_type)
    return f"{name}({leaf.type_length})" if leaf.physical_type == 7 else name


_SYMBOLS = {"ms": "ms", "us": "µs", "ns": "ns"}


def describe(leaf: Leaf) -> str:
    """The type as short text: `TIMESTAMP(µs, UTC)`, `DECIMAL(10, 2)`, `INT(8, unsigned)`; `INT64` without annotation."""
    logical = annotation(leaf)
    name = logical.name
    if name in ("TIME", "TIMESTAMP"):
        return f"{name}({_SYMBOLS.get(logical.unit, '?')}, {'UTC' if logical.utc else 'local'})"
    if name == "DECIMAL":
        return f"DECIMAL({logical.precision}, {logical.scale})"
    if name == "INTEGER":
        return _integer(logical)
    if name in ("GEOMETRY", "GEOGRAPHY"):
        parts = [] if logical.crs is None else [logical.crs if len(logical.crs) <= 40 else "custom CRS"]
        if logical.algorithm is not None:
            parts.append(structs.enum_name(structs.EdgeInterpolationAlgorithm, logical.algorithm))
        return f"{name}({', '.join(parts)})" if parts else name
    if name == UNRECOGNISED:
        return f"unrecognised annotation of {physical_name(leaf)}"
    return name or physical_name(leaf)


def _integer(logical: Annotation) -> str:
    return f"INT({logical.bit_width}, {'signed' if logical.signed else 'unsigned'})"


def full_type(leaf: Leaf) -> str:
    """The type with the physical type in which it is stored: `DATE in INT32`; `INT64` without annotation."""
    said, stored = describe(leaf), physical_name(leaf)
    return said if said == stored else f"{said} in {stored}"
