"""Asks the stored tables of a lake with Spark: DataFrames of expressions, without functions of Python.

A first job gives one or two chunks of each signature; the engine is asked about these here. What it says is then joined
to the chunks, and combined over AND and OR as `cascade.combined` does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from pqexplore.insight.ask.bound import Always, Both, Bound, Test, Undecided
from pqexplore.insight.ask.cascade import QUOTED
from pqexplore.insight.ask.ruling import BOUNDS, CONSTANT, PARTITION, ROWS, Ruling
from pqexplore.insight.ask.ruling import NULLS as NULL_COUNTS
from pqexplore.lake.asking import partitions as folders
from pqexplore.lake.asking.judging import FOOTERS, STAGES, asked_tests, with_partitions
from pqexplore.lake.asking.rulings import ABSENT, HIGH, LOW, NULLS, Row, ask_about, place
from pqexplore.lake.asking.signatures import COLUMNS, signature
from pqexplore.lake.asking.summary import KEPT

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from pqexplore.insight.ask.engines import Engine
    from pqexplore.lake.asking.schemas import Families, Family

FIELDS = "possible boolean, by string, said string, evidence string"
"""The fields of a ruling in Spark."""


class Expressions:
    """Columns of `column_chunks` as numbers for `signatures.signature`."""

    def at_least(self, column: str, key: bytes) -> Column:
        """See `signatures.Rows`."""
        return _one(F.col(column) >= F.lit(bytearray(key)))

    def above(self, column: str, key: bytes) -> Column:
        """See `signatures.Rows`."""
        return _one(F.col(column) > F.lit(bytearray(key)))

    def is_null(self, column: str) -> Column:
        """See `signatures.Rows`."""
        return _one(F.col(column).isNull())

    def same(self, column: str, other: str) -> Column:
        """See `signatures.Rows`."""
        return _one(F.col(column) == F.col(other))

    def equals(self, column: str, value: Any) -> Column:
        """See `signatures.Rows`."""
        wanted = bytearray(value) if isinstance(value, bytes) else value
        return _one(F.col(column) == F.lit(wanted))

    def positive(self, column: str) -> Column:
        """See `signatures.Rows`."""
        return _one(F.col(column) > 0)


def _one(condition: Column) -> Column:
    return F.coalesce(condition.cast("long"), F.lit(0).cast("long"))


@dataclasses.dataclass(slots=True)
class Numbered:
    """A test of a family, and its number among all tests."""

    family: int
    test: Test
    number: int


def ruled(
    session: SparkSession,
    families: Families,
    used: Sequence[Bound],
    engine: Engine,
    files: DataFrame,
    chunks: DataFrame,
) -> tuple[list[Numbered], DataFrame]:
    """The tests, and a DataFrame (path, row_group, and for each test number N a ruling rN)."""
    tests = [
        Numbered(number, test, 0)
        for number, family in enumerate(families.all)
        for test in asked_tests(used[number], family)
    ]
    for number, one in enumerate(tests):
        one.number = number
    places = [
        (schema_id, placed.leaves[one.test.leaf.leaf_index], one.number)
        for schema_id, placed in families.placed.items()
        for one in tests
        if one.family == placed.family
    ]
    nothing = "path string, row_group int"
    if not tests or not places:
        return [], session.createDataFrame([], nothing)
    asked = session.createDataFrame(places, "schema_id string, leaf int, test int")
    rows = chunks.join(files.select("path", "schema_id", "created_by"), "path").join(
        F.broadcast(asked), ["schema_id", "leaf"]
    )
    code: Any = F
    for one in tests:
        code = code.when(F.col("test") == one.number, signature(one.test, Expressions()))
    rows = rows.withColumn("signature", code)
    answers = session.createDataFrame(
        _answers(rows, tests, families, engine), f"test int, writer string, signature long, {FIELDS}"
    )
    filled = rows.join(
        F.broadcast(answers),
        (rows["test"] == answers["test"])
        & (rows["signature"] == answers["signature"])
        & rows["created_by"].eqNullSafe(answers["writer"]),
        "left",
    ).select(
        rows["path"],
        rows["row_group"],
        rows["test"],
        F.struct(
            F.col("possible"), F.col("by"), *(_filled(name, rows).alias(name) for name in ("said", "evidence"))
        ).alias("ruling"),
    )
    wide = filled.groupBy("path", "row_group").agg(
        *(F.first(F.when(F.col("test") == one.number, F.col("ruling")), True).alias(f"r{one.number}") for one in tests)
    )
    return tests, wide


def _answers(rows: DataFrame, tests: Sequence[Numbered], families: Families, engine: Engine) -> list[tuple[Any, ...]]:
    """A ruling for each test, writer and signature, from two chunks of each."""
    stored = F.struct(*COLUMNS)
    found = (
        rows.groupBy("test", "created_by", "signature")
        .agg(F.min(stored).alias("first"), F.max(stored).alias("last"))
        .collect()
    )
    kinds: dict[tuple[int, str | None], list[Any]] = {}
    for row in found:
        kinds.setdefault((row["test"], row["created_by"]), []).append(row)
    made = []
    for (number, writer), some in kinds.items():
        one = tests[number]
        family = families.all[one.family]
        examples = [[_example(family, one.test, row[end].asDict()) for end in ("first", "last")] for row in some]
        for row, ruling in zip(some, ask_about(family, writer, engine, one.test, 0, examples), strict=True):
            cautious = _cautious(ruling, row["first"], engine)
            made.append((number, writer, row["signature"], *_fields(cautious)))
    return made


def _cautious(ruling: Ruling, row: Any, engine: Engine) -> Ruling:
    """A ruling that holds for all chunks of a signature: distrusted bounds of other values may be ruled otherwise."""
    distrusted = row["bounds"] != "trusted" and row["min_raw"] is not None
    if engine.name == "format" or not distrusted:
        return ruling
    why = f"its bounds are not trustworthy ({row['bounds']}), and are not compared on Spark"
    return Ruling(True, "", why, clause=ruling.clause)


def _example(family: Family, test: Test, row: dict[str, Any]) -> list[Row | None]:
    """The chunks of a row group: the one of the test, and what its `bounds` say of the `value` beside it."""
    from pqexplore.engine.format.variant.bounds import VALUES, value_beside

    made: list[Row | None] = [None] * len(family.schema.leaves)
    made[test.leaf.leaf_index] = row
    value = value_beside(test.leaf)
    if value is not None:
        nulls = {"trusted": row["num_values"], VALUES: 0}.get(row["bounds"])
        beside = dict.fromkeys(COLUMNS) | {
            "num_values": row["num_values"],
            "null_count": nulls,
            "statistics": "counts",
            "bounds": "none",
        }
        made[value.leaf_index] = beside
    return made


def _fields(ruling: Ruling) -> tuple[bool, str, str, str]:
    return ruling.possible, ruling.by, ruling.said, ruling.evidence


def _filled(name: str, rows: DataFrame) -> Column:
    """A text of a ruling with the values of the chunk."""
    text = F.col(name)
    count = F.format_number(F.coalesce(rows["null_count"], F.lit(0)), 0)
    for kind, value in ((LOW, rows["min_text"]), (HIGH, rows["max_text"]), (NULLS, count)):
        text = F.replace(text, F.lit(place(kind, 0)), F.coalesce(value, F.lit("")))
    return text


def folder_rulings(
    session: SparkSession, families: Families, texts: Collection[str]
) -> tuple[dict[int, str], DataFrame]:
    """The rulings about folders: the column of each test by the test's id, and a DataFrame by partition_values."""
    tests = [test for family in (*families.all, families.unreadable) for test in family.partitions.values()]
    names = {id(test): f"f{number}" for number, test in enumerate(tests)}
    rows = [(text, *(_fields(folders.ruling(test.clause, text)) for test in tests)) for text in texts]
    fields = "".join(f", {name} struct<{_nested()}>" for name in names.values())
    return names, session.createDataFrame(rows, f"partition_values string{fields}")


