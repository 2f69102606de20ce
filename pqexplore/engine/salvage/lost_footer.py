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
    partial = None
    for place in reversed(places):
        found = _read(data, place, begin, limits)
        if found is not None and found.complete:
            return found
        if found is not None and partial is None:
            partial = found
    return partial


def _read(data: bytes, place: int, begin: int, limits: Limits) -> LostFooter | None:
    rest = memoryview(data)[place:]
    try:
        metadata, end = fast.decode(structs.FileMetaData, rest)
        complete = not structs.missing(metadata)
    except ParquetError:
        read = spans.read(structs.FileMetaData, rest[: 8 << 20], limits=limits, opaque={"RowGroup"})
        field = read.field("schema")
        if field is None or not field.fits or len(read.fields) < 2 or read.fields[-1] is field:
            return None
        metadata = structs.FileMetaData(
            version=1, schema=[spans.to_object(item.value) for item in field.value]
        )
        end, complete = read.end, False
    if not metadata.schema:
        return None
    try:
        if not schemas.build(metadata.schema, limits=limits).leaves:
            return None
    except ParquetError:
        return None
    return LostFooter(begin + place, begin + place + end, metadata, complete)
