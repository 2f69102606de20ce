"""A plan for many files: what a query reads of a lake, what it skips, and why."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import printable
from pqexplore.insight.ask.bound import Test, Undecided, single
from pqexplore.insight.wording import plural, size
from pqexplore.lake.asking.judging import FOOTERS, STAGES
from pqexplore.lake.asking.texts import words

if TYPE_CHECKING:
    from pqexplore.insight.ask import predicate
    from pqexplore.insight.ask.engines import Engine
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.lake.asking.judging import Indexes
    from pqexplore.lake.asking.local import Judged
    from pqexplore.lake.asking.schemas import Families
    from pqexplore.lake.asking.tables import Asked
    from pqexplore.lake.lake import Lake

Mask = npt.NDArray[np.bool_]

UNREADABLE, INCOMPLETE = "cannot be read", "its row groups are not all in the tables of the lake"


@dataclasses.dataclass(frozen=True, slots=True)
class LakeStage:
    """What entered a stage, and what it left: files, row groups, bytes of the columns that are read."""

    name: str
    files_in: int
    files_out: int
    groups_in: int
    groups_out: int
    bytes_in: int
    bytes_out: int


@dataclasses.dataclass(frozen=True, slots=True)
class LostRows:
    """Row groups that an engine skips although no claim that may be trusted rules them out.

    `files` and `row_groups` count them, `rows` their rows; how many of them match is known only from the values. `why`
    is the reason by which the engine skips the first of them, in the file `example`; `instead` the one for which a
    careful reader keeps it.
    """

    files: int
    row_groups: int
    rows: int
    example: str
    why: str
    instead: str
    sentence: str


class LakePlan:
    """What an engine reads of many files for a condition.

    - `where`: the condition; `engine`: the engine; `columns`: the columns that are read, None for all.
    - `stages`: how many files, row groups and bytes each stage left.
    - `files`, `row_groups`: tables with a row for each; `wrong_rows`: where the engine may lose rows.
    - `remarks`: what was assumed, which conditions decide nothing and why, and which files are damaged.

    Only footers were asked, from the lake's tables. `open` asks one file for its Bloom filters, dictionaries and page
    indexes, too.
    """

    def __init__(
        self,
        lake: Lake,
        where: str,
        clause: predicate.Clause,
        engine: Engine,
        columns: Sequence[str] | None,
        asked: Asked,
        judged: Sequence[Judged],
        careful: Sequence[Judged],
    ) -> None:
        self.lake = lake
        self.where = where
        self.clause = clause
        self.engine = engine
        self.columns = None if columns is None else tuple(columns)
        self._asked = asked
        self._judged = tuple(judged)
        self._careful = tuple(careful)
        count = len(asked.row_group)
        self._stage: Indexes = np.full(count, -1, np.int64)
        self._by: Indexes = np.full(count, -1, np.int64)
        files = len(asked.files)
        self._file_stage: Indexes = np.full(files, -1, np.int64)
        self._unreadable: Mask = asked.family < 0
        for number, one in enumerate(self._judged):
            if one.files:
                self._file_stage[one.groups] = one.stage
            else:
                self._stage[one.groups] = one.stage
                self._by[one.groups] = number
        self._decide_files()

    def _decide_files(self) -> None:
        """A file is skipped at the stage at which its last row group is."""
        file_of, count = self._asked.lake.file_of, len(self._asked.files)
        readable = ~self._unreadable
        last: Indexes = np.full(count, STAGES.index("number of rows"), np.int64)
        started: Mask = np.bincount(file_of, minlength=count) > 0
        last[started] = -1
        np.maximum.at(last, file_of, self._stage)
        alive = np.zeros(count, bool)
        alive[file_of[self._stage < 0]] = True
        alive |= self._asked.incomplete
        self._file_stage = np.where(readable, np.where(alive, -1, last), self._file_stage)

    # What is read.

    @property
    def families(self) -> Families:
        """The condition about the schemas of the lake."""
        return self._asked.families

    @property
    def num_files(self) -> int:
        """How many files a query may read: all but those that vanished, or that a table's log does not list."""
        return len(self._asked.files)

    @property
    def num_row_groups(self) -> int:
        """How many row groups the tables have of these files."""
        return len(self._stage)

    @functools.cached_property
    def total_bytes(self) -> int:
        """The bytes of these files."""
        return int(self._sizes.sum())

    @functools.cached_property
    def kept(self) -> list[str]:
        """The paths of the files that are read."""
        found: list[str] = (
            self._asked.files["path"].filter(pa.array(self._file_stage < 0)).to_pylist()
        )
        return found

    @functools.cached_property
    def bytes(self) -> int:
        """The bytes of the column chunks that are read, and of the kept files that cannot be read."""
        return self.stages[-1].bytes_out

    @functools.cached_property
    def stages(self) -> tuple[LakeStage, ...]:
        """What each stage left, in the order of the stages; those that skip nothing are left out, but for footers."""
        made = []
        for number, name in enumerate(STAGES):
            if name != FOOTERS and not (
                (self._file_stage == number).any() or (self._stage == number).any()
            ):
                continue
            before, after = self._alive(number - 1), self._alive(number)
            made.append(
                LakeStage(
                    name,
                    *(value for pair in zip(before, after, strict=True) for value in pair),
                )
            )
        return tuple(made)

    def _alive(self, stage: int) -> tuple[int, int, int]:
        """Files, row groups and bytes that are left after a stage."""
        files = (self._file_stage < 0) | (self._file_stage > stage)
        groups = (self._stage < 0) | (self._stage > stage)
        lost = self._sizes[files & self._unreadable].sum()
        return (
            int(files.sum()),
            int(groups.sum()),
            int(self._asked.bytes[groups].sum() + lost),
        )

    @functools.cached_property
    def _sizes(self) -> Indexes:
        found: Indexes = np.asarray(self._asked.files["size"].fill_null(0), dtype=np.int64)
        return found

    @functools.cached_property
    def sentence(self) -> str:
        """What is read of how much, what skips the rest, and which files cannot be read. Lost rows come first."""
        files, groups, _ = self._alive(len(STAGES))
        total = len(self._asked.files)
        said = [one.sentence for one in self.wrong_rows[:2]]
        title = self.engine.title[:1].upper() + self.engine.title[1:]
        text = (
            f"{title} reads {files:,} of {plural(total, 'file')}, {groups:,} of "
            f"{plural(len(self._stage), 'row group')}, {size(self.bytes)} of {size(self.total_bytes)}"
        )
        skipped = [
            f"{int((self._file_stage == number).sum()):,} by {name}"
            for number, name in enumerate(STAGES)
            if (self._file_stage == number).any()
        ]
        if skipped:
            first, *rest = skipped
            count, _, by = first.partition(" ")
            noun = "file" if count == "1" else "files"
            verb = "is" if count == "1" else "are"
            text += f": {count} {noun} {verb} skipped {', '.join([by, *rest])}"
        said.append(f"{text}.")
        damaged = int((self._unreadable & (self._file_stage < 0)).sum())
        if damaged:
            verb = "is" if damaged == 1 else "are"
            said.append(f"{plural(damaged, 'file')} that cannot be read {verb} counted as read.")
        return printable(" ".join(said))

    @functools.cached_property
    def remarks(self) -> tuple[str, ...]:
        """What was assumed, which conditions decide nothing and why, and which files are kept because of damage."""
        return tuple(dict.fromkeys(printable(text) for text in self._remarks()))

    def _remarks(self) -> Iterator[str]:
        yield from self._asked.remarks
        for number, family in enumerate(self._asked.families.all):
            files = int((self._asked.family == number).sum())
            if not files:
                continue
            scope = "" if files == len(self._asked.files) else f" in {plural(files, 'file')}"
            used = self.engine.usable(family.bound, family.schema)
            for one in single(used):
                if isinstance(one, Undecided) and id(one.clause) not in family.partitions:
                    yield f"{one.sql} skips nothing{scope}: {one.why}."
                elif isinstance(one, Test) and one.remark:
                    yield one.remark
            yield from family.remarks
        damaged = np.flatnonzero(self._unreadable & (self._file_stage < 0))
        for at in damaged[:3].tolist():
            row = self._asked.files.slice(at, 1).to_pylist()[0]
            yield f"{row['path']} cannot be read, so it is not skipped: {row['error']}"
        if len(damaged) > 3:
            yield f"{len(damaged) - 3:,} more files cannot be read, and are not skipped."

    # Tables.

    @functools.cached_property
    def files(self) -> pa.Table:
        """A row for each file: file, kept, by, reason, row_groups (that are read), of_row_groups, size."""
        return self.rows_of(np.arange(len(self._asked.files)))

    def first_files(self, count: int) -> list[dict[str, Any]]:
        """The first rows of `files`, those that are read before those that are skipped."""
        order = np.argsort(self._file_stage >= 0, kind="stable")[:count]
        found: list[dict[str, Any]] = self.rows_of(order).to_pylist()
        return found

    def rows_of(self, chosen: Indexes) -> pa.Table:
        """The rows of `files` with these numbers."""
        asked = self._asked
        stage = self._file_stage[chosen]
        by, reason = self._file_words(chosen)
        counts = np.bincount(asked.lake.file_of, minlength=len(asked.files))
        read = np.bincount(asked.lake.file_of[self._stage < 0], minlength=len(asked.files))
        some = asked.files.take(pa.array(chosen))
        return pa.table(
            {
                "file": some["path"].combine_chunks(),
                "kept": pa.array(stage < 0),
                "by": pa.array(by, pa.string()),
                "reason": pa.array(reason, pa.string()),
                "row_groups": pa.array(read[chosen], pa.int64()),
                "of_row_groups": pa.array(counts[chosen], pa.int64()),
                "size": some["size"].combine_chunks(),
            }
        )

    def _file_words(self, chosen: Indexes) -> tuple[list[str], list[str]]:
        """By and reason of files: those of the row group that decides."""
        asked = self._asked
        by, reason = [""] * len(chosen), [""] * len(chosen)
        group = self._deciding[chosen]
        known = np.flatnonzero(group >= 0)
        for name, texts in (("by", by), ("said", reason)):
            for at, text in zip(known.tolist(), self._group_words(group[known], name), strict=True):
                texts[at] = text
        for one in self._judged:
            if one.files:
                position = {int(file): at for at, file in enumerate(chosen)}
                here = [i for i, file in enumerate(one.groups.tolist()) if file in position]
                members = np.array(here, np.int64)
                for name, texts in (("by", by), ("said", reason)):
                    for i, text in zip(here, words(one, members, asked.lake, name), strict=True):
                        texts[position[int(one.groups[i])]] = text
        for at, file in enumerate(chosen.tolist()):
            if self._unreadable[file] and self._file_stage[file] < 0:
                error = asked.files["error"][file].as_py() or "unknown error"
                by[at], reason[at] = "", printable(f"the file {UNREADABLE}: {error}")
            elif asked.incomplete[file] and not self._unreadable[file]:
                by[at], reason[at] = "", INCOMPLETE
            elif group[at] < 0 and not self._unreadable[file]:
                by[at], reason[at] = "number of rows", "it has no row groups"
        return by, reason

    @functools.cached_property
    def _deciding(self) -> Indexes:
        """For each file the row group whose ruling is quoted: the first that is kept, or else the last to be skipped."""
        file_of = self._asked.lake.file_of
        found: Indexes = np.full(len(self._asked.files), -1, np.int64)
        rank = np.where(self._stage < 0, len(STAGES), self._stage)
        order = np.lexsort((-np.arange(len(rank)), rank))
        found[file_of[order]] = (
            order  # the last assignment wins: the highest rank, the first of its row groups
        )
        return found

    def _group_words(self, groups: Indexes, part: str) -> list[str]:
        """A text of the verdict about each of some row groups."""
        made = [""] * len(groups)
        family = self._by[groups]
        for number in np.unique(family[family >= 0]).tolist():
            judged = self._judged[number]
            here = np.flatnonzero(family == number)
            members = np.searchsorted(judged.groups, groups[here])
            texts = words(judged, members, self._asked.lake, part)
            for at, text in zip(here.tolist(), texts, strict=True):
                made[at] = text
        return made

    @functools.cached_property
    def row_groups(self) -> pa.Table:
        """A row for each row group: file, row_group, num_rows, kept, by, reason, evidence, bytes (that would be read)."""
        return self.group_rows(np.arange(len(self._stage)))

    def group_rows(self, chosen: Indexes) -> pa.Table:
        """The rows of `row_groups` with these numbers."""
        asked = self._asked
        paths = asked.files["path"].combine_chunks()
        rows = asked.lake.num_rows[chosen]
        return pa.table(
            {
                "file": paths.take(pa.array(asked.lake.file_of[chosen])),
                "row_group": pa.array(asked.row_group[chosen], pa.int32()),
                "num_rows": pa.array(rows, pa.int64(), mask=rows < 0),
                "kept": pa.array(self._stage[chosen] < 0),
                **{
                    name: pa.array(self._group_words(chosen, part), pa.string())
                    for name, part in (("by", "by"), ("reason", "said"), ("evidence", "evidence"))
                },
                "bytes": pa.array(asked.bytes[chosen], pa.int64()),
            }
        )

    # Where the engine may lose rows.

    @functools.cached_property
    def wrong_rows(self) -> tuple[LostRows, ...]:
        """Where the engine skips what a careful reader would not, by reason; most rows first."""
        made: list[LostRows] = []
        lake, paths = self._asked.lake, self._asked.files["path"]
        for own, other in zip(self._judged, self._careful, strict=bool(self._careful)):
            lost = ~own.kept & other.kept
            if own.files or not lost.any():
                continue
            pair = np.stack([own.verdict[lost], other.verdict[lost]])
            members = np.flatnonzero(lost)
            _, kind = np.unique(pair[0] * len(other.verdicts) + pair[1], return_inverse=True)
            for number in range(int(kind.max()) + 1):
                some = members[kind == number]
                groups = own.groups[some]
                why = words(own, some[:1], lake, "said")[0]
                instead = words(other, some[:1], lake, "said")[0]
                rows = int(np.maximum(lake.num_rows[groups], 0).sum())
                example = printable(paths[int(lake.file_of[groups[0]])].as_py())
                files = len(np.unique(lake.file_of[groups]))
                text = (
                    f"{self.engine.title} may lose rows: it skips {plural(len(groups), 'row group')} of "
                    f"{plural(files, 'file')} ({example}: {why}), which does not prove that no row matches: {instead}."
                )
                made.append(LostRows(files, len(groups), rows, example, why, instead, text))
        return tuple(sorted(made, key=lambda one: -one.rows))

    # One file.

    def open(self, file: str) -> Plan:
        """The plan of one file, with its Bloom filters, dictionaries and page indexes. Close it after use.

        UsageError if the lake has no such file, or may not open it (see `pqexplore.lake.open`).
        """
        from pqexplore.lake.asking.one_file import open_plan

        at = self._asked.files["path"].index(pa.scalar(file)).as_py()
        if at < 0:
            raise UsageError(f"the lake has no file {file!r} that a query reads")
        return open_plan(self, self._asked.files.slice(at, 1).to_pylist()[0])

    def __repr__(self) -> str:
        return f"<LakePlan {self.engine.name}: {self.sentence}>"
