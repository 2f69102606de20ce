"""Evaluates a condition on values: which entries of a dictionary, and which rows of a row group, meet it.

`array_comparison` compares a whole array with a clause, `column_by_row` reads the values of a clause's column in a row group.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Array, Mask
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format import geospatial, wkb
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.variant.shape import variant_around
from pqexplore.engine.text import clip, listing
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.binding.domains import domain
from pqexplore.insight.ask.binding.find_column import found
from pqexplore.insight.ask.bound import Always, Both, Bound, Test, Undecided, single
from pqexplore.insight.ask.matching.array_comparison import holds
from pqexplore.insight.ask.matching.column_by_row import Column, levels, of_leaf, of_variant

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile


__all__ = ["accepted", "is_expression", "rows"]


def accepted(test: Test, values: pa.Array, nan_largest: bool | None) -> Mask:
    """Whether each value of a leaf (not null, in its logical type) may meet the clause, by any reading of its literals.

    `nan_largest` is as in `Engine`; None accepts a NaN if either order does.
    """
    clause = test.clause
    if isinstance(clause, predicate.Within):
        return near(values, clause.box)
    of = domain(test.leaf)
    if of is None or not isinstance(clause, _TESTED):
        return np.ones(len(values), bool)
    return holds(clause, of, values, nan_largest, every=True)


_TESTED = (predicate.Compare, predicate.OneOf, predicate.NullTest, predicate.NanTest, predicate.Like)


def rows(
    file: ParquetFile, row_group_index: int, bound: Bound, nan_largest: bool | None, evaluate: bool = False
) -> Mask:
    """Whether the condition is TRUE for each row of a row group; where engines read a literal differently, as Spark does.

    `nan_largest` says whether NaN is larger than every number and equal to itself (True, None) or unequal to everything.
    With `evaluate`, clauses that compare columns with each other or compute are evaluated by `expressions`. Reads the
    columns of the condition only. UsageError, with the clause, for one that cannot be evaluated; ParquetError as reading
    the columns raises.
    """
    return _Rows(file, row_group_index, nan_largest is not False, evaluate).mask(bound)


class _Rows:
    """Evaluates conditions on one row group; keeps the columns that were read."""

    def __init__(self, file: ParquetFile, row_group: int, nan_largest: bool, evaluate: bool) -> None:
        self.evaluate = evaluate
        self.file, self.row_group, self.nan_largest = file, row_group, nan_largest
        self.num_rows = file.row_groups[row_group].num_rows
        self.columns: dict[object, Column] = {}

    def mask(self, bound: Bound) -> Mask:
        """The rows for which a condition is TRUE. NOT is in the clauses, so TRUE is all that AND and OR need."""
        if isinstance(bound, Test | Undecided):
            return self.clause(bound)
        if isinstance(bound, Always):
            return np.full(self.num_rows, bound.value)
        masks = [self.mask(part) for part in bound.parts]
        join = np.logical_and if isinstance(bound, Both) else np.logical_or
        made: Mask = join.reduce(masks)
        return made

    def within(self, bound: Test, clause: predicate.Within) -> Mask:
        """The rows whose geometry meets a box."""
        if not clause.whole:
            why = "only points and boxes are compared with geometries"
            raise UsageError(f"{clip(bound.sql, 200)} cannot be evaluated here: {why}")
        column = self.leaf_column(bound.leaf)
        return column.by_row(meet(column.values, clause.box), False, None)

    def operand_column(self, bound: Test | Undecided, operand: predicate.Operand) -> Column:
        """The column that an operand names, or the values at its path in a Variant."""
        if operand.variant:
            key = (operand.path, operand.variant, operand.variant_type)
            return self.read(key, lambda: of_variant(self.file, self.row_group, operand))
        return self.leaf_column(bound.leaf if isinstance(bound, Test) else self.element_of(bound, operand))

    def leaf_column(self, leaf: Leaf) -> Column:
        """The values of a leaf."""
        return self.read(leaf.leaf_index, lambda: of_leaf(self.file, self.row_group, leaf))

    def evaluated(self, bound: Undecided) -> Mask:
        """The rows for which an expression over several columns, or a computation, is TRUE."""
        from pqexplore.insight.ask import expressions

        table = self.file.read(columns=[leaf.path for leaf in bound.leaves], row_groups=[self.row_group])
        return expressions.mask(table, bound.sql)

    def clause(self, bound: Test | Undecided) -> Mask:
        clause = bound.clause
        if self.evaluate and is_expression(bound):
            assert isinstance(bound, Undecided)
            return self.evaluated(bound)
        if (
            isinstance(clause, predicate.About)
            and not clause.operand.variant
            and isinstance(bound, Test)
            and _part_of_variant(bound.leaf, clause.operand)
        ):
            why = "a part of a Variant is not read by itself; write variant_get(…)"
            raise UsageError(f"{clip(bound.sql, 200)} cannot be evaluated here: {why}")
        if isinstance(clause, predicate.NullTest) and not clause.operand.variant:
            present = levels(self.file, self.row_group, clause)
            if present is not None:
                return present if clause.negated else ~present
        if isinstance(clause, predicate.Within) and isinstance(bound, Test):
            return self.within(bound, clause)
        if not isinstance(clause, _TESTED):
            raise _cannot(bound)
        operand = clause.operand
        column = self.operand_column(bound, operand)
        of = domain(column.leaf)
        if of is None:
            raise _cannot(bound)
        mask = holds(clause, of, column.values, self.nan_largest, every=False)
        null = isinstance(clause, predicate.Compare) and clause.operator == "not <=>"
        null = null or (isinstance(clause, predicate.NullTest) and not clause.negated)
        return column.by_row(mask, null, operand.element if isinstance(operand.element, int) else None)

    def element_of(self, bound: Undecided, operand: predicate.Operand) -> Leaf:
        """The leaf of `list[0]`, about which nothing in a file decides; UsageError for other clauses."""
        if isinstance(operand.element, int):
            place = found(operand, self.file.schema)
            if isinstance(place.field, Leaf) and place.outer is not None and place.outer.kind != "map":
                return place.field
        raise _cannot(bound)

    def read(self, key: object, make: Callable[[], Column]) -> Column:
        """A column, read once."""
        if key not in self.columns:
            self.columns[key] = make()
        return self.columns[key]


def evaluated_elsewhere(condition: Bound) -> list[str]:
    """A remark about the clauses that `expressions` evaluates, if there are any."""
    from pqexplore.insight.ask import expressions

    computed = [clip(one.sql, 100) for one in single(condition) if is_expression(one)]
    said = f"{expressions.engine()} evaluated {listing(computed)} on the values that were decoded here"
    return [said] if computed else []


def is_expression(bound: Bound) -> bool:
    """Whether a clause compares columns with each other or computes, so that `expressions` has to evaluate it."""
    if not isinstance(bound, Undecided) or not bound.leaves or isinstance(bound.clause, _TESTED):
        return False
    return all(variant_around(leaf) is None for leaf in bound.leaves)


def _part_of_variant(leaf: Leaf, operand: predicate.Operand) -> bool:
    """Whether a clause asks about a field inside a Variant's group; about the Variant itself it does not."""
    field = leaf.parent
    while field is not None and field.kind != "variant":
        field = field.parent
    return field is not None and len(operand.path) > len(field.path)


