"""The whole file as tiles, for drawing: where each begins, what it is, and whose.

Addresses of a hundred thousand tiles differ only in their numbers. So they travel as a few templates
(`row_groups/#/columns/#/pages/#`) and columns of numbers, which is shorter than texts and made without a loop.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Generator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.arrays import Array, Int64s, Mask, arrow_texts, numpy_numbers, text_bytes
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.binary_columns import smallest
from pqexplore.insight.places import is_encrypted
from pqexplore.widget import headline
from pqexplore.widget.wire_tables import pack

LEVELS = ("chunks", "pages")
LOCKED, CORRUPT = 1, 2
LOOKED_AT = 500
"""Encrypted tiles whose keys are looked for."""

STEP = 0.02
"""Seconds of a walk between two yields: a chunk of a local file takes much less than it costs to stop and go on."""

CHUNK = "row_groups/#/columns/#"

LOCKABLE = ("column_chunk", "column_index", "offset_index", "bloom_filter", "footer")


def layout(file: ParquetFile, level: str = "chunks") -> Generator[float, None, tuple[dict[str, Any], list[Any]]]:
    """The tiles at a level: chunks are cheap (the footer knows them), pages mean a walk over all page headers."""
    found = yield from tiles(file, level)
    table, templates, numbers = found.table, found.templates, found.numbers
    kinds = table["kind"].combine_chunks().dictionary_encode()
    addresses = table["address"].combine_chunks()
    marked, flag, severities = headline.of_tiles(file, addresses, (found.group, found.column))
    columns = {
        "start": smallest(numpy_numbers(table["start"].combine_chunks())),
        "kind": smallest(numpy_numbers(kinds.indices)),
        "state": _states(file, table),
        "flag": flag,
        "severities": severities,
        "template": smallest(numpy_numbers(templates.indices)),
        **{f"n{i}": smallest(column) for i, column in enumerate(numbers)},
    }
    header, buffers = pack(columns)
    result = {
        "level": level,
        "size": file.size,
        "columns": header,
        "kinds": kinds.dictionary.to_pylist(),
        "templates": templates.dictionary.to_pylist(),
        "flags": [dataclasses.asdict(one) for one in marked],
    }
    return result, buffers


@dataclasses.dataclass(frozen=True, slots=True)
class Tiles:
    """The layout at a level, and whose each tile is.

    `templates` and `numbers` are the addresses as `_addresses` gives them. `group` and `column` are int64, -1 for a tile
    that is in no column chunk.
    """

    table: pa.Table
    templates: pa.DictionaryArray
    numbers: list[np.ndarray[Any, Any]]
    group: np.ndarray[Any, Any]
    column: np.ndarray[Any, Any]

    def within(self, template: str) -> np.ndarray[Any, Any]:
        """Whether the address of each tile is this template, or below it."""
        names = self.templates.dictionary
        if not len(names):
            return np.zeros(len(self.table), bool)
        below = pc.or_(pc.equal(names, template), pc.starts_with(names, f"{template}/"))
        return np.array(below.to_pylist(), bool)[numpy_numbers(self.templates.indices)]


def tiles(file: ParquetFile, level: str) -> Generator[float, None, Tiles]:
    """The tiles at a level. Yields how much of the page headers is read, from 0 to 1."""
    if level not in LEVELS:
        raise UsageError(f"layout {level!r}: the levels are {', '.join(LEVELS)}")
    if level == "pages":
        yield from _walk(file)
    table = file.layout(level)
    templates, numbers = _addresses(table["address"].combine_chunks())
    return Tiles(table, templates, numbers, *_owners(templates, numbers))


def _owners(templates: pa.DictionaryArray, numbers: list[np.ndarray[Any, Any]]) -> tuple[np.ndarray[Any, Any], ...]:
    """The row group and the column of each tile; -1 for a tile that is in no column chunk."""
    in_chunk = np.array([one.startswith(CHUNK) for one in templates.dictionary.to_pylist()], bool)
    owned = in_chunk[numpy_numbers(templates.indices)] if len(templates) else np.zeros(0, bool)
    return tuple(np.where(owned, numbers[at] if at < len(numbers) else -1, -1).astype(np.int64) for at in (0, 1))


def _walk(file: ParquetFile) -> Generator[float, None, None]:
    """Walks the page headers of each column chunk; the file keeps them. The layout reports what is damaged."""
    groups = len(file.row_groups) if file.metadata is not None else 0
    last = time.monotonic()
    for at in range(groups):
        with contextlib.suppress(ParquetError):
            columns = file.row_groups[at].columns
            for i, chunk in enumerate(columns):
                with contextlib.suppress(ParquetError):
                    if not (chunk.elsewhere or chunk.locked):
                        _ = chunk.frames
                if (now := time.monotonic()) - last >= STEP:
                    last = now
                    yield (at + i / len(columns)) / groups


def _addresses(addresses: pa.Array) -> tuple[pa.DictionaryArray, list[np.ndarray[Any, Any]]]:
    """Templates with `#` for each number, and the numbers: column i has the i-th number of each address, or 0."""
    raw, offsets = text_bytes(addresses)
    digit = raw - np.uint8(ord("0")) < 10
    begins = digit.copy()
    begins[1:] &= ~digit[:-1]
    first = offsets[:-1][offsets[:-1] < offsets[1:]]
    begins[first] |= digit[first]  # of an address, whatever the one before ends with
    kept = ~digit | begins
    shown = np.where(begins, np.uint8(ord("#")), raw)[kept]
    texts = arrow_texts(shown, _counted(kept)[offsets])
    numbers = _numbers(raw, digit, np.flatnonzero(begins))
    ahead = _counted(begins)[offsets]
    each = np.diff(ahead)
    columns = []
    for i in range(int(each.max(initial=0))):
        has = each > i
        column = np.zeros(len(addresses), np.float64)
        column[has] = numbers[ahead[:-1][has] + i]
        columns.append(column)
    return texts.dictionary_encode(), columns


def _counted(marks: Mask) -> Array:
    """How many marks come before each place, and all of them at the end, as int32."""
    counts = np.zeros(len(marks) + 1, np.int32)
    np.cumsum(marks, out=counts[1:])
    return counts


def _numbers(raw: Array, digit: Mask, begins: Int64s) -> Array:
    """The numbers in decimal digits that begin at `begins`, as float64; the next one ends each of them."""
    found = np.zeros(len(begins), np.float64)
    at, left = begins, np.arange(len(begins))
    ends = np.append(begins[1:], len(raw))
    while len(left):
        found[left] = found[left] * 10 + (raw[at] - np.uint8(ord("0")))
        at = at + 1
        more = at < ends[left]
        more[more] = digit[at[more]]
        at, left = at[more], left[more]
    return found


def _states(file: ParquetFile, table: pa.Table) -> np.ndarray[Any, Any]:
    """The state of each tile: locked where a key is missing, corrupt where an error found so far speaks of it."""
    states = np.zeros(len(table), "<u1")
    addresses = table["address"]
    if is_encrypted(file):
        lockable = pc.is_in(table["kind"], pa.array(LOCKABLE)).to_numpy()
        for i in np.flatnonzero(lockable)[:LOOKED_AT].tolist():
            with contextlib.suppress(ParquetError, LookupError):
                if file.node(addresses[i].as_py()).state == "locked":
                    states[i] = LOCKED
    wrong = {f.address for f in file.findings if f.severity.level == "error" and f.address}
    states[headline.inside(addresses.combine_chunks(), wrong)] = CORRUPT
    return states
