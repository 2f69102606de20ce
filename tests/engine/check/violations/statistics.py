"""Violations in the statistics of column chunks and of page headers."""

import struct

from engine.check import forged, schemas
from engine.check.violations import Violation

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Statistics, Type
from pqexplore.engine.writer import assembly

STATISTICS = "row_groups/0/columns/0/metadata/meta_data/statistics"
NAN = float("nan")


def column(type, values, fields, *, leaf=None, length=None, order=forged.TYPE_ORDER, **file):
    """A file of one page; `fields` are those of the chunk's Statistics."""
    return forged.one_column([forged.page(values, type, length)], type,
        leaf=leaf or assembly.element("a", type, 0, type_length=length), order=order,
        metadata={"statistics": Statistics(**fields)}, file=file or None)  # fmt: skip


def optional(fields, values=(1, None, 2, 1), page=None):
    """A file of one column with nulls."""
    return forged.one_column(
        [forged.optional_page(values)] if page is None else [page],
        leaf=assembly.element("a", Type.INT32, 1),
        metadata={"statistics": Statistics(**fields)},
    )


def annotated(type, logical, length=None):
    return assembly.element("a", type, 0, type_length=length, logicalType=logical)


STRING = annotated(Type.BYTE_ARRAY, schemas.plain("STRING"))
UNSIGNED = annotated(Type.INT32, schemas.integer(32, False))
UNSIGNED_LONG = annotated(Type.INT64, schemas.integer(64, False))
DECIMAL = annotated(Type.INT32, schemas.decimal(9, 2))
FIXED_DECIMAL = annotated(Type.FIXED_LEN_BYTE_ARRAY, schemas.decimal(9, 2), 4)
BYTES_DECIMAL = annotated(Type.BYTE_ARRAY, schemas.decimal(9))
UUID = annotated(Type.FIXED_LEN_BYTE_ARRAY, schemas.plain("UUID"), 16)
HALF = annotated(Type.FIXED_LEN_BYTE_ARRAY, schemas.plain("FLOAT16"), 2)
DATE = annotated(Type.INT32, schemas.plain("DATE"))
INTERVAL = assembly.element("a", Type.FIXED_LEN_BYTE_ARRAY, 0, type_length=12, converted_type=21)


def half(number):
    return struct.pack("<e", number)


def signed(number):
    return number.to_bytes(4, "big", signed=True)


def bounds(low, high, **more):
    return {"min_value": low, "max_value": high} | more


# A column: physical type, its leaf, its values, and their PLAIN bytes as bounds: smallest, largest, and one between them
# that a wrong bound has.
COLUMNS = {
    "BOOLEAN": (Type.BOOLEAN, None, None, [False, True], b"\0", b"\1", None),
    "INT32": (Type.INT32, None, None, [-5, 7], *(struct.pack("<i", n) for n in (-5, 7, 0))),
    "INT64": (Type.INT64, None, None, [-5, 7], *(struct.pack("<q", n) for n in (-5, 7, 0))),
    "FLOAT": (Type.FLOAT, None, None, [-5, 7], *(struct.pack("<f", n) for n in (-5, 7, 1))),
    "DOUBLE": (Type.DOUBLE, None, None, [-5, 7], *(struct.pack("<d", n) for n in (-5, 7, 1))),
    "BYTE_ARRAY": (Type.BYTE_ARRAY, None, None, [b"a", b"c"], b"a", b"c", b"b"),
    "FIXED_LEN_BYTE_ARRAY": (Type.FIXED_LEN_BYTE_ARRAY, None, 2, [b"aa", b"\xff\0"], b"aa", b"\xff\0", b"ab"),
    "STRING": (Type.BYTE_ARRAY, STRING, None, [b"a", "é".encode()], b"a", "é".encode(), b"z"),
    "unsigned INT32": (Type.INT32, UNSIGNED, None, [1, -1], *(struct.pack("<I", n) for n in (1, 2**32 - 1, 2**31))),
    "unsigned INT64": (Type.INT64, UNSIGNED_LONG, None, [1, -1], *(struct.pack("<Q", n) for n in (1, 2**64 - 1, 2**63))),
    "DATE": (Type.INT32, DATE, None, [-9, 9], *(struct.pack("<i", n) for n in (-9, 9, 0))),
    "DECIMAL of INT32": (Type.INT32, DECIMAL, None, [-100, 250], *(struct.pack("<i", n) for n in (-100, 250, 0))),
    "DECIMAL of fixed length": (Type.FIXED_LEN_BYTE_ARRAY, FIXED_DECIMAL, 4, [signed(-1), signed(1)], signed(-1),
        signed(1), signed(0)),
    "DECIMAL of BYTE_ARRAY": (Type.BYTE_ARRAY, BYTES_DECIMAL, None, [b"\x80", b"\x01\x00"], b"\x80", b"\x01\x00", b"\x7f"),
    "UUID": (Type.FIXED_LEN_BYTE_ARRAY, UUID, 16, [bytes(16), b"\xff" * 16], bytes(16), b"\xff" * 16, b"\x80" * 16),
    "FLOAT16": (Type.FIXED_LEN_BYTE_ARRAY, HALF, 2, [half(-2), half(3)], half(-2), half(3), half(1)),
}  # fmt: skip


