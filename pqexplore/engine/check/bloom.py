"""A Bloom filter against the values: it may say "perhaps" of anything, and must never say "no" of what is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pqexplore.engine import bloom
from pqexplore.engine.check.statistics import shown
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.tree import Finding, join
from pqexplore.engine.values import stored_bytes

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.page import Page

USELESS = 0.5
"""A filter that lets through this share of absent values, or more, is not worth its bytes."""
MEMBERSHIP = 'a Bloom filter can respond to membership queries for sets with either "definitely no" or "probably yes"'


class Probe:
    """Asks a chunk's filter for every value of its pages."""

    def __init__(self, chunk: ColumnChunk) -> None:
        self._chunk = chunk
        self._absent = 0
        self._first: tuple[str, bytes] | None = None
        self._entries: Any = None
        try:
            self._filter = chunk.bloom_filter
        except ParquetError:
            self._filter = None

    def add(self, page: Page) -> None:
        """Ask for the values of a data page; of a dictionary-encoded one, each entry is hashed once a chunk."""
        if self._filter is None:
            return
        ids = page.dictionary_ids
        if ids is None:
            answers = self._ask(page.physical)
        else:
            if self._entries is None:
                self._entries = self._ask(page.chunk.dictionary_physical)
            answers = self._entries[ids]
        absent = np.flatnonzero(~answers)
        self._absent += len(absent)
        if len(absent) and self._first is None:
            at = int(absent[0])
            raw = stored_bytes(page.chunk.leaf, page.physical[at].as_py())
            self._first = (join(page.address, "values", at), raw)

    def _ask(self, physical: Any) -> Any:
        assert self._filter is not None
        if physical is None or not len(physical):
            return np.zeros(0, np.bool_)
        return bloom.probe_hashes(self._filter.bitset, bloom.hash_array(physical))

    def findings(self) -> Iterator[Finding]:
        """After the last page: values that the filter denies; and whether it is of any use."""
        if self._filter is None:
            return
        address = join(self._chunk.address, "bloom_filter")
        if self._first is not None:
            where, raw = self._first
            yield Finding(
                "bloom-filter-denies",
                "error",
                address,
                f"the Bloom filter denies {self._absent:,} values that are there, first {shown(self._chunk.leaf, raw)} "
                f"at {where}: a query that trusts it misses rows",
                {"values": self._absent, "first": raw, "address": where},
                MEMBERSHIP,
            )
        said = self._chunk.metadata.bloom_filter_length
        size = self._chunk.bloom_filter_end - self._filter.offset
        if said is not None and said != size:
            yield Finding(
                "bloom-filter-length",
                "warning",
                join(self._chunk.address, "metadata/meta_data/bloom_filter_length"),
                f"bloom_filter_length is {said:,}, the filter and its header have {size:,} bytes",
                {"bloom_filter_length": said, "size": size},
                "ColumnMetaData.bloom_filter_length: Size of Bloom filter data including the serialized header, in bytes",
            )
        found = self._filter.occupancy()
        if found.fpp >= USELESS:
            yield Finding(
                "bloom-filter-full",
                "note",
                address,
                f"the Bloom filter lets through {found.fpp:.0%} of the values that are not there; it is too small for "
                f"about {found.ndv:,.0f} different values",
                {"fpp": found.fpp, "ndv": found.ndv, "bytes": len(self._filter.bitset)},
            )
