"""Statistics as a user reads them: minimum and maximum in the column's logical type, and whether to believe them.

The structs keep the bytes (`.struct`). What decodes and judges these is `format.statistics.bounds`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.ordering import Order, declared_order
from pqexplore.engine.format.statistics import LEGACY, Bounds
from pqexplore.engine.format.statistics import bounds as decode
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.handle import Handle
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.text import clip, printable

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.page_index import IndexedPage

SHOWN = 40
"""Characters of a bound in a repr."""

HIDDEN = "not shown: encrypted"
"""Stands for a decrypted value in a repr: notebooks and logs keep reprs."""


class Statistics(Handle):
    """The Statistics of a column chunk or a page.

    `min` and `max` are decoded; `struct` is the struct as it is in the file, with the bytes of both pairs of bounds.
    """

    __slots__ = ("_bounds", "_decode", "_why", "is_hidden", "leaf", "struct")

    INTERNAL: ClassVar[frozenset[str]] = frozenset({"is_hidden", "leaf"})

    def __init__(
        self, leaf: Leaf, struct: structs.Statistics, decode: Callable[[], Bounds | None], is_hidden: bool
    ) -> None:
        self.leaf = leaf
        self.struct = struct
        self.is_hidden = is_hidden
        self._decode = decode
        self._bounds: Bounds | None = None
        self._why = ""

    @property
    def bounds(self) -> Bounds | None:
        """Both bounds with their order; None if they are damaged, then `why` says how."""
        if self._bounds is None and not self._why:
            try:
                self._bounds = self._decode()
            except ParquetError as error:
                self._why = error.message
        return self._bounds

    @property
    def min(self) -> Any:
        """The minimum as a Python object of the logical type.

        None if absent, if its bytes are damaged, if the column has no defined order, or if Python has no such object.
        """
        found = self.bounds
        return found.min if found is not None and _is_ordered(self.leaf, found) else None

    @property
    def max(self) -> Any:
        """The maximum; as `min`."""
        found = self.bounds
        return found.max if found is not None and _is_ordered(self.leaf, found) else None

    @property
    def pair(self) -> str:
        """The fields that `min` and `max` come from: "min_value, max_value", the deprecated "min, max", or ""."""
        found = self.bounds
        if found is None or not found.source:
            return ""
        return "min, max" if found.source == LEGACY else "min_value, max_value"

    @property
    def trusted(self) -> bool:
        """Whether a reader may skip by these bounds; `why` says why not."""
        return self.bounds is not None and self.bounds.trusted

    @property
    def why(self) -> str:
        """Why the bounds are not trusted, else remarks; "" if there is nothing to say."""
        found = self.bounds
        return self._why if found is None else found.why

    @property
    def min_is_exact(self) -> bool | None:
        """Whether `min` is a value of the column; None if the writer does not say."""
        return None if self.bounds is None else self.bounds.min_exact

    @property
    def max_is_exact(self) -> bool | None:
        """Whether `max` is a value of the column; None if the writer does not say."""
        return None if self.bounds is None else self.bounds.max_exact

    @property
    def min_value(self) -> bytes | None:
        """The bytes of `Statistics.min_value`, PLAIN; None if absent."""
        return self.struct.min_value

    @property
    def max_value(self) -> bytes | None:
        """The bytes of `Statistics.max_value`, PLAIN; None if absent."""
        return self.struct.max_value

    @property
    def null_count(self) -> int | None:
        """Nulls, as the writer counted; None if absent."""
        return self.struct.null_count

    @property
    def distinct_count(self) -> int | None:
        """Distinct values, as the writer counted; None if absent."""
        return self.struct.distinct_count

    @property
    def nan_count(self) -> int | None:
        """NaNs, as the writer counted; None if absent."""
        return self.struct.nan_count

    @property
    def is_min_value_exact(self) -> bool | None:
        """`Statistics.is_min_value_exact`; None if absent."""
        return self.struct.is_min_value_exact

    @property
    def is_max_value_exact(self) -> bool | None:
        """`Statistics.is_max_value_exact`; None if absent."""
        return self.struct.is_max_value_exact

    def _cells(self) -> dict[str, str]:
        return {
            "min": shown(self.min, self.is_hidden),
            "max": shown(self.max, self.is_hidden),
            "null_count": "None" if self.null_count is None else f"{self.null_count:,}",
            "from": self.pair,
            "trusted": str(self.trusted),
            "why": printable(self.why),
        }

    def __repr__(self) -> str:
        doubt = f", not trusted: {self.why}" if self.pair and not self.trusted else ""
        doubt = doubt or (f", damaged: {self._why}" if self._why else "")
        return printable(f"<Statistics: {_range(self)}{doubt}>")


def of_chunk(chunk: ColumnChunk) -> Statistics | None:
    """The statistics of a column chunk; None if absent."""
    from pqexplore.engine.file.chunk_bounds import known_bounds

    struct = chunk.metadata.statistics
    if struct is None:
        return None
    return Statistics(chunk.leaf, struct, lambda: known_bounds(chunk), is_secret(chunk))


def of_page(page: Page, struct: structs.Statistics | None) -> Statistics | None:
    """The statistics in a page's header; None if absent."""
    chunk = page.chunk
    if struct is None:
        return None
    writer = chunk.file.created_by
    return Statistics(chunk.leaf, struct, lambda: decode(chunk.leaf, struct, writer), is_secret(chunk))


