"""Evaluates SQL over rows that this package decoded: with DuckDB if it is installed, else what pyarrow can compute.

The text is Spark's SQL; it is translated. DuckDB gets Arrow data only, and may open no file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import Mask, floats_of_halves
from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import clip
from pqexplore.insight.ask.run_engines.dialects import condition, quoted
from pqexplore.insight.json_values import VARIANT

if TYPE_CHECKING:
    from sqlglot.expressions import Expr as Expression

ROWS = "these_rows"
"""The name of the rows in the SQL that DuckDB runs."""

MEMORY = 4 << 30
"""Bytes that DuckDB may take; it writes no files in their place."""

TOO_DEEP = "the expression is nested too deeply"


def has_duckdb() -> bool:
    """Whether DuckDB is installed."""
    import importlib.util

    return importlib.util.find_spec("duckdb") is not None


def engine() -> str:
    """What evaluates: `DuckDB 1.4.0`, or `pyarrow 21.0.0`."""
    if has_duckdb():
        import duckdb

        return f"DuckDB {duckdb.__version__}"
    return f"pyarrow {pa.__version__}"


def mask(table: pa.Table, where: str) -> Mask:
    """Whether a condition is TRUE for each row. UsageError if it cannot be evaluated."""
    import sqlglot

    parsed = sqlglot.parse_one(where, read="spark")
    _refuse_queries([parsed])
    table = _plain(table)
    _drop_table_name(parsed, table)
    if not has_duckdb():
        found = _value(parsed, table)
        _require_boolean(found.type, where)
        made: Mask = np.asarray(pc.fill_null(found, False)).astype(bool)
        return made
    text, _ = condition(parsed.sql("spark", comments=False), "duckdb")
    number = "row"
    while number.lower() in map(str.lower, table.column_names):
        number = f"_{number}"
    numbered = table.append_column(number, pa.array(np.arange(table.num_rows)))
    # In WHERE, DuckDB refuses what is about several rows: aggregates, windows, the elements of lists.
    found = _duckdb(f"SELECT {quoted(number)} AS at, ({text}) AS hit FROM {ROWS} WHERE ({text})", numbered)
    _require_boolean(found["hit"].type, where)
    made = np.zeros(table.num_rows, bool)
    made[np.asarray(found["at"])] = True
    return made


def _drop_table_name(parsed: Expression, table: pa.Table) -> None:
    """Leave out the name of the table before columns, as in `SELECT * FROM t WHERE t.a > t.b`."""
    from sqlglot import exp

    names = {name.lower() for name in table.column_names}
    for column in parsed.find_all(exp.Column):
        outer = next((key for key in ("catalog", "db", "table") if column.args.get(key)), None)
        if outer is not None and column.args[outer].name.lower() not in names:
            column.set(outer, None)


def _require_boolean(kind: pa.DataType, where: str) -> None:
    if not pa.types.is_boolean(kind):
        raise UsageError(f"{clip(where, 200)} is not a condition: its values are not true or false")


def selected(rows: pa.Table, select: str, by: Sequence[str]) -> pa.Table:
    """`SELECT by, select FROM rows GROUP BY by`, the most frequent first; without `by` as it stands.

    UsageError if it cannot be evaluated, or if there is no DuckDB and it is more than counts, sums and bounds of columns.
    """
    rows = _plain(rows)
    if not has_duckdb():
        return _grouped(rows, select, by)
    text = _translated(select)
    names = ", ".join(f"{_place(name, rows)} AS {quoted(name)}" for name in by)
    keys = ", ".join(_place(name, rows) for name in by)
    sql = f"SELECT {names}, {text} FROM {ROWS} GROUP BY {keys} ORDER BY count(*) DESC, {keys}" if by else f"SELECT {text} FROM {ROWS}"  # fmt: skip
    return _duckdb(sql, rows)


def _place(name: str, rows: pa.Table) -> str:
    """A column, or a field of structs, in DuckDB's SQL."""
    return quoted(name) if name in rows.column_names else ".".join(map(quoted, name.split(".")))


def names_in(select: str) -> list[str]:
    """The dotted names of the columns in a list of expressions. UsageError if it cannot be parsed."""
    from sqlglot import exp

    return list(dict.fromkeys(_dotted(one) for one in _parsed(select).find_all(exp.Column) if _dotted(one) != "*"))


def _dotted(column: Expression) -> str:
    parts: list[Expression] = getattr(column, "parts", [column])
    return ".".join(part.name for part in parts)


