"""Violations in the FileMetaData, its row groups, and the metadata of column chunks."""

from engine.check import forged
from engine.check.violations import Violation

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, PageEncodingStats, PageType, Type
from pqexplore.engine.writer import assembly

KEY, CHUNK = structs.KeyValue, "row_groups/0/columns/0"
COLUMN = f"{CHUNK}/metadata/meta_data"
PAIRS = [KEY(key="a", value="1"), KEY(key="b", value="1")]


def made(**changes):
    """A file of one column of three rows."""
    return forged.one_column([forged.page([1, 2, 3])], **changes)


def group(**changes):
    return made(group=changes)


def metadata(**changes):
    return made(metadata=changes)


def file(**changes):
    return made(file=changes)


def more(by):
    return lambda right: right + by


def pairs(*stored):
    return file(key_value_metadata=list(stored))


def sorting(*columns):
    return group(sorting_columns=list(columns))


def by(index, **changes):
    return structs.SortingColumn(**{"column_idx": index, "descending": False, "nulls_first": False} | changes)


def two_columns(second=True, shared=False):
    """A file of two columns; `shared`: both chunks are the same bytes."""
    elements = [forged.root(2), *(assembly.element(name, Type.INT32, 0) for name in "ab")]
    place = {"data_page_offset": 4} if shared else {}
    chunks = [
        assembly.chunk("a", Type.INT32, [forged.page([1])]),
        assembly.chunk("b", Type.INT32, [forged.page([1])], metadata=place),
    ]
    return assembly.file(elements, [assembly.row_group(chunks[: 1 + second], 1)])


def dictionary(**changes):
    """A chunk of a dictionary page and a data page that refers to it."""
    entries = assembly.dictionary_page(forged.encoded([1, 2]), 2)
    page = assembly.page_v1(b"\x01\x03\x02", 2, Encoding.RLE_DICTIONARY)
    return forged.one_column([entries, page], metadata=changes)


def stats(*counted):
    return metadata(
        encoding_stats=[
            PageEncodingStats(page_type=int(kind), encoding=int(encoding), count=count)
            for kind, encoding, count in counted
        ]
    )


DATA, V2 = PageType.DATA_PAGE, PageType.DATA_PAGE_V2

FILES = [
    Violation("no created_by", "no-created-by", lambda: file(created_by=None), None, "note", "footer"),
    Violation("an empty created_by", "no-created-by", lambda: file(created_by=""), None, "note", "footer"),
    Violation("a created_by without a version", "created-by-format", lambda: file(created_by="DuckDB"),
        lambda: file(created_by="DuckDB version v1.1.1"), "note", "footer/created_by"),
    Violation("a created_by that begins with version", "created-by-format", lambda: file(created_by="version 1"),
        lambda: file(created_by="a version 1 (build )"), "note", "footer/created_by"),
    Violation("a version of 0", "format-version", lambda: file(version=0), lambda: file(version=1), "warning",
        "footer/version"),
    Violation("no version", "required-field", lambda: file(version=None), made, "error", "footer"),
    Violation("no num_rows", "required-field", lambda: file(num_rows=None), address="footer"),
    Violation("no row_groups", "required-field", lambda: file(row_groups=None), address="footer"),
    Violation("a num_rows too large", "row-count-disagrees", lambda: file(num_rows=4), lambda: file(num_rows=3),
        address="footer/num_rows"),
    Violation("a negative num_rows", "row-count-disagrees", lambda: file(num_rows=-1), address="footer/num_rows"),
    Violation("a key twice", "key-repeated", lambda: pairs(PAIRS[0], PAIRS[1], KEY(key="a", value="2")),
        lambda: pairs(*PAIRS), "warning", "footer/key_value_metadata/2"),
    Violation("a pair without a key", "required-field", lambda: pairs(PAIRS[0], KEY(value="2")),
        lambda: pairs(PAIRS[0], KEY(key="b")), address="footer/key_value_metadata/1"),
    Violation("a column order too many", "column-orders-length", lambda: file(column_orders=[forged.TYPE_ORDER] * 2),
        lambda: file(column_orders=[forged.TYPE_ORDER]), address="footer/column_orders"),
    Violation("no column orders in the list", "column-orders-length", lambda: file(column_orders=[]),
        lambda: file(column_orders=None), address="footer/column_orders"),
    Violation("a column order that does not exist", "column-order-unknown",
        lambda: file(column_orders=[structs.ColumnOrder()]), made, "warning", "footer/column_orders/0"),
    Violation("the order of floating-point numbers for integers", "column-order-unsuited",
        lambda: file(column_orders=[forged.TOTAL_ORDER]),
        lambda: forged.one_column([forged.page([1.0], Type.DOUBLE)], Type.DOUBLE, order=forged.TOTAL_ORDER),
        address="footer/column_orders/0"),
    Violation("the order of INT96 for integers", "column-order-unsuited",
        lambda: file(column_orders=[structs.ColumnOrder(INT96_TIMESTAMP_ORDER=structs.Int96TimestampOrder())]),
        address="footer/column_orders/0"),
]  # fmt: skip