def _nested() -> str:
    return ", ".join(one.strip().replace(" ", ": ", 1) for one in FIELDS.split(","))


def verdict(bound: Bound, known: Mapping[int, Column]) -> Column:
    """The ruling about a condition, as `cascade.combined` makes it; `known` has rulings by the id of their test."""
    if isinstance(bound, Test):
        found = known.get(id(bound))
        if found is None:
            return _literal(Ruling(True, "", "nothing was asked"))
        return F.coalesce(found, _literal(dataclasses.replace(ABSENT, clause=bound.sql)))
    if isinstance(bound, Undecided):
        return _literal(Ruling(True, "", bound.why, clause=bound.sql))
    if isinstance(bound, Always):
        why = bound.why or ("it is TRUE for every row" if bound.value else "it is never TRUE")
        return _literal(Ruling(bound.value, CONSTANT, why, clause=bound.sql))
    parts = F.array(*(verdict(part, known) for part in bound.parts))
    return _let(parts, _both if isinstance(bound, Both) else _either)


def _let(value: Column, body: Callable[[Column], Column]) -> Column:
    """A body that uses a value several times; Spark would copy the value's expression into each place."""
    return F.transform(F.array(value), body)[0]


def _both(parts: Column) -> Column:
    no = F.filter(parts, lambda one: ~one["possible"])
    return _let(no, lambda some: F.when(F.size(some) > 0, some[0]).otherwise(_telling(parts)))


