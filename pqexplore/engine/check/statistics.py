"""Checks the statistics of chunks and pages against the values.

A wrong bound is the worst fault of a file: a query silently skips rows that it should return. Values are compared in
the order that the file declares (`ordering`). Bounds that readers must not trust (`format.statistics.bounds`) are
reported as such, not as errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.check.compared import BOUND, against, by_themselves, field_of, fields_below, inverted, undefined
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.page_headers import page_struct
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.ordering import Order, column_order, declared_order, is_float, type_order
from pqexplore.engine.format.statistics import LEGACY, NEW, Bounds, legacy_distrust
from pqexplore.engine.format.statistics import bounds as read_bounds
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.rule import Severity
from pqexplore.engine.text import plural

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import ChunkContents, PageContents
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.field import Leaf


def order_of(chunk: ColumnChunk) -> Order:
    """The order in which readers compare the chunk's statistics."""
    try:
        bounds = read_bounds(chunk.leaf, chunk.metadata.statistics, chunk.file.created_by)
    except ParquetError:
        bounds = None
    if bounds is None or not bounds.source:
        return column_order(chunk.leaf)
    return bounds.order


def declared(chunk: ColumnChunk) -> Iterator[Finding]:
    """Findings about a chunk's statistics that need no values."""
    statistics, leaf = chunk.metadata.statistics, chunk.leaf
    if statistics is None:
        return
    address = Address.of(chunk.address, "metadata/meta_data/statistics")
    try:
        bounds = read_bounds(leaf, statistics, chunk.file.created_by)
    except ParquetError as error:
        yield Finding("statistics-damaged", address, error.message, specification=BOUND)
        return
    assert bounds is not None
    yield from _doubts(leaf, statistics, bounds, address, chunk.file.created_by)


def _doubts(
    leaf: Leaf, statistics: structs.Statistics, bounds: Bounds, address: str, created_by: str | None
) -> Iterator[Finding]:
    if statistics.nan_count is not None and not is_float(leaf):
        yield Finding(
            "nan-count-unsuited",
            address,
            f"nan_count is {statistics.nan_count:,}, but the type of the column has no NaN",
            {"nan_count": statistics.nan_count},
        )
    if bounds.order is Order.TOTAL and bounds.source == NEW and statistics.nan_count is None:
        yield Finding(
            "nan-count-absent", address, "nan_count is absent; the column order IEEE_754_TOTAL_ORDER requires it"
        )
    alone = inverted(bounds) and not legacy_distrust(leaf, created_by)
    meaningless = list(undefined(leaf, bounds, address, "statistics"))
    yield from meaningless
    if meaningless:
        pass
    elif bounds.source == LEGACY and not bounds.trusted and not alone:
        yield Finding("old-statistics", address, f"min and max cannot be trusted: {bounds.why}")
    elif bounds.source == NEW and declared_order(leaf) is None:
        yield Finding(
            "column-orders-absent",
            address,
            "min_value and max_value exist, but the footer gives the column no known order; readers may ignore them",
        )
    yield from by_themselves(leaf, bounds, fields_below(address), "statistics", created_by)
    if bounds.order is Order.FLOAT and bounds.source == NEW:
        for side, raw in (("min", bounds.min_raw), ("max", bounds.max_raw)):
            if raw is not None and wrong_zero(raw, side):
                yield zero_bound(raw, side, Address.of(address, field_of(side, bounds)))
    if statistics.min is not None and statistics.min_value is not None and bounds.trusted:
        yield from _generations(leaf, statistics, address)


def wrong_zero(raw: bytes, side: str) -> bool:
    """Whether a bound is the zero that leaves out the other zero: +0.0 as minimum, -0.0 as maximum."""
    return raw[:-1].count(0) == len(raw) - 1 and raw[-1:] == (b"\0" if side == "min" else b"\x80")


def zero_bound(raw: bytes, side: str, address: str, more: str = "") -> Finding:
    """The finding about a bound that `wrong_zero` describes, because a reader may distinguish -0 and +0."""
    negative = bool(raw[-1])
    return Finding(
        "zero-bound",
        address,
        f"the {side} is {'-0.0' if negative else '+0.0'}, and the values may include "
        f"{'+0.0' if negative else '-0.0'}{more}",
        {side: raw},
    )


