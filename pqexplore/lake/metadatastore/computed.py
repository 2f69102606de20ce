"""A witness that computes: whether an expression of columns can be TRUE for the values that an object may have.

Each column's values come from the object's partition, its ValueList or its MinMax, the first of these that there is. With
value lists the clause is computed for every value, or every combination of the values of several columns; else once, for
the ranges.
"""

from __future__ import annotations

import dataclasses
import datetime
import itertools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import ParquetError
from pqexplore.insight.ask import operands, predicate
from pqexplore.insight.ask.parsed import Parsed
from pqexplore.insight.ask.predicate import Compare, Leaf, Like, Literal, NanTest, NullTest, OneOf, Opaque
from pqexplore.lake.metadatastore import expressions, store_schema, store_types, terms, texts, value_ranges
from pqexplore.lake.metadatastore.dataset import HIVE_NULL
from pqexplore.lake.metadatastore.evidence import minmax_doubt
from pqexplore.lake.metadatastore.terms import BOOLEAN, NotComputed, Term
from pqexplore.lake.metadatastore.value_ranges import ANY, Span
from pqexplore.lake.metadatastore.witness import Witness

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore.store import Store

_COMBINATIONS = 2_000
"""The most combinations of listed values for which a clause is computed; above, the ranges decide."""

_KINDS = {
    **dict.fromkeys(terms.BITS, predicate.INTEGRAL),
    "string": predicate.TEXT,
    "double": predicate.DOUBLE,
    "boolean": predicate.BOOLEAN,
    "date": predicate.DATE,
    "timestamp": predicate.TIMESTAMP,
    "timestamp_ntz": predicate.LOCAL_TIMESTAMP,
}
"""The kind of literal for a value of a type."""


NotNull = Mapping[int, frozenset[str]]
"""The columns without a NULL, by the row of an object in the store."""


def witness(
    store: Store, leaf: Leaf, column_types: Mapping[str, str], zone: datetime.tzinfo | None, not_null: NotNull
) -> ComputedWitness | str:
    """The witness for a clause, or text: why it is not computed."""
    kinds = {one.name.lower(): one.type for one in store.partitions} | dict(column_types)
    try:
        term = _term(leaf, kinds, zone)
    except NotComputed as error:
        return str(error)
    made = ComputedWitness(store, term, not_null)
    if term.columns and made.column is None and not not_null:
        return f"no index has the values of {', '.join(made.sources)}"
    return made


def folded(leaf: Leaf, zone: datetime.tzinfo | None) -> Leaf:
    """A comparison of a column with an expression of constants, as one with a literal; other clauses unchanged."""
    if not isinstance(leaf, Opaque) or not isinstance(leaf.parsed, Parsed):
        return leaf
    node = leaf.parsed.node
    operator = expressions.OPERATORS.get(node.key) if node.key != "nullsafeneq" else None
    if operator is None or leaf.parsed.names.variable:
        return leaf
    for of, value, turned in (
        (node.this, node.expression, operator),
        (node.expression, node.this, _FLIPPED.get(operator, operator)),
    ):
        operand = operands.operand(of, leaf.parsed.names)
        if operand is None or not operand.column:
            continue
        constants, names = leaf.parsed.constants, leaf.parsed.names
        try:
            found = expressions.term(Parsed(value, False, constants, names), {}, zone)
        except NotComputed:
            return leaf
        span, kind = found.constant, _KINDS.get(found.type)
        if span is None or not span.point or kind is None or span.low != span.high:
            return leaf
        if isinstance(span.low, float) and not math.isfinite(span.low):
            return leaf
        literal = Literal(kind, span.low, operands.sql_of(value))
        asked = predicate.NEGATED[turned] if leaf.parsed.negated else turned
        return Compare(operand, asked, literal, leaf.sql)
    return leaf


_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _term(leaf: Leaf, kinds: Mapping[str, str], zone: datetime.tzinfo | None) -> Term:
    if isinstance(leaf, Opaque):
        if not isinstance(leaf.parsed, Parsed):
            raise NotComputed(leaf.why)
        made = expressions.term(leaf.parsed, kinds, zone)
        if made.type != BOOLEAN:
            raise NotComputed("it is no condition")
        return made
    if not isinstance(leaf, Compare | OneOf | Like | NanTest | NullTest) or not leaf.column:
        raise NotComputed(f"no index can decide {type(leaf).__name__.lower()}")
    of = expressions.column(leaf.column, kinds)
    if isinstance(leaf, NullTest):
        made = terms.is_null(of)
    elif isinstance(leaf, Like):
        made = texts.like(of, leaf.pattern)
    elif isinstance(leaf, NanTest):
        made = _is_nan(of)
    elif isinstance(leaf, OneOf):
        listed = [terms.of_literal(one, zone) for one in leaf.literals]
        if len({one.type for one in listed}) > 1:
            raise NotComputed("the values of IN do not have one type")
        made = terms.joined([terms.comparison("=", of, one, zone) for one in listed], value_ranges.disjunction)
    else:
        return _comparison(leaf, of, zone)
    return terms.negation(made) if leaf.negated else made


