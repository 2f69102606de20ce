"""Values of every type, compared and shown: what is equal, what differs, what cannot be compared."""

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from insight.diff.diff_pairs import ours, theirs

import pqexplore
from pqexplore.insight.diff.hashes import LONG, hashes


def column(kind, *values):
    return pa.table({"x": pa.array(values, kind)})


def text(*values):
    """A column of strings that need not be UTF-8."""
    offsets = pa.array(np.cumsum([0, *map(len, values)]), pa.int32())
    buffers = [None, offsets.buffers()[1], pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(pa.string(), len(values), buffers)


US, DAY = pa.timestamp("us"), pa.date32()
FAR, FARTHER = 2**62, 2**61
SHOWN = [
    ("nanoseconds", column(pa.timestamp("ns"), 1), column(pa.timestamp("ns"), 2),
     "1970-01-01 00:00:00.000000002 in place of 1970-01-01 00:00:00.000000001"),
    ("times of nanoseconds", column(pa.time64("ns"), 1), column(pa.time64("ns"), 2), "00:00:00.000000002 in place of 00:00:00.000000001"),
    ("UTC", column(pa.timestamp("ms", "UTC"), 1), column(pa.timestamp("ms", "UTC"), 2), "1970-01-01 00:00:00.002Z in place of 1970-01-01 00:00:00.001Z"),
    ("no date of Python", column(US, FAR), column(US, FARTHER), f"range: {FARTHER}> in place of <value out of range: {FAR}>"),
    ("no day of Python", pa.table({"x": pa.array([2**31 - 1], pa.int32()).cast(DAY)}), pa.table({"x": pa.array([-(2**31)], pa.int32()).cast(DAY)}),
     "range: -2147483648> in place of"),
    ("no dates of Python in lists", column(pa.list_(US), [FAR]), column(pa.list_(US), [FARTHER]), "[<value out of range: 2305843009213693952>] in place of"),
    ("no UTF-8", pa.table({"x": text(b"\xff", b"a")}), pa.table({"x": text(b"\xfe", b"a")}), r"b'\xfe' in place of b'\xff'"),
    ("no UTF-8 in lists", pa.table({"x": pa.ListArray.from_arrays([0, 2], text(b"\xff", b"a"))}),
     pa.table({"x": pa.ListArray.from_arrays([0, 2], text(b"\xfe", b"a"))}), r"[b'\xfe', 'a'] in place of"),
    ("decimals", column(pa.decimal128(38, 2), Decimal("1.20")), column(pa.decimal128(38, 2), Decimal("1.21")), "1.21 in place of 1.20"),
    ("long decimals", column(pa.decimal256(70, 2), Decimal("1.20")), column(pa.decimal256(70, 2), Decimal("1.21")), "1.21 in place of 1.20"),
    ("maps", column(pa.map_(pa.string(), pa.int8()), [("a", 1)]), column(pa.map_(pa.string(), pa.int8()), [("a", 2)]), "[{'key': 'a', 'value': 2}] in place of"),
    ("structs of structs", pa.table({"x": [{"a": {"b": 1}}]}), pa.table({"x": [{"a": {"b": None}}]}), "{'a': {'b': null}} in place of {'a': {'b': 1}}"),
    ("after what is shown", pa.table({"x": ["a" * 90 + "b"]}), pa.table({"x": ["a" * 90 + "c"]}), "(they differ after what is shown)"),
]  # fmt: skip


@pytest.mark.parametrize("name, first, second, said", SHOWN, ids=[row[0] for row in SHOWN])
def test_the_first_difference_is_shown(name, first, second, said):
    found = pqexplore.diff(theirs(first), theirs(second), "data")
    [values] = [one for one in found.differences if one.what == "values"]
    assert said in values.sentence
    assert not [d for d in pqexplore.diff(theirs(first), ours(first), "data").differences if d.what in ("values", "not-compared")]  # fmt: skip


def test_halves_are_compared_as_numbers():
    """pyarrow 15 and older do not cast them."""
    first, second, other = (
        column(pa.float16(), *(None if one is None else np.float16(one) for one in values))
        for values in ([1.5, None, math.nan, 0.0, 3], [1.5, None, math.nan, -0.0, 3], [1.5, math.nan, None, -0.0, 2])
    )
    assert [d for d in pqexplore.diff(ours(first), ours(second), "data").differences if d.what == "values"] == []
    [values] = [d for d in pqexplore.diff(ours(first), ours(other), "data").differences if d.what == "values"]
    assert values.sentence == "`x` has other values in 3 rows; the first is row 1: nan in place of null."


def structs(*names, row=0, **ids):
    """Structs of five rows, whose first field by name counts from `row`."""
    rows = [dict(zip(sorted(names, key=str.lower), (row + i, -i), strict=True)) for i in range(5)]
    array = pa.array(rows, pa.struct([(name, pa.int64()) for name in names]))
    columns = {f"s.{name}": {"field_id": number} for name, number in ids.items()}
    return ours(pa.table({"s": array}), columns=columns)


SAME = {
    "fields in another case": (structs("a", "b"), structs("A", "b")),
    "fields in another order": (structs("a", "b"), structs("b", "a")),
    "a field renamed, by its id": (structs("a", "b", a=3, b=4), structs("A2", "b", A2=3, b=4)),
    "names with control characters": (ours(pa.table({"a\x1b": [1, 2]})),
        ours(pa.table({"a\x1b": [1, 2]}), columns={"a\x1b": {"column_index": False}})),
    "lists in lists of other names": (theirs(pa.table({"x": [[{"a": [1], "b": 2}]]}), use_compliant_nested_type=False),
        theirs(pa.table({"x": [[{"b": 2, "a": [1]}]]}))),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_names_and_places_of_fields_are_no_difference_of_values(name):
    found = pqexplore.diff(*SAME[name], "data")
    assert found.values.equal and not any(one.why for one in found.values.columns)
    assert {d.what for d in found.differences} <= {"name-case", "column-order", "column-renamed", "page-index", "key-value", "list-layout", "list-names"}  # fmt: skip


@pytest.mark.parametrize("first, second", [(("a", "b"), ("A", "b")), (("a", "b"), ("b", "a"))])
def test_other_values_of_fields_that_moved_are_a_difference(first, second):
    found = pqexplore.diff(structs(*first), structs(*second, row=1), "data").values
    assert (found.columns[0].rows, found.columns[0].row) == (5, 0)


def twice(first, second):
    return theirs(pa.Table.from_arrays([pa.array(first), pa.array(second)], names=["a", "a"]))


def test_columns_of_one_name():
    """Their values are not compared, their chunks are: each with the one at its place."""
    found = pqexplore.diff(twice([1, 2], [3, 4]), twice([1, 2], [3, 5]), "data")
    assert [(d.what, d.columns) for d in found.differences if d.what != "size"] == [
        ("not-compared", ("a", "a (2)")),
        ("bounds", ("a (2)",)),
    ]
    assert pqexplore.diff(twice([1, 2], [3, 4]), twice([1, 2], [3, 4]), "pages").same


leaf = st.one_of(st.none(), st.sampled_from([0.0, -0.0, math.nan, 1.5]))
nested = st.one_of(st.none(), st.lists(st.one_of(st.none(), st.lists(leaf, max_size=3)), max_size=3))  # fmt: skip


def normal(value):
    if isinstance(value, list):
        return tuple(map(normal, value))
    return "nan" if value != value else value


@settings(max_examples=200)
@given(st.lists(nested, min_size=2, max_size=12))
def test_hashes_of_nested_values_are_equal_where_the_values_are(values):
    array = pa.array(values, pa.list_(pa.list_(pa.float64())))
    found = dict(zip(map(normal, values), hashes(array).tolist(), strict=True))
    assert [found[normal(one)] for one in values] == hashes(array).tolist()
    assert len(set(found.values())) == len(found)
    assert hashes(array[1:]).tolist() == hashes(array).tolist()[1:]


KINDS = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.binary(9), pa.decimal128(30, 3), pa.decimal256(60, 3)]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_hashes_of_texts_are_equal_where_the_texts_are(kind):
    if pa.types.is_decimal(kind):
        values = [Decimal(x) for x in range(-40, 40)]
    elif pa.types.is_fixed_size_binary(kind):
        values = [bytes([x]) * 9 for x in range(40)] + [bytes(8) + b"x", b"x" + bytes(8)]
    else:
        values = ["x" * n for n in range(LONG + 20)] + ["\0" * n for n in range(1, 20)]
        values += ["xxxxxxxxy", "yxxxxxxxx", "x" * 400 + "y", "y" + "x" * 400, "é", "e"]
    array = pa.array([*values, None, *values[::-1]], kind)
    found = hashes(array).tolist()
    assert found == found[::-1]
    assert len(set(found)) == len(values) + 1
    assert hashes(array[3:]).tolist() == found[3:]
    assert hashes(array[:0]).tolist() == []
    assert hashes(pa.nulls(3, kind)).tolist() == [found[len(values)]] * 3
