"""Binds a clause about the values of one leaf."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.logical import describe, meaning
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.binding.accepting import accepts
from pqexplore.insight.ask.binding.domains import domain
from pqexplore.insight.ask.binding.regions import Tested, region
from pqexplore.insight.ask.binding.thresholds import CannotCompare
from pqexplore.insight.ask.bound import Test, Undecided

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf


def leaf_test(clause: Tested, leaf: Leaf, error: Fraction = Fraction(0)) -> Test | Undecided:
    """A clause about the values of a leaf, which are compared with a relative error."""
    of = domain(leaf, error)
    sql = clause.sql
    if of is None:
        return Undecided(f"values of type {describe(leaf)} are not compared", sql, (leaf,), clause)
    if isinstance(clause, predicate.Like) and not _is_text(leaf):
        why = f"LIKE needs text, and a cast of the column, which is {describe(leaf)}"
        return Undecided(why, sql, (leaf,), clause)
    if isinstance(clause, predicate.NanTest) and of.kind != "float":
        raise UsageError(f"isnan needs floating point numbers; column {'.'.join(leaf.path)!r} is {describe(leaf)}")
    try:
        made = region(clause, of, every=True)
    except CannotCompare as error:
        return Undecided(str(error), sql, (leaf,), clause)
    return Test(clause, leaf, accepts(made, of), sql, repeated=leaf.max_repetition_level > 0, remark=made.remark)


def _is_text(leaf: Leaf) -> bool:
    name = meaning(leaf).name
    return name in ("STRING", "ENUM", "JSON") or (name == "" and leaf.physical_type == 6)
