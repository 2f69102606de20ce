"""Rules about types: deprecated ones, ones that readers disagree about, and ones that are wider than their values."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.field import LIST_RULES, walk
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, Type
from pqexplore.engine.rule import DATA, FOOTER, SAMPLE, Cost, Rule, Severity, Source
from pqexplore.insight.doctor.rules import trials
from pqexplore.insight.doctor.rules.values import all_bounds
from pqexplore.insight.doctor.subject import concerned
from pqexplore.insight.wording import name, percent, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Field, Leaf
    from pqexplore.insight.doctor.subject import Subject

LOGICAL_TYPES = Source("Parquet, logical types", "https://github.com/apache/parquet-format/blob/master/LogicalTypes.md")
DECIMALS = Source(
    "Parquet, logical types: DECIMAL", "https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#decimal"
)
INT96 = Source(
    "Parquet, INT96 is deprecated", "https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#timestamp"
)

OLD_LISTS = frozenset(rule for rule in LIST_RULES if rule.startswith(("two-level", "unannotated")))
"""The rules by which readers recognise an old list."""

DIGITS = ((9, "INT32", 4), (18, "INT64", 8))
"""Digits of a decimal that an integer holds, and its bytes."""

SAVED_BYTES = 1 << 20
SAVED_SHARE = 0.05
"""What a smaller integer saves at least, in bytes and of the file: our choice, for a note."""


def int96(subject: Subject) -> Iterator[Finding]:
    """Timestamps in INT96."""
    leaves = [leaf for leaf in subject.leaves if leaf.physical_type == Type.INT96]
    if not leaves:
        return
    found = concerned(leaves)
    yield Finding(
        "int96",
        found.address,
        f"{plural(found.total, 'column')} {'store' if found.total > 1 else 'stores'} timestamps as INT96 ({found.names}), which "
        "the specification deprecates: under TYPE_ORDER it has no order, so a careful reader skips nothing by it.",
        {"columns": found.paths},
        column=found.column,
        cost=Cost("a condition on them skips no row group in most readers"),
        fix="Write TIMESTAMP in microseconds.",
        code={
            "Spark": "spark.conf.set('spark.sql.parquet.outputTimestampType', 'TIMESTAMP_MICROS')",
            "pyarrow": "pq.write_table(table, path, use_deprecated_int96_timestamps=False)",
        },
    )


def legacy_lists(subject: Subject) -> Iterator[Finding]:
    """Lists of two levels, and without an annotation."""
    if not subject.leaves:
        return
    fields = [field for field in walk(subject.file.schema.root) if (field.list_rule or "") in OLD_LISTS]
    if not fields:
        return
    found = concerned(fields)
    yield Finding(
        "legacy-lists",
        found.address,
        f"{plural(found.total, 'list')} {'have' if found.total > 1 else 'has'} an old layout ({found.names}): the "
        "specification has rules to read it, which fastparquet and hyparquet do not all follow.",
        {"lists": found.paths},
        column=found.column,
        fix="Write lists with three levels.",
        code={
            "Spark": "spark.conf.set('spark.sql.parquet.writeLegacyFormat', 'false')",
            "pyarrow": "pq.write_table(table, path, use_compliant_nested_type=True)",
        },
    )


def mixed_zones(subject: Subject) -> Iterator[Finding]:
    """Local timestamps beside instants."""
    stamps = [leaf for leaf in subject.leaves if meaning(leaf).name == "TIMESTAMP"]
    instants = [leaf for leaf in stamps if meaning(leaf).utc]
    locals_ = [leaf for leaf in stamps if not meaning(leaf).utc]
    if not instants or not locals_:
        return
    utc, local = concerned(instants), concerned(locals_)
    yield Finding(
        "mixed-time-zones",
        local.address,
        f"{plural(utc.total, 'timestamp column')} {'hold' if utc.total > 1 else 'holds'} instants in UTC ({utc.names}), and "
        f"{plural(local.total, 'column')} local times without a zone ({local.names}): comparing them depends on the "
        "session's zone.",
        {"utc": utc.paths, "local": local.paths},
        fix="Write all of them with isAdjustedToUTC = true, unless they mean different things.",
        code={
            "pyarrow": "table.cast(schema)  # with pa.timestamp('us', 'UTC') for the column",
            "polars": f"df.with_columns(pl.col({local.paths[0]!r}).dt.replace_time_zone('UTC'))",
            "Spark": "spark.conf.set('spark.sql.timestampType', 'TIMESTAMP_LTZ')",
        },
    )


def legacy_decimals(subject: Subject) -> Iterator[Finding]:
    """Decimals in more bytes than an integer of their precision takes; from level `sample` on, with what that costs."""
    found: list[tuple[Leaf, str, int]] = []
    for leaf in subject.leaves:
        logical = meaning(leaf)
        if logical.name != "DECIMAL" or not 0 < logical.precision <= DIGITS[-1][0]:
            continue
        kind, width = next((k, w) for digits, k, w in DIGITS if logical.precision <= digits)
        if leaf.physical_type == Type.BYTE_ARRAY or (
            leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY and (leaf.type_length or 0) > width
        ):
            found.append((leaf, kind, width))
    light = []
    for leaf, kind, width in found:
        takes = _as_type(subject, leaf, kind.lower())
        one = None if takes is None else _heavy_decimals(subject, leaf, kind, takes)
        if one is None:
            light.append((leaf, kind, width))
        else:
            yield one
    if light:
        yield _decimals(light)


def _as_type(subject: Subject, leaf: Leaf, target: str) -> int | None:
    """The bytes of a column in another type, by a sample; None if its values do not fit it, or none was taken."""
    sample = trials.samples(subject).get(leaf.leaf_index) if subject.level in (SAMPLE, DATA) else None
    return None if sample is None else trials.retyped(sample, target)


def _heavy_decimals(subject: Subject, leaf: Leaf, kind: str, takes: int) -> Finding | None:
    """The diagnosis of a column of decimals that could be much smaller; None if it could not."""
    stored = subject.total("total_compressed_size", leaf)
    if trials.severity(subject, stored - takes) is not Severity.WASTEFUL:
        return None
    logical = meaning(leaf)
    return Finding(
        "wide-decimals",
        Address.of("schema", leaf.index),
        f"{name(leaf.path)} has DECIMAL({logical.precision}, {logical.scale}) in {_width(leaf)}; {kind} stores it in about "
        f"{size(takes)} instead of {size(stored)}.",
        {"precision": logical.precision, "fits": kind}
        | trials.smaller({trials.named(leaf): stored - takes}, takes, stored),
        severity=Severity.WASTEFUL,
        column=trials.named(leaf),
        cost=trials.cost(subject, stored - takes),
        fix=_FIX_DECIMALS,
        code=_CODE_DECIMALS,
    )


def _width(leaf: Leaf) -> str:
    """How many bytes a decimal of a leaf takes, in words."""
    if leaf.physical_type == Type.BYTE_ARRAY:
        return "BYTE_ARRAY, with 4 bytes for the length of each value"
    return f"{leaf.type_length} bytes a value"


_FIX_DECIMALS = "Let the writer store decimals of up to 18 digits as integers."
_CODE_DECIMALS = {
    "Spark": "spark.conf.set('spark.sql.parquet.writeLegacyFormat', 'false')",
    "pyarrow": "pq.write_table(table, path, store_decimal_as_integer=True)",
}


def _decimals(found: list[tuple[Leaf, str, int]]) -> Finding:
    """The diagnosis of columns of decimals, whatever they cost."""
    leaf, kind, width = found[0]
    logical, which = meaning(leaf), concerned([one for one, _, _ in found])
    return Finding(
        "wide-decimals",
        which.address,
        f"{plural(which.total, 'decimal column')} would fit an integer ({which.names}): {name(leaf.path)} stores "
        f"DECIMAL({logical.precision}, {logical.scale}) in {_width(leaf)}, and {kind} holds it in {width}.",
        {"columns": which.paths, "precision": logical.precision, "fits": kind},
        column=which.column,
        fix=_FIX_DECIMALS,
        code=_CODE_DECIMALS,
    )


def converted_types(subject: Subject) -> Iterator[Finding]:
    """Fields that are annotated by a converted type only."""
    if not subject.leaves:
        return
    fields = [field for field in walk(subject.file.schema.root) if _converted_only(field)]
    if not fields:
        return
    found = concerned(fields)
    yield Finding(
        "converted-types-only",
        found.address,
        f"{plural(found.total, 'field')} {'have' if found.total > 1 else 'has'} a converted type and no logical type "
        f"({found.names}); the specification deprecates converted types.",
        {"fields": found.paths},
        column=found.column,
        fix="Nothing is lost as long as readers understand both.",
    )


def _converted_only(field: Field) -> bool:
    """Whether a field has a converted type that a logical type could replace, and no logical type."""
    element = field.element
    return (
        element.converted_type not in (None, ConvertedType.INTERVAL)
        and structs.union_field(element.logicalType) is None
    )


def wide_integers(subject: Subject) -> Iterator[Finding]:
    """INT64 columns that take more bytes in the file than INT32 would without any encoding."""
    for leaf in subject.leaves:
        if leaf.physical_type != Type.INT64 or meaning(leaf).name:
            continue
        nulls = subject.nulls(leaf)
        if nulls is None:
            continue
        values = subject.total("num_values", leaf) - nulls
        stored = subject.total("total_compressed_size", leaf)
        saved = stored - 4 * values
        if values <= 0 or saved < max(SAVED_BYTES, SAVED_SHARE * subject.file.size):
            continue
        found = all_bounds(subject, leaf)
        if found is None:
            continue
        ends = [_number(raw) for b in found for raw in (b.min_raw, b.max_raw)]
        low, high = min(ends), max(ends)
        if not -(1 << 31) <= low <= high < 1 << 31:
            continue
        yield Finding(
            "wide-integers",
            Address.of("schema", leaf.index),
            f"{name(leaf.path)} takes {stored / values:.1f} bytes a value in the file, and its bounds ({low:,} and {high:,}) fit INT32; "
            f"that takes {size(4 * values)} instead of {size(stored)}, before compression.",
            {"bytes": stored, "values": values, "min": low, "max": high}
            | trials.smaller({trials.named(leaf): saved}, stored - saved, stored),
            severity=trials.severity(subject, saved) or Severity.NOTE,
            column=".".join(leaf.path),
            cost=Cost(f"about {size(saved)} of the file", bytes=saved),
            fix="Store INT32, if later values fit, too; or compress the column, or give it a dictionary.",
            code={"pyarrow": "table.cast(schema)  # with pa.int32() for the column"},
        )


def _number(raw: bytes | None) -> int:
    """A bound of INT64."""
    value: int = struct.unpack("<q", raw or bytes(8))[0]
    return value


RULES = (
    Rule(
        "int96", Severity.NOTE, FOOTER, "Timestamps in INT96",
        "INT96 is deprecated; readers differ in the range that they accept, and its statistics are ignored.",
        int96, INT96,
        repeats=("int96-deprecated",),
    ),
    Rule(
        "legacy-lists", Severity.PORTABILITY, FOOTER, "Lists of two levels, or without an annotation",
        "The specification has rules to read them, and not all readers apply them.",
        legacy_lists, LOGICAL_TYPES,
        repeats=("legacy-list", "repeated-unannotated",),
    ),
    Rule(
        "mixed-time-zones", Severity.NOTE, FOOTER, "Local times beside instants",
        "Engines convert one to the other by the session's zone.", mixed_zones, LOGICAL_TYPES,
    ),
    Rule(
        "wide-decimals", Severity.NOTE, FOOTER, "Decimals in more bytes than an integer needs",
        "INT32 holds 9 digits and INT64 18; both are smaller, and faster to compare.",
        legacy_decimals, DECIMALS, "BYTE_ARRAY, or FIXED_LEN_BYTE_ARRAY that is longer than the integer. "
        f"{trials.THRESHOLD} That is known from level `sample` on.",
    ),
    Rule(
        "converted-types-only", Severity.NOTE, FOOTER, "Converted types without logical types",
        "Readers must understand both, but a converted type cannot say that a time is local.", converted_types, LOGICAL_TYPES,
        repeats=("converted-type-only",),
    ),
    Rule(
        "wide-integers", Severity.WASTEFUL, FOOTER, "INT64 columns whose values fit INT32",
        "It matters only if neither an encoding nor the codec makes them small.",
        wide_integers, LOGICAL_TYPES,
        f"What the column takes beyond 4 bytes a value is {size(SAVED_BYTES)} and {percent(SAVED_SHARE)} of the file. {trials.THRESHOLD}",
    ),
)  # fmt: skip
