"""Violations of the schema of a VARIANT group: its fields, their repetition, and the types of shredded values."""

from engine.check import schemas
from engine.check.violations import Violation

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import LogicalType, Type
from pqexplore.engine.writer import assembly

REQUIRED, OPTIONAL, REPEATED = 0, 1, 2


def leaf(name, repetition=OPTIONAL, type=Type.BYTE_ARRAY, logical=None, **fields):
    return [assembly.element(name, type, repetition, logicalType=logical, **fields)]


def group(name, repetition, *children, logical=None):
    element = assembly.element(name, None, repetition, num_children=len(children), logicalType=logical)
    return [element, *(one for each in children for one in each)]


def schema(*children, version=1) -> bytes:
    """A file without row groups, with one VARIANT."""
    annotation = LogicalType(VARIANT=structs.VariantType(specification_version=version))
    whole = group("schema", None, group("v", OPTIONAL, *children, logical=annotation))
    return assembly.file(whole, [])


NAMES = leaf("metadata", REQUIRED)
BYTES = leaf("value")
MICROS, MILLIS, NANOS = "MICROS", "MILLIS", "NANOS"
STRING, LIST, UUID, INNER = (schemas.plain(name) for name in ("STRING", "LIST", "UUID", "VARIANT"))


def typed(type, logical=None, **fields):
    """The group of a Variant that is shredded as one primitive type."""
    return NAMES, BYTES, leaf("typed_value", OPTIONAL, type, logical, **fields)


def of_object(*children, repetition=OPTIONAL, logical=None):
    return NAMES, BYTES, group("typed_value", repetition, *children, logical=logical)


def of_array(element, repetition=OPTIONAL):
    middle = group("list", REPEATED, element)
    return NAMES, BYTES, group("typed_value", repetition, middle, logical=LIST)


def pair_group(name, repetition=REQUIRED, *more):
    return group(name, repetition, leaf("value"), leaf("typed_value", OPTIONAL, Type.INT64), *more)


ALLOWED = (
    *[(kind, None) for kind in (Type.BOOLEAN, Type.INT32, Type.INT64, Type.FLOAT, Type.DOUBLE)],
    *[(Type.INT32, schemas.integer(bits)) for bits in (8, 16, 32)],
    *[(Type.INT64, schemas.integer(64)), (Type.BYTE_ARRAY, None), (Type.BYTE_ARRAY, STRING)],
    *[(Type.INT32, schemas.decimal(9, 2)), (Type.INT64, schemas.decimal(18))],
    *[(Type.BYTE_ARRAY, schemas.decimal(38, 38)), (Type.INT32, schemas.plain("DATE"))],
    (Type.INT64, schemas.time(MICROS, utc=False)),
    *[(Type.INT64, schemas.timestamp(unit, utc)) for unit in (MICROS, NANOS) for utc in (True, False)],
)
"""The table "Shredded Value Types", but for the types of fixed length."""


def all_allowed() -> bytes:
    fields = [
        group(f"f{i}", REQUIRED, leaf("value"), leaf("typed_value", OPTIONAL, *kind)) for i, kind in enumerate(ALLOWED)
    ]
    for name, length, logical in (("u", 16, UUID), ("d", 5, schemas.decimal(10))):
        fixed = leaf("typed_value", OPTIONAL, Type.FIXED_LEN_BYTE_ARRAY, logical, type_length=length)
        fields.append(group(name, REQUIRED, leaf("value"), fixed))
    fields.append(group("none", REQUIRED, leaf("value")))
    return schema(*of_object(*fields))


def good_list() -> bytes:
    return schema(*of_array(pair_group("element")))


def good_object() -> bytes:
    return schema(*of_object(pair_group("a")))