def _generations(leaf: Leaf, statistics: structs.Statistics, address: str) -> Iterator[Finding]:
    """For signed orders, min and max must equal min_value and max_value; for others they should not be set."""
    order = type_order(leaf)
    unsigned = order in (Order.UNSIGNED, Order.BYTES)
    if unsigned and statistics.min != statistics.max:
        yield Finding(
            "old-statistics-unsuited",
            address,
            "min and max are set beside min_value and max_value; they are for signed comparison only, and the order of "
            f"the column is {order.value}",
            {"min": statistics.min, "max": statistics.max},
        )
    elif order in (Order.SIGNED, Order.BOOLEAN) and (statistics.min, statistics.max) != (
        statistics.min_value,
        statistics.max_value,
    ):
        yield Finding(
            "old-statistics-disagree",
            address,
            "min and max differ from min_value and max_value",
            {
                "min": statistics.min,
                "max": statistics.max,
                "min_value": statistics.min_value,
                "max_value": statistics.max_value,
            },
        )


def chunk(chunk: ColumnChunk, contents: ChunkContents) -> Iterator[Finding]:
    """Compares a chunk's statistics with its values."""
    address = Address.of(chunk.address, "metadata/meta_data/statistics")
    statistics = chunk.metadata.statistics
    if statistics is None:
        return
    yield from against(chunk.leaf, statistics, contents, fields_below(address), "statistics", chunk.file.created_by)
    stated, distinct = statistics.distinct_count, contents.distinct
    if stated is None or stated < 0 or stated == distinct:
        return
    impossible = stated > contents.num_present
    if distinct is not None or impossible:
        too_many = distinct is not None and stated > distinct  # DuckDB counts an ENUM's values
        present = plural(contents.num_present, "value")
        count = present if distinct is None else f"{distinct:,} distinct among {present}"
        yield Finding(
            "distinct-count-disagrees",
            Address.of(address, "distinct_count"),
            f"distinct_count is {stated:,}, the pages have {count}",
            {"distinct_count": stated, "values": distinct, "present": contents.num_present},
            severity=Severity.DAMAGE if impossible else Severity.NOTE if too_many else Severity.PORTABILITY,
        )


def beyond(chunk: ColumnChunk, contents: PageContents) -> Iterator[Finding]:
    """Bounds of a chunk that leave out a value of one of its pages."""
    statistics = chunk.metadata.statistics
    if statistics is not None:
        fields = fields_below(Address.of(chunk.address, "metadata/meta_data/statistics"))
        found = against(chunk.leaf, statistics, contents, fields, "statistics", chunk.file.created_by, some=True)
        yield from (one for one in found if one.rule == "statistics-bound")


def without_values(chunk: ColumnChunk) -> Iterator[Finding]:
    """Compares counts with num_values, if the values cannot be read."""
    statistics, num_values = chunk.metadata.statistics, chunk.metadata.num_values
    for name in ("null_count", "distinct_count", "nan_count"):
        count = getattr(statistics, name, None)
        if count is not None and count > num_values:
            yield Finding(
                f"{name.replace('_', '-')}-above-values",
                Address.of(chunk.address, "metadata/meta_data/statistics", name),
                f"{name} is {count:,}, the chunk has {num_values:,} values",
                {name: count, "num_values": num_values},
                "ColumnMetaData.num_values: Number of values in this column",
            )


def page(page: Page, contents: PageContents) -> Iterator[Finding]:
    """Compares the statistics in a page's header with the page's values."""
    known = page.statistics
    if known is None:
        return
    statistics = known.struct
    part = page_struct(page.header)
    name = "data_page_header_v2" if isinstance(part, structs.DataPageHeaderV2) else "data_page_header"
    leaf, created_by = page.chunk.leaf, page.chunk.file.created_by
    fields = fields_below(Address.of(page.address, "header", name, "statistics"))
    yield from against(leaf, statistics, contents, fields, "page-statistics", created_by)
