"""The page of the docs that lists what is said about broken files: `python tests/engine/hostile/error_page.py`.

Every file on the page is made here, and every message is the one that reading it gives.
"""

import io
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "errors.md"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")] if __name__ == "__main__" else []

from engine.hostile.broken import THREE, integers, leaf, levels, one_column, root  # noqa: E402

import pqexplore  # noqa: E402
from pqexplore.engine.errors import ParquetError  # noqa: E402
from pqexplore.engine.format.thrift import structs  # noqa: E402
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, Type  # noqa: E402
from pqexplore.engine.writer.assembly import Packing, dictionary_page, element, page_v1, page_v2  # noqa: E402

INTRODUCTION = """\
# What is said about broken files

<!-- Made by tests/engine/hostile/error_page.py; a test compares. -->

Every error is a `ParquetError`. It has a `message`, an `address` in the file's tree and an `offset` in the file, where
these are known; `f.node(error.address)` is the place, and `pqexplore.explore(path)` shows it.

| class | what it means | what to do |
|---|---|---|
| `NotParquetError` | The bytes are not a Parquet file, or its end is missing. | Check the path. A file that was cut off: `pqexplore.salvage(path)`. |
| `CorruptFileError` | The file contradicts the specification, or itself. | What is not below the address is intact: read the other columns (`f.read(columns)`) or pages (`f.row_groups[0].columns["a"].pages[0].values`). Without a usable footer: `pqexplore.salvage(path)`. |
| `UnsupportedFeatureError` | The file uses an id that this version does not know, or needs a library that is not installed; the message says which. | Install it, or read the other columns. An id that no version of the format has is damage. |
| `LimitExceededError` | Reading on would take more than a limit allows. | If the file is trusted, open it with the limit that the message names. |
| `ElsewhereError` | A column chunk lies in another file (`ColumnChunk.file_path`): the file is the footer of a data set. | Open that file, or this one with `follow_file_path=True`. |
| `EncryptedFileError` | A part is encrypted, and its key was not given or does not fit. | Open the file with `decryption=`. |

`read` is all or nothing; pages, chunks and the tree are not: damage to one leaves the others as they are.

Below, each file has one thing wrong.
"""


SNAPPY, GZIP = CompressionCodec.SNAPPY, CompressionCodec.GZIP
OPTIONAL = root(leaf(repetition_type=1))
TEXT = root(leaf(type=Type.BYTE_ARRAY))


def _metadata(**fields):
    """A file whose ColumnMetaData has these fields."""
    return lambda: one_column(metadata=fields)


def _schema(*elements, **options):
    return lambda: one_column(schema=root(*elements, **options))


def _pages(*pages, **options):
    return lambda: one_column(*pages, **options)


def _dictionary(ids, num_values=3, entries=2):
    return _pages(
        dictionary_page(integers(*range(entries)), entries), page_v1(ids, num_values, Encoding.RLE_DICTIONARY)
    )


def _deep(depth):
    groups = [element(f"g{i}", num_children=1) for i in range(depth)]
    return _schema(*groups, leaf(), num_children=1)


def _logical(**kind):
    return _schema(leaf(logicalType=structs.LogicalType(**kind)))


def _group(**fields):
    return lambda: one_column(group=fields)


def _footer(**fields):
    return lambda: one_column(footer=fields)


def _cut(data):
    length = int.from_bytes(data[-8:-4], "little")
    return data[: -8 - length]


