"""Tests whether a page fits a column, by decoding its levels and values.

With a schema, a page is tried as one of a leaf. Without one, level shapes and types are tried: levels and values must
take exactly the bytes of their sections, which rarely happens by chance. If several types fit, all are kept.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.file import page_sections
from pqexplore.engine.file.page_headers import PageFrame, part_v2
from pqexplore.engine.file.source import Source
from pqexplore.engine.format import codecs, encodings
from pqexplore.engine.format import schema as schemas
from pqexplore.engine.format.encodings import bit_packed, dictionary, plain, rle, value_encoding
from pqexplore.engine.format.encodings.encoding import SectionEncoding, ValueEncoding
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import (
    CompressionCodec,
    ConvertedType,
    Encoding,
    FieldRepetitionType,
    PageType,
    Type,
)
from pqexplore.engine.limits import Limits
from pqexplore.engine.salvage.prove import PREFERENCE, SalvagedPage

Levels = np.ndarray[Any, Any]
Shape = tuple[int, int, bool]
"""Maximum repetition level, maximum definition level, and whether the outermost list may be null."""

SHAPES: tuple[Shape, ...] = (
    *((0, 1, False), (0, 0, False), (1, 3, True), (1, 2, True), (1, 2, False), (1, 1, False)),
    *((0, 2, False), (0, 3, False), (1, 3, False), (2, 5, True), (2, 4, True), (2, 3, True)),
    *((2, 4, False), (2, 3, False), (2, 2, False), (1, 4, True), (1, 4, False), (1, 5, True)),
    *((0, 4, False), (3, 7, True), (2, 6, True), (2, 7, True)),
)
"""The shapes that are tried, the most common first."""

PLAIN_SHAPE: Shape = (0, 0, False)

ColumnType = tuple[int, int | None]
"""Physical type, and the length of a FIXED_LEN_BYTE_ARRAY."""


@dataclasses.dataclass(frozen=True, slots=True)
class Fit:
    """A page that fits a column: its rows, and its values that are not null."""

    rows: int
    present: int


def believed_codec(pages: list[SalvagedPage]) -> int | None:
    """The most likely codec that decompresses all these pages; None if there is none."""
    common = frozenset.intersection(*(page.codecs for page in pages))
    return next((int(codec) for codec in PREFERENCE if codec in common), None)


def fit(source: Source, page: SalvagedPage, leaf: Leaf, codec: int, entries: int | None, limits: Limits) -> Fit | None:
    """The rows and values of the page if it fits the column `leaf`; None if it does not.

    `entries` is the number of entries of the chunk's dictionary, None without one.
    """
    try:
        data = _plain(source, page.frame, codec, limits)
        section, rows, present = _cut(data, page, leaf, limits)
        if not _values_fit(section.data, present, page, leaf, entries):
            return None
    except ParquetError:
        return None
    return Fit(rows, present)


def _plain(source: Source, frame: PageFrame, codec: int, limits: Limits) -> memoryview:
    """A page's body without compression. The levels of a V2 page are never compressed."""
    stored = memoryview(source.read(frame.header_end, frame.end - frame.header_end))
    levels, size = 0, frame.header.uncompressed_page_size
    if frame.header.type == PageType.DATA_PAGE_V2:
        part = part_v2(frame.header)
        levels = part.definition_levels_byte_length + part.repetition_levels_byte_length
        if part.is_compressed is False or levels == len(stored):
            return stored
    if codec == CompressionCodec.UNCOMPRESSED:
        return stored
    data = codecs.decompress(codec, stored[levels:], size - levels, limits=limits)
    return memoryview(bytes(stored[:levels]) + bytes(data)) if levels else data


