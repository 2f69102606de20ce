"""Savings by what lets readers skip: Bloom filters, bounds in the footer, the page index.

Some of these cost bytes, and buy that a query reads less. Their bytes are those of the writer, made of the column's own
values with the best choice of the column. The offsets in a page index are those of today's chunks, so its size can differ
from the written one by a few bytes a page.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format import bloom
from pqexplore.engine.format.ordering import Order, column_order
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.writer.column import encode_chunk
from pqexplore.engine.writer.columns import leaf_column, records
from pqexplore.engine.writer.index import column_index, offset_index
from pqexplore.engine.writer.options import ColumnOptions, WriteOptions
from pqexplore.insight.doctor.rules.dictionaries import is_whole
from pqexplore.insight.doctor.rules.order import LEAST_GROUPS
from pqexplore.insight.doctor.subject import Subject
from pqexplore.insight.what_if.estimate import Estimate, by_ratio, spread
from pqexplore.insight.what_if.kept import best, kept
from pqexplore.insight.what_if.measure import Room
from pqexplore.insight.what_if.needless import long_bounds, useless_filters, useless_index, with_more
from pqexplore.insight.what_if.saving import Kind, Saving, Steps
from pqexplore.insight.wording import name, percent, size

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.what_if.budget import Clock
    from pqexplore.insight.what_if.column import ColumnTrial

_SEARCHED = (Type.INT32, Type.INT64, Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY)
"""Physical types whose values are searched for by equality."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Measured:
    """The bytes of a column's Bloom filters and of its page index; whether a chunk has several pages.

    `needed` says whether a filter is of use: the dictionary of a measured chunk does not have all its values.
    """

    column: ColumnTrial
    filters: Estimate
    index: Estimate
    several: bool
    needed: bool


def indexes(file: ParquetFile, columns: tuple[ColumnTrial, ...], clock: Clock) -> Steps:
    """Finds what Bloom filters, long bounds and the page index cost, or would cost."""
    subject = Subject(file)
    options = best(kept(file), columns)
    leaves = [one.leaf for one in columns]
    try:
        found = [
            *useless_filters(subject, leaves, options),
            *long_bounds(subject, leaves, options),
            *useless_index(subject, options),
        ]
        offsets = ("column_index_offset", "offset_index_offset")
        indexed = any((subject.numbers(field) > 0).any() for field in offsets)
        searched = {one.path for one in columns if _needs_filter(subject, one.leaf)}
    except ParquetError:
        return []
    yield clock.done
    wanted = [one for one in columns if one.best and (one.path in searched or not indexed)]
    sizes: list[_Measured] = []
    for left, one in zip(range(len(wanted), 0, -1), wanted, strict=True):
        until = clock.left * (1 - 1 / left)
        chosen = options.column(one.leaf.path)
        chosen = dataclasses.replace(chosen, bloom_filter=one.path in searched)
        measured = yield from _measured(file, one, chosen, clock, until)
        if measured is not None:
            sizes.append(measured)
    for each in sizes:
        if each.needed and each.column.path in searched:
            found.append(_filter(subject, each, options))
    if not indexed and len(sizes) == len(file.schema.leaves):
        found += _page_index(file, sizes, options)
    return found


def _needs_filter(subject: Subject, leaf: Leaf) -> bool:
    """Whether all row groups share a range of values, not all have a dictionary of all values, and none has a filter."""
    if subject.groups < LEAST_GROUPS or subject.partial or leaf.max_repetition_level:
        return False
    if leaf.physical_type not in _SEARCHED or column_order(leaf) is Order.NONE:
        return False
    if (subject.numbers("bloom_filter_offset")[:, leaf.leaf_index] > 0).any():
        return False
    ranges = subject.ranges(leaf)
    if ranges is None or max(one.low for one in ranges) > min(one.high for one in ranges):
        return False
    return not all(map(is_whole, subject.chunks(leaf)))


def _measured(
    file: ParquetFile, one: ColumnTrial, chosen: ColumnOptions, clock: Clock, until: float
) -> Generator[float, None, _Measured | None]:
    """What the chunks of a column take, as many as the time allows; None if none could be measured."""
    filters: dict[int, Estimate] = {}
    indexes: dict[int, Estimate] = {}
    several = needed = False
    try:
        chunks = [group.columns[one.leaf.leaf_index] for group in file.row_groups]
        known = [float(len(chunk.span)) for chunk in chunks]
    except ParquetError:
        return None
    for at in spread(len(chunks)):
        if clock.left <= until or not clock.spend(int(known[at])):
            break
        try:
            column = leaf_column(chunks[at], spend=Room())
            encoded = encode_chunk(column, records(column), chosen)
        except ParquetError:
            return None
        bits = encoded.bloom_filter
        header = 0 if bits is None else len(encode(bloom.new_header(len(bits))))
        filters[at] = Estimate(float(header + len(bits or b"")))
        structs = column_index(encoded), offset_index(encoded, chunks[at].start)
        indexes[at] = Estimate(float(sum(len(encode(each)) for each in structs if each)))
        several |= len(encoded.data_pages) > 1
        needed |= any(page.encoding != Encoding.RLE_DICTIONARY for page in encoded.data_pages)
        yield clock.done
    if not filters:
        return None
    return _Measured(one, by_ratio(known, filters), by_ratio(known, indexes), several, needed)


def _filter(subject: Subject, each: _Measured, options: WriteOptions) -> Saving:
    path = each.column.path
    total = round(each.filters.total)
    about = "about " if each.filters.sampled else ""
    share = ColumnOptions().bloom_filter_fpp
    return Saving(
        Kind.BLOOM_FILTERS,
        path,
        "Bloom filters",
        0,
        total,
        _error(each.filters),
        each.filters.sampled,
        f"All {subject.groups:,} row groups have a range of {name(path)} in common, so by the bounds a search for one value there "
        f"skips none, and there is no dictionary of all values to ask. Bloom filters for the distinct values of each row group "
        f"take {about}{size(total)}, and let a reader that uses them skip a row group without the value in "
        f"{percent(1 - share)} of the cases.",
        with_more(options, [path], bloom_filter=True),
    )


def _page_index(file: ParquetFile, sizes: list[_Measured], options: WriteOptions) -> Iterator[Saving]:
    """The page index of a file that has none, if it has pages to skip."""
    if not any(each.several for each in sizes):
        return
    total = round(sum(each.index.total for each in sizes))
    errors = [_error(each.index) for each in sizes]
    known = [error for error in errors if error is not None]
    sampled = any(each.index.sampled for each in sizes)
    yield Saving(
        Kind.PAGE_INDEX,
        None,
        "page index",
        0,
        total,
        sum(known) if sampled and len(known) == len(errors) else None,
        sampled,
        f"The file has no page index, so by bounds a reader skips whole row groups or nothing. One for all columns takes "
        f"{'about ' if sampled else ''}{size(total)}, {percent(total / file.size)} of the file, and lets a reader that uses it "
        "skip pages.",
        dataclasses.replace(options, column_index=True, offset_index=True),
    )


def _error(one: Estimate) -> int | None:
    return round(one.error) if one.sampled and one.error is not None else None
