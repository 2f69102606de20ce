"""The mark that this package writes into the footers of its store files.

No version of the format records two things: whether a MinMax value without minimum and maximum means "all NULL" or
"unknown", and the types of columns with Bloom filters. In files with this mark it means "all NULL", and the mark has
the types. xskipper and Spark ignore keys that they do not know.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

KEY = "pqexplore.metadatastore"


@dataclasses.dataclass(frozen=True)
class Mark:
    """The mark of one file: the Spark types of the indexed columns, by lower-cased column."""

    types: Mapping[str, str]


def read(key_values: Mapping[str, str | None]) -> Mark | None:
    """Reads the mark in a footer's key-value metadata; None if absent."""
    text = key_values.get(KEY)
    if text is None or len(text) > 16 << 20:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    kinds = found.get("types") if isinstance(found, dict) else None
    if not isinstance(kinds, dict):
        return None
    return Mark({str(name): str(kind) for name, kind in kinds.items()})


def write(types: Mapping[str, str]) -> dict[str, str]:
    """The key-value metadata of a mark; the inverse of `read`."""
    return {KEY: json.dumps({"types": dict(types)}, separators=(",", ":"), ensure_ascii=False)}
