"""Savings by sort order: candidate keys, the size of the file sorted by each, and what its bounds let a search skip.

Candidates are columns of few values, because runs of them are short to write, and times and identifiers whose row groups
overlap, because bounds of them are what searches skip by. The file is really sorted by each: all of it is read, and its
row groups are encoded, as many as the time allows.
"""

from __future__ import annotations

import collections
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.arrays import Int64s
from pqexplore.engine.format.encodings import dictionary
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.writer.old_columns import row_ranges
from pqexplore.engine.writer.rewriting import SortedPlan, sorted_plan
from pqexplore.engine.writer.sorting import is_sortable, ranks
from pqexplore.insight.doctor.rules.dictionaries import is_whole
from pqexplore.insight.doctor.rules.order import MOST_ENTRIES, REPEATED, SEPARATED, hits
from pqexplore.insight.doctor.subject import Subject
from pqexplore.insight.what_if import predict
from pqexplore.insight.what_if.compared import encoding_seconds, is_smaller, predicted, takes
from pqexplore.insight.what_if.estimate import spread
from pqexplore.insight.what_if.measure import Room
from pqexplore.insight.what_if.saving import Kind, Saving
from pqexplore.insight.what_if.unchanged_options import best, kept
from pqexplore.insight.wording import listing, name, percent, size

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.writer.options import WriteOptions
    from pqexplore.insight.what_if.budget import Clock
    from pqexplore.insight.what_if.column import ColumnTrial
    from pqexplore.insight.what_if.saving import Steps

FEW = 3
"""Columns of few values that are keys, those with the fewest values first."""

MOST = 6
"""Keys that are tried."""

LOOKED_AT = 3
"""Row groups in which the values of a column are counted."""


def orders(file: ParquetFile, columns: tuple[ColumnTrial, ...], clock: Clock) -> Steps:
    """Sort orders that make the file smaller, or let a search skip more row groups. Raises what `rewrite` raises."""
    subject = Subject(file)
    sorts = (yield from candidates(subject, columns, clock))[:MOST]
    if not sorts:
        return []
    options = best(kept(file), columns)
    base = yield from predicted(file, columns, options, clock, len(sorts) + 1)
    if base is None:
        return []
    found: list[Saving] = []
    for left, sort in zip(range(len(sorts), 0, -1), sorts, strict=True):
        rows = min(1.0, options.row_group_rows / max(1, file.num_rows))
        whole = sum(len(chunk.span) for group in file.row_groups for chunk in group.columns)
        if clock.left < rows * encoding_seconds(file, columns) or not clock.spend(whole):
            break
        with sorted_plan(file, options, sort, Room) as plan:
            made = yield from _tried(file, plan, options, clock, left)
            if made is not None:
                found += _saving(subject, plan, sort, made, base)
    return found


def _tried(
    file: ParquetFile, plan: SortedPlan, options: WriteOptions, clock: Clock, left: int
) -> Generator[float, None, predict.Prediction | None]:
    """The prediction of a sorted file; None if it is in this order, or if the time is over before all columns are read."""
    if np.array_equal(plan.rows.order, np.arange(len(plan.rows.order))):
        return None
    for _ in plan.rows.fill():
        yield clock.done
        if clock.left <= 0:
            return None
    return (yield from predict.encoded(file, options, plan, clock.share(left).start()))


def candidates(
    subject: Subject, columns: Sequence[ColumnTrial], clock: Clock
) -> Generator[float, None, list[tuple[str, ...]]]:
    """Keys to sort by, the most promising first: columns of few values with a time, then each alone, then times and identifiers.

    Columns are looked at until half of the time is over.
    """
    few: list[tuple[int, str]] = []
    times, overlapping = [], []
    named_so = collections.Counter(subject.file.schema.dotted)
    half = clock.left / 2
    for one in columns:
        leaf = one.leaf
        if one.untried or not is_sortable(leaf) or named_so[one.path] > 1:
            continue
        if clock.left < half:
            break
        yield clock.done
        if _is_time(leaf):
            times.append(one.path)
        else:
            count = _few_values(subject.file, leaf)
            if count is not None:
                few.append((count, one.path))
                continue
        ranges = subject.ranges(leaf)
        named = _is_time(leaf) or leaf.physical_type in (Type.INT32, Type.INT64, Type.BYTE_ARRAY)
        if named and ranges is not None and len(ranges) > 1 and hits(ranges) > SEPARATED:
            overlapping.append(one.path)
    keys = [path for count, path in sorted(few) if count > 1][:FEW]
    found = [(*keys, *times[:1]), (*keys[:1], *times[:1]), *((key,) for key in keys)]
    found += [(key, *times[:1]) for key in keys] + [(path,) for path in [*overlapping, *times]]
    return [sort for sort in dict.fromkeys(found) if sort]


