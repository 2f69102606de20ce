"""Compares the values of many chunks of one column with their statistics, as arrays; see `sound_chunks`.

A `Column` collects the pages of chunks as `Contents`, and then says which of these chunks are sound. Numbers of all chunks
become one array; texts are compared page by page, by Arrow.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import Array, Int64s, arrow_numbers
from pqexplore.engine.check.values import is_utf8
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS
from pqexplore.engine.format.encodings import byte_array_scan, dictionary, plain, rle
from pqexplore.engine.format.encodings.run_scan import MAX_BIT_WIDTH, fills
from pqexplore.engine.format.fixed_width import offsets_and_bytes
from pqexplore.engine.format.logical import annotation
from pqexplore.engine.format.ordering import Order, declared_order, is_float, type_order
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, Type

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

_NUMBERS: dict[int, str] = {
    Type.BOOLEAN: "u1",
    Type.INT32: "<i4",
    Type.INT64: "<i8",
    Type.FLOAT: "<f4",
    Type.DOUBLE: "<f8",
}
_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_ORDERED = (Order.SIGNED, Order.UNSIGNED, Order.FLOAT, Order.BOOLEAN, Order.BYTES, Order.DECIMAL)


@dataclasses.dataclass(slots=True)
class Page:
    """A data page: its values, of which `present` are stored in the bytes `values`, and how often each level occurs."""

    num_values: int
    present: int
    histogram: Int64s | None
    encoding: int
    statistics: structs.Statistics | None
    values: memoryview


@dataclasses.dataclass(slots=True)
class _Claim:
    """The bounds of the statistics of a page, by its place in `Contents.parts`, or of the chunk: -1."""

    part: int
    low: bytes
    high: bytes
    statistics: structs.Statistics


@dataclasses.dataclass(slots=True)
class Contents:
    """What the pages of a chunk hold so far.

    `entries` are those of its dictionary. `parts` has an array of the different values of each page that has values, or
    all of them; `claims` are the bounds that describe them.
    """

    metadata: structs.ColumnMetaData
    entries: Any = None
    num_values: int = 0
    present: int = 0
    text_bytes: int = 0
    histogram: Int64s | None = None
    parts: list[Any] = dataclasses.field(default_factory=list)
    claims: list[_Claim] = dataclasses.field(default_factory=list)


def column_of(leaf: Leaf) -> Column | None:
    """What proves the chunks of a leaf; None for a leaf whose values need rules of their own."""
    logical = annotation(leaf)
    if leaf.max_repetition_level or leaf.defect is not None or logical.problem is not None:
        return None
    order = declared_order(leaf)
    if order not in _ORDERED or order is not type_order(leaf):
        return None
    if leaf.physical_type == Type.BYTE_ARRAY:
        return _Texts(leaf) if logical.name in ("", "STRING", "ENUM") else None
    if leaf.physical_type not in _NUMBERS or logical.name not in ("", *_LIMITED, "DATE", "TIMESTAMP"):
        return None
    return _Numbers(leaf)


_LIMITED = ("INTEGER", "TIME", "DECIMAL")


def _limits(leaf: Leaf) -> tuple[int, int] | None:
    """The least and the greatest number that the leaf's type allows; None if all are allowed."""
    logical = annotation(leaf)
    if logical.name == "INTEGER" and logical.bit_width < 32:
        bits = logical.bit_width - logical.signed
        return (-(1 << bits) if logical.signed else 0), (1 << bits) - 1
    if logical.name == "TIME":
        return 0, _DAY[logical.unit] - 1
    if logical.name == "DECIMAL":
        most = min(10**logical.precision, 1 << (31 if leaf.physical_type == Type.INT32 else 63)) - 1
        return -most, most
    return None


