"""The columns of a metadatastore's files, which have an object's name, its partition values and its index values.

Opening reads the footers. Values are read column by column on first access, by this engine and not by Spark: Spark
drops the columns' metadata if a Bloom filter's class is not on its class path.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, EncryptedFileError
from pqexplore.engine.file import file as engine
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.lake.metadatastore import mark, names, store_schema, store_types
from pqexplore.lake.metadatastore.store_schema import Index, Partition, StoreSchema
from pqexplore.lake.places.allowed_paths import AllowedPaths

if TYPE_CHECKING:
    from pqexplore.engine.format.encryption.keys import Decryption


@dataclasses.dataclass(frozen=True)
class IndexPart:
    """A file of the store: its path, rows and bytes, and its mark, None if another program wrote it (see `mark`)."""

    path: str
    num_rows: int
    size: int
    mark: mark.Mark | None


def _fits(index: Index, stored: pa.DataType) -> bool:
    """Whether an Arrow type can hold the values of an index."""
    if index.name == store_schema.BLOOM_FILTER:
        return bool(pa.types.is_binary(stored))
    kind = index.value_type or ""
    if index.name == store_schema.MINMAX:
        return bool(pa.types.is_struct(stored)) and all(
            stored.get_field_index(name) >= 0 and store_types.fits(kind, stored.field(name).type)
            for name in ("min", "max")
        )
    if index.name == store_schema.VALUE_LIST:
        return bool(pa.types.is_list(stored)) and store_types.fits(kind, stored.value_type)
    return True


class StoredValues:
    """The files of a store, and the values of their columns."""

    def __init__(
        self,
        path: str,
        found: StoreSchema,
        parts: Sequence[IndexPart],
        decryption: Decryption | None = None,
        omitted: Mapping[str, str] | None = None,
        *,
        reach: AllowedPaths,
        options: StorageOptions | None = None,
    ) -> None:
        self.path = path
        self.schema = found
        self.parts = tuple(parts)
        self.reach = reach
        self.omitted: Mapping[str, str] = omitted or {}
        self._decryption = decryption
        self._options = dict(options or {})
        self._values: dict[str, list[Any]] = {}
        self._rows: dict[str, list[int]] | None = None
        self._part_of: list[IndexPart] = []

    @property
    def indexes(self) -> tuple[Index, ...]:
        """The indexes, in the order of their columns."""
        return self.schema.indexes

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The partition columns in the store; none before version 4."""
        return self.schema.partitions

    @property
    def num_rows(self) -> int:
        """The number of rows: its objects, with duplicates."""
        return sum(part.num_rows for part in self.parts)

    @property
    def rows(self) -> Mapping[str, list[int]]:
        """The row numbers by object name: one number, unless there are duplicates."""
        if self._rows is None:
            found: dict[str, list[int]] = {}
            for row, name in enumerate(self.values(names.OBJECT)):
                if not isinstance(name, str):
                    raise CorruptFileError(f"row {row:,} of the metadatastore has no object name")
                found.setdefault(name, []).append(row)
            self._rows = found
        return self._rows

    def values(self, column: str) -> list[Any]:
        """The values of a column of the store, one for each row, as plain Python objects (see `types.plain`).

        Raises a ParquetError if they cannot be read, EncryptedFileError if the column needs a key.
        """
        if column not in self._values:
            found: list[Any] = []
            for part in self.parts:
                with self.opened(part) as opened:
                    if (opened.size, opened.num_rows) != (part.size, part.num_rows):
                        raise CorruptFileError(
                            f"{part.path} has changed since the metadatastore was opened; open it again"
                        )
                    stored = opened.read([(column,)])
                    if stored.num_columns != 1:
                        raise CorruptFileError(
                            f"{part.path} has no column {column!r}, but the store's Spark schema has it",
                            address="schema",
                        )
                    self._require_type(column, stored.schema.field(0).type, part)
                    found += store_types.plain(stored.column(0))
            if len(found) != self.num_rows:
                raise CorruptFileError(
                    f"column {column!r} has {len(found):,} values, the store has {self.num_rows:,} rows"
                )
            self._values[column] = found
        return self._values[column]

    def opened(self, part: IndexPart) -> engine.ParquetFile:
        """Opens a file of the store, with its keys and storage options."""
        return engine.open(part.path, decryption=self._decryption, storage_options=self.storage_options)

    @property
    def storage_options(self) -> StorageOptions:
        """The storage options with which the store was opened. They may have credentials."""
        return self._options

    def _require_type(self, column: str, stored: pa.DataType, part: IndexPart) -> None:
        """Raises CorruptFileError unless a column's Arrow type fits its type in the Spark schema."""
        index = next((one for one in self.indexes if one.column == column), None)
        partition = next((one for one in self.partitions if one.column == column), None)
        if column == names.OBJECT:
            expected, fits = "string", store_types.fits("string", stored)
        elif index is not None and index.readable and self.schema.values_readable:
            expected, fits = str(index), _fits(index, stored)
        elif partition is not None:
            expected, fits = partition.type, store_types.fits(partition.type, stored)
        else:
            return
        if not fits:
            raise CorruptFileError(
                f"column {column!r} of {part.path} has values of type {stored}; the store's Spark schema says "
                f"{expected}",
                address=Address.of("schema", column),
            )

    def locked(self, column: str) -> str:
        """Why the values of a column need a key that is missing; "" if they can be read."""
        try:
            self.values(column)
        except EncryptedFileError as error:
            return error.message
        return ""

    def object_path(self, row: int) -> str:
        """The path of the object in a row of the store."""
        return names.split_object_name(self.values(names.OBJECT)[row])[0]

    def part_of(self, row: int) -> IndexPart:
        """The file with a row of the store."""
        if not self._part_of:
            self._part_of = [part for part in self.parts for _ in range(part.num_rows)]
        return self._part_of[row]
