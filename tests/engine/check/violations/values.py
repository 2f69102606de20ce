"""Violations in single values, in the Bloom filter that describes them, and in what counts them."""

import struct

from engine.check import forged, schemas
from engine.check.schemas import decimal, integer, time
from engine.check.violations import Violation

from pqexplore.engine.format import bloom
from pqexplore.engine.format.encodings import dictionary
from pqexplore.engine.format.thrift.structs import ConvertedType, Encoding, Type
from pqexplore.engine.writer import assembly

INT32, INT64, BYTES, FIXED = Type.INT32, Type.INT64, Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY
PAGE = "row_groups/0/columns/0/pages/0"


def leaf(logical, type, length=None, repetition=0, **fields):
    if isinstance(logical, ConvertedType):
        fields["converted_type"] = int(logical)
    else:
        fields["logicalType"] = logical
    return assembly.element("a", type, repetition, type_length=length, **fields)


def plain(logical, values, type=INT32, length=None, **fields):
    """A file with these values in a V1 page."""
    field = leaf(logical, type, length, **fields)
    return forged.one_column([forged.page(values, type, length)], type, leaf=field)


def optional(logical, values, type=INT32):
    """A file with these values, None for null, in a V2 page."""
    return forged.one_column([forged.optional_page(values, type)], type, leaf=leaf(logical, type, repetition=1))


def in_dictionary(logical, values, type=INT32, length=None):
    """A file with these values in a dictionary."""
    entries, ids = dictionary.build(forged.physical(values, type, length))
    first = assembly.dictionary_page(forged.encoded(entries.to_pylist(), type, length), len(entries))
    data = assembly.page_v1(dictionary.encode(ids), len(values), Encoding.RLE_DICTIONARY)
    return forged.one_column([first, data], type, leaf=leaf(logical, type, length))


def fixed(number, length):
    return number.to_bytes(length, "big", signed=True)


def beyond(name, make, near, place=f"{PAGE}/values/1"):
    return Violation(name, "decimal-beyond-precision", make, near, address=place)


DECIMALS = [
    beyond("a decimal of too many digits in INT32", lambda: plain(decimal(4), [1, 10_000]),
        lambda: plain(decimal(4), [9_999, -9_999])),
    beyond("a negative decimal of too many digits in INT32", lambda: plain(decimal(4), [1, -10_000]),
        lambda: plain(decimal(5), [1, -10_000])),
    beyond("a decimal of too many digits in INT64", lambda: plain(decimal(18, 2), [1, 10**18], INT64),
        lambda: plain(decimal(18, 2), [1, 10**18 - 1], INT64)),
    beyond("a decimal of too many digits in 3 bytes",
        lambda: plain(decimal(6), [fixed(1, 3), fixed(10**6, 3)], FIXED, 3),
        lambda: plain(decimal(6), [fixed(1, 3), fixed(10**6 - 1, 3)], FIXED, 3)),
    beyond("a decimal of 39 digits in 16 bytes",
        lambda: plain(decimal(38), [fixed(1, 16), fixed(-(10**38), 16)], FIXED, 16),
        lambda: plain(decimal(38), [fixed(1, 16), fixed(1 - 10**38, 16)], FIXED, 16)),
    beyond("a decimal of 77 digits in 32 bytes",
        lambda: plain(decimal(76), [fixed(1, 32), fixed(10**76, 32)], FIXED, 32),
        lambda: plain(decimal(76), [fixed(1, 32), fixed(10**76 - 1, 32)], FIXED, 32)),
    beyond("a decimal that no Arrow decimal holds",
        lambda: plain(decimal(5), [fixed(1, 40), fixed(10**90, 40)], FIXED, 40),
        lambda: plain(decimal(91), [fixed(1, 40), fixed(10**90, 40)], FIXED, 40)),
    beyond("a decimal of too many digits in a BYTE_ARRAY", lambda: plain(decimal(2), [b"\x63", b"\x64"], BYTES),
        lambda: plain(decimal(2), [b"\x63", b"\x9d"], BYTES)),
    beyond("a decimal of too many digits in a dictionary", lambda: in_dictionary(decimal(2), [99, 100, 99]),
        lambda: in_dictionary(decimal(2), [99, -99, 99]), "row_groups/0/columns/0/pages/1/values/1"),
    beyond("a decimal of too many digits between nulls", lambda: optional(decimal(2), [None, 99, None, 100]),
        lambda: optional(decimal(2), [None, 99, None, 98])),
    beyond("a decimal of too many digits, by the converted type",
        lambda: plain(ConvertedType.DECIMAL, [1, 100], precision=2, scale=0),
        lambda: plain(ConvertedType.DECIMAL, [1, 100], precision=3, scale=0)),
    Violation("a decimal of no bytes", "decimal-no-bytes", lambda: plain(decimal(2), [b"\x05", b""], BYTES),
        lambda: plain(decimal(2), [b"\x05", b"\x00"], BYTES), address=f"{PAGE}/values/1"),
    Violation("a decimal with a zero byte before it", "decimal-not-minimal",
        lambda: plain(decimal(4), [b"\x05", b"\x00\x7f"], BYTES),
        lambda: plain(decimal(4), [b"\x05", b"\x00\x80"], BYTES), "note", f"{PAGE}/values/1"),
    Violation("a negative decimal with 0xff before it", "decimal-not-minimal",
        lambda: plain(decimal(4), [b"\x05", b"\xff\x80"], BYTES),
        lambda: plain(decimal(4), [b"\x05", b"\xff\x7f"], BYTES), "note", f"{PAGE}/values/1"),
]  # fmt: skip


