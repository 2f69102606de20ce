"""Arrow values as JSON values."""

import datetime
import decimal
import json
import math

import numpy as np
import pyarrow as pa
import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.insight.json_values import VARIANT, compact, json_values

UTC = datetime.UTC

VALUES = [
    # Arrow values, their type, JSON values
    ([1, None, -(2**40)], pa.int64(), [1, None, -(2**40)]),
    ([True, None], pa.bool_(), [True, None]),
    ([1.5, math.nan, -math.inf, None], pa.float64(), [1.5, "nan", "-inf", None]),
    (np.array([1.5, -2], np.float16), pa.float16(), [1.5, -2.0]),
    ([decimal.Decimal("1.20"), None], pa.decimal128(9, 2), ["1.20", None]),
    ([b"\x00\xff", None], pa.binary(), [{"hex": "00ff"}, None]),
    ([datetime.date(2024, 2, 29)], pa.date32(), ["2024-02-29"]),
    ([datetime.datetime(2024, 2, 29, 1, tzinfo=UTC)], pa.timestamp("us", "UTC"), ["2024-02-29 01:00:00.000000Z"]),
    ([2**62], pa.timestamp("us"), [f"<value out of range: {2**62}>"]),
    ([None, None], pa.null(), [None, None]),
    ([[1, None], [], None, [2]], pa.list_(pa.int8()), [[1, None], [], None, [2]]),
    ([[("a", 1), ("b", None)], None, []], pa.map_(pa.string(), pa.int8()), [{"a": 1, "b": None}, None, {}]),
    ([[(1, 2)]], pa.map_(pa.int8(), pa.int8()), [[[1, 2]]]),
    ([[("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int8()), [[["a", 1], ["a", 2]]]),
    ([{"a": 1, "b": [b"x"]}, None], pa.struct([("a", pa.int8()), ("b", pa.list_(pa.binary()))]), [{"a": 1, "b": [{"hex": "78"}]}, None]),
    ([{VARIANT: '{"a":[1,null]}'}, None, {VARIANT: "null"}], pa.struct([(VARIANT, pa.string())]), [{"a": [1, None]}, None, None]),
]  # fmt: skip


@pytest.mark.parametrize("values, kind, expected", VALUES, ids=[str(row[1]) for row in VALUES])
def test_values_and_a_slice_of_them(values, kind, expected):
    array = pa.array(values, kind)
    assert json_values(array) == expected
    assert json_values(array.slice(1)) == expected[1:]
    json.dumps(expected, allow_nan=False)


def test_text_that_is_not_utf_8_is_escaped():
    broken = pa.array([b"a\xffb"]).view(pa.string())
    assert json_values(broken) == ["a\\xffb"]


def test_a_field_that_is_named_like_a_variant_keeps_its_text():
    assert json_values(pa.array([{VARIANT: "no JSON"}])) == ["no JSON"]


def test_values_that_are_nested_too_deeply_are_refused():
    deep = pa.array([1])
    for _ in range(900):
        deep = pa.ListArray.from_arrays([0, 1], deep)
    with pytest.raises(UsageError, match="nested too deeply"):
        json_values(deep)


def test_compact_json_is_one_line():
    assert compact({"ø": [1, None, "a\nb"]}) == '{"ø":[1,null,"a\\nb"]}'
