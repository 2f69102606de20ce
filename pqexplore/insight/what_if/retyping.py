"""Savings by types: columns whose values another type holds without loss, in fewer bytes.

Some values of a column, looked at first, leave few columns to try. Of these each value is converted and converted back
(`engine.writer.retype`), and the new type is tried in all its encodings, as the column was in its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.logical import describe, meaning, physical_name
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.writer import retype
from pqexplore.insight.doctor.rules import mistyped_values, trials
from pqexplore.insight.doctor.rules.types import SAVED_SHARE
from pqexplore.insight.doctor.rules.values import LEAST_ROWS
from pqexplore.insight.what_if.budget import Budget
from pqexplore.insight.what_if.column import ColumnTrial, Trying
from pqexplore.insight.what_if.estimate import spread
from pqexplore.insight.what_if.measure import CHUNK_BYTES, VALUE_BYTES
from pqexplore.insight.what_if.saving import Kind, Saving, Steps
from pqexplore.insight.what_if.unchanged_options import best, kept
from pqexplore.insight.wording import name, size

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.rules.values import LEAST_ROWS
from pqexplore.insight.what_if.budget import Clock

LOOKED_AT = 1_000
"""Values of a page that are looked at first."""

_INTEGERS = ("int32", "int64")

CHUNKS = 20
"""Chunks in which values are looked for first."""


def retyping(file: ParquetFile, columns: tuple[ColumnTrial, ...], clock: Clock) -> Steps:
    """Finds the columns that take fewer bytes in another type, which holds each of their values.

    In a file of at least `LEAST_ROWS` rows: a few values can be of any type by chance.
    """
    if file.num_rows < LEAST_ROWS:
        return []
    todo: list[tuple[ColumnTrial, tuple[str, ...]]] = []
    for column in sorted(columns, key=lambda one: -one.today):
        if column.best is None or clock.left <= 0 or file.schema.dotted.count(column.path) > 1:
            continue
        todo += [(column, targets) for targets in _candidates(file, column.leaf)]
        yield clock.done
    found: list[Saving] = []
    order = spread(len(file.row_groups))
    for left, (column, targets) in zip(range(len(todo), 0, -1), todo, strict=True):
        until = clock.left * (1 - 1 / left)
        for target in targets:
            trying = Trying(file, column.leaf, retype.change(column.leaf, target))
            for parts, at in zip(range(len(order), 0, -1), order, strict=True):
                share = (clock.left - until) / parts
                if share > 0 and trying.open(at, clock):
                    yield from trying.visit(at, clock, share)
            if not trying.untried:
                found += _saving(file, columns, column, target, trying)
                break
    return found


def _candidates(file: ParquetFile, leaf: Leaf) -> Iterator[tuple[str, ...]]:
    """Types that some values of a leaf allow, each group in the order in which they are tried: one of a group is enough."""
    offered = retype.offered(leaf)
    if not offered:
        return
    values = _first_values(file, leaf)
    if values is None:
        return
    for targets in _groups(file, leaf, values):
        held = [one for one in targets if one in offered and _holds(leaf, one, values)]
        if held:
            yield tuple(held)


def _groups(file: ParquetFile, leaf: Leaf, values: pa.Array) -> list[tuple[str, ...]]:
    if meaning(leaf).name == "STRING":
        text = values[0].as_py().decode(errors="replace")
        form = next((one for one in mistyped_values.FORMS if one.test(text)), None)
        return [form.types] if form else []
    if leaf.physical_type == Type.INT96:
        # Spark and Hive mean instants, and other readers take INT96 for local times.
        zone = ", tz=UTC" if "parquet-mr" in (file.created_by or "") else ""
        return [(f"timestamp[us{zone}]", f"timestamp[ns{zone}]")]
    return [_INTEGERS, ("float32",)]


def _holds(leaf: Leaf, target: str, values: pa.Array) -> bool:
    return retype.change(leaf, target).converted(values)[1] is None


def _first_values(file: ParquetFile, leaf: Leaf) -> pa.Array | None:
    """Some values of a leaf as stored, from a page in the middle of the first chunk that has values."""
    for group in list(file.row_groups)[:CHUNKS]:
        try:
            for page in trials.spread(group.columns[leaf.leaf_index], 1):
                if page.num_values > CHUNK_BYTES // VALUE_BYTES:
                    return None  # few bytes can stand for many values
                values = page.physical.drop_null()
                if len(values):
                    return values[:LOOKED_AT]
        except ParquetError:
            return None
    return None


def _saving(
    file: ParquetFile, columns: tuple[ColumnTrial, ...], column: ColumnTrial, target: str, trying: Trying
) -> Iterator[Saving]:  # fmt: skip
    """The saving, if the new type takes so much less than the old one, each with its best choice, that it matters."""
    made = trying.trial(Budget())
    if made.best is None or column.best is None:
        return
    new, old = made.sizes[made.best].bytes, column.sizes[column.best].bytes
    if new.total > old.total * (1 - SAVED_SHARE):
        return
    whole = made.row_groups == len(file.row_groups)
    sampled = new.sampled or old.sampled or not whole
    options = best(kept(file), columns)
    about = "about " if sampled else ""
    leaf, path = column.leaf, name(column.path)
    before, after = _types(leaf, trying.leaf)
    looked = sum(file.row_groups[at].num_rows for at in trying.measured)
    which = f"All values of {path}"
    if not whole:
        which = f"In the {looked:,} of {file.num_rows:,} rows that were looked at, all values of {path}"
    doubt = (
        "" if whole else " The others were not looked at: `rewrite` refuses the change if one of them would be lost."
    )
    yield Saving(
        Kind.TYPE,
        column.path,
        f"{after} instead of {before}",
        round(old.total),
        round(new.total),
        round(new.error) if sampled and new.error is not None else None,
        sampled,
        f"{which} {_what(leaf, target)}. With the best choice of each, the column takes {about}{size(round(new.total))} as "
        f"{after} and {about}{size(round(old.total))} as {before}; today it takes {size(column.today)}. "
        f"{_schema(leaf, trying.leaf)}{doubt}",
        dataclasses.replace(options, columns={**options.columns, column.path: made.best.options}),
        types=((column.path, target),),
    )


def _types(old: Leaf, new: Leaf) -> tuple[str, str]:
    """The two types in words; the physical ones if only how values are stored differs."""
    tell = physical_name if describe(old) == describe(new) else describe
    return tell(old), tell(new)


_WHAT = {
    "date32": "are dates as text (year-month-day)",
    "uuid": "are UUIDs as text",
    "float32": "are the same in 32 bits, bit for bit, also zeros and NaNs",
}


def _what(leaf: Leaf, target: str) -> str:
    """What is true of the values: the words after "all values of a column"."""
    if target in _WHAT:
        return _WHAT[target]
    if meaning(leaf).name == "STRING":
        return "are timestamps as text, all in one form" if target in retype.STAMPS else "are whole numbers as text"  # fmt: skip
    if leaf.physical_type == Type.INT96:
        return "are whole microseconds" if "us" in target else "fit nanoseconds"
    return "are whole numbers" if leaf.physical_type in (Type.FLOAT, Type.DOUBLE) else f"fit {target.upper()}"  # fmt: skip


def _schema(old: Leaf, new: Leaf) -> str:
    """What changes for readers."""
    one, two = _types(old, new)
    if describe(old) == describe(new):
        return f"It stays {describe(old)}: only how it is stored changes."
    return f"The schema changes: readers then get {two} instead of {one}."
