"""Violations in the page index: the offset index, the column index, and the size statistics of a chunk."""

import struct

from engine.check import forged
from engine.check.violations import Violation

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import (
    BoundaryOrder,
    ColumnIndex,
    OffsetIndex,
    PageLocation,
    SizeStatistics,
    Statistics,
    Type,
)
from pqexplore.engine.writer import assembly

CHUNK = "row_groups/0/columns/0"
COLUMNS, OFFSETS = f"{CHUNK}/column_index", f"{CHUNK}/offset_index"
LOCATIONS = f"{OFFSETS}/page_locations"
SIZES = f"{CHUNK}/metadata/meta_data/size_statistics"
NAN = float("nan")
OPTIONAL = assembly.element("a", Type.INT32, 1)
ASCENDING, DESCENDING, UNORDERED = (BoundaryOrder.ASCENDING, BoundaryOrder.DESCENDING, BoundaryOrder.UNORDERED)


def violation(name, rule, bad, near, severity="error", address="", also=()):
    return Violation(name, rule, bad, near, severity, address, also)


# The offset index: three pages of a required column.


def pages():
    return [forged.page(values) for values in ([1, 2], [3], [4, 5])]


def locations():
    """The right locations of `pages`, as a list to change."""
    offset, row, result = 4, 0, []
    for page, rows in zip(pages(), (2, 1, 2), strict=True):
        size = len(page.stored)
        result.append(PageLocation(offset=offset, compressed_page_size=size, first_row_index=row))
        offset, row = offset + size, row + rows
    return result


def located(change=None, **fields):
    """A file with an offset index, after `change(locations)`."""
    places = locations()
    if change is not None:
        change(places)
    index = OffsetIndex(page_locations=places, **fields)
    return forged.one_column(pages(), offset_index=index)


def of_offset_index(name, rule, change, address):
    return violation(name, rule, lambda: located(change), located, address=address)


def moved(position, **more):
    """Adds to the fields of one location."""

    def change(places):
        for field, number in more.items():
            setattr(places[position], field, getattr(places[position], field) + number)

    return change


def exchanged(places):
    """The first two pages in the wrong order; their rows stay."""
    first, second = places[:2]
    first.offset, second.offset = second.offset, first.offset
    first.compressed_page_size, second.compressed_page_size = (second.compressed_page_size, first.compressed_page_size)


def unread(change=None):
    """A file whose third page header cannot be read, so that the offset index stands alone."""
    places = locations()
    if change is not None:
        change(places)
    index = OffsetIndex(page_locations=places)
    *good, last = pages()
    column = assembly.chunk(
        "a", Type.INT32, [*good, b"\xff" * len(last.stored)], offset_index=index, metadata={"num_values": 5}
    )
    return assembly.file(
        [forged.root(), assembly.element("a", Type.INT32, 0)],
        [assembly.row_group([column], 5)],
        column_orders=[forged.TYPE_ORDER],
    )


def byte_arrays(sizes, type=Type.BYTE_ARRAY):
    """A file of two pages with 4 and 2 bytes of values; `sizes` are what the offset index has."""
    values = ([b"abc", b"d"], [b"ef"]) if type == Type.BYTE_ARRAY else ([1, 2], [3])
    stored = [forged.page(one, type) for one in values]
    first = len(stored[0].stored)
    places = [
        PageLocation(offset=4, compressed_page_size=first, first_row_index=0),
        PageLocation(offset=4 + first, compressed_page_size=len(stored[1].stored), first_row_index=2),
    ]
    index = OffsetIndex(page_locations=places, unencoded_byte_array_data_bytes=sizes)
    return forged.one_column(stored, type, offset_index=index)


# The column index: three pages of an optional column; the second holds nulls.


