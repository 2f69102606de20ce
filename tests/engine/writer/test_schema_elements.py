"""How Arrow's types become schema elements, and that they are read back: storage, annotations, legacy shapes."""

import datetime
import uuid
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from made import ours

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.logical import describe
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, Type
from pqexplore.engine.writer.options import WriteOptions


def opened(table, **options):
    return pqexplore.open(ours(table, WriteOptions(**options)))


def tree(file):
    """The schema as lines: repetition, type, name and annotations, indented by depth."""
    lines = []
    for field in file.schema.fields[1:]:
        element = field.element
        logical = structs.union_field(element.logicalType)
        words = [
            "  " * (field.depth - 1) + ("required", "optional", "repeated")[field.repetition],
            "group" if element.type is None else Type(element.type).name,
            element.name,
            logical[0] if logical else "-",
            "-" if element.converted_type is None else ConvertedType(element.converted_type).name,
        ]
        lines.append(" ".join(words))
    return lines


MOMENT = datetime.datetime(2026, 8, 1, 12, 30)


@pytest.mark.parametrize(
    ("value", "kind", "physical", "logical", "converted"),
    [
        (True, pa.bool_(), "BOOLEAN", "BOOLEAN", None),
        (1, pa.int8(), "INT32", "INT(8, signed)", "INT_8"),
        (1, pa.uint16(), "INT32", "INT(16, unsigned)", "UINT_16"),
        (1, pa.uint32(), "INT32", "INT(32, unsigned)", "UINT_32"),
        (1, pa.int32(), "INT32", "INT32", None),
        (1, pa.uint64(), "INT64", "INT(64, unsigned)", "UINT_64"),
        (np.float16(1), pa.float16(), "FIXED_LEN_BYTE_ARRAY", "FLOAT16", None),
        (1.0, pa.float32(), "FLOAT", "FLOAT", None),
        ("a", pa.string(), "BYTE_ARRAY", "STRING", "UTF8"),
        ("a", pa.large_string(), "BYTE_ARRAY", "STRING", "UTF8"),
        (b"a", pa.large_binary(), "BYTE_ARRAY", "BYTE_ARRAY", None),
        (b"ab", pa.binary(2), "FIXED_LEN_BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY(2)", None),
        ("a", pa.dictionary(pa.int8(), pa.string()), "BYTE_ARRAY", "STRING", "UTF8"),
        (MOMENT.date(), pa.date32(), "INT32", "DATE", "DATE"),
        (MOMENT.date(), pa.date64(), "INT32", "DATE", "DATE"),
        (MOMENT.time(), pa.time32("s"), "INT32", "TIME(ms, UTC)", "TIME_MILLIS"),
        (MOMENT.time(), pa.time64("us"), "INT64", "TIME(µs, UTC)", "TIME_MICROS"),
        (MOMENT.time(), pa.time64("ns"), "INT64", "TIME(ns, UTC)", None),
        (MOMENT, pa.timestamp("s"), "INT64", "TIMESTAMP(ms, local)", "TIMESTAMP_MILLIS"),
        (MOMENT, pa.timestamp("us", "UTC"), "INT64", "TIMESTAMP(µs, UTC)", "TIMESTAMP_MICROS"),
        (MOMENT, pa.timestamp("ns", "Europe/Berlin"), "INT64", "TIMESTAMP(ns, UTC)", None),
        (Decimal("1.5"), pa.decimal128(9, 1), "INT32", "DECIMAL(9, 1)", "DECIMAL"),
        (Decimal("1.5"), pa.decimal128(18, 1), "INT64", "DECIMAL(18, 1)", "DECIMAL"),
        (Decimal("1.5"), pa.decimal128(38, 1), "FIXED_LEN_BYTE_ARRAY", "DECIMAL(38, 1)", "DECIMAL"),
        (Decimal("1.5"), pa.decimal256(76, 1), "FIXED_LEN_BYTE_ARRAY", "DECIMAL(76, 1)", "DECIMAL"),
        ((1, 2, 3_000_000), pa.month_day_nano_interval(), "FIXED_LEN_BYTE_ARRAY", "INTERVAL", "INTERVAL"),
        (None, pa.null(), "INT32", "UNKNOWN", None),
        (datetime.timedelta(1), pa.duration("us"), "INT64", "INT64", None),
    ],
)  # fmt: skip
def test_the_storage_and_the_annotations_of_a_type(value, kind, physical, logical, converted):
    column = pa.array([value], kind) if not pa.types.is_dictionary(kind) else pa.array([value]).dictionary_encode()
    file = opened(pa.table({"a": column}))
    leaf = file.schema.leaves[0]
    assert Type(leaf.physical_type).name == physical
    assert describe(leaf) == logical
    stated = leaf.element.converted_type
    assert (None if stated is None else ConvertedType(stated).name) == converted
    read = file.read()["a"].to_pylist()
    assert len(read) == 1
    if physical == "FIXED_LEN_BYTE_ARRAY" and logical == "INTERVAL":
        assert read == [b"\1\0\0\0\2\0\0\0\3\0\0\0"]
    elif kind == pa.duration("us"):
        assert read == [86_400_000_000]
    elif not pa.types.is_timestamp(kind):
        assert read == column.to_pylist()
    else:
        assert pa.array(read, kind).equals(column)