FORBIDDEN = {
    "UINT_8": typed(Type.INT32, schemas.integer(8, signed=False)),
    "UINT_64": typed(Type.INT64, schemas.integer(64, signed=False)),
    "INT96": typed(Type.INT96),
    "16 bytes that are no UUID": typed(Type.FIXED_LEN_BYTE_ARRAY, type_length=16),
    "FLOAT16": typed(Type.FIXED_LEN_BYTE_ARRAY, schemas.plain("FLOAT16"), type_length=2),
    "INTERVAL": typed(Type.FIXED_LEN_BYTE_ARRAY, type_length=12, converted_type=21),
    "JSON": typed(Type.BYTE_ARRAY, schemas.plain("JSON")),
    "BSON": typed(Type.BYTE_ARRAY, schemas.plain("BSON")),
    "ENUM": typed(Type.BYTE_ARRAY, schemas.plain("ENUM")),
    "GEOMETRY": typed(Type.BYTE_ARRAY, schemas.plain("GEOMETRY")),
    "UNKNOWN": typed(Type.INT32, schemas.plain("UNKNOWN")),
    "a time adjusted to UTC": typed(Type.INT64, schemas.time(MICROS, utc=True)),
    "a time in milliseconds": typed(Type.INT32, schemas.time(MILLIS, utc=False)),
    "a time in nanoseconds": typed(Type.INT64, schemas.time(NANOS, utc=False)),
    "a timestamp in milliseconds": typed(Type.INT64, schemas.timestamp(MILLIS, utc=False)),
    "a UTC timestamp in milliseconds": typed(Type.INT64, schemas.timestamp(MILLIS, utc=True)),
    "a decimal of 39 digits": typed(Type.BYTE_ARRAY, schemas.decimal(39)),
    "a MAP": (
        NAMES,
        BYTES,
        group("typed_value", OPTIONAL, group("key_value", REPEATED, leaf("key", REQUIRED), leaf("value")),
            logical=schemas.plain("MAP")),
    ),
    "a VARIANT": of_object(NAMES, leaf("value", REQUIRED), logical=INNER),
    "a list of two levels": (NAMES, BYTES, group("typed_value", OPTIONAL, pair_group("array", REPEATED), logical=LIST)),
    "a list of plain integers": of_array(leaf("element", OPTIONAL, Type.INT64)),
    "an object of plain integers": of_object(leaf("a", OPTIONAL, Type.INT64)),
    "a list of Variants": of_array(group("element", REQUIRED, NAMES, leaf("value", REQUIRED), logical=INNER)),
}  # fmt: skip

