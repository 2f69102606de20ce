"""Messages between the server and the process of a document, and from there to the browser.

A frame is its length (4 bytes, big-endian), one byte for its kind, and that many bytes less one. What the process says is
sent on to the browser as it is: the length of a JSON text (4 bytes, little-endian), the text, then the buffers of the
message, whose lengths are the text's `buffers`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import IO

TEXT, BINARY = b"J", b"B"
"""Kinds of frames: JSON, and bytes of a file that the browser reads."""

FRAME_BYTES = 16 << 20
"""No frame is longer."""


class FrameError(Exception):
    """What was read is no frame."""


def write(stream: IO[bytes], kind: bytes, payload: bytes) -> None:
    """Write a frame, whole."""
    stream.write(struct.pack(">I", len(payload) + 1) + kind + payload)
    stream.flush()


def read(stream: IO[bytes]) -> tuple[bytes, bytes] | None:
    """The kind and the payload of the next frame; None at the end. FrameError for anything else."""
    head = _exactly(stream, 4)
    if not head:
        return None
    (length,) = struct.unpack(">I", head)
    if not 1 <= length <= FRAME_BYTES:
        raise FrameError(f"a frame of {length:,} bytes; 1 to {FRAME_BYTES:,} are expected")
    data = _exactly(stream, length)
    if not data:
        raise FrameError("the stream ends in a frame")
    return data[:1], data[1:]


def _exactly(stream: IO[bytes], length: int) -> bytes:
    """So many bytes; none if the stream has ended before the first one."""
    data = stream.read(length)
    if data and len(data) < length:
        raise FrameError("the stream ends in a frame")
    return data


def packed(message: Mapping[str, object], buffers: Sequence[bytes | memoryview] = ()) -> bytes:
    """A message for the browser (js/src/app/frames.ts reads it)."""
    parts = [bytes(part) for part in buffers]
    text = json.dumps({**message, "buffers": [len(part) for part in parts]}).encode()
    return b"".join([struct.pack("<I", len(text)), text, *parts])
