"""What a leaf's values mean: its annotation, from the logical type or from the converted type before it.

The schema says a physical type, how values are stored, and may annotate it: an INT64 that is a TIMESTAMP, a BYTE_ARRAY
that is a STRING. There are two generations of annotations, and files of all ages have either or both; here they become
one `Annotation`. The logical type goes first (specification, "Logical types", "Compatibility").

An annotation that contradicts the physical type, or itself, is told by `Annotation.problem`: the values as stored
remain readable, what they mean is not known.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from pqexplore.engine.errors import CorruptFileError, ParquetError, UnsupportedFeatureError
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import ConvertedType, Type

if TYPE_CHECKING:
    from pqexplore.engine.schema import Leaf

UNRECOGNISED = "unrecognised"
"""Name of an annotation that is there, and that this version does not know."""

CONVERTED_NULL = 24
"""A converted type beyond the format's: parquet-cpp before LogicalType annotated columns without values so."""

UNITS = {"MILLIS": "ms", "MICROS": "us", "NANOS": "ns"}
"""The specification's time units, as Arrow spells them."""

_CONVERTED_INTEGERS = {
    ConvertedType.UINT_8: (8, False),
    ConvertedType.UINT_16: (16, False),
    ConvertedType.UINT_32: (32, False),
    ConvertedType.UINT_64: (64, False),
    ConvertedType.INT_8: (8, True),
    ConvertedType.INT_16: (16, True),
    ConvertedType.INT_32: (32, True),
    ConvertedType.INT_64: (64, True),
}
_CONVERTED_TIMES = {
    ConvertedType.TIME_MILLIS: ("TIME", "MILLIS"),
    ConvertedType.TIME_MICROS: ("TIME", "MICROS"),
    ConvertedType.TIMESTAMP_MILLIS: ("TIMESTAMP", "MILLIS"),
    ConvertedType.TIMESTAMP_MICROS: ("TIMESTAMP", "MICROS"),
}
_CONVERTED_SIMPLE = {
    ConvertedType.UTF8: ("STRING", structs.StringType),
    ConvertedType.MAP: ("MAP", structs.MapType),
    ConvertedType.MAP_KEY_VALUE: ("MAP", structs.MapType),
    ConvertedType.LIST: ("LIST", structs.ListType),
    ConvertedType.ENUM: ("ENUM", structs.EnumType),
    ConvertedType.DATE: ("DATE", structs.DateType),
    ConvertedType.JSON: ("JSON", structs.JsonType),
    ConvertedType.BSON: ("BSON", structs.BsonType),
}
_TIME_UNITS = {
    "MILLIS": structs.MilliSeconds,
    "MICROS": structs.MicroSeconds,
    "NANOS": structs.NanoSeconds,
}


def logical_type(element: structs.SchemaElement) -> structs.LogicalType | None:
    """The logical type of a schema element; where it has none, the one that its converted type stands for.

    None where there is no annotation, and for INTERVAL, which has a converted type only (`annotation` knows it). A
    logical type that this version does not know is a union without a field, unless a converted type helps.
    """
    stated: structs.LogicalType | None = element.logicalType
    if structs.union_field(stated) is not None:
        return stated
    converted = element.converted_type
    if converted in _CONVERTED_SIMPLE:
        name, struct = _CONVERTED_SIMPLE[converted]
        return structs.LogicalType(**{name: struct()})
    if converted in _CONVERTED_INTEGERS:
        width, signed = _CONVERTED_INTEGERS[converted]
        return structs.LogicalType(INTEGER=structs.IntType(bitWidth=width, isSigned=signed))
    if converted in _CONVERTED_TIMES:
        name, unit = _CONVERTED_TIMES[converted]
        struct = structs.TimeType if name == "TIME" else structs.TimestampType
        counted = structs.TimeUnit(**{unit: _TIME_UNITS[unit]()})
        return structs.LogicalType(**{name: struct(isAdjustedToUTC=True, unit=counted)})
    if converted == ConvertedType.DECIMAL:
        decimal = structs.DecimalType(scale=element.scale or 0, precision=element.precision or 0)
        return structs.LogicalType(DECIMAL=decimal)
    if converted == CONVERTED_NULL:
        return structs.LogicalType(UNKNOWN=structs.NullType())
    return None if converted == ConvertedType.INTERVAL else stated


