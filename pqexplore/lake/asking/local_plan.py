"""The plan of a lake whose tables are read with Arrow, on this machine."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import printable
from pqexplore.insight.ask import engines, sql
from pqexplore.insight.ask.pruning_result import ROWS
from pqexplore.insight.ask.wrong_rows import Careful
from pqexplore.insight.wording import plural
from pqexplore.lake.asking.arrow_cases import judge, judge_unreadable
from pqexplore.lake.asking.lake_plan import INCOMPLETE, UNREADABLE, Counts, LakePlan, LostRows
from pqexplore.lake.asking.made_footers import FOLDER, HIGH, LOW, NULLS, PLACES
from pqexplore.lake.asking.partitions import value_of
from pqexplore.lake.asking.stored_tables import read
from pqexplore.lake.asking.verdicts import STAGES

if TYPE_CHECKING:
    from pqexplore.insight.ask import predicate
    from pqexplore.insight.ask.engines import Engine
    from pqexplore.lake.asking.arrow_cases import Judged, Situation
    from pqexplore.lake.asking.indexed import Beside, StorePlan
    from pqexplore.lake.asking.stored_tables import Asked
    from pqexplore.lake.asking.verdicts import Indexes
    from pqexplore.lake.lake import Lake
    from pqexplore.lake.metadatastore.store import Store


Mask = npt.NDArray[np.bool_]


class LocalLakePlan(LakePlan):
    """The stage that skips each file and each row group, -1 if it is kept, and why: in arrays.

    With a Metadatastore, `files` also has skipped_by (footers, Metadatastore, both, or ""), and index_reason, what it says
    of the file. `kept` is what the footers say.
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
        super().__init__(lake, where, clause, engine, columns, asked.families)
        self._asked = asked
        self._judged, self._careful = tuple(judged), tuple(careful)
        count = len(asked.row_group)
        self._stage: Indexes = np.full(count, -1, np.int64)
        self._by: Indexes = np.full(count, -1, np.int64)
        self._file_stage: Indexes = np.full(len(asked.files), -1, np.int64)
        self._unreadable: Mask = asked.family < 0
        for number, one in enumerate(self._judged):
            if one.files:
                self._file_stage[one.groups] = one.stage
            else:
                self._stage[one.groups] = one.stage
                self._by[one.groups] = number
        self._decide_files()
        self.store: StorePlan | None = None
        self._beside: Beside | None = None

    def add_store(self, store: StorePlan) -> None:
        """Puts a Metadatastore's evidence beside that of the footers."""
        from pqexplore.lake.asking.indexed import beside

        times = self._asked.files["modified"].cast(pa.int64())
        rows = pa.table({"path": self._asked.files["path"], "modified": times}).to_pylist()
        self.store, self._beside = store, beside(store, rows)

    def _decide_files(self) -> None:
        """A file is skipped at the stage at which its last row group is."""
        file_of, count = self._asked.lake.file_of, len(self._asked.files)
        readable = ~self._unreadable
        last: Indexes = np.full(count, STAGES.index(ROWS), np.int64)
        started: Mask = np.bincount(file_of, minlength=count) > 0
        last[started] = -1
        np.maximum.at(last, file_of, self._stage)
        alive = np.zeros(count, bool)
        alive[file_of[self._stage < 0]] = True
        alive |= self._asked.incomplete
        self._file_stage = np.where(readable, np.where(alive, -1, last), self._file_stage)

    @functools.cached_property
    def counts(self) -> Counts:
        """Files, row groups and bytes by stage."""
        sizes = np.asarray(self._asked.files["size"].fill_null(0), dtype=np.int64)
        lost, damaged = sizes[self._unreadable], self._file_stage[self._unreadable]
        return Counts(
            _sums(self._file_stage),
            _sums(self._stage),
            _sums(self._stage, self._asked.bytes),
            _sums(damaged),
            _sums(damaged, lost),
            int(sizes.sum()),
        )

    @functools.cached_property
    def files(self) -> pa.Table:
        """A row for each file: file, kept, by, reason, row_groups (that are read), of_row_groups, size.

        With a Metadatastore also skipped_by (footers, Metadatastore, both, or ""), and index_reason, what it says of the
        file. `kept` is what the footers say.
        """
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
        more = {} if self._beside is None else self._store_columns(chosen, self._beside)
        return pa.table(
            {
                "file": some["path"].combine_chunks(),
                "kept": pa.array(stage < 0),
                "by": pa.array(by, pa.string()),
                "reason": pa.array(reason, pa.string()),
                "row_groups": pa.array(read[chosen], pa.int64()),
                "of_row_groups": pa.array(counts[chosen], pa.int64()),
                "size": some["size"].combine_chunks(),
                **more,
            }
        )

    def _store_columns(self, chosen: Indexes, beside: Beside) -> dict[str, pa.Array]:
        names = {(False, False): "", (True, False): "footers", (False, True): "Metadatastore"}
        pairs = [(bool(self._file_stage[at] >= 0), beside.skipped[at]) for at in chosen.tolist()]
        reasons = [beside.reasons[at] for at in chosen.tolist()]
        return {
            "skipped_by": pa.array([names.get(pair, "both") for pair in pairs], pa.string()),
            "index_reason": pa.array(reasons, pa.string()),
        }

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
                by[at], reason[at] = "", printable(f"{UNREADABLE}{error}")
            elif asked.incomplete[file] and not self._unreadable[file]:
                by[at], reason[at] = "", INCOMPLETE
            elif group[at] < 0 and not self._unreadable[file]:
                by[at], reason[at] = ROWS, "it has no row groups"
        return by, reason

    @functools.cached_property
    def _deciding(self) -> Indexes:
        """For each file the row group whose ruling is quoted: the first that is kept, or else the last to be skipped."""
        file_of = self._asked.lake.file_of
        found: Indexes = np.full(len(self._asked.files), -1, np.int64)
        rank = np.where(self._stage < 0, len(STAGES), self._stage)
        order = np.lexsort((-np.arange(len(rank)), rank))
        found[file_of[order]] = order  # the last assignment wins: the highest rank, the first of its row groups
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

    @property
    def kept(self) -> list[str]:
        """The paths of the files that are read."""
        found: list[str] = self._asked.files["path"].filter(pa.array(self._file_stage < 0)).to_pylist()
        return found

    def _beside_footers(self) -> Iterator[str]:
        if self._beside is not None:
            skips = np.array(self._beside.skipped, bool)
            only = int((skips & (self._file_stage < 0)).sum())
            yield (
                f"The Metadatastore skips {plural(int(skips.sum()), 'file')}; the footers alone leave {only:,} of them to be read."
            )

    def _assumed(self) -> Iterator[str]:
        yield from self._asked.remarks
        yield from self._disagreements()

    def _family_files(self) -> Sequence[int]:
        counts = np.bincount(self._asked.family + 1, minlength=len(self.families.all) + 1)
        found: list[int] = counts[1:].tolist()
        return found

    def _damaged(self) -> tuple[list[Mapping[str, Any]], int]:
        damaged = np.flatnonzero(self._unreadable & (self._file_stage < 0))
        rows = self._asked.files.select(["path", "error"]).take(pa.array(damaged)).sort_by("path")
        return rows.slice(0, 3).to_pylist(), len(damaged)

    def _row(self, file: str) -> Mapping[str, Any] | None:
        at = self._asked.files["path"].index(pa.scalar(file)).as_py()
        return None if at < 0 else self._asked.files.slice(at, 1).to_pylist()[0]

    def _to_verify(self, most: int) -> tuple[list[str], set[tuple[str, int]], int]:
        paths, file_of = self._asked.files["path"], self._asked.lake.file_of
        suspects = np.zeros(self.num_files, bool)
        for own, other in zip(self._judged, self._careful, strict=False):
            if not own.files:
                suspects[file_of[own.groups[~own.kept & other.kept]]] = True
        chosen = np.flatnonzero(suspects | (self._file_stage < 0))
        order = chosen[np.argsort(~suspects[chosen], kind="stable")][:most]
        read = np.flatnonzero(self._stage < 0)
        files = paths.take(pa.array(file_of[read])).to_pylist()
        kept = set(zip(files, self._asked.row_group[read].tolist(), strict=True))
        return paths.take(pa.array(order)).to_pylist(), kept, len(chosen) - len(order)

    def _lost(self) -> Iterator[LostRows]:
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
                names = paths.take(pa.array(lake.file_of[groups]))
                first = pc.index(names, pc.min(names)).as_py()  # the order of files differs from scan to scan
                why, instead = (words(one, some[first : first + 1], lake, "said")[0] for one in (own, other))
                rows = int(np.maximum(lake.num_rows[groups], 0).sum())
                files = len(np.unique(lake.file_of[groups]))
                example = printable(names[first].as_py())
                yield LostRows.of(self.engine, files, len(groups), rows, example, why, instead)

    def _disagreements(self) -> Iterator[str]:
        """Files that the Metadatastore skips although the statistics of a row group say that all its rows match."""
        if self._beside is None:
            return
        sure: Mask = np.zeros(len(self._asked.files), bool)
        for one in self._judged:
            if not one.files and len(one.groups):
                every = np.array([verdict.kept and verdict.ruling.every for verdict in one.verdicts])
                groups = one.groups[every[one.verdict]]
                sure[self._asked.lake.file_of[groups[self._asked.lake.num_rows[groups] > 0]]] = True
        wrong = np.flatnonzero(sure & np.array(self._beside.skipped, bool))
        for at in wrong[:3].tolist():
            path = self._asked.files["path"][at].as_py()
            yield (
                f"The Metadatastore skips {path} ({self._beside.reasons[at]}), but by its footer all rows of a row group "
                "match: one of the two is wrong."
            )
        if len(wrong) > 3:
            yield f"The Metadatastore skips {len(wrong) - 3:,} more files with row groups whose rows all match."


