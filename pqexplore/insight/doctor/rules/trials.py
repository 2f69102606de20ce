"""What pages would take if they were written another way: found by writing some of them so, in memory.

A trial is bounded: a few pages of a chunk, and a part of their values. The codec's level is not in the file, so a trial
compresses both ways with the codec's default. All rules that say what a column could take ask `samples`.
"""

from __future__ import annotations

import dataclasses
import functools
import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType, Type
from pqexplore.engine.rule import Cost, Severity
from pqexplore.insight.wording import percent, size

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

LEAST_BYTES = 1 << 20
"""Bytes of a column below which it does not matter how it is stored; and what is saved at least for a note."""

SAVED_BYTES = 256 << 10
"""What is saved at least for more than a note."""

SHARE = 0.1
"""The share of the file from which on what could be saved is no note."""

PAGES = 2
VALUES = 10_000
PART_BYTES = 512 << 10
"""Pages of a column that are tried; values of each, and about how many bytes of them."""

FEW_VALUES, MOST_PAGES = 2_000, 40
"""Values of a column below which more pages are tried, and how many at most: what a few tiny pages show is chance."""

THRESHOLD = (
    f"It is wasteful if {size(SAVED_BYTES)} and {percent(SHARE)} of the file are saved, else a note: our choice."
)
"""The end of the threshold of rules about what a column could take."""

COLUMNS = 20
SAMPLED_BYTES = 32 << 20
"""Columns of a file that are sampled, and bytes of their pages before compression."""

CANDIDATES: dict[int, tuple[Encoding, ...]] = {
    Type.BOOLEAN: (Encoding.RLE,),
    Type.INT32: (Encoding.RLE_DICTIONARY, Encoding.DELTA_BINARY_PACKED),
    Type.INT64: (Encoding.RLE_DICTIONARY, Encoding.DELTA_BINARY_PACKED),
    Type.FLOAT: (Encoding.RLE_DICTIONARY, Encoding.BYTE_STREAM_SPLIT),
    Type.DOUBLE: (Encoding.RLE_DICTIONARY, Encoding.BYTE_STREAM_SPLIT),
    Type.BYTE_ARRAY: (Encoding.RLE_DICTIONARY, Encoding.DELTA_BYTE_ARRAY),
    Type.FIXED_LEN_BYTE_ARRAY: (Encoding.RLE_DICTIONARY, Encoding.DELTA_BYTE_ARRAY),
}
"""Encodings that are tried. Newer ones, and BYTE_STREAM_SPLIT of integers, have few readers."""

PAGE_BYTES = 8 << 20
"""Bytes of a decompressed page from which it is too large for a trial."""

ALIKE = 1.15
"""Times as many bytes from which on an encoding takes clearly more than another."""

DICTIONARIES = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)

# A diagnosis by the footer writes nothing: what writes is imported where it is used.


