"""Rows as values: a Variant as JSON, a geometry as WKT, a leaf inside lists as the list of its entries."""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pqexplore.engine.address import Address
from pqexplore.engine.errors import LimitExceededError, ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.row_group import row_starts
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.value_text import format_value
from pqexplore.engine.format.variant.json_text import to_json
from pqexplore.engine.format.variant.reconstruct import reconstruct
from pqexplore.insight.across.scope import Scope
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses.variant import open_row
from pqexplore.insight.lenses.variant.stored_bytes import Variants, load
from pqexplore.insight.row_pages import by_group
from pqexplore.insight.row_values import column_values
from pqexplore.insight.wording import plural

ROWS = 1_000
"""Rows of the table."""

COLUMNS = 200
"""Columns of the table."""

GEOMETRIES = ("GEOMETRY", "GEOGRAPHY")

Values = Callable[[int, int], list[Any]]
"""The values of the file's rows `[start, stop)`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Shown:
    """A column of the table: a leaf, or a Variant."""

    field: Field
    values: Values

    @property
    def name(self) -> str:
        """The dotted path."""
        return ".".join(self.field.path)


def over(scope: Scope) -> Answer:
    """The first rows of some columns. A column that cannot be read has the reason in place of each value."""
    file, starts = scope.file, row_starts(scope.file)
    if not scope.groups:
        return Answer("The file has no row groups, so it has no rows.")
    first, stop = starts[scope.groups[0]], starts[scope.groups[-1] + 1]
    count = min(ROWS, stop - first)
    taken = {"row", "address", "span"}
    columns = [Column("row", "row", "number", "number of the row in the file")]
    data: list[list[Any]] = []
    shown = list(columns_of(file, scope.leaves[:COLUMNS]))
    for one in shown:
        number = one.field.leaves()[0].leaf_index
        name = one.name if one.name not in taken else f"{one.name} [{number}]"
        taken.add(name)
        columns.append(Column(name, one.name))
        data.append(one.values(first, first + count))
    table = Table(columns, "The first rows", total=stop - first)
    for row in range(first, first + count):
        group = bisect.bisect_right(starts, row) - 1
        cells = (column[row - first] for column in data)
        table.add(row, *cells, address=Address.of("rows", row) if group >= 0 else None)
    said = f"{plural(stop - first, 'row')}, {plural(len(shown), 'column')}."
    if len(scope.leaves) > COLUMNS:
        said += f" The first {COLUMNS:,} of {plural(len(scope.leaves), 'column')} are shown."
    return Answer(said, table=table, code="f.read()")


def columns_of(file: ParquetFile, leaves: Sequence[Leaf]) -> Iterator[Shown]:
    """A column for each leaf, but one for all leaves of a Variant that is in no list."""
    seen = set[int]()
    for leaf in leaves:
        variant = _variant(leaf)
        if variant is None:
            yield Shown(leaf, _of_leaf(file, leaf))
        elif variant.index not in seen:
            seen.add(variant.index)
            yield Shown(variant, _of_variant(file, variant))


def _variant(leaf: Leaf) -> Field | None:
    """The Variant that a leaf is part of; None if it is of none, or of one inside lists."""
    field: Field | None = leaf
    while field is not None and field.kind != "variant":
        field = field.parent
    return None if field is None or field.max_repetition_level else field


def _of_leaf(file: ParquetFile, leaf: Leaf) -> Values:
    def values(start: int, stop: int) -> list[Any]:
        found = column_values(file, leaf.leaf_index, start, stop)
        if meaning(leaf).name not in GEOMETRIES:
            return found
        return [_wkt(leaf, one) for one in found]

    return values


def _wkt(leaf: Leaf, value: Any) -> Any:
    """A geometry, or a list of them, as WKT; other values, such as the reason of an error, as they are."""
    if isinstance(value, list):
        return [_wkt(leaf, one) for one in value]
    return format_value(leaf, value) if isinstance(value, bytes) else value


def _of_variant(file: ParquetFile, field: Field) -> Values:
    def values(start: int, stop: int) -> list[Any]:
        found: list[Any] = []
        for group, low, high in by_group(row_starts(file), start, stop):
            try:
                variants = load(file, field, group)
                found += _json(variants, low, high)
            except LimitExceededError:
                raise
            except ParquetError as error:
                found += [f"not readable: {error.message}"] * (high - low)
        return found

    return values


def _json(variants: Variants, low: int, high: int) -> list[Any]:
    """Variants as JSON, None for null rows; one that is damaged has its error."""
    limits = variants.file.limits
    try:
        whole = reconstruct(variants.array.slice(low, high - low), variants.field, limits=limits)
        pairs = zip(whole.field("metadata").to_pylist(), whole.field("value").to_pylist(), strict=True)
        there = whole.is_valid().to_pylist()
        return [
            to_json(metadata, value, limits=limits) if valid else None
            for (metadata, value), valid in zip(pairs, there, strict=True)
        ]
    except ParquetError:  # one of them is damaged
        opened = (open_row(variants, row) for row in range(low, high))
        return [None if one.null else one.json or f"not readable: {one.problem}" for one in opened]
