"""What the levels of a column say: how many rows, how many lists in them, what is missing and where; and the stepper.

A column inside lists and optional groups stores no nesting, only two small numbers with each value. Their counts,
with the meaning that the schema gives them, show how long lists are and where nulls come from. No value is decoded.
`level_counts` counts levels, `record_steps` builds a
row entry by entry.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Generator, Iterator
from typing import Any, Literal

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.field import OPTIONAL, REPEATED, Leaf
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.engine.tree.at import chunk_at, in_page, page_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Bars
from pqexplore.insight.lenses.lens import Lens, Request
from pqexplore.insight.lenses.nesting.level_counts import (
    Counts,
    Histograms,
    count,
    histograms_of_chunk,
    histograms_of_page,
    no_counts,
    sentence,
    short,
    table,
)
from pqexplore.insight.lenses.nesting.record_steps import AssemblyStep, steps
from pqexplore.insight.lenses.page import COUNT, entry_of
from pqexplore.insight.row_place import path

STEPS = 40
"""Steps in one reply."""

PAGES = 2_000
"""Data pages of a chunk that a picture names."""

NODES = 60
"""Fields of the path to a leaf in the picture. Of a longer path: the last ones that add a level, and the leaf."""

SAVED = 1_000
"""Entries of a page that a saved page keeps."""

IN_PAGES = frozenset({"data_page", "data_page_v2", "repetition_levels", "definition_levels", "level", "value"})

_NO_LEVELS = (
    "Every field on the path to {name} is required: nothing can be missing and nothing repeats. So the column has no "
    "levels, and each row is one value. A writer stores levels for optional fields and lists, which most writers make "
    "of every column by default."
)

_REPETITIONS: dict[int | None, Literal["required", "optional", "repeated"]] = {
    OPTIONAL: "optional",
    REPEATED: "repeated",
}


@dataclasses.dataclass(slots=True)
class Rung:
    """A field on the path to the leaf, with its maximum levels."""

    name: str
    repetition: Literal["required", "optional", "repeated"]
    kind: str
    definition_level: int
    repetition_level: int
    address: str


@dataclasses.dataclass(slots=True)
class StepBlock:
    """Steps through a page from the entry at `start`."""

    start: int
    steps: list[AssemblyStep]


@dataclasses.dataclass(slots=True)
class Walk:
    """The page to step through, `step` entries a reply, from the entry `selected`; `pages` has its neighbours too."""

    page: str
    entries: int
    step: int
    selected: int
    pages: list[str]
    first: StepBlock


@dataclasses.dataclass(slots=True)
class Picture:
    """The path to the leaf, the meaning of its levels, and the page to step through (null if there is none)."""

    column: str
    ladder: list[Rung]
    max_definition_level: int
    max_repetition_level: int
    definitions: list[str]
    repetitions: list[str]
    walk: Walk | None = None


def _applies(node: Node) -> bool:
    """Data pages and what is inside of them, column chunks, and leaves of the schema that have levels."""
    if node.kind == "schema_field":
        facts = {fact.name: fact.value for fact in node.facts}
        return "column" in facts and facts.get("maximum definition level", 0) > 0
    if node.kind == "column_chunk":
        return node.state == "ok"
    return node.kind in IN_PAGES and in_page(node.address) and "/header" not in node.address


def answer(file: ParquetFile, node: Node) -> Answer | Generator[float, None, Answer]:
    """The schema path, the entries, the first steps and the histograms."""
    if node.kind == "schema_field":
        return of_leaf(file, _leaf(file, node))
    if node.kind == "column_chunk":
        return of_chunk(chunk_at(file, node.address))
    page = page_at(file, node.address)
    entry = entry_of(page, node.address) if page.is_data else None
    made = of_page(page, entry or 0)
    if entry is not None and made.picture is not None:
        made.sentence = f"Entry {entry:,} is selected. Its page: {made.sentence}"
    return made


def cost(file: ParquetFile, node: Node) -> int:
    """Bytes of the pages with the levels to count."""
    try:
        if node.kind == "schema_field":
            at = _leaf(file, node).leaf_index
            chunk = next((g.columns[at] for g in file.row_groups if g.columns[at].num_values), None)
            return 0 if chunk is None else int(chunk.metadata.total_uncompressed_size or 0)
        if node.kind == "column_chunk":
            return int(chunk_at(file, node.address).metadata.total_uncompressed_size or 0)
        return int(page_at(file, node.address).header.uncompressed_page_size)
    except ParquetError:
        return 0


def steps_from(file: ParquetFile, address: str, start: int) -> StepBlock:
    """`STEPS` steps through the data page at `address` from the entry at `start`, a multiple of `STEPS`.

    Raises UsageError for another `start` or page, ParquetError if the levels of the page cannot be read.
    """
    page = page_at(file, address)
    if not page.is_data or not 0 <= start <= page.num_values or start % STEPS:
        raise UsageError(f"entry {start:,} is not where {STEPS} steps begin")
    return StepBlock(start, steps(page, start, STEPS))


def saved(picture: dict[str, Any]) -> Iterator[Request]:
    """The first entries and steps of the page in the picture."""
    walk = picture.get("walk")
    if walk is None:
        return
    entries = min(walk["entries"], SAVED)
    for op, each in (("entries", COUNT), ("nesting_steps", STEPS)):
        for start in range(0, entries, each):
            yield op, {"address": walk["page"], "start": start}


def _leaf(file: ParquetFile, node: Node) -> Leaf:
    field = file.schema.fields[int(node.name)]
    if not isinstance(field, Leaf):
        raise UsageError(f"{node.label} is no column")
    return field


def of_page(page: Page, entry: int = 0) -> Answer:
    """The levels of one data page; `entry` is the one to begin with."""
    leaf = page.chunk.leaf
    if not page.is_data:
        said = "A dictionary page has values and no levels: which row has which value, and which has none, is in the data pages."
        return Answer(said, empty=said, code=f"f.node({page.address!r}).facts")
    counts = no_counts(leaf)
    count(counts, page)
    histograms = histograms_of_page(page)
    return _answer(page.chunk, page, counts, entry, f"f.node({page.address!r})", histograms)


def of_chunk(chunk: ColumnChunk, before: str = "") -> Generator[float, None, Answer]:
    """The levels of all data pages of a column chunk, and the steps through the first of them."""
    counts = no_counts(chunk.leaf)
    first: Page | None = None
    pages = chunk.pages
    for number in range(len(pages)):
        if chunk.file.budget.exhausted:
            break
        try:
            page = pages[number]
            if page.is_data:
                count(counts, page)
                first = first or page
        except ParquetError as error:
            counts.problems.append(error)
        yield (number + 1) / len(pages)
    damage = getattr(pages, "error", None)  # the error at which the walk through the pages ended
    if damage is not None:
        counts.problems.append(damage)
    histograms = histograms_of_chunk(chunk)
    found = _answer(chunk, first, counts, 0, f"f.node({chunk.address!r})", histograms)
    found.sentence = before + found.sentence
    return found


def of_leaf(file: ParquetFile, leaf: Leaf) -> Generator[float, None, Answer]:
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


def _answer(
    chunk: ColumnChunk, page: Page | None, counts: Counts, entry: int, code: str, histograms: Histograms
) -> Answer:
    leaf = chunk.leaf
    if not leaf.max_definition_level and not leaf.max_repetition_level:
        said = _NO_LEVELS.format(name=".".join(leaf.path))
        return Answer(said, empty=said, code=code)
    rows = table(leaf, page, counts, histograms)
    picture = _picture(leaf)
    if page is None:
        if counts.problems:
            raise counts.problems[0]
        empty = "The column chunk has no data pages."
        return Answer(empty, picture=picture, table=rows, empty=empty, code=code)
    start = entry - entry % STEPS
    first = StepBlock(start, steps(page, start, STEPS))
    picture.walk = Walk(page.address, page.num_values, STEPS, entry, _pages(chunk), first)
    return Answer(sentence(leaf, counts), picture=picture, table=rows, code=code)


def _pages(chunk: ColumnChunk) -> list[str]:
    """The addresses of the data pages, at most `PAGES`."""
    pages, addresses = chunk.pages, list[str]()
    for number in range(len(pages)):
        with contextlib.suppress(ParquetError):
            if pages[number].is_data:
                addresses.append(pages[number].address)
        if len(addresses) == PAGES:
            break
    return addresses


def _picture(leaf: Leaf) -> Picture:
    """The path from the root to the leaf, and the meaning of its levels."""
    fields = path(leaf)
    if len(fields) > NODES:
        fields = [one for one in fields if one.repetition or one is leaf][-NODES:]
    definitions, repetitions = name_levels(leaf)
    return Picture(
        column=short(".".join(leaf.path)),
        ladder=[
            Rung(
                name=short(one.name),
                repetition=_REPETITIONS.get(one.repetition, "required"),
                kind=one.kind,
                definition_level=one.max_definition_level,
                repetition_level=one.max_repetition_level,
                address=Address.of("schema", one.index),
            )
            for one in fields
        ],
        max_definition_level=leaf.max_definition_level,
        max_repetition_level=leaf.max_repetition_level,
        definitions=[short(name) for name in definitions],
        repetitions=[short(name) for name in repetitions],
    )


def lacking(file: ParquetFile, node: Node) -> str:
    """Why the lens has nothing to show of a column chunk: its column has no levels."""
    if node.kind != "column_chunk":
        return ""
    leaf = chunk_at(file, node.address).leaf
    return "" if leaf.max_definition_level else "this column has no levels"


LENS = Lens(
    "nesting",
    title="Nesting",
    answer=answer,
    kinds=IN_PAGES | {"schema_field", "column_chunk"},
    where=_applies,
    cost=cost,
    lacking=lacking,
    picture=Picture,
    saved=saved,
    operations={"nesting_steps": steps_from},
    figure=(Bars("means", "entries", "entries", "count"),),
    across="chunks",
    value_free=("level_kind", "level", "means", "entries", "share"),
    value_free_sentence=True,
)
