"""Questions whose answers pyarrow computes, or that are known because the file was made so."""

import pathlib
import struct

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from cli.questions.made_files import GROUP, LONG_TAGS, ROWS, orders_table
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
    Question("data-page-offset", "offsets", "Where is the first data page of amount in row group 1?", "orders", "pages FILE --column amount --row-group 1",
             lambda path: (number(chunks(path, "amount")[1].data_page_offset),)),
    Question("made-footer-length", "footer", "How long is the footer?", "orders", "FILE --at footer_length",
             lambda path: (number(footer(path).serialized_size),)),
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
    Question("mean-value", "space", "How long are the notes on average?", "orders", "stats FILE --true --column note",
             lambda path: (number(round(sum(map(len, orders_table()["note"].to_pylist())) / ROWS, 3)),)),
    Question("nulls-of-pages", "statistics", "How many nulls do the pages of amount have?", "orders", "pages FILE --column amount",
             lambda path: (rf"; nulls {orders_table()['amount'].null_count},",)),
)  # fmt: skip

QUERIES = (
    Question("hits-with-rows", "rows", "Which rows have an amount above 999, and where are they?", "orders",
             'cat FILE --where "amount > 999" --columns id --row-numbers', lambda path: hits()),
    Question("range-of-amounts", "statistics", "Which range have the amounts, as decimals?", "orders", "stats FILE --column amount",
             lambda path: (lambda ends: (rf"min {ends['min']}; max {ends['max']};",))(pc.min_max(orders_table()["amount"]).as_py())),
    Question("nulls-in-all", "statistics", "How many amounts are null?", "orders", "stats FILE --column amount",
             lambda path: (rf"nulls {orders_table()['amount'].null_count};",)),
    Question("row-of-maximum", "statistics", "In which row is the largest amount?", "orders", "stats FILE --true --column amount",
             lambda path: (lambda top: (rf"{top} {pc.index(orders_table()['amount'], top).as_py()}\b",))(pc.max(orders_table()["amount"]).as_py())),
)  # fmt: skip


TYPES = (
    Question("columns-counted", "schema", "How many columns are there, and of which types?", "orders", "schema FILE",
             lambda path: (rf"// {footer(path).num_columns} columns, ", r"INT64 \(TIMESTAMP\(MICROS,true\)\) 1", r"DOUBLE 1")),
    Question("arrow-time", "schema", "Which Arrow type has placed?", "orders", "schema FILE --arrow",
             lambda path: (rf"placed: {pq.read_schema(path).field('placed').type}".replace("[", r"\["),)),
)  # fmt: skip

NESTING = (
    Question("mean-list", "nesting", "How many tags has a row on average?", "orders", "stats FILE --true --column tags",
             lambda path: (rf"\b0 {round(sum(lengths('tags')) / ROWS, 3)} 25 {LONG_TAGS}\b",)),
    Question("entries-in-all", "nesting", "How many entries have the tags?", "orders", "levels FILE --column tags",
             lambda path: (rf"entries {sum(max(1, one) for one in lengths('tags'))};",)),
    Question("entries-without", "nesting", "How many of them have no value?", "orders", "levels FILE --column tags",
             lambda path: (rf"without a value {sum(not one for one in lengths('tags'))};",)),
    Question("nulls-of-lists", "nesting", "How many rows have no list, and how many an empty one, in row group 0?", "orders", "levels FILE --column tags --row-group 0",
             lambda path: (lambda part: (rf"{sum(one is None for one in part)} rows have no `tags`", rf"{sum(one == [] for one in part)} rows have an empty `tags`"))(orders_table()["tags"].to_pylist()[:GROUP])),
)  # fmt: skip


WRITERS = (
    Question("pyarrow-version", "what it is", "Which version of pyarrow wrote it?", "orders", "FILE", lambda path: (rf"parquet-cpp-arrow version {pa.__version__}",)),
    Question("codecs-of-columns", "space", "Which codec has each column?", "orders", "FILE",
             lambda path: tuple(rf"(?m)^ {one.path_in_schema} .*\b{one.compression}\b" for one in chunks(path)[:3])),
)  # fmt: skip

BYTES = (
    Question("length-bytes", "place", "Which bytes have the length of the footer?", "orders", "FILE --at footer_length --bytes all",
             lambda path: (struct.pack("<I", footer(path).serialized_size).hex(" "),)),
    Question("owner-of-offset", "place", "What is at the offset of the first data page of note?", "orders", "FILE --at row_groups/0/columns/note",
             lambda path: (number(begins(chunks(path, "note")[0])),)),
    Question("value-as-bytes", "place", "Which bytes has the id of row 4321?", "orders", "FILE --at rows/4321/id --bytes all",
             lambda path: (struct.pack("<q", 7 * 4_321 + 5).hex(" "),)),
)  # fmt: skip


AS_JSON = (
    Question("by-column-as-json", "json", "The bytes of each column, for a program?", "orders", "stats FILE --json",
             lambda path: (rf'"column": "note", "count": 4, .*"stored_bytes": {stored(path, "note")}\b',)),
    Question("counts-as-json", "json", "The counts of the schema, for a program?", "orders", "schema FILE --json", lambda path: (rf'"counts": \{{"columns": {footer(path).num_columns}\b',)),
)  # fmt: skip


def sum_of(name: str) -> str:
    """The sum of a column of `orders`."""
    return str(pc.sum(orders_table()[name]).as_py())


ALGEBRA = (
    Question("how-many-match", "rows", "How many orders are above 999?", "orders", 'cat FILE --where "amount > 999" --select "count(*)"',
             lambda path: (rf'"count\(\*\)": {len(hits())}\b',)),
    Question("sum-of-column", "rows", "What do the amounts add up to?", "orders", 'cat FILE --select "sum(amount)"', lambda path: (sum_of("amount"),)),
    Question("count-per-field", "nesting", "How many addresses has each city?", "orders", "cat FILE --by address.city --table",
             lambda path: tuple(rf"{city} {sum((one or {}).get('city') == city for one in orders_table()['address'].to_pylist())}\b" for city in ("city 0", "city 3"))),
    Question("two-columns-null", "rows", "In how many rows are zip and small not the same, nulls included?", "orders", 'cat FILE --where "address.zip IS DISTINCT FROM small" --select "count(*)"',
             lambda path: (rf'": {sum((row["address"] or {}).get("zip") != row["small"] for row in orders_table().select(["address", "small"]).to_pylist())}\b',)),
)  # fmt: skip

QUESTIONS = (*ALGEBRA, *LAYOUT, *SIZES, *QUERIES, *TYPES, *NESTING, *WRITERS, *BYTES, *AS_JSON)
"""All of them."""
