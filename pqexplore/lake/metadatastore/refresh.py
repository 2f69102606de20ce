"""A store brought up to date with its dataset: what is new or changed is indexed, what is gone is dropped.

An object is a file at one moment: a file that was written since is a new object, and the old one is gone. The rows that
hold stay as they are; all rows together become a new directory, which then takes the old one's place (see `write`).
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.lake.metadatastore import collect, indexes, schema, upgrade, write
from pqexplore.lake.metadatastore import dataset as datasets
from pqexplore.lake.metadatastore.building import agreed_types, index_files, reopened, runner
from pqexplore.lake.metadatastore.keys import StoreKeys

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore.store import Store


@dataclasses.dataclass(frozen=True)
class Refreshed:
    """What a refresh did: the store as it is now, and the names of the objects that were added, removed and kept.

    `omitted` are files that could not be indexed, by path, with the reason.
    """

    store: Store
    added: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    omitted: Mapping[str, str]


def refresh(
    store: Store,
    spark: Any = None,
    *,
    dataset: str | os.PathLike[str] | None = None,
    keys: StoreKeys | None = None,
) -> Refreshed:
    """Bring a store up to date, in its place, and open it; a store of version 1 to 3 becomes one of version 4.

    `spark` is a session whose executors read the new files, or None. `dataset` is where the table's files are, by
    default the path that the table's identifier is. `keys` are needed where the store is encrypted. Nothing is written
    where nothing changed. Raises UsageError where the table's files are elsewhere than the store says.
    """
    upgrade.require_values(store)
    identifier = upgrade.required_identifier(store)
    if dataset is None and not os.path.exists(identifier):
        raise UsageError(
            f"{identifier} is not there; pass dataset, the directory of the table's files"
        )
    found = datasets.listed(identifier if dataset is None else dataset)
    if found.identifier != identifier:
        raise UsageError(
            f"the store is of {identifier}, the dataset would be {found.identifier}: its objects have other names"
        )
    current = {one.object_name: one for one in found.files}
    new = [one for name, one in current.items() if name not in store.rows]
    removed = tuple(name for name in store.rows if name not in current)
    kept = tuple(name for name in store.rows if name in current)
    stale = (
        store.version < schema.CURRENT or store.duplicates or store.partitions != found.partitions
    )
    if not (new or removed or stale):
        return Refreshed(store, (), (), kept, {})
    wanted = [one for index in store.indexes if (one := indexes.of_index(index)) is not None]
    known = store.column_types
    run = runner(spark)
    omitted: dict[str, str] = {}
    if new:
        known, omitted = _types(store, new, wanted, known, run)
    of = upgrade.current_schema(store, found.partitions, keys)
    with write.StoreWriter(store.path, of, known, keys) as writer:
        upgrade.copy_rows(store, writer, of, {name: current[name].partition for name in kept})
        readable = [one for one in new if one.path not in omitted]
        omitted |= index_files(writer, of, readable, wanted, known, collect.VALUES, run)
        writer.finish()
    added = tuple(one.object_name for one in new if one.path not in omitted)
    return Refreshed(reopened(store.path, keys, omitted), added, removed, kept, omitted)


def _types(
    store: Store,
    new: list[datasets.DataFile],
    wanted: list[indexes.Wanted],
    known: Mapping[str, str],
    run: Any,
) -> tuple[dict[str, str], dict[str, str]]:
    """Types of the indexed columns: those of the store, and for Bloom filters alone those of the new files."""
    columns = {one.column for one in wanted}
    settled = {column: kind for column, kind in known.items() if column in columns}
    try:
        return agreed_types(new, wanted, settled, run)
    except UsageError as error:
        if columns <= set(settled):
            raise
        return (
            {**dict.fromkeys(columns, "string"), **settled},
            {one.path: str(error) for one in new},
        )
