"""Compression: page bytes in, exactly the declared bytes out, or a clear error."""

import builtins
import contextlib
import gzip
import struct

import cramjam
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import (
    CorruptFileError,
    LimitExceededError,
    ParquetError,
    UnsupportedFeatureError,
    UsageError,
)
from pqexplore.engine.format import codecs
from pqexplore.engine.format.codecs import (
    BROTLI,
    GZIP,
    LZ4,
    LZ4_RAW,
    LZO,
    SNAPPY,
    UNCOMPRESSED,
    ZSTD,
    compress,
    decompress,
    decompress_into,
)
from pqexplore.engine.limits import Limits

ALL = range(8)
COMPRESSING = range(1, 8)
TEXT = b"to be or not to be, that is the question; " * 40


def named(codec: int) -> str:
    return codecs.NAMES[codec]


def lz4_block(data: bytes) -> bytes:
    return bytes(cramjam.lz4.compress_block(data, store_size=False))


def hadoop(uncompressed: int, *blocks: bytes) -> bytes:
    return struct.pack(">I", uncompressed) + b"".join(struct.pack(">I", len(block)) + block for block in blocks)


@pytest.mark.parametrize("codec", ALL, ids=named)
@pytest.mark.parametrize("data", [b"", b"a", TEXT, bytes(1 << 20)], ids=["0", "1", "text", "MB"])
def test_compressed_data_decompress_to_themselves(codec, data):
    assert bytes(decompress(codec, compress(codec, data), len(data))) == data


@settings(max_examples=40, deadline=None)
@given(data=st.binary(max_size=600), codec=st.sampled_from(ALL))
def test_any_bytes_come_back(data, codec):
    assert decompress(codec, memoryview(compress(codec, data)), len(data)) == data


FOREIGN = [
    # Written by hand, from the formats' own specifications.
    pytest.param(SNAPPY, bytes.fromhex("03 08") + b"abc", b"abc", id="snappy: length, literal"),
    pytest.param(SNAPPY, bytes.fromhex("00"), b"", id="snappy: nothing"),
    pytest.param(GZIP, gzip.compress(b"ab") + gzip.compress(b"c"), b"abc", id="two gzip members"),
    pytest.param(GZIP, gzip.compress(b""), b"", id="gzip: nothing"),
    pytest.param(BROTLI, bytes.fromhex("3b"), b"", id="brotli: nothing"),
    pytest.param(ZSTD, bytes.fromhex("28b52ffd 20 03 190000") + b"abc" + bytes.fromhex("28b52ffd 20 01 090000") + b"d",
        b"abcd", id="two zstd frames"),
    pytest.param(LZ4_RAW, bytes.fromhex("30") + b"abc", b"abc", id="lz4 block: literals"),
    pytest.param(LZ4, bytes.fromhex("30") + b"abc", b"abc", id="lz4 without framing"),
    pytest.param(LZ4, hadoop(3, bytes.fromhex("30") + b"abc"), b"abc", id="lz4 in hadoop's framing"),
    pytest.param(LZ4, hadoop(3, b"\x20ab", b"\x10c") + hadoop(1, b"\x10d"), b"abcd",
        id="lz4 in hadoop's framing, several blocks"),
    pytest.param(LZ4, hadoop(1, b"\x10a") + hadoop(1, b"\x10b"), b"ab",
        id="lz4 in hadoop's framing, blocks of one byte"),
    pytest.param(LZ4, hadoop(0, b"\x00"), b"", id="lz4 in hadoop's framing: nothing"),
    pytest.param(LZ4, bytes(cramjam.lz4.compress(TEXT)), TEXT, id="lz4 frame"),
    pytest.param(LZ4, lz4_block(TEXT), TEXT, id="lz4 block of text"),
    pytest.param(LZO, bytes.fromhex("14") + b"abc" + bytes.fromhex("110000"), b"abc", id="lzo bare"),
    pytest.param(LZO, hadoop(3, bytes.fromhex("14") + b"abc" + bytes.fromhex("110000")), b"abc",
        id="lzo in hadoop's framing"),
]  # fmt: skip


@pytest.mark.parametrize(("codec", "data", "expected"), FOREIGN)
def test_decompress(codec, data, expected):
    out = decompress(codec, memoryview(data), len(expected))
    assert out.readonly
    assert bytes(out) == expected


@pytest.mark.parametrize("codec", ALL, ids=named)
@pytest.mark.parametrize("difference", [-len(TEXT), -len(TEXT) + 1, -1, 1, 1000])
def test_another_length_than_declared_is_an_error(codec, difference):
    with pytest.raises(CorruptFileError):
        decompress(codec, compress(codec, TEXT), len(TEXT) + difference)


