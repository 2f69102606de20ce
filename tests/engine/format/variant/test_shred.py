import datetime
import decimal

import pyarrow as pa
import pytest
from engine.format.variant.strategies import VALUES
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.variant import variant_types
from pqexplore.engine.format.variant.check import check
from pqexplore.engine.format.variant.decode import decode_array
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.engine.format.variant.proposal import propose_schema
from pqexplore.engine.format.variant.reconstruct import reconstruct
from pqexplore.engine.format.variant.shred import shred, shredded_type
from pqexplore.engine.format.variant.variant_types import Typed

EVENT = pa.struct([("event_type", pa.string()), ("event_ts", pa.int64()), ("tags", pa.list_(pa.string()))])


def test_values_that_fit_go_to_typed_value_others_to_value():
    rows = [
        {"event_type": "noop", "event_ts": 1},
        {"event_type": None, "event_ts": "2024", "email": "x"},
        {"tags": ["a", 1]},
        "text",
        {},
        Typed("null", None),
        None,
    ]
    column = shred(encode_array(rows), EVENT)
    assert column.type == shredded_type(EVENT)
    assert check(column) == []
    cells = column.to_pylist()
    missing = {"value": None, "typed_value": None}
    assert cells[0]["value"] is None
    assert cells[0]["typed_value"] == {
        "event_type": {"value": None, "typed_value": "noop"},
        "event_ts": {"value": None, "typed_value": 1},
        "tags": missing,
    }
    assert cells[1]["typed_value"]["event_type"] == {"value": b"\x00", "typed_value": None}
    assert cells[1]["typed_value"]["event_ts"] == {"value": b"\x112024", "typed_value": None}
    assert cells[1]["value"][0] & 3 == 2
    assert cells[2]["typed_value"]["tags"]["typed_value"] == [
        {"value": None, "typed_value": "a"},
        {"value": b"\x0c\x01", "typed_value": None},
    ]
    assert (cells[3]["value"], cells[3]["typed_value"]) == (b"\x11text", None)
    assert cells[4]["value"] is None and cells[4]["typed_value"]["tags"] == missing
    assert (cells[5]["value"], cells[5]["typed_value"]) == (b"\x00", None)
    assert cells[6] is None
    assert decode_array(reconstruct(column)) == [*rows[:5], None, None]


FITS = [
    (pa.int16(), 300, True),
    (pa.int8(), 300, False),
    (pa.int64(), decimal.Decimal("1.0"), False),
    (pa.float64(), 1, False),
    (pa.decimal128(4, 2), decimal.Decimal("12.34"), True),
    (pa.decimal128(4, 2), decimal.Decimal("123.45"), False),
    (pa.decimal128(4, 2), decimal.Decimal("1.5"), False),  # another scale
    (pa.string(), "a" * 100, True),
    (pa.binary(), "a", False),
    (pa.bool_(), False, True),
    (pa.date32(), datetime.date(1, 1, 1), True),
    (pa.timestamp("us", "UTC"), datetime.datetime(2024, 1, 1), False),
    (pa.timestamp("us"), datetime.datetime(2024, 1, 1), True),
]


@pytest.mark.parametrize("kind, value, fits", FITS)
def test_values_fit_their_own_type_only(kind, value, fits):
    column = shred(encode_array([value]), kind)
    assert column.field("typed_value").null_count == (0 if fits else 1)
    assert decode_array(reconstruct(column)) == [value]


SCHEMAS = st.recursive(
    st.sampled_from([pa.null(), pa.int64(), pa.string(), pa.float64(), pa.bool_()]),
    lambda inner: (
        inner.map(pa.list_)
        | st.dictionaries(st.sampled_from("abcde"), inner, max_size=3).map(
            lambda fields: pa.struct(list(fields.items()))
        )
    ),
    max_leaves=5,
)


@given(st.lists(VALUES, max_size=4), SCHEMAS)
@settings(max_examples=150, deadline=None)
def test_shredded_values_reconstruct_to_themselves(rows, schema):
    column = encode_array(rows)
    shredded = shred(column, schema)
    assert check(shredded) == []
    assert str(decode_array(reconstruct(shredded))) == str(decode_array(column))


@given(st.lists(VALUES, max_size=4))
@settings(max_examples=60, deadline=None)
def test_a_proposed_schema_can_be_used(rows):
    column = encode_array(rows)
    shredded = shred(column, propose_schema(column))
    assert str(decode_array(reconstruct(shredded))) == str(decode_array(column))


PROPOSED = [
    ([], pa.null()),
    ([1, 2, "x"], pa.int64()),
    ([1, "x", 2.5], pa.null()),
    ([None, True], pa.bool_()),
    ([decimal.Decimal("1.25"), decimal.Decimal("1234567890.00")], pa.decimal128(18, 2)),
    ([{"a": 1, "b": {"c": "x"}, "t": ["p"]}, {"a": 2}, {"a": "?"}],
        pa.struct([("a", pa.int64()), ("b", pa.struct([("c", pa.string())])), ("t", pa.list_(pa.string()))])),
    ([{"a": i, **({"rare": 1} if i == 0 else {})} for i in range(20)], pa.struct([("a", pa.int64())])),
    ([{}], pa.null()),
]  # fmt: skip


@pytest.mark.parametrize("rows, schema", PROPOSED)
def test_proposals(rows, schema):
    assert propose_schema(encode_array(rows)) == schema


@pytest.mark.parametrize("schema", [pa.uint8(), pa.map_(pa.string(), pa.int8()), pa.time32("s")])
def test_types_that_nothing_is_shredded_as(schema):
    with pytest.raises(UsageError, match="cannot be shredded"):
        shred(encode_array([1]), schema)


def test_a_decimal_of_39_digits_is_proposed_as_38_and_stays_in_value():
    """The proposal ended with StopIteration on values that a decimal16 holds and a decimal column does not."""
    cell = bytes([variant_types.DECIMAL16 << 2, 0]) + b"\xff" * 15 + b"\x7f"
    row = {"metadata": variant_types.EMPTY_METADATA, "value": cell}
    column = pa.array([row], pa.struct([("metadata", pa.binary()), ("value", pa.binary())]))
    schema = propose_schema(column)
    assert schema == pa.decimal128(38, 0)
    shredded = shred(column, schema)
    assert shredded.field("typed_value").null_count == 1
    assert reconstruct(shredded).field("value").to_pylist() == [cell]
