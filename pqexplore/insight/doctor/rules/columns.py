"""Rules about columns: types that trouble readers, names that collide, columns without information."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.format.field import LIST_RULES
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.doctor.diagnosis import Cost, Diagnosis, Severity, Source
from pqexplore.insight.doctor.rules.rule import FOOTER, Rule
from pqexplore.insight.wording import listing, name, plural

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Field, Leaf
    from pqexplore.insight.doctor.subject import Subject

LOGICAL_TYPES = Source(
    "Parquet, logical types",
    "https://github.com/apache/parquet-format/blob/master/LogicalTypes.md",
)
INT96 = Source(
    "Parquet, INT96 is deprecated",
    "https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#timestamp",
)
SPARK_CASE = Source(
    "Spark SQL, spark.sql.caseSensitive",
    "https://spark.apache.org/docs/latest/sql-migration-guide.html",
)

LISTED = 4

OLD_LISTS = frozenset(rule for rule in LIST_RULES if rule.startswith(("two-level", "unannotated")))
"""The rules by which readers recognise an old list."""


def _names(leaves: list[Leaf]) -> str:
    return listing([name(leaf.path) for leaf in leaves], most=LISTED)


def int96(subject: Subject) -> Iterator[Diagnosis]:
    """Timestamps in INT96."""
    found = [leaf for leaf in subject.leaves if leaf.physical_type == Type.INT96]
    if not found:
        return
    yield Diagnosis(
        "int96",
        Severity.NOTE,
        f"{plural(len(found), 'column')} {'store' if len(found) > 1 else 'stores'} timestamps as INT96 ({_names(found)}), which "
        "the specification deprecates: under TYPE_ORDER it has no order, so a careful reader skips nothing by it.",
        Address.of("schema", found[0].index),
        "" if len(found) > 1 else ".".join(found[0].path),
        evidence={"columns": [".".join(leaf.path) for leaf in found[:100]]},
        cost=Cost("a condition on them skips no row group in most readers"),
        fix="Write TIMESTAMP in microseconds.",
        code={
            "Spark": "spark.conf.set('spark.sql.parquet.outputTimestampType', 'TIMESTAMP_MICROS')",
            "pyarrow": "pq.write_table(table, path, use_deprecated_int96_timestamps=False)",
        },
        source=INT96,
    )


def legacy_lists(subject: Subject) -> Iterator[Diagnosis]:
    """Lists of two levels."""
    found: list[Field] = []
    for leaf in subject.leaves:
        field: Field | None = leaf
        while field is not None:
            if (field.list_rule or "") in OLD_LISTS and field not in found:
                found.append(field)
            field = field.parent
    if not found:
        return
    names = listing([name(field.path) for field in found], most=LISTED)
    yield Diagnosis(
        "legacy-lists",
        Severity.PORTABILITY,
        f"{plural(len(found), 'list')} {'have' if len(found) > 1 else 'has'} an old layout ({names}): readers disagree about "
        "where its elements and nulls are.",
        Address.of("schema", found[0].index),
        evidence={"lists": [".".join(field.path) for field in found[:100]]},
        fix="Write lists with three levels.",
        code={
            "Spark": "spark.conf.set('spark.sql.parquet.writeLegacyFormat', 'false')",
            "pyarrow": "pq.write_table(table, path, use_compliant_nested_type=True)",
        },
        source=LOGICAL_TYPES,
    )


def colliding_names(subject: Subject) -> Iterator[Diagnosis]:
    """Columns of one group whose names differ in case only, or not at all."""
    seen: dict[int, dict[str, list[Field]]] = {}
    for leaf in subject.leaves:
        field: Field = leaf
        while field.parent is not None:
            siblings = seen.setdefault(id(field.parent), {}).setdefault(field.name.lower(), [])
            if field not in siblings:
                siblings.append(field)
            field = field.parent
    for groups in seen.values():
        for fields in groups.values():
            if len(fields) < 2:
                continue
            same = len({field.name for field in fields}) == 1
            names = listing([name(field.path) for field in fields], most=LISTED)
            how = "have the same name" if same else "differ in case only"
            yield Diagnosis(
                "duplicate-names" if same else "names-differ-in-case",
                Severity.PORTABILITY,
                f"{names} {how}: Spark finds them ambiguous unless it compares names by case."
                if not same
                else f"{names} {how}: a reader that selects columns by name cannot tell which is meant.",
                Address.of("schema", fields[0].index),
                ".".join(fields[0].path),
                evidence={"names": [".".join(field.path) for field in fields[:20]]},
                fix="Rename one of them.",
                source=SPARK_CASE,
            )


def only_nulls(subject: Subject) -> Iterator[Diagnosis]:
    """Columns that hold nothing but nulls, by the counts in the footer."""
    rows = sum(subject.rows)
    if rows < 1_000 or subject.partial:
        return
    counts, nulls = subject.numbers("num_values"), subject.numbers("statistics.null_count")
    every = (subject.readable & (counts == nulls)).all(0) & (counts.sum(0) > 0)
    found = [leaf for leaf in subject.leaves if every[leaf.leaf_index]]
    if not found:
        return
    names = listing([name(leaf.path) for leaf in found], most=LISTED)
    leaf = found[0]
    yield Diagnosis(
        "only-nulls",
        Severity.NOTE,
        f"{plural(len(found), 'column')} {'hold' if len(found) > 1 else 'holds'} nothing but nulls, by the footer's counts: {names}.",
        Address.of("schema", leaf.index),
        "" if len(found) > 1 else ".".join(leaf.path),
        evidence={"columns": [".".join(leaf.path) for leaf in found[:100]]},
        fix="Leave the column out, if nothing needs it.",
    )


def mixed_zones(subject: Subject) -> Iterator[Diagnosis]:
    """Local timestamps beside instants."""
    stamps = [leaf for leaf in subject.leaves if meaning(leaf).name == "TIMESTAMP"]
    utc = [leaf for leaf in stamps if meaning(leaf).utc]
    local = [leaf for leaf in stamps if not meaning(leaf).utc]
    if not utc or not local:
        return
    yield Diagnosis(
        "mixed-time-zones",
        Severity.NOTE,
        f"{plural(len(utc), 'timestamp column')} {'hold' if len(utc) > 1 else 'holds'} instants in UTC ({_names(utc)}), and "
        f"{len(local):,} local times without a zone ({_names(local)}): comparing them depends on the session's zone.",
        Address.of("schema", local[0].index),
        evidence={
            "utc": [".".join(leaf.path) for leaf in utc[:100]],
            "local": [".".join(leaf.path) for leaf in local[:100]],
        },
        fix="Write all of them with isAdjustedToUTC = true, unless they mean different things.",
        source=LOGICAL_TYPES,
    )


RULES = (
    Rule(
        "int96", Severity.NOTE, FOOTER, "Timestamps in INT96",
        "INT96 is deprecated; readers differ in the range that they accept, and its statistics are ignored.",
        int96, INT96,
    ),
    Rule(
        "legacy-lists", Severity.PORTABILITY, FOOTER, "Lists of two levels",
        "The specification has rules to read them, and readers apply different ones.",
        legacy_lists, LOGICAL_TYPES,
    ),
    Rule(
        "duplicate-names", Severity.PORTABILITY, FOOTER, "Fields with the same name",
        "Columns are selected by name.", colliding_names, SPARK_CASE,
    ),
    Rule(
        "only-nulls", Severity.NOTE, FOOTER, "Columns of nothing but nulls",
        "They cost little, and often mean that something was not filled in.",
        only_nulls, None, "A file of at least 1,000 rows.",
    ),
    Rule(
        "mixed-time-zones", Severity.NOTE, FOOTER, "Local times beside instants",
        "Engines convert one to the other by the session's zone.", mixed_zones, LOGICAL_TYPES,
    ),
)  # fmt: skip
