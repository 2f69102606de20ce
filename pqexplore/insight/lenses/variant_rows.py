"""The Variants of a column as they are stored: loaded once for a row group, with the shape of the shredding.

It is a room of its own because the lens and this together are longer than one file should be.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError, located
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.table_reader import ReadTally, assembled
from pqexplore.engine.format.field import REPEATED, Field, Leaf
from pqexplore.engine.format.variant.check import Problem, check
from pqexplore.engine.format.variant.columns import inside
from pqexplore.engine.format.variant.shredding import Columns, Group, describe, open_columns

PROBLEMS = 50
"""Broken rules that are shown."""

CHECKED = 5_000
"""Variants of a row group that the lens checks; `f.check()` checks all of them."""


@dataclasses.dataclass(slots=True)
class Variants:
    """The Variants of one group in one row group, as they are stored.

    `groups` is the shape of the shredding. `entries` are the entries of the metadata column that have a Variant, int64, for
    a group in lists; None if all have.
    """

    file: ParquetFile
    field: Field
    row_group: int
    array: pa.StructArray
    groups: list[Group]
    problems: list[Problem]
    entries: np.ndarray[Any, Any] | None

    def entry(self, row: int) -> int:
        """The entry of the metadata column for Variant `row`."""
        return row if self.entries is None else int(self.entries[row])

    def row(self, entry: int) -> int:
        """The Variant of an entry of the metadata column."""
        return entry if self.entries is None else int(np.searchsorted(self.entries, entry))

    @property
    def path(self) -> str:
        """The name of the column."""
        return ".".join(self.field.path)

    @property
    def possible(self) -> bool:
        """Whether it only has the shape of a Variant: the schema does not say that it is one."""
        return self.field.kind != "variant"

    @property
    def shredded(self) -> bool:
        """Whether values have columns of their own."""
        return self.groups[0].kind != "none"

    def columns(self) -> list[Columns]:
        """The columns of each group; empty ones if the specification does not allow the shredding."""
        if any(group.defect is not None for group in self.groups):
            return [Columns(0, None, None, None) for _ in self.groups]
        return open_columns(self.array, self.groups)


def first_group(file: ParquetFile) -> int:
    """The first row group that has rows."""
    return next((group.index for group in file.row_groups if group.num_rows), 0)


def size(file: ParquetFile, field: Field, row_group: int) -> int:
    """Bytes of the pages that are decoded to show one row."""
    if row_group >= len(file.row_groups):
        return 0
    columns = file.row_groups[row_group].columns
    total = 0
    for leaf in field.leaves():
        with contextlib.suppress(ParquetError):
            total += int(columns[leaf.leaf_index].metadata.total_uncompressed_size or 0)
    return total


def load(file: ParquetFile, field: Field, row_group: int) -> Variants:
    """The Variants of a row group, from the file's cache if they are there.

    Raises UsageError if there is no such row group, ParquetError if a column cannot be read.
    """
    if not 0 <= row_group < len(file.row_groups):
        raise UsageError(f"row group {row_group} is asked for, the file has {len(file.row_groups)}")

    def make() -> Variants:
        chunk = file.row_groups[row_group].columns[field.leaves()[0].leaf_index]
        array = _stored(file, field, row_group)
        with located(chunk.address, chunk.start):
            groups = describe(array.type, field, limits=file.limits)
            found = check(array.slice(0, CHECKED), field, most=PROBLEMS + 1, limits=file.limits)
            problems = [one for one in found if one.rule != "not-checked"]
        entries = _entries(file, field, row_group)
        return Variants(file, field, row_group, array, groups, problems, entries)

    variants: Variants = file.cache.get(
        ("variants", field.index, row_group), make, lambda made: 1_000 + made.array.nbytes
    )
    return variants


def _stored(file: ParquetFile, field: Field, row_group: int) -> pa.StructArray:
    """The array of the group: an entry for each row, or for each element if it is in lists."""
    top = field
    while top.parent is not None and top.parent.parent is not None:
        top = top.parent
    spend = ReadTally(file, "the Variant lens").spend
    for array, _ in assembled(file, top, field.leaves(), [row_group], spend):
        group = inside(array, top, field)
        if group is not None and pa.types.is_struct(group.type):
            return group
    raise UsageError(f"{'.'.join(field.path)} is not read as a Variant")


def _entries(file: ParquetFile, field: Field, row_group: int) -> np.ndarray[Any, Any] | None:
    """The entries of the metadata column that are elements of lists: an empty list has an entry, but no element."""
    if not field.max_repetition_level:
        return None
    repeated: Field = field
    while repeated.repetition != REPEATED and repeated.parent is not None:
        repeated = repeated.parent
    leaf = next((c for c in field.named("metadata") if isinstance(c, Leaf)), None)
    if leaf is None:
        return None
    pages = [p for p in file.row_groups[row_group].columns[leaf.leaf_index].pages if p.is_data]
    levels = [page.definition_levels for page in pages]
    masks = [one >= repeated.max_definition_level for one in levels if one is not None]
    return np.flatnonzero(np.concatenate(masks)) if masks else np.zeros(0, np.int64)