def of_type(name, low, high, **more):
    """A file of a column of `COLUMNS` with these bounds: `low`, `high` and `between` are those of the table."""
    type, leaf, length, values, *known = COLUMNS[name]
    raw = dict(zip(("low", "high", "between"), known, strict=True))
    return column(type, values, bounds(raw[low], raw[high], **more), leaf=leaf, length=length)


def violation(name, rule, bad, near=None, severity="error", field="", also=()):
    address = f"{STATISTICS}/{field}" if field else STATISTICS
    return Violation(name, rule, bad, near, severity, address, also)


def of_page(name, rule, bad, near, severity="error", field="", version=1):
    """`bad` and `near` are fields of the Statistics in the header of a page of 1, 2 and 3."""

    def make(fields):
        statistics = Statistics(**fields)
        stored = (
            forged.page([1, 2, 3], statistics=statistics)
            if version == 1
            else forged.optional_page([1, 2, 3], statistics=statistics)
        )
        return forged.one_column([stored], leaf=assembly.element("a", Type.INT32, version - 1))

    header = "data_page_header" if version == 1 else "data_page_header_v2"
    place = f"row_groups/0/columns/0/pages/0/header/{header}/statistics"
    address = f"{place}/{field}" if field else place
    return Violation(f"{name}, in a V{version} page", rule, lambda: make(bad), lambda: make(near), severity, address)


def i32(low, high, **more):
    return bounds(forged.raw(low), forged.raw(high), **more)


def double(low, high, values=(1.0, 2.0), *, order=forged.TYPE_ORDER, **more):
    raw = bounds(struct.pack("<d", low), struct.pack("<d", high), **more)
    return column(Type.DOUBLE, values, raw, order=order)


def text(low, high, values=(b"abc", b"abd"), **more):
    return column(Type.BYTE_ARRAY, values, bounds(low, high, **more), leaf=STRING)


def int96(day, nanos):
    return struct.pack("<qi", nanos, day)


def int96_column(low, high, order):
    page = assembly.page_v1(int96(1, 5) + int96(2, 1), 2)
    return forged.one_column([page], Type.INT96, order=order, metadata={"statistics": Statistics(**bounds(low, high))})


INT96_ORDER = structs.ColumnOrder(INT96_TIMESTAMP_ORDER=structs.Int96TimestampOrder())


def geometry(fields):
    leaf = annotated(Type.BYTE_ARRAY, schemas.plain("GEOMETRY"))
    return column(Type.BYTE_ARRAY, [struct.pack("<BIdd", 1, 1, 1.0, 2.0)], fields, leaf=leaf)