def entries(lows=(1, None, 5), highs=(4, None, 9), nulls=(False, True, False), order=ASCENDING, **more):
    raw = [[b"" if one is None else forged.raw(one) for one in side] for side in (lows, highs)]
    return ColumnIndex(null_pages=list(nulls), min_values=raw[0], max_values=raw[1], boundary_order=order, **more)


def indexed(index=None, **fields):
    """A file of three pages, and of a column index: `index` or `entries(**fields)`."""
    stored = [forged.optional_page(one) for one in ([1, None, 4], [None, None], [9, 5])]
    return forged.one_column(stored, leaf=OPTIONAL, column_index=index or entries(**fields), offset_index=True)


def of_entries(name, rule, bad, near=None, severity="error", field=""):
    address = f"{COLUMNS}/{field}" if field else COLUMNS
    return violation(name, rule, lambda: indexed(**bad), lambda: indexed(**(near or {})), severity, address)


def without(index, name):
    setattr(index, name, None)
    return index


def whole(index, type, values, **more):
    """A file with a column index, whose pages have these values."""
    stored = [forged.page(one, type) for one in values]
    return forged.one_column(stored, type, column_index=index, offset_index=True, **more)


def raw_entries(lows, highs, order=ASCENDING, nulls=None, **more):
    return ColumnIndex(null_pages=nulls or [False] * len(lows), min_values=list(lows), max_values=list(highs),
        boundary_order=order, **more)  # fmt: skip


def doubles(bounds, values, order=ASCENDING, **more):
    raw = [[struct.pack("<d", one[side]) for one in bounds] for side in (0, 1)]
    return whole(raw_entries(*raw, order), Type.DOUBLE, values, **more)


def texts(bounds, values, order=ASCENDING):
    return whole(raw_entries(*zip(*bounds, strict=True), order), Type.BYTE_ARRAY, values)


def ordered(order, *bounds):
    """A file of pages of two integers, which are the bounds."""
    raw = [[forged.raw(one[side]) for one in bounds] for side in (0, 1)]
    return whole(raw_entries(*raw, order), Type.INT32, bounds)


def of_order(name, rule, bad, near, severity="error"):
    address = f"{COLUMNS}/boundary_order"
    return violation(name, rule, lambda: ordered(*bad), lambda: ordered(*near), severity, address)


UNSIGNED = assembly.element(
    "a", Type.INT32, 0, logicalType=structs.LogicalType(INTEGER=structs.IntType(bitWidth=32, isSigned=False))
)
INTERVAL = assembly.element("a", Type.FIXED_LEN_BYTE_ARRAY, 0, type_length=12, converted_type=21)


def intervals(low, null_counts=(0,), high=None):
    page = forged.page([bytes(12)], Type.FIXED_LEN_BYTE_ARRAY, 12)
    high = low if high is None else high
    index = raw_entries([low], [high], UNORDERED, null_counts=list(null_counts))
    return forged.one_column([page], Type.FIXED_LEN_BYTE_ARRAY, leaf=INTERVAL, column_index=index, offset_index=True)


MOMENT = struct.pack("<QI", 5, 2_440_589)


def int96s(low, high):
    """A file of one INT96, whose column index has these bounds."""
    index = raw_entries([low], [high], UNORDERED, null_counts=[0])
    return forged.one_column([assembly.page_v1(MOMENT, 1)], Type.INT96, column_index=index, offset_index=True)


def geometries(low, high, **logical):
    """A file of one point, whose column index has these bounds."""
    leaf = assembly.element(
        "a", Type.BYTE_ARRAY, 0, logicalType=structs.LogicalType(**logical or {"GEOMETRY": structs.GeometryType()})
    )
    page = forged.page([struct.pack("<BIdd", 1, 1, 1.0, 2.0)], Type.BYTE_ARRAY)
    index = raw_entries([low], [high], UNORDERED, null_counts=[0])
    return forged.one_column([page], Type.BYTE_ARRAY, leaf=leaf, column_index=index, offset_index=True)