def _either(parts: Column) -> Column:
    later = F.array(*map(F.lit, (CONSTANT, PARTITION, NULL_COUNTS, BOUNDS)))

    def none(ranks: Column) -> Column:
        last = F.element_at(parts, F.array_position(ranks, F.array_max(ranks)).cast("int"))
        said = F.array_join(F.array_distinct(F.transform(parts, lambda one: one["said"])), "; ")
        return _ruling(False, last["by"], said, last["evidence"])

    ranks = F.transform(parts, lambda one: F.array_position(later, one["by"]))
    yes = F.filter(parts, lambda one: one["possible"])
    return _let(yes, lambda some: F.when(F.size(some) == 0, _let(ranks, none)).otherwise(_telling(some)))


def _telling(parts: Column) -> Column:
    """One ruling for several that keep a row group, as `cascade` makes it."""

    def among(some: Column) -> Column:
        proven = F.filter(some, lambda one: one["by"] != "")
        reasons = F.array_distinct(F.transform(some, lambda one: one["said"]))
        first = _let(proven, lambda p: F.when(F.size(p) > 0, p[0]).otherwise(some[0]))
        said = _let(reasons, _quoted)
        return _let(first, lambda one: _ruling(True, one["by"], said, one["evidence"]))

    named = F.filter(parts, lambda one: one["by"] != CONSTANT)
    return _let(_let(named, lambda some: F.when(F.size(some) > 0, some).otherwise(parts)), among)


def _quoted(reasons: Column) -> Column:
    """The first reasons, and how many there are more."""
    left = F.size(reasons) - QUOTED
    more = F.concat(F.lit("; and "), F.format_number(left, 0), F.lit(" more"))
    few = F.array_join(F.slice(reasons, 1, QUOTED), "; ")
    return F.concat(few, F.when(left > 0, more).otherwise(""))


def _ruling(possible: bool, by: Column, said: Column, evidence: Column) -> Column:
    fields = (F.lit(possible), by, said, evidence)
    names = ("possible", "by", "said", "evidence")
    return F.struct(*(field.alias(name) for field, name in zip(fields, names, strict=True)))


def _literal(ruling: Ruling) -> Column:
    names = ("possible", "by", "said", "evidence")
    return F.struct(*(F.lit(value).alias(name) for name, value in zip(names, _fields(ruling), strict=True)))


def staged(
    families: Families, used: Sequence[Bound], engine: Engine, tests: Sequence[Numbered], by_folder: Mapping[int, str]
) -> Column:
    """The stage that skips a row group (-1: it is kept) and the ruling that decides, from `family`, fN and rN."""
    own = {test: F.col(name) for test, name in by_folder.items()}
    chunks = {id(one.test): F.col(f"r{one.number}") for one in tests}
    found: Any = F
    for number, family in enumerate(families.all):
        whole = with_partitions(family.bound, family.partitions)
        compared = with_partitions(used[number], family.partitions)
        first = verdict(whole, own)
        then = verdict(compared, {**own, **chunks} if engine.together else chunks)
        one = _let(F.struct(first.alias("first"), then.alias("then")), _staged)
        found = found.when(F.col("family") == number, one)
    return found


def _staged(both: Column) -> Column:
    """The stage by the rulings of the folders (`first`) and of the footers (`then`)."""
    first, then = both["first"], both["then"]
    folder = F.when(first["by"] == PARTITION, 0).otherwise(1)
    empty = _literal(Ruling(False, ROWS, "it has no rows"))
    return (
        F.when(~first["possible"], _stage(folder, first))
        .when(~then["possible"], _stage(F.lit(STAGES.index(FOOTERS)), then))
        .when(F.col("num_rows") == 0, _stage(F.lit(STAGES.index(ROWS)), empty))
        .otherwise(_stage(F.lit(KEPT), then))
    )


def _stage(stage: Column, ruling: Column) -> Column:
    return F.struct(
        stage.cast("int").alias("stage"),
        ruling["by"].alias("by"),
        ruling["said"].alias("reason"),
        ruling["evidence"].alias("evidence"),
    )