@dataclasses.dataclass(frozen=True, slots=True)
class Annotation:
    """What the values of a leaf mean.

    `name` is the specification's (`TIMESTAMP`, `DECIMAL`, …), empty where there is no annotation. `unit` is `ms`, `us`
    or `ns`; `utc` tells instants from what a clock on the wall shows. `problem` is the error to raise where the meaning
    is needed, None where all is well.
    """

    name: str = ""
    unit: str = ""
    utc: bool = False
    precision: int = 0
    scale: int = 0
    bit_width: int = 0
    signed: bool = True
    crs: str | None = None
    algorithm: int | None = None
    problem: ParquetError | None = None


def annotation(leaf: Leaf) -> Annotation:
    """The meaning of a leaf's values; never raises (see `Annotation.problem`)."""
    known = leaf.annotation
    if known is None:
        known = _annotation(leaf)
        if (
            known.problem is None
        ):  # an error is placed where it is raised, so each place needs its own
            leaf.annotation = known
    return known


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
        found = Annotation(name, unit=UNITS[unit[0]] if unit else "", utc=value.isAdjustedToUTC)
        if unit is None:
            reason = f"{_named(leaf)}: {name} counts in a unit that this version does not know"
            return dataclasses.replace(found, problem=UnsupportedFeatureError(reason))
    elif name == "DECIMAL":
        found = Annotation(name, precision=value.precision, scale=value.scale)
    elif name == "INTEGER":
        found = Annotation(name, bit_width=value.bitWidth, signed=value.isSigned)
    elif name == "GEOMETRY":
        found = Annotation(name, crs=value.crs)
    elif name == "GEOGRAPHY":
        found = Annotation(name, crs=value.crs, algorithm=value.algorithm)
    else:
        found = Annotation(name)
    return _checked(leaf, found)


def _named(leaf: Leaf) -> str:
    return "column " + ".".join(leaf.path)


def _corrupt(leaf: Leaf, found: Annotation, reason: str) -> Annotation:
    error = CorruptFileError(
        f"{_named(leaf)}: {reason}; its values can be read as stored only (page.physical)"
    )
    return dataclasses.replace(found, problem=error)


_BYTE_ARRAY_ONLY = frozenset(("STRING", "ENUM", "JSON", "BSON", "GEOMETRY", "GEOGRAPHY"))
_FIXED_LENGTHS = {"UUID": 16, "FLOAT16": 2, "INTERVAL": 12}
_GROUPS_ONLY = frozenset(("MAP", "LIST", "VARIANT", "FILE"))


