"""Questions whose answers pyarrow computes, or that are known because the file was made so."""

import pathlib
import struct

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from cli.questions.made_files import GROUP, LONG_NOTE, LONG_TAGS, PAGED_LONG, ROWS, orders_table
from cli.questions.question import Question

TAGS = "tags.list.element"


def footer(path: pathlib.Path) -> pq.FileMetaData:
    """The footer as pyarrow reads it."""
    return pq.read_metadata(path)


def chunks(path: pathlib.Path, column: str = "") -> list[pq.ColumnChunkMetaData]:
    """The column chunks of a column, or all."""
    of = footer(path)
    every = [of.row_group(g).column(c) for g in range(of.num_row_groups) for c in range(of.num_columns)]
    return [one for one in every if column in ("", one.path_in_schema)]


def stored(path: pathlib.Path, column: str = "") -> int:
    """Bytes of column chunks in the file."""
    return sum(one.total_compressed_size for one in chunks(path, column))


def opened(path: pathlib.Path, column: str = "") -> int:
    """Bytes of column chunks before compression."""
    return sum(one.total_uncompressed_size for one in chunks(path, column))


def begins(chunk: pq.ColumnChunkMetaData) -> int:
    """The offset of the first page."""
    return chunk.dictionary_page_offset or chunk.data_page_offset


def number(value: object) -> str:
    """An expression for a number that stands for itself."""
    return rf"(?<![\d.]){str(value).replace('.', '[.]')}(?!\d|[.]\d)"


def dictionaries(path: pathlib.Path) -> int:
    """Bytes of all dictionary pages."""
    return sum(one.data_page_offset - one.dictionary_page_offset for one in chunks(path) if one.dictionary_page_offset)


def hits() -> tuple[str, ...]:
    """Row, row group and id of the orders of more than 999."""
    found = [i for i, one in enumerate(orders_table()["amount"].to_pylist()) if one is not None and one > 999]
    assert len(found) > 3
    return tuple(rf'"row": {row}, "row_group": {row // GROUP}, "page": \d+, "id": {7 * row + 5}\b' for row in found)


def lengths(name: str) -> list[int]:
    """Elements of each row of a list of `orders`."""
    return [len(one or ()) for one in orders_table()[name].to_pylist()]


LAYOUT = (
    Question("group-begins", "row groups", "Where does row group 2 begin?", "orders", "FILE",
             lambda path: (rf"(?m)^ *2 +{GROUP} .*\b{begins(footer(path).row_group(2).column(0))}\b",)),
    Question("group-rows", "row groups", "How many rows has each row group?", "orders", "FILE",
             lambda path: tuple(rf"(?m)^ *{g} {GROUP} " for g in range(4))),
    Question("group-bytes", "row groups", "How many bytes has each row group?", "orders", "FILE",
             lambda path: tuple(rf"(?m)^ *{g} {GROUP} {sum(footer(path).row_group(g).column(c).total_compressed_size for c in range(footer(path).num_columns))} " for g in range(4))),
    Question("pages-in-all", "pages", "How many pages are there in all, and how many are data pages?", "paged", "pages FILE",
             (r"In all 78 pages: type DATA_PAGE 75, DICTIONARY_PAGE 3",)),
    Question("pages-of-column", "pages", "How many pages has each column?", "paged", "pages FILE",
             (r"(?m)^ text 25 ", r"(?m)^ n 25 ", r"(?m)^ word 28 ")),
    Question("largest-page", "pages", "Which page is the largest, and where?", "paged", "pages FILE",
             (r"the largest 3\d\d\d \(`text`, row group 1, page 2\)",)),
    Question("page-of-a-row", "pages", "In which page is row 1234?", "paged", f"cat FILE --rows {PAGED_LONG} --columns n --row-numbers",
             (r'"row": 1234, "row_group": 1, "page": 2, "n": 1234',)),
    Question("data-page-offset", "offsets", "Where is the first data page of amount in row group 1?", "orders", "pages FILE --column amount --row-group 1",
             lambda path: (number(chunks(path, "amount")[1].data_page_offset),)),
    Question("made-footer-length", "footer", "How long is the footer?", "orders", "FILE --at footer_length",
             lambda path: (number(footer(path).serialized_size),)),
    Question("page-not-there", "pages", "Is there a page 25 in row group 0 of n?", "paged", "FILE --at row_groups/0/columns/n/pages/25",
             (r"nothing at 'row_groups/0/columns/0/pages/25'",), refused=True),
    Question("page-list-ends", "pages", "Does a long list end?", "orders", "pages FILE --column id --page 0",
             (r"… and \d+ more rows: --all",)),
)  # fmt: skip

