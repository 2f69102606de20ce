"""Checks of statistics against the values, with one fault each."""

import struct

import pytest
from engine.check import forged

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Statistics, Type
from pqexplore.engine.writer import assembly

NAN = float("nan")


def chunk_with(fields, values, type=Type.INT32, **more):
    statistics = Statistics(**fields)
    return forged.one_column([forged.page(values, type)], type, metadata={"statistics": statistics}, **more)


def i32(low, high, **more):
    return {"min_value": forged.raw(low), "max_value": forged.raw(high)} | more


def text(low, high, **more):
    return {"min_value": low, "max_value": high} | more


STRING = assembly.element("a", Type.BYTE_ARRAY, 0, logicalType=structs.LogicalType(STRING=structs.StringType()))
UNSIGNED = assembly.element(
    "a", Type.INT32, 0, logicalType=structs.LogicalType(INTEGER=structs.IntType(bitWidth=32, isSigned=False))
)

BOUNDS = [
    ("true", i32(1, 3), [1, 2, 3], {}, []),
    ("a minimum too large", i32(2, 3), [1, 2, 3], {}, [("statistics-bound", "error")]),
    ("a maximum too small", i32(1, 2), [1, 2, 3], {}, [("statistics-bound", "error")]),
    ("wider than needed", i32(0, 3), [1, 2, 3], {}, [("statistics-loose", "note")]),
    ("called exact and is not", i32(0, 3, is_min_value_exact=True), [1, 2, 3], {}, [("statistics-exactness", "error")]),
    ("of the wrong length", {"min_value": b"123"}, [1], {}, [("statistics-damaged", "error")]),
    # 0xFFFFFFFF is the largest unsigned number, and -1 where the sign counts.
    ("unsigned, and right", i32(1, -1), [1, -1], {"leaf": UNSIGNED}, []),
    ("unsigned, compared as signed", i32(-1, 1), [1, -1], {"leaf": UNSIGNED}, [("statistics-inverted", "error")]),
    ("nothing says how they were compared", i32(1, 3), [1, 3], {"order": None}, [("column-orders-absent", "note")]),
]


@pytest.mark.parametrize(
    ("fields", "values", "more", "expected"), [case[1:] for case in BOUNDS], ids=[c[0] for c in BOUNDS]
)
def test_bounds_of_integers_compared_with_the_values(fields, values, more, expected):
    assert forged.rules(chunk_with(fields, values, **more)) == expected


TEXTS = [
    ("cut short, and rounded up", text(b"ab", b"ac"), [b"abc", b"abd"], []),
    # A cut inside é leaves a byte that is no text, though it bounds the values.
    ("cut inside a character", text(b"", b"\xc4"), ["é".encode()], ["statistics-not-utf8"]),
    ("cut short, not rounded up", text(b"ab", b"ab"), [b"abc", b"abd"], ["statistics-bound"]),
    # Compared as signed bytes 0xC3 comes before "a"; text is compared as unsigned bytes.
    ("bytes compared as signed", text("é".encode(), b"a"), [b"a", "é".encode()], ["statistics-inverted"]),
]


@pytest.mark.parametrize(
    ("fields", "values", "expected"), [case[1:] for case in TEXTS], ids=[case[0] for case in TEXTS]
)
def test_bounds_of_text_compared_with_the_values(fields, values, expected):
    data = chunk_with(fields, values, Type.BYTE_ARRAY, leaf=STRING)
    assert [rule for rule, _ in forged.rules(data)] == expected


def test_truncated_maximum_that_is_not_rounded_up_is_explained():
    data = chunk_with(text(b"ab", b"ab"), [b"abc"], Type.BYTE_ARRAY, leaf=STRING)
    (found,) = forged.findings(data)
    assert "it was cut short and not rounded up" in found.message
    place = {"row": 0, "row_of_file": 0, "page": 0, "at": "row_groups/0/columns/0/pages/0/values/0"}
    assert found.evidence == {"max": b"ab", "actual": b"abc", "rows": 1, **place}


def doubles(low, high, **more):
    return {"min_value": struct.pack("<d", low), "max_value": struct.pack("<d", high)} | more


FLOATS = [
    ("NaNs are left out", doubles(1, 2), [1.0, NAN, 2.0], {}, []),
    ("a NaN bound", doubles(NAN, 2), [1.0, NAN, 2.0], {}, [("nan-bound", "note")]),
    ("a count of NaNs", doubles(1, 2, nan_count=1), [1.0, NAN, 2.0], {}, []),
    ("a wrong count of NaNs", doubles(1, 2, nan_count=0), [1.0, NAN, 2.0], {}, [("statistics-nan-count", "error")]),
    # A reader that holds them apart must find -0 under a minimum of 0.
    ("zeros as writers put them", doubles(-0.0, 0.0), [0.0, -0.0], {}, []),
    ("zeros that hide zeros", doubles(0.0, -0.0), [0.0, -0.0], {}, [("zero-bound", "note"), ("zero-bound", "note")]),
    ("total order: -0 is below +0", doubles(0.0, 0.0, nan_count=0), [0.0, -0.0], {"order": forged.TOTAL_ORDER},
        [("statistics-bound", "error")]),
    ("total order without nan_count", doubles(1, 2), [1.0, 2.0], {"order": forged.TOTAL_ORDER},
        [("nan-count-absent", "error")]),
    ("total order, all NaN: the bounds are NaNs", doubles(NAN, NAN, nan_count=2), [NAN, NAN],
        {"order": forged.TOTAL_ORDER}, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "values", "more", "expected"), [case[1:] for case in FLOATS], ids=[c[0] for c in FLOATS]
)
def test_bounds_of_floats_compared_with_the_values(fields, values, more, expected):
    assert forged.rules(chunk_with(fields, values, Type.DOUBLE, **more)) == expected


