"""The mark that this package leaves in the footers of the store files it writes.

A reader of a store wants to know two things that no version of the format records: whether a MinMax value without
minimum and maximum means "all NULL" or "unknown", and which types the columns under Bloom filters have. Files with this
mark say "all NULL", and the types. xskipper and Spark ignore keys that they do not know.
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
    """The mark in a footer's key-value metadata; None where there is none."""
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
    """The key-value metadata that `read` gives back."""
    return {KEY: json.dumps({"types": dict(types)}, separators=(",", ":"), ensure_ascii=False)}
