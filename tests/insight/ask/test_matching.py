"""Conditions evaluated on values: as DuckDB evaluates them, and never TRUE for a value that the order keys rule out."""

import datetime
import math
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from insight.ask.typed_columns import stored, takes
from made import ours
from needs import DUCKDB
from table_files import table_rows

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.value_text import stored_bytes
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.insight.ask import bound, matching, predicate, sql
from pqexplore.insight.ask.binding import bind

TABLES = Path(__file__).parent / "tables" / "matching.txt"

NAN = math.nan
MAY = datetime.datetime(2021, 5, 1, 12)
NS = 1619870400 * 10**9
"""The same moment in nanoseconds since 1970."""


def file_of(data, **options):
    return pqexplore.open(ours(pa.table(data), **options))


def matching_rows(file, condition, nan_largest=True, row_group=0, timezone="UTC"):
    found = bind(sql.parse(condition, timezone), file.schema)
    return np.flatnonzero(matching.rows(file, row_group, found, nan_largest)).tolist()


NUMBERS = file_of(
    {
        "i": pa.array([1, 2, None, 4]),
        "big": pa.array([2**53, 2**53 + 1, -(2**63), None]),
        "u": pa.array([0, 2**63, 2**64 - 1, None], pa.uint64()),
        "d": pa.array([NAN, -0.0, 1.5, None]),
        "f": pa.array([NAN, 0.1, 2.0, None], pa.float32()),
        "p": pa.array([Decimal("1.50"), Decimal("-0.01"), None, Decimal("0.10")]),
        "wide": pa.array([Decimal(10) ** 30, -(Decimal(10) ** 30), Decimal("0.1"), None], pa.decimal128(38, 2)),
        "long": pa.array([Decimal(10) ** 50, Decimal(-1), Decimal("0.5"), None], pa.decimal256(60, 1)),
    }
)


@pytest.mark.parametrize(("condition", "certain"), [
    ("big BETWEEN 9007199254740993 AND 9007199254740992e0", False),
    ("big BETWEEN 9007199254740993 AND 9007199254740994", True),
    ("big BETWEEN 1 AND 3e0", True),
])  # fmt: skip
def test_between_a_long_number_and_a_double_is_not_decided(condition, certain):
    """DuckDB compares with both as doubles, Spark with each as it is."""
    assert isinstance(sql.parse(condition, "UTC"), predicate.Opaque) is not certain


@pytest.mark.parametrize(("condition", "largest", "unordered"), [
    ("d > 1", [0, 2], [2]),
    ("d <> 1.5", [0, 1], [0, 1]),
    ("d = double('NaN')", [0], []),
    ("d <> double('NaN')", [1, 2], [0, 1, 2]),
    ("d < double('NaN')", [1, 2], [1, 2]),
    ("isnan(d)", [0], [0]),
])  # fmt: skip
def test_nan_is_the_largest_or_unequal_to_all(condition, largest, unordered):
    assert matching_rows(NUMBERS, condition, True) == largest
    assert matching_rows(NUMBERS, condition, None) == largest
    if condition != "d < double('NaN')":
        assert matching_rows(NUMBERS, condition, False) == unordered


TEXTS = file_of(
    {
        "s": ["", "a", "ab", "a%b", None, "xay", "ä\U0001f600"],
        "b": pa.array([b"", b"a", b"\xff", b"ab", None, b"\0", b"b"]),
        "id": pa.array([bytes(15) + bytes([n]) for n in range(7)], pa.binary(16)),
    },
    columns={"id": {"logical_type": "UUID"}},
)


