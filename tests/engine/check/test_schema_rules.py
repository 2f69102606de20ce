"""Checks of the schema, of values against it, and of embedded schemas, with one fault each."""

import io
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine.check import forged, schemas
from engine.format.test_embedded import INT128
from needs import ONE_COLUMN_METADATA

from pqexplore.engine.format.thrift import encode, fast, structs
from pqexplore.engine.format.thrift.structs import ConvertedType, LogicalType, Type
from pqexplore.engine.writer import assembly
from pqexplore.engine.writer.assembly import element


def annotated(type=Type.INT32, /, repetition=0, **fields):
    return element("a", type, repetition, **fields)


def integer(bits, signed=True):
    return LogicalType(INTEGER=structs.IntType(bitWidth=bits, isSigned=signed))


def decimal(precision, scale=0):
    return LogicalType(DECIMAL=structs.DecimalType(precision=precision, scale=scale))


def of_leaf(leaf, values=(1,), length=None):
    page = forged.page(list(values), leaf.type, length)
    return forged.one_column([page], leaf.type, leaf=leaf)


def test_the_parameters_of_contradicting_types_are_named():
    both = annotated(logicalType=integer(8), converted_type=int(ConvertedType.UINT_8))
    (found,) = forged.findings(of_leaf(both))
    assert (
        "is INTEGER(bitWidth 8, isSigned true) by its logical type and INTEGER(bitWidth 8, isSigned false) by its "
        "converted type UINT_8; old readers" in found.message
    )


def test_arrow_refuses_values_without_bytes():
    wrong = schemas.column(Type.FIXED_LEN_BYTE_ARRAY, type_length=0)
    (found,) = forged.findings(wrong)
    assert "which Arrow refuses" in found.message
    with pytest.raises(OSError, match="FIXED_LEN_BYTE_ARRAY length: 0"):
        pq.ParquetFile(io.BytesIO(wrong))
    pq.ParquetFile(io.BytesIO(schemas.column(Type.FIXED_LEN_BYTE_ARRAY, type_length=1)))


def test_decimal_wider_than_arrows_is_a_note():
    leaf = element("a", Type.FIXED_LEN_BYTE_ARRAY, 0, type_length=40, logicalType=decimal(80))
    assert forged.rules(of_leaf(leaf, [bytes(40)], 40)) == [("decimal-as-binary", "note")]


def of_schema(*elements):
    """A file of one row; every leaf is a required or present INT32."""
    fields = [each for each in elements if each.type is not None]
    chunks = [
        assembly.chunk(each.name, Type.INT32, [forged.page([1])], metadata={"path_in_schema": path})
        for each, path in zip(fields, paths(elements), strict=True)
    ]
    return assembly.file(elements, [assembly.row_group(chunks, 1)], column_orders=[forged.TYPE_ORDER] * len(fields))


def paths(elements):
    """The path of each leaf, from the elements in order."""
    found, open_groups = [], []
    for each in elements:
        while open_groups and open_groups[-1][1] == 0:
            open_groups.pop()
        if open_groups:
            open_groups[-1][1] -= 1
        if each.num_children:
            open_groups.append([each.name, each.num_children])
        else:
            found.append([name for name, _ in open_groups][1:] + [each.name])
    return found


def leaf(name, **fields):
    return element(name, Type.INT32, 0, **fields)


def group(name, children, repetition=0, **fields):
    return element(name, None, repetition, num_children=children, **fields)


FILE = LogicalType(FILE=structs.FileType())
VARIANT = LogicalType(VARIANT=structs.VariantType())
LIST = LogicalType(LIST=structs.ListType())


def test_variant_without_metadata_is_an_error():
    schema = [forged.root(), group("v", 1, logicalType=VARIANT), leaf("value")]
    found = [one.message for one in forged.findings(of_schema(*schema))]
    assert "VARIANT `v`: the VARIANT has no field 'metadata'" in found
    assert "VARIANT `v`: field 'value' of $ is INT32; expected BYTE_ARRAY" in found


# Values against their annotation.

STRING = LogicalType(STRING=structs.StringType())
TIME = LogicalType(TIME=structs.TimeType(isAdjustedToUTC=True, unit=structs.TimeUnit(MILLIS=structs.MilliSeconds())))
VALUES = {
    "text": (annotated(Type.BYTE_ARRAY, logicalType=STRING), ["é".encode()], []),
    "bytes that are no text": (annotated(Type.BYTE_ARRAY, logicalType=STRING), [b"\xff"], [("not-utf8", "error")]),
    "an integer beyond its bits": (annotated(logicalType=integer(8)), [127, 128], [("value-out-of-range", "error")]),
    "a negative unsigned integer": (annotated(logicalType=integer(16, signed=False)), [-1],
        [("value-out-of-range", "error")]),
    "a time beyond the day": (annotated(logicalType=TIME), [86_399_999, 86_400_000],
        [("value-out-of-range", "warning")]),
    "values of a type without values": (annotated(logicalType=LogicalType(UNKNOWN=structs.NullType())), [1],
        [("unknown-with-values", "warning")]),
}  # fmt: skip


@pytest.mark.parametrize(("field", "values", "expected"), VALUES.values(), ids=VALUES)
def test_values_out_of_range_have_findings(field, values, expected):
    assert forged.rules(of_leaf(field, values)) == expected


# Geometries.


def point(x, y):
    return struct.pack("<BIdd", 1, 1, x, y)


GEOMETRY = annotated(Type.BYTE_ARRAY, logicalType=LogicalType(GEOMETRY=structs.GeometryType()))


