"""Descriptions of the schema in the key-value metadata: do they read, and do they describe this file?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine import embedded
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.file import ParquetFile


def findings(file: ParquetFile) -> Iterator[Finding]:
    """ARROW:schema, Spark's row metadata, pandas, geo: a warning where one is damaged, else a note where one disagrees
    or has what our reader does not know.
    """
    if file.metadata is None:
        return
    for index, pair in enumerate(file.metadata.key_value_metadata or ()):
        if pair.key is None:
            continue
        decoded = embedded.decode(pair.key, pair.value)
        if decoded is None:
            continue
        address = join("footer/key_value_metadata", index)
        if decoded.problem is not None:
            rule, severity = "embedded-damaged", "warning"
            if not decoded.damaged:
                rule, severity = "embedded-unknown", "note"
            yield Finding(rule, severity, address, decoded.problem, {"key": pair.key})
            continue
        said = embedded.disagreements(decoded, file.schema)
        if said:
            more = f" (and {len(said) - 1:,} more)" if len(said) > 1 else ""
            yield Finding(
                "embedded-disagrees",
                "note",
                address,
                said[0] + more,
                {"key": pair.key, "disagreements": said},
            )
