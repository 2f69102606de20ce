"""Updates a store after its dataset has changed: indexes new and changed files, drops removed ones.

An object is a file at one modification time: a changed file is a new object, and the old object is removed. Rows of
unchanged files are copied. All rows are written to a new directory, which then replaces the old one (see `write`).
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.engine.text import printable
from pqexplore.lake.metadatastore import collect, indexes, remote, staleness, store_schema, upgrade, write
from pqexplore.lake.metadatastore import dataset as datasets
from pqexplore.lake.metadatastore.building import agreed_types, index_files, reopened, runner
from pqexplore.lake.metadatastore.store_keys import StoreKeys

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pqexplore.lake.metadatastore.store import Store


@dataclasses.dataclass(frozen=True)
class Refreshed:
    """The result of a refresh: the updated store, and the names of the objects added, removed and kept.

    `omitted` has the reason for each file that could not be indexed, by path.
    """

    store: Store
    added: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    omitted: Mapping[str, str]

    def __repr__(self) -> str:
        return (
            f"<Refreshed {printable(self.store.path)}: {len(self.added):,} objects added, {len(self.removed):,} removed, "
            f"{len(self.kept):,} kept, {len(self.omitted):,} omitted>"
        )


def refresh(
    store: Store,
    spark: SparkSession | None = None,
    *,
    dataset: str | os.PathLike[str] | None = None,
    keys: StoreKeys | None = None,
    follow_outside: bool = False,
) -> Refreshed:
    """Updates a store in place, and opens it; a store of version 1 to 3 becomes one of version 4.

    `spark` is a session whose executors read the new files, or None. `dataset` is the path of the table's files, by
    default the table's identifier. `keys` are needed if the store is encrypted. `follow_outside` is that of `build`. Nothing is written if nothing changed.
    Raises UsageError if the table's files are not at the path in the store.
    """
    upgrade.require_values(store)
    options = store.storage_options
    remote.require_here(spark, options)
    found = staleness.listed(store, dataset, follow_outside)
    current = {one.object_name: one for one in found.files}
    new = [one for name, one in current.items() if name not in store.rows and one.path not in found.refused]
    removed = tuple(name for name in store.rows if name not in current)
    kept = tuple(name for name in store.rows if name in current)
    stale = store.version < store_schema.CURRENT or store.duplicates or store.partitions != found.partitions
    if not (new or removed or stale):
        return Refreshed(store, (), (), kept, found.refused)
    of = upgrade.current_schema(store, found.partitions, keys)
    partitions = {name: current[name].partition for name in kept}
    omitted = _write(store, of, partitions, new, keys, runner(spark)) | dict(found.refused)
    added = tuple(one.object_name for one in new if one.path not in omitted)
    # All remaining objects were listed just now, in a dataset that the caller or the store's reach allows.
    trusted = dataset is not None or store.reach.everywhere
    made = reopened(store.path, keys, omitted, trusted=trusted, options=options)
    return Refreshed(made, added, removed, kept, omitted)


def _write(
    store: Store,
    of: store_schema.StoreSchema,
    kept: Mapping[str, Mapping[str, Any]],
    new: list[datasets.DataFile],
    keys: StoreKeys | None,
    run: Any,
) -> dict[str, str]:
    """Writes the objects kept, with their partitions, and new files in place of a store; returns the reasons for omitted files."""
    options, known = store.storage_options, store.column_types
    wanted = [one for index in store.indexes if (one := indexes.of_index(index)) is not None]
    omitted: dict[str, str] = {}
    if new:
        known, omitted = _types(store, new, wanted, known, run, options)
    readable = [one for one in new if one.path not in omitted]
    with write.staged(store.path, options, keys) as local, write.StoreWriter(local, of, known, keys) as writer:
        upgrade.copy_rows(store, writer, of, kept)
        omitted |= index_files(writer, of, readable, wanted, known, collect.VALUES, run, options)
        writer.finish()
    return omitted


def _types(
    store: Store,
    new: list[datasets.DataFile],
    wanted: list[indexes.Wanted],
    known: Mapping[str, str],
    run: Any,
    options: StorageOptions,
) -> tuple[dict[str, str], dict[str, str]]:
    """Types of the indexed columns: from the store, or from the new files if only a Bloom filter is on the column."""
    columns = {one.column for one in wanted}
    settled = {column: kind for column, kind in known.items() if column in columns}
    try:
        return agreed_types(new, wanted, settled, run, options)
    except UsageError as error:
        if columns <= set(settled):
            raise
        return ({**dict.fromkeys(columns, "string"), **settled}, {one.path: str(error) for one in new})
