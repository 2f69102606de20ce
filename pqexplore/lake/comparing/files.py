"""The files of both sides, side by side: which were added, removed, changed, or kept."""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format.logical import describe
from pqexplore.engine.format.variant.equivalent import equivalents
from pqexplore.engine.format.variant.variants_in_columns import exchange
from pqexplore.engine.text import printable
from pqexplore.insight.diff.data import HASHED, bags_differ
from pqexplore.insight.diff.diff import Diff, steps
from pqexplore.insight.diff.hashes import hashes, of_rows
from pqexplore.insight.steps import finish
from pqexplore.lake.comparing.state import Member, State
from pqexplore.lake.logs.table_log import LogError

if TYPE_CHECKING:
    from pqexplore.engine.arrays import UInt64s
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.schema import Schema
    from pqexplore.lake.comparing.state import Member


ADDED, REMOVED, CHANGED, KEPT = "added", "removed", "changed", "kept"

FILES = 100_000
"""Max files whose footers are read."""

DIFFS = 200
"""Changed files whose difference is worked out; the others are only called changed."""

UNREADABLE = (ParquetError, OSError, LogError)


@dataclasses.dataclass(frozen=True, slots=True)
class FilePair:
    """A file by its name on both sides; None on a side that does not have it.

    `state` is one of `added`, `removed`, `changed` and `kept`. `diff` is the comparison of both files if they were
    compared, `why` the reason if they could not be.
    """

    name: str
    state: str
    first: Member | None
    second: Member | None
    diff: Diff | None = None
    why: str = ""


_TABLE = pa.schema(
    [
        ("name", pa.string()),
        ("state", pa.string()),
        ("rows_first", pa.int64()),
        ("rows_second", pa.int64()),
        ("deleted_first", pa.int64()),
        ("deleted_second", pa.int64()),
        ("bytes_first", pa.int64()),
        ("bytes_second", pa.int64()),
        ("sentence", pa.string()),
    ]
)


def table(pairs: Sequence[FilePair]) -> pa.Table:
    """A row for each file."""
    made = [
        (
            printable(one.name),
            one.state,
            *(None if side is None else side.rows for side in (one.first, one.second)),
            *(None if side is None else side.deleted for side in (one.first, one.second)),
            *(None if side is None else side.size for side in (one.first, one.second)),
            one.why if one.diff is None else one.diff.sentence,
        )
        for one in pairs
    ]
    columns = list(zip(*made, strict=True)) if made else [()] * len(_TABLE)
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, _TABLE, strict=True)], _TABLE)


class Schemas:
    """The schemas of a side's files: how many files have each, and one of them as a schema."""

    def __init__(self) -> None:
        self.counts: Counter[Hashable] = Counter()
        self._schemas: dict[Hashable, Schema] = {}

    def add(self, file: ParquetFile) -> None:
        """Counts the schema of a file."""
        key = tuple(
            (leaf.path, leaf.physical_type, describe(leaf), leaf.repetition, leaf.element.field_id)
            for leaf in file.schema.leaves
        )
        self.counts[key] += 1
        self._schemas.setdefault(key, file.schema)

    @property
    def usual(self) -> Schema | None:
        """The schema that most files have; None without files."""
        return self._schemas[self.counts.most_common(1)[0][0]] if self.counts else None


def with_footers(state: State, every: bool) -> tuple[State, Schemas, list[tuple[str, str]]]:
    """The side with the numbers of rows that only footers say, the schemas of these files, and those not read and why.

    With `every`, all footers are read.
    """
    wanted = [name for name, one in state.members.items() if every or one.rows is None]
    if len(wanted) > FILES:
        raise UsageError(f"there are {len(wanted):,} files; the footers of {FILES:,} are read")
    members, schemas, unread = dict(state.members), Schemas(), []
    for name in wanted:
        member = members[name]
        if member.opened is None:
            unread.append((name, member.refusal or "it is no Parquet file"))
            continue
        try:
            with member.opened() as file:
                schemas.add(file)
                members[name] = dataclasses.replace(member, rows=file.num_rows, size=file.size)
        except UNREADABLE as error:
            unread.append((name, str(error)))
    return dataclasses.replace(state, members=members), schemas, unread