def _sums(stages: Indexes, weights: Indexes | None = None) -> dict[int, int]:
    """Counts by stage, or sums of weights."""
    found = np.bincount(stages + 1, weights=weights, minlength=len(STAGES) + 1)
    return {stage - 1: int(count) for stage, count in enumerate(found.tolist())}


# Fills the places in the words of verdicts with the values of each row group.


def words(judged: Judged, members: Indexes, lake: Situation, part: str) -> list[str]:
    """A text of the ruling about each of some members of a family: `part` is said, evidence or by."""
    made: list[str] = [""] * len(members)
    verdicts = judged.verdict[members]
    for number in np.unique(verdicts):
        ruling = judged.verdicts[number].ruling
        here = np.flatnonzero(verdicts == number)
        text = getattr(ruling, part)
        pieces = PLACES.split(text)
        filled = [printable(text)] * len(here) if len(pieces) == 1 else _joined(pieces, judged, members[here], lake)
        for at, one in zip(here.tolist(), filled, strict=True):
            made[at] = one
    return made


def _joined(pieces: list[str], judged: Judged, members: Indexes, lake: Situation) -> list[str]:
    """`pieces` are texts, each but the last followed by the kind and the test of a place."""
    parts: list[Any] = []
    for at in range(0, len(pieces), 3):
        parts.append(pa.scalar(printable(pieces[at])))
        if at + 2 < len(pieces):
            parts.append(_values(pieces[at + 1], int(pieces[at + 2]), judged, members, lake))
    found: list[str] = pc.binary_join_element_wise(*parts, pa.scalar("")).to_pylist()
    return found


