"""Violations of what a file claims about itself: the order of its rows, the order of a dictionary, checksums."""

import zlib
from decimal import Decimal

import numpy as np
from engine.check import forged
from engine.check.violations import Violation

from pqexplore.engine.format import codecs
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, IntType, LogicalType, SortingColumn, Type
from pqexplore.engine.writer import assembly

SORTING = "footer/row_groups/0/sorting_columns"
PAGE = "row_groups/0/columns/0/pages/0"


def by(column=0, descending=False, nulls_first=False):
    return SortingColumn(column_idx=column, descending=descending, nulls_first=nulls_first)


def column(values, type=Type.INT32, descending=False, **leaf):
    """One column whose rows are claimed to be sorted."""
    element = assembly.element("a", type, 0, **leaf)
    page = forged.page(values, type, leaf.get("type_length"))
    group = {"sorting_columns": [by(descending=descending)]}
    return forged.one_column([page], type, leaf=element, group=group)


def optional(values, **claim):
    """One optional column whose rows are claimed to be sorted."""
    element = assembly.element("a", Type.INT32, 1)
    group = {"sorting_columns": [by(**claim)]}
    return forged.one_column([forged.optional_page(values)], leaf=element, group=group)


def paged(*pages):
    """One column of several pages whose rows are claimed to be sorted."""
    group = {"sorting_columns": [by()]}
    return forged.one_column([forged.page(values) for values in pages], group=group)


def groups(*rows, claim=(by(),), columns=1):
    """A file with a row group for each of `rows`, which has the values of each column."""
    made = []
    for values in rows:
        chunks = [assembly.chunk(f"c{i}", Type.INT32, [forged.page(each)]) for i, each in enumerate(values)]
        made.append(assembly.row_group(chunks, len(values[0]), sorting_columns=list(claim)))
    leaves = [assembly.element(f"c{i}", Type.INT32, 0) for i in range(columns)]
    orders = [forged.TYPE_ORDER] * columns
    return assembly.file([forged.root(columns), *leaves], made, column_orders=orders)


def two_keys(first, second):
    return groups([first, second], claim=(by(0), by(1)), columns=2)


UNSIGNED = {"logicalType": LogicalType(INTEGER=IntType(bitWidth=32, isSigned=False))}
STRING = {"logicalType": LogicalType(STRING=structs.StringType())}
DECIMAL = {"logicalType": LogicalType(DECIMAL=structs.DecimalType(scale=2, precision=9))}
FLOAT16 = {"logicalType": LogicalType(FLOAT16=structs.Float16Type()), "type_length": 2}


def decimals(*numbers):
    """DECIMAL(9, 2) in four bytes, big-endian."""
    raw = [int(Decimal(one) * 100).to_bytes(4, "big", signed=True) for one in numbers]
    return column(raw, Type.FIXED_LEN_BYTE_ARRAY, type_length=4, **DECIMAL)


def halves(*numbers):
    raw = [np.float16(one).tobytes() for one in numbers]
    return column(raw, Type.FIXED_LEN_BYTE_ARRAY, **FLOAT16)


def unsorted(name, make, near, at=0):
    return Violation(f"rows, {name}", "not-sorted", make, near, address=f"{SORTING}/{at}")


def stored(crc):
    """A CRC32 as the i32 of the page header."""
    return crc - (1 << 32) if crc >> 31 else crc


def checksum(of, **fields):
    """A page of two values whose header has the CRC32 of `of(header, body)`, whatever that is."""
    right = forged.page([1, 2], **fields)
    header = right.stored[: -len(right.body)]
    return forged.one_column([forged.page([1, 2], crc=stored(of(header, right.body)), **fields)])


def right(header, body):
    return zlib.crc32(body)


def crc32c(header, body):
    """CRC-32C (Castagnoli), which other formats use."""
    value = 0xFFFFFFFF
    for byte in body:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def compressed(of):
    """A page compressed with ZSTD; its header has the CRC32 of `of(body, plain)`."""
    plain = forged.encoded(list(range(100)))
    body = codecs.compress(CompressionCodec.ZSTD, plain)
    packing = assembly.Packing(codec=int(CompressionCodec.ZSTD))
    page = assembly.page_v1(plain, 100, packing=packing, crc=stored(zlib.crc32(of(body, plain))))
    return forged.one_column([page], codec=CompressionCodec.ZSTD)


def version2(wrong):
    """A V2 page with levels; its checksum covers the levels, or leaves them out."""
    page = forged.optional_page([1, None])
    levels = page.header.data_page_header_v2.definition_levels_byte_length
    crc = zlib.crc32(page.body[levels:] if wrong else page.body)
    leaf = assembly.element("a", Type.INT32, 1)
    return forged.one_column([forged.optional_page([1, None], crc=stored(crc))], leaf=leaf)


def dictionary(crc_of=zlib.crc32):
    """A dictionary page with a checksum, and a data page."""
    entries = forged.encoded([5, 7])
    made = assembly.dictionary_page(entries, 2, crc=stored(crc_of(entries)))
    data = assembly.page_v1(b"\x01\x04\x00", 2, Encoding.RLE_DICTIONARY)
    return forged.one_column([made, data])


def second(crc):
    pages = [forged.page([1, 2]), forged.page([3, 4], **({} if crc is None else {"crc": crc}))]
    return forged.one_column(pages)


