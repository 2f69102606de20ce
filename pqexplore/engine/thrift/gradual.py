"""A large footer, read as far as it is asked for.

Version, schema and number of rows come first in a footer, and how many row groups there are just before the first of
them; so a glance at the beginning is enough for these. Row groups follow one by one, each with the offsets of its column
chunks, and what comes behind them (the writer's name, key-values, column orders) costs a way through them all.

Nothing is judged here. Where the bytes are not as writers write them, or damaged, the answer is None, and `fast.index`
reads the footer, or says what is wrong with it.
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
from pqexplore.engine.thrift import c_reader, fast, structs
from pqexplore.engine.thrift.c_reader import Stopped
from pqexplore.engine.thrift.cursor import Buffer, Truncated
from pqexplore.engine.thrift.encode import varint, zigzag

WINDOW = 4 << 20
"""Bytes of row groups that are read at once."""

_BEGINNINGS = (1 << 16, 1 << 20, 1 << 24)
"""Bytes in which the schema is looked for, one after the other."""

_COUNT = re.compile(rb"\x19(?:([\x1c-\xec])|\xfc([\x80-\xff]{0,4}[\x00-\x7f]))\Z")
"""The header of field 4, a list, and that of the list: of up to 14 structs, or of any number."""


class GradualFooter:
    """The FileMetaData in `buffer`: `metadata` has version, schema and number of rows, `count` says how many row groups.

    Row groups have the offsets in `buffer` of their column chunks in place of `columns`. Not thread-safe.
    """

    def __init__(
        self, buffer: Buffer, metadata: structs.FileMetaData, count: int, first: int
    ) -> None:
        self.metadata = metadata
        self.count = count
        self._buffer = memoryview(buffer)
        self._next = first
        self._groups: list[structs.RowGroup] = []
        self._complete = False
        self._structs = repeat((), fast.allowed(len(buffer), 6))
        self._chunks = repeat((), fast.allowed(len(buffer), 16))

    def row_group(self, index: int) -> structs.RowGroup | None:
        """A row group; those before it are read on the way. None where that does not work."""
        if not self._read(index + 1):
            return None
        return self._groups[index]

    def complete(self) -> structs.FileMetaData | None:
        """The whole FileMetaData, as `fast.index` gives it. None where that does not work."""
        if not self._read(self.count + 1):
            return None
        self.metadata.row_groups = self._groups
        return self.metadata

    def _read(self, wanted: int) -> bool:
        """Go on until so many row groups are known; one more than there are stands for what comes behind them."""
        window = WINDOW
        while len(self._groups) < wanted and not self._complete:
            left = len(self._buffer) - self._next
            try:
                found = self._window(min(window, left), wanted - len(self._groups))
            except CorruptFileError:
                return False
            if not found and window >= left:
                return False
            window = WINDOW if found else 4 * window
        return True

    def _window(self, size: int, wanted: int) -> bool:
        """Up to `wanted` row groups that end within so many bytes; whether there were any, or the end was reached.

        The C reader gets the bytes as a FileMetaData that begins with the row groups that are left.
        """
        begin = b"\x49\xfc" + varint(self.count - len(self._groups))
        stream = BytesIO(begin + self._buffer[self._next : self._next + size])
        shift = self._next - len(begin)
        found: list[structs.RowGroup] = []
        starts: list[int] = []

        def row_group(kind: type) -> structs.RowGroup:
            starts.append(stream.tell() + shift)
            if found:
                _settle(found[-1], shift)
            if len(found) == wanted:
                raise Stopped
            next(self._structs)
            found.append(structs.RowGroup())
            return found[-1]

        tell = starmap(stream.tell, self._chunks).__next__
        instead: dict[str, Callable[..., Any]] = {"RowGroup": row_group, "ColumnChunk": tell}
        try:
            rest = fast.read_index(stream, self._structs, instead)
        except Stopped:
            self._next = starts[-1]
        except Truncated:
            if not found:
                return False
            found.pop()  # it may go on beyond the window
            self._next = starts[-1]
        else:
            if found:
                _settle(found[-1], shift)
            self._complete = self._add(rest, len(found))
            if not self._complete:
                return False
        self._groups += found
        return bool(found) or self._complete

    def _add(self, rest: structs.FileMetaData, groups: int) -> bool:
        """Keep what came behind the row groups; False where a field that came before is there again."""
        fields = structs.FileMetaData.FIELDS
        if any(getattr(rest, field.name) is not None for field in fields[:3]):
            return False
        for field in fields[4:]:
            setattr(self.metadata, field.name, getattr(rest, field.name))
        return len(rest.row_groups) == groups == self.count - len(self._groups)


def _settle(group: structs.RowGroup, shift: int) -> None:
    """Offsets in the buffer in place of those in the window; a million of them as Python's integers are 40 MB."""
    if isinstance(group.columns, list):
        group.columns = array("q", (np.array(group.columns, np.int64) + shift).tobytes())


def begin(buffer: Buffer) -> GradualFooter | None:
    """The footer in `buffer`, of which its beginning is read; None where it is not of the regular form."""
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
    rows = b"\x00\x16" + zigzag(metadata.num_rows)  # behind the last schema element's stop byte
    if match is None or not before[: match.start()].endswith(rows):
        return None
    few, many = match.groups()
    count = few[0] >> 4 if few else sum((byte & 127) << 7 * i for i, byte in enumerate(many))
    if (few and few[0] & 15 != 12) or count > len(buffer) - first:
        return None
    return GradualFooter(buffer, metadata, count, first)
