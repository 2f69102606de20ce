"""Bounds of many chunks at once say what the engine says of each alone."""

import struct

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqexplore.engine.format.ordering import Order, order_key
from pqexplore.engine.format.schema import build
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, Type
from pqexplore.lake.footer_rows.bound_keys import DAMAGED, KEY_BYTES, NAN, OK, KeyKind, clipped, convert


def leaf(physical: int, **element):
    root = structs.SchemaElement(name="r", num_children=1)
    field = structs.SchemaElement(name="c", type=physical, repetition_type=1, **element)
    orders = [structs.ColumnOrder(TYPE_ORDER=structs.TypeDefinedOrder())]
    return build([root, field], column_orders=orders).leaves[0]


UTC_MICROS = structs.LogicalType(
    TIMESTAMP=structs.TimestampType(isAdjustedToUTC=True, unit=structs.TimeUnit(MICROS=structs.MicroSeconds()))
)
LEAVES = {
    "boolean": (leaf(Type.BOOLEAN), Order.BOOLEAN, st.sampled_from([b"\0", b"\1"])),
    "int32": (leaf(Type.INT32), Order.SIGNED, st.binary(min_size=4, max_size=4)),
    "int64": (leaf(Type.INT64), Order.SIGNED, st.binary(min_size=8, max_size=8)),
    "uint32": (leaf(Type.INT32, converted_type=ConvertedType.UINT_32), Order.UNSIGNED,
        st.binary(min_size=4, max_size=4)),
    "uint8": (leaf(Type.INT32, converted_type=ConvertedType.UINT_8), Order.UNSIGNED, st.binary(min_size=4, max_size=4)),
    "float": (leaf(Type.FLOAT), Order.FLOAT, st.binary(min_size=4, max_size=4)),
    "double": (leaf(Type.DOUBLE), Order.FLOAT, st.binary(min_size=8, max_size=8)),
    "double total": (leaf(Type.DOUBLE), Order.TOTAL, st.binary(min_size=8, max_size=8)),
    "timestamp": (leaf(Type.INT64, logicalType=UTC_MICROS), Order.SIGNED, st.binary(min_size=8, max_size=8)),
    "date": (leaf(Type.INT32, converted_type=ConvertedType.DATE), Order.SIGNED, st.binary(min_size=4, max_size=4)),
    "decimal": (leaf(Type.INT64, converted_type=ConvertedType.DECIMAL, precision=18, scale=2), Order.DECIMAL,
        st.binary(min_size=8, max_size=8)),
    "decimal of bytes": (leaf(Type.BYTE_ARRAY, converted_type=ConvertedType.DECIMAL, precision=30, scale=2),
        Order.DECIMAL, st.binary(min_size=1, max_size=12)),
    "text": (leaf(Type.BYTE_ARRAY, converted_type=ConvertedType.UTF8), Order.BYTES, st.binary(max_size=12)),
    "fixed": (leaf(Type.FIXED_LEN_BYTE_ARRAY, type_length=5), Order.BYTES, st.binary(max_size=5)),
    "int96": (leaf(Type.INT96), Order.INT96, st.binary(min_size=12, max_size=12)),
}  # fmt: skip


@pytest.mark.parametrize("name", LEAVES)
@given(data=st.data())
def test_keys_are_those_of_the_engine(name, data):
    column, order, bounds = LEAVES[name]
    raws = data.draw(st.lists(bounds, min_size=1, max_size=8))
    keys, texts, states = convert([KeyKind.of(column, order)] * len(raws), raws, upper=False)
    assert keys.to_pylist() == [order_key(column, raw, order) for raw in raws]
    assert [state == NAN for state in states] == [key is None for key in keys.to_pylist()]
    assert keys.type == pa.binary() and texts.type == pa.string()
    assert None not in texts.to_pylist()


def test_kinds_may_be_mixed_and_bounds_absent():
    number, text = (KeyKind.of(LEAVES["int32"][0], Order.SIGNED), KeyKind.of(LEAVES["text"][0], Order.BYTES))
    one, minus = struct.pack("<i", 1), struct.pack("<i", -1)
    keys, texts, states = convert(
        [text, number, None, number, text, number], [b"b", one, b"x", minus, None, b"short"], upper=True
    )
    assert keys.to_pylist() == [b"b", b"\x80\0\0\1", None, b"\x7f\xff\xff\xff", None, None]
    assert texts.to_pylist() == ["b", "1", None, "-1", None, "0x73686f7274"]
    assert states.tolist() == [OK, OK, OK, OK, OK, DAMAGED]


@pytest.mark.parametrize("name, raw, text", [
    ("timestamp", struct.pack("<q", 0), "1970-01-01 00:00:00.000000Z"),
    ("timestamp", struct.pack("<q", 2**62), None),
    ("date", struct.pack("<i", 19_000), "2022-01-08"),
    ("double", struct.pack("<d", 1.5), "1.5"),
    ("decimal", struct.pack("<q", -12345), "-123.45"),
    ("text", "é".encode() * 70, "é" * 63 + "…"),
    ("text", b"\xff", "\ufffd"),
    ("uint32", b"\xff\xff\xff\xff", "4294967295"),
])  # fmt: skip
def test_texts(name, raw, text):
    column, order, _ = LEAVES[name]
    [found] = convert([KeyKind.of(column, order)], [raw], upper=False)[1].to_pylist()
    assert found == text if text is not None else found


@given(st.binary(min_size=KEY_BYTES - 3, max_size=KEY_BYTES + 3), st.binary(max_size=4))
def test_a_clipped_key_bounds_what_the_whole_one_did(key, more):
    low, high = clipped(key, upper=False), clipped(key, upper=True)
    assert low <= key and len(low) <= KEY_BYTES
    assert high is None or (high >= key and len(high) <= KEY_BYTES)
    assert clipped(b"\xff" * (KEY_BYTES + 1), upper=True) is None
