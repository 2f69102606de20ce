"""Checks the statistics of chunks and pages against the values.

A wrong bound is the worst fault of a file: a query silently skips rows that it should return. Values are compared in
the order that the file declares (`ordering`). Bounds that readers must not trust (`format.statistics.bounds`) are
reported as such, not as errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.check.values import is_utf8
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.page_headers import page_struct
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.logical import TEXT, meaning
from pqexplore.engine.format.ordering import (
    Order,
    column_order,
    declared_order,
    is_float,
    is_nan,
    type_order,
)
from pqexplore.engine.format.statistics import LEGACY, NEW, Bounds
from pqexplore.engine.format.statistics import bounds as read_bounds
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import format_value, physical_value, plain_length

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import ChunkContents, Contents, PageContents
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.field import Leaf

BOUND = (
    "Statistics.min_value, max_value: Lower and upper bound values for the column, determined by its ColumnOrder. "
    "Values are encoded using PLAIN encoding, except that variable-length byte arrays do not include a length prefix"
)
FieldAddress = Callable[[str], str]
"""Gives the address of a field of Statistics by its name."""
MAX_SHOWN = 60
"""Characters of a value in a message."""


def shown(leaf: Leaf, raw: bytes) -> str:
    """The PLAIN bytes of a value as text, of at most `MAX_SHOWN` characters; as hex if their length is wrong."""
    if plain_length(leaf) not in (None, len(raw)):
        text = "0x" + raw.hex()
    else:
        text = format_value(leaf, physical_value(leaf, raw))
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def order_of(chunk: ColumnChunk) -> Order:
    """The order in which readers compare the chunk's statistics."""
    try:
        bounds = read_bounds(chunk.leaf, chunk.statistics, chunk.file.created_by)
    except ParquetError:
        bounds = None
    if bounds is None or not bounds.source:
        return column_order(chunk.leaf)
    return bounds.order


def declared(chunk: ColumnChunk) -> Iterator[Finding]:
    """Findings about a chunk's statistics that need no values."""
    statistics, leaf = chunk.statistics, chunk.leaf
    if statistics is None:
        return
    address = Address.of(chunk.address, "metadata/meta_data/statistics")
    try:
        bounds = read_bounds(leaf, statistics, chunk.file.created_by)
    except ParquetError as error:
        yield Finding("statistics-damaged", "error", address, error.message, {}, BOUND)
        return
    assert bounds is not None
    yield from _doubts(leaf, statistics, bounds, address)


def _doubts(
    leaf: Leaf, statistics: structs.Statistics, bounds: Bounds, address: str
) -> Iterator[Finding]:
    if statistics.nan_count is not None and not is_float(leaf):
        yield Finding(
            "nan-count-unsuited",
            "warning",
            address,
            f"nan_count is {statistics.nan_count:,}, but the type of the column has no NaN",
            {"nan_count": statistics.nan_count},
            "nan_count: only for FLOAT, DOUBLE, FLOAT16",
        )
    if bounds.order is Order.TOTAL and bounds.source == NEW and statistics.nan_count is None:
        yield Finding(
            "nan-count-absent",
            "error",
            address,
            "nan_count is absent; the column order IEEE_754_TOTAL_ORDER requires it",
            {},
            "ColumnOrder.IEEE_754_TOTAL_ORDER: nan_count is mandatory",
        )
    if bounds.source == LEGACY and not bounds.trusted:
        yield Finding(
            "old-statistics", "note", address, f"min and max cannot be trusted: {bounds.why}"
        )
    elif bounds.source == NEW and bounds.order is Order.NONE:
        yield Finding(
            "statistics-without-order",
            "warning",
            address,
            f"the bounds have no meaning: {bounds.why}",
            {},
            "The sort order used for INTERVAL is undefined. When writing data, no min/max statistics should be saved "
            "for this type and if such non-compliant statistics are found during reading, they must be ignored"
            if meaning(leaf).name == "INTERVAL"
            else "",
        )
    elif bounds.source == NEW and declared_order(leaf) is None:
        yield Finding(
            "column-orders-absent",
            "note",
            address,
            "min_value and max_value exist, but the footer gives the column no known order; readers may ignore them",
            {},
            "FileMetaData.column_orders: Without column_orders, the meaning of the min_value and max_value fields is "
            "undefined",
        )
    for side, raw in (("min", bounds.min_raw), ("max", bounds.max_raw)):
        if raw is None:
            continue
        where = Address.of(address, _field(side, bounds))
        if bounds.order is Order.FLOAT and is_nan(leaf, raw):
            yield Finding(
                "nan-bound",
                "warning",
                where,
                f"the {side} is NaN, which readers ignore under TYPE_ORDER",
                {side: raw},
                "If the min is a NaN, it should be ignored. If the max is a NaN, it should be ignored",
            )
        elif bounds.order is Order.FLOAT and bounds.source == NEW:
            yield from _zero(raw, side, where)
    if statistics.min is not None and statistics.min_value is not None and bounds.trusted:
        yield from _generations(leaf, statistics, address)


