"""Variants in two files: the same values are equal however they are encoded and shredded."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from made import ours

import pqexplore
from pqexplore.engine.format.variant import variant_types
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.engine.format.variant.variant_types import Temporal, Typed

ROWS = [{"a": n, "b": f"text {n}", "c": [n, None]} for n in range(60)]
A, B = pa.struct([("a", pa.int64())]), pa.struct([("b", pa.string()), ("c", pa.list_(pa.int32()))])


def file(values, shredding=None, share_metadata=True, nest=lambda column: column):
    column = values if isinstance(values, pa.Array) else encode_array(values, share_metadata=share_metadata)  # fmt: skip
    path = "v" if nest(column) is column else "v.list.element"
    columns = {path: {"logical_type": "VARIANT", "shredding": shredding}}
    table = pa.table({"id": pa.array(range(len(nest(column)))), "v": nest(column)})
    return ours(table, columns=columns)


def changed(row, **fields):
    return [*ROWS[:row], ROWS[row] | fields, *ROWS[row + 1 :]]


def listed(column):
    return pa.ListArray.from_arrays(pa.array(range(0, len(column) + 1, 2), pa.int32()), column)


SHREDDINGS = [(None, A), (A, None), (A, B), (B, A), (A, pa.struct([("a", pa.string())])), (pa.int64(), A)]  # fmt: skip


@pytest.mark.parametrize("nest", [lambda column: column, listed], ids=["top", "in a list"])
@pytest.mark.parametrize("first, second", SHREDDINGS, ids=str)
def test_the_same_values_shredded_in_another_way(first, second, nest):
    pair = file(ROWS, first, nest=nest), file(ROWS, second, nest=nest)
    found = pqexplore.diff(*pair, "data")
    assert [one.what for one in found.differences] == ["shredding"], found.table.to_pylist()
    assert found.values.equal
    assert found.sentence.startswith("The second file holds the same rows as the first file")
    assert [one.what for one in pqexplore.diff(*pair).differences] == ["shredding"]


@pytest.mark.parametrize("first, second", SHREDDINGS, ids=str)
def test_another_value_shredded_in_another_way(first, second):
    found = pqexplore.diff(file(ROWS, first), file(changed(7, a=-1), second), "data")
    assert sorted(one.what for one in found.differences) == ["shredding", "values"]
    assert "same rows" not in found.sentence
    assert '`v` has other values in 1 row; the first is row 7: \'{"a":-1,"b":"text 7","c":[7,null]}\' in place of \'{"a":7,' in found.sentence  # fmt: skip


def test_the_words_for_the_shredding():
    found = pqexplore.diff(file(ROWS), file(ROWS, B)).differences[0]
    assert found.sentence == (
        "The Variants of `v` are shredded as b (STRING) and c.list.element (INT32) in the second file, and not shredded in the first: "
        "the same values can be stored in both ways."
    )


def test_rows_in_another_order_shredded_in_another_way():
    found = pqexplore.diff(file(encode_array(ROWS), A), file(encode_array(ROWS[::-1])), "data")
    columns = pqexplore.diff(file(ROWS, A), file(ROWS[::-1]), "data", columns=["v"])
    assert columns.values.permuted and not found.values.permuted  # the ids are in one order


def long_string(text):
    """A Variant of a string of the long form, which a writer may use for short ones, too."""
    short = encode_array([text])
    value = bytes([variant_types.STRING << 2]) + len(text).to_bytes(4, "little") + text.encode()
    cells = [short.field("metadata"), pa.array([value], pa.binary())]
    return pa.StructArray.from_arrays(cells, fields=list(short.type))


DAY, NOON = dt.date(2024, 2, 3), dt.datetime(2024, 2, 3, 12)
UTC = NOON.replace(tzinfo=dt.UTC)
NANOS = Temporal(variant_types.TIMESTAMP_NANOS, 1706961600 * 10**9)
EQUAL = {
    # the specification's equivalence classes
    "integers of other widths": (Typed("int8", 1), Typed("int32", 1)),
    "an integer and a decimal": (Typed("int8", 1), Decimal("1.00")),
    "decimals of other scales": (Decimal("1.50"), Decimal("1.5")),
    "micros and nanos": (UTC, NANOS),
    "names in another order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "zeros": (0.0, -0.0),
    "not a number": (float("nan"), float("nan")),
    "deep": ({"a": [{"b": Typed("int8", 1)}]}, {"a": [{"b": Typed("int64", 1)}]}),
}
OTHER = {
    "another number": (Typed("int8", 1), Typed("int32", 2)),
    "an integer and a double": (1, 1.0),
    "a decimal and a double": (Decimal("1.5"), 1.5),
    "a float and a double": (np.float32(1.5), 1.5),
    "a number and a string": (1, "1"),
    "a number and a boolean": (1, True),
    "a date and a string": (DAY, "2024-02-03"),
    "a date and a timestamp": (DAY, dt.datetime(2024, 2, 3)),
    "with and without a zone": (UTC, NOON),
    "one nanosecond more": (UTC, Temporal(variant_types.TIMESTAMP_NANOS, NANOS.ticks + 1)),
    "a Variant null and a null row": (Typed("null", None), None),
    "a null and no field": ({"a": None}, {}),
    "elements in another order": ([1, 2], [2, 1]),
    "bytes and text": (b"a", "a"),
    "a null and a string": ([None], ["null"]),
    "an empty object and an empty array": ({}, []),
}


@pytest.mark.parametrize("name", [*EQUAL, *OTHER])
def test_values_are_equal_as_the_equivalence_classes_say(name):
    one, two = (EQUAL | OTHER)[name]
    found = pqexplore.diff(file([one]), file([two]), "data")
    same = found.values is None or found.values.equal  # None: the same bytes
    assert same == (name in EQUAL), found.sentence


def test_short_and_long_strings_are_equal():
    assert pqexplore.diff(file(["x"]), file(long_string("x")), "data").values.equal
    assert not pqexplore.diff(file(["y"]), file(long_string("x")), "data").values.equal


def test_a_damaged_variant_is_not_compared():
    column = encode_array(ROWS)
    bad = pa.StructArray.from_arrays([column.field(0), pa.array([b"\x02\x09"] * 60)], fields=list(column.type))  # fmt: skip
    found = pqexplore.diff(file(ROWS), file(bad), "data")
    assert "not-compared" in {one.what for one in found.differences}
    assert "same rows" not in found.sentence


def test_files_of_a_lake(tmp_path):
    for name, shredding in (("a", A), ("b", B)):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.parquet").write_bytes(file(ROWS, shredding))
    said = pqexplore.diff(tmp_path / "a", tmp_path / "b", "data").sentence
    assert "the rows are the same, by hashes of 64 bits: 1 file was rewritten as 1 file." in said