def _parsed(select: str) -> Expression:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        statements = sqlglot.parse(f"SELECT {select}\nFROM {ROWS}", read="spark")  # a comment ends with its line
    except SqlglotError:
        raise UsageError(f"{clip(select, 200)!r} is not a list of expressions in Spark's SQL") from None
    except RecursionError:
        raise UsageError(TOO_DEEP) from None
    statement = statements[0] if len(statements) == 1 else None
    if (
        not isinstance(statement, exp.Select)
        or not statement.expressions
        or any(value and key not in ("expressions", "from", "from_") for key, value in statement.args.items())
    ):
        raise UsageError(f"{clip(select, 200)!r} is not a list of expressions in Spark's SQL")
    _refuse_queries(statement.expressions)
    if any(one.is_star for one in statement.expressions):
        raise UsageError("name the columns instead of *")
    return statement


def _refuse_queries(found: Sequence[Expression]) -> None:
    """Raise UsageError for a query inside an expression, which might be about anything but these rows, and for parameters."""
    from sqlglot import exp

    for one in found:
        if one.find(exp.Query, exp.Table) is not None:
            raise UsageError("an expression may not have a query inside: it is about the rows of the file")
        if one.find(exp.Placeholder, exp.Parameter) is not None:
            raise UsageError("an expression may not have parameters: write their values")


def _translated(select: str) -> str:
    from sqlglot.errors import ErrorLevel, SqlglotError

    try:
        parts = []
        for one in _parsed(select).expressions:
            text = one.sql(dialect="duckdb", comments=False, unsupported_level=ErrorLevel.RAISE)
            parts.append(text if one.alias or not one.args else f"{text} AS {quoted(_named(one))}")
    except SqlglotError as error:
        raise UsageError(f"{clip(select, 200)!r} cannot be translated for DuckDB: {error}") from None
    except RecursionError:
        raise UsageError(TOO_DEEP) from None
    return ", ".join(parts)


def _named(one: Expression) -> str:
    """The name of an expression in the result: its alias, or what was written."""
    return str(one.alias or one.sql("spark", comments=False, normalize_functions="lower")).replace("`", "")


def _duckdb(sql: str, rows: pa.Table) -> pa.Table:
    """The result of a query over `ROWS`. UsageError also for columns that DuckDB does not tell apart."""
    import duckdb

    _require_names([rows.schema.field(at) for at in range(rows.num_columns)])
    connection = duckdb.connect()
    try:
        connection.execute("SET temp_directory = ''")
        connection.execute(f"SET memory_limit = '{MEMORY}B'")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET lock_configuration = true")
        connection.register(ROWS, rows)
        found: pa.Table = connection.sql(sql).to_arrow_table()
        for at, column in enumerate(found.columns):
            if column.type == pa.decimal128(38, 0):  # HUGEINT, as DuckDB has sums of integers
                with contextlib.suppress(pa.ArrowInvalid):
                    found = found.set_column(at, found.column_names[at], column.cast(pa.int64()))
        return found
    except duckdb.Error as error:
        raise UsageError(f"DuckDB cannot evaluate it: {str(error).splitlines()[0]}") from None
    finally:
        connection.close()


def _plain(rows: pa.Table) -> pa.Table:
    """The rows with types that SQL has: FLOAT16 as FLOAT, a Variant as its JSON text."""
    for at, column in enumerate(rows.columns):
        name = rows.column_names[at]
        if pa.types.is_float16(column.type):
            rows = rows.set_column(at, name, floats_of_halves(column))
        elif pa.types.is_struct(column.type) and [one.name for one in column.type] == [VARIANT]:
            rows = rows.set_column(at, name, pc.struct_field(column, [0]))
    return rows


def _require_names(fields: Sequence[pa.Field]) -> None:
    """Raise UsageError for names that differ in their case only: DuckDB takes the first for both."""
    names: dict[str, str] = {}
    for one in fields:
        other = names.get(one.name.lower())
        if other == one.name:
            raise UsageError(f"there are several columns {other!r}")
        if other is not None:
            raise UsageError(f"DuckDB takes the columns {other!r} and {one.name!r} for the same: ask for one at a time")
        names[one.name.lower()] = one.name
        if pa.types.is_struct(one.type):
            _require_names([one.type.field(at) for at in range(one.type.num_fields)])


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "EQ": pc.equal,
    "NEQ": pc.not_equal,
    "GT": pc.greater,
    "GTE": pc.greater_equal,
    "LT": pc.less,
    "LTE": pc.less_equal,
    "Add": pc.add_checked,
    "Sub": pc.subtract_checked,
    "Mul": pc.multiply_checked,
    "And": pc.and_kleene,
    "Or": pc.or_kleene,
    "Div": lambda a, b: pc.divide(pc.cast(a, pa.float64()), pc.if_else(pc.equal(b, 0), None, pc.cast(b, pa.float64()))),
    "NullSafeEQ": lambda a, b: pc.if_else(
        pc.or_(pc.is_null(a), pc.is_null(b)), pc.and_(pc.is_null(a), pc.is_null(b)), pc.fill_null(pc.equal(a, b), False)
    ),
}

