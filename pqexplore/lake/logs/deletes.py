"""The rows of each data file that Iceberg's delete files delete.

Positions (file, row) are counted exactly, each once. A deletion vector states its count. Equality deletes name values,
not rows: their count needs the data, which is not read, so it is unknown.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.lake.logs.log_paths import Names
from pqexplore.lake.logs.log_statistics import IcebergStatistics
from pqexplore.lake.logs.roaring import POSITIONS, Positions
from pqexplore.lake.logs.table_log import LogError
from pqexplore.lake.logs.vectors import require_count, stored_vector
from pqexplore.lake.places.place import Place

if TYPE_CHECKING:
    from pyiceberg.manifest import DataFile

Partition = tuple[int, tuple[object, ...]]
"""A partition: the id of its spec, and its values."""


@dataclasses.dataclass(frozen=True)
class Data:
    """A live data file: its name below the root (None outside of it), rows, data sequence number, partition.

    `values` are its partition values as text.
    """

    name: str | None
    address: str
    rows: int
    sequence: int
    partition: Partition
    parquet: bool
    size: int
    values: str
    statistics: IcebergStatistics


@dataclasses.dataclass(frozen=True)
class DeleteFile:
    """A live delete file. `kind` is 1 for positions and deletion vectors, 2 for equality.

    `referenced` is the data file of a deletion vector, `offset` where it begins in its file; None if they are unknown.
    """

    file: DataFile
    kind: int
    sequence: int
    partition: Partition
    referenced: str | None = None
    offset: int | None = None


class Deletes:
    """The deletes of a snapshot, as `RowDeletes` has them. `find` gives the place and path of a delete file, or raises LogError."""

    def __init__(
        self,
        find: Callable[[str], tuple[Place, str]],
        names: Names,
        data: Sequence[Data],
        deletes: Sequence[DeleteFile],
    ) -> None:
        self._find = find
        self._names, self._data, self._deletes = names, data, deletes
        self._by_name = {self._key(one.address): index for index, one in enumerate(data)} if deletes else {}
        self._known: dict[int, Positions] | None = None

    def _key(self, address: str) -> str:
        """How both data files and deletes name a data file: below the root, or by its address outside of it."""
        return self._names.resolve(address) or self._names.absolute(address)

    def counts(self) -> tuple[list[int | None], list[str]]:
        """Deleted rows of each data file, None if unknown, and remarks on uncounted deletes."""
        counts: list[int | None] = [0] * len(self._data)
        if not self._deletes:
            return counts, []
        try:
            for index, rows in self._positions().items():
                counts[index] = len(rows)
            for index, one in self._vectors().items():
                counts[index] = one.file.record_count
        except (LogError, ParquetError, OSError, KeyError) as error:
            return [None] * len(self._data), [f"a delete file cannot be counted: {error}"]
        unknown = self._by_equality()
        for index in unknown:
            counts[index] = None
        remarks = []
        if unknown:
            remarks.append(
                f"equality deletes delete rows of up to {len(unknown):,} files; how many is unknown without reading the data"
            )
        return counts, remarks

    def rows(self, name: str) -> Positions:
        """See `RowDeletes`."""
        index = self._by_name.get(name)
        if index is None:
            return np.zeros(0, np.int64)
        vector = self._vectors().get(index)
        if vector is not None:
            if vector.offset is None:
                raise LogError("corrupt", "a manifest does not say where in its file a deletion vector begins")
            place, path = self._find(vector.file.file_path)
            found = stored_vector(place, path, vector.offset)
            require_count(found, vector.file.record_count)
            return found
        if self._known is None:
            self._known = self._positions()
        return self._known.get(index, np.zeros(0, np.int64))

    def by_equality(self, name: str) -> list[tuple[Place, str, list[int]]]:
        """See `RowDeletes`."""
        index = self._by_name.get(name)
        if index is None:
            return []
        data = self._data[index]
        some = [one for one in self._deletes if one.kind == 2 and one.sequence > data.sequence]
        return [
            (*self._find(one.file.file_path), list(one.file.equality_ids or ()))
            for one in some
            if not one.partition[1] or one.partition == data.partition
        ]

    def _vectors(self) -> dict[int, DeleteFile]:
        """The deletion vector of each data file that has one. LogError if it is unknown which it has."""
        found: dict[int, DeleteFile] = {}
        for one in self._deletes:
            if one.kind == 1 and is_vector(one.file):
                if one.referenced is None:
                    raise LogError("unsupported", "there are deletion vectors, and it is unknown for which files")
                index = self._by_name.get(self._key(one.referenced))
                if index is not None and one.sequence >= self._data[index].sequence:
                    found[index] = one
        return found

    def _positions(self) -> dict[int, Positions]:
        """The rows that delete files of positions delete, each once, by the index of their data file."""
        found: dict[int, list[Positions]] = {}
        budget = POSITIONS
        for one in self._deletes:
            if one.kind != 1 or is_vector(one.file):
                continue
            budget -= one.file.record_count
            if budget < 0:
                raise LogError("limit", f"there are more than {POSITIONS:,} positions")
            for index, rows in self._of_file(one):
                found.setdefault(index, []).append(rows)
        made: dict[int, Positions] = {}
        for index, some in found.items():
            whole = np.unique(np.concatenate(some))
            made[index] = whole[(whole >= 0) & (whole < self._data[index].rows)]
        return made

    def _of_file(self, one: DeleteFile) -> Iterator[tuple[int, Positions]]:
        """The positions of one delete file, by the index of their data file."""
        place, path = self._find(one.file.file_path)
        source = place.source(path)
        try:
            rows = ParquetFile(source).read(columns=["file_path", "pos"])
        finally:
            source.close()
        paths = rows["file_path"].combine_chunks().dictionary_encode()
        codes, at = paths.indices.to_numpy(zero_copy_only=False), rows["pos"].to_numpy()
        order = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[order], np.arange(len(paths.dictionary) + 1))
        for code, address in enumerate(paths.dictionary.to_pylist()):
            index = self._by_name.get(self._key(address))
            if index is not None and one.sequence >= self._data[index].sequence:
                yield index, at[order[ends[code] : ends[code + 1]]]

    def _by_equality(self) -> list[int]:
        """Data files that equality deletes may affect: older ones of the same partition, or all if not partitioned."""
        newest: dict[Partition | None, int] = {}
        for one in self._deletes:
            if one.kind == 2:
                key = one.partition if one.partition[1] else None
                newest[key] = max(newest.get(key, 0), one.sequence)
        return [
            index
            for index, one in enumerate(self._data)
            if one.sequence < max(newest.get(one.partition, 0), newest.get(None, 0))
        ]


def is_parquet(file: DataFile) -> bool:
    """Whether a file of a manifest is in Parquet; others are ORC, Avro, or Puffin (deletion vectors)."""
    return _format(file) == "PARQUET"


def is_vector(file: DataFile) -> bool:
    """Whether a file of a manifest is a deletion vector, a blob of a Puffin file."""
    return _format(file) == "PUFFIN"


def _format(file: DataFile) -> str:
    return str(getattr(file.file_format, "value", file.file_format)).upper()
