"""Violations of Variant: the encoding of metadata and value, and shredded rows. `variant_schema` has those of the schema."""

import pyarrow as pa
from engine.check.violations import Violation
from made import ours, rebuilt

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import LogicalType
from pqexplore.engine.format.variant import metadata
from pqexplore.engine.format.variant.encode import encode

EMPTY = b"\1\0\0"
AB = metadata.encode(["a", "b"])
"""Metadata with the sorted names a and b."""
METADATA, VALUE = "row_groups/0/columns/0", "row_groups/0/columns/1"


# ---- rows


def annotated(column: pa.Array, version: int | None = None) -> bytes:
    """A file of the column `v`, annotated as VARIANT after it was written: the writer would refuse it."""
    data = ours(pa.table({"v": column}))
    variant = LogicalType(VARIANT=structs.VariantType(specification_version=version))
    return rebuilt(data, schema__1__logicalType=variant)


def unshredded(value: bytes | str, names: bytes | str | None = EMPTY) -> bytes:
    """A file of one Variant, not shredded; bytes or hexadecimal digits."""
    value, names = (bytes.fromhex(x) if isinstance(x, str) else x for x in (value, names))
    fields = [pa.field("metadata", pa.binary(), nullable=names is None), pa.field("value", pa.binary(), nullable=False)]
    return annotated(pa.array([{"metadata": names, "value": value}], pa.struct(fields)))


def pair(kind: pa.DataType) -> pa.DataType:
    return pa.struct([("value", pa.binary()), ("typed_value", kind)])


def shredded(kind: pa.DataType, value, typed, names: bytes = AB) -> bytes:
    """A file of one shredded Variant; `value` is bytes, or what is encoded with the names; ... is null."""
    fields = [pa.field("metadata", pa.binary(), nullable=False), *pair(kind)]
    row = {"metadata": names, "value": variant(value), "typed_value": typed}
    return annotated(pa.array([row], pa.struct(fields)))


def variant(value) -> bytes | None:
    if value is ... or isinstance(value, bytes):
        return None if value is ... else value
    return encode(value, AB)[1]


def field(value=..., typed=None) -> dict:
    return {"value": variant(value), "typed_value": typed}


LONG = pa.int64()
OBJECT = pa.struct([pa.field("a", pair(LONG), nullable=False)])
ARRAY = pa.list_(pa.field("element", pair(LONG), nullable=False))
NESTED = pa.struct([pa.field("a", pair(OBJECT), nullable=False)])
OBJECTS = pa.list_(pa.field("element", pair(OBJECT), nullable=False))


def decimal(type_id: int, unscaled: int, scale: int = 0) -> bytes:
    size = {8: 4, 9: 8, 10: 16}[type_id]
    return bytes([type_id << 2, scale]) + unscaled.to_bytes(size, "little", signed=True)


def time(ticks: int) -> bytes:
    return bytes([17 << 2]) + ticks.to_bytes(8, "little", signed=True)


def container(header: int, *lists: list[int], values: bytes) -> bytes:
    """An object (ids, offsets) or an array (offsets)."""
    return bytes([header, len(lists[-1]) - 1, *(one for each in lists for one in each)]) + values


TWO = bytes.fromhex("0c01 0c02")
"""The values 1 and 2, as int8."""
DAY = 86_400_000_000