def damaged(index):
    """A file whose second of two pages cannot be decoded, so that its entry stands alone."""
    stored = [forged.optional_page([1, 2]), assembly.page_v2(b"\1", 2, 2, 0)]
    return forged.one_column(stored, leaf=OPTIONAL, column_index=index, offset_index=True)


def beside(statistics):
    page = forged.page([1, 2], statistics=statistics)
    index = raw_entries([forged.raw(1)], [forged.raw(2)])
    return forged.one_column([page], column_index=index, offset_index=True)


# Levels: a list of INT32 in one page.

LISTS = [[1, None], None, [], [3]]
REPETITION, DEFINITION = [4, 1], [1, 1, 1, 2]


def levels(repetition=tuple(REPETITION), definition=tuple(DEFINITION)):
    index = raw_entries([forged.raw(1)], [forged.raw(3)], repetition_level_histograms=list(repetition),
        definition_level_histograms=list(definition))  # fmt: skip
    page = forged.list_page(LISTS)
    return forged.list_column([page], column_index=index, offset_index=True)


def sizes(**fields):
    return forged.list_column([forged.list_page(LISTS)], metadata={"size_statistics": SizeStatistics(**fields)})


def text_sizes(size):
    return forged.one_column(
        [forged.page([b"abc", b"d"], Type.BYTE_ARRAY)],
        Type.BYTE_ARRAY,
        metadata={"size_statistics": SizeStatistics(unencoded_byte_array_data_bytes=size)},
    )


def inside(version, *, index=True, begins=0):
    """Two pages of lists; the second begins inside a record if its first repetition level is 1."""
    first = forged.levels_page([0, 1], [3, 3], [1, 2])
    repetition, definition = [begins, 0], [3, 3]
    second = forged.levels_page(repetition, definition, [3, 4])
    if version == 1:
        first, second = (
            assembly.page_v1(
                forged.encoded(values),
                2,
                repetition_levels=assembly.levels_v1(forged.bits(levels), 1),
                definition_levels=assembly.levels_v1(forged.bits(definition), 3),
            )
            for levels, values in (([0, 1], [1, 2]), (repetition, [3, 4]))
        )
    places = [
        PageLocation(offset=4, compressed_page_size=len(first.stored), first_row_index=0),
        PageLocation(offset=4 + len(first.stored), compressed_page_size=len(second.stored), first_row_index=1),
    ]
    column = assembly.chunk("a.list.element", Type.INT32, [first, second],
        offset_index=OffsetIndex(page_locations=places) if index else None)  # fmt: skip
    return assembly.file(
        forged.LIST_ELEMENTS, [assembly.row_group([column], 2 if begins else 3)], column_orders=[forged.TYPE_ORDER]
    )


