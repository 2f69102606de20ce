"""Which values a clause accepts, of each type: sound for every reading of a literal, exact where all agree."""

import datetime
import time
from decimal import Decimal

import pytest
from insight.ask.typed_columns import DAY, IDS, NOON, accepted_values, bound

from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask import bound as bounds
from pqexplore.insight.ask.bound import Always, Both, Either, Undecided, columns

TOMORROW = DAY + datetime.timedelta(1)
FIRST, LAST = -(1 << 63), (1 << 63) - 1
BIG = 1 << 53


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        # whole numbers: a literal between two of them, and out of the type's range
        ("i32 = 2", [2]),
        ("i32 = 2.5", []),
        ("i32 = 2.0", [2]),
        ("i32 < 2.5", [-5, 0, 1, 2]),
        ("i32 >= 2.5", [3]),
        ("i32 <> 2", [-5, 0, 1, 3]),
        ("i32 <> 2.5", [-5, 0, 1, 2, 3]),
        ("i32 > 3000000000", []),
        ("i32 < 3000000000", [-5, 0, 1, 2, 3]),
        ("i32 <> 3000000000", [-5, 0, 1, 2, 3]),
        ("i32 IN (1, 7, 3, 3000000000)", [1, 3]),
        ("i32 NOT IN (1, 2)", [-5, 0, 3]),
        ("i32 BETWEEN 1 AND 2", "two clauses"),
        ("i32 = '2'", [2]),
        ("i32 < double('Infinity')", [-5, 0, 1, 2, 3]),
        ("i32 > double('NaN')", []),
        ("i32 < double('NaN')", [-5, 0, 1, 2, 3]),
        ("i8 > -200", [-128, 0, 127]),
        ("i64 = 9007199254740993", [BIG + 1]),
        ("i64 = 9007199254740992e0", [BIG, BIG + 1]),  # the same as doubles
        ("i64 > 9223372036854775807", []),
        ("i64 >= -9223372036854775808", [FIRST, 0, BIG, BIG + 1, LAST]),
        ("u8 > -1", [0, 5, 255]),
        ("u8 = 255", [255]),
        ("u64 > 9223372036854775808", [(1 << 64) - 1]),
        ("u64 < -1", []),
        # floats: as floats or as doubles, both zeros alike, NaN apart
        ("half = 0.1", [0.0999755859375]),
        ("f = 0.1", [0.10000000149011612]),
        ("f < 0.1", [-0.5]),
        ("f <= 0.1", [-0.5, 0.10000000149011612]),
        ("f > 0.1", [0.10000000149011612, 2.0, 16777216.0]),
        ("f = 16777217", [16777216.0]),
        ("f = float('0.1')", [0.10000000149011612]),
        ("f = '0.1'", [0.10000000149011612]),
        ("d = '1e-1'", [0.1]),
        ("d > '-Infinity'", [-0.0, 0.0, 0.1, 2.0, float("inf")]),
        ("d = 0", [-0.0, 0.0]),
        ("d < 0", [float("-inf")]),
        ("d = 0.1", [0.1]),
        ("d = 1e-1", [0.1]),
        ("d < 1e400", [float("-inf"), -0.0, 0.0, 0.1, 2.0]),
        ("d = double('-Infinity')", [float("-inf")]),
        # decimals: of another scale, as doubles, with more digits than there are
        ("price = 0.1", [Decimal("0.10")]),
        ("price = 1e-1", [Decimal("0.10")]),
        ("price = 0.105", []),
        ("price > 0.095", [Decimal("0.10"), Decimal("9.99")]),
        ("price <= 0", [Decimal("-1.50"), Decimal("0.00")]),
        ("price < 1000000", [Decimal("-1.50"), Decimal("0.00"), Decimal("0.10"), Decimal("9.99")]),
        ("wide = 100000000000000000000", [Decimal("100000000000000000000.0000000000")]),
        ("wide > 1e19", [Decimal("100000000000000000000.0000000000")]),
        # text and bytes: by bytes, which is by code points
        ("s = 'ab'", ["ab"]),
        ("s > 'b'", ["ä", "z\U0001f600"]),
        ("s LIKE 'ab%'", ["ab", "abc"]),
        ("s NOT LIKE 'a%'", ["", "b", "ä", "z\U0001f600"]),
        ("s LIKE 'ab'", ["ab"]),
        ("s LIKE 'a_%'", ["a", "ab", "abc"]),  # bounds know the prefix only
        ("s LIKE 'ä%'", ["ä"]),
        ("startswith(s, 'z\U0001f600')", ["z\U0001f600"]),
        ("s IN ('a', 'zz')", ["a"]),
        ("s NOT IN ('a', '')", ["ab", "abc", "b", "ä", "z\U0001f600"]),
        ("raw = X'61ff'", [b"a\xff"]),
        ("raw = 'a'", [b"a"]),
        ("raw > X'61'", [b"a\xff", b"b\0"]),
        ("fixed >= X'61'", [b"ab"]),
        ("fixed = X'616263'", []),
        (f"id = '{IDS[1]}'", [IDS[1]]),
        (f"id > '{str(IDS[1]).upper()}'", [IDS[2]]),
        # dates and times: in the column's unit, and literals finer than it
        ("day = '2020-01-01'", [DAY]),
        ("day > DATE '2020-01-01'", [TOMORROW]),
        ("day > TIMESTAMP '2020-01-01 12:00:00'", [TOMORROW]),
        ("day = TIMESTAMP '2020-01-01 12:00:00'", []),
        ("clock > DATE '2020-01-01'", [NOON, NOON + datetime.timedelta(milliseconds=1)]),
        ("clock <= TIMESTAMP '2020-01-01 12:00:00'", [NOON]),
        ("clock = TIMESTAMP '2020-01-01 12:00:00.0005'", [NOON, NOON.replace(microsecond=1000)]),
        ("time > TIME '10:00:00'", [datetime.time(10, 0, 1, tzinfo=datetime.UTC)]),
        ("time = '10:00:00'", [datetime.time(10, tzinfo=datetime.UTC)]),
        # booleans and nulls
        ("flag", [True]),
        ("NOT flag", [False]),
        ("flag <=> false", [False]),
        ("flag IS NOT TRUE", [False, None]),
        ("i32 IS NULL", [None]),
        ("i32 IS NOT NULL", [-5, 0, 1, 2, 3]),
        ("NOT i32 <=> 1", [-5, 0, 2, 3, None]),
    ],
)
def test_the_values_that_a_clause_accepts(condition, values):
    test = bound(condition)
    if values == "two clauses":
        assert isinstance(test, Both)
        assert accepted_values(test.parts[0])[0] == 1
        assert accepted_values(test.parts[1])[-1] == 2
        return
    assert isinstance(test, bounds.Test)
    found = [value for value in accepted_values(test) if value == value]
    assert repr(found) == repr(values)


