"""Variant metadata: the dictionary of field names that a value's field ids point into.

One header byte (version, whether the strings are sorted, the width of the numbers that follow), the number of
strings, their offsets, and the strings' bytes. A column repeats the same metadata for many rows, so parsed metadata is
cached: `read` returns the same `Metadata` for equal bytes, and a `Metadata` remembers the field id lists that it checked.

Specification: "Metadata encoding" in https://github.com/apache/parquet-format/blob/master/VariantEncoding.md
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable

import numpy as np

from pqexplore.engine.arrays import Array
from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError, UsageError

VERSION = 1
"""The only version of the encoding."""

_KEPT = 512
_KEPT_BYTES = 4_096
_KEPT_LISTS = 128
_cache: dict[bytes, Metadata] = {}
_lock = threading.Lock()


class Metadata:
    """Parsed metadata.

    `buffer` has the encoded bytes, `names` the strings by id, `sorted_strings` and `offset_size` what the header
    says. `unsorted_at` is the index of the first string that contradicts `sorted_strings`, None if there is none.
    """

    __slots__ = ("_ids", "_keys", "buffer", "names", "offset_size", "sorted_strings", "unsorted_at")

    def __init__(self, buffer: bytes, names: tuple[str, ...], sorted_strings: bool, offset_size: int) -> None:
        self.buffer = buffer
        self.names = names
        self.sorted_strings = sorted_strings
        self.offset_size = offset_size
        self.unsorted_at: int | None = None
        if sorted_strings:
            # Python orders strings by code point, which is the order of their UTF-8 bytes.
            at = (i for i in range(1, len(names)) if names[i - 1] >= names[i])
            self.unsorted_at = next(at, None)
        self._keys: dict[tuple[bytes, int], tuple[str, ...] | None] = {}
        self._ids: dict[str, int] | None = None

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<Metadata of {len(self.names)} names{', sorted' if self.sorted_strings else ''}>"

    @property
    def ids(self) -> dict[str, int]:
        """Field ids by name; the first one if an unsorted dictionary repeats a name."""
        if self._ids is None:
            ids: dict[str, int] = {}
            for i, name in enumerate(self.names):
                ids.setdefault(name, i)
            self._ids = ids
        return self._ids

    def keys(self, field_ids: bytes, size: int) -> tuple[str, ...] | None:
        """The names of an encoded list of field ids of `size` bytes each.

        None if the list breaks a rule: an id beyond the dictionary, or names that do not strictly ascend by their UTF-8
        bytes.
        """
        known = (field_ids, size)
        if known in self._keys:
            return self._keys[known]
        ids = unsigned(field_ids, 0, len(field_ids) // size, size).tolist()
        names: tuple[str, ...] | None = None
        if not ids or max(ids) < len(self.names):
            names = tuple(self.names[i] for i in ids)
            if any(a >= b for a, b in itertools.pairwise(names)):
                names = None
        if len(field_ids) <= 256:
            if len(self._keys) >= _KEPT_LISTS:
                self._keys = {}
            self._keys[known] = names
        return names

    def require_sorted(self) -> None:
        """Raise CorruptFileError if the header says that the strings are sorted, and they are not."""
        if self.unsorted_at is not None:
            i = self.unsorted_at
            raise CorruptFileError(
                f"Variant metadata has sorted_strings set, but string {i} ({self.names[i]!r}) does not come after "
                f"string {i - 1} ({self.names[i - 1]!r})",
                offset=1 + self.offset_size * (1 + i),
            )


def unsigned(buffer: bytes | memoryview, offset: int, count: int, size: int) -> Array:
    """`count` unsigned little-endian integers of `size` bytes (1 to 4) from `offset`, as uint32.

    The caller must check that they are inside the buffer.
    """
    raw = np.frombuffer(buffer, np.uint8, count * size, offset)
    if size == 1:
        return raw.astype(np.uint32)
    wide = np.zeros((count, 4), np.uint8)
    wide[:, :size] = raw.reshape(count, size)
    return wide.view("<u4").reshape(count)


def width(largest: int) -> int:
    """The fewest bytes (1 to 4) that hold an unsigned integer."""
    return max(1, (largest.bit_length() + 7) // 8)


def read(buffer: bytes | memoryview | Metadata) -> Metadata:
    """Parse metadata, or get it from the cache.

    The only offset of an empty dictionary may be absent (`01 00`), as in the examples of the shredding specification.
    Raises CorruptFileError for bytes that are not metadata, UnsupportedFeatureError for a later version; offsets count
    from the start of `buffer`. `Metadata.require_sorted` checks the `sorted_strings` flag.
    """
    if isinstance(buffer, Metadata):
        return buffer
    raw = bytes(buffer)
    parsed = _cache.get(raw)
    if parsed is None:
        parsed, end = _parse(raw)
        if end != len(raw):
            raise CorruptFileError(
                f"Variant metadata ends at byte {end}, and {len(raw) - end} bytes follow it", offset=end
            )
        if len(raw) <= _KEPT_BYTES:
            with _lock:
                if len(_cache) >= _KEPT:
                    _cache.clear()
                _cache[raw] = parsed
    return parsed


def split(buffer: bytes | memoryview) -> tuple[bytes, bytes]:
    """Metadata and value of a buffer that has both; the metadata's offsets say where it ends. Raises as `read` does."""
    raw = bytes(buffer)
    end = _parse(raw)[1]
    return raw[:end], raw[end:]


