"""Checks that no map has a key twice.

The keys of a map are consecutive values of the key's column. A map that continues in the next page of its chunk, which
only V1 pages allow, is carried over.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#maps
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.check.comparable import identities
from pqexplore.engine.check.compared import shown
from pqexplore.engine.check.places import Place, of_value
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.value_text import stored_bytes

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import PageContents
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.field import Leaf

MAX_CARRIED = 1_000_000
"""Keys of a chunk that are carried into a next page, in total; then keys are compared within their page only."""

Array = np.ndarray[Any, Any]


def is_key(leaf: Leaf) -> bool:
    """Whether a leaf is the key of a map; keys that are groups have several leaves and are not compared."""
    entry = leaf.parent
    return (
        entry is not None
        and entry.parent is not None
        and entry.parent.kind == "map"
        and entry.parent.list_element is entry
        and entry.children[0] is leaf
    )


class KeyCheck:
    """Compares the keys within each map of a chunk's pages; does nothing for columns that are not keys."""

    def __init__(self, chunk: ColumnChunk) -> None:
        self._leaf = chunk.leaf
        self._applies = is_key(chunk.leaf)
        self._carried: pa.Array | None = None
        """The keys so far of the last map of the page before."""
        self._budget = MAX_CARRIED
        self._maps = 0
        self._first: tuple[Place, bytes] | None = None

    def add(self, page: Page, contents: PageContents) -> None:
        """The keys of the next data page. Raises ParquetError if it cannot be decoded."""
        definition, repetition = page.definition_levels, page.repetition_levels
        if not self._applies or definition is None or repetition is None or not len(repetition):
            return
        leaf, keys = self._leaf, page.physical
        begins = repetition < leaf.max_repetition_level
        present = definition == leaf.max_definition_level
        carried = None if begins[0] else self._carried
        maps = np.cumsum(begins)[present]
        before = 0 if carried is None else len(carried)
        if carried is not None:
            keys = pa.concat_arrays([carried, keys])
            maps = np.concatenate([np.zeros(before, maps.dtype), maps])
        again = repeats(maps, identities(leaf, keys))
        new = again[again >= before]
        self._maps += len(np.unique(maps[new]))
        if len(new) and self._first is None:
            at = int(new[0])
            place = of_value(page, at - before, contents.first_row)
            self._first = place, stored_bytes(leaf, keys[at].as_py())
        last = int(np.searchsorted(maps, int(begins.sum())))
        self._budget -= len(keys) - last
        self._carried = keys[last:] if self._budget >= 0 else None

    def findings(self) -> Iterator[Finding]:
        """A finding after the last page if maps have a key twice."""
        if self._first is None:
            return
        place, raw = self._first
        maps = "1 map has" if self._maps == 1 else f"{self._maps:,} maps have"
        yield Finding(
            "map-key-repeats",
            place.address,
            f"{maps} a key twice, the first is {shown(self._leaf, raw)} ({place}): readers keep the last value, or all",
            {"maps": self._maps, "key": raw} | place.evidence,
        )


def repeats(owners: Array, ids: Array) -> Array:
    """The positions, ascending, of the ids that an earlier position of the same owner has."""
    order = np.lexsort((ids, owners))
    same = (owners[order][1:] == owners[order][:-1]) & (ids[order][1:] == ids[order][:-1])
    return np.sort(order[1:][same])
