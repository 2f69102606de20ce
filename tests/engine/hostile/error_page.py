"""The page of the docs that lists what is said about broken files: `python tests/engine/hostile/error_page.py`.

Every file on the page is made here, and every message is the one that reading it gives.
"""

import io
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "errors.md"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")] if __name__ == "__main__" else []

import cramjam  # noqa: E402
from engine.hostile import forge  # noqa: E402
from engine.hostile.forge import element, file, integers, page, page_v2, root, setting  # noqa: E402

import pqexplore  # noqa: E402
from pqexplore.engine.errors import ParquetError  # noqa: E402

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
| `EncryptedFileError` | A part is locked. | Open the file with `decryption=`. |

`read` is all or nothing; pages, chunks and the tree are not: damage to one leaves the others as they are.

Below, each file has one thing wrong.
"""


def _chunk(path, value, **options):
    return lambda: file(edit_chunk=setting(path, value), **options)


def _pages(*pages, **options):
    return lambda: file(*pages, **options)


THREE = integers(1, 2, 3)
OPTIONAL = root(element(repetition_type=forge.OPTIONAL))
TEXT = root(element(type=forge.BYTE_ARRAY))


def _dictionary(ids, num_values=3, entries=2):
    return _pages(
        forge.dictionary_page(integers(*range(entries)), entries),
        page(ids, num_values, forge.RLE_DICTIONARY),
    )


def _deep(depth):
    groups = [
        forge.structs.SchemaElement(name=f"g{i}", num_children=1, repetition_type=0)
        for i in range(depth)
    ]
    return lambda: file(schema=root(*groups, element(), num_children=1))


def _cut(data):
    length = int.from_bytes(data[-8:-4], "little")
    return data[: -8 - length]


SECTIONS = {
    "The ends of the file": {
        "it is empty": lambda: b"",
        "it has four bytes": lambda: b"PAR1",
        "it is something else": lambda: b"id,name\n1,Anna\n2,Otto\n",
        "it was cut off before its footer": lambda: _cut(file()),
        "its last byte is missing": lambda: file()[:-1],
        "the footer length is larger than the file": lambda: file()[:-8] + b"\xff\xff\xff\x7fPAR1",
        "the footer length is 0": lambda: file()[:-8] + bytes(4) + b"PAR1",
        "the footer length is too small": lambda: file()[:-8] + b"\x05\0\0\0PAR1",
        "the footer is text": lambda: forge.ended(b"PAR1", b"this is not a footer"),
        "the footer is zeros": lambda: forge.ended(b"PAR1", bytes(20)),
        "the footer lacks its row groups": lambda: file(edit_footer=setting("row_groups", None)),
        "the footer lacks its number of rows": lambda: file(edit_footer=setting("num_rows", None)),
    },
    "The schema": {
        "there is no element": lambda: file(schema=[]),
        "a group has −21 children": lambda: file(schema=root(element(), num_children=-21)),
        "a group has more children than there are elements": lambda: file(
            schema=root(element(), num_children=3)
        ),
        "elements are left over": lambda: file(
            schema=root(element(), element("b"), num_children=1)
        ),
        "an element has no name": lambda: file(schema=root(element(name=None))),
        "an element is repeated in an unknown way": lambda: file(
            schema=root(element(repetition_type=7))
        ),
        "the physical type is −7": lambda: file(schema=root(element(type=-7))),
        "a FIXED_LEN_BYTE_ARRAY has no length": lambda: file(schema=root(element(type=7))),
        "DECIMAL has precision 0": lambda: file(
            schema=root(
                element(
                    logicalType=forge.structs.LogicalType(
                        DECIMAL=forge.structs.DecimalType(scale=2, precision=0)
                    )
                )
            )
        ),
        "INT(32) annotates INT64": lambda: file(
            schema=root(
                element(
                    logicalType=forge.structs.LogicalType(
                        INTEGER=forge.structs.IntType(bitWidth=32, isSigned=True)
                    )
                )
            )
        ),
    },
    "Row groups and column chunks": {
        "a row group lists a chunk too many": lambda: file(
            edit_group=lambda group: group.columns.append(group.columns[0])
        ),
        "num_rows of the row group is −1": lambda: file(edit_group=setting("num_rows", -1)),
        "num_rows of the row group is four billion": lambda: file(
            edit_group=setting("num_rows", 4_294_967_294),
            edit_footer=setting("num_rows", 4_294_967_294),
        ),
        "the chunk has no meta_data": _chunk("meta_data", None),
        "the chunk's metadata lack their encodings": _chunk("meta_data.encodings", None),
        "data_page_offset is −1": _chunk("meta_data.data_page_offset", -1),
        "data_page_offset is beyond the file": _chunk("meta_data.data_page_offset", 1 << 40),
        "total_compressed_size is beyond the file": _chunk(
            "meta_data.total_compressed_size", 1 << 40
        ),
        "num_values is −1": _chunk("meta_data.num_values", -1),
        "num_values is more than the pages hold": _chunk("meta_data.num_values", 5),
        "the codec is 5000": _chunk("meta_data.codec", 5000),
        "the pages lie in another file": _chunk("file_path", "part-1.parquet"),
    },
    "Page headers": {
        "there is none, but zeros": _pages(bytes(40)),
        "it ends too early": _pages(b"\x15\x00\x15"),
        "it lacks the number of values": _pages(page(THREE, None)),
        "it lacks the part for its type": _pages(page(THREE, 3, data_page_header=None)),
        "a size is negative": _pages(page(THREE, 3, compressed_page_size=-4001)),
        "its page is larger than the file": _pages(page(THREE, 3, compressed_page_size=1 << 30)),
        "the number of values is negative": _pages(page(THREE, -3)),
        "its type is unknown": _pages(page(THREE, 3, type=9)),
        "V2: the length of the levels is negative": _pages(
            page_v2(THREE, 3, edit=setting("data_page_header_v2.definition_levels_byte_length", -1))
        ),
        "V2: the levels are longer than the page": _pages(
            page_v2(
                THREE, 3, edit=setting("data_page_header_v2.definition_levels_byte_length", 1000)
            )
        ),
    },
    "Compressed pages": {
        "SNAPPY data are damaged": _pages(
            page(b"\x18\xf0\xff" + bytes(15), 3, uncompressed_page_size=24), codec=1
        ),
        "SNAPPY data come to another size": _pages(
            page(bytes(cramjam.snappy.compress_raw(THREE)), 3, uncompressed_page_size=50), codec=1
        ),
        "GZIP data are cut off": _pages(
            page(bytes(cramjam.gzip.compress(THREE))[:-9], 3, uncompressed_page_size=24), codec=2
        ),
        "ZSTD data are something else": _pages(page(THREE, 3), codec=6),
        "an uncompressed page has another size": _pages(page(THREE, 3, uncompressed_page_size=25)),
    },
    "Levels": {
        "there is no room for their length": _pages(page(b"\x01", 3), schema=OPTIONAL),
        "their length is beyond the page": _pages(page(b"\xff\0\0\0" + THREE, 3), schema=OPTIONAL),
        "there are too few": _pages(page(b"\x02\0\0\0\x02\x01" + THREE, 3), schema=OPTIONAL),
        "they end inside a run's header": _pages(
            page(b"\x01\0\0\0\x80" + THREE, 3), schema=OPTIONAL
        ),
        "a level is 2 where 1 is the most": _pages(
            page(b"\x02\0\0\0\x06\x02" + THREE, 3), schema=OPTIONAL
        ),
        "they are encoded with DELTA_BINARY_PACKED": _pages(
            page(
                forge.levels(1, 1, 1) + THREE,
                3,
                edit=setting("data_page_header.definition_level_encoding", 5),
            ),
            schema=OPTIONAL,
        ),
        "a list begins with repetition level 1": _pages(
            page(forge.levels(1, 0, 0) + forge.levels(1, 1, 1) + THREE, 3),
            schema=root(element(repetition_type=2)),
        ),
    },
    "Values": {
        "the encoding is 15": _pages(page(THREE, 3, 15)),
        "PLAIN: there are too few bytes": _pages(page(integers(1, 2), 3)),
        "PLAIN: a string is longer than the page": _pages(
            page(b"\xf5\xff\xff\xffabc", 1), schema=TEXT, num_values=1, num_rows=1
        ),
        "PLAIN: strings end too early": _pages(page(b"\1\0\0\0a\1\0\0\0b", 3), schema=TEXT),
        "dictionary: there is none": _pages(page(b"\x01\x06\x00", 3, forge.RLE_DICTIONARY)),
        "dictionary: the bit width is 63": _dictionary(b"\x3f\x06\x00"),
        "dictionary: an id is beyond it": _dictionary(b"\x08\x06\x05"),
        "dictionary: there are too few ids": _dictionary(b"\x01\x04\x01"),
        "DELTA_BINARY_PACKED: the block size is 100": _pages(
            page(b"\x64\x04\x03\x02" + bytes(40), 3, 5)
        ),
        "DELTA_BINARY_PACKED: another number of values": _pages(
            page(b"\x80\x01\x04\x09\x02" + bytes(40), 3, 5)
        ),
        "DELTA_LENGTH_BYTE_ARRAY: lengths go beyond the page": _pages(
            page(b"\x80\x01\x04\x03\xc8\x01\x00\x00\x00\x00\x00", 3, 6), schema=TEXT
        ),
        "DELTA_BYTE_ARRAY: the first string has a prefix": _pages(
            page(b"\x80\x01\x04\x01\x0a\x80\x01\x04\x01\x02x", 1, 7),
            schema=TEXT,
            num_values=1,
            num_rows=1,
        ),
        "BYTE_STREAM_SPLIT: the bytes are no multiple": _pages(page(THREE + b"x", 3, 9)),
        "BYTE_STREAM_SPLIT: strings": _pages(page(THREE, 3, 9), schema=TEXT),
    },
}
"""Sections of the page: what is wrong with a file, and what makes it."""

LIMITED = {
    "a page of 200 MiB": (
        _pages(page(THREE, 3, uncompressed_page_size=200 << 20), codec=1),
        {"page_bytes": 64 << 20},
    ),
    "a page of 3 values": (file, {"page_values": 2}),
    "2 pages in a chunk": (
        _pages(page(THREE, 3), page(THREE, 3), num_values=6, num_rows=6),
        {"chunk_pages": 1},
    ),
    "a footer of 200 bytes": (
        lambda: file(edit_footer=setting("created_by", "x" * 150)),
        {"footer_bytes": 100},
    ),
    "a schema of 2 elements": (file, {"schema_elements": 1}),
    "20 groups in each other": (_deep(20), {"schema_depth": 10}),
    "24 bytes of values": (file, {"read_bytes": 16}),
    "a column index of 50 bytes": (
        lambda: file(
            edit_chunk=lambda chunk: (
                setting("column_index_offset", 4)(chunk),
                setting("column_index_length", 50)(chunk),
            )
        ),
        {"index_bytes": 10},
    ),
}
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
    text = str(raised).replace("|", "\\|").replace("<", "\\<").replace("`", "\\`")
    return f"| {what} | `{type(raised).__name__}` | {text} |\n"


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