FIXED = {"type_length": 3}
SCHEMAS = {
    # name: rule, children of the group, near miss, schema address
    "no metadata": ("field", [leaf("value", REQUIRED)], [NAMES, leaf("value", REQUIRED)], 1),
    "no value": ("field", [NAMES], None, 1),
    "no value beside typed_value": ("value-field", [*typed(Type.INT64)[::2]], typed(Type.INT64), 1),
    "metadata of INT32": ("field", [leaf("metadata", REQUIRED, Type.INT32), leaf("value", REQUIRED)], None, 2),
    "metadata of fixed length": ("field",
        [leaf("metadata", REQUIRED, Type.FIXED_LEN_BYTE_ARRAY, **FIXED), leaf("value", REQUIRED)], None, 2),
    "metadata that is a STRING": ("field", [leaf("metadata", REQUIRED, logical=STRING), leaf("value", REQUIRED)], None,
        2),
    "metadata that is a group": ("field",
        [group("metadata", REQUIRED, leaf("value", REQUIRED)), leaf("value", REQUIRED)], None, 2),
    "metadata that is optional": ("metadata-required", [leaf("metadata"), leaf("value", REQUIRED)],
        [NAMES, leaf("value", REQUIRED)], 2),
    "metadata that is repeated": ("metadata-required", [leaf("metadata", REPEATED), leaf("value", REQUIRED)], None, 2),
    "value of INT64": ("field", [NAMES, leaf("value", REQUIRED, Type.INT64)], None, 3),
    "value that is a STRING": ("field", [NAMES, leaf("value", REQUIRED, logical=STRING)], None, 3),
    "value that is a group": ("field", [NAMES, group("value", REQUIRED, leaf("x", REQUIRED))], None, 3),
    "an optional value, not shredded": ("value-required", [NAMES, leaf("value")], [NAMES, leaf("value", REQUIRED)], 3),
    "a repeated value, not shredded": ("value-required", [NAMES, leaf("value", REPEATED)], None, 3),
    "a required value, shredded": ("optional-field",
        [NAMES, leaf("value", REQUIRED), leaf("typed_value", OPTIONAL, Type.INT64)], typed(Type.INT64), 3),
    "a repeated value, shredded": ("optional-field",
        [NAMES, leaf("value", REPEATED), leaf("typed_value", OPTIONAL, Type.INT64)], None, 3),
    "a required typed_value": ("optional-field", [NAMES, BYTES, leaf("typed_value", REQUIRED, Type.INT64)],
        typed(Type.INT64), 4),
    "a repeated typed_value": ("optional-field", [NAMES, BYTES, leaf("typed_value", REPEATED, Type.INT64)], None, 4),
    "a required list": ("optional-field", of_array(pair_group("element"), repetition=REQUIRED),
        of_array(pair_group("element")), 4),
    "a repeated object": ("optional-field", of_object(pair_group("a"), repetition=REPEATED), None, 4),
    "a required value of a field": ("optional-field", of_object(group("a", REQUIRED, leaf("value", REQUIRED))),
        of_object(group("a", REQUIRED, leaf("value"))), 6),
    "another field beside metadata and value": ("field", [NAMES, leaf("value", REQUIRED), leaf("note")], None, 4),
    "another field in the group of a field": ("field", of_object(pair_group("a", REQUIRED, leaf("note"))),
        of_object(pair_group("a")), 8),
    "another field in the group of an element": ("field", of_array(pair_group("element", REQUIRED, leaf("metadata"))),
        of_array(pair_group("element")), 9),
    "a field of neither value nor typed_value": ("field", of_object(group("a", REQUIRED, leaf("note"))),
        of_object(group("a", REQUIRED, leaf("value"))), 5),
    "an optional field": ("required-field", of_object(pair_group("a", OPTIONAL)), of_object(pair_group("a")), 5),
    "a repeated field": ("required-field", of_object(pair_group("a", REPEATED)), None, 5),
    "an optional field of an inner object": ("required-field",
        of_object(group("a", REQUIRED, leaf("value"), group("typed_value", OPTIONAL, pair_group("b", OPTIONAL)))), None,
        8),
    "an optional element": ("required-element", of_array(pair_group("element", OPTIONAL)),
        of_array(pair_group("element")), 6),
}  # fmt: skip


def on_a_column() -> bytes:
    return assembly.file([*group("schema", None, leaf("a", REQUIRED, logical=INNER))], [])


WARNINGS = ("value-field", "version")


def _violation(name, rule, make, near, address, also=()):
    severity = "warning" if rule in WARNINGS else "error"
    return Violation(name, f"variant-{rule}", make, near, severity, address, also)


def _of_schema(name):
    rule, bad, near, index = SCHEMAS[name]
    made = None if near is None else lambda: schema(*near)
    return _violation(name, rule, lambda: schema(*bad), made, f"schema/{index}")


VIOLATIONS = [
    *map(_of_schema, SCHEMAS),
    *(_violation(f"shredded as {name}", "shredded-type", lambda children=children: schema(*children),
        good_list if "list" in name else good_object if "object" in name else all_allowed, "",
        also=("legacy-list",) if name == "a list of two levels" else ())
      for name, children in FORBIDDEN.items()),
    *(_violation(f"specification_version {version}", "version",
        lambda version=version: schema(NAMES, leaf("value", REQUIRED), version=version),
        lambda near=near: schema(NAMES, leaf("value", REQUIRED), version=near), "schema/1")
      for version, near in ((0, None), (2, 1))),
    Violation("VARIANT on a column", "annotation", on_a_column, address="schema/1"),
]  # fmt: skip
