"""A plan for many files: what a query reads of a lake, what it skips, and why."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.text import printable
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test, Undecided, single
from pqexplore.insight.ask.plan import QueryPlan
from pqexplore.insight.ask.planning import bound_steps
from pqexplore.insight.steps import finish
from pqexplore.insight.wording import plural, size
from pqexplore.lake.asking import partitions
from pqexplore.lake.asking.verdicts import FOOTERS, STAGES

if TYPE_CHECKING:
    from pqexplore.insight.ask import predicate
    from pqexplore.insight.ask.engines import Engine
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.lake.asking.schemas import Families
    from pqexplore.lake.lake import Lake


KEPT = -1
"""Stands for a stage: nothing skips it."""

INCOMPLETE = "its row groups are not all in the tables of the lake"
UNREADABLE = "the file cannot be read: "
"""How the reason begins if a file is kept because nothing is known of it."""


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
class Counts:
    """Files, row groups and bytes by the stage that skips them: an index in `STAGES`, or `KEPT`.

    `group_bytes` are those of the columns that are read, in these row groups; `unreadable` and `unreadable_bytes` are
    about the files that cannot be read. `total_bytes` are those of all files.
    """

    files: Mapping[int, int]
    groups: Mapping[int, int]
    group_bytes: Mapping[int, int]
    unreadable: Mapping[int, int]
    unreadable_bytes: Mapping[int, int]
    total_bytes: int

    def alive(self, stage: int) -> tuple[int, int, int]:
        """Files, row groups and bytes that are left after a stage; after `len(STAGES)`, those that are kept."""
        read = _left(self.group_bytes, stage) + _left(self.unreadable_bytes, stage)
        return _left(self.files, stage), _left(self.groups, stage), read

    @property
    def num_files(self) -> int:
        """All files."""
        return sum(self.files.values())

    @property
    def num_groups(self) -> int:
        """All row groups."""
        return sum(self.groups.values())

    @property
    def stages(self) -> tuple[LakeStage, ...]:
        """The stages that skip something, in order, and always that of the footers."""
        made = []
        for number, name in enumerate(STAGES):
            if name == FOOTERS or self.files.get(number) or self.groups.get(number):
                before, after = self.alive(number - 1), self.alive(number)
                pairs = zip(before, after, strict=True)
                made.append(LakeStage(name, *(value for pair in pairs for value in pair)))
        return tuple(made)

    def sentence(self, title: str) -> str:
        """What is read of how much, what skips the rest, and how many of these files cannot be read."""
        files, groups, read = self.alive(len(STAGES))
        text = (
            f"{title[:1].upper()}{title[1:]} reads {files:,} of {plural(self.num_files, 'file')}, {groups:,} of "
            f"{plural(self.num_groups, 'row group')}, {size(read)} of {size(self.total_bytes)}"
        )
        skipped = [(self.files.get(i, 0), name) for i, name in enumerate(STAGES)]
        said = [f"{count:,} by {name}" for count, name in skipped if count]
        if said:
            count, _, by = said[0].partition(" ")
            verb = "file is" if count == "1" else "files are"
            text += f": {count} {verb} skipped {', '.join([by, *said[1:]])}"
        damaged = self.unreadable.get(KEPT, 0)
        if damaged:
            verb = "is" if damaged == 1 else "are"
            return f"{text}. {plural(damaged, 'file')} that cannot be read {verb} counted as read."
        return f"{text}."


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

    @classmethod
    def of(
        cls, engine: Engine, files: int, row_groups: int, rows: int, example: str, why: str, instead: str
    ) -> LostRows:
        """The record with its sentence."""
        sentence = (
            f"{engine.title} may lose rows: it skips {plural(row_groups, 'row group')} of {plural(files, 'file')} "
            f"({example}: {why}), which does not prove that no row matches: {instead}."
        )
        return cls(files, row_groups, rows, example, why, instead, sentence)


class LakePlan(QueryPlan):
    """What an engine reads of many files for a condition, by their row groups in Arrow tables or in Spark's DataFrames.

    - `where`: the condition; `engine`: the engine; `columns`: the columns that are read, None for all.
    - `stages`: how many files, row groups and bytes each stage left.
    - `files`, `row_groups`: tables or DataFrames with a row for each; `wrong_rows`: where the engine may lose rows.
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
        families: Families,
    ) -> None:
        super().__init__(where, engine, lake)
        self.lake = lake
        self.clause = clause
        self.columns = None if columns is None else tuple(columns)
        self.families = families

    # What a source of row groups gives.

    @property
    def counts(self) -> Counts:
        """Files, row groups and bytes by stage."""
        raise NotImplementedError

    @property
    def num_files(self) -> int:
        """How many files a query may read: all but those that vanished, or that a table's log does not list."""
        return self.counts.num_files

    @property
    def num_row_groups(self) -> int:
        """How many row groups the tables have of these files."""
        return self.counts.num_groups

    @property
    def total_bytes(self) -> int:
        """The bytes of these files."""
        return self.counts.total_bytes

    @property
    def bytes(self) -> int:
        """The bytes of the column chunks that are read, and of the kept files that cannot be read."""
        return self.counts.alive(len(STAGES))[2]

    @property
    def stages(self) -> tuple[LakeStage, ...]:
        """What each stage left, in order; stages that skip nothing are left out, but for footers."""
        return self.counts.stages

    @property
    def files(self) -> Any:
        """A row for each file: file, kept, by, reason, row_groups (that are read), of_row_groups, size."""
        raise NotImplementedError

    @property
    def row_groups(self) -> Any:
        """A row for each row group: file, row_group, num_rows, kept, by, reason, evidence, bytes (that would be read)."""
        raise NotImplementedError

    @property
    def kept(self) -> list[str]:
        """The paths of the files that are read."""
        raise NotImplementedError

    def first_files(self, count: int) -> list[dict[str, Any]]:
        """The first rows of `files`, those that are read before those that are skipped."""
        raise NotImplementedError

    def _lost(self) -> Iterator[LostRows]:
        """Where the engine skips what a careful reader would not, by reason."""
        raise NotImplementedError

    def _assumed(self) -> Iterator[str]:
        """Remarks about what was taken for granted."""
        raise NotImplementedError

    def _family_files(self) -> Sequence[int]:
        """The number of files of each family."""
        raise NotImplementedError

    def _damaged(self) -> tuple[list[Mapping[str, Any]], int]:
        """The first rows (path, error) of files that are kept because they cannot be read, and how many there are."""
        raise NotImplementedError

    def _row(self, file: str) -> Mapping[str, Any] | None:
        """The row of a file in the table `files`; None if a query does not read it."""
        raise NotImplementedError

    def _to_verify(self, most: int) -> tuple[list[str], set[tuple[str, int]], int]:
        """At most so many files where rows may be lost or read, their row groups that are read, and the files left out."""
        raise NotImplementedError

    # What is said of it.

    @functools.cached_property
    def sentence(self) -> str:
        """What is read of how much, what skips the rest, and which files cannot be read. Lost rows come first."""
        said = [one.sentence for one in self.wrong_rows[:2]]
        return printable(" ".join([*said, self.counts.sentence(self.engine.title), *self._beside_footers()]))

    def _beside_footers(self) -> Iterator[str]:
        """What else than footers says of the files, in sentences."""
        return iter(())

    @functools.cached_property
    def wrong_rows(self) -> tuple[LostRows, ...]:
        """Where the engine skips what a careful reader would not, by reason; most rows first."""
        return tuple(sorted(self._lost(), key=lambda one: -one.rows))

    @functools.cached_property
    def remarks(self) -> tuple[str, ...]:
        """What was assumed, which conditions decide nothing and why, and which files are kept because of damage."""
        return tuple(dict.fromkeys(printable(text) for text in self._remarks()))

    def _remarks(self) -> Iterator[str]:
        yield from self._assumed()
        yield from self._undecided()
        rows, count = self._damaged()
        for row in rows:
            yield f"{row['path']} cannot be read, so it is not skipped: {row['error']}"
        if count > len(rows):
            yield f"{count - len(rows):,} more files cannot be read, and are not skipped."

    def _undecided(self) -> Iterator[str]:
        """Which conditions decide nothing, and why."""
        for family, files in zip(self.families.all, self._family_files(), strict=True):
            scope = "" if files == self.num_files else f" in {plural(files, 'file')}"
            for one in single(self.engine.usable(family.bound, family.schema)) if files else ():
                if isinstance(one, Undecided) and id(one.clause) not in family.partitions:
                    yield f"{one.sql} skips nothing{scope}: {one.why}."
                elif isinstance(one, Test) and one.remark:
                    yield one.remark
            yield from family.remarks if files else ()

    def open(self, file: str) -> Plan:
        """The plan of one file, with its Bloom filters, dictionaries and page indexes. Close it after use.

        UsageError if the lake has no such file, or may not open it (see `pqexplore.lake.open`).
        """
        row = self._row(file)
        if row is None:
            raise UsageError(f"the lake has no file {file!r} that a query reads")
        return open_plan(self.lake, self.families, row, self.where, self.columns, self.engine)

    def verify(self, most: int = 100) -> LakeVerification:
        """Compare the plan with the values of at most `most` files: those where rows may be lost, then those that are read.

        Decodes the columns of the condition in these files.
        """
        paths, kept, left = self._to_verify(most)
        return verify_lake(paths, kept, self.open, left)


