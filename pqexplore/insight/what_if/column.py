"""One column while it is tried, and what was found."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format.logical import annotation
from pqexplore.insight.what_if.budget import Budget, Clock
from pqexplore.insight.what_if.choices import CODECS, DICTIONARY_BYTES, FAST, Choice, choice, encodings_of, unread_by
from pqexplore.insight.what_if.estimate import alike, of_parts
from pqexplore.insight.what_if.measure import Measured, Size, Sizes, measure

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.writer.retype import Change

LARGE = 1 << 20
"""Bytes of a chunk from which it is first tried under the fast codecs only, and in encodings that may be the best, so that there is soon an
answer."""


@dataclasses.dataclass(frozen=True)
class ColumnTrial:
    """What was tried on one column.

    - `today`: bytes of its chunks in the file, headers included, as in `total_compressed_size`.
    - `sizes`: those of each choice, for all row groups. `row_groups` of them were measured.
    - `chunks`: bytes of each chunk today; `measured`: what was found of those that were tried, by row group.
    - `untried`: why there are no sizes; "" if there are. `best`: the choice with the fewest bytes that `READERS` read.
    """

    leaf: Leaf
    today: int
    sizes: Mapping[Choice, Size]
    row_groups: int = 0
    untried: str = ""
    chunks: tuple[int, ...] = ()
    measured: Mapping[int, Measured] = dataclasses.field(default_factory=dict, repr=False)

    @property
    def path(self) -> str:
        """The column's dotted path."""
        return ".".join(self.leaf.path)

    @functools.cached_property
    def best(self) -> Choice | None:
        """The choice with the fewest bytes of those that `READERS` read; None if nothing was tried."""
        read = [one for one in self.sizes if not unread_by(self.leaf, one)]
        return min(read, key=lambda one: self.sizes[one].bytes.total, default=None)


def profile(chunks: Sequence[ColumnChunk], rows: int) -> tuple[float, float]:
    """Bytes per row of chunks, in the file and decompressed."""
    stored = sum(len(chunk.span) for chunk in chunks)
    plain = sum(chunk.metadata.total_uncompressed_size or 0 for chunk in chunks)
    return stored / max(1, rows), plain / max(1, rows)


NEARLY = 0.95
"""The share of the time after which no other chunk and no other encoding is begun: what is begun is finished."""


