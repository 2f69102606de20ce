"""Columns with an order or a form of their own: IEEE total order, INT96, decimals in bytes, Variants."""

import datetime
import json
import math
import struct
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from insight.ask.typed_columns import stored, takes
from made import ours, parquet
from table_files import table_rows

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.insight.ask import bound as bounds
from pqexplore.insight.ask import matching, sql
from pqexplore.insight.ask.binding import bind
from pqexplore.insight.ask.binding.leaf_test import leaf_test
from pqexplore.insight.ask.engines.engine import ENGINE

TABLES = Path(__file__).parent / "tables" / "special_columns.txt"


def file_of(values, **column):
    return pqexplore.open(ours(pa.table({"x": values}), columns={"x": column}))


def taken(file, condition):
    """The values whose order keys are accepted, and whether each is accepted in a dictionary."""
    test = bind(sql.parse(condition, "UTC"), file.schema)
    physical = stored(file, test.leaf)
    values = file.read()["x"].drop_null().combine_chunks()
    accepted = matching.accepted(test, values, None).tolist()
    return [takes(test, one) for one in physical], accepted


DOUBLES = [-math.inf, -1.0, -0.0, 0.0, 1.0, math.inf]


@pytest.mark.parametrize("order", ["TYPE_ORDER", "IEEE_754_TOTAL_ORDER"])
@pytest.mark.parametrize(("condition", "values"), table_rows(TABLES, "zeros"))
def test_both_zeros_are_one_in_either_order(order, condition, values):
    file = file_of(pa.array(DOUBLES), column_order=order)
    keys, accepted = taken(file, condition)
    assert repr([one for one, yes in zip(DOUBLES, keys, strict=True) if yes]) == values
    assert keys == accepted


MOMENTS = [datetime.datetime(1969, 12, 31), datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)]  # fmt: skip


@pytest.mark.parametrize(("condition", "expected"), [
    ("x < TIMESTAMP '2020-01-01 00:00:00'", [True, False, False]),
    ("x >= '2020-01-02'", [False, False, True]),
    ("x = DATE '2020-01-01'", [False, True, False]),
])  # fmt: skip
def test_int96_is_compared_by_keys_if_it_has_an_order(condition, expected):
    values = pa.array(MOMENTS, pa.timestamp("ns"))
    ordered = file_of(values, physical_type="INT96", column_order="INT96_TIMESTAMP_ORDER")
    keys, accepted = taken(ordered, condition)
    assert keys == accepted
    assert keys == expected
    test = bind(sql.parse(condition, "UTC"), file_of(values, physical_type="INT96").schema)
    assert test.accepts.may(b"", b"") == test.accepts.may(None, None) is True
    assert test.accepts.points is None


def test_an_int96_can_lose_its_nanoseconds_before_it_is_compared():
    """Spark reads INT96 in microseconds, so 1 ns after a moment equals it there."""
    later = pa.array([0, 1, 999, 1000], pa.timestamp("ns"))
    file = file_of(later, physical_type="INT96", column_order="INT96_TIMESTAMP_ORDER")
    moment = "TIMESTAMP '1970-01-01 00:00:00'"
    for operator, expected in [
        ("=", [True, True, True, False]),
        ("<=", [True, True, True, False]),
        ("<", [False, False, False, False]),
        (">", [False, True, True, True]),
        ("<>", [False, True, True, True]),
    ]:
        assert taken(file, f"x {operator} {moment}") == (expected, expected)


def test_an_unset_int96_is_read_as_1970():
    """Julian day 0 stands for unset values, and Arrow reads it as 1970-01-01."""
    values = pa.array([MOMENTS[1]], pa.timestamp("ns"))
    file = file_of(values, physical_type="INT96", column_order="INT96_TIMESTAMP_ORDER")
    unset = struct.pack("<qi", 0, 0)
    for condition, expected in [
        ("x = DATE '1970-01-01'", True),
        ("x < DATE '1971-01-01'", True),
        ("x > DATE '1971-01-01'", False),
    ]:
        test = bind(sql.parse(condition, "UTC"), file.schema)
        assert takes(test, unset) is expected


@pytest.mark.parametrize(("physical", "points"), [
    ({"physical_type": "INT32"}, ["96000000"]),
    ({"physical_type": "INT64"}, ["9600000000000000"]),
    ({"physical_type": "FIXED_LEN_BYTE_ARRAY", "type_length": 5}, ["0000000096"]),
    ({"physical_type": "BYTE_ARRAY"}, None),  # a number has many forms
])  # fmt: skip
def test_decimals_in_each_physical_type(physical, points):
    numbers = [Decimal("-2.00"), Decimal("1.50"), Decimal("1.51")]
    file = file_of(pa.array(numbers, pa.decimal128(9, 2)), **physical)
    test = bind(sql.parse("x = 1.5"), file.schema)
    found = test.accepts.points
    assert (None if found is None else [one.hex() for one in found]) == points
    assert taken(file, "x = 1.5") == ([False, True, False], [False, True, False])
    assert taken(file, "x < 1.505") == ([True, True, False], [True, True, False])


def test_decimals_of_thousands_of_digits_are_not_compared():
    """10 to the power of such a scale would be a number of many megabytes."""
    kind = structs.DecimalType(precision=2_000_000_000, scale=2_000_000_000)
    element = structs.SchemaElement(type=6, name="x", logicalType=structs.LogicalType(DECIMAL=kind), repetition_type=1)
    leaf = Leaf(element, 1, Field(structs.SchemaElement(name="root"), 0, None), 0, lambda: None)
    found = leaf_test(sql.parse("x > 5"), leaf)
    assert isinstance(found, bounds.Undecided)
    assert "are not compared" in found.why


