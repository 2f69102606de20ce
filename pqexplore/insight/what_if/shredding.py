"""Savings by Variant shredding: the fields that are frequent enough for columns of their own, and what the column then takes.

The fields and their types are proposed from the first values, by frequency (`engine.format.variant.proposal`). The column
is then written twice, alike but for the shredding; what it takes today may be due to another writer.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format.field import REQUIRED
from pqexplore.engine.format.variant.proposal import propose_schema
from pqexplore.engine.text import clip
from pqexplore.engine.writer.file import plan
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.rewriting import own_codec
from pqexplore.insight.doctor.rules.types import SAVED_SHARE
from pqexplore.insight.what_if.estimate import Estimate, by_ratio, spread
from pqexplore.insight.what_if.saving import Kind, Saving, Steps
from pqexplore.insight.wording import listing, name, size

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Field
    from pqexplore.insight.what_if.budget import Clock
    from pqexplore.insight.what_if.column import ColumnTrial

ROWS = 20_000
"""Rows of a row group that are written: to shred a value takes some microseconds for each of its fields."""


def shredding(file: ParquetFile, columns: tuple[ColumnTrial, ...], clock: Clock) -> Steps:
    """Finds the VARIANT columns at the top of the schema that are not shredded, and would take fewer bytes if they were."""
    tried = {one.leaf.path for one in columns}
    found: list[Saving] = []
    for field in file.schema.root.children:
        whole = {child.name for child in field.children} == {"metadata", "value"}
        if field.kind == "variant" and whole and (field.name, "value") in tried:
            found += yield from _of(file, field, clock)
    return found


def _of(file: ParquetFile, field: Field, clock: Clock) -> Generator[float, None, list[Saving]]:
    leaves = [leaf.leaf_index for leaf in field.leaves()]
    try:
        today = [float(sum(len(group.columns[at].span) for at in leaves)) for group in file.row_groups]
    except ParquetError:
        return []
    whole: dict[int, Estimate] = {}
    apart: dict[int, Estimate] = {}
    kind: pa.DataType | None = None
    rows = 0
    try:
        for at in spread(len(today)):
            group = file.row_groups[at]
            if not group.num_rows:
                whole[at] = apart[at] = Estimate(today[at])
                continue
            if clock.left <= 0 or not clock.spend(int(today[at])):
                break
            codec = own_codec(group.columns[leaves[-1]])
            table = _table(file, field, at)
            kind = kind or propose_schema(table.column(0).combine_chunks())
            if pa.types.is_null(kind):
                return []
            rows += table.num_rows
            sizes = [_size(table, codec, given) for given in (None, kind)]
            for made, measured in zip(sizes, (whole, apart), strict=True):
                measured[at] = Estimate(float(made))
                if table.num_rows < group.num_rows:
                    measured[at] = Estimate(made * group.num_rows / table.num_rows, None)
            yield clock.done
    except (ParquetError, UsageError):
        return []
    if kind is None:
        return []
    return [*_saving(file, field, kind, rows, today, by_ratio(today, whole), by_ratio(today, apart))]  # fmt: skip


def _table(file: ParquetFile, field: Field, at: int) -> pa.Table:
    """The first rows of a row group's Variants."""
    read = file.read(columns=[field.path], row_groups=[at]).slice(0, ROWS)
    nullable = field.repetition != REQUIRED
    return read.cast(pa.schema([pa.field(field.name, read.schema.types[0], nullable)]))


def _size(table: pa.Table, codec: str, kind: pa.DataType | None) -> int:
    """The bytes of the column's chunks, shredded as `kind` if it is given."""
    column = {"logical_type": "VARIANT", "shredding": kind}
    options = WriteOptions(codec=codec, columns={(table.column_names[0],): column})
    return sum(chunk.compressed for chunk in plan(table, options).chunks)


def _saving(
    file: ParquetFile, field: Field, kind: pa.DataType, rows: int, today: list[float], whole: Estimate, apart: Estimate
) -> Iterator[Saving]:
    if apart.total > whole.total * (1 - SAVED_SHARE):
        return
    about = "about " if apart.sampled else ""
    paths = [clip(path, 40) for path in _paths(kind, "")]
    looked = "all" if rows == file.num_rows else f"{rows:,} of {file.num_rows:,}"
    yield Saving(
        Kind.SHREDDING,
        field.name,
        f"shredded by {listing(paths, most=4)}" if paths[0] else f"shredded as {kind}",
        round(whole.total),
        round(apart.total),
        None if apart.error is None or not apart.sampled else round(apart.error),
        apart.sampled,
        f"By {looked} rows, the Variants of {name(field.name)} take {about}{size(round(apart.total))} if what they have in common is "
        f"in columns of its own ({listing([f'`{path}`' if path else str(kind) for path in paths], most=4)}), and "
        f"{about}{size(round(whole.total))} if not, written alike; today they take {size(round(sum(today)))}. A query for one of "
        "these then reads its column only. `rewrite` keeps the shredding of a file: `pqexplore.write` has the option `shredding`.",
    )


def _paths(kind: pa.DataType, path: str) -> Iterator[str]:
    """The dotted paths that get a column with a type; `[]` stands for the elements of a list."""
    if pa.types.is_struct(kind):
        for child in kind:
            yield from _paths(child.type, f"{path}.{child.name}".removeprefix("."))
    elif pa.types.is_list(kind):
        yield from _paths(kind.value_type, f"{path}[]")
    elif not pa.types.is_null(kind):
        yield path
