"""Reads, evaluates, builds, upgrades and refreshes data skipping indexes in a Parquet Metadatastore.

A metadatastore has index values for each object (file) of a dataset: the minimum and maximum of a column, its distinct
values, or a Bloom filter of them. A query reads only the objects for which its condition may be TRUE.
The format is xskipper's. Versions 1 to 4 are read; version 4 is written, and xskipper reads it.

    from pqexplore.lake import metadatastore
    store = metadatastore.open("indexes")
    evaluation = store.evaluate("temp < 5 AND city = 'x'")
    evaluation.skipped, evaluation.kept, evaluation.reasons

The modules:

- a store: `names`, `store_schema`, `store_types`, `directories`, `remote`, `open_store`, `store`, `findings`
- what a query can skip: `comparison`, `evidence`, `evaluate`; what is computed of a condition: `value_ranges`, `terms`,
  `calendar`, `numbers`, `texts`, `expressions`, `computed`
- which index would help: `advice`
- what a query must read, with what has changed since: `staleness`
- what xskipper skips, and where that is wrong: `upstream`, `soundness`
- Bloom filters: `java_stream`, `sketch`
- writing stores: `indexes`, `dataset`, `collect`, `building`, `write`, `store_keys`, `mark`, `upgrade`, `refresh`
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_HOME = {
    "open": "open_store",
    "find": "directories",
    "is_store": "directories",
    "Store": "store",
    "IndexedObject": "store",
    "Index": "store_schema",
    "Evaluation": "evaluate",
    "Reason": "evaluate",
    "build": "building",
    "advise": "advice",
    "Advice": "advice",
    "MinMax": "indexes",
    "ValueList": "indexes",
    "BloomFilter": "indexes",
    "StoreKeys": "store_keys",
    "Refreshed": "refresh",
    "Hazard": "soundness",
    "FilesToRead": "staleness",
    "Staleness": "staleness",
}

__all__ = [
    "Advice",
    "BloomFilter",
    "Evaluation",
    "FilesToRead",
    "Hazard",
    "Index",
    "IndexedObject",
    "MinMax",
    "Reason",
    "Refreshed",
    "Staleness",
    "Store",
    "StoreKeys",
    "ValueList",
    "advise",
    "build",
    "find",
    "is_store",
    "open",
]

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore.advice import Advice as Advice
    from pqexplore.lake.metadatastore.advice import advise as advise
    from pqexplore.lake.metadatastore.building import build as build
    from pqexplore.lake.metadatastore.directories import find as find
    from pqexplore.lake.metadatastore.directories import is_store as is_store
    from pqexplore.lake.metadatastore.evaluate import Evaluation as Evaluation
    from pqexplore.lake.metadatastore.evaluate import Reason as Reason
    from pqexplore.lake.metadatastore.indexes import BloomFilter as BloomFilter
    from pqexplore.lake.metadatastore.indexes import MinMax as MinMax
    from pqexplore.lake.metadatastore.indexes import ValueList as ValueList
    from pqexplore.lake.metadatastore.open_store import open as open
    from pqexplore.lake.metadatastore.refresh import Refreshed as Refreshed
    from pqexplore.lake.metadatastore.soundness import Hazard as Hazard
    from pqexplore.lake.metadatastore.staleness import FilesToRead as FilesToRead
    from pqexplore.lake.metadatastore.staleness import Staleness as Staleness
    from pqexplore.lake.metadatastore.store import IndexedObject as IndexedObject
    from pqexplore.lake.metadatastore.store import Store as Store
    from pqexplore.lake.metadatastore.store_keys import StoreKeys as StoreKeys
    from pqexplore.lake.metadatastore.store_schema import Index as Index


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'pqexplore.lake.metadatastore' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
