"""An engine that uses everything that the format allows, and what it may trust; the other engines are subclasses.

An engine decides three things. `usable` says which clauses of a condition it compares with a file's claims at all. The
`by_…` methods say whether a clause can be TRUE for a row group or a page, each by one kind of evidence. `requests` says
how it reads the bytes that are left.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.geoparquet import is_side
from pqexplore.engine.file.variant_bounds import chunk_doubt
from pqexplore.engine.format.geospatial import Box
from pqexplore.engine.format.ordering import is_float
from pqexplore.engine.format.variant.bounds import WHY
from pqexplore.engine.span import FILE, Span
from pqexplore.insight.ask.bound import Bound, Test, tests
from pqexplore.insight.ask.claims import data_pages, dictionary_only, keys_of
from pqexplore.insight.ask.predicate import Within
from pqexplore.insight.ask.pruning_result import BLOOM, BOUNDS, DICTIONARY, NULLS, PAGE_INDEX, Ruling
from pqexplore.insight.axis import text_of
from pqexplore.insight.skippable import Skippable, group_part, page_parts

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.row_group import RowGroup
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.schema import Schema
    from pqexplore.insight.ask.piece import Piece


@dataclasses.dataclass(frozen=True, slots=True)
class Statement:
    """One thing that an engine does, or does not do.

    `text` is a sentence; `source` is a link, or the file of the project where it was read; `since` the version from
    which it holds, "" if it always did. `run` says that a test of ours runs the engine and compares; if it is False,
    the statement is from documentation.
    """

    text: str
    source: str
    since: str = ""
    run: bool = False


class Engine:
    """All that the format allows: a careful reader that uses every claim it may trust.

    - `name`, `title`: `spark`, and "Spark 4.3 (parquet-java 1.17)"; `statements`: what it does, with sources.
    - `stages`: the kinds of evidence, in the order in which the engine asks for them.
    - `together`: whether evidence of different kinds is combined under OR: `a = 1 OR b = 2` is ruled out if bounds rule
      out the one, and a Bloom filter the other. Engines that evaluate the whole condition once a stage do not.
    - `nan_largest`: whether NaN is larger than every number and equal to itself (Spark, DuckDB, polars), or unequal to
      everything (False: Arrow); None asks that no row is lost in either.
    - `gap`, `longest`: ranges of bytes with at most `gap` bytes between them are read in one request, of at most
      `longest` bytes (0: of any length). `footer_guess`: the bytes that it reads first, at the end of the file.
    - `across_groups`: whether a request can join ranges of several row groups.
    - `empty_filters`: whether it takes an empty Bloom filter at its word: some writers leave filters empty.
    - `stops_at_all`: whether it asks nothing more of a row group in which every row matches.
    - `dictionary_twice`: whether it reads a dictionary once to skip row groups, and again with the data.
    - `counts_bytes`: whether a run of it counts all bytes that it reads, those of the footer, too.
    - `whole_columns`: whether it reads whole top-level columns, not only the leaves that are asked for.
    """

    name = "format"
    title = "a reader that uses all that the format allows"
    statements: tuple[Statement, ...] = ()
    stages: tuple[str, ...] = (BOUNDS, BLOOM, DICTIONARY, PAGE_INDEX)
    together = True
    nan_largest: bool | None = None
    gap = 0
    longest = 0
    footer_guess = 8
    across_groups = False
    empty_filters = False
    stops_at_all = True
    dictionary_twice = False
    whole_columns = False
    counts_bytes = False

    def usable(self, bound: Bound, schema: Schema) -> Bound:
        """The condition as it reaches the file's claims; what the engine does not use becomes `Undecided`."""
        return bound

    def folded(self, bound: Bound, file: ParquetFile) -> Bound:
        """The usable condition with what the engine decides for the whole file at once."""
        return bound

    def condition(self, bound: Bound, stage: str) -> Bound:
        """The part of the usable condition that a stage compares; the rest becomes `Undecided`."""
        return bound

    def otherwise(self, test: Test, file: ParquetFile) -> str:
        """What the engine makes of a clause where that is not what SQL makes of it, as a sentence; "" if it is the same.

        It may find other rows, or refuse the query.
        """
        return ""

    def all_otherwise(self, bound: Bound, file: ParquetFile) -> list[str]:
        """What `otherwise` says of the clauses of a condition, each sentence once."""
        return list(dict.fromkeys(filter(None, (self.otherwise(test, file) for test in tests(bound)))))

    def nan_accepted(self, test: Test) -> bool:
        """Whether NaN can make the clause TRUE, by this engine's order of NaN."""
        accepts = test.accepts
        if self.nan_largest is None:
            return accepts.nan or accepts.nan_unordered
        return accepts.nan if self.nan_largest else accepts.nan_unordered

    def chunk_claims(self, chunk: ColumnChunk) -> Skippable:
        """What a chunk's statistics say, and whether the engine trusts them. Raises ParquetError if they are damaged.

        The sides of bounding boxes, as GeoParquet declares them, have no NaN: this reader takes the file at its word.
        """
        part = group_part(chunk)
        return _without_nan(part) if is_side(chunk.file, chunk.leaf) else part

    def page_claims(self, chunk: ColumnChunk) -> list[Skippable]:
        """What the column index says of each data page; empty without one. Raises ParquetError if it is damaged.

        Empty, too, for a chunk of one page: its bounds are those of the chunk.
        """
        parts = [] if data_pages(chunk) == 1 else page_parts(chunk)
        return list(map(_without_nan, parts)) if is_side(chunk.file, chunk.leaf) else parts

    def by_file(self, test: Test, file: ParquetFile) -> Ruling:
        """Whether a clause can be TRUE by the bounds of the whole file, for engines with the stage `FILE`."""
        return Ruling(True, "", "the file as a whole is not asked")

    def keys(self, test: Test, claims: Skippable) -> tuple[bytes | None, bytes | None]:
        """The order keys of a part's bounds; see `claims.keys_of`."""
        return keys_of(test, claims)

    def why_no_pages(self, row_group: RowGroup, leaves: Sequence[Leaf]) -> str:
        """Why the engine does not use the page index of a row group if it reads these columns; "" if it does."""
        return ""

    def by_bounds(self, test: Test, claims: Skippable) -> Ruling:
        """Whether a clause can be TRUE by bounds, null counts and NaN counts of a row group or a page."""
        accepts, at = test.accepts, claims.address
        if claims.error:
            return Ruling(True, "", claims.error, address=at)
        nulls = self._by_nulls(test, claims)
        if nulls is not None:
            return nulls
        if isinstance(test.clause, Within):
            return self.by_box(test.clause, claims)
        if not accepts.intervals and not self.nan_accepted(test):
            return Ruling(False, BOUNDS, "no value of the column's type can meet it", address=at)
        if is_float(test.leaf) and claims.nans != 0 and self.nan_accepted(test):
            why = "there are NaNs" if claims.nans else "a NaN may be present, and bounds say nothing of NaN"
            return Ruling(True, BOUNDS, why, claims.range_text(test.leaf), at)
        if not claims.trusted or (claims.low is None and claims.high is None):
            return Ruling(True, "", claims.why or "no bounds", address=at)
        return self._by_range(test, claims)

    def by_box(self, clause: Within, claims: Skippable) -> Ruling:
        """Whether a geometry can meet a shape, by the bounding box that the file declares."""
        at, box = claims.address, claims.box
        if box is None or not is_usable(box):
            why = "no bounding box" if box is None else "its bounding box has sides that are not numbers or in order"
            return Ruling(True, "", why, address=at)
        shown = box_text(box)
        if are_apart(box, clause.box):
            return Ruling(False, BOUNDS, f"its box {shown} is apart from the shape's", shown, at)
        return Ruling(True, BOUNDS, f"its box {shown} overlaps the shape's", shown, at)

    def _by_nulls(self, test: Test, claims: Skippable) -> Ruling | None:
        """A ruling by null counts; None if they decide nothing, or the bounds must be asked."""
        accepts, at = test.accepts, claims.address
        if not accepts.null:
            if claims.only_nulls and not claims.elsewhere:
                return Ruling(False, NULLS, "there are only nulls", "nulls only", at)
            return None
        if accepts.intervals or self.nan_accepted(test):
            if claims.nulls == 0:
                return None
            return Ruling(True, NULLS, "nulls meet it, and there may be nulls", address=at)
        if test.repeated or claims.elsewhere:
            return Ruling(True, "", "null counts of this column do not count rows", address=at)
        if claims.nulls == 0:
            return Ruling(False, NULLS, "there are no nulls", "null_count 0", at)
        if claims.nulls is None:
            return Ruling(True, "", "the file does not count nulls here", address=at)
        every = claims.only_nulls and accepts.exact
        text = f"{claims.nulls:,} null{'s' if claims.nulls > 1 else ''}"
        return Ruling(True, NULLS, f"there are {text}", text, at, every=every)

    def _by_range(self, test: Test, claims: Skippable) -> Ruling:
        accepts, at = test.accepts, claims.address
        try:
            low, high = self.keys(test, claims)
        except ParquetError as error:
            return Ruling(True, "", error.message, address=at)
        shown = claims.range_text(test.leaf)
        if low is None and high is None:
            return Ruling(True, "", "the bounds have no position in the column's order", shown, at)
        if accepts.may(low, high):
            every = low is not None and high is not None and accepts.surely(low, high)
            every = every and claims.nulls == 0 and not test.repeated and not claims.elsewhere
            every = every and (not is_float(test.leaf) or claims.nans == 0)
            words = "is inside what it asks for" if every else "overlaps what it asks for"
            return Ruling(True, BOUNDS, f"the range {shown} {words}", shown, at, every=every)
        return Ruling(False, BOUNDS, self._outside(test, claims, low, high), shown, at)

    def _outside(self, test: Test, claims: Skippable, low: bytes | None, high: bytes | None) -> str:
        """Why no value from `low` to `high` is accepted, in words."""
        if high is not None and not test.accepts.may(None, high):
            return f"the max {text_of(test.leaf, claims.high)} is too small"
        if low is not None and not test.accepts.may(low, None):
            return f"the min {text_of(test.leaf, claims.low)} is too large"
        return f"the range {claims.range_text(test.leaf)} lies between the values that it asks for"

    def why_no_bloom(self, test: Test, chunk: ColumnChunk) -> str:
        """Why the chunk's Bloom filter is not asked about a clause, by the footer alone; "" if it is."""
        if chunk.metadata.bloom_filter_offset is None:
            return "there is no Bloom filter"
        if test.accepts.points is None or test.accepts.null or self.nan_accepted(test):
            return "a Bloom filter answers = and IN only"
        doubt = chunk_doubt(chunk)
        return WHY[doubt] if doubt else ""

    def by_bloom(self, test: Test, chunk: ColumnChunk) -> Ruling:
        """Whether a clause can be TRUE by the chunk's Bloom filter. Raises ParquetError if the filter is damaged."""
        points = test.accepts.points or ()
        at = Address.of(chunk.address, "bloom_filter")
        why = self.why_no_bloom(test, chunk)
        if why:
            there = chunk.metadata.bloom_filter_offset is not None
            return Ruling(True, "", why, address=at if there else chunk.address)
        bloom = chunk.bloom_filter
        assert bloom is not None
        answers = [(plain, bloom.look_up(plain)) for plain in points]
        hit = next((plain for plain, one in answers if one.hit), None)
        if hit is not None:
            found = text_of(test.leaf, hit)
            return Ruling(True, BLOOM, f"the Bloom filter says perhaps for {found}", address=at)
        # parquet-java 1.17 writes empty filters for BOOLEAN columns. Look at all of it only if the blocks are empty.
        blank = not self.empty_filters and not any(any(one.words) for _, one in answers)
        if blank and not np.frombuffer(bloom.bitset, np.uint8).any():
            why = "the Bloom filter is empty, and a writer that adds no values leaves it so"
            return Ruling(True, "", why, address=at)
        what = "the value is not" if len(points) == 1 else f"none of the {len(points):,} values is"
        return Ruling(False, BLOOM, f"{what} in the Bloom filter", address=at)

    def why_no_dictionary(self, test: Test, chunk: ColumnChunk) -> str:
        """Why the chunk's dictionary is not asked about a clause, by the footer alone; "" if it is."""
        why = dictionary_only(chunk)
        if why:
            return why
        doubt = chunk_doubt(chunk)
        if doubt:
            return WHY[doubt]
        return "a dictionary says nothing of nulls" if test.accepts.null else ""

    def by_dictionary(self, test: Test, chunk: ColumnChunk) -> Ruling:
        """Whether a clause can be TRUE by the chunk's dictionary, if every data page uses it.

        Raises ParquetError if the dictionary is damaged.
        """
        at = chunk.address
        why = self.why_no_dictionary(test, chunk)
        if why:
            return Ruling(True, "", why, address=at)
        page = chunk.dictionary_page
        if page is None:
            return Ruling(True, "", "there is no dictionary page", address=at)
        from pqexplore.insight.ask.matching import accepted

        mask = accepted(test, page.values, self.nan_largest)
        entries = f"{len(mask):,} entr{'y' if len(mask) == 1 else 'ies'}"
        if mask.any():
            return Ruling(
                True, DICTIONARY, f"{int(mask.sum()):,} of {entries} of the dictionary meet it", entries, page.address
            )
        return Ruling(False, DICTIONARY, f"none of {entries} of the dictionary meets it", entries, page.address)

    def requests(self, spans: Iterable[Span]) -> list[Span]:
        """The requests that read these spans of the file: joined over small gaps, divided if too long."""
        made: list[Span] = []
        for span in sorted((s for s in spans if s.space == FILE and s.end > s.start), key=lambda s: s.start):
            if made and span.start <= made[-1].end + self.gap:
                made[-1] = Span(made[-1].start, max(made[-1].end, span.end))
            else:
                made.append(span)
        if not self.longest:
            return made
        return [
            Span(start, min(start + self.longest, span.end))
            for span in made
            for start in range(span.start, span.end, self.longest)
        ]

    def planning_requests(self, spans: Iterable[Span]) -> list[Span]:
        """The requests that read filters, dictionaries and indexes."""
        return self.requests(spans)

    def least_and_most(
        self, file: ParquetFile, data: Sequence[Piece], asked: Set[int], planned: int
    ) -> tuple[int, int]:
        """The bytes between which the engine reads the data of a request's row groups; `planned` are those of its requests.

        `asked` are the leaves of the condition.
        """
        return planned, planned

    def footer_requests(self, size: int, footer_start: int) -> list[Span]:
        """The requests that read the footer of a file of `size` bytes: those at its end, and what was missed."""
        guess = max(0, size - max(8, self.footer_guess))
        found = [Span(guess, size)]
        if footer_start < guess:
            found.append(Span(footer_start, guess if self.footer_guess > 8 else size - 8))
        return found


