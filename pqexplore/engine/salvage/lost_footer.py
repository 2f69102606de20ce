"""A footer that is not where it should be: bytes were added behind it, or its last eight were overwritten.

The search looks for magics that are preceded by a length which leads to a FileMetaData, and for bytes that begin like
a FileMetaData and are one. Of a FileMetaData that breaks off, the schema is often still there.
"""

from __future__ import annotations

import dataclasses
import re

from pqexplore.engine import schema as schemas
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.limits import Limits
from pqexplore.engine.source import Source
from pqexplore.engine.thrift import fast, spans, structs

_BEGIN = re.compile(
    rb"\x15[\x00\x02\x04]\x19[\x1c\x2c\x3c\x4c\x5c\x6c\x7c\x8c\x9c\xac\xbc\xcc\xdc\xec\xfc]"
)
"""A version of 0, 1 or 2, and a list of structs: the schema."""

REACH = 64 << 20
"""Bytes before the end of the file that are searched."""
TRIES = 200
"""Places that are looked at closely."""
PARTIAL, PARTIAL_TRIES = 8 << 20, 4
"""Bytes of a footer that breaks off, and how many such are taken apart field by field, which is slow."""


@dataclasses.dataclass(frozen=True)
class LostFooter:
    """A FileMetaData at bytes `[start, end)`; without row groups where it breaks off behind its schema."""

    start: int
    end: int
    metadata: structs.FileMetaData
    complete: bool


def search(source: Source, limits: Limits) -> LostFooter | None:
    """The last FileMetaData of a file that can be read, or else one whose schema can."""
    size = source.size
    begin = max(4, size - min(REACH, limits.footer_bytes))
    if begin >= size:
        return None
    data = bytes(source.read(begin, size - begin))
    places = [match.start() for match in _BEGIN.finditer(data)][-TRIES:]
    partial, left, broken = None, 4 * len(data) + (1 << 20), 0
    for place in reversed(places):
        rest = memoryview(data)[place:]
        try:
            metadata, end = fast.decode(structs.FileMetaData, rest)
        except ParquetError as error:
            left -= error.offset or 0
            if partial is None and broken < PARTIAL_TRIES:
                broken += 1
                partial = _partial(rest, begin + place, limits)
        else:
            left -= end
            complete = not structs.missing(metadata)
            found = _checked(begin + place, begin + place + end, metadata, complete, limits)
            if found is not None:
                return found
        if left < 0:
            break
    return partial


def _partial(rest: memoryview, start: int, limits: Limits) -> LostFooter | None:
    """A FileMetaData that breaks off, if its schema is whole."""
    read = spans.read(structs.FileMetaData, rest[:PARTIAL], limits=limits, opaque={"RowGroup"})
    field = read.field("schema")
    if field is None or not field.fits or len(read.fields) < 2 or read.fields[-1] is field:
        return None
    metadata = structs.FileMetaData(
        version=1, schema=[spans.to_object(item.value) for item in field.value]
    )
    return _checked(start, start + read.end, metadata, False, limits)


def _checked(
    start: int, end: int, metadata: structs.FileMetaData, complete: bool, limits: Limits
) -> LostFooter | None:
    """The footer, if its schema is one."""
    try:
        leaves = schemas.build(metadata.schema, limits=limits).leaves
    except ParquetError:
        return None
    return LostFooter(start, end, metadata, complete) if leaves else None
