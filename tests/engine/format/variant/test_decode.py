import datetime
import decimal
import uuid

import numpy as np
import pyarrow as pa
import pytest

from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UnsupportedFeatureError
from pqexplore.engine.format.variant import metadata, value_spans, variant_types
from pqexplore.engine.format.variant.decode import decode, decode_array, from_parts
from pqexplore.engine.format.variant.variant_types import Temporal, Unsupported
from pqexplore.engine.limits import Limits

EMPTY = bytes.fromhex("010000")
UTC = datetime.UTC

PRIMITIVES = [
    ("00", None),
    ("04", True),
    ("08", False),
    ("0c ff", -1),
    ("10 d2 04", 1234),
    ("14 39 30 00 00", 12345),
    ("18 ea 16 b0 4c 02 00 00 00", 9876543210),
    ("1c 9a 99 99 99 99 99 2c 40", 14.3),
    ("20 04 15 cd 5b 07", decimal.Decimal("12345.6789")),
    ("20 02 00 00 00 00", decimal.Decimal("0.00")),
    ("24 09 b1 fa 52 e0 4b 9b b6 01", decimal.Decimal("123456789.987654321")),
    ("28 26 " + "ff" * 15 + "7f", decimal.Decimal(2**127 - 1).scaleb(-38, decimal.Context(prec=40))),
    ("28 00 " + "ff" * 16, decimal.Decimal(-1)),
    ("2c 42 4e 00 00", datetime.date(2024, 11, 7)),
    ("2c ff ff ff 7f", Temporal(variant_types.DATE, 2**31 - 1)),
    ("30 c0 b2 f0 d8 51 26 06 00", datetime.datetime(2024, 11, 7, 12, 33, 54, 123456, tzinfo=UTC)),
    ("34 c0 b2 f0 d8 51 26 06 00", datetime.datetime(2024, 11, 7, 12, 33, 54, 123456)),
    ("30 " + "ff" * 7 + "7f", Temporal(variant_types.TIMESTAMP, 2**63 - 1)),
    ("38 8f c2 21 41", np.float32(10.11)),
    ("3c 04 00 00 00 0a 0b 0c 0d", b"\x0a\x0b\x0c\x0d"),
    ("40 02 00 00 00 c3 a9", "é"),
    ("44 c0 f2 29 88 0a 00 00 00", datetime.time(12, 33, 54, 123456)),
    ("44 " + "ff" * 8, Temporal(variant_types.TIME, -1)),
    ("48 15 41 52 d4 94 e5 ad fa", Temporal(variant_types.TIMESTAMP_NANOS, -383397965876543211)),
    ("4c 15 41 52 d4 94 e5 ad fa", Temporal(variant_types.TIMESTAMP_NTZ_NANOS, -383397965876543211)),
    ("50 f2 4f 9b 64 81 fa 49 d1 b7 4e 8c 09 a6 e3 1c 56", uuid.UUID("f24f9b64-81fa-49d1-b74e-8c09a6e31c56")),
    ("01", ""),
    ("1d 69 63 65 62 65 72 67", "iceberg"),
]

CONTAINERS = [
    ("03 00 00", []),
    ("02 00 00", {}),
    ("03 02 00 02 03 0c 01 00", [1, None]),
    ("13 02 00 00 00 00 02 03 0c 01 00", [1, None]),  # is_large
    ("07 01 00 00 02 00 0c 01", [1]),  # 2-byte offsets
    ("0b 01 00 00 00 02 00 00 0c 01", [1]),  # 3-byte offsets
    ("0f 01 00 00 00 00 02 00 00 00 0c 01", [1]),  # 4-byte offsets
    ("03 02 01 00 03 00 0c 01", [1, None]),  # elements in another order than their offsets
    ("02 02 00 01 00 02 04 0c 01 0c 02", {"a": 1, "b": 2}),
    # The specification's example: values c, b, a lie in this order, ids and offsets go a, b, c.
    ("02 03 00 01 02 04 02 00 06 0c 03 0c 02 0c 01", {"a": 1, "b": 2, "c": 3}),
    ("42 01 00 00 00 00 00 01 04", {"a": True}),  # is_large
    ("12 01 01 00 00 01 04", {"b": True}),  # 2-byte ids
    ("22 01 00 00 00 00 01 04", {"a": True}),  # 3-byte ids
    ("32 01 00 00 00 00 00 01 04", {"a": True}),  # 4-byte ids
    ("02 01 00 00 06 02 01 01 00 01 00", {"a": {"b": None}}),
]
ABC = metadata.encode(["a", "b", "c"])


@pytest.mark.parametrize("encoded, value", PRIMITIVES)
def test_primitive(encoded, value):
    found = decode(EMPTY, bytes.fromhex(encoded))
    assert (type(found), found) == (type(value), value)
    assert str(found) == str(value)  # decimals: the scale, too


@pytest.mark.parametrize("encoded, value", CONTAINERS)
def test_container(encoded, value):
    assert decode(ABC, bytes.fromhex(encoded)) == value


def test_names_that_are_equal_under_two_ids_are_one_name():
    known = bytes.fromhex("01 03 00 01 02 03 61 62 61")
    assert decode(known, bytes.fromhex("02 02 02 01 00 01 02 04 08")) == {"a": True, "b": False}
    with pytest.raises(CorruptFileError, match="occurs twice"):
        decode(known, bytes.fromhex("02 02 00 02 00 01 02 04 08"))