GROUPS = [
    *(Violation(f"a row group without {name}", "required-field", lambda name=name: group(**{name: None}), made,
        address="footer/row_groups/0")
      for name in ("total_byte_size", "num_rows")),
    Violation("a row group without columns", "unreadable", lambda: group(columns=[]), address="row_groups/0"),
    Violation("a column chunk too few", "unreadable", lambda: two_columns(second=False), two_columns,
        address="row_groups/0"),
    # Also: the header and the contents of the page.
    Violation("two chunks at the same bytes", "overlap", lambda: two_columns(shared=True), two_columns,
        also=("overlap",)),
    Violation("a negative number of rows", "row-group-rows", lambda: group(num_rows=-1), made,
        address="footer/row_groups/0/num_rows"),
    Violation("a row too many", "rows-disagree", lambda: group(num_rows=4), lambda: group(num_rows=3), address=CHUNK),
    Violation("a row too few", "rows-disagree", lambda: group(num_rows=2), address=CHUNK),
    Violation("an ordinal of another row group", "row-group-ordinal", lambda: group(ordinal=1),
        lambda: group(ordinal=None), "warning", "footer/row_groups/0/ordinal"),
    Violation("a negative ordinal", "row-group-ordinal", lambda: group(ordinal=-1), None, "warning",
        "footer/row_groups/0/ordinal"),
    *(Violation(f"a {name} {what}", "row-group-size-disagrees",
        lambda name=name, change=change: group(**{name: change}), made, severity, f"footer/row_groups/0/{name}")
        for name in ("total_byte_size", "total_compressed_size")
        for what, change, severity in (("too large", more(1), "warning"), ("that is negative", -1, "error"))
    ),
    # The near miss: 0 is not set.
    Violation("a file_offset after the first page", "row-group-file-offset", lambda: group(file_offset=39),
        lambda: group(file_offset=0), "warning", "footer/row_groups/0/file_offset"),
    *(Violation(f"sorting by column {index} of one", "sorting-column", lambda index=index: sorting(by(index)),
        lambda: sorting(by(0)), address="footer/row_groups/0/sorting_columns/0")
      for index in (1, -1)),
    Violation("sorting by a column twice", "sorting-column", lambda: sorting(by(0), by(0)), lambda: sorting(by(0)),
        "warning", "footer/row_groups/0/sorting_columns/1"),
    Violation("sorting without a place for nulls", "required-field", lambda: sorting(by(0, nulls_first=None)),
        lambda: sorting(by(0, nulls_first=True)), address="footer/row_groups/0/sorting_columns/0"),
    Violation("rows in another order", "not-sorted", lambda: sorting(by(0, descending=True)), lambda: sorting(by(0)),
        address="footer/row_groups/0/sorting_columns/0"),
]  # fmt: skip