def _values(kind: str, test: int, judged: Judged, members: Indexes, lake: Situation) -> pa.Array:
    if kind == FOLDER:
        key, codes = judged.keys[test], judged.folders(lake)[members]
        shown = {code: printable(f"{key}={value_of(lake.folders[code], key)}") for code in np.unique(codes).tolist()}
        return pa.array([shown[code] for code in codes.tolist()], pa.string())
    rows = pa.array(judged.chunks[test][members])
    column = {LOW: "min_text", HIGH: "max_text", NULLS: "null_count"}[kind]
    some = lake.chunks.rows[column].take(rows).to_pylist()
    if kind == NULLS:
        return pa.array([f"{count:,}" for count in some], pa.string())
    return pa.array([printable(text or "") for text in some], pa.string())


def ask_lake(
    lake: Lake,
    where: str,
    columns: Sequence[str] | None = None,
    engine: str = "format",
    timezone: str | None = None,
    files: Collection[str] | None = None,
    store: Store | None = None,
) -> LakePlan:
    """See `Lake.ask`."""
    chosen = engines.engine(engine)
    clause = sql.parse(where, timezone)
    if lake.spark is not None:
        from pqexplore.lake.asking.spark_plan import SparkLakePlan

        if store is not None:
            raise UsageError("a Metadatastore is put beside footers without Spark only")
        return SparkLakePlan(lake, lake.spark, where, clause, chosen, columns, files)
    asked = read(lake, clause, columns, files)
    own = _judged(asked, chosen)
    careful = [] if engine == "format" else _judged(asked, Careful(chosen))
    plan = LocalLakePlan(lake, where, clause, chosen, columns, asked, own, careful)
    if store is not None:
        plan.add_store(store.ask(where, timezone=timezone))
    return plan


def _judged(asked: Asked, engine: Engine) -> list[Judged]:
    """The verdicts of an engine about all row groups, by family, and those about files that cannot be read."""
    made = []
    of_group = asked.family[asked.lake.file_of] if len(asked.family) else asked.lake.file_of
    order = np.argsort(of_group, kind="stable")
    tests = 0
    for number in np.unique(of_group[of_group >= 0]).tolist():
        start, end = np.searchsorted(of_group[order], [number, number + 1])
        groups = order[start:end].astype(np.int64)
        one = judge(asked.families, number, groups, asked.lake, engine, tests)
        tests += len(one.chunks) + len(one.keys)
        made.append(one)
    unreadable = np.flatnonzero(asked.family < 0).astype(np.int64)
    family = asked.families.unreadable
    made.append(judge_unreadable(family, unreadable, asked.lake, engine, tests))
    return made
