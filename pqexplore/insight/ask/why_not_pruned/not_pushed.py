"""Conditions that an engine does not compare with the file's claims, and the same in words that it does compare.

A rewrite is only named if the engine's own cascade reads less with it: it is asked, not assumed.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.ordering import Order, column_order
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.ask import sql
from pqexplore.insight.ask.binding import bind
from pqexplore.insight.ask.bound import Both, Bound, Undecided
from pqexplore.insight.ask.operands import sql_of
from pqexplore.insight.ask.pruning import Group, run
from pqexplore.insight.ask.read_requests import reading
from pqexplore.insight.ask.why_not_pruned.cause import Cause
from pqexplore.insight.ask.why_not_pruned.estimate import WORTH
from pqexplore.insight.ask.why_not_pruned.value_evidence import MAX_ENTRIES, read
from pqexplore.insight.axis import order_of
from pqexplore.insight.wording import name, plural

if TYPE_CHECKING:
    from sqlglot.expressions import Expr as Expression

    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.ask.plan import Plan


MOST = 20
"""Clauses for which rewrites are tried at most."""

MOST_GROUPS = 2_000
"""Row groups of a file whose cascade is asked again at most."""


def find(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each clause that skips nothing as it is written, and would in other words."""
    unused = [one for one in _conjuncts(plan.used) if isinstance(one, Undecided)]
    if not unused or not plan.kept or len(plan.groups) > MOST_GROUPS:
        return
    parsed = _parsed(plan.where)
    if parsed is None:
        return
    for one in unused[:MOST]:
        cause = _rewritten(plan, parsed, one)
        if cause is not None:
            yield cause


def _conjuncts(bound: Bound) -> Iterator[Bound]:
    """The parts of a condition that are joined by AND at the top."""
    if isinstance(bound, Both):
        for part in bound.parts:
            yield from _conjuncts(part)
    else:
        yield bound


def _parsed(where: str) -> Expression | None:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        parsed = sqlglot.parse_one(where, read="spark")
    except (SqlglotError, RecursionError):
        return None
    return None if isinstance(parsed, exp.Query) else parsed


def _rewritten(plan: Plan, parsed: Expression, one: Undecided) -> Cause | None:
    """The cause about a clause, with the first rewrite by which the engine reads less; None without one."""
    from sqlglot import exp

    node = next((node for node in parsed.walk() if one.sql in spellings(node)), None)
    if node is None:
        return None
    if isinstance(node, exp.Or):
        return _halves(plan, parsed, one, node)
    column = next(node.find_all(exp.Column), None)
    leaf = None if column is None else _leaf(plan, column)
    if leaf is None:
        return None
    for words in _words(plan, node, leaf):
        where = _replaced(parsed, node, words)
        read_then = None if where is None else _asked(plan, where)
        if where is None or read_then is None:
            continue
        groups, size = read_then
        saves = plan.reading.bytes - size
        if saves <= WORTH * plan.reading.bytes:
            continue
        kept = sum(group.kept for group in groups)
        return Cause(
            "not_pushed",
            ".".join(leaf.path),
            f"{sql_of(node)} skips nothing: {one.why}. The same in other words, {words}, would be compared with what the file says "
            f"about {name(leaf.path)}.",
            f"Ask {where}: {plural(kept, 'row group')} instead of {len(plan.kept):,} would be read.",
            {"SQL": where},
            {"clause": sql_of(node), "where": where, "row_groups": len(plan.kept)},
            (),
            saves,
            kept,
        )
    return None


def _halves(plan: Plan, parsed: Expression, one: Undecided, node: Expression) -> Cause | None:
    """The cause about an OR: each side by itself would skip, and both together read less than now."""
    sides = [sql_of(part) for part in (node.this, node.expression)]
    wheres = [_replaced(parsed, node, side) for side in sides]
    found = [None if where is None else _asked(plan, where) for where in wheres]
    if found[0] is None or found[1] is None:
        return None
    saves = plan.reading.bytes - found[0][1] - found[1][1]
    if saves <= WORTH * plan.reading.bytes:
        return None
    kept = [sum(group.kept for group in groups) for groups, _ in (found[0], found[1])]
    first, second = wheres
    united = f"SELECT * FROM t WHERE {first} UNION ALL SELECT * FROM t WHERE {second} AND ({first}) IS NOT TRUE"
    return Cause(
        "not_pushed",
        "",
        f"{sql_of(node)} skips nothing: {one.why}. Each side by itself would be compared with what the file says.",
        f"Ask for each side by itself, and unite the rows with UNION ALL: {plural(kept[0], 'row group')} and {kept[1]:,} instead "
        f"of {len(plan.kept):,} would be read.",
        {"SQL": united},
        {"clause": sql_of(node), "sides": sides, "row_groups": len(plan.kept)},
        (),
        saves,
        sum(kept),
    )


def _leaf(plan: Plan, column: Expression) -> Leaf | None:
    path = ".".join(part.name for part in getattr(column, "parts", ())).lower()
    return next((leaf for leaf in plan.file.schema.leaves if ".".join(leaf.path).lower() == path), None)


def _words(plan: Plan, node: Expression, leaf: Leaf) -> Iterator[str]:
    """The clause in other words."""
    from sqlglot import exp

    for rewrite in REWRITES:
        words = rewrite(node, leaf)
        if words is not None:
            yield words
    if isinstance(node, exp.EQ) and node.find(exp.Upper, exp.Lower):
        values = read(plan.file, leaf, order_of(leaf))
        if values is not None and values.whole and len(values.distinct) <= MAX_ENTRIES:
            try:
                texts = [values.raw(rank).decode() for rank in range(len(values.distinct))]
            except UnicodeDecodeError:
                return
            words = by_case(node, leaf, texts)
            if words is not None:
                yield words


def _replaced(parsed: Expression, node: Expression, words: str) -> str | None:
    """The whole condition with a clause in other words."""
    new = _parsed(words)
    if new is None:
        return None
    changed = parsed.transform(lambda each: new.copy() if each == node else each)
    return sql_of(changed)


def _asked(plan: Plan, where: str) -> tuple[list[Group], int] | None:
    """The row groups and bytes that the engine reads for another condition; None if it cannot be asked."""
    engine, file = plan.engine, plan.file
    try:
        used = engine.usable(bind(sql.parse(where), file.schema), file.schema)
    except UsageError:
        return None
    steps = run(file, used, engine)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            groups: list[Group] = stop.value
            return groups, reading(file, used, groups, plan.leaves, engine).bytes


# Conditions written in other words, which mean the same for a column: without a cast, without arithmetic, as a range.
#
# Each function takes a clause as sqlglot parsed it, and the leaf of its column, and returns the same in other words, or None.
# Only what means the same for every value of the leaf's type is returned; `by_case` needs the column's values for that.

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
