"""The rows of docs/status.md: for each feature a small table, our options that write it, and the proof in the bytes.

The published implementation status has a row for each feature (`status_published.json`); `NEWER` has those that the
format gained since, or that the published table does not list.
"""

from __future__ import annotations

import dataclasses
import datetime
import itertools
import json
import struct
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import pqexplore
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.field import walk
from pqexplore.engine.format.logical import annotation
from pqexplore.engine.format.thrift.structs import CompressionCodec, ConvertedType, Encoding, Type, union_field
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.engine.writer.options import Encryption, WriteOptions

PUBLISHED: dict[str, Any] = json.loads(Path(__file__).with_name("status_published.json").read_text("utf-8"))

KEY = b"0123456789012345"
"""The published key of the encrypted file."""

WANTED = 301
"""The value that the queries of the pruning rows look for in column `k`; column `v` has its text."""

ROWS = 1_000

Proof = Callable[[ParquetFile], bool]


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """A feature, and how it is measured.

    - `id`: that of the published table, or one of our own. `table` makes the values, `options` are our `WriteOptions`.
    - `proof`: whether a file has the feature in its bytes; None if nothing in a file shows it.
    - `action`: what a reader is asked: `values` (all values), `filter` (one value, where the pages that the feature
      excludes are broken), `column` (one column, where the pages of the other are broken), `checksum` (to refuse a page
      whose checksum is wrong), `key` (all values, with the key), `summary` (a data set by its `_metadata`), `sorting`
      (the sorting columns that it reports), `` (nothing that a reader does shows whether it uses the feature).
    """

    id: str
    table: Callable[[], pa.Table]
    options: dict[str, Any]
    proof: Proof | None
    action: str = "values"


def chunks(file: ParquetFile) -> list[ColumnChunk]:
    """All column chunks of a file."""
    return [chunk for group in file.row_groups for chunk in group.columns]


def data_pages(file: ParquetFile) -> Iterator[Page]:
    """All data pages of a file."""
    return (page for chunk in chunks(file) for page in chunk.pages if page.is_data)


def stored_as(physical: Type) -> Proof:
    """Whether a column has the physical type."""
    return lambda file: any(leaf.physical_type == physical for leaf in file.schema.leaves)


def annotated(name: str, physical: Type | None = None, **fields: Any) -> Proof:
    """Whether a column has the logical type, and is stored so."""

    def proof(file: ParquetFile) -> bool:
        for leaf in file.schema.leaves:
            known = annotation(leaf)
            if known.name == name and physical in (None, leaf.physical_type):
                return all(getattr(known, key) == value for key, value in fields.items())
        return False

    return proof


def shaped(kind: str) -> Proof:
    """Whether there is a group of the logical type, or of the converted type of that name."""

    def proof(file: ParquetFile) -> bool:
        groups = [one for top in file.schema.root.children for one in walk(top) if one.children]
        chosen = [union_field(one.element.logicalType) for one in groups]
        return any(one is not None and one[0] == kind for one in chosen) or any(
            one.element.converted_type is not None and ConvertedType(one.element.converted_type).name == kind
            for one in groups
        )

    return proof


def encoded(*names: str, physical: tuple[Type, ...] = ()) -> Proof:
    """Whether there are data pages with each of the encodings, in columns of each of the physical types if they are given."""

    def proof(file: ParquetFile) -> bool:
        pages = [page for page in data_pages(file) if page.encoding is not None]
        seen = {Encoding(page.encoding).name for page in pages}
        types = {page.chunk.leaf.physical_type for page in pages if Encoding(page.encoding).name in names}
        return set(names) <= seen and set(physical) <= types

    return proof


def levels_encoded(encoding: Encoding) -> Proof:
    """Whether the definition levels of a nullable column have the encoding."""

    def proof(file: ParquetFile) -> bool:
        for page in data_pages(file):
            first = page.header.data_page_header
            if page.chunk.leaf.max_definition_level and (
                encoding == Encoding.RLE if first is None
                else first.definition_level_encoding == encoding
            ):  # fmt: skip
                return True
        return False

    return proof


def compressed(codec: CompressionCodec) -> Proof:
    """Whether a chunk has the codec."""
    return lambda file: any(chunk.metadata.codec == codec for chunk in chunks(file))


