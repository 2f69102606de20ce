"""Turns functions and LIKE into clauses: patterns, NaN, elements of lists, geometries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pqexplore.insight.ask import operands, patterns
from pqexplore.insight.ask.constants import Constants, string
from pqexplore.insight.ask.operands import LISTS, Names, function_name, sql_of, unwrapped
from pqexplore.insight.ask.predicate import (
    ANY,
    NULL,
    Compare,
    Constant,
    Leaf,
    Like,
    Literal,
    NanTest,
    NullTest,
    OneOf,
    Operand,
    Wildcard,
    Within,
)

if TYPE_CHECKING:
    from sqlglot.expressions import Expr as Expression

NOT_ANY = "it asks about all elements of a list, and a row's elements can be on several pages"
_PARTS = {"startswith": (0, 1), "endswith": (1, 0), "contains": (1, 1)}
"""Functions of a text and a part: whether any text may be before the part, and after it."""
_NULL_TESTS = {"isnull": False, "isnotnull": True}
_OVERLAP = ("arrays_overlap", "list_has_any", "array_has_any")


def clause(node: Expression, negated: bool, sql: str, constants: Constants, names: Names) -> Leaf | str | None:
    """The clause for a function or LIKE; text says why there is none; None for everything else."""
    key, function = node.key, function_name(node)
    if key in ("like", "escape"):
        return _like(node, negated, sql, constants, names)
    if key in _PARTS:
        return _part(node, negated, sql, constants, names)
    if key == "isnan":
        operand = operands.operand(node.this, names)
        return _not_a_column(node.this, names) if operand is None else NanTest(operand, negated, sql)
    if function in _NULL_TESTS and len(node.expressions) == 1:
        operand = operands.operand(node.expressions[0], names)
        if operand is None:
            return _not_a_column(node.expressions[0], names)
        return NullTest(operand, _NULL_TESTS[function] is not negated, sql)
    if key == "arraycontains":
        return _has(node.this, [node.expression], negated, sql, constants, names)
    if function in LISTS and len(node.expressions) == 2:
        return _has(node.expressions[0], node.expressions[1:], negated, sql, constants, names)
    if function in _OVERLAP and len(node.expressions) == 2 and node.expressions[1].key == "array":
        first, second = node.expressions
        return _has(first, second.expressions, negated, sql, constants, names)
    if function == "st_intersects" and len(node.expressions) == 2:
        return _within(node, negated, sql, names)
    return None


def why_no_operand(left: Expression, right: Expression | None, names: Names) -> str:
    """Why a comparison is not about a column by itself."""
    for side in (left, right):
        if side is not None and operands.columns(side, names):
            return _not_a_column(side, names)
    return "it does not compare a column by itself"


def _not_a_column(node: Expression, names: Names) -> str:
    node = unwrapped(node)
    if node.key in ("cast", "trycast"):
        return "it casts the column, and bounds are of the values before the cast"
    if node.key in ("add", "sub", "mul", "div", "mod", "neg", "intdiv"):
        return "it computes with the column, and bounds are of the values themselves"
    if not operands.columns(node, names):
        return "it does not compare a column by itself"
    return f"it does not compare a column by itself, but the result of {name_of(node)}"


def name_of(node: Expression) -> str:
    """What an expression is called: a function by its name, everything else by the parser's word."""
    called = re.match(r"(\w+)\(", sql_of(node))
    return called[1].lower() if called else str(node.key)


def _like(node: Expression, negated: bool, sql: str, constants: Constants, names: Names) -> Leaf | str:
    escape = "\\"
    if node.key == "escape":
        given = string(unwrapped(node.expression))
        if given is None or len(given) != 1:
            return "the escape character is not one character"
        escape, node = given, node.this
        if node.key != "like":
            return f"no index can decide {node.key}"
    negated = negated is not bool(node.args.get("negate"))
    text = string(unwrapped(node.expression))
    operand = operands.operand(node.this, names)
    if operand is None:
        return _not_a_column(node.this, names)
    if text is None or not constants.certain_pattern:
        return "the pattern is not a literal whose value is certain"
    parts = patterns.pattern(text, escape)
    if parts is None:
        return "the pattern has an escape before a character that needs none"
    return _matching(operand, parts, negated, sql, names)