def outside(name, logical, wrong, right, severity="error", type=INT32):
    return Violation(name, "value-out-of-range", lambda: plain(logical, [right, wrong], type),
        lambda: plain(logical, [right, right], type), severity, f"{PAGE}/values/1")  # fmt: skip


INTEGERS = [
    outside("128 in INT(8, signed)", integer(8, True), 128, 127),
    outside("-129 in INT(8, signed)", integer(8, True), -129, -128),
    outside("256 in INT(8, unsigned)", integer(8, False), 256, 255),
    outside("-1 in INT(8, unsigned)", integer(8, False), -1, 0),
    outside("32,768 in INT(16, signed)", integer(16, True), 32_768, 32_767),
    outside("-32,769 in INT(16, signed)", integer(16, True), -32_769, -32_768),
    outside("65,536 in INT(16, unsigned)", integer(16, False), 65_536, 65_535),
    outside("-1 in INT(16, unsigned)", integer(16, False), -1, 0),
    outside("128 in INT_8", ConvertedType.INT_8, 128, 127),
    outside("65,536 in UINT_16", ConvertedType.UINT_16, 65_536, 65_535),
    Violation("an integer out of range in a dictionary", "value-out-of-range",
        lambda: in_dictionary(integer(8, True), [1, 300, 1]), lambda: in_dictionary(integer(16, True), [1, 300, 1]),
        address="row_groups/0/columns/0/pages/1/values/1"),
    Violation("an integer out of range between nulls", "value-out-of-range",
        lambda: optional(integer(8, True), [None, 300, 1]), lambda: optional(integer(32, True), [None, 300, 1]),
        address=f"{PAGE}/values/0"),
]  # fmt: skip


DAY = 86_400
TIMES = [
    outside("24:00 in ms", time("MILLIS"), DAY * 10**3, DAY * 10**3 - 1, "warning"),
    outside("24:00 in µs", time("MICROS"), DAY * 10**6, DAY * 10**6 - 1, "warning", INT64),
    outside("24:00 in ns", time("NANOS"), DAY * 10**9, DAY * 10**9 - 1, "warning", INT64),
    outside("a time before midnight in ms", time("MILLIS"), -1, 0, "warning"),
    outside("a time before midnight in µs", time("MICROS"), -1, 0, "warning", INT64),
    outside("24:00 in TIME_MILLIS", ConvertedType.TIME_MILLIS, DAY * 10**3, 0, "warning"),
]

STRING = schemas.plain("STRING")
ENUM = schemas.plain("ENUM")
JSON = schemas.plain("JSON")
BSON = schemas.plain("BSON")


def no_text(name, logical, wrong, right=b"\xc3\xa9", severity="error"):
    return Violation(name, "not-utf8", lambda: plain(logical, [right, wrong], BYTES),
        lambda: plain(logical, [right, right], BYTES), severity, f"{PAGE}/values/1")  # fmt: skip