ENCODING = {
    # name: (rule, value, metadata), (value, metadata) of the near miss; all that metadata.read and decode refuse is in
    # tests/engine/format/variant
    "metadata that ends in its size": (("metadata", "00", "c10000"), ("00", "c1" + "00" * 8)),
    "sorted metadata that is not sorted": (("metadata", "00", "11020001026261"), ("00", "01020001026261")),
    "metadata that is null": (("metadata", "00", None), None),
    "a bit of the metadata's header without a meaning": (("reserved-bits", "00", "210000"), ("00", "c1" + "00" * 8)),
    "an unknown primitive type": (("primitive-type", "54", EMPTY), ("50" + "00" * 16, EMPTY)),
    "an unknown primitive type in an array": (("primitive-type", container(3, [0, 1], values=b"\xfc"), EMPTY),
        (container(3, [0, 1], values=b"\x00"), EMPTY)),
    "an unknown primitive type in an object": (("primitive-type", container(2, [0], [0, 2], values=b"\x54\x00"), AB),
        None),
    "an int32 of three bytes": (("value", "14010000", EMPTY), ("1401000000", EMPTY)),
    "binary that ends early": (("value", "3c03000000ff", EMPTY), ("3c01000000ff", EMPTY)),
    "a decimal8 of scale 39": (("value", decimal(9, 1, 39), EMPTY), (decimal(9, 1, 38), EMPTY)),
    "a decimal16 of scale 255": (("value", decimal(10, 1, 255), EMPTY), (decimal(10, 1, 38), EMPTY)),
    "a decimal4 of 10 digits": (("decimal-digits", decimal(8, 10**9), EMPTY), (decimal(8, 10**9 - 1, 9), EMPTY)),
    "a negative decimal4 of 10 digits": (("decimal-digits", decimal(8, -(10**9)), EMPTY),
        (decimal(8, 1 - 10**9), EMPTY)),
    "a decimal8 of 19 digits": (("decimal-digits", decimal(9, 10**18), EMPTY), (decimal(9, 10**18 - 1), EMPTY)),
    "a decimal16 of 39 digits": (("decimal-digits", decimal(10, 10**38), EMPTY), (decimal(10, 10**38 - 1), EMPTY)),
    "a decimal4 of 10 digits in an object": (
        ("decimal-digits", container(2, [0], [0, 6], values=decimal(8, 10**9)), AB),
        (container(2, [0], [0, 6], values=decimal(8, 1)), AB)),
    "a time after the day": (("time-of-day", time(DAY), EMPTY), (time(DAY - 1), EMPTY)),
    "a time before the day": (("time-of-day", time(-1), EMPTY), (time(0), EMPTY)),
    # The near miss: is_large for one element.
    "a bit of an object's header without a meaning": (("reserved-bits", container(0x82, [0], [0, 1], values=b"\0"), AB),
        ("420100000000000100", AB)),
    "bit 5 of an array's header": (("reserved-bits", container(0x23, [0, 1], values=b"\0"), EMPTY),
        ("1301000000000100", EMPTY)),
    "bit 7 of an array's header in an array": (("reserved-bits", container(3, [0, 3], values=b"\x83\0\0"), EMPTY),
        (container(3, [0, 3], values=b"\x03\0\0"), EMPTY)),
    # The near miss: values may lie in any order.
    "fields that are not in the order of their names": (("value", container(2, [1, 0], [0, 2, 4], values=TWO), AB),
        (container(2, [0, 1], [2, 0, 4], values=TWO), AB)),
    "fields in the order of ids, not of names": (
        ("value", container(2, [0, 1], [0, 2, 4], values=TWO), "01020001026261"),
        (container(2, [1, 0], [0, 2, 4], values=TWO), "01020001026261")),
    "a field offset beyond the values": (("value", container(2, [0, 1], [0, 9, 4], values=TWO), AB), None),
    "a last offset beyond the end": (("value", container(3, [0, 2, 5], values=TWO), EMPTY),
        (container(3, [0, 2, 4], values=TWO), EMPTY)),
    "an empty object with bytes": (("value", "02000000", EMPTY), ("020000", EMPTY)),
    "a large object that ends in its count": (("value", "420100", AB), None),
    "a damaged value in an object in an array": (
        ("value", container(3, [0, 7], values=container(2, [0], [0, 2], values=b"\x14\0")), AB),
        (container(3, [0, 7], values=container(2, [0], [0, 2], values=b"\x0c\0")), AB)),
}  # fmt: skip

