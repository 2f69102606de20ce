"""What lets a reader skip data: statistics, page index, Bloom filters."""

from pqexplore.insight.glossary.term import term

TERMS = (
    term(
        "statistics",
        "Minimum, maximum and counts of a column chunk, in the footer. "
        "A reader skips a row group if they rule out what a query asks.",
        "WHERE day = 9\nrow group 0  day 1 … 5   skipped\nrow group 1  day 6 … 12  read",
        "src/main/thrift/parquet.thrift",
        "null_count",
    ),
    term(
        "bounds",
        "The minimum and the maximum of a column chunk or a page. "
        "A bound of text may be cut: then all values still lie between the bounds, and the bound itself may not occur.",
        '"apple" … "mango"\ncut to three bytes:\n"app" … "mao"',
        "src/main/thrift/parquet.thrift",
        "minimum",
        "maximum",
        "min",
        "max",
        "min_values",
        "max_values",
        "minimum is exact",
        "maximum is exact",
    ),
    term(
        "column order",
        "By which order the bounds of a column are its smallest and largest values. "
        "Without it the older bounds of unsigned or text columns cannot be trusted.",
        "bytes  0x7f  0x80\nsigned:    0x80 < 0x7f\nunsigned:  0x7f < 0x80",
        "src/main/thrift/parquet.thrift",
        "column_orders",
        "TYPE_ORDER",
    ),
    term(
        "page index",
        "The column index and the offset index of a column chunk: the bounds of each page, and where each page is. "
        "With it a reader skips pages inside a row group.",
        "page 0   1 …  9   at   43,492\npage 1  10 … 17   at   44,778\npage 2  18 … 30   at   46,063",
        "PageIndex.md",
    ),
    term(
        "column index",
        "For each page of a column chunk: its bounds, whether all its values are null, how many are. "
        "It is outside of the pages, before the footer.",
        "page    0     1     2\nmin     a     g     n\nmax     f     m     z",
        "PageIndex.md",
        "null_pages",
        "null_counts",
        "column_index_offset",
        "column_index_length",
    ),
    term(
        "offset index",
        "For each page of a column chunk: where it begins, how long it is, which row comes first. "
        "It leads from a row to its page in every column.",
        "row 5,000 ?\npage 1: rows 4,096 … 8,191\n→ byte 44,778, 1,285 bytes",
        "PageIndex.md",
        "page_locations",
        "first_row_index",
        "offset_index_offset",
        "offset_index_length",
        "first row",
    ),
    term(
        "boundary order",
        "Whether the bounds of the pages rise, fall, or neither. A reader may then find a page by binary search.",
        "ASCENDING   1–3  3–7  8–9\nDESCENDING  8–9  3–7  1–3\nUNORDERED   3–7  8–9  1–3",
        "PageIndex.md",
        "boundary_order",
        "UNORDERED",
        "ASCENDING",
        "DESCENDING",
    ),
    term(
        "Bloom filter",
        "Bits that say which values are certainly not in a column chunk. "
        "A value that is not there may still look present, with a small probability.",
        "hash(FR) → 8 bits in one block\nall set      → perhaps there\none not set  → certainly not",
        "BloomFilter.md",
        "bloom_filter_length",
        "Bloom filters",
        "bits set",
        "blocks",
        "estimated false positives",
        "numBytes",
    ),
    term(
        "size statistics",
        "How large the values are without levels and encoding, and histograms of the levels. "
        "A reader can plan its memory, and count nulls without reading the pages.",
        "definition level  0   1   2\nvalues           12   0  88\n                 └ 12 nulls",
        "src/main/thrift/parquet.thrift",
        "definition_level_histograms",
        "repetition_level_histograms",
        "unencoded_byte_array_data_bytes",
    ),
    term(
        "NaN count",
        "How many values are NaN. Bounds leave NaNs out, so that a filter must not skip by bounds alone where it asks for them.",
        "1.5  NaN  9.0\nmin 1.5  max 9.0\nNaNs 1",
        "src/main/thrift/parquet.thrift",
        "NaNs",
        "nan_counts",
    ),
    term(
        "distinct values",
        "How many different values there are. Few of them make a dictionary small.",
        "DE DE FR DE FR AT\n3 distinct values\n→ 2 bits each",
        "src/main/thrift/parquet.thrift",
        "distinct",
        "estimated distinct values",
        "distinct_count",
    ),
    term(
        "geospatial statistics",
        "The box that holds all shapes of a column chunk, and their kinds; x min is greater than x max if it crosses the 180th meridian. "
        "A reader skips a row group whose box does not meet the one that is asked for.",
        "y ┌────────┐\n  │ shapes │  box of x, y (z, m)\n  └────────┘ x",
        "Geospatial.md",
        "geometry types",
        "x range",
        "y range",
        "z range",
        "x min",
        "x max",
        "y min",
        "y max",
    ),
)
