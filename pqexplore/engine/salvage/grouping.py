"""Pages to column chunks, column chunks to row groups.

Three ways, by what is known. A footer that was found says where each chunk lies. A schema says which columns follow
one another; each has as many rows as the others of its row group, which shows where a chunk ends. With neither, the
pages must speak for themselves: a dictionary page begins a chunk, and so does another type of values.
"""

from __future__ import annotations

import dataclasses
import math

from pqexplore.engine.limits import Limits
from pqexplore.engine.salvage.fit import (
    SHAPES,
    ColumnType,
    Fit,
    Guess,
    believed_codec,
    decide,
    elements,
    fit,
    guess,
)
from pqexplore.engine.salvage.prove import SalvagedPage
from pqexplore.engine.schema import Leaf
from pqexplore.engine.source import Source
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Finding

CANDIDATES = 64
"""Numbers of rows that are tried for a row group."""
PAGE_ROW_LIMIT = 20_000
"""Rows after which parquet-java and Arrow begin a new page; pages of so many rows are seldom whole chunks."""


@dataclasses.dataclass
class SalvagedChunk:
    """Pages that belong together: those of one column in one row group, as far as they were found.

    `row_group` and `column` are None where the pages' place could not be told. `complete` says that all rows of the
    row group are there; `reason` why not. `codec` is the one that all pages decompress with.
    """

    pages: list[SalvagedPage]
    row_group: int | None = None
    column: int | None = None
    rows: int = 0
    codec: int | None = None
    complete: bool = False
    reason: str = ""

    @property
    def start(self) -> int:
        """Where the first page begins."""
        return self.pages[0].start

    @property
    def end(self) -> int:
        """Where the last page ends."""
        return self.pages[-1].end

    @property
    def num_values(self) -> int:
        """Values of all data pages, nulls included."""
        return sum(page.num_values for page in self.pages if page.frame.is_data)

    def __repr__(self) -> str:
        place = "of an unknown column"
        if self.column is not None:
            place = f"row_groups/{self.row_group}/columns/{self.column}"
        state = "complete" if self.complete else self.reason
        return f"<chunk {place}: {len(self.pages)} pages, {self.rows:,} rows, {state}>"


def by_footer(pages: list[SalvagedPage], metadata: structs.FileMetaData) -> list[SalvagedChunk]:
    """Chunks where the row groups of a FileMetaData say that they lie."""
    starts = {page.start: index for index, page in enumerate(pages)}
    found = []
    for number, group in enumerate(metadata.row_groups or ()):
        for column, chunk in enumerate(group.columns or ()):
            inner = chunk.meta_data
            if inner is None or structs.missing(inner):
                continue
            first = inner.data_page_offset
            if inner.dictionary_page_offset and 0 < inner.dictionary_page_offset < first:
                first = inner.dictionary_page_offset
            index = starts.get(first)
            if index is None:
                continue
            took: list[SalvagedPage] = []
            seen = 0
            while index < len(pages) and seen < inner.num_values:
                page = pages[index]
                if (took and page.start != took[-1].end) or not page.usable:
                    break
                took.append(page)
                seen += page.num_values if page.frame.is_data else 0
                index += 1
            if not took:
                continue
            made = SalvagedChunk(took, number, column, group.num_rows or 0, believed_codec(took))
            if inner.codec in frozenset.intersection(*(page.codecs for page in took)):
                made.codec = inner.codec
            made.complete = seen == inner.num_values and made.codec is not None
            if not made.complete:
                made.reason = f"{seen:,} of its {inner.num_values:,} values are there"
            found.append(made)
    return found


