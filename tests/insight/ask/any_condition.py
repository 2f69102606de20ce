"""Hypothesis strategies: conditions on the columns of a table, in Spark's SQL and in DuckDB's, for the same meaning.

A condition is made in both dialects at once, so that a parser that reads one wrongly does not read the other alike.
"""

from __future__ import annotations

import dataclasses
import datetime
import math
import re
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st
from insight.ask.any_kind import EPOCH, KINDS, PREFIX, UTC, Column
from insight.ask.any_special import VARIANT_TYPES
from insight.ask.any_table import AnyTable

COMPARISONS = ("<", "<=", ">", ">=", "=", "<>", "<=>")
OPPOSITE = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
DUCK = {"<=>": "IS NOT DISTINCT FROM"}


@dataclasses.dataclass(frozen=True)
class Both:
    """The same text in Spark's SQL and in DuckDB's.

    `certain` is whether both compare exactly. They differ where a number is compared as a double that does not hold it.
    """

    spark: str
    duck: str
    certain: bool = True

    @classmethod
    def of(cls, text: Callable[[Callable[[Both], str]], str], *parts: Both) -> Both:
        """`text` in both dialects: it gets a function that gives the text of a part."""
        certain = all(part.certain for part in parts)
        return cls(text(lambda part: part.spark), text(lambda part: part.duck), certain)


def same(text: str) -> Both:
    """A text that both dialects read alike."""
    return Both(text, text)


def _number(number: int | Decimal) -> list[Both]:
    return [same(f"{number:f}" if isinstance(number, Decimal) else str(number))]


def integer_literals(number: int) -> list[Both]:
    """The number, its neighbours, the number as a decimal and as a double."""
    return [
        same(str(number)),
        same(str(number)),
        same(str(number + 1)),
        same(str(number - 1)),
        same(f"{number}.0"),
        same(f"{number}.5"),
        Both(f"{number}e0", f"{number}e0", abs(number) < 1 << 53),
    ]


def decimal_literals(number: Decimal) -> list[Both]:
    """The number, the number with a digit more, a whole number, and a double."""
    more = f"{number:f}{'' if '.' in f'{number:f}' else '.'}5"
    return [
        *_number(number),
        *_number(number),
        same(more),
        same(str(int(number))),
        Both(f"{number:f}e0", f"({number:f}::DOUBLE)", len(number.as_tuple().digits) < 15),
    ]


def float_literals(number: float) -> list[Both]:
    """The number as a double and as a decimal, which Spark compares with floats as a double; NaN and the infinities."""
    if math.isnan(number) or math.isinf(number):
        name = "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
        return [Both(f"CAST('{name}' AS DOUBLE)", f"('{name}'::DOUBLE)")]
    text = f"{Decimal(repr(float(number))):f}"
    text = text if "." in text else f"{text}.0"
    return [
        Both(text, f"({text}::DOUBLE)"),
        Both(text, text, certain=False),  # DuckDB compares floats with decimals as floats
        Both(f"{text}e0", f"({text}::DOUBLE)"),
        Both(f"{text}D", f"({text}::DOUBLE)"),
        Both("0.0", "(0.0::DOUBLE)"),
        Both("-0.0e0", "(-0.0::DOUBLE)"),
        Both("2", "2"),
    ]


def text_literals(text: str) -> list[Both]:
    """The text, and shorter and longer ones."""
    return [same(f"'{one}'") for one in (text, text, text + "a", text[:-1], PREFIX)]


def binary_literals(raw: bytes) -> list[Both]:
    """The bytes, and longer ones."""
    return [Both(f"X'{one.hex()}'", f"from_hex('{one.hex()}')") for one in (raw, raw, raw + b"\0")]


def date_literals(day: datetime.date) -> list[Both]:
    """The day as a date, as text, and a moment of it."""
    return [
        same(f"DATE '{day}'"),
        same(f"DATE '{day}'"),
        Both(f"'{day}'", f"DATE '{day}'"),
        Both(f"TIMESTAMP_NTZ '{day} 01:00:00'", f"TIMESTAMP '{day} 01:00:00'"),
    ]