@pytest.mark.parametrize(
    ("condition", "largest", "unordered"),
    [
        ("d > 5", True, False),
        ("d >= 5", True, False),
        ("d < 5", False, False),
        ("d = 5", False, False),
        ("d <> 5", True, True),
        ("d IN (1, 2)", False, False),
        ("d NOT IN (1, 2)", True, True),
        ("d = double('NaN')", True, False),
        ("d >= double('NaN')", True, False),
        ("d > double('NaN')", False, False),
        ("d <> double('NaN')", False, True),
        ("d IN (1, double('NaN'))", True, False),
        ("isnan(d)", True, True),
        ("NOT isnan(d)", False, False),
        ("d IS NOT NULL", True, True),
        ("i32 > 5", False, False),
    ],
)
def test_nan_is_the_largest_value_or_unequal_to_all(condition, largest, unordered):
    accepts = bound(condition).accepts
    assert (accepts.nan, accepts.nan_unordered) == (largest, unordered)


@pytest.mark.parametrize(
    ("condition", "points"),
    [
        ("i32 = 2", ["02000000"]),
        ("i32 IN (2, -1)", ["ffffffff", "02000000"]),
        ("i32 = 2.5", None),
        ("i32 > 2", None),
        ("i32 BETWEEN 2 AND 2", None),
        ("u8 = 255", ["ff000000"]),
        ("d = 0", ["0000000000000000", "0000000000000080"]),
        ("f = 0.1", ["cdcccc3d"]),
        ("f = 16777217", ["0000804b"]),
        ("s = 'ab'", ["6162"]),
        ("s LIKE 'ab'", ["6162"]),
        ("s LIKE 'ab%'", None),
        ("price = 0.1", ["0a000000"]),
        ("flag", ["01"]),
        ("i32 IS NULL", None),
        ("i32 <=> 1", ["01000000"]),
        ("NOT i32 <=> 1", None),
        ("clock = TIMESTAMP '1970-01-01 00:00:00.0015'", ["0100000000000000", "0200000000000000"]),
    ],
)
def test_points_are_the_plain_bytes_of_every_value_that_can_match(condition, points):
    bounds = bound(condition)
    for test in bounds.parts if isinstance(bounds, Both) else [bounds]:
        found = test.accepts.points
        assert (None if found is None else [one.hex() for one in found]) == points


