"""Does a page fit a column? Its levels and its values are decoded to see.

With a schema at hand a page is held against a leaf. Without one, shapes of columns are tried: levels and values must
take exactly the bytes that are there, which chance seldom makes. What several types would read the same is not decided.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import numpy as np

from pqexplore.engine import codecs, sections
from pqexplore.engine import schema as schemas
from pqexplore.engine.encodings import (
    bit_packed,
    byte_array_scan,
    delta_binary_packed,
    dictionary,
    rle,
    value_encoding,
)
from pqexplore.engine.errors import CorruptFileError, ParquetError
from pqexplore.engine.limits import Limits
from pqexplore.engine.pages import Frame
from pqexplore.engine.salvage.prove import PREFERENCE, SalvagedPage
from pqexplore.engine.schema import Leaf
from pqexplore.engine.source import Source
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import (
    CompressionCodec,
    ConvertedType,
    Encoding,
    FieldRepetitionType,
    PageType,
    Type,
)

WIDTHS: dict[int, int] = {
    Type.INT32: 4,
    Type.INT64: 8,
    Type.INT96: 12,
    Type.FLOAT: 4,
    Type.DOUBLE: 8,
}

Levels = np.ndarray[Any, Any]
Shape = tuple[int, int, bool]
"""Maximum repetition level, maximum definition level, and whether the outermost group of a list may be null."""

SHAPES: tuple[Shape, ...] = (
    *((0, 1, False), (0, 0, False), (1, 3, True), (1, 2, True), (1, 2, False), (1, 1, False)),
    *((0, 2, False), (0, 3, False), (1, 3, False), (2, 5, True), (2, 4, True), (2, 3, True)),
    *((2, 4, False), (2, 3, False), (2, 2, False), (1, 4, True), (1, 4, False), (1, 5, True)),
    *((0, 4, False), (3, 7, True), (2, 6, True), (2, 7, True)),
)
"""What is tried, the common first."""

PLAIN_SHAPE: Shape = (0, 0, False)

ColumnType = tuple[int, int | None]
"""Physical type, and the length of a FIXED_LEN_BYTE_ARRAY."""


@dataclasses.dataclass(frozen=True, slots=True)
class Fit:
    """A page read as one of a column: its rows, and how many of its values are stored."""

    rows: int
    present: int


def believed_codec(pages: list[SalvagedPage]) -> int | None:
    """The codec that all these pages may have; None where there is none."""
    common = frozenset.intersection(*(page.codecs for page in pages))
    return next((int(codec) for codec in PREFERENCE if codec in common), None)


def fit(
    source: Source,
    page: SalvagedPage,
    leaf: Leaf,
    codec: int,
    entries: int | None,
    limits: Limits,
) -> Fit | None:
    """How the page reads as one of the column `leaf`; None where it cannot be one.

    `entries` is the size of the dictionary that comes before, None where there is none.
    """
    try:
        data = _plain(source, page.frame, codec, limits)
        section, rows, present = _cut(data, page, leaf, limits)
        if not _values_fit(section.data, present, page, leaf, entries):
            return None
    except ParquetError:
        return None
    return Fit(rows, present)


def _plain(source: Source, frame: Frame, codec: int, limits: Limits) -> memoryview:
    """A page's body as it would be without compression; of a V2 page its levels are never compressed."""
    stored = memoryview(source.read(frame.header_end, frame.end - frame.header_end))
    levels, size = 0, frame.header.uncompressed_page_size
    if frame.header.type == PageType.DATA_PAGE_V2:
        part = frame.header.data_page_header_v2
        levels = part.definition_levels_byte_length + part.repetition_levels_byte_length
        if part.is_compressed is False or levels == len(stored):
            return stored
    if codec == CompressionCodec.UNCOMPRESSED:
        return stored
    data = codecs.decompress(codec, stored[levels:], size - levels, limits=limits)
    return memoryview(bytes(stored[:levels]) + bytes(data)) if levels else data


