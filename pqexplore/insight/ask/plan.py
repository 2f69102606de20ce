"""A plan: what a query reads of a file, what it skips, and why."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, Self

import pyarrow as pa

from pqexplore.engine.text import clip, printable
from pqexplore.insight.ask import row_ranges
from pqexplore.insight.ask.bound import Bound, Undecided, single, tests
from pqexplore.insight.ask.engines import Engine
from pqexplore.insight.ask.pruning import Group, StageResult, stages_of
from pqexplore.insight.ask.pruning_result import CLAUSE
from pqexplore.insight.ask.read_requests import Reading
from pqexplore.insight.ask.wrong_rows import WrongRows
from pqexplore.insight.wording import plural, size

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.ask.verify import Verification
    from pqexplore.insight.ask.why_not_pruned import Cause


class QueryPlan:
    """What a query reads, what it skips, and why: of a file (`Plan`), or of many (`lake.asking`).

    It is a context manager; `close` closes the file or lake if `pqexplore.ask` opened it (`owns_source`).
    """

    def __init__(self, where: str, engine: Engine, source: Closable) -> None:
        self.where = where
        self.engine = engine
        self.owns_source = False
        self._source = source

    @property
    def sentence(self) -> str:
        """What is read of how much, and why."""
        raise NotImplementedError

    def close(self) -> None:
        """Closes what `pqexplore.ask` opened; what was not read yet can then not be read."""
        if self.owns_source:
            self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.engine.name}: {self.sentence}>"


class Closable(Protocol):
    """A file or a lake."""

    def close(self) -> None:
        """Frees what it holds."""


class Plan(QueryPlan):
    """What an engine reads of one file for a condition.

    - `where`: the condition as it was given; `bound`: the same about the file's columns; `used`: what the engine
      compares with the file's claims. `engine`: the engine.
    - `leaves`: the columns that are read: those asked for and those of the condition. `groups`: the row groups after
      the cascade; `stages`: how many each stage left. `reading`: the bytes and requests.
    - `wrong_rows`: where the engine may lose rows, the worst first; empty if every skip is justified.
    - `remarks`: what was assumed, such as a time zone, and which conditions decide nothing and why.
    """

    def __init__(
        self,
        file: ParquetFile,
        where: str,
        bound: Bound,
        used: Bound,
        engine: Engine,
        leaves: Sequence[Leaf],
        groups: Sequence[Group],
        reading: Reading,
        wrong_rows: Sequence[WrongRows],
    ) -> None:
        super().__init__(where, engine, file)
        self.file = file
        self.bound = bound
        self.used = used
        self.leaves = tuple(leaves)
        self.groups = tuple(groups)
        self.reading = reading
        self.wrong_rows = tuple(wrong_rows)

    @functools.cached_property
    def stages(self) -> tuple[StageResult, ...]:
        """How many row groups and rows each stage left."""
        return tuple(stages_of(self.groups, self.engine))

    @property
    def kept(self) -> list[Group]:
        """The row groups that are read."""
        return [group for group in self.groups if group.kept]

    @functools.cached_property
    def sentence(self) -> str:
        """What is read, and why the first row group that is kept survives. Lost rows come first."""
        return printable(of(self))

    @functools.cached_property
    def remarks(self) -> tuple[str, ...]:
        """What was assumed about literals, and which conditions decide nothing, and why."""
        return tuple(dict.fromkeys(printable(text) for text in remarks(self)))

    @functools.cached_property
    def why_not_more(self) -> tuple[str, ...]:
        """Why the condition skips little, by the ranges of its columns: a sentence a column; empty if it skips much.

        It reads nothing beyond the footer, unlike `causes`.
        """
        from pqexplore.insight.ask.why_not_more import reasons

        return tuple(printable(text) for text in reasons(self))

    @functools.cached_property
    def causes(self) -> tuple[Cause, ...]:
        """Why the query reads more than it needs, the costliest first."""
        from pqexplore.insight.ask.why_not_pruned import causes

        return tuple(causes(self))

    @property
    def advice(self) -> tuple[Cause, ...]:
        """The causes that can be fixed: each has a `fix`, its `code`, and what it would save."""
        return tuple(cause for cause in self.causes if cause.fix)

    def group_rows(self) -> Iterator[tuple[object, ...]]:
        """The rows of `row_groups`."""
        for one in self.groups:
            yield (
                self.file.name, one.index, one.num_rows, row_ranges.count(one.ranges), one.kept, one.by,
                printable(one.reason), printable(one.evidence), one.address,
            )  # fmt: skip

    @functools.cached_property
    def row_groups(self) -> pa.Table:
        """A row for each row group: file, row_group, num_rows, rows (that are decoded), kept, by, reason, evidence, address."""
        return _table(GROUP, self.group_rows())

    @functools.cached_property
    def rulings(self) -> pa.Table:
        """A row for each ruling about a row group: row_group, stage, clause, column, possible, by, reason, evidence, address."""
        return _table(
            _RULING,
            (
                (
                    group.index, stage, test.sql, test.column, one.possible, one.by,
                    printable(one.reason), printable(one.evidence), one.address,
                )
                for group in self.groups
                for test, rulings in group.rulings.items()
                for stage, one in zip(group.asked, rulings, strict=False)
            ),
        )  # fmt: skip

    @functools.cached_property
    def lookups(self) -> pa.Table:
        """The values of = and IN in the Bloom filters of all row groups: row_group, column, clause, value, passes, fpp, address.

        `fpp` is the probability that the filter lets a value pass that is not there. Reads the filters.
        """
        from pqexplore.insight.ask.lookups import probes, table

        return table(probes(self))

    @functools.cached_property
    def pages(self) -> pa.Table:
        """A row for each page or chunk that is read, and each page that the page index rules out.

        file, row_group, column, page (its number among the data pages), kept, what, first_row and end_row (half-open, in
        the row group), start and end (bytes of the file), by, reason, address.
        """
        return pages_table(self)

    def range_rows(self) -> Iterator[tuple[object, ...]]:
        """The rows of `row_ranges`."""
        before = 0
        for group in self.groups:
            for start, end in group.ranges if group.kept else ():
                yield self.file.name, group.index, start, end, before + start
            before += group.num_rows

    @functools.cached_property
    def row_ranges(self) -> pa.Table:
        """The rows that are decoded, half-open: file, row_group, start, end, and first_row, the first one's number in the file."""
        return _table(RANGE, self.range_rows())

    def verify(self, engine: str | None = None) -> Verification:
        """Compare the plan with the values: which rows match, and which row groups were kept in vain or lost.

        With `engine`, that engine is run, too, and its rows counted: `pyarrow`, `duckdb`, `polars`, `spark` or
        `datafusion`, if it is installed. Decodes the columns of the condition. Raises ParquetError as reading them does.
        """
        from pqexplore.insight.ask.verify import verify

        return verify(self, engine)

    @property
    def undecided(self) -> list[str]:
        """The conditions that the engine does not compare with the file's claims, each with the reason."""
        return [f"{one.sql}: {one.why}" for one in single(self.used) if hasattr(one, "why") and one.why]


