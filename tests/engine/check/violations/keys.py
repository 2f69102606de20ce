"""Violations by repetition: a map that has a key twice, a dictionary that has an entry twice."""

import decimal
import struct

import pyarrow as pa
from engine.check import forged
from engine.check.violations import Violation
from made import parquet

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.writer import assembly

KEYS = {
    "text": (pa.string(), "a", "b"),
    "integers": (pa.int64(), 1, 2),
    "doubles": (pa.float64(), 0.0, -0.0),
    "days": (pa.date32(), 1, 2),
    "decimals": (pa.decimal128(20, 2), decimal.Decimal("1.00"), decimal.Decimal("10.00")),
    "booleans": (pa.bool_(), True, False),
}


def arrow(array, **options):
    """A file of one column, by Arrow."""
    return parquet(pa.table({"m": array}), **options)


def maps(rows, kind=None, **options):
    """A file of maps with integers as values; each row lists its keys, or is None."""
    pairs = [None if keys is None else [(key, i) for i, key in enumerate(keys)] for keys in rows]
    return arrow(pa.array(pairs, pa.map_(kind or pa.string(), pa.int32())), **options)


def map_in_pages(pages):
    """A file of maps of integers in V1 pages, each a list of (repetition level, key): maps may continue in a next page."""
    elements = [
        forged.root(),
        assembly.element("m", None, 1, num_children=1, logicalType=structs.LogicalType(MAP=structs.MapType())),
        assembly.element("key_value", None, 2, num_children=2),
        assembly.element("key", Type.INT32, 0),
        assembly.element("value", Type.INT32, 0),
    ]

    def stored(page):
        repetition = forged.bits(level for level, _ in page)
        return assembly.page_v1(
            forged.encoded([key for _, key in page]),
            len(page),
            repetition_levels=assembly.levels_v1(repetition, 1),
            definition_levels=assembly.levels_v1(forged.bits([2] * len(page)), 2),
        )

    chunks = [
        assembly.chunk(f"m.key_value.{name}", Type.INT32, [stored(page) for page in pages]) for name in ("key", "value")
    ]
    rows = sum(level == 0 for page in pages for level, _ in page)
    return assembly.file(elements, [assembly.row_group(chunks, rows)], column_orders=[forged.TYPE_ORDER] * 2)


def dictionary(values, type=Type.INT32, length=None, **fields):
    """A file whose dictionary has these entries; its one page uses the first two."""
    entries = forged.encoded(values, type, length)
    pages = [
        assembly.dictionary_page(entries, len(values), **fields),
        assembly.page_v1(b"\x01\x03\x02", 2, Encoding.RLE_DICTIONARY),
    ]
    leaf = assembly.element("a", type, 0, type_length=length)
    return forged.one_column(pages, type, leaf=leaf)


NAN, OTHER_NAN = (struct.unpack("<d", bits)[0] for bits in (b"\0" * 6 + b"\xf8\x7f", b"\1" + b"\0" * 5 + b"\xf8\x7f"))
ENTRIES = {
    "integers": (Type.INT32, None, [1, 2, 1], [1, 2, 3]),
    "long integers": (Type.INT64, None, [1, 2, 1], [1, 2, 1 << 32]),
    "bytes": (Type.BYTE_ARRAY, None, [b"a", b"", b""], [b"a", b"", b"\0"]),
    "bytes of one length": (Type.FIXED_LEN_BYTE_ARRAY, 2, [b"ab", b"ab"], [b"ab", b"ba"]),
    "doubles": (Type.DOUBLE, None, [0.0, 1.0, 0.0], [0.0, 1.0, -0.0]),
    "floats": (Type.FLOAT, None, [1.5, 1.5], [1.5, -1.5]),
    "the same NaN": (Type.DOUBLE, None, [NAN, NAN], [NAN, OTHER_NAN]),
}

VIOLATIONS = [
    # The same key in two maps, and in a map with other keys.
    *[Violation(f"a map with a key of {name} twice", "map-key-repeats",
        lambda kind=kind, one=one, other=other: maps([[one, other, one]], kind),
        lambda kind=kind, one=one, other=other: maps([[one, other], None, [], [one]], kind), "warning",
        "row_groups/0/columns/0/pages/1/values/2" if name != "booleans" else "")
      for name, (kind, one, other) in KEYS.items()],
    Violation("a map with a key twice in V2 pages", "map-key-repeats",
        lambda: maps([["a"], ["b", "b"]], data_page_version="2.0", use_dictionary=False),
        lambda: maps([["b"], ["b"]], data_page_version="2.0", use_dictionary=False), "warning",
        "row_groups/0/columns/0/pages/0/values/2"),
    Violation("a map within a list with a key twice", "map-key-repeats",
        lambda: arrow(pa.array([[[("a", 1)], [("b", 1), ("b", 2)]]], pa.list_(pa.map_(pa.string(), pa.int8())))),
        lambda: arrow(pa.array([[[("a", 1)], [("a", 1), ("b", 2)]]], pa.list_(pa.map_(pa.string(), pa.int8())))),
        "warning", "row_groups/0/columns/0/pages/1/values/2"),
    Violation("a map with a key twice that continues in the next page", "map-key-repeats",
        lambda: map_in_pages([[(0, 1), (0, 5), (1, 6)], [(1, 7), (1, 5), (0, 1)]]),
        lambda: map_in_pages([[(0, 1), (0, 5), (1, 6)], [(0, 6), (1, 5), (0, 1)]]), "warning",
        "row_groups/0/columns/0/pages/1/values/1"),
    Violation("a map with a key twice that continues over three pages", "map-key-repeats",
        lambda: map_in_pages([[(0, 1)], [(1, 2)], [(1, 1)]]), lambda: map_in_pages([[(0, 1)], [(1, 2)], [(0, 1)]]),
        "warning", "row_groups/0/columns/0/pages/2/values/0"),
    *[Violation(f"a dictionary of {name} with an entry twice", "dictionary-repeats",
        lambda kind=kind, length=length, bad=bad: dictionary(bad, kind, length),
        lambda kind=kind, length=length, good=good: dictionary(good, kind, length), "warning",
        f"row_groups/0/columns/0/pages/0/values/{len(bad) - 1}")
      for name, (kind, length, bad, good) in ENTRIES.items()],
    Violation("a sorted dictionary with an entry twice", "dictionary-repeats",
        lambda: dictionary([1, 1, 2], is_sorted=True), lambda: dictionary([1, 2, 3], is_sorted=True), "warning"),
    Violation("a dictionary that is not sorted as it says", "dictionary-not-sorted",
        lambda: dictionary([2, 1], is_sorted=True), lambda: dictionary([2, 1], is_sorted=False)),
]  # fmt: skip