class BySchema:
    """Chunks of the columns of a schema, told apart by their rows and by what fits a leaf."""

    def __init__(
        self, source: Source, pages: list[SalvagedPage], leaves: list[Leaf], limits: Limits
    ) -> None:
        self.source = source
        self.pages = pages
        self.leaves = leaves
        self.limits = limits
        self.findings: list[Finding] = []
        self._fits: dict[tuple[int, int, int], Fit | None] = {}

    def group(self) -> list[SalvagedChunk]:
        """All chunks, those of unknown place included."""
        found: list[SalvagedChunk] = []
        at = number = 0
        while at < len(self.pages):
            chunks = self._row_group(at)
            if not chunks:
                end = at + 1
                while end < len(self.pages) and not self._begins(end):
                    end += 1
                reason = "its pages fit no column that could stand here"
                found.append(
                    SalvagedChunk(
                        self.pages[at:end], codec=believed_codec(self.pages[at:end]), reason=reason
                    )
                )
                at = end
                continue
            for column, chunk in enumerate(chunks):
                chunk.row_group, chunk.column = number, column
                at += len(chunk.pages)
            found += chunks
            number += 1
        return found

    def _begins(self, index: int) -> bool:
        """Whether a chunk surely begins here, or what came before was lost."""
        page, before = self.pages[index], self.pages[index - 1]
        return page.is_dictionary or page.start != before.end or not before.usable

    def _fit(self, index: int, column: int, dictionary: int) -> Fit | None:
        key = (index, column, dictionary)
        if key not in self._fits:
            page = self.pages[index]
            codec = believed_codec([page] if dictionary < 0 else [self.pages[dictionary], page])
            entries = None if dictionary < 0 else self.pages[dictionary].num_values
            usable = page.usable and codec is not None
            self._fits[key] = (
                fit(self.source, page, self.leaves[column], codec or 0, entries, self.limits)
                if usable
                else None
            )
        return self._fits[key]

    def _row_group(self, at: int) -> list[SalvagedChunk]:
        """The chunks of a row group that begins here; those that were cut off are missing. Nothing if none fits."""
        sums = self._running_rows(at)
        best: list[SalvagedChunk] = []
        complete = []
        for rows in sums[:CANDIDATES]:
            chunks = self._columns(at, rows)
            if chunks is None:
                continue
            if len(chunks) == len(self.leaves) and chunks[-1].complete:
                complete.append((rows, chunks))
            elif sum(chunk.complete for chunk in chunks) > sum(chunk.complete for chunk in best):
                best = chunks
        if not complete:
            return best or self._cut_first(at)
        last = len(self.leaves) == 1 or self.pages[at].num_values == PAGE_ROW_LIMIT
        chosen = complete[-1 if last else 0][1]
        if len(complete) > 1 and len(self.leaves) > 1:
            self.findings.append(
                Finding(
                    "ambiguous",
                    "warning",
                    "",
                    f"from byte {chosen[0].start:,} on, row groups of {' or '.join(f'{r:,}' for r, _ in complete[:4])} "
                    f"rows fit the pages; {chosen[0].rows:,} was taken",
                    {"rows": [rows for rows, _ in complete]},
                )
            )
        return chosen

    def _running_rows(self, at: int) -> list[int]:
        """The rows of the first column if it had one, two, … data pages."""
        sums: list[int] = []
        rows, dictionary, index = 0, -1, at
        while index < len(self.pages) and (index == at or not self._begins(index)):
            page = self.pages[index]
            found = self._fit(index, 0, dictionary)
            if found is None:
                break
            if page.is_dictionary:
                dictionary = index
            else:
                rows += found.rows
                if not sums or sums[-1] != rows:
                    sums.append(rows)
            index += 1
        return sums

    def _columns(self, at: int, rows: int) -> list[SalvagedChunk] | None:
        """Chunks of `rows` rows each, column by column, until all are there or the pages end; None if that cannot be."""
        chunks = []
        for column in range(len(self.leaves)):
            chunk, problem = self._chunk(at, column, rows)
            if problem:
                return None
            if chunk is None:
                break
            chunks.append(chunk)
            at += len(chunk.pages)
            if not chunk.complete:
                break
        return chunks

    def _chunk(self, at: int, column: int, rows: int) -> tuple[SalvagedChunk | None, bool]:
        """The chunk of one column, and whether the pages contradict it."""
        took: list[SalvagedPage] = []
        seen, dictionary, index = 0, -1, at
        while index < len(self.pages):
            page = self.pages[index]
            lost = bool(took) and (page.start != took[-1].end)
            if seen == rows and took and took[-1].frame.is_data:
                if lost or page.is_dictionary or page.num_values:
                    break
            elif lost or (took and page.is_dictionary):
                return None, True
            found = self._fit(index, column, dictionary)
            if found is None:
                if seen == rows and took:
                    break
                return None, True
            if page.is_dictionary:
                dictionary = index
            else:
                seen += found.rows
            if seen > rows:
                return None, True
            took.append(page)
            index += 1
        if not took:
            return None, False
        codec = believed_codec(took)
        chunk = SalvagedChunk(
            took, rows=seen, codec=codec, complete=seen == rows and codec is not None
        )
        if not chunk.complete:
            chunk.reason = f"{seen:,} of {rows:,} rows are there"
        return chunk, False

    def _cut_first(self, at: int) -> list[SalvagedChunk]:
        """The first column alone, where its pages are all that is left."""
        sums = self._running_rows(at)
        if not sums:
            return []
        chunk, problem = self._chunk(at, 0, sums[-1])
        if chunk is None or problem or at + len(chunk.pages) < len(self.pages):
            return []
        chunk.complete = len(self.leaves) == 1 and chunk.complete
        if not chunk.complete:
            chunk.reason = (
                "the columns behind it are lost, so nothing tells whether all its rows are there"
            )
        return [chunk]


