"""A metadatastore that is open: what it indexes, which objects it knows, and what it says of each.

Opening reads the footers. Values are read column by column when they are first asked for, by this engine and not by
Spark: Spark forgets all that the columns say of themselves once a Bloom filter's class is not on its class path.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine import file as engine
from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, UsageError
from pqexplore.engine.source import local_path
from pqexplore.engine.tree import Finding, LazySequence
from pqexplore.lake.metadatastore import directories, mark, names, schema, types
from pqexplore.lake.metadatastore.evidence import FAST_PATH_TYPES, other_format
from pqexplore.lake.metadatastore.schema import (
    EncryptionLabels,
    Index,
    Partition,
    StoreSchema,
)

if TYPE_CHECKING:
    from pqexplore.engine.encryption.keys import Decryption
    from pqexplore.lake.metadatastore.evaluate import Evaluation
    from pqexplore.lake.metadatastore.keys import StoreKeys
    from pqexplore.lake.metadatastore.refresh import Refreshed
    from pqexplore.lake.metadatastore.soundness import Hazard


@dataclasses.dataclass(frozen=True)
class IndexedObject:
    """An object of the dataset, as the store knows it.

    `name` is its name in the store, made of `path` and `modified` (milliseconds since 1970, None where the name has
    none): a file that was written since is another object. `partition` has its values of the partition columns, and
    `values` what each index says, by the store's column: `{"min", "max"}`, a list, or a Bloom filter's bytes; dates are
    days and timestamps microseconds since 1970.
    """

    name: str
    path: str
    modified: int | None
    row: int
    store: Store = dataclasses.field(repr=False, compare=False)

    @property
    def partition(self) -> dict[str, Any]:
        """The values of the partition columns by name."""
        return {one.name: self.store.values(one.column)[self.row] for one in self.store.partitions}

    @property
    def values(self) -> dict[str, Any]:
        """What each index says, by the store's column; EncryptedFileError where a column is locked."""
        return {
            index.column: self.store.values(index.column)[self.row] for index in self.store.indexes
        }


@dataclasses.dataclass(frozen=True)
class Part:
    """A file of the store: its path, its rows, and whether its values were made here (see `mark`)."""

    path: str
    num_rows: int
    size: int
    mark: mark.Mark | None


def open(
    path: str | os.PathLike[str],
    *,
    decryption: Decryption | None = None,
    table_identifier: str | None = None,
) -> Store:
    """Open the metadatastore in a directory, or in one of its subdirectories where it is a base path.

    `decryption` has the keys of an encrypted store. `table_identifier` names the table where a base path has several
    stores. Reads the footers of the store's files and no more.

    Raises UsageError where there is no store, or more than one; CorruptFileError where the files contradict each other;
    EncryptedFileError where footers are locked; FileNotFoundError where there is no such path.
    """
    here = local_path(os.fspath(path))
    if here is None:
        raise UsageError(
            f"{path} is not a path of this machine; mount it, or use its /Volumes path"
        )
    directory = directories.resolve(here, decryption, table_identifier)
    files = directories.part_files(directory)
    parts, first = [], None
    for name in files:
        with engine.open(name, decryption=decryption) as opened:
            found = directories.schema_of(opened, name)
            if first is None:
                first = found
            elif _comparable(found) != _comparable(first):
                raise CorruptFileError(
                    f"the files of {directory} do not agree: {os.path.basename(name)} has version {found.version} with "
                    f"{len(found.indexes)} indexes, {os.path.basename(files[0])} version {first.version} with "
                    f"{len(first.indexes)}; an upgrade or refresh may have been interrupted",
                    address="footer/key_value_metadata",
                )
            made = mark.read(opened.key_value_metadata)
            parts.append(Part(name, opened.num_rows, opened.size, made))
    assert first is not None
    return Store(directory, first, tuple(parts), decryption)


def _comparable(found: StoreSchema) -> tuple[Any, ...]:
    """What all files of a store have in common."""
    indexes = [(index.name, index.columns, index.column) for index in found.indexes]
    partitions = [(one.name, one.type) for one in found.partitions]
    return found.version, found.table_identifier, indexes, partitions