@pytest.mark.parametrize(
    ("condition", "exact"),
    [
        ("i32 > 2", True),
        ("i32 = 5e0", True),
        ("i64 = 9007199254740992e0", False),
        ("f = 0.5", True),
        ("f = 0.1", False),
        ("d = 0.1", True),
        ("d < double('NaN')", False),
        ("price = 0.105", True),
        ("price = 1e-1", False),
        ("wide = 0.12345678901234567", False),  # no common decimal of 38 digits
        ("s LIKE 'a%'", True),
        ("s LIKE 'a%b'", False),
        ("clock = TIMESTAMP '2020-01-01 12:00:00'", True),
        ("clock = TIMESTAMP '2020-01-01 12:00:00.0005'", False),
        ("fine = TIMESTAMP '2020-01-01 12:00:00'", True),
        ("fine = TIMESTAMP '2020-01-01 12:00:00.000000001'", False),  # engines may cut the literal
        ("st IS NULL", False),
    ],
)
def test_what_is_read_in_several_ways_is_not_exact(condition, exact):
    assert bound(condition).accepts.exact is exact


@pytest.mark.parametrize(
    ("condition", "parts"),
    [
        ("i32 = 'abc'", ["'abc' (text)", "'i32'", "INT32", "a whole number, such as 5"]),
        ("i32 = '5.5'", ["'5.5'", "a whole number"]),
        ("i32 = true", ["(boolean)", "INT32"]),
        ("i32 = DATE '2020-01-01'", ["(date)", "INT32"]),
        ("i32", ["(boolean)", "INT32"]),
        ("price > 'x'", ["'x' (text)", "'price'", "DECIMAL(3, 2)", "such as 2.5"]),
        ("d > 'x'", ["'x'", "DOUBLE"]),
        ("flag = 1", ["1 (whole number)", "BOOLEAN", "true or false"]),
        ("day = 'yesterday'", ["'yesterday'", "DATE '2026-01-31'"]),
        ("day = DATE '2020-02-30'", ["2020-02-30", "no date of the calendar", "'day'"]),
        ("day = 5", ["5 (whole number)", "DATE"]),
        ("clock > 5", ["TIMESTAMP(ms, local)", "TIMESTAMP '2026-01-31 12:00:00'"]),
        ("at = TIMESTAMP '2020-01-01 25:00:00'", ["no timestamp", "'at'"]),
        ("time = TIME '25:00:00'", ["no time of day"]),
        ("id = 'abc'", ["UUID", "12345678-1234"]),
        ("raw = 5", ["5 (whole number)", "X'00ff'"]),
        ("s LIKE 'a%' AND nope = 1", ["no column 'nope'", "the file has flag, i8"]),
        ("pryce = 1", ["did you mean price?"]),
        ("st.y = 1", ["no column 'st.y'", "'st' is a struct", "x, In Ner"]),
        ("upper(nope) = 'A'", ["no column 'nope'"]),
        ("`CASE` = 1", ["'CASE' is ambiguous", "'Case', 'case'"]),
        ("st = 1", ["st is a struct", "st.x"]),
        ("li = 1", ["li is a list", "array_contains(li, …)"]),
        ("m = 1", ["m is a map"]),
        ("i32[0] = 1", ["'i32' is a plain column, and has no elements"]),
        ("array_contains(s, 'x')", ["no elements"]),
        ("variant_get(i32, '$.a', 'int') = 1", ["needs a Variant"]),
        ("ST_Intersects(s, ST_MakeEnvelope(0, 0, 1, 1))", ["needs a GEOMETRY"]),
        ("isnan(s)", ["isnan needs floating point numbers", "STRING"]),
    ],
)
def test_what_does_not_fit_is_an_error_that_says_what_would(condition, parts):
    with pytest.raises(UsageError) as raised:
        bound(condition)
    for part in parts:
        assert part in str(raised.value)


@pytest.mark.parametrize(
    ("condition", "why", "leaves"),
    [
        ("CAST(i32 AS STRING) = '5'", "casts the column", ["i32"]),
        ("i32 + 1 = 5", "computes with the column", ["i32"]),
        ("upper(s) = 'A'", "the result of upper", ["s"]),
        ("i32 = i64", "compares two columns", ["i32", "i64"]),
        ("s = 5", "cast to be compared with a whole number", ["s"]),
        ("i32 LIKE '5%'", "LIKE needs text", ["i32"]),
        ("s ILIKE 'a%'", "ilike", ["s"]),
        ("m['k'] = 1", "one key of a map", ["m.key_value.key", "m.key_value.value"]),
        ("NOT array_contains(li, 1)", "all elements of a list", ["li.list.element"]),
        ("st IS NOT NULL", "nulls inside", ["st.x", "st.In Ner"]),
        ("li[0] IS NULL", "too short", ["li.list.element"]),
        ("CASE WHEN i32 = 1 THEN true ELSE flag END", "case", ["i32", "flag"]),
    ],
)
def test_what_nothing_decides_says_why_and_which_columns_it_reads(condition, why, leaves):
    found = bound(condition)
    assert isinstance(found, Undecided)
    assert why in found.why
    assert {".".join(leaf.path) for leaf in found.leaves} == set(leaves)