class Column:
    """Collects what describes the values of one leaf, whatever its type."""

    def __init__(self, leaf: Leaf) -> None:
        self.leaf = leaf
        self.order = type_order(leaf)
        self._present: dict[int, bytes] = {}

    def all_present(self, count: int) -> bytes:
        """The definition levels of a page without nulls, as nearly all writers encode them: one run."""
        known = self._present.get(count)
        if known is None:
            known = self._present[count] = rle.one_run(count, self.leaf.max_definition_level)
        return known

    def set_dictionary(self, contents: Contents, body: memoryview, count: int) -> bool:
        """Keeps the entries of a dictionary page; False if they are not sound: damaged, or repeated."""
        if self._count(body, count) != len(body):
            return False
        entries = self._plain(body, count)
        if not self._all_distinct(entries):
            return False
        contents.entries = entries
        return True

    def add(self, contents: Contents, page: Page) -> bool:
        """Adds a data page; False if it is not sound, or not encoded as most are."""
        values = None
        if page.encoding in DICTIONARY_ENCODINGS:
            if contents.entries is None:
                return False
            if page.present:
                data, entries = page.values, contents.entries
                if not len(data) or data[0] > MAX_BIT_WIDTH or not fills(data, data[0], page.present, 1):
                    return False
                ids = dictionary.decode_ids(data, page.present, len(entries))
                uses = np.bincount(ids, minlength=len(entries))
                used = np.flatnonzero(uses)
                contents.text_bytes += self._text_bytes(entries, uses)
                values = entries if len(used) == len(entries) else self._take(entries, used)
            elif len(page.values) > 1 or (len(page.values) and page.values[0] > MAX_BIT_WIDTH):
                return False
        elif page.encoding == Encoding.PLAIN:
            if self._count(page.values, page.present) != len(page.values):
                return False
            if page.present:
                values = self._plain(page.values, page.present)
                contents.text_bytes += self._text_bytes(values, None)
        else:
            return False
        if values is not None:
            contents.parts.append(values)
        contents.num_values += page.num_values
        contents.present += page.present
        if page.histogram is not None:
            known = contents.histogram
            contents.histogram = page.histogram if known is None else known + page.histogram
        claim = len(contents.parts) - 1 if page.present else -2
        return self._claim(contents, page.statistics, page.present, page.num_values - page.present, claim)

    def _claim(
        self, contents: Contents, statistics: structs.Statistics | None, present: int, nulls: int, part: int
    ) -> bool:
        """Keeps the bounds of statistics for `sound`; False if anything about them is unusual or wrong."""
        if statistics is None:
            return True
        low, high = statistics.min_value, statistics.max_value
        if statistics.null_count not in (None, nulls) or statistics.distinct_count is not None:
            return False
        if statistics.nan_count is not None and not (is_float(self.leaf) and statistics.nan_count == 0):
            return False
        if low is None or high is None:
            return low is high is statistics.min is statistics.max
        old = (statistics.min, statistics.max)
        if old != (None, None):
            equal = old == (low, high)
            if not equal or (self.order in (Order.UNSIGNED, Order.BYTES) and low != high):
                return False
        if not present or not self._is_bound(low) or not self._is_bound(high):
            return False
        contents.claims.append(_Claim(part, low, high, statistics))
        return True

    def sound(self, chunks: Sequence[Contents]) -> list[int]:
        """Which of the chunks are sound, by their places in the sequence."""
        good = [
            self._sizes_agree(one)
            and self._claim(one, one.metadata.statistics, one.present, one.num_values - one.present, -1)
            for one in chunks
        ]
        left = [at for at, is_good in enumerate(good) if is_good]
        wrong = set(self._wrong([chunks[at] for at in left]))
        return [at for number, at in enumerate(left) if number not in wrong]

    def _sizes_agree(self, contents: Contents) -> bool:
        """Whether the size statistics are those of the values."""
        sizes, counted = contents.metadata.size_statistics, contents.histogram
        if sizes is None:
            return True
        stated = sizes.unencoded_byte_array_data_bytes
        if stated is not None and (self.leaf.physical_type != Type.BYTE_ARRAY or stated != contents.text_bytes):
            return False
        definition = [contents.num_values] if counted is None else counted.tolist()
        return (not sizes.definition_level_histogram or list(sizes.definition_level_histogram) == definition) and (
            not sizes.repetition_level_histogram or list(sizes.repetition_level_histogram) == [contents.num_values]
        )

    # What depends on the type.

    def _count(self, data: memoryview, count: int) -> int:
        """The bytes that so many PLAIN values take."""
        raise NotImplementedError

    def _plain(self, data: memoryview, count: int) -> Any:
        """So many PLAIN values."""
        raise NotImplementedError

    def _take(self, entries: Any, used: Int64s) -> Any:
        raise NotImplementedError

    def _all_distinct(self, entries: Any) -> bool:
        raise NotImplementedError

    def _text_bytes(self, values: Any, uses: Int64s | None) -> int:
        """The bytes of values of BYTE_ARRAY, each as often as it is used; 0 for other types."""
        return 0

    def _is_bound(self, raw: bytes) -> bool:
        """Whether bytes can be a bound."""
        raise NotImplementedError

    def _wrong(self, chunks: Sequence[Contents]) -> Iterator[int]:
        """The places of chunks whose values their type does not allow, or whose bounds are not those of their values."""
        raise NotImplementedError


