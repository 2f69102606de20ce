"""Asks the stored tables of a lake with Arrow, on this machine."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.insight.ask.bound import Test
from pqexplore.insight.ask.ruling import Ruling
from pqexplore.lake.asking import partitions as folders
from pqexplore.lake.asking.clauses import path_of
from pqexplore.lake.asking.judging import EMPTY, Column, Indexes, Verdict, asked_tests, judged, with_partitions
from pqexplore.lake.asking.rulings import ABSENT, FOLDER, Row, ask_about, place
from pqexplore.lake.asking.signatures import COLUMNS, signature

if TYPE_CHECKING:
    from pqexplore.insight.ask.engines import Engine
    from pqexplore.lake.asking.schemas import Families, Family

MOST_DISTRUSTED = 2_000
"""Max distinct ranges of one column that a careful reader does not trust, and an engine is asked about."""

TOO_MANY = Ruling(True, "", "too many of the lake's bounds are not trustworthy to ask about each")


class Batch:
    """Rows of `column_chunks` as numbers for `signatures.signature`."""

    def __init__(self, rows: pa.Table) -> None:
        self.rows = rows

    def at_least(self, column: str, key: bytes) -> Indexes:
        """See `signatures.Rows`."""
        return self._ones(pc.greater_equal(self.rows[column], pa.scalar(key, pa.binary())))

    def above(self, column: str, key: bytes) -> Indexes:
        """See `signatures.Rows`."""
        return self._ones(pc.greater(self.rows[column], pa.scalar(key, pa.binary())))

    def is_null(self, column: str) -> Indexes:
        """See `signatures.Rows`."""
        return self._ones(pc.is_null(self.rows[column]))

    def same(self, column: str, other: str) -> Indexes:
        """See `signatures.Rows`."""
        return self._ones(pc.equal(self.rows[column], self.rows[other]))

    def equals(self, column: str, value: Any) -> Indexes:
        """See `signatures.Rows`."""
        found = self.rows[column]
        return self._ones(pc.equal(found, pa.scalar(value, found.type)))

    def positive(self, column: str) -> Indexes:
        """See `signatures.Rows`."""
        return self._ones(pc.greater(self.rows[column], 0))

    def _ones(self, mask: pa.ChunkedArray) -> Indexes:
        return numbers(pc.fill_null(mask, False).cast(pa.int8()))


def numbers(values: Any) -> Indexes:
    """An Arrow array without nulls as whole numbers."""
    found: Indexes = np.asarray(values, dtype=np.int64)
    return found


@dataclasses.dataclass(slots=True)
class Judged:
    """The verdicts about one family's row groups.

    `groups` are the row groups, `verdict` the index in `verdicts` of each. For the places in texts, `chunks` has for
    each test, by its number, the row of `column_chunks` of each row group, -1 if absent; `keys` has the folder's key.
    With `files`, `groups` are files that cannot be read.
    """

    groups: Indexes
    verdicts: list[Verdict]
    verdict: Indexes
    chunks: dict[int, Indexes] = dataclasses.field(default_factory=dict)
    keys: dict[int, str] = dataclasses.field(default_factory=dict)
    files: bool = False

    def folders(self, lake: Situation) -> Indexes:
        """The code of the folders of each row group."""
        return lake.folder[self.groups if self.files else lake.file_of[self.groups]]

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        """Whether each row group is kept."""
        return np.array([one.kept for one in self.verdicts] or [True], bool)[self.verdict]

    @property
    def stage(self) -> Indexes:
        """The stage that skips each row group, -1 if it is kept."""
        stages = [-1 if one.kept else one.stage for one in self.verdicts]
        return np.array(stages or [-1], np.int64)[self.verdict]


class Chunks:
    """The rows of `column_chunks` about the columns of the condition, found by row group and leaf."""

    def __init__(self, rows: pa.Table, group: Indexes, family: Indexes, leaf: Indexes) -> None:
        """`group`, `family` and `leaf` (of the family's schema) of each row; -1 if unknown."""
        self.rows = rows
        width = int(leaf.max(initial=0)) + 2
        self._width = width
        known = (group >= 0) & (leaf >= 0) & (family >= 0)
        code = np.where(known, group * width + leaf, -1)
        self._order = np.argsort(code, kind="stable").astype(np.int64)
        self._codes = code[self._order]

    def of(self, groups: Indexes, leaf: int) -> Indexes:
        """The row of each row group's chunk of a leaf; -1 if absent."""
        wanted = groups * self._width + leaf
        at = np.searchsorted(self._codes, wanted)
        at = np.minimum(at, max(len(self._codes) - 1, 0))
        if not len(self._codes):
            return np.full(len(groups), -1, np.int64)
        return np.where(self._codes[at] == wanted, self._order[at], -1)

    def row(self, index: int) -> Row | None:
        """One row; None for -1."""
        if index < 0:
            return None
        found: Row = self.rows.slice(index, 1).to_pylist()[0]
        return found


@dataclasses.dataclass(slots=True)
class Situation:
    """The row groups of the lake: the file of each, its rows; the family, writer and folders of each file, as codes."""

    file_of: Indexes
    num_rows: Indexes
    writer: Indexes
    writers: list[str | None]
    folder: Indexes
    folders: list[str]
    chunks: Chunks


def judge(families: Families, number: int, groups: Indexes, lake: Situation, engine: Engine, first_test: int) -> Judged:
    """The verdicts of an engine about the row groups of one family; its tests are numbered from `first_test` on."""
    family = families.all[number]
    usable = engine.usable(family.bound, family.schema)
    whole = with_partitions(family.bound, family.partitions)
    used = with_partitions(usable, family.partitions)
    made = Judged(groups, [], np.zeros(len(groups), np.int64))
    by_folder = []
    for i, test in enumerate(family.partitions.values(), first_test):
        made.keys[i] = path_of(test.clause)[0]
        by_folder.append(_by_folder(test, i, lake.folder[lake.file_of[groups]], lake))
    by_chunk = []
    for i, test in enumerate(asked_tests(used, family), first_test + len(by_folder)):
        rows = lake.chunks.of(groups, test.leaf.leaf_index)
        made.chunks[i] = rows
        by_chunk.append(_by_chunk(family, test, i, groups, rows, lake, engine))
    made.verdicts, made.verdict = judged(whole, used, engine, by_folder, by_chunk, len(groups))
    empty = lake.num_rows[groups] == 0
    if empty.any():
        made.verdict = np.where(empty & made.kept, len(made.verdicts), made.verdict)
        made.verdicts = [*made.verdicts, EMPTY]
    return made


def judge_unreadable(family: Family, files: Indexes, lake: Situation, engine: Engine, first_test: int) -> Judged:
    """The verdicts about files that cannot be read: only their folders are known. `groups` are then these files."""
    made = Judged(files, [], np.zeros(len(files), np.int64), files=True)
    whole = with_partitions(family.bound, family.partitions)
    by_folder = []
    for number, test in enumerate(family.partitions.values(), first_test):
        made.keys[number] = path_of(test.clause)[0]
        by_folder.append(_by_folder(test, number, lake.folder[files], lake))
    made.verdicts, made.verdict = judged(whole, whole, engine, by_folder, [], len(files))
    return made


def _by_folder(test: Test, number: int, codes: Indexes, lake: Situation) -> Column:
    """The rulings about a clause by the folders of files; `codes` are those of the folders."""
    kinds: list[Ruling] = []
    of_folder = np.zeros(len(lake.folders), np.int64)
    for code in np.unique(codes):
        found = folders.ruling(test.clause, lake.folders[code])
        if found.evidence:
            shown = place(FOLDER, number)
            found = dataclasses.replace(found, reason=found.reason.removesuffix(found.evidence) + shown, evidence=shown)
        of_folder[code] = len(kinds)
        kinds.append(found)
    return _few(Column(test, kinds, of_folder[codes]))


def _by_chunk(
    family: Family, test: Test, number: int, groups: Indexes, rows: Indexes, lake: Situation, engine: Engine
) -> Column:
    """The rulings about a clause by the statistics of its column's chunks; `rows` are the chunks."""
    present = np.flatnonzero(rows >= 0)
    of_group = np.zeros(len(groups), np.int64)
    kinds = [dataclasses.replace(ABSENT, clause=test.sql)]
    if not len(present):
        return Column(test, kinds, of_group)
    some = lake.chunks.rows.select(COLUMNS).take(pa.array(rows[present]))
    code = signature(test, Batch(some)) << 1
    if engine.name != "format":
        code, too_many = _apart(code, some)
    else:
        too_many = np.zeros(len(present), bool)
    writers = lake.writer[lake.file_of[groups[present]]]
    for writer in np.unique(writers):
        here = np.flatnonzero((writers == writer) & ~too_many)
        if not len(here):
            continue
        order = here[np.argsort(code[here], kind="stable")]
        starts = np.flatnonzero(np.diff(code[order], prepend=code[order][0] - 1))
        members = np.split(order, starts[1:])
        examples = [_examples(family, groups[present[m]], lake) for m in members]
        found = ask_about(family, lake.writers[writer], engine, test, number, examples)
        for ruling, m in zip(found, members, strict=True):
            of_group[present[m]] = len(kinds)
            kinds.append(ruling)
    if too_many.any():
        of_group[present[too_many]] = len(kinds)
        kinds.append(TOO_MANY)
    return _few(Column(test, kinds, of_group))


def _few(column: Column) -> Column:
    """The same with each ruling once."""
    distinct: dict[tuple[object, ...], int] = {}
    kinds: list[Ruling] = []
    number = []
    for ruling in column.kinds:
        key = dataclasses.astuple(ruling)
        if key not in distinct:
            distinct[key] = len(kinds)
            kinds.append(ruling)
        number.append(distinct[key])
    return Column(column.test, kinds, np.array(number or [0], np.int64)[column.of_group])


def _examples(family: Family, groups: Indexes, lake: Situation) -> list[list[Row | None]]:
    """The chunks of the first, the middle and the last of some row groups, a row for each leaf of the family."""
    few = groups[np.unique([0, len(groups) // 2, len(groups) - 1])]
    leaves = range(len(family.schema.leaves))
    found = [lake.chunks.of(few, leaf) for leaf in leaves]
    return [[lake.chunks.row(int(rows[i])) for rows in found] for i in range(len(few))]


def _apart(code: Indexes, rows: pa.Table) -> tuple[Indexes, npt.NDArray[np.bool_]]:
    """Codes that differ for distrusted bounds of other values: their order is not stored. And which are too many."""
    known = pc.and_(pc.not_equal(rows["bounds"], "trusted"), pc.is_valid(rows["min_raw"]))
    wide = numbers(pc.fill_null(known, False).cast(pa.int8())).astype(bool)
    if not wide.any():
        return code, np.zeros(len(code), bool)
    where = np.flatnonzero(wide)
    some = rows.take(pa.array(where))
    ids = [
        numbers(pc.fill_null(some[name], b"").combine_chunks().dictionary_encode().indices)
        for name in ("min_raw", "max_raw")
    ]
    pair = np.unique(ids[0] * (ids[1].max() + 1) + ids[1], return_inverse=True)[1]
    whole = np.unique(code[where] * (pair.max() + 1) + pair, return_inverse=True)[1]
    code = code.copy()
    code[where] = -1 - whole
    too_many = np.zeros(len(code), bool)
    too_many[where[whole >= MOST_DISTRUSTED]] = True
    return code, too_many
