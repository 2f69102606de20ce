"""Counts the rows of each data file that Iceberg's delete files delete.

Positions (file, row) are counted exactly, each once. A deletion vector states its count. Equality deletes name values,
not rows: their count needs the data, which is not read, so it is unknown.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.lake.logs.names import Names
from pqexplore.lake.logs.statistics import IcebergStatistics
from pqexplore.lake.logs.table_log import LogError
from pqexplore.lake.places.place import Place

if TYPE_CHECKING:
    from pyiceberg.manifest import DataFile

POSITIONS = 50_000_000
"""Max positions of delete files that are read in total; with more, the count is unknown."""

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

    `referenced` is the data file of a deletion vector; None if it is unknown.
    """

    file: DataFile
    kind: int
    sequence: int
    partition: Partition
    referenced: str | None = None


def deleted_rows(
    find: Callable[[str], tuple[Place, str]], names: Names, data: Sequence[Data], deletes: Sequence[DeleteFile]
) -> tuple[list[int | None], list[str]]:
    """Deleted rows of each data file, None if unknown, and remarks on uncounted deletes.

    `find` gives the place and path of a delete file, or raises LogError.
    """
    counts: list[int | None] = [0] * len(data)
    if not deletes:
        return counts, []
    remarks: list[str] = []
    by_name = {names.resolve(one.address) or one.address: index for index, one in enumerate(data)}
    positions: dict[int, list[np.ndarray]] = {}
    vectors: dict[int, int] = {}
    budget = POSITIONS
    for one in deletes:
        if one.kind != 1:
            continue
        if is_vector(one.file):
            if one.referenced is None:
                remarks.append("there are deletion vectors, and it is unknown for which files")
                return [None] * len(data), remarks
            index = by_name.get(names.resolve(one.referenced) or one.referenced)
            if index is not None and one.sequence >= data[index].sequence:
                vectors[index] = one.file.record_count
            continue
        budget -= one.file.record_count
        try:
            if budget < 0:
                raise LogError("limit", f"there are more than {POSITIONS:,} positions")
            _add(*find(one.file.file_path), one.sequence, names, data, by_name, positions)
        except (LogError, ParquetError, OSError, KeyError) as error:
            remarks.append(f"a delete file cannot be counted: {error}")
            return [None] * len(data), remarks
    for index, some in positions.items():
        rows = np.unique(np.concatenate(some))
        counts[index] = int(((rows >= 0) & (rows < data[index].rows)).sum())
    for index, count in vectors.items():
        counts[index] = count
    unknown = _by_equality(data, deletes)
    for index in unknown:
        counts[index] = None
    if unknown:
        remarks.append(
            f"equality deletes delete rows of up to {len(unknown):,} files; how many is unknown without reading the data"
        )
    return counts, remarks


def is_parquet(file: DataFile) -> bool:
    """Whether a file of a manifest is in Parquet; others are ORC, Avro, or Puffin (deletion vectors)."""
    return _format(file) == "PARQUET"


def is_vector(file: DataFile) -> bool:
    """Whether a file of a manifest is a deletion vector, a blob of a Puffin file."""
    return _format(file) == "PUFFIN"


def _format(file: DataFile) -> str:
    return str(getattr(file.file_format, "value", file.file_format)).upper()


def _add(
    place: Place,
    path: str,
    sequence: int,
    names: Names,
    data: Sequence[Data],
    by_name: dict[str, int],
    positions: dict[int, list[np.ndarray]],
) -> None:
    """Add the positions of one delete file to those of the data files."""
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
        index = by_name.get(names.resolve(address) or address)
        if index is not None and sequence >= data[index].sequence:
            positions.setdefault(index, []).append(at[order[ends[code] : ends[code + 1]]])


def _by_equality(data: Sequence[Data], deletes: Sequence[DeleteFile]) -> list[int]:
    """Data files that equality deletes may affect: older ones of the same partition, or all if not partitioned."""
    newest: dict[Partition | None, int] = {}
    for one in deletes:
        if one.kind == 2:
            key = one.partition if one.partition[1] else None
            newest[key] = max(newest.get(key, 0), one.sequence)
    return [
        index for index, one in enumerate(data) if one.sequence < max(newest.get(one.partition, 0), newest.get(None, 0))
    ]