def int96(day, nanos):
    return struct.pack("<qi", nanos, day)


def int96_column(low, high, order):
    values = [int96(2_440_588, 5), int96(2_440_589, 1)]
    page = assembly.page_v1(b"".join(values), 2)
    return forged.one_column(
        [page], Type.INT96, order=order, metadata={"statistics": Statistics(min_value=low, max_value=high)}
    )


def test_int96_is_ordered_by_day_and_then_by_nanoseconds():
    order = structs.ColumnOrder(INT96_TIMESTAMP_ORDER=structs.Int96TimestampOrder())
    low, high = int96(2_440_588, 5), int96(2_440_589, 1)
    deprecated = ("int96-deprecated", "note")
    assert forged.rules(int96_column(low, high, order)) == [deprecated]
    # As bytes the second day's first nanosecond comes before the first day's fifth.
    swapped = forged.rules(int96_column(high, low, order))
    assert swapped == [deprecated, ("statistics-inverted", "error")]
    ignored = forged.rules(int96_column(high, low, forged.TYPE_ORDER))
    assert ignored == [deprecated, ("statistics-without-order", "warning")]
    alike = forged.rules(int96_column(low, low, forged.TYPE_ORDER))  # as Spark writes a constant
    assert alike == [deprecated, ("statistics-without-order", "note")]


OLD = [
    ("signed numbers, right", {"min": forged.raw(1), "max": forged.raw(3)}, [1, 3], {}, []),
    ("signed numbers, wrong", {"min": forged.raw(2), "max": forged.raw(3)}, [1, 3], {}, [("statistics-bound", "error")]),
    ("unsigned numbers: not to be trusted", {"min": forged.raw(-1), "max": forged.raw(1)}, [1, -1], {"leaf": UNSIGNED},
        [("old-statistics", "note")]),
    ("the two generations differ", i32(1, 3, min=forged.raw(1), max=forged.raw(2)), [1, 3], {},
        [("old-statistics-disagree", "warning")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "values", "more", "expected"), [case[1:] for case in OLD], ids=[case[0] for case in OLD]
)
def test_deprecated_min_and_max_compared_with_the_values(fields, values, more, expected):
    assert forged.rules(chunk_with(fields, values, **more)) == expected


OPTIONAL = assembly.element("a", Type.INT32, 1)

COUNTS = [
    ({"null_count": 1}, []),
    ({"null_count": 0}, [("statistics-null-count", "error")]),
    ({"distinct_count": 2}, []),
    ({"distinct_count": 1}, [("distinct-count-disagrees", "warning")]),
    ({"distinct_count": 3}, [("distinct-count-disagrees", "note")]),
    ({"null_count": -1}, [("statistics-damaged", "error")]),
    ({"nan_count": 0}, [("nan-count-unsuited", "warning")]),
]


@pytest.mark.parametrize(("fields", "expected"), COUNTS)
def test_counts_compared_with_the_values(fields, expected):
    data = forged.one_column(
        [forged.optional_page([1, None, 2, 1])], leaf=OPTIONAL, metadata={"statistics": Statistics(**fields)}
    )
    assert forged.rules(data) == expected


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (3, []),  # every entry without a value
        (1, []),  # only elements that are null
        (2, [("statistics-null-count", "warning")]),
    ],
)
def test_null_count_of_a_list_may_leave_out_empty_lists(count, expected):
    data = forged.list_column(
        [forged.list_page([[1, None], None, []])], metadata={"statistics": Statistics(null_count=count)}
    )
    assert forged.rules(data) == expected


def test_bounds_without_values_are_a_warning():
    data = forged.one_column(
        [forged.optional_page([None])], leaf=OPTIONAL, metadata={"statistics": Statistics(**i32(1, 2))}
    )
    assert forged.rules(data) == [("statistics-of-nothing", "warning")]


def test_wrong_bound_in_a_page_header_is_an_error():
    wrong = Statistics(**i32(2, 3))
    data = forged.one_column([forged.page([1, 3], statistics=wrong), forged.page([0])])
    (found,) = forged.findings(data)
    assert (found.rule, found.address) == (
        "page-statistics-bound",
        "row_groups/0/columns/0/pages/0/header/data_page_header/statistics/min_value",
    )
