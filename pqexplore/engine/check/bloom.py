"""Checks a Bloom filter against the values: it must never deny a value that is present."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.check.compared import shown
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import bloom
from pqexplore.engine.format.value_text import stored_bytes
from pqexplore.engine.text import plural

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import PageContents
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page

Mask = np.ndarray[Any, np.dtype[np.bool_]]

USELESS = 0.5
"""A filter that lets this share of absent values through, or more, is reported as too full."""
MEMBERSHIP = 'a Bloom filter can respond to membership queries for sets with either "definitely no" or "probably yes"'


class FilterCheck:
    """Looks up every value of a chunk's pages in its filter."""

    def __init__(self, chunk: ColumnChunk) -> None:
        self._chunk = chunk
        self._denied = 0
        self._first: tuple[str, bytes] | None = None
        self._entries: Mask | None = None
        try:
            self._filter = chunk.bloom_filter
        except ParquetError:
            self._filter = None

    def add(self, page: Page, contents: PageContents) -> None:
        """Look up the values of a data page. The entries of a dictionary are hashed once a chunk."""
        if self._filter is None or (contents.uses is not None and self._contains(contents.physical).all()):
            return
        ids = page.dictionary_ids
        if ids is None:
            present = self._contains(page.physical)
        else:
            if self._entries is None:
                self._entries = self._contains(page.chunk.dictionary_physical)
            present = self._entries[ids]
        denied = np.flatnonzero(~present)
        self._denied += len(denied)
        if len(denied) and self._first is None:
            at = int(denied[0])
            raw = stored_bytes(page.chunk.leaf, page.physical[at].as_py())
            self._first = (Address.of(page.address, "values", at), raw)

    def _contains(self, physical: pa.Array | None) -> Mask:
        """Whether the filter may contain each value: bool, shape (values,)."""
        assert self._filter is not None
        if physical is None or not len(physical):
            return np.zeros(0, np.bool_)
        return bloom.probe_hashes(self._filter.bitset, bloom.hash_array(physical))

    def findings(self) -> Iterator[Finding]:
        """Findings after the last page: values that the filter denies, its length, and how full it is."""
        if self._filter is None:
            return
        address = Address.of(self._chunk.address, "bloom_filter")
        if self._first is not None:
            where, raw = self._first
            yield Finding(
                "bloom-filter-denies",
                address,
                f"the Bloom filter denies {plural(self._denied, 'value')} that the pages hold, first "
                f"{shown(self._chunk.leaf, raw)} at {where}: a query that trusts it misses rows",
                {"values": self._denied, "first": raw, "address": where},
            )
        length = self._chunk.metadata.bloom_filter_length
        span = self._chunk.bloom_filter_span
        size = 0 if span is None else len(span)
        if length is not None and length != size:
            yield Finding(
                "bloom-filter-length",
                Address.of(self._chunk.address, "metadata/meta_data/bloom_filter_length"),
                f"bloom_filter_length is {length:,}, the filter and its header have {size:,} bytes",
                {"bloom_filter_length": length, "size": size},
            )
        occupancy = self._filter.occupancy()
        if occupancy.fpp >= USELESS:
            yield Finding(
                "bloom-filter-full",
                address,
                f"the Bloom filter lets through {occupancy.fpp:.0%} of the values that are absent; it is too small for "
                f"about {occupancy.ndv:,.0f} different values",
                {"fpp": occupancy.fpp, "ndv": occupancy.ndv, "bytes": len(self._filter.bitset)},
            )
