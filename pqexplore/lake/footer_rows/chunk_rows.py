"""Builds batches of the tables `column_chunks` and `row_groups` from the chunks of many files.

A batch is built one column at a time from thousands of chunks, which is fast. Properties with few combinations, such as
the encodings, are computed once for each combination.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from itertools import repeat
from operator import attrgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType
from pqexplore.engine.format.variant.bounds import ENCODED, doubt
from pqexplore.engine.text import clip
from pqexplore.lake.footer_rows.bound_keys import DAMAGED, NAN, KeyKind, convert
from pqexplore.lake.footer_rows.footers import NO_METADATA, Chunk, ChunkMetadata, Crypto, Statistics
from pqexplore.lake.footer_rows.schemas import LeafFacts
from pqexplore.lake.tables import NAME, TABLES, plausible

RAW_BYTES = 256
"""Max bytes of a stored bound."""

MOST_LISTED = 64
"""Encodings, or encoding statistics, of a chunk that are read; there are ten encodings."""

_DICTIONARY = frozenset((int(Encoding.PLAIN_DICTIONARY), int(Encoding.RLE_DICTIONARY)))
_LEVELS = frozenset((int(Encoding.RLE), int(Encoding.BIT_PACKED)))
_DATA_PAGES = frozenset((int(PageType.DATA_PAGE), int(PageType.DATA_PAGE_V2)))


@functools.lru_cache(4096)
def encoding_names(encodings: tuple[int, ...]) -> list[str]:
    """The specification's names."""
    return [structs.enum_name(Encoding, one) for one in encodings]


@functools.lru_cache(64)
def codec_name(codec: int | None) -> str | None:
    """The specification's name; None if absent in the footer."""
    return None if codec is None else structs.enum_name(CompressionCodec, codec)


@functools.lru_cache(4096)
def dictionary_use(
    encodings: tuple[int, ...], counts: tuple[tuple[int, int, int], ...] | None, placed: bool
) -> tuple[int | None, int | None, bool, bool | None]:
    """Number of data pages, number that use the dictionary, whether there is one, and whether the writer stopped using it.

    `counts` are the encoding statistics as (page type, encoding, pages), `placed` whether the footer has the offset of a
    dictionary page. Without `counts`, only the list of encodings is left. PLAIN in it may mean the dictionary page or
    data pages, so the last value is then None.
    """
    if counts:
        data = sum(n for kind, _, n in counts if kind in _DATA_PAGES)
        through = sum(n for kind, e, n in counts if kind in _DATA_PAGES and e in _DICTIONARY)
        has = placed or through > 0 or any(kind == PageType.DICTIONARY_PAGE for kind, _, _ in counts)
        return _count(data), _count(through), has, has and data > through
    used = set(encodings)
    has = placed or bool(used & _DICTIONARY)
    others = used - _DICTIONARY - _LEVELS
    if not has or not others:
        return None, None, has, False
    return None, None, has, True if others - {int(Encoding.PLAIN)} else None


def _count(pages: int) -> int:
    return max(0, min(pages, 2**31 - 1))


def _counts(metadata: ChunkMetadata) -> tuple[tuple[int, int, int], ...] | None:
    stats = metadata.encoding_stats
    if not stats:
        return None
    return tuple((s.page_type, s.encoding, s.count or 0) for s in stats[:MOST_LISTED])


def start_offset(metadata: ChunkMetadata) -> int | None:
    """Offset of the first page: the dictionary page if there is one."""
    first = metadata.data_page_offset
    dictionary = metadata.dictionary_page_offset
    if dictionary is not None and dictionary > 0 and (first is None or dictionary < first or first < 4):
        return dictionary
    return first


def _generation(statistics: Statistics) -> str:
    if statistics is _NO_STATISTICS:
        return "none"
    if statistics.min_value is not None or statistics.max_value is not None:
        return "min_max"
    if statistics.min is not None or statistics.max is not None:
        return "legacy"
    return "counts"


def _distrust(leaf: LeafFacts, generation: str, statistics: Statistics) -> str:
    """Why bounds are not trustworthy, without comparing values; empty if they are."""
    if generation == "min_max":
        if leaf.needs_nan_count and statistics.nan_count is None:
            return "nan-count-absent"
        return leaf.distrust
    if generation == "legacy":
        equal = statistics.min is not None and statistics.min == statistics.max
        return leaf.legacy_distrust_equal if equal else leaf.legacy_distrust
    return "none"


