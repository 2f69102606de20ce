"""The bytes of one stored Variant as a list of parts: headers with their bits, offsets, names and values.

The list is the tree of `engine.format.variant.spans`, depth first, cut where it gets long. If the value lies in its page
in one piece, each part has the address of its node.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError, located
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.table_reader import ReadTally, assembled
from pqexplore.engine.format.field import REPEATED, Field, Leaf
from pqexplore.engine.format.variant import byte_parts as engine
from pqexplore.engine.format.variant.check import Problem, check
from pqexplore.engine.format.variant.metadata_spans import read_metadata
from pqexplore.engine.format.variant.shredding import Columns, Group, describe, open_columns
from pqexplore.engine.format.variant.value_spans import read_value
from pqexplore.engine.format.variant.variants_in_columns import inside
from pqexplore.engine.span import Span
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.variant_nodes import to_node

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


PARTS = 240
"""Parts in the list."""

NUMBERS = 12
"""Ids, offsets, names or values of one container in the list."""

SHOWN = 24
"""Bytes of a part that are shown in hexadecimal."""

_MANY = frozenset({"field_ids", "field_offsets", "offsets", "strings", "values"})


@dataclasses.dataclass(slots=True)
class Bits:
    """A group of bits of a header byte. `digits` are its binary digits, the highest first."""

    name: str
    digits: str
    value: int
    meaning: str


@dataclasses.dataclass(slots=True)
class Part:
    """Bytes of a stored Variant. `kind` is that of `engine.format.variant.parts.VariantPart`, or "more" for a note.

    `bits` are those of a header byte, the highest first. `error` names the rule that the part breaks.
    """

    kind: str
    label: str
    depth: int
    hex: str = ""
    meaning: str = ""
    bits: list[Bits] = dataclasses.field(default_factory=list)
    error: str = ""
    address: str | None = None
    span: Span | None = None


@dataclasses.dataclass(slots=True)
class Stored:
    """One of the two byte strings of a Variant, `metadata` or `value`.

    `bytes` is its length. `why` says why there are no bytes. `left` counts the parts that the list leaves out.
    """

    name: str
    bytes: int
    address: str | None
    why: str = ""
    parts: list[Part] = dataclasses.field(default_factory=list)
    left: int = 0


def stored(file: ParquetFile, name: str, metadata: bytes | None, raw: bytes, address: str | None) -> Stored:
    """The metadata or value `raw` in its parts. `address` is the node of the column's value."""
    root = read_metadata(raw) if name == "metadata" else read_value(metadata, raw, limits=file.limits)
    below, span = _node_of(file, address)
    node = None if below is None or span is None else to_node(root, below, start=span.start, space=span.space)
    result = Stored(name, len(raw), address)
    todo: list[tuple[engine.VariantPart, Node | None, int]] = [(root, node, 0)]
    while todo:
        part, own, depth = todo.pop()
        if part.kind == "more":
            result.parts.append(Part("more", part.label, depth))
            continue
        if len(result.parts) >= PARTS:
            result.left += 1
            continue
        result.parts.append(_part(part, own, depth, raw))
        children = list(part.children[: NUMBERS if part.kind in _MANY else PARTS])
        nodes: Sequence[Node | None] = [None] * len(children) if own is None else own.children[: len(children)]
        below_it: list[tuple[engine.VariantPart, Node | None, int]] = [
            (child, one, depth + 1) for child, one in zip(children, nodes, strict=True)
        ]
        rest = len(part.children) - len(children)
        if rest:
            note = engine.VariantPart("more", f"… {rest:,} more", part.end, part.end)
            below_it.append((note, None, depth + 1))
        todo += reversed(below_it)
    return result


def _node_of(file: ParquetFile, address: str | None) -> tuple[str | None, Span | None]:
    """The address below which the parts of a stored value are nodes, and the value's bytes."""
    if address is None:
        return None, None
    with contextlib.suppress(ParquetError, LookupError):
        children = file.node(address).children
        if not len(children):
            return None, None
        first = children[0]
        return (first.address if first.kind == "possible_variant" else address), first.span
    return None, None


def _part(part: engine.VariantPart, node: Node | None, depth: int, raw: bytes) -> Part:
    data = raw[part.start : min(part.end, part.start + SHOWN)]
    more = part.end - part.start > SHOWN
    return Part(
        kind=part.kind,
        label=_label(part),
        depth=depth,
        hex=data.hex(" ") + (" …" if more else ""),
        meaning=part.meaning[:400],
        bits=[
            Bits(one.name, f"{one.value:0{one.last - one.first + 1}b}", one.value, one.meaning)
            for one in sorted(part.bits, key=lambda one: -one.first)
        ],
        error="" if part.error is None else part.error.message,
        address=None if node is None or not depth else node.address,
        span=None if node is None else node.span,
    )


def _label(part: engine.VariantPart) -> str:
    label = part.label if len(part.label) <= 120 else f"{part.label[:120]}…"
    if part.kind == "value" and part.name is not None and not label.startswith(part.name[:20]):
        return f"{part.name[:60]}: {label}"
    return label