def _comparison(leaf: Compare, of: Term, zone: datetime.tzinfo | None) -> Term:
    operator = {"is true": "=", "is false": "!="}.get(leaf.operator, leaf.operator)
    made = terms.comparison(operator.removeprefix("not "), of, terms.of_literal(leaf.literal, zone), zone)
    return terms.negation(made) if operator.startswith("not ") else made


def _is_nan(of: Term) -> Term:
    """Tests a double or float for NaN; FALSE for NULL."""
    if of.type not in store_types.FRACTIONAL:
        raise NotComputed(f"isnan of {of.type} is not computed")

    def span(columns: terms.Columns) -> Span:
        found = of.span(columns)
        if found.any or found.empty:
            return value_ranges.truth(found.any, True, False)
        return value_ranges.truth(math.isnan(found.high), found.null or not math.isnan(found.low), False)

    return Term(BOOLEAN, span, of.columns)


class ComputedWitness(Witness):
    """All indexes and partition columns of the columns of a clause."""

    def __init__(self, store: Store, term: Term, not_null: NotNull) -> None:
        self.term = term
        self.sources = {name: _Source(store, name, not_null) for name in sorted(term.columns)}
        self.column = next((one.column for one in self.sources.values() if one.column), None)
        self.by_partition = all(one.partition for one in self.sources.values())
        self._possible: dict[tuple[Span, ...], bool] = {}

    def judge(self, row: int) -> tuple[bool, str]:
        """Ruled out if the clause is TRUE for none of the values."""
        listed = [one.values(row) for one in self.sources.values()]
        if math.prod(map(len, listed)) > _COMBINATIONS:
            listed = [[value_ranges.union(some)] for some in listed]
        return not any(map(self._may_be_true, itertools.product(*listed))), ""

    def _may_be_true(self, values: tuple[Span, ...]) -> bool:
        known = self._possible.get(values)
        if known is None:
            if len(self._possible) >= _REMEMBERED:
                self._possible.clear()
            columns = dict(zip(self.sources, values, strict=True))
            known = self._possible[values] = self.term.span(columns).may_be_true
        return known

    def describe(self, row: int) -> str:
        """Where the values come from."""
        return "; ".join(one.describe(row) for one in self.sources.values()) or "it has no columns"


_REMEMBERED = 100_000


class _Source:
    """The values of one column in each object."""

    def __init__(self, store: Store, name: str, not_null: NotNull) -> None:
        self.store, self.name, self.not_null = store, name, not_null
        self.partition = next(
            (one for one in store.partitions if one.name.lower() == name and "." not in one.name), None
        )
        self.indexes: dict[str, tuple[store_schema.Index, list[Any]]] = {}
        if store.schema.values_readable:
            for index in store.indexes:
                if index.readable and tuple(map(str.lower, index.columns)) == (name,):
                    try:
                        self.indexes.setdefault(index.name, (index, store.values(index.column)))
                    except ParquetError:
                        continue
        used = [self.indexes[kind][0].column for kind in _USED if kind in self.indexes]
        self.column = self.partition.column if self.partition else used[0] if used else None

    def values(self, row: int) -> list[Span]:
        """The spans of all values that the column may have in an object, and NULL unless it is known to have none."""
        found = self._values(row)
        if self.name not in self.not_null.get(row, ()):
            return found
        return [dataclasses.replace(one, null=False) for one in found if not one.empty]

    def _values(self, row: int) -> list[Span]:
        if self.partition is not None:
            value = self.store.values(self.partition.column)[row]
            if value is not None:
                return [value_ranges.one(value)]
            hive_null = f"/{self.partition.name}={HIVE_NULL}/" in self.store.object_path(row)
            return [value_ranges.NULL if hive_null else ANY]
        if store_schema.VALUE_LIST in self.indexes:
            listed = self.indexes[store_schema.VALUE_LIST][1][row]
            if listed is not None:
                return [value_ranges.NULL, *(value_ranges.one(value) for value in listed if value is not None)]
        if store_schema.MINMAX in self.indexes:
            return [self._range(row)]
        return [ANY]

    def _range(self, row: int) -> Span:
        index, values = self.indexes[store_schema.MINMAX]
        value = values[row]
        if value is None:
            return ANY
        low, high = value["min"], value["max"]
        if minmax_doubt(self.store, row, index, low, high) or (low is None) is not (high is None):
            return ANY
        if low is None:
            return value_ranges.NULL
        return ANY if value_ranges.order(low) > value_ranges.order(high) else Span(low, high, null=True)

    def describe(self, row: int) -> str:
        found = self.values(row)
        kind = (
            self.partition.type
            if self.partition
            else next((self.indexes[one][0].value_type for one in _USED if one in self.indexes), None)
        )
        if any(one.any for one in found):
            if not any(one.null for one in found):
                return f"by its footer, no value of {self.name} is NULL"
            return f"no index has the values of {self.name}"
        some = [one for one in found if not one.empty]
        if not some:
            return f"all values of {self.name} are NULL"
        if all(one.point for one in some):
            few = ", ".join(store_types.shown(one.low, kind) for one in some[:3])
            return f"{self.name} has {len(some):,} different values: {few}{', …' if len(some) > 3 else ''}"
        low, high = (store_types.shown(end, kind) for end in (some[0].low, some[0].high))
        return f"{self.name} goes from {low} to {high}"


_USED = (store_schema.VALUE_LIST, store_schema.MINMAX)
