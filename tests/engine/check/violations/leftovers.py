"""Violations inside pages: bytes that no level and no value needs, runs that are too long, blocks of a wrong size."""

from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
from engine.check import forged
from engine.check.violations import Violation

from pqexplore.engine.format.encodings import REGISTRY, alp, plain
from pqexplore.engine.format.encodings.delta_binary_packed import encode_integers
from pqexplore.engine.format.encodings.encoding import ValueEncoding
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, Type
from pqexplore.engine.text import plural
from pqexplore.engine.writer import assembly

PAGE = "row_groups/0/columns/0/pages/0"
SECOND = "row_groups/0/columns/0/pages/1"
EXTRA = b"foreign!"
LENGTH = 3
"""Of FIXED_LEN_BYTE_ARRAY."""

CODECS = (CompressionCodec.UNCOMPRESSED, CompressionCodec.SNAPPY, CompressionCodec.ZSTD)
SOME = {
    Type.BOOLEAN: [True, False, True],
    Type.INT32: [5, 6, 7],
    Type.INT64: [5, 6, 7],
    Type.INT96: [bytes(12)] * 3,
    Type.FLOAT: [1.5, 2.5, 3.25],
    Type.DOUBLE: [1.5, 2.5, 3.25],
    Type.BYTE_ARRAY: [b"abc", b"abd", b""],
    Type.FIXED_LEN_BYTE_ARRAY: [b"abc", b"abd", b"abe"],
}


def section(type, encoding):
    """Three values, encoded."""
    return REGISTRY[encoding].encode(pa.array(SOME[type], plain.storage_type(type, LENGTH)))


def column(pages, type=Type.INT32, repetition=0, **chunk):
    length = LENGTH if type == Type.FIXED_LEN_BYTE_ARRAY else None
    leaf = assembly.element("a", type, repetition, type_length=length)
    return forged.one_column(pages, type, leaf=leaf, **chunk)


def values(stored, type=Type.INT32, encoding=Encoding.PLAIN, version=1, codec=0):
    """A required column of three values, whose section is `stored`."""
    packing = replace(assembly.BARE, codec=codec)
    if version == 1:
        page = assembly.page_v1(stored, 3, encoding, packing=packing)
    else:
        page = assembly.page_v2(stored, 3, 3, 0, encoding, packing=packing)
    return column([page], type, codec=codec)


def after(type, encoding, extra=EXTRA, **more):
    """A row: bytes after the values of a type."""
    stored = section(type, encoding)
    name = f"{plural(len(extra), 'byte')} after {encoding.name} values of {type.name} {more or ''}"
    make = partial(values, type=type, encoding=encoding, **more)
    address = f"{PAGE}/values/leftover_{len(stored)}"
    return Violation(name, "leftover-bytes", lambda: make(stored + extra), lambda: make(stored), address=address)


def row(name, make, wrong, right, address="", rule="leftover-bytes", severity="error"):
    """A row: `make` of two arguments, a wrong and a right one."""
    return Violation(name, rule, lambda: make(wrong), lambda: make(right), severity, address)


def prefixed(runs):
    return len(runs).to_bytes(4, "little") + runs


def dictionary_pages(entries=b"", ids=b"\x01\x03\x06", present=3):
    """A dictionary of two entries, and a page of indexes."""
    stored = forged.encoded([5, 6]) + entries
    indexes = assembly.page_v1(ids, present, Encoding.RLE_DICTIONARY)
    return column([assembly.dictionary_page(stored, 2), indexes])


def entries_of_strings(extra):
    first = assembly.dictionary_page(forged.encoded([b"a", b"bc"], Type.BYTE_ARRAY) + extra, 2)
    return column([first, assembly.page_v1(b"\x01\x03\x06", 3, 8)], Type.BYTE_ARRAY)


def indexes(stored):
    return dictionary_pages(ids=stored)


def only_nulls(stored):
    """A page of indexes in which each value is null."""
    first = assembly.dictionary_page(forged.encoded([5, 6]), 2)
    levels = prefixed(b"\x06\x00")
    return column([first, assembly.page_v1(stored, 3, 8, definition_levels=levels)], repetition=1)


def optional(levels, version=1, present=2):
    """An optional column of three entries."""
    stored = forged.encoded([5, 6, 7][:present])
    if version == 1:
        return column([assembly.page_v1(stored, 3, definition_levels=prefixed(levels))], repetition=1)
    return column([assembly.page_v2(stored, 3, 3, 3 - present, definition_levels=levels)], repetition=1)


