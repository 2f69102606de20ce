"""Keys for writing an encrypted store: labels, and a key management service, as in xskipper.

Each file has its own data keys, stored in the file and wrapped with the master keys that the labels name (the key tools
of parquet-java and Spark). The store has only the labels.
"""

from __future__ import annotations

import os
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.encryption import key_material
from pqexplore.engine.format.encryption.keys import Decryption, KeyHolder
from pqexplore.engine.writer.options import Encryption
from pqexplore.lake.metadatastore import names, store_schema

KEY_BYTES = 16

LeafPath = tuple[str, ...]


class StoreKeys(KeyHolder):
    """How a store is encrypted: the label of the footer's key, and the service that wraps keys.

    `kms` has the methods `wrap_key(key, label)` and `unwrap_key(wrapped, label)`. Indexes with a `key` are encrypted;
    with `plaintext_footer` the footer is signed, and the schema of the store can be read without keys.
    Raises UsageError if `kms` lacks a method, or if `footer_key` is not text.
    """

    def __init__(self, footer_key: str, kms: Any, *, plaintext_footer: bool = False) -> None:
        for method in ("wrap_key", "unwrap_key"):
            if not callable(getattr(kms, method, None)):
                raise UsageError(f"kms needs a method {method}(key, label)")
        if not footer_key or not isinstance(footer_key, str):
            raise UsageError("footer_key must be the label of a key, not a key")
        self.footer_key = footer_key
        self.kms = kms
        self.plaintext_footer = plaintext_footer

    def decryption(self) -> Decryption:
        """The `Decryption` that opens the store."""
        return Decryption(kms=self.kms)

    def encryption(self, of: store_schema.StoreSchema) -> Encryption:
        """The `Encryption` of one file, with new data keys."""
        metadata: dict[str | LeafPath, bytes] = {}
        columns: dict[str | LeafPath, bytes] = {}
        for path, label in labels(of, self.footer_key).items():
            secret = os.urandom(KEY_BYTES)
            columns[path] = secret
            metadata[path] = key_material.create(secret, label, self.kms)
        footer = os.urandom(KEY_BYTES)
        metadata[""] = key_material.create(footer, self.footer_key, self.kms, is_footer_key=True)
        return Encryption(footer, columns, plaintext_footer=self.plaintext_footer, key_metadata=metadata)

    def __repr__(self) -> str:
        return f"StoreKeys({self.footer_key!r}, {type(self.kms).__name__})"


def labels(of: store_schema.StoreSchema, footer_key: str) -> dict[LeafPath, str]:
    """The key label of each encrypted leaf: encrypted indexes, object names and partition columns."""
    found: dict[LeafPath, str] = {}
    for index in of.indexes:
        if index.key_metadata is not None:
            for path in store_schema.leaf_paths(index):
                below = path[len(index.column) + 1 :]
                leaf = (index.column, *below.split(".")) if below else (index.column,)
                found[leaf] = index.key_metadata
    for column in (names.OBJECT, *(partition.column for partition in of.partitions)):
        found[column,] = footer_key
    return found


def check(of: store_schema.StoreSchema, keys: StoreKeys | None) -> None:
    """Raises UsageError for labels without keys, or keys without labels: xskipper's rule."""
    labelled = [str(index) for index in of.indexes if index.key_metadata is not None]
    if labelled and keys is None:
        raise UsageError(f"{', '.join(labelled)}: encrypted indexes need keys=StoreKeys(…)")
    if keys is not None and not labelled:
        raise UsageError("keys are given, but no index has a key; pass key=LABEL to the indexes to encrypt")