class Trying:
    """A column while it is tried, with its own type or after a `change` of it."""

    def __init__(self, file: ParquetFile, leaf: Leaf, change: Change | None = None) -> None:
        self.leaf = leaf = leaf if change is None else change.new
        self._change = change
        self.chunks: list[ColumnChunk] = []
        self.today: list[int] = []
        self._profiles: list[tuple[float, float]] = []
        """Bytes per row of each chunk, in the file and decompressed."""
        self.untried = ""
        self.encodings = encodings_of(leaf)
        self._first = [
            options
            for options in self.encodings
            if options.dictionary_bytes == DICTIONARY_BYTES[0] and not unread_by(leaf, choice(options, *FAST[0]))
        ]
        self._ended = False
        self.seconds: dict[int, float] = {}
        """What each chunk that was tried under all codecs was given."""
        self.measured: dict[int, Measured] = {}
        """The sizes of each chunk that was tried; all of its values were read."""
        if not self.encodings:
            problem = annotation(leaf).problem
            self.untried = "no encoding takes its type" if problem is None else problem.message
        try:
            for group in file.row_groups:
                self.chunks.append(group.columns[leaf.leaf_index])
                self.today.append(len(self.chunks[-1].span))
                self._profiles.append(profile([self.chunks[-1]], group.num_rows))
        except ParquetError as error:
            self.untried = str(error)

    def is_large(self, at: int) -> bool:
        """Whether the chunk of row group `at` takes long under slow codecs."""
        return not self.untried and self.today[at] > LARGE

    def size(self, at: int) -> int:
        """Bytes of the chunk of row group `at`; 0 if the column cannot be tried."""
        return 0 if self.untried else self.today[at]

    def open(self, at: int, clock: Clock) -> bool:
        """Whether the chunk of row group `at` can be tried; its bytes are then spent.

        The first that the budget does not allow is the last: only small ones after it would be no fair sample.
        """
        if self.untried or self._ended or clock.done > NEARLY:
            return False
        affords = clock.spend(self.today[at])
        self._ended = not affords and bool(self.measured)
        return affords

    def estimated(self, at: int) -> bool:
        """Whether a codec was not measured, or on some pages of the chunk only."""
        if at not in self.measured:
            return True
        sizes = self.measured[at].sizes
        codecs = {(one.codec, one.level) for one in sizes}
        return len(codecs) < len(CODECS) or any(size.bytes.sampled for size in sizes.values())

    def visit(self, at: int, clock: Clock, seconds: float, *, fast: bool = False) -> Generator[float, None, None]:
        """Measure a chunk; a column that cannot be read, or whose values would be lost, is not tried further."""
        if not fast:
            self.seconds[at] = seconds
        encodings = self._first if fast else self.encodings
        work = measure(
            self.chunks[at], encodings, seconds, fast=fast, change=self._change, ended=lambda: clock.done > NEARLY
        )
        try:
            while True:
                try:
                    next(work)
                except StopIteration as stop:
                    known = self.measured.get(at)
                    self.measured[at] = stop.value
                    if known is not None:  # what there was no time for again
                        stop.value.sizes.update({**known.sizes, **stop.value.sizes})
                        if stop.value.distinct is None:
                            stop.value.distinct = known.distinct
                    return
                yield clock.done
        except (ParquetError, UsageError) as error:
            self.untried = str(error)

    def trial(self, budget: Budget) -> ColumnTrial:
        """What was found."""
        reason = self.untried
        if not reason and not self.chunks:
            reason = "the file has no row groups"
        if not reason and not self.measured:
            reason = f"the budget of {budget.seconds:g} s and {budget.bytes:,} bytes ended before it"
        if reason:
            return ColumnTrial(self.leaf, sum(self.today), {}, 0, reason)
        positions = list(self.measured)
        measured = [(self.today[at], found.sizes) for at, found in self.measured.items()]

        def like(chosen: Sequence[int]) -> bool:
            return alike(self._profiles, [positions[one] for one in chosen])

        sizes = dict(totals(len(self.today), sum(self.today), measured, like))
        return ColumnTrial(
            self.leaf, sum(self.today), sizes, len(self.measured), chunks=tuple(self.today), measured=self.measured
        )


def totals(
    count: int,
    today: int,
    measured: Sequence[tuple[int, Sizes]],
    like: Callable[[Sequence[int]], bool] = lambda chosen: True,
) -> Iterator[tuple[Choice, Size]]:
    """The size of each choice in `count` parts that take `today` bytes, from the bytes and sizes of those measured.

    `like` says of some of those, by their position, whether the other parts are like them.
    """
    every = {one: None for _, sizes in measured for one in sizes}
    for one in every:
        # A dictionary that fits the smaller limit was not encoded again for the larger one.
        smaller = dataclasses.replace(one, dictionary_bytes=DICTIONARY_BYTES[0])
        either = [(known, found.get(one, found.get(smaller))) for known, found in measured]
        chosen = [at for at, (_, size) in enumerate(either) if size is not None]
        sizes = [(known, size) for known, size in either if size is not None]
        parts = [(known, size.bytes) for known, size in sizes]
        total = of_parts(count, today, parts, alike=like(chosen))
        yield one, Size(total, sum(size.seconds for _, size in sizes), _decode_seconds(sizes))


def _decode_seconds(sizes: Sequence[tuple[int, Size]]) -> float | None:
    """The seconds of all parts, if only some were decoded in proportion to their bytes today."""
    known = [(today, size.decode) for today, size in sizes if size.decode is not None]
    base = sum(today for today, _ in known)
    return sum(one for _, one in known) / base * sum(today for today, _ in sizes) if base else None
