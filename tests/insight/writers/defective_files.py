"""Files that show a known defect of their writer: for each, one that does, and a near miss that does not."""

import dataclasses
from collections.abc import Callable

import pyarrow as pa
from engine.check import forged
from made import ours, rebuilt

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Statistics, Type
from pqexplore.engine.writer import assembly
from pqexplore.insight.writers.in_bytes import DRILL_DAYS

BLOCK = bytes([0x80]) + b"12345678"
"""Eight bytes as an LZ4 block of literals."""


def columns(metadata=None, leaf=None, pages=None, type=Type.INT32, **more):
    """A file of one column, with these fields of its metadata."""
    pages = pages or [forged.page([1, 2], Type.INT32)]
    return forged.one_column(pages, type, leaf=leaf, metadata=metadata or {}, **more)


def texts(low, high, **file):
    page = forged.page([b"a", "é".encode()], Type.BYTE_ARRAY)
    old = Statistics(min=low, max=high)
    return columns({"statistics": old}, pages=[page], type=Type.BYTE_ARRAY, file=file)


def dates(low, high, pairs, **file):
    bounds = Statistics(
        min_value=low.to_bytes(4, "little", signed=True), max_value=high.to_bytes(4, "little", signed=True)
    )
    leaf = assembly.element("a", Type.INT32, 0, logicalType=structs.LogicalType(DATE=structs.DateType()))
    entries = [structs.KeyValue(key=key, value=value) for key, value in pairs.items()]
    page = forged.page([low, high])
    return columns({"statistics": bounds}, leaf, [page], file={"key_value_metadata": entries} | file)


def int96(statistics, **file):
    page = assembly.page_v1(b"\0" * 12, 1)
    return columns({"statistics": statistics}, pages=[page], type=Type.INT96, file=file)


def nulls(compressed, **file):
    """A V2 page of nulls only, with a codec."""
    page = forged.optional_page(
        [None, None], packing=assembly.Packing(CompressionCodec.SNAPPY), is_compressed=compressed
    )
    leaf = assembly.element("a", Type.INT32, 1)
    return columns(leaf=leaf, pages=[page], codec=CompressionCodec.SNAPPY, file=file)


def unsaid(values, **file):
    """A compressed V2 page that says it is not compressed."""
    page = forged.optional_page(values, packing=assembly.Packing(CompressionCodec.SNAPPY), is_compressed=False)
    leaf = assembly.element("a", Type.INT32, 1)
    return columns(leaf=leaf, pages=[page], codec=CompressionCodec.SNAPPY, file=file)


def lz4(body, **file):
    page = assembly.page_v1(body, 2, uncompressed_page_size=8)
    return columns(pages=[page], codec=CompressionCodec.LZ4, file=file)


def two_groups(second, offset=None, **file):
    """A file of two row groups; the second has so many rows, and `file_offset`."""
    field = assembly.element("a", Type.INT32, 0)
    groups = []
    for rows, fields in ((2, {}), (second, {} if offset is None else {"file_offset": offset})):
        pages = [forged.page(range(rows))] if rows else []
        groups.append(assembly.row_group([assembly.chunk("a", Type.INT32, pages)], rows, **fields))
    return assembly.file([forged.root(), field], groups, **{"column_orders": [forged.TYPE_ORDER]} | file)


def optional(statistics, **file):
    leaf = assembly.element("a", Type.INT32, 1)
    page = forged.optional_page([1, 2])
    return columns({"statistics": statistics}, leaf, [page], file=file)


def two_columns(statistics, **file):
    """A text column with these statistics beside a number with its own."""
    fields = [assembly.element("a", Type.BYTE_ARRAY, 0), assembly.element("b", Type.INT32, 0)]
    text = assembly.chunk(
        "a", Type.BYTE_ARRAY, [forged.page([b"x"], Type.BYTE_ARRAY)], metadata={"statistics": statistics}
    )
    number = assembly.chunk("b", Type.INT32, [forged.page([1])], metadata={"statistics": Statistics(null_count=0)})
    return assembly.file(
        [forged.root(2), *fields],
        [assembly.row_group([text, number], 1)],
        **{"column_orders": [forged.TYPE_ORDER] * 2} | file,
    )


