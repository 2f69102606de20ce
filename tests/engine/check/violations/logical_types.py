"""Violations in the annotations of fields: logical types, converted types, DECIMAL's fields, reference systems."""

from engine.check.schemas import (
    REPEATED,
    REQUIRED,
    annotated,
    column,
    decimal,
    group,
    integer,
    leaf,
    plain,
    schema,
    time,
    timestamp,
)
from engine.check.violations import Violation

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, Type

BYTES, FLBA = Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY
TEXT = plain("STRING")


def typed(logical, kind, length=None, **changes):
    """The arguments of a column with an annotation."""
    return {"kind": kind, "type_length": length, "logicalType": logical, **changes}


def old(kind, converted, **changes):
    """The arguments of a column with a converted type only."""
    return {"kind": kind, "converted_type": int(converted), **changes}


def row(name, rule, wrong, right=None, severity="error"):
    return Violation(
        name, rule, lambda: column(**wrong), None if right is None else lambda: column(**right), severity, "schema/1"
    )


def stray(**fields):
    """A TIME with these fields only."""
    return annotated(TIME=structs.TimeType(**fields))


WRONG_TYPE = {
    "STRING in INT32": (typed(TEXT, Type.INT32), typed(TEXT, BYTES)),
    "STRING in FIXED_LEN_BYTE_ARRAY": (typed(TEXT, FLBA, 4), None),
    "ENUM in INT32": (typed(plain("ENUM"), Type.INT32), typed(plain("ENUM"), BYTES)),
    "JSON in INT64": (typed(plain("JSON"), Type.INT64), typed(plain("JSON"), BYTES)),
    "BSON in FIXED_LEN_BYTE_ARRAY": (typed(plain("BSON"), FLBA, 12), typed(plain("BSON"), BYTES)),
    "UUID in BYTE_ARRAY": (typed(plain("UUID"), BYTES), None),
    "FLOAT16 in FLOAT": (typed(plain("FLOAT16"), Type.FLOAT), None),
    "TIME in ms in INT64": (typed(time(), Type.INT64), typed(time(), Type.INT32)),
    "TIME in ns in INT32": (typed(time("NANOS"), Type.INT32), typed(time("NANOS"), Type.INT64)),
    "TIMESTAMP in INT32": (typed(timestamp(), Type.INT32), typed(timestamp(), Type.INT64)),
    "INT(8) in INT64": (typed(integer(8), Type.INT64), typed(integer(8), Type.INT32)),
    "INT(16) in INT64": (typed(integer(16), Type.INT64), typed(integer(16), Type.INT32)),
    "INT(32) in INT64": (typed(integer(32), Type.INT64), typed(integer(32), Type.INT32)),
    "INT(64) in INT32": (typed(integer(64), Type.INT32), typed(integer(64), Type.INT64)),
    "INT(8) in BYTE_ARRAY": (typed(integer(8), BYTES), None),
    "INT(0)": (typed(integer(0), Type.INT32), None),
    "TIME without a unit": (typed(stray(isAdjustedToUTC=True), Type.INT32), None),
    "TIME without isAdjustedToUTC": (typed(stray(unit=time().TIME.unit), Type.INT32), None),
    "DECIMAL of no digits": (typed(decimal(0), Type.INT32), typed(decimal(1), Type.INT32)),
    "DECIMAL of a negative number of digits": (typed(decimal(-3), Type.INT32), None),
    "DECIMAL of 10 digits in INT32": (typed(decimal(10), Type.INT32), typed(decimal(9), Type.INT32)),
    "DECIMAL of 10 digits in 4 bytes": (typed(decimal(10), FLBA, 4), typed(decimal(10), FLBA, 5)),
    "DECIMAL of 39 digits in 16 bytes": (typed(decimal(39), FLBA, 16), typed(decimal(38), FLBA, 16)),
    "DECIMAL of no digits in BYTE_ARRAY": (typed(decimal(0), BYTES), typed(decimal(70), BYTES)),
    "GEOMETRY in FIXED_LEN_BYTE_ARRAY": (typed(plain("GEOMETRY"), FLBA, 21), typed(plain("GEOMETRY"), BYTES)),
    "GEOGRAPHY in INT32": (typed(plain("GEOGRAPHY"), Type.INT32), None),
    "MAP on a column": (typed(plain("MAP"), Type.INT32), None),
    "VARIANT on a column": (typed(plain("VARIANT"), BYTES), None),
    "FILE on a column": (typed(plain("FILE"), BYTES), None),
    "UTF8 in INT32": (old(Type.INT32, ConvertedType.UTF8), old(BYTES, ConvertedType.UTF8)),
    "INT_8 in INT64": (old(Type.INT64, ConvertedType.INT_8), old(Type.INT32, ConvertedType.INT_8)),
    "TIMESTAMP_MILLIS in INT32": (old(Type.INT32, ConvertedType.TIMESTAMP_MILLIS),
        old(Type.INT64, ConvertedType.TIMESTAMP_MILLIS)),
    "INTERVAL of 8 bytes": (old(FLBA, ConvertedType.INTERVAL, type_length=8),
        old(FLBA, ConvertedType.INTERVAL, type_length=12)),
    "DECIMAL without a precision": (old(Type.INT32, ConvertedType.DECIMAL),
        old(Type.INT32, ConvertedType.DECIMAL, precision=9)),
    "two logical types": (typed(annotated(STRING=structs.StringType(), ENUM=structs.EnumType()), BYTES), None),
}  # fmt: skip

