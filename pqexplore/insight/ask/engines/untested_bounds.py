"""Bounds as a file stores them, for engines that take them without the tests of a careful reader."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format import embedded
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import is_nan
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.bound import Test
from pqexplore.insight.ask.matching import accepted
from pqexplore.insight.ask.pruning_result import BOUNDS, Ruling
from pqexplore.insight.skippable import Skippable, group_part

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf


def stored_claims(chunk: ColumnChunk, legacy: bool) -> Skippable:
    """A chunk's statistics as they are stored: no writer and no column order is distrusted, and a bound of NaN is absent.

    With `legacy`, the deprecated min and max stand in for min_value and max_value. Raises ParquetError as `group_part`.
    """
    part = group_part(chunk)
    stored = chunk.metadata.statistics
    if part.error or part.elsewhere or stored is None:
        return part
    low, high = stored.min_value, stored.max_value
    part.low_exact, part.high_exact = stored.is_min_value_exact, stored.is_max_value_exact
    if legacy:
        low, high = stored.min if low is None else low, stored.max if high is None else high
    part.low, part.high = _unless_nan(chunk, low), _unless_nan(chunk, high)
    part.trusted, part.why = True, ""
    return part


def _unless_nan(chunk: ColumnChunk, raw: bytes | None) -> bytes | None:
    return None if raw is None or is_nan(chunk.leaf, raw) else raw


def one_text(test: Test, claims: Skippable) -> Ruling | None:
    """The ruling about a pattern for a row group of one text: engines evaluate it; None for other clauses and ranges."""
    raw = claims.low
    if not isinstance(test.clause, predicate.Like) or raw is None or raw != claims.high:
        return None
    try:
        value = pa.array([raw.decode()])
    except UnicodeDecodeError:
        return None
    shown = claims.range_text(test.leaf)
    if accepted(test, value, True)[0]:
        return Ruling(True, BOUNDS, f"its only value {shown} matches", shown, claims.address)
    return Ruling(False, BOUNDS, f"its only value {shown} does not match", shown, claims.address)


def is_integer(leaf: Leaf) -> bool:
    """Whether a leaf has plain integers."""
    plain = meaning(leaf).name in ("", "INTEGER")
    return plain and leaf.physical_type in (Type.INT32, Type.INT64)


def is_large(leaf: Leaf) -> bool:
    """Whether a leaf has plain integers of 64 bits: a double does not have all of them."""
    return is_integer(leaf) and leaf.physical_type == Type.INT64


def fits(leaf: Leaf, literal: predicate.Literal) -> bool:
    """Whether an integer literal is in the range of an integer column's type; True for other literals and columns."""
    if not whole_number(literal) or not is_integer(leaf):
        return True
    logical = meaning(leaf)
    bits = logical.bit_width if logical.name else 32 if leaf.physical_type == Type.INT32 else 64
    if logical.name and not logical.signed:
        return bool(0 <= literal.value < 1 << bits)
    return bool(-(1 << bits - 1) <= literal.value < 1 << bits - 1)


def whole_number(literal: predicate.Literal) -> bool:
    """Whether a literal is a whole number, also one beyond 64 bits, which is a decimal in Spark."""
    decimal = literal.kind == predicate.DECIMAL and "." not in literal.sql
    return literal.kind == predicate.INTEGRAL or decimal


_DECLARED: weakref.WeakKeyDictionary[ParquetFile, dict[str, pa.DataType]] = weakref.WeakKeyDictionary()


def is_dictionary(file: ParquetFile, leaf: Leaf, binary: bool = True) -> bool:
    """Whether ARROW:schema makes a column a dictionary of text, or (if `binary`) of bytes, outside of lists and maps.

    Engines read no other dictionaries as dictionaries.
    """
    kind = dictionary_type(file, leaf)
    if kind is None:
        return False
    return binary or not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def dictionary_type(file: ParquetFile, leaf: Leaf) -> pa.DataType | None:
    """The type of the values if ARROW:schema makes a column a dictionary of text or bytes; None otherwise."""
    kind = declared_type(file, leaf)
    if kind is None or not pa.types.is_dictionary(kind):
        return None
    return kind.value_type if _is_text(kind.value_type) else None


def declared_type(file: ParquetFile, leaf: Leaf) -> pa.DataType | None:
    """The type that ARROW:schema has for a column outside of lists and maps; None if it has none."""
    known = _DECLARED.get(file)
    if known is None:
        known = _DECLARED[file] = _declared(file)
    return known.get(".".join(leaf.path))


def _declared(file: ParquetFile) -> dict[str, pa.DataType]:
    try:
        value = file.key_value_metadata.get(embedded.ARROW)
    except ParquetError:
        return {}
    found = None if value is None else embedded.decode(embedded.ARROW, value)
    if found is None or not isinstance(found.content, pa.Schema):
        return {}
    return _paths(found.content, "")


def _paths(fields: pa.Schema | pa.StructType, above: str) -> dict[str, pa.DataType]:
    """The types of the columns and the fields of structs, by their dotted paths."""
    made: dict[str, pa.DataType] = {}
    for at in range(len(fields) if isinstance(fields, pa.Schema) else fields.num_fields):
        field = fields.field(at)
        path = f"{above}{field.name}"
        if pa.types.is_struct(field.type):
            made |= _paths(field.type, f"{path}.")
        else:
            made[path] = field.type
    return made


def _is_text(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )
