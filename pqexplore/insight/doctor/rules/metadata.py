"""Rules about key-value metadata: the schemas that other programs leave there, which can be stale or damaged.

Readers of the same program believe such a schema, others do not see it: the same file has two contents then. What is
compared is in `engine.format.embedded`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import embedded
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.rule import FOOTER, Cost, Rule, Severity, Source
from pqexplore.engine.text import clip
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    from pqexplore.engine.format.embedded import Embedded
    from pqexplore.insight.doctor.subject import Subject

LISTED = 20
"""Disagreements in the evidence."""

SENTENCE = 300
"""Characters of a disagreement in a sentence."""

CODE = {
    "pyarrow": "pq.write_table(table.replace_schema_metadata(None), path)",
    "DuckDB": "COPY (FROM 'path') TO 'new' (FORMAT parquet)",
}
"""Code that writes the file without the keys of other programs."""


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """A program that leaves a schema in the metadata: its keys, the rule about it, and what a wrong one costs."""

    rule: str
    title: str
    severity: Severity
    keys: tuple[str, ...]
    cost: str
    source: Source


PROGRAMS = (
    Program(
        "arrow-schema-disagrees", "ARROW:schema that differs from the schema", Severity.NOTE, (embedded.ARROW,),
        "readers that restore Arrow's types by it may give other types than the other readers, or none",
        Source(
            "Arrow, reading and writing Parquet: roundtripping Arrow types and schema",
            "https://arrow.apache.org/docs/cpp/parquet.html#roundtripping-arrow-types-and-schema",
        ),
    ),
    Program(
        "pandas-metadata-disagrees", "pandas metadata that differs from the schema", Severity.NOTE, (embedded.PANDAS,),
        "a data frame made from the file may have another index or other types than the one that was written",
        Source(
            "pandas, storing DataFrame objects in Apache Parquet format",
            "https://pandas.pydata.org/docs/development/developer.html",
        ),
    ),
    Program(
        "spark-metadata-disagrees", "Spark's row metadata that differs from the schema", Severity.PORTABILITY,
        (embedded.SPARK,),
        "Spark takes the schema from it, by its source: it does not see columns that it leaves out, and finds nulls in those "
        "that only it has",
        Source(
            "Spark, ParquetFileFormat.readSchemaFromFooter",
            "https://github.com/apache/spark/blob/master/sql/core/src/main/scala/org/apache/spark/sql/execution/datasources/"
            "parquet/ParquetFileFormat.scala",
        ),
    ),
    Program(
        "geo-metadata-disagrees", "GeoParquet metadata that differs from the schema", Severity.PORTABILITY, (embedded.GEO,),
        "readers of GeoParquet find the geometries by it",
        Source("GeoParquet 1.1", "https://geoparquet.org/releases/v1.1.0/"),
    ),
    Program(
        "table-schema-disagrees", "An Iceberg or Avro schema that differs from the schema", Severity.NOTE,
        (embedded.ICEBERG, *embedded.AVRO),
        "a reader that takes the columns from it may not find them",
        Source("Iceberg, Parquet", "https://iceberg.apache.org/spec/#parquet"),
    ),
)  # fmt: skip


def _decoded(subject: Subject, keys: tuple[str, ...]) -> Iterator[tuple[int, Embedded]]:
    """The index in the key-value metadata and the decoded value of each pair with one of the keys."""
    metadata = subject.file.metadata
    for index, pair in enumerate((metadata and metadata.key_value_metadata) or ()):
        if pair.key not in keys or structs.missing(pair):
            continue
        found = embedded.decode(pair.key, pair.value)
        if found is not None:
            yield index, found


def _disagrees(program: Program) -> Callable[[Subject], Iterator[Finding]]:
    """The function of the rule about a program."""

    def find(subject: Subject) -> Iterator[Finding]:
        """Schemas of the program that differ from the file's."""
        if not subject.leaves:
            return
        for index, found in _decoded(subject, program.keys):
            problems = embedded.disagreements(found, subject.file.schema) if found.problem is None else []
            if not problems:
                continue
            more = f" ({plural(len(problems) - 1, 'more difference')})" if len(problems) > 1 else ""
            yield Finding(
                program.rule,
                Address.of("footer/key_value_metadata", index),
                f"The key-value metadata contradicts the schema: {clip(problems[0], SENTENCE)}{more}.",
                {"key": found.key, "disagreements": [clip(one, SENTENCE) for one in problems[:LISTED]]},
                cost=Cost(program.cost),
                fix="Write the file again with the program that the key is of, or without the key.",
                code=CODE,
            )

    return find


def damaged(subject: Subject) -> Iterator[Finding]:
    """Schemas in the key-value metadata that cannot be read."""
    for index, found in _decoded(subject, embedded.KEYS):
        if found.problem is None or not found.damaged:
            continue
        source = next(one.source for one in PROGRAMS if found.key in one.keys)
        yield Finding(
            "metadata-damaged",
            Address.of("footer/key_value_metadata", index),
            f"The key-value metadata is damaged: {clip(found.problem, SENTENCE)}.",
            {"key": found.key, "problem": clip(found.problem, SENTENCE)},
            cost=Cost("readers that use it fail, or read the file as if it were not there"),
            fix="Write the file again with the program that the key is of, or without the key.",
            code=CODE,
            source=source,
        )


RULES = (
    *(
        Rule(
            one.rule,
            one.severity,
            FOOTER,
            one.title,
            "Programs that copy or rewrite files often keep the metadata of columns that they left out or changed.",
            _disagrees(one),
            one.source,
        )
        for one in PROGRAMS
    ),
    Rule(
        "metadata-damaged", Severity.PORTABILITY, FOOTER, "Schemas in the metadata that cannot be read",
        "Their JSON, base64 or Arrow message is broken.", damaged, PROGRAMS[0].source,
    ),
)  # fmt: skip
