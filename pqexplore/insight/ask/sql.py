"""Turns a condition in Spark's SQL into clauses that an index can decide; sqlglot parses it.

Every expression becomes opaque unless this module knows it with all of its arguments, because sqlglot may read an
expression differently from Spark. Literals are used only if their value does not depend on the session.
"""

from __future__ import annotations

import dataclasses
import datetime
import re
import zoneinfo
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask import operands, patterns
from pqexplore.insight.ask.constants import Constants, string
from pqexplore.insight.ask.operands import LISTS, Names, function_name, sql_of, unwrapped
from pqexplore.insight.ask.parsed import Parsed
from pqexplore.insight.ask.predicate import (
    ANY,
    BOOLEAN,
    DECIMAL,
    DOUBLE,
    FLOAT,
    INTEGRAL,
    NEGATED,
    NULL,
    All,
    Clause,
    Compare,
    Constant,
    Leaf,
    Like,
    Literal,
    NanTest,
    NullTest,
    OneOf,
    Opaque,
    Operand,
    Some,
    Wildcard,
    Within,
)

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.errors import SqlglotError
    from sqlglot.expressions import Expr as Expression


_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_MAX_DEPTH = 200
_MAX_LENGTH = 1_000_000
"""The most characters of a condition."""

_UNCERTAIN_ESCAPE = re.compile(r"""\\[^\\'"nt]""")
"""Escapes that parsers may read differently from Spark, such as `\\%` and `\\u0041`."""

_UNCERTAIN_PATTERN = re.compile(r"""\\[^\\'"nt%_]""")
"""The same in a pattern of LIKE, in which `\\%` and `\\_` stay as they are."""


def parse(sql: str, timezone: str | None = None) -> Clause:
    """Parses a condition, or the WHERE of a SELECT from one table, into a clause tree.

    `timezone` is the session's, for timestamps without a zone; if it is None, such literals are `ZONELESS`. Raises
    UsageError if the text is not a condition in Spark's SQL.
    """
    try:
        import sqlglot
        from sqlglot.errors import SqlglotError
    except ImportError:
        raise UsageError("sqlglot, which parses conditions, is not installed: pip install sqlglot") from None
    zone = session_zone(timezone)
    if len(sql) > _MAX_LENGTH:
        raise UsageError(f"a condition of {len(sql):,} characters; {_MAX_LENGTH:,} are supported")
    whole = re.match(r"\s*(select|with)\b", sql, re.IGNORECASE) is not None
    try:
        text = sql if whole else f"{_BEFORE}{sql}"
        statements = sqlglot.parse(text, read="spark")
        statement = statements[0] if len(statements) == 1 else None
        condition = _where(statement, whole)
        if condition is None:
            return Constant(True, "TRUE")
        tables = _tables(statement) if whole and statement else frozenset[str]()
        escapes = (_UNCERTAIN_ESCAPE, _UNCERTAIN_PATTERN)
        certain, certain_pattern = (one.search(sql) is None for one in escapes)
        reader = _Reader(Constants(zone, certain, certain_pattern), Names(tables))
        return reader.clause(condition, False, 0)
    except SqlglotError as error:
        ahead = 0 if whole else len(_BEFORE)
        raise UsageError(f"{sql!r} is not a condition in Spark's SQL: {_problem(error, ahead)}") from None
    except RecursionError:
        raise UsageError("the condition is nested too deeply") from None


_BEFORE = "SELECT 1 FROM t WHERE "


def _problem(error: SqlglotError, ahead: int) -> str:
    """What is wrong with the text, and at which character; `ahead` characters of the text are ours."""
    details = getattr(error, "errors", None) or [{}]
    column = details[0].get("col")
    at = "" if column is None else f" at character {max(1, int(column) - ahead):,}"
    described = str(details[0].get("description") or "")
    if described.startswith("Required keyword"):
        return f"something is missing{at}"
    if described.startswith("Expecting"):
        return f"{described[:1].lower()}{described[1:]}{at}"
    return f"it cannot be parsed{at}"


