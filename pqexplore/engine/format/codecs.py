"""Compression of pages with general-purpose codecs.

A codec is a name in the chunk's metadata and a pair of functions. The page header declares the size of the decompressed
bytes, so a small file cannot ask for much memory: the output is allocated once, at the declared size, after the limit
was checked. A codec that would write more is stopped. One that writes less is an error: the rest of the buffer would
hold what the memory held before. LZ4 (5) and LZO (3) have Hadoop's framing around their blocks.

Specification: https://github.com/apache/parquet-format/blob/master/Compression.md
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import cramjam
import pyarrow as pa

from pqexplore.engine.errors import CorruptFileError, UndefinedNumberError, UnsupportedFeatureError, UsageError
from pqexplore.engine.limits import DEFAULT, Limits

UNCOMPRESSED, SNAPPY, GZIP, LZO, BROTLI, LZ4, ZSTD, LZ4_RAW = range(8)
"""`CompressionCodec` of parquet.thrift."""

NAMES = ("UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW")

LZ4_FRAME_MAGIC = b"\x04\x22\x4d\x18"
_LZ4_EMPTY = b"\x00\x00\x00\x01\x00"
"""An LZ4 block without bytes, after its compressed length: how Arrow frames an empty page."""
_LZO_MAX_EXPANSION = 255
"""LZO1X codes a match's length in bytes that add at most 255 each."""
_HADOOP_BLOCK_BYTES = 256 << 10
"""Bytes of one framed block: Hadoop's default `io.compression.codec.lz4.buffersize`."""


def decompress(codec: int, data: memoryview | bytes, uncompressed_size: int, *, limits: Limits = DEFAULT) -> memoryview:
    """The decompressed bytes of a page: exactly `uncompressed_size` of them, read-only.

    No more than that is allocated (except for LZO, whose library cannot be bounded: see `_lzo`). Empty `data` with a
    declared size of 0 is accepted for every codec: writers skip the codec for a page without values.

    Raises CorruptFileError if the data are not the codec's, or decompress to another size than declared;
    UnsupportedFeatureError for an unknown codec, or LZO without its library; LimitExceededError if the declared size
    is over `limits.page_bytes`.
    """
    name = _name(codec)
    if uncompressed_size < 0:
        raise CorruptFileError(f"the uncompressed size of a page is negative: {uncompressed_size}")
    view = memoryview(data).cast("B")
    if codec == UNCOMPRESSED:
        if len(view) != uncompressed_size:
            raise CorruptFileError(
                f"an UNCOMPRESSED page holds {len(view):,} bytes, its header declares {uncompressed_size:,}"
            )
        return view.toreadonly()
    limits.check("page_bytes", uncompressed_size, f"a {name} page")
    if not len(view) and not uncompressed_size:
        return memoryview(b"")
    # Arrow's allocator reuses memory; for the system to map new memory takes longer than to decompress into it.
    out = memoryview(pa.allocate_buffer(uncompressed_size)).cast("B")
    _fill(codec, view, out, limits)
    return out.toreadonly()


def decompress_into(codec: int, data: memoryview, out: memoryview, *, limits: Limits = DEFAULT) -> None:
    """`decompress` into all of `out`. The codec must not be UNCOMPRESSED. Errors as in `decompress`."""
    limits.check("page_bytes", len(out), f"a {_name(codec)} page")
    if len(data) or len(out):
        _fill(codec, data, out, limits)


def _name(codec: int) -> str:
    if not 0 <= codec < len(NAMES):
        raise UndefinedNumberError(f"compression codec {codec} is unknown; the format has 0 to {len(NAMES) - 1}")
    return NAMES[codec]


def _fill(codec: int, data: memoryview, out: memoryview, limits: Limits) -> None:
    written = _lzo(data, out, limits) if codec == LZO else _DECOMPRESS[codec](data, out)
    if written != len(out):
        raise CorruptFileError(
            f"{NAMES[codec]} data decompress to {written:,} bytes, the page header declares {len(out):,}"
        )


