"""Fields that the format does not declare, field 32767 among them, in the footer, in page headers and in indexes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine import extension
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.thrift import spans, structs
from pqexplore.engine.thrift.wire import EXTENSION_HEADER, EXTENSION_IDS
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.file import ParquetFile

MARKS = (EXTENSION_HEADER, b"\x08\xfe\xff\x03")
"""Headers of field 32767: as the format shows it, and as a Thrift writer writes it."""
LARGEST = 16 << 20
"""Footers beyond this are not searched struct by struct."""
HEADERS_SEARCHED = 10_000
"""Page headers that are searched."""


def findings(file: ParquetFile) -> Iterator[Finding]:
    """Every extension and every unknown field that readers skip."""
    raw = file.footer.raw
    if raw is None:
        return
    if len(raw) <= LARGEST or any(mark in bytes(raw) for mark in MARKS):
        read = spans.read(structs.FileMetaData, raw, limits=file.limits)
        yield from _walk(read, "footer")
    searched = 0
    for chunk in file.chunks():
        yield from _chunk(chunk)
        walked = chunk.walked
        if walked is None or chunk.encrypted:
            continue
        for number, frame in enumerate(walked.frames):
            if searched >= HEADERS_SEARCHED:
                return
            searched += 1
            data = bytes(file.source.read(frame.start, frame.header_end - frame.start))
            if any(mark in data for mark in MARKS):
                read = spans.read(structs.PageHeader, data, limits=file.limits)
                yield from _walk(read, join(chunk.address, "pages", number, "header"))


def _chunk(chunk: ColumnChunk) -> Iterator[Finding]:
    """The chunk's indexes, where they are not encrypted."""
    try:
        if chunk.encrypted:
            return
        for name, kind in (
            ("column_index", structs.ColumnIndex),
            ("offset_index", structs.OffsetIndex),
        ):
            offset, length = (
                getattr(chunk.struct, f"{name}_{what}") for what in ("offset", "length")
            )
            if getattr(chunk, name) is None:
                continue
            data = bytes(chunk.file.source.read(offset, length))
            if any(mark in data for mark in MARKS):
                read = spans.read(kind, data, limits=chunk.file.limits)
                yield from _walk(read, join(chunk.address, name))
    except ParquetError:
        return  # told where the index is checked


def _walk(read: spans.StructSpan, address: str) -> Iterator[Finding]:
    todo: list[tuple[spans.StructSpan, str]] = [(read, address)]
    while todo:
        struct, where = todo.pop()
        name = "an unknown struct" if struct.struct_class is None else struct.struct_class.NAME
        for field in struct.fields:
            here = join(where, field.name.replace(" ", "_"))
            if field.field is None and struct.struct_class is not None:
                yield _undeclared(field, name, here)
            elif field.note and not field.fits:
                yield Finding(
                    "field-mistyped",
                    "warning",
                    here,
                    f"field {field.name} of {name}: {field.note}",
                    {"field": field.id, "wire_type": field.wire_name},
                )
            if isinstance(field.value, spans.StructSpan):
                todo.append((field.value, here))
            elif isinstance(field.value, list):
                for index, element in enumerate(field.value):
                    if isinstance(element.value, spans.StructSpan):
                        todo.append((element.value, join(here, index)))


def _undeclared(field: spans.FieldSpan, struct: str, address: str) -> Finding:
    if field.id in EXTENSION_IDS and isinstance(field.value, bytes):
        found = extension.recognise(field.value)
        return Finding(
            "extension",
            "warning" if found.problem else "note",
            address,
            f"{struct} has an extension: {extension.describe(found)}",
            {"size": found.size, "uuid": str(found.identity), "flatbuffer": found.flatbuffer},
            "The extension mechanism of the binary Thrift field-id 32767",
        )
    return Finding(
        "field-unknown",
        "note",
        address,
        f"{struct} has a field {field.id}, which the format does not define; readers skip it",
        {"field": field.id, "wire_type": field.wire_name},
    )
