"""Finds the features of a file that stop or mislead a reader, by the footer, and by page headers where it does not say."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format import embedded
from pqexplore.engine.format.field import CONVERTED_NULL, REPEATED, REQUIRED, Field, Leaf
from pqexplore.engine.format.logical import UNRECOGNISED, annotation
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, Type
from pqexplore.engine.rule import DATA
from pqexplore.insight.doctor.readers import storage
from pqexplore.insight.doctor.subject import Subject
from pqexplore.insight.writers.fingerprint import family
from pqexplore.insight.writers.writer import by_name

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.schema import Schema

PLACES = 64
"""Columns that are listed for one feature."""

DEEP = 99
"""Levels of the schema below the root that all readers take: Arrow C++ counts the root, up to 100."""

SCHEMA = 16 << 20
"""Bytes of the footer that are searched for extensions; the schema comes first."""

_BY_ANNOTATION = {
    "FLOAT16": "float16",
    "UUID": "uuid",
    "INTERVAL": "interval",
    "TIME": "time",
    "JSON": "json",
    "GEOMETRY": "geometry",
    "GEOGRAPHY": "geography",
    "UNKNOWN": "null-type",
    UNRECOGNISED: "unknown-logical-type",
}
_BY_RULE = {
    "MAP_KEY_VALUE in place of MAP": "map-key-value",
    "MAP_KEY_VALUE without a group around": "map-key-value-alone",
    "map without values": "map-without-value",
}
_EXTENSIONS = (b"\x08\xff\xff\x01", b"\x08\xfe\xff\x03")
"""The header of a binary field 32767 as the format writes it, and as Thrift's compact protocol does."""


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """A feature that a file has: its name in `known.KNOWN`, the columns with it, and the address of the first place.

    `seen` is what was seen of its values in the first of the columns; None if they were not looked at.
    """

    name: str
    columns: tuple[str, ...]
    address: str
    seen: storage.Seen | None = None


def features(file: ParquetFile) -> list[Found]:
    """The features of a file, `ordinary` first. Only "encrypted-footer" if the footer needs a key."""
    return of_subject(Subject(file, DATA))


def of_subject(subject: Subject) -> list[Found]:
    """The features of a file as far as its level goes: pages are read above level `footer`, all chunks at level `data`."""
    if subject.file.footer.crypto_metadata is not None:
        return [Found("encrypted-footer", (), "footer")]
    places: dict[str, dict[str, str]] = {"ordinary": {}}
    seen: storage.Sights = {}
    for part in (_of_schema, _of_names, functools.partial(storage.of_chunks, seen=seen)):
        try:
            for name, column, address in part(subject):
                known = places.setdefault(name, {})
                if len(known) < PLACES:
                    known.setdefault(column, address)
        except ParquetError as error:
            places.setdefault("unread", {}).setdefault("", error.address or "")
    return [
        Found(name, tuple(filter(None, known)), next(iter(known.values()), ""), seen.get((name, next(iter(known), ""))))
        for name, known in places.items()
    ]


def _of_schema(subject: Subject) -> Iterator[storage.Place]:
    schema = subject.file.schema
    if not subject.leaves:
        yield "no-columns", "", "schema/0"
    yield from of_fields(schema)
    if _arrow_schema_by_others(subject.file):
        yield "arrow-schema-by-others", "", "footer"
    metadata = subject.file.metadata
    orders = None if metadata is None else metadata.column_orders
    if orders is not None and len(orders) != len(subject.leaves):
        yield "column-orders-length", "", "footer/column_orders"
    if _lacks_geometry_types(subject.file):
        yield "geo-incomplete", "", "footer"
    for name in _odd_zones(subject.file):
        yield "arrow-zone-of-minutes", name, "footer"
    if any(field.depth > DEEP for field in schema.fields):
        yield "deep-schema", "", "schema"
    if subject.level == DATA and _has_extension(subject):  # it reads the schema's bytes once more
        yield from _extensions(subject, schema.fields)


def of_fields(schema: Schema) -> Iterator[storage.Place]:
    """The features of the types of a schema's fields; each address is `schema/INDEX`."""
    tops = {id(top) for top in schema.root.children}
    for field in schema.fields[1:]:
        column, address = ".".join(field.path), Address.of("schema", field.index)
        names = {one.name for one in field.children}
        inside = _inside_variant(field)
        if (inside or field.kind == "variant") and "typed_value" in names and "value" not in names:
            yield "variant-without-value", column, address
        if inside:
            continue
        found = list(of_field(field))
        if id(field) in tops and not isinstance(field, Leaf) and field.kind != "variant":
            found.append("nested")
        for name in found:
            yield name, column, address


def _inside_variant(field: Field) -> bool:
    above = field.parent
    while above is not None:
        if above.kind == "variant":
            return True
        above = above.parent
    return False


def of_field(field: Field) -> Iterator[str]:
    """The features of one field outside of Variants, by its schema alone: names in `known.KNOWN`."""
    yield from _of_leaf(field) if isinstance(field, Leaf) else _of_group(field)