SIZES = (
    Question("share-of-column", "space", "Which share of all column chunks is column note?", "orders", "FILE",
             lambda path: (rf"(?m)^ note {stored(path, 'note')} {100 * stored(path, 'note') / stored(path):.1f}%",)),
    Question("ratio-of-column", "space", "How much does compression save for note?", "orders", "FILE",
             lambda path: (rf"(?m)^ note {stored(path, 'note')} \S+ {opened(path, 'note')} {opened(path, 'note') / stored(path, 'note'):.2f}",)),
    Question("sum-of-columns", "space", "What do all columns add up to, and what is the ratio?", "orders", "FILE",
             lambda path: (rf"(?m)^ all {stored(path)} 100\.0% {opened(path)} {opened(path) / stored(path):.2f}", rf"(?m)^ all {ROWS} {stored(path)} {opened(path)} ")),
    Question("all-stored", "space", "How many bytes are all column chunks, before and after compression?", "orders", "stats FILE",
             lambda path: (rf"stored {stored(path)} bytes", rf"uncompressed {opened(path)} bytes")),
    Question("largest-chunk", "space", "Which column chunk is the largest?", "orders", "stats FILE",
             lambda path: ((lambda big: rf"the largest {big.total_compressed_size} \(`{big.path_in_schema}`, row group \d\)")(max(chunks(path), key=lambda one: one.total_compressed_size)),)),
    Question("dictionary-bytes", "dictionary", "How many bytes are dictionaries, and which share of the file is that?", "orders", "dictionary FILE",
             lambda path: (rf"8 dictionary pages take {dictionaries(path)} bytes: ",)),
    Question("no-dictionary-pages", "dictionary", "How many data pages have no dictionary?", "paged", "pages FILE",
             (r"Encodings of the 75 data pages: PLAIN 50, RLE_DICTIONARY 25; 50 without a dictionary",)),
    Question("no-dictionary-by-column", "dictionary", "Which column has data pages without a dictionary?", "paged", "dictionary FILE",
             (r"(?m)^ text 3 none .*\b25 0 25 schema|(?m:^) text 3 none .*\b25 0 25\b",)),
    Question("longest-value", "space", "How long is the longest note, and in which row?", "orders", "stats FILE --true --column note",
             (rf"The longest value has 5000 bytes \(`note`, row {LONG_NOTE}\)",)),
    Question("mean-value", "space", "How long are the notes on average?", "orders", "stats FILE --true --column note",
             lambda path: (number(round(sum(map(len, orders_table()["note"].to_pylist())) / ROWS, 3)),)),
    Question("level-bytes", "nesting", "How many bytes are levels?", "paged", "levels FILE --column n",
             (r"definition levels 175 bytes", r"repetition levels 0 bytes")),
    Question("nulls-of-pages", "statistics", "How many nulls do the pages of amount have?", "orders", "pages FILE --column amount",
             lambda path: (rf"; nulls {orders_table()['amount'].null_count},",)),
    Question("page-of-most-nulls", "statistics", "Which page holds the most nulls?", "orders", "pages FILE --column amount",
             (r"; nulls 240, the largest \d+ \(`amount`, row group \d, page \d\);",)),
    Question("order-breaks-counted", "statistics", "How often does the order of small break?", "orders", 'cat FILE --out-of-order small --select "count(*)"', (r'"count\(\*\)": 59\b',)),
    Question("order-breaks-by-group", "statistics", "In which row group does the order of small break most?", "orders", "cat FILE --out-of-order small --by row_group",
             (r'"row_group": 1, "count": 15', r'"row_group": 0, "count": 14')),
    Question("duplicates", "rows", "Is an id there twice?", "orders", 'cat FILE --select "count(*) - count(DISTINCT id) AS twice"', (r'"twice": 0\b',)),
    Question("value-bytes", "space", "How many bytes are the values of n before compression?", "paged", "pages FILE --column n",
             (r"value bytes 20000 bytes",)),
)  # fmt: skip