def box(xmax, types=(1,)):
    return structs.GeospatialStatistics(
        bbox=structs.BoundingBox(xmin=0.0, xmax=xmax, ymin=0.0, ymax=9.0), geospatial_types=list(types)
    )


SHAPES = [
    ([point(1, 2)], box(1.0), []),
    ([point(1, 2)], box(0.5), [("geospatial-box-disagrees", "error")]),
    ([point(1, 2)], box(1.0, (3,)), [("geospatial-types-disagree", "error")]),
    ([b"\x01\x01"], None, [("geometry-damaged", "error")]),
]


@pytest.mark.parametrize(("values", "statistics", "expected"), SHAPES)
def test_geometries_and_their_statistics(values, statistics, expected):
    data = forged.one_column(
        [forged.page(values, Type.BYTE_ARRAY)],
        Type.BYTE_ARRAY,
        leaf=GEOMETRY,
        metadata={"geospatial_statistics": statistics},
    )
    assert forged.rules(data) == expected


# References to files.

FIELDS = {"uri": pa.string(), "offset": pa.int64(), "size": pa.int64(), "inline": pa.binary()}


def references(**values):
    """A file of one FILE column and one row, written by Arrow and annotated afterwards."""
    kind = pa.struct([pa.field(name, FIELDS.get(name, pa.string())) for name in values])
    sink = io.BytesIO()
    pq.write_table(pa.table({"f": pa.array([values], kind)}), sink, store_schema=False)
    return annotate(sink.getvalue(), lambda footer: setattr(footer.schema[1], "logicalType", FILE))


def annotate(data, change):
    """The file with its footer changed."""
    length = int.from_bytes(data[-8:-4], "little")
    footer, _ = fast.decode(structs.FileMetaData, data[-8 - length : -8])
    change(footer)
    stored = encode.encode(footer)
    return data[: -8 - length] + stored + len(stored).to_bytes(4, "little") + b"PAR1"


REFERENCES = [
    ({"uri": "x", "offset": None, "size": None}, []),
    ({"uri": "x", "offset": 1, "size": 2}, []),
    ({"uri": None, "offset": 4, "size": 2}, []),
    ({"inline": b"abc", "offset": 4}, []),
    ({"uri": "x", "offset": 1, "size": None}, ["file-reference"]),
    ({"uri": "", "offset": None, "size": 5}, ["file-reference"]),
    ({"uri": None, "offset": 4, "size": 1 << 40}, ["file-reference-outside"]),
    ({"uri": "x", "checksum": "MD5:" + "0" * 32}, []),
    ({"uri": "x", "checksum": "MD5:xyz"}, ["file-checksum"]),
    ({"uri": "x", "checksum": "ETAG:anything"}, []),
]


@ONE_COLUMN_METADATA
@pytest.mark.parametrize(("values", "expected"), REFERENCES)
def test_invalid_file_references_have_findings(values, expected):
    assert [rule for rule, _ in forged.rules(references(**values))] == expected


# What other programs say of the schema.


def described(key, value):
    pair = structs.KeyValue(key=key, value=value)
    return forged.one_column([forged.page([1])], file={"key_value_metadata": [pair]})


SPARK = "org.apache.spark.sql.parquet.row.metadata"
DESCRIPTIONS = [
    (SPARK, '{"type":"struct","fields":[{"name":"a","type":"integer"}]}', []),
    (SPARK, '{"type":"struct","fields":[{"name":"a","type":"string"}]}', [("spark-metadata-disagrees", "warning")]),
    (SPARK, '{"type":', [("metadata-damaged", "warning")]),
    ("ARROW:schema", "not base64", [("metadata-damaged", "warning")]),
    ("ARROW:schema", INT128, [("embedded-unknown", "note")]),
    ("geo", '{"version":"1.1.0","columns":{}}', [("geo-metadata-disagrees", "warning")]),
    ("something else", "{", []),
]


@pytest.mark.parametrize(("key", "value", "expected"), DESCRIPTIONS)
def test_embedded_schemas_compared_with_the_schema(key, value, expected):
    assert forged.rules(described(key, value)) == expected


# what an element says | the finding, None: it has to be one of both, and is
LEAF_OR_GROUP = [
    (element("a", Type.INT32, 0), None),
    (element("a", Type.INT32, 0, num_children=0), ("leaf-with-children", "note")),
    (element("a", None, 0), ("leaf-without-type", "error")),
    (element("a", None, 0, num_children=0), ("leaf-without-type", "error")),
    (element("empty", None, 0, num_children=0), ("empty-group", "note")),
    (element("empty", None, 0), ("leaf-without-type", "error")),
]


@pytest.mark.parametrize(("wrong", "expected"), LEAF_OR_GROUP)
def test_element_that_is_neither_leaf_nor_group_has_a_finding(wrong, expected):
    names = ["a", "b"] if wrong.name == "a" else ["b"]
    data = assembly.file(
        [forged.root(2), wrong, element("b", Type.INT32, 0)],
        [assembly.row_group([assembly.chunk(name, Type.INT32, [forged.page([1])]) for name in names], 1)],
    )
    found = [one for one in forged.findings(data) if one.address == "schema/1"]
    assert [(one.rule, one.severity) for one in found] == ([] if expected is None else [expected])


def test_group_with_a_type_is_an_error():
    elements = [*forged.LIST_ELEMENTS]
    elements[1] = element("a", Type.INT32, 1, num_children=1)
    page = forged.levels_page([0], [3], [1])
    made = assembly.chunk("a.list.element", Type.INT32, [page])
    data = assembly.file(elements, [assembly.row_group([made], 1)])
    assert ("group-with-type", "error") in forged.rules(data)
