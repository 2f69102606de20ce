"""What a file has for skipping, and could do with less of: filters that skip nothing, long bounds, indexes of one page."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from pqexplore.engine.format.ordering import Order, column_order
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.writer.options import ColumnOptions, WriteOptions
from pqexplore.engine.writer.statistics import MinMax, cut
from pqexplore.insight.doctor.rules import filters
from pqexplore.insight.doctor.rules.dictionaries import CHUNKS, pages_by_dictionary
from pqexplore.insight.doctor.rules.types import SAVED_SHARE
from pqexplore.insight.what_if.saving import Kind, Saving
from pqexplore.insight.wording import name, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.thrift.structs import ColumnMetaData, Statistics
    from pqexplore.insight.doctor.subject import Subject

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
