"""What the levels of a column say: how many rows, how many lists in them, what is missing and where.

A column inside lists and optional groups stores no nesting, only two small numbers beside each value. Counted by what
they mean in the schema, they tell how long lists are and where nulls come from, without a value being decoded.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from pqexplore.engine.chunk import ColumnChunk
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.nesting.levels import name_levels
from pqexplore.engine.page import Page
from pqexplore.engine.schema import OPTIONAL, REPEATED, Field, Leaf
from pqexplore.engine.tree import join
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.records import levels, steps

STEPS = 40
"""Steps that are told at once."""

PAGES = 2_000
"""Data pages of a chunk that a picture names."""

NODES = 60
"""Fields of the path to a leaf that are drawn; of a deeper one those that count for levels, and then the last."""

NAME = 160
"""Characters of the name of a level."""

_NO_LEVELS = (
    "Every field on the path to {name} is required: nothing can be missing and nothing repeats. So the column has no "
    "levels, and each row is one value. A writer stores levels for optional fields and lists, which most writers make "
    "of every column by default."
)


@dataclasses.dataclass(slots=True)
class Counts:
    """How often each level occurs, by level, in `pages` data pages; `problems` are of pages that cannot be read."""

    definition: np.ndarray[Any, Any]
    repetition: np.ndarray[Any, Any]
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


def of_page(page: Page, entry: int = 0) -> Answer:
    """The levels of one data page; `entry` is the one to begin with."""
    leaf = page.chunk.leaf
    if not page.is_data:
        said = "A dictionary page has values and no levels: which row has which value, and which has none, is in the data pages."
        return Answer(said, empty=said, code=f"f.node({page.address!r}).facts")
    counts = _none(leaf)
    _count(counts, page)
    return _answer(page.chunk, page, counts, entry, f"f.node({page.address!r})", _told_of(page))


def of_chunk(chunk: ColumnChunk, before: str = "") -> Generator[float, None, Answer]:
    """The levels of all data pages of a column chunk, and the steps through the first of them."""
    counts = _none(chunk.leaf)
    first: Page | None = None
    pages = chunk.pages
    for number in range(len(pages)):
        try:
            page = pages[number]
            if page.is_data:
                _count(counts, page)
                first = first or page
        except ParquetError as error:
            counts.problems.append(error)
        yield (number + 1) / len(pages)
    damage = getattr(pages, "error", None)  # what ended the walk through the pages before its time
    if damage is not None:
        counts.problems.append(damage)
    told = chunk.metadata.size_statistics
    histograms = (None, None)
    if told is not None:
        histograms = (told.definition_level_histogram, told.repetition_level_histogram)
    made = _answer(chunk, first, counts, 0, f"f.node({chunk.address!r})", histograms)
    made.sentence = before + made.sentence
    return made


def of_leaf(file: Any, leaf: Leaf) -> Generator[float, None, Answer]:
    """The levels of a column, in the first row group that has entries of it."""
    groups = file.row_groups
    for group in groups:
        chunk = group.columns[leaf.leaf_index]
        if chunk.num_values:
            before = "" if len(groups) == 1 else f"In row group {group.index} of {len(groups):,}: "
            return (yield from of_chunk(chunk, before))
    what = "no row groups" if not len(groups) else "no entries in any row group"
    said = f"The file has {what}, so there are no levels to walk."
    return Answer(said, picture=_picture(leaf), empty=said, code=f"f.node('schema/{leaf.index}')")


def _none(leaf: Leaf) -> Counts:
    sizes = (leaf.max_definition_level + 1, leaf.max_repetition_level + 1)
    definition, repetition = (np.zeros(size, np.int64) for size in sizes)
    return Counts(definition, repetition)


def _count(counts: Counts, page: Page) -> None:
    repetition, definition = levels(page)
    for total, found in ((counts.definition, definition), (counts.repetition, repetition)):
        total += np.bincount(found, minlength=len(total))
    counts.pages += 1


def _told_of(page: Page) -> tuple[Sequence[int] | None, Sequence[int] | None]:
    """The histograms that the column index has of a page: definition, repetition."""
    try:
        index = page.chunk.column_index
    except ParquetError:
        index = None
    if index is None:
        return None, None
    number = sum(1 for one in page.chunk.pages[: page.index] if one.is_data)
    leaf = page.chunk.leaf
    found = []
    for name, most in (
        ("definition", leaf.max_definition_level),
        ("repetition", leaf.max_repetition_level),
    ):
        all_pages = getattr(index, f"{name}_level_histograms")
        part = (all_pages or ())[number * (most + 1) : (number + 1) * (most + 1)]
        found.append(list(part) if len(part) == most + 1 else None)
    return found[0], found[1]


def _answer(
    chunk: ColumnChunk,
    page: Page | None,
    counts: Counts,
    entry: int,
    code: str,
    told: tuple[Sequence[int] | None, Sequence[int] | None],
) -> Answer:
    leaf = chunk.leaf
    if not leaf.max_definition_level and not leaf.max_repetition_level:
        said = _NO_LEVELS.format(name=".".join(leaf.path))
        return Answer(said, empty=said, code=code)
    said = sentence(leaf, counts)
    table = _table(chunk, page, counts, told)
    if page is None:
        if counts.problems:
            raise counts.problems[0]
        empty = "The column chunk has no data pages."
        return Answer(empty, picture=_picture(leaf), table=table, empty=empty, code=code)
    picture = _picture(leaf)
    picture["page"] = page.address
    picture["entries"] = page.num_values
    picture["step"] = STEPS
    picture["selected"] = entry
    picture["pages"] = _pages(chunk)
    picture["first"] = told_steps(page, entry - entry % STEPS)
    return Answer(said, picture=picture, table=table, code=code)


def _pages(chunk: ColumnChunk) -> list[str]:
    """The addresses of the data pages, `PAGES` at the most."""
    pages, found = chunk.pages, list[str]()
    for number in range(len(pages)):
        with contextlib.suppress(ParquetError):
            if pages[number].is_data:
                found.append(pages[number].address)
        if len(found) == PAGES:
            break
    return found


def told_steps(page: Page, start: int) -> dict[str, Any]:
    """`STEPS` steps of a page from the one at `start`, as JSON."""
    return {
        "start": start,
        "steps": [
            {"sentence": step.sentence, "lines": [list(line) for line in step.lines]}
            for step in steps(page, start, STEPS)
        ],
    }


def _picture(leaf: Leaf) -> dict[str, Any]:
    """The way from the root to the leaf, and what its levels mean."""
    fields: list[Field] = []
    field: Field | None = leaf
    while field is not None and field.parent is not None:
        fields.append(field)
        field = field.parent
    fields.reverse()
    if len(fields) > NODES:
        fields = [one for one in fields if one.repetition or one is leaf][-NODES:]
    definitions, repetitions = name_levels(leaf)
    words = {OPTIONAL: "optional", REPEATED: "repeated"}
    return {
        "column": _short(".".join(leaf.path)),
        "ladder": [
            {
                "name": _short(one.name),
                "repetition": words.get(one.repetition, "required"),
                "kind": one.kind,
                "definition_level": one.max_definition_level,
                "repetition_level": one.max_repetition_level,
                "address": join("schema", one.index),
            }
            for one in fields
        ],
        "max_definition_level": leaf.max_definition_level,
        "max_repetition_level": leaf.max_repetition_level,
        "definitions": [_short(name) for name in definitions],
        "repetitions": [_short(name) for name in repetitions],
    }


def _short(text: str) -> str:
    return text if len(text) <= NAME else f"…{text[-NAME:]}"


def sentence(leaf: Leaf, counts: Counts) -> str:
    """What the levels say in all: rows, values, and each thing that is missing."""
    entries, rows, values = counts.entries, counts.rows, int(counts.definition[-1])
    if leaf.max_repetition_level:
        said = f"Of {_count_of(entries, 'entry', 'entries')} {rows:,} begin{'s' if rows == 1 else ''} a row and "
        said += f"{entries - rows:,} go on with a list; {values:,} hold{'s' if values == 1 else ''} a value"
    else:
        said = f"{_count_of(entries, 'entry', 'entries')}, one a row: {values:,} hold{'s' if values == 1 else ''} a value"
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
    """What is null or empty, with how often, by level."""
    fields: list[Field] = []
    field: Field | None = leaf
    while field is not None and field.parent is not None:
        if field.repetition:
            fields.append(field)
        field = field.parent
    fields.reverse()
    names = name_levels(leaf)[0]
    found = []
    for level, field in enumerate(fields):
        count = int(counts.definition[level])
        if not count:
            continue
        name, _, what = names[level].rpartition(" is ")
        within = field.max_repetition_level - (field.repetition == REPEATED)
        if within:
            found.append(f"{'once' if count == 1 else f'{count:,} times'} {name!r} is {what}")
        elif what == "empty":
            found.append(f"{_count_of(count, 'row has', 'rows have')} an empty {name!r}")
        else:
            found.append(f"{_count_of(count, 'row has', 'rows have')} no {name!r}")
    return found


def _count_of(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _table(
    chunk: ColumnChunk,
    page: Page | None,
    counts: Counts,
    told: tuple[Sequence[int] | None, Sequence[int] | None],
) -> Table:
    """The histograms, each level with its name; beside them what the file says of them."""
    leaf = chunk.leaf
    whose = "the column index" if page is not None and told[0] is not None else "size statistics"
    columns = [
        Column("level_kind", "level", meaning="repetition or definition"),
        Column("level", "is", "number"),
        Column("means", "means", meaning="what the level says in this schema"),
        Column("entries", "entries", "number", "how many entries have it"),
        Column("share", "share", "share", "of all entries"),
        Column("told", "the file says", "number", f"what {whose} tell, where they do"),
    ]
    table = Table(columns, "How often each level occurs")
    where = page.address if page is not None else chunk.address
    definitions, repetitions = name_levels(leaf)
    for kind, names, found, says in (
        ("repetition", repetitions, counts.repetition, told[1]),
        ("definition", definitions, counts.definition, told[0]),
    ):
        if len(names) < 2:
            continue
        span = None
        if page is not None:
            try:
                span = page.body.section(f"{kind}_levels").span
            except (ParquetError, LookupError):
                span = None
        for level, name in enumerate(names):
            count = int(found[level])
            stated = says[level] if says is not None and level < len(says) else None
            table.add(
                kind,
                level,
                _short(name),
                count,
                count / max(1, counts.entries),
                stated,
                address=join(where, f"{kind}_levels") if page is not None else None,
                span=span,
            )
    return table