@dataclasses.dataclass
class _Run:
    """Pages in a row that could be of one column, and what that column could be."""

    pages: list[SalvagedPage]
    guesses: list[Guess]
    shapes: frozenset[tuple[int, int]]
    types: dict[tuple[int, int], frozenset[ColumnType] | None]
    dictionary_types: frozenset[ColumnType] | None

    @property
    def shape(self) -> tuple[int, int]:
        return next(shape for shape in SHAPES if shape in self.shapes)

    @property
    def kinds(self) -> frozenset[ColumnType] | None:
        return _both(self.types.get(self.shape), self.dictionary_types)

    def rows(self) -> list[int]:
        """Rows of each page; 0 for a dictionary."""
        return [
            guess.rows[self.shape] if page.frame.is_data else 0
            for page, guess in zip(self.pages, self.guesses, strict=True)
        ]


def _both(
    a: frozenset[ColumnType] | None, b: frozenset[ColumnType] | None
) -> frozenset[ColumnType] | None:
    if a is None or b is None:
        return b if a is None else a
    return a & b


def by_guess(
    source: Source, pages: list[SalvagedPage], limits: Limits
) -> tuple[list[SalvagedChunk], list[structs.SchemaElement], list[Finding]]:
    """Chunks without a schema, the schema that they make, and what is doubtful about it."""
    runs, lost = _runs(source, pages, limits)
    pieces: list[tuple[_Run, SalvagedChunk]] = []
    at = 0
    while at < len(runs):
        taken = _same_rows(runs, at)
        pieces += taken[1]
        at = taken[0]
    columns = _column_count(pieces)
    findings: list[Finding] = []
    for index, (_, chunk) in enumerate(pieces):
        chunk.row_group, chunk.column = divmod(index, columns)
        chunk.complete = chunk.codec is not None
    schema = [structs.SchemaElement(name="schema", num_children=columns)]
    for column in range(columns):
        mine = [run for run, chunk in pieces if chunk.column == column]
        kinds = mine[0].kinds
        for run in mine[1:]:
            kinds = _both(kinds, run.kinds)
        kind, proven = decide(kinds)
        schema += elements(f"column_{column}", mine[0].shape, kind)
        if not proven:
            names = sorted(structs.enum_name(structs.Type, one) for one, _ in kinds or ())
            findings.append(
                Finding(
                    "type-unproven",
                    "note",
                    f"row_groups/0/columns/{column}",
                    f"column_{column} is read as {structs.enum_name(structs.Type, kind[0])}"
                    f"{'' if kind[1] is None else f'({kind[1]})'}: its pages fit "
                    f"{', '.join(names) if names else 'any type'} alike; give a schema to say which",
                    {"types": names},
                )
            )
    return [chunk for _, chunk in pieces] + lost, schema, findings