def of_pages(chunk: ColumnChunk) -> Sequence[IndexedPage]:
    """The chunk's page index, decoded; empty if absent."""
    from pqexplore.engine.format import page_index

    columns, offsets = chunk.column_index, chunk.offset_index
    listed = page_index.pages(columns, offsets, chunk.leaf, chunk.row_group.num_rows)
    hidden, ordered = is_secret(chunk), is_ordered(chunk.leaf)

    def make(index: int) -> IndexedPage:
        found = dataclasses.replace(listed[index], is_hidden=hidden)
        return found if ordered else dataclasses.replace(found, min=None, max=None)

    return LazySequence(len(listed), make, "indexed page")


def is_secret(chunk: ColumnChunk) -> bool:
    """Whether values and bounds of a chunk took a key to read, so that no repr has them."""
    try:
        return chunk.encrypted or chunk.file.footer.crypto_metadata is not None
    except ParquetError:
        return True


def is_ordered(leaf: Leaf) -> bool:
    """Whether the footer declares an order for the column, without which `min_value` and `max_value` mean nothing."""
    return declared_order(leaf) not in (None, Order.NONE)


def _is_ordered(leaf: Leaf, found: Bounds) -> bool:
    return found.order is not Order.NONE and (found.source == LEGACY or is_ordered(leaf))


def shown(value: object, is_hidden: bool) -> str:
    """A bound in a repr: clipped, and hidden if it took a key to read."""
    if value is None:
        return "None"
    return HIDDEN if is_hidden else clip(printable(repr(value)), SHOWN)


def _range(known: Statistics | ColumnStatistics) -> str:
    low, high = known.min, known.max
    if known.is_hidden and (low is not None or high is not None):
        bounds = f"bounds {HIDDEN}"
    else:
        bounds = f"min={shown(low, False)}, max={shown(high, False)}"
    nulls = known.null_count
    return f"{bounds}, {'unknown' if nulls is None else format(nulls, ',')} nulls"


class ColumnStatistics(Handle):
    """The statistics of a column over all row groups: the smallest minimum, the largest maximum, all nulls.

    `min` and `max` are None if a row group with values has no bounds, or bounds that are not trusted; then `why` names the
    first one. `null_count` is None if a row group has none.
    """

    __slots__ = ("is_hidden", "max", "min", "null_count", "num_values", "trusted", "why")

    INTERNAL: ClassVar[frozenset[str]] = frozenset({"is_hidden"})

    min: Any
    max: Any

    def __init__(self, chunks: Sequence[ColumnChunk]) -> None:
        self.num_values = 0
        self.null_count: int | None = 0
        self.is_hidden = False
        self.why = ""
        bounds: list[Bounds] = []
        for chunk in chunks:
            found, values = of_chunk(chunk), chunk.num_values
            self.is_hidden = self.is_hidden or is_secret(chunk)
            self.num_values += values
            nulls = None if found is None else found.null_count
            known = self.null_count
            self.null_count = None if nulls is None or known is None else known + nulls
            if nulls == values:
                continue  # nothing has to lie within bounds
            one = None if found is None else found.bounds
            if one is None or not one.trusted or one.min_key is None or one.max_key is None:
                reason = (found.why if found is not None else "") or "it has no bounds"
                self.why = self.why or f"row group {chunk.row_group.index:,}: {reason}"
            else:
                bounds.append(one)
        self.trusted = bool(bounds) and not self.why
        self.min = self.max = None
        if self.trusted:
            self.min = min(bounds, key=lambda one: one.min_key or b"").min
            self.max = max(bounds, key=lambda one: one.max_key or b"").max

    def _cells(self) -> dict[str, str]:
        return {
            "min": shown(self.min, self.is_hidden),
            "max": shown(self.max, self.is_hidden),
            "null_count": "None" if self.null_count is None else f"{self.null_count:,}",
            "num_values": f"{self.num_values:,}",
            "why": printable(self.why),
        }

    def __repr__(self) -> str:
        doubt = f", no bounds: {self.why}" if self.why else ""
        return printable(f"<ColumnStatistics: {_range(self)}, {self.num_values:,} values{doubt}>")
