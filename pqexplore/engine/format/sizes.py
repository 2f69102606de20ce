"""Sizes that a file states: a 0 beside bytes that are there states nothing."""

from __future__ import annotations


def compression_ratio(uncompressed: int, compressed: int) -> float | None:
    """Uncompressed to compressed size of pages with their headers; None without bytes, and where a size is not stated.

    Headers take bytes, so pages that take bytes took some before compression, too: some writers leave this size at 0.
    """
    return uncompressed / compressed if compressed > 0 and uncompressed > 0 else None
