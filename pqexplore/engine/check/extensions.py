"""Finds fields that the format does not declare, such as field 32767, in footer, page headers and indexes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import extension
from pqexplore.engine.format.thrift import struct_spans, structs
from pqexplore.engine.format.thrift.declared import only_declared
from pqexplore.engine.format.thrift.wire import EXTENSION_IDS, EXTENSION_MARKS
from pqexplore.engine.limits import Limits
from pqexplore.engine.rule import Severity

if TYPE_CHECKING:
    from pqexplore.engine.check.sound_chunks import SoundGroup
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.page_headers import Walk

LARGEST = 16 << 20
"""Bytes: a larger footer is searched only if it has a mark of field 32767."""
SEARCHED_WHOLE = 1 << 20
"""Bytes of a chunk that is searched as a whole first: that takes less time than its page headers one by one."""
HEADERS_SEARCHED = 10_000
"""Page headers that are searched, at most."""


def findings(file: ParquetFile, sound: Mapping[int, SoundGroup]) -> Iterator[Finding]:
    """Every extension, and every field that readers skip because they do not know it.

    `sound` are chunks, by row group, in which no byte is of a mark of field 32767, and which have no index.
    """
    raw = file.footer.raw
    if raw is None:
        return
    if only_declared(structs.FileMetaData, raw):
        pass
    elif len(raw) <= LARGEST:
        yield from _walk(struct_spans.read(structs.FileMetaData, raw, limits=file.limits), "footer")
    else:
        yield from _marked(structs.FileMetaData, bytes(raw), "footer", file.limits)
    searched = 0
    for chunk in _without(file, sound):
        if isinstance(chunk, int):
            searched += chunk
            continue
        if chunk.elsewhere:
            continue
        yield from _chunk(chunk)
        walked = chunk.walked
        if walked is None or chunk.encrypted:
            continue
        if not _may_have_marks(chunk, walked):
            searched += len(walked.frames)
            continue
        for number, frame in enumerate(walked.frames):
            if searched >= HEADERS_SEARCHED:
                return
            searched += 1
            data = bytes(file.source.read(frame.start, frame.header_end - frame.start))
            address = Address.of(chunk.address, "pages", number, "header")
            yield from _marked(structs.PageHeader, data, address, file.limits)


def _without(file: ParquetFile, sound: Mapping[int, SoundGroup]) -> Iterator[ColumnChunk | int]:
    """The chunks of a file; in place of those that are sound, the number of their pages."""
    for index in range(len(file.row_groups)):
        known = sound.get(index)
        columns = () if known is None else known.columns.tolist()
        if known is not None:
            yield int(known.pages.sum())
            if len(columns) == len(file.schema.leaves):
                continue
        group = file.row_groups[index].columns
        yield from (group[column] for column in range(len(group)) if column not in columns)


def _may_have_marks(chunk: ColumnChunk, walked: Walk) -> bool:
    """Whether headers of a chunk can have a mark of field 32767: False if no byte of a small chunk is of one."""
    if not walked.frames or walked.end - walked.frames[0].start > SEARCHED_WHOLE:
        return True
    start = walked.frames[0].start
    data = bytes(chunk.file.source.read(start, walked.end - start))
    return any(mark in data for mark in EXTENSION_MARKS)


def _chunk(chunk: ColumnChunk) -> Iterator[Finding]:
    """The chunk's indexes, unless they are encrypted."""
    try:
        if chunk.encrypted:
            return
        for name, kind in (("column_index", structs.ColumnIndex), ("offset_index", structs.OffsetIndex)):
            offset, length = (getattr(chunk.struct, f"{name}_{what}") for what in ("offset", "length"))
            if getattr(chunk, name) is None:
                continue
            data = bytes(chunk.file.source.read(offset, length))
            yield from _marked(kind, data, Address.of(chunk.address, name), chunk.file.limits)
    except ParquetError:
        return  # the checks of the index report it


def _marked(kind: type[structs.Struct], data: bytes, address: str, limits: Limits) -> Iterator[Finding]:
    """The undeclared fields of a struct, if its bytes have a mark of field 32767."""
    if any(mark in data for mark in EXTENSION_MARKS):
        yield from _walk(struct_spans.read(kind, data, limits=limits), address)


def _walk(read: struct_spans.StructSpan, address: str) -> Iterator[Finding]:
    todo: list[tuple[struct_spans.StructSpan, str]] = [(read, address)]
    while todo:
        struct, where = todo.pop()
        name = "an unknown struct" if struct.struct_class is None else struct.struct_class.NAME
        for field in struct.fields:
            here = Address.of(where, field.name.replace(" ", "_"))
            if field.field is None and struct.struct_class is not None:
                yield _undeclared(field, name, here)
            elif field.note and not field.fits:
                yield Finding(
                    "field-mistyped",
                    here,
                    f"{name}.{field.name} is {field.note}",
                    {"field": field.id, "wire_type": field.wire_name},
                )
            if isinstance(field.value, struct_spans.StructSpan):
                todo.append((field.value, here))
            elif isinstance(field.value, list):
                for index, element in enumerate(field.value):
                    if isinstance(element.value, struct_spans.StructSpan):
                        todo.append((element.value, Address.of(here, index)))


def _undeclared(field: struct_spans.FieldSpan, struct: str, address: str) -> Finding:
    if field.id in EXTENSION_IDS and isinstance(field.value, bytes):
        recognised = extension.recognise(field.value)
        return Finding(
            "extension",
            address,
            f"{struct} has an extension: {extension.describe(recognised)}",
            {"size": recognised.size, "uuid": str(recognised.identity), "flatbuffer": recognised.flatbuffer},
            severity=Severity.PORTABILITY if recognised.problem else Severity.NOTE,
        )
    return Finding(
        "field-unknown",
        address,
        f"{struct} has a field {field.id}, which the format does not define; readers skip it",
        {"field": field.id, "wire_type": field.wire_name},
    )
