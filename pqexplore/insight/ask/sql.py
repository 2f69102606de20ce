"""Turns a condition in Spark's SQL into clauses that an index can decide; sqlglot parses it.

Every expression becomes opaque unless this module knows it with all of its arguments, because sqlglot may read an
expression differently from Spark. Literals are used only if their value does not depend on the session.
"""

from __future__ import annotations

import datetime
import re
import zoneinfo
from typing import TYPE_CHECKING, cast

from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask import literals
from pqexplore.insight.ask.predicate import (
    BOOLEAN,
    DECIMAL,
    DOUBLE,
    INTEGRAL,
    NEGATED,
    NULL,
    TEXT,
    All,
    Clause,
    Compare,
    Constant,
    Leaf,
    Literal,
    NullTest,
    OneOf,
    Opaque,
    Some,
)

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.expressions import Column
    from sqlglot.expressions import Expr as Expression

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_MAX_DEPTH = 200
_UNCERTAIN_ESCAPE = re.compile(r"""\\[^\\'"nt]""")
"""Escapes that parsers may read differently from Spark, such as `\\%` and `\\u0041`."""


def parse(sql: str, timezone: str | None = None) -> Clause:
    """Parses a condition, or the WHERE of a SELECT from one table, into a clause tree.

    `timezone` is the session's, for timestamps without a zone; if it is None, clauses with such timestamps are opaque.
    Raises UsageError if the text is not a condition in Spark's SQL.
    """
    try:
        import sqlglot
        from sqlglot.errors import SqlglotError
    except ImportError:
        raise UsageError(
            "sqlglot, which parses conditions, is not installed: pip install sqlglot"
        ) from None
    zone = _zone(timezone)
    whole = re.match(r"\s*(select|with)\b", sql, re.IGNORECASE) is not None
    try:
        text = sql if whole else f"SELECT 1 FROM t WHERE {sql}"
        statements = sqlglot.parse(text, read="spark")
        statement = statements[0] if len(statements) == 1 else None
        condition = _where(statement, whole)
        if condition is None:
            return Constant(True, "TRUE")
        certain = _UNCERTAIN_ESCAPE.search(sql) is None
        return _Reader(zone, certain, _tables(statement) if whole and statement else set()).clause(
            condition, False, 0
        )
    except SqlglotError as error:
        first = re.sub(r"\x1b\[\d*m", "", str(error)).splitlines()[0]
        raise UsageError(f"{sql!r} is not a condition in Spark's SQL: {first}") from None
    except RecursionError:
        raise UsageError("the condition is nested too deeply") from None


