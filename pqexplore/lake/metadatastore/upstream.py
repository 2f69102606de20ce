"""Computes which objects xskipper skips, with its clauses and its logic, including wrong results.

xskipper translates each comparison that an index supports into a clause over the metadata. It skips an object if NOT of
that clause is TRUE, and keeps it if the clause is NULL. AND joins the clauses that exist; OR has a clause only if both
sides have one. MinMax and ValueList clauses start with "the metadata is not NULL", so missing metadata means no match.
That is right for metadata computed from rows, and wrong for some metadata from footers.
Source: xskipper's MinMaxFilter, ValueListFilter, BloomFilterFilter and ParquetBaseClauseTranslator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import ParquetError
from pqexplore.insight.ask import predicate, sql
from pqexplore.insight.ask.predicate import All, Clause, Compare, Leaf, OneOf, Some
from pqexplore.lake.metadatastore import comparison, evidence, sketch, store_schema
from pqexplore.lake.metadatastore.evaluate import (
    KEPT,
    PARTITION_PRUNED,
    SKIPPED,
    XSKIPPER,
    Evaluation,
    Reason,
    Reasons,
    ruling,
    sound,
)
from pqexplore.lake.metadatastore.witness import Witness

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore.store import Store

IN_THRESHOLD = 10
"""`io.xskipper.index.minmax.inFilterThreshold`: from this number on, the values of IN become one range."""

Truth = bool | None
Test = Callable[[int], Truth]
"""A clause over the metadata, for a row of the store: TRUE, FALSE, or None for NULL."""


def both(tests: list[Test]) -> Test:
    """AND of clauses, in three-valued logic."""

    def test(row: int) -> Truth:
        truths = [one(row) for one in tests]
        return False if False in truths else None if None in truths else True

    return test


def either(tests: list[Test]) -> Test:
    """OR of clauses, in three-valued logic."""

    def test(row: int) -> Truth:
        truths = [one(row) for one in tests]
        return True if True in truths else None if None in truths else False

    return test


def evaluate(
    store: Store, condition: str, clause: Clause, *, timezone: str | None = None, types: Mapping[str, str] | None = None
) -> Evaluation:
    """Evaluates a condition in mode xskipper; `may_lose` has the skipped objects that mode sound keeps."""
    parts = clause.parts if isinstance(clause, All) else (clause,)
    by_partition = [part for part in parts if _only_partitions(store, part)]
    data = [part for part in parts if part not in by_partition]
    made: dict[Leaf, list[tuple[store_schema.Index, Test]]] = {}
    tests = [_clause(store, part, made) for part in data] if store.schema.values_readable else []
    pruning = {leaf: evidence.witnesses(store, leaf, {}) for part in by_partition for leaf in predicate.leaves(part)}

    pruned = [ruling(part, pruning) for part in by_partition]
    verdicts = _verdicts(store, pruned, [one for one in tests if one is not None])
    proven = sound(store, condition, clause, types, sql.session_zone(timezone))
    kept = frozenset(proven.kept)
    may_lose = {
        name: "; ".join(str(reason) for reason in proven.reasons[name])
        for name in (*verdicts[SKIPPED], *verdicts[PARTITION_PRUNED])
        if name in kept
    }
    return Evaluation(
        condition,
        XSKIPPER,
        skipped=tuple(verdicts[SKIPPED]),
        partition_pruned=tuple(verdicts[PARTITION_PRUNED]),
        kept=tuple(verdicts[KEPT]),
        reasons=Reasons(store.rows, lambda row: _explain(clause, made, pruning, row)),
        may_lose=may_lose,
    )


def _verdicts(store: Store, pruned: Sequence[Callable[[int], bool]], tests: Sequence[Test]) -> dict[str, list[str]]:
    """The objects by what becomes of them: pruned by partition values, skipped where a test is false, or kept."""
    test = both(list(tests)) if tests else None
    verdicts: dict[str, list[str]] = {SKIPPED: [], PARTITION_PRUNED: [], KEPT: []}
    for name, rows in store.rows.items():
        if any(one(row) for one in pruned for row in rows):
            verdicts[PARTITION_PRUNED].append(name)
        elif test is not None and any(test(row) is False for row in rows):
            verdicts[SKIPPED].append(name)
        else:
            verdicts[KEPT].append(name)
    return verdicts


def _explain(
    clause: Clause,
    made: Mapping[Leaf, list[tuple[store_schema.Index, Test]]],
    pruning: Mapping[Leaf, list[Witness]],
    row: int,
) -> list[Reason]:
    reasons = []
    for leaf in predicate.leaves(clause):
        for witness in pruning.get(leaf, ()):
            reasons.append(Reason(leaf.sql, witness.column, *witness.finding(row)))
        if leaf in pruning:
            continue
        for index, test in made.get(leaf, ()):
            truth = test(row)
            word = {True: "TRUE", False: "FALSE", None: "NULL"}[truth]
            because = f"xskipper's clause for {index} is {word}"
            reasons.append(Reason(leaf.sql, index.column, truth is False, because))
        if not made.get(leaf):
            reasons.append(Reason(leaf.sql, None, False, "xskipper has no clause for it"))
    return reasons


def _only_partitions(store: Store, clause: Clause) -> bool:
    """Whether a condition is only about partition columns; Spark then passes it as a partition filter."""
    known = {one.name.lower() for one in store.partitions if "." not in one.name}
    return all(predicate.column_of(leaf) in known for leaf in predicate.leaves(clause))


def _clause(store: Store, clause: Clause, made: dict[Leaf, list[tuple[store_schema.Index, Test]]]) -> Test | None:
    if isinstance(clause, All | Some):
        tests = [_clause(store, part, made) for part in clause.parts]
        known = [test for test in tests if test is not None]
        if isinstance(clause, Some):
            return either(known) if len(known) == len(tests) else None
        return both(known) if known else None
    if isinstance(clause, Compare | OneOf):
        pairs = [
            (index, test)
            for index in store.indexes
            if tuple(column.lower() for column in index.columns) == (clause.column,)
            and index.readable
            and (test := _of_index(store, index, clause)) is not None
        ]
        made[clause] = pairs
        return both([test for _, test in pairs]) if pairs else None
    return None


def _of_index(store: Store, index: store_schema.Index, leaf: Compare | OneOf) -> Test | None:
    literals = leaf.literals if isinstance(leaf, OneOf) else (leaf.literal,)
    if index.name == store_schema.BLOOM_FILTER:
        wanted = isinstance(leaf, OneOf) and not leaf.negated
        if not wanted and not (isinstance(leaf, Compare) and leaf.operator == "="):
            return None
        return _might(store.values(index.column), literals)
    kind = index.value_type or ""
    points = [comparison.keys(kind, literal) for literal in literals]
    found = [point for point in points if isinstance(point, comparison.Keys)]
    if len(found) < len(points):
        return None
    key = found[0].key
    values = [one.points[0] for one in found]
    stored = store.values(index.column)
    if index.name == store_schema.MINMAX:
        return _minmax(stored, key, leaf, values)
    return _value_list(stored, key, leaf, values)


def _minmax(stored: list[Any], key: Callable[[Any], Any], leaf: Compare | OneOf, points: list[Any]) -> Test | None:
    def bound(which: str, holds: Callable[[Any], bool]) -> Test:
        """NOT isnull(metadata.which) AND the comparison: FALSE if the metadata is missing."""

        def test(row: int) -> Truth:
            value = stored[row]
            found = None if value is None else value[which]
            return False if found is None else holds(key(found))

        return test

    def equal(point: Any) -> Test:
        return both([bound("min", lambda low: low <= point), bound("max", lambda high: high >= point)])

    if isinstance(leaf, OneOf):
        if leaf.negated:
            return None
        if len(points) < IN_THRESHOLD:
            return either([equal(point) for point in points])
        first, last = min(points), max(points)
        return both([bound("max", lambda high: high >= first), bound("min", lambda low: low <= last)])
    point = points[0]
    if leaf.operator == "=":
        return equal(point)
    if leaf.operator == "!=":  # xskipper's fault: an object with the value and others is skipped
        return either([bound("min", lambda low: low > point), bound("max", lambda high: high < point)])
    tests = {
        "<": ("min", lambda low: low < point),
        "<=": ("min", lambda low: low <= point),
        ">": ("max", lambda high: high > point),
        ">=": ("max", lambda high: high >= point),
    }
    return bound(*tests[leaf.operator]) if leaf.operator in tests else None


def _value_list(stored: list[Any], key: Callable[[Any], Any], leaf: Compare | OneOf, points: list[Any]) -> Test | None:
    members = set(points)
    if isinstance(leaf, OneOf):
        inside = not leaf.negated
    elif leaf.operator in ("=", "!=", "is true", "is false"):
        inside = leaf.operator in ("=", "is true")
    else:
        return None

    def test(row: int) -> Truth:
        values = stored[row]
        if values is None:
            return False
        present = [key(value) for value in values if value is not None]
        if any((one in members) is inside for one in present):
            return True
        return None if len(present) < len(values) else False  # arrays_overlap with a NULL inside

    return test


def _might(stored: list[Any], literals: tuple[predicate.Literal, ...]) -> Test | None:
    probes: list[int | str] = []
    for literal in literals:
        if literal.kind not in (predicate.INTEGRAL, predicate.TEXT):
            return None
        if literal.kind == predicate.INTEGRAL and not -(1 << 63) <= literal.value < 1 << 63:
            return None
        probes.append(literal.value)

    def test(row: int) -> Truth:
        stream = stored[row]
        if stream is None:
            return True
        try:
            filter = sketch.from_java(stream)
        except ParquetError:
            return True  # xskipper then skips nothing for the whole query
        return filter is not None and any(filter.might_contain(probe) for probe in probes)

    return test
