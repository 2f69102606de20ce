"""Savings by what lets readers skip: Bloom filters, bounds in the footer, the page index.

Some of these cost bytes, and buy that a query reads less. Their bytes are those of the writer, made of the column's own
values with the best choice of the column. The offsets in a page index are those of today's chunks, so its size can differ
from the written one by a few bytes a page.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Generator, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format import bloom
from pqexplore.engine.format.ordering import Order, column_order
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.writer.chunk_encoding import encode_chunk
from pqexplore.engine.writer.column_data import leaf_column, records
from pqexplore.engine.writer.index import column_index, offset_index
from pqexplore.engine.writer.options import ColumnOptions, WriteOptions
from pqexplore.engine.writer.statistics import MinMax, cut
from pqexplore.insight.doctor.rules import filters
from pqexplore.insight.doctor.rules.dictionaries import CHUNKS, is_whole, pages_by_dictionary
from pqexplore.insight.doctor.rules.order import LEAST_GROUPS
from pqexplore.insight.doctor.rules.types import SAVED_SHARE
from pqexplore.insight.doctor.subject import Subject
from pqexplore.insight.what_if.estimate import Estimate, by_ratio, spread
from pqexplore.insight.what_if.measure import Room
from pqexplore.insight.what_if.saving import Kind, Saving, Steps
from pqexplore.insight.what_if.unchanged_options import best, kept
from pqexplore.insight.wording import name, percent, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.thrift.structs import ColumnMetaData, Statistics
    from pqexplore.insight.what_if.budget import Clock
    from pqexplore.insight.what_if.column import ColumnTrial


BOUND = ColumnOptions().index_bytes or 0
"""Bytes to which long bounds are cut, as our writer and parquet-java (`parquet.columnindex.truncate.length`) cut those of pages."""


def with_more(options: WriteOptions, paths: Sequence[str], **given: Any) -> WriteOptions:
    """The options with more of them for some columns."""
    columns = dict(options.columns)
    columns.update({path: {**columns.get(path, {}), **given} for path in paths})
    return dataclasses.replace(options, columns=columns)


def useless_filters(subject: Subject, leaves: Sequence[Leaf], options: WriteOptions) -> Iterator[Saving]:
    """Filters beside a dictionary or bounds that answer as well. `rewrite` makes none that is not asked for."""
    paths = {".".join(leaf.path): leaf for leaf in leaves}
    for one in chain(filters.beside_bounds(subject), filters.beside_dictionary(subject)):
        leaf = paths.pop(one.column, None)
        if leaf is not None:
            today = int(subject.filter_bytes[:, leaf.leaf_index].sum())
            left = today - (one.cost.bytes or 0)
            sentence = f"{one.sentence} {one.fix}"
            yield Saving(
                Kind.BLOOM_FILTERS, one.column, "no Bloom filters", today, left, None, False, sentence, options
            )  # fmt: skip


def long_bounds(subject: Subject, leaves: Sequence[Leaf], options: WriteOptions) -> Iterator[Saving]:  # fmt: skip
    """Bounds of bytes in the footer that can be cut and still tell the row groups apart."""
    for leaf in leaves:
        if column_order(leaf) is not Order.BYTES:
            continue
        found = [one for _, one in subject.metadata(leaf) if one.statistics is not None]
        pairs = [(one.statistics, _cut(leaf, one.statistics)) for one in found if one.statistics]
        today = sum(len(encode(whole)) for whole, _ in pairs)
        made = sum(len(encode(short)) for _, short in pairs)
        if today - made < SAVED_SHARE * subject.footer_size or not today - made:
            continue
        if len({_bounds(whole) for whole, _ in pairs}) > len({_bounds(short) for _, short in pairs}):  # fmt: skip
            continue  # what they tell apart lies after the cut
        path = ".".join(leaf.path)
        yield Saving(
            Kind.STATISTICS,
            path,
            f"bounds of at most {BOUND} bytes",
            today,
            made,
            None,
            False,
            f"The statistics of {name(path)} take {size(today)} of the footer's {size(subject.footer_size)}, because its values "
            f"are long. Cut to {BOUND} bytes, they take {size(made)}{_still(len(pairs))}. A search skips less only for values between a "
            "bound and its cut.",
            with_more(options, [path], statistics_bytes=BOUND),
        )


def _still(groups: int) -> str:
    return "" if groups == 1 else ", and still tell the row groups apart"


def _cut(leaf: Leaf, whole: Statistics) -> Statistics:
    """The statistics with short bounds, and without the deprecated ones, which `rewrite` does not write."""
    if whole.min_value is None or whole.max_value is None:
        return whole
    bounds = cut(leaf, MinMax(whole.min_value, whole.max_value), BOUND)
    short = copy.copy(whole)
    short.min_value, short.max_value = bounds.min, bounds.max
    short.min = short.max = None
    return short


def _bounds(one: Statistics) -> tuple[bytes | None, bytes | None]:
    return one.min_value, one.max_value


def useless_index(subject: Subject, options: WriteOptions) -> Iterator[Saving]:
    """A page index of chunks that have one page each, whose bounds are in the footer."""
    parts = ("column_index_length", "offset_index_length")
    today = sum(subject.total(part, leaf) for part in parts for leaf in subject.leaves)
    if today < SAVED_SHARE * subject.file.size or not 0 < subject.readable.size <= CHUNKS:
        return
    for leaf in subject.leaves:
        for chunk in subject.chunks(leaf):
            if pages_by_dictionary(chunk) not in ((0, 1), (1, 1)) or not _bounded(leaf, chunk.metadata):  # fmt: skip
                return
    yield Saving(
        Kind.PAGE_INDEX,
        None,
        "no page index",
        today,
        0,
        None,
        False,
        f"The page index takes {size(today)}. Each of the {plural(subject.readable.size, 'column chunk')} has one data page, and "
        "its bounds are in the footer, too: no reader skips more by the index.",
        dataclasses.replace(options, column_index=False, offset_index=False),
    )


def _bounded(leaf: Leaf, metadata: ColumnMetaData) -> bool:
    """Whether the footer has the bounds that the column index of one page can have."""
    found = metadata.statistics
    if column_order(leaf) is Order.NONE:
        return True
    return found is not None and (found.min_value is not None or found.null_count == metadata.num_values)


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
        skips=True,
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
        skips=True,
    )


def _error(one: Estimate) -> int | None:
    return round(one.error) if one.sampled and one.error is not None else None
