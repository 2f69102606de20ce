import pyarrow as pa
import pytest

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format import schema
from pqexplore.engine.format.thrift.structs import (
    ListType,
    LogicalType,
    MapType,
    SchemaElement,
    StringType,
    UUIDType,
    VariantType,
)
from pqexplore.engine.format.variant.decode import decode_array
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.engine.format.variant.shape import is_variant_shape
from pqexplore.engine.format.variant.shred import shred
from pqexplore.engine.format.variant.variants_in_columns import unshred

ANNOTATIONS = {"VARIANT": VariantType, "LIST": ListType, "MAP": MapType, "STRING": StringType, "UUID": UUIDType}


def element(name, children=None, type_=None, repetition=1, logical=None, length=None):
    return SchemaElement(name=name, num_children=children, type=type_, type_length=length, repetition_type=repetition,
        logicalType=LogicalType(**{logical: ANNOTATIONS[logical]()}) if logical else None)  # fmt: skip


def variant(name="v", repetition=1, logical="VARIANT"):
    return [
        element(name, 3, repetition=repetition, logical=logical),
        element("metadata", type_=6, repetition=0),
        element("value", type_=6),
        element("typed_value", type_=2),
    ]


def column(elements):
    return schema.build([element("root", 1, repetition=None), *elements]).root.children[0]


SHREDDED = shred(encode_array([1, "x", None, {"a": 2}]), pa.int64())
VALUES = [1, "x", None, {"a": 2}]


def test_at_the_top():
    assert decode_array(unshred(SHREDDED, column(variant()))) == VALUES


def test_without_annotation_it_stays_a_struct():
    assert unshred(SHREDDED, column(variant(logical=None))) is SHREDDED


def test_in_a_struct():
    array = pa.StructArray.from_arrays(
        [pa.array([1, 2, 3, 4]), SHREDDED], ["n", "v"], mask=pa.array([False, False, False, True])
    )
    field = column([element("s", 2), element("n", type_=2), *variant()])
    found = unshred(array, field)
    assert found.is_valid().to_pylist() == [True, True, True, False]
    assert found.field("n").to_pylist() == [1, 2, 3, 4]
    assert decode_array(found.field("v"))[:3] == VALUES[:3]


@pytest.mark.parametrize("slice_", [slice(0, 3), slice(1, 3)])
def test_in_a_list(slice_):
    array = pa.ListArray.from_arrays(pa.array([0, 2, None, 4], pa.int32()), SHREDDED)
    field = column([element("l", 1, logical="LIST"), element("list", 1, repetition=2), *variant("element")])
    found = unshred(array[slice_], field)
    assert found.is_valid().to_pylist() == array[slice_].is_valid().to_pylist()
    assert decode_array(found.flatten()) == decode_array(unshred(array[slice_].flatten(), column(variant())))
    assert found.value_lengths().to_pylist() == array[slice_].value_lengths().to_pylist()


def test_in_a_map_and_a_list_in_it():
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 4], pa.int32()), SHREDDED)
    array = pa.MapArray.from_arrays(pa.array([0, 2], pa.int32()), pa.array(["a", "b"]), lists)
    field = column(
        [
            element("m", 1, logical="MAP"),
            element("key_value", 2, repetition=2),
            element("key", type_=6, repetition=0, logical="STRING"),
            element("value", 1, logical="LIST"),
            element("list", 1, repetition=2),
            *variant("element"),
        ]
    )
    found = unshred(array, field)
    assert found.keys.to_pylist() == ["a", "b"]
    assert decode_array(found.items.values) == VALUES


def test_repeated_without_a_list():
    array = pa.ListArray.from_arrays(pa.array([0, 3, 4], pa.int32()), SHREDDED)
    found = unshred(array, column(variant(repetition=2)))
    assert decode_array(found.values) == VALUES
    assert found.value_lengths().to_pylist() == [3, 1]


def test_a_group_read_without_its_metadata_stays():
    part = pa.StructArray.from_arrays([SHREDDED.field("value")], ["value"])
    assert unshred(part, column(variant())) is part


def test_fixed_length_bytes_are_a_uuid_only_if_the_schema_says_so():
    array = pa.array(
        [{"metadata": b"\x01\x00\x00", "value": None, "typed_value": bytes(16)}],
        pa.struct([("metadata", pa.binary()), ("value", pa.binary()), ("typed_value", pa.binary(16))]),
    )
    elements = variant()[:3]
    uuid = column([*elements, element("typed_value", type_=7, length=16, logical="UUID")])
    assert unshred(array, uuid).field("value")[0].as_py() == b"\x50" + bytes(16)
    with pytest.raises(CorruptFileError, match="none of the shredded value types"):
        unshred(array, column([*elements, element("typed_value", type_=7, length=16)]))


BINARY = pa.binary()
SHAPES = [
    (pa.struct([("metadata", BINARY), ("value", BINARY)]), True),
    (pa.struct([("value", BINARY), ("metadata", BINARY)]), True),
    (pa.struct([("metadata", BINARY), ("typed_value", pa.int8())]), True),
    (pa.struct([("metadata", BINARY), ("value", BINARY), ("typed_value", pa.int8())]), True),
    (pa.struct([("metadata", BINARY)]), False),
    (pa.struct([("metadata", BINARY), ("value", pa.string())]), False),
    (pa.struct([("metadata", pa.string()), ("value", BINARY)]), False),
    (pa.struct([("metadata", BINARY), ("value", BINARY), ("x", BINARY)]), False),
    (pa.struct([("value", BINARY), ("typed_value", BINARY)]), False),
    (pa.struct([("metadata", BINARY), ("value", BINARY), ("value", BINARY)]), False),
    (BINARY, False),
]


@pytest.mark.parametrize("type_, shape", SHAPES)
def test_shapes(type_, shape):
    assert is_variant_shape(type_) is shape
    assert is_variant_shape(pa.field("v", type_)) is shape


def test_shapes_of_the_schema():
    assert is_variant_shape(column(variant(logical=None)))
    assert is_variant_shape(column(variant()))
    assert not is_variant_shape(column([element("x", type_=6)]))
    texts = [element("v", 2), element("metadata", type_=6, logical="STRING"), element("value", type_=6)]
    assert not is_variant_shape(column(texts))
