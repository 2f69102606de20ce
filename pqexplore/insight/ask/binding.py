"""Binds a parsed condition to the columns of a file: which leaf each clause asks about, and which values it accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.literals import plain_bytes
from pqexplore.engine.format.ordering import column_order, order_key
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepts import EVERY, Accepts, Interval, point
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test, Undecided

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.schema import Schema


def bind(clause: predicate.Clause, schema: Schema) -> Bound:
    """The condition about the columns of a schema.

    UsageError if it names a column that is not there, or a literal that does not fit the column's type.
    """
    if isinstance(clause, predicate.All | predicate.Some):
        parts = tuple(bind(part, schema) for part in clause.parts)
        return (Both if isinstance(clause, predicate.All) else Either)(parts, clause.sql)
    if isinstance(clause, predicate.Constant):
        return Always(clause.value, clause.sql)
    if isinstance(clause, predicate.Opaque):
        return Undecided(clause.why, clause.sql, clause=clause)
    leaf = next((one for one in schema.leaves if ".".join(one.path).lower() == clause.column), None)
    if leaf is None:
        raise UsageError(f"there is no column {clause.column!r}")
    return Test(clause, leaf, _accepts(clause, leaf), clause.sql)


def _accepts(clause: predicate.Leaf, leaf: Leaf) -> Accepts:
    order = column_order(leaf)
    if isinstance(clause, predicate.NullTest):
        return Accepts(
            order,
            EVERY if clause.negated else (),
            null=not clause.negated,
            nan=clause.negated,
            nan_unordered=clause.negated,
        )
    if isinstance(clause, predicate.OneOf):
        plains = tuple(plain_bytes(leaf, one.value) for one in clause.literals)
        keys = [order_key(leaf, plain, order) or b"" for plain in plains]
        return Accepts(order, tuple(map(point, keys)), points=plains)
    assert isinstance(clause, predicate.Compare)
    plain = plain_bytes(leaf, clause.literal.value)
    key = order_key(leaf, plain, order) or b""
    made = {
        "=": (point(key),),
        "<=>": (point(key),),
        "<": (Interval(None, key, high_open=True),),
        "<=": (Interval(None, key),),
        ">": (Interval(key, None, low_open=True),),
        ">=": (Interval(key, None),),
        "!=": (Interval(None, key, high_open=True), Interval(key, None, low_open=True)),
    }[clause.operator]
    larger = clause.operator in (">", ">=", "!=")
    return Accepts(order, made, nan=larger, points=(plain,) if clause.operator == "=" else None)
