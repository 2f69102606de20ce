"""What the rules look at: an open file, with what several rules need computed once."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.chunk_bounds import WRONG_BOUND, known_bounds
from pqexplore.engine.format.ordering import Order, type_order
from pqexplore.engine.format.statistics import bounds
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.variant.bounds import inside
from pqexplore.engine.kind import Kind
from pqexplore.insight.chunk_structs import chunk_structs
from pqexplore.insight.wording import listing, name

if TYPE_CHECKING:
    from pqexplore.engine.arrays import Array, Int64s, Mask
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.field import Field, Leaf
    from pqexplore.engine.format.statistics import Bounds

PAGES_LOOKED_AT = 20_000
"""Data pages whose headers are looked at, in the order of the leaves."""

CHUNKS = 200_000
"""Column chunks that are looked at. A larger file is looked at in its first row groups, and the report says so."""


_UNREADABLE = structs.ColumnChunk(meta_data=structs.ColumnMetaData())
"""Stands for a chunk whose metadata cannot be read."""

LISTED = 4
"""Fields that a sentence names."""

EVIDENCE = 100
"""Fields that the evidence names."""


class Concerned(NamedTuple):
    """The fields that a diagnosis is about.

    How many; their `names` for the sentence; the `address` of the first; `column`: the path of the only one, else "";
    the `paths` of the first hundred.
    """

    total: int
    names: str
    address: str
    column: str
    paths: list[str]


def concerned(fields: Sequence[Field]) -> Concerned:
    """What a diagnosis says about its fields; there is at least one."""
    return Concerned(
        len(fields),
        listing([name(field.path) for field in fields], most=LISTED),
        Address.of("schema", fields[0].index),
        "" if len(fields) > 1 else ".".join(fields[0].path),
        [".".join(field.path) for field in fields[:EVIDENCE]],
    )


TRIED_VALUES = 400_000
TRIED_BYTES = 32 << 20
"""Values of a file, and bytes before compression, that rules may write another way to see what it would take."""


class Paged(NamedTuple):
    """A chunk and its data pages, at least one."""

    chunk: ColumnChunk
    pages: list[Page]


class Range(NamedTuple):
    """The range of a chunk's values by its trusted bounds, as order keys; `nulls` is None if they are not counted."""

    low: bytes
    high: bytes
    nulls: int | None


def ordered(leaf: Leaf) -> bool:
    """Whether a column has an order, so that bounds of it would help."""
    return type_order(leaf) is not Order.NONE and leaf.max_repetition_level == 0 and not inside(leaf)


