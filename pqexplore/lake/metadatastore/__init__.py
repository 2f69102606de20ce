"""Data skipping indexes in a Parquet Metadatastore: read, evaluated, built, upgraded, refreshed.

A metadatastore has, for each object (file) of a dataset, what indexes know of it: the least and greatest value of a
column, its distinct values, a Bloom filter of them. A query needs only the objects that its condition may be TRUE for.
The format is xskipper's; versions 1 to 4 are read, version 4 is written, and xskipper reads it.

    from pqexplore.lake import metadatastore
    store = metadatastore.open("indexes")
    found = store.evaluate("temp < 5 AND city = 'x'")
    found.skipped, found.kept, found.reasons

Every module is a room: `names`, `schema`, `types`, `directories`, `store` and `findings` are what a store is; `predicate`, `comparison`, `evidence`
and `evaluate` what can be skipped; `upstream` and `soundness` what xskipper would skip, and where that is wrong;
`java_stream` and `sketch` Bloom filters; `indexes`, `dataset`, `collect`, `building`, `write`, `upgrade` and `refresh` make stores.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_HOME = {
    "open": "store",
    "find": "directories",
    "is_store": "directories",
    "Store": "store",
    "IndexedObject": "store",
    "Index": "schema",
    "Evaluation": "evaluate",
    "Reason": "evaluate",
    "build": "building",
    "MinMax": "indexes",
    "ValueList": "indexes",
    "BloomFilter": "indexes",
    "StoreKeys": "keys",
    "Refreshed": "refresh",
    "Hazard": "soundness",
}

__all__ = [
    "BloomFilter",
    "Evaluation",
    "Hazard",
    "Index",
    "IndexedObject",
    "MinMax",
    "Reason",
    "Refreshed",
    "Store",
    "StoreKeys",
    "ValueList",
    "build",
    "find",
    "is_store",
    "open",
]

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore.building import build as build
    from pqexplore.lake.metadatastore.directories import find as find
    from pqexplore.lake.metadatastore.directories import is_store as is_store
    from pqexplore.lake.metadatastore.evaluate import Evaluation as Evaluation
    from pqexplore.lake.metadatastore.evaluate import Reason as Reason
    from pqexplore.lake.metadatastore.indexes import BloomFilter as BloomFilter
    from pqexplore.lake.metadatastore.indexes import MinMax as MinMax
    from pqexplore.lake.metadatastore.indexes import ValueList as ValueList
    from pqexplore.lake.metadatastore.keys import StoreKeys as StoreKeys
    from pqexplore.lake.metadatastore.refresh import Refreshed as Refreshed
    from pqexplore.lake.metadatastore.schema import Index as Index
    from pqexplore.lake.metadatastore.soundness import Hazard as Hazard
    from pqexplore.lake.metadatastore.store import IndexedObject as IndexedObject
    from pqexplore.lake.metadatastore.store import Store as Store
    from pqexplore.lake.metadatastore.store import open as open


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'pqexplore.lake.metadatastore' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
