"""Field 32767: what vendors append to a struct, and what can be told of it without knowing the vendor.

The format reserves one field id in every struct for extensions; readers that do not know one skip it. Their bytes are
free, but two habits are recommended: a UUID at the end (or start) that tells extensions apart, and, for a footer in
flatbuffers, a trailer before it that can be read backwards: `flatbuffer, crc32(flatbuffer), size, crc32(size), UUID`,
all little-endian. Source: specification, "Binary Protocol Extensions".
"""

from __future__ import annotations

import dataclasses
import uuid
import zlib

UUID_SIZE = 16
TRAILER_SIZE = 12 + UUID_SIZE


@dataclasses.dataclass(frozen=True, slots=True)
class Extension:
    """The bytes of an extension, taken apart.

    `identity` is the UUID at its end, None where the last 16 bytes have not the form of one (`flatbuffer` vouches for
    any). `flatbuffer` is the size of the flatbuffer where the trailer's sizes and crc32s are right, else None.
    `problem` says what is wrong with something that looks like a trailer.
    """

    size: int
    identity: uuid.UUID | None
    flatbuffer: int | None
    problem: str = ""


def recognise(data: bytes) -> Extension:
    """What an extension's bytes show of themselves; never raises."""
    identity = uuid.UUID(bytes=bytes(data[-UUID_SIZE:])) if len(data) >= UUID_SIZE else None
    known = identity if identity is not None and _formed(identity) else None
    if len(data) < TRAILER_SIZE:
        return Extension(len(data), known, None)
    trailer = data[-TRAILER_SIZE:-UUID_SIZE]
    stated, size, crc_of_size = (
        int.from_bytes(trailer[i : i + 4], "little") for i in range(0, 12, 4)
    )
    if zlib.crc32(trailer[4:8]) != crc_of_size:
        return Extension(len(data), known, None)
    room = len(data) - TRAILER_SIZE
    if size > room:
        problem = (
            f"the flatbuffer is said to have {size:,} bytes, the extension has room for {room:,}"
        )
        return Extension(len(data), identity, None, problem)
    if zlib.crc32(data[room - size : room]) != stated:
        problem = f"the crc32 of the flatbuffer's {size:,} bytes is not {stated:08x}"
        return Extension(len(data), identity, None, problem)
    return Extension(len(data), identity, size)


def _formed(identity: uuid.UUID) -> bool:
    """Whether 16 bytes have the variant and a version of RFC 9562; one in 9 of random bytes has."""
    return identity.variant == uuid.RFC_4122 and identity.version in range(1, 9)


def describe(found: Extension) -> str:
    """An extension in a few words."""
    words = f"{found.size:,} bytes"
    if found.flatbuffer is not None:
        words += f", a flatbuffer of {found.flatbuffer:,} bytes whose crc32 is right"
    if found.identity is not None:
        words += f", UUID {found.identity}"
    return f"{words}; {found.problem}" if found.problem else words