def _of_leaf(leaf: Leaf) -> Iterator[str]:
    known, converted = annotation(leaf), leaf.element.converted_type
    if known.name == "BSON":
        yield "bson" if converted == ConvertedType.BSON else "bson-logical"
    if converted == CONVERTED_NULL:
        yield "converted-null"
    elif known.name == "UNKNOWN" and converted is not None:
        yield "null-with-converted"
    if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY and not known.name:
        yield "fixed-bytes"
    if known.name in _BY_ANNOTATION:
        yield _BY_ANNOTATION[known.name]
    if known.name == "ENUM" and converted == ConvertedType.UTF8:
        yield "enum-as-text"
    if known.name == "UNKNOWN" and leaf.physical_type == Type.BOOLEAN:
        yield "null-boolean"
    if known.name == "DECIMAL" and known.precision > 38:
        yield "wide-decimal"
    if known.unit == "ns":
        yield "nanoseconds"
    if leaf.list_rule == "unannotated repeated field":
        yield "repeated-primitive"
    if leaf.max_repetition_level > 1:
        yield "nested-list"


def _of_group(field: Field) -> Iterator[str]:
    if not field.children:
        yield "empty-group"
    if field.kind == "variant":
        yield ("variant" if {one.name for one in field.children} <= {"metadata", "value"} else "variant-shredded")
    chosen = structs.union_field(field.element.logicalType)
    if chosen is not None and chosen[0] == "FILE":
        yield "file-type"
    elif chosen is None and field.element.logicalType is not None:
        yield "unknown-logical-type"
    if field.kind in ("list", "map") and field.element.converted_type is None:
        yield "list-without-converted"
    yield from _of_list_rule(field)
    if _has_optional_key(field):
        yield "optional-map-key"


def _of_list_rule(field: Field) -> Iterator[str]:
    """The features of a list or map by the rule that made it one."""
    rule = field.list_rule or ""
    if rule in _BY_RULE:
        yield _BY_RULE[rule]
    if rule.startswith("two-level"):
        yield "legacy-list"
    if rule == "two-level group with a repeated field" and field.list_element and field.list_element.kind == "group":
        yield "legacy-list-of-lists"
    if rule == "unannotated repeated field":
        yield "repeated-group"
        if len(field.children) == 1:
            yield "repeated-group-of-one"
    if field.kind == "map" and field.repetition == REPEATED and rule != "MAP_KEY_VALUE without a group around":
        yield "map-as-element"


def _has_optional_key(field: Field) -> bool:
    """Whether a group is a map whose key is optional, or would be one if its key were not."""
    if field.kind == "map" and field.list_element is not None:
        keys = field.list_element.children
        return bool(keys) and keys[0].repetition != REQUIRED
    return field.element.converted_type == ConvertedType.MAP and field.list_rule == "MAP ignored"


def _of_names(subject: Subject) -> Iterator[storage.Place]:
    yield from of_names(subject.file.schema)


def of_names(schema: Schema) -> Iterator[storage.Place]:
    """Columns of a schema whose names are equal, or differ in case only; each address is `schema/INDEX`."""
    children = schema.root.children
    exact: dict[str, str] = {}
    folded: dict[str, str] = {}
    for field in children:
        address = Address.of("schema", field.index)
        if field.name in exact:
            yield "duplicate-names", field.name, address
        elif field.name.casefold() in folded:
            yield "names-differ-in-case", field.name, address
        exact[field.name] = folded[field.name.casefold()] = address


_ARROW = frozenset(("arrow-cpp", "arrow-rs", "arrow-go", "arrow2", "duckdb", "polars", "pqexplore"))
"""Writers that hold their data as Arrow does, or write its schema as Arrow does."""


def _arrow_schema_by_others(file: ParquetFile) -> bool:
    """Whether the key ARROW:schema was written by a program that is no Arrow implementation."""
    writer = by_name(file)
    if writer is not None and family(writer.name) in _ARROW:
        return False
    return "ARROW:schema" in file.key_value_metadata


def _content(file: ParquetFile, key: str) -> object:
    """What a key of other formats holds; None if it is not there, or is damaged."""
    known = embedded.decode(key, file.key_value_metadata.get(key))
    return None if known is None else known.content


def _lacks_geometry_types(file: ParquetFile) -> bool:
    """Whether the GeoParquet metadata lack what GeoParquet 1.0 requires of them, or of a column."""
    content = _content(file, embedded.GEO)
    if not isinstance(content, dict):
        return False
    columns = content.get("columns")
    required = [one for one in columns.values() if isinstance(one, dict)] if isinstance(columns, dict) else []
    return "version" not in content or any(not {"encoding", "geometry_types"} <= one.keys() for one in required)


def _odd_zones(file: ParquetFile) -> Iterator[str]:
    """The timestamps whose ARROW:schema has a zone of hours and minutes."""
    content = _content(file, embedded.ARROW)
    for field in content if isinstance(content, pa.Schema) else ():
        if pa.types.is_timestamp(field.type) and _MINUTES.match(field.type.tz or ""):
            yield field.name


_MINUTES = re.compile(r"[+-]\d\d:?(?!00)\d\d$")


def _has_extension(subject: Subject) -> bool:
    """Whether the schema's bytes may have a field 32767."""
    file = subject.file
    try:
        size = min(file.size - file.footer.start, SCHEMA)
        head = bytes(file.source.read(file.footer.start, size))
    except ParquetError:
        return False
    return any(one in head for one in _EXTENSIONS)


def _extensions(subject: Subject, fields: list[Field]) -> Iterator[storage.Place]:
    """The fields whose LogicalType has a field 32767 beside its own."""
    for field in fields[1:]:
        address = Address.of("schema", field.index)
        if field.element.logicalType is None:
            continue
        try:
            node = subject.file.node(Address.of("footer", "schema", field.index, "logicalType"))
            parts = [str(child.address).rpartition("/")[2] for child in node.children]
        except ParquetError:
            continue
        if "extension" in parts:
            yield "logical-type-extension", ".".join(field.path), address
