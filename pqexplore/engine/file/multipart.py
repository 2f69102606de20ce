"""Several ranges of a file in one answer: `multipart/byteranges` (RFC 9110, sections 14.2 and 14.6).

The server is not trusted. Where a part ends is what its Content-Range says, so a boundary inside the file's bytes does no
harm. Parts may come in another order than asked for, and several ranges as one part.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence

MAX_RANGES = 200
"""Ranges of one request: Apache ignores the header if there are more (`MaxRanges`).

Source: https://httpd.apache.org/docs/2.4/mod/core.html#maxranges."""
MAX_BYTES = 1 << 20
"""Bytes of one request; more come by several requests at the same time."""
PART_HEADER = 1024
"""Bytes that may come with each part: boundary, Content-Type, Content-Range."""

_BOUNDARY = re.compile(r"""boundary=(?:"([^"\\\r\n]{1,70})"|([^\s;,"]{1,70}))""", re.IGNORECASE)
"""RFC 2046, section 5.1.1: 1 to 70 characters."""
_RANGE = re.compile(
    rb"^content-range:[ \t]*bytes[ \t]+(\d{1,18})-(\d{1,18})/(\d{1,18})[ \t]*\r$", re.IGNORECASE | re.MULTILINE
)
_END_OF_HEADER = re.compile(rb"\r\n\r\n")

Part = tuple[int, memoryview]
"""The offset in the file, and the bytes."""


class NotMultipart(Exception):
    """The answer is not the ranges that were asked for."""


def header(ranges: Sequence[tuple[int, int]]) -> str:
    """The value of the header Range, without its unit, for (start, length) pairs."""
    return ",".join(f"{start}-{start + length - 1}" for start, length in ranges)


def most(ranges: Sequence[tuple[int, int]]) -> int:
    """Bytes that the answer may have."""
    return sum(length for _, length in ranges) + PART_HEADER * (len(ranges) + 1)


def groups(ranges: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The ranges as requests of up to `MAX_RANGES` ranges and `MAX_BYTES` bytes, or one range."""
    made: list[list[tuple[int, int]]] = []
    size = 0
    for one in ranges:
        if not made or len(made[-1]) == MAX_RANGES or size + one[1] > MAX_BYTES:
            made.append([])
            size = 0
        made[-1].append(one)
        size += one[1]
    return made


def parse(kind: str, body: bytes, size: int) -> list[Part]:
    """The parts of an answer with the Content-Type `kind`, for a file of `size` bytes. Raises NotMultipart."""
    boundary = _BOUNDARY.search(kind)
    if boundary is None or not kind.strip().lower().startswith("multipart/byteranges"):
        raise NotMultipart
    line = b"--" + (boundary[1] or boundary[2]).encode("latin-1", "replace")
    data = memoryview(body)
    parts: list[Part] = []
    at = body.find(line, 0, PART_HEADER)  # an empty line, or a preamble, may come first
    while at >= 0 and body.startswith(line, at):
        at += len(line)
        if body.startswith(b"--", at):
            return parts
        end = _END_OF_HEADER.search(body, at, at + PART_HEADER)
        found = None if end is None else _RANGE.findall(body, at, end.end())
        if end is None or not found or len(found) > 1:
            raise NotMultipart
        start, last, whole = map(int, found[0])
        begin, at = end.end(), end.end() + last - start + 1
        if not start <= last < whole == size or at > len(body):
            raise NotMultipart
        parts.append((start, data[begin:at]))
        if not body.startswith(b"\r\n", at):  # the line break before a boundary
            raise NotMultipart
        at += 2
    raise NotMultipart


def pick(parts: Sequence[Part], ranges: Sequence[tuple[int, int]]) -> list[memoryview]:
    """The bytes of each range, each inside one part. Raises NotMultipart if one is not there."""
    parts = sorted(parts, key=lambda part: (part[0], len(part[1])))
    starts = [start for start, _ in parts]
    found = []
    for start, length in ranges:
        place = bisect.bisect_right(starts, start) - 1
        if place < 0 or start + length > starts[place] + len(parts[place][1]):
            raise NotMultipart
        at = start - starts[place]
        found.append(parts[place][1][at : at + length])
    return found