@pytest.mark.parametrize(
    ("condition", "column", "repeated"),
    [
        ("I32 = 1", "i32", False),
        ("`Case` = 1", "Case", False),
        ("`case` = 1", "case", False),
        ("`a.b` = 1", "a.b", False),
        ("a.b = 1", "a.b", False),
        ("ST.X = 1", "st.x", False),
        ("st.`in ner` = 'p'", "st.In Ner", False),
        ("st['x'] = 1", "st.x", False),
        ("array_contains(li, 5)", "li.list.element", True),
        ("list_contains(li, 5)", "li.list.element", True),
        ("5 = ANY(li)", "li.list.element", True),
        ("li[0] = 5", "li.list.element", True),
        ("element_at(li, 1) = 5", "li.list.element", True),
        ("li.list.element = 5", "li.list.element", True),
        ("exists(li, e -> e > 5)", "li.list.element", True),
        ("exists(sl, e -> e.x > 5)", "sl.list.element.x", True),
        ("sl[0].x = 5", "sl.list.element.x", True),
        ("arrays_overlap(li, array(1, 2))", "li.list.element", True),
        ("st IS NULL", "st.x", False),
        ("li IS NULL", "li.list.element", True),
    ],
)
def test_names_find_their_column(condition, column, repeated):
    test = bound(condition)
    assert isinstance(test, bounds.Test)
    assert (test.column, test.repeated) == (column, repeated)


def test_a_zoneless_timestamp_is_read_in_utc_and_a_remark_says_so():
    condition = "at > TIMESTAMP '2020-01-01 12:00:00'"
    assert "has no time zone, and is read in UTC" in bound(condition).remark
    assert bound(condition, timezone="UTC").remark == ""
    assert bound("at > TIMESTAMP '2020-01-01 12:00:00Z'").remark == ""
    assert bound("clock > TIMESTAMP '2020-01-01 12:00:00'").remark == ""
    assert bound("fine IN (DATE '2020-01-01')").remark == ""
    assert accepted_values(bound("at = TIMESTAMP '2020-01-01 13:00:00'", "Europe/Berlin")) == [
        NOON.replace(tzinfo=datetime.UTC)
    ]


def test_a_timestamp_at_a_change_of_clocks_is_every_instant_that_it_can_mean():
    """In Berlin, 02:30 is twice on 2020-10-25: at 00:30 and at 01:30 UTC."""
    accepts = bound("at = TIMESTAMP '2020-10-25 02:30:00'", "Europe/Berlin").accepts
    early = bound("at = TIMESTAMP '2020-10-25 00:30:00Z'").accepts.intervals[0].low
    late = bound("at = TIMESTAMP '2020-10-25 01:30:00Z'").accepts.intervals[0].low
    assert accepts.takes(early)
    assert accepts.takes(late)
    assert not accepts.exact


def test_a_float_literal_that_engines_read_differently_is_remarked():
    assert "DuckDB compares both as floats" in bound("f = 0.1").remark
    assert bound("f = 0.5").remark == bound("d = 0.1").remark == ""
    assert bound("f = float('0.1')").remark == bound("f = 1e-1").remark == ""


def test_and_or_and_constants_are_kept():
    found = bound("(i32 = 1 OR s = 'a') AND TRUE")
    assert isinstance(found, Both)
    assert isinstance(found.parts[0], Either)
    assert isinstance(found.parts[1], Always)
    assert [leaf.name for leaf in columns(found)] == ["i32", "s"]


def test_ten_thousand_values_are_bound_and_asked_quickly():
    listed = ", ".join(str(3 * n) for n in range(10_000))
    before = time.process_time()
    test = bound(f"i64 IN ({listed})")
    asked = [test.accepts.takes(interval.low) for interval in test.accepts.intervals]
    assert len(asked) == 10_000
    assert all(asked)
    assert bound("i64 = 1").accepts.intervals[0].low not in test.accepts.points
    assert time.process_time() - before < 10
