"""The page index: where each data page is, which rows it has, and the bounds of its values.

Two structs hold lists with an entry for each data page: OffsetIndex (location and first row) and ColumnIndex (bounds and
counts). Only their order connects them, and `pages` reads them as one table. `check.index_problems` finds what is wrong with them.

Specification: https://github.com/apache/parquet-format/blob/master/PageIndex.md
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.value_text import physical_value, plain_length, python_value
from pqexplore.engine.handle import Handle
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.text import clip, printable

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class IndexedPage(Handle):
    """The page index's entry for one data page; fields are None if the index that has them is absent.

    `offset` and `size` are in bytes of the file; `first_row` counts from the row group's first row, `size` includes the page's header, `min` and `max` are Python
    objects of the logical type (None on null pages), `min_raw` and `max_raw` their PLAIN bytes.
    With `is_hidden` no repr has the bounds, because it took a key to read them.
    """

    index: int
    offset: int | None = None
    size: int | None = None
    first_row: int | None = None
    rows: int | None = None
    unencoded_bytes: int | None = None
    null_page: bool | None = None
    null_count: int | None = None
    nan_count: int | None = None
    min_raw: bytes | None = None
    max_raw: bytes | None = None
    min: Any = None
    max: Any = None
    is_hidden: bool = dataclasses.field(default=False, compare=False)

    INTERNAL: ClassVar[frozenset[str]] = frozenset({"is_hidden"})

    def _cells(self) -> dict[str, str]:
        known = {
            one.name: getattr(self, one.name)
            for one in dataclasses.fields(self)
            if one.name not in ("min_raw", "max_raw", "is_hidden")
        }
        bounds = {"min", "max"} if self.is_hidden else set()
        return {
            name: "hidden" if name in bounds and value is not None else _cell(value) for name, value in known.items()
        }

    def __repr__(self) -> str:
        cells = self._cells()
        shown = ", ".join(f"{name}={text}" for name, text in cells.items() if text != "None")
        return f"<IndexedPage {shown}>"


def _cell(value: object) -> str:
    return f"{value:,}" if type(value) is int else clip(printable(repr(value)), SHOWN)


SHOWN = 40
"""Characters of a bound in a repr."""


def num_pages(column_index: structs.ColumnIndex | None, offset_index: structs.OffsetIndex | None) -> int:
    """Number of data pages in the index: of the offset index, or else of the column index."""
    if offset_index is not None and offset_index.page_locations is not None:
        return len(offset_index.page_locations)
    null_pages = None if column_index is None else column_index.null_pages
    return len(null_pages or ())


def pages(
    column_index: structs.ColumnIndex | None, offset_index: structs.OffsetIndex | None, leaf: Leaf, num_rows: int
) -> Sequence[IndexedPage]:
    """Both indexes as one sequence, an item for each data page, made on access.

    `num_rows` is the row group's, to count the rows of the last page. A damaged entry is None in its item. Never
    raises.
    """
    locations = [] if offset_index is None else offset_index.page_locations or []

    def make(index: int) -> IndexedPage:
        entry: dict[str, Any] = {}
        if index < len(locations):
            location = locations[index]
            first, ends = location.first_row_index, num_rows
            if index + 1 < len(locations):
                ends = locations[index + 1].first_row_index
            rows = None if first is None or ends is None else max(ends - first, 0)
            entry = {
                "offset": location.offset,
                "size": location.compressed_page_size,
                "first_row": first,
                "rows": rows,
                "unencoded_bytes": _at(offset_index, "unencoded_byte_array_data_bytes", index),
            }
        if column_index is not None:
            entry |= _column_entry(column_index, leaf, index)
        return IndexedPage(index, **entry)

    return LazySequence(num_pages(column_index, offset_index), make, "indexed page")


def _at(index: structs.Struct | None, name: str, position: int) -> Any:
    values = getattr(index, name)
    return values[position] if values is not None and position < len(values) else None


def _column_entry(column_index: structs.ColumnIndex, leaf: Leaf, position: int) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "null_page": _at(column_index, "null_pages", position),
        "null_count": _at(column_index, "null_counts", position),
        "nan_count": _at(column_index, "nan_counts", position),
    }
    if entry["null_page"]:
        return entry
    for side in ("min", "max"):
        raw = _at(column_index, f"{side}_values", position)
        if raw is not None:
            entry[f"{side}_raw"] = raw
            entry[side] = _value(leaf, raw)
    return entry


def _value(leaf: Leaf, raw: bytes) -> Any:
    if plain_length(leaf) not in (None, len(raw)):
        return None
    return python_value(leaf, physical_value(leaf, raw))


def page_starts(offset_index: structs.OffsetIndex | None, start: int, end: int) -> tuple[list[int], int] | None:
    """Where the pages of the chunk at `[start, end)` start, if the offset index covers all bytes of the chunk.

    Returns the offsets of all pages followed by `end`, and the position of the first data page: 1 if there are bytes for
    a dictionary page before the first listed page, else 0. None if pages overlap, leave gaps or leave the chunk.
    """
    locations = None if offset_index is None else offset_index.page_locations
    if not locations:
        return None
    starts = []
    expected = locations[0].offset
    if expected is None or expected < start:
        return None
    for location in locations:
        if location.offset != expected or (location.compressed_page_size or 0) <= 0:
            return None
        starts.append(expected)
        expected += location.compressed_page_size
    if expected != end:
        return None
    first = 1 if starts[0] > start else 0
    return [start] * first + starts + [end], first
