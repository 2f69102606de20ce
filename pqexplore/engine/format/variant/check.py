"""Checks a Variant column against the rules of encoding and shredding: the schema, and each row.

`reconstruct` tolerates what the specification lets readers tolerate; `check` reports every broken rule, with the row, the
path in the Variant and what is wrong. The rules are `RULES`, in the specification's words.

Specification: "Value Shredding", "Arrays" and "Objects" in https://github.com/apache/parquet-format/blob/master/VariantShredding.md
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Mask
from pqexplore.engine.errors import CorruptFileError, LimitExceededError, ParquetError, UnsupportedFeatureError
from pqexplore.engine.format.field import Field
from pqexplore.engine.format.variant import metadata as variant_metadata
from pqexplore.engine.format.variant import primitives, variant_types, vectors
from pqexplore.engine.format.variant.decode import decode
from pqexplore.engine.format.variant.metadata import Metadata, unsigned
from pqexplore.engine.format.variant.reconstruct import object_fields
from pqexplore.engine.format.variant.schema_check import SCHEMA_RULES, schema_problems
from pqexplore.engine.format.variant.shredding import Columns, Group, describe, open_columns
from pqexplore.engine.limits import DEFAULT, Limits

VALUE_RULES = {
    "reserved-bits": "object_header: (is_large << 4 | field_id_size_minus_one << 2 | field_offset_size_minus_one); array_header: (is_large << 2 | field_offset_size_minus_one); header: 1 byte (<version> | <sorted_strings> << 4 | (<offset_size_minus_one> << 6))",
    "primitive-type": "There are a fixed number of allowed primitive types, provided in the table below.",
    "decimal-digits": "Decimal table: 1 <= precision <= 9: decimal4, 10 <= precision <= 18: decimal8, 19 <= precision <= 38: decimal16, > 38: not supported.",
    "time-of-day": "TimeNTZ: TIME(isAdjustedToUTC=false, MICROS).",
}
"""The rules by name, in the specification's words."""

_CONTAINER_BITS = {variant_types.OBJECT: 0x7F, variant_types.ARRAY: 0x1F}
"""The bits of a container's first byte that have a meaning."""


def broken(raw: bytes) -> Iterator[tuple[str, str]]:
    """The broken rules of one value that `decode` reads: a key of `VALUE_RULES`, and what is wrong."""
    todo = [0]
    while todo:
        at = todo.pop()
        byte = raw[at]
        basic = byte & 3
        if basic == variant_types.PRIMITIVE:
            yield from _primitive(raw, at, byte >> 2)
        elif basic != variant_types.SHORT_STRING:
            if byte & ~_CONTAINER_BITS[basic]:
                yield (
                    "reserved-bits",
                    f"the header 0x{byte:02x} of an {variant_types.BASIC_TYPES[basic]} at byte {at:,} has a bit set that has no meaning",
                )
            layout = primitives.container(raw, at, len(raw))
            starts = unsigned(raw, layout.offsets, layout.count, layout.offset_size)
            todo += [layout.values + start for start in reversed(starts.tolist())]


def _primitive(raw: bytes, at: int, kind: int) -> Iterator[tuple[str, str]]:
    if kind >= len(variant_types.PRIMITIVES):
        last = variant_types.PRIMITIVES[-1]
        message = f"primitive type {kind} at byte {at:,} does not exist; the last one is {last.id} ({last.name})"
        yield "primitive-type", message
    elif kind in variant_types.DECIMAL_BYTES:
        size = variant_types.DECIMAL_BYTES[kind]
        value = int.from_bytes(raw[at + 2 : at + 2 + size], "little", signed=True)
        most = variant_types.DECIMAL_DIGITS[kind]
        if abs(value) >= 10**most:
            name = variant_types.PRIMITIVES[kind].name
            digits = len(str(abs(value)))
            yield ("decimal-digits", f"the {name} at byte {at:,} has {digits} digits; it can have {most}")
    elif kind == variant_types.TIME:
        ticks = int.from_bytes(raw[at + 1 : at + 9], "little", signed=True)
        if not 0 <= ticks < primitives.DAY:
            message = f"the time at byte {at:,} is {ticks:,} microseconds, which is not within a day"
            yield "time-of-day", message


