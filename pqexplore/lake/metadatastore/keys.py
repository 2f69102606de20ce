"""Keys for writing an encrypted store, as xskipper's users have them: labels, and a service that wraps keys.

Each file gets data keys of its own, which lie in it wrapped by the master keys that the labels name (the key tools that
parquet-java and Spark share). The store itself only ever says the labels.
"""

from __future__ import annotations

import os
from typing import Any

from pqexplore.engine.encryption import key_material
from pqexplore.engine.encryption.keys import Decryption, Sealed
from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.options import Encryption
from pqexplore.lake.metadatastore import names, schema

KEY_BYTES = 16

LeafPath = tuple[str, ...]


class StoreKeys(Sealed):
    """How a store is encrypted: the footer's key by label, and the service that wraps keys under labels.

    `kms` has `wrap_key(key, label)` and `unwrap_key(wrapped, label)`. Indexes are encrypted that have a `key`; with
    `plaintext_footer` the schema of the store can be read without keys, and its footer is signed.
    """

    def __init__(self, footer_key: str, kms: Any, *, plaintext_footer: bool = False) -> None:
        for method in ("wrap_key", "unwrap_key"):
            if not callable(getattr(kms, method, None)):
                raise UsageError(f"kms is an object with a method {method}(key, label)")
        if not footer_key or not isinstance(footer_key, str):
            raise UsageError("footer_key is the label of a key, not a key")
        self.footer_key = footer_key
        self.kms = kms
        self.plaintext_footer = plaintext_footer

    def decryption(self) -> Decryption:
        """What opens the store."""
        return Decryption(kms=self.kms)

    def encryption(self, of: schema.StoreSchema) -> Encryption:
        """The encryption of one file, with new data keys."""
        metadata: dict[str | LeafPath, bytes] = {}
        columns: dict[str | LeafPath, bytes] = {}
        for path, label in labels(of, self.footer_key).items():
            secret = os.urandom(KEY_BYTES)
            columns[path] = secret
            metadata[path] = key_material.create(secret, label, self.kms)
        footer = os.urandom(KEY_BYTES)
        metadata[""] = key_material.create(footer, self.footer_key, self.kms, is_footer_key=True)
        return Encryption(
            footer, columns, plaintext_footer=self.plaintext_footer, key_metadata=metadata
        )

    def __repr__(self) -> str:
        return f"StoreKeys({self.footer_key!r}, {type(self.kms).__name__})"


def labels(of: schema.StoreSchema, footer_key: str) -> dict[LeafPath, str]:
    """The label of the key for each encrypted leaf: those of encrypted indexes, and of object names and partitions."""
    found: dict[LeafPath, str] = {}
    for index in of.indexes:
        if index.key_metadata is not None:
            for path in schema.leaf_paths(index):
                below = path[len(index.column) + 1 :]
                leaf = (index.column, *below.split(".")) if below else (index.column,)
                found[leaf] = index.key_metadata
    for column in (names.OBJECT, *(partition.column for partition in of.partitions)):
        found[column,] = footer_key
    return found


def check(of: schema.StoreSchema, keys: StoreKeys | None) -> None:
    """Raise UsageError where labels and keys do not go together, by xskipper's rule."""
    labelled = [str(index) for index in of.indexes if index.key_metadata is not None]
    if labelled and keys is None:
        raise UsageError(f"{', '.join(labelled)}: encrypted indexes need keys=StoreKeys(…)")
    if keys is not None and not labelled:
        raise UsageError(
            "keys are given, and no index has a key: an index is encrypted with key=LABEL"
        )
