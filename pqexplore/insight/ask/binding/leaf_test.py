"""Binds a clause about the values of one leaf."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.logical import describe, meaning
from pqexplore.engine.format.ordering import Order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepted_values import EVERY, Accepts, Interval
from pqexplore.insight.ask.binding.domains import Domain, Value, at_most, domain
from pqexplore.insight.ask.binding.regions import Region, Tested, region
from pqexplore.insight.ask.binding.thresholds import CannotCompare
from pqexplore.insight.ask.bound import Test, Undecided

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.ask.binding.regions import Range


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


# Turns the values for which a clause is TRUE into order keys and Bloom filter points.

_SPREAD = 16
"""The most values of one range that are listed for a Bloom filter."""


def accepts(region: Region, of: Domain) -> Accepts:
    """The region as intervals of order keys, with the points to look up in Bloom filters."""
    exact = region.exact
    intervals: tuple[Interval, ...]
    if of.order is Order.NONE:
        intervals, exact = EVERY if region.ranges else (), False
    else:
        intervals = tuple(_interval(one, of) for one in region.ranges)
    if of.order is Order.INT96:
        exact = False
        if any(_has(one, 0) for one in region.ranges):
            intervals = (*_unset(of), *intervals)
    return Accepts(
        of.order,
        intervals,
        null=region.null,
        nan=region.nan,
        nan_unordered=region.nan_unordered,
        exact=exact,
        points=_points(region, of),
    )


def _interval(one: Range, of: Domain) -> Interval:
    low = None if one.low is None else of.key(one.low)
    high = None if one.high is None else of.key(one.high, last=True)
    return Interval(low, high, one.low_open, one.high_open)


def _has(one: Range, value: int) -> bool:
    above = one.low is None or at_most(one.low, value)
    return above and (one.high is None or at_most(value, one.high))


def _unset(of: Domain) -> tuple[Interval, ...]:
    """Julian day 0, which stands for unset values and is read as 1970-01-01."""
    assert of.low is not None
    from pqexplore.engine.format.int96 import NANOSECONDS_PER_DAY, UNIX_EPOCH

    first = -UNIX_EPOCH * NANOSECONDS_PER_DAY
    return (Interval(of.key(first), of.key(first + NANOSECONDS_PER_DAY - 1)),)


def _points(region: Region, of: Domain) -> tuple[bytes, ...] | None:
    """PLAIN bytes of all values in the region; None if they are too many, or a value has more than one form."""
    leaf = of.leaf
    several_forms = leaf.physical_type == Type.INT96 or (of.kind == "int" and leaf.physical_type == Type.BYTE_ARRAY)
    if several_forms or region.null or not (region.ranges or region.nan):
        return None
    values: list[bytes] = []
    for one in region.ranges:
        found = _listed(one, of)
        if found is None:
            return None
        values += found
    return tuple(values)


def _listed(one: Range, of: Domain) -> list[bytes] | None:
    """The PLAIN bytes of the values of a range; None if they are too many."""
    if one.low is None or one.high is None or one.low_open or one.high_open:
        return None
    values: list[Value] = [one.low]
    while values[-1] != one.high:
        following = None if isinstance(values[-1], bytes) else of.following(values[-1])
        if following is None or len(values) == _SPREAD:
            return None
        values.append(following)
    plains = []
    for value in values:
        zeros = (0.0, -0.0) if isinstance(value, float) and value == 0 else (value,)
        plains += [of.plain(zero) for zero in zeros]
    return plains
