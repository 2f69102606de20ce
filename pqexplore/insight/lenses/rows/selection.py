"""Rows in another order or fewer of them: those that meet a condition, and those with the smallest or largest values.

Only row groups that can hold such a row are read: `insight.ask` skips those that hold no match, and bounds those whose
values come too late. Of each, only the columns of the condition or the sorted column are decoded.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.chunk_bounds import known_bounds
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.row_group import row_starts
from pqexplore.engine.format import types
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.ordering import Order, order_key
from pqexplore.engine.format.value_text import stored_bytes
from pqexplore.engine.text import clip
from pqexplore.engine.tree.at import page_at
from pqexplore.insight.ask.question import Question
from pqexplore.insight.axis import order_of
from pqexplore.insight.row_pages import locate
from pqexplore.insight.wording import name, plural, size

MATCHES = 1_000
"""Matching rows in one reply."""

TOP = 200
"""Rows that are sorted: the smallest or the largest."""

ASKS_BEYOND = 16 << 20
"""Bytes of the sorted column, as stored, that are read without asking."""


@dataclasses.dataclass(slots=True)
class Picked:
    """Numbers of rows in the file, in the order in which they are shown.

    `sentence` says what they are and what was read for them. `next` is the row to go on from, null if all were looked
    at. `ask` is the cost, before anything is read, if the reader has to agree first. `error` says why there are none.
    """

    rows: list[int]
    sentence: str
    next: int | None = None
    ask: str = ""
    error: str = ""


Steps = Generator[float, None, Picked]


def match_rows(file: ParquetFile, where: str, start: int, stop: int) -> Steps:
    """The first `MATCHES` of the rows `[start, stop)` that meet a condition. A condition that cannot be asked is an error."""
    question = Question.of(where)
    if question is None:
        raise UsageError("there is no condition")
    work = _matching(file, question, start, stop)
    try:
        return (yield from file.budget.steps("the rows that match", work, ""))
    except UsageError as error:
        return Picked([], "", error=clip(str(error), 1_000))


def _matching(file: ParquetFile, question: Question, start: int, stop: int) -> Steps:
    from pqexplore.insight.ask import matching
    from pqexplore.insight.lenses.query import planned

    plan = yield from planned(file, question)
    starts = row_starts(file)
    found: list[int] = []
    read = skipped = 0
    errors, go_on = list[str](), None
    for group in plan.groups:
        low, high = max(start, starts[group.index]), min(stop, starts[group.index + 1])
        if low >= high:
            continue
        if len(found) >= MATCHES or file.budget.exhausted:
            go_on = low
            break
        yield group.index / len(plan.groups)
        if not group.kept:
            skipped += 1
            continue
        read += 1
        try:
            mask = matching.rows(file, group.index, plan.bound, None)
        except ParquetError as error:
            errors.append(f"row group {group.index} cannot be read: {error.message}")
            continue
        first = starts[group.index]
        rows = np.flatnonzero(mask[low - first : high - first]) + low
        room = MATCHES - len(found)
        found += rows[:room].tolist()
        if len(rows) > room:
            go_on = found[-1] + 1
            break
    more = " so far" if go_on is not None else ""
    sentence = (
        f"{plural(len(found), 'row')}{more}: {plural(read, 'row group was', 'row groups were')} read, "
        f"{skipped:,} skipped."
    )
    return Picked(found, " ".join([sentence, *errors[:1]]), go_on)


class _Part(NamedTuple):
    """A row group that may hold one of the rows: its number, the order key before which it has no value, and its bytes."""

    group: int
    bound: bytes | None
    bytes: int


def sort_rows(file: ParquetFile, column: int, largest: bool, start: int, stop: int, sure: bool = False) -> Steps:
    """The `TOP` of the rows `[start, stop)` with the smallest or largest values of a column; nulls and NaNs are left out.

    Row groups are read in the order of their bounds, until no other can hold such a row. `sure` reads also much.
    """
    leaves = file.schema.leaves
    if not 0 <= column < len(leaves):
        raise UsageError(f"there is no column {column:,}")
    leaf = leaves[column]
    order = order_of(leaf)
    if order is Order.NONE or leaf.max_repetition_level:
        why = "its rows have lists" if leaf.max_repetition_level else f"{types.describe(leaf)} has no order"
        return Picked([], "", error=f"{name(leaf.path)} cannot be sorted: {why}.")
    work = _sorting(file, leaf, order, largest, start, stop, sure)
    return (yield from file.budget.steps("the sorted rows", work, ""))


def _sorting(file: ParquetFile, leaf: Leaf, order: Order, largest: bool, start: int, stop: int, sure: bool) -> Steps:
    starts = row_starts(file)
    inside = [g for g in range(len(file.row_groups)) if starts[g] < stop and starts[g + 1] > start]
    parts = _parts(file, leaf, inside, largest)
    cost = sum(one.bytes for one in _needed(file, leaf, parts, largest))
    word = "largest" if largest else "smallest"
    if cost > ASKS_BEYOND and not sure:
        ask = f"To find the {word} values of {name(leaf.path)}, about {size(cost)} have to be read."
        return Picked([], "", ask=ask)
    values: pa.Array | None = None
    rows = np.zeros(0, np.int64)
    read, used = 0, 0
    for one in parts:
        if len(rows) >= TOP and one.bound is not None:
            last = _key(file, leaf, order, int(rows[-1]))
            if last is not None and (one.bound < last if largest else one.bound > last):
                break
        if file.budget.exhausted:
            break
        yield read / len(parts)
        low, high = max(start, starts[one.group]), min(stop, starts[one.group + 1])
        own = _values(file, leaf, one.group)[low - starts[one.group] : high - starts[one.group]]
        there = np.flatnonzero(pc.is_finite(own).fill_null(False) if _floats(own) else own.is_valid())
        own = own.take(pa.array(there, pa.int64()))
        merged = own if values is None else pa.concat_arrays([values, own])
        numbers = np.concatenate([rows, there + low])
        best = pc.array_sort_indices(merged, order="descending" if largest else "ascending")[:TOP]
        values, rows = merged.take(best), numbers[best.to_numpy()]
        read, used = read + 1, used + one.bytes
    why = ""
    if read < len(parts):
        why = f"; {file.budget.exhausted}" if file.budget.exhausted else "; bounds rule out the others"
    sentence = (
        f"The {plural(len(rows), 'row')} with the {word} values of {name(leaf.path)}: {read:,} of "
        f"{plural(len(parts), 'row group')} read, {size(used)} of the column{why}."
    )
    return Picked(rows.tolist(), sentence)


def _parts(file: ParquetFile, leaf: Leaf, groups: list[int], largest: bool) -> list[_Part]:
    """The row groups by their bound, those without one first."""
    parts = []
    for number in groups:
        chunk = file.row_groups[number].columns[leaf.leaf_index]
        bounds = known_bounds(chunk)
        bound = None
        if bounds is not None and bounds.trusted:
            bound = bounds.max_key if largest else bounds.min_key
        parts.append(_Part(number, bound, int(chunk.metadata.total_compressed_size or 0)))
    known = sorted((one for one in parts if one.bound is not None), key=_bound, reverse=largest)
    return [one for one in parts if one.bound is None] + known


def _bound(part: _Part) -> bytes:
    return part.bound or b""


def _needed(file: ParquetFile, leaf: Leaf, parts: list[_Part], largest: bool) -> list[_Part]:
    """The row groups that are read, by their bounds alone: as many as are sure to hold `TOP` values, and those between."""
    rows, needed = 0, list[_Part]()
    for one in parts:
        if rows >= TOP and one.bound is not None:
            break
        needed.append(one)
        rows += file.row_groups[one.group].num_rows
    return needed


def _key(file: ParquetFile, leaf: Leaf, order: Order, row: int) -> bytes | None:
    """The order key of the value in a row."""
    address = locate(file, row, leaf.leaf_index).address
    index = int(address.rpartition("/")[2])
    physical = page_at(file, address).physical_part(index, index + 1)[0].as_py()
    return order_key(leaf, stored_bytes(leaf, physical), order)


def _values(file: ParquetFile, leaf: Leaf, group: int) -> pa.Array:
    from pqexplore.insight.ask.matching.column_by_row import of_leaf

    values: Any = of_leaf(file, group, leaf).values
    return values.storage if isinstance(values, pa.ExtensionArray) else values


def _floats(values: pa.Array) -> bool:
    return bool(pa.types.is_floating(values.type))