def _left(counts: Mapping[int, int], stage: int) -> int:
    return sum(count for at, count in counts.items() if at == KEPT or at > stage)


# Compares a lake's plan with the values of the files that it reads.


@dataclasses.dataclass(frozen=True, slots=True)
class LakeVerification:
    """What the values say of the plan of a lake.

    - `matches`: a row for each row group of the files that were opened: file, row_group, kept (by the lake's plan),
      matching (rows that meet the condition; null if it could not be checked).
    - `false_positives`: the files that are read and have no matching row. `lost`: (file, row group) that the lake's plan
      skips although rows match. `errors`: why a file could not be checked. `unchecked`: files that were not opened.
    """

    matches: pa.Table
    false_positives: tuple[str, ...]
    lost: tuple[tuple[str, int], ...]
    errors: dict[str, str]
    unchecked: int
    sentence: str


def verify_lake(
    files: Sequence[str], kept: set[tuple[str, int]], open_file: Callable[[str], Plan], unchecked: int
) -> LakeVerification:
    """Opens files and counts the rows that match; `kept` has the row groups that the lake's plan reads."""
    rows: dict[str, list[object]] = {"file": [], "row_group": [], "kept": [], "matching": []}
    false: list[str] = []
    lost: list[tuple[str, int]] = []
    errors: dict[str, str] = {}
    for path in files:
        try:
            with open_file(path) as plan:
                found = plan.verify().matches
        except (ParquetError, UsageError, OSError) as error:
            errors[path] = printable(str(error))
            continue
        groups, matching = found["row_group"].to_pylist(), found["matching"].to_pylist()
        for group, count in zip(groups, matching, strict=True):
            rows["file"].append(path)
            rows["row_group"].append(group)
            rows["kept"].append((path, group) in kept)
            rows["matching"].append(count)
            if count and (path, group) not in kept:
                lost.append((path, group))
        if None not in matching and not sum(matching):
            false.append(path)
    types = (pa.string(), pa.int32(), pa.bool_(), pa.int64())
    matches = pa.table({name: pa.array(values, kind) for (name, values), kind in zip(rows.items(), types, strict=True)})
    opened = len(files) - len(errors)
    said = [f"{opened - len(false):,} of {plural(opened, 'file')} that were opened have rows that match."]
    if lost:
        said.append(f"{plural(len(lost), 'row group')} with such rows {_is(len(lost))} skipped.")
    if errors:
        said.append(f"{plural(len(errors), 'file')} could not be checked.")
    if unchecked:
        said.append(f"{plural(unchecked, 'more file')} that the plan reads {_is(unchecked)} not opened.")
    return LakeVerification(matches, tuple(false), tuple(lost), errors, unchecked, " ".join(said))


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


