"""A file in numbers: its bytes by column, by row group and by kind of structure.

All but `shares` comes from the footer. A chunk whose metadata is damaged or needs a key is counted as unread; the others
are not affected.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format import types
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding
from pqexplore.engine.tree.chunks import compression_ratio


@dataclasses.dataclass(frozen=True, slots=True)
class Identity:
    """What the file is. A field is None if the footer does not say it, is damaged, or needs a key.

    `other_files` counts the files that hold the column chunks, if this one is the footer of a data set (`_metadata`).
    """

    name: str
    size: int
    footer_size: int
    rows: int | None
    row_groups: int | None
    columns: int | None
    version: int | None
    created_by: str | None
    locked: str
    other_files: int


@dataclasses.dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One leaf over all row groups.

    `compressed_size` and `uncompressed_size` are bytes of its pages (0 if a chunk does not state them), `share` their part of the bytes of all pages.
    `null_count` is the sum over its statistics, None if a chunk has none. `unread` counts the chunks whose metadata is
    damaged or needs a key, `reason` says why for the first.
    """

    path: str
    index: int
    type: str
    num_values: int
    null_count: int | None
    compressed_size: int
    uncompressed_size: int
    share: float
    codecs: tuple[str, ...]
    encodings: tuple[str, ...]
    unread: int = 0
    reason: str = ""

    @property
    def ratio(self) -> float | None:
        """Uncompressed to compressed size; None if the column has no bytes, or a size is not stated."""
        return compression_ratio(self.uncompressed_size, self.compressed_size)


@dataclasses.dataclass(frozen=True, slots=True)
class RowGroupSummary:
    """One row group: its rows and the bytes of its pages. `first_byte` is None if no chunk of this file can be read."""

    index: int
    rows: int | None
    compressed_size: int
    uncompressed_size: int
    first_byte: int | None
    unread: int = 0
    reason: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Sums:
    """The bytes of all column chunks that can be read, in the file and before compression, and their nulls, None if unknown."""

    rows: int | None
    compressed_size: int
    uncompressed_size: int
    ratio: float | None
    null_count: int | None


def sums(file: ParquetFile) -> Sums:
    """What the columns add up to. ParquetError if the footer cannot be read."""
    found = columns(file)
    stored, opened = sum(one.compressed_size for one in found), sum(one.uncompressed_size for one in found)
    nulls = [one.null_count for one in found]
    known = None if None in nulls else sum(one or 0 for one in nulls)
    return Sums(identity(file).rows, stored, opened, compression_ratio(opened, stored), known)


def identity(file: ParquetFile) -> Identity:
    """Name, size, counts and writer."""
    metadata, locked = file.metadata, file.footer.locked
    groups = None if metadata is None else metadata.row_groups
    return Identity(
        name=file.name,
        size=file.size,
        footer_size=file.footer.end - file.footer.start,
        rows=None if metadata is None else metadata.num_rows,
        row_groups=None if groups is None else len(groups),
        columns=_leaf_count(file),
        version=None if metadata is None else metadata.version,
        created_by=None if metadata is None else metadata.created_by,
        locked="" if locked is None else locked.message,
        other_files=len(file.other_files),
    )


def _leaf_count(file: ParquetFile) -> int | None:
    try:
        return len(file.schema.leaves)
    except ParquetError:
        return None


def columns(file: ParquetFile) -> list[ColumnSummary]:
    """Every leaf, in the schema's order. Raises ParquetError if the schema or the row groups cannot be read."""
    leaves = file.schema.leaves
    file.budget.charge(nodes=len(leaves), address="schema")
    sums = [_Sum(leaf) for leaf in leaves]
    for group in file.row_groups:
        try:
            chunks = group.columns
        except ParquetError as error:
            for one in sums:
                one.fail(error)
            continue
        for one, chunk in zip(sums, chunks, strict=True):
            one.add(chunk)
    total = sum(max(0, one.compressed) for one in sums)
    return [one.summary(total) for one in sums]


def by_size(columns: Iterable[ColumnSummary]) -> list[ColumnSummary]:
    """The columns, the largest first."""
    return sorted(columns, key=lambda one: -one.compressed_size)


def key_value_sizes(file: ParquetFile) -> dict[str, int]:
    """The bytes of the keys and values of the key-value metadata, by key; those of a repeated key are summed up."""
    sizes: dict[str, int] = {}
    for one in (file.metadata and file.metadata.key_value_metadata) or ():
        texts = (one.key or "", one.value or "")
        total = sum(len(text.encode(errors="replace")) for text in texts)
        sizes[one.key or ""] = sizes.get(one.key or "", 0) + total
    return sizes


class _Sum:
    """Sums over the chunks of a leaf."""

    def __init__(self, leaf: Leaf) -> None:
        self.leaf = leaf
        self.num_values = self.compressed = self.uncompressed = self.unread = 0
        self.null_count: int | None = 0
        self.unstated = False
        self.codecs: dict[str, None] = {}
        self.encodings: dict[str, None] = {}
        self.reason = ""

    def add(self, chunk: ColumnChunk) -> None:
        try:
            metadata = chunk.metadata
        except ParquetError as error:
            self.fail(error)
            return
        self.num_values += metadata.num_values
        self.compressed += metadata.total_compressed_size
        self.uncompressed += metadata.total_uncompressed_size
        self.unstated |= metadata.total_uncompressed_size <= 0 < metadata.total_compressed_size
        self.codecs[structs.enum_name(CompressionCodec, metadata.codec)] = None
        for encoding in metadata.encodings:
            self.encodings[structs.enum_name(Encoding, encoding)] = None
        nulls = None if metadata.statistics is None else metadata.statistics.null_count
        self.null_count = None if nulls is None or self.null_count is None else self.null_count + nulls

    def fail(self, error: ParquetError) -> None:
        self.unread += 1
        self.reason = self.reason or error.message

    def summary(self, total: int) -> ColumnSummary:
        return ColumnSummary(
            path=".".join(self.leaf.path),
            index=self.leaf.leaf_index,
            type=types.describe(self.leaf),
            num_values=self.num_values,
            null_count=None if self.unread else self.null_count,
            compressed_size=self.compressed,
            uncompressed_size=0 if self.unstated else self.uncompressed,
            share=self.compressed / total if total > 0 else 0.0,
            codecs=tuple(self.codecs),
            encodings=tuple(self.encodings),
            unread=self.unread,
            reason=self.reason,
        )


def row_groups(file: ParquetFile) -> Iterator[RowGroupSummary]:
    """Every row group. Sizes are the sums over its chunks, not those of the RowGroup struct."""
    for group in file.row_groups:
        compressed = uncompressed = unread = 0
        first: int | None = None
        reason = ""
        try:
            chunks = list(group.columns)
        except ParquetError as error:
            chunks, unread, reason = [], 1, error.message
        for chunk in chunks:
            try:
                metadata, start = chunk.metadata, None if chunk.elsewhere else chunk.start
            except ParquetError as error:
                unread += 1
                reason = reason or error.message
                continue
            compressed += metadata.total_compressed_size
            uncompressed += metadata.total_uncompressed_size
            if start is not None:
                first = start if first is None else min(first, start)
        yield RowGroupSummary(group.index, group.metadata.num_rows, compressed, uncompressed, first, unread, reason)