def session_zone(timezone: str | None) -> datetime.tzinfo | None:
    """The session's time zone by its name; None if that is None. UsageError if there is no zone of that name."""
    try:
        return None if timezone is None else zoneinfo.ZoneInfo(timezone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        raise UsageError(f"{timezone!r} is not a time zone; UTC or Europe/Berlin, for example, is") from None


def _where(statement: Expression | None, whole: bool) -> exp.Expression | None:
    from sqlglot import exp

    allowed = {"expressions", "kind", "from", "from_", "where", "limit", "order", "hint"}
    if not isinstance(statement, exp.Select):
        raise UsageError("a condition is expected, or a SELECT from one table")
    beyond = {name for name, value in statement.args.items() if value} - allowed
    if beyond if whole else beyond | ({"limit", "order"} & {k for k, v in statement.args.items() if v}):
        raise UsageError(
            f"a condition is expected, or a SELECT from one table: {', '.join(sorted(beyond)) or 'ORDER BY or LIMIT'} "
            "is not supported"
        )
    if not any(statement.args.get(name) for name in ("from", "from_")):
        raise UsageError("a condition is expected, or a SELECT from one table")
    where = statement.args.get("where")
    return None if where is None else where.this


def _tables(statement: Expression) -> frozenset[str]:
    """The lower-cased names of the query's table. Before a column's name they mean the table, not a struct."""
    from sqlglot import exp

    return frozenset(table.alias_or_name.lower() for table in statement.find_all(exp.Table))


class _Reader:
    """Turns sqlglot's expressions into clauses. `constants` reads literals, `names` says what names mean."""

    def __init__(self, constants: Constants, names: Names) -> None:
        from sqlglot import exp

        self.exp = exp
        self.constants = constants
        self.names = names
        self.operators: dict[type[Expression], str] = {
            exp.EQ: "=",
            exp.NEQ: "!=",
            exp.LT: "<",
            exp.LTE: "<=",
            exp.GT: ">",
            exp.GTE: ">=",
            exp.NullSafeEQ: "<=>",
            exp.NullSafeNEQ: "not <=>",
        }

    def clause(self, node: Expression, negated: bool, depth: int) -> Clause:
        """The clause for an expression, or for its negation."""
        exp = self.exp
        if depth > _MAX_DEPTH:
            raise UsageError("the condition is nested too deeply")
        depth += 1
        kind = type(node)
        if kind is exp.Paren:
            return self.clause(node.this, negated, depth)
        if kind is exp.Not:
            return self.clause(node.this, not negated, depth)
        sql = f"NOT ({sql_of(node)})" if negated else sql_of(node)
        if kind in (exp.And, exp.Or):
            parts = tuple(self.clause(side, negated, depth) for side in _flat(node, kind))
            joined = All if (kind is exp.And) is not negated else Some
            return joined(parts, sql)
        if kind is exp.Between and not node.args.get("symmetric"):
            bounds = ((exp.GTE, node.args["low"]), (exp.LTE, node.args["high"]))
            if _compared_as_doubles([self.constants.literal(unwrapped(bound)) for _, bound in bounds]):
                return self.opaque(
                    "DuckDB compares with both bounds as doubles, Spark with each as it is", sql, node, negated
                )
            both = tuple(self.comparison(of, node.this, bound, negated) for of, bound in bounds)
            return (Some if negated else All)(both, sql)
        if kind in self.operators:
            return self.comparison(kind, node.this, node.expression, negated)
        if kind is exp.In:
            return self.one_of(node, negated, sql)
        if kind is exp.Is:
            return self.is_test(node, negated, sql)
        if kind is exp.Boolean:
            return Constant(bool(node.this) is not negated, sql)
        if kind is exp.Null:
            return Constant(False, sql)
        return self.other(node, negated, sql, depth)

    def other(self, node: Expression, negated: bool, sql: str, depth: int) -> Leaf:
        """A function, or a column that is a condition by itself."""
        operand = operands.operand(node, self.names)
        if operand is not None:
            operator = "is false" if negated else "is true"
            return Compare(operand, operator, Literal(BOOLEAN, True, "true"), sql)
        found = clause(node, negated, sql, self.constants, self.names)
        if found is None and type(node) is self.exp.Exists:
            found = self.exists(node, negated, sql, depth)
        if found is not None:
            return self.opaque(found, sql, node, negated) if isinstance(found, str) else found
        return self.opaque(f"no index can decide {name_of(node)}", sql, node, negated)

    def opaque(self, why: str, sql: str, node: Expression, negated: bool, error: str = "") -> Opaque:
        """A clause that no bounds decide, with the columns that it reads."""
        parsed = Parsed(node, negated, self.constants, self.names)
        return Opaque(why, sql, operands.columns(node, self.names), error, parsed)

    def exists(self, node: Expression, negated: bool, sql: str, depth: int) -> Leaf | str:
        """`exists(list, x -> x > 5)`: the clause about x, for any element; or why not."""
        condition = node.expression
        if type(condition) is not self.exp.Lambda or len(condition.expressions) != 1:
            return "no index can decide exists"
        operand = operands.any_element(node.this, self.names)
        if operand is None or self.names.variable:
            return "the list is not a column by itself"
        names = Names(self.names.tables, str(condition.expressions[0].this), operand)
        found = _Reader(self.constants, names).clause(condition.this, False, depth)
        if isinstance(found, All | Some | Constant | Opaque | NullTest):
            return "not one comparison of the elements with literals"
        if negated:
            return NOT_ANY
        return dataclasses.replace(found, sql=sql)

    def comparison(self, kind: type[Expression], left: Expression, right: Expression, negated: bool) -> Leaf:
        operator = self.operators[kind]
        left, right = unwrapped(left), unwrapped(right)
        operand, other = self.side(left), right
        if operand is None:
            operand, other = self.side(right), left
            if operand is None:
                why = why_no_operand(left, right, self.names)
                sql = f"{sql_of(left)} {operator.removeprefix('not ')} {sql_of(right)}"
                turned = negated is not operator.startswith("not ")
                whole = kind(this=left.copy(), expression=right.copy())
                return self.opaque(why, f"NOT ({sql})" if turned else sql, whole, negated)
            operator = _FLIPPED.get(operator, operator)
        if negated:
            operator = NEGATED[operator]
        literal = self.constants.literal(other)
        sql = f"{sql_of(left if other is right else right)} {operator.removeprefix('not ')} {sql_of(other)}"
        sql = f"NOT ({sql})" if operator.startswith("not ") else sql
        if literal is None:
            error = self.constants.error(other)
            why = f"{sql_of(other)} is not a literal whose value is certain"
            if operands.columns(other, self.names):
                why = "it compares two columns"
            whole = kind(this=left.copy(), expression=right.copy())
            return self.opaque(why, sql, whole, negated, error)
        if operand.element == ANY and negated and not self.names.variable:
            whole = kind(this=left.copy(), expression=right.copy())
            return self.opaque(NOT_ANY, sql, whole, negated)
        if literal.kind == NULL:
            if operator in ("<=>", "not <=>"):
                return NullTest(operand, operator != "<=>", sql)
            return Constant(False, sql)
        return Compare(operand, operator, literal, sql)

    def side(self, node: Expression) -> Operand | None:
        """What a side of a comparison reads; `ANY(list)` reads any element."""
        if type(node) is self.exp.Any:
            return operands.any_element(node.this, self.names)
        return operands.operand(node, self.names)

    def one_of(self, node: Expression, negated: bool, sql: str) -> Leaf:
        operand = operands.operand(node.this, self.names)
        beyond = {name for name, value in node.args.items() if value} - {"this", "expressions"}
        if operand is None:
            why = why_no_operand(unwrapped(node.this), None, self.names)
            return self.opaque(why, sql, node, negated)
        if beyond:
            return self.opaque("the values of IN are not listed", sql, node, negated)
        literals = [self.constants.literal(unwrapped(each)) for each in node.expressions]
        if not literals or None in literals:
            error = next(filter(None, map(self.constants.error, node.expressions)), "")
            why = "not all values of IN are literals whose values are certain"
            return self.opaque(why, sql, node, negated, error)
        known = tuple(literal for literal in literals if literal is not None)
        values = tuple(literal for literal in known if literal.kind != NULL)
        if not values or (negated and len(values) < len(known)):
            return Constant(False, sql)  # NOT IN a list with a NULL is FALSE or NULL
        if len(known) == 1:  # Spark's optimizer does the same before xskipper gets the condition
            return Compare(operand, "!=" if negated else "=", known[0], sql, listed=True)
        return OneOf(operand, values, negated, sql)

    def is_test(self, node: Expression, negated: bool, sql: str) -> Clause:
        exp, asked = self.exp, negated
        operand = operands.operand(node.this, self.names)
        tested = unwrapped(node.expression)
        if type(tested) is exp.Not:
            tested, negated = unwrapped(tested.this), not negated
        if operand is not None and type(tested) is exp.Null:
            return NullTest(operand, negated, sql)
        if operand is not None and type(tested) is exp.Column and tested.name.lower() == "nan":
            return NanTest(operand, negated, sql)
        if operand is not None and type(tested) is exp.Boolean:
            literal = Literal(BOOLEAN, bool(tested.this), sql_of(tested))
            return Compare(operand, "not <=>" if negated else "<=>", literal, sql)
        why = "it is not IS NULL, IS NAN, IS TRUE or IS FALSE of a column"
        return self.opaque(why, sql, node, asked)


def _compared_as_doubles(bounds: Sequence[Literal | None]) -> bool:
    """Whether an engine that gives the bounds of BETWEEN one type rounds one of them: a double stands beside a long number."""
    known = [one for one in bounds if one is not None]
    long = any(one.kind in (INTEGRAL, DECIMAL) and abs(one.value) > 1 << 53 for one in known)
    return long and any(one.kind in (DOUBLE, FLOAT) for one in known)


def _flat(node: Expression, kind: type[Expression]) -> list[Expression]:
    """The operands of a chain of ANDs or ORs, left to right. The chain is nested to the left, and may be long."""
    sides = []
    while type(node) is kind:
        sides.append(node.expression)
        node = node.this
    return [node, *reversed(sides)]


# Turns functions and LIKE into clauses: patterns, NaN, elements of lists, geometries.

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