def _cut(data: memoryview, page: SalvagedPage, leaf: Leaf, limits: Limits) -> tuple[page_sections.Section, int, int]:
    """The values section of a page, its rows, and its values that are not null."""
    frame = page.frame
    body = page_sections.open_body(frame, data, CompressionCodec.UNCOMPRESSED, leaf, "", limits, decrypted=False)
    count = page.num_values
    if not frame.is_data:
        return body.section("values"), 0, count
    rows = present = count
    repetition = None
    if leaf.max_repetition_level:
        repetition = _levels(page, body.section("repetition_levels"), leaf.max_repetition_level)
        rows = int(np.count_nonzero(repetition == 0))
    elif page.header.type == PageType.DATA_PAGE_V2 and (part_v2(page.header).repetition_levels_byte_length):
        raise CorruptFileError("a column without lists has no repetition levels")
    if leaf.max_definition_level:
        levels = _levels(page, body.section("definition_levels"), leaf.max_definition_level)
        present = int(np.count_nonzero(levels == leaf.max_definition_level))
        if repetition is not None:
            _check_repeats(leaf, repetition, levels)
    elif page.header.type == PageType.DATA_PAGE_V2 and (part_v2(page.header).definition_levels_byte_length):
        raise CorruptFileError("a required column has no definition levels")
    return body.section("values"), rows, present


def _check_repeats(leaf: Leaf, repetition: Levels, definition: Levels) -> None:
    """An entry that continues a list has an element in that list, and so has the entry before it."""
    field: Field | None = leaf
    while field is not None and field.parent is not None:
        level = field.max_repetition_level
        if field.repetition == FieldRepetitionType.REPEATED:
            continued = np.flatnonzero(repetition == level)
            level_of_element = field.max_definition_level
            before = definition[np.maximum(continued - 1, 0)]
            if np.any(definition[continued] < level_of_element) or np.any(before < level_of_element):
                raise CorruptFileError(f"a list continues at level {level} without an element")
        field = field.parent


def _levels(page: SalvagedPage, section: page_sections.Section, maximum: int) -> Levels:
    width, count = maximum.bit_length(), page.num_values
    if page.header.type == PageType.DATA_PAGE_V2:
        levels = rle.decode(section.data, width, count)
    elif getattr(page.header.data_page_header, section.name[:-1] + "_encoding") == Encoding.BIT_PACKED:
        levels = bit_packed.decode(section.data, width, count)[0]
    else:
        levels = rle.decode_prefixed(section.data, width, count)[0] if count else rle.decode(b"", width, 0)
    if len(levels) and int(levels.max()) > maximum:
        raise CorruptFileError(f"a level is beyond {maximum}")
    return levels


def _values_fit(data: memoryview, present: int, page: SalvagedPage, leaf: Leaf, entries: int | None) -> bool:
    """Whether the section holds `present` values of the leaf's type; may raise ParquetError if not."""
    encoding = Encoding.PLAIN if page.is_dictionary else page.encoding
    if page.needs_dictionary:
        if entries is None:
            return not present
        dictionary.decode_ids(data, present, entries)
        return True
    found = value_encoding(encoding)
    found.require(leaf.physical_type)
    structure = found.scan(data, present, leaf.physical_type, leaf.type_length)
    if structure.error is not None:
        return False
    if structure.end != len(data):
        return False
    _ = found.fixed_width or structure.values  # which raises for damage inside them
    return True


# Without a schema.


@dataclasses.dataclass(frozen=True)
class Guess:
    """For each level shape that a page fits: its rows and its possible types.

    Types are None if any type is possible: the page has no values, or its values are in the dictionary.
    """

    rows: dict[Shape, int]
    types: dict[Shape, frozenset[ColumnType] | None]


@cache
def trial_leaf(shape: Shape, physical: int, length: int | None) -> Leaf:
    """A leaf with the maximum levels of `shape`, and this type."""
    return schemas.build(elements("x", shape, (physical, length), root=True)).leaves[0]


