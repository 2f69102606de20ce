"""Groups pages to column chunks, and column chunks to row groups.

A footer that was found says where each chunk begins (`by_footer`). A schema gives the order of the columns; all chunks
of a row group have the same number of rows, which shows where a chunk ends (`BySchema`). With neither, the pages alone
decide: see `guessing`.
"""

from __future__ import annotations

import dataclasses

from pqexplore.engine.address import Address
from pqexplore.engine.file.source import Source
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.limits import Limits
from pqexplore.engine.salvage.fit import Fit, believed_codec, fit
from pqexplore.engine.salvage.prove import SalvagedPage
from pqexplore.engine.text import printable

CANDIDATES = 64
"""Row counts that are tried for a row group."""


@dataclasses.dataclass
class SalvagedChunk:
    """The pages of one column in one row group that were found.

    `row_group` and `column` are None if they are unknown. `complete`: all rows of the row group were found; `reason`
    says why not. `codec` decompresses all pages; None if no codec does.
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
        """The byte offset at which the first page begins."""
        return self.pages[0].start

    @property
    def end(self) -> int:
        """The byte offset at which the last page ends."""
        return self.pages[-1].end

    @property
    def num_values(self) -> int:
        """Values of all data pages, nulls included."""
        return sum(page.num_values for page in self.pages if page.frame.is_data)

    def __repr__(self) -> str:
        address = "of an unknown column"
        if self.row_group is not None and self.column is not None:
            address = Address.of("row_groups", self.row_group, "columns", self.column)
        state = "complete" if self.complete else self.reason
        return printable(f"<chunk {address}: {len(self.pages)} pages, {self.rows:,} rows, {state}>")


def by_footer(pages: list[SalvagedPage], metadata: structs.FileMetaData, leaves: list[Leaf]) -> list[SalvagedChunk]:
    """The chunks at the offsets that the row groups of a FileMetaData give.

    Chunks belong to leaves by position; by path if a row group has more or fewer chunks than there are leaves.
    """
    starts = {page.start: index for index, page in enumerate(pages)}
    chunks = []
    for number, group in enumerate(metadata.row_groups or ()):
        columns = group.columns or ()
        by_position = len(columns) == len(leaves)
        by_path = {} if by_position else {leaf.path: leaf.leaf_index for leaf in leaves}
        for position, chunk in enumerate(columns):
            inner = chunk.meta_data
            if inner is None or structs.missing(inner):
                continue
            chunk_pages = _pages_of(pages, starts.get(_first_page(inner)), inner.num_values)
            if chunk_pages:
                column = position if by_position else by_path.pop(tuple(inner.path_in_schema), None)
                chunks.append(_chunk(chunk_pages, inner, number, column, group.num_rows))
    return chunks


def _first_page(metadata: structs.ColumnMetaData) -> int:
    """The offset of the dictionary page if one comes before the data pages, else of the first of these."""
    first = metadata.data_page_offset
    dictionary = metadata.dictionary_page_offset
    return dictionary if dictionary and 0 < dictionary < first else first


def _pages_of(pages: list[SalvagedPage], index: int | None, values: int) -> list[SalvagedPage]:
    """The pages from the one at `index` that lie back to back and can be used, until they have so many values."""
    found: list[SalvagedPage] = []
    seen = 0
    while index is not None and index < len(pages) and seen < values:
        page = pages[index]
        if (found and page.start != found[-1].end) or not page.usable:
            break
        found.append(page)
        seen += page.num_values if page.frame.is_data else 0
        index += 1
    return found


def _chunk(
    pages: list[SalvagedPage], metadata: structs.ColumnMetaData, group: int, column: int | None, rows: int | None
) -> SalvagedChunk:
    """A chunk of these pages, and why it is not complete."""
    salvaged = SalvagedChunk(pages, group, column, max(0, rows or 0), believed_codec(pages))
    if metadata.codec in frozenset.intersection(*(page.codecs for page in pages)):
        salvaged.codec = metadata.codec
    seen = salvaged.num_values
    if seen != metadata.num_values or salvaged.codec is None:
        salvaged.reason = f"{seen:,} of its {metadata.num_values:,} values were found"
    elif rows is None or rows < 0:
        salvaged.reason = f"the num_rows of its row group is {'missing' if rows is None else f'{rows:,}'}"
    elif column is None:
        salvaged.reason = f"the schema has no column {'.'.join(metadata.path_in_schema)} for it"
    salvaged.complete = not salvaged.reason
    return salvaged


class BySchema:
    """Groups pages by a schema: by the leaf that each page fits, and by equal row counts."""

    def __init__(self, source: Source, pages: list[SalvagedPage], leaves: list[Leaf], limits: Limits) -> None:
        self.source = source
        self.pages = pages
        self.leaves = leaves
        self.limits = limits
        self.findings: list[Finding] = []
        self._fits: dict[tuple[int, int, int], Fit | None] = {}

    def group(self) -> list[SalvagedChunk]:
        """All chunks, also those of an unknown column."""
        groups: list[SalvagedChunk] = []
        at = number = 0
        while at < len(self.pages):
            chunks = self._row_group(at)
            if not chunks:
                end = at + 1
                while end < len(self.pages) and not self._begins(end):
                    end += 1
                reason = "its pages do not fit the column that is expected here"
                groups.append(
                    SalvagedChunk(self.pages[at:end], codec=believed_codec(self.pages[at:end]), reason=reason)
                )
                at = end
                continue
            for column, chunk in enumerate(chunks):
                chunk.row_group, chunk.column = number, column
                at += len(chunk.pages)
            groups += chunks
            number += 1
        return groups

    def _begins(self, index: int) -> bool:
        """Whether a chunk begins at the page for certain: a dictionary page, or pages before it are lost."""
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
                fit(self.source, page, self.leaves[column], codec or 0, entries, self.limits) if usable else None
            )
        return self._fits[key]

    def _row_group(self, at: int) -> list[SalvagedChunk]:
        """The chunks of a row group that begins at page `at`, without lost ones. Empty if none fits."""
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
        # The largest: chunks of many pages are more common than tiny row groups.
        chosen = complete[-1][1]
        if len(complete) > 1 and len(self.leaves) > 1:
            self.findings.append(
                Finding(
                    "ambiguous",
                    "",
                    f"from byte {chosen[0].start:,} on, row groups of {' or '.join(f'{r:,}' for r, _ in complete[:4])} "
                    f"rows fit the pages; {chosen[0].rows:,} was chosen",
                    {"rows": [rows for rows, _ in complete]},
                )
            )
        return chosen

    def _running_rows(self, at: int) -> list[int]:
        """The row counts of the first column if it has one, two, … data pages; none without columns."""
        sums: list[int] = []
        if not self.leaves:
            return sums
        rows, dictionary, index = 0, -1, at
        while index < len(self.pages) and (index == at or not self._begins(index)):
            page = self.pages[index]
            page_fit = self._fit(index, 0, dictionary)
            if page_fit is None:
                break
            if page.is_dictionary:
                dictionary = index
            else:
                rows += page_fit.rows
                if not sums or sums[-1] != rows:
                    sums.append(rows)
            index += 1
        return sums

    def _columns(self, at: int, rows: int) -> list[SalvagedChunk] | None:
        """Chunks of `rows` rows, one for each column, or until the pages end; None if the pages do not fit."""
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
        chunk_pages: list[SalvagedPage] = []
        seen, dictionary, index = 0, -1, at
        while index < len(self.pages):
            page = self.pages[index]
            lost = bool(chunk_pages) and (page.start != chunk_pages[-1].end)
            if seen == rows and chunk_pages and chunk_pages[-1].frame.is_data:
                if lost or page.is_dictionary or page.num_values:
                    break
            elif lost or (chunk_pages and page.is_dictionary):
                return None, True
            page_fit = self._fit(index, column, dictionary)
            if page_fit is None:
                if seen == rows and chunk_pages:
                    break
                return None, True
            if page.is_dictionary:
                dictionary = index
            else:
                seen += page_fit.rows
            if seen > rows:
                return None, True
            chunk_pages.append(page)
            index += 1
        if not chunk_pages:
            return None, False
        codec = believed_codec(chunk_pages)
        chunk = SalvagedChunk(chunk_pages, rows=seen, codec=codec, complete=seen == rows and codec is not None)
        if not chunk.complete:
            chunk.reason = f"{seen:,} of {rows:,} rows were found"
        return chunk, False

    def _cut_first(self, at: int) -> list[SalvagedChunk]:
        """The first column alone, if its pages are all pages that are left."""
        sums = self._running_rows(at)
        if not sums:
            return []
        chunk, problem = self._chunk(at, 0, sums[-1])
        if chunk is None or problem or at + len(chunk.pages) < len(self.pages):
            return []
        chunk.complete = len(self.leaves) == 1 and chunk.complete
        if not chunk.complete:
            chunk.reason = "the columns after it are lost, so it is unknown whether all its rows were found"
        return [chunk]