def _matching(operand: Operand, parts: patterns.Pattern, negated: bool, sql: str, names: Names) -> Leaf | str:
    if operand.element == ANY and negated and not names.variable:
        return NOT_ANY
    return Like(operand, parts, negated, sql)


def _part(node: Expression, negated: bool, sql: str, constants: Constants, names: Names) -> Leaf | str:
    operand = operands.operand(node.this, names)
    text = string(unwrapped(node.expression))
    if operand is None:
        return _not_a_column(node.this, names)
    if text is None or not constants.certain:
        return "the part is not a literal whose value is certain"
    before, after = _PARTS[node.key]
    wild = (Wildcard.TEXT,)
    parts = (*wild * before, *((text,) if text else ()), *wild * after)
    return _matching(operand, parts if text else wild, negated, sql, names)


def _has(
    of: Expression, values: list[Expression], negated: bool, sql: str, constants: Constants, names: Names
) -> Leaf | str:
    """Whether a list has one of some values."""
    operand = operands.any_element(of, names)
    if operand is None:
        return "the list is not a column by itself"
    found = [constants.literal(unwrapped(one)) for one in values]
    known: list[Literal] = [one for one in found if one is not None and one.kind != NULL]
    if None in found:
        return "not all values are literals whose values are certain"
    if negated:
        return NOT_ANY
    if not known:
        return Constant(False, sql)
    if len(known) == 1:
        return Compare(operand, "=", known[0], sql)
    return OneOf(operand, tuple(known), False, sql)


def _within(node: Expression, negated: bool, sql: str, names: Names) -> Leaf | str:
    for of, shape in (node.expressions, node.expressions[::-1]):
        operand = operands.operand(_geometry(of), names)
        box = _box(unwrapped(shape))
        if operand is not None and box is not None:
            if negated:
                return "a box says which geometries may meet a shape, not which do"
            return Within(operand, *box, sql)
    return "it is not ST_Intersects of a column with ST_MakeEnvelope(xmin, ymin, xmax, ymax) or a shape as text"


def _geometry(node: Expression) -> Expression:
    """The column in ST_GeomFromWKB(column), or the expression itself."""
    node = unwrapped(node)
    if function_name(node) == "st_geomfromwkb" and len(node.expressions) == 1:
        inner: Expression = node.expressions[0]
        return inner
    return node


def _box(node: Expression) -> tuple[patterns.Box, bool] | None:
    """(the box around a shape, whether the shape is this box); None if it is not a literal."""
    function, arguments = function_name(node), list(getattr(node, "expressions", ()))
    if function == "st_makeenvelope" and len(arguments) in (4, 5):
        sides = [_coordinate(one) for one in arguments[:4]]
        if any(side is None for side in sides):
            return None
        xmin, ymin, xmax, ymax = (float(side) for side in sides if side is not None)
        return ((xmin, ymin, xmax, ymax), True) if xmin <= xmax and ymin <= ymax else None
    if function in ("st_geomfromtext", "st_geomfromewkt") and arguments:
        text = string(unwrapped(arguments[0]))
        return None if text is None else patterns.box_of_text(text)
    return None


def _coordinate(node: Expression) -> float | None:
    from pqexplore.insight.ask.literals import floating

    node = unwrapped(node)
    if node.key == "neg":
        inner = _coordinate(node.this)
        return None if inner is None else -inner
    if node.key != "literal" or node.is_string:
        return None
    found = floating(str(node.this))
    return found if found is not None and abs(found) < float("inf") else None
