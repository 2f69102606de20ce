"""What is wrong with a page index by itself: the pages are not read.

The lists of a column index and of an offset index have an entry for each data page, so their lengths must agree; bounds
must be values of the column; boundary_order must be true of the bounds; rows must ascend.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from pqexplore.engine.address import Address
from pqexplore.engine.check.compared import shown, without_order
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import page_index
from pqexplore.engine.format.ordering import Order, column_order, is_float, is_nan, order_key
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import BoundaryOrder, Type
from pqexplore.engine.rule import RULES, Severity
from pqexplore.engine.text import plural

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

NULL_PAGES = (
    "ColumnIndex.null_pages: A list of Boolean values to determine the validity of the corresponding min and max values. "
    "If true, a page contains only null values, and writers have to set the corresponding entries in min_values and "
    "max_values to byte[0], so that all lists have the same length"
)
BOUNDARY_ORDER = (
    "ColumnIndex.boundary_order: Stores whether both min_values and max_values are ordered and if so, in which "
    "direction. This allows readers to perform binary searches in both lists"
)
ROWS = (
    "OffsetIndex.page_locations: PageLocations, ordered by increasing PageLocation.offset. It is required that "
    "page_locations[i].first_row_index < page_locations[i+1].first_row_index"
)
BY_ORDER = (
    "The min_values and max_values are calculated based on the column_orders field in the FileMetaData struct of the "
    "footer"
)
_PER_PAGE = ("min_values", "max_values", "null_counts", "nan_counts")

Keys: TypeAlias = tuple[bytes, bytes]
"""The order keys of the minimum and the maximum of a page."""


def _problem(rule: str, address: str, sentence: str, words: str = "", severity: Severity | None = None) -> Finding:
    return Finding(rule, address, sentence, {"problems": [sentence]}, words, severity=severity or RULES[rule].severity)


def of_lists(index: structs.ColumnIndex, leaf: Leaf, address: str) -> Iterator[Finding]:
    """Missing lists of a column index, lists of the wrong length, and counts that cannot be."""
    absent = structs.missing(index)
    if absent:
        sentence = f"the column index lacks the required {', '.join(absent)}"
        yield _problem("page-index", address, sentence)
        return
    count = len(index.null_pages)
    lengths = [(name, 1) for name in _PER_PAGE]
    lengths.append(("repetition_level_histograms", leaf.max_repetition_level + 1))
    lengths.append(("definition_level_histograms", leaf.max_definition_level + 1))
    for name, levels in lengths:
        values = getattr(index, name)
        histogram = name not in _PER_PAGE
        if values is None or len(values) == count * levels or (histogram and not values):
            continue
        of = f" of {levels} levels" if histogram else ""
        yield _problem(
            "page-index",
            Address.of(address, name),
            f"the column index has {len(values):,} {name} for {count:,} pages{of}",
            f"ColumnIndex.{name}: When present the length should always be (number of pages * (max level + 1)) elements"
            if histogram
            else NULL_PAGES,
        )
    for name in ("null_counts", "nan_counts"):
        counts = getattr(index, name) or ()
        negative = next((i for i, n in enumerate(counts) if n < 0), None)
        if negative is not None:
            sentence = f"{name} has {counts[negative]:,} for data page {negative:,}; a count is not negative"
            yield _problem("page-index", Address.of(address, name, negative), sentence)
    if index.nan_counts is not None and not is_float(leaf):
        yield _problem(
            "nan-count-unsuited",
            Address.of(address, "nan_counts"),
            "the column index has nan_counts, but the type of the column has no NaN",
            "nan_counts: only for FLOAT, DOUBLE, FLOAT16",
        )
    if index.boundary_order not in (0, 1, 2):
        sentence = f"boundary_order is {index.boundary_order}; 0, 1 and 2 exist"
        yield _problem("page-index", Address.of(address, "boundary_order"), sentence, BOUNDARY_ORDER)
    if column_order(leaf) is Order.NONE:
        pages = sum(map(bool, index.min_values)) or sum(map(bool, index.max_values))
        if pages:
            yield _problem(
                "column-index-without-order",
                address,
                f"the column's type has no order, so the bounds that its column index has for {plural(pages, 'page')} mean "
                "nothing; only its null_pages and null_counts mean something",
                BY_ORDER,
                without_order(leaf, same=index.min_values == index.max_values),
            )


def of_locations(index: structs.OffsetIndex, leaf: Leaf, address: str) -> Iterator[Finding]:
    """Missing fields of an offset index, and sizes of values that it should not have or has too few of."""
    if structs.missing(index):
        sentence = "the offset index lacks the required page_locations"
        yield _problem("page-index", address, sentence)
        return
    locations = index.page_locations
    if any(structs.missing(location) for location in locations):
        sentence = "the offset index has a page location without a required field"
        yield _problem("page-index", Address.of(address, "page_locations"), sentence)
    sizes = index.unencoded_byte_array_data_bytes
    where = Address.of(address, "unencoded_byte_array_data_bytes")
    if sizes is not None and leaf.physical_type != Type.BYTE_ARRAY:
        yield _problem(
            "unencoded-bytes-unsuited",
            where,
            "the offset index has unencoded_byte_array_data_bytes, but the column is not BYTE_ARRAY",
            "OffsetIndex.unencoded_byte_array_data_bytes: Unencoded/uncompressed size for BYTE_ARRAY types",
        )
    elif sizes is not None and len(sizes) != len(locations):
        yield _problem(
            "page-index",
            where,
            f"the offset index has {len(sizes):,} unencoded_byte_array_data_bytes for {len(locations):,} pages",
        )


def of_places(index: structs.OffsetIndex, address: str) -> Iterator[Finding]:
    """The first page of no size, and the first that begins before the one before it ends."""
    locations = index.page_locations
    where = Address.of(address, "page_locations")
    for i, location in enumerate(locations):
        if location.compressed_page_size <= 0:
            yield _problem(
                "page-locations",
                Address.of(where, i, "compressed_page_size"),
                f"page {i:,} has a compressed_page_size of {location.compressed_page_size:,}",
                "PageLocation.compressed_page_size: Size of the page, including header",
            )
            break
    for i, (a, b) in enumerate(pairwise(locations), 1):
        if b.offset < a.offset + a.compressed_page_size:
            yield _problem(
                "page-locations", Address.of(where, i, "offset"), f"page {i:,} starts before page {i - 1:,} ends", ROWS
            )
            break


def of_rows(index: structs.OffsetIndex, num_rows: int, known: Mapping[int, int], address: str) -> Iterator[Finding]:
    """The first page whose first_row_index does not ascend, or is none of the row group's `num_rows` rows.

    `known` has the first rows of pages that were counted; their entries are not judged again.
    """
    previous = 0
    for i, location in enumerate(index.page_locations):
        if i in known:
            previous = known[i]
            continue
        row = location.first_row_index
        if not i and row:
            sentence = f"the first page starts at row {row:,}, not at 0"
        elif row < previous:  # equal if a page has no values, which Arrow writes
            sentence = f"page {i:,} starts at row {row:,}, page {i - 1:,} at row {previous:,}"
        elif row >= num_rows > 0:
            sentence = f"page {i:,} starts at row {row:,}, the row group has {num_rows:,} rows"
        else:
            previous = row
            continue
        where = Address.of(address, "page_locations", i, "first_row_index")
        yield _problem("page-rows", where, sentence, ROWS)
        return


def of_entry(index: structs.ColumnIndex, leaf: Leaf, position: int, address: str) -> Finding | Keys | None:
    """What is wrong with the bounds of one page; if nothing is, their keys; None without bounds that can be compared."""
    low, high = index.min_values[position], index.max_values[position]
    where = Address.of(address, "min_values", position)
    if index.null_pages[position]:
        if not low and not high:
            return None
        return _problem(
            "null-page-bounds",
            where if low else Address.of(address, "max_values", position),
            f"data page {position:,} is marked as a null page and has a bound, {shown(leaf, low or high)}; it should be "
            "empty",
            NULL_PAGES,
        )
    order = column_order(leaf)
    if order is Order.NONE:
        return None
    try:
        keys = order_key(leaf, low, order), order_key(leaf, high, order)
    except CorruptFileError as error:
        return _problem(
            "column-index-damaged",
            where,
            f"the bounds of data page {position:,} are not values of the column: {error.message}",
            NULL_PAGES,
        )
    if keys[0] is None or keys[1] is None:
        if not (is_nan(leaf, low) or is_nan(leaf, high)):
            return None
        return _problem(
            "column-index-nan",
            where,
            f"data page {position:,} has a NaN bound, which TYPE_ORDER forbids",
            "Under TYPE_ORDER: NaNs never in bounds",
        )
    if keys[0] > keys[1]:
        return _problem(
            "column-index-inverted",
            where,
            f"the min of data page {position:,}, {shown(leaf, low)}, is greater than its max, {shown(leaf, high)}",
            BY_ORDER,
        )
    return keys[0], keys[1]


def of_order(index: structs.ColumnIndex, keys: Mapping[int, Keys], address: str) -> Iterator[Finding]:
    """A boundary_order that the bounds of the pages contradict, or one that they have and the index does not claim.

    `keys` are those of the pages with bounds that are right by themselves, ascending by page.
    """
    where = Address.of(address, "boundary_order")
    broken: dict[int, tuple[int, int]] = {}
    for (i, a), (j, b) in pairwise(keys.items()):
        if a[0] > b[0] or a[1] > b[1]:
            broken.setdefault(BoundaryOrder.ASCENDING, (i, j))
        if a[0] < b[0] or a[1] < b[1]:
            broken.setdefault(BoundaryOrder.DESCENDING, (i, j))
    if index.boundary_order in broken:
        claim = structs.enum_name(BoundaryOrder, index.boundary_order)
        i, j = broken[index.boundary_order]
        yield _problem(
            "boundary-order-wrong",
            where,
            f"boundary_order is {claim}, pages {i:,} and {j:,} are not: a reader that searches by halving misses pages",
            BOUNDARY_ORDER,
        )
    elif (
        index.boundary_order == BoundaryOrder.UNORDERED
        and len(broken) == 1
        and len(keys) == index.null_pages.count(False)
    ):
        (other,) = broken
        order = "DESCENDING" if other == BoundaryOrder.ASCENDING else "ASCENDING"
        yield Finding(
            "boundary-order-unclaimed",
            where,
            f"boundary_order is UNORDERED, and the bounds of {len(keys):,} pages are {order}: with that claim a reader "
            "could search by halving",
            {"order": order, "pages": len(keys)},
        )


def of_counts(
    columns: structs.ColumnIndex,
    offsets: structs.OffsetIndex,
    leaf: Leaf,
    num_rows: int,
    skip: Collection[int],
    address: str,
) -> Iterator[Finding]:
    """The first page, of those not in `skip`, whose null_pages and null_counts contradict its rows.

    Only for columns with one value a row.
    """
    counts = columns.null_counts
    if leaf.max_repetition_level or counts is None or len(counts) != len(columns.null_pages):
        return
    for page in page_index.pages(columns, offsets, leaf, num_rows):
        if page.index in skip or page.rows is None or page.null_count is None or page.null_count < 0:
            continue
        where = Address.of(address, "null_counts", page.index)
        rule = "null-page-disagrees"
        if page.null_count > page.rows:
            sentence = f"page {page.index:,} has {page.null_count:,} nulls in {page.rows:,} rows"
        elif page.rows and page.null_page != (page.null_count == page.rows):
            rule = rule if page.null_page else "null-page-unmarked"
            sentence = (
                f"null_pages is {str(page.null_page).lower()} for data page {page.index:,}, which has "
                f"{page.null_count:,} nulls in {page.rows:,} rows"
            )
        else:
            continue
        yield _problem(rule, where, sentence, NULL_PAGES)
        return