def _cut(
    data: memoryview, page: SalvagedPage, leaf: Leaf, limits: Limits
) -> tuple[sections.Section, int, int]:
    """The values section of a page, its rows, and how many values are stored."""
    frame = page.frame
    body = sections.open_body(
        frame, data, CompressionCodec.UNCOMPRESSED, leaf, "", limits, decrypted=False
    )
    count = page.num_values
    if not frame.is_data:
        return body.section("values"), 0, count
    rows = present = count
    repetition = None
    if leaf.max_repetition_level:
        repetition = _levels(page, body.section("repetition_levels"), leaf.max_repetition_level)
        rows = int(np.count_nonzero(repetition == 0))
    elif page.header.type == PageType.DATA_PAGE_V2 and (
        page.header.data_page_header_v2.repetition_levels_byte_length
    ):
        raise CorruptFileError("a column without lists has no repetition levels")
    if leaf.max_definition_level:
        levels = _levels(page, body.section("definition_levels"), leaf.max_definition_level)
        present = int(np.count_nonzero(levels == leaf.max_definition_level))
        if repetition is not None:
            _check_repeats(leaf, repetition, levels)
    elif page.header.type == PageType.DATA_PAGE_V2 and (
        page.header.data_page_header_v2.definition_levels_byte_length
    ):
        raise CorruptFileError("a required column has no definition levels")
    return body.section("values"), rows, present


def _check_repeats(leaf: Leaf, repetition: Levels, definition: Levels) -> None:
    """An entry that goes on with a list has an element in that list, and so has the entry before it."""
    field: schemas.Field | None = leaf
    while field is not None and field.parent is not None:
        level = field.max_repetition_level
        if field.repetition == FieldRepetitionType.REPEATED:
            goes_on = np.flatnonzero(repetition == level)
            least = field.max_definition_level
            before = definition[np.maximum(goes_on - 1, 0)]
            if np.any(definition[goes_on] < least) or np.any(before < least):
                raise CorruptFileError(f"a list goes on at level {level} without an element")
        field = field.parent


def _levels(page: SalvagedPage, section: sections.Section, maximum: int) -> Levels:
    width, count = maximum.bit_length(), page.num_values
    if page.header.type == PageType.DATA_PAGE_V2:
        levels = rle.decode(section.data, width, count)
    elif (
        getattr(page.header.data_page_header, section.name[:-1] + "_encoding")
        == Encoding.BIT_PACKED
    ):
        levels = bit_packed.decode(section.data, width, count)[0]
    else:
        levels = (
            rle.decode_prefixed(section.data, width, count)[0]
            if count
            else rle.decode(b"", width, 0)
        )
    if len(levels) and int(levels.max()) > maximum:
        raise CorruptFileError(f"a level is beyond {maximum}")
    return levels


def _values_fit(
    data: memoryview, present: int, page: SalvagedPage, leaf: Leaf, entries: int | None
) -> bool:
    """Whether the section holds that many values of the leaf's type; raises ParquetError where it does not."""
    encoding = Encoding.PLAIN if page.is_dictionary else page.encoding
    if page.needs_dictionary:
        if entries is None:
            return not present
        dictionary.decode_ids(data, present, entries)
        return True
    if encoding in (Encoding.PLAIN, Encoding.BYTE_STREAM_SPLIT):
        if leaf.physical_type == Type.BOOLEAN:
            return len(data) == (present + 7) // 8
        if leaf.physical_type == Type.BYTE_ARRAY:
            return byte_array_scan.find_values(bytes(data), present)[1] == len(data)
        width = WIDTHS.get(leaf.physical_type, leaf.type_length or 0)
        return len(data) == width * present
    if encoding == Encoding.DELTA_BINARY_PACKED and present:
        bits = 32 if leaf.physical_type == Type.INT32 else 64
        if leaf.physical_type not in (Type.INT32, Type.INT64):
            return False
        return delta_binary_packed.decode_with_end(data, 0, present, bits)[1] == len(data)
    value_encoding(encoding).decode(data, present, leaf.physical_type, leaf.type_length)
    return True


# Without a schema.


@dataclasses.dataclass(frozen=True)
class Guess:
    """What a page may be: for each shape of levels that fits, its rows and its possible types.

    Types are None where the page has no values that would tell, or they are in the dictionary.
    """

    rows: dict[Shape, int]
    types: dict[Shape, frozenset[ColumnType] | None]


