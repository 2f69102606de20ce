import datetime
import decimal
import uuid

import numpy as np
import pytest
from engine.format.variant.strategies import VALUES
from hypothesis import given, settings

from pqexplore.engine.errors import LimitExceededError, UsageError
from pqexplore.engine.format.variant import metadata, variant_types
from pqexplore.engine.format.variant.decode import decode, decode_array
from pqexplore.engine.format.variant.encode import encode, encode_array, encode_container
from pqexplore.engine.format.variant.variant_types import Temporal, Typed, Unsupported


def same(a, b):
    """Equal, and of equal types all the way down; an int too wide for int64 comes back as a Decimal."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and str(a) == str(b)


@given(VALUES)
@settings(max_examples=200, deadline=None)
def test_encoded_values_decode_to_themselves(value):
    assert same(decode(*encode(value)), value)


SMALLEST = [
    (None, "00"),
    (True, "04"),
    (False, "08"),
    (127, "0c 7f"),
    (-128, "0c 80"),
    (128, "10 80 00"),
    (-32768, "10 00 80"),
    (32768, "14 00 80 00 00"),
    (2**31, "18 00 00 00 80 00 00 00 00"),
    (2**63, "28 00 00 00 00 00 00 00 00 80 00 00 00 00 00 00 00 00"),
    (decimal.Decimal("1.50"), "20 02 96 00 00 00"),
    (decimal.Decimal("1E+3"), "20 00 e8 03 00 00"),
    (decimal.Decimal("9999999999"), "24 00 ff e3 0b 54 02 00 00 00"),
    (0.5, "1c 00 00 00 00 00 00 e0 3f"),
    (np.float32(0.5), "38 00 00 00 3f"),
    ("a" * 63, "fd" + "61" * 63),
    ("a" * 64, "40 40 00 00 00" + "61" * 64),
    (b"\x01", "3c 01 00 00 00 01"),
    (datetime.date(1970, 1, 2), "2c 01 00 00 00"),
    (np.datetime64(1, "ns"), "4c 01 00 00 00 00 00 00 00"),
    ([], "03 00 00"),
    ({}, "02 00 00"),
    ([None] * 3, "03 03 00 01 02 03 00 00 00"),
    ((1, 2), "03 02 00 02 04 0c 01 0c 02"),
]


@pytest.mark.parametrize("value, encoded", SMALLEST)
def test_the_smallest_form(value, encoded):
    assert encode(value)[1] == bytes.fromhex(encoded)


def test_fields_go_by_the_order_of_their_names():
    found, value = encode({"b": 2, "a": 1})
    assert found == bytes.fromhex("11 02 00 01 02 61 62")
    assert value == bytes.fromhex("02 02 00 01 00 02 04 0c 01 0c 02")


def test_a_given_metadata_is_used_and_must_have_the_names():
    given_names = metadata.encode(["b", "a"], sort=False)
    found, value = encode({"b": 2, "a": 1}, given_names)
    assert found == given_names
    assert value == bytes.fromhex("02 02 01 00 00 02 04 0c 01 0c 02")
    with pytest.raises(UsageError, match="no name 'c'"):
        encode({"c": 1}, given_names)


@pytest.mark.parametrize(
    "values, header",
    [
        ([b"\x00"] * 255, 3),
        ([b"\x00"] * 256, 3 | 1 << 2 | 1 << 4),  # 2-byte offsets, is_large
        ([b"\x00" * 255], 3),
        ([b"\x00" * 256], 3 | 1 << 2),
        ([b"\x00" * 65536], 3 | 2 << 2),
        ([b"\x00" * 16777216], 3 | 3 << 2),
    ],
)
def test_widths_of_arrays(values, header):
    assert encode_container(values)[0] == header


@pytest.mark.parametrize("names, id_size", [(256, 1), (257, 2), (65537, 3)])
def test_widths_of_field_ids(names, id_size):
    known = metadata.encode([f"{i:06d}" for i in range(names)])
    _, value = encode({f"{names - 1:06d}": None}, known)
    assert value[0] == 2 | id_size - 1 << 4
    assert decode(known, value) == {f"{names - 1:06d}": None}


EXPLICIT = [
    (Typed("int64", 5), "18 05 00 00 00 00 00 00 00"),
    (Typed(variant_types.INT16, 5), "10 05 00"),
    (Typed("string", "a"), "40 01 00 00 00 61"),
    (Typed("float", 0.5), "38 00 00 00 3f"),
    (Typed("decimal16", decimal.Decimal("0.1")), "28 01 01" + "00" * 15),
    (Typed("boolean", True), "04"),
    (Typed("null", None), "00"),
    (Typed("timestamptz(9)", 1), "48 01 00 00 00 00 00 00 00"),
    (Typed("timestampntz(9)", datetime.datetime(1970, 1, 1, 0, 0, 1)), "4c 00 ca 9a 3b 00 00 00 00"),
    (Typed("uuid", "f24f9b64-81fa-49d1-b74e-8c09a6e31c56"), "50 f24f9b6481fa49d1b74e8c09a6e31c56"),
    (Temporal(variant_types.DATE, 2**31 - 1), "2c ff ff ff 7f"),
    (Unsupported(40, b"\x01"), "a0 01"),
]


@pytest.mark.parametrize("value, encoded", EXPLICIT)
def test_an_explicit_type(value, encoded):
    assert encode(value)[1] == bytes.fromhex(encoded)


REFUSED = [
    (object(), "cannot hold"),
    ({1: 2}, "are text"),
    (10**38, "38|digits"),
    (decimal.Decimal("NaN"), "finite"),
    (decimal.Decimal("1E+99"), "digits"),
    (decimal.Decimal("1E-39"), "scale 39"),
    ("\ud800", "Unicode"),
    ({"\ud800": 1}, "Unicode"),
    (Typed("int8", 200), "does not fit a Variant int8"),
    (Typed("int99", 1), "no Variant type"),
    (Typed("uuid", "x"), "does not fit a Variant uuid"),
    (Typed("decimal4", decimal.Decimal(10**9)), "does not fit a Variant decimal4"),
]


@pytest.mark.parametrize("value, message", REFUSED)
def test_values_that_a_variant_cannot_hold_raise(value, message):
    with pytest.raises(UsageError, match=message):
        encode(value)


def test_depth_is_no_matter_for_the_stack_and_is_limited():
    value = []
    for _ in range(499):
        value = [value]
    assert decode(*encode(value)) == value
    with pytest.raises(LimitExceededError):
        encode([[value]])


@pytest.mark.parametrize("share", [True, False])
def test_columns(share):
    rows = [{"a": 1}, None, {"b": [True]}, Typed("null", None), "x"]
    column = encode_array(rows, share_metadata=share)
    assert decode_array(column) == [{"a": 1}, None, {"b": [True]}, None, "x"]
    assert column.is_valid().to_pylist() == [True, False, True, True, True]
    assert len(set(column.field("metadata").to_pylist())) == (1 if share else 3)


def test_uuid_is_big_endian():
    value = uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")
    assert encode(value)[1] == bytes.fromhex("50 00112233445566778899aabbccddeeff")