def test_types_without_an_order_are_not_compared():
    file = file_of(pa.array([bytes(12)], pa.binary(12)), logical_type="INTERVAL")
    found = bind(sql.parse("x = X'000000000000000000000000'"), file.schema)
    assert isinstance(found, bounds.Undecided)
    assert found.why == "values of type INTERVAL are not compared"
    test = bind(sql.parse("x IS NULL"), file.schema)
    assert ENGINE.by_bounds(test, ENGINE.chunk_claims(file.row_groups[0].columns[0])).by


# Variants.

SHREDDED = pa.struct(
    [
        ("a", pa.int64()),
        ("d", pa.decimal128(9, 2)),
        ("t", pa.timestamp("us", "UTC")),
        ("o", pa.struct([("b", pa.string())])),
        ("l", pa.list_(pa.int32())),
    ]
)


def variants(values=({"a": 1},), shredding=SHREDDED, **options):
    column = {"logical_type": "VARIANT"} | ({"shredding": shredding} if shredding else {})
    return pqexplore.open(ours(pa.table({"v": encode_array(list(values))}), columns={"v": column}, **options))


@pytest.mark.parametrize(("condition", "column", "exact"), table_rows(TABLES, "columns of a Variant"))
def test_the_column_that_has_a_path_of_a_variant(condition, column, exact):
    test = bind(sql.parse(condition, "UTC"), variants().schema)
    assert isinstance(test, bounds.Test)
    assert (test.column, str(test.accepts.exact)) == (column, exact)


@pytest.mark.parametrize(("condition", "why"), table_rows(TABLES, "no column of a Variant"))
def test_why_a_path_of_a_variant_has_no_column(condition, why):
    found = bind(sql.parse(condition), variants().schema)
    assert isinstance(found, bounds.Undecided)
    assert why.replace("INT(64, signed)", "INT64") in found.why.replace("INT(64, signed)", "INT64")
    assert "v.metadata" in {".".join(leaf.path) for leaf in found.leaves}


@pytest.mark.parametrize(("condition", "message"), [
    ("v = 5", "v is a Variant; write variant_get(v, '$.path', 'int')"),
    ("variant_get(v, 'a', 'int') = 5", "a path into a Variant starts with $"),
    ("variant_get(v, '$.a', 'money') = 5", "'money' is not a type that can be compared"),
    ("variant_get(v, '$.a', 'int') = 'x'", "does not fit"),
])  # fmt: skip
def test_what_is_no_question_about_a_variant(condition, message):
    with pytest.raises(UsageError) as raised:
        bind(sql.parse(condition), variants().schema)
    assert message in str(raised.value)


def test_bounds_of_a_variant_count_only_without_values_of_other_types():
    condition = "variant_get(v, '$.a', 'bigint') > 100"
    rulings = []
    for values in ([{"a": 1}, {"a": 2}], [{"a": 1}, {"a": "two hundred"}]):
        file = variants(values)
        test = bind(sql.parse(condition), file.schema)
        chunk = file.row_groups[0].columns[test.leaf.leaf_index]
        rulings.append(ENGINE.by_bounds(test, ENGINE.chunk_claims(chunk)))
    assert [ruling.possible for ruling in rulings] == [False, True]
    assert "the column 'value' beside it has values" in rulings[1].reason


def test_a_whole_number_as_a_double_is_rounded_before_it_is_compared():
    """2^53 + 1 as a double is 2^53, so it equals this literal."""
    file = variants([{"a": 2**53 + 1}])
    test = bind(sql.parse("variant_get(v, '$.a', 'double') = 9007199254740992"), file.schema)
    assert takes(test, 2**53 + 1)
    assert matching.rows(file, 0, test, None).tolist() == [True]


SIDES = ("xmin", "ymin", "xmax", "ymax")


def boxes(covering):
    """Two row groups of bounding boxes in FLOAT columns without nan_count, 0 to 1 and 10 to 11; GeoParquet's if `covering`."""
    kind = pa.struct([(side, pa.float32()) for side in SIDES])
    rows = [{"xmin": x, "ymin": x, "xmax": x, "ymax": x} for x in (0.0, 1.0, 10.0, 11.0)]
    column = {"encoding": "WKB", "geometry_types": [], "covering": {"bbox": {side: ["box", side] for side in SIDES}}}
    table = pa.table({"where": pa.array([b""] * 4, pa.binary()), "box": pa.array(rows, kind)})
    if covering:
        text = json.dumps({"version": "1.1.0", "primary_column": "where", "columns": {"where": column}})
        table = table.replace_schema_metadata({"geo": text})
    return parquet(table, row_group_size=2, use_dictionary=False)


@pytest.mark.parametrize(("covering", "kept"), [(True, [1]), (False, [0, 1])])
def test_sides_of_bounding_boxes_have_no_nan_where_geoparquet_says_what_they_are(covering, kept):
    """GeoParquet's boxes are those of GeoJSON, whose numbers are finite. Of other FLOAT columns a NaN may be there."""
    plan = pqexplore.ask(boxes(covering), "box.xmax >= 10")
    assert [group.index for group in plan.groups if group.kept] == kept
    assert ("a NaN may be present" in plan.sentence) == (not covering)
    for engine in ("duckdb", "spark"):
        lost = pqexplore.ask(boxes(covering), "box.xmax >= 10", engine=engine).sentence
        assert ("may lose rows" in lost) == (not covering), engine