def flipped(data, bit):
    """The file with one bit of its first page's body changed."""
    changed = bytearray(data)
    start = data.index(forged.encoded([1, 2]))
    changed[start + bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def unequal(name, make, near, address=PAGE):
    return Violation(f"checksum, {name}", "crc-mismatch", make, near, address=address)


def sorted_text(*entries):
    made = assembly.dictionary_page(forged.encoded(entries, Type.BYTE_ARRAY), 2, is_sorted=True)
    data = assembly.page_v1(b"\x01\x04\x00", 2, Encoding.RLE_DICTIONARY)
    leaf = assembly.element("a", Type.BYTE_ARRAY, 0, **STRING)
    return forged.one_column([made, data], Type.BYTE_ARRAY, leaf=leaf)


def sorted_numbers(*entries):
    made = assembly.dictionary_page(forged.encoded(entries), 2, is_sorted=True)
    data = assembly.page_v1(b"\x01\x04\x00", 2, Encoding.RLE_DICTIONARY)
    return forged.one_column([made, data], leaf=assembly.element("a", Type.INT32, 0, **UNSIGNED))


VIOLATIONS = [
    unsorted("INT32", lambda: column([2, 1]), lambda: column([1, 2])),
    unsorted("INT32, the last of many", lambda: column([*range(99), 0]), lambda: column(range(99))),
    unsorted("INT32, descending", lambda: column([1, 2], descending=True), lambda: column([2, 1], descending=True)),
    unsorted("INT32, negative", lambda: column([1, -1]), lambda: column([-1, 1])),
    unsorted("INT32, unsigned", lambda: column([-1, 1], **UNSIGNED), lambda: column([1, -1], **UNSIGNED)),
    unsorted("INT64", lambda: column([1 << 40, 1], Type.INT64), lambda: column([1, 1 << 40], Type.INT64)),
    unsorted("FLOAT", lambda: column([1.5, -0.5], Type.FLOAT), lambda: column([-0.5, 1.5], Type.FLOAT)),
    unsorted("DOUBLE", lambda: column([1e9, 1e-9], Type.DOUBLE), lambda: column([1e-9, 1e9], Type.DOUBLE)),
    unsorted("FLOAT16", lambda: halves(1, -2), lambda: halves(-2, 1)),
    unsorted("BOOLEAN", lambda: column([True, False], Type.BOOLEAN), lambda: column([False, True], Type.BOOLEAN)),
    unsorted("strings, byte by byte", lambda: column(["é".encode(), b"z"], Type.BYTE_ARRAY, **STRING),
        lambda: column([b"z", "é".encode()], Type.BYTE_ARRAY, **STRING)),
    unsorted("strings, a prefix", lambda: column([b"ab", b"a"], Type.BYTE_ARRAY, **STRING),
        lambda: column([b"a", b"ab"], Type.BYTE_ARRAY, **STRING)),
    unsorted("fixed-length decimals", lambda: decimals("1.00", "-1.00"), lambda: decimals("-1.00", "1.00")),
    unsorted("nulls first, which are last", lambda: optional([1, None], nulls_first=True),
        lambda: optional([None, 1], nulls_first=True)),
    unsorted("nulls last, which are first", lambda: optional([None, 1]), lambda: optional([1, None])),
    unsorted("nulls first and descending", lambda: optional([2, 1, None], nulls_first=True, descending=True),
        lambda: optional([None, 2, 1], nulls_first=True, descending=True)),
    unsorted("across pages", lambda: paged([1, 3], [2, 4]), lambda: paged([1, 2], [2, 4])),
    unsorted("by the second column", lambda: two_keys([1, 1], [2, 1]), lambda: two_keys([1, 2], [2, 1]), 1),
    Violation("rows, in the second row group", "not-sorted", lambda: groups([[1, 2]], [[4, 3]]),
        lambda: groups([[3, 4]], [[1, 2]]), address="footer/row_groups/1/sorting_columns/0"),
    unequal("of other bytes", lambda: checksum(lambda header, body: 1), lambda: checksum(right)),
    unequal("of one bit more", lambda: checksum(lambda header, body: right(header, body) ^ 1), lambda: checksum(right)),
    unequal("of header and body", lambda: checksum(lambda header, body: zlib.crc32(header + body)),
        lambda: checksum(right)),
    unequal("as CRC-32C", lambda: checksum(crc32c), lambda: checksum(right)),
    unequal("of the bytes before compression", lambda: compressed(lambda body, plain: plain),
        lambda: compressed(lambda body, plain: body)),
    unequal("of V2 values without levels", lambda: version2(True), lambda: version2(False)),
    unequal("of a dictionary", lambda: dictionary(lambda entries: 0), lambda: dictionary()),
    unequal("of the second page only", lambda: second(7), lambda: second(None), "row_groups/0/columns/0/pages/1"),
    unequal("after the first bit of the page changed", lambda: flipped(checksum(right), 0), lambda: checksum(right)),
    unequal("after the last bit of the page changed", lambda: flipped(checksum(right), 63), lambda: checksum(right)),
    Violation("a dictionary of text that is called sorted", "dictionary-not-sorted", lambda: sorted_text(b"b", b"a"),
        lambda: sorted_text(b"a", b"b"), address=PAGE),
    Violation("a dictionary of unsigned numbers that is sorted as signed", "dictionary-not-sorted",
        lambda: sorted_numbers(-1, 1), lambda: sorted_numbers(1, -1), address=PAGE),
]  # fmt: skip
