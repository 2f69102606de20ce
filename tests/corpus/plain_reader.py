"""Parquet in few lines, to confirm findings without the engine: `struct`, and pyarrow's codecs.

A Thrift struct is a dictionary from field number to value; the comments name the fields. Nothing is checked: damage
raises whatever Python raises.
"""

from __future__ import annotations

import dataclasses
import functools
import struct
import zlib

import pyarrow

CODECS = {1: "snappy", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
WIDTHS = {1: 4, 2: 8, 3: 12, 4: 4, 5: 8}
"""Bytes of a value of INT32, INT64, INT96, FLOAT and DOUBLE."""


class Elements(list):
    """A list that knows the type of its elements."""

    def __init__(self, kind, elements):
        super().__init__(elements)
        self.kind = kind


class Compact:
    """Reads Thrift's compact protocol from `at` on."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def varint(self):
        value = shift = 0
        while True:
            [byte] = self.take(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def number(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return int.from_bytes(self.take(1), signed=True)
        if kind in (4, 5, 6):
            return self.number()
        if kind == 7:
            return struct.unpack("<d", self.take(8))[0]
        if kind == 8:
            return self.take(self.varint())
        if kind in (9, 10):
            return self.list()
        if kind == 12:
            return self.struct()
        raise ValueError(f"type {kind}")

    def list(self):
        [head] = self.take(1)
        count, kind = head >> 4, head & 15
        count = self.varint() if count == 15 else count
        if kind in (1, 2):
            return [byte == 1 for byte in self.take(count)]
        return Elements(kind, [self.value(kind) for _ in range(count)])

    def struct(self):
        fields, number = {}, 0
        while True:
            [head] = self.take(1)
            if head & 15 == 0:
                return fields
            number = number + (head >> 4) if head >> 4 else self.number()
            fields[number] = self.value(head & 15)


@dataclasses.dataclass
class Leaf:
    path: tuple[str, ...]
    element: dict
    max_definition: int
    max_repetition: int


@dataclasses.dataclass
class Page:
    """`header`: PageHeader; the body is `data[start:end]`, the header begins at `at`."""

    header: dict
    at: int
    start: int
    end: int
    body: bytes
    leaf: Leaf
    codec: int

    @property
    def is_data(self):
        return self.header[1] in (0, 3)

    @property
    def count(self):
        """num_values of the data page header, nulls included."""
        return self.header[8 if self.header[1] == 3 else 5][1]

    @functools.cached_property
    def parts(self):
        """The repetition levels, the definition levels and the bytes of the values, decompressed."""
        count, leaf = self.count, self.leaf
        if self.header[1] == 3:
            v2 = self.header[8]
            ends = v2[6], v2[6] + v2[5]  # the lengths of the repetition and the definition levels
            levels = [self.body[: ends[0]], self.body[ends[0] : ends[1]]]
            rest = self.body[ends[1] :]
            if v2.get(7, True):  # is_compressed
                rest = decompress(self.codec, rest, self.header[2] - ends[1])
        else:
            rest, levels = decompress(self.codec, self.body, self.header[2]), []
            for most in (leaf.max_repetition, leaf.max_definition):
                length = int.from_bytes(rest[:4], "little") if most else -4
                levels.append(rest[4 : 4 + length])
                rest = rest[4 + length :]
        maxima = (leaf.max_repetition, leaf.max_definition)
        repetition, definition = (
            hybrid(raw, most.bit_length(), count) if most else [0] * count
            for raw, most in zip(levels, maxima, strict=True)
        )
        return repetition, definition, rest

    @property
    def rows(self):
        """Records that begin in the page."""
        return self.parts[0].count(0)

    @property
    def present(self):
        """Values that are not null."""
        return self.parts[1].count(self.leaf.max_definition)


def decompress(codec, raw, size):
    if codec == 0 or not raw:
        return raw
    if codec == 2:
        return zlib.decompress(raw, 47)
    return pyarrow.decompress(raw, size, CODECS[codec], asbytes=True)


def hybrid(raw, width, count):
    """Values of the hybrid of RLE and bit-packed runs."""
    reader, values = Compact(raw), []
    while len(values) < count:
        head = reader.varint()
        if head & 1:
            packed = int.from_bytes(reader.take((head >> 1) * width), "little")
            values += [packed >> i * width & (1 << width) - 1 for i in range((head >> 1) * 8)]
        else:
            values += [int.from_bytes(reader.take((width + 7) // 8), "little")] * (head >> 1)
    return values[:count]


class Plain:
    """A file. `footer`: FileMetaData."""

    def __init__(self, data):
        self.data = data
        self.footer_start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        self.footer = Compact(data, self.footer_start).struct()

    @functools.cached_property
    def leaves(self):
        elements, found = iter(self.footer[2][1:]), []

        def walk(count, path, definition, repetition):
            for _ in range(count):
                element = next(elements)
                kind = element.get(3, 0)  # 0 required, 1 optional, 2 repeated
                at = (*path, element[4].decode()), definition + (kind > 0), repetition + (kind == 2)
                if element.get(5):
                    walk(element[5], *at)
                else:
                    found.append(Leaf(at[0], element, at[1], at[2]))

        walk(self.footer[2][0][5], (), 0, 0)
        return found

    def chunk(self, group, column):
        """ColumnChunk."""
        return self.footer[4][group][1][column]

    def metadata(self, group, column):
        """ColumnMetaData."""
        return self.chunk(group, column)[3]

    @functools.cache  # noqa: B019 (a file lives as long as its test)
    def pages(self, group, column):
        """The pages until the chunk's num_values are there."""
        meta, pages = self.metadata(group, column), []
        at = min(offset for offset in (meta.get(11), meta[9]) if offset)
        while sum(page.count for page in pages if page.is_data) < meta[5]:
            reader = Compact(self.data, at)
            header = reader.struct()
            end = reader.at + header[3]  # compressed_page_size
            body = self.data[reader.at : end]
            leaf = self.leaves[column]
            pages.append(Page(header, at, reader.at, end, body, leaf, meta[4]))
            at = end
        return pages

    def data_pages(self, group, column):
        return [page for page in self.pages(group, column) if page.is_data]

    def values(self, group, column, page=None):
        """The bytes of the values that are not null, of a chunk or of one page by its place among all pages."""
        pages, element, dictionary, found = (self.pages(group, column), self.leaves[column].element, [], [])
        for number, one in enumerate(pages):
            if one.header[1] == 2:
                raw = decompress(one.codec, one.body, one.header[2])
                dictionary = plain(raw, element, one.header[7][1])
            elif page in (None, number):
                raw = one.parts[2]
                encoding = one.header[8][4] if one.header[1] == 3 else one.header[5][2]
                if encoding == 0:
                    found += plain(raw, element, one.present)
                else:
                    assert encoding in (2, 8), f"encoding {encoding}"  # PLAIN_DICTIONARY, RLE_DICTIONARY
                    found += [dictionary[i] for i in hybrid(raw[1:], raw[0], one.present)]
        return found

    def index(self, group, column, name):
        """ColumnIndex or OffsetIndex."""
        return Compact(self.data, self.chunk(group, column)[{"column": 6, "offset": 4}[name]]).struct()


def plain(raw, element, count):
    """Values of the encoding PLAIN, as bytes."""
    if element[1] == 0:
        return [bytes([raw[i // 8] >> i % 8 & 1]) for i in range(count)]
    reader, width = Compact(raw), element[2] if element[1] == 7 else WIDTHS.get(element[1])
    return [reader.take(width or int.from_bytes(reader.take(4), "little")) for _ in range(count)]