def elements(name: str, shape: Shape, kind: ColumnType, *, root: bool = False) -> list[structs.SchemaElement]:
    """Schema elements of a column with these maximum levels: three-level lists, one inside the other.

    The levels do not show which groups on the path are optional; the outer ones are made optional.
    """
    repetition, definition, outer = shape
    physical, length = kind
    element = structs.SchemaElement
    optional = definition - repetition
    path: list[structs.SchemaElement] = []

    def repetition_type() -> int:
        nonlocal optional
        if repetition and not path and not outer:
            return FieldRepetitionType.REQUIRED
        optional -= 1
        return FieldRepetitionType.OPTIONAL if optional >= 0 else FieldRepetitionType.REQUIRED

    for _ in range(repetition):
        path.append(
            element(
                name="element" if path else name,
                num_children=1,
                repetition_type=repetition_type(),
                converted_type=ConvertedType.LIST,
                logicalType=structs.LogicalType(LIST=structs.ListType()),
            )
        )
        path.append(element(name="list", num_children=1, repetition_type=FieldRepetitionType.REPEATED))
    while optional > 1:
        own = "element" if path else name
        if path and path[-1].name != "list":
            own = "value"
        path.append(element(name=own, num_children=1, repetition_type=repetition_type()))
    own = name if not path else "element" if path[-1].name == "list" else "value"
    path.append(element(name=own, type=physical, type_length=length, repetition_type=repetition_type()))
    return [element(name="schema", num_children=1), *path] if root else path


def guess(source: Source, page: SalvagedPage, entries: int | None, limits: Limits) -> Guess:
    """The shapes and types that the page fits; empty if none."""
    codec = believed_codec([page])
    rows: dict[Shape, int] = {}
    types: dict[Shape, frozenset[ColumnType] | None] = {}
    if codec is None or not page.usable:
        return Guess(rows, types)
    try:
        data = _plain(source, page.frame, codec, limits)
    except ParquetError:
        return Guess(rows, types)
    for shape in (PLAIN_SHAPE,) if page.is_dictionary else SHAPES:
        leaf = trial_leaf(shape, int(Type.BYTE_ARRAY), None)
        try:
            section, count, present = _cut(data, page, leaf, limits)
        except ParquetError:
            continue
        found = _types(section.data, present, page, shape, entries)
        if found is None or found:
            rows[shape], types[shape] = count, found
    return Guess(rows, types)


def _types(
    data: memoryview, present: int, page: SalvagedPage, shape: Shape, entries: int | None
) -> frozenset[ColumnType] | None:
    """The possible types of the values; None for any, an empty set for none."""
    if page.needs_dictionary:
        if not present:  # a bit width, and empty runs
            return None if len(data) <= 8 else frozenset()
        try:
            dictionary.decode_ids(data, present, 1 << 32 if entries is None else entries)
        except ParquetError:
            return frozenset()
        return None
    if not present and not len(data):
        return None
    found = encodings.REGISTRY.get(Encoding.PLAIN if page.is_dictionary else page.encoding)
    types = set()
    for kind in _trials(found, *divmod(len(data), max(1, present))) if found else ():
        try:
            if _values_fit(data, present, page, trial_leaf(shape, *kind), entries):
                types.add(kind)
        except ParquetError:
            continue
    return frozenset(types)


def _trials(encoding: SectionEncoding, width: int, rest: int) -> Iterator[ColumnType]:
    """The types that an encoding may have; `width` are the bytes of a value if all have the same, without a `rest`."""
    fixed = isinstance(encoding, ValueEncoding) and encoding.fixed_width
    for physical in encoding.physical_types:
        if physical == Type.FIXED_LEN_BYTE_ARRAY:
            if fixed and width and not rest:
                yield int(physical), width
        elif not fixed or plain.WIDTHS.get(physical, width) == width:
            yield int(physical), None


def decide(types: frozenset[ColumnType] | None) -> tuple[ColumnType, bool]:
    """The type of a column, and whether its pages prove it.

    If several types fit, values of a fixed length become FIXED_LEN_BYTE_ARRAY, and delta-encoded integers INT64.
    """
    if not types:
        return (int(Type.BYTE_ARRAY), None), False
    if len(types) == 1:
        return next(iter(types)), True
    if (int(Type.BYTE_ARRAY), None) in types:
        return (int(Type.BYTE_ARRAY), None), True
    fixed = [kind for kind in types if kind[0] == Type.FIXED_LEN_BYTE_ARRAY]
    if fixed:
        return fixed[0], False
    return max(types, key=lambda kind: kind[0] == Type.INT64), False