QUERIES = (
    Question("one-group-read", "skipping", "Which row groups does a look-up of an id read?", "orders", f'ask FILE "id = {7 * 4_000 + 5}"',
             (r"\b1 of 4 row groups",)),
    Question("hits-with-rows", "rows", "Which rows have an amount above 999, and where are they?", "orders",
             'cat FILE --where "amount > 999" --columns id --row-numbers', lambda path: hits()),
    Question("no-hit", "rows", "Is there an order 6?", "orders", 'cat FILE --where "id = 6"', (r"no row meets the condition id = 6",)),
    Question("rows-backwards", "rows", "Why does 5:3 print nothing?", "orders", "cat FILE --rows 5:3",
             (r"5:3 names no row: A:B begins with row A and ends before row B",)),
    Question("rows-beyond", "rows", "Is there a row 12000?", "orders", "cat FILE --rows 12000", (r"there is no row 12000: the file has 12000 rows, 0 to 11999",)),
    Question("rows-partly-beyond", "rows", "What are rows 11998 to 12001?", "orders", "cat FILE --rows 11998:12002 --columns id",
             (r'"id": 83991\b', r'"id": 83998\b', r"rows 11998 to 12001 are asked for: the file has 12000 rows")),
    Question("row-in-group", "rows", "In which row group is row 7777, and which row is it there?", "orders", f"FILE --at rows/{LONG_TAGS}",
             (r"row group 2\b", r"row in the row group 1777\b")),
    Question("matches-verified", "skipping", "How many orders are from NZ?", "orders", "ask FILE \"country = 'NZ'\" --verify", (r"\b4000\b",)),
    Question("last-row", "rows", "What is the last id?", "orders", "cat FILE --rows=-1 --columns id", (r'"id": 83998\b',)),
    Question("range-of-column", "statistics", "Which range have the ids over all row groups?", "orders", "stats FILE --column id",
             (r"In all 4 column chunks: min 5; max 83998;",)),
    Question("range-of-amounts", "statistics", "Which range have the amounts, as decimals?", "orders", "stats FILE --column amount",
             lambda path: (lambda ends: (rf"min {ends['min']}; max {ends['max']};",))(pc.min_max(orders_table()["amount"]).as_py())),
    Question("nulls-in-all", "statistics", "How many amounts are null?", "orders", "stats FILE --column amount",
             lambda path: (rf"nulls {orders_table()['amount'].null_count};",)),
    Question("distinct-values", "statistics", "How many countries are there really?", "orders", "stats FILE --true --column country",
             (r"country 12000 0 0 DE 0 NZ 2 3 ",)),
    Question("row-of-maximum", "statistics", "In which row is the largest amount?", "orders", "stats FILE --true --column amount",
             lambda path: (lambda top: (rf"{top} {pc.index(orders_table()['amount'], top).as_py()}\b",))(pc.max(orders_table()["amount"]).as_py())),
)  # fmt: skip

DAMAGE = (
    Question("flipped-byte", "damage", "Which rows does the damaged page have?", "flipped", "FILE", (r"`n`, row group 0, data page 2 \(rows 200 to 299 of the file\)",)),
    Question("flipped-checksum", "checksums", "Which page has a wrong checksum?", "flipped", "pages FILE",
             (r"1 page has a wrong checksum, the first is row_groups/0/columns/0/pages/2",)),
    Question("others-read", "damage", "What can still be read of the column?", "no_header", "stats FILE --true",
             (r"1 column chunk cannot be read; the first: ", r"The statistics of 8 column chunks agree with")),
    Question("other-column-reads", "damage", "Is the other column still there?", "no_header", "cat FILE --rows 1500 --columns word", (r'"word": "a"',)),
    Question("no-magic", "damage", "What is wrong with the beginning?", "no_magic", "check FILE", (r"4e 4f 50 45|NOPE|PAR1",)),
    Question("bytes-after-end", "damage", "Why does it not open?", "trailing", "FILE", (r"PAR1", r"(?i)salvage"), refused=True),
    Question("footer-beyond", "damage", "Why does it not open?", "long_footer", "FILE", (r"1073741824|1\.07 GB|footer", r"(?i)salvage"), refused=True),
    Question("footer-beyond-salvage", "damage", "How many rows can be saved?", "long_footer", "salvage FILE", (r"\b2500\b",)),
    Question("bound-is-false", "trust", "What is the real maximum?", "sick-statistics", "stats FILE --true", (r"the max is -1, the largest value is 1999",)),
    Question("bound-is-false-column", "trust", "Which statement of the file is false?", "sick-statistics", "stats FILE --true", (r"(?m)^ 0 n max 2000 ",)),
)  # fmt: skip

