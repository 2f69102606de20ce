"""A part of a page of dictionary ids has the values that the whole page has, and needs few of the dictionary's entries."""

import random
from decimal import Decimal
from typing import Any

import cramjam
import numpy as np
import pyarrow as pa
import pytest
from made import parquet
from quick import quick

import pqexplore
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.page import Page
from pqexplore.engine.file.some_entries import STREAMED, beginning
from pqexplore.engine.format import codecs
from pqexplore.engine.format.thrift.structs import CompressionCodec

COUNT = 30_000
NUMBERS = np.random.default_rng(3).permutation(COUNT)
TEXTS = [f"{n * 7919 % 1_000_003:x}" * (1 + n % 5) for n in NUMBERS.tolist()]
COLUMNS: dict[str, pa.Array] = {
    "int32": pa.array(NUMBERS, pa.int32()),
    "time": pa.array(NUMBERS * 1_000_003, pa.timestamp("us")),
    "double": pa.array(NUMBERS / 7),
    "text": pa.array(TEXTS),
    "long": pa.array([one * 40 for one in TEXTS]),
    "fixed": pa.array([one[:4].ljust(4).encode() for one in TEXTS], pa.binary(4)),
    "decimal": pa.array([Decimal(n) / 100 for n in NUMBERS.tolist()], pa.decimal128(9, 2)),
    "nulls": pa.array([n if n % 3 else None for n in NUMBERS.tolist()]),
    "lists": pa.array([[n, n + 1] if n % 5 else [] for n in NUMBERS.tolist()]),
}


def _written(codec: str) -> bytes:
    return parquet(pa.table(COLUMNS), compression=codec, data_page_size=8_000, dictionary_pagesize_limit=1 << 24)


def _page(raw: bytes, column: int, number: int) -> Page:
    return pqexplore.open(raw).row_groups[0].columns[column].pages[number]


@pytest.mark.parametrize("codec", quick(["none", "snappy", "zstd", "gzip", "lz4"], "none", "zstd"))
def test_a_part_is_that_of_the_whole(codec: str) -> None:
    raw = _written(codec)
    file = pqexplore.open(raw)
    for chunk in file.row_groups[0].columns:
        numbers = sorted({1, 2, len(chunk.pages) // 2, len(chunk.pages) - 1})
        for number in numbers:
            whole = chunk.pages[number].values
            for start, stop in ((0, 3), (100, 150), (7, 7), (0, len(whole))):
                part = _page(raw, chunk.index, number).values_part(start, stop)
                assert part.equals(whole[start:stop]), (chunk.leaf.path, number, start)


def test_the_first_values_do_not_need_the_whole_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = list[Any]()
    original = Page._open_body
    monkeypatch.setattr(Page, "_open_body", lambda page: opened.append(page.kind) or original(page))
    raw = _written("snappy")
    for column in range(len(COLUMNS) - 3):
        page = _page(raw, column, 1)
        assert len(page.physical_part(0, 50)) == 50
        assert opened == [page.kind], COLUMNS
        opened.clear()


def test_damage_further_on_in_a_dictionary_costs_what_needs_it() -> None:
    raw = bytearray(_written("none"))
    column = list(COLUMNS).index("text")
    file = pqexplore.open(bytes(raw))
    pages = file.row_groups[0].columns[column].pages
    whole, frame = pages[1].physical, pages[0].frame
    raw[frame.end - 3_000 : frame.end] = b"\xff" * 3_000
    assert _page(bytes(raw), column, 1).physical_part(0, 50).equals(whole[:50])
    with pytest.raises(ParquetError, match="bytes"):
        _page(bytes(raw), column, len(pages) - 1).physical_part(0, 50)


# The first bytes of compressed data are those of the whole; what is unusual is left to `codecs.decompress`.


WORDS = random.Random(5)
REPEATED = b"abcabcabcabcab" * 3_000
DATA = {
    "text": b" ".join(str(WORDS.randrange(5_000)).encode() for _ in range(40_000)),
    "repeated": REPEATED,
    "one byte": b"x" * 100_000,
    "random": WORDS.randbytes(150_000),
}
CODECS = (CompressionCodec.UNCOMPRESSED, CompressionCodec.SNAPPY, *STREAMED)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("codec", CODECS)
def test_a_beginning_is_that_of_the_whole(codec: CompressionCodec, name: str) -> None:
    raw = DATA[name]
    stored = memoryview(codecs.compress(codec, raw))
    for count in (1, 2, 63, 4_096, 65_536, len(raw)):
        expected = raw[:count] if count <= len(raw) else None
        assert beginning(codec, stored, len(raw), count) == expected


def test_the_end_is_not_needed() -> None:
    stored = memoryview(bytes(cramjam.snappy.compress_raw(DATA["text"])))
    assert beginning(CompressionCodec.SNAPPY, stored[:8_000], len(DATA["text"]), 4_096) == (DATA["text"][:4_096])
    assert beginning(CompressionCodec.SNAPPY, stored[:800], len(DATA["text"]), 4_096) is None


@pytest.mark.parametrize(
    ("codec", "stored", "size"),
    [
        (CompressionCodec.SNAPPY, b"", 9),
        (CompressionCodec.SNAPPY, b"\x80\x80\x80\x80\x80\x80\x00", 9),
        (CompressionCodec.SNAPPY, b"\x08\x20abcdefghi", 9),  # says 8 bytes, the header 9
        (CompressionCodec.SNAPPY, b"\x09\x01\x04", 9),  # copies from before the beginning
        (CompressionCodec.SNAPPY, b"\x09\x0cabc", 9),  # the literal is cut
        (CompressionCodec.GZIP, b"not gzip data", 9),
        (CompressionCodec.ZSTD, b"not zstd data", 9),
        (CompressionCodec.LZ4_RAW, codecs.compress(CompressionCodec.LZ4_RAW, b"abcdefghi"), 9),
        (77, b"abcdefghi", 9),
    ],
)
def test_what_is_unusual_is_left_alone(codec: int, stored: bytes, size: int) -> None:
    assert beginning(codec, memoryview(stored), size, 5) is None
