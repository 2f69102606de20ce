"""What the values of column chunks really are, beside what the statistics say: bounds, nulls, distinct values, lengths."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import numpy_numbers
from pqexplore.engine.check import statistics
from pqexplore.engine.check.comparable import Extremes
from pqexplore.engine.check.contents import MAX_DISTINCT, ChunkContents, PageContents, page_contents
from pqexplore.engine.check.places import SEARCHED, of_value
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.field import REPEATED, Leaf
from pqexplore.engine.format.ordering import Order, order_key
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.across.scope import PLACE, Scope, address_of
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.axis import order_of, text_of, value_of
from pqexplore.insight.row_place import path
from pqexplore.insight.skippable import group_part
from pqexplore.insight.totals import Totals
from pqexplore.insight.wording import name, plural, size

MOST = 1 << 30
"""Bytes before compression that are decoded; the column chunks after are named as not read."""

SAID = 3
"""Differences in the sentence; the table has all of them."""

OWN = (
    Column("differs", "differs", meaning="which statement of the file is not what the values are"),
    Column("values", "values", "number", "with nulls"),
    Column("nulls", "nulls", "number", "as the statistics say"),
    Column("true_nulls", "true nulls", "number", "entries without a value"),
    Column("min", "min", "code", "as the statistics say"),
    Column("true_min", "true min", "code", "the smallest value"),
    Column("min_row", "its row", "number", "of the file"),
    Column("max", "max", "code", "as the statistics say"),
    Column("true_max", "true max", "code", "the largest value"),
    Column("max_row", "its row", "number", "of the file"),
    Column("true_nans", "true NaNs", "number"),
    Column("distinct", "distinct", "number", "as the statistics say"),
    Column("true_distinct", "true distinct", "number", f"different values; counted up to {MAX_DISTINCT:,}"),
    Column("min_elements", "fewest elements", "number", "of a row's lists; a null and an empty list have none"),
    Column("mean_elements", "mean", "number", "elements a row"),
    Column("max_elements", "most elements", "number", "of a row's lists"),
    Column("max_elements_row", "its row", "number", "of the file"),
    Column("min_bytes", "shortest", "bytes", "bytes of a value"),
    Column("mean_bytes", "mean", "bytes", "bytes of a value"),
    Column("max_bytes", "longest", "bytes", "bytes of a value"),
    Column("max_bytes_row", "its row", "number", "of the file"),
    Column("remark", "remark"),
)
COLUMNS = (*PLACE, *OWN)

Steps = Generator[float, None, Answer]


def over(scope: Scope, most: int = MOST) -> Steps:
    """A row for each column chunk, those that differ first; the totals have a row for each column.

    Reads all pages, up to `most` bytes before compression; yields how much is done, from 0 to 1.
    """
    wholes = {place: _size(scope, place) for place in scope.places()}
    room = min(most, sum(wholes.values()))
    seen: list[_Seen] = []
    columns: dict[str, _Seen] = {}
    left_out = read = 0
    for group, leaf in scope.places():
        whole = wholes[group, leaf]
        if seen and read + whole > most:
            left_out += 1
            continue
        one, done = _Seen(group, leaf), 0
        for done in one.read(scope):
            yield min(1.0, (read + done) / room) if room else 1.0
        read += max(whole, done)  # a footer may say less than there is
        seen.append(one)
        dotted = ".".join(leaf.path)
        columns.setdefault(dotted, _Seen(None, leaf)).merge(one)
    return _answer(scope, seen, list(columns.values()), left_out, read)


def _size(scope: Scope, place: tuple[int, Leaf]) -> int:
    try:
        return max(0, scope.chunk(*place).metadata.total_uncompressed_size)
    except ParquetError:
        return 0


@dataclasses.dataclass(slots=True)
class _Lengths:
    """The smallest, the sum and the largest of some lengths, and the row of the largest, if known."""

    count: int = 0
    total: int = 0
    least: int | None = None
    most: int | None = None
    row: int | None = None

    def add(self, lengths: np.ndarray[Any, Any], rows: Sequence[int | None] | int | None) -> None:
        """Add lengths; `rows` is the row of the first one, the others follow it."""
        if not len(lengths):
            return
        at = int(np.argmax(lengths))
        row = rows + at if isinstance(rows, int) else None
        self.merge(_Lengths(len(lengths), int(lengths.sum()), int(lengths.min()), int(lengths[at]), row))

    def merge(self, other: _Lengths) -> None:
        """Add the lengths of another."""
        self.count, self.total = self.count + other.count, self.total + other.total
        if other.least is not None and (self.least is None or other.least < self.least):
            self.least = other.least
        if other.most is not None and (self.most is None or other.most > self.most):
            self.most, self.row = other.most, other.row

    @property
    def cells(self) -> tuple[int | None, float | None, int | None, int | None]:
        """Smallest, mean, largest, and the row of the largest."""
        return self.least, round(self.total / self.count, 3) if self.count else None, self.most, self.row


class _Seen:
    """What the values of a column chunk are; of a column, if `group` is None."""

    def __init__(self, group: int | None, leaf: Leaf) -> None:
        self.group, self.leaf = group, leaf
        self.values = self.present = 0
        self.nulls: int | None = None
        self.low: bytes | None = None
        self.high: bytes | None = None
        self.distinct: int | None = None
        self.nans: int | None = None
        self.ends: Extremes | None = None
        self.min_row: int | None = None
        self.max_row: int | None = None
        self.unique: pa.Array | None = None
        self.num_distinct: int | None = None
        self.elements, self.bytes = _Lengths(), _Lengths()
        self.messages: list[str] = []
        self.differs: list[str] = []
        self.error = ""
        self._open: int | None = None  # elements so far of the row that the next page may continue
        self._longest: tuple[Page, int] | None = None

    def read(self, scope: Scope) -> Iterator[int]:
        """Decode all pages; yields the bytes before compression that are done. A part that cannot be read is `error`."""
        assert self.group is not None
        try:
            chunk = scope.chunk(self.group, self.leaf)
            part = group_part(chunk)
            self.nulls, self.distinct, self.low, self.high = part.nulls, part.distinct, part.low, part.high
            chunk.require_readable()
            orders = {order_of(self.leaf), statistics.order_of(chunk)}
            total = ChunkContents(chunk, orders, True)
            done = 0
            with chunk.in_memory():
                for page in chunk.pages:
                    if page.is_data:
                        contents = page_contents(page, orders, total.rows)
                        self._add_lengths(chunk, page, contents)
                        total.add(contents)
                    done += page.header.uncompressed_page_size or 0
                    yield done
            self._finish(chunk, total)
        except ParquetError as error:
            self.error = f"{error.message} ({error.address})" if error.address else error.message

    def _finish(self, chunk: ColumnChunk, total: ChunkContents) -> None:
        self._end_row((chunk.row_group.first_row or 0) + total.rows)
        order = order_of(self.leaf)
        self.values, self.present, self.nans = total.num_values, total.num_present, total.nan_count
        self.unique, self.ends = total.distinct_values, total.extremes.get(order)
        self.num_distinct = total.distinct
        for side in ("min", "max"):
            place = total.place(order, side)
            setattr(self, f"{side}_row", None if place is None else place.row_of_file)
        if self._longest is not None:
            page, first_row = self._longest
            if page.num_values <= SEARCHED:
                at = int(np.argmax(numpy_numbers(pc.binary_length(page.physical))))
                self.bytes.row = of_value(page, at, first_row).row_of_file
            self._longest = None
        for one in statistics.chunk(chunk, total):
            self._differ(str(one.address).rpartition("/")[2].removesuffix("_value"), one.message)
        if self.ends is not None and not self.ends.all_nan:  # a minimum above the maximum is not compared there
            self._bound("min", self.low, self.ends.low, order)
            self._bound("max", self.high, self.ends.high, order)

    def _differ(self, what: str, message: str) -> None:
        self.differs.append(what)
        self.messages.append(message)

    def _bound(self, side: str, stated: bytes | None, actual: bytes, order: Order) -> None:
        """A bound that leaves out a value."""
        if stated is None or side in self.differs:
            return
        key, real = order_key(self.leaf, stated, order), order_key(self.leaf, actual, order)
        if key is not None and real is not None and (key > real if side == "min" else key < real):
            low, high = text_of(self.leaf, stated), text_of(self.leaf, actual)
            words = "smallest" if side == "min" else "largest"
            self._differ(side, f"the {side} is {low}, the {words} value is {high}")

    def _add_lengths(self, chunk: ColumnChunk, page: Page, contents: PageContents) -> None:
        """Count elements a row, and bytes a value."""
        physical = contents.physical
        if self.leaf.physical_type == Type.BYTE_ARRAY and physical is not None and len(physical):
            lengths = numpy_numbers(pc.binary_length(physical))
            if self.bytes.most is None or int(lengths.max()) > self.bytes.most:
                self._longest = page, contents.first_row or 0
            self.bytes.add(lengths, None)
            if contents.uses is not None:  # each entry was counted once
                self.bytes.count += int(contents.uses.sum()) - len(lengths)
                self.bytes.total += (contents.byte_array_bytes or 0) - int(lengths.sum())
        repetition, definition = page.repetition_levels, page.definition_levels
        if repetition is None or definition is None:
            return
        element = [field for field in path(self.leaf) if field.repetition == REPEATED][-1].max_definition_level
        has = (definition >= element).astype(np.int64)
        starts = np.flatnonzero(repetition == 0)
        row = (chunk.row_group.first_row or 0) + (contents.first_row or 0)
        if self._open is not None:
            self._open += int(has[: starts[0] if len(starts) else None].sum())
        if not len(starts):
            return
        self._end_row(row)
        counts = np.add.reduceat(has, starts)
        self.elements.add(counts[:-1], row)
        self._open = int(counts[-1])

    def _end_row(self, following: int) -> None:
        """Count the row before the row `following`."""
        if self._open is not None:
            self.elements.add(np.array([self._open]), following - 1)
        self._open = None

    def merge(self, other: _Seen) -> None:
        """Add a column chunk of the same column."""
        first = not self.values and not self.present and self.ends is None and not self.error
        self.values, self.present = self.values + other.values, self.present + other.present
        if first:
            self.nulls = other.nulls
        elif self.nulls is not None:
            self.nulls = None if other.nulls is None else self.nulls + other.nulls
        self.nans = other.nans if self.nans is None else self.nans + (other.nans or 0)
        if other.ends is not None:
            if self.ends is None or other.ends.low_key < self.ends.low_key:
                self.min_row = other.min_row
            if self.ends is None or other.ends.high_key > self.ends.high_key:
                self.max_row = other.max_row
            self.ends = other.ends if self.ends is None else self.ends.merged(other.ends)
        self.unique = other.unique if first else _union(self.unique, other.unique)
        self.num_distinct = None if self.unique is None else len(self.unique)
        other.unique = None  # the number is enough
        self.elements.merge(other.elements)
        self.bytes.merge(other.bytes)
        self.messages += other.messages
        self.differs += [word for word in other.differs if word not in self.differs]
        self.error = self.error or other.error

    @property
    def says_something(self) -> bool:
        """Whether the file has statistics that can be compared with the values."""
        bounds = None if order_of(self.leaf) is Order.NONE else (self.low, self.high)
        return any(one is not None for one in (self.nulls, self.distinct, *(bounds or ())))

    @property
    def harm(self) -> tuple[bool, bool, bool]:
        """What to sort by, the worst first: bounds that leave out values, other differences, what cannot be read."""
        return not {"min", "max"}.intersection(self.differs), not self.differs, not self.error

    @property
    def cells(self) -> tuple[Any, ...]:
        """The cells of `OWN`."""
        ends, low, high = self.ends, None, None
        if ends is not None and not ends.all_nan:
            low, high = value_of(self.leaf, ends.low), value_of(self.leaf, ends.high)
        many = (
            ""
            if self.num_distinct is not None or self.error or not self.present
            else f"more than {MAX_DISTINCT:,} distinct"
        )
        unordered = "the type has no order" if order_of(self.leaf) is Order.NONE else ""
        return (
            ", ".join(self.differs) or None,
            None if self.error else self.values,
            self.nulls,
            None if self.error else self.values - self.present,
            value_of(self.leaf, self.low),
            low,
            self.min_row,
            value_of(self.leaf, self.high),
            high,
            self.max_row,
            self.nans,
            self.distinct,
            self.num_distinct,
            *self.elements.cells,
            *self.bytes.cells,
            self.error or "; ".join(filter(None, (many, unordered))) or None,
        )


def _union(known: pa.Array | None, more: pa.Array | None) -> pa.Array | None:
    """The distinct values of both; None if one is not known, or there are too many."""
    if known is None or more is None or not len(known):
        return more if known is not None else None
    if not len(more) or known.type != more.type:
        return known if not len(more) else None
    both = pc.unique(pa.concat_arrays([known, more]))
    return both if len(both) <= MAX_DISTINCT else None


def _answer(scope: Scope, seen: list[_Seen], columns: list[_Seen], left_out: int, read: int) -> Answer:
    table = Table(COLUMNS, "Values beside what the statistics say")
    seen = sorted(seen, key=lambda one: one.harm)
    for one in seen:
        assert one.group is not None
        table.add(one.group, ".".join(one.leaf.path), *one.cells, address=address_of(one.group, one.leaf))
    whole = Table(COLUMNS[1:], "By column")
    for one in sorted(columns, key=lambda one: one.harm):
        whole.add(".".join(one.leaf.path), *one.cells, address=f"schema/{one.leaf.index}")
    totals = Totals(
        f"Read {plural(sum(one.values for one in seen), 'value')} of {plural(len(seen), 'column chunk')}, {size(read)} before "
        "compression.",
        {"count": len(seen), "values": sum(one.values for one in seen), "bytes": read},
        whole if len(seen) > len(columns) else None,
    )
    return Answer(_sentence(seen, columns, left_out, read), table=table, totals=totals)


def _agreement(chunks: int, different: int, alike: int) -> str:
    """Whether the statistics agree with the values, as far as both are known."""
    if different:
        which = "the column chunk" if chunks == 1 else f"{different:,} of {plural(chunks, 'column chunk')}"
        return f"The statistics of {which} contradict the values:"
    if alike:
        every = "all " if alike == chunks > 1 else ""
        return f"The statistics of {every}{plural(alike, 'column chunk')} agree with the values."
    return "" if chunks else "There are no column chunks."


def _sentence(seen: list[_Seen], columns: list[_Seen], left_out: int, read: int) -> str:
    different, unread = [one for one in seen if one.differs], [one for one in seen if one.error]
    alike = [one for one in seen if one.says_something and not one.differs and not one.error]
    silent = len(seen) - len({*different, *unread, *alike})
    said = _agreement(len(seen), len(different), len(alike))
    texts = [f"{name(one.leaf.path)}, row group {one.group}: {text}." for one in different for text in one.messages]
    said += "".join(f" {text}" for text in texts[:SAID])
    if len(texts) > SAID:
        said += f" {plural(len(texts) - SAID, 'other difference')}: see the table."
    if silent:
        said += f" {plural(silent, 'column chunk has', 'column chunks have')} no statistics to compare."
    if unread:
        said += f" {plural(len(unread), 'column chunk')} cannot be read; the first: {unread[0].error}."
    if left_out:
        said += (
            f" {plural(left_out, 'column chunk was', 'column chunks were')} not read: the others have {size(read)} before "
            "compression. --column reads one column."
        )
    said += _longest("The row with the most elements has", "element", [(one.leaf, one.elements) for one in columns])
    return (said + _longest("The longest value has", "byte", [(one.leaf, one.bytes) for one in columns])).lstrip()


def _longest(what: str, unit: str, lengths: Sequence[tuple[Leaf, _Lengths]]) -> str:
    """Which column has the most elements in a row, or the longest value, and in which row."""
    known = [(found.most, leaf, found.row) for leaf, found in lengths if found.most is not None]
    if not known:
        return ""
    most, leaf, row = max(known, key=lambda one: one[0])
    where = "" if row is None else f", row {row:,}"
    return f" {what} {plural(most, unit)} ({name(leaf.path)}{where})."
