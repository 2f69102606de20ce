"""Statistics and the page index as a user reads them: bounds in the column's logical type, and whether to believe them."""

import datetime
import decimal

import pyarrow as pa
import pytest
from made import ours, parquet, rebuilt

import pqexplore
from pqexplore import Encryption, WriteOptions

DAY = datetime.date(2020, 2, 29)
TABLE = pa.table(
    {
        "n": pa.array([3, None, 1], pa.int32()),
        "day": [DAY, DAY, None],
        "at": pa.array([datetime.datetime(2020, 1, 1)] * 3, pa.timestamp("us", "UTC")),
        "price": pa.array([decimal.Decimal("1.50"), decimal.Decimal("-2.25"), None]),
        "text": ["b", "é", "a"],
        "raw": [b"\x00", b"\xff", b"\x01"],
        "flag": [True, False, None],
        "none": pa.array([None, None, None], pa.int64()),
    }
)
BOUNDS = {
    "n": (1, 3),
    "day": (DAY, DAY),
    "price": (decimal.Decimal("-2.25"), decimal.Decimal("1.50")),
    "text": ("a", "é"),
    "raw": (b"\x00", b"\xff"),
    "flag": (False, True),
    "none": (None, None),
}
DATA = parquet(TABLE, write_page_index=True)
STATISTICS = "row_groups__0__columns__0__meta_data__statistics"


def first(data):
    return pqexplore.open(data).row_groups[0].columns[0]


def without_orders(data):
    return rebuilt(data, column_orders=None)


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_are_decoded_in_the_logical_type(name):
    chunk = pqexplore.open(DATA).row_groups[0].columns[name]
    found, page = chunk.statistics, chunk.page_bounds[0]
    assert (found.min, found.max) == (page.min, page.max) == BOUNDS[name]
    assert found.null_count == page.null_count == TABLE[name].null_count
    assert (found.min_value, found.max_value) == (found.struct.min_value, found.struct.max_value)
    assert page.rows == 3


def test_an_instant_has_its_zone():
    found = pqexplore.open(DATA).row_groups[0].columns["at"].statistics.min
    assert found == datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    "change, pair, bounds, trusted, why",
    [
        ({}, "min_value, max_value", (1, 3), True, ""),
        ({"column_orders": None}, "min_value, max_value", (None, None), False, "no known column order"),
        ({f"{STATISTICS}__min_value": b"abc"}, "", (None, None), False, "min has 3 bytes"),
        ({f"{STATISTICS}__min_value": None, f"{STATISTICS}__max_value": None}, "min, max", (1, 3), True, ""),
        ({f"{STATISTICS}__{name}": None for name in ("min", "max", "min_value", "max_value")}, "", (None, None), False,
            "no minimum and maximum"),
        ({f"{STATISTICS}__min_value": b"\t\0\0\0"}, "min_value, max_value", (9, 3), False, "greater"),
    ],
)  # fmt: skip
def test_which_pair_is_used_and_whether_it_is_trusted(change, pair, bounds, trusted, why):
    found = first(rebuilt(DATA, **change)).statistics
    assert (found.pair, (found.min, found.max), found.trusted) == (pair, bounds, trusted)
    assert why in found.why
    assert ("not trusted" in repr(found)) == (bool(pair) and not trusted)
    assert ("damaged" in repr(found)) == ("3 bytes" in why)


def test_pages_have_no_bounds_without_an_order():
    assert first(DATA).page_bounds[0].min == 1
    page = first(without_orders(DATA)).page_bounds[0]
    assert (page.min, page.max, page.min_raw) == (None, None, b"\1\0\0\0")


def test_the_writer_says_whether_bounds_are_exact():
    data = rebuilt(DATA, **{f"{STATISTICS}__is_min_value_exact": True, f"{STATISTICS}__is_max_value_exact": False})
    found = first(data).statistics
    assert (found.min_is_exact, found.max_is_exact) == (True, False)
    assert first(rebuilt(DATA, **{f"{STATISTICS}__is_min_value_exact": None})).statistics.min_is_exact is None


def test_no_repr_has_bounds_that_took_a_key():
    key = b"0123456789012345"
    table = pa.table({"n": [4711, 4712], "open": [815, 816]})
    for footer, secret in ((False, ("4711", "815")), (True, ("4711",))):
        options = Encryption(footer_key=key, column_keys={"n": key}, plaintext_footer=footer)
        file = pqexplore.open(
            ours(table, WriteOptions(encryption=options)),
            decryption=pqexplore.Decryption(footer_key=key, column_keys={"n": key}),
        )
        shown = ""
        for chunk in file.chunks():
            assert chunk.statistics.min == chunk.page_bounds[0].min == chunk.values[0].as_py()
            for thing in (chunk.statistics, chunk.page_bounds, chunk.metadata, chunk.column_index):
                shown += repr(thing) + (getattr(thing, "_repr_html_", str)() or "")
        assert not any(text in shown for text in secret)
        assert ("815" in shown) == footer