def filtered(length, **file):
    return columns({"bloom_filter_length": length}, bloom_filter=b"\xff" * 32, file=file)


def indexed(null_counts, **file):
    index = structs.ColumnIndex(
        null_pages=[False],
        min_values=[forged.raw(1)],
        max_values=[forged.raw(2)],
        boundary_order=structs.BoundaryOrder.ASCENDING,
        null_counts=null_counts,
    )
    return columns(column_index=index, offset_index=True, file=file)


def bit_packed(values, **file):
    """A column whose definition levels are BIT_PACKED."""
    return rebuilt(ours(pa.table({"a": values}), level_encoding="BIT_PACKED"), **file)


def with_page(values, **file):
    return columns(pages=[forged.page([1, 2]), forged.page(values)], file=file)


def sizes(total, **file):
    return columns(group={"total_byte_size": total}, file=file)


def right(**fields):
    return {"created_by": "p version assembly"} | fields


@dataclasses.dataclass
class Defective:
    """`bad(created_by=…)` shows the defect, `good` does not; `of` has it, `without` is a version that does not."""

    name: str
    of: str
    without: str
    bad: Callable[..., bytes]
    good: Callable[..., bytes]


def of(name, of, without, bad, good):
    return Defective(name, of, without, bad, good)


SWAPPED = Statistics(min=b"z", max=b"a")
FILES = [
    of("PARQUET-1025", "parquet-mr version 1.9.0", "parquet-mr version 1.10.0", lambda **f: texts("é".encode(), b"a", **f), lambda **f: texts(b"a", b"b", **f)),
    of("PARQUET-686", "parquet-cpp version 1.2.0", "parquet-cpp version 1.3.0", lambda **f: texts("é".encode(), b"a", **f), lambda **f: texts(b"a", "é".encode(), **f)),
    of("PARQUET-1065", "parquet-mr version 1.8.3", "parquet-mr version 1.10.0", lambda **f: int96(Statistics(min=b"\0" * 12, max=b"\0" * 12), **f), lambda **f: int96(Statistics(null_count=0), **f)),
    of("PARQUET-1402", "parquet-mr version 1.12.0-201812210311360288-a86293f (build ce", "parquet-mr version 1.12.0", lambda **f: columns({"dictionary_page_offset": 0}, file=f), lambda **f: columns(file=f)),
    of("PARQUET-1358", "parquet-cpp version 1.4.0", "parquet-cpp version 1.5.0", lambda **f: columns({"index_page_offset": 0}, file=f), lambda **f: columns(file=f)),
    of("apache/parquet-java#3122", "parquet-mr version 1.15.2", "parquet-mr version 1.16.0", lambda **f: nulls(None, **f), lambda **f: nulls(False, **f)),
    of("apache/parquet-java#3574", "parquet-mr version 1.16.0", "DuckDB version v1.6.0", lambda **f: two_columns(None, **f), lambda **f: two_columns(Statistics(null_count=0), **f)),
    of("PARQUET-2257", "parquet-mr version 1.13.1", "parquet-mr version 1.14.0", lambda **f: filtered(None, **f), lambda **f: filtered(lambda right: right, **f)),
    of("DRILL-4203", "parquet-mr", "DuckDB version v1.6.0", lambda **f: dates(DRILL_DAYS, DRILL_DAYS + 9, {}, **f), lambda **f: dates(2_932_896, 2_932_896, {}, **f)),
    of("DRILL-4203", "parquet-mr version 1.8.1-drill-r0", "DuckDB version v1.6.0", lambda **f: dates(DRILL_DAYS, DRILL_DAYS, {}, **f), lambda **f: dates(DRILL_DAYS, DRILL_DAYS, {"is.date.correct": "true"}, **f)),
    of("SPARK-31404", "parquet-mr version 1.12.3", "DuckDB version v1.6.0", lambda **f: dates(-200_000, 0, {"org.apache.spark.legacyDateTime": ""}, **f), lambda **f: dates(-200_000, 0, {}, **f)),
    of("SPARK-31404", "parquet-mr version 1.12.3", "DuckDB version v1.6.0", lambda **f: dates(-200_000, 0, {"org.apache.spark.legacyDateTime": ""}, **f), lambda **f: dates(-141_427, 0, {"org.apache.spark.legacyDateTime": ""}, **f)),
    of("SPARK-31404", "parquet-mr version 1.10.1", "DuckDB version v1.6.0", lambda **f: dates(-200_000, 0, {"org.apache.spark.version": "2.4.8"}, **f), lambda **f: dates(-200_000, 0, {"org.apache.spark.version": "3.0.0"}, **f)),
    of("facebookincubator/velox#12965", "parquet-mr version 2.6.0", "parquet-cpp-velox version 0.0.0", lambda **f: columns(file=f), lambda **f: columns(file=f | {"created_by": "parquet-cpp-velox"})),
    of("PARQUET-2078", "parquet-mr version 1.12.0", "parquet-mr version 1.12.1", lambda **f: two_groups(2, 4, **f), lambda **f: two_groups(2, **f)),
    of("PARQUET-2089", "parquet-cpp version 1.5.1-SNAPSHOT", "parquet-cpp-arrow version 6.0.0", lambda **f: two_groups(2, 5, **f), lambda **f: two_groups(2, **f)),
    of("PARQUET-2008", "parquet-cpp-arrow version 3.0.0", "parquet-cpp-arrow version 4.0.0", lambda **f: sizes(9, **f), lambda **f: sizes(lambda right: right, **f)),
    of("PARQUET-2164", "parquet-mr version 1.12.3", "parquet-mr version 1.13.0", lambda **f: sizes(-9, **f), lambda **f: sizes(9, **f)),
    of("ARROW-10353", "parquet-cpp version 1.5.1-SNAPSHOT", "parquet-cpp-arrow version 3.0.0", lambda **f: unsaid([7] * 400, **f), lambda **f: nulls(False, **f)),
    of("ARROW-9424", "parquet-cpp version 1.5.1-SNAPSHOT", "parquet-cpp-arrow version 3.0.0", lambda **f: lz4(BLOCK, **f), lambda **f: lz4((8).to_bytes(4, "big") + (9).to_bytes(4, "big") + BLOCK, **f)),
    of("apache/arrow#39210", "parquet-cpp-arrow version 14.0.0", "parquet-cpp-arrow version 15.0.0", lambda **f: two_groups(0, **f), lambda **f: two_groups(1, **f)),
    of("apache/arrow-rs#6490", "parquet-rs version 53.0.0", "parquet-rs version 53.1.0", lambda **f: optional(Statistics(min_value=forged.raw(1), max_value=forged.raw(2)), **f), lambda **f: optional(Statistics(min_value=forged.raw(1), max_value=forged.raw(2), null_count=0), **f)),
    of("IMPALA-3006", "impala version 2.11.0-SNAPSHOT", "parquet-mr version 1.10.0", lambda **f: bit_packed([1, None], **f), lambda **f: bit_packed([1, 2], **f)),
    of("IMPALA-10186", "impala version 4.1.0-SNAPSHOT", "impala version 4.3.0", lambda **f: with_page([], **f), lambda **f: with_page([3], **f)),
    of("xitongsys/parquet-go#473", "parquet-go version latest", "parquet-go version 18.0.0", lambda **f: indexed(None, **f), lambda **f: indexed([0], **f)),
]  # fmt: skip