DIGITS = [Decimal("-99.99"), Decimal("0.01"), None, Decimal("0.00")]


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (pa.decimal128(4, 2), {"physical_type": "INT64"}),
        (pa.decimal128(4, 2), {"physical_type": "BYTE_ARRAY"}),
        (pa.decimal128(4, 2), {"physical_type": "FIXED_LEN_BYTE_ARRAY"}),
        (pa.decimal128(4, 2), {"physical_type": "FIXED_LEN_BYTE_ARRAY", "type_length": 9}),
        (pa.decimal256(40, 2), {"physical_type": "BYTE_ARRAY"}),
        (pa.decimal256(40, 2), {"physical_type": "FIXED_LEN_BYTE_ARRAY", "type_length": 40}),
    ],
)
def test_a_decimal_is_the_same_number_however_it_is_stored(kind, options):
    table = pa.table({"a": pa.array(DIGITS, kind)})
    assert opened(table, columns={"a": options}).read().equals(table)


@pytest.mark.parametrize(
    ("values", "kind", "name"),
    [
        (["A", "B"], pa.string(), "ENUM"),
        (["{}", "[1]"], pa.string(), "JSON"),
        ([b"\5\0\0\0\0"], pa.binary(), "BSON"),
        ([uuid.UUID(int=5).bytes], pa.binary(16), "UUID"),
        ([b"text"], pa.binary(), "STRING"),
        ([bytes(12)], pa.binary(12), "INTERVAL"),
        (["plain"], pa.string(), "NONE"),
    ],
)
def test_chosen_logical_type_is_written(values, kind, name):
    file = opened(pa.table({"a": pa.array(values, kind)}), columns={"a": {"logical_type": name}})
    expected = {"NONE": "BYTE_ARRAY"}.get(name, name)
    assert describe(file.schema.leaves[0]) == expected


def test_annotations_option_leaves_out_one_annotation():
    table = pa.table({"a": ["x"], "b": [[1]]})
    assert tree(opened(table, annotations="logical")) == [
        "optional BYTE_ARRAY a STRING -",
        "optional group b LIST -",
        "  repeated group list - -",
        "    optional INT64 element - -",
    ]
    assert tree(opened(table, annotations="converted"))[:2] == [
        "optional BYTE_ARRAY a - UTF8",
        "optional group b - LIST",
    ]
    local = pa.table({"a": pa.array([MOMENT], pa.timestamp("us"))})
    with pytest.raises(UsageError, match="cannot be stored"):
        opened(local, annotations="converted")