def geography(fields):
    leaf = annotated(Type.BYTE_ARRAY, schemas.plain("GEOGRAPHY"))
    return column(Type.BYTE_ARRAY, [struct.pack("<BIdd", 1, 1, 1.0, 2.0)], fields, leaf=leaf)


def header(name, rule, bad, near, type, values, leaf=None, severity="note", field="", length=None):
    """`bad` and `near` are the Statistics in the header of a page of these values."""

    def make(fields):
        made = Statistics(**fields)
        if type == Type.INT96:
            return forged.one_column(
                [assembly.page_v1(b"".join(values), len(values), statistics=made)], type, leaf=leaf
            )
        return forged.one_column([forged.page(values, type, length, statistics=made)], type, leaf=leaf)

    place = "row_groups/0/columns/0/pages/0/header/data_page_header/statistics"
    address = f"{place}/{field}" if field else place
    return Violation(name, rule, lambda: make(bad), lambda: make(near), severity, address)


def interval(fields):
    return column(Type.FIXED_LEN_BYTE_ARRAY, [bytes(12)], fields, leaf=INTERVAL, length=12)


def broken(fields):
    """A file whose one page cannot be decoded."""
    return optional(fields, page=assembly.page_v2(b"\1", 4, 4, 0, definition_levels=b"\x08\x01"))


def nested(null_count):
    lists = [[1, None], None, []]
    return forged.list_column([forged.list_page(lists)], metadata={"statistics": Statistics(null_count=null_count)})


def int32(fields, values=(1, 2, 3), **more):
    return column(Type.INT32, values, fields, **more)


WIDE = [name for name in COLUMNS if name != "BOOLEAN"]