class _NoStatistics:
    """Stands for absent statistics."""

    min: bytes | None = None
    max: bytes | None = None
    min_value: bytes | None = None
    max_value: bytes | None = None
    null_count: int | None = None
    distinct_count: int | None = None
    nan_count: int | None = None
    is_min_value_exact: bool | None = None
    is_max_value_exact: bool | None = None
    unencoded_byte_array_data_bytes: int | None = None


_NO_STATISTICS = _NoStatistics()


class ChunkRows:
    """Column chunks of the next batch."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._paths: list[str] = []
        self._groups: list[int] = []
        self._leaves: list[LeafFacts] = []
        self._chunks: list[Chunk] = []
        self._doubts: list[str] = []

    def __len__(self) -> int:
        return len(self._chunks)

    def add(
        self, path: str, group: int, leaves: Sequence[LeafFacts], chunks: Sequence[Chunk], beside: Mapping[int, Chunk]
    ) -> None:
        """Add neighbouring chunks of a row group, each with its leaf; `beside` has those of each `value_leaf`."""
        self._doubts += [_doubt(leaf, beside) for leaf in leaves]
        self._paths.extend(repeat(path, len(chunks)))
        self._groups.extend(repeat(group, len(chunks)))
        self._leaves.extend(leaves)
        self._chunks.extend(chunks)

    def batch(self) -> Any:
        """Builds a record batch of the table `column_chunks` from the rows so far, and clears them."""
        chunks, leaves = self._chunks, self._leaves
        metadata = [c.meta_data or NO_METADATA for c in chunks]
        statistics = [m.statistics or _NO_STATISTICS for m in metadata]
        sizes = [m.size_statistics for m in metadata]
        encodings = [tuple(m.encodings[:MOST_LISTED]) if m.encodings else () for m in metadata]
        dictionary_offsets = list(map(attrgetter("dictionary_page_offset"), metadata))

        def of(objects: Sequence[object], name: str) -> list[Any]:
            return list(map(attrgetter(name), objects))

        columns: dict[str, Any] = {
            "run_id": pa.repeat(self._run_id, len(chunks)),
            "path": self._paths,
            "row_group": self._groups,
            "leaf": of(leaves, "index"),
            "column_name": of(leaves, "name"),
            "physical_type": of(leaves, "physical_type"),
            "logical_type": of(leaves, "logical_type"),
            "codec": [codec_name(m.codec) for m in metadata],
            "encodings": list(map(encoding_names, encodings)),
            "num_values": plausible(of(metadata, "num_values")),
            "null_count": plausible(of(statistics, "null_count")),
            "distinct_count": plausible(of(statistics, "distinct_count")),
            "nan_count": plausible(of(statistics, "nan_count")),
            "compressed_bytes": plausible(of(metadata, "total_compressed_size")),
            "uncompressed_bytes": plausible(of(metadata, "total_uncompressed_size")),
            "unencoded_bytes": plausible(of([s or _NO_STATISTICS for s in sizes], "unencoded_byte_array_data_bytes")),
            "start_offset": list(map(start_offset, metadata)),
            "data_page_offset": of(metadata, "data_page_offset"),
            "dictionary_page_offset": dictionary_offsets,
            **_dictionaries(metadata, encodings, dictionary_offsets),
            "column_index_offset": of(chunks, "column_index_offset"),
            "column_index_bytes": of(chunks, "column_index_length"),
            "offset_index_offset": of(chunks, "offset_index_offset"),
            "offset_index_bytes": of(chunks, "offset_index_length"),
            "bloom_filter_offset": of(metadata, "bloom_filter_offset"),
            "bloom_filter_bytes": of(metadata, "bloom_filter_length"),
            "has_size_statistics": [s is not None for s in sizes],
            "encryption": [_encryption(c.crypto_metadata) for c in chunks],
            "locked": [c.encrypted_column_metadata is not None for c in chunks],
            "file_path": [c.file_path and clip(c.file_path, NAME) for c in chunks],
            "min_exact": of(statistics, "is_min_value_exact"),
            "max_exact": of(statistics, "is_max_value_exact"),
            **_bounds(leaves, statistics, self._doubts),
        }
        self._paths, self._groups, self._leaves, self._chunks = [], [], [], []
        self._doubts = []
        return TABLES["column_chunks"].batch(columns)


def _dictionaries(
    metadata: Sequence[ChunkMetadata], encodings: Sequence[Sequence[int]], offsets: Sequence[int | None]
) -> dict[str, Any]:
    """All columns about the use of dictionaries."""
    used = [
        dictionary_use(e, _counts(m), o is not None and o > 0)
        for e, m, o in zip(encodings, metadata, offsets, strict=True)
    ]
    return {
        "data_pages": [u[0] for u in used],
        "dictionary_data_pages": [u[1] for u in used],
        "has_dictionary": [u[2] for u in used],
        "dictionary_fallback": [u[3] for u in used],
    }


def _encryption(crypto: Crypto | None) -> str:
    if crypto is None:
        return "none"
    return "column key" if crypto.ENCRYPTION_WITH_COLUMN_KEY is not None else "footer key"


def _doubt(leaf: LeafFacts, beside: Mapping[int, Chunk]) -> str:
    """Why bounds of a Variant's column may leave out values; empty if they do not."""
    if leaf.encoded_variant:
        return ENCODED
    if leaf.value_leaf is None:
        return ""
    metadata = beside[leaf.value_leaf].meta_data or NO_METADATA
    counted = metadata.statistics or _NO_STATISTICS
    return doubt(counted.null_count, metadata.num_values)


