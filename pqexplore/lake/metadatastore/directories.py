"""Finds the directories and files of stores.

A store is a directory of its own with Parquet files. xskipper keeps the stores of many tables below one base path, each
in a directory named after the hash of the table's identifier (see `names`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pqexplore.engine.errors import CorruptFileError, ParquetError, UsageError
from pqexplore.engine.file import file as engine
from pqexplore.lake.metadatastore import names, schema
from pqexplore.lake.metadatastore.schema import StoreSchema

if TYPE_CHECKING:
    from pqexplore.engine.format.encryption.keys import Decryption


def is_store(path: str | os.PathLike[str], *, decryption: Decryption | None = None) -> bool:
    """Whether a path is a metadatastore, or a base path with one or more; reads one footer of each.

    False for a store with encrypted footers whose keys are missing.
    """
    where = os.fspath(path)
    if not os.path.isdir(where):
        return False
    for name in part_files(where)[:1]:
        try:
            with engine.open(name, decryption=decryption) as opened:
                return schema.is_store(opened.key_value_metadata)
        except ParquetError:
            return False
    return bool(find(where, decryption=decryption))


def find(base: str | os.PathLike[str], *, decryption: Decryption | None = None) -> dict[str, str]:
    """Finds the directories below a base path that are stores. Returns the table identifier by directory.

    Stores with encrypted footers whose keys are missing are left out.
    """
    found: dict[str, str] = {}
    for entry in sorted(os.scandir(base), key=lambda entry: entry.name):
        if not entry.is_dir() or entry.name.startswith((".", "_")):
            continue
        for name in part_files(entry.path)[:1]:
            try:
                with engine.open(name, decryption=decryption) as opened:
                    if schema.is_store(opened.key_value_metadata):
                        found[entry.path] = schema_of(opened, name).table_identifier or ""
            except ParquetError:
                continue
    return found


def part_files(directory: str) -> list[str]:
    """The data files of a store's directory, sorted, without hidden files and markers such as `_SUCCESS`."""
    if os.path.isfile(directory):
        return [directory]
    return sorted(
        entry.path
        for entry in os.scandir(directory)
        if entry.name.endswith(".parquet") and not entry.name.startswith((".", "_"))
    )


def resolve(path: str, decryption: Decryption | None, identifier: str | None) -> str:
    """The directory of the store at a path: the path itself, or a directory below it.

    Raises UsageError if there is no store, or if there are several and `identifier` is None.
    """
    path = path.rstrip("/") or "/"
    if part_files(path):
        return path
    if identifier is not None:
        below = os.path.join(path, names.store_directory(names.table_identifier(identifier)))
        if os.path.isdir(below) and part_files(below):
            return below
        raise UsageError(f"{path} has no metadatastore for {identifier}")
    candidates = [
        entry.path
        for entry in os.scandir(path)
        if entry.is_dir() and not entry.name.startswith((".", "_")) and part_files(entry.path)
    ]
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise UsageError(
            f"{path} is not a metadatastore: it has no Parquet files, and no directory with Parquet files"
        )
    known = ", ".join(sorted(filter(None, find(path, decryption=decryption).values())))
    raise UsageError(
        f"{path} has {len(candidates)} directories; pass table_identifier, one of: {known or 'none can be read'}"
    )


def schema_of(opened: engine.ParquetFile, name: str) -> StoreSchema:
    """The store's schema in the footer of one of its files; CorruptFileError if it is not a store's file."""
    text = opened.key_value_metadata.get(schema.ROW_METADATA)
    if text is None:
        raise CorruptFileError(
            f"{name} has no Spark schema in its footer: it is not a file of a metadatastore",
            address="footer/key_value_metadata",
        )
    return schema.parse(text)