def _cannot(bound: Test | Undecided) -> UsageError:
    why = f": {bound.why}" if isinstance(bound, Undecided) else ""
    return UsageError(f"{clip(bound.sql, 200)} cannot be evaluated here{why}")


# Whether geometries meet a box: points inside, edges across, polygons around.

Box = tuple[float, float, float, float]


def meet(values: pa.Array, box: Box) -> Mask:
    """Whether each geometry (WKB) meets a box (xmin, ymin, xmax, ymax), in a plane; False for null and damaged values."""
    made = np.zeros(len(values), bool)
    for index, shape in geospatial.read(values):
        made[index] = not isinstance(shape, ParquetError) and meets(shape, box)
    return made


def near(values: pa.Array, box: Box) -> Mask:
    """Whether the box around each geometry overlaps a box, in a plane; True for damaged values."""
    made = np.zeros(len(values), bool)
    for index, shape in geospatial.read(values):
        if isinstance(shape, ParquetError):
            made[index] = True
            continue
        sides = geospatial.extent(shape)
        if "x" in sides and "y" in sides:
            (xmin, xmax), (ymin, ymax) = sides["x"], sides["y"]
            inside = xmin <= box[2] and xmax >= box[0]
            made[index] = inside and ymin <= box[3] and ymax >= box[1]
    return made


def meets(shape: wkb.Shape, box: Box) -> bool:
    """Whether a geometry has a point in a box, in a plane; the edges of both belong to them."""
    todo = [shape]
    while todo:
        one = todo.pop()
        todo.extend(one.parts)
        rings = [ring[:, :2] for ring in one.rings]
        if any(_touches(ring, box) for ring in rings):
            return True
        if one.kind == 3 and sum(_around(ring, box[0], box[1]) for ring in rings) % 2:
            return True
    return False


def _touches(points: Array, box: Box) -> bool:
    """Whether a point or an edge of a line meets the box."""
    xmin, ymin, xmax, ymax = box
    x, y = points[:, 0], points[:, 1]
    if ((x >= xmin) & (x <= xmax) & (y >= ymin) & (y <= ymax)).any():
        return True
    if len(points) < 2:
        return False
    x0, y0, x1, y1 = x[:-1], y[:-1], x[1:], y[1:]
    near = (np.maximum(x0, x1) >= xmin) & (np.minimum(x0, x1) <= xmax)
    near &= (np.maximum(y0, y1) >= ymin) & (np.minimum(y0, y1) <= ymax)
    # An edge whose box overlaps meets the box unless all corners lie on one side of it.
    with np.errstate(over="ignore", invalid="ignore"):
        sides = [(x1 - x0) * (cy - y0) - (y1 - y0) * (cx - x0) for cx in (xmin, xmax) for cy in (ymin, ymax)]
        corners = np.stack(sides)
        apart = (corners > 0).all(axis=0) | (corners < 0).all(axis=0)
    return bool((near & ~apart).any())


def _around(ring: Array, px: float, py: float) -> bool:
    """Whether a ring goes around a point, by the even-odd rule."""
    if len(ring) < 3:
        return False
    x0, y0, x1, y1 = ring[:-1, 0], ring[:-1, 1], ring[1:, 0], ring[1:, 1]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        crosses = (y0 > py) != (y1 > py)
        at = (x1 - x0) * (py - y0) / (y1 - y0) + x0
        return bool((crosses & (px < at)).sum() % 2)
