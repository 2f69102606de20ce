"""A column that a condition asks about: its tests, the file's claims about it, and its values."""

from __future__ import annotations

import dataclasses
import weakref
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file import chunk_indexes
from pqexplore.engine.file.chunk_bounds import known_bounds
from pqexplore.engine.format.thrift import structs
from pqexplore.insight.ask.bound import Test, tests
from pqexplore.insight.ask.why_not_pruned.value_evidence import Values, read
from pqexplore.insight.axis import order_of, text_of
from pqexplore.insight.skippable import GROUP, Skippable
from pqexplore.insight.wording import name as quoted

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.statistics import Bounds
    from pqexplore.insight.ask.plan import Plan


@dataclasses.dataclass(slots=True)
class Column:
    """What is known about a leaf: its tests, claims by row group, and values if they could be read.

    For each row group that the plan keeps, `claims` has what the engine uses, and `stored` what the file says, None
    without Statistics. `indexed` is whether each kept chunk has a page index.
    """

    leaf: Leaf
    tests: tuple[Test, ...]
    claims: dict[int, Skippable]
    stored: dict[int, Bounds | None]
    chunks: dict[int, ColumnChunk]
    indexed: bool
    values: Values | None

    def has_bounds(self, index: int) -> bool:
        """Whether the file has a min or max for a row group."""
        bounds = self.stored.get(index)
        return bounds is not None and not (bounds.min_raw is None and bounds.max_raw is None)

    def ends(self, index: int) -> tuple[bytes, bytes]:
        """The min and max that the file has for a row group; empty if absent."""
        bounds = self.stored.get(index)
        return (b"", b"") if bounds is None else (bounds.min_raw or b"", bounds.max_raw or b"")

    @property
    def path(self) -> str:
        """The dotted path."""
        return ".".join(self.leaf.path)

    @property
    def name(self) -> str:
        """The path in backquotes, clipped, for a sentence."""
        return quoted(self.leaf.path)

    def text(self, rank: int) -> str:
        """A value as text: the one at `rank` among the distinct ones."""
        assert self.values is not None
        return text_of(self.leaf, self.values.raw(rank))


def in_groups(count: int, total: int) -> str:
    """In which of the row groups that are read: "in 3 of 8 row groups that are read"."""
    if count == total:
        return "in the row group that is read" if total == 1 else f"in all {total:,} row groups that are read"
    return f"in {count:,} of {total:,} row groups that are read"


_KNOWN: weakref.WeakKeyDictionary[Plan, tuple[Column, ...]] = weakref.WeakKeyDictionary()


def columns_of(plan: Plan) -> tuple[Column, ...]:
    """The columns that the engine asks about, those of fields in lists left out. Reads their values once a plan."""
    if plan not in _KNOWN:
        by_leaf: dict[int, list[Test]] = {}
        for test in tests(plan.used):
            if not test.repeated and not test.leaf.max_repetition_level:
                by_leaf.setdefault(test.leaf.leaf_index, []).append(test)
        _KNOWN[plan] = tuple(column_of(plan, tuple(found)) for found in by_leaf.values())
    return _KNOWN[plan]


def column_of(plan: Plan, found: tuple[Test, ...]) -> Column:
    """What is known about the leaf of some tests."""
    leaf = found[0].leaf
    claims: dict[int, Skippable] = {}
    stored: dict[int, Bounds | None] = {}
    chunks: dict[int, ColumnChunk] = {}
    indexed = bool(plan.kept)
    for group in plan.kept:
        try:
            chunk = plan.file.row_groups[group.index].columns[leaf.leaf_index]
            chunks[group.index] = chunk
            claims[group.index] = plan.engine.chunk_claims(chunk)
            stored[group.index] = known_bounds(chunk)
            indexed = indexed and has_page_index(chunk)
        except ParquetError as error:
            claims[group.index] = Skippable(GROUP, group.index, None, error=error.message)
            indexed = False
    values = read(plan.file, leaf, order_of(leaf)) if plan.kept else None
    return Column(leaf, found, claims, stored, chunks, indexed, values)


def has_page_index(chunk: ColumnChunk) -> bool:
    """Whether the footer gives a chunk a column index and an offset index."""
    return all(chunk_indexes.place(chunk, kind) is not None for kind in (structs.ColumnIndex, structs.OffsetIndex))
