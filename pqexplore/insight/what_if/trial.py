"""Tries the choices on the columns of a file, within a budget: the table of sizes, the best options."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.file.table_reader import selected
from pqexplore.engine.format.logical import annotation
from pqexplore.engine.text import printable
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.rewriting import own_codec, own_version
from pqexplore.insight.steps import finish
from pqexplore.insight.what_if import predict as prediction
from pqexplore.insight.what_if.budget import DEFAULT, Budget, Clock
from pqexplore.insight.what_if.choices import (
    CODECS,
    DICTIONARY_BYTES,
    FAST,
    Choice,
    choice,
    encodings_of,
    unread_by,
)
from pqexplore.insight.what_if.code import Script, scripts
from pqexplore.insight.what_if.estimate import by_ratio, spread
from pqexplore.insight.what_if.measure import Size, Sizes, measure

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.outside import FileSystem, Readable, StorageOptions
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.limits import Limits

Opener = Callable[[], AbstractContextManager[ParquetFile]]

LARGE = 1 << 20
"""Bytes of a chunk from which it is first tried under the fast codecs only, and in encodings that may be the best, so that there is soon an
answer."""

SHORTEST = 0.02
"""Seconds for a chunk when the budget allows less for each."""


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


@dataclasses.dataclass(frozen=True)
class Trial:
    """Real sizes of other choices for a file; see `pqexplore.what_if`.

    `name` is the file's, `size` its bytes, `columns` what was tried on each column. `kept` are options that keep
    the codecs, the version and the rows of a row group.
    """

    name: str
    size: int
    columns: tuple[ColumnTrial, ...]
    budget: Budget
    kept: WriteOptions
    opener: Opener = dataclasses.field(repr=False, compare=False)

    @functools.cached_property
    def table(self) -> pa.Table:
        """A row for each column and choice, those of a column by size.

        - `column` (string, dotted), `encoding`, `dictionary_bytes` (int64, the limit; null without a dictionary),
          `codec`, `level` (int32, null if the codec has none).
        - `bytes`, `today` (int64): of all chunks of the column, headers included; `ratio` (double) of the two.
        - `encode_seconds` (double): to encode and compress what was measured.
        - `sampled`: whether `bytes` is an estimate; `error` (int64): twice its standard error in bytes, by the spread
          between the row groups or pages that were measured; null if only one was.
        - `unread_by` (list of strings): engines known not to read it. `best`: whether it is the best of its column.
        """
        rows = [row for column in self.columns for row in _rows(column)]
        return pa.Table.from_pylist(rows, schema=_TABLE)

    @functools.cached_property
    def untried(self) -> dict[str, str]:
        """The columns without sizes, by dotted path, and why."""
        return {one.path: printable(one.untried) for one in self.columns if one.untried}

    @functools.cached_property
    def best(self) -> WriteOptions:
        """Options for `pqexplore.rewrite`: the best choice of each column.

        Columns that were not tried keep their codec. Row groups have as many rows as the largest has today.
        """
        columns = dict(self.kept.columns)
        columns.update({one.path: one.best.options for one in self.columns if one.best})
        return dataclasses.replace(self.kept, columns=columns)

    @functools.cached_property
    def code(self) -> dict[str, Script]:
        """The best options as code, by writer: pyarrow, DuckDB, polars, Spark. See `Script`."""
        return scripts(self.name, self.columns, self.kept.row_group_rows)

    def predict(self, options: WriteOptions | None = None) -> prediction.Prediction:
        """The size of the file that `pqexplore.rewrite` would write with these options (None: `best`), without writing it.

        Exact if the budget suffices for all row groups; else an estimate with its error. Raises as `rewrite` does.
        """
        with self.opener() as file:
            return finish(prediction.steps(file, options or self.best, self.budget))

    def __repr__(self) -> str:
        return f"<Trial of {printable(self.name)}: {len(self.columns):,} columns>"


_TABLE = pa.schema(
    [
        ("column", pa.string()),
        ("encoding", pa.string()),
        ("dictionary_bytes", pa.int64()),
        ("codec", pa.string()),
        ("level", pa.int32()),
        ("bytes", pa.int64()),
        ("today", pa.int64()),
        ("ratio", pa.float64()),
        ("encode_seconds", pa.float64()),
        ("sampled", pa.bool_()),
        ("error", pa.int64()),
        ("unread_by", pa.list_(pa.string())),
        ("best", pa.bool_()),
    ]
)


def _rows(column: ColumnTrial) -> Iterator[dict[str, object]]:
    for one, size in sorted(column.sizes.items(), key=lambda pair: pair[1].bytes.total):
        error = size.bytes.error
        yield {
            "column": column.path,
            "encoding": one.encoding_name,
            "dictionary_bytes": one.dictionary_bytes,
            "codec": one.codec_name,
            "level": one.level,
            "bytes": round(size.bytes.total),
            "today": column.today,
            "ratio": size.bytes.total / column.today if column.today else None,
            "encode_seconds": size.seconds,
            "sampled": size.bytes.sampled,
            "error": None if error is None else round(error),
            "unread_by": unread_by(column.leaf, one),
            "best": one == column.best,
        }


Steps = Generator[float, None, Trial]


def what_if(
    file: Readable | ParquetFile,
    columns: Sequence[str] | None = None,
    budget: Budget = DEFAULT,
    *,
    decryption: Decryption | None = None,
    limits: Limits | None = None,
    filesystem: FileSystem | None = None,
    storage_options: StorageOptions | None = None,
) -> Trial:
    """Real sizes of a file's columns with other encodings and codecs, by our own writer.

    `file` is what `pqexplore.open` takes, or an open file. `columns` names leaves or groups, dotted; None for all. If the
    `budget` does not suffice for the whole file, row groups are sampled, and each size has its error. A column that
    cannot be read is among `Trial.untried`, with the reason. The other arguments are those of `pqexplore.open`. Raises
    what `pqexplore.open` raises, ParquetError for a footer or schema that cannot be read, UsageError for an unknown column.
    """
    if isinstance(file, ParquetFile):
        return finish(steps(file, columns, budget))
    again = functools.partial(
        open_file,
        file,
        decryption=decryption,
        limits=limits,
        filesystem=filesystem,
        storage_options=storage_options,
    )
    with again() as opened:
        return dataclasses.replace(finish(steps(opened, columns, budget)), opener=again)


def steps(
    file: ParquetFile, columns: Sequence[str] | None = None, budget: Budget = DEFAULT
) -> Steps:
    """The steps to a trial of an open file; see `what_if`. Yields the share of the budget or work that is done."""
    return (yield from file.budget.steps("what_if()", _steps(file, columns, budget)))


def _steps(file: ParquetFile, columns: Sequence[str] | None, budget: Budget) -> Steps:
    wanted = selected(file, columns)
    kept = _kept(file)
    found = [_Column(file, leaf) for leaf in file.schema.leaves if leaf.leaf_index in wanted]
    clock = budget.start()
    yield 0.0
    order = spread(len(file.row_groups))
    for one in found:
        if order and one.is_large(order[0]) and one.open(order[0], clock):
            yield from one.visit(order[0], clock, 0.0, fast=True)
    todo = [(one, at) for at in order for one in found]
    for _ in range(2):
        for left, (one, at) in zip(range(len(todo), 0, -1), todo, strict=True):
            share = max(SHORTEST, clock.left / left)
            if share > 2 * one.seconds.get(at, 0) and one.open(at, clock):
                yield from one.visit(at, clock, share)
        todo = [(one, at) for one, at in todo if not one.untried and one.estimated(at)]
    tried = tuple(one.trial(budget) for one in found)
    return Trial(file.name, file.size, tried, budget, kept, lambda: contextlib.nullcontext(file))


def _kept(file: ParquetFile) -> WriteOptions:
    """Options that keep the codecs that can be read, the version and the rows of a row group."""
    codecs: dict[str | tuple[str, ...], dict[str, str]] = {}
    for group in list(file.row_groups)[:1]:
        for index, leaf in enumerate(file.schema.leaves):
            with contextlib.suppress(ParquetError):
                codecs[".".join(leaf.path)] = {"codec": own_codec(group.columns[index])}
    rows = max((group.num_rows for group in file.row_groups), default=0)
    return WriteOptions(columns=codecs, version=own_version(file), row_group_rows=max(1, rows))


class _Column:
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
        if not reason and not self._measured:
            reason = (
                f"the budget of {budget.seconds:g} s and {budget.bytes:,} bytes ended before it"
            )
        if reason or not self.chunks:
            return ColumnTrial(self.leaf, sum(self.today), {}, 0, reason or "the file has no rows")
        sizes = dict(self._totals())
        return ColumnTrial(self.leaf, sum(self.today), sizes, len(self._measured))

    def _totals(self) -> Iterator[tuple[Choice, Size]]:
        every = {one: None for sizes in self._measured.values() for one in sizes}
        for one in every:
            # A dictionary that fits the smaller limit was not encoded again for the larger one.
            smaller = dataclasses.replace(one, dictionary_bytes=DICTIONARY_BYTES[0])
            either = {
                at: found.get(one, found.get(smaller)) for at, found in self._measured.items()
            }
            sizes = {at: size for at, size in either.items() if size is not None}
            total = by_ratio(self.today, {at: size.bytes for at, size in sizes.items()})
            yield one, Size(total, sum(size.seconds for size in sizes.values()))
