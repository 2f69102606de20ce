"""Bytes for the hex view, of the file or of a page after decryption or decompression, and a search in them."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.span import FILE, Span

CHUNK = 64 << 10
"""Views ask for aligned pieces of this size, and keep them."""

SEARCHED = 64 << 20
"""Bytes that one search reads of a file on this machine, or of decoded bytes."""

SEARCHED_REMOTE = 4 << 20
"""Bytes that one search reads of a file on another machine."""

STEP = 1 << 20
"""Bytes that a search reads at once."""

MATCHES = 1_000
"""Places in one answer."""

NEEDLES = 8
NEEDLE = 256
"""Sequences in one search, and bytes of each."""


@dataclasses.dataclass(slots=True)
class Found:
    """Where a search found something: offsets and lengths, in order; `end` is where it stopped, `size` that of the space.

    `more`: it stopped because there are as many as one answer holds.
    """

    starts: list[int]
    lengths: list[int]
    end: int
    size: int
    more: bool


def read(file: ParquetFile, start: int, space: str = FILE) -> tuple[dict[str, Any], list[bytes]]:
    """The piece of `CHUNK` bytes of `space` that begins at `start`, and the size of the space."""
    if start < 0 or start % CHUNK:
        raise UsageError(f"byte {start:,} is not where a piece of {CHUNK:,} bytes begins")
    size = file.space_size(space)
    end = min(start + CHUNK, size)
    data = bytes(file.bytes(Span(start, end, space))) if start < end else b""
    return {"start": start, "size": size, "space": space}, [data]


def find(file: ParquetFile, needles: list[str], start: int = 0, space: str = FILE) -> Generator[float, None, Found]:
    """The places from byte `start` of `space` on with one of `needles`, which are bytes as hex digits.

    A search stops after `SEARCHED` bytes, `SEARCHED_REMOTE` of a file on another machine, and after `MATCHES` places; the
    next begins at its `end`. Of needles that match at one place the longest counts. UsageError for needles that are
    none, too many or too long.
    """
    sought = _needles(needles)
    size = file.space_size(space)
    if not 0 <= start <= size:
        raise UsageError(f"byte {start:,} is outside; {space} has {size:,} bytes")
    reach = SEARCHED if space != FILE or file.source.local else SEARCHED_REMOTE
    stop, over = min(size, start + reach), max(map(len, sought)) - 1
    found: dict[int, int] = {}
    for at in range(start, stop, STEP):
        until = min(at + STEP, stop)
        data = file.bytes(Span(at, min(until + over, size), space))
        for needle in sought:
            place = -1
            for _ in range(MATCHES):
                place = data.find(needle, place + 1)
                if not 0 <= place < until - at:
                    break
                found[at + place] = max(found.get(at + place, 0), len(needle))
        if len(found) >= MATCHES:
            first = sorted(found)[:MATCHES]
            return Found(first, [found[one] for one in first], first[-1] + 1, size, True)
        yield (until - start) / max(1, stop - start)
    places = sorted(found)
    return Found(places, [found[one] for one in places], stop, size, False)


def _needles(given: list[str]) -> list[bytes]:
    if not given or len(given) > NEEDLES:
        raise UsageError(f"a search is for 1 to {NEEDLES} sequences of bytes, not for {len(given)}")
    try:
        sought = list({bytes.fromhex(one) for one in given})
    except (TypeError, ValueError) as error:
        raise UsageError("what is searched for is not in hex digits") from error
    if not all(0 < len(one) <= NEEDLE for one in sought):
        raise UsageError(f"a sequence that is searched for has 1 to {NEEDLE} bytes")
    return sought
