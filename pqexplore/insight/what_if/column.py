"""One column while it is tried, and what was found."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.logical import annotation
from pqexplore.insight.what_if.budget import Budget, Clock
from pqexplore.insight.what_if.choices import (
    CODECS,
    DICTIONARY_BYTES,
    FAST,
    Choice,
    choice,
    encodings_of,
    unread_by,
)
from pqexplore.insight.what_if.estimate import of_parts
from pqexplore.insight.what_if.measure import Size, Sizes, measure

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf

LARGE = 1 << 20
"""Bytes of a chunk from which it is first tried under the fast codecs only, and in encodings that may be the best, so that there is soon an
answer."""


@dataclasses.dataclass(frozen=True)
class ColumnTrial:
    """What was tried on one column.

    - `today`: bytes of its chunks in the file, headers included, as in `total_compressed_size`.
    - `sizes`: those of each choice, for all row groups. `row_groups` of them were measured.
    - `untried`: why there are no sizes; "" if there are. `best`: the choice with the fewest bytes that `READERS` read.
    """

    leaf: Leaf
    today: int
    sizes: Mapping[Choice, Size]
    row_groups: int = 0
    untried: str = ""

    @property
    def path(self) -> str:
        """The column's dotted path."""
        return ".".join(self.leaf.path)

    @functools.cached_property
    def best(self) -> Choice | None:
        """The choice with the fewest bytes of those that `READERS` read; None if nothing was tried."""
        read = [one for one in self.sizes if not unread_by(self.leaf, one)]
        return min(read, key=lambda one: self.sizes[one].bytes.total, default=None)


class Trying:
    """A column while it is tried."""

    def __init__(self, file: ParquetFile, leaf: Leaf) -> None:
        self.leaf = leaf
        self.chunks: list[ColumnChunk] = []
        self.today: list[int] = []
        self.untried = ""
        self.encodings = encodings_of(leaf)
        self._first = [
            options
            for options in self.encodings
            if options.dictionary_bytes == DICTIONARY_BYTES[0]
            and not unread_by(leaf, choice(options, *FAST[0]))
        ]
        self.seconds: dict[int, float] = {}
        """What each chunk that was tried under all codecs was given."""
        self._measured: dict[int, Sizes] = {}
        if not self.encodings:
            problem = annotation(leaf).problem
            self.untried = "no encoding takes its type" if problem is None else problem.message
        try:
            for group in file.row_groups:
                self.chunks.append(group.columns[leaf.leaf_index])
                self.today.append(len(self.chunks[-1].span))
        except ParquetError as error:
            self.untried = str(error)

    def is_large(self, at: int) -> bool:
        """Whether the chunk of row group `at` takes long under slow codecs."""
        return not self.untried and self.today[at] > LARGE

    def open(self, at: int, clock: Clock) -> bool:
        """Whether the chunk of row group `at` can be tried; its bytes are then spent."""
        return not self.untried and clock.left > 0 and clock.spend(self.today[at])

    def estimated(self, at: int) -> bool:
        """Whether a codec was not measured, or on some pages of the chunk only."""
        sizes = self._measured.get(at, {})
        codecs = {(one.codec, one.level) for one in sizes}
        return len(codecs) < len(CODECS) or any(size.bytes.sampled for size in sizes.values())

    def visit(
        self, at: int, clock: Clock, seconds: float, *, fast: bool = False
    ) -> Generator[float, None, None]:
        """Measure a chunk; a column that cannot be read is not tried further."""
        if not fast:
            self.seconds[at] = seconds
        encodings = self._first if fast else self.encodings
        work = measure(self.chunks[at], encodings, seconds, fast=fast)
        try:
            while True:
                try:
                    next(work)
                except StopIteration as stop:
                    self._measured[at] = stop.value
                    return
                yield clock.done
        except ParquetError as error:
            self.untried = str(error)

    def trial(self, budget: Budget) -> ColumnTrial:
        """What was found."""
        reason = self.untried
        if not reason and not self.chunks:
            reason = "the file has no row groups"
        if not reason and not self._measured:
            reason = (
                f"the budget of {budget.seconds:g} s and {budget.bytes:,} bytes ended before it"
            )
        if reason:
            return ColumnTrial(self.leaf, sum(self.today), {}, 0, reason)
        measured = [(self.today[at], sizes) for at, sizes in self._measured.items()]
        sizes = dict(totals(len(self.today), sum(self.today), measured))
        return ColumnTrial(self.leaf, sum(self.today), sizes, len(self._measured))


def totals(
    count: int, today: int, measured: Sequence[tuple[int, Sizes]]
) -> Iterator[tuple[Choice, Size]]:
    """The size of each choice in `count` parts that take `today` bytes, from the bytes and sizes of those measured."""
    every = {one: None for _, sizes in measured for one in sizes}
    for one in every:
        # A dictionary that fits the smaller limit was not encoded again for the larger one.
        smaller = dataclasses.replace(one, dictionary_bytes=DICTIONARY_BYTES[0])
        either = [(known, found.get(one, found.get(smaller))) for known, found in measured]
        sizes = [(known, size) for known, size in either if size is not None]
        total = of_parts(count, today, [(known, size.bytes) for known, size in sizes])
        yield one, Size(total, sum(size.seconds for _, size in sizes))
