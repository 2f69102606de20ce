"""What Arrow, Spark, pandas and GeoParquet leave in the metadata, against the schema beside it."""

import base64
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from needs import needs_pyarrow

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format import embedded, schema
from pqexplore.engine.format.embedded import ARROW, GEO, PANDAS, SPARK, decode, disagreements
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import LogicalType, SchemaElement, Type


def parquet(table, **options):
    """The Parquet schema and the key-values that pyarrow writes for a table."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    file = pqexplore.open(sink.getvalue())
    return file.schema, file.key_value_metadata


def ipc(arrow):
    return base64.b64encode(arrow.serialize().to_pybytes()).decode()


def columns(**physical):
    """A Parquet schema of optional columns: `a=Type.INT32` or `a=(Type.INT32, logical)`."""
    elements = [SchemaElement(name="schema", num_children=len(physical))]
    for name, kind in physical.items():
        kind, logical = kind if isinstance(kind, tuple) else (kind, None)
        elements.append(
            SchemaElement(name=name, type=int(kind), repetition_type=1, logicalType=logical and LogicalType(**logical))
        )
    return schema.build(elements)


def said(key, value, parquet_schema):
    if not isinstance(value, str):
        value = json.dumps(value)
    return disagreements(decode(key, value), parquet_schema)


def test_other_keys_decode_to_none():
    assert decode("author", "somebody") is None


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (ARROW, None, "has no value"),
        (ARROW, "not base64!", "is not base64"),
        (ARROW, base64.b64encode(b"junk").decode(), "is not an Arrow IPC schema"),
        (ARROW, "", "is not an Arrow IPC schema"),
        (ARROW, ipc(pa.schema([("a", pa.int32())]))[:-40], "is not"),
        (ARROW, base64.b64encode(b"..arrow.py_extension_type..").decode(), "never loaded"),
        (SPARK, "{", "is not valid JSON"),
        (SPARK, "[1]", "not an object"),
        (GEO, "[" * 100_000, "is not valid JSON"),
        (PANDAS, "9" * 10_000, "is not"),
    ],
)
def test_damage_is_a_sentence(key, value, words):
    found = decode(key, value)
    assert found.content is None
    assert words in found.problem
    assert disagreements(found, columns(a=Type.INT32)) == [found.problem]


# ------------------------------------------------------------------ Arrow


def test_columns_of_one_name_are_compared_each_with_its_own_description():
    table = pa.Table.from_arrays([pa.array([1]), pa.array(["x"])], ["a", "a"])
    parquet_schema, pairs = parquet(table)
    assert said(ARROW, pairs[ARROW], parquet_schema) == []
    turned = pa.schema([("a", pa.string()), ("a", pa.int64())])
    assert "column 'a'" in said(ARROW, ipc(turned), parquet_schema)[0]


INT128 = (
    "/////3YAAAAEAAAA8v///xQAAAAEAAEAAAAKAAsACAAKAAQA+P///wwAAAAIAAgAAAAEAAEAAAAEAAAA7P///zgAAAAgAAAAGAAAAAECAAAQABIABAAQ"
    "ABEACAAAAAwAAAAAAPT///+AAAAAAQAAAAgACQAEAAgAAQAAAGEA"
)
"""What polars stores for a column `a` of 128-bit integers, which Arrow does not have."""


def test_a_type_that_pyarrow_does_not_know_is_no_damage():
    found = decode(ARROW, INT128)
    assert (found.content, found.damaged) == (None, False)
    assert "does not know" in found.problem


@needs_pyarrow(15, "it writes no FLOAT16")
def test_what_pyarrow_writes_agrees_with_itself():
    table = pa.table(
        {
            "text": pa.array(["a"], pa.large_string()),
            "category": pa.array(["a"]).dictionary_encode(),
            "span": pa.array([1], pa.duration("us")),
            "day": pa.array([0], pa.date64()),
            "second": pa.array([0], pa.timestamp("s", "Europe/Berlin")),
            "clock": pa.array([0], pa.time32("s")),
            "small": pa.array([1], pa.int8()),
            "money": pa.array([1], pa.decimal256(10, 2)),
            "half": pa.array([np.float16(1)], pa.float16()),
            "fixed": pa.array([[1, 2]], pa.list_(pa.int32(), 2)),
            "nested": pa.array([{"m": [("k", [1.5])]}], pa.struct([("m", pa.map_(pa.string(), pa.list_(pa.float32())))])),
            "nothing": pa.array([None], pa.null()),
        }
    )  # fmt: skip
    for options in ({}, {"version": "1.0"}, {"use_deprecated_int96_timestamps": True}):
        found, pairs = parquet(table, **options)
        decoded = decode(ARROW, pairs[ARROW])
        assert decoded.content.names == table.schema.names
        assert disagreements(decoded, found) == [], options


@pytest.mark.parametrize(
    ("arrow", "words"),
    [
        ([("a", pa.int32())], "does not describe the columns 'b'"),
        ([("a", pa.int32()), ("b", pa.string()), ("z", pa.int8())], "does not have: 'z'"),
        ([("b", pa.string()), ("a", pa.int32())], "in another order"),
        ([("a", pa.float64()), ("b", pa.string())], "column 'a' is double there, INT32 in the file"),
        ([("a", pa.int32()), ("b", pa.binary())], "'b' is binary there, STRING (BYTE_ARRAY) in the file"),
        ([("a", pa.list_(pa.int32())), ("b", pa.struct([]))], "column 'b' has 0 leaves there, 1 in"),
    ],
)  # fmt: skip
def test_arrow_schemas_that_disagree(arrow, words):
    found = columns(a=Type.INT32, b=(Type.BYTE_ARRAY, {"STRING": structs.StringType()}))
    sentences = said(ARROW, ipc(pa.schema(arrow)), found)
    assert any(words in sentence for sentence in sentences), sentences
    assert all(sentence.startswith("ARROW:schema: ") for sentence in sentences)


def test_disagreements_are_limited():
    many = {f"c{i}": Type.INT32 for i in range(200)}
    arrow = pa.schema([(name, pa.float64()) for name in many])
    sentences = said(ARROW, ipc(arrow), columns(**many))
    assert len(sentences) == embedded.MAX_SENTENCES + 1
    assert sentences[-1].endswith("and 150 more")


def test_an_arrow_schema_that_nests_without_end_is_not_compared():
    kind = pa.int32()
    for _ in range(300):
        kind = pa.list_(kind)
    found = decode(ARROW, ipc(pa.schema([("a", kind)])))
    assert found.problem or disagreements(found, columns(a=Type.INT32)) == []


# ------------------------------------------------------------------ Spark


def spark(**kinds):
    fields = [{"name": name, "type": kind, "nullable": True} for name, kind in kinds.items()]
    return {"type": "struct", "fields": fields}


DECIMAL = {"DECIMAL": structs.DecimalType(precision=9, scale=2)}
DATE = {"DATE": structs.DateType()}


@pytest.mark.parametrize(
    ("content", "found", "words"),
    [
        (spark(a="integer"), columns(a=Type.INT32), None),
        (spark(a="timestamp"), columns(a=Type.INT96), None),
        (spark(a="date"), columns(a=(Type.INT32, DATE)), None),
        (spark(a="decimal(9,2)"), columns(a=(Type.INT32, DECIMAL)), None),
        (spark(a="geometry(4326)"), columns(a=Type.BYTE_ARRAY), None),
        (spark(a="variant"), columns(a=Type.INT32), None),
        (spark(a={"type": "udt", "sqlType": "long"}), columns(a=Type.INT64), None),
        (spark(a="long"), columns(a=Type.INT32), "'a' is long there, INT32 in the file"),
        (spark(a="decimal(9,3)"), columns(a=(Type.INT32, DECIMAL)), "is decimal(9,3) there"),
        (spark(a="date"), columns(a=Type.INT32), "is date there, INT32"),
        (spark(a="integer"), columns(a=(Type.INT32, DECIMAL)), "is integer there, DECIMAL(9, 2)"),
        (spark(a="long", b="long"), columns(a=Type.INT64), "does not have: 'b'"),
        (spark(a={"type": "map", "keyType": "long", "valueType": "long"}), columns(a=Type.INT64), "has 2 leaves there"),
        (spark(a={"type": "array"}), columns(a=Type.INT64), None),
        (spark(a=17), columns(a=Type.INT64), None),
        ({"type": "struct"}, columns(a=Type.INT32), "is not a struct with fields"),
        ({"type": "struct", "fields": [1]}, columns(a=Type.INT32), "a field without a name"),
    ],
)  # fmt: skip
def test_spark_schemas(content, found, words):
    sentences = said(SPARK, content, found)
    if words is None:
        assert sentences == []
    else:
        assert any(words in sentence for sentence in sentences), sentences


# ------------------------------------------------------------------ pandas


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"columns": [{"name": "a", "field_name": "a"}], "index_columns": [{"kind": "range"}]}, None),
        ({"columns": [{"name": "a"}], "index_columns": ["__index_level_0__"]}, "'__index_level_0__'"),
        ({"columns": [{"name": "b"}]}, "does not have: 'b'"),
        ({"columns": 5}, "lacks the lists"),
        ({"columns": [5]}, "not an object"),
        ({"columns": [{"name": ["a"]}]}, "does not have"),
    ],
)
def test_pandas_metadata(content, words):
    sentences = said(PANDAS, content, columns(a=Type.INT32))
    assert sentences == [] if words is None else words in sentences[0], sentences


# ------------------------------------------------------------------ GeoParquet


def geo(**column):
    column = {"encoding": "WKB", "geometry_types": ["Point"]} | column
    return {"version": "1.1.0", "primary_column": "g", "columns": {"g": column}}


GEOMETRY = (Type.BYTE_ARRAY, {"GEOMETRY": structs.GeometryType()})
GEOGRAPHY = (Type.BYTE_ARRAY, {"GEOGRAPHY": structs.GeographyType()})


@pytest.mark.parametrize(
    ("content", "found", "words"),
    [
        (geo(bbox=[0, 0, 1, 1]), columns(g=Type.BYTE_ARRAY), None),
        (geo(), columns(g=GEOMETRY), None),
        (geo(edges="spherical"), columns(g=GEOGRAPHY), None),
        (geo(edges="spherical"), columns(g=GEOMETRY), "its edges are spherical"),
        (geo(), columns(g=GEOGRAPHY), "its edges are planar"),
        (geo(), columns(g=Type.INT32), "needs a BYTE_ARRAY column"),
        (geo(encoding="point"), columns(g=Type.DOUBLE), "needs a group"),
        (geo(encoding=5), columns(g=Type.BYTE_ARRAY), "its encoding 5 is not known"),
        (geo(geometry_types=["Circle"]), columns(g=Type.BYTE_ARRAY), "geometry_types has 'Circle'"),
        (geo(geometry_types=[["Point"]]), columns(g=Type.BYTE_ARRAY), "geometry_types has"),
        (geo(geometry_types=None), columns(g=Type.BYTE_ARRAY), "lacks the list geometry_types"),
        (geo(bbox=[1, "2"]), columns(g=Type.BYTE_ARRAY), "bbox is not a list"),
        (geo(edges="straight"), columns(g=Type.BYTE_ARRAY), "neither planar nor spherical"),
        (geo(), columns(h=Type.BYTE_ARRAY), "column 'g', which the file does not have"),
        ({"version": 1}, columns(g=Type.BYTE_ARRAY), "lacks the version"),
        ({"version": "1", "columns": {}}, columns(g=Type.BYTE_ARRAY), "the primary_column None"),
        ({"version": "1", "columns": {"g": 7}}, columns(g=Type.BYTE_ARRAY), "'g' is not an object"),
    ],
)
def test_geo_metadata(content, found, words):
    sentences = said(GEO, content, found)
    if words is None:
        assert sentences == []
    else:
        assert any(words in sentence for sentence in sentences), sentences


# ------------------------------------------------------------------ other writers


@pytest.mark.parametrize("folder", ["opengeospatial__geoparquet", "spark-samples", "apache__parquet-testing/data"])
def test_descriptions_by_the_writers_themselves_agree(corpus, folder):
    compared = 0
    for path in sorted((corpus / folder).rglob("*.parquet"))[:200]:
        try:
            file = pqexplore.open(path)
        except (pqexplore.ParquetError, UsageError):
            continue
        for pair in (file.metadata and file.metadata.key_value_metadata) or ():
            decoded = decode(pair.key, pair.value)
            if decoded is not None and "example.parquet" not in path.name:
                assert disagreements(decoded, file.schema) == [], path.name
                compared += 1
    assert compared > 4