CONVERTED = {
    "UTF8 beside ENUM": ("warning", typed(plain("ENUM"), BYTES, converted_type=0)),
    "UINT_8 beside INT(8, signed)": ("error", typed(integer(8), Type.INT32, converted_type=int(ConvertedType.UINT_8))),
    "INT_16 beside INT(8)": ("error", typed(integer(8), Type.INT32, converted_type=int(ConvertedType.INT_16))),
    "TIMESTAMP_MILLIS beside TIMESTAMP in µs": ("error",
        typed(timestamp(), Type.INT64, converted_type=int(ConvertedType.TIMESTAMP_MILLIS))),
    "TIMESTAMP_MICROS beside TIMESTAMP in ns": ("error",
        typed(timestamp("NANOS"), Type.INT64, converted_type=int(ConvertedType.TIMESTAMP_MICROS))),
    "DATE beside TIME": ("error", typed(time(), Type.INT32, converted_type=int(ConvertedType.DATE))),
    "UTF8 beside UUID": ("error", typed(plain("UUID"), FLBA, 16, converted_type=0)),
    "INTERVAL beside UUID": ("error", typed(plain("UUID"), FLBA, 16, converted_type=int(ConvertedType.INTERVAL))),
}  # fmt: skip
ABSENT = {
    "STRING without UTF8": typed(TEXT, BYTES, converted_type=None),
    "ENUM without ENUM": typed(plain("ENUM"), BYTES, converted_type=None),
    "DATE without DATE": typed(plain("DATE"), Type.INT32, converted_type=None),
    "JSON without JSON": typed(plain("JSON"), BYTES, converted_type=None),
    "DECIMAL without DECIMAL": typed(decimal(5), Type.INT32, converted_type=None),
    "INT(8) without INT_8": typed(integer(8), Type.INT32, converted_type=None),
    "INT(32, unsigned) without UINT_32": typed(integer(32, signed=False), Type.INT32, converted_type=None),
    "TIME without TIME_MILLIS": typed(time(), Type.INT32, converted_type=None),
}
NONE_NEEDED = {
    "STRING without UTF8": typed(plain("UUID"), FLBA, 16),
    "INT(8) without INT_8": typed(integer(32), Type.INT32, converted_type=None),
    "INT(32, unsigned) without UINT_32": typed(integer(64), Type.INT64, converted_type=None),
    "TIME without TIME_MILLIS": typed(time("NANOS"), Type.INT64),
}
DECIMAL_FIELDS = {
    "another precision": ("error", {"precision": 6}),
    "another scale": ("error", {"scale": 1}),
    "no precision": ("warning", {"precision": None}),
    "no scale": ("error", {"scale": None}),
}