def moments(unit, zone=None):
    per = {"ms": 10**6, "us": 10**3, "ns": 1}[unit]
    return pa.array([NS // per, NS // per + 1, None], pa.timestamp(unit, zone))


TIMES = file_of(
    {
        "ms": moments("ms"),
        "us": moments("us", "UTC"),
        "ns": moments("ns"),
        "old": moments("ns"),
        "day": pa.array([MAY.date(), MAY.date() + datetime.timedelta(1), None]),
        "time": pa.array([datetime.time(10), datetime.time(10, 0, 0, 1), None]),
    },
    columns={"old": {"physical_type": "INT96"}},
)


def test_the_sessions_zone_places_a_timestamp_without_one():
    condition = "us = TIMESTAMP '2021-05-01 14:00:00'"
    assert matching_rows(TIMES, condition, timezone="Europe/Berlin") == [0]
    assert matching_rows(TIMES, condition) == []


NESTED = file_of(
    {
        "li": pa.array([[1, 5], [], None, [None, 7]], pa.list_(pa.int32())),
        "st": pa.array([{"x": 1}, None, {"x": None}, {"x": 4}]),
        "sl": pa.array([[{"x": 1}, {"x": 2}], None, [{"x": 3}, None], []]),
        "ls": pa.array([{"l": ["a", "b"]}, None, {"l": None}, {"l": ["b"]}]),
        "m": pa.array([[("k", 1)], [], None, [("j", 2)]], pa.map_(pa.string(), pa.int32())),
    }
)


FILES = {"NUMBERS": NUMBERS, "TEXTS": TEXTS, "TIMES": TIMES, "NESTED": NESTED}
CONDITIONS = [(name, *row) for name in FILES for row in table_rows(TABLES, name)]


@pytest.mark.parametrize(("name", "condition", "found"), CONDITIONS)
def test_the_rows_that_match(name, condition, found):
    """Numbers and times compare exactly, text and bytes by their bytes; structs, lists and their elements."""
    assert str(matching_rows(FILES[name], condition)) == found


VARIANTS = [{"a": 1, "b": "x"}, {"a": 5}, {"b": "y"}, None, {"a": None}, {"a": 2**40}, {"a": "5"}]


@pytest.mark.parametrize("shredding", [None, pa.struct([("a", pa.int64()), ("b", pa.string())])])
@pytest.mark.parametrize(("condition", "rows"), [
    ("variant_get(v, '$.a', 'bigint') >= 5", [1, 5]),
    ("variant_get(v, '$.a', 'int') >= 5", [1]),
    ("try_variant_get(v, '$.a', 'bigint') IS NULL", [2, 3, 4, 6]),
    ("variant_get(v, '$.a', 'double') < 1.5", [0]),
    ("variant_get(v, '$.b', 'string') LIKE 'x%'", [0]),
    ("variant_get(v, '$.c', 'int') = 1", []),
    ("v IS NULL", [3]),
])  # fmt: skip
def test_values_in_variants_shredded_or_not(shredding, condition, rows):
    column = {"logical_type": "VARIANT"} | ({} if shredding is None else {"shredding": shredding})
    file = file_of({"v": encode_array(VARIANTS)}, columns={"v": column})
    assert matching_rows(file, condition) == rows


@pytest.mark.parametrize(
    "condition", [*("upper(s) = 'A'", "CAST(s AS INT) = 5", "s = 5", "s = b", "s ILIKE 'a%'"), "s = 'a' OR s RLIKE 'x'"]
)
def test_what_cannot_be_evaluated_is_named(condition):
    with pytest.raises(UsageError, match="cannot be evaluated here: "):
        matching_rows(TEXTS, condition)


def test_only_the_columns_of_the_condition_are_read():
    rows = 200_000
    file = file_of({"a": np.arange(rows), "b": np.random.default_rng(1).random(rows)}, row_group_rows=rows // 2)
    before = file.bytes_read
    assert matching_rows(file, "a = 150000", row_group=1) == [50_000]
    read = file.bytes_read - before
    chunk = file.row_groups[1].columns[0]
    assert read <= 2 * chunk.metadata.total_compressed_size


def test_duckdb_compares_a_float_with_a_decimal_as_floats():
    """This is what the remark on such a clause says."""
    condition = "f = 0.1"
    found = bind(sql.parse(condition), NUMBERS.schema)
    assert "DuckDB compares both as floats, and may find other rows" in found.remark
    assert matching_rows(NUMBERS, condition) == []
    with duckdb.connect() as connection:
        assert in_duckdb(connection, NUMBERS.read(columns=["f"]), [condition]) == [[1]]
    assert takes(found, 0.10000000149011612)


# Against DuckDB, and against the order keys.

small = st.integers(-3, 6)
COLUMNS = {
    "i8": (pa.int8(), small | st.sampled_from([-128, 127])),
    "i64": (pa.int64(), small | st.sampled_from([2**53, 2**53 + 1, -(2**63), 2**63 - 1])),
    "u32": (pa.uint32(), st.sampled_from([0, 1, 2**31, 2**32 - 1])),
    "d": (pa.float64(), st.sampled_from([-1.5, -0.0, 0.0, 0.1, 2.0, 1e300, NAN, math.inf])),
    "f": (pa.float32(), st.sampled_from([-1.5, -0.0, 0.0, 0.25, 2.0, NAN, math.inf])),
    "s": (pa.string(), st.sampled_from(["", "a", "ab", "b", "ä", "z\U0001f600", "\uffff", "a_"])),
    "p": (pa.decimal128(9, 2), st.integers(-200, 200).map(lambda n: Decimal(n) / 100)),
    "w": (pa.decimal128(30, 4), st.integers(-(10**25), 10**25).map(lambda n: Decimal(n) / 10**4)),
    "flag": (pa.bool_(), st.booleans()),
    "day": (pa.date32(), st.integers(18_626, 18_630)),
    "ms": (pa.timestamp("ms"), st.integers(-2, 2).map(lambda n: NS // 10**6 + n)),
    "us": (pa.timestamp("us", "UTC"), st.integers(-2, 2).map(lambda n: NS // 10**3 + n)),
    "st.x": (pa.int32(), small),
}
numbers = small.map(str) | st.sampled_from(["2.0", "2.5", "-0.5", "0.25", "3e0", "99999999999"])
floats = numbers | st.sampled_from(["double('NaN')", "-0.0", "1e300", "double('-Infinity')"])
LITERALS = {
    "i8": numbers,
    "i64": numbers
    | st.sampled_from(["9007199254740993", "9223372036854775808", "9007199254740992e0", "9223372036854775808e0"]),
    "u32": numbers | st.just("4294967295"),
    "d": floats | st.just("0.1"),
    "f": st.sampled_from(["2", "0.25", "0", "-1.5", "double('NaN')", "0.1e0"]),
    "s": COLUMNS["s"][1].map(lambda text: f"'{text}'"),
    "p": COLUMNS["p"][1].map(str) | st.sampled_from(["0.005", "5", "1e-1", "100000000.5"]),
    "w": COLUMNS["w"][1].map(lambda number: format(number, "f")) | numbers,
    "flag": st.sampled_from(["true", "false"]),
    "day": st.sampled_from(["DATE '2020-12-31'", "DATE '2021-01-02'", "'2021-01-01'"]),
    "ms": st.sampled_from(["TIMESTAMP '2021-05-01 12:00:00'", "TIMESTAMP '2021-05-01 12:00:00.001'"]),
    "us": st.sampled_from(["TIMESTAMP '2021-05-01 12:00:00Z'", "TIMESTAMP '2021-05-01 11:59:59.999999+00:00'"]),
    "st.x": numbers,
}
PATTERNS = st.sampled_from(["a%", "%", "_", "a_%", "%b", "%a%", "ä%", "", "z_", "a%b"])


@st.composite
def conditions(draw):
    name = draw(st.sampled_from(sorted(COLUMNS)))
    literal, negated = LITERALS[name], draw(st.sampled_from(["", "NOT "]))
    form = draw(st.integers(0, 6))
    if form == 0:
        listed = draw(st.lists(literal, min_size=1, max_size=5))
        return f"{name} {negated}IN ({', '.join(listed)})"
    if form == 1:
        return f"{name} IS {negated}NULL"
    if form == 2:
        # DuckDB alone rounds the longest ones beside a double.
        bound = literal.filter(lambda one: not one.startswith(("9007", "9223")))
        return f"{name} {negated}BETWEEN {draw(bound)} AND {draw(bound)}"
    if form == 3 and name == "s":
        return f"s {negated}LIKE '{draw(PATTERNS)}'"
    if form == 3 and name in "df":
        return f"isnan({name})"
    operator = draw(st.sampled_from(["<", "<=", ">", ">=", "=", "<>", "<=>"]))
    return f"{negated}{name} {operator} {draw(literal)}"


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 5))
    columns = {}
    for name, (kind, values) in COLUMNS.items():
        some = draw(st.lists(st.none() | values, min_size=rows, max_size=rows))
        columns[name] = pa.array(some, kind)
    inner = columns.pop("st.x")
    null = pa.array(draw(st.lists(st.booleans(), min_size=rows, max_size=rows)))
    columns["st"] = pa.StructArray.from_arrays([inner], ["x"], mask=null)
    return pa.table(columns)


def in_duckdb(connection, table, asked):
    """For each condition, the rows for which DuckDB finds it TRUE."""
    written = []
    for one in asked:
        [duck] = sqlglot.transpile(f"SELECT 1 FROM t WHERE {one}", read="spark", write="duckdb")
        written.append(f"coalesce({duck.partition(' WHERE ')[2]}, false)")
    connection.register("t", table)
    found = connection.execute(f"SELECT {', '.join(written)} FROM t").fetchall()
    return [np.flatnonzero(column).tolist() for column in zip(*found, strict=True)]


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as opened:
        opened.execute("SET TimeZone = 'UTC'; SET threads = 1")
        yield opened


@DUCKDB
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    tables(), st.lists(conditions(), min_size=3, max_size=6), st.sampled_from(["TYPE_ORDER", "IEEE_754_TOTAL_ORDER"])
)
def test_rows_are_duckdbs_and_no_order_key_rules_one_out(connection, table, asked, order):
    columns = {name: {"column_order": order} for name in "df"}
    file = file_of({name: table[name] for name in table.column_names}, columns=columns)
    for condition, rows in zip(asked, in_duckdb(connection, table, asked), strict=True):
        assert matching_rows(file, condition) == rows, condition
        found = bind(sql.parse(condition, "UTC"), file.schema)
        for test in bound.tests(found):
            check_keys(file, test, condition)


def check_keys(file, test, condition):
    """What matches is accepted: by order keys, as null, in a dictionary, and as a point of a Bloom filter."""
    leaf = test.leaf
    values = stored(file, leaf)
    valid = file.read(columns=[leaf.path]).column(0)
    if len(leaf.path) > 1:
        valid = pa.chunked_array([chunk.flatten()[0] for chunk in valid.chunks])
    places = np.flatnonzero(valid.is_valid().to_numpy())
    mask = matching.rows(file, 0, test, True)
    entries = valid.drop_null().combine_chunks()
    accepted = matching.accepted(test, entries, None)
    if mask[~valid.is_valid().to_numpy()].any():
        assert test.accepts.null, condition
    for value, entry, row in zip(values, accepted, places, strict=True):
        if test.accepts.exact:
            assert takes(test, value) == mask[row], (condition, value)
        if not mask[row]:
            continue
        assert entry, (condition, value)
        assert takes(test, value), (condition, value)
        points = test.accepts.points
        if points is not None and value == value:
            assert stored_bytes(leaf, value) in points, (condition, value)