def _runs(
    source: Source, pages: list[SalvagedPage], limits: Limits
) -> tuple[list[_Run], list[SalvagedChunk]]:
    runs: list[_Run] = []
    lost: list[SalvagedChunk] = []
    current: _Run | None = None
    for page in pages:
        before = current.pages[-1] if current is not None else None
        dictionary = (
            current.pages[0] if current is not None and current.pages[0].is_dictionary else None
        )
        found = guess(source, page, None if dictionary is None else dictionary.num_values, limits)
        orphan = page.needs_dictionary and (
            dictionary is None or before is None or before.end != page.start
        )
        if not page.usable or not found.rows or orphan:
            reason = (
                "its dictionary is lost"
                if orphan
                else "its content cannot be decoded without a schema"
            )
            if not page.usable:
                reason = "its bytes are damaged"
            lost.append(SalvagedChunk([page], codec=believed_codec([page]), reason=reason))
            current = None
            continue
        if (
            current is not None
            and before is not None
            and before.end == page.start
            and _joins(current, page, found)
        ):
            continue
        types = found.types[(0, 0)] if page.is_dictionary else None
        shapes = frozenset(SHAPES) if page.is_dictionary else frozenset(found.rows)
        current = _Run(
            [page], [found], shapes, {} if page.is_dictionary else dict(found.types), types
        )
        runs.append(current)
    for run in [run for run in runs if run.pages[-1].is_dictionary]:
        runs.remove(run)
        lost.append(SalvagedChunk(run.pages, reason="a dictionary without data pages"))
    return runs, lost


def _joins(run: _Run, page: SalvagedPage, found: Guess) -> bool:
    """Whether the page goes on with the run, and if so, it is added."""
    before = run.pages[-1]
    if page.is_dictionary or (before.frame.is_data and before.header.type != page.header.type):
        return False
    if page.needs_dictionary and before.frame.is_data and not before.needs_dictionary:
        return False
    if believed_codec([*run.pages[:1], page]) is None:
        return False
    if before.frame.is_data and page.encoding != before.encoding and not before.needs_dictionary:
        return False
    shapes, types = set(), {}
    for shape in run.shapes & frozenset(found.rows):
        kinds = _both(run.types.get(shape), found.types[shape])
        together = _both(kinds, run.dictionary_types)
        if together is None or together:
            shapes.add(shape)
            types[shape] = kinds
    if not shapes:
        return False
    run.shapes, run.types = frozenset(shapes), types
    run.pages.append(page)
    run.guesses.append(found)
    return True


def _same_rows(runs: list[_Run], at: int) -> tuple[int, list[tuple[_Run, SalvagedChunk]]]:
    """Chunks of equally many rows from run `at` on, as far as that goes, and the run that comes after."""
    sums: list[int] = []
    for rows in runs[at].rows():
        sums.append((sums[-1] if sums else 0) + rows)
    candidates = sorted({rows for rows in sums if rows}) or [0]
    best = (at, list[tuple[_Run, SalvagedChunk]]())
    for rows in candidates[:CANDIDATES]:
        index, made = at, list[tuple[_Run, SalvagedChunk]]()
        while index < len(runs):
            pieces = _split(runs[index], rows)
            if pieces is None:
                break
            made += [(runs[index], piece) for piece in pieces]
            index += 1
        if index > best[0]:
            best = (index, made)
    return best


def _split(run: _Run, rows: int) -> list[SalvagedChunk] | None:
    """The run as chunks of exactly so many rows; None where it is not a multiple."""
    pieces: list[SalvagedChunk] = []
    took: list[SalvagedPage] = []
    seen = 0
    for page, count in zip(run.pages, run.rows(), strict=True):
        took.append(page)
        seen += count
        if seen > rows:
            return None
        if seen == rows and page.frame.is_data:
            if pieces and took[0].needs_dictionary:
                return None
            pieces.append(SalvagedChunk(took, rows=rows, codec=believed_codec(took)))
            took, seen = [], 0
    return None if took else pieces


def _column_count(pieces: list[tuple[_Run, SalvagedChunk]]) -> int:
    """How many columns there are: row groups repeat the columns' types in one order."""
    rows = [chunk.rows for _, chunk in pieces]
    lengths, start = [], 0
    for index in range(1, len(rows) + 1):
        if index == len(rows) or rows[index] != rows[start]:
            lengths.append(index - start)
            start = index
    signatures = [(run.kinds, run.shape, chunk.pages[0].is_dictionary) for run, chunk in pieces]

    def repeats(period: int) -> bool:
        return all(a == b for a, b in zip(signatures, signatures[period:], strict=False))

    if len(lengths) > 1:
        common = math.gcd(*lengths)
        for period in range(1, common + 1):
            if (
                common % period == 0
                and (period == common or len(set(signatures[:period])) > 1)
                and repeats(period)
            ):
                return period
    count = len(pieces)
    for period in range(2, count // 2 + 1):
        if count % period == 0 and len(set(signatures[:period])) > 1 and repeats(period):
            return period
    return max(1, lengths[0] if len(lengths) > 1 else count)