def _zone(timezone: str | None) -> datetime.tzinfo | None:
    try:
        return None if timezone is None else zoneinfo.ZoneInfo(timezone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        raise UsageError(
            f"{timezone!r} is not a time zone; UTC or Europe/Berlin, for example, is"
        ) from None


def _where(statement: Expression | None, whole: bool) -> exp.Expression | None:
    from sqlglot import exp

    allowed = {"expressions", "kind", "from", "from_", "where", "limit", "order", "hint"}
    if not isinstance(statement, exp.Select):
        raise UsageError("a condition is expected, or a SELECT from one table")
    beyond = {name for name, value in statement.args.items() if value} - allowed
    if (
        beyond
        if whole
        else beyond | ({"limit", "order"} & {k for k, v in statement.args.items() if v})
    ):
        raise UsageError(
            f"a condition is expected, or a SELECT from one table: {', '.join(sorted(beyond)) or 'ORDER BY or LIMIT'} "
            "is not supported"
        )
    where = statement.args.get("where")
    return None if where is None else where.this


def _tables(statement: Expression) -> set[str]:
    """The lower-cased names of the query's table. Before a column's name they mean the table, not a struct."""
    from sqlglot import exp

    return {table.alias_or_name.lower() for table in statement.find_all(exp.Table)}


class _Reader:
    """Turns sqlglot's expressions into clauses.

    `zone` is for timestamps without a zone; `certain` is whether sqlglot and Spark read text literals alike; `tables`
    are the names that qualify a column.
    """

    def __init__(self, zone: datetime.tzinfo | None, certain: bool, tables: set[str]) -> None:
        from sqlglot import exp

        self.exp = exp
        self.zone = zone
        self.certain = certain
        self.tables = tables
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
        sql = f"NOT ({_sql(node)})" if negated else _sql(node)
        if kind in (exp.And, exp.Or):
            parts = tuple(self.clause(side, negated, depth) for side in _flat(node, kind))
            joined = All if (kind is exp.And) is not negated else Some
            return joined(parts, sql)
        if kind is exp.Between and not node.args.get("symmetric"):
            bounds = ((exp.GTE, node.args["low"]), (exp.LTE, node.args["high"]))
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
        column = self.column(node)
        if column is not None:
            operator = "is false" if negated else "is true"
            return Compare(column, operator, Literal(BOOLEAN, True, "true"), sql)
        return Opaque(f"no index can decide {node.key}", sql)

    def comparison(
        self, kind: type[Expression], left: Expression, right: Expression, negated: bool
    ) -> Leaf:
        operator = self.operators[kind]
        left, right = self.unwrapped(left), self.unwrapped(right)
        column, other = self.column(left), right
        if column is None:
            column, other = self.column(right), left
            operator = _FLIPPED.get(operator, operator)
        if negated:
            operator = NEGATED[operator]
        literal = None if column is None else self.literal(other)
        sql = f"{_sql(left if other is right else right)} {operator.removeprefix('not ')} {_sql(other)}"
        sql = f"NOT ({sql})" if operator.startswith("not ") else sql
        if column is None:
            return Opaque("it does not compare a column by itself", sql)
        if literal is None:
            return Opaque(f"{_sql(other)} is not a literal whose value is certain", sql)
        if literal.kind == NULL:
            if operator in ("<=>", "not <=>"):
                return NullTest(column, operator != "<=>", sql)
            return Constant(False, sql)
        return Compare(column, operator, literal, sql)

    def one_of(self, node: Expression, negated: bool, sql: str) -> Leaf:
        column = self.column(self.unwrapped(node.this))
        beyond = {name for name, value in node.args.items() if value} - {"this", "expressions"}
        if column is None:
            return Opaque("it does not compare a column by itself", sql)
        if beyond:
            return Opaque("the values of IN are not listed", sql)
        literals = [self.literal(self.unwrapped(each)) for each in node.expressions]
        if not literals or None in literals:
            return Opaque("not all values of IN are literals whose values are certain", sql)
        known = tuple(literal for literal in literals if literal is not None)
        values = tuple(literal for literal in known if literal.kind != NULL)
        if not values or (negated and len(values) < len(known)):
            return Constant(False, sql)  # NOT IN a list with a NULL is FALSE or NULL
        if len(known) == 1:  # Spark's optimizer does the same before xskipper gets the condition
            return Compare(column, "!=" if negated else "=", known[0], sql)
        return OneOf(column, values, negated, sql)

    def is_test(self, node: Expression, negated: bool, sql: str) -> Clause:
        exp = self.exp
        column = self.column(self.unwrapped(node.this))
        tested = self.unwrapped(node.expression)
        if type(tested) is exp.Not:
            tested, negated = self.unwrapped(tested.this), not negated
        if column is not None and type(tested) is exp.Null:
            return NullTest(column, negated, sql)
        if column is not None and type(tested) is exp.Boolean:
            literal = Literal(BOOLEAN, bool(tested.this), _sql(tested))
            return Compare(column, "not <=>" if negated else "<=>", literal, sql)
        return Opaque("it is not IS NULL, IS TRUE or IS FALSE of a column", sql)

    def unwrapped(self, node: Expression) -> Expression:
        while type(node) is self.exp.Paren:
            node = node.this
        return node

    def column(self, node: Expression) -> str | None:
        """The lower-cased, dotted path of a column; None for other expressions, qualified columns, names with a dot."""
        exp = self.exp
        parts: list[str] = []
        while type(node) is exp.Dot:
            if type(node.expression) is not exp.Identifier:
                return None
            parts.insert(0, node.expression.this)
            node = node.this
        if type(node) is not exp.Column:
            return None
        named = cast("Column", node).parts
        if not all(type(part) is exp.Identifier for part in named):
            return None
        parts = [part.this for part in named] + parts
        if any("." in part for part in parts) or (
            len(parts) > 1 and parts[0].lower() in self.tables
        ):
            return None
        return ".".join(parts).lower()

    def literal(self, node: Expression) -> Literal | None:
        """The literal in an expression; None if it is not a literal, or if its value depends on the session."""
        exp = self.exp
        kind, sql = type(node), _sql(node)
        if kind is exp.Null:
            return Literal(NULL, None, sql)
        if kind is exp.Boolean:
            return Literal(BOOLEAN, bool(node.this), sql)
        if kind is exp.Neg:
            inner = self.literal(self.unwrapped(node.this))
            if inner is None or inner.kind not in (INTEGRAL, DECIMAL, DOUBLE):
                return None
            return Literal(inner.kind, -inner.value, sql)
        if kind is exp.Literal:
            if node.is_string:
                return Literal(TEXT, node.this, sql) if self.certain else None
            return literals.number(node.this, sql)
        if kind in (exp.Cast, exp.TryCast):
            return self.cast(node, sql)
        if kind is exp.TsOrDsToDate and {k for k, v in node.args.items() if v} <= {"this", "safe"}:
            return literals.date(_string(self.unwrapped(node.this)), sql)
        return None

    def cast(self, node: Expression, sql: str) -> Literal | None:
        if node.args.get("format") or node.args.get("default"):
            return None
        inner = self.unwrapped(node.this)
        target = node.args["to"].this
        name = getattr(target, "name", str(target)).upper()
        if name == "DATE":
            return literals.date(_string(inner), sql)
        if name in ("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPLTZ"):
            return literals.timestamp(_string(inner), sql, self.zone)
        if name in ("TIMESTAMPNTZ", "TIMESTAMP_NTZ"):
            return literals.local_timestamp(_string(inner), sql)
        literal = self.literal(inner)
        if literal is None:
            return None
        parameters = (
            [int(each.name) for each in node.args["to"].expressions] if name == "DECIMAL" else []
        )
        return literals.cast_number(literal, name, parameters, sql)


def _flat(node: Expression, kind: type[Expression]) -> list[Expression]:
    """The operands of a chain of ANDs or ORs, left to right. The chain is nested to the left, and may be long."""
    sides = []
    while type(node) is kind:
        sides.append(node.expression)
        node = node.this
    return [node, *reversed(sides)]


def _sql(node: Expression) -> str:
    return str(node.sql(dialect="spark", comments=False))


def _string(node: Expression) -> str | None:
    return node.this if node.key == "literal" and node.is_string else None