def described(field: str) -> Proof:
    """Whether a chunk's ColumnMetaData has the field."""
    return lambda file: any(getattr(chunk.metadata, field) is not None for chunk in chunks(file))


def _with_bounds(file: ParquetFile) -> bool:
    known = [chunk.statistics for chunk in chunks(file)]
    return any(one is not None and one.min_value and one.max_value for one in known)


def _with_total_order(file: ParquetFile) -> bool:
    chosen = map(union_field, file.metadata.column_orders or ())
    ordered = any(one is not None and one[0] == "IEEE_754_TOTAL_ORDER" for one in chosen)
    counted = [chunk.statistics and chunk.statistics.nan_count for chunk in chunks(file)]
    return ordered and any(one is not None for one in counted)


def _ordered_int96(file: ParquetFile) -> bool:
    chosen = map(union_field, file.metadata.column_orders or ())
    return any(one is not None and one[0] == "INT96_TIMESTAMP_ORDER" for one in chosen)


def _extended(file: ParquetFile) -> bool:
    """Whether the footer has a field 32767."""
    return any("extension" in str(child.address) for child in file.node("footer").children)


def _shredded(file: ParquetFile) -> bool:
    return any("typed_value" in leaf.path for leaf in file.schema.leaves)


def _of_int_types(file: ParquetFile) -> bool:
    found = {(annotation(leaf).bit_width, annotation(leaf).signed) for leaf in file.schema.leaves}
    # A column without an annotation is a signed integer of its physical type's width.
    return {(8, True), (16, True), *itertools.product((8, 16, 32, 64), (False,))} <= found


def column(values: list[Any], kind: pa.DataType | None = None) -> Callable[[], pa.Table]:
    """A table of one column `x`: the values over and over, a null after each."""
    cells = [one for value in values for one in (value, None)]
    return lambda: pa.table({"x": pa.array(cells * 8, kind)})


def _keyed(order: Callable[[int], int]) -> Callable[[], pa.Table]:
    """A table with the numbers below `ROWS` in an order, and their texts."""
    numbers = [order(row) for row in range(ROWS)]
    return lambda: pa.table({"k": pa.array(numbers, pa.int64()), "v": [f"value {number}" for number in numbers]})