RULES = {
    "metadata": "The metadata field is required and must be a valid Variant metadata component.",
    "value": "When present, the value field must be a valid Variant value component.",
    "not-checked": "",
    "name-in-metadata": "All field names of a Variant, whether shredded or not, must be present in the metadata.",
    "missing": "The value is missing; only valid for shredded object fields.",
    "missing-element": "All elements of an array must be present (not missing) because the array Variant encoding does not allow missing elements.",
    "value-and-typed-value": "Writers must not produce data where both value and typed_value are non-null, unless the Variant value is an object.",
    "value-not-object": "typed_value is present and value is not an object.",
    "shredded-field-in-value": "The value column of a partially shredded object must never contain fields represented by the Parquet columns in typed_value (shredded fields).",
    "object-in-value": "If the value is an object, typed_value must be non-null.",
    "array-in-value": "If the value is an array, value must be null.",
    **SCHEMA_RULES,
    **VALUE_RULES,
}
"""The rules by name, in the specification's words; `not-checked` is a value that a limit keeps from being checked."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A broken rule: `rule` is a key of `RULES`, `row` counts from 0 (None for a fault of the schema), `path` is the
    path in the Variant (`$.a[*].b`), `message` says what is wrong.
    """

    rule: str
    row: int | None
    path: str
    message: str


def check(
    array: pa.StructArray,
    field: Field | None = None,
    *,
    values: bool = True,
    most: int = 1_000,
    limits: Limits = DEFAULT,
) -> list[Problem]:
    """The problems of a Variant column, those of the schema first, not more than `most`.

    `array` and `field` are as in `reconstruct.reconstruct`. With `values` each encoded value is decoded to check it,
    which takes a few microseconds each. Wrong data does not raise.
    """
    if field is None:
        of_schema = _of_arrow_type(describe(array.type, limits=limits))
    else:
        of_schema = (Problem(p.rule, None, p.path, p.message) for p in schema_problems(field))
    of_rows = row_problems(array, field, values=values, limits=limits)
    return list(itertools.islice(itertools.chain(of_schema, of_rows), most))


def row_problems(
    array: pa.StructArray, field: Field | None = None, *, values: bool = True, limits: Limits = DEFAULT
) -> Iterator[Problem]:
    """The problems of the rows of a Variant column; arguments as for `check`."""
    groups = describe(array.type, field, limits=limits)
    known: dict[int, Metadata] = {}
    cells = array.field("metadata")
    if not vectors.is_bytes(cells.type):
        return  # a problem of the schema
    seen: dict[bytes | None, Metadata | str] = {}
    for row, (cell, valid) in enumerate(zip(cells.to_pylist(), array.is_valid().to_pylist(), strict=True)):
        if not valid:
            continue
        if cell not in seen:
            seen[cell] = _metadata(cell)
            if isinstance(seen[cell], Metadata) and cell[0] & 0x20:
                message = f"the header 0x{cell[0]:02x} has bit 5 set, which has no meaning"
                yield Problem("reserved-bits", row, "$", f"metadata: {message}")
        parsed = seen[cell]
        if isinstance(parsed, Metadata):
            known[row] = parsed
        else:
            yield Problem("metadata", row, "$", parsed)
    if any(group.defect is not None for group in groups):
        return
    try:
        columns = open_columns(array, groups)
    except CorruptFileError:
        return  # a `value` that is not binary: a problem of the schema
    for group, own in zip(groups, columns, strict=True):
        yield from _group(group, groups, columns, own, array, known, values, limits)


def _of_arrow_type(groups: list[Group]) -> Iterator[Problem]:
    """The problems of the shredding that an Arrow type shows."""
    for group in groups:
        if group.defect is not None:
            yield Problem("shredded-type", None, group.path, group.defect.message)
        if group.required is False:
            kind = groups[group.parent].kind
            rule = "required-element" if kind == "array" else "required-field"
            yield Problem(rule, None, group.path, f"the group of {group.path} is optional")


