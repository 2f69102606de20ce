"""Violations in the footer's own numbers, in fields that the format does not define, and in embedded schemas."""

from engine.check import forged
from engine.check.schemas import OPTIONAL, REQUIRED, group, leaf, plain, schema
from engine.check.violations import Violation

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type

STRING = plain("STRING")
SPARK = "org.apache.spark.sql.parquet.row.metadata"


def version(number: int) -> bytes:
    return forged.one_column([forged.page([1, 2])], file={"version": number})


def with_tail(tail: bytes) -> bytes:
    """A file whose FileMetaData ends with these bytes in place of the stop byte."""
    whole = forged.one_column([forged.page([1])], file={"created_by": None})
    length = int.from_bytes(whole[-8:-4], "little")
    footer = whole[-8 - length : -9] + tail
    return whole[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def described(key, value):
    pair = structs.KeyValue(key=key, value=value)
    return forged.one_column([forged.page([1])], file={"key_value_metadata": [pair]})


def spark(kind):
    return described(SPARK, f'{{"type":"struct","fields":[{{"name":"a","type":"{kind}"}}]}}')


def references(*fields):
    return schema(group("f", *fields, logicalType=plain("FILE")))


URI = leaf("uri", Type.BYTE_ARRAY, logicalType=STRING)

VIOLATIONS = [
    Violation("a version that does not exist", "format-version", lambda: version(7), lambda: version(2), "warning"),
    Violation("a field that the format does not define", "field-unknown", lambda: with_tail(b"\x05\xc8\x01\x02\x00"),
        lambda: with_tail(b"\x00"), "note"),
    Violation("created_by as a number", "field-mistyped", lambda: with_tail(b"\x05\x0c\x02\x00"),
        lambda: with_tail(b"\x08\x0c\x01x\x00"), "warning", "footer/created_by"),
    Violation("Spark's schema that is cut off", "metadata-damaged", lambda: described(SPARK, '{"type":'),
        lambda: spark("integer"), "warning", "footer/key_value_metadata/0"),
    Violation("Spark's schema of another type", "spark-metadata-disagrees", lambda: spark("string"),
        lambda: spark("integer"), "warning", "footer/key_value_metadata/0"),
    Violation("Arrow's schema that is not base64", "metadata-damaged", lambda: described("ARROW:schema", "not base64"),
        lambda: described("another key", "not base64"), "warning", "footer/key_value_metadata/0"),
    Violation("the schema of pandas that is a list", "metadata-damaged", lambda: described("pandas", "[]"), None,
        "warning", "footer/key_value_metadata/0"),
    Violation("GeoParquet's columns without columns", "geo-metadata-disagrees",
        lambda: described("geo", '{"version":"1.1.0","columns":{}}'), None, "warning", "footer/key_value_metadata/0"),
    Violation("a field of FILE of another type", "file-field", lambda: references(leaf("uri", Type.INT64)),
        lambda: references(URI), address="schema/2"),
    Violation("bytes without STRING in FILE", "file-field", lambda: references(leaf("checksum", Type.BYTE_ARRAY)),
        lambda: references(leaf("inline", Type.BYTE_ARRAY)), address="schema/2"),
    Violation("a group in FILE", "file-field", lambda: references(group("uri", leaf("x"))),
        lambda: references(URI, leaf("size", Type.INT64)), address="schema/2"),
    Violation("a field of FILE of another name", "file-field", lambda: references(URI, leaf("URI", Type.BYTE_ARRAY)),
        lambda: references(URI), "warning", "schema/3"),
    Violation("a field of FILE that is required", "file-field", lambda: references(leaf("size", Type.INT64, REQUIRED)),
        lambda: references(leaf("size", Type.INT64, OPTIONAL)), "warning", "schema/2"),
]  # fmt: skip