CHUNKS = [
    Violation("a chunk without metadata", "unreadable", lambda: made(meta_data=None), made, address=CHUNK),
    *(Violation(f"a chunk without {name}", "unreadable", lambda name=name: metadata(**{name: None}), made,
        address=f"{CHUNK}/metadata")
      for name in structs.ColumnMetaData.REQUIRED),
    Violation("another path", "path-disagrees", lambda: metadata(path_in_schema=["a", "b"]), made,
        address=f"{COLUMN}/path_in_schema"),
    Violation("an empty path", "path-disagrees", lambda: metadata(path_in_schema=[]),
        address=f"{COLUMN}/path_in_schema"),
    Violation("another type", "type-disagrees", lambda: metadata(type=int(Type.FLOAT)), made, address=f"{COLUMN}/type"),
    Violation("a key of a column twice", "key-repeated", lambda: metadata(key_value_metadata=[PAIRS[0], PAIRS[0]]),
        lambda: metadata(key_value_metadata=PAIRS), "warning", f"{COLUMN}/key_value_metadata/1"),
    Violation("a pair of a column without a key", "required-field",
        lambda: metadata(key_value_metadata=[KEY(value="1")]), None, "error", f"{COLUMN}/key_value_metadata/0"),
    Violation("a codec that does not exist", "unsupported", lambda: metadata(codec=8), made, "error", f"{COLUMN}/codec"),
    # Unreadable: the pages are not compressed.
    Violation("the deprecated LZ4", "lz4-deprecated", lambda: metadata(codec=5), None, "note", f"{COLUMN}/codec",
        ("unreadable",)),
    Violation("a value too few", "num-values-disagree", lambda: metadata(num_values=2), made,
        address=f"{COLUMN}/num_values"),
    Violation("a value too many", "num-values-disagree", lambda: metadata(num_values=4), lambda: metadata(num_values=3),
        address=f"{CHUNK}/metadata/meta_data/num_values"),
    Violation("negative values", "unreadable", lambda: metadata(num_values=-1), address=CHUNK),
    Violation("bytes too few", "chunk-size-disagrees", lambda: metadata(total_compressed_size=more(-5)), made,
        address=f"{COLUMN}/total_compressed_size"),
    Violation("bytes too many", "chunk-size-disagrees", lambda: metadata(total_compressed_size=more(5)), made,
        "warning", f"{COLUMN}/total_compressed_size"),
    Violation("negative bytes", "unreadable", lambda: metadata(total_compressed_size=-1), address=CHUNK),
    Violation("bytes beyond the file", "unreadable", lambda: metadata(total_compressed_size=1 << 40), address=CHUNK),
    Violation("uncompressed bytes too many", "uncompressed-size-disagrees",
        lambda: metadata(total_uncompressed_size=more(1)), made, "warning", f"{COLUMN}/total_uncompressed_size"),
    Violation("negative uncompressed bytes", "uncompressed-size-disagrees",
        lambda: metadata(total_uncompressed_size=-1), address=f"{COLUMN}/total_uncompressed_size"),
    Violation("pages inside of the magic", "unreadable", lambda: metadata(data_page_offset=3), made, address=CHUNK),
    Violation("pages beyond the file", "unreadable", lambda: metadata(data_page_offset=1 << 40), address=CHUNK),
    Violation("data that begins elsewhere", "data-page-offset", lambda: dictionary(data_page_offset=more(1)),
        dictionary, "warning", f"{COLUMN}/data_page_offset"),
    Violation("a dictionary that is not there", "dictionary-page-offset", lambda: metadata(dictionary_page_offset=4),
        dictionary, "warning", f"{COLUMN}/dictionary_page_offset"),
    Violation("a dictionary that is not named", "dictionary-page-offset-absent",
        lambda: dictionary(dictionary_page_offset=None, data_page_offset=4), dictionary, "note", COLUMN),
    Violation("an encoding that is not listed", "encodings-disagree", lambda: metadata(encodings=[int(Encoding.RLE)]),
        lambda: metadata(encodings=[int(Encoding.PLAIN)]), "warning", f"{COLUMN}/encodings"),
    Violation("a page too many by encoding", "encoding-stats-disagree", lambda: stats((DATA, Encoding.PLAIN, 2)),
        lambda: stats((DATA, Encoding.PLAIN, 1)), "warning", f"{COLUMN}/encoding_stats"),
    Violation("plain pages that count as dictionary encoded", "encoding-stats-disagree",
        lambda: stats((DATA, Encoding.RLE_DICTIONARY, 1)), lambda: stats((DATA, Encoding.PLAIN, 1)),
        address=f"{COLUMN}/encoding_stats"),
    Violation("V1 pages that count as V2", "page-versions-confused", lambda: stats((V2, Encoding.PLAIN, 1)), made,
        "note", f"{COLUMN}/encoding_stats"),
    Violation("pages in another file", "pages-elsewhere", lambda: made(file_path="part-0.parquet"), made, "note", CHUNK),
]  # fmt: skip

ENDS = [
    Violation("another opening magic", "opening-magic", lambda: file(magic=b"PARE"), made, "warning", "magic"),
    Violation("no opening magic", "opening-magic", lambda: file(magic=b"\0\0\0\0"), address="magic"),
    Violation("bytes without an owner", "gap", lambda: file(before_footer=bytes(8)), made, "note", "gaps/39"),
]

VIOLATIONS = FILES + GROUPS + CHUNKS + ENDS
