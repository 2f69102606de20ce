"""A column in each row group, for the column card: sizes, encodings, range and nulls, all by the footer.

Apart from `column.py`, because both together are longer than one file should be.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.logical import meaning
from pqexplore.insight.axis import Axis
from pqexplore.insight.columns import Columns
from pqexplore.insight.kept import Latest
from pqexplore.insight.lenses.compare_groups import LISTED, GroupChunk, group_chunks
from pqexplore.insight.lenses.statistics import STATES, state_of
from pqexplore.insight.parts import Skippable, group_parts, joint_axis, judged
from pqexplore.insight.skipping import Skipping

INLINE = 300
"""Max row groups that travel with the picture; more are requested as columns."""


@dataclasses.dataclass(slots=True)
class Groups:
    """The row groups as columns of equal length.

    Sizes are in bytes, -1 if unknown; `low` and `high` are the range on the axis from 0 to 1, -1 without one; `nulls` is
    the share of the entries without a value, -1 if unknown. `state` is an index into `STATES` of the lens statistics.
    `start` and `end` are bytes in the file, -1 if unknown.
    """

    compressed: list[int]
    uncompressed: list[int]
    low: list[float]
    high: list[float]
    state: list[int]
    nulls: list[float]
    start: list[int]
    end: list[int]
    text: list[str]

    def columns(self) -> Columns:
        """The same as columns for the transport."""
        kinds = {"low": "<f4", "high": "<f4", "state": "<u1", "nulls": "<f4"}
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return Columns(
            {
                name: values if name == "text" else np.array(values, kinds.get(name, "<f8"))
                for name, values in fields.items()
            }
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Known:
    """What the footer says of a column: its chunks and their ranges, the first `LISTED`, on one axis; and the verdict."""

    leaf: Leaf
    chunks: list[GroupChunk]
    parts: list[Skippable]
    axis: Axis
    verdict: Skipping

    @property
    def readable(self) -> list[GroupChunk]:
        """The chunks whose metadata could be read."""
        return [one for one in self.chunks if one.codec]

    @property
    def locked(self) -> bool:
        """Whether the statistics of all chunks are encrypted, and no key was given for them."""
        return bool(self.parts) and all(is_locked(part) for part in self.parts)


def is_locked(part: Skippable) -> bool:
    """Whether the statistics of a chunk need a key."""
    return state_of(part) == "locked"


def always_null(leaf: Leaf) -> bool:
    """Whether the column's type has no value but null (specification, UNKNOWN)."""
    return meaning(leaf).name == "UNKNOWN"


def null_count(leaf: Leaf, part: Skippable) -> int | None:
    """Entries of a part without a value; None if unknown, or if the count cannot be right."""
    return None if part.error else nulls_among(leaf, part.values, part.nulls)


def nulls_among(leaf: Leaf, entries: int | None, counted: int | None) -> int | None:
    """How many of a column's entries have no value, where its statistics have `counted`; None if unknown or impossible.

    The schema alone says it of a required column, and of one whose type has only nulls.
    """
    if entries is None:
        return None
    if leaf.max_definition_level == 0:
        return 0
    if always_null(leaf):
        return entries
    return counted if counted is not None and 0 <= counted <= entries else None


_kept: Latest[ParquetFile, Known] = Latest(8)


def known(file: ParquetFile, leaf: Leaf) -> Known:
    """The row groups of a column, the first `LISTED`; kept until there are more findings, which bounds depend on."""
    key = leaf.leaf_index, len(file.findings)
    kept = _kept.get(file, key)
    if kept is None:
        kept = _known(file, leaf)
        _kept.put(file, key, kept)
    return kept


def _known(file: ParquetFile, leaf: Leaf) -> Known:
    parts = list(group_parts(file, leaf, LISTED))
    axis = joint_axis(leaf, parts)
    return Known(leaf, group_chunks(file, leaf), parts, axis, judged(parts, axis))


def drawn(of: Known) -> Groups:
    """The row groups for the picture."""
    total = len(of.parts)
    places = np.where(np.isnan(of.axis.place), -1, of.axis.place).round(6).tolist()
    shares = []
    for part in of.parts:
        nulls = null_count(of.leaf, part)
        shares.append(-1 if nulls is None or not part.values else nulls / part.values)
    spans = [one.span for one in of.chunks]
    return Groups(
        compressed=[one.compressed if one.codec else -1 for one in of.chunks],
        uncompressed=[one.uncompressed if one.codec else -1 for one in of.chunks],
        low=places[:total],
        high=places[total:],
        state=[STATES.index(state_of(part)) for part in of.parts],
        nulls=shares,
        start=[-1 if span is None else span.start for span in spans],
        end=[-1 if span is None else span.end for span in spans],
        text=[part.range_text(of.leaf) for part in of.parts],
    )