VIOLATIONS = [
    *[violation(f"a minimum above a value of {name}", "statistics-bound",
        lambda name=name: of_type(name, "between", "high"), lambda name=name: of_type(name, "low", "high"),
        field="min_value")
      for name in WIDE],
    *[violation(f"a maximum below a value of {name}", "statistics-bound",
        lambda name=name: of_type(name, "low", "between"),
        lambda name=name: of_type(name, "low", "high", is_max_value_exact=True), field="max_value")
      for name in WIDE],
    *[violation(f"a minimum above the maximum of {name}", "statistics-inverted",
        lambda name=name: of_type(name, "high", "low"), lambda name=name: of_type(name, "low", "high"),
        field="min_value")
      for name in COLUMNS],
    violation("a maximum of BOOLEAN that is false", "statistics-bound", lambda: of_type("BOOLEAN", "low", "low"),
        lambda: of_type("BOOLEAN", "low", "high"), field="max_value"),
    # Truncated bounds.
    violation("a maximum that is cut short and not rounded up", "statistics-bound", lambda: text(b"ab", b"ab"),
        lambda: text(b"ab", b"ac"), field="max_value"),
    violation("an empty maximum beside an empty minimum", "statistics-bound", lambda: text(b"", b""),
        lambda: text(b"", b"", [b"", b""]), field="max_value"),
    violation("a maximum that is cut short inside a character", "statistics-not-utf8",
        lambda: text(b"", b"\xc4", ["é".encode()]), lambda: text(b"", "ê".encode(), ["é".encode()]), "note",
        "max_value"),
    violation("a truncated minimum that is called exact", "statistics-exactness",
        lambda: text(b"ab", b"abd", is_min_value_exact=True), lambda: text(b"ab", b"abd", is_min_value_exact=False),
        field="min_value"),
    violation("a rounded maximum that is called exact", "statistics-exactness",
        lambda: text(b"abc", b"abe", is_max_value_exact=True), lambda: text(b"abc", b"abd", is_max_value_exact=True),
        field="max_value"),
    violation("a loose bound of integers that is called exact", "statistics-exactness",
        lambda: int32(i32(0, 3, is_min_value_exact=True)), lambda: int32(i32(1, 3, is_min_value_exact=True)),
        field="min_value"),
    violation("a bound wider than needed", "statistics-loose", lambda: int32(i32(1, 9)), lambda: int32(i32(1, 3)),
        "note", "max_value"),
    *[violation(f"a bound of {name} of the wrong length", "statistics-damaged",
        lambda type=type, values=values, low=low: column(type, values, {"min_value": low + b"\0"}),
        lambda type=type, values=values, low=low: column(type, values, {"min_value": low}))
        for name, (type, _, _, values, low, *_) in COLUMNS.items()
        if name in ("BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE")
    ],
    # Counts.
    violation("a null that is not counted", "statistics-null-count", lambda: optional({"null_count": 0}), lambda: optional({"null_count": 1}), field="null_count"),
    violation("a null too many", "statistics-null-count", lambda: optional({"null_count": 2}), lambda: optional({}), field="null_count"),
    violation("more nulls than values", "statistics-null-count", lambda: optional({"null_count": 5}), lambda: optional({"null_count": 1}), field="null_count"),
    violation("nulls of a required column", "statistics-null-count", lambda: int32({"null_count": 1}), lambda: int32({"null_count": 0}), field="null_count"),
    violation("a negative null_count", "statistics-damaged", lambda: optional({"null_count": -1}), lambda: optional({"null_count": 1})),
    violation("nulls of a list that agree with no way to count", "statistics-null-count", lambda: nested(2), lambda: nested(1), "warning", "null_count"),
    violation("more nulls of a list than entries", "statistics-null-count", lambda: nested(9), lambda: nested(3), field="null_count"),
    violation("a wrong distinct_count", "distinct-count-disagrees", lambda: optional({"distinct_count": 3}), lambda: optional({"distinct_count": 2}), "note", "distinct_count"),
    violation("a distinct_count of one too few", "distinct-count-disagrees", lambda: optional({"distinct_count": 1}), lambda: optional({"distinct_count": 2}), "warning", "distinct_count"),
    violation("a distinct_count of 0", "distinct-count-disagrees", lambda: optional({"distinct_count": 0}), lambda: optional({"distinct_count": 0}, [None]), "warning", "distinct_count"),
    violation("more distinct values than values", "distinct-count-disagrees", lambda: optional({"distinct_count": 4}), lambda: optional({"distinct_count": 3}, [1, None, 2, 3]), "error", "distinct_count"),
    violation("a negative distinct_count", "statistics-damaged", lambda: optional({"distinct_count": -2}), lambda: optional({"distinct_count": 2})),
    violation("a wrong nan_count", "statistics-nan-count", lambda: double(1, 2, [1.0, NAN, 2.0], nan_count=0), lambda: double(1, 2, [1.0, NAN, 2.0], nan_count=1), field="nan_count"),
    violation("a nan_count of integers", "nan-count-unsuited", lambda: int32({"nan_count": 0}), lambda: double(1, 2, nan_count=0), "warning"),
    # NaN and zeros.
    violation("a minimum that is NaN", "nan-bound", lambda: double(NAN, 2), lambda: double(1, 2, [1.0, NAN, 2.0]), "note", "min_value"),
    violation("a maximum that is NaN", "nan-bound", lambda: double(1, NAN), lambda: double(NAN, NAN, [NAN, NAN], nan_count=2, order=forged.TOTAL_ORDER), "note", "max_value"),
    violation("a minimum of +0.0", "zero-bound", lambda: double(0.0, 2, [0.0, 2.0]), lambda: double(-0.0, 2, [0.0, 2.0]), "note", "min_value"),
    violation("a maximum of -0.0", "zero-bound", lambda: double(-1, -0.0, [-1.0, 0.0]), lambda: double(-1, 0.0, [-1.0, -0.0]), "note", "max_value"),
    violation("a minimum of +0.0 in total order, and a value of -0.0", "statistics-bound",
        lambda: double(0.0, 2, [-0.0, 2.0], nan_count=0, order=forged.TOTAL_ORDER),
        lambda: double(-0.0, 2, [-0.0, 2.0], nan_count=0, order=forged.TOTAL_ORDER), field="min_value"),
    violation("total order without nan_count", "nan-count-absent", lambda: double(1, 2, order=forged.TOTAL_ORDER),
        lambda: double(1, 2, nan_count=0, order=forged.TOTAL_ORDER)),
    # Columns without an order.
    violation("bounds of INTERVAL", "statistics-without-order", lambda: interval(bounds(bytes(12), b"1" * 12)), lambda: interval({"null_count": 0}), "warning"),
    violation("bounds of GEOMETRY", "statistics-without-order", lambda: geometry(bounds(b"a", b"b")), lambda: geometry({"null_count": 0}), "note"),
    violation("bounds of GEOGRAPHY", "statistics-without-order", lambda: geography(bounds(b"a", b"b")), lambda: geography({"null_count": 0}), "note"),
    violation("old bounds of INTERVAL", "statistics-without-order", lambda: interval({"min": bytes(12), "max": b"1" * 12}), lambda: interval({"min": bytes(12), "max": bytes(12)}), "warning"),
    violation("an old minimum of INTERVAL alone", "statistics-without-order", lambda: interval({"min": bytes(12)}), lambda: interval({"null_count": 0}), "warning"),
    violation("old bounds of GEOMETRY", "statistics-without-order", lambda: geometry({"min": b"a", "max": b"b"}), lambda: geometry({"null_count": 0}), "note"),
    violation("old bounds of GEOGRAPHY", "statistics-without-order", lambda: geography({"min": b"a", "max": b"b"}), lambda: geography({"null_count": 0}), "note"),
    header("bounds of INTERVAL in a page header", "page-statistics-without-order", bounds(bytes(12), b"1" * 12), {"null_count": 0}, Type.FIXED_LEN_BYTE_ARRAY, [bytes(12)], INTERVAL, "warning", length=12),
    header("old bounds of INTERVAL in a page header", "page-statistics-without-order", {"min": bytes(12), "max": b"1" * 12}, {"null_count": 0}, Type.FIXED_LEN_BYTE_ARRAY, [bytes(12)], INTERVAL, "warning", length=12),
    header("bounds of INT96 in a page header", "page-statistics-without-order", bounds(int96(1, 5), int96(2, 1)), {"null_count": 0}, Type.INT96, [int96(1, 5)], None, "warning"),
    header("a minimum that is NaN in a page header", "nan-bound", bounds(*(struct.pack("<d", n) for n in (NAN, 2))), bounds(*(struct.pack("<d", n) for n in (2, 2))), Type.DOUBLE, [2.0, NAN], field="min_value"),
    header("an old maximum that is NaN in a page header", "nan-bound", {"min": struct.pack("<d", 2), "max": struct.pack("<d", NAN)}, {"min": struct.pack("<d", 2), "max": struct.pack("<d", 2)}, Type.DOUBLE, [2.0, NAN], field="max"),
    header("a wrong nan_count in a page header", "page-statistics-nan-count", {"nan_count": 0}, {"nan_count": 1}, Type.DOUBLE, [2.0, NAN], severity="error", field="nan_count"),
    violation("bounds of INT96 under TYPE_ORDER", "statistics-without-order", lambda: int96_column(int96(1, 5), int96(2, 1), forged.TYPE_ORDER), lambda: int96_column(int96(1, 5), int96(2, 1), INT96_ORDER), "warning"),
    violation("the same bounds of INT96 under TYPE_ORDER, as Spark writes a constant", "statistics-without-order", lambda: int96_column(int96(1, 5), int96(1, 5), forged.TYPE_ORDER), lambda: int96_column(int96(1, 5), int96(2, 1), INT96_ORDER), "note"),
    violation("a wrong null_count of INTERVAL", "statistics-null-count", lambda: interval({"null_count": 1}), lambda: interval({"null_count": 0}), field="null_count"),
    violation("bounds of INT96 that are inverted in its order", "statistics-inverted", lambda: int96_column(int96(2, 1), int96(1, 5), INT96_ORDER), lambda: int96_column(int96(1, 5), int96(2, 1), INT96_ORDER), field="min_value"),
    violation("bounds without column_orders", "column-orders-absent", lambda: int32(i32(1, 3), order=None), lambda: int32({"null_count": 0}, order=None), "note"),
    violation("bounds and no value", "statistics-of-nothing", lambda: optional(i32(1, 2), [None]), lambda: optional(i32(1, 1), [None, 1]), "warning", "min_value"),
    # The deprecated min and max.
    violation("an old minimum above a value", "statistics-bound", lambda: int32({"min": forged.raw(2), "max": forged.raw(3)}), lambda: int32({"min": forged.raw(1), "max": forged.raw(3)}), field="min"),
    violation("an old minimum above the old maximum", "statistics-inverted", lambda: int32({"min": forged.raw(3), "max": forged.raw(1)}), lambda: int32({"min": forged.raw(1), "max": forged.raw(3)}), field="min"),
    violation("old bounds of unsigned numbers", "old-statistics", lambda: int32({"min": forged.raw(-1), "max": forged.raw(1)}, [1, -1], leaf=UNSIGNED), lambda: int32({"min": forged.raw(-1), "max": forged.raw(-1)}, [-1], leaf=UNSIGNED), "note"),
    violation("old bounds of text", "old-statistics", lambda: column(Type.BYTE_ARRAY, [b"a"], {"min": b"a", "max": b"b"}, leaf=STRING), lambda: column(Type.BYTE_ARRAY, [b"a"], {"min": b"a", "max": b"a"}, leaf=STRING), "note"),
    violation("old bounds of INT96", "old-statistics", lambda: forged.one_column([assembly.page_v1(int96(1, 5), 1)], Type.INT96, metadata={"statistics": Statistics(min=int96(1, 5), max=int96(1, 5))}), lambda: int96_column(int96(1, 5), int96(2, 1), INT96_ORDER), "note"),
    violation("old bounds of unsigned numbers beside new ones", "old-statistics-unsuited",
        lambda: int32(i32(1, -1, min=forged.raw(-1), max=forged.raw(1)), [1, -1], leaf=UNSIGNED),
        lambda: int32(i32(1, 3, min=forged.raw(1), max=forged.raw(3)), [1, 3]), "note"),
    violation("old bounds of text beside new ones", "old-statistics-unsuited",
        lambda: text(b"abc", b"abd", min=b"abc", max=b"abd"),
        lambda: text(b"abc", b"abc", [b"abc"], min=b"abc", max=b"abc"), "note"),
    violation("old bounds that differ from the new ones", "old-statistics-disagree", lambda: int32(i32(1, 3, min=forged.raw(1), max=forged.raw(2))), lambda: int32(i32(1, 3, min=forged.raw(1), max=forged.raw(3))), "warning"),
    # Pages.
    *[
        one
        for version in (1, 2)
        for one in (
            of_page("a minimum above a value", "page-statistics-bound", i32(2, 3), i32(1, 3), field="min_value", version=version),
            of_page("a maximum below a value", "page-statistics-bound", i32(1, 2), i32(1, 3), field="max_value", version=version),
            of_page("a minimum above the maximum", "page-statistics-inverted", i32(3, 1), i32(1, 3), field="min_value", version=version),
            of_page("a wrong null_count", "page-statistics-null-count", {"null_count": 1}, {"null_count": 0}, field="null_count", version=version),
            of_page("a bound of the wrong length", "statistics-damaged", {"min_value": b"1"}, i32(1, 3), version=version),
        )
    ],
    of_page("a bound called exact that is not", "page-statistics-exactness", i32(0, 3, is_min_value_exact=True), i32(1, 3, is_min_value_exact=True), field="min_value"),
    of_page("a bound wider than needed", "page-statistics-loose", i32(0, 3), i32(1, 3), "note", field="min_value"),
    *[violation(f"{name} above num_values in a chunk that cannot be read", f"{name.replace('_', '-')}-above-values",
        lambda name=name: broken({name: 5}), lambda name=name: broken({name: 4}), field=name, also=("unreadable",))
      for name in ("null_count", "distinct_count")],
]  # fmt: skip