def spread(chunk: ColumnChunk, most: int) -> list[Page]:
    """At most so many data pages of a chunk, evenly spread; none if it cannot be read."""
    try:
        if chunk.locked or chunk.elsewhere:
            return []
        pages = [page for page in chunk.pages if page.is_data and page.num_values]
    except ParquetError:
        return []
    pages = [page for page in pages if (page.header.uncompressed_page_size or 0) <= PAGE_BYTES]
    count = min(most, len(pages))
    return [pages[(2 * index + 1) * len(pages) // (2 * count)] for index in range(count)]


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """The first values of a page; the bytes that store them, and those of their dictionary with the share that is theirs."""

    chunk: ColumnChunk
    values: pa.Array
    stored: bytes
    dictionary: bytes = b""
    share: float = 0.0

    def takes(self, codec: int) -> float:
        """The bytes with a codec. Errors as `compressed`."""
        own = compressed(self.chunk, self.stored, codec=codec)
        return own + self.share * compressed(self.chunk, self.dictionary, codec=codec) if self.dictionary else own


@dataclasses.dataclass(frozen=True)
class Sample:
    """Some values of a column, by which it is estimated what the column would take: `total` are its bytes in the file."""

    leaf: Leaf
    total: int
    parts: tuple[Part, ...]
    used: frozenset[int]

    @functools.cached_property
    def now(self) -> float:
        """Bytes of the values as they are stored."""
        return sum(one.takes(int(one.chunk.metadata.codec)) for one in self.parts)

    @property
    def count(self) -> int:
        """How many values there are."""
        return sum(len(one.values) for one in self.parts)

    @property
    def values(self) -> list[pa.Array]:
        """The physical values, by page."""
        return [one.values for one in self.parts]

    @property
    def uncompressed(self) -> bool:
        """Whether they have no codec."""
        return all(one.chunk.metadata.codec == CompressionCodec.UNCOMPRESSED for one in self.parts)

    @functools.cached_property
    def with_codec(self) -> float:
        """Bytes of the values with Zstandard."""
        return sum(one.takes(CompressionCodec.ZSTD) for one in self.parts)

    @functools.cached_property
    def best(self) -> tuple[float, Encoding] | None:
        """The fewest bytes of another encoding with the codec of the column, and the encoding.

        None if there is none, and if the dictionary is the matter, because the values without it take as few.
        """
        has = any(one.chunk.dictionary_page is not None for one in self.parts)
        others = [
            one
            for one in CANDIDATES.get(self.leaf.physical_type, ())
            if one not in self.used and not (has and one in DICTIONARIES)
        ]
        best = min(((self.in_encoding(self.values, one), one) for one in others), default=None)
        if best is not None and has and self.in_encoding(self.values, Encoding.PLAIN) <= ALIKE * best[0]:
            return None
        return best

    def in_encoding(self, values: Sequence[pa.Array], encoding: int) -> float:
        """Bytes of other values, by page, in an encoding with the codec of the column."""
        return sum(encoded(part.chunk, one, encoding) for part, one in zip(self.parts, values, strict=True))

    def of_type(self, values: Sequence[pa.Array], kind: int) -> float:
        """The fewest bytes of values of another physical type, by page, with the codec of the column."""
        return min(self.in_encoding(values, one) for one in (Encoding.PLAIN, *CANDIDATES.get(kind, ())))

    def column(self, takes: float) -> int:
        """The bytes of the column if the sample takes so many."""
        return round(self.total * takes / self.now) if self.now else self.total

    def instead(self, takes: float, how: str) -> str:
        """That the column is stored in fewer bytes: the end of a sentence after its cause."""
        return f"{how} stores the column in about {size(self.column(takes))} instead of {size(self.total)}."


_TAKEN: weakref.WeakKeyDictionary[Subject, dict[int, Sample]] = weakref.WeakKeyDictionary()
"""The samples of each file under diagnosis, once they are taken."""


def samples(subject: Subject) -> dict[int, Sample]:
    """The samples of the largest columns, of at least `LEAST_BYTES`, by leaf; as many as the work allows."""
    if subject not in _TAKEN:
        for _ in take(subject):
            pass
    return _TAKEN[subject]


def take(subject: Subject) -> Iterator[None]:
    """Takes the samples before a rule asks for them, a column for each step: together they are too long a step."""
    taken: dict[int, Sample] = {}
    for one in _samples(subject):
        taken[one.leaf.leaf_index] = one
        yield
    _TAKEN[subject] = taken


def _samples(subject: Subject) -> Iterator[Sample]:
    sizes = [(subject.total("total_compressed_size", leaf), leaf) for leaf in subject.leaves]
    left = SAMPLED_BYTES
    for total, leaf in sorted(sizes, key=lambda one: -one[0])[:COLUMNS]:
        if total < LEAST_BYTES:
            return
        pages = _pages(subject, leaf)
        left -= sum(map(uncompressed_bytes, pages))
        if not pages or left < 0:
            continue
        try:
            parts = tuple(one for one in map(_part, pages) if len(one.values))
            used = frozenset(page.encoding for page in pages if page.encoding is not None)
            made = Sample(leaf, total, parts, used)
            if parts and made.now:
                yield made
        except ParquetError:
            continue


def _pages(subject: Subject, leaf: Leaf) -> list[Page]:
    """A page of the first and one of the middle row group, two of the only one; more if they have few values."""
    groups = [group for group, _ in subject.metadata(leaf)]
    chosen = dict.fromkeys((groups[0], groups[len(groups) // 2])) if groups else {}
    try:
        chunks = [subject.file.row_groups[group].columns[leaf.leaf_index] for group in chosen]
    except ParquetError:
        return []
    each = max(1, PAGES // max(1, len(chunks)))
    found = [page for chunk in chunks for page in spread(chunk, each)]
    values = sum(page.num_present for page in found)
    if found and values < FEW_VALUES:
        each = min(MOST_PAGES // len(chunks), -(-each * FEW_VALUES // max(1, values)))
        found = [page for chunk in chunks for page in spread(chunk, each)]
    return found


def _part(page: Page) -> Part:
    """Raises ParquetError if the page, or its dictionary, cannot be read."""
    chunk = page.chunk
    each = max(1, uncompressed_bytes(page) // max(1, page.num_values))
    count = min(VALUES, page.num_present, max(1, PART_BYTES // each))
    values = page.physical_part(0, count)
    if values.nbytes > 2 * PART_BYTES:
        count = max(1, count * 2 * PART_BYTES // values.nbytes)
        values = values[:count]
    if page.encoding not in DICTIONARIES:
        return Part(chunk, values, _encode(values, page.encoding or 0))
    ids, entries = page.dictionary_ids, chunk.dictionary_page
    if ids is None or entries is None:
        return Part(chunk, values, plain(values))
    through = sum(one.num_values for one in data_pages(chunk) if one.encoding in DICTIONARIES)
    stored = indexes(ids[:count], entries.num_values)
    return Part(chunk, values, stored, bytes(entries.body.section("values").data), count / max(1, through))


def retyped(sample: Sample, target: str) -> int | None:
    """The bytes of a column in another type, in its best encoding; None if a value of the sample would be lost, or cannot be written."""
    from pqexplore.engine.writer import retype

    try:
        change = retype.change(sample.leaf, target)
        made = [change.converted(one) for one in sample.values]
        if any(lost is not None for _, lost in made):
            return None
        return sample.column(sample.of_type([values for values, _ in made], change.new.physical_type))
    except (ParquetError, UsageError, ValueError):
        return None


def severity(subject: Subject, saved: int) -> Severity | None:
    """How much it matters that so many bytes could be saved; None if it does not."""
    if saved >= max(SAVED_BYTES, SHARE * subject.file.size):
        return Severity.WASTEFUL
    return Severity.NOTE if saved >= LEAST_BYTES else None


def cost(subject: Subject, saved: int) -> Cost:
    """So many bytes of the file, by an estimate."""
    share = percent(saved / subject.file.size).replace("> ", "over ")
    return Cost(f"{share} of the file, if the other values are alike", bytes=saved)


def smaller(saved: dict[str, int], takes: int, today: int) -> dict[str, object]:
    """The evidence that columns could be smaller: what each saves by its path, and what all take then and today."""
    return {"saved": saved, "takes": takes, "today": today}


def named(leaf: Leaf) -> str:
    """The dotted path of a leaf."""
    return ".".join(leaf.path)


def compressed(chunk: ColumnChunk, data: bytes | memoryview, level: int | None = None, codec: int | None = None) -> int:
    """The size of bytes with a codec, else the chunk's. Raises ParquetError if it has none to write."""
    from pqexplore.engine.format import codecs

    return len(codecs.compress(int(chunk.metadata.codec) if codec is None else codec, data, level))


def plain(values: pa.Array) -> bytes:
    """Values in PLAIN."""
    return _encode(values, Encoding.PLAIN)


def _encode(values: pa.Array, encoding: int) -> bytes:
    from pqexplore.engine.writer.coder import encode_values
    from pqexplore.engine.writer.options import ColumnOptions

    return encode_values(values, encoding, ColumnOptions())


def encoded(chunk: ColumnChunk, values: pa.Array, encoding: int) -> int:
    """The compressed size of values; a dictionary is one of these values alone. Errors as `compressed`."""
    if encoding not in DICTIONARIES:
        return compressed(chunk, _encode(values, encoding))
    from pqexplore.engine.format.encodings import dictionary

    entries, ids = dictionary.build(values)
    return compressed(chunk, plain(entries)) + compressed(chunk, indexes(ids, len(entries)))


def indexes(ids: object, entries: int) -> bytes:
    """The values section of a page of indexes into a dictionary of so many entries."""
    from pqexplore.engine.format.encodings import dictionary

    return dictionary.encode(ids, max(entries - 1, 0).bit_length())


def data_pages(chunk: ColumnChunk) -> Iterator[Page]:
    """The data pages of a chunk, in order. Raises ParquetError for a damaged header."""
    return (page for page in chunk.pages if page.is_data)


def uncompressed_bytes(page: Page) -> int:
    """The bytes of a page's body before compression."""
    return page.header.uncompressed_page_size or 0


def rewritten(page: Page, values: bytes | memoryview, level: int | None = None) -> int:
    """The compressed size of a page's body if its values section were this one. Errors as `compressed`."""
    levels = b"".join(bytes(page.body.section(name).data) for name in ("repetition_levels", "definition_levels"))
    if page.header.type == PageType.DATA_PAGE_V2:  # its levels are stored as they are
        return len(levels) + compressed(page.chunk, values, level)
    return compressed(page.chunk, levels + bytes(values), level)