SECTIONS = {
    "The ends of the file": {
        "it is empty": lambda: b"",
        "it has four bytes": lambda: b"PAR1",
        "it is something else": lambda: b"id,name\n1,Anna\n2,Otto\n",
        "it was cut off before its footer": lambda: _cut(one_column()),
        "its last byte is missing": lambda: one_column()[:-1],
        "the footer length is larger than the file": _footer(footer_length=(1 << 31) - 1),
        "the footer length is 0": _footer(footer_length=0),
        "the footer length is too small": _footer(footer_length=5),
        "the footer is text": _footer(footer=b"this is not a footer"),
        "the footer is zeros": _footer(footer=bytes(20)),
        "the footer lacks its row groups": _footer(row_groups=None),
        "the footer lacks its number of rows": _footer(num_rows=None),
    },
    "The schema": {
        "there is no element": lambda: one_column(schema=[]),
        "a group has −21 children": _schema(leaf(), num_children=-21),
        "a group has more children than there are elements": _schema(leaf(), num_children=3),
        "elements are left over": _schema(leaf(), leaf("b"), num_children=1),
        "an element has no name": _schema(leaf(name=None)),
        "an element is repeated in an unknown way": _schema(leaf(repetition_type=7)),
        "the physical type is −7": _schema(leaf(type=-7)),
        "a FIXED_LEN_BYTE_ARRAY has no length": _schema(leaf(type=Type.FIXED_LEN_BYTE_ARRAY)),
        "DECIMAL has precision 0": _logical(DECIMAL=structs.DecimalType(scale=2, precision=0)),
        "INT(32) annotates INT64": _logical(INTEGER=structs.IntType(bitWidth=32, isSigned=True)),
    },
    "Row groups and column chunks": {
        "a row group lists a chunk too many": _group(columns=lambda right: right * 2),
        "num_rows of the row group is −1": _group(num_rows=-1),
        "num_rows of the row group is four billion": lambda: one_column(num_rows=4_294_967_294),
        "the chunk has no meta_data": _pages(meta_data=None),
        "the chunk's metadata lack their encodings": _metadata(encodings=None),
        "data_page_offset is −1": _metadata(data_page_offset=-1),
        "data_page_offset is beyond the file": _metadata(data_page_offset=1 << 40),
        "total_compressed_size is beyond the file": _metadata(total_compressed_size=1 << 40),
        "num_values is −1": _metadata(num_values=-1),
        "num_values is the rows, and more than the pages hold": _pages(num_values=5, num_rows=5),
        "the codec is 5000": _metadata(codec=5000),
        "the pages lie in another file": _pages(file_path="part-1.parquet"),
    },
    "Page headers": {
        "there is none, but zeros": _pages(bytes(40)),
        "it ends too early": _pages(b"\x15\x00\x15"),
        "it lacks the number of values": _pages(page_v1(THREE, None)),
        "it lacks the part for its type": _pages(page_v1(THREE, 3, data_page_header=None)),
        "a size is negative": _pages(page_v1(THREE, 3, compressed_page_size=-4001)),
        "its page is larger than the file": _pages(page_v1(THREE, 3, compressed_page_size=1 << 30)),
        "the number of values is negative": _pages(page_v1(THREE, -3)),
        "its type is unknown": _pages(page_v1(THREE, 3, type=9)),
        "V2: the length of the levels is negative": _pages(page_v2(THREE, 3, 3, definition_levels_byte_length=-1)),
        "V2: the levels are longer than the page": _pages(page_v2(THREE, 3, 3, definition_levels_byte_length=1000)),
    },
    "Compressed pages": {
        "SNAPPY data are damaged": _pages(page_v1(b"\x18\xf0\xff" + bytes(15), 3, uncompressed_page_size=24),
            codec=SNAPPY),
        "SNAPPY data come to another size": _pages(
            page_v1(THREE, 3, packing=Packing(SNAPPY), uncompressed_page_size=50), codec=SNAPPY),
        "GZIP data are cut off": _pages(page_v1(Packing(GZIP).compress(THREE)[:-9], 3, uncompressed_page_size=24),
            codec=GZIP),
        "ZSTD data are something else": _pages(page_v1(THREE, 3), codec=CompressionCodec.ZSTD),
        "an uncompressed page has another size": _pages(page_v1(THREE, 3, uncompressed_page_size=25)),
    },
    "Levels": {
        "there is no room for their length": _pages(page_v1(b"\x01", 3), schema=OPTIONAL),
        "their length is beyond the page": _pages(page_v1(THREE, 3, definition_levels=b"\xff\0\0\0"), schema=OPTIONAL),
        "there are too few": _pages(page_v1(THREE, 3, definition_levels=b"\x02\0\0\0\x02\x01"), schema=OPTIONAL),
        "they end inside a run's header": _pages(page_v1(THREE, 3, definition_levels=b"\x01\0\0\0\x80"),
            schema=OPTIONAL),
        "a level is 2 where 1 is the most": _pages(page_v1(THREE, 3, definition_levels=b"\x02\0\0\0\x06\x02"),
            schema=OPTIONAL),
        "they are encoded with DELTA_BINARY_PACKED": _pages(
            page_v1(
                THREE, 3, definition_levels=levels(1, 1, 1), definition_level_encoding=Encoding.DELTA_BINARY_PACKED
            ),
            schema=OPTIONAL,
        ),
        "a list begins with repetition level 1": _pages(
            page_v1(THREE, 3, repetition_levels=levels(1, 0, 0), definition_levels=levels(1, 1, 1)),
            schema=root(leaf(repetition_type=2))),
    },
    "Values": {
        "the encoding is 15": _pages(page_v1(THREE, 3, 15)),
        "PLAIN: there are too few bytes": _pages(page_v1(integers(1, 2), 3)),
        "PLAIN: a string is longer than the page": _pages(page_v1(b"\xf5\xff\xff\xffabc", 1), schema=TEXT, num_values=1,
            num_rows=1),
        "PLAIN: strings end too early": _pages(page_v1(b"\1\0\0\0a\1\0\0\0b", 3), schema=TEXT),
        "dictionary: there is none": _pages(page_v1(b"\x01\x06\x00", 3, Encoding.RLE_DICTIONARY)),
        "dictionary: the bit width is 63": _dictionary(b"\x3f\x06\x00"),
        "dictionary: an id is beyond it": _dictionary(b"\x08\x06\x05"),
        "dictionary: there are too few ids": _dictionary(b"\x01\x04\x01"),
        "DELTA_BINARY_PACKED: the block size is 100": _pages(
            page_v1(b"\x64\x04\x03\x02" + bytes(40), 3, Encoding.DELTA_BINARY_PACKED)),
        "DELTA_BINARY_PACKED: another number of values": _pages(
            page_v1(b"\x80\x01\x04\x09\x02" + bytes(40), 3, Encoding.DELTA_BINARY_PACKED)),
        "DELTA_LENGTH_BYTE_ARRAY: lengths go beyond the page": _pages(
            page_v1(b"\x80\x01\x04\x03\xc8\x01\x00\x00\x00\x00\x00", 3, Encoding.DELTA_LENGTH_BYTE_ARRAY), schema=TEXT),
        "DELTA_BYTE_ARRAY: the first string has a prefix": _pages(
            page_v1(b"\x80\x01\x04\x01\x0a\x80\x01\x04\x01\x02x", 1, Encoding.DELTA_BYTE_ARRAY), schema=TEXT,
            num_values=1, num_rows=1),
        "BYTE_STREAM_SPLIT: the bytes are no multiple": _pages(page_v1(THREE + b"x", 3, Encoding.BYTE_STREAM_SPLIT)),
        "BYTE_STREAM_SPLIT: strings": _pages(page_v1(THREE, 3, Encoding.BYTE_STREAM_SPLIT), schema=TEXT),
    },
}  # fmt: skip
"""Sections of the page: what is wrong with a file, and what makes it."""