TYPES = (
    Question("timestamp-unit", "time", "Is the time an instant, and in which unit?", "orders", "schema FILE",
             (r"placed \(TIMESTAMP\(MICROS,true\)\)", r"local \(TIMESTAMP\(MILLIS,false\)\)")),
    Question("decimal-precision", "numbers", "Which precision has amount, and how is it stored?", "orders", "schema FILE",
             (r"fixed_len_byte_array\(4\) amount \(DECIMAL\(9,2\)\)",)),
    Question("unsigned", "numbers", "Is small unsigned?", "orders", "schema FILE", (r"int32 small \(INTEGER\(8,false\)\)",)),
    Question("made-half-floats", "numbers", "How is half stored?", "orders", "schema FILE", (r"fixed_len_byte_array\(2\) half \(FLOAT16\)",)),
    Question("columns-counted", "schema", "How many columns are there, and of which types?", "orders", "schema FILE",
             lambda path: (rf"// {footer(path).num_columns} columns, ", r"INT64 \(TIMESTAMP\(MICROS,true\)\) 1", r"DOUBLE 1")),
    Question("arrow-time", "schema", "Which Arrow type has placed?", "orders", "schema FILE --arrow",
             lambda path: (rf"placed: {pq.read_schema(path).field('placed').type}".replace("[", r"\["),)),
    Question("duckdb-decimal", "schema", "Which column does DuckDB make of amount?", "orders", "schema FILE --sql", (r'"amount" DECIMAL\(9, ?2\)',)),
    Question("made-nan-count", "statistics", "How many NaNs has ratio?", "orders", "stats FILE --true --column ratio", (r"ratio 12000 0 0 0(\.0)? 0 1499\.875 11999 2 ",)),
    Question("nan-first-row", "numbers", "Which rows have a NaN?", "orders", 'cat FILE --where "isnan(ratio)" --columns id --row-numbers',
             (r'"row": 100, "row_group": 0, ', r'"row": 5000, "row_group": 1, ')),
)  # fmt: skip

NESTING = (
    Question("longest-list", "nesting", "How long is the longest list, and in which row?", "orders", "stats FILE --true --column tags",
             (rf"The row with the most elements has 25 elements \(`{TAGS}`, row {LONG_TAGS}\)",)),
    Question("mean-list", "nesting", "How many tags has a row on average?", "orders", "stats FILE --true --column tags",
             lambda path: (rf"\b0 {round(sum(lengths('tags')) / ROWS, 3)} 25 {LONG_TAGS}\b",)),
    Question("entries-in-all", "nesting", "How many entries have the tags?", "orders", "levels FILE --column tags",
             lambda path: (rf"entries {sum(max(1, one) for one in lengths('tags'))};",)),
    Question("entries-without", "nesting", "How many of them have no value?", "orders", "levels FILE --column tags",
             lambda path: (rf"without a value {sum(not one for one in lengths('tags'))};",)),
    Question("highest-levels", "nesting", "How high are the levels?", "orders", "schema FILE", (rf"D up to 3 \({TAGS}\), R up to 1",)),
    Question("value-in-list", "nesting", "What is the first tag of row 7777?", "orders", f"FILE --at rows/{LONG_TAGS}/tags", (r"tag 0",)),
    Question("row-of-struct", "nesting", "Which address has row 5?", "orders", "cat FILE --rows 5:7 --columns address",
             (r'"address": null', r'"city": "city 2", "zip": 6')),
    Question("map-entries", "nesting", "Which attributes has row 4?", "orders", "cat FILE --rows 4 --columns attrs", (r'"k1": 4\b',)),
    Question("nulls-of-lists", "nesting", "How many rows have no list, and how many an empty one, in row group 0?", "orders", "levels FILE --column tags --row-group 0",
             lambda path: (lambda part: (rf"{sum(one is None for one in part)} rows have no `tags`", rf"{sum(one == [] for one in part)} rows have an empty `tags`"))(orders_table()["tags"].to_pylist()[:GROUP])),
)  # fmt: skip