def _zero(raw: bytes, side: str, address: str) -> Iterator[Finding]:
    """A bound of zero must cover both zeros, because a reader may distinguish -0 and +0."""
    if any(raw[:-1]) or raw[-1] & 0x7F:
        return
    negative = bool(raw[-1])
    if negative == (side == "min"):
        return
    yield Finding(
        "zero-bound",
        "note",
        address,
        f"the {side} is {'-0.0' if negative else '+0.0'}, and the values may include {'+0.0' if negative else '-0.0'}",
        {side: raw},
        "If the min is +0, the row group may contain -0 values as well. If the max is -0, the row group may contain +0 "
        "values as well",
    )


def _generations(leaf: Leaf, statistics: structs.Statistics, address: str) -> Iterator[Finding]:
    """For signed orders, min and max must equal min_value and max_value."""
    if type_order(leaf) in (Order.SIGNED, Order.BOOLEAN) and (statistics.min, statistics.max) != (
        statistics.min_value,
        statistics.max_value,
    ):
        yield Finding(
            "old-statistics-disagree",
            "warning",
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
    statistics = chunk.statistics
    if statistics is None:
        return
    field_address = _below(address)
    yield from against(
        chunk.leaf, statistics, contents, field_address, "statistics", chunk.file.created_by
    )
    distinct = contents.distinct
    if (
        distinct is not None
        and statistics.distinct_count is not None
        and statistics.distinct_count != distinct
    ):
        yield Finding(
            "distinct-count-disagrees",
            "warning",
            Address.of(address, "distinct_count"),
            f"distinct_count is {statistics.distinct_count:,}, there are {distinct:,} distinct values",
            {"distinct_count": statistics.distinct_count, "values": distinct},
            "Statistics.distinct_count: count of distinct values occurring",
        )


def page(page: Page, contents: PageContents) -> Iterator[Finding]:
    """Compares the statistics in a page's header with the page's values."""
    statistics = page.statistics
    if statistics is None:
        return
    part = page_struct(page.header)
    name = (
        "data_page_header_v2" if isinstance(part, structs.DataPageHeaderV2) else "data_page_header"
    )
    field_address = _below(Address.of(page.address, "header", name, "statistics"))
    file = page.chunk.file
    yield from against(
        page.chunk.leaf, statistics, contents, field_address, "page-statistics", file.created_by
    )


def _below(address: str) -> FieldAddress:
    """The fields of a Statistics struct at `address`."""
    return lambda name: Address.of(address, name)


def _field(side: str, bounds: Bounds) -> str:
    """The name of the field that a bound comes from."""
    return f"{side}_value" if bounds.source == NEW else side


def against(
    leaf: Leaf,
    statistics: structs.Statistics,
    contents: Contents,
    field_address: FieldAddress,
    rule: str,
    created_by: str | None,
) -> Iterator[Finding]:
    """Compares statistics with the values. `rule` is the prefix of the rules' names."""
    try:
        bounds = read_bounds(leaf, statistics, created_by)
    except ParquetError as error:
        if rule == "page-statistics":
            yield Finding(
                "statistics-damaged", "error", field_address(""), error.message, {}, BOUND
            )
        return
    assert bounds is not None
    yield from _null_count(leaf, statistics, contents, field_address("null_count"), rule)
    if (
        statistics.nan_count is not None
        and contents.nan_count is not None
        and statistics.nan_count != contents.nan_count
    ):
        yield Finding(
            f"{rule}-nan-count",
            "error",
            field_address("nan_count"),
            f"nan_count is {statistics.nan_count:,}, {contents.nan_count:,} values are NaN",
            {"nan_count": statistics.nan_count, "values": contents.nan_count},
            "Statistics.nan_count: count of NaN values in the column",
        )
    if bounds.source == LEGACY and not bounds.trusted:
        return
    yield from _bounds(leaf, bounds, contents, field_address, rule)


def _null_count(
    leaf: Leaf, statistics: structs.Statistics, contents: Contents, address: str, rule: str
) -> Iterator[Finding]:
    null_count = statistics.null_count
    if null_count is None or null_count == contents.nulls:
        return
    nested = leaf.max_repetition_level > 0
    if nested and null_count in (contents.leaf_nulls, contents.element_nulls):
        return  # some writers do not count empty and missing lists
    yield Finding(
        f"{rule}-null-count",
        "warning" if nested else "error",
        address,
        f"null_count is {null_count:,}, {contents.nulls:,} entries have no value",
        {"null_count": null_count, "values": contents.nulls},
        "Statistics.null_count: Count of null values in the column",
    )


def _bounds(
    leaf: Leaf, bounds: Bounds, contents: Contents, field_address: FieldAddress, rule: str
) -> Iterator[Finding]:
    if bounds.min_raw is None and bounds.max_raw is None:
        return
    real = contents.extremes.get(bounds.order)
    if bounds.order is Order.NONE:
        return
    if real is None:
        if not contents.num_present and bounds.order is not Order.TOTAL:
            yield Finding(
                f"{rule}-of-nothing",
                "warning",
                field_address(_field("min" if bounds.min_raw is not None else "max", bounds)),
                "the bounds exist, but there are no values",
                {"min": bounds.min_raw, "max": bounds.max_raw},
            )
        return
    for side, raw, key, exact, actual, actual_key in (
        ("min", bounds.min_raw, bounds.min_key, bounds.min_exact, real.low, real.low_key),
        ("max", bounds.max_raw, bounds.max_key, bounds.max_exact, real.high, real.high_key),
    ):
        if raw is None or key is None or key == actual_key:
            continue
        if meaning(leaf).name in TEXT and not is_utf8(raw) and is_utf8(actual):
            yield Finding(
                f"{rule}-not-utf8",
                "note",
                field_address(_field(side, bounds)),
                f"the {side} is not valid UTF-8, but the values are: it was cut inside a character",
                {side: raw},
                "Such more compact values must still be valid values within the column's logical type",
            )
        beyond = key > actual_key if side == "min" else key < actual_key
        address = field_address(_field(side, bounds))
        evidence = {side: raw, "actual": actual}
        words = "smallest" if side == "min" else "largest"
        if beyond:
            cut = side == "max" and actual.startswith(raw)
            remark = "; it was cut short and not rounded up" if cut else ""
            yield Finding(
                f"{rule}-bound",
                "error",
                address,
                f"the {side} is {shown(leaf, raw)}, the {words} value is {shown(leaf, actual)}: a query that trusts it "
                f"misses rows{remark}",
                evidence,
                BOUND,
            )
        elif exact:
            yield Finding(
                f"{rule}-exactness",
                "error",
                address,
                f"the {side} {shown(leaf, raw)} is marked as exact, the {words} value is {shown(leaf, actual)}",
                evidence,
                f"Statistics.is_{side}_value_exact: If true, {side}_value is the actual "
                f"{'minimum' if side == 'min' else 'maximum'} value for a column",
            )
        elif leaf.physical_type not in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY):
            yield Finding(
                f"{rule}-loose",
                "note",
                address,
                f"the {side} is {shown(leaf, raw)}, the {words} value is {shown(leaf, actual)}: queries skip less than "
                "they could",
                evidence,
            )
