"""An open metadatastore: its indexes, its objects, and what can be asked of them. `StoredValues` reads the values."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.finding import Finding
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.text import printable
from pqexplore.lake.metadatastore import names, store_schema
from pqexplore.lake.metadatastore.evidence import FAST_PATH_TYPES, other_format
from pqexplore.lake.metadatastore.store_schema import EncryptionLabels
from pqexplore.lake.metadatastore.stored_values import StoredValues

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pqexplore.lake.asking.indexed import StorePlan
    from pqexplore.lake.metadatastore.evaluate import Evaluation
    from pqexplore.lake.metadatastore.refresh import Refreshed
    from pqexplore.lake.metadatastore.soundness import Hazard
    from pqexplore.lake.metadatastore.staleness import FilesToRead, Staleness
    from pqexplore.lake.metadatastore.store_keys import StoreKeys


@dataclasses.dataclass(frozen=True)
class IndexedObject:
    """An object (file) of the dataset, with its index values in the store.

    `name` consists of `path` and `modified` (milliseconds since 1970, None if absent): a changed file is another
    object. `partition` has the values of its partition columns. `values` has its index values by the store's column:
    `{"min", "max"}`, a list, or a Bloom filter's bytes; dates are days, timestamps microseconds since 1970.
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
        """The index values, by the store's column; EncryptedFileError if a column needs a key."""
        return {index.column: self.store.values(index.column)[self.row] for index in self.store.indexes}


