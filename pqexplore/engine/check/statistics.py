"""Statistics of chunks and pages against the values: bounds that bound, counts that count, exactness that is exact.

A wrong bound is the worst that a file can do to a query: it skips rows that it should have found, and nobody notices.
Values are compared in the order that the file declares (`ordering`). What a careful reader would not believe anyway
(`statistics.bounds`) is told as such, not as an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.logical import annotation
from pqexplore.engine.ordering import Order, declared_order, is_float, is_nan, type_order
from pqexplore.engine.pages import page_struct
from pqexplore.engine.statistics import LEGACY, NEW, Bounds, bounds
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import Type
from pqexplore.engine.tree import Finding, join
from pqexplore.engine.values import format_value, physical_value, plain_length

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import ChunkContents, Contents, PageContents
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.page import Page
    from pqexplore.engine.schema import Leaf

BOUND = (
    "Statistics.min_value, max_value: Lower and upper bound values for the column, determined by its ColumnOrder. "
    "Values are encoded using PLAIN encoding, except that variable-length byte arrays do not include a length prefix"
)
TEXT = frozenset(("STRING", "ENUM", "JSON"))
"""Annotations of text."""
Places = Callable[[str], str]
"""The address of each field of Statistics, by its name: where its bytes are."""
LONGEST = 60
"""Characters of a value in a message."""


def shown(leaf: Leaf, raw: bytes) -> str:
    """A bound as text, clipped."""
    if plain_length(leaf) not in (None, len(raw)):
        text = "0x" + raw.hex()
    else:
        text = format_value(leaf, physical_value(leaf, raw))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def order_of(chunk: ColumnChunk) -> Order:
    """The order in which the chunk's own statistics are to be compared."""
    try:
        found = bounds(chunk.leaf, chunk.statistics, chunk.file.created_by)
    except ParquetError:
        found = None
    if found is None or not found.source:
        return declared_order(chunk.leaf) or type_order(chunk.leaf)
    return found.order


def declared(chunk: ColumnChunk) -> Iterator[Finding]:
    """What can be said of a chunk's statistics without its values."""
    told, leaf = chunk.statistics, chunk.leaf
    if told is None:
        return
    address = join(chunk.address, "metadata/meta_data/statistics")
    try:
        found = bounds(leaf, told, chunk.file.created_by)
    except ParquetError as error:
        yield Finding("statistics-damaged", "error", address, error.message, {}, BOUND)
        return
    assert found is not None
    yield from _doubts(leaf, told, found, address)


def _doubts(leaf: Leaf, told: structs.Statistics, found: Bounds, address: str) -> Iterator[Finding]:
    if told.nan_count is not None and not is_float(leaf):
        yield Finding(
            "nan-count-unsuited",
            "warning",
            address,
            f"nan_count is {told.nan_count:,}, and the type of the column has no NaN",
            {"nan_count": told.nan_count},
            "nan_count: only for FLOAT, DOUBLE, FLOAT16",
        )
    if found.order is Order.TOTAL and found.source == NEW and told.nan_count is None:
        yield Finding(
            "nan-count-absent",
            "error",
            address,
            "the column order is IEEE_754_TOTAL_ORDER, and nan_count is absent",
            {},
            "ColumnOrder.IEEE_754_TOTAL_ORDER: nan_count is mandatory",
        )
    if found.source == LEGACY and not found.trusted:
        yield Finding(
            "old-statistics", "note", address, f"min and max are not to be trusted: {found.why}"
        )
    elif found.source == NEW and found.order is Order.NONE:
        yield Finding(
            "statistics-without-order",
            "warning",
            address,
            f"there are bounds, and {found.why}",
            {},
            "The sort order used for INTERVAL is undefined. When writing data, no min/max statistics should be saved "
            "for this type and if such non-compliant statistics are found during reading, they must be ignored"
            if annotation(leaf).name == "INTERVAL"
            else "",
        )
    elif found.source == NEW and declared_order(leaf) is None:
        yield Finding(
            "column-orders-absent",
            "note",
            address,
            "there are min_value and max_value, and the footer gives the column no order that is known; readers may "
            "ignore them",
            {},
            "FileMetaData.column_orders: Without column_orders, the meaning of the min_value and max_value fields is "
            "undefined",
        )
    for side, raw in (("min", found.min_raw), ("max", found.max_raw)):
        if raw is None:
            continue
        where = join(address, _field(side, found))
        if found.order is Order.FLOAT and is_nan(leaf, raw):
            yield Finding(
                "nan-bound",
                "warning",
                where,
                f"the {side} is NaN; under TYPE_ORDER NaN is no bound",
                {side: raw},
                "If the min is a NaN, it should be ignored. If the max is a NaN, it should be ignored",
            )
        elif found.order is Order.FLOAT and found.source == NEW:
            yield from _zero(raw, side, where)
    if told.min is not None and told.min_value is not None and found.trusted:
        yield from _generations(leaf, told, address)


def _zero(raw: bytes, side: str, address: str) -> Iterator[Finding]:
    """Writers widen zero bounds, because a reader may hold -0 and +0 apart."""
    if any(raw[:-1]) or raw[-1] & 0x7F:
        return
    negative = bool(raw[-1])
    if negative == (side == "min"):
        return
    yield Finding(
        "zero-bound",
        "note",
        address,
        f"the {side} is {'-0.0' if negative else '+0.0'}, and may hide {'+0.0' if negative else '-0.0'}",
        {side: raw},
        "If the min is +0, the row group may contain -0 values as well. If the max is -0, the row group may contain +0 "
        "values as well",
    )