def _is_time(leaf: Leaf) -> bool:
    return leaf.physical_type == Type.INT96 or meaning(leaf).name in ("DATE", "TIMESTAMP")


def _few_values(file: ParquetFile, leaf: Leaf) -> int | None:
    """The largest number of different values in a row group of those that are looked at; None if it is not small."""
    largest = 0
    for at in spread(len(file.row_groups))[:LOOKED_AT]:
        chunk = file.row_groups[at].columns[leaf.leaf_index]
        values, count = _distinct(chunk)
        if count > min(MOST_ENTRIES, values // REPEATED):
            return None
        largest = max(largest, count)
    return largest


def _distinct(chunk: ColumnChunk) -> tuple[int, int]:
    """(values, different ones among them): of a chunk by its dictionary, else of its first data page."""
    page = chunk.dictionary_page
    if page is not None and is_whole(chunk):
        return chunk.metadata.num_values, page.num_values
    for page in chunk.pages:
        if page.is_data:
            values = page.physical.drop_null()
            return page.num_values, len(dictionary.build(values)[0]) if len(values) else 0
    return 0, 0


def _saving(
    subject: Subject, plan: SortedPlan, sort: tuple[str, ...], made: predict.Prediction, base: predict.Prediction
) -> Iterator[Saving]:
    """The saving, if the sorted file is smaller, or a search skips more of its row groups."""
    skipped = [*_skipped(subject, plan, sort)]
    if not skipped and not is_smaller(made, base):
        return
    lost = [*_lost(subject, plan, sort)]
    keys = listing([name(path) for path in sort])
    error = "" if not made.sampled else " Its error is not known: one row group was encoded."
    if made.sampled and made.error is not None:
        error = f" That is ± {size(made.error)}."
    yield Saving(
        Kind.ORDER,
        None,
        f"sorted by {', '.join(sort)}",
        base.size,
        made.size,
        made.error if made.sampled else None,
        made.sampled,
        f"Sorted by {keys}, the file takes {takes(made)} with the best choice of each column instead of {size(subject.file.size)} today; "
        f"in its own order it takes {takes(base)} with these choices.{error}{''.join((*skipped, *lost))}",
        sort=sort,
        skips=bool(skipped) and not lost,
    )


def _skipped(subject: Subject, plan: SortedPlan, sort: Sequence[str]) -> Iterator[str]:
    """A sentence for each key by which a search reads half of the row groups or fewer, of those that it reads today."""
    file, new = subject.file, plan.rows.ranges
    old = row_ranges(file, None)
    for path, leaf in zip(file.schema.dotted, file.schema.leaves, strict=True):
        if path not in sort or len(new) < 2 or subject.ranges(leaf) is None:
            continue
        column = plan.rows.read(leaf)
        found = ranks(leaf, column)
        if not (found >= 0).any():
            continue
        before, after = _reads(found, old), _reads(found[plan.rows.order], new)
        if after / len(new) <= SEPARATED * before / len(old):
            yield (
                f" By min and max, a search for one value of {name(path)} reads {after:.1f} of {len(new):,} row groups on "
                f"average, today {before:.1f} of {len(old):,}."
            )


def _lost(subject: Subject, plan: SortedPlan, sort: Sequence[str]) -> Iterator[str]:
    """A sentence for each other column by which a search skips most row groups today, and reads twice as many of the sorted file."""
    file, new = subject.file, plan.rows.ranges
    old = row_ranges(file, None)
    for path, leaf in zip(file.schema.dotted, file.schema.leaves, strict=True):
        ranges = None if path in sort or len(old) < 2 or not is_sortable(leaf) else subject.ranges(leaf)
        if ranges is None or hits(ranges) > SEPARATED:
            continue
        found = ranks(leaf, plan.rows.read(leaf))
        if not (found >= 0).any():
            continue
        before, after = _reads(found, old) / len(old), _reads(found[plan.rows.order], new) / len(new)
        if after >= 2 * before:
            yield f" But a search for one value of {name(path)} reads {percent(after)} of the row groups then, today {percent(before)}."


def _reads(found: Int64s, ranges: Sequence[tuple[int, int]]) -> float:
    """The row groups whose min and max include a value, on average over all rows with a value. `found` are ranks, −1 for nulls."""
    parts = [part[part >= 0] for part in (found[start:stop] for start, stop in ranges)]
    lows, highs = (np.sort([end(part) for part in parts if len(part)]) for end in (np.min, np.max))
    counts = np.bincount(found[found >= 0])
    values = np.arange(len(counts))
    reads = np.searchsorted(lows, values, "right") - np.searchsorted(highs, values, "left")
    return float((reads * counts).sum() / counts.sum())