def compress(codec: int, data: memoryview | bytes, level: int | None = None) -> bytes:
    """`data` compressed, as a page holds it. LZ4 and LZO are written in Hadoop's framing.

    GZIP, BROTLI and ZSTD have a `level` (None: 6, 8 and 3). Raises UsageError for a level that the codec does not
    have, UnsupportedFeatureError for an unknown codec, or LZO without its library.
    """
    if not 0 <= codec < len(NAMES):
        raise UnsupportedFeatureError(f"compression codec {codec} is unknown")
    raw = bytes(data)
    if codec in _LEVELS:
        module, default, lowest, highest = _LEVELS[codec]
        chosen = default if level is None else level
        if not lowest <= chosen <= highest:
            raise UsageError(f"{NAMES[codec]} has levels {lowest} to {highest}, not {level}")
        return bytes(module.compress(raw, chosen))
    if level is not None:
        raise UsageError(f"{NAMES[codec]} has no compression levels")
    if codec == UNCOMPRESSED:
        return raw
    if codec == SNAPPY:
        return bytes(cramjam.snappy.compress_raw(raw))
    if codec == LZ4_RAW:
        return _lz4_block(raw)
    if codec == LZ4:
        return _hadoop_framed(raw, _lz4_block)
    lzo = _lzo_library().LZOCompressor()
    return _hadoop_framed(raw, lambda block: bytes(lzo.compress(block)))


_LEVELS: dict[int, tuple[ModuleType, int, int, int]] = {
    GZIP: (cramjam.gzip, 6, 0, 9),
    BROTLI: (cramjam.brotli, 8, 0, 11),
    ZSTD: (cramjam.zstd, 3, -7, 22),
}


_REASONS = (
    (("failed to write whole buffer", "Destination buffer"), "they decompress to more"),
    (("unexpected end", "incomplete", "InputOverrun", "must at least contain"), "they end too early"),
    (("header mismatch",), "they hold another number of bytes than they say"),
    (("gzip header", "frame descriptor"), "they do not begin so"),
    (("matching checksum",), "the checksum in them is not that of what they hold"),
    (("Lookbehind", "valid offset"), "they copy from before their beginning"),
)
"""What the libraries' messages mean, by parts of them."""


def _reason(error: Exception) -> str:
    """A library's reason for not decompressing, in our words."""
    words = str(error)
    found = (reason for parts, reason in _REASONS if any(part in words for part in parts))
    return next(found, "they are damaged, or of another codec")


# Each of the following fills `out` from its start and returns how many bytes it wrote.


def _run(codec: str, into: Callable[[memoryview, memoryview], int], data: memoryview, out: memoryview) -> int:
    """Run one of cramjam's bounded decompressors; its error becomes a CorruptFileError."""
    try:
        return int(into(data, out))
    except cramjam.DecompressionError as error:
        raise CorruptFileError(
            f"{len(data):,} bytes do not decompress as {codec} into {len(out):,} bytes: {_reason(error)}"
        ) from None


def _snappy(data: memoryview, out: memoryview) -> int:
    """A raw Snappy block; it begins with its own length, which must be the declared one."""
    try:
        own = int(cramjam.snappy.decompress_raw_len(data))
    except cramjam.DecompressionError:
        raise CorruptFileError(
            f"SNAPPY data do not begin with their length; the first bytes are {bytes(data[:8]).hex(' ') or 'absent'}"
        ) from None
    if own != len(out):
        raise CorruptFileError(
            f"SNAPPY data say that they decompress to {own:,} bytes, the page header declares {len(out):,}"
        )
    return _run("SNAPPY", cramjam.snappy.decompress_raw_into, data, out)


def _gzip(data: memoryview, out: memoryview) -> int:
    """One or more GZIP members, each with its checksum; bytes after the last one are an error."""
    return _run("GZIP", cramjam.gzip.decompress_into, data, out)


def _brotli(data: memoryview, out: memoryview) -> int:
    """One Brotli stream. Its end is in the stream: bytes after it are not seen."""
    if len(data) and data[0] & 0x7F == 0x11:
        # RFC 7932 section 9.1 reserves this window size; libraries read it as "large window", up to 1 GiB.
        raise CorruptFileError("BROTLI data begin with a window size that RFC 7932 reserves", offset=0)
    return _run("BROTLI", cramjam.brotli.decompress_into, data, out)


def _zstd(data: memoryview, out: memoryview) -> int:
    """One or more Zstandard frames, skippable ones included."""
    return _run("ZSTD", cramjam.zstd.decompress_into, data, out)


def _lz4_raw(data: memoryview, out: memoryview) -> int:
    """One LZ4 block."""
    if not len(data):
        raise CorruptFileError(f"no LZ4 data for {len(out):,} declared bytes")
    return _run("LZ4", cramjam.lz4.decompress_block_into, data, out)


