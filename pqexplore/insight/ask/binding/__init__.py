"""Binds a parsed condition to the columns of a file: which leaf each clause asks about, and which values it accepts.

`find_column` finds the field that a clause names, `thresholds` what its literals mean there, `regions` which values make it
TRUE, `accepting` their order keys; `leaf_test` puts them together. `variants` finds the shredded column of a path in a Variant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.field import REPEATED, Field, Leaf
from pqexplore.engine.format.logical import describe, meaning
from pqexplore.engine.format.ordering import Order, column_order
from pqexplore.engine.text import clip
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepted_values import EVERY, Accepts
from pqexplore.insight.ask.binding import variants
from pqexplore.insight.ask.binding.domains import domain
from pqexplore.insight.ask.binding.find_column import Found, field_at, found, what_it_is
from pqexplore.insight.ask.binding.leaf_test import leaf_test
from pqexplore.insight.ask.binding.regions import Tested
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test, Undecided

if TYPE_CHECKING:
    from pqexplore.engine.format.schema import Schema

__all__ = ["bind"]


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
        return _opaque(clause, schema)
    place = found(clause.operand, schema)
    if clause.operand.variant:
        return variants.bind(clause, place.field, schema)
    if isinstance(clause, predicate.Within):
        return _within(clause, place.field)
    if place.outer is not None and place.outer.kind == "map":
        return _undecided(clause, place, "it asks for the value of one key of a map")
    if isinstance(clause, predicate.NullTest):
        return _null_test(clause, place)
    leaf = _leaf(clause, place)
    indexed = isinstance(clause.operand.element, int)
    if indexed and isinstance(clause, predicate.Compare) and clause.operator == "not <=>":
        return _undecided(clause, place, "it is TRUE for lists without this element")
    return leaf_test(clause, leaf)


def _undecided(clause: predicate.About, place: Found, why: str) -> Undecided:
    top = place.outer if place.outer is not None else place.field
    return Undecided(why, clause.sql, tuple(top.leaves()), clause)


def _opaque(clause: predicate.Opaque, schema: Schema) -> Undecided:
    if clause.error:
        at = f", for column {clause.columns[0][-1]!r}" if clause.columns else ""
        raise UsageError(f"{clause.sql}: {clause.error}{at}")
    leaves: dict[int, Leaf] = {}
    for path in clause.columns:
        leaves.update((leaf.leaf_index, leaf) for leaf in field_at(schema, path).leaves())
    return Undecided(clause.why, clause.sql, tuple(leaves.values()), clause)


def _leaf(clause: Tested, place: Found) -> Leaf:
    """The leaf that a comparison is about. UsageError for a group."""
    field = place.field
    outside_list = field.repetition == REPEATED and place.outer is None
    if isinstance(field, Leaf) and not outside_list:
        return field
    name = clip(str(clause.operand), 100)
    write = {
        "list": f"array_contains({name}, …) or {name}[0]",
        "map": "a condition about its keys or values is not supported",
        "variant": f"variant_get({name}, '$.path', 'int')",
    }.get("list" if outside_list else field.kind)
    if write is None:
        fields = ", ".join(f"{name}.{child.name}" for child in field.children[:5])
        write = fields or "one of its fields"
    kind = "a list" if outside_list else what_it_is(field)
    raise UsageError(f"{clip(clause.sql, 200)}: {name} is {kind}; write {write}")


def _null_test(clause: predicate.NullTest, place: Found) -> Bound:
    field = place.field
    if isinstance(clause.operand.element, int) or place.outer is not None:
        if not clause.negated or not isinstance(field, Leaf):
            return _undecided(clause, place, "a list can be too short for it, and levels do not say")
        return leaf_test(clause, field)
    if field.max_definition_level == 0 and field.repetition != REPEATED:
        return Always(
            clause.negated,
            clause.sql,
            f"{clause.operand} is required, so it is never null",
            tuple(field.leaves()),
            clause,
        )
    if isinstance(field, Leaf) and not field.max_repetition_level:
        if domain(field) is None:  # null counts do not need an order
            return Test(clause, field, _nulls(clause, column_order(field), True), clause.sql)
        return leaf_test(clause, field)
    if clause.negated:
        return _undecided(clause, place, f"{what_it_is(field)} can be there with nulls inside")
    below = field.leaves()
    inside = next((leaf for leaf in below if not leaf.max_repetition_level), below[0] if below else None)
    if inside is None:
        return Undecided(f"{clause.operand} has no columns", clause.sql, (), clause)
    # Where a group is null, so is every column in it; not the other way round.
    made = _nulls(clause, column_order(inside), False)
    return Test(clause, inside, made, clause.sql, repeated=inside.max_repetition_level > 0)


def _nulls(clause: predicate.NullTest, order: Order, exact: bool) -> Accepts:
    flag = clause.negated
    return Accepts(order, EVERY if flag else (), not flag, flag, flag, exact)


def _within(clause: predicate.Within, field: Field) -> Test | Undecided:
    name = clip(str(clause.operand), 100)
    if not isinstance(field, Leaf) or meaning(field).name not in ("GEOMETRY", "GEOGRAPHY"):
        kind = describe(field) if isinstance(field, Leaf) else what_it_is(field)
        raise UsageError(f"ST_Intersects needs a GEOMETRY column; {name} is {kind}")
    if field.max_repetition_level:
        return Undecided("the geometries are in a list", clause.sql, (field,), clause)
    if meaning(field).name == "GEOGRAPHY":
        why = "the edges of a GEOGRAPHY are curved, and leave the box around its corners"
        return Undecided(why, clause.sql, (field,), clause)
    return Test(clause, field, Accepts(Order.NONE, EVERY, exact=False), clause.sql)
