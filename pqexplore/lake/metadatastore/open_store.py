"""Opens a metadatastore: finds its files, reads their footers, and checks that they agree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.file import file as engine
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.engine.file.source import local_path
from pqexplore.lake.metadatastore import directories, mark, names, remote
from pqexplore.lake.metadatastore.store import Store
from pqexplore.lake.metadatastore.store_schema import StoreSchema
from pqexplore.lake.metadatastore.stored_values import IndexPart
from pqexplore.lake.places.allowed_paths import AllowedPaths

if TYPE_CHECKING:
    from pqexplore.engine.format.encryption.keys import Decryption


def open(
    path: str | os.PathLike[str],
    *,
    decryption: Decryption | None = None,
    table_identifier: str | None = None,
    follow_outside: bool = False,
    storage_options: StorageOptions | None = None,
) -> Store:
    """Opens the metadatastore in a directory, or below it if it is a base path. Reads only the footers of its files.

    The path may be a URL that fsspec knows, with its `storage_options`.

    `decryption` has the keys of an encrypted store. `table_identifier` chooses the table if a base path has several
    stores. The store's objects are opened, and a refresh lists its dataset, only below the folder of `path`. With
    `follow_outside` they may be anywhere: pass it only if you trust the store's author (see `lake.allowed_paths`).

    Raises UsageError if there is no store, or more than one; CorruptFileError if the files contradict each other;
    EncryptedFileError if the footers need a key; FileNotFoundError if the path does not exist.
    """
    options = dict(storage_options or {})
    here = local_path(os.fspath(path)) or remote.normal(os.fspath(path), options)
    directory = directories.resolve(here, decryption, table_identifier, options)
    files = directories.part_files(directory, options)
    parts, first = [], None
    for name in files:
        with engine.open(name, decryption=decryption, storage_options=options) as opened:
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
            parts.append(IndexPart(name, opened.num_rows, opened.size, made))
    assert first is not None
    base = _base_path(directory, first)
    reach = AllowedPaths(base, follow_outside)
    if remote.is_remote(base):
        reach.name(base.rpartition("/")[0])
    return Store(directory, first, tuple(parts), decryption, reach=reach, options=options)


def _base_path(directory: str, found: StoreSchema) -> str:
    """The base path of a store, or its directory if it has no base path; datasets are searched next to it."""
    is_file = directory.endswith(".parquet") or os.path.isfile(directory)
    folder = os.path.dirname(directory) if is_file else directory
    stored = names.stored_identifier(found.table_identifier or "")
    hashed = {names.store_directory(one) for one in (stored, f"/{stored}")} if stored else set()
    return os.path.dirname(folder) if os.path.basename(folder) in hashed else folder


def _comparable(found: StoreSchema) -> tuple[Any, ...]:
    """The part of a schema that is the same in all files of a store."""
    indexes = [(index.name, index.columns, index.column) for index in found.indexes]
    partitions = [(one.name, one.type) for one in found.partitions]
    return found.version, names.stored_identifier(found.table_identifier or ""), indexes, partitions
