"""The types that Spark gives the columns of a file that it did not write.

They follow Spark's `ParquetToSparkSchemaConverter`, with its defaults; `tests/spark/test_schema_types.py` asks Spark 4.3. A type
that Spark has no type for stops the whole file, unless a schema of the reader's own leaves the column out.
"""

from __future__ import annotations

import dataclasses

from pqexplore.engine.format import logical
from pqexplore.engine.format.field import REPEATED, Annotation, Field, Leaf
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.wording import name

MOST_DIGITS = 38
"""Of a decimal, in Spark."""

SIGNED = {8: "byte", 16: "short", 32: "integer", 64: "long"}
UNSIGNED = {8: "short", 16: "integer", 32: "long", 64: "decimal(20,0)"}
"""The types of integers by their bits: of unsigned ones, the next that holds them all."""

_ANNOTATED = {"STRING": "string", "ENUM": "string", "JSON": "string", "BSON": "binary"}
_ANNOTATED |= {"DATE": "date"}

_STORED: dict[int, str] = {
    Type.BOOLEAN: "boolean",
    Type.INT32: "integer",
    Type.INT64: "long",
    Type.INT96: "timestamp",
    Type.FLOAT: "float",
    Type.DOUBLE: "double",
    Type.BYTE_ARRAY: "binary",
    Type.FIXED_LEN_BYTE_ARRAY: "binary",
}
"""The types of leaves without annotation, by the physical type."""


@dataclasses.dataclass(frozen=True, slots=True)
class SparkType:
    """A type as Spark spells it, or why there is none."""

    text: str
    refused: bool = False


def of_field(field: Field) -> SparkType:
    """The type of a field, which may be repeated; the first leaf without a type is the reason why it has none."""
    made = _of_one(field)
    if made.refused or field.repetition != REPEATED:
        return made
    return SparkType(f"array<{made.text}>")


def _of_one(field: Field) -> SparkType:
    """The type of one value of a field."""
    if isinstance(field, Leaf):
        return of_leaf(field)
    if field.kind == "variant":
        return SparkType("variant")
    element = field.list_element
    if field.kind == "list" and element is not None:
        inner = _of_one(element)
        return inner if inner.refused else SparkType(f"array<{inner.text}>")
    pairs = field.kind == "map" and element is not None and len(element.children) == 2
    below = element.children if pairs and element is not None else field.children
    parts = [of_field(one) for one in below]
    for one in parts:
        if one.refused:
            return one
    if pairs:
        return SparkType(f"map<{', '.join(one.text for one in parts)}>")
    named = (f"{child.name}: {one.text}" for child, one in zip(below, parts, strict=True))
    return SparkType(f"struct<{', '.join(named)}>")


def of_leaf(leaf: Leaf) -> SparkType:
    """The type of one value of a leaf."""
    found = logical.annotation(leaf)
    kind = None if found.problem is not None else _of_annotation(found, leaf)
    if kind is not None:
        return SparkType(kind)
    where = "" if len(leaf.path) == 1 else f" of {name('.'.join(leaf.path))}"
    return SparkType(f"Spark has no type for the {logical.describe(leaf)}{where}", True)


def _of_annotation(found: Annotation, leaf: Leaf) -> str | None:
    if found.name in _ANNOTATED:
        return _ANNOTATED[found.name]
    if found.name == "DECIMAL":
        wide = found.precision > MOST_DIGITS
        return None if wide else f"decimal({found.precision},{found.scale})"
    if found.name == "TIMESTAMP" and found.unit != "ns":
        return "timestamp" if found.utc else "timestamp_ntz"
    if found.name == "INTEGER":
        return (SIGNED if found.signed else UNSIGNED).get(found.bit_width)
    return _STORED.get(leaf.physical_type) if found.name in ("", "UNKNOWN") else None