def on_group(logical=None, **changes):
    return schema(group("g", leaf("x"), logicalType=logical, **changes))


GROUPS = [
    Violation(f"{name} on a group", "annotation", lambda logical=logical: on_group(logical), address="schema/1")
    for name, logical in {
        "STRING": TEXT,
        "DECIMAL": decimal(9),
        "DATE": plain("DATE"),
        "TIMESTAMP": timestamp(),
        "UNKNOWN": plain("UNKNOWN"),
        "GEOMETRY": plain("GEOMETRY"),
    }.items()
] + [
    Violation(
        f"{kind.name} on a group, by converted type",
        "annotation",
        lambda kind=kind: on_group(converted_type=int(kind)),
        address="schema/1",
    )
    for kind in (ConvertedType.UTF8, ConvertedType.INTERVAL)
]


def entries(**changes):
    """A map whose repeated group has these annotations."""
    inner = group("key_value", leaf("key", repetition=REQUIRED), leaf("value"), repetition=REPEATED, **changes)
    return schema(group("a", inner, logicalType=plain("MAP")))


def geometry(crs, name="GEOMETRY", pairs=(), algorithm=None):
    kind = structs.GeometryType(crs=crs)
    if name == "GEOGRAPHY":
        kind = structs.GeographyType(crs=crs, algorithm=algorithm)
    stored = [structs.KeyValue(key=key, value=value) for key, value in pairs] or None
    logical = structs.union_of(structs.LogicalType, name, kind)
    return column(BYTES, logicalType=logical, file={"key_value_metadata": stored})


PROJECTED = '{"type": "ProjectedCRS", "name": "NTF (Paris) / Lambert zone II"}'
GEOGRAPHIC = '{"type": "GeographicCRS", "name": "WGS 84"}'
SYSTEMS = [
    Violation("an edge interpolation algorithm that does not exist", "edge-algorithm-unknown",
        lambda: geometry(None, "GEOGRAPHY", algorithm=5), lambda: geometry(None, "GEOGRAPHY", algorithm=4), "warning",
        "schema/1"),
    Violation("a CRS key that leads nowhere", "crs", lambda: geometry("projjson:here", pairs=[("there", GEOGRAPHIC)]),
        lambda: geometry("projjson:here", pairs=[("here", GEOGRAPHIC)]), "warning", "schema/1"),
    Violation("a CRS key that leads to other text", "crs",
        lambda: geometry("projjson:here", pairs=[("here", "EPSG:4326")]), severity="warning", address="schema/1"),
    Violation("a CRS key without a value", "crs", lambda: geometry("projjson:here", pairs=[("here", None)]),
        severity="warning", address="schema/1"),
    Violation("an SRID that is no number", "crs", lambda: geometry("srid:WGS84"), lambda: geometry("srid:4326"),
        "warning", "schema/1"),
    Violation("a CRS that is cut off", "crs", lambda: geometry(GEOGRAPHIC[:-5]), lambda: geometry(GEOGRAPHIC),
        "warning", "schema/1"),
    Violation("an empty CRS", "crs", lambda: geometry(""), lambda: geometry("EPSG:4326"), "warning", "schema/1"),
    Violation("GEOGRAPHY in a projected CRS", "crs-not-geographic", lambda: geometry(PROJECTED, "GEOGRAPHY"),
        lambda: geometry(PROJECTED), address="schema/1"),
    Violation("GEOGRAPHY in a projected CRS by a key", "crs-not-geographic",
        lambda: geometry("projjson:here", "GEOGRAPHY", [("here", PROJECTED)]),
        lambda: geometry("projjson:here", "GEOGRAPHY", [("here", GEOGRAPHIC)]), address="schema/1"),
]  # fmt: skip