TEXTS = [
    no_text("a byte that is no UTF-8", STRING, b"a\xff"),
    no_text("a character cut off", STRING, b"\xc3"),
    no_text("an overlong slash", STRING, b"\xc0\xaf"),
    no_text("half of a surrogate pair", STRING, b"\xed\xa0\x80"),
    no_text("a code point beyond Unicode", STRING, b"\xf4\x90\x80\x80", b"\xf4\x8f\xbf\xbf"),
    no_text("Latin-1 in UTF8", ConvertedType.UTF8, b"\xe9t\xe9"),
    no_text("Latin-1 in an ENUM", ENUM, b"\xe9", severity="warning"),
    no_text("Latin-1 in JSON", JSON, b'"\xe9"', b'"\xc3\xa9"'),
    Violation("text that is no UTF-8 in a dictionary", "not-utf8",
        lambda: in_dictionary(STRING, [b"a", b"\xff", b"a"], BYTES),
        lambda: in_dictionary(STRING, [b"a", b"\x7f", b"a"], BYTES), address="row_groups/0/columns/0/pages/1/values/1"),
]  # fmt: skip


def no_json(name, wrong, right):
    return Violation(name, "json-invalid", lambda: plain(JSON, [b"{}", wrong], BYTES),
        lambda: plain(JSON, [b"{}", right], BYTES), address=f"{PAGE}/values/1")  # fmt: skip


def document(*elements):
    body = b"".join(elements) + b"\0"
    return struct.pack("<i", 4 + len(body)) + body


def no_bson(name, wrong):
    right = document(b"\x10n\0\x07\0\0\0")
    return Violation(name, "bson-invalid", lambda: plain(BSON, [document(), wrong(right)], BYTES),
        lambda: plain(BSON, [document(), right], BYTES), address=f"{PAGE}/values/1")  # fmt: skip


DOCUMENTS = [
    no_json("an object cut off", b'{"a": 1', b'{"a": 1}'),
    no_json("no JSON at all", b"hello", b'"hello"'),
    no_json("an empty text as JSON", b"", b'""'),
    no_json("NaN as JSON", b"NaN", b"null"),
    no_json("Infinity in JSON", b"[-Infinity]", b"[-1e999]"),
    no_json("single quotes in JSON", b"{'a': 1}", b'{"a": 1e5}'),
    no_json("a comma too many in JSON", b"[1, 2, ]", b" [1, 2 ] \n"),
    no_json("two documents", b"{} {}", b"[{}, {}]"),
    no_json("a line break in a JSON text", b'"a\nb"', b'"a\\nb"'),
    no_json("a number with a leading zero", b"01", b"9" * 6_000),
    no_json("brackets that do not match", b"[" * 500 + b"]" * 499, b"[" * 500 + b"]" * 500),
    no_bson("a document of another length", lambda right: right + b"\0"),
    no_bson("a document without its end", lambda right: right[:-1] + b"\x01"),
    no_bson("a document of four bytes", lambda right: b"\x04\0\0\0"),
    no_bson("a document of no bytes", lambda right: b""),
    no_bson("JSON in place of BSON", lambda right: b'{"n": 7}'),
]


def filtered(values, type=INT32, length=None, absent=(), size=64, **fields):
    """A file with a Bloom filter of the values, without those that are absent from it."""
    inserted = [value for value in values if value not in absent]
    hashes = bloom.hash_array(forged.physical(inserted, type, length))
    field = assembly.element("a", type, 0, type_length=length)
    return forged.one_column(
        [forged.page(values, type, length)], type, leaf=field, bloom_filter=bloom.build(hashes, size), **fields
    )


FILTER = "row_groups/0/columns/0/bloom_filter"
MEMBERS = {
    "INT32": (INT32, [1, 2]),
    "INT64": (INT64, [1, 2]),
    "FLOAT": (Type.FLOAT, [1.0, 2.5]),
    "DOUBLE": (Type.DOUBLE, [1.0, -0.0]),
    "BYTE_ARRAY": (BYTES, [b"a", b""]),
    "FIXED_LEN_BYTE_ARRAY": (FIXED, [b"ab", b"cd"]),
}


def denied(name, type, values):
    length = 2 if type == FIXED else None
    return Violation(f"a filter that denies a value of {name}", "bloom-filter-denies",
        lambda: filtered(values, type, length, absent=values[1:]), lambda: filtered(values, type, length),
        address=FILTER)  # fmt: skip