SPECIAL = (
    Question("variants-count", "variant", "How many Variants are there?", "variant", "variant FILE", (r"has 23 Variants",)),
    Question("variant-type", "variant", "Which column is a Variant?", "variant", "schema FILE", (r"group v \(VARIANT", r"1 variant\b")),
    Question("made-variant-null-row", "variant", "Which row is null?", "variant", "cat FILE --rows 23", (r'"v": null',)),
    Question("variant-shredded-into", "variant", "Into which columns is it shredded?", "variant-shredded", "variant FILE", (r"\$\.id ", r"\$\.score ", r"\$\.tags", r"\$\.user ")),
    Question("variant-typed-share", "variant", "Which share of the ids is typed?", "variant-shredded", "variant FILE", (r"\$\.id primitive 97\.4% 40 37 1\b",)),
    Question("variants-of-all-groups", "variant", "How many Variants are there in all row groups?", "variant_groups", "variant FILE", (r"All 3 row groups have 89 Variants",)),
    Question("typed-in-all-groups", "variant", "Which share of the ids is typed, in all row groups?", "variant_groups", "variant FILE", (r"\$\.id 3 primitive 90 80 9 89 89\.9%",)),
    Question("algorithm", "encryption", "How is it encrypted?", "encrypted-columns", "FILE", (r"AES_GCM_V1",)),
    Question("footer-hidden", "encryption", "Is the footer encrypted?", "encrypted", "FILE", (r"(?i)the footer is encrypted",)),
    Question("plaintext-footer-rows", "encryption", "How many rows has it, without a key?", "ctr-plaintext-footer", "FILE", (r"\b300 rows", r"\b2 row groups")),
    Question("aad-stored", "encryption", "Which AAD prefix has it?", "ctr-plaintext-footer", "FILE", (r"AAD prefix is 'pqexplore samples'",)),
    Question("which-columns-hidden", "encryption", "Which columns need keys?", "plaintext-footer-bloom", "FILE", (r"`secret`", r"`shared`")),
    Question("what-is-open", "encryption", "What can be read without keys?", "plaintext-footer-bloom", "stats FILE --true",
             (r"The statistics of 2 column chunks agree with the values", r"4 column chunks cannot be read", r"row 299")),
    Question("geometry-types", "geometry", "Which kinds of geometry are there?", "geometry", "FILE --view geospatial", (r"\bPoint\b", r"LineString Z")),
    Question("made-geometry-crs", "geometry", "Which reference system?", "geometry", "schema FILE", (r"GEOMETRY\(EPSG:4979\)",)),
    Question("made-geometry-box", "geometry", "Which box have the points?", "geometry", "stats FILE", (r"x -3 to 1, y 2 to 5\.5",)),
    Question("geometry-text", "geometry", "What is the second point?", "geometry", "cat FILE --rows 1", (r"POINT \(-3 5\.5\)",)),
    Question("geography-edges", "geometry", "Which edges?", "geography", "schema FILE", (r"GEOGRAPHY\(SPHERICAL\)", r"GEOGRAPHY\(KARNEY\)")),
    Question("geometry-no-order", "geometry", "Why are there no bounds?", "geometry", "stats FILE --true", (r"the type has no order",)),
)  # fmt: skip

WRITERS = (
    Question("pyarrow-version", "what it is", "Which version of pyarrow wrote it?", "orders", "FILE", lambda path: (rf"parquet-cpp-arrow version {pa.__version__}",)),
    Question("old-writer", "what it is", "Which program wrote it?", "paged", "FILE", (r"parquet-mr version 1\.8\.0",)),
    Question("old-writer-bounds", "trust", "Can its bounds of text be trusted?", "paged", "doctor FILE", (r"(?i)PARQUET-251|parquet-mr 1\.8\.0|1\.8\.1|1\.8\.0",)),
    Question("own-key-values", "key-values", "Who owns it?", "paged", "FILE", (r"owner = night shift",)),
    Question("codecs-of-columns", "space", "Which codec has each column?", "orders", "FILE",
             lambda path: tuple(rf"(?m)^ {one.path_in_schema} .*\b{one.compression}\b" for one in chunks(path)[:3])),
    Question("sorting-column", "what it is", "Is it sorted, by its footer?", "orders", "FILE", (r"4 of 4 row groups sorted by id",)),
    Question("format-version", "what it is", "Which version of the format?", "orders", "FILE", (r"format version 2\b",)),
)  # fmt: skip