@pytest.mark.parametrize("codec", COMPRESSING, ids=named)
@pytest.mark.parametrize(
    "data", [b"", compress(ZSTD, TEXT)[:-3], b"\xff" * 40, bytes(40)], ids=["empty", "cut off", "ones", "zeros"]
)
def test_other_bytes_are_an_error(codec, data):
    with pytest.raises(CorruptFileError, match=r"LZ|SNAPPY|GZIP|BROTLI|ZSTD"):
        decompress(codec, data, len(TEXT))


@pytest.mark.parametrize("codec", COMPRESSING, ids=named)
def test_data_cut_off_are_an_error(codec):
    data = compress(codec, TEXT)
    for end in range(len(data)):
        with pytest.raises(CorruptFileError):
            decompress(codec, data[:end], len(TEXT))


@settings(max_examples=150, deadline=None)
@given(data=st.data(), codec=st.sampled_from(COMPRESSING))
def test_any_damage_is_a_parquet_error_or_bytes_of_that_length(data, codec):
    stream = bytearray(compress(codec, TEXT))
    stream[data.draw(st.integers(0, len(stream) - 1))] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(ParquetError):
        assert len(decompress(codec, bytes(stream), len(TEXT))) == len(TEXT)


def test_gzip_checks_its_checksum():
    damaged = bytearray(gzip.compress(TEXT))
    damaged[-8] ^= 1
    with pytest.raises(CorruptFileError, match="checksum"):
        decompress(GZIP, bytes(damaged), len(TEXT))


def test_gzip_refuses_zlib_and_bytes_after_the_last_member():
    with pytest.raises(CorruptFileError, match="GZIP"):
        decompress(GZIP, bytes(cramjam.zlib.compress(TEXT)), len(TEXT))
    with pytest.raises(CorruptFileError, match="GZIP"):
        decompress(GZIP, gzip.compress(TEXT) + b"garbage", len(TEXT))


def test_snappy_of_another_length_raises_with_both_lengths():
    message = f"say that they decompress to {len(TEXT):,} bytes, the page header declares 7"
    with pytest.raises(CorruptFileError, match=message):
        decompress(SNAPPY, compress(SNAPPY, TEXT), 7)


@pytest.mark.parametrize("codec", COMPRESSING, ids=named)
def test_a_declared_size_over_the_limit_is_refused_first(codec):
    with pytest.raises(LimitExceededError, match="page_bytes=1025"):
        decompress(codec, b"", 1025, limits=Limits(page_bytes=1024))


@pytest.mark.parametrize("codec", COMPRESSING, ids=named)
def test_a_bomb_is_stopped_at_the_declared_size(codec):
    with pytest.raises(CorruptFileError):
        decompress(codec, compress(codec, bytes(1 << 22)), 100)


def test_lzo_that_could_exceed_the_limit_raises():
    # The library cannot be told how much it may write.
    bare = bytes.fromhex("14") + b"abc" + bytes.fromhex("110000")
    with pytest.raises(LimitExceededError, match="7 bytes of LZO"):
        decompress(LZO, bare, 3, limits=Limits(page_bytes=7 * 255 - 1))
    with pytest.raises(CorruptFileError, match="cannot come to the declared"):
        decompress(LZO, bare, 7 * 255 + 1)


def test_brotlis_large_window_is_no_brotli():
    with pytest.raises(CorruptFileError, match="RFC 7932"):
        decompress(BROTLI, bytes.fromhex("11 1e 00 00"), 10)


def test_a_missing_lzo_library_raises_with_the_remedy(monkeypatch):
    real = builtins.__import__

    def without_lzo(name, *args, **kwargs):
        if name == "lzallright":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_lzo)
    for action in (lambda: decompress(LZO, b"\x11\x00\x00", 1), lambda: compress(LZO, b"x")):
        with pytest.raises(UnsupportedFeatureError, match=r"pip install pqexplore\[lzo\]"):
            action()


@pytest.mark.parametrize("codec", [-1, 8, 77])
def test_unknown_codecs_raise(codec):
    with pytest.raises(UnsupportedFeatureError, match=str(codec)):
        decompress(codec, b"", 0)
    with pytest.raises(UnsupportedFeatureError, match=str(codec)):
        compress(codec, b"")
    with pytest.raises(UnsupportedFeatureError, match=str(codec)):
        decompress_into(codec, memoryview(b"x"), memoryview(bytearray(1)))


def test_a_negative_size():
    with pytest.raises(CorruptFileError, match="negative"):
        decompress(UNCOMPRESSED, b"", -1)


def test_uncompressed_is_not_copied():
    page = bytearray(b"abc")
    out = decompress(UNCOMPRESSED, memoryview(page), 3)
    page[0] = ord("x")
    assert bytes(out) == b"xbc"


def test_levels():
    assert len(compress(ZSTD, TEXT * 100, 19)) <= len(compress(ZSTD, TEXT * 100, -5))
    with pytest.raises(UsageError, match="levels 0 to 9"):
        compress(GZIP, TEXT, 10)
    with pytest.raises(UsageError, match="SNAPPY has no"):
        compress(SNAPPY, TEXT, 1)