def repeated(levels, version=1):
    """A repeated column of two records with three values."""
    definition, stored = b"\x06\x01", forged.encoded([5, 6, 7])
    if version == 1:
        page = assembly.page_v1(stored, 3, repetition_levels=prefixed(levels), definition_levels=prefixed(definition))
    else:
        page = assembly.page_v2(stored, 3, 2, 0, repetition_levels=levels, definition_levels=definition)
    return column([page], repetition=2, rows=2)


def needless(repetition=b"", definition=b""):
    """A required column with levels that its schema does not ask for."""
    return column(
        [
            assembly.page_v2(
                forged.encoded([5, 6, 7]), *(3, 3, 0), repetition_levels=repetition, definition_levels=definition
            )
        ]
    )


def spaced_vectors(gap):
    """16 values in two ALP vectors, with bytes between them."""
    stored = alp.encode(pa.array([1.5, 2.5] * 8), 3)
    offsets = np.frombuffer(stored, "<u4", 2, 7)
    moved = (offsets + np.array([0, len(gap)], "<u4")).tobytes()
    second = 7 + int(offsets[1])
    spaced = stored[:7] + moved + stored[15:second] + gap + stored[second:]
    return column([assembly.page_v1(spaced, 16, Encoding.ALP)], Type.DOUBLE)


def deltas(sizes):
    return values(encode_integers(np.array([5, 6, 7], "i4"), *sizes), encoding=Encoding.DELTA_BINARY_PACKED)


def delta_strings(sizes, stream=0):
    """Strings in which one stream of lengths has blocks and miniblocks of these sizes."""
    prefixes = encode_integers(np.array([0, 1, 2], "i4"), *(sizes if stream == 1 else ()))
    lengths = encode_integers(np.array([3, 2, 1], "i4"), *(() if stream == 1 else sizes))
    if not stream:
        return values(lengths + b"abcdef", Type.BYTE_ARRAY, Encoding.DELTA_LENGTH_BYTE_ARRAY)
    return values(prefixes + lengths + b"abcdef", Type.BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY)


def header(numbers):
    """Deltas whose header has these four numbers, each in one byte or two, and a block of deltas without bits."""
    block = bytes(1 + numbers[-3])  # the minimum delta, and a width for each miniblock
    return values(bytes(numbers) + block, encoding=Encoding.DELTA_BINARY_PACKED)


ALL = [
    (one.number, type)
    for one in REGISTRY.values()
    if isinstance(one, ValueEncoding) and one.number != Encoding.BYTE_STREAM_SPLIT
    for type in one.physical_types
]
RUNS = b"\x03\x03"  # one group of eight values of one bit: 1, 1, 0, 0, …
NO_GROUP = [
    (indexes, b"\x01\x05\x06\x03", b"\x01\x03\x06", f"{SECOND}/values/leftover_3", "indexes"),
    (optional, b"\x05\x03\x00", RUNS, f"{PAGE}/definition_levels/leftover_6", "definition levels"),
    (repeated, b"\x05\x02\x00", b"\x03\x02", f"{PAGE}/repetition_levels/leftover_6", "repetition levels"),
]
SIZES = [(64, 1, "blocks of 64"), (128, 8, "miniblocks of 16"), (8, 1, "blocks of 8, as in the examples")]