class Store:
    """An open metadatastore. Use `metadatastore.open`.

    - `path`: its directory; `parts`: its files.
    - `version` (0 to 4, or above), `status` (a key of `schema.STATUSES`), `table_identifier`.
    - `indexes`, `partitions`, `encryption` (labels of keys, never keys), as `schema.Index` and so on.
    - `objects`: the objects it knows; `duplicates`: names that more than one row has.
    - `omitted`: after a build or refresh, the files that were not indexed, and why.
    """

    def __init__(
        self,
        path: str,
        found: StoreSchema,
        parts: Sequence[Part],
        decryption: Decryption | None = None,
        omitted: Mapping[str, str] | None = None,
    ) -> None:
        self.path = path
        self.schema = found
        self.parts = tuple(parts)
        self.omitted: Mapping[str, str] = omitted or {}
        self._decryption = decryption
        self._values: dict[str, list[Any]] = {}
        self._rows: dict[str, list[int]] | None = None
        self._part_of: list[Part] = []

    @property
    def version(self) -> int:
        """The version of the format; 0 also where the store does not say."""
        return self.schema.version

    @property
    def status(self) -> str:
        """A key of `schema.STATUSES`: values opaque, deprecated, current, too new."""
        return self.schema.status

    @property
    def table_identifier(self) -> str | None:
        """What the store calls the dataset; None where it does not say."""
        return self.schema.table_identifier

    @property
    def indexes(self) -> tuple[Index, ...]:
        """The indexes, in the order of their columns."""
        return self.schema.indexes

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The partition columns that the store has; before version 4 there are none."""
        return self.schema.partitions

    @property
    def encryption(self) -> EncryptionLabels | None:
        """The labels of the keys that encrypt the store; None where it is not encrypted."""
        return self.schema.encryption

    @property
    def num_rows(self) -> int:
        """Rows of the store: its objects, duplicates counted."""
        return sum(part.num_rows for part in self.parts)

    @property
    def objects(self) -> Sequence[IndexedObject]:
        """The objects, each once; made one by one. Raises EncryptedFileError where their names are locked."""
        found = list(self.rows.items())
        return LazySequence(len(found), lambda at: self._object(found[at][0], found[at][1][0]))

    def object(self, name: str) -> IndexedObject:
        """The object of that name; KeyError where there is none."""
        return self._object(name, self.rows[name][0])

    def _object(self, name: str, row: int) -> IndexedObject:
        return IndexedObject(name, *names.split_object_name(name), row, self)

    @property
    def duplicates(self) -> list[str]:
        """Names that more than one row has: an interrupted refresh leaves such."""
        return [name for name, rows in self.rows.items() if len(rows) > 1]

    @property
    def rows(self) -> Mapping[str, list[int]]:
        """By object name, the rows that have it; one, unless there are duplicates."""
        if self._rows is None:
            found: dict[str, list[int]] = {}
            for row, name in enumerate(self.values(names.OBJECT)):
                if not isinstance(name, str):
                    raise CorruptFileError(f"row {row:,} of the metadatastore has no object name")
                found.setdefault(name, []).append(row)
            self._rows = found
        return self._rows

    def values(self, column: str) -> list[Any]:
        """The values of a column of the store, row by row, in plain Python (see `types.plain`).

        Raises a ParquetError where they cannot be read, EncryptedFileError where the column is locked.
        """
        if column not in self._values:
            found: list[Any] = []
            for part in self.parts:
                with engine.open(part.path, decryption=self._decryption) as opened:
                    if (opened.size, opened.num_rows) != (part.size, part.num_rows):
                        raise CorruptFileError(
                            f"{part.path} was written since the metadatastore was opened; open it again"
                        )
                    found += types.plain(opened.read([(column,)]).column(0))
            if len(found) != self.num_rows:
                raise CorruptFileError(
                    f"column {column!r} has {len(found):,} values, the store has {self.num_rows:,} rows"
                )
            self._values[column] = found
        return self._values[column]

    def locked(self, column: str) -> str:
        """Why the values of a column cannot be read for want of a key; empty where they can."""
        try:
            self.values(column)
        except EncryptedFileError as error:
            return error.message
        return ""

    @property
    def column_types(self) -> dict[str, str]:
        """The Spark types of the dataset's columns, as far as the store tells them, by lower-cased column."""
        found: dict[str, str] = {}
        for part in self.parts:
            found |= part.mark.types if part.mark is not None else {}
        for index in self.indexes:
            if len(index.columns) == 1 and index.value_type is not None:
                found[index.columns[0].lower()] = index.value_type
        return found

    def object_path(self, row: int) -> str:
        """The path of the object in a row of the store."""
        return names.split_object_name(self.values(names.OBJECT)[row])[0]

    def part_of(self, row: int) -> Part:
        """The file that has a row of the store."""
        if not self._part_of:
            self._part_of = [part for part in self.parts for _ in range(part.num_rows)]
        return self._part_of[row]

    def footer_path_possible(self, row: int) -> bool:
        """Whether xskipper may have made the row from the footer of a Parquet file instead of its rows.

        It does so where all indexes are MinMax on numbers other than decimals. Not for files that this package wrote,
        and not for objects whose name is that of a CSV, JSON, ORC, Avro or text file.
        """
        if self.part_of(row).mark is not None:
            return False
        if any(
            index.name != schema.MINMAX or index.value_type not in FAST_PATH_TYPES
            for index in self.indexes
        ):
            return False
        return not other_format(self.object_path(row))

    # What can be asked of it, and done with it.

    def evaluate(
        self,
        predicate: str,
        mode: str = "sound",
        *,
        timezone: str | None = None,
        types: Mapping[str, str] | None = None,
    ) -> Evaluation:
        """Which objects a query with this condition can skip, and why the others not.

        `predicate` is SQL in Spark's dialect: a condition, or a SELECT from one table. Mode `sound` skips only what is
        proven to have no matching row, whatever the store's writer; mode `xskipper` skips what xskipper does, wrong
        results included, and names these in `may_lose`. `timezone` is the session's, needed for timestamps written
        without one. `types` has Spark types by column, needed for Bloom filters on columns that no other index is on.

        Columns are told apart without regard to case, and text compares by its bytes: CHAR columns and collations
        other than Spark's default are beyond this. Raises UsageError for what is no such condition.
        """
        from pqexplore.lake.metadatastore import evaluate

        return evaluate.evaluate(self, predicate, mode, timezone=timezone, types=types)

    def check_upstream(self) -> list[Hazard]:
        """The queries for which xskipper would lose rows with this store; see `soundness`."""
        from pqexplore.lake.metadatastore import soundness

        return soundness.check(self)

    @property
    def findings(self) -> list[Finding]:
        """What is wrong or noteworthy in the store itself: names, labels, duplicates; see `findings`."""
        from pqexplore.lake.metadatastore import findings

        return findings.find(self)

    def upgrade(
        self,
        out: str | os.PathLike[str],
        *,
        dataset: str | os.PathLike[str] | None = None,
        location: str = "base",
        keys: StoreKeys | None = None,
    ) -> Store:
        """Write the store as version 4, and open that; see `upgrade.upgrade`."""
        from pqexplore.lake.metadatastore import upgrade

        return upgrade.upgrade(self, out, dataset=dataset, location=location, keys=keys)

    def refresh(
        self,
        spark: Any = None,
        *,
        dataset: str | os.PathLike[str] | None = None,
        keys: StoreKeys | None = None,
    ) -> Refreshed:
        """Index new and changed objects, drop those that are gone; see `refresh.refresh`."""
        from pqexplore.lake.metadatastore import refresh

        return refresh.refresh(self, spark, dataset=dataset, keys=keys)

    def __iter__(self) -> Iterator[IndexedObject]:
        return iter(self.objects)

    def __repr__(self) -> str:
        listed = ", ".join(str(index) for index in self.indexes[:4])
        more = ", …" if len(self.indexes) > 4 else ""
        return (
            f"<Store {self.path}: version {self.version} ({self.status}), {self.num_rows:,} objects of "
            f"{self.table_identifier}; {listed or 'no indexes'}{more}>"
        )
