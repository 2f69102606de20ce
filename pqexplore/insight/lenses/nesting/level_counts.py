"""How often each level of a column occurs: counted in the pages, stated by the file, in a sentence and in a table.

Nothing here knows of pictures.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.field import REPEATED, Leaf
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.insight import wording
from pqexplore.insight.answer import Column, Table
from pqexplore.insight.row_place import path
from pqexplore.insight.wording import plural

NAME = 160
"""Characters of the name of a level."""

Array = np.ndarray[Any, np.dtype[Any]]


@dataclasses.dataclass(slots=True)
class Counts:
    """How often each level occurs, by level (int64), in `pages` data pages; `problems` are of pages not readable."""

    definition: Array
    repetition: Array
    pages: int = 0
    problems: list[ParquetError] = dataclasses.field(default_factory=list)

    @property
    def entries(self) -> int:
        """Pairs of levels."""
        return int(self.definition.sum())

    @property
    def rows(self) -> int:
        """Entries that begin a row."""
        return int(self.repetition[0])


@dataclasses.dataclass(slots=True)
class Histograms:
    """How often each level occurs by `source`, a part of the file; None if it does not say."""

    source: str = "size statistics"
    definition: Sequence[int] | None = None
    repetition: Sequence[int] | None = None


def no_counts(leaf: Leaf) -> Counts:
    """Zero for each level of the leaf."""
    sizes = (leaf.max_definition_level + 1, leaf.max_repetition_level + 1)
    definition, repetition = (np.zeros(size, np.int64) for size in sizes)
    return Counts(definition, repetition)


def count(counts: Counts, page: Page) -> None:
    """Add the levels of a data page. Raises ParquetError if they cannot be read."""
    repetition = page.level_counts("repetition_levels")
    definition = page.level_counts("definition_levels")
    for total, found in ((counts.definition, definition), (counts.repetition, repetition)):
        if found is None:
            total[0] += page.num_values
        else:
            total += found
    counts.pages += 1


def histograms_of_page(page: Page) -> Histograms:
    """The histograms of a page in the column index."""
    try:
        index = page.chunk.column_index
    except ParquetError:
        index = None
    if index is None:
        return Histograms()
    number = sum(1 for one in page.chunk.pages[: page.index] if one.is_data)
    leaf = page.chunk.leaf
    return Histograms(
        "the column index",
        _of_nth(index.definition_level_histograms, number, leaf.max_definition_level + 1),
        _of_nth(index.repetition_level_histograms, number, leaf.max_repetition_level + 1),
    )


def histograms_of_chunk(chunk: ColumnChunk) -> Histograms:
    """The histograms of a column chunk in its size statistics."""
    stated = chunk.metadata.size_statistics
    if stated is None:
        return Histograms()
    levels = stated.definition_level_histogram, stated.repetition_level_histogram
    return Histograms("size statistics", *levels)


def _of_nth(all_pages: Sequence[int] | None, number: int, levels: int) -> list[int] | None:
    """The histogram of page `number` from those of all pages; None if it is not there."""
    part = (all_pages or ())[number * levels : (number + 1) * levels]
    return list(part) if len(part) == levels else None


def short(text: str) -> str:
    """A name or a meaning, shortened in its middle if it is long."""
    return wording.middle(text, NAME)


def sentence(leaf: Leaf, counts: Counts) -> str:
    """Rows, values, and each thing that is missing."""
    entries, rows, values = counts.entries, counts.rows, int(counts.definition[-1])
    if leaf.max_repetition_level:
        said = f"Of {plural(entries, 'entry', 'entries')} {rows:,} begin{'s' if rows == 1 else ''} a row and "
        said += f"{entries - rows:,} go on with a list; {values:,} hold{'s' if values == 1 else ''} a value"
    else:
        said = f"{plural(entries, 'entry', 'entries')}, one a row: {values:,} hold{'s' if values == 1 else ''} a value"
    missing = _missing(leaf, counts)
    if missing:
        said += ". Missing: " + ", ".join(missing[:6])
        said += f" and {len(missing) - 6} more kinds" if len(missing) > 6 else ""
    elif leaf.max_definition_level:
        said += ", nothing is missing"
    said += "."
    if leaf.max_repetition_level and rows:
        said += f" Values a row, on average: {values / rows:,.3g}."
    if counts.problems:
        said += f" Not all pages could be read: {counts.problems[0].message}."
    return said


def _missing(leaf: Leaf, counts: Counts) -> list[str]:
    """What is null or empty, and how often, by level."""
    fields = [field for field in path(leaf) if field.repetition]
    names = name_levels(leaf)[0]
    found = []
    for level, field in enumerate(fields):
        count = int(counts.definition[level])
        if not count:
            continue
        name, _, what = names[level].rpartition(" is ")
        within = field.max_repetition_level - (field.repetition == REPEATED)
        if within:
            found.append(f"{'once' if count == 1 else f'{count:,} times'} {wording.name(name)} is {what}")
        elif what == "empty":
            found.append(f"{plural(count, 'row has', 'rows have')} an empty {wording.name(name)}")
        else:
            found.append(f"{plural(count, 'row has', 'rows have')} no {wording.name(name)}")
    return found


def table(leaf: Leaf, page: Page | None, counts: Counts, histograms: Histograms) -> Table:
    """How often each level occurs, with its meaning, and the file's own histograms. Rows lead to the levels of `page`."""
    columns = [
        Column("level_kind", "level", meaning="repetition or definition"),
        Column("level", "is", "number"),
        Column("means", "means", meaning="what the level says in this schema"),
        Column("entries", "entries", "number", "how many entries have it"),
        Column("share", "share", "share", "of all entries"),
        Column("stated", "the file says", "number", f"by {histograms.source}, if the file has them"),
    ]
    rows = Table(columns, "How often each level occurs")
    definitions, repetitions = name_levels(leaf)
    for kind, names, found, stated in (
        ("repetition", repetitions, counts.repetition, histograms.repetition),
        ("definition", definitions, counts.definition, histograms.definition),
    ):
        if len(names) < 2:
            continue
        address, span = None, None
        if page is not None:
            address = Address.of(page.address, f"{kind}_levels")
            with contextlib.suppress(ParquetError, LookupError):
                span = page.body.section(f"{kind}_levels").span
        for level, name in enumerate(names):
            entries = int(found[level])
            rows.add(
                kind,
                level,
                short(name),
                entries,
                entries / max(1, counts.entries),
                stated[level] if stated is not None and level < len(stated) else None,
                address=address,
                span=span,
            )
    return rows