VIOLATIONS = [
    *(after(type, encoding) for encoding, type in ALL),
    *(after(type, encoding, version=2) for encoding, type in ALL if type in (Type.INT32, Type.BYTE_ARRAY)),
    *(after(type, Encoding.PLAIN, b"\x01") for type in SOME),
    *(after(Type.INT32, Encoding.PLAIN, codec=codec) for codec in (CompressionCodec.SNAPPY, CompressionCodec.ZSTD)),
    after(Type.INT32, Encoding.PLAIN, forged.encoded([8])),  # a fourth value
    after(Type.INT32, Encoding.PLAIN, bytes(7)),  # fastparquet writes 8
    after(Type.INT32, Encoding.PLAIN, bytes(9)),
    after(Type.INT32, Encoding.PLAIN, bytes(8), version=2),
    after(Type.FIXED_LEN_BYTE_ARRAY, Encoding.PLAIN, bytes(8)),
    row("zeros after the values of a V1 page", values, forged.encoded([5, 6, 7, 0, 0]), forged.encoded([5, 6, 7]),
        f"{PAGE}/values/leftover_12", "zero-padding", "note"),
    row("bytes between the booleans' runs and their end", lambda runs: values(prefixed(runs), Type.BOOLEAN, Encoding.RLE),
        b"\x03\x05" + EXTRA, b"\x03\x05", f"{PAGE}/values/leftover_6"),
    row("an entry after the dictionary's last", dictionary_pages, forged.encoded([7]), b"",
        f"{PAGE}/values/leftover_8", severity="warning"),
    row("bytes after the dictionary's strings", entries_of_strings, EXTRA, b"",
        f"{PAGE}/values/leftover_11", severity="warning"),
    row("bytes after the indexes", indexes, b"\x01\x03\x06" + EXTRA, b"\x01\x03\x06", f"{SECOND}/values/leftover_3"),
    row("a run after the indexes", indexes, b"\x01\x06\x01\x10\x00", b"\x01\x06\x01", f"{SECOND}/values/leftover_3"),
    row("bytes after the bit width of no indexes", only_nulls, b"\x01\x02", b"\x01", f"{SECOND}/values/leftover_1"),
    row("a bit width that cannot be, of no indexes", only_nulls, b"\xff", b"", f"{SECOND}/values/leftover_0"),
    *(row(f"a group of eight {what} that no value needs", make, wrong, right, address, "leftover-values", "note")
      for make, wrong, right, address, what in NO_GROUP),
    row("an RLE run of indexes that is too long", indexes, b"\x01\x08\x01", b"\x01\x06\x01",
        f"{SECOND}/values", "leftover-values", "note"),
    row("an RLE run of definition levels that is too long", partial(optional, present=3), b"\x08\x01", b"\x06\x01",
        f"{PAGE}/definition_levels", "leftover-values", "note"),
    row("an RLE run of booleans that is too long", lambda runs: values(prefixed(runs), Type.BOOLEAN, Encoding.RLE),
        b"\x10\x01", b"\x06\x01", f"{PAGE}/values", "leftover-values", "note"),
    row("bytes after the definition levels of a V1 page", optional, RUNS + EXTRA, RUNS,
        f"{PAGE}/definition_levels/leftover_6"),
    row("bytes after the definition levels of a V2 page", partial(optional, version=2), RUNS + EXTRA, RUNS,
        f"{PAGE}/definition_levels/leftover_2"),
    row("bytes after the repetition levels of a V1 page", repeated, b"\x03\x02" + EXTRA, b"\x03\x02",
        f"{PAGE}/repetition_levels/leftover_6"),
    row("bytes after the repetition levels of a V2 page", partial(repeated, version=2), b"\x03\x02" + EXTRA, b"\x03\x02",
        f"{PAGE}/repetition_levels/leftover_2"),
    row("bytes in place of the repetition levels of a flat column", needless, EXTRA, b"",
        f"{PAGE}/repetition_levels/leftover_0"),
    row("bytes in place of the definition levels of a required column", lambda raw: needless(b"", raw), EXTRA, b"",
        f"{PAGE}/definition_levels/leftover_0"),
    row("repetition levels of a flat column, all 0", needless, b"\x03", b"",
        f"{PAGE}/repetition_levels", "needless-levels", "note"),
    row("definition levels of a required column, all 0", lambda raw: needless(b"", raw), b"\x06", b"",
        f"{PAGE}/definition_levels", "needless-levels", "note"),
    row("bytes between ALP vectors", spaced_vectors, EXTRA, b"", f"{PAGE}/values/leftover_32"),
    *(row(f"{what} more than the streams take", lambda extra: values(
        section(Type.INT32, Encoding.BYTE_STREAM_SPLIT) + extra, encoding=Encoding.BYTE_STREAM_SPLIT),
        extra, b"", f"{PAGE}/values", "unreadable") for what, extra in (("1 byte", b"a"), ("4 bytes", b"abcd"))),
    *(row(f"DELTA_BINARY_PACKED in {what}", deltas, sizes, (128, 4), f"{PAGE}/values", "delta-block-size")
      for *sizes, what in SIZES),
    *(row(f"{name} in {what}", partial(delta_strings, stream=stream), sizes, (256, 8), f"{PAGE}/values", "delta-block-size")
      for *sizes, what in SIZES for stream, name in enumerate(("lengths", "prefix lengths", "suffix lengths"))),
    row("three miniblocks in a block of 128", header, (128, 1, 3, 3, 10), (128, 1, 4, 3, 10), f"{PAGE}/values", "unreadable"),
    row("no miniblocks in a block", header, (128, 1, 0, 3, 10), (128, 1, 1, 3, 10), f"{PAGE}/values", "unreadable"),
    row("a block of no values", header, (0, 4, 3, 10), (128, 1, 4, 3, 10), f"{PAGE}/values", "unreadable"),
]  # fmt: skip