FILTERS = [
    *(denied(name, type, values) for name, (type, values) in MEMBERS.items()),
    Violation("a filter's length without its header", "bloom-filter-length",
        lambda: filtered([1], metadata={"bloom_filter_length": 64}), lambda: filtered([1]), "warning"),
    Violation("a filter's length that is one byte short", "bloom-filter-length",
        lambda: filtered([1], metadata={"bloom_filter_length": lambda right: right - 1}), lambda: filtered([1]), "warning"),
    Violation("a filter that lets everything through", "bloom-filter-full", lambda: filtered(list(range(500)), size=32),
        lambda: filtered(list(range(500)), size=640), "note", FILTER),
    Violation("values in a column of nulls", "unknown-with-values",
        lambda: optional(schemas.plain("UNKNOWN"), [None, 1]),
        lambda: optional(schemas.plain("UNKNOWN"), [None, None]), "warning", PAGE),
    Violation("a geometry cut off", "geometry-damaged",
        lambda: plain(schemas.plain("GEOMETRY"), [b"\x01\x01\0\0\0"], BYTES),
        lambda: plain(schemas.plain("GEOMETRY"), [struct.pack("<BIdd", 1, 1, 2, 3)], BYTES), address=f"{PAGE}/values/0"),
]  # fmt: skip

CHUNK = "row_groups/0/columns/0"


def ints(*pages, rows=2, others=0, **options):
    """A file of a required INT32 column of these pages, and others of one right page."""
    fields = [assembly.element(f"a{nth}", INT32, 0) for nth in range(1 + others)]
    right = [forged.page(list(range(rows)))]
    chunks = [assembly.chunk("a0", INT32, list(pages), **options)]
    chunks += [assembly.chunk(f"a{nth}", INT32, right) for nth in range(1, 1 + others)]
    return assembly.file(
        [forged.root(1 + others), *fields],
        [assembly.row_group(chunks, rows)],
        column_orders=[forged.TYPE_ORDER] * (1 + others),
    )


def chunk_counts(name, count, others=0):
    return Violation(
        name,
        "num-values-disagree",
        lambda: ints(forged.page([1, 2]), others=others, metadata={"num_values": count}),
        lambda: ints(forged.page([1, 2]), others=others, metadata={"num_values": 2}),
        address=f"{CHUNK}/metadata/meta_data/num_values",
    )


COUNTS = [
    chunk_counts("a chunk that counts too many values", 3),
    chunk_counts("a chunk that counts too many, before another", 4, others=1),
    chunk_counts("a chunk that counts too few values", 1),
    chunk_counts("a chunk that counts no values", 0),
    Violation("a page that counts too many values", "page-num-values-disagree",
        lambda: ints(forged.page([1, 2], num_values=4)), lambda: ints(forged.page([1, 2], num_values=2)),
        address=f"{PAGE}/header"),
    Violation("a page that counts too few values", "page-num-values-disagree",
        lambda: ints(forged.page([1, 2, 3], num_values=1), rows=3),
        lambda: ints(forged.page([1, 2, 3], num_values=3), rows=3), address=f"{PAGE}/header"),
    Violation("the second page counts too many values", "page-num-values-disagree",
        lambda: ints(forged.page([1]), forged.page([2], num_values=9)),
        lambda: ints(forged.page([1]), forged.page([2])), address=f"{CHUNK}/pages/1/header"),
    Violation("a page whose bytes hold neither its count nor the rows", "unreadable",
        lambda: ints(forged.page([1, 2, 3], num_values=4)), lambda: ints(forged.page([1, 2, 3], num_values=3), rows=3),
        address=f"{PAGE}/values"),
    Violation("a row group of more rows than its column", "rows-disagree", lambda: ints(forged.page([1, 2]), rows=3),
        lambda: ints(forged.page([1, 2])), address=CHUNK),
    Violation("a row group of fewer rows than its column", "rows-disagree", lambda: ints(forged.page([1, 2]), rows=1),
        lambda: ints(forged.page([1]), rows=1), address=CHUNK),
    Violation("a chunk whose pages are missing", "unreadable",
        lambda: ints(forged.page([1, 2]), rows=4, others=1, metadata={"num_values": 4}),
        lambda: ints(forged.page([1, 2]), forged.page([3, 4]), rows=4, others=1), address=CHUNK),
    Violation("a V2 page that counts its values as rows", "page-rows-disagree",
        lambda: ints(assembly.page_v2(forged.encoded([1, 2]), 2, 2, num_rows=5)),
        lambda: ints(assembly.page_v2(forged.encoded([1, 2]), 2, 2)), address=PAGE),
]  # fmt: skip

VIOLATIONS = DECIMALS + INTEGERS + TIMES + TEXTS + DOCUMENTS + FILTERS + COUNTS