class Store(StoredValues):
    """An open metadatastore. Use `metadatastore.open`.

    - `path`: its directory; `parts`: its files.
    - `version` (0 to 4, or above), `status` (a key of `schema.STATUSES`), `table_identifier`.
    - `indexes`, `partitions`, `encryption` (labels of keys, never keys), as `schema.Index` and so on.
    - `objects`: its objects; `duplicates`: names of objects with more than one row.
    - `reach`: which of the store's files and objects may be opened.
    - `omitted`: after a build or refresh, why a file was not indexed, by path.
    """

    @property
    def version(self) -> int:
        """The version of the format; 0 also if absent."""
        return self.schema.version

    @property
    def status(self) -> str:
        """A key of `schema.STATUSES`: values opaque, deprecated, current, too new."""
        return self.schema.status

    @property
    def table_identifier(self) -> str | None:
        """The identifier of the dataset; None if absent."""
        return self.schema.table_identifier

    @property
    def encryption(self) -> EncryptionLabels | None:
        """The labels of the keys that encrypt the store; None if it is not encrypted."""
        return self.schema.encryption

    @property
    def objects(self) -> Sequence[IndexedObject]:
        """The objects, without duplicates, created on access. Raises EncryptedFileError if their names need a key."""
        found = list(self.rows.items())
        return LazySequence(len(found), lambda at: self._object(found[at][0], found[at][1][0]))

    def object(self, name: str) -> IndexedObject:
        """The object of that name; KeyError if there is none."""
        return self._object(name, self.rows[name][0])

    def _object(self, name: str, row: int) -> IndexedObject:
        return IndexedObject(name, *names.split_object_name(name), row, self)

    @property
    def duplicates(self) -> list[str]:
        """Names of objects with more than one row, which an interrupted refresh of xskipper leaves."""
        return [name for name, rows in self.rows.items() if len(rows) > 1]

    @property
    def column_types(self) -> dict[str, str]:
        """The Spark types of the dataset's columns that the store records, by lower-cased column."""
        found: dict[str, str] = {}
        for part in self.parts:
            found |= part.mark.types if part.mark is not None else {}
        for index in self.indexes:
            if len(index.columns) == 1 and index.value_type is not None:
                found[index.columns[0].lower()] = index.value_type
        return found

    def footer_path_possible(self, row: int) -> bool:
        """Whether xskipper may have computed the row from the footer of a Parquet file instead of its values.

        It does so if all indexes are MinMax on numbers other than decimals. False for store files that this package
        wrote, and for objects whose name is that of a CSV, JSON, ORC, Avro or text file.
        """
        if self.part_of(row).mark is not None:
            return False
        if any(index.name != store_schema.MINMAX or index.value_type not in FAST_PATH_TYPES for index in self.indexes):
            return False
        return not other_format(self.object_path(row))

    # Operations

    def evaluate(
        self,
        predicate: str,
        mode: str = "sound",
        *,
        timezone: str | None = None,
        types: Mapping[str, str] | None = None,
        not_null: Mapping[str, frozenset[str]] | None = None,
    ) -> Evaluation:
        """Finds the objects that a query with this condition can skip, with the reasons for all objects.

        `predicate` is SQL in Spark's dialect: a condition, or a SELECT from one table. Mode `sound` skips only objects
        that are proven to have no matching row. Mode `xskipper` skips the objects that xskipper skips, and lists the
        wrong ones in `may_lose`. `timezone` is the session's, needed for timestamps without a zone. `types` has Spark
        types by column, needed for columns that have only a Bloom filter. `not_null` has lower-cased columns that are known
        to have no NULL, by object name; mode xskipper has no use for it.

        Column names are case-insensitive. Text compares by its bytes: CHAR columns and collations other than Spark's
        default are not supported. Raises UsageError if `predicate` is not such a condition.
        """
        from pqexplore.insight.ask import sql
        from pqexplore.lake.metadatastore import evaluate, upstream

        if mode not in evaluate.MODES:
            raise UsageError(f"mode {mode!r}: there are {' and '.join(evaluate.MODES)}")
        clause = sql.parse(predicate, timezone)
        if mode == evaluate.XSKIPPER:
            return upstream.evaluate(self, predicate, clause, timezone=timezone, types=types)
        rows = {row: some for name, some in (not_null or {}).items() for row in self.rows[name]}
        return evaluate.sound(self, predicate, clause, types, sql.session_zone(timezone), rows)

    def files_to_read(
        self,
        predicate: str,
        *,
        dataset: str | os.PathLike[str] | None = None,
        timezone: str | None = None,
        types: Mapping[str, str] | None = None,
        footers: bool = False,
    ) -> FilesToRead:
        """The files that a query with this condition must read, by the indexes and by one listing of the dataset.

        Files that the store does not have, or has in another version, are among them. `dataset` is the directory of the
        table's files, by default the table's identifier; `timezone` and `types` are as in `evaluate`. With `footers`, the
        footers of the files that the indexes keep are read, for their counts of NULLs, which no index has: conditions such
        as IS NULL then skip files. Raises UsageError if the dataset cannot be listed.
        """
        from pqexplore.lake.metadatastore import staleness

        return staleness.files_to_read(
            self, predicate, dataset=dataset, timezone=timezone, types=types, footers=footers
        )

    def read(self, spark: SparkSession, predicate: str, *, dataset: str | os.PathLike[str] | None = None) -> DataFrame:
        """The rows of the dataset for which a condition is TRUE, from the files that must be read.

        The rows, columns and types are those of `spark.read.parquet(dataset).where(predicate)`. Timestamps without a
        zone are read in the session's. Costs a listing here, and Spark's own listing for the types of the columns.
        """
        from pqexplore.lake.metadatastore import staleness

        return staleness.read(self, spark, predicate, dataset=dataset)

    def staleness(self, dataset: str | os.PathLike[str] | None = None) -> Staleness:
        """Which files of the dataset are new, changed or vanished since the store was written, by one listing.

        Raises UsageError if the dataset cannot be listed.
        """
        from pqexplore.lake.metadatastore import staleness

        return staleness.compare(self, staleness.listed(self, dataset))

    def ask(self, where: str, *, timezone: str | None = None) -> StorePlan:
        """What a query with the condition `where` reads by the store's indexes, as a plan; see `evaluate`."""
        from pqexplore.lake.asking.indexed import StorePlan

        return StorePlan(self, self.evaluate(where, timezone=timezone))

    def check_upstream(self) -> list[Hazard]:
        """The queries for which xskipper loses rows with this store; see `soundness`."""
        from pqexplore.lake.metadatastore import soundness

        return soundness.check(self)

    @property
    def findings(self) -> list[Finding]:
        """Problems in the store: names, labels, duplicates; see `findings`."""
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
        """Writes the store as version 4, and opens the new store; see `upgrade.upgrade`."""
        from pqexplore.lake.metadatastore import upgrade

        return upgrade.upgrade(self, out, dataset=dataset, location=location, keys=keys)

    def refresh(
        self,
        spark: SparkSession | None = None,
        *,
        dataset: str | os.PathLike[str] | None = None,
        keys: StoreKeys | None = None,
        follow_outside: bool = False,
    ) -> Refreshed:
        """Indexes new and changed objects, drops removed ones; see `refresh.refresh`."""
        from pqexplore.lake.metadatastore import refresh

        return refresh.refresh(self, spark, dataset=dataset, keys=keys, follow_outside=follow_outside)

    def __iter__(self) -> Iterator[IndexedObject]:
        return iter(self.objects)

    def __repr__(self) -> str:
        listed = ", ".join(str(index) for index in self.indexes[:4])
        more = ", …" if len(self.indexes) > 4 else ""
        return printable(
            f"<Store {self.path}: version {self.version} ({self.status}), {self.num_rows:,} objects of "
            f"{self.table_identifier}; {listed or 'no indexes'}{more}>"
        )