class Subject:
    """A file under diagnosis. `file` is open; `partial` says that not all row groups were looked at.

    A footer can describe many thousand chunks. So a rule that needs numbers of all of them takes `numbers` or `metadata`,
    which read all at once, and `bounds`, which keeps what it decoded. A handle by `chunks` costs ten times as much.
    `level` is how much may be read: a rule of a lower level may say more at a higher one.
    """

    def __init__(self, file: ParquetFile, level: str = "footer") -> None:
        self.file = file
        self.level = level
        self._ranges: dict[int, list[Range] | None] = {}
        self._pages: dict[int, list[Paged]] = {}
        self._looked = 0
        self._left = [TRIED_VALUES, TRIED_BYTES]
        self.partial = False
        self._numbers: dict[str, Array] = {}
        self._totals: dict[str, list[int]] = {}
        self._bounds: dict[tuple[int, int], Bounds | None] = {}
        self._nulls: dict[int, int | None] = {}

    @functools.cached_property
    def groups(self) -> int:
        """Row groups that are looked at."""
        try:
            count, leaves = len(self.file.row_groups), max(1, len(self.file.schema.leaves))
        except ParquetError:
            return 0
        most = max(1, CHUNKS // leaves)
        self.partial = count > most
        return min(count, most)

    @functools.cached_property
    def leaves(self) -> list[Leaf]:
        """The leaves; empty if the schema cannot be read."""
        try:
            return list(self.file.schema.leaves)
        except ParquetError:
            return []

    @functools.cached_property
    def rows(self) -> list[int]:
        """The rows of each row group; row groups that do not say it are left out."""
        found = []
        for index in range(self.groups):
            try:
                found.append(self.file.row_groups[index].num_rows)
            except ParquetError:
                continue
        return found

    @functools.cached_property
    def _structs(self) -> list[list[structs.ColumnChunk]]:
        """The ColumnChunks by row group, without what `fast.chunks` leaves out."""
        columns = range(len(self.leaves))
        with fast.collection_paused():
            found = [chunk_structs(self.file, index, columns) for index in range(self.groups)]
        return [[one or _UNREADABLE for one in row] for row in found]

    @functools.cached_property
    def readable(self) -> Mask:
        """Whether the metadata of each chunk can be read, of shape (row groups, leaves)."""
        flat = [one is not _UNREADABLE for row in self._structs for one in row]
        return np.array(flat, np.bool_).reshape(self.groups, len(self.leaves))

    def numbers(self, name: str) -> Array:
        """A number of the ColumnMetaData, or else the ColumnChunk, of each chunk, of shape (row groups, leaves), int64.

        -1 if it is absent, or the chunk cannot be read. `name` is the field's; that of a field of the Statistics begins
        with `statistics.`.
        """
        if name not in self._numbers:
            flat: list[Any] = list(chain.from_iterable(self._structs))
            first, _, last = name.partition(".")
            for part in ("meta_data", first) if first in structs.ColumnMetaData.__slots__ else (first,):
                flat = [None if one is None else getattr(one, part) for one in flat]
            if last:
                flat = [None if one is None else getattr(one, last) for one in flat]
            if None in flat:
                flat = [-1 if one is None else one for one in flat]
            self._numbers[name] = np.array(flat, np.int64).reshape(self.groups, len(self.leaves))
        return self._numbers[name]

    def total(self, name: str, leaf: Leaf) -> int:
        """The sum of a number that is not negative over the chunks of a leaf; see `numbers`."""
        if name not in self._totals:
            self._totals[name] = self.numbers(name).clip(0).sum(0).tolist()
        return self._totals[name][leaf.leaf_index]

    @functools.cached_property
    def filter_bytes(self) -> Int64s:
        """The bytes of the Bloom filter of each chunk, header included, of shape (row groups, leaves); 0 without one.

        Those of the footer; the header of a filter is read where the footer has its place and not its length.
        """
        lengths = self.numbers("bloom_filter_length").clip(0)
        if not ((self.numbers("bloom_filter_offset") >= 0) & (lengths == 0)).any():
            return lengths
        tiles, made = self.file.layout("chunks"), lengths.copy()
        columns = (tiles[name].to_pylist() for name in ("start", "end", "kind", "address"))
        for start, end, kind, address in zip(*columns, strict=True):
            if kind == Kind.BLOOM_FILTER:
                _, group, _, leaf, *_ = address.split("/")
                if int(group) < self.groups and made[int(group), int(leaf)] == 0:
                    made[int(group), int(leaf)] = end - start
        return made

    def column_chunks(self, leaf: Leaf) -> list[tuple[int, structs.ColumnChunk]]:
        """(row group, ColumnChunk) of the chunks of a leaf whose metadata can be read, decrypted if necessary.

        Without what `fast.chunks` leaves out.
        """
        column = leaf.leaf_index
        found = [(index, row[column]) for index, row in enumerate(self._structs)]
        return [pair for pair in found if pair[1] is not _UNREADABLE]

    def metadata(self, leaf: Leaf) -> list[tuple[int, structs.ColumnMetaData]]:
        """(row group, ColumnMetaData) of the same chunks."""
        return [(index, one.meta_data) for index, one in self.column_chunks(leaf) if one.meta_data]

    @functools.cached_property
    def encrypts(self) -> bool:
        """Whether the file, or a chunk's crypto_metadata, says that something is encrypted."""
        marks = (one.crypto_metadata is not None for row in self._structs for one in row)
        return self.file.footer.cipher is not None or any(marks)

    @functools.cached_property
    def unnamed(self) -> int | None:
        """Bytes between the magic and the footer that no chunk, index or Bloom filter has, by offsets and lengths.

        The gaps of `layout` are at most as many. None without chunks, if one cannot be read, lies elsewhere or overlaps
        with something, and in an encrypted file.
        """
        elsewhere = any(one.file_path for row in self._structs for one in row)
        if self.partial or elsewhere or self.encrypts or not self.readable.size or not self.readable.all():
            return None
        data, dictionary = (self.numbers(f"{kind}_page_offset") for kind in ("data", "dictionary"))
        first = np.where((dictionary > 0) & ((dictionary < data) | (data < 4)), dictionary, data)
        places = [(first, self.numbers("total_compressed_size"))]
        for kind in ("column_index", "offset_index", "bloom_filter"):
            places.append((self.numbers(f"{kind}_offset"), self.numbers(f"{kind}_length")))
        starts, lengths = (np.concatenate([one.ravel() for one in each]) for each in zip(*places, strict=True))
        order = np.argsort(starts)
        order = order[(lengths[order] > 0) & (starts[order] >= 0)]
        before = np.append(4, starts[order] + lengths[order])
        gaps = np.append(starts[order], self.file.footer.start) - before
        return None if (gaps < 0).any() else int(gaps.sum())

    def bounds(self, leaf: Leaf, group: int) -> Bounds | None:
        """`known_bounds` of a chunk, decoded once; None if absent, or if the metadata cannot be read. Raises as it does."""
        key = group, leaf.leaf_index
        if key not in self._bounds:
            self._bounds[key] = self._read_bounds(leaf, group)
        return self._bounds[key]

    def _read_bounds(self, leaf: Leaf, group: int) -> Bounds | None:
        metadata = self._structs[group][leaf.leaf_index].meta_data
        if metadata is None or metadata.statistics is None:
            return None
        if inside(leaf) or self._has_wrong_bounds:
            return known_bounds(self.file.row_groups[group].columns[leaf.leaf_index])
        return bounds(leaf, metadata.statistics, self._created_by)

    @functools.cached_property
    def _has_wrong_bounds(self) -> bool:
        return bool(self._wrong_bounds)

    @functools.cached_property
    def _wrong_bounds(self) -> frozenset[str]:
        """The addresses of the chunks with a bound that their values contradict."""
        wrong = (one.address for one in self.file.findings if one.rule == WRONG_BOUND)
        return frozenset("/".join(address.split("/")[:4]) for address in wrong)

    def bound_is_wrong(self, leaf: Leaf, group: int) -> bool:
        """Whether a finding says that the values of a chunk contradict its bounds."""
        return Address.of("row_groups", group, "columns", leaf.leaf_index) in self._wrong_bounds

    @functools.cached_property
    def _created_by(self) -> str | None:
        return self.file.created_by

    def chunks(self, leaf: Leaf) -> Iterator[ColumnChunk]:
        """The handles of the chunks of a leaf whose metadata can be read."""
        for index in range(self.groups):
            try:
                chunk = self.file.row_groups[index].columns[leaf.leaf_index]
                _ = chunk.metadata
            except ParquetError:
                continue
            yield chunk

    @property
    def flat(self) -> bool:
        """Whether no column is nested, so that a column's name is the path of its leaf."""
        return all(len(leaf.path) == 1 for leaf in self.leaves)

    def may_try(self, values: int, size: int) -> bool:
        """Whether so many values and bytes may be written another way; if so, they are taken from what is left."""
        left = [self._left[0] - max(0, values), self._left[1] - max(0, size)]
        if min(left) < 0:
            return False
        self._left = left
        return True

    def pages(self, leaf: Leaf) -> list[Paged]:
        """The chunks of a leaf whose pages can be read, with their data pages."""
        index = leaf.leaf_index
        if index not in self._pages:
            found = self._pages[index] = []
            for chunk in self.chunks(leaf):
                if self._looked >= PAGES_LOOKED_AT:
                    break
                try:
                    readable = not chunk.locked and not chunk.elsewhere
                    pages = [page for page in chunk.pages if page.is_data] if readable else []
                except ParquetError:
                    continue
                self._looked += len(pages)
                if pages:
                    found.append(Paged(chunk, pages))
        return self._pages[index]

    def ranges(self, leaf: Leaf) -> list[Range] | None:
        """The ranges of a leaf in all row groups that are looked at; None if one of them has no trusted bounds."""
        index = leaf.leaf_index
        if index not in self._ranges:
            found = list(self.each_range(leaf))
            self._ranges[index] = found if found and len(found) == self.groups else None
        return self._ranges[index]

    def each_range(self, leaf: Leaf) -> Iterator[Range]:
        """The ranges of a leaf, up to the first row group without trusted bounds."""
        for group, _ in self.metadata(leaf) if ordered(leaf) else ():
            try:
                one = self.bounds(leaf, group)
            except ParquetError:
                return
            if one is None or not one.trusted or one.min_key is None or one.max_key is None:
                return
            yield Range(one.min_key, one.max_key, one.null_count)

    def nulls(self, leaf: Leaf) -> int | None:
        """The nulls of a column, by the statistics of its chunks.

        None for a column in a list or of a Variant, if a chunk does not say it, and if its counts disagree with each other or the rows.
        """
        if leaf.leaf_index not in self._nulls:
            self._nulls[leaf.leaf_index] = self._count_nulls(leaf)
        return self._nulls[leaf.leaf_index]

    def _count_nulls(self, leaf: Leaf) -> int | None:
        if leaf.max_repetition_level or inside(leaf):
            return None
        column = leaf.leaf_index
        nulls = self.numbers("statistics.null_count")[:, column]
        counts = self.numbers("num_values")[:, column]
        known = bool(len(nulls)) and not self.partial and bool(self.readable[:, column].all())
        if not known or (nulls < 0).any() or (nulls > counts).any():
            return None
        only = {int(group) for group in np.flatnonzero((nulls == counts) & (counts > 0))}
        for group, metadata in self.metadata(leaf) if only else ():
            found = metadata.statistics
            if group in only and found and (found.min_value, found.max_value) != (None, None):
                return None
        return int(nulls.sum()) if counts.sum() == sum(self.rows) else None

    @functools.cached_property
    def footer_size(self) -> int:
        """Bytes of the footer, with its length and magic."""
        return self.file.size - self.file.footer.start
