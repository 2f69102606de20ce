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
    NullTest,
    OneOf,
    Opaque,
    Some,
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
    ],
)
def test_literals_have_the_kind_that_spark_gives_them(literal, kind, value):
    clause = sql.parse(f"a = {literal}")
    assert isinstance(clause, Compare)
    assert (clause.literal.kind, clause.literal.value) == (kind, value)
    assert type(clause.literal.value) is type(value)


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


def test_the_tables_own_name_is_no_struct():
    assert isinstance(sql.parse("SELECT 1 FROM nest WHERE Nest.x = 1"), Opaque)
    assert isinstance(sql.parse("SELECT 1 FROM t AS nest WHERE nest.x = 1"), Opaque)
    assert text_of(sql.parse("SELECT 1 FROM t WHERE nest.x = 1")) == "nest.x = 1"


def test_a_time_zone_that_is_none_is_refused():
    with pytest.raises(UsageError, match="Atlantis"):
        sql.parse("a = 1", timezone="Atlantis")


def test_a_long_chain_is_flat():
    clause = sql.parse(" OR ".join(f"a = {n}" for n in range(500)))
    assert isinstance(clause, Some)
    assert [leaf.literal.value for leaf in leaves(clause)] == list(range(500))
    assert {column_of(leaf) for leaf in leaves(clause)} == {"a"}