def _metadata(cell: bytes | None) -> Metadata | str:
    if cell is None:
        return "the metadata is null"
    try:
        parsed = variant_metadata.read(cell)
        parsed.require_sorted()
    except ParquetError as error:
        return str(error)
    return parsed


def _group(
    group: Group,
    groups: list[Group],
    columns: list[Columns],
    own: Columns,
    array: pa.StructArray,
    known: dict[int, Metadata],
    values: bool,
    limits: Limits,
) -> Iterator[Problem]:
    """The problems of one group's rows."""

    def each(rule: str, mask: Mask, message: str) -> Iterator[Problem]:
        for entry in np.flatnonzero(mask):
            yield Problem(rule, own.row(int(entry)), group.path, message)

    value, typed = own.present("value"), own.present("typed")
    headers = own.headers()
    basic = np.where(headers < 0, -1, headers & 3)
    if group.parent < 0:
        missing = vectors.validity(array) & ~value & ~typed
        yield from each("missing", missing, "value and typed_value are both null")
    elif groups[group.parent].kind == "array":
        yield from each("missing-element", ~value & ~typed, "value and typed_value of an element are both null")
    if group.kind == "object":
        odd = value & typed & (basic != variant_types.OBJECT)
        yield from each("value-not-object", odd, "the value beside a shredded object is not an object")
        yield from _overlaps(group, groups, own, value & (basic == variant_types.OBJECT), typed, known)
        yield from _names(group, groups, columns, own, typed, known)
    else:
        yield from each("value-and-typed-value", value & typed, "both value and typed_value are set")
    if group.kind == "array":
        stray = value & ~typed & (basic == variant_types.ARRAY)
        yield from each("array-in-value", stray, "an array is not shredded, although arrays are")
    if values and own.value is not None:
        for entry in np.flatnonzero(value):
            row = own.row(int(entry))
            if row in known:
                cell = own.value[int(entry)].as_py()
                for rule, message in _value(known[row], cell, limits):
                    yield Problem(rule, row, group.path, message)


def _value(known: Metadata, cell: bytes, limits: Limits) -> Iterator[tuple[str, str]]:
    """The rules that one encoded value breaks, and what is wrong."""
    try:
        decode(known, cell, limits=limits)
    except LimitExceededError as error:
        yield "not-checked", str(error)
    except UnsupportedFeatureError as error:
        yield "primitive-type", str(error)
    except ParquetError as error:
        yield "value", str(error)
    else:
        yield from broken(cell)


def _overlaps(
    group: Group, groups: list[Group], own: Columns, objects: Mask, typed: Mask, known: dict[int, Metadata]
) -> Iterator[Problem]:
    """Objects in `value` that have shredded fields."""
    if own.value is None:
        return
    shredded = {groups[child].name for child in group.children}
    for entry in np.flatnonzero(objects):
        row = own.row(int(entry))
        if not typed[entry]:
            yield Problem("object-in-value", row, group.path, "value is an object, and typed_value is null")
            continue
        if row not in known:
            continue
        try:
            fields = object_fields(own.value[int(entry)].as_py(), known[row]) or {}
        except ParquetError:
            continue  # reported by the rule "value"
        for name in sorted({known[row].names[i] for i in fields} & shredded):
            yield Problem(
                "shredded-field-in-value",
                row,
                f"{group.path}.{name}",
                f"the field {name!r} is shredded and stands in the value, too",
            )


def _names(
    group: Group, groups: list[Group], columns: list[Columns], own: Columns, typed: Mask, known: dict[int, Metadata]
) -> Iterator[Problem]:
    """Shredded fields that are present, but whose names are not in the row's metadata."""
    for child in group.children:
        below = columns[child]
        name = groups[child].name
        there = typed & (below.present("value") | below.present("typed"))
        for entry in np.flatnonzero(there):
            row = own.row(int(entry))
            if row in known and name not in known[row].ids:
                yield Problem("name-in-metadata", row, groups[child].path, f"the metadata has no name {name!r}")
