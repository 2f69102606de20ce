"""Asks the stored tables of a lake with Arrow, on this machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.insight.ask.bound import Test, tests
from pqexplore.insight.ask.pruning_result import Ruling
from pqexplore.lake.asking import partitions as folders
from pqexplore.lake.asking.clauses import path_of
from pqexplore.lake.asking.equivalence_classes import COLUMNS, Holds, signature
from pqexplore.lake.asking.made_footers import ABSENT, FOLDER, Row, ask_about, place
from pqexplore.lake.asking.verdicts import Column, Indexes, Verdict, judged

if TYPE_CHECKING:
    from pqexplore.insight.ask.engines import Engine
    from pqexplore.lake.asking.schemas import Families, Family

MOST_DISTRUSTED = 2_000
"""Max distinct ranges of one column that a careful reader does not trust, and an engine is asked about."""

TOO_MANY = Ruling(True, "", "too many of the lake's bounds are not trustworthy to ask about each")


_COMPARE = {"=": pc.equal, ">": pc.greater, ">=": pc.greater_equal}


def holds_in(rows: pa.Table) -> Holds:
    """What holds of rows of `column_chunks`, for `equivalence_classes.signature`."""

    def holds(operator: str, column: str, other: Any) -> Indexes:
        values = rows[column]
        if operator == "null":
            return numbers(pc.is_null(values).cast(pa.int8()))
        known = rows[other] if operator == "same" else pa.scalar(other, values.type)
        return numbers(pc.fill_null(_COMPARE.get(operator, pc.equal)(values, known), False).cast(pa.int8()))

    return holds


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

    def by_folder(self, family: Family, first_test: int, lake: Situation) -> list[Column]:
        """The rulings about the clauses of a family about folders, whose tests are numbered from `first_test` on."""
        made = []
        for number, test in enumerate(family.partitions.values(), first_test):
            self.keys[number] = path_of(test.clause)[0]
            made.append(folder_column(test, number, self.folders(lake), lake.folders))
        return made

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
    used = engine.usable(family.bound, family.schema)
    made = Judged(groups, [], np.zeros(len(groups), np.int64))
    by_folder = made.by_folder(family, first_test, lake)
    by_chunk = []
    for i, test in enumerate(tests(used), first_test + len(by_folder)):
        made.chunks[i] = rows = lake.chunks.of(groups, test.leaf.leaf_index)
        by_chunk.append(_by_chunk(family, test, i, groups, rows, lake, engine))
    made.verdicts, made.verdict = judged(family, used, engine, by_folder, by_chunk, lake.num_rows[groups] == 0)
    return made


def judge_unreadable(family: Family, files: Indexes, lake: Situation, engine: Engine, first_test: int) -> Judged:
    """The verdicts about files that cannot be read: only their folders are known. `groups` are then these files."""
    made = Judged(files, [], np.zeros(len(files), np.int64), files=True)
    by_folder = made.by_folder(family, first_test, lake)
    made.verdicts, made.verdict = judged(family, family.bound, engine, by_folder, [], np.zeros(len(files), bool))
    return made


def folder_column(test: Test, number: int, codes: Indexes, texts: Sequence[str]) -> Column:
    """The rulings about a clause by the folders of files; `codes` are the numbers of the folders in `texts`."""
    kinds: list[Ruling] = []
    of_folder = np.zeros(len(texts), np.int64)
    for code in np.unique(codes):
        found = folders.ruling(test.clause, texts[code])
        if found.evidence:
            shown = place(FOLDER, number)
            found = dataclasses.replace(found, reason=found.reason.removesuffix(found.evidence) + shown, evidence=shown)
        of_folder[code] = len(kinds)
        kinds.append(found)
    return Column(test, kinds, of_folder[codes]).once()


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
    code = signature(test, holds_in(some)) << 1
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
    return Column(test, kinds, of_group).once()


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