LIMITED = {
    "a page of 200 MiB": (_pages(page_v1(THREE, 3, uncompressed_page_size=200 << 20), codec=SNAPPY),
        {"page_bytes": 64 << 20}),
    "a page of 3 values": (one_column, {"page_values": 2}),
    "2 pages in a chunk": (_pages(page_v1(THREE, 3), page_v1(THREE, 3), num_values=6, num_rows=6), {"chunk_pages": 1}),
    "a footer of 200 bytes": (_footer(created_by="x" * 150), {"footer_bytes": 100}),
    "a schema of 2 elements": (one_column, {"schema_elements": 1}),
    "20 groups in each other": (_deep(20), {"schema_depth": 10}),
    "24 bytes of values": (one_column, {"read_bytes": 16}),
    "a column index of 50 bytes": (_pages(column_index_offset=4, column_index_length=50), {"index_bytes": 10}),
}  # fmt: skip
"""What a file asks for, what makes it, and the limit that it is opened with."""


class _Named(io.BytesIO):
    name = "example.parquet"


def error(data, **limits):
    """What reading the file gives: a ParquetError, or None."""
    try:
        with pqexplore.open(_Named(data), limits=pqexplore.Limits(**limits)) as opened:
            opened.read()
            for chunk in opened.chunks():
                _ = chunk.column_index
    except ParquetError as raised:
        return raised
    return None


def _row(what, raised):
    public = next(one.__name__ for one in type(raised).__mro__ if one.__name__ in pqexplore.__all__)
    text = str(raised).replace("|", "\\|").replace("<", "\\<").replace("`", "\\`")
    return f"| {what} | `{public}` | {text} |\n"


def text():
    """The whole page."""
    parts = [INTRODUCTION]
    for title, cases in SECTIONS.items():
        parts.append(f"\n## {title}\n\n| what is wrong | error | message |\n|---|---|---|\n")
        parts += [_row(what, error(make())) for what, make in cases.items()]
    parts.append("\n## Limits\n\nThe files are fine; the limits are set low.\n\n")
    parts.append("| what the file asks for | error | message |\n|---|---|---|\n")
    parts += [_row(what, error(make(), **limits)) for what, (make, limits) in LIMITED.items()]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