BYTES = (
    Question("magic-bytes", "place", "Which bytes are at the beginning?", "orders", "FILE --at @0 --bytes all", (r"50 41 52 31 PAR1",)),
    Question("length-bytes", "place", "Which bytes have the length of the footer?", "orders", "FILE --at footer_length --bytes all",
             lambda path: (struct.pack("<I", footer(path).serialized_size).hex(" "),)),
    Question("owner-of-offset", "place", "What is at the offset of the first data page of note?", "orders", "FILE --at row_groups/0/columns/note",
             lambda path: (number(begins(chunks(path, "note")[0])),)),
    Question("value-as-bytes", "place", "Which bytes has the id of row 4321?", "orders", "FILE --at rows/4321/id --bytes all",
             lambda path: (struct.pack("<q", 7 * 4_321 + 5).hex(" "),)),
    Question("bytes-of-long-value", "place", "How many bytes has the long text?", "paged", f"FILE --at rows/{PAGED_LONG}/text --bytes 8",
             (r"\b300[04] bytes", r"… and 299[26] more bytes: --bytes all")),
    Question("last-bytes", "place", "Which bytes are at the end?", "orders", "FILE --at footer_magic", (r"50 41 52 31 PAR1",)),
    Question("address-of-value", "place", "Where is the id of row 3000?", "orders", "FILE --at rows/3000/id", (r"row_groups/1/columns/0/pages/0/values/0",)),
    Question("column-alone", "place", "What is country?", "orders", "FILE --at country", (r"country \(schema field\)", r"(?i)string")),
    Question("bytes-as-json", "json", "The bytes of the magic, for a program?", "orders", "FILE --at @0 --bytes all --json", (r'"bytes": \{"hex": "50415231"\}',)),
)  # fmt: skip

MANY = (
    Question("rows-of-folder", "many files", "How many rows are in the folder?", "region", "lake FILE --processes 0", (r"\b3 files", r"\b30 rows")),
    Question("other-type", "drift", "Which file has another type?", "region", "lake FILE --processes 0", (r"`price` is INT64 in 2 files and DOUBLE in 1 file", r"part-1\.parquet")),
    Question("missing-column", "drift", "Which file lacks a column?", "region", "lake FILE --processes 0", (r"part-2\.parquet: .*`note` is lacking in 1 file",)),
    Question("one-row-of-many", "many files", "Which row has key 25?", "region", 'cat FILE --where "key = 25" --columns key', (r'"key": 25\b',)),
    Question("bounds-of-folder", "many files", "Which range have the keys of all files?", "region", "stats FILE", (r"(?m)key INT64 0 29\b",)),
    Question("nulls-of-folder", "many files", "How many notes are null, or in a file without them?", "region", "stats FILE", (r"note STRING x x yes 30 12 0 1",)),
    Question("made-folder-query", "many files", "Which files does a query read?", "region", 'ask FILE "key = 25"', (r"\b1 of 3\b",)),
    Question("file-of-a-row", "many files", "In which file is key 25, and in which row?", "region", 'cat FILE --where "key = 25" --row-numbers',
             (r'part-2\.parquet", "row": 5\b',)),
    Question("count-of-folder", "many files", "How many rows of the folder have a key of at least 15?", "region", 'cat FILE --where "key >= 15" --select "count(*)"',
             (r": 15\b",)),
    Question("count-of-each-file", "many files", "How many rows has each file?", "region", "cat FILE --by file --table", (r"part-0\.parquet 10\b", r"part-2\.parquet 10\b")),
    Question("computed-in-folder", "many files", "In which rows of the folder does key equal price?", "region", 'cat FILE --where "key = price" --columns key --row-numbers',
             (r'part-0\.parquet", "row": 0, "key": 0\b', r"evaluated key = price on the values that were decoded here")),
)  # fmt: skip

