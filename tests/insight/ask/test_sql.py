"""SQL conditions as clauses: what is understood, what is opaque, what is refused."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask import sql
from pqexplore.insight.ask.predicate import (
    ZONELESS,
    All,
    Compare,
    Constant,
    Like,
    NanTest,
    NullTest,
    OneOf,
    Opaque,
    Some,
    Wildcard,
    Within,
    column_of,
    leaves,
)

DAY = 86_400_000_000


def text_of(clause):
    """A clause in a few words, for tables."""
    if isinstance(clause, (All, Some)):
        word = " and " if isinstance(clause, All) else " or "
        return "(" + word.join(text_of(part) for part in clause.parts) + ")"
    if isinstance(clause, Compare):
        return f"{clause.column} {clause.operator} {clause.literal.value}"
    if isinstance(clause, OneOf):
        values = ", ".join(str(literal.value) for literal in clause.literals)
        return f"{clause.column} {'not ' if clause.negated else ''}in {values}"
    if isinstance(clause, NullTest):
        return f"{clause.column} is {'not ' if clause.negated else ''}null"
    if isinstance(clause, NanTest):
        return f"{clause.column} is {'not ' if clause.negated else ''}nan"
    if isinstance(clause, Like):
        pattern = [one.value if isinstance(one, Wildcard) else one for one in clause.pattern]
        return f"{clause.column} {'not ' if clause.negated else ''}like {pattern}"
    return str(clause.value) if isinstance(clause, Constant) else "?"


@pytest.mark.parametrize(
    ("condition", "clauses"),
    [
        ("a < 5 AND City = 'x'", "(a < 5 and city = x)"),
        ("5 < a", "a > 5"),
        ("a == 5 OR a != 6", "(a = 5 or a != 6)"),
        ("NOT (a < 5 AND b = 1)", "(a >= 5 or b != 1)"),
        ("NOT (a < 5 OR NOT b)", "(a >= 5 and b is true True)"),
        ("NOT flag", "flag is false True"),
        ("a BETWEEN 1 AND 2", "(a >= 1 and a <= 2)"),
        ("a NOT BETWEEN 1 AND 2", "(a < 1 or a > 2)"),
        ("Nest.In.X <> -5", "nest.in.x != -5"),
        ("a.b.c.d.e = 1", "a.b.c.d.e = 1"),
        ("a IN (1, 2)", "a in 1, 2"),
        ("a IN (1)", "a = 1"),
        ("a NOT IN (1)", "a != 1"),
        ("a IN (1, NULL, 2)", "a in 1, 2"),
        ("a NOT IN (1, NULL, 2)", "False"),
        ("a = NULL", "False"),
        ("NOT (a = NULL)", "False"),
        ("a <=> NULL", "a is null"),
        ("NOT a <=> 5", "a not <=> 5"),
        ("a IS NOT NULL", "a is not null"),
        ("flag IS NOT TRUE", "flag not <=> True"),
        ("TRUE", "True"),
        ("NOT TRUE OR a = 1", "(False or a = 1)"),
        ("SELECT x FROM t WHERE a > 1 ORDER BY x LIMIT 3", "a > 1"),
        ("SELECT x FROM t", "True"),
        ("isnan(a)", "a is nan"),
        ("NOT isnan(a)", "a is not nan"),
        ("a IS NAN", "a is nan"),
        ("a IS NOT NAN", "a is not nan"),
        ("isnull(a) OR isnotnull(a)", "(a is null or a is not null)"),
        ("a IS NOT DISTINCT FROM 5", "a <=> 5"),
        ("a LIKE 'p%'", "a like ['p', '%']"),
        ("a NOT LIKE 'p%'", "a not like ['p', '%']"),
        ("NOT a LIKE 'p%'", "a not like ['p', '%']"),
        ("a LIKE '%x_y%%'", "a like ['%', 'x', '_', 'y', '%']"),
        ("a LIKE 'p\\_%'", "a like ['p_', '%']"),
        ("a LIKE 'p!%%' ESCAPE '!'", "a like ['p%', '%']"),
        ("a LIKE 'p!!%' ESCAPE '!'", "a like ['p!', '%']"),
        ("a LIKE ''", "a like []"),
        ("startswith(a, 'p')", "a like ['p', '%']"),
        ("endswith(a, 'p')", "a like ['%', 'p']"),
        ("contains(a, '%')", "a like ['%', '%', '%']"),
    ],
)
def test_what_an_index_can_speak_about_becomes_clauses(condition, clauses):
    assert text_of(sql.parse(condition)) == clauses


@pytest.mark.parametrize(
    ("literal", "kind", "value"),
    [
        ("5", "whole number", 5),
        ("-5L", "whole number", -5),
        ("9223372036854775808", "decimal number", Decimal(1 << 63)),
        ("5.0", "decimal number", Decimal("5.0")),
        ("-.5", "decimal number", Decimal("-0.5")),
        ("5e0", "double", 5.0),
        ("5.0D", "double", 5.0),
        ("CAST('1.50' AS DECIMAL(4,2))", "decimal number", Decimal("1.50")),
        ("'it\\'s'", "text", "it's"),
        ("DATE '2020-01-02'", "date", 18263),
        ("to_date('2020-01-02')", "date", 18263),
        ("TIMESTAMP '1970-01-02 00:00:00Z'", "timestamp", DAY),
        ("TIMESTAMP '1970-01-02 01:00:00.5+01:00'", "timestamp", DAY + 500_000),
        ("to_timestamp('1969-12-31T23:59:59.000Z')", "timestamp", -1_000_000),
        ("TIMESTAMP_NTZ '1970-01-02 00:00:00'", "local timestamp", DAY),
        ("true", "boolean", True),
        ("X'00ff'", "binary", b"\0\xff"),
        ("X'fff'", "binary", b"\x0f\xff"),
        ("CAST('a' AS BINARY)", "binary", b"a"),
        ("5F", "float", 5.0),
        ("float('0.1')", "float", 0.10000000149011612),
        ("double('-Infinity')", "double", float("-inf")),
        ("CAST('1e-3' AS DOUBLE)", "double", 0.001),
        ("TIME '10:00:00.5'", "time of day", 36_000_500_000_000),
        ("CAST('x' AS UUID)", "UUID", "x"),
        ("TIMESTAMP '1970-01-02 00:00:00'", "timestamp without a zone", DAY * 1000),
        ("TIMESTAMP '1970-01-01 00:00:00.000000001Z'", "timestamp in nanoseconds", 1),
    ],
)
def test_literals_have_the_kind_that_spark_gives_them(literal, kind, value):
    clause = sql.parse(f"a = {literal}")
    assert isinstance(clause, Compare)
    assert (clause.literal.kind, clause.literal.value) == (kind, value)
    assert type(clause.literal.value) is type(value)


@pytest.mark.parametrize(
    ("operand", "text", "column"),
    [
        ("City", "City", "city"),
        ("a.B.c", "a.B.c", "a.b.c"),
        ("`a.b`.c", "a.b.c", ""),  # a name with a dot has no index in a store
        ("`My Col`", "My Col", "my col"),
        ("st['x']", "st.x", "st.x"),
        ("li[0]", "li[0]", ""),
        ("element_at(li, 1)", "li[0]", ""),
        ("element_at(li, -1)", "li[-1]", ""),
        ("get(li, 2)", "li[2]", ""),
        ("st.li[0].x", "st.li[0].x", ""),
        ("variant_get(v, '$.a.b', 'int')", "v.a.b", ""),
    ],
)
def test_what_a_clause_is_about(operand, text, column):
    clause = sql.parse(f"{operand} = 5")
    assert (str(clause.operand), clause.column) == (text, column)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("array_contains(li, 5)", "li[] = 5"),
        ("list_contains(li, 5)", "li[] = 5"),
        ("5 = ANY(li)", "li[] = 5"),
        ("arrays_overlap(li, array(1, 2))", "li[] in 1, 2"),
        ("exists(li, x -> x > 5)", "li[] > 5"),
        ("exists(li, x -> 5 < x)", "li[] > 5"),
        ("exists(li, x -> NOT x > 5)", "li[] <= 5"),
        ("exists(li, x -> x.y.z = 5)", "li[].y.z = 5"),
        ("exists(li, x -> x IN (1, 2))", "li[] in 1, 2"),
        ("NOT array_contains(li, 5)", "?"),  # about all elements
        ("NOT (5 = ANY(li))", "?"),
        ("exists(li, x -> x > 5 AND x < 7)", "?"),  # two clauses about one element
        ("exists(li, x -> x > y)", "?"),
        ("exists(li, (x, y) -> x > 5)", "?"),
        ("forall(li, x -> x > 5)", "?"),
        ("array_contains(li, NULL)", "False"),
    ],
)
def test_clauses_about_any_element_of_a_list(condition, text):
    clause = sql.parse(condition)
    shown = text_of(clause)
    if isinstance(clause, Compare | OneOf):
        assert clause.column == ""
        shown = f"{clause.operand}{shown}"
    assert shown == text


@pytest.mark.parametrize(
    ("shape", "box", "whole"),
    [
        ("ST_MakeEnvelope(1, -2, 3, 4.5)", (1.0, -2.0, 3.0, 4.5), True),
        ("ST_MakeEnvelope(1, 2, 3, 4, 4326)", (1.0, 2.0, 3.0, 4.0), True),
        ("ST_GeomFromText('POINT (1 2)')", (1.0, 2.0, 1.0, 2.0), True),
        ("ST_GeomFromText('POLYGON((0 0, 2 0, 2 1, 0 1, 0 0))')", (0.0, 0.0, 2.0, 1.0), True),
        ("ST_GeomFromText('POLYGON((0 0, 2 0, 1 1, 0 0))')", (0.0, 0.0, 2.0, 1.0), False),
        ("ST_GeomFromText('polygon((0 0,2 1,0 1,2 0,0 0))')", (0.0, 0.0, 2.0, 1.0), False),
        ("ST_GeomFromText('LINESTRING(0 0, -2.5e1 1)')", (-25.0, 0.0, 0.0, 1.0), False),
        ("ST_GeomFromText('MULTIPOLYGON(((0 0,1 1,0 1,0 0)),((5 5,6 6,5 6,5 5)))')", (0.0, 0.0, 6.0, 6.0), False),
    ],
)  # fmt: skip
def test_a_shape_becomes_its_box(shape, box, whole):
    for condition in (f"ST_Intersects(g, {shape})", f"ST_Intersects({shape}, g)"):
        clause = sql.parse(condition)
        assert isinstance(clause, Within)
        assert (clause.box, clause.whole, clause.column) == (box, whole, "g")


@pytest.mark.parametrize(
    "shape",
    [
        *("ST_MakeEnvelope(3, 0, 1, 1)", "ST_MakeEnvelope(a, 0, 1, 1)", "ST_MakeEnvelope(1, 2, 3)"),
        *("ST_GeomFromText('CIRCLE(1 2)')", "ST_GeomFromText('POINT EMPTY')", "other"),
        *("ST_GeomFromText('POINT(1 2 3)')", "ST_GeomFromText('POLYGON((0 0, 1e999 1))')"),
        "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2))')",
    ],
)
def test_of_other_shapes_nothing_is_claimed(shape):
    assert isinstance(sql.parse(f"ST_Intersects(g, {shape})"), Opaque)


def test_an_impossible_date_is_opaque_and_says_what_is_wrong():
    clause = sql.parse("day = DATE '2020-02-30'")
    assert isinstance(clause, Opaque)
    assert clause.error == "'2020-02-30' is no date of the calendar"
    assert sql.parse("day = date_add(DATE '2020-01-01', 1)").error == ""


@pytest.mark.parametrize(
    ("condition", "why", "columns"),
    [
        ("CAST(a AS INT) = 5", "it casts the column", [("a",)]),
        ("a + b = 5", "it computes with the column", [("a",), ("b",)]),
        ("upper(St.Name) = 'X'", "the result of upper", [("St", "Name")]),
        ("a = b", "it compares two columns", [("a",), ("b",)]),
        ("a = current_date()", "CURRENT_DATE is not a literal", [("a",)]),
        ("a IN (SELECT b FROM u)", "the values of IN are not listed", []),
        ("a RLIKE 'x'", "no index can decide", [("a",)]),
        ("a LIKE b", "the pattern is not a literal", [("a",), ("b",)]),
        ("a LIKE 'x!y' ESCAPE '!'", "escape before a character that needs none", [("a",)]),
    ],
)
def test_an_opaque_clause_says_why_and_names_its_columns(condition, why, columns):
    clause = sql.parse(condition)
    assert isinstance(clause, Opaque)
    assert why in clause.why
    assert sorted(clause.columns) == columns


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2020-07-01 12:00:00", "2020-07-01 10:00:00"),
        ("2020-10-25 02:30:00", "2020-10-25 00:30:00"),  # twice on this day; the first
        ("2020-03-29 02:30:00", "2020-03-29 01:30:00"),  # skipped on this day; an hour later
        ("0001-01-01 00:00:00", "0000-12-31"),
        ("9999-12-31 23:59:59", "9999-12-31 22:59:59"),
    ],
)
def test_a_timestamp_where_clocks_change_is_sparks(text, utc):
    literal = sql.parse(f"ts < TIMESTAMP '{text}'", timezone="Europe/Berlin").literal
    if utc != "0000-12-31":
        assert literal.value == sql.parse(f"ts < TIMESTAMP '{utc}Z'").literal.value
    low, high = literal.moment.instant
    assert low <= literal.value * 1000 <= high


def test_a_negative_decimal_keeps_all_its_digits():
    digits = "12345678901234567890123456789.012345678"
    literal = sql.parse(f"a = -{digits}").literal
    assert literal.value.as_tuple() == Decimal("-" + digits).as_tuple()


def test_a_condition_of_millions_of_characters_is_refused():
    with pytest.raises(UsageError, match="1,000,000 are supported"):
        sql.parse("a = '" + "x" * 1_000_000 + "'")


def test_a_timestamp_without_a_zone_counts_in_the_sessions():
    condition = "ts < TIMESTAMP '2021-07-01 12:00:00'"
    assert sql.parse(condition).literal.kind == ZONELESS
    utc = sql.parse(condition, timezone="UTC").literal.value
    assert sql.parse(condition, timezone="Europe/Berlin").literal.value == utc - 2 * 3_600_000_000


@pytest.mark.parametrize(
    "condition",
    [
        *("a ILIKE 'x%'", "a RLIKE 'x'", "a + 1 = 5", "a = b", "abs(a) = 5", "a = 5 - 1", "5 = 5"),
        *("a IN (SELECT 1)", "a IN (b, 1)", "EXISTS (SELECT 1)"),
        *("CAST(a AS INT) = 5", "a = CAST('5' AS INT)", "a = 300Y", "a = current_date()"),
        *("a = DATE '2020-02-30'", "a = DATE '2020'", "a = TIMESTAMP '2020-01-01 25:00:00Z'"),
        *("a = 'x\\u0041'", "a = '\\%'", "a = CAST(1.55 AS DECIMAL(3,1))", "a[i] = 1"),
        *("a <> INTERVAL 1 DAY", "CASE WHEN a = 1 THEN true ELSE false END"),
    ],
)
def test_of_everything_else_nothing_is_claimed(condition):
    assert all(isinstance(leaf, Opaque) for leaf in leaves(sql.parse(condition)))
    negated = sql.parse(f"NOT ({condition})")
    assert all(isinstance(leaf, Opaque) and leaf.why for leaf in leaves(negated))


@pytest.mark.parametrize(
    "condition",
    [
        *("", "a =", "a = 1; DROP TABLE t", "a = 1; SELECT 2", "a = 1 GROUP BY a"),
        *("a = 1 ORDER BY b", "a = 1 UNION SELECT 1", "SELECT 1 FROM a JOIN b WHERE a.x = 1"),
        *("SELECT count(*) FROM t WHERE a = 1 HAVING count(*) > 1", "DELETE FROM t"),
        "WITH c AS (SELECT 1) SELECT 1 FROM c WHERE a = 1",
        "NOT " * 300 + "a",
        "(" * 3000 + "a = 1" + ")" * 3000,
    ],
)
def test_what_is_no_condition_is_refused(condition):
    with pytest.raises(UsageError):
        sql.parse(condition)


@pytest.mark.parametrize(
    ("query", "path", "column"),
    [
        ("SELECT 1 FROM nest WHERE Nest.x = 1", ("x",), ""),  # the table, and no struct
        ("SELECT 1 FROM t AS nest WHERE nest.x = 1", ("x",), ""),
        ("SELECT 1 FROM t WHERE nest.x = 1", ("nest", "x"), "nest.x"),
        ("SELECT 1 FROM t WHERE x = 1", ("x",), "x"),
    ],
)
def test_the_tables_own_name_is_no_struct(query, path, column):
    clause = sql.parse(query)
    assert (clause.operand.path, clause.column) == (path, column)


def test_a_time_zone_that_is_none_is_refused():
    with pytest.raises(UsageError, match="Atlantis"):
        sql.parse("a = 1", timezone="Atlantis")


def test_a_long_chain_is_flat():
    clause = sql.parse(" OR ".join(f"a = {n}" for n in range(500)))
    assert isinstance(clause, Some)
    assert [leaf.literal.value for leaf in leaves(clause)] == list(range(500))
    assert {column_of(leaf) for leaf in leaves(clause)} == {"a"}
