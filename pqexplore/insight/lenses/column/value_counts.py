"""The values of a column: its dictionary's entries without counts, and counts of the values when they are asked for."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.ordering import Order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.tree.at import chunk_at
from pqexplore.insight.axis import Places, Scale, axis_of, order_of
from pqexplore.insight.places import leaf_at
from pqexplore.insight.short_text import value_texts
from pqexplore.insight.wording import plural

SHOWN = 12
"""Max values that are shown one by one."""

BINS = 32
"""Bars of a histogram."""

ENTRIES = 10_000
ENTRY_BYTES = 256 << 10
"""Max entries and bytes of a dictionary that is read for the first view."""

COUNTED = 1_000_000
COUNTED_BYTES = 64 << 20
COUNTED_PAGES = 10_000
"""Values that are counted, their bytes, and their pages: no page is begun after any of these."""

NUMBERS: dict[int, str] = {Type.INT32: "i4", Type.INT64: "i8", Type.FLOAT: "f4", Type.DOUBLE: "f8"}


@dataclasses.dataclass(slots=True)
class Entry:
    """A value as a text, how often it occurs (None if that was not counted), and the node that shows it."""

    value: str
    count: int | None
    address: str | None


@dataclasses.dataclass(slots=True)
class Histogram:
    """Counts of values in bars of equal width between the smallest and the largest one."""

    axis: Scale
    counts: list[int]


@dataclasses.dataclass(slots=True)
class Values:
    """What is known of a column's values.

    `title` says what is shown. `entries` are values, with counts the most frequent first. `histogram` is None for values
    that are no numbers, or if they were not counted. `countable` says whether there is something left to count.
    """

    title: str
    entries: list[Entry]
    histogram: Histogram | None
    countable: bool


def first_values(chunk: ColumnChunk | None, stated: int | None) -> Values:
    """What is known without decoding data pages: a dictionary's entries. `stated` is distinct_count of the statistics.

    Raises nothing for damage: then nothing is known.
    """
    try:
        made = None if chunk is None else _dictionary(chunk)
    except ParquetError:
        made = None
    if made is not None:
        return made
    what = f"{plural(stated, 'distinct value')} by the statistics" if stated is not None else ""
    countable = chunk is not None and not _unreadable(chunk)
    return Values(what, [], None, countable)


def _unreadable(chunk: ColumnChunk) -> bool:
    try:
        return bool(chunk.locked) or not chunk.num_values
    except ParquetError:
        return True


def _dictionary(chunk: ColumnChunk) -> Values | None:
    """The first entries of a small dictionary; None without one."""
    if not chunk.home.local or not chunk.metadata.dictionary_page_offset:
        return None
    page = chunk.dictionary_page
    if page is None or page.num_values > ENTRIES or len(page.span) > ENTRY_BYTES:
        return None
    if (page.header.uncompressed_page_size or 0) > ENTRY_BYTES:
        return None
    entries = page.physical
    listed = [
        Entry(_text(chunk.leaf, entries[at].as_py()), None, Address.of(page.address, "values", at))
        for at in range(min(SHOWN, len(entries)))
    ]
    first = "" if len(entries) <= SHOWN else f", the first {SHOWN}"
    where = f"the dictionary of row group {chunk.row_group.index:,}"
    title = f"{plural(len(entries), 'entry', 'entries')} in {where}{first}; how often each occurs is not counted"
    return Values(title, listed, None, True)


def _text(leaf: Leaf, physical: Any) -> str:
    return value_texts(leaf, physical, 60)["logical"]


def count_values(file: ParquetFile, address: str) -> Generator[float, None, Values]:
    """Counts the values of a column or a column chunk, up to `COUNTED`. Yields how much is done, from 0 to 1.

    UsageError if the address names no column; ParquetError if the first page cannot be read.
    """
    if address.startswith("schema"):
        leaf = leaf_at(file, address)
        chunks = [group.columns[leaf.leaf_index] for group in file.row_groups]
    else:
        chunks = [chunk_at(file, address)]
        leaf = chunks[0].leaf
    read: list[pa.Array] = []
    count = size = 0
    trouble = ""
    whole = True
    for done, page in enumerate(_data_pages(chunks)):
        shares = (count / COUNTED, size / COUNTED_BYTES, done / COUNTED_PAGES)
        if max(shares) >= 1 or file.budget.exhausted:
            whole = False
            break
        try:
            values = page.physical
        except ParquetError as error:
            if not read:
                raise
            trouble, whole = error.message.rstrip("."), False
            break
        read.append(values)
        count += len(values)
        size += values.nbytes
        yield min(0.95, max(shares))
    return _counted(leaf, read, whole, trouble)


def _data_pages(chunks: list[ColumnChunk]) -> Iterator[Page]:
    for chunk in chunks:
        yield from (page for page in chunk.pages if page.is_data)


def _counted(leaf: Leaf, read: list[pa.Array], whole: bool, trouble: str) -> Values:
    """The counts of all values that were read."""
    total = sum(map(len, read))
    if not total:
        return Values("there are no values, only nulls" if whole else "", [], None, False)
    values = pa.chunked_array(read).combine_chunks()
    if isinstance(values, pa.ChunkedArray):  # one of several chunks may be kept apart
        values = pa.concat_arrays(values.chunks)
    tally = pc.value_counts(values)
    counts = tally.field("counts").to_numpy(zero_copy_only=False)
    order = np.argsort(-counts, kind="stable")[:SHOWN]
    first = "" if whole else "the first "
    title = f"{first}{plural(total, 'value')}, {len(counts):,} distinct"
    if trouble:
        title += f"; then a page that cannot be read: {trouble}"
    histogram, left_out = (None, "") if len(counts) <= SHOWN else _histogram(leaf, values)
    entries = [Entry(_text(leaf, tally.field("values")[int(at)].as_py()), int(counts[at]), None) for at in order]
    if histogram is None and len(counts) > SHOWN:
        left_out = f", the {SHOWN} most frequent"
    return Values(title + left_out, entries, histogram, False)


def _histogram(leaf: Leaf, values: pa.Array) -> tuple[Histogram | None, str]:
    """Bars over the values that are finite numbers, and what is left out; None if they are no numbers."""
    numbers = _numbers(leaf, values)
    if numbers is None:
        return None, ""
    finite = numbers[np.isfinite(numbers)] if numbers.dtype.kind == "f" else numbers
    out = len(numbers) - len(finite)
    if not len(finite):
        return None, ""
    low, high = finite.min(), finite.max()
    axis = axis_of(leaf, [low.tobytes(), high.tobytes()])
    if not axis.measured or low == high:
        return None, ""
    places = _places(finite)
    counts = np.bincount(np.clip((places * BINS).astype(np.int64), 0, BINS - 1), minlength=BINS)
    odd = f"; {out:,} NaN or infinite {'is' if out == 1 else 'are'} not drawn" if out else ""
    return Histogram(axis.scale(), counts.tolist()), odd


def _places(numbers: npt.NDArray[Any]) -> Places:
    """Where each number is between the smallest (0) and the largest one (1), which differ."""
    if numbers.dtype.kind == "f":  # a difference of doubles may overflow, one of halves may not
        halves = numbers.astype(np.float64) / 2
        low, high = float(halves.min()), float(halves.max())
        inside: Places = (halves - low) / (high - low)
        return inside
    wide = numbers.astype("<u8" if numbers.dtype.kind == "u" else "<i8")
    offsets = (wide - wide.min()).view("<u8")
    shares: Places = offsets / float(offsets.max())
    return shares


def _numbers(leaf: Leaf, values: pa.Array) -> npt.NDArray[Any] | None:
    """The values as they are ordered; None if they are not numbers of a fixed width."""
    dtype = NUMBERS.get(leaf.physical_type)
    order = order_of(leaf)
    if dtype is None or order in (Order.BYTES, Order.NONE):
        return None
    found: npt.NDArray[Any] = values.to_numpy(zero_copy_only=False).astype(f"<{dtype}", copy=False)
    return found.view(f"<u{dtype[1]}") if order is Order.UNSIGNED else found