GROUP: dict[str, pa.DataType] = {
    "file": pa.string(),
    "row_group": pa.int32(),
    "num_rows": pa.int64(),
    "rows": pa.int64(),
    "kept": pa.bool_(),
    "by": pa.string(),
    "reason": pa.string(),
    "evidence": pa.string(),
    "address": pa.string(),
}
"""The columns of `Plan.row_groups`."""
RANGE: dict[str, pa.DataType] = {
    "file": pa.string(),
    "row_group": pa.int64(),
    "start": pa.int64(),
    "end": pa.int64(),
    "first_row": pa.int64(),
}
"""The columns of `Plan.row_ranges`."""
_RULING: dict[str, pa.DataType] = {
    "row_group": pa.int32(),
    "stage": pa.string(),
    "clause": pa.string(),
    "column": pa.string(),
    "possible": pa.bool_(),
    "by": pa.string(),
    "reason": pa.string(),
    "evidence": pa.string(),
    "address": pa.string(),
}


def _table(columns: Mapping[str, pa.DataType], rows: Iterable[tuple[object, ...]]) -> pa.Table:
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    return pa.table({name: pa.array(each, kind) for (name, kind), each in zip(columns.items(), values, strict=True)})


# The words and tables of a plan.


def of(plan: Plan) -> str:
    """The answer in a few sentences."""
    said = [one.sentence for one in plan.wrong_rows[:2]]
    said.append(_read(plan))
    said += _why(plan)
    return " ".join(said)