def _lz4(data: memoryview, out: memoryview) -> int:
    """The deprecated LZ4, in one of three framings.

    Hadoop's framing is tried first: its lengths must add up to the input and to the output, which other data do not do
    by chance. Then the LZ4 frame format, by its magic. Anything else is a bare block (parquet-cpp < 0.15).
    """
    written = _hadoop_unframed(data, out, _lz4_raw)
    if written is not None:
        return written
    if data[:4] == LZ4_FRAME_MAGIC:
        return _run("an LZ4 frame", cramjam.lz4.decompress_into, data, out)
    return _run("LZ4, in Hadoop's framing or bare,", cramjam.lz4.decompress_block_into, data, out)


def _lzo(data: memoryview, out: memoryview, limits: Limits) -> int:
    """LZO1X, in Hadoop's framing or bare.

    The library allocates what the data ask for, even if it is given a size. So the input is bounded first: its size at
    LZO's greatest expansion must be within `limits.page_bytes`.
    """
    if len(data) * _LZO_MAX_EXPANSION < len(out):
        raise CorruptFileError(
            f"{len(data):,} bytes of LZO cannot come to the declared {len(out):,} bytes: "
            f"a byte of LZO yields at most {_LZO_MAX_EXPANSION}"
        )
    library = _lzo_library()

    def block(data: memoryview, rest: memoryview) -> int:
        limits.check(
            "page_bytes",
            len(data) * _LZO_MAX_EXPANSION,
            f"{len(data):,} bytes of LZO, whose size is known only afterwards,",
        )
        try:
            hint = min(len(rest), len(data) * _LZO_MAX_EXPANSION)
            plain = library.LZOCompressor.decompress(bytes(data), hint)
        except library.LZOError as error:
            raise CorruptFileError(
                f"{len(data):,} bytes do not decompress as LZO into {len(rest):,} bytes: {_reason(error)}"
            ) from None
        if len(plain) > len(rest):
            raise CorruptFileError(f"LZO data decompress to {len(plain):,} bytes where {len(rest):,} are declared")
        rest[: len(plain)] = plain
        return len(plain)

    written = _hadoop_unframed(data, out, block)
    return block(data, out) if written is None else written


def _lzo_library() -> ModuleType:
    try:
        import lzallright
    except ImportError:
        raise UnsupportedFeatureError("LZO needs a library that is not installed: pip install pqexplore[lzo]") from None
    library: ModuleType = lzallright
    return library


_DECOMPRESS: dict[int, Callable[[memoryview, memoryview], int]] = {
    SNAPPY: _snappy,
    GZIP: _gzip,
    BROTLI: _brotli,
    LZ4: _lz4,
    ZSTD: _zstd,
    LZ4_RAW: _lz4_raw,
}


# Hadoop's BlockCompressorStream: [uncompressed length] then, until that many bytes have come out,
# [compressed length][compressed bytes]; both lengths 4 bytes, big-endian; and again until the data end.


def _hadoop_unframed(data: memoryview, out: memoryview, block: Callable[[memoryview, memoryview], int]) -> int | None:
    """Decompress Hadoop's framing. Returns the bytes written, None if the data do not have this framing."""
    position = written = 0
    while position < len(data):
        if len(data) - position < 4:
            return None
        end = written + int.from_bytes(data[position : position + 4], "big")
        position += 4
        if end > len(out):
            return None
        if written == end and data[position:] == _LZ4_EMPTY:
            break
        while written < end:
            if len(data) - position < 4:
                return None
            length = int.from_bytes(data[position : position + 4], "big")
            position += 4
            if not 0 < length <= len(data) - position:
                return None
            try:
                got = block(data[position : position + length], out[written:end])
            except CorruptFileError:
                return None
            if not got:
                return None
            position += length
            written += got
    return written if written == len(out) else None


def _hadoop_framed(raw: bytes, compress_block: Callable[[bytes], bytes]) -> bytes:
    pieces: list[bytes] = []
    for start in range(0, len(raw), _HADOOP_BLOCK_BYTES):
        plain = raw[start : start + _HADOOP_BLOCK_BYTES]
        small = compress_block(plain)
        pieces += (len(plain).to_bytes(4, "big"), len(small).to_bytes(4, "big"), small)
    return b"".join(pieces)


def _lz4_block(raw: bytes) -> bytes:
    return bytes(cramjam.lz4.compress_block(raw, store_size=False))