AS_JSON = (
    Question("totals-as-json", "json", "The totals of the pages, for a program?", "paged", "pages FILE --json",
             (r'"totals": \{"count": 78, "type": \{"DATA_PAGE": 75, "DICTIONARY_PAGE": 3\}',)),
    Question("by-column-as-json", "json", "The bytes of each column, for a program?", "orders", "stats FILE --json",
             lambda path: (rf'"column": "note", "count": 4, .*"stored_bytes": {stored(path, "note")}\b',)),
    Question("remark-as-json", "json", "Why are there no rows, for a program?", "orders", "cat FILE --rows 12000 --json", (r'"rows": \[\], "remark": "there is no row 12000',)),
    Question("counts-as-json", "json", "The counts of the schema, for a program?", "orders", "schema FILE --json", lambda path: (rf'"counts": \{{"columns": {footer(path).num_columns}\b',)),
)  # fmt: skip


def sum_of(name: str) -> str:
    """The sum of a column of `orders`."""
    return str(pc.sum(orders_table()[name]).as_py())


ALGEBRA = (
    Question("how-many-match", "rows", "How many orders are above 999?", "orders", 'cat FILE --where "amount > 999" --select "count(*)"',
             lambda path: (rf'"count\(\*\)": {len(hits())}\b',)),
    Question("how-many-of-none", "rows", "How many orders 6 are there?", "orders", 'cat FILE --where "id = 6" --select "count(*)"', (r'"count\(\*\)": 0\b',)),
    Question("sum-of-column", "rows", "What do the amounts add up to?", "orders", 'cat FILE --select "sum(amount)"', lambda path: (sum_of("amount"),)),
    Question("count-per-value", "rows", "How many orders has each country?", "orders", "cat FILE --by country", tuple(rf'"country": "{one}", "count": 4000' for one in ("DE", "FR", "NZ"))),
    Question("count-per-field", "nesting", "How many addresses has each city?", "orders", "cat FILE --by address.city --table",
             lambda path: tuple(rf"{city} {sum((one or {}).get('city') == city for one in orders_table()['address'].to_pylist())}\b" for city in ("city 0", "city 3"))),
    Question("two-columns-differ", "rows", "Where do zip and small differ first?", "orders", 'cat FILE --where "address.zip <> small" --select "min(row)"',
             (r'"min\(row\)": 200\b',)),
    Question("two-columns-null", "rows", "In how many rows are zip and small not the same, nulls included?", "orders", 'cat FILE --where "address.zip IS DISTINCT FROM small" --select "count(*)"',
             lambda path: (rf'": {sum((row["address"] or {}).get("zip") != row["small"] for row in orders_table().select(["address", "small"]).to_pylist())}\b',)),
    Question("computed-condition", "rows", "Which notes are longer than 100 characters?", "orders", 'cat FILE --where "length(note) > 100" --columns id --row-numbers',
             (rf'"row": {LONG_NOTE}, "row_group": 1, "page": \d+, "id": {7 * LONG_NOTE + 5}\b', r"evaluated LENGTH\(note\) > 100 on the values that were decoded here")),
    Question("rounded", "numbers", "Which ratios round to 3?", "orders", 'cat FILE --where "round(ratio) = 3" --select "min(row), max(row)"', (r'"min\(row\)": 20, "max\(row\)": 27\b',)),
    Question("order-breaks", "statistics", "In which row does the order of small break first?", "orders", "cat FILE --rows :300 --out-of-order small",
             (r'"row": 200, "row_group": 0, "page": \d+, "small": 0, "before": 199',)),
    Question("order-holds", "statistics", "Are the ids really sorted?", "orders", "cat FILE --out-of-order id", (r"no value of id is smaller than the one before it",)),
    Question("range-per-value", "rows", "Which ids has each country?", "orders", 'cat FILE --by country --select "min(id), max(id)" --table', (r"DE 5 83984\b", r"NZ 19 83998\b")),
)  # fmt: skip

QUESTIONS = (
    *ALGEBRA,
    *LAYOUT,
    *SIZES,
    *QUERIES,
    *DAMAGE,
    *TYPES,
    *NESTING,
    *SPECIAL,
    *WRITERS,
    *BYTES,
    *MANY,
    *AS_JSON,
)
"""All of them."""