def _why(plan: Plan) -> Iterator[str]:
    """Why the first row group that is read is read, and why the first that is skipped is skipped."""
    kept = plan.kept
    gone = [group for group in plan.groups if not group.kept]
    if kept:
        first = kept[0]
        verb = "is read" if gone or first.ranges != ((0, first.num_rows),) else "is read whole"
        yield f"Row group {first.index:,} {verb}: {first.reason}."
    if gone:
        yield f"Row group {gone[0].index:,} is skipped: {gone[0].reason}."


def _read(plan: Plan) -> str:
    reading, groups = plan.reading, plan.groups
    rows = sum(row_ranges.count(group.ranges) for group in plan.kept)
    total = sum(group.num_rows for group in groups)
    title = plan.engine.title
    part = f"{size(reading.bytes)} of {size(reading.all_bytes)}"
    if reading.bytes > reading.all_bytes:
        part = f"{size(reading.bytes)}, more than the {size(reading.all_bytes)} of the file,"
    how = f"in {plural(len(reading.requests), 'request')}"
    low, high = size(reading.least), size(reading.most)
    if low != high:
        part = f"between {low} and {high} (the file has {size(reading.all_bytes)})"
        how = "by the rows that match and the speed that it measures"
    return (
        f"{title[:1].upper()}{title[1:]} reads {len(plan.kept):,} of {plural(len(groups), 'row group')}, {rows:,} of "
        f"{plural(total, 'row')}, and {part} {how}."
    )


def remarks(plan: Plan) -> Iterator[str]:
    """What was assumed, what decides nothing, and what the engine makes of a clause otherwise than SQL."""
    yield from plan.engine.all_otherwise(plan.bound, plan.file)
    for one in single(plan.used):
        if isinstance(one, Undecided):
            does = "skips nothing" if one.certain else "may skip more than the plan says"
            yield f"{clip(one.sql, CLAUSE)} {does}: {one.why}."
    yield from (one.remark for one in tests(plan.bound) if one.remark)


def pages_table(plan: Plan) -> pa.Table:
    """The table `Plan.pages`."""
    names = {leaf.leaf_index: ".".join(leaf.path) for leaf in plan.leaves}
    rows: dict[tuple[object, ...], tuple[object, ...]] = {}  # a page that is read twice has one row
    whole: set[tuple[int, int]] = set()
    for piece in plan.reading.pieces:
        if piece.row_group is None or piece.leaf is None or piece.what not in _READ:
            continue
        if piece.what == "column chunk":
            whole.add((piece.row_group, piece.leaf))
        rows[piece.row_group, piece.leaf, piece.what, piece.index] = (
            plan.file.name, piece.row_group, names.get(piece.leaf), piece.index, True, piece.what,
            *(piece.rows or (None, None)), piece.span.start, piece.span.end, "", "", piece.address,
        )  # fmt: skip
    for group in plan.groups:
        for page in group.pages:
            key = group.index, page.leaf, "data page", page.index
            # Another clause under OR may need a page that this one rules out.
            if page.ruling.possible or key in rows or key[:2] in whole:
                continue
            rows[key] = (
                plan.file.name, group.index, page.column, page.index, False, "data page", *page.rows,
                None, None, page.ruling.by, printable(page.ruling.reason), page.address,
            )  # fmt: skip
    made = rows.values()
    return pa.table({name: pa.array([row[i] for row in made], kind) for i, (name, kind) in enumerate(_PAGES.items())})


_READ = ("data page", "dictionary page", "column chunk")

_PAGES: dict[str, pa.DataType] = {
    "file": pa.string(),
    "row_group": pa.int32(),
    "column": pa.string(),
    "page": pa.int32(),
    "kept": pa.bool_(),
    "what": pa.string(),
    "first_row": pa.int64(),
    "end_row": pa.int64(),
    "start": pa.int64(),
    "end": pa.int64(),
    "by": pa.string(),
    "reason": pa.string(),
    "address": pa.string(),
}
