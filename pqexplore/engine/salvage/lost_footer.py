"""Finds a footer that is not at the end: bytes follow it, its last eight bytes were overwritten, or it is cut off.

The search decodes bytes that begin like a FileMetaData. A FileMetaData that is cut off often still has its schema.
"""

from __future__ import annotations

import dataclasses
import re

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.footer import MAGIC
from pqexplore.engine.file.source import Source
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import schema as schemas
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.thrift import fast, struct_spans, structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.limits import Limits

_BEGIN = re.compile(rb"\x15[\x00\x02\x04]\x19[\x1c\x2c\x3c\x4c\x5c\x6c\x7c\x8c\x9c\xac\xbc\xcc\xdc\xec\xfc]")
"""A version of 0, 1 or 2, and a list of structs: the schema."""

REACH = 64 << 20
"""Bytes before the end of the file that are searched."""
TRIES = 200
"""Offsets at which decoding is tried, at most."""
PARTIAL, PARTIAL_TRIES = 8 << 20, 4
"""Bytes of a cut-off footer that are parsed field by field, and how many are tried, because this is slow."""


@dataclasses.dataclass(frozen=True)
class LostFooter:
    """A FileMetaData at bytes `[start, end)`; without row groups if it is cut off after its schema."""

    start: int
    end: int
    metadata: structs.FileMetaData
    complete: bool


def search(source: Source, limits: Limits) -> LostFooter | None:
    """The last FileMetaData that can be decoded, else one whose schema can; None if there is neither."""
    size = source.size
    begin = max(4, size - min(REACH, limits.footer_bytes))
    if begin >= size:
        return None
    data = bytes(source.read(begin, size - begin))
    offsets = [match.start() for match in _BEGIN.finditer(data)][-TRIES:]
    proper = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    if data.endswith(MAGIC) and proper >= 0:
        offsets.append(proper)  # where a reader looks for it, and reads it whatever its version
    partial, left, broken = None, 4 * len(data) + (1 << 20), 0
    for offset in reversed(offsets):
        rest = memoryview(data)[offset:]
        try:
            metadata, end = fast.decode(structs.FileMetaData, rest)
        except ParquetError as error:
            left -= error.offset or 0
            if partial is None and broken < PARTIAL_TRIES:
                broken += 1
                partial = _partial(rest, begin + offset, limits)
        else:
            left -= end
            complete = not structs.missing(metadata)
            footer = _checked(begin + offset, begin + offset + end, metadata, complete, limits)
            if footer is not None:
                return footer
        if left < 0:
            break
    return partial


def _partial(rest: memoryview, start: int, limits: Limits) -> LostFooter | None:
    """A FileMetaData that is cut off; None if its schema is not complete."""
    read = struct_spans.read(structs.FileMetaData, rest[:PARTIAL], limits=limits, opaque={"RowGroup"})
    field = read.field("schema")
    if field is None or not field.fits or len(read.fields) < 2 or read.fields[-1] is field:
        return None
    metadata = structs.FileMetaData(
        version=1, schema=[struct_spans.object_of(structs.SchemaElement, item.value) for item in field.value]
    )
    return _checked(start, start + read.end, metadata, False, limits)


def _checked(start: int, end: int, metadata: structs.FileMetaData, complete: bool, limits: Limits) -> LostFooter | None:
    """The footer; None if its schema has no columns or is not a tree."""
    try:
        leaves = schemas.build(metadata.schema, limits=limits).leaves
    except ParquetError:
        return None
    return LostFooter(start, end, metadata, complete) if leaves else None


def repaired(metadata: structs.FileMetaData, limits: Limits) -> tuple[list[structs.SchemaElement], list[Finding]]:
    """The schema with lost types of leaves restored from the column chunks, and a finding for each.

    A leaf without a type is read as a group without fields, so there are more column chunks than leaves.
    """
    elements = list(metadata.schema)
    fields = schemas.build(elements, limits=limits).fields[1:]
    childless = [f for f in fields if not f.children and not isinstance(f, Leaf)]
    if not childless or not metadata.row_groups:
        return elements, []
    inner = [chunk.meta_data for chunk in metadata.row_groups[0].columns or ()]
    types = {tuple(one.path_in_schema or ()): one.type for one in inner if one is not None}
    findings = []
    for field in childless:
        kind = types.get(field.path)
        if kind is None or not 0 <= kind <= max(Type):
            continue
        if kind == Type.FIXED_LEN_BYTE_ARRAY and field.element.type_length is None:
            continue
        values = {one.name: getattr(field.element, one.name) for one in field.element.FIELDS}
        elements[field.index] = structs.SchemaElement(**{**values, "type": kind, "num_children": None})
        findings.append(
            Finding(
                "type-corrected",
                Address.of("schema", field.index),
                f"column {'.'.join(field.path)} has no type in the schema; its column chunks have "
                f"{structs.enum_name(Type, kind)}",
                {"type": kind},
            )
        )
    return elements, findings