class _Numbers(Column):
    """Numbers and truth values, as one array for all chunks."""

    def __init__(self, leaf: Leaf) -> None:
        super().__init__(leaf)
        kind = _NUMBERS[leaf.physical_type]
        self._type = np.dtype(kind.replace("i", "u") if self.order is Order.UNSIGNED else kind)
        self._limits = _limits(leaf)

    def _count(self, data: memoryview, count: int) -> int:
        return (count + 7) >> 3 if self.leaf.physical_type == Type.BOOLEAN else self._type.itemsize * count

    def _plain(self, data: memoryview, count: int) -> Array:
        if self.leaf.physical_type == Type.BOOLEAN:
            return np.unpackbits(np.frombuffer(data, np.uint8), count=count, bitorder="little")
        return np.frombuffer(data, self._type, count)

    def _take(self, entries: Array, used: Int64s) -> Array:
        taken: Array = entries[used]
        return taken

    def _all_distinct(self, entries: Array) -> bool:
        ordered = np.sort(entries.view(f"i{entries.dtype.itemsize}"))
        return not bool((ordered[1:] == ordered[:-1]).any())

    def _is_bound(self, raw: bytes) -> bool:
        return raw in (b"\0", b"\1") if self.leaf.physical_type == Type.BOOLEAN else len(raw) == self._type.itemsize

    def _wrong(self, chunks: Sequence[Contents]) -> Iterator[int]:
        filled = [at for at, one in enumerate(chunks) if one.parts]
        if not filled:
            return
        counts = np.array([len(chunks[at].parts) for at in filled])
        first = np.cumsum(counts) - counts
        lows, highs = _ends([part for at in filled for part in chunks[at].parts])
        all_low, all_high = np.minimum.reduceat(lows, first), np.maximum.reduceat(highs, first)
        wrong = all_low != all_low if self._type.kind == "f" else np.zeros(len(filled), np.bool_)  # NaN
        if self._limits is not None:
            wrong |= (all_low < self._limits[0]) | (all_high > self._limits[1])
        claims = [(number, claim) for number, at in enumerate(filled) for claim in chunks[at].claims]
        if claims:
            owner = np.array([number for number, _ in claims])
            part = np.array([claim.part for _, claim in claims])
            place = np.where(part < 0, len(lows) + owner, first[owner] + part)
            low = np.frombuffer(b"".join(claim.low for _, claim in claims), self._type)
            high = np.frombuffer(b"".join(claim.high for _, claim in claims), self._type)
            right = (low == np.concatenate([lows, all_low])[place]) & (high == np.concatenate([highs, all_high])[place])
            if self._type.kind == "f":  # a zero must be the one that leaves out none
                right &= ~((low == 0) & ~np.signbit(low)) & ~((high == 0) & np.signbit(high))
            wrong[owner[~right]] = True
        yield from (filled[number] for number in np.flatnonzero(wrong).tolist())


LONG = 512
"""Values of a part from which a call for each part takes less time than a pass over all of them."""


def _ends(parts: Sequence[Array]) -> tuple[Array, Array]:
    """The smallest and the largest number of each part; NaN if there is one."""
    sizes = np.array([len(part) for part in parts])
    if sizes.mean() > LONG:
        return np.array([part.min() for part in parts]), np.array([part.max() for part in parts])
    values, starts = np.concatenate(parts), np.cumsum(sizes) - sizes
    return np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)


class _Texts(Column):
    """Values of BYTE_ARRAY: text, or bytes that are compared as they are."""

    def __init__(self, leaf: Leaf) -> None:
        super().__init__(leaf)
        self._is_text = annotation(leaf).name != ""
        self._positions: tuple[memoryview, Int64s, int] | None = None

    def _count(self, data: memoryview, count: int) -> int:
        positions, end = byte_array_scan.find_values(data, count)
        self._positions = data, positions, end
        return end

    def _plain(self, data: memoryview, count: int) -> pa.Array:
        known = self._positions
        assert known is not None and known[0] is data
        self._positions = None
        return plain.byte_arrays(data, known[1], known[2])

    def _take(self, entries: pa.Array, used: Int64s) -> pa.Array:
        return pc.take(entries, arrow_numbers(used), boundscheck=False)

    def _all_distinct(self, entries: pa.Array) -> bool:
        return len(entries) < 2 or len(pc.dictionary_encode(entries).dictionary) == len(entries)

    def _text_bytes(self, values: pa.Array, uses: Int64s | None) -> int:
        offsets, _ = offsets_and_bytes(values)
        if uses is None:
            return int(offsets[-1]) - int(offsets[0])
        return int(np.diff(offsets).astype(np.int64) @ uses)

    def _is_bound(self, raw: bytes) -> bool:
        return True

    def _wrong(self, chunks: Sequence[Contents]) -> Iterator[int]:
        arrays = [array for one in chunks for array in (one.entries, *one.parts) if array is not None]
        if self._is_text and arrays:
            try:
                pc.cast(pa.concat_arrays(arrays), pa.string())
            except pa.ArrowInvalid:
                yield from range(len(chunks))
                return
        yield from (at for at, one in enumerate(chunks) if not self._bounds_agree(one))

    def _bounds_agree(self, contents: Contents) -> bool:
        if not contents.claims:
            return True
        ends = [tuple(pc.min_max(part).as_py().values()) for part in contents.parts]
        whole = min(low for low, _ in ends), max(high for _, high in ends)
        return all(self._bounds(claim, *(whole if claim.part < 0 else ends[claim.part])) for claim in contents.claims)

    def _bounds(self, claim: _Claim, low: bytes, high: bytes) -> bool:
        """Whether bounds are those of the values, or may be cut short."""
        exact = claim.statistics
        return (
            claim.low == low or (claim.low < low and not exact.is_min_value_exact and self._may_be(claim.low))
        ) and (claim.high == high or (claim.high > high and not exact.is_max_value_exact and self._may_be(claim.high)))

    def _may_be(self, raw: bytes) -> bool:
        return not self._is_text or is_utf8(raw)
