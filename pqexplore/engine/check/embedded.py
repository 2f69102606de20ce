"""Checks the schemas in the key-value metadata: can they be read, and do they describe this file?

Readers of the program that left such a schema believe it, others do not see it: the same file has two contents then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import embedded
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.text import clip

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

LISTED = 20
"""Disagreements in the evidence."""

SENTENCE = 300
"""Characters of a disagreement in a sentence."""

DISAGREE = {
    embedded.ARROW: "arrow-schema-disagrees",
    embedded.PANDAS: "pandas-metadata-disagrees",
    embedded.SPARK: "spark-metadata-disagrees",
    embedded.GEO: "geo-metadata-disagrees",
    embedded.ICEBERG: "table-schema-disagrees",
    **dict.fromkeys(embedded.AVRO, "table-schema-disagrees"),
}
"""The rule about a schema that differs from the file's, by its key."""


def findings(file: ParquetFile) -> Iterator[Finding]:
    """Schemas of other programs that cannot be read, differ from the file's, or have something that this version does not know."""
    for index, pair in enumerate((file.metadata and file.metadata.key_value_metadata) or ()):
        decoded = None if structs.missing(pair) else embedded.decode(pair.key, pair.value)
        if decoded is None:
            continue
        address, evidence = Address.of("footer/key_value_metadata", index), {"key": pair.key}
        if decoded.problem is not None:
            rule = "metadata-damaged" if decoded.damaged else "embedded-unknown"
            yield Finding(rule, address, evidence=evidence | {"problem": clip(decoded.problem.rstrip("."), SENTENCE)})
            continue
        try:
            problems = [clip(one, SENTENCE) for one in embedded.disagreements(decoded, file.schema)]
        except ParquetError:
            continue  # the schema cannot be read, as other findings say
        if problems:
            more = f" (and {len(problems) - 1:,} more)" if len(problems) > 1 else ""
            known = {"disagreements": problems[:LISTED], "first": problems[0] + more}
            yield Finding(DISAGREE[pair.key], address, evidence=evidence | known)