# The plan of one file of a lake: the file is opened, and asked for all that the engine looks at.


def open_plan(
    lake: Lake, families: Families, row: Mapping[str, Any], where: str, columns: Sequence[str] | None, engine: Engine
) -> Plan:
    """The plan of the file with this row of the table `files`; the file is closed with it."""
    lake.reach.require(row["path"])
    file = open_file(row["path"], storage_options=lake.storage_options)
    try:
        family = families.bind_file(file.schema, row["table_path"] is not None)
        bound = _without_folders(family.bound, set(family.partitions), row["partition_values"] or "")
        known = {".".join(leaf.path) for leaf in file.schema.leaves}
        present = None
        if columns is not None:
            present = [one for one in columns if any(f"{leaf}.".startswith(f"{_dotted(one)}.") for leaf in known)]
        made = finish(bound_steps(file, where, bound, present, engine))
    except BaseException:
        file.close()
        raise
    made.owns_source = True
    return made


def _dotted(column: Any) -> str:
    return column if isinstance(column, str) else ".".join(column)


def _without_folders(bound: Bound, clauses: set[int], folders: str) -> Bound:
    """The condition with its clauses about folders decided by the file's own."""
    if isinstance(bound, Both | Either):
        parts = tuple(_without_folders(part, clauses, folders) for part in bound.parts)
        return dataclasses.replace(bound, parts=parts)
    if isinstance(bound, Undecided) and id(bound.clause) in clauses:
        clause = cast("predicate.Leaf", bound.clause)
        found = partitions.ruling(clause, folders)
        if not found.possible or partitions.is_true(clause, folders):
            return Always(found.possible, bound.sql, found.reason)
        return Undecided(found.reason, bound.sql, clause=bound.clause)
    return bound