def _parse(raw: bytes) -> tuple[Metadata, int]:
    if not raw:
        raise CorruptFileError("Variant metadata is empty; it needs a header, a size and an offset", offset=0)
    version, size = raw[0] & 15, (raw[0] >> 6) + 1
    if version > VERSION:
        raise UnsupportedFeatureError(
            f"Variant metadata has version {version}; this reader knows version {VERSION}", offset=0
        )
    if version < VERSION:
        raise CorruptFileError(f"Variant metadata has version {version}, it must be {VERSION}", offset=0)
    if len(raw) < 1 + size:
        raise CorruptFileError(f"Variant metadata ends inside its dictionary size of {size} bytes", offset=1)
    count = int.from_bytes(raw[1 : 1 + size], "little")
    base = 1 + size * (count + 2)
    flag = bool(raw[0] >> 4 & 1)
    if count == 0 and len(raw) == 1 + size:
        return Metadata(raw, (), flag, size), len(raw)
    if base > len(raw):
        raise CorruptFileError(
            f"Variant metadata announces {count:,} strings, whose offsets need {base:,} bytes; there are {len(raw):,}",
            offset=1,
        )
    stored = raw[2:base] if size == 1 else unsigned(raw, 1 + size, count + 1, size).tolist()
    offsets: list[int] = list(stored)
    if offsets[0] != 0:
        raise CorruptFileError(f"the first offset of Variant metadata is {offsets[0]}, it must be 0", offset=1 + size)
    if any(b < a for a, b in itertools.pairwise(offsets)):
        i = next(i for i in range(1, count + 1) if offsets[i] < offsets[i - 1])
        raise CorruptFileError(
            f"Variant metadata offset {i} is {offsets[i]}, less than the one before it ({offsets[i - 1]})",
            offset=1 + size * (1 + i),
        )
    end = base + offsets[-1]
    if end > len(raw):
        raise CorruptFileError(
            f"the strings of Variant metadata need {end:,} bytes; there are {len(raw):,}", offset=1 + size * (1 + count)
        )
    names = []
    for i in range(count):
        start = base + offsets[i]
        try:
            names.append(raw[start : base + offsets[i + 1]].decode())
        except UnicodeDecodeError as error:
            raise CorruptFileError(
                f"string {i} of Variant metadata is not UTF-8: {error.reason}", offset=start + error.start
            ) from None
    return Metadata(raw[:end], tuple(names), flag, size), end


def encode(names: Iterable[str], *, sort: bool = True, offset_size: int | None = None) -> bytes:
    """Metadata for field names, each once.

    With `sort` the strings are ordered by their UTF-8 bytes, and `sorted_strings` is set if there are any; without, they
    keep their order and the flag is not set. `offset_size` sets a width of numbers (1 to 4 bytes). Raises UsageError if
    the names do not fit.
    """
    unique = list(dict.fromkeys(names))
    if sort:
        unique.sort()
    try:
        strings = [name.encode() for name in unique]
    except UnicodeEncodeError as error:
        raise UsageError(f"a field name is not valid Unicode: {error.reason}") from None
    return encode_strings(strings, sorted_strings=sort and bool(strings), offset_size=offset_size)


def encode_strings(strings: list[bytes], *, sorted_strings: bool = False, offset_size: int | None = None) -> bytes:
    """Metadata with these strings in this order, which are not checked. Raises UsageError if they do not fit."""
    ends = np.concatenate(([0], np.cumsum([len(s) for s in strings], dtype=np.int64)))
    need = width(max(int(ends[-1]), len(strings)))
    size = offset_size or need
    if not need <= size <= 4:
        raise UsageError(
            f"Variant metadata of {len(strings)} strings and {int(ends[-1])} bytes needs offsets of {need} bytes, "
            f"{size} were asked for; 1 to 4 are possible"
        )
    numbers = np.concatenate(([len(strings)], ends)).astype("<u4")
    header = VERSION | sorted_strings << 4 | size - 1 << 6
    return bytes([header]) + numbers.view(np.uint8).reshape(-1, 4)[:, :size].tobytes() + b"".join(strings)
