"""Tables for answers of lenses that show the same as a picture only: entries of a page, rows, Variants as JSON, geometries."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.engine.tree.find import page_at
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.variant_nodes import variant_around
from pqexplore.insight.across import encodings, rows
from pqexplore.insight.across.scope import Scope, scope_of
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses import page as page_lens
from pqexplore.insight.lenses.rows_values import python_values

LISTED = 100_000
"""Entries of a page in its table."""

ENTRIES = (
    Column("entry", "entry", "number", "its number in the page"),
    Column("row", "row", "number", "in the page"),
    Column("repetition", "rep", "number", "repetition level"),
    Column("definition", "def", "number", "definition level"),
    Column("means", "means", meaning="what the definition level says of an entry without a value"),
    Column("index", "value", "number", "the number of its value in the page"),
    Column("logical", "is", meaning="the value in the column's logical type"),
    Column("physical", "stored as", "code"),
)


def entries(file: ParquetFile, node: Node, made: Answer) -> Answer:
    """An entry a row: its levels, their meaning, its value; the selected one only, if one is."""
    page = page_at(file, node.address)
    picture = made.picture
    if not isinstance(picture, page_lens.Picture):
        return made
    first, stop = 0, page.num_values
    if picture.selected is not None:
        first, stop = picture.selected, picture.selected + 1
    table = Table(ENTRIES, "Entries", total=stop - first)
    stop = min(stop, first + LISTED)
    levels = page_lens.levels_of(page, first, stop)
    of_value = levels.value.tolist()
    present = [index for index in of_value if index >= 0]
    low, high = (present[0], present[-1] + 1) if present else (0, 0)
    logical = python_values(page.values_part(low, high))
    physical = python_values(page.physical_part(low, high))
    definitions = name_levels(page.chunk.leaf)[0]
    for at, index in enumerate(of_value):
        level = int(levels.definition[at])
        there = index >= 0
        table.add(
            first + at,
            int(levels.row[at]),
            int(levels.repetition[at]),
            level,
            None if there else definitions[level],
            index if there else None,
            logical[index - low] if there else None,
            physical[index - low] if there else None,
            address=f"{page.address}/values/{index}"
            if there
            else f"{page.address}/definition_levels/{first + at}",
        )
    return dataclasses.replace(made, table=table)


def first_rows(file: ParquetFile, node: Node, made: Answer) -> Answer:
    """The first rows as values."""
    scope = scope_of(file, node)
    return made if scope is None else dataclasses.replace(made, table=rows.over(scope).table)


def variants(file: ParquetFile, node: Node, made: Answer) -> Answer:
    """Variants that are not shredded as JSON; the table of shredded ones is about the shredding."""
    scope = scope_of(file, node)
    if made.table is not None or scope is None:
        return made
    leaves = [leaf for leaf in scope.file.schema.leaves if _shares_variant(leaf, scope.leaves)]
    return dataclasses.replace(
        made, table=rows.over(Scope(file, scope.groups, leaves)).table if leaves else None
    )


def _shares_variant(leaf: Leaf, leaves: Sequence[Leaf]) -> bool:
    around = variant_around(leaf)
    return around is not None and any(variant_around(one) is around for one in leaves)


BESIDE: dict[str, Callable[[ParquetFile, Node, Answer], Answer]] = {
    "encoding": encodings.with_numbers,
    "page": entries,
    "rows": first_rows,
    "variant": variants,
}
"""What makes the table of an answer, by the name of its lens."""