WHOLE = pa.field("element", pa.int32(), nullable=False)
SHAPES = {
    "three-level": ["optional group a LIST LIST", "  repeated group list - -", "    required INT32 element - -"],
    "bag": ["optional group a LIST LIST", "  repeated group bag - -", "    required INT32 array_element - -"],
    "two-level": ["optional group a LIST LIST", "  repeated INT32 array - -"],
    "tuple": ["optional group a LIST LIST", "  repeated INT32 a_tuple - -"],
    "repeated": ["repeated INT32 a - -"],
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_the_shapes_of_lists(shape):
    values = [[1, 2], [], [3]]
    file = opened(pa.table({"a": pa.array(values, pa.list_(WHOLE))}), list_shape=shape)
    assert tree(file) == SHAPES[shape]
    assert file.read()["a"].to_pylist() == values


@pytest.mark.parametrize("shape", ["three-level", "bag", "two-level", "tuple"])
@pytest.mark.parametrize(
    "element",
    [
        pa.struct([pa.field("x", pa.int32())]),
        pa.struct([pa.field("x", pa.int32()), pa.field("y", pa.string())]),
        pa.list_(WHOLE),
    ],
)
def test_legacy_list_elements_are_read_back(shape, element):
    one = [[1], []] if pa.types.is_list(element) else [{f.name: None for f in element}]
    values = [one, [], one * 2]
    kind = pa.list_(pa.field("element", element, nullable=False))
    file = opened(pa.table({"a": pa.array(values, kind)}), list_shape=shape)
    assert file.read()["a"].to_pylist() == values


def test_the_shapes_of_maps():
    table = pa.table({"a": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int32()))})
    assert tree(opened(table)) == [
        "optional group a MAP MAP",
        "  repeated group key_value - -",
        "    required BYTE_ARRAY key STRING UTF8",
        "    optional INT32 value - -",
    ]
    old = opened(table, map_shape="MAP_KEY_VALUE")
    assert tree(old)[:2] == ["optional group a - MAP_KEY_VALUE", "  repeated group map - -"]
    assert old.read()["a"].to_pylist() == table["a"].to_pylist()


def test_field_id_comes_from_the_option_or_arrows_metadata():
    noted = pa.field("a", pa.int32(), metadata={"PARQUET:field_id": "5"})
    table = pa.table([pa.array([1], pa.int32())] * 2, schema=pa.schema([noted, noted.with_name("b")]))
    file = opened(table, columns={"b": {"field_id": 6}})
    assert [field.element.field_id for field in file.schema.fields] == [None, 5, 6]


def test_lists_of_every_kind_and_slices_of_tables():
    values = [[1, 2], None, [3, 4], [5, 6]]
    table = pa.table(
        {"large": pa.array(values, pa.large_list(pa.int64())), "fixed": pa.array(values, pa.list_(pa.int64(), 2))}
    )
    for part in (table, table.slice(1, 2), pa.concat_tables([table, table.slice(3)])):
        read = opened(part, row_group_rows=3).read()
        assert [column.to_pylist() for column in read.columns] == [c.to_pylist() for c in part.columns]


def test_record_batch_is_written_as_a_table():
    batch = pa.record_batch([pa.array([1, 2])], names=["a"])
    assert opened(batch).read().equals(pa.Table.from_batches([batch]))


def test_columns_with_one_name_are_written():
    table = pa.table([pa.array([1]), pa.array(["x"])], names=["a", "a"])
    read = opened(table).read()
    assert [column.to_pylist() for column in read.columns] == [[1], ["x"]]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_int96_from_every_unit(unit):
    values = pa.array([0, -1, 1, 86_400 * 365], pa.timestamp(unit))
    read = opened(pa.table({"a": values}), columns={"a": {"physical_type": "INT96"}}).read()["a"]
    assert read.type == pa.timestamp("ns")
    assert read.combine_chunks().equals(values.cast(pa.timestamp("ns")))
