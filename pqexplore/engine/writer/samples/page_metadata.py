"""Samples of metadata about pages: indexes, statistics, Bloom filters, extensions, and pages of other types."""

from __future__ import annotations

import datetime
import struct
from decimal import Decimal

import numpy as np
import pyarrow as pa

from pqexplore.engine.format.encodings import plain
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.engine.writer import assembly
from pqexplore.engine.writer.samples.sample_file import CREATED_BY, Sample, extension_of, from_bytes, from_table

PAGE_INDEX = from_table(
    "page-index",
    "Ten pages with bounds that ascend, descend, or do neither, and one page of nulls.",
    lambda: pa.table(
        {
            "up": pa.array(range(1_000), pa.int32()),
            "down": pa.array(range(1_000, 0, -1), pa.int32()),
            "mixed": pa.array([i * 7_919 % 1_000 for i in range(1_000)], pa.int32()),
            "gap": pa.array([None if 300 <= i < 400 else i for i in range(1_000)], pa.int32()),
        }
    ),
    encoding="PLAIN",
    page_rows=100,
    statistics=("chunk", "page"),
)

BLOOM_FILTER = from_table(
    "bloom-filter",
    "A filter of the size that suits, one far too small, and one far too large.",
    lambda: pa.table({name: [f"{name} {i * i}" for i in range(2_000)] for name in ("right", "small", "large")}),
    columns={
        "right": {"bloom_filter": True, "bloom_filter_bytes": 4_096},
        "small": {"bloom_filter": True, "bloom_filter_bytes": 256},
        "large": {"bloom_filter": True, "bloom_filter_bytes": 32_768},
    },
)

TRUNCATED = from_table(
    "truncated-statistics",
    "Bounds cut to 8 bytes: the lower one is a prefix, the upper one a prefix raised; both say that they are not exact.",
    lambda: pa.table(
        {
            "text": ["abcdefghijkl", "mnopqrstuvwx", "zzzzzzzzzzzz"],
            "umlauts": ["äöüäöüäöü", "ßßßßßßßßß", "\U0010ffff" * 4],
            "bytes": [b"\x01" * 12, b"\x80" * 12, b"\xff" * 12],
        }
    ),
    statistics_bytes=8,
    index_bytes=8,
)

FIELD_IDS = from_table(
    "field-ids",
    "Fields with ids, by which a table finds its columns after they are renamed; their statistics count distinct values.",
    lambda: pa.table({"country": ["AT", "DE", "FR", "DE"], "price": [7, 9, 9, 12]}),
    columns={"country": {"field_id": 1}, "price": {"field_id": 7}},
    statistics_fields=("bounds", "null_count", "distinct_count", "exactness"),
)


def _floats() -> pa.Table:
    values = [-np.inf, -1.5, -0.0, 0.0, 1.5, np.inf, np.nan, None]
    doubles = pa.array(values * 5, pa.float64())
    floats = pa.array(values * 5, pa.float32())
    halves = pa.array([None if v is None else np.float16(v) for v in values] * 5, pa.float16())
    nan = pa.array([np.nan] * 40, pa.float64())
    return pa.table({"typed": doubles, "total": doubles, "float": floats, "half": halves, "nan": nan})


FLOAT_ORDER = from_table(
    "float-order",
    "NaN and the zeros: bounds under IEEE_754_TOTAL_ORDER, beside TYPE_ORDER, which has no place for NaN.",
    _floats,
    encoding="PLAIN",
    page_rows=10,
    column_order="IEEE_754_TOTAL_ORDER",
    columns={"typed": {"column_order": "TYPE_ORDER"}},
)


def _timestamps() -> pa.Table:
    first = datetime.datetime(1815, 6, 18, 11, 30)
    times = [first + datetime.timedelta(days=9_000 * i, seconds=i) for i in range(20)]
    return pa.table({name: pa.array(times, pa.timestamp("us")) for name in ("ordered", "unordered")})


INT96_ORDER = from_table(
    "int96-order",
    "INT96 timestamps: bounds under INT96_TIMESTAMP_ORDER, and none under TYPE_ORDER.",
    _timestamps,
    columns={
        "ordered": {"physical_type": "INT96", "column_order": "INT96_TIMESTAMP_ORDER"},
        "unordered": {"physical_type": "INT96"},
    },
)

METADATA_COPY = from_table(
    "metadata-copy",
    "A second ColumnMetaData after each chunk, to which file_offset points, and padding that aligns chunks to 64.",
    lambda: pa.table({"a": list(range(50)), "b": [str(i) for i in range(50)]}),
    metadata_copy=True,
    alignment=64,
    padding=16,
)


