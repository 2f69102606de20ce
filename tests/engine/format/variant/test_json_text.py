import datetime
import decimal
import uuid

import numpy as np
import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.variant import variant_types
from pqexplore.engine.format.variant.decode import decode
from pqexplore.engine.format.variant.json_text import from_json, json_text
from pqexplore.engine.format.variant.variant_types import Temporal, Unsupported

WRITTEN = [
    (None, "null"),
    (True, "true"),
    (-1, "-1"),
    (14.3, "14.3"),
    (1e16, "1.0E16"),
    (1e7, "1.0E7"),
    (9999999.5, "9999999.5"),
    (-0.001, "-0.001"),
    (0.00012, "1.2E-4"),
    (0.0, "0.0"),
    (-0.0, "-0.0"),
    (float("nan"), '"NaN"'),
    (float("-inf"), '"-Infinity"'),
    (np.float32(0.1), "0.1"),
    (np.float32(1e30), "1.0E30"),
    (decimal.Decimal("12.3400"), "12.34"),
    (decimal.Decimal("100"), "100"),
    (decimal.Decimal("1E+3"), "1000"),
    (decimal.Decimal("0.00"), "0"),
    (decimal.Decimal("1E-30"), "0." + "0" * 29 + "1"),
    ('a"\n\x01é😀', '"a\\"\\n\\u0001é😀"'),
    (b"\x03\x13\x37\xde\xad\xbe\xef\xca\xfe", '"AxM33q2+78r+"'),
    (datetime.date(2025, 4, 16), '"2025-04-16"'),
    (datetime.datetime(2025, 4, 16, 12, 34, 56, 780000), '"2025-04-16 12:34:56.78"'),
    (datetime.datetime(2025, 4, 16, 12, 34, 56, tzinfo=datetime.UTC), '"2025-04-16 12:34:56+00:00"'),
    (datetime.time(12, 33, 54, 123456), '"12:33:54.123456"'),
    (Temporal(variant_types.TIMESTAMP_NANOS, 1), '"1970-01-01 00:00:00.000000001+00:00"'),
    (uuid.UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
    (Unsupported(21, b"\x01"), '"<unknown Variant type 21: 01>"'),
    ({}, "{}"),
    ([], "[]"),
    ({"a": [1, {"b": None}], "": []}, '{"a":[1,{"b":null}],"":[]}'),
    ([[], [[]], {}], "[[],[[]],{}]"),
]


@pytest.mark.parametrize("value, text", WRITTEN)
def test_written(value, text):
    assert json_text(value) == text


READ = [
    ("1", 1),
    ("1.50", decimal.Decimal("1.50")),
    ("1e2", 100.0),
    ("0." + "1" * 39, float("0." + "1" * 39)),
    ("12345678901234567890", decimal.Decimal(12345678901234567890)),
    ("1" + "0" * 38, 1e38),
    ('{"b": [true, null], "a": "x"}', {"a": "x", "b": [True, None]}),
]


@pytest.mark.parametrize("text, value", READ)
def test_read(text, value):
    found = decode(*from_json(text))
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("NaN", "no number of JSON"),
        ('{"a": 1, "a": 2}', "'a' twice"),
        ("[" * 100_000, "nested too deeply|not JSON"),
    ],
)
def test_texts_that_are_not_json_raise(text, message):
    with pytest.raises(UsageError, match=message):
        from_json(text)