BROKEN = [
    ("", 0, "empty"),
    ("0c", 0, "needs 2 bytes, 1 are left"),
    ("0c 01 00", 2, "1 bytes follow"),
    ("1d 69 63", 0, "needs 8 bytes"),
    ("40 ff ff ff ff 61", 0, "needs 4,294,967,300 bytes"),
    ("40 01", 0, "4-byte length"),
    ("05 ff", 1, "not UTF-8"),
    ("40 01 00 00 00 ff", 5, "not UTF-8"),
    ("20 27 00 00 00 00", 1, "scale 39"),
    ("02", 0, "number of elements"),
    ("03 05 00", 1, "needs 8 bytes"),
    ("13 ff ff ff ff 00", 1, "needs 4,294,967,301 bytes"),
    ("03 00 01 00", 2, "has no values"),
    ("03 01 00 09 00", 3, "beyond"),
    ("03 01 01 01 00", 2, "values end at 1"),
    ("03 02 00 00 02 00 00", 3, "another value starts there"),
    ("03 02 01 02 03 00 00 00", 2, "no value starts at 0"),
    ("03 01 00 01 00 00", 5, "1 bytes follow"),
    ("03 02 00 01 03 00 00 00", 7, "1 bytes follow"),  # the second value leaves a byte over
    ("03 02 00 01 02 0c 01", 5, "needs 2 bytes, 1 are left"),  # the first reaches into the second
    ("02 01 07 00 01 00", 2, "id 7, the metadata has 3 names"),
    ("02 02 01 00 00 01 02 00 00", 3, "comes after 'b'"),
    ("02 02 01 01 00 01 02 00 00", 3, "occurs twice"),
]


@pytest.mark.parametrize("encoded, offset, message", BROKEN)
def test_damaged_values_raise_with_reason_and_offset(encoded, offset, message):
    with pytest.raises(CorruptFileError, match=message) as caught:
        decode(ABC, bytes.fromhex(encoded))
    assert caught.value.offset == offset


def test_other_values_are_readable_beside_an_unknown_primitive():
    unknown = bytes([21 << 2, 1, 2])
    with pytest.raises(UnsupportedFeatureError, match="primitive type 21"):
        decode(EMPTY, unknown)
    three = bytes.fromhex("03 03 00 02 05 06 0c 01") + unknown + b"\x04"
    assert decode(EMPTY, three) == [1, Unsupported(21, b"\x01\x02"), True]


def test_unsorted_metadata_with_the_sorted_flag_raises():
    with pytest.raises(CorruptFileError, match="sorted_strings"):
        decode(bytes.fromhex("11 02 00 01 02 62 61"), b"\x00")


def nested(depth):
    value = b"\x00"
    for _ in range(depth):
        size = (len(value).bit_length() + 7) // 8
        head = bytes([3 | (size - 1) << 2, 1]) + bytes(size) + len(value).to_bytes(size, "little")
        value = head + value
    return value


@pytest.mark.parametrize("depth", [1, 31, 32, 33, 40, 499, 500])
def test_depth_within_the_limit(depth):
    found = decode(EMPTY, nested(depth))
    for _ in range(depth):
        [found] = found
    assert found is None


@pytest.mark.parametrize("allowed", [0, 5, 500])
def test_depth_beyond_the_limit(allowed):
    limits = Limits(variant_depth=allowed)
    decode(EMPTY, nested(allowed), limits=limits)
    with pytest.raises(LimitExceededError, match="variant_depth"):
        decode(EMPTY, nested(allowed + 1), limits=limits)


def test_offsets_that_share_bytes_do_not_multiply_the_work():
    value = b"\x00"
    for _ in range(28):  # every level would read the level below it twice: 2^28 values
        body = value
        size = (len(body).bit_length() + 7) // 8
        numbers = bytes(size) * 2 + len(body).to_bytes(size, "little")
        value = bytes([3 | (size - 1) << 2, 2]) + numbers + body
    with pytest.raises(CorruptFileError):
        decode(EMPTY, value)


@pytest.mark.parametrize("case", PRIMITIVES + CONTAINERS)
def test_both_readers_agree(case):
    encoded = bytes.fromhex(case[0])
    assert repr(from_parts(value_spans.read_value(ABC, encoded))) == repr(decode(ABC, encoded))


def test_a_column():
    column = pa.array(
        [{"metadata": ABC, "value": b"\x0c\x01"}, None, {"metadata": EMPTY, "value": b"\x00"}],
        pa.struct([("metadata", pa.binary()), ("value", pa.binary())]),
    )
    assert decode_array(column) == [1, None, None]
    with pytest.raises(CorruptFileError, match="row 1: "):
        decode_array(pa.array([{"metadata": ABC, "value": b"\x00"}, {"metadata": ABC, "value": b"\x0c"}], column.type))


@pytest.mark.parametrize(
    "value, text",
    [
        (Temporal(variant_types.DATE, 0), "1970-01-01"),
        (Temporal(variant_types.DATE, -719_529), "-0001-12-31"),
        (Temporal(variant_types.DATE, -719_528), "0000-01-01"),
        (Temporal(variant_types.DATE, 2_932_897), "+10000-01-01"),
        (Temporal(variant_types.TIMESTAMP_NANOS, 1730982834123456789), "2024-11-07 12:33:54.123456789+00:00"),
        (Temporal(variant_types.TIMESTAMP_NTZ_NANOS, -1), "1969-12-31 23:59:59.999999999"),
        (Temporal(variant_types.TIME, 45234123456), "12:33:54.123456"),
    ],
)
def test_dates_and_times_that_python_cannot_hold(value, text):
    assert str(value) == text
