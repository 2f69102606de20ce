"""Checks the schemas in the key-value metadata: can they be read, and do they describe this file?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import embedded
from pqexplore.engine.format.thrift import structs

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile


def findings(file: ParquetFile) -> Iterator[Finding]:
    """ARROW:schema, Spark's row metadata, pandas, geo: a warning if one is damaged, a note if one contradicts the
    schema or has something that this version does not know.
    """
    if file.metadata is None:
        return
    for index, pair in enumerate(file.metadata.key_value_metadata or ()):
        if structs.missing(pair):
            continue
        decoded = embedded.decode(pair.key, pair.value)
        if decoded is None:
            continue
        address = Address.of("footer/key_value_metadata", index)
        if decoded.problem is not None:
            rule = "embedded-damaged"
            if not decoded.damaged:
                rule = "embedded-unknown"
            yield Finding(rule, address, decoded.problem, {"key": pair.key})
            continue
        problems = embedded.disagreements(decoded, file.schema)
        if problems:
            more = f" (and {len(problems) - 1:,} more)" if len(problems) > 1 else ""
            yield Finding(
                "embedded-disagrees", address, problems[0] + more, {"key": pair.key, "disagreements": problems}
            )