def side_by_side(a: State, b: State, level: str, one_table: bool) -> Iterator[FilePair]:
    """The files of both sides, by name. Files of one table are immutable: the same name is the same file."""
    compared = 0
    for name in sorted({*a.members, *b.members}):
        first, second = a.members.get(name), b.members.get(name)
        if first is None or second is None:
            yield FilePair(name, ADDED if first is None else REMOVED, first, second)
        elif one_table:
            same = (first.vector, first.deleted) == (second.vector, second.deleted)
            yield FilePair(name, KEPT if same else CHANGED, first, second)
        else:
            pair = _compared(name, first, second, level, compared < DIFFS)
            compared += pair.state == CHANGED
            yield pair


def _compared(name: str, first: Member, second: Member, level: str, whole: bool) -> FilePair:
    if first.opened is None or second.opened is None:
        why = first.refusal or second.refusal or "it is no Parquet file"
        return FilePair(name, CHANGED, first, second, why=f"not compared: {why}")
    try:
        with first.opened() as one, second.opened() as two:
            if level != "data" and one.size == two.size and _end(one) == _end(two):
                return FilePair(name, KEPT, first, second)
            if not whole and one.size != two.size:
                why = f"the sizes differ; {DIFFS:,} other files were compared"
                return FilePair(name, CHANGED, first, second, why=why)
            found = finish(steps(one, two, level))
    except (*UNREADABLE, UsageError) as error:
        return FilePair(name, CHANGED, first, second, why=f"not compared: {error}")
    state = KEPT if found.same else CHANGED
    return FilePair(name, state, first, second, None if found.same else found)


def _end(file: ParquetFile) -> bytes:
    """The bytes from the footer on."""
    return bytes(file.source.read(file.footer.start, file.size - file.footer.start))


# Whether files have the same rows together, in any order: compared as two bags of hashes.

Kind = dict[str, pa.DataType]


@dataclasses.dataclass(frozen=True, slots=True)
class RowsOnly:
    """How many rows only one side has; None if that was not worked out, and `why`."""

    only_first: int | None = None
    only_second: int | None = None
    why: str = ""

    @property
    def equal(self) -> bool:
        """Whether both sides have the same rows."""
        return self.only_first == 0 and self.only_second == 0


class _NotComparedError(Exception):
    """The rows of some files cannot be compared; the text says why."""


def compare_rows(first: Sequence[Member], second: Sequence[Member]) -> RowsOnly:
    """Compares the rows of files: all columns, and the `key=value` folders above them."""
    kinds: list[Kind] = []
    try:
        known = [one.rows for one in (*first, *second)]
        if sum(rows or 0 for rows in known) > HASHED:
            raise _NotComparedError(f"there are more than {HASHED:,} rows")
        bags = [_bag(members, kinds) for members in (first, second)]
    except _NotComparedError as error:
        return RowsOnly(why=str(error))
    except (ParquetError, pa.ArrowException, OSError, LogError) as error:
        return RowsOnly(why=f"a file cannot be read: {error}")
    return RowsOnly(*bags_differ(*bags))


def _bag(members: Iterable[Member], kinds: list[Kind]) -> UInt64s:
    """Hashes of all rows. `kinds` keeps the columns of the first file; those of others must be the same."""
    made: list[UInt64s] = []
    for member in members:
        if member.deleted != 0:
            raise _NotComparedError("rows of a file are deleted by the table's log")
        if member.opened is None:
            raise _NotComparedError("a file lies outside of the table's folder")
        folder = hashlib.blake2b(member.partition.encode("utf-8", "replace"), digest_size=8)
        partition = np.frombuffer(folder.digest(), np.uint64)
        with member.opened() as file:
            for group in range(len(file.row_groups)):
                table = file.read(row_groups=[group])
                kind = {field.name: field.type for field in table.schema}
                if not kinds:
                    kinds.append(kind)
                if kind != kinds[0] or len(kind) != table.num_columns:
                    raise _NotComparedError("the files have not the same columns")
                columns = [hashes(_column(file, table, one)) for one in sorted(kind)]
                made.append(of_rows([np.repeat(partition, table.num_rows), *columns]))
    return np.sort(np.concatenate(made)) if made else np.zeros(0, np.uint64)


def _column(file: ParquetFile, table: pa.Table, name: str) -> pa.Array:
    """A column in one piece, its Variants as texts that are equal if the values are."""
    [field] = [child for child in file.schema.root.children if child.name == name]
    return exchange(table.column(name).combine_chunks(), field, lambda one, _: equivalents(one))