def _many_structs() -> pa.Table:
    """Three rows, with columns of so many types that most structs occur."""
    point = struct.pack("<BIdd", 1, 1, 2.0, 3.0)
    return pa.table(
        {
            "small": pa.array([1, 2, None], pa.int16()),
            "text": ["x", "y", "z"],
            "enum": ["A", "B", "A"],
            "json": ["{}", "[]", "1"],
            "bson": pa.array([b"\x05\0\0\0\0"] * 3, pa.binary()),
            "uuid": pa.array([bytes(16)] * 3, pa.binary(16)),
            "date": pa.array([0, 1, 2], pa.date32()),
            "clock": pa.array([0, 1, 2], pa.time32("ms")),
            "micros": pa.array([0, 1, 2], pa.timestamp("us", "UTC")),
            "nanos": pa.array([0, 1, 2], pa.timestamp("ns", "UTC")),
            "int96": pa.array([0, 1, 2], pa.timestamp("ns")),
            "amount": pa.array([Decimal("1.5")] * 3, pa.decimal128(5, 1)),
            "half": pa.array([np.float16(1)] * 3, pa.float16()),
            "nothing": pa.nulls(3),
            "list": pa.array([[1], [], None], pa.list_(pa.int64())),
            "map": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int32())),
            "point": pa.array([point] * 3, pa.binary()),
            "place": pa.array([point] * 3, pa.binary()),
            "variant": encode_array([1, "two", [3]]),
        }
    )


EXTENSIONS = from_table(
    "extensions",
    "Field 32767, the place for extensions, in every struct of a file that is not encrypted.",
    _many_structs,
    extensions=extension_of(),
    statistics=("chunk", "page"),
    sorting_columns=[("text", False, True)],
    key_value_metadata={"note": "a KeyValue has an extension, too"},
    columns={
        "small": {"page_version": 2, "encoding": "PLAIN"},
        "text": {"bloom_filter": True},
        "enum": {"logical_type": "ENUM"},
        "json": {"logical_type": "JSON"},
        "bson": {"logical_type": "BSON", "annotations": "logical"},
        "uuid": {"logical_type": "UUID"},
        "int96": {"physical_type": "INT96", "column_order": "INT96_TIMESTAMP_ORDER"},
        "half": {"column_order": "IEEE_754_TOTAL_ORDER"},
        "point": {"logical_type": "GEOMETRY"},
        "place": {"logical_type": "GEOGRAPHY"},
        "variant": {"logical_type": "VARIANT"},
    },
)


def _leaf(name: str) -> structs.SchemaElement:
    return assembly.element(name, Type.INT32)


def _root(children: int) -> structs.SchemaElement:
    return assembly.element("schema", repetition_type=None, num_children=children)


def _integers(*numbers: int) -> bytes:
    return plain.encode(pa.array(numbers, pa.int32()))


def _unknown_pages() -> bytes:
    index_header = structs.IndexPageHeader()
    index_header._extension = b"extension of IndexPageHeader"
    pages = [
        assembly.page_v1(_integers(1, 2, 3), 3),
        assembly.other_page(b"what this is, nobody knows", 17),
        assembly.other_page(
            b"an index that nobody defined", structs.PageType.INDEX_PAGE, index_page_header=index_header
        ),
        assembly.page_v1(_integers(4, 5, 6), 3),
    ]
    group = assembly.row_group([assembly.chunk("a", Type.INT32, pages)], 6)
    return assembly.file([_root(1), _leaf("a")], [group], created_by=CREATED_BY)


UNKNOWN_PAGES = from_bytes(
    "unknown-pages",
    "A page of a type that the format does not have, and an index page, between data pages: readers skip them.",
    _unknown_pages,
)


def _no_metadata() -> bytes:
    page = assembly.page_v1(_integers(1, 2, 3), 3)
    chunks = [assembly.chunk("here", Type.INT32, [page]), assembly.chunk("lost", Type.INT32, [page], meta_data=None)]
    group = assembly.row_group(chunks, 3)
    return assembly.file([_root(2), _leaf("here"), _leaf("lost")], [group], created_by=CREATED_BY)


NO_METADATA = from_bytes(
    "no-metadata",
    "A column chunk without meta_data, an optional field: where its pages are is lost; the other column is not.",
    _no_metadata,
)

SAMPLES: tuple[Sample, ...] = (
    *(PAGE_INDEX, BLOOM_FILTER, TRUNCATED, FIELD_IDS, FLOAT_ORDER, INT96_ORDER, METADATA_COPY),
    *(EXTENSIONS, UNKNOWN_PAGES, NO_METADATA),
)