_UNARY: dict[str, Callable[[Any], Any]] = {
    "Neg": pc.negate_checked,
    "Not": pc.invert,
    "Abs": pc.abs_checked,
    "Round": lambda a: pc.round(a, round_mode="half_towards_infinity"),
    "Floor": pc.floor,
    "Ceil": pc.ceil,
    "Length": pc.utf8_length,
    "Upper": pc.utf8_upper,
    "Lower": pc.utf8_lower,
}


def _value(node: Expression, table: pa.Table) -> Any:
    """An expression over a table, with pyarrow. UsageError for what is not in the tables above."""
    from sqlglot import exp

    kind = type(node).__name__
    try:
        if isinstance(node, exp.Paren):
            return _value(node.this, table)
        if isinstance(node, exp.Column):
            return _column(table, _dotted(node))
        if isinstance(node, exp.Literal):
            text = str(node.this)
            return pa.scalar(text if node.is_string else float(text) if any(c in text for c in ".eE") else int(text))
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return pc.is_null(_value(node.this, table))
        if kind in _BINARY:
            return _BINARY[kind](_value(node.this, table), _value(node.expression, table))
        if kind in _UNARY and not node.args.get("decimals"):
            return _UNARY[kind](_value(node.this, table))
    except RecursionError:
        raise UsageError(TOO_DEEP) from None
    except (pa.ArrowException, TypeError) as error:
        raise UsageError(f"{clip(node.sql('spark'), 200)} cannot be evaluated: {error}") from None
    raise UsageError(f"{clip(node.sql('spark'), 200)} cannot be evaluated without DuckDB: pip install duckdb")


def _column(table: pa.Table, dotted: str) -> Any:
    """A column, or a field of structs, by its dotted path; names differ in their case only if need be."""
    names = {name.lower(): name for name in table.column_names}
    for name in (dotted, names.get(dotted.lower(), "")):
        if table.column_names.count(name) > 1:
            raise UsageError(f"there are several columns {name!r}")
        if name in table.column_names:
            return table[name]
    first, _, rest = dotted.partition(".")
    if rest and first.lower() in names:
        with contextlib.suppress(pa.ArrowException):  # a path through a list
            return pc.struct_field(table[names[first.lower()]].combine_chunks(), rest.split("."))
        raise UsageError(f"{dotted!r} is inside lists or maps, and has not one value a row")
    raise UsageError(f"there is no column {dotted!r}")


def _grouped(table: pa.Table, select: str, by: Sequence[str]) -> pa.Table:
    """Counts, sums and bounds of columns, with pyarrow."""
    from sqlglot import exp

    words = {exp.Count: "count", exp.Sum: "sum", exp.Min: "min", exp.Max: "max"}
    wanted: list[tuple[str, str, str]] = []
    for one in _parsed(select).expressions:
        inner = one.this if isinstance(one, exp.Alias) else one
        word, of = words.get(type(inner)), inner.this
        if word is None or inner.expressions or not isinstance(of, exp.Column | exp.Star):
            raise UsageError(f"{clip(one.sql('spark'), 200)} cannot be evaluated without DuckDB: pip install duckdb")
        wanted.append((_named(one), word, "" if isinstance(of, exp.Star) else _dotted(of)))
    names = dict.fromkeys([*by, *(column for _, _, column in wanted if column)])
    flat = pa.table({name: _column(table, name) for name in names} or {"": pa.nulls(table.num_rows)})
    try:
        made = flat.group_by(list(by)).aggregate([([], "count_all"), *((c, word) for _, word, c in wanted if c)])
    except pa.ArrowException as error:
        raise UsageError(f"{select!r} cannot be evaluated: {error}") from None
    listed = {name: made[name] for name in by}
    listed |= {name: made[f"{column}_{word}" if column else "count_all"] for name, word, column in wanted}
    order = pc.array_sort_indices(made["count_all"].combine_chunks(), order="descending")
    return pa.table(listed).take(order)