def _stated(
    leaf: LeafFacts, generation: str, statistics: Statistics
) -> tuple[KeyKind | None, bytes | None, bytes | None]:
    """The kind of the bounds, and the bounds; None without any."""
    if generation == "min_max":
        return leaf.kind, statistics.min_value, statistics.max_value
    if generation == "legacy":
        return leaf.legacy_kind, statistics.min, statistics.max
    return None, None, None


def _reasons(
    leaves: list[LeafFacts], generations: list[str], statistics: list[Statistics], doubts: list[str]
) -> list[str]:
    """Why the bounds are not trusted before they are decoded; "" if they are."""
    return [
        (why if generation in ("none", "counts") else "") or _distrust(leaf, generation, s) or why
        for leaf, generation, s, why in zip(leaves, generations, statistics, doubts, strict=True)
    ]


def _negative_counts(statistics: list[Statistics]) -> list[int]:
    """The places of statistics with a count below 0."""
    return [i for i, s in enumerate(statistics) if min(s.null_count or 0, s.distinct_count or 0, s.nan_count or 0) < 0]


def _bounds(leaves: list[LeafFacts], statistics: list[Statistics], doubts: list[str]) -> dict[str, Any]:
    """All columns about bounds. The rules are those of `statistics.bounds`, for many chunks at once."""
    generations = list(map(_generation, statistics))
    reasons = _reasons(leaves, generations, statistics, doubts)
    stated = list(map(_stated, leaves, generations, statistics))
    kinds, lows, highs = [one[0] for one in stated], [one[1] for one in stated], [one[2] for one in stated]
    min_keys, min_texts, min_states = convert(kinds, lows, upper=False)
    max_keys, max_texts, max_states = convert(kinds, highs, upper=True)
    crossed = np.asarray(pc.fill_null(pc.greater(min_keys, max_keys), False), bool)
    damaged = (min_states == DAMAGED) | (max_states == DAMAGED)
    for place in np.flatnonzero((min_states == NAN) | (max_states == NAN)):
        reasons[place] = reasons[place] or "nan"
    for place in np.flatnonzero(crossed & ~damaged):
        reasons[place] = reasons[place] or "min-above-max"
    for place in (*np.flatnonzero(damaged), *_negative_counts(statistics)):
        reasons[place] = "damaged"
    trusted = pa.array([not reason for reason in reasons])
    nothing = pa.scalar(None, pa.binary())
    return {
        "statistics": generations,
        "bounds": [reason or "trusted" for reason in reasons],
        "min_text": min_texts,
        "max_text": max_texts,
        "min_raw": [None if raw is None else raw[:RAW_BYTES] for raw in lows],
        "max_raw": [None if raw is None else raw[:RAW_BYTES] for raw in highs],
        "min_key": pc.if_else(trusted, min_keys, nothing),
        "max_key": pc.if_else(trusted, max_keys, nothing),
    }