ascending = _keyed(lambda row: row)
dealt = _keyed(lambda row: row % 250 * 4 + row // 250)
"""Each of the four row groups has every fourth number, so that bounds exclude none of them."""


def _integers() -> pa.Table:
    made = {}
    for bits in (8, 16, 32, 64):
        made[f"i{bits}"] = pa.array([-1, 0, 2 ** (bits - 1) - 1, None], f"int{bits}")
        made[f"u{bits}"] = pa.array([1, 0, 2**bits - 1, None], f"uint{bits}")
    return pa.table(made)


def _extended_split() -> pa.Table:
    return pa.table(
        {
            "i": pa.array(range(100), pa.int32()),
            "l": pa.array(range(100), pa.int64()),
            "f": pa.array([b"%04d" % one for one in range(100)], pa.binary(4)),
        }
    )


_POINTS = [struct.pack("<BIdd", 1, 1, *one) for one in ((1.0, 2.0), (-3.0, 5.5))]
_MOMENT = datetime.datetime(2026, 8, 1, 12, 30, 15, 123_000)
_TEXTS = [f"text {number % 7}" for number in range(50)]
_MONEY = [Decimal("0.00"), Decimal("1.25"), Decimal("-99.99")]
_FLOATS = [-np.inf, -1.5, -0.0, 0.0, 1.5, np.nan]
_VARIANTS = [1, "two", [3, None], {"a": True, "b": "x"}]
_EVENTS = [{"id": number, "name": f"n{number}"} for number in range(20)]
_FILE = {"uri": "a.png", "offset": 10, "size": 100, "content_type": "image/png", "checksum": "ETAG:x", "inline": None}  # fmt: skip
_FILE_TYPE = pa.struct(
    [("uri", pa.string()), ("offset", pa.int64()), ("size", pa.int64()),
     ("content_type", pa.string()), ("checksum", pa.string()), ("inline", pa.binary())]
)  # fmt: skip

text = column(_TEXTS)
integers = column(list(range(100)), pa.int64())
doubles = column([number / 8 for number in range(100)], pa.float64())


def _typed(id: str, values: list[Any], kind: pa.DataType, proof: Proof, **options: Any) -> Row:
    """A row of a type: a column of it, with `options` of the column."""
    return Row(id, column(values, kind), {"columns": {"x": options}} if options else {}, proof)


def _encoding(id: str, table: Callable[[], pa.Table], name: str, proof: Proof | None = None) -> Row:
    return Row(id, table, {"encoding": name}, proof or encoded(name))


_PLAIN = {"encoding": "PLAIN", "codec": "UNCOMPRESSED"}
_GROUPS = {"row_group_rows": 250, "column_index": False, "offset_index": False}
_BLOOM = {"bloom_filter": True}

_ALL = (
    _typed("physical-boolean", [True, False], pa.bool_(), stored_as(Type.BOOLEAN)),
    _typed("physical-int32", [0, -1, 2**31 - 1], pa.int32(), stored_as(Type.INT32)),
    _typed("physical-int64", [0, -1, 2**63 - 1], pa.int64(), stored_as(Type.INT64)),
    _typed("physical-int96", [_MOMENT], pa.timestamp("us"), stored_as(Type.INT96), physical_type="INT96"),
    _typed("physical-float", [0.0, 1.5, -np.inf], pa.float32(), stored_as(Type.FLOAT)),
    _typed("physical-double", [0.0, 1.5, -np.inf], pa.float64(), stored_as(Type.DOUBLE)),
    _typed("physical-byte-array", [b"", b"\0\xff"], pa.binary(), stored_as(Type.BYTE_ARRAY)),
    _typed("physical-fixed-len-byte-array", [b"abc", b"\0\xff\x80"], pa.binary(3), stored_as(Type.FIXED_LEN_BYTE_ARRAY)),
    _typed("logical-string", ["", "a", "Straße", "日本"], pa.string(), annotated("STRING")),
    _typed("logical-enum", ["RED", "GREEN"], pa.string(), annotated("ENUM"), logical_type="ENUM"),
    _typed("logical-uuid", [bytes(range(16)), b"\xff" * 16], pa.binary(16), annotated("UUID"), logical_type="UUID"),
    Row("logical-int-types", _integers, {}, _of_int_types),
    _typed("logical-decimal-int32", _MONEY, pa.decimal128(9, 2), annotated("DECIMAL", Type.INT32)),
    _typed("logical-decimal-int64", _MONEY, pa.decimal128(18, 2), annotated("DECIMAL", Type.INT64)),
    _typed("logical-decimal-byte-array", _MONEY, pa.decimal128(20, 2), annotated("DECIMAL", Type.BYTE_ARRAY), physical_type="BYTE_ARRAY"),
    _typed("logical-decimal-fixed-len-byte-array", _MONEY, pa.decimal128(38, 2), annotated("DECIMAL", Type.FIXED_LEN_BYTE_ARRAY)),
    _typed("logical-float16", [np.float16(one) for one in (0, 1.5, -np.inf)], pa.float16(), annotated("FLOAT16")),
    _typed("logical-date", [_MOMENT.date(), datetime.date(1815, 12, 10)], pa.date32(), annotated("DATE")),
    _typed("logical-time-int32", [_MOMENT.time()], pa.time32("ms"), annotated("TIME", Type.INT32)),
    _typed("logical-time-int64", [_MOMENT.time()], pa.time64("us"), annotated("TIME", Type.INT64)),
    _typed("logical-timestamp-int64", [_MOMENT], pa.timestamp("us"), annotated("TIMESTAMP", Type.INT64)),
    _typed("logical-interval", [struct.pack("<III", 1, 2, 3)], pa.binary(12), annotated("INTERVAL"), logical_type="INTERVAL"),
    _typed("logical-json", ['{"a": 1}', "[]"], pa.string(), annotated("JSON"), logical_type="JSON"),
    _typed("logical-bson", [b"\x05\0\0\0\0"], pa.binary(), annotated("BSON"), logical_type="BSON"),
    Row("logical-variant", lambda: pa.table({"x": encode_array(_VARIANTS)}), {"columns": {"x": {"logical_type": "VARIANT"}}}, shaped("VARIANT")),
    _typed("logical-geometry", _POINTS, pa.binary(), annotated("GEOMETRY"), logical_type="GEOMETRY"),
    _typed("logical-geography", _POINTS, pa.binary(), annotated("GEOGRAPHY"), logical_type="GEOGRAPHY"),
    _typed("logical-file", [_FILE], _FILE_TYPE, shaped("FILE"), logical_type="FILE"),
    _typed("logical-list", [[1, None], [], [2]], pa.list_(pa.int32()), shaped("LIST")),
    _typed("logical-map", [[("k", 1)], []], pa.map_(pa.string(), pa.int64()), shaped("MAP")),
    _typed("logical-unknown", [None], pa.null(), annotated("UNKNOWN")),
    _encoding("encoding-plain", text, "PLAIN"),
    _encoding("encoding-plain-dictionary", text, "PLAIN_DICTIONARY"),
    _encoding("encoding-rle-dictionary", text, "RLE_DICTIONARY"),
    _encoding("encoding-rle", integers, "PLAIN", levels_encoded(Encoding.RLE)),
    Row("encoding-bit-packed", integers, {"encoding": "PLAIN", "level_encoding": "BIT_PACKED"}, levels_encoded(Encoding.BIT_PACKED)),
    _encoding("encoding-delta-binary-packed", integers, "DELTA_BINARY_PACKED"),
    _encoding("encoding-delta-length-byte-array", text, "DELTA_LENGTH_BYTE_ARRAY"),
    _encoding("encoding-delta-byte-array", text, "DELTA_BYTE_ARRAY"),
    _encoding("encoding-byte-stream-split", doubles, "BYTE_STREAM_SPLIT"),
    _encoding("encoding-byte-stream-split-extended", _extended_split, "BYTE_STREAM_SPLIT",
        encoded("BYTE_STREAM_SPLIT", physical=(Type.INT32, Type.INT64, Type.FIXED_LEN_BYTE_ARRAY))),
    _encoding("encoding-alp", doubles, "ALP"),
    *(
        Row(f"compression-{id}", text, {"encoding": "PLAIN", "codec": codec.name}, compressed(codec))
        for id, codec in (
            ("uncompressed", CompressionCodec.UNCOMPRESSED), ("brotli", CompressionCodec.BROTLI),
            ("gzip", CompressionCodec.GZIP), ("lz4-deprecated", CompressionCodec.LZ4),
            ("lz4-raw", CompressionCodec.LZ4_RAW), ("lzo", CompressionCodec.LZO),
            ("snappy", CompressionCodec.SNAPPY), ("zstd", CompressionCodec.ZSTD),
        )
    ),
    Row("format-bloom-filters", dealt, _PLAIN | _GROUPS | _BLOOM, described("bloom_filter_offset"), "filter"),
    Row("format-bloom-filter-length", dealt, _PLAIN | _GROUPS | _BLOOM, described("bloom_filter_length"), ""),
    Row("format-stats-min-max", ascending, _PLAIN | _GROUPS, _with_bounds, "filter"),
    Row("format-page-index", ascending, _PLAIN | {"page_rows": 100},
        lambda file: any(chunk.column_index and chunk.offset_index for chunk in chunks(file)), "filter"),
    Row("format-page-crc32", ascending, _PLAIN,
        lambda file: any(page.header.crc is not None for page in data_pages(file)), "checksum"),
    Row("format-modular-encryption", integers, {"encryption": Encryption(KEY)},
        lambda file: file.footer.crypto_metadata is not None or file.metadata.encryption_algorithm is not None, "key"),
    Row("format-size-statistics", text, {}, described("size_statistics"), ""),
    Row("format-data-page-v2", text, {"page_version": 2},
        lambda file: any(page.header.data_page_header_v2 is not None for page in data_pages(file))),
    Row("api-parquet-summary-file", ascending, {}, None, "summary"),
    Row("api-sorting-columns", ascending, {"sorting_columns": [("k", False, False)]},
        lambda file: any(group.metadata.sorting_columns for group in file.row_groups), "sorting"),
    Row("api-rowgroup-pruning-stats", ascending, _PLAIN | _GROUPS, None, "filter"),
    Row("api-rowgroup-pruning-bloom", dealt, _PLAIN | _GROUPS | _BLOOM, None, "filter"),
    Row("api-column-projection", ascending, _PLAIN, None, "column"),
    Row("api-page-pruning-stats", ascending, _PLAIN | {"page_rows": 100}, None, "filter"),
)  # fmt: skip

_OWN = {
    "newer-nanoseconds": ("TIMESTAMP in nanoseconds", _typed(
        "newer-nanoseconds", [_MOMENT], pa.timestamp("ns"), annotated("TIMESTAMP", unit="ns"))),
    "newer-variant-shredding": ("VARIANT, shredded", Row(
        "newer-variant-shredding", lambda: pa.table({"x": encode_array(_EVENTS)}),
        {"columns": {"x": {"logical_type": "VARIANT", "shredding": pa.struct([("id", pa.int64()), ("name", pa.string())])}}},
        _shredded)),
    "newer-wide-decimal": ("DECIMAL of more than 38 digits", _typed(
        "newer-wide-decimal", _MONEY, pa.decimal256(60, 2), annotated("DECIMAL", precision=60))),
    "newer-rle-booleans": ("RLE of BOOLEAN values", _encoding(
        "newer-rle-booleans", column([True, True, False], pa.bool_()), "RLE",
        encoded("RLE", physical=(Type.BOOLEAN,)))),
    "newer-geospatial-statistics": ("Geospatial statistics", Row(
        "newer-geospatial-statistics", column(_POINTS, pa.binary()), {"columns": {"x": {"logical_type": "GEOMETRY"}}},
        described("geospatial_statistics"), "")),
    "newer-total-order": ("IEEE 754 total order and NaN counts", Row(
        "newer-total-order", column(_FLOATS, pa.float64()), {"column_order": "IEEE_754_TOTAL_ORDER"}, _with_total_order)),
    "newer-int96-order": ("INT96 timestamp order", Row(
        "newer-int96-order", column([_MOMENT], pa.timestamp("us")),
        {"columns": {"x": {"physical_type": "INT96", "column_order": "INT96_TIMESTAMP_ORDER"}}}, _ordered_int96)),
    "newer-extensions": ("Binary protocol extensions (field 32767)", Row(
        "newer-extensions", text, {"extensions": {"FileMetaData": b"an extension"}}, _extended)),
}  # fmt: skip

NEWER = {id: title for id, (title, _) in _OWN.items()}
"""Features that the published table does not have: their titles."""

ROWS_BY_ID = {row.id: row for row in (*_ALL, *(row for _, row in _OWN.values()))}

THEMES = {theme: {one["id"]: one["name"] for one in rows} for theme, rows in PUBLISHED["themes"].items()} | {
    "Newer than the published table, or not in it": NEWER
}
"""The tables of the page: id → title, by theme, in the order of the published page."""


def write(row: Row, path: Path) -> None:
    """Write the row's table with our writer."""
    pqexplore.write(row.table(), path, WriteOptions(**row.options), overwrite=True)


def opened(row: Row, path: Path | str) -> ParquetFile:
    """Open the row's file, with its key if it has one."""
    keys = pqexplore.Decryption(KEY) if row.action == "key" else None
    return pqexplore.open(path, decryption=keys)


def broken(row: Row, path: Path, target: Path) -> None:
    """Copy a file, with damage in every page that a reader need not read if it uses the feature."""
    data = bytearray(path.read_bytes())
    with opened(row, path) as file:
        for chunk in chunks(file):
            for page in chunk.pages:
                low, high = page.span.start, page.span.end
                if row.action == "checksum":
                    data[high - 1] ^= 1
                elif row.action == "column":
                    if chunk.leaf.path == ("k",):
                        data[low:high] = b"\xff" * (high - low)
                elif not _has_wanted(file, chunk, page):
                    data[low:high] = b"\xff" * (high - low)
    target.write_bytes(data)


def _has_wanted(file: ParquetFile, chunk: ColumnChunk, page: Page) -> bool:
    """Whether a page has the row with `WANTED`: pages of both columns have the same rows."""
    key = file.row_groups[chunk.row_group.index].columns["k"]
    at = [one.span for one in chunk.pages].index(page.span)
    return WANTED in key.pages[at].values.to_pylist()
