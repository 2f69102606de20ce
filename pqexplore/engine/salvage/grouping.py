"""Pages to column chunks, column chunks to row groups.

Three ways, by what is known. A footer that was found says where each chunk lies. A schema says which columns follow
one another; each has as many rows as the others of its row group, which shows where a chunk ends. With neither, the
pages must speak for themselves: a dictionary page begins a chunk, and so does another type of values.
"""

from __future__ import annotations

import dataclasses

from pqexplore.engine.limits import Limits
from pqexplore.engine.salvage.fit import Fit, believed_codec, fit
from pqexplore.engine.salvage.prove import SalvagedPage
from pqexplore.engine.schema import Leaf
from pqexplore.engine.source import Source
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Finding

CANDIDATES = 64
"""Numbers of rows that are tried for a row group."""


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
        chosen = complete[-1][
            1
        ]  # writers make many pages of a chunk more often than tiny row groups
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