VIOLATIONS = [
    # The offset index.
    of_offset_index("an offset that is not a page's", "offset-index-disagrees", moved(1, offset=1), f"{LOCATIONS}/1/offset"),
    of_offset_index("offsets that do not ascend", "offset-index-disagrees", exchanged, f"{LOCATIONS}/0/offset"),
    of_offset_index("a compressed_page_size too small", "offset-index-disagrees", moved(1, compressed_page_size=-1), f"{LOCATIONS}/1/compressed_page_size"),
    of_offset_index("a compressed_page_size of 0", "offset-index-disagrees", moved(0, compressed_page_size=-len(pages()[0].stored)), f"{LOCATIONS}/0/compressed_page_size"),
    of_offset_index("a compressed_page_size without the header", "offset-index-disagrees", moved(2, compressed_page_size=len(pages()[2].body) - len(pages()[2].stored)), f"{LOCATIONS}/2/compressed_page_size"),
    of_offset_index("a page that is not listed", "offset-index-disagrees", lambda places: places.pop(), LOCATIONS),
    of_offset_index("a page that is listed twice", "offset-index-disagrees", lambda places: places.append(places[-1]), LOCATIONS),
    of_offset_index("a wrong first_row_index", "first-row-disagrees", moved(1, first_row_index=-1), f"{LOCATIONS}/1/first_row_index"),
    of_offset_index("first rows that do not ascend", "first-row-disagrees", moved(2, first_row_index=-3), f"{LOCATIONS}/2/first_row_index"),
    of_offset_index("a first page that does not begin at row 0", "first-row-disagrees", moved(0, first_row_index=1), f"{LOCATIONS}/0/first_row_index"),
    of_offset_index("a first row beyond the row group", "first-row-disagrees", moved(2, first_row_index=9), f"{LOCATIONS}/2/first_row_index"),
    violation("an offset index without page_locations", "page-index", lambda: forged.one_column(pages(), offset_index=OffsetIndex()), located, address=OFFSETS),
    violation("a page location without its first row", "page-index", lambda: located(lambda places: setattr(places[1], "first_row_index", None)), located, address=LOCATIONS),
    violation("pages that overlap, where headers cannot be read", "page-locations", lambda: unread(moved(1, offset=-1)), unread, address=f"{LOCATIONS}/1/offset", also=("unreadable",)),
    violation("a negative size, where headers cannot be read", "page-locations", lambda: unread(moved(2, compressed_page_size=-500)), unread, address=f"{LOCATIONS}/2/compressed_page_size", also=("unreadable",)),
    violation("rows that do not ascend, where headers cannot be read", "page-rows", lambda: unread(moved(2, first_row_index=-2)), unread, address=f"{LOCATIONS}/2/first_row_index", also=("unreadable",)),
    violation("bytes of values that are miscounted", "unencoded-bytes-disagree", lambda: byte_arrays([4, 3]), lambda: byte_arrays([4, 2]), address=f"{OFFSETS}/unencoded_byte_array_data_bytes/1"),
    violation("bytes of values of one page of two", "page-index", lambda: byte_arrays([4]), lambda: byte_arrays([4, 2]), address=f"{OFFSETS}/unencoded_byte_array_data_bytes"),
    violation("bytes of values of integers", "unencoded-bytes-unsuited", lambda: byte_arrays([8, 4], Type.INT32), lambda: byte_arrays(None, Type.INT32), "warning", f"{OFFSETS}/unencoded_byte_array_data_bytes"),
    violation("an indexed V1 page that begins inside a record", "page-inside-record", lambda: inside(1, begins=1), lambda: inside(1, begins=1, index=False), address=f"{CHUNK}/pages/1"),
    violation("a V2 page that begins inside a record", "page-inside-record", lambda: inside(2, begins=1, index=False), lambda: inside(2, index=False), address=f"{CHUNK}/pages/1"),
    violation("an indexed V2 page that begins inside a record", "page-inside-record", lambda: inside(2, begins=1), lambda: inside(2), address=f"{CHUNK}/pages/1"),
    # The column index by itself.
    *[violation(f"a column index without {name}", "page-index", lambda name=name: indexed(without(entries(), name)),
        indexed, address=COLUMNS)
      for name in ("null_pages", "min_values", "max_values", "boundary_order")],
    of_entries("a minimum too few", "page-index", {"lows": (1, None)}, field="min_values"),
    of_entries("a maximum too many", "page-index", {"highs": (4, None, 9, 9)}, field="max_values"),
    of_entries("null_counts too few", "page-index", {"null_counts": [1, 2]}, {"null_counts": [1, 2, 0]}, field="null_counts"),
    of_entries("a negative null_count", "page-index", {"null_counts": [1, 2, -1]}, {"null_counts": [1, 2, 0]}, field="null_counts/2"),
    of_entries("nan_counts of integers", "nan-count-unsuited", {"nan_counts": [0, 0, 0]}, severity="warning", field="nan_counts"),
    of_entries("a boundary_order that does not exist", "page-index", {"order": 3}, {"order": ASCENDING}, field="boundary_order"),
    of_entries("an entry too few", "page-index-length", {"lows": (1, None), "highs": (4, None), "nulls": (False, True)}),
    of_entries("an entry too many", "page-index-length", {"lows": (1, None, 5, 9), "highs": (4, None, 9, 9), "nulls": (False, True, False, False)}),
    violation("a column index without an offset index", "column-index-alone", lambda: forged.one_column([forged.page([1])], column_index=raw_entries([forged.raw(1)], [forged.raw(1)])), lambda: whole(raw_entries([forged.raw(1)], [forged.raw(1)]), Type.INT32, [[1]]), "warning", COLUMNS),
    # Null pages.
    of_entries("a null page with a minimum", "null-page-bounds", {"lows": (1, 4, 5)}, field="min_values/1"),
    of_entries("a null page with a maximum", "null-page-bounds", {"highs": (4, 4, 9)}, field="max_values/1"),
    of_entries("a null page that is not marked", "null-page-unmarked", {"nulls": (False, False, False)}, field="null_pages/1"),
    of_entries("a null page that is not marked, and is counted", "null-page-unmarked", {"nulls": (False, False, False), "null_counts": [1, 2, 0]}, {"null_counts": [1, 2, 0]}, field="null_pages/1"),
    of_entries("a page with values that is called a null page", "null-page-disagrees", {"nulls": (True, True, False), "lows": (None, None, 5), "highs": (None, None, 9)}, field="null_pages/0"),
    of_entries("nulls of a page that are miscounted", "column-index-null-count", {"null_counts": [0, 2, 0]}, {"null_counts": [1, 2, 0]}, field="null_counts/0"),
    of_entries("nulls of a null page that are miscounted", "column-index-null-count", {"null_counts": [1, 1, 0]}, {"null_counts": [1, 2, 0]}, field="null_counts/1"),
    of_entries("more nulls than values in a page", "column-index-null-count", {"null_counts": [1, 2, 7]}, {"null_counts": [1, 2, 0]}, field="null_counts/2"),
    violation("null_counts that contradict null_pages, in a page that cannot be decoded", "null-page-unmarked", lambda: damaged(entries((1, 5), (2, 9), (False, False), null_counts=[0, 2])), lambda: damaged(entries((1, 5), (2, 9), (False, False), null_counts=[0, 1])), address=f"{COLUMNS}/null_counts/1", also=("unreadable",)),
    # Bounds.
    of_entries("a minimum above a value", "column-index-bound", {"lows": (2, None, 5)}, field="min_values/0"),
    of_entries("a maximum below a value", "column-index-bound", {"highs": (4, None, 8)}, field="max_values/2"),
    of_entries("a bound wider than needed", "column-index-loose", {"highs": (4, None, 10)}, severity="note", field="max_values/2"),
    of_entries("a minimum above the maximum", "column-index-inverted", {"lows": (4, None, 5), "highs": (1, None, 9)}, field="min_values/0"),
    violation("bounds that are no values", "column-index-damaged", lambda: whole(raw_entries([b"123"], [b"456"]), Type.INT32, [[1]]), lambda: whole(raw_entries([forged.raw(1)], [forged.raw(1)]), Type.INT32, [[1]]), address=f"{COLUMNS}/min_values/0"),
    violation("empty bounds of a page with values", "column-index-damaged", lambda: whole(raw_entries([b""], [b""]), Type.INT32, [[1]]), lambda: whole(raw_entries([forged.raw(1)], [forged.raw(1)]), Type.INT32, [[1]]), address=f"{COLUMNS}/min_values/0"),
    violation("bounds that are no values, of a page that cannot be decoded", "column-index-damaged", lambda: damaged(raw_entries([forged.raw(1), b"5"], [forged.raw(2), b"9"])), lambda: damaged(raw_entries([forged.raw(1), forged.raw(5)], [forged.raw(2), forged.raw(9)])), address=f"{COLUMNS}/min_values/1", also=("unreadable",)),
    violation("bounds that are inverted, of a page that cannot be decoded", "column-index-inverted", lambda: damaged(entries((1, 9), (2, 5), (False, False))), lambda: damaged(entries((1, 5), (2, 9), (False, False))), address=f"{COLUMNS}/min_values/1", also=("unreadable",)),
    violation("a maximum of text that is cut short and not rounded up", "column-index-bound", lambda: texts([(b"ab", b"ab")], [[b"abc"]]), lambda: texts([(b"ab", b"ac")], [[b"abc"]]), address=f"{COLUMNS}/max_values/0"),
    violation("an empty maximum of text", "column-index-bound", lambda: texts([(b"", b"")], [[b"abc"]]), lambda: texts([(b"", b"")], [[b""]]), address=f"{COLUMNS}/max_values/0"),
    violation("unsigned bounds compared as signed", "column-index-inverted", lambda: whole(raw_entries([forged.raw(-1)], [forged.raw(1)]), Type.INT32, [[1, -1]], leaf=UNSIGNED), lambda: whole(raw_entries([forged.raw(1)], [forged.raw(-1)]), Type.INT32, [[1, -1]], leaf=UNSIGNED), address=f"{COLUMNS}/min_values/0"),
    violation("bounds of a page of NaNs", "column-index-of-nans", lambda: doubles([(NAN, NAN)], [[NAN]]), lambda: doubles([(1.0, 1.0)], [[NAN, 1.0]]), address=f"{COLUMNS}/min_values/0"),
    violation("a NaN bound of a page with numbers", "column-index-nan", lambda: doubles([(NAN, 1.0)], [[1.0, NAN]]), lambda: doubles([(1.0, 1.0)], [[1.0, NAN]]), address=f"{COLUMNS}/min_values/0"),
    violation("a minimum of +0.0", "zero-bound", lambda: doubles([(0.0, 1.0)], [[0.0, 1.0]]), lambda: doubles([(-0.0, 1.0)], [[0.0, 1.0]]), "note", f"{COLUMNS}/min_values/0"),
    violation("bounds of a type without an order", "column-index-without-order", lambda: intervals(bytes(12), high=b"1" * 12), lambda: intervals(bytes(12)), "warning", COLUMNS),
    violation("bounds of INT96", "column-index-without-order", lambda: int96s(MOMENT, MOMENT[:8] + b"\1" + MOMENT[9:]), lambda: int96s(b"", b""), "warning", COLUMNS),
    violation("bounds of GEOMETRY", "column-index-without-order", lambda: geometries(b"a", b"b"), lambda: geometries(b"", b""), "note", COLUMNS),
    violation("bounds of GEOGRAPHY", "column-index-without-order", lambda: geometries(b"a", b"a", GEOGRAPHY=structs.GeographyType()), lambda: geometries(b"", b"", GEOGRAPHY=structs.GeographyType()), "note", COLUMNS),
    violation("a wrong null_count of a type without an order", "column-index-null-count", lambda: intervals(b"", [1]), lambda: intervals(b""), address=f"{COLUMNS}/null_counts/0"),
    # The order of pages.
    of_order("ASCENDING that is not", "boundary-order-wrong", (ASCENDING, (1, 2), (5, 6), (3, 4)), (ASCENDING, (1, 2), (3, 4), (5, 6))),
    of_order("DESCENDING that is not", "boundary-order-wrong", (DESCENDING, (1, 2), (3, 4)), (DESCENDING, (3, 4), (1, 2))),
    of_order("ASCENDING of minimums only", "boundary-order-wrong", (ASCENDING, (1, 9), (2, 3)), (ASCENDING, (1, 9), (2, 9))),
    of_order("an order that is not claimed", "boundary-order-unclaimed", (UNORDERED, (1, 2), (3, 4)), (UNORDERED, (1, 2), (5, 6), (3, 4)), "note"),
    of_order("a descending order that is not claimed", "boundary-order-unclaimed", (UNORDERED, (3, 4), (1, 2)), (UNORDERED, (1, 2)), "note"),
    of_order("an order of overlapping pages that is not claimed", "boundary-order-unclaimed", (UNORDERED, (1, 4), (3, 5)), (UNORDERED, (1, 4), (1, 4)), "note"),
    of_entries("an order that is not claimed, around a null page", "boundary-order-unclaimed", {"order": UNORDERED}, severity="note", field="boundary_order"),
    violation("text in the order of signed bytes that is called ASCENDING", "boundary-order-wrong", lambda: texts([(b"\xc3", b"\xc3"), (b"a", b"a")], [[b"\xc3"], [b"a"]]), lambda: texts([(b"a", b"a"), (b"\xc3", b"\xc3")], [[b"a"], [b"\xc3"]]), address=f"{COLUMNS}/boundary_order"),
    # Page headers beside the index.
    violation("page statistics beside a column index", "page-statistics-beside-index", lambda: beside(Statistics(null_count=0)), lambda: beside(None), "note", f"{CHUNK}/pages/0/header"),
    # Levels.
    violation("a repetition level histogram of a page that is wrong", "level-histogram-disagrees", lambda: levels(repetition=[5, 0]), levels, address=f"{COLUMNS}/repetition_level_histograms"),
    violation("a definition level histogram of a page that is wrong", "level-histogram-disagrees", lambda: levels(definition=[1, 1, 2, 1]), levels, address=f"{COLUMNS}/definition_level_histograms"),
    violation("a definition level histogram with a wrong sum", "level-histogram-disagrees", lambda: levels(definition=[1, 1, 1, 3]), levels, address=f"{COLUMNS}/definition_level_histograms"),
    violation("a definition level histogram of too few levels", "page-index", lambda: levels(definition=DEFINITION[:3]), lambda: levels(definition=[]), address=f"{COLUMNS}/definition_level_histograms"),
    violation("a repetition level histogram of too many levels", "page-index", lambda: levels(repetition=[4, 1, 0]), lambda: levels(repetition=[]), address=f"{COLUMNS}/repetition_level_histograms"),
    violation("a repetition level histogram of a required column", "level-histogram-disagrees", lambda: whole(raw_entries([forged.raw(1)], [forged.raw(2)], repetition_level_histograms=[3]), Type.INT32, [[1, 2]]), lambda: whole(raw_entries([forged.raw(1)], [forged.raw(2)], repetition_level_histograms=[2]), Type.INT32, [[1, 2]]), address=f"{COLUMNS}/repetition_level_histograms"),
    violation("a repetition level histogram of the chunk that is wrong", "level-histogram-disagrees", lambda: sizes(repetition_level_histogram=[3, 2]), lambda: sizes(repetition_level_histogram=REPETITION), address=f"{SIZES}/repetition_level_histogram"),
    violation("a definition level histogram of the chunk that is wrong", "level-histogram-disagrees", lambda: sizes(definition_level_histogram=[2, 1, 0, 2]), lambda: sizes(definition_level_histogram=DEFINITION), address=f"{SIZES}/definition_level_histogram"),
    violation("a definition level histogram of the chunk of too few levels", "level-histogram-disagrees", lambda: sizes(definition_level_histogram=[5]), lambda: sizes(definition_level_histogram=[]), address=f"{SIZES}/definition_level_histogram"),
    violation("bytes of values of the chunk that are miscounted", "unencoded-bytes-disagree", lambda: text_sizes(12), lambda: text_sizes(4), address=f"{SIZES}/unencoded_byte_array_data_bytes"),
    violation("bytes of values of a chunk of integers", "unencoded-bytes-unsuited", lambda: sizes(unencoded_byte_array_data_bytes=8), sizes, "warning", f"{SIZES}/unencoded_byte_array_data_bytes"),
]  # fmt: skip
