"""What the text of an answer has beside its picture: entries of a page, rows, Variants as JSON, statistics as stored."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.variant.shape import variant_around
from pqexplore.engine.tree.at import chunk_at, page_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.across import encoding_steps, page_entries, rows, statistics
from pqexplore.insight.across.scope import Scope, scope_of
from pqexplore.insight.answer import Answer, Table
from pqexplore.insight.lenses import bloom
from pqexplore.insight.lenses import page as page_lens


def entries(file: ParquetFile, node: Node, made: Answer) -> Answer:
    """An entry a row: its levels, their meaning, its value; the selected one only, if one is."""
    page = page_at(file, node.address)
    picture = made.picture
    if not isinstance(picture, page_lens.Picture):
        return made
    first, stop = 0, page.num_values
    if picture.selected is not None:
        first, stop = picture.selected, picture.selected + 1
    table = Table(page_entries.ENTRIES, "Entries", total=stop - first)
    page_entries.add_entries(table, (), page, first, min(stop, first + page_entries.LISTED))
    return dataclasses.replace(made, table=table)


def filled(file: ParquetFile, node: Node, made: Answer) -> Answer:
    """With the bits that are set, in the sentence."""
    picture = made.picture
    if not isinstance(picture, bloom.Picture):
        return made
    said = f" {picture.bits_set:,} of its {picture.bits:,} bits are set."
    return dataclasses.replace(made, sentence=made.sentence + said)


def dictionary(file: ParquetFile, node: Node, made: Answer) -> Answer:
    """With what the page header says about the order of the entries, in the sentence."""
    page = chunk_at(file, node.address).dictionary_page
    header = None if page is None else page.header.dictionary_page_header
    if header is None or header.is_sorted is None:
        return made
    said = "are sorted" if header.is_sorted else "need not be sorted"
    return dataclasses.replace(made, sentence=f"{made.sentence} By the page header the entries {said} (is_sorted).")  # fmt: skip


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
    return dataclasses.replace(made, table=rows.over(Scope(file, scope.groups, leaves)).table if leaves else None)


def _shares_variant(leaf: Leaf, leaves: Sequence[Leaf]) -> bool:
    around = variant_around(leaf)
    return around is not None and any(variant_around(one) is around for one in leaves)


BESIDE: dict[str, Callable[[ParquetFile, Node, Answer], Answer]] = {
    "statistics": statistics.of_column,
    "bloom": filled,
    "dictionary": dictionary,
    "encoding": encoding_steps.with_numbers,
    "page": entries,
    "rows": first_rows,
    "variant": variants,
}
"""What completes the answer of a lens where it applies, by its name."""
