"""Reads a large footer step by step, no further than needed.

Version, schema, number of rows and number of row groups come first in a footer, so its beginning is enough for them. Row
groups follow, each with the offsets of its column chunks. To get the fields after them (the writer's name, key-values,
column orders) all row groups must be read.

No damage is reported here. If the bytes are not in the form that writers use, or are damaged, the result is None; then
`fast.index` reads the footer, or raises.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from io import BytesIO
from itertools import repeat, starmap
from typing import Any

import numpy as np

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.thrift import c_reader, fast, structs
from pqexplore.engine.format.thrift.c_reader import Stopped
from pqexplore.engine.format.thrift.cursor import Buffer, Truncated
from pqexplore.engine.format.thrift.offsets import chunk_offsets, set_chunk_offsets
from pqexplore.engine.format.varint import read_varint, varint, zigzag

WINDOW = 4 << 20
"""Bytes of row groups that are read at once."""

_BEGINNINGS = (1 << 16, 1 << 20, 1 << 24)
"""Bytes from the start in which the schema is searched, tried in this order."""

_COUNT = re.compile(rb"\x19(?:([\x1c-\xec])|\xfc([\x80-\xff]{0,4}[\x00-\x7f]))\Z")
"""The header of field 4, a list, and the header of the list: of up to 14 structs, or of any number."""


class GradualFooter:
    """The FileMetaData in `buffer`: `metadata` has version, schema and number of rows, `count` is the number of row groups.

    In row groups `columns` has the offsets of the column chunks in `buffer` (see `offsets`). Not thread-safe.
    """

    def __init__(self, buffer: Buffer, metadata: structs.FileMetaData, count: int, first: int) -> None:
        self.metadata = metadata
        self.count = count
        self._buffer = memoryview(buffer)
        self._next = first
        self._groups: list[structs.RowGroup] = []
        self._complete = False
        self._structs = repeat((), fast.allowed(len(buffer), 6))
        self._chunks = repeat((), fast.allowed(len(buffer), 16))

    def row_group(self, index: int) -> structs.RowGroup | None:
        """A row group; those before it are read too. None if the bytes are not in the regular form."""
        if not self._read(index + 1):
            return None
        return self._groups[index]

    def complete(self) -> structs.FileMetaData | None:
        """The whole FileMetaData, as `fast.index` gives it. None if the bytes are not in the regular form."""
        if not self._read(self.count + 1):
            return None
        self.metadata.row_groups = self._groups
        return self.metadata

    def _read(self, wanted: int) -> bool:
        """Read until `wanted` row groups are read; one more than there are means the fields after them. False on failure."""
        window = WINDOW
        while len(self._groups) < wanted and not self._complete:
            left = len(self._buffer) - self._next
            try:
                progress = self._window(min(window, left), wanted - len(self._groups))
            except CorruptFileError:
                return False
            if not progress and window >= left:
                return False
            window = WINDOW if progress else 4 * window
        return True

    def _window(self, size: int, wanted: int) -> bool:
        """Read up to `wanted` row groups that end within `size` bytes. True if there were any, or the end was reached.

        The C reader gets the bytes as a FileMetaData that begins with the remaining row groups.
        """
        begin = b"\x49\xfc" + varint(self.count - len(self._groups))
        stream = BytesIO(begin + self._buffer[self._next : self._next + size])
        shift = self._next - len(begin)
        groups: list[structs.RowGroup] = []
        starts: list[int] = []

        def row_group(kind: type) -> structs.RowGroup:
            starts.append(stream.tell() + shift)
            if groups:
                _settle(groups[-1], shift)
            if len(groups) == wanted:
                raise Stopped
            next(self._structs)
            groups.append(structs.RowGroup())
            return groups[-1]

        tell = starmap(stream.tell, self._chunks).__next__
        instead: dict[str, Callable[..., Any]] = {"RowGroup": row_group, "ColumnChunk": tell}
        try:
            rest = fast.read_index(stream, self._structs, instead)
        except Stopped:
            self._next = starts[-1]
        except Truncated:
            if not groups:
                return False
            groups.pop()  # it may go on beyond the window
            self._next = starts[-1]
        else:
            if groups:
                _settle(groups[-1], shift)
            self._complete = self._add(rest, len(groups))
            if not self._complete:
                return False
        self._groups += groups
        return bool(groups) or self._complete

    def _add(self, rest: structs.FileMetaData, count: int) -> bool:
        """Keep the fields after the row groups; False if a field from before them is repeated."""
        fields = structs.FileMetaData.FIELDS
        if any(getattr(rest, field.name) is not None for field in fields[:3]):
            return False
        for field in fields[4:]:
            setattr(self.metadata, field.name, getattr(rest, field.name))
        return len(rest.row_groups) == count == self.count - len(self._groups)


def _settle(group: structs.RowGroup, shift: int) -> None:
    """Make offsets in the window offsets in the buffer, as an array: a million Python integers take 40 MB."""
    offsets = chunk_offsets(group)
    if isinstance(offsets, list):
        moved = (np.array(offsets, np.int64) + shift).tobytes()
        set_chunk_offsets(group, array("q", moved))


def begin(buffer: Buffer) -> GradualFooter | None:
    """The footer in `buffer`, with only its beginning read; None if it is not in the regular form."""
    if not c_reader.WORKS:
        return None
    for size in _BEGINNINGS:
        metadata = structs.FileMetaData()
        try:
            first = fast.read_head(bytes(memoryview(buffer)[:size]), metadata)
            break
        except Truncated:
            continue
        except CorruptFileError:
            return None
    else:
        return None
    if first is None or not isinstance(metadata.num_rows, int):
        return None
    before = bytes(buffer[max(0, first - 24) : first])
    match = _COUNT.search(before)
    rows = b"\x00\x16" + zigzag(metadata.num_rows)  # after the last schema element's stop byte
    if match is None or not before[: match.start()].endswith(rows):
        return None
    few, many = match.groups()
    count = few[0] >> 4 if few else read_varint(many)[0]
    if (few and few[0] & 15 != 12) or count > len(buffer) - first:
        return None
    return GradualFooter(buffer, metadata, count, first)
