"""Finds problems in a store, such as names that do not fit their index, and key labels that contradict each other.

The store can be read in spite of them, because a column's metadata says what is indexed. But a program that derives
the columns of an index from its name reads the wrong ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import Rule, Severity, register
from pqexplore.lake.metadatastore import names, store_schema

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore.store import Store

PLACE = "footer/key_value_metadata"

RULES = register(
    *(
        Rule(name, severity, title=title, specification=words, violation=True)
        for name, severity, title, words in (
            (
                "store-not-understood", Severity.PORTABILITY, "A store of a version that cannot be read",
                "The version numbers are natural numbers.",
            ),
            ("index-not-understood", Severity.NOTE, "An index of an unknown kind", ""),
            (
                "index-name-disagrees", Severity.PORTABILITY, "An index whose column has another name",
                "Column name generation",
            ),
            (
                "index-names-not-prefix-free", Severity.PORTABILITY, "An index whose name begins another",
                "the set of column names in spark schema for all indexes is prefix free",
            ),
            (
                "key-labels-disagree", Severity.DAMAGE, "Key labels that contradict each other",
                "this key label must be consistent with the one with which the columns for this index are encrypted",
            ),
            ("objects-unreadable", Severity.DAMAGE, "Names of objects that cannot be read", ""),
            ("duplicate-objects", Severity.PORTABILITY, "Objects with more than one row", "one row for each object"),
        )
    )
)  # fmt: skip


def find(store: Store) -> list[Finding]:
    """The findings of a store; reads no values but the objects' names."""
    return [*_status(store), *_names(store), *_labels(store), *_objects(store)]


def _status(store: Store) -> Iterator[Finding]:
    if store.status in (store_schema.UNSUPPORTED, store_schema.TOO_NEW):
        meaning = store_schema.STATUSES[store.status]
        yield Finding("store-not-understood", PLACE, f"version {store.version}: {meaning}", {"version": store.version})
    for index in store.indexes:
        if store.schema.values_readable and not index.readable:
            yield Finding(
                "index-not-understood",
                PLACE,
                f"the index {index.name!r} in column {index.column!r} is of an unknown kind, and skips nothing",
                {"column": index.column, "index": index.name},
            )


def _names(store: Store) -> Iterator[Finding]:
    for index in store.indexes:
        expected = names.index_column(store.version, index.columns, index.name)
        if index.column != expected:
            yield Finding(
                "index-name-disagrees",
                PLACE,
                f"the column of {index} is called {index.column!r}; version {store.version} calls it {expected!r}",
                {"column": index.column, "expected": expected},
            )
    for one in store.indexes:
        for other in store.indexes:
            if one is not other and other.column.startswith(one.column):
                yield Finding(
                    "index-names-not-prefix-free",
                    PLACE,
                    f"the name {one.column!r} is a prefix of {other.column!r}; xskipper would encrypt the second with "
                    "the key of the first",
                    {"column": one.column, "other": other.column},
                )


def _labels(store: Store) -> Iterator[Finding]:
    listed: dict[str, str] = {}
    if store.encryption is not None:
        for label, paths in store.encryption.column_keys.items():
            listed |= dict.fromkeys(paths, label)
    for index in store.indexes:
        column_labels = {listed.get(path) for path in store_schema.leaf_paths(index)}
        if column_labels != {index.key_metadata}:
            shown = ", ".join(sorted(repr(label) for label in column_labels))
            yield Finding(
                "key-labels-disagree",
                PLACE,
                f"{index} has the key label {index.key_metadata!r}, but the list of column keys has {shown}",
                {"column": index.column, "key_metadata": index.key_metadata},
            )


def _objects(store: Store) -> Iterator[Finding]:
    try:
        duplicates = store.duplicates
    except ParquetError as error:
        yield Finding("objects-unreadable", names.OBJECT, error.message)
        return
    if duplicates:
        yield Finding(
            "duplicate-objects",
            names.OBJECT,
            f"{len(duplicates):,} objects have more than one row, such as {duplicates[0]!r}; a refresh was "
            "interrupted. Refresh the store again to repair it",
            {"objects": len(duplicates)},
        )