def moment_of(cell: Any) -> datetime.datetime:
    """A cell of a timestamp's column as a moment without zone, in microseconds."""
    if isinstance(cell, int):
        return EPOCH + datetime.timedelta(microseconds=cell // 1000)
    return cell.replace(tzinfo=None)


def local_literals(cell: Any) -> list[Both]:
    """The moment, a microsecond later, its day."""
    moment = moment_of(cell)
    near = [moment, moment, moment + datetime.timedelta(microseconds=1)]
    texts = [f"{one:%Y-%m-%d %H:%M:%S.%f}" for one in near]
    return [Both(f"TIMESTAMP_NTZ '{text}'", f"TIMESTAMP '{text}'") for text in texts]


def utc_literals(cell: Any) -> list[Both]:
    """The moment in UTC, in another zone, and in the session's, which is UTC; its day."""
    moment = moment_of(cell).replace(tzinfo=UTC)
    text = f"{moment:%Y-%m-%d %H:%M:%S.%f}"
    later = f"{moment + datetime.timedelta(hours=2):%Y-%m-%d %H:%M:%S.%f}+02:00"
    duck = f"TIMESTAMPTZ '{text}+00:00'"
    return [
        Both(f"TIMESTAMP '{text}+00:00'", duck),
        Both(f"TIMESTAMP '{text}'", duck),
        Both(f"TIMESTAMP '{later}'", duck),
    ]


def time_literals(unit: str, cell: int) -> list[Both]:
    """The time of day."""
    micros = cell * 1000 if unit == "milliseconds" else cell
    return [same(f"TIME '{(EPOCH + datetime.timedelta(microseconds=micros)).time()}'")]


def literals(column: Column, cell: Any) -> list[Both]:
    """Literals near a cell of a column."""
    family, name = column.kind.family, column.kind.name
    if family.startswith("int"):
        return integer_literals(cell)
    if family == "float":
        return float_literals(float(cell))
    if family == "time":
        return time_literals(name.split()[-1], cell)
    if family == "uuid":
        return [same(f"'{uuid.UUID(bytes=cell)}'")]
    if family == "null":
        return [same("1")]
    made = {
        "decimal": decimal_literals,
        "string": text_literals,
        "binary": binary_literals,
        "boolean": lambda flag: [same(str(flag).lower())],
        "date": date_literals,
        "local": local_literals,
        "timestamp": utc_literals,
    }[family]
    return made(cell)


@st.composite
def literal(draw: Any, column: Column) -> Both:
    """A literal near one of the column's values."""
    return draw(st.sampled_from(literals(column, draw(st.sampled_from(column.pool)))))


def compared(left: str, operator: str, right: Both) -> Both:
    """`left operator right` in both dialects."""
    return Both(
        f"{left} {operator} {right.spark}", f"{left} {DUCK.get(operator, operator)} {right.duck}", right.certain
    )


@st.composite
def on_values(draw: Any, column: Column, path: str) -> Both:
    """A clause about one value, which `path` names."""
    form = draw(st.sampled_from(["compare"] * 5 + ["in", "in", "between", "null", "special", "special"]))
    if form == "in":
        some = draw(st.lists(literal(column) | st.just(same("NULL")), min_size=1, max_size=12))
        word = draw(st.sampled_from(["IN", "IN", "NOT IN"]))
        made = Both.of(lambda of: f"{path} {word} ({', '.join(map(of, some))})", *some)
        # Both compare every value as a double if one is, which `verify` does not.
        mixed = column.kind.family != "float" and any("e0" in one.spark for one in some)
        return dataclasses.replace(made, certain=made.certain and not mixed)
    if form == "between":
        word = draw(st.sampled_from(["", "NOT "]))
        low, high = draw(literal(column)), draw(literal(column))
        # DuckDB compares both ends as one type, Spark each as its own.
        duck = f"{word}({path} >= {low.duck} AND {path} <= {high.duck})"
        spark = f"{path} {word}BETWEEN {low.spark} AND {high.spark}"
        return Both(spark, f"({duck})", low.certain and high.certain)
    if form == "null":
        return same(f"{path} IS {draw(st.sampled_from(['NULL', 'NOT NULL']))}")
    if form == "special":
        special = draw(specials(column, path))
        if special is not None:
            return special
    one, operator = draw(literal(column)), draw(st.sampled_from(COMPARISONS))
    if draw(st.integers(0, 4)) == 0:
        turned = OPPOSITE.get(operator, operator)
        return dataclasses.replace(compared(path, operator, one), spark=f"{one.spark} {turned} {path}")
    return compared(path, operator, one)


@st.composite
def specials(draw: Any, column: Column, path: str) -> Both | None:
    """A clause that only a column of this kind can have."""
    family = column.kind.family
    if family == "boolean":
        return same(draw(st.sampled_from([path, f"{path} IS TRUE", f"{path} IS NOT FALSE", f"{path} IS FALSE"])))
    if family == "float":
        duck = f"coalesce(isnan({path}), false)"  # isnan(NULL) is FALSE in Spark
        return draw(st.sampled_from([Both(f"isnan({path})", duck, False), same(f"isnan({path})")]))
    if family == "string":
        text = draw(st.sampled_from(column.pool))
        text = text[: draw(st.integers(0, len(text)))]
        pattern = draw(st.sampled_from([f"{text}%", f"{text}%", f"{text}_%", f"{text}_", f"%{text}", text]))
        return draw(
            st.sampled_from(
                [
                    same(f"{path} LIKE '{pattern}'"),
                    same(f"{path} NOT LIKE '{pattern}'"),
                    Both(f"startswith({path}, '{text}')", f"starts_with({path}, '{text}')"),
                    Both(f"endswith({path}, '{text}')", f"suffix({path}, '{text}')"),
                    same(f"contains({path}, '{text}')"),
                ]
            )
        )
    return None


@st.composite
def on_lists(draw: Any, column: Column) -> Both:
    """A clause about a list: about any of its elements (NULL if none meets it and one may, as in Spark), or about one."""
    form = draw(st.sampled_from(["has", "has", "overlap", "exists", "exists", "first", "null"]))
    path, inside = column.path, ".x" if column.shape == "structs" else ""
    if form == "null":
        return same(f"{path} IS {draw(st.sampled_from(['NULL', 'NOT NULL']))}")
    if form == "first":
        index = draw(st.integers(0, 1))
        made = draw(on_values(column, "e"))
        spark = draw(st.sampled_from([f"{path}[{index}]{inside}", f"element_at({path}, {index + 1}){inside}"]))
        return _about(made, "e", spark, f"{path}[{index + 1}]{inside}")
    if form == "exists" or inside:
        made = draw(on_values(column, f"e{inside}"))
        spark = f"exists({path}, e -> {made.spark})"
    elif form == "overlap":
        some = draw(st.lists(literal(column), min_size=1, max_size=3))
        made = Both.of(lambda of: f"e IN ({', '.join(map(of, some))})", *some)
        spark = f"arrays_overlap({path}, array({', '.join(one.spark for one in some)}))"
        if not _alike(some):
            return on_lists_contains(path, some[0])
    else:
        return on_lists_contains(path, draw(literal(column)))
    return Both(spark, _any(path, made.duck), made.certain)


def on_lists_contains(path: str, one: Both) -> Both:
    """`array_contains`."""
    duck = _any(path, compared("e", "=", one).duck)
    return Both(f"array_contains({path}, {one.spark})", duck, one.certain)


def _alike(some: list[Both]) -> bool:
    """Whether literals have one type in Spark, which an array needs."""
    return len({one.spark.partition("'")[0] for one in some if "'" in one.spark}) == 1


def _any(path: str, duck: str) -> str:
    """Whether a clause is TRUE for an element `e` of a list, in DuckDB's SQL."""
    each = f"list_transform({path}, lambda e: {duck})"
    unknown = f"len(list_filter({each}, lambda met: met IS NULL)) > 0"
    return (
        f"(CASE WHEN {path} IS NULL THEN NULL WHEN list_bool_or({each}) THEN true "
        f"WHEN {unknown} THEN NULL ELSE false END)"
    )


def _about(made: Both, name: str, spark: str, duck: str) -> Both:
    """The clause with other texts in place of a name."""
    word = re.compile(rf"\b{name}\b(?![^']*'(?:[^']*'[^']*')*[^']*$)")
    texts = word.sub(lambda _: spark, made.spark), word.sub(lambda _: duck, made.duck)
    return Both(*texts, made.certain)


@st.composite
def on_variants(draw: Any, column: Column) -> Both:
    """A clause about a value inside a Variant, as a type."""
    path, name = (draw(st.sampled_from(["$", "$.a", "$.a", "$.a.b"])), draw(st.sampled_from(sorted(VARIANT_TYPES))))
    function = draw(st.sampled_from(["variant_get", "try_variant_get"]))
    kind, pool = {
        "int": ("int32", [1, 2, 5]),
        "bigint": ("int64", [2, 5, 1 << 40]),
        "string": ("string", ["x", "5", ""]),
        "double": ("float of 64 bits", [2.5, 2.0, 5.0]),
        "boolean": ("boolean", [True, False]),
    }[name]
    made = draw(on_values(Column("e", KINDS[kind], "flat", pool), "e"))
    spark = f"{function}({column.path}, '{path}', '{name}')"
    turned = _about(made, "e", spark, f'"{column.path}{path}{name}"')
    # Casts from and to booleans are Spark's; `verify` takes other types than the one that is asked for as null.
    return dataclasses.replace(turned, certain=turned.certain and not has_flags(column.pool, name))


def has_flags(pool: list[Any], name: str) -> bool:
    """Whether a value of a Variant is a boolean, or is asked for as one."""
    return name == "boolean" or "True" in repr(pool) or "False" in repr(pool)


@st.composite
def on_geometries(draw: Any, column: Column) -> Both:
    """Whether a geometry meets a box."""
    path, ends = column.path, st.integers(-4, 4)
    if draw(st.integers(0, 3)) == 0:
        return same(f"{path} IS {draw(st.sampled_from(['NULL', 'NOT NULL']))}")
    (xmin, xmax), (ymin, ymax) = sorted((draw(ends), draw(ends))), sorted((draw(ends), draw(ends)))
    box = f"ST_MakeEnvelope({xmin}, {ymin}, {xmax}, {ymax})"
    if xmin < xmax and ymin < ymax and draw(st.booleans()):
        ring = f"{xmin} {ymin}, {xmin} {ymax}, {xmax} {ymax}, {xmax} {ymin}, {xmin} {ymin}"
        box = f"ST_GeomFromText('POLYGON (({ring}))')"
    duck = f"{path}_xmin <= {xmax} AND {path}_xmax >= {xmin} AND {path}_ymin <= {ymax} AND {path}_ymax >= {ymin}"
    return Both(f"ST_Intersects({path}, {box})", f"({duck})")


@st.composite
def clauses(draw: Any, made: AnyTable) -> Both:
    """A clause about one column."""
    column = draw(st.sampled_from(made.columns))
    of_shape = {"list": on_lists, "structs": on_lists, "variant": on_variants, "geometry": on_geometries}.get(
        column.shape
    )
    return draw(on_values(column, column.path) if of_shape is None else of_shape(column))


def conditions(made: AnyTable) -> st.SearchStrategy[Both]:
    """Clauses about a table's columns, under AND, OR and NOT. About half of them are one clause."""

    def joined(three: tuple[Both, str, Both]) -> Both:
        left, word, right = three
        return Both.of(lambda of: f"({of(left)} {word} {of(right)})", left, right)

    def negated(one: Both) -> Both:
        return Both.of(lambda of: f"NOT ({of(one)})", one)

    several = st.recursive(
        clauses(made),
        lambda inner: inner.map(negated) | st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(joined),
        max_leaves=4,
    )
    return clauses(made) | several
