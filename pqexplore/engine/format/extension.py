"""Field 32767: the bytes that vendors append to a struct, and what can be read of them without knowing the vendor.

The format reserves one field id in every struct for extensions; readers skip those that they do not know. The bytes may
be anything. Two conventions are recommended: a UUID at the end (or start) that identifies the extension, and, for a
footer in flatbuffers, a trailer that can be read backwards: `flatbuffer, crc32(flatbuffer), size, crc32(size), UUID`, all
little-endian.

Specification: https://github.com/apache/parquet-format/blob/master/BinaryProtocolExtensions.md
"""

from __future__ import annotations

import dataclasses
import uuid
import zlib

UUID_SIZE = 16
TRAILER_SIZE = 12 + UUID_SIZE


@dataclasses.dataclass(frozen=True, slots=True)
class Extension:
    """What the bytes of an extension show.

    `size` is the number of bytes. `identity` is the UUID at the end, None if the last 16 bytes do not have the form of
    one (after a flatbuffer trailer any 16 bytes count). `flatbuffer` is the size of the flatbuffer in bytes, None
    unless the trailer's sizes and crc32s are right. `problem` says what is wrong with a damaged trailer.
    """

    size: int
    identity: uuid.UUID | None
    flatbuffer: int | None
    problem: str = ""


def recognise(data: bytes) -> Extension:
    """Identify an extension by its bytes; never raises."""
    identity = uuid.UUID(bytes=bytes(data[-UUID_SIZE:])) if len(data) >= UUID_SIZE else None
    formed = identity if identity is not None and _formed(identity) else None
    if len(data) < TRAILER_SIZE:
        return Extension(len(data), formed, None)
    trailer = data[-TRAILER_SIZE:-UUID_SIZE]
    stated, size, crc_of_size = (int.from_bytes(trailer[i : i + 4], "little") for i in range(0, 12, 4))
    if zlib.crc32(trailer[4:8]) != crc_of_size:
        return Extension(len(data), formed, None)
    room = len(data) - TRAILER_SIZE
    if size > room:
        problem = f"the trailer declares a flatbuffer of {size:,} bytes, the extension has room for {room:,}"
        return Extension(len(data), identity, None, problem)
    computed = zlib.crc32(data[room - size : room])
    if computed != stated:
        problem = f"the trailer stores the crc32 {stated:08x}, the flatbuffer's {size:,} bytes have {computed:08x}"
        return Extension(len(data), identity, None, problem)
    return Extension(len(data), identity, size)


def _formed(identity: uuid.UUID) -> bool:
    """Whether 16 bytes have the variant and a version of RFC 9562; of random bytes, one in eight does."""
    return identity.variant == uuid.RFC_4122 and identity.version in range(1, 9)


def describe(extension: Extension) -> str:
    """An extension in a few words."""
    words = f"{extension.size:,} bytes"
    if extension.flatbuffer is not None:
        words += f", a flatbuffer of {extension.flatbuffer:,} bytes whose crc32 is right"
    if extension.identity is not None:
        words += f", UUID {extension.identity}"
    return f"{words}; {extension.problem}" if extension.problem else words