@cache
def trial_leaf(shape: Shape, physical: int, length: int | None) -> Leaf:
    """A leaf with these maximum levels and this type."""
    return schemas.build(elements("x", shape, (physical, length), root=True)).leaves[0]


def elements(
    name: str, shape: Shape, kind: ColumnType, *, root: bool = False
) -> list[structs.SchemaElement]:
    """Schema elements of a column with these maximum levels: lists in lists, as the specification shapes them.

    Which of the groups on the path are optional cannot be seen: the outer ones are taken to be.
    """
    repetition, definition, outer = shape
    physical, length = kind
    element = structs.SchemaElement
    optional = definition - repetition
    made: list[structs.SchemaElement] = []

    def repetition_type() -> int:
        nonlocal optional
        if repetition and not made and not outer:
            return FieldRepetitionType.REQUIRED
        optional -= 1
        return FieldRepetitionType.OPTIONAL if optional >= 0 else FieldRepetitionType.REQUIRED

    for _ in range(repetition):
        made.append(
            element(
                name="element" if made else name,
                num_children=1,
                repetition_type=repetition_type(),
                converted_type=ConvertedType.LIST,
                logicalType=structs.LogicalType(LIST=structs.ListType()),
            )
        )
        made.append(
            element(name="list", num_children=1, repetition_type=FieldRepetitionType.REPEATED)
        )
    while optional > 1:
        own = "element" if made else name
        if made and made[-1].name != "list":
            own = "value"
        made.append(element(name=own, num_children=1, repetition_type=repetition_type()))
    own = name if not made else "element" if made[-1].name == "list" else "value"
    made.append(
        element(name=own, type=physical, type_length=length, repetition_type=repetition_type())
    )
    return [element(name="schema", num_children=1), *made] if root else made


def guess(source: Source, page: SalvagedPage, entries: int | None, limits: Limits) -> Guess:
    """What the page may be; nothing where no shape fits."""
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
    """The types that the values may have; None for any, an empty set for none."""
    if page.needs_dictionary:
        if not present:  # a bit width, and runs of nothing
            return None if len(data) <= 8 else frozenset()
        try:
            dictionary.decode_ids(data, present, 1 << 32 if entries is None else entries)
        except ParquetError:
            return frozenset()
        return None
    if not present and not len(data):
        return None
    width, rest = divmod(len(data), max(1, present))
    fixed: list[ColumnType] = []
    if present and width and not rest:
        fixed = [(int(kind), None) for kind, size in WIDTHS.items() if size == width]
        fixed.append((int(Type.FIXED_LEN_BYTE_ARRAY), width))
    byte_array: ColumnType = (int(Type.BYTE_ARRAY), None)
    encoding = Encoding.PLAIN if page.is_dictionary else page.encoding
    trials_of: dict[int, list[ColumnType]] = {
        Encoding.PLAIN: [byte_array, (int(Type.BOOLEAN), None), *fixed],
        Encoding.RLE: [(int(Type.BOOLEAN), None)],
        Encoding.DELTA_BINARY_PACKED: [(int(Type.INT32), None), (int(Type.INT64), None)],
        Encoding.DELTA_LENGTH_BYTE_ARRAY: [byte_array],
        Encoding.DELTA_BYTE_ARRAY: [byte_array],
        Encoding.BYTE_STREAM_SPLIT: [kind for kind in fixed if kind[0] != Type.INT96],
        Encoding.ALP: [(int(Type.FLOAT), None), (int(Type.DOUBLE), None)],
    }
    found = set()
    for kind in trials_of.get(encoding, []):
        try:
            if _values_fit(data, present, page, trial_leaf(shape, *kind), entries):
                found.add(kind)
        except ParquetError:
            continue
    return frozenset(found)


def decide(types: frozenset[ColumnType] | None) -> tuple[ColumnType, bool]:
    """The type that a column is given, and whether its pages prove it.

    Where several fit, bytes of fixed length stay bytes of fixed length, and delta-encoded integers become INT64.
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
