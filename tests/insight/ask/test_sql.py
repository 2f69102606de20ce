"""SQL conditions as clauses: what is understood, what is opaque, what is refused."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from table_files import table_rows

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

TABLES = Path(__file__).parent / "tables" / "sql.txt"

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


@pytest.mark.parametrize(("condition", "clauses"), table_rows(TABLES, "clauses"))
def test_what_an_index_can_speak_about_becomes_clauses(condition, clauses):
    assert text_of(sql.parse(condition)) == clauses


@pytest.mark.parametrize(("literal", "kind", "value"), table_rows(TABLES, "literals"))
def test_literals_have_the_kind_that_spark_gives_them(literal, kind, value):
    clause = sql.parse(f"a = {literal}")
    assert isinstance(clause, Compare)
    assert (clause.literal.kind, repr(clause.literal.value)) == (kind, value)


@pytest.mark.parametrize(("operand", "text", "column"), table_rows(TABLES, "operands"))
def test_what_a_clause_is_about(operand, text, column):
    clause = sql.parse(f"{operand} = 5")
    assert (str(clause.operand), clause.column) == (text, column)


@pytest.mark.parametrize(("condition", "text"), table_rows(TABLES, "elements of lists"))
def test_clauses_about_any_element_of_a_list(condition, text):
    clause = sql.parse(condition)
    shown = text_of(clause)
    if isinstance(clause, Compare | OneOf):
        assert clause.column == ""
        shown = f"{clause.operand}{shown}"
    assert shown == text


@pytest.mark.parametrize(("shape", "box", "whole"), table_rows(TABLES, "shapes"))
def test_a_shape_becomes_its_box(shape, box, whole):
    for condition in (f"ST_Intersects(g, {shape})", f"ST_Intersects({shape}, g)"):
        clause = sql.parse(condition)
        assert isinstance(clause, Within)
        assert (repr(clause.box), repr(clause.whole), clause.column) == (box, whole, "g")


@pytest.mark.parametrize("shape", [
    *("ST_MakeEnvelope(3, 0, 1, 1)", "ST_MakeEnvelope(a, 0, 1, 1)", "ST_MakeEnvelope(1, 2, 3)"),
    *("ST_GeomFromText('CIRCLE(1 2)')", "ST_GeomFromText('POINT EMPTY')", "other"),
    *("ST_GeomFromText('POINT(1 2 3)')", "ST_GeomFromText('POLYGON((0 0, 1e999 1))')"),
    "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2))')",
])  # fmt: skip
def test_of_other_shapes_nothing_is_claimed(shape):
    assert isinstance(sql.parse(f"ST_Intersects(g, {shape})"), Opaque)


def test_an_impossible_date_is_opaque_and_says_what_is_wrong():
    clause = sql.parse("day = DATE '2020-02-30'")
    assert isinstance(clause, Opaque)
    assert clause.error == "'2020-02-30' is no date of the calendar"
    assert sql.parse("day = date_add(DATE '2020-01-01', 1)").error == ""


@pytest.mark.parametrize(("condition", "why", "columns"), table_rows(TABLES, "opaque"))
def test_an_opaque_clause_says_why_and_names_its_columns(condition, why, columns):
    clause = sql.parse(condition)
    assert isinstance(clause, Opaque)
    assert why in clause.why
    assert ", ".join(sorted(".".join(path) for path in clause.columns)) == columns


@pytest.mark.parametrize(("text", "utc"), [
    ("2020-07-01 12:00:00", "2020-07-01 10:00:00"),
    ("2020-10-25 02:30:00", "2020-10-25 00:30:00"),  # twice on this day; the first
    ("2020-03-29 02:30:00", "2020-03-29 01:30:00"),  # skipped on this day; an hour later
    ("0001-01-01 00:00:00", "0000-12-31"),
    ("9999-12-31 23:59:59", "9999-12-31 22:59:59"),
])  # fmt: skip
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


@pytest.mark.parametrize("condition", [
    *("a ILIKE 'x%'", "a RLIKE 'x'", "a + 1 = 5", "a = b", "abs(a) = 5", "a = 5 - 1", "5 = 5"),
    *("a IN (SELECT 1)", "a IN (b, 1)", "EXISTS (SELECT 1)"),
    *("CAST(a AS INT) = 5", "a = CAST('5' AS INT)", "a = 300Y", "a = current_date()"),
    *("a = DATE '2020-02-30'", "a = DATE '2020'", "a = TIMESTAMP '2020-01-01 25:00:00Z'"),
    *("a = 'x\\u0041'", "a = '\\%'", "a = CAST(1.55 AS DECIMAL(3,1))", "a[i] = 1"),
    *("a <> INTERVAL 1 DAY", "CASE WHEN a = 1 THEN true ELSE false END"),
])  # fmt: skip
def test_of_everything_else_nothing_is_claimed(condition):
    assert all(isinstance(leaf, Opaque) for leaf in leaves(sql.parse(condition)))
    negated = sql.parse(f"NOT ({condition})")
    assert all(isinstance(leaf, Opaque) and leaf.why for leaf in leaves(negated))


@pytest.mark.parametrize("condition", [
    *("", "a =", "a = 1; DROP TABLE t", "a = 1; SELECT 2", "a = 1 GROUP BY a"),
    *("a = 1 ORDER BY b", "a = 1 UNION SELECT 1", "SELECT 1 FROM a JOIN b WHERE a.x = 1"),
    *("SELECT count(*) FROM t WHERE a = 1 HAVING count(*) > 1", "DELETE FROM t"),
    "WITH c AS (SELECT 1) SELECT 1 FROM c WHERE a = 1",
    "NOT " * 300 + "a",
    "(" * 3000 + "a = 1" + ")" * 3000,
])  # fmt: skip
def test_what_is_no_condition_is_refused(condition):
    with pytest.raises(UsageError):
        sql.parse(condition)


@pytest.mark.parametrize(("query", "path", "column"), [
    ("SELECT 1 FROM nest WHERE Nest.x = 1", ("x",), ""),  # the table, and no struct
    ("SELECT 1 FROM t AS nest WHERE nest.x = 1", ("x",), ""),
    ("SELECT 1 FROM t WHERE nest.x = 1", ("nest", "x"), "nest.x"),
    ("SELECT 1 FROM t WHERE x = 1", ("x",), "x"),
])  # fmt: skip
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
