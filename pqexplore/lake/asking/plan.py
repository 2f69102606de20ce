"""A plan for many files: what a query reads of a lake, what it skips, and why."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import printable
from pqexplore.insight.ask.bound import Test, Undecided, single
from pqexplore.insight.wording import plural
from pqexplore.lake.asking.outcome import Outcome
from pqexplore.lake.asking.texts import words

if TYPE_CHECKING:
    from pqexplore.insight.ask import predicate
    from pqexplore.insight.ask.engines import Engine
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.lake.asking.checking import LakeVerification
    from pqexplore.lake.asking.indexed import StorePlan
    from pqexplore.lake.asking.local import Judged
    from pqexplore.lake.asking.schemas import Families
    from pqexplore.lake.asking.tables import Asked
    from pqexplore.lake.lake import Lake

Mask = npt.NDArray[np.bool_]


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


class LakePlan(Outcome):
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
        super().__init__(asked, judged)
        self._careful = tuple(careful)
        self.owns_lake = False
        self.store: StorePlan | None = None

    def add_store(self, store: StorePlan) -> None:
        """Puts a Metadatastore's evidence beside that of the footers."""
        from pqexplore.lake.asking.indexed import beside

        times = self._asked.files["modified"].cast(pa.int64())
        paths = self._asked.files["path"]
        rows = pa.table({"path": paths, "modified": times}).to_pylist()
        self.store, self._beside = store, beside(store, rows)

    def close(self) -> None:
        """Removes the tables if `pqexplore.ask` made them."""
        if self.owns_lake:
            self.lake.close()

    def __enter__(self) -> LakePlan:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What is read.

    @functools.cached_property
    def kept(self) -> list[str]:
        """The paths of the files that are read."""
        found: list[str] = self._asked.files["path"].filter(pa.array(self._file_stage < 0)).to_pylist()
        return found

    @functools.cached_property
    def sentence(self) -> str:
        """What is read of how much, what skips the rest, and which files cannot be read. Lost rows come first."""
        said = [one.sentence for one in self.wrong_rows[:2]]
        said.append(self.counts.sentence(self.engine.title))
        if self._beside is not None:
            skips = np.array(self._beside.skipped, bool)
            only = int((skips & (self._file_stage < 0)).sum())
            said.append(
                f"The Metadatastore skips {plural(int(skips.sum()), 'file')}; the footers alone leave {only:,} of them to be read."
            )
        return printable(" ".join(said))

    @functools.cached_property
    def remarks(self) -> tuple[str, ...]:
        """What was assumed, which conditions decide nothing and why, and which files are kept because of damage."""
        return tuple(dict.fromkeys(printable(text) for text in self._remarks()))

    def _remarks(self) -> Iterator[str]:
        yield from self._asked.remarks
        counts = np.bincount(self._asked.family + 1, minlength=len(self._asked.families.all) + 1)
        yield from undecided(self._asked.families, counts[1:].tolist(), self.num_files, self.engine)
        yield from self._disagreements()
        damaged = np.flatnonzero(self._unreadable & (self._file_stage < 0))
        for at in damaged[:3].tolist():
            row = self._asked.files.slice(at, 1).to_pylist()[0]
            yield f"{row['path']} cannot be read, so it is not skipped: {row['error']}"
        if len(damaged) > 3:
            yield f"{len(damaged) - 3:,} more files cannot be read, and are not skipped."

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
        row = self._asked.files.slice(at, 1).to_pylist()[0]
        return open_plan(self.lake, self._asked.families, row, self.where, self.columns, self.engine)

    def verify(self, most: int = 100) -> LakeVerification:
        """Compare the plan with the values of at most `most` files: those where rows may be lost, then those that are read.

        Decodes the columns of the condition in these files.
        """
        from pqexplore.lake.asking.checking import verify_lake

        paths = self._asked.files["path"]
        suspects = np.zeros(self.num_files, bool)
        for own, other in zip(self._judged, self._careful, strict=False):
            if not own.files:
                suspects[self._asked.lake.file_of[own.groups[~own.kept & other.kept]]] = True
        chosen = np.flatnonzero(suspects | (self._file_stage < 0))
        order = chosen[np.argsort(~suspects[chosen], kind="stable")][:most]
        read = np.flatnonzero(self._stage < 0)
        files = paths.take(pa.array(self._asked.lake.file_of[read])).to_pylist()
        kept = set(zip(files, self._asked.row_group[read].tolist(), strict=True))
        left = len(chosen) - len(order)
        return verify_lake(paths.take(pa.array(order)).to_pylist(), kept, self.open, left)

    def __repr__(self) -> str:
        return f"<LakePlan {self.engine.name}: {self.sentence}>"


def undecided(families: Families, counts: Sequence[int], total: int, engine: Engine) -> Iterator[str]:
    """Which conditions decide nothing, and why; `counts` are the files of each family, of `total`."""
    for family, files in zip(families.all, counts, strict=True):
        if not files:
            continue
        scope = "" if files == total else f" in {plural(files, 'file')}"
        for one in single(engine.usable(family.bound, family.schema)):
            if isinstance(one, Undecided) and id(one.clause) not in family.partitions:
                yield f"{one.sql} skips nothing{scope}: {one.why}."
            elif isinstance(one, Test) and one.remark:
                yield one.remark
        yield from family.remarks
