"""Tries the choices on the columns of a file, within a budget: the table of sizes, the best options."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.file.table_reader import selected
from pqexplore.engine.text import printable
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.retype import NO_TYPES, Types
from pqexplore.insight.steps import finish
from pqexplore.insight.what_if import predict as prediction
from pqexplore.insight.what_if.budget import DEFAULT, SHORTEST, Budget
from pqexplore.insight.what_if.choices import unread_by
from pqexplore.insight.what_if.code import Script, scripts
from pqexplore.insight.what_if.column import ColumnTrial, Trying
from pqexplore.insight.what_if.estimate import spread
from pqexplore.insight.what_if.saving import Saving
from pqexplore.insight.what_if.sentence import sentence
from pqexplore.insight.what_if.unchanged_options import best, kept
from pqexplore.insight.what_if.writer_storage import Footer, footer_of
from pqexplore.insight.wording import percent

if TYPE_CHECKING:
    from pqexplore.engine.file.caller_types import FileSystem, Readable, StorageOptions
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.limits import Limits

LEAST = 0.01
"""The share of a file that is saved at least to be said."""

Opener = Callable[[], AbstractContextManager[ParquetFile]]


@dataclasses.dataclass(frozen=True)
class Trial:
    """Real sizes of other choices for a file; see `pqexplore.what_if`.

    `name` is the file's, `size` its bytes, `columns` what was tried on each column. `kept` are options that keep
    the codecs, the version and the rows of a row group. `footer` is what the size of another footer follows from.
    """

    name: str
    size: int
    columns: tuple[ColumnTrial, ...]
    budget: Budget
    kept: WriteOptions
    footer: Footer
    opener: Opener = dataclasses.field(repr=False, compare=False)

    @functools.cached_property
    def table(self) -> pa.Table:
        """A row for each column and choice, those of a column by size.

        - `column` (string, dotted), `encoding`, `dictionary_bytes` (int64, the limit; null without a dictionary),
          `codec`, `level` (int32, null if the codec has none).
        - `bytes`, `today` (int64): of all chunks of the column, headers included; `ratio` (double) of the two.
        - `encode_seconds` (double): to encode and compress what was measured; `decode_seconds` (double): to decompress
          and decode it with our reader, null where that was not measured: only the smallest choices are decoded.
        - `sampled`: whether `bytes` is an estimate; `error` (int64): how many bytes it may be off in 95 of 100 cases, by
          the spread between the row groups or pages that were measured; null if they were
          few, or others are unlike them.
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
        return best(self.kept, self.columns)

    @functools.cached_property
    def sentence(self) -> str:
        """What the columns take today, and with the best choice of each, the error if that is an estimate; what the file could be."""
        saved = sum(one.today - one.sizes[one.best].bytes.total for one in self.columns if one.best is not None)
        could = (
            f" The file could be {percent(1 - saved / self.size)} of its size."
            if LEAST * self.size <= saved < self.size
            else ""
        )
        return f"{sentence(self.columns)}{could}"

    @functools.cached_property
    def code(self) -> dict[str, Script]:
        """The best options as code, by writer: pyarrow, DuckDB, polars, Spark. See `Script`."""
        return scripts(self.name, self.columns, self.kept.row_group_rows, self.footer)

    def predict(
        self, options: WriteOptions | None = None, *, sort: Sequence[str] = (), types: Types = NO_TYPES
    ) -> prediction.Prediction:
        """The size of the file that `pqexplore.rewrite` would write with these arguments, without writing it.

        Without `options` these are `best`, but for the encodings of columns that get new `types`. Exact if the budget
        suffices for all row groups; else an estimate with its error. With `sort`, all columns are read whatever the budget
        is, and row groups of the sorted file are encoded within it. Raises as `rewrite` does, and LimitExceededError for a
        chunk with too many values to be tried.
        """
        chosen = options or dataclasses.replace(
            self.best,
            columns={
                path: {"codec": given["codec"]} if path in types else given for path, given in self.best.columns.items()
            },
        )
        with self.opener() as file:
            return finish(prediction.steps(file, chosen, self.budget, sort, types))

    @functools.cached_property
    def savings(self) -> tuple[Saving, ...]:
        """Other changes with their sizes, the largest saving first: sort orders, row groups, pages, indexes, types, shredding.

        They are looked for when they are asked for the first time, in as much time as the columns had.
        """
        return self.savings_within(self.budget)

    @functools.cached_property
    def worth(self) -> tuple[Saving, ...]:
        """The savings that are worth it, at most five, the largest first: they make this file smaller, or let a search skip more."""
        from pqexplore.insight.what_if import savings

        return savings.worth(self.savings, self.size)

    def savings_within(self, budget: Budget) -> tuple[Saving, ...]:
        """The savings that are found within a budget."""
        from pqexplore.insight.what_if import savings  # the doctor's rules take long to load

        with self.opener() as file:
            return finish(savings.steps(file, self.columns, budget))

    def __repr__(self) -> str:
        return f"<Trial of {printable(self.name)}: {self.sentence}>"


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
        ("decode_seconds", pa.float64()),
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
            "decode_seconds": size.decode,
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
        open_file, file, decryption=decryption, limits=limits, filesystem=filesystem, storage_options=storage_options
    )
    with again() as opened:
        return dataclasses.replace(finish(steps(opened, columns, budget)), opener=again)


SoFar = Callable[[], tuple[ColumnTrial, ...]]
"""Gives the columns as far as they were tried."""


def steps(
    file: ParquetFile,
    columns: Sequence[str] | None = None,
    budget: Budget = DEFAULT,
    watch: Callable[[SoFar], None] = lambda so_far: None,
) -> Steps:
    """The steps to a trial of an open file; see `what_if`. Yields the share of the budget or work that is done.

    `watch` gets what tells at any step what was found until then.
    """
    return (yield from file.budget.steps("what_if()", _steps(file, columns, budget, watch)))


def _steps(file: ParquetFile, columns: Sequence[str] | None, budget: Budget, watch: Callable[[SoFar], None]) -> Steps:
    wanted = selected(file, columns)
    own = kept(file)
    found = [Trying(file, leaf) for leaf in file.schema.leaves if leaf.leaf_index in wanted]
    watch(lambda: tuple(one.trial(budget) for one in found))
    clock = budget.start()
    yield 0.0
    order = spread(len(file.row_groups))
    for one in found:
        if order and one.is_large(order[0]) and one.open(order[0], clock):
            yield from one.visit(order[0], clock, 0.0, fast=True)
    # Small chunks first: they leave more time to the large ones than those to them.
    todo = [(one, at) for at in order for one in sorted(found, key=lambda one: one.size(at))]
    for _ in range(2):
        for left, (one, at) in zip(range(len(todo), 0, -1), todo, strict=True):
            share = max(SHORTEST, clock.left / left)
            if share > 2 * one.seconds.get(at, 0) and one.open(at, clock):
                yield from one.visit(at, clock, share)
        todo = [(one, at) for one, at in todo if not one.untried and one.estimated(at)]
    tried = tuple(one.trial(budget) for one in found)
    footer = footer_of(file)
    return Trial(file.name, file.size, tried, budget, own, footer, lambda: contextlib.nullcontext(file))
