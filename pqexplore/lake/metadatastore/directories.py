"""Finds the directories and files of stores.

A store is a directory of its own with Parquet files. xskipper keeps the stores of many tables below one base path, each
in a directory named after the hash of the table's identifier (see `names`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pqexplore.engine.errors import CorruptFileError, ParquetError, UsageError
from pqexplore.engine.file import file as engine
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.lake.metadatastore import names, remote, store_schema
from pqexplore.lake.metadatastore.store_schema import StoreSchema

if TYPE_CHECKING:
    from pqexplore.engine.format.encryption.keys import Decryption


def is_store(
    path: str | os.PathLike[str], *, decryption: Decryption | None = None, storage_options: StorageOptions | None = None
) -> bool:
    """Whether a path is a metadatastore, or a base path with one or more; reads one footer of each.

    False for a store with encrypted footers whose keys are missing.
    """
    where, options = os.fspath(path), dict(storage_options or {})
    if not remote.is_remote(where) and not os.path.isdir(where):
        return False
    for name in part_files(where, options)[:1]:
        try:
            with engine.open(name, decryption=decryption, storage_options=options) as opened:
                return store_schema.is_store(opened.key_value_metadata)
        except ParquetError:
            return False
    return bool(find(where, decryption=decryption, storage_options=options))


def find(
    base: str | os.PathLike[str], *, decryption: Decryption | None = None, storage_options: StorageOptions | None = None
) -> dict[str, str]:
    """Finds the directories below a base path or URL that are stores. Returns the table identifier by directory.

    Stores with encrypted footers whose keys are missing are left out.
    """
    found: dict[str, str] = {}
    options = dict(storage_options or {})
    for folder in _folders(os.fspath(base), options):
        for name in part_files(folder, options)[:1]:
            try:
                with engine.open(name, decryption=decryption, storage_options=options) as opened:
                    if store_schema.is_store(opened.key_value_metadata):
                        found[folder] = schema_of(opened, name).table_identifier or ""
            except ParquetError:
                continue
    return found


def _folders(path: str, options: StorageOptions) -> list[str]:
    """The folders directly below a path or URL, sorted, without hidden ones."""
    if remote.is_remote(path):
        return remote.folders(path, options)
    return sorted(entry.path for entry in _entries(path) if entry.is_dir() and not entry.name.startswith((".", "_")))


def _entries(directory: str) -> list[os.DirEntry[str]]:
    """What is in a folder of this machine."""
    if "\0" in directory:
        raise UsageError(f"a path has no NUL character; {directory!r} has one")
    with os.scandir(directory) as entries:
        return list(entries)


def part_files(directory: str, options: StorageOptions) -> list[str]:
    """The data files of a store's directory, sorted, without hidden files and markers such as `_SUCCESS`."""
    if remote.is_remote(directory):
        return remote.parquet_files(directory, options)
    if os.path.isfile(directory):
        return [directory]
    return sorted(
        entry.path
        for entry in _entries(directory)
        if entry.name.endswith(".parquet") and not entry.name.startswith((".", "_"))
    )


def resolve(path: str, decryption: Decryption | None, identifier: str | None, options: StorageOptions) -> str:
    """The directory of the store at a path: the path itself, or a directory below it.

    Raises UsageError if there is no store, or if there are several and `identifier` is None.
    """
    path = path.rstrip("/") or "/"
    if part_files(path, options):
        return path
    if identifier is not None:
        table = names.table_identifier(identifier)
        for one in dict.fromkeys((table, f"/{names.stored_identifier(table)}")):  # files may have it without its slash
            below = os.path.join(path, names.store_directory(one))
            if (remote.is_remote(path) or os.path.isdir(below)) and part_files(below, options):
                return below
        raise UsageError(f"{path} has no metadatastore for {identifier}")
    candidates = [folder for folder in _folders(path, options) if part_files(folder, options)]
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise UsageError(f"{path} is not a metadatastore: it has no Parquet files, and no directory with Parquet files")
    known = ", ".join(sorted(filter(None, find(path, decryption=decryption, storage_options=options).values())))
    raise UsageError(
        f"{path} has {len(candidates)} directories; pass table_identifier, one of: {known or 'none can be read'}"
    )


def schema_of(opened: engine.ParquetFile, name: str) -> StoreSchema:
    """The store's schema in the footer of one of its files; CorruptFileError if it is not a store's file."""
    text = opened.key_value_metadata.get(store_schema.ROW_METADATA)
    if text is None:
        raise CorruptFileError(
            f"{name} has no Spark schema in its footer: it is not a file of a metadatastore",
            address="footer/key_value_metadata",
        )
    return store_schema.parse(text)
