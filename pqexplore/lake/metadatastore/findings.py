"""Finds problems in a store, such as names that do not fit their index, and key labels that contradict each other.

The store can be read in spite of them, because a column's metadata says what is indexed. But a program that derives
the columns of an index from its name reads the wrong ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.lake.metadatastore import names, schema

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore.store import Store

PLACE = "footer/key_value_metadata"


def find(store: Store) -> list[Finding]:
    """The findings of a store; reads no values but the objects' names."""
    return [*_status(store), *_names(store), *_labels(store), *_objects(store)]


def _status(store: Store) -> Iterator[Finding]:
    if store.status in (schema.UNSUPPORTED, schema.TOO_NEW):
        meaning = schema.STATUSES[store.status]
        yield Finding(
            "store-not-understood",
            "warning",
            PLACE,
            f"version {store.version}: {meaning}",
            {"version": store.version},
            "The version numbers are natural numbers.",
        )
    for index in store.indexes:
        if store.schema.values_readable and not index.readable:
            yield Finding(
                "index-not-understood",
                "note",
                PLACE,
                f"the index {index.name!r} in column {index.column!r} is of an unknown kind, and skips nothing",
                {"column": index.column, "index": index.name},
                "",
            )


def _names(store: Store) -> Iterator[Finding]:
    for index in store.indexes:
        expected = names.index_column(store.version, index.columns, index.name)
        if index.column != expected:
            yield Finding(
                "index-name-disagrees",
                "warning",
                PLACE,
                f"the column of {index} is called {index.column!r}; version {store.version} calls it {expected!r}",
                {"column": index.column, "expected": expected},
                "Column name generation",
            )
    for one in store.indexes:
        for other in store.indexes:
            if one is not other and other.column.startswith(one.column):
                yield Finding(
                    "index-names-not-prefix-free",
                    "warning",
                    PLACE,
                    f"the name {one.column!r} is a prefix of {other.column!r}; xskipper would encrypt the second with "
                    "the key of the first",
                    {"column": one.column, "other": other.column},
                    "the set of column names in spark schema for all indexes is prefix free",
                )


def _labels(store: Store) -> Iterator[Finding]:
    listed: dict[str, str] = {}
    if store.encryption is not None:
        for label, paths in store.encryption.column_keys.items():
            listed |= dict.fromkeys(paths, label)
    for index in store.indexes:
        column_labels = {listed.get(path) for path in schema.leaf_paths(index)}
        if column_labels != {index.key_metadata}:
            shown = ", ".join(sorted(repr(label) for label in column_labels))
            yield Finding(
                "key-labels-disagree",
                "error",
                PLACE,
                f"{index} has the key label {index.key_metadata!r}, but the list of column keys has {shown}",
                {"column": index.column, "key_metadata": index.key_metadata},
                "this key label must be consistent with the one with which the columns for this index are encrypted",
            )


def _objects(store: Store) -> Iterator[Finding]:
    try:
        duplicates = store.duplicates
    except ParquetError as error:
        yield Finding("objects-unreadable", "error", names.OBJECT, error.message, {}, "")
        return
    if duplicates:
        yield Finding(
            "duplicate-objects",
            "warning",
            names.OBJECT,
            f"{len(duplicates):,} objects have more than one row, such as {duplicates[0]!r}; a refresh was "
            "interrupted. Refresh the store again to repair it",
            {"objects": len(duplicates)},
            "one row for each object",
        )
