"""Conditions as Spark prints them: `(text, list of pushed filters) → conditions in SQL, and which are listed`."""

import pytest

from pqexplore.lake.spark.catalyst_expressions import Column, Reader, agreed, conjuncts, sql

TYPES = {
    "i": "int", "s": "string", "d": "double", "f": "float", "b": "boolean", "day": "date", "ts": "timestamp",
    "dec": "decimal(9,2)", "bin": "binary", "st": "struct<x:bigint>", "st.x": "bigint", "odd name": "int",
}  # fmt: skip
COLUMNS = {str(number): Column((name,), kind) for number, (name, kind) in enumerate(TYPES.items()) if "." not in name}


def read(text, pushed):
    return agreed(Reader(COLUMNS, TYPES), [text], pushed)


def i(text):
    return text.format(**{column.path[0]: f"{column.path[0]}#{number}" for number, column in COLUMNS.items()})


CASES = [
    ("(isnotnull({i}) AND ({i} > 5))", "[IsNotNull(i), GreaterThan(i,5)]", ["`i` IS NOT NULL", "`i` > 5"]),
    ("({s} = it's)", "[EqualTo(s,it's)]", ["`s` = 'it\\'s'"]),
    ("({s} = a) AND (c = d)", "[EqualTo(s,a) AND (c = d)]", ["`s` = 'a) AND (c = d'"]),
    ("(({s} = a) AND ({s} = b))", "[EqualTo(s,a), EqualTo(s,b)]", ["`s` = 'a'", "`s` = 'b'"]),
    ("NOT {b}", "[Not(EqualTo(b,true))]", ["NOT (`b`)"]),
    ("(({i} = 1) OR StartsWith({s}, ab))", "[Or(EqualTo(i,1),StringStartsWith(s,ab))]", ["(`i` = 1 OR `s` LIKE 'ab%')"]),
    ("{i} IN (1,2)", "[In(i, [1,2])]", ["`i` IN (1, 2)"]),
    ("{i} INSET 1, 2, 3", "[In(i, [1,2,3])]", ["`i` IN (1, 2, 3)"]),
    ("({f} >= 0.1)", "[GreaterThanOrEqual(f,0.1)]", ["`f` >= 0.10000000149011612e0"]),
    ("({d} = NaN)", "[EqualTo(d,NaN)]", ["`d` = double('NaN')"]),
    ("({day} < 2020-01-01)", "[LessThan(day,2020-01-01)]", ["`day` < DATE '2020-01-01'"]),
    ("({ts} > 2020-01-01 00:00:00)", "[GreaterThan(ts,2020-01-01T00:00:00Z)]", ["`ts` > TIMESTAMP '2020-01-01 00:00:00'"]),
    ("({bin} = 0x6B30)", "[EqualTo(bin,[B@1a2b3c)]", ["`bin` = X'6B30'"]),
    ("({st}.x <=> 7)", "[EqualNullSafe(st.x,7)]", ["`st`.`x` <=> 7"]),
    ("({odd name} = 7)", "[EqualTo(`odd name`,7)]", ["`odd name` = 7"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "pushed", "expected"), CASES)
def test_conditions_are_read_as_the_list_of_pushed_filters_has_them(text, pushed, expected):
    text = text.replace("{odd name}", f"odd name#{list(COLUMNS)[-1]}")
    found, agree = read(i(text), pushed)
    assert agree
    assert [sql(node) for node, _ in found] == expected
    assert all(listed for _, listed in found)


@pytest.mark.parametrize("text, pushed, listed", [
    ("((upper({s}) = A) AND ({i} = 1))", "[EqualTo(i,1)]", [False, True]),
    ("(({i} + 1) = 2)", "[]", [False]),
    ("(cast({i} as string) = 5)", "[]", [False]),
    ("({i} = {st}.x)", "[]", [False]),
    ("pythonUDF0#99", "[]", [False]),
])  # fmt: skip
def test_what_is_not_pushed_keeps_its_text(text, pushed, listed):
    found, agree = read(i(text), pushed)
    assert agree
    assert [one for _, one in found] == listed
    assert [sql(node) is None for node, _ in found] == [not one for one in listed]


def test_text_that_contradicts_the_pushed_filters_is_not_taken():
    found, agree = read(i("({i} = 5)"), "[EqualTo(i,6)]")
    assert not agree
    assert [sql(node) for node, _ in found] == [None]


def test_a_comma_may_be_inside_of_a_text():
    found, agree = read(i("{s} IN (a, b,c)"), "[In(s, [a, b,c])]")
    assert agree
    assert sql(found[0][0]) is None


@pytest.mark.parametrize("text", [
    pytest.param("(" * 5_000, id="parentheses"),
    pytest.param("((a AND b) OR " * 500, id="conditions"),
    pytest.param("NOT " * 20_000, id="negations"),
    pytest.param("({s} = " + ")" * 3_000, id="ends"),
])  # fmt: skip
def test_hostile_text_ends_soon(text):
    assert read(i(text), "[EqualTo(i,1)]")[1] is False


def test_a_printed_list_of_partition_filters():
    nodes = Reader({"3": Column(("p",))}, {}).elements("[isnotnull(p#3), (p#3 = a, b), p#3 IN (1,2)]")
    assert [sql(node) for node in nodes] == ["`p` IS NOT NULL", "`p` = 'a, b'", "`p` IN (1, 2)"]
    assert all(len(list(conjuncts(node))) == 1 for node in nodes)