VIOLATIONS = [
    *(row(name, "annotation", wrong, right) for name, (wrong, right) in WRONG_TYPE.items()),
    row("TIME with a unit that does not exist", "unsupported", typed(time(None), Type.INT32), typed(time(), Type.INT32),
        "warning"),
    row("a logical type that does not exist", "unsupported", typed(annotated(), Type.INT32), typed(None, Type.INT32),
        "warning"),
    Violation("a logical type that does not exist, on a group", "unsupported", lambda: on_group(annotated()),
        lambda: on_group(), "warning", "schema/1"),
    *(row(name, "converted-type-disagrees", wrong, None, severity) for name, (severity, wrong) in CONVERTED.items()),
    *(row(name, "converted-type-absent", wrong, NONE_NEEDED.get(name), "note") for name, wrong in ABSENT.items()),
    *(Violation(f"{name} without {name}", "converted-type-absent", lambda shape=shape: schema(shape(None)),
        lambda shape=shape, name=name: schema(shape(int(ConvertedType[name]))), "note", "schema/1")
        for name, shape in {
            "LIST": lambda converted: group(
                "a",
                group("list", leaf("element"), repetition=REPEATED),
                logicalType=plain("LIST"),
                converted_type=converted,
            ),
            "MAP": lambda converted: group(
                "a",
                group("key_value", leaf("key", repetition=REQUIRED), repetition=REPEATED),
                logicalType=plain("MAP"),
                converted_type=converted,
            ),
        }.items()
    ),
    Violation("MAP beside LIST", "converted-type-disagrees",
        lambda: schema(group("a", group("list", leaf("element"), repetition=REPEATED), logicalType=plain("LIST"),
            converted_type=int(ConvertedType.MAP))), address="schema/1"),
    row("a local TIME without TIME_MILLIS", "local-time-converted-type",
        typed(time(utc=False), Type.INT32, converted_type=None), typed(time(utc=False), Type.INT32), "note"),
    row("a local TIMESTAMP without TIMESTAMP_MICROS", "local-time-converted-type",
        typed(timestamp(utc=False), Type.INT64, converted_type=None), typed(timestamp("NANOS", utc=False), Type.INT64),
        "note"),
    row("a converted type that does not exist", "converted-type-unknown", old(Type.INT32, 22),
        old(BYTES, ConvertedType.BSON), "warning"),
    row("the converted type of nulls", "converted-type-unknown", old(Type.INT32, 24), None, "note"),
    # The near miss: it has no logical type.
    row("only a converted type", "converted-type-only", old(Type.INT32, ConvertedType.DATE),
        old(FLBA, ConvertedType.INTERVAL, type_length=12), "note"),
    # The near miss: an absent scale is 0.
    *(row(f"DECIMAL beside {name}", "decimal-fields-disagree", typed(decimal(9, 2), Type.INT32, **changes),
        typed(decimal(9, 0), Type.INT32, scale=None), severity)
      for name, (severity, changes) in DECIMAL_FIELDS.items()),
    row("DECIMAL of 9 digits in INT64", "decimal-in-int64", typed(decimal(9), Type.INT64),
        typed(decimal(10), Type.INT64), "note"),
    *GROUPS,
    Violation("UNKNOWN beside MAP_KEY_VALUE", "map-key-value-unknown",
        lambda: entries(converted_type=2, logicalType=plain("UNKNOWN")), lambda: entries(converted_type=2), "note",
        "schema/2"),
    Violation("INT96", "int96-deprecated", lambda: schema(leaf("a", Type.INT96)),
        lambda: schema(leaf("a", Type.INT64, logicalType=timestamp("NANOS"))), "note", "schema/1"),
    *SYSTEMS,
]  # fmt: skip
