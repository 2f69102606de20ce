"""Pages, encodings, compression, and the levels of nested values."""

from pqexplore.insight.glossary.term import term

TERMS = (
    term(
        "page",
        "The unit of compression and encoding: a header, then levels and values. A reader decodes whole pages.",
        "│ header │ levels        │ values │\n         └── compressed together (V1) ──┘\ncompressed alone, page by page",
        "README.md#data-pages",
        "pages",
        "data page",
        "data pages",
        "data_page_header",
    ),
    term(
        "page header",
        "A Thrift struct before each page: the page's kind, its sizes, and how its values are encoded. "
        "Without an offset index a reader finds the next page only through it.",
        "│ header │ body … │ header │ body … │\n    └ compressed_page_size ┘\n      says where the next one is",
        "README.md#data-pages",
        "header size",
    ),
    term(
        "data page V2",
        "A newer kind of page: the levels are not compressed, and the header counts rows and nulls. "
        "A row never continues in the next page.",
        "│ header │ levels │ values      │\n           └ plain  └ compressed\nrows, nulls: in the header",
        "README.md#data-pages",
        "data_page_header_v2",
        "is_compressed",
    ),
    term(
        "index page",
        "A kind of page that has a number in the format, but nothing says what it holds. "
        "A reader passes over it, as over a kind that it does not know.",
        "PageType\n0 DATA_PAGE         1 INDEX_PAGE\n2 DICTIONARY_PAGE   3 DATA_PAGE_V2",
        "src/main/thrift/parquet.thrift",
        "index_page_header",
        "index_page_offset",
    ),
    term(
        "dictionary page",
        "The first page of a column chunk, if it has one: each distinct value once. "
        "Data pages then store only positions in it.",
        "dictionary  0 AT  1 DE  2 FR\npage        2 2 0 1 2 …\n            = FR FR AT DE FR …",
        "Encodings.md#dictionary-encoding-plain_dictionary--2-and-rle_dictionary--8",
        "dictionary",
        "dictionary_page_header",
    ),
    term(
        "dictionary index",
        "The position of a value in the dictionary page. Indexes take only as many bits as the largest needs.",
        "24 entries → 5 bits each\n00010 00010 00000 00001\n2     2     0     1",
        "Encodings.md#dictionary-encoding-plain_dictionary--2-and-rle_dictionary--8",
        "RLE_DICTIONARY",
        "PLAIN_DICTIONARY",
    ),
    term(
        "dictionary fallback",
        "Where a writer stops to use the dictionary because it grew too large. "
        "The pages after it hold the values themselves.",
        "│ dict │ idx │ idx │ PLAIN │ PLAIN │\n                   └ fallback\nthe values themselves from here on",
        "Encodings.md#dictionary-encoding-plain_dictionary--2-and-rle_dictionary--8",
        "fallback",
    ),
    term(
        "encoding",
        "How values become bytes before compression. Each page names its own; one column chunk may have several.",
        "values   1000 1001 1002 1003\nPLAIN    8 bytes each\nDELTA    1000, then +1 +1 +1",
        "Encodings.md",
        "encodings",
        "pages by encoding",
    ),
    term(
        "PLAIN",
        "Values one after the other, numbers little-endian, texts with a length of four bytes before them. "
        "Every reader knows it.",
        'INT32 7     07 00 00 00\n"FR"        02 00 00 00 46 52\n            └ length    └ F R',
        "Encodings.md#plain-plain--0",
    ),
    term(
        "RLE",
        "Runs of equal values stored as a count and one value, mixed with bit-packed runs. "
        "Levels, dictionary indexes and booleans are stored so.",
        "3 3 3 3 3 3 3 3 1 0 2 1 …\n└ 8 × 3        └ bit-packed\n  2 bytes         3 bytes",
        "Encodings.md#run-length-encoding--bit-packing-hybrid-rle--3",
        "RLE run",
        "bit-packed run",
        "bit-packed",
    ),
    term(
        "BIT_PACKED",
        "Levels of a fixed number of bits each, the highest bit first, without runs. "
        "It is deprecated: RLE took its place.",
        "levels   0   1   2   3   4   5   6   7\nbits     000 001 010 011 100 101 110 111\nbytes    00000101 00111001 01110111",
        "Encodings.md#bit-packed-deprecated-bit_packed--4",
    ),
    term(
        "DELTA_BINARY_PACKED",
        "Integers as differences to the value before, packed with few bits. "
        "A block has a smallest difference and miniblocks, each with a width of its own.",
        "7 5 3 1 2 3 4 5\n −2 −2 −2 1 1 1 1\nmin −2 → 0 0 0 3 3 3 3: 2 bits each",
        "Encodings.md#delta-encoding-delta_binary_packed--5",
        "block",
        "miniblock",
    ),
    term(
        "DELTA_LENGTH_BYTE_ARRAY",
        "Texts: first all lengths, by DELTA_BINARY_PACKED, then all bytes. "
        "Together the lengths are small, and the bytes compress better.",
        "lengths  5 5 6 6\nbytes    HelloWorldFoobarABCDEF\n         one after the other",
        "Encodings.md#delta-length-byte-array-delta_length_byte_array--6",
    ),
    term(
        "DELTA_BYTE_ARRAY",
        "Texts: how many bytes each shares with the one before, and the rest. "
        "It is small where sorted texts begin alike.",
        "axis    0 + axis\naxle    2 + le\nbabble  0 + babble",
        "Encodings.md#delta-strings-delta_byte_array--7",
    ),
    term(
        "BYTE_STREAM_SPLIT",
        "The first bytes of all values together, then the second bytes, and so on. "
        "It saves nothing itself; floating-point numbers compress better after it.",
        "AA BB CC DD │ 00 11 22 33\n        ↓\nAA 00 │ BB 11 │ CC 22 │ DD 33",
        "Encodings.md#byte-stream-split-byte_stream_split--9",
    ),
    term(
        "ALP",
        "Floating-point numbers as integers: each is multiplied by a power of ten that makes it whole. "
        "Those that do not become whole are kept as exceptions.",
        "1.25  3.50  0.75   × 100\n125   350   75     packed bits\n0.1 + 0.2 → exception",
        "Encodings.md",
    ),
    term(
        "codec",
        "The compression of a column chunk's pages: none, Snappy, Zstandard, GZIP, LZ4_RAW, Brotli. "
        "Each page is compressed alone.",
        "encoded   65,536 B\n  ↓ ZSTD\nin file   21,044 B   3.1 ×",
        "Compression.md",
        "compression",
        "decompression",
        "SNAPPY",
        "GZIP",
        "LZO",
        "BROTLI",
        "LZ4",
        "ZSTD",
        "LZ4_RAW",
        "compressed size",
        "uncompressed size",
        "uncompressed",
        "total_compressed_size",
        "total_byte_size",
        "compressed_page_size",
        "uncompressed_page_size",
    ),
    term(
        "ratio",
        "The uncompressed size divided by the compressed size, page headers included. "
        "Below 1 the codec made the data larger.",
        "uncompressed ██████████ 100 kB\ncompressed   ████        40 kB\nratio        2.5 ×",
        "Compression.md",
    ),
    term(
        "page checksum",
        "A CRC-32 of the page's bytes as they are in the file, in the page header. "
        "A reader that checks it notices damage before it decodes.",
        "body → CRC-32 → 0xbbd0c25d\nheader.crc    = 0xbbd0c25d  ✓\none flipped bit → ✗",
        "README.md#checksumming",
        "checksum",
        "crc",
        "page checksums",
    ),
    term(
        "definition level",
        "For each value, how many of its optional or repeated ancestors are there. "
        "Less than the maximum means that the value is null, or its list is empty.",
        "a (optional) . b (optional)\n0: a is null   1: b is null\n2: there is a value",
        "README.md#nested-encoding",
        "definition levels",
        "maximum definition level",
        "definition",
        "def",
        "D",
        "level",
        "levels",
        "levels and values",
    ),
    term(
        "repetition level",
        "For each value, at which list a new element begins. 0 begins a new row.",
        "[[1, 2], [3]], [[4]]\n  0  2    1     0\n  └ 0: a new row",
        "README.md#nested-encoding",
        "repetition levels",
        "maximum repetition level",
        "rep",
        "R",
    ),
    term(
        "nesting",
        "Lists and structs are taken apart: each leaf becomes a column of values with two levels. "
        "A reader puts the records together again from the levels alone.",
        '{"tags": ["a", "b"]}\n  → tags.list.element\n     a (R 0, D 3)   b (R 1, D 3)',
        "README.md#nested-encoding",
    ),
    term(
        "null",
        "A value that is not there. It takes no bytes among the values; its definition level says that it is missing.",
        "rows    5  ∅  7\nlevels  1  0  1\nvalues  5     7",
        "README.md#nulls",
        "nulls",
        "not null",
    ),
)