def _generations(leaf: Leaf, told: structs.Statistics, address: str) -> Iterator[Finding]:
    """Where signed comparison is right, the old bounds are the new ones."""
    if type_order(leaf) in (Order.SIGNED, Order.BOOLEAN) and (told.min, told.max) != (
        told.min_value,
        told.max_value,
    ):
        yield Finding(
            "old-statistics-disagree",
            "warning",
            address,
            "min and max are not what min_value and max_value are",
            {
                "min": told.min,
                "max": told.max,
                "min_value": told.min_value,
                "max_value": told.max_value,
            },
        )


def chunk(chunk: ColumnChunk, contents: ChunkContents) -> Iterator[Finding]:
    """A chunk's statistics against its values."""
    address = join(chunk.address, "metadata/meta_data/statistics")
    told = chunk.statistics
    if told is None:
        return
    places = _below(address)
    yield from against(chunk.leaf, told, contents, places, "statistics", chunk.file.created_by)
    distinct = contents.distinct
    if distinct is not None and told.distinct_count is not None and told.distinct_count != distinct:
        yield Finding(
            "distinct-count-disagrees",
            "warning",
            join(address, "distinct_count"),
            f"distinct_count is {told.distinct_count:,}, there are {distinct:,} different values",
            {"distinct_count": told.distinct_count, "values": distinct},
            "Statistics.distinct_count: count of distinct values occurring",
        )


def page(page: Page, contents: PageContents) -> Iterator[Finding]:
    """The statistics in a page's header against the page's values."""
    told = page.statistics
    if told is None:
        return
    part = page_struct(page.header)
    name = (
        "data_page_header_v2" if isinstance(part, structs.DataPageHeaderV2) else "data_page_header"
    )
    places = _below(join(page.address, "header", name, "statistics"))
    file = page.chunk.file
    yield from against(page.chunk.leaf, told, contents, places, "page-statistics", file.created_by)


def _below(address: str) -> Places:
    """The fields of a Statistics struct at `address`."""
    return lambda name: join(address, name)


def _field(side: str, found: Bounds) -> str:
    """The field that gave a bound."""
    return f"{side}_value" if found.source == NEW else side


def against(
    leaf: Leaf,
    told: structs.Statistics,
    contents: Contents,
    places: Places,
    rule: str,
    created_by: str | None,
) -> Iterator[Finding]:
    """Statistics of any place against what is there; `rule` begins the rules' names."""
    try:
        found = bounds(leaf, told, created_by)
    except ParquetError as error:
        if rule == "page-statistics":
            yield Finding("statistics-damaged", "error", places(""), error.message, {}, BOUND)
        return
    assert found is not None
    yield from _null_count(leaf, told, contents, places("null_count"), rule)
    if (
        told.nan_count is not None
        and contents.nan_count is not None
        and told.nan_count != contents.nan_count
    ):
        yield Finding(
            f"{rule}-nan-count",
            "error",
            places("nan_count"),
            f"nan_count is {told.nan_count:,}, {contents.nan_count:,} values are NaN",
            {"nan_count": told.nan_count, "values": contents.nan_count},
            "Statistics.nan_count: count of NaN values in the column",
        )
    if found.source == LEGACY and not found.trusted:
        return
    yield from _bounds(leaf, found, contents, places, rule)


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _null_count(
    leaf: Leaf, told: structs.Statistics, contents: Contents, address: str, rule: str
) -> Iterator[Finding]:
    said = told.null_count
    if said is None or said == contents.nulls:
        return
    nested = leaf.max_repetition_level > 0
    if nested and said in (contents.leaf_nulls, contents.element_nulls):
        return  # empty and missing lists are no nulls for some writers
    yield Finding(
        f"{rule}-null-count",
        "warning" if nested else "error",
        address,
        f"null_count is {said:,}, {contents.nulls:,} entries are without a value",
        {"null_count": said, "values": contents.nulls},
        "Statistics.null_count: Count of null values in the column",
    )


def _bounds(
    leaf: Leaf, found: Bounds, contents: Contents, places: Places, rule: str
) -> Iterator[Finding]:
    if found.min_raw is None and found.max_raw is None:
        return
    real = contents.extremes.get(found.order)
    if found.order is Order.NONE:
        return
    if real is None:
        if not contents.num_present and found.order is not Order.TOTAL:
            yield Finding(
                f"{rule}-of-nothing",
                "warning",
                places(_field("min" if found.min_raw is not None else "max", found)),
                "there are bounds, and no value that they could bound",
                {"min": found.min_raw, "max": found.max_raw},
            )
        return
    for side, raw, key, exact, actual, actual_key in (
        ("min", found.min_raw, found.min_key, found.min_exact, real.low, real.low_key),
        ("max", found.max_raw, found.max_key, found.max_exact, real.high, real.high_key),
    ):
        if raw is None or key is None or key == actual_key:
            continue
        if annotation(leaf).name in TEXT and not _is_text(raw) and _is_text(actual):
            yield Finding(
                f"{rule}-not-utf8",
                "note",
                places(_field(side, found)),
                f"the {side} is not valid UTF-8, though the values are: it was cut inside a character",
                {side: raw},
                "Such more compact values must still be valid values within the column's logical type",
            )
        beyond = key > actual_key if side == "min" else key < actual_key
        address = places(_field(side, found))
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
                f"the {side} {shown(leaf, raw)} is called exact, the {words} value is {shown(leaf, actual)}",
                evidence,
                f"Statistics.is_{side}_value_exact: If true, {side}_value is the actual "
                f"{'minimum' if side == 'min' else 'maximum'} value for a column",
            )
        elif leaf.physical_type not in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY):
            yield Finding(
                f"{rule}-loose",
                "note",
                address,
                f"the {side} is {shown(leaf, raw)}, the {words} value is {shown(leaf, actual)}: it skips less than it "
                "could",
                evidence,
            )
