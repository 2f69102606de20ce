"""Bytes for the hex view, of the file or of a page after decryption or decompression."""

from __future__ import annotations

from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.span import FILE, Span

CHUNK = 64 << 10
"""Views ask for aligned pieces of this size, and keep them."""


def read(file: ParquetFile, start: int, space: str = FILE) -> tuple[dict[str, Any], list[bytes]]:
    """The piece of `CHUNK` bytes of `space` that begins at `start`, and the size of the space."""
    if start < 0 or start % CHUNK:
        raise UsageError(f"byte {start:,} is not where a piece of {CHUNK:,} bytes begins")
    size = file.space_size(space)
    end = min(start + CHUNK, size)
    data = bytes(file.bytes(Span(start, end, space))) if start < end else b""
    return {"start": start, "size": size, "space": space}, [data]