def _checked(leaf: Leaf, found: Annotation) -> Annotation:
    """The annotation, with `problem` set where it does not fit the physical type."""
    name, physical = found.name, leaf.physical_type
    stored = structs.enum_name(Type, physical)
    if name in _BYTE_ARRAY_ONLY and physical != Type.BYTE_ARRAY:
        return _corrupt(leaf, found, f"{name} annotates BYTE_ARRAY, not {stored}")
    if name in _FIXED_LENGTHS:
        length = _FIXED_LENGTHS[name]
        if physical != Type.FIXED_LEN_BYTE_ARRAY or leaf.type_length != length:
            want = f"{name} annotates FIXED_LEN_BYTE_ARRAY({length})"
            return _corrupt(leaf, found, f"{want}, not {physical_name(leaf)}")
    if name == "DATE" and physical != Type.INT32:
        return _corrupt(leaf, found, f"DATE annotates INT32, not {stored}")
    if name == "TIMESTAMP" and physical != Type.INT64:
        return _corrupt(leaf, found, f"TIMESTAMP annotates INT64, not {stored}")
    if name == "TIME" and physical != (Type.INT32 if found.unit == "ms" else Type.INT64):
        want = "INT32" if found.unit == "ms" else "INT64"
        return _corrupt(leaf, found, f"TIME in {found.unit} annotates {want}, not {stored}")
    if name == "INTEGER":
        if found.bit_width not in (8, 16, 32, 64):
            return _corrupt(leaf, found, f"INT of {found.bit_width} bits; 8, 16, 32 or 64 exist")
        want = "INT64" if found.bit_width == 64 else "INT32"
        if stored != want:
            return _corrupt(leaf, found, f"INT({found.bit_width}) annotates {want}, not {stored}")
    if name == "DECIMAL":
        reason = _decimal_problem(leaf, found)
        return _corrupt(leaf, found, reason) if reason else found
    if name in _GROUPS_ONLY:
        return _corrupt(leaf, found, f"{name} annotates groups, not a column")
    return found


def most_digits(length: int) -> int:
    """Decimal digits that fit into `length` bytes of two's complement: floor(log10(2^(8·length − 1) − 1))."""
    if length > 128:
        return math.floor((8 * length - 1) * math.log10(2))
    return len(str(2 ** (8 * length - 1) - 1)) - 1 if length > 0 else 0


def _decimal_problem(leaf: Leaf, found: Annotation) -> str | None:
    """Specification, "DECIMAL": what precision and scale may be, by physical type."""
    spelt = f"DECIMAL(precision {found.precision}, scale {found.scale})"
    if found.precision < 1:
        return f"{spelt}: the precision must be at least 1"
    if not 0 <= found.scale <= found.precision:
        return f"{spelt}: the scale must lie between 0 and the precision"
    limits: dict[int, int] = {
        Type.INT32: 9,
        Type.INT64: 18,
        Type.FIXED_LEN_BYTE_ARRAY: most_digits(leaf.type_length or 0),
        Type.BYTE_ARRAY: found.precision,
    }
    if leaf.physical_type not in limits:
        return f"DECIMAL does not annotate {physical_name(leaf)}"
    most = limits[leaf.physical_type]
    if found.precision > most:
        return f"{spelt}: {physical_name(leaf)} holds {most} digits"
    return None


def physical_name(leaf: Leaf) -> str:
    """The physical type in words, with the length where there is one: `FIXED_LEN_BYTE_ARRAY(16)`."""
    name = structs.enum_name(Type, leaf.physical_type)
    return f"{name}({leaf.type_length})" if leaf.physical_type == 7 else name


_SYMBOLS = {"ms": "ms", "us": "µs", "ns": "ns"}


def describe(leaf: Leaf) -> str:
    """The type in a few words: `TIMESTAMP(µs, UTC)`, `DECIMAL(10, 2)`, `INT(8, unsigned)`; `INT64` without annotation."""
    found = annotation(leaf)
    name = found.name
    if name in ("TIME", "TIMESTAMP"):
        return f"{name}({_SYMBOLS.get(found.unit, '?')}, {'UTC' if found.utc else 'local'})"
    if name == "DECIMAL":
        return f"DECIMAL({found.precision}, {found.scale})"
    if name == "INTEGER":
        return f"INT({found.bit_width}, {'signed' if found.signed else 'unsigned'})"
    if name in ("GEOMETRY", "GEOGRAPHY"):
        parts = [] if found.crs is None else [found.crs if len(found.crs) <= 40 else "custom CRS"]
        if found.algorithm is not None:
            parts.append(structs.enum_name(structs.EdgeInterpolationAlgorithm, found.algorithm))
        return f"{name}({', '.join(parts)})" if parts else name
    if name == UNRECOGNISED:
        return f"unrecognised annotation of {physical_name(leaf)}"
    return name or physical_name(leaf)