ENGINE = Engine()


def _without_nan(part: Skippable) -> Skippable:
    """A part whose NaNs are not counted, with none."""
    return dataclasses.replace(part, nans=0) if part.nans is None else part


# Compares the bounding box of a column's geometries with the box around a shape.


def is_usable(box: Box) -> bool:
    """Whether a declared box can rule anything out: its sides are numbers, and only x wraps around."""
    return not any(map(math.isnan, (box.xmin, box.xmax, box.ymin, box.ymax))) and box.ymin <= box.ymax


def are_apart(box: Box, shape: tuple[float, float, float, float]) -> bool:
    """Whether no point is in both: a declared box, and (xmin, ymin, xmax, ymax) around a shape."""
    xmin, ymin, xmax, ymax = shape
    if ymax < box.ymin or ymin > box.ymax:
        return True
    if box.wraps:  # x ≥ xmin or x ≤ xmax
        return xmax < box.xmin and xmin > box.xmax
    return xmax < box.xmin or xmin > box.xmax


def box_text(box: Box) -> str:
    """`x 5 … 10, y 50 … 60`; `x ≥ 170 or x ≤ -170` if it wraps around."""
    if box.wraps:
        return f"x ≥ {box.xmin:g} or x ≤ {box.xmax:g}, y {box.ymin:g} … {box.ymax:g}"
    return f"x {box.xmin:g} … {box.xmax:g}, y {box.ymin:g} … {box.ymax:g}"