SHREDDING = {
    # name: rule, (type, value, typed_value), the same of the near miss, column
    "neither value nor typed_value": ("missing", (LONG, ..., None), (LONG, None, None), 1),
    "both, for a primitive": ("value-and-typed-value", (LONG, "x", 1), (LONG, "x", None), 1),
    "both, for a field": ("value-and-typed-value", (OBJECT, ..., {"a": field("x", 1)}),
        (OBJECT, {"b": "x"}, {"a": field(..., 1)}), 2),
    "both, for an element": ("value-and-typed-value", (ARRAY, ..., [field("x", 1)]),
        (ARRAY, ..., [field(..., 1), field("x")]), 2),
    "both, for an array": ("value-and-typed-value", (ARRAY, "x", [field(..., 1)]), (ARRAY, "x", None), 1),
    "a text beside an object": ("value-not-object", (OBJECT, "x", {"a": field(..., 1)}),
        (OBJECT, {}, {"a": field(..., 1)}), 1),
    "a Variant null beside an object": ("value-not-object", (OBJECT, None, {"a": field(..., 1)}), (OBJECT, None, None),
        1),
    "a shredded field in value": ("shredded-field-in-value", (OBJECT, {"a": 2}, {"a": field(..., 1)}),
        (OBJECT, {"b": 2}, {"a": field(..., 1)}), 2),
    "a shredded field in value that is missing in typed_value": ("shredded-field-in-value",
        (OBJECT, {"a": 2}, {"a": field()}), (OBJECT, {"b": 2}, {"a": field()}), 2),
    "a shredded field of an inner object in value": ("shredded-field-in-value",
        (NESTED, ..., {"a": field({"a": 2}, {"a": field(..., 1)})}),
        (NESTED, ..., {"a": field({"b": 2}, {"a": field(..., 1)})}), 3),
    "an object in value": ("object-in-value", (OBJECT, {"b": 2}, None), (OBJECT, "x", None), 1),
    "an empty object in value": ("object-in-value", (OBJECT, {}, None), (OBJECT, ..., {"a": field()}), 1),
    "an array in value": ("array-in-value", (ARRAY, [1], None), (ARRAY, {"a": [1]}, None), 1),
    "an element that is missing": ("missing-element", (ARRAY, ..., [field()]), (ARRAY, ..., [field(None)]), 2),
    "a damaged value of a field": ("value", (OBJECT, ..., {"a": field(b"\x14")}), (OBJECT, ..., {"a": field("x")}), 2),
    "a damaged value of an element": ("value", (ARRAY, ..., [field(b"\x14")]), (ARRAY, ..., [field("x")]), 2),
    "a decimal of too many digits in a field": ("decimal-digits", (OBJECT, ..., {"a": field(decimal(8, 10**9))}),
        (OBJECT, ..., {"a": field(decimal(8, 1))}), 2),
    "the name of a field is not in the metadata": ("name-in-metadata", (OBJECT, ..., {"a": field(..., 1)}, EMPTY),
        (OBJECT, ..., {"a": field()}, EMPTY), 2),
    "the name of an element's field is not in the metadata": ("name-in-metadata",
        (OBJECTS, ..., [field(..., {"a": field(..., 1)})], metadata.encode(["b"])),
        (OBJECTS, ..., [field(..., {"a": field()})], metadata.encode(["b"])), 3),
}  # fmt: skip

WARNINGS = ("missing", "reserved-bits", "time-of-day")


def _violation(name, rule, make, near, address, also=()):
    severity = "warning" if rule in WARNINGS else "error"
    return Violation(name, f"variant-{rule}", make, near, severity, address, also)


ALSO = {"metadata that is null": ("variant-metadata-required",)}
"""Further rules that a row breaks."""


def _of_encoding(name):
    (rule, value, names), near = ENCODING[name]
    in_metadata = rule == "metadata" or "metadata's" in name
    return _violation(name, rule, lambda: unshredded(value, names), None if near is None else lambda: unshredded(*near),
        METADATA if rule == "metadata" else "" if in_metadata else VALUE, ALSO.get(name, ()))  # fmt: skip


def _of_shredding(name):
    rule, bad, near, column = SHREDDING[name]
    address = f"row_groups/0/columns/{column}"
    return _violation(name, rule, lambda: shredded(*bad), lambda: shredded(*near), address)


VIOLATIONS = [*map(_of_encoding, ENCODING), *map(_of_shredding, SHREDDING)]
