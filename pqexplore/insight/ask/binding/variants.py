"""Binds a clause about a value inside a Variant to the shredded column that has it.

Only a column whose type holds every value of the type that is asked for can answer. Values of other types are in the
column `value` beside it; the file's claims are then not used (`engine.file.variant_bounds`).
"""

from __future__ import annotations

import dataclasses
import re
from fractions import Fraction
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.logical import describe, meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.variant.get import columns_for_path, parse_path
from pqexplore.engine.format.variant.shape import is_variant_shape
from pqexplore.engine.text import clip
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.binding.find_column import what_it_is
from pqexplore.insight.ask.binding.leaf_test import leaf_test
from pqexplore.insight.ask.bound import Bound, Test, Undecided

if TYPE_CHECKING:
    from pqexplore.engine.format.schema import Schema

WHOLE = ("tinyint", "byte", "smallint", "short", "int", "integer", "bigint", "long")
_TYPES: dict[str, str] = {
    **dict.fromkeys(WHOLE, "whole"),
    **dict.fromkeys(("float", "real"), "float"),
    "double": "double",
    **dict.fromkeys(("string", "varchar", "text"), "text"),
    **dict.fromkeys(("boolean", "bool"), "boolean"),
    "date": "date",
    **dict.fromkeys(("timestamp", "timestamp_ltz", "timestamptz"), "timestamp"),
    "timestamp_ntz": "local timestamp",
    **dict.fromkeys(("binary", "blob"), "binary"),
    "uuid": "UUID",
}
_DECIMAL = re.compile(r"(decimal|numeric|dec)\s*(\(\s*(\d{1,3})\s*(,\s*(\d{1,3})\s*)?\))?\Z")
_WIDER = {
    "whole": ("whole", "decimal", "double", "float"),
    "decimal": ("decimal", "double", "float"),
    "float": ("float", "double"),
    "double": ("double",),
}
"""The types that a number can be asked as without losing its order."""


_ROUNDING = {"float": Fraction(1, 1 << 22), "double": Fraction(1, 1 << 50)}
"""The relative error of a whole or decimal number as a float or double, with that of the literal."""


def family(type_: str) -> str | None:
    """The family of a type's name in SQL; None for an unknown name."""
    return "decimal" if _DECIMAL.match(type_) else _TYPES.get(type_)


def decimal_parameters(type_: str) -> tuple[int, int]:
    """The precision and scale of `decimal(10, 2)`; (10, 0) without them, as in Spark."""
    match = _DECIMAL.match(type_)
    assert match is not None
    return int(match[3] or 10), int(match[5] or 0)


def _takes_null(clause: predicate.About) -> bool:
    """Whether a clause is TRUE or FALSE, not NULL, where the value is null."""
    if isinstance(clause, predicate.Compare):
        return clause.operator == "not <=>"
    return isinstance(clause, predicate.NullTest | predicate.NanTest)


def bind(clause: predicate.About, field: Field, schema: Schema) -> Bound:
    """The clause about the column that has the path's values; undecided if there is none.

    UsageError if the field is no Variant, or the path or type cannot be read.
    """
    operand = clause.operand
    name = clip(".".join(operand.path), 100)
    if field.kind != "variant" and not is_variant_shape(field):
        raise UsageError(f"variant_get needs a Variant; column {name!r} is {what_it_is(field)}")
    wanted = family(operand.variant_type)
    if wanted is None:
        raise UsageError(
            f"variant_get: {operand.variant_type!r} is not a type that can be compared; int, double, decimal(10, 2), "
            "string, date, timestamp, timestamp_ntz, boolean and binary are"
        )
    needed = tuple(columns_for_path(field, operand.variant))
    why, leaf = _typed(field, operand.variant)
    if leaf is None:
        return Undecided(why, clause.sql, needed, clause)
    if isinstance(clause, predicate.Within):
        return Undecided("geometries in Variants are not compared", clause.sql, needed, clause)
    has = _family_of(leaf)
    if wanted != has and wanted not in _WIDER.get(has, ()):
        why = f"the column of {operand.variant} has type {describe(leaf)}, and {operand.variant_type} is asked for"
        return Undecided(why, clause.sql, needed, clause)
    if wanted == has == "decimal" and decimal_parameters(operand.variant_type)[1] < meaning(leaf).scale:
        why = f"values of type {describe(leaf)} are rounded to {operand.variant_type}"
        return Undecided(why, clause.sql, needed, clause)
    same = wanted == has and (wanted != "decimal" or _same_decimal(leaf, operand.variant_type))
    same = same and (wanted != "whole" or _holds(operand.variant_type, leaf))
    if not same and _takes_null(clause):
        why = f"values of type {describe(leaf)} may not fit {operand.variant_type}, and are then null"
        return Undecided(why, clause.sql, needed, clause)
    made = leaf_test(clause, leaf, Fraction(0) if wanted == has else _ROUNDING.get(wanted, Fraction(0)))
    if isinstance(made, Test) and not same:
        accepts = dataclasses.replace(made.accepts, exact=False)
        return dataclasses.replace(made, accepts=accepts)
    return made


def _typed(field: Field, path: str) -> tuple[str, Leaf | None]:
    """(why there is none, the leaf that has the values at a path)."""
    if field.kind != "variant":
        return "the group is not annotated as VARIANT, so its columns are read as a struct's", None
    node = field
    for step in parse_path(path):
        typed = next(iter(node.named("typed_value")), None)
        if isinstance(step, int):
            return "an element of a list in a Variant has no column of its own", None
        inner = typed.named(step) if typed is not None and typed.kind == "group" else []
        if not inner:
            return f"{path} is not shredded: its values are encoded in the column 'value'", None
        node = inner[0]
    typed = next(iter(node.named("typed_value")), None)
    if typed is None:
        return f"{path} is not shredded: its values are encoded in the column 'value'", None
    if not isinstance(typed, Leaf):
        return f"{path} is shredded as {what_it_is(typed)}", None
    return "", typed


def _family_of(leaf: Leaf) -> str:
    logical, physical = meaning(leaf), leaf.physical_type
    named = {"STRING": "text", "DATE": "date", "UUID": "UUID", "DECIMAL": "decimal", "INTEGER": "whole"}
    if logical.name in named:
        return named[logical.name]
    if logical.name == "TIMESTAMP":
        return "timestamp" if logical.utc else "local timestamp"
    if logical.name:
        return logical.name
    plain: dict[int, str] = {
        Type.INT32: "whole",
        Type.INT64: "whole",
        Type.FLOAT: "float",
        Type.DOUBLE: "double",
        Type.BOOLEAN: "boolean",
        Type.BYTE_ARRAY: "binary",
    }
    return plain.get(physical, "")


_BITS = {"tinyint": 8, "byte": 8, "smallint": 16, "short": 16, "int": 32, "integer": 32}


def _holds(type_: str, leaf: Leaf) -> bool:
    """Whether every whole number of a leaf fits the type that is asked for."""
    logical = meaning(leaf)
    bits = logical.bit_width if logical.name == "INTEGER" else 32 if leaf.physical_type == Type.INT32 else 64
    return bits <= _BITS.get(type_, 64)


def _same_decimal(leaf: Leaf, type_: str) -> bool:
    logical = meaning(leaf)
    return decimal_parameters(type_) == (logical.precision, logical.scale)
