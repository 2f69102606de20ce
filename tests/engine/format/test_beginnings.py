"""The first bytes of compressed data are those of the whole; what is unusual is left to `codecs.decompress`."""

from __future__ import annotations

import random

import cramjam
import pytest

from pqexplore.engine.file.some_entries import STREAMED, beginning
from pqexplore.engine.format import codecs
from pqexplore.engine.format.thrift.structs import CompressionCodec

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
