"""Conditions written in other words, which mean the same for a column: without a cast, without arithmetic, as a range.

Each function takes a clause as sqlglot parsed it, and the leaf of its column, and returns the same in other words, or None.
Only what means the same for every value of the leaf's type is returned; `by_case` needs the column's values for that.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import TYPE_CHECKING

from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order, column_order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.ask.operands import sql_of

if TYPE_CHECKING:
    from sqlglot.expressions import Expr as Expression

    from pqexplore.engine.format.field import Leaf

Rewrite = Callable[["Expression", "Leaf"], "str | None"]

_COMPARISONS = {"EQ": "=", "GT": ">", "GTE": ">=", "LT": "<", "LTE": "<="}
_MIRRORED = {"=": "=", ">": "<", ">=": "<=", "<": ">", "<=": ">="}


def sides(clause: Expression) -> tuple[Expression, str, Expression] | None:
    """(expression about a column, operator, literal) of a comparison, mirrored if the literal is first."""
    from sqlglot import exp

    operator = _COMPARISONS.get(type(clause).__name__)
    if operator is None:
        return None
    left, right = clause.this, clause.expression
    if not list(left.find_all(exp.Column)):
        left, right, operator = right, left, _MIRRORED[operator]
    if len(list(left.find_all(exp.Column))) != 1 or list(right.find_all(exp.Column)):
        return None
    return left, operator, right


def spellings(clause: Expression) -> tuple[str, ...]:
    """The SQL of a clause, and that of a comparison with its sides exchanged."""
    operator = _COMPARISONS.get(type(clause).__name__)
    own = sql_of(clause)
    if operator is None:
        return (own,)
    left, right = sql_of(clause.this), sql_of(clause.expression)
    return own, f"{right} {_MIRRORED[operator]} {left}"


def without_cast(clause: Expression, leaf: Leaf) -> str | None:
    """`CAST(x AS STRING) = '15'` as `x = 15`, `CAST(x AS DOUBLE) > 1.5e0` as `x > 1`, for whole numbers and dates."""
    from sqlglot import exp

    parts = sides(clause)
    if parts is None:
        return None
    left, operator, right = parts
    if not isinstance(left, exp.Cast) or not isinstance(left.this, exp.Column):
        return None
    column, target = left.this.sql("spark"), left.to.sql("spark").upper()
    value = _number(right)
    if _whole(leaf):
        if target == "STRING" and operator == "=" and isinstance(right, exp.Literal):
            text = right.this
            plain = text.removeprefix("-").isdecimal() and str(int(text)) == text
            return f"{column} = {text}" if right.is_string and plain else None
        if target in ("BIGINT", "DOUBLE") and isinstance(value, int) and abs(value) < 1 << 31:
            return f"{column} {operator} {value}"
    if meaning(leaf).name == "DATE" and target == "STRING" and operator == "=":
        day = _day(right)
        return f"{column} = DATE '{day.isoformat()}'" if day is not None else None
    return None


def of_days(clause: Expression, leaf: Leaf) -> str | None:
    """`CAST(t AS DATE) = DATE '…'` and `YEAR(d) = 2024` as a range of a local timestamp or a date."""
    from sqlglot import exp

    parts = sides(clause)
    if parts is None:
        return None
    left, operator, right = parts
    word = _word(leaf)
    columns = list(left.find_all(exp.Column))
    if operator != "=" or word is None:
        return None
    column = columns[0].sql("spark")
    shape = left.transform(lambda each: exp.column("x") if isinstance(each, exp.Column) else each)
    function = shape.sql("spark").removeprefix("TRY_")
    if function in ("YEAR(x)", "EXTRACT(YEAR FROM x)"):
        year = _number(right)
        if not isinstance(year, int) or not 1 <= year < 9999:
            return None
        first, end = datetime.date(year, 1, 1), datetime.date(year + 1, 1, 1)
    elif function in ("CAST(x AS DATE)", "DATE(x)", "TO_DATE(x)"):
        day = _day(right)
        if day is None or day.year >= 9999:
            return None
        first, end = day, day + datetime.timedelta(days=1)
    else:
        return None
    clock = " 00:00:00" if word != "DATE" else ""
    return f"({column} >= {word} '{first.isoformat()}{clock}' AND {column} < {word} '{end.isoformat()}{clock}')"


def without_arithmetic(clause: Expression, leaf: Leaf) -> str | None:
    """`x + 1 = 5` as `x = 4`, for whole numbers."""
    from sqlglot import exp

    parts = sides(clause)
    if parts is None or not _whole(leaf):
        return None
    left, operator, right = parts
    if not isinstance(left, exp.Add | exp.Sub) or not isinstance(left.this, exp.Column):
        return None
    moved, value = _number(left.expression), _number(right)
    if not isinstance(moved, int) or not isinstance(value, int):
        return None
    answer = value - moved if isinstance(left, exp.Add) else value + moved
    small = max(map(abs, (moved, value, answer))) < 1 << 30
    return f"{left.this.sql('spark')} {operator} {answer}" if small else None


def as_prefix(clause: Expression, leaf: Leaf) -> str | None:
    """`substring(s, 1, 3) = 'abc'` and `left(s, 3) = 'abc'` as `s LIKE 'abc%'`."""
    from sqlglot import exp

    parts = sides(clause)
    if parts is None or column_order(leaf) is not Order.BYTES:
        return None
    left, operator, right = parts
    text = right.this if isinstance(right, exp.Literal) and right.is_string else None
    if operator != "=" or not text or any(one in text for one in "%_\\'"):
        return None
    length: int | None = None
    if isinstance(left, exp.Substring) and _number(left.args.get("start")) == 1:
        length = _int(left.args.get("length"))
    elif isinstance(left, exp.Left):
        length = _int(left.expression)
    if length != len(text) or not isinstance(left.this, exp.Column):
        return None
    return f"{left.this.sql('spark')} LIKE '{text}%'"


def within_list(clause: Expression, leaf: Leaf) -> str | None:
    """A long `x IN (…)` with the range of its values added: `x IN (…) AND x BETWEEN 1 AND 99`."""
    from sqlglot import exp

    if not isinstance(clause, exp.In) or not isinstance(clause.this, exp.Column):
        return None
    values = clause.expressions
    numbers = [_number(one) for one in values]
    if values and _whole(leaf) and all(isinstance(one, int) for one in numbers):
        whole = [one for one in numbers if one is not None]
        edges = [str(min(whole)), str(max(whole))]
    elif values and all(isinstance(one, exp.Literal) and one.is_string for one in values):
        if column_order(leaf) is not Order.BYTES:
            return None
        texts = sorted((one.this for one in values), key=lambda text: text.encode())
        edges = [exp.Literal.string(one).sql("spark") for one in (texts[0], texts[-1])]
    else:
        return None
    column = clause.this.sql("spark")
    return f"({sql_of(clause)} AND {column} >= {edges[0]} AND {column} <= {edges[1]})"


REWRITES: tuple[Rewrite, ...] = (without_cast, of_days, without_arithmetic, as_prefix, within_list)
"""All rewrites, in the order in which they are tried."""


def by_case(clause: Expression, leaf: Leaf, texts: list[str]) -> str | None:
    """`upper(s) = 'DE'` as `s IN ('DE', 'De')`: the spellings among all values of the column."""
    from sqlglot import exp

    parts = sides(clause)
    if parts is None or parts[1] != "=":
        return None
    left, _, right = parts
    if not isinstance(left, exp.Upper | exp.Lower) or not isinstance(left.this, exp.Column):
        return None
    if not isinstance(right, exp.Literal) or not right.is_string:
        return None
    change = str.upper if isinstance(left, exp.Upper) else str.lower
    found = [text for text in texts if change(text) == right.this]
    if not 1 <= len(found) <= 10 or not all(text.isascii() and text.isprintable() for text in found):
        return None
    listed = ", ".join(exp.Literal.string(text).sql("spark") for text in found)
    column = left.this.sql("spark")
    return f"{column} = {listed}" if len(found) == 1 else f"{column} IN ({listed})"


def _whole(leaf: Leaf) -> bool:
    return leaf.physical_type in (Type.INT32, Type.INT64) and meaning(leaf).name in ("", "INTEGER")


def _word(leaf: Leaf) -> str | None:
    """The type of literals of a date or local timestamp; None for other leaves."""
    logical = meaning(leaf)
    if logical.name == "DATE":
        return "DATE"
    if logical.name == "TIMESTAMP" and not logical.utc:
        return "TIMESTAMP_NTZ"
    return None


def _number(one: Expression | None) -> int | float | None:
    """The value of a number literal."""
    from sqlglot import exp

    if isinstance(one, exp.Neg):
        value = _number(one.this)
        return None if value is None else -value
    if not isinstance(one, exp.Literal) or one.is_string:
        return None
    try:
        number = float(one.this)
    except ValueError:
        return None
    return int(number) if number.is_integer() and abs(number) < 1 << 53 else number


def _int(one: Expression | None) -> int | None:
    value = _number(one)
    return value if isinstance(value, int) else None


def _day(one: Expression) -> datetime.date | None:
    """The day of `'2024-01-31'` or `DATE '2024-01-31'`."""
    from sqlglot import exp

    inner = one.this if isinstance(one, exp.Cast) and one.to.sql("spark") == "DATE" else one
    if not isinstance(inner, exp.Literal) or not inner.is_string or len(inner.this) != 10:
        return None
    try:
        return datetime.date.fromisoformat(inner.this)
    except ValueError:
        return None
