"""Defects of the Arrow implementations in C++, Rust and Go."""

from __future__ import annotations

from pqexplore.engine.format.thrift.structs import Encoding
from pqexplore.engine.rule import Severity
from pqexplore.insight.writers import concerns as about
from pqexplore.insight.writers import in_bytes
from pqexplore.insight.writers.defect import SPLITS, Defect
from pqexplore.insight.writers.defects.table import by_check, link

CPP, RUST, GO = "arrow-cpp", "arrow-rs", "arrow-go"

DEFECTS = (
    by_check(
        "PARQUET-2089", CPP, Severity.WRONG,
        "RowGroup.file_offset is where the first chunk ends",
        "a reader that splits files by it reads no rows: Trino did",
        test=in_bytes.wrong_file_offset, misleads=SPLITS,
    ),
    by_check(
        "PARQUET-2008", CPP, Severity.PORTABILITY,
        "RowGroup.total_byte_size is not the size of its chunks",
        "a reader that plans its memory by it plans wrongly",
        test=in_bytes.wrong_sizes,
    ),
    by_check(
        "PARQUET-1225", CPP, Severity.WRONG,
        "bounds of FLOAT and DOUBLE can be NaN",
        "a reader that compares with NaN skips row groups that match",
        concerns=about.has_floats,
    ),
    by_check(
        "ARROW-10237", CPP, Severity.DAMAGE,
        "a dictionary with a value twice is written as it is",
        "readers that take entries for distinct values return wrong ones",
        concerns=about.has_dictionary,
    ),
    by_check(
        "PARQUET-1706", CPP, Severity.PORTABILITY,
        "dictionary_page_offset is set in chunks without a dictionary page",
        "a reader that looks for the dictionary by its offset reads another page",
    ),
    Defect(
        "PARQUET-1358", CPP,
        "index_page_offset is 0 in chunks without an index page",
        "a reader that begins a chunk at its smallest offset reads from the beginning of the file",
        Severity.PORTABILITY, link("PARQUET-1358", CPP), fixed=(1, 5, 0), test=in_bytes.index_page_at_zero,
    ),
    Defect(
        "PARQUET-686", CPP,
        "min and max of text and bytes are compared as signed bytes, so bytes from 0x80 on come before all others",
        "a reader that trusts them skips rows that match",
        Severity.WRONG, link("PARQUET-686", CPP), fixed=(1, 3, 0), unnumbered=True, test=in_bytes.signed_order,
        concerns=about.has_old_byte_bounds,
    ),
    Defect(
        "ARROW-10353", CPP,
        "V2 pages say that they are not compressed, and are",
        "readers that obey the flag fail, or return wrong values",
        Severity.DAMAGE, link("ARROW-10353", CPP), fixed=(3, 0, 0), test=in_bytes.compressed_unsaid, pages=True,
    ),
    Defect(
        "ARROW-9424", CPP,
        "pages with the codec LZ4 are bare LZ4 blocks, without the lengths that Hadoop writes",
        "readers of Hadoop's framing fail",
        Severity.PORTABILITY, link("ARROW-9424", CPP), fixed=(2, 0, 0), test=in_bytes.raw_lz4, pages=True,
        concerns=about.has_lz4,
    ),
    Defect(
        "PARQUET-1655", CPP,
        "bounds of decimals in bytes are compared without their sign",
        "a reader that trusts them skips rows with negative numbers",
        Severity.WRONG, link("PARQUET-1655", CPP), fixed=(4, 0, 0), concerns=about.has_decimals,
    ),
    by_check(
        "PARQUET-2067", CPP, Severity.WRONG,
        "null_count leaves out the nulls of enclosing lists and groups",
        "a condition IS NULL skips rows that match",
        concerns=about.has_nested,
    ),
    Defect(
        "apache/arrow#15042", CPP,
        "bounds of a column that Arrow holds as a dictionary come from the first batch only",
        "a reader that trusts them skips rows that match",
        Severity.WRONG, link("apache/arrow#15042", CPP), since=(3, 0, 0), fixed=(11, 0, 0), concerns=about.has_byte_bounds,
    ),
    Defect(
        "ARROW-18437", CPP,
        "DELTA_BINARY_PACKED is wrong if a page is flushed more than once",
        "values of the page are wrong",
        Severity.DAMAGE, link("ARROW-18437", CPP), fixed=(11, 0, 0),
        concerns=about.has_encoding(Encoding.DELTA_BINARY_PACKED),
    ),
    Defect(
        "apache/arrow#15173", CPP,
        "BYTE_STREAM_SPLIT of a column with nulls has bytes for the nulls, too",
        "other readers refuse the page, or return wrong values",
        Severity.DAMAGE, link("apache/arrow#15173", CPP), fixed=(12, 0, 0),
        concerns=about.has_encoding(Encoding.BYTE_STREAM_SPLIT),
    ),
    by_check(
        "apache/arrow#34086", CPP, Severity.WRONG,
        "num_rows of a V2 page counts the values of a list as rows",
        "a reader that skips pages reads wrong rows of the other columns",
        concerns=about.has_nested,
    ),
    by_check(
        "apache/arrow#34326", CPP, Severity.PORTABILITY,
        "num_nulls of a V2 page is wrong without statistics",
        "a reader that sizes its buffers by it fails",
    ),
    by_check(
        "apache/arrow#34142", CPP, Severity.WRONG,
        "a row continues on the next page",
        "a reader that skips pages reads wrong rows",
        concerns=about.has_nested,
    ),
    Defect(
        "apache/arrow#36939", CPP,
        "booleans in RLE over several batches are wrong",
        "values of the column are wrong",
        Severity.DAMAGE, link("apache/arrow#36939", CPP), since=(3, 0, 0), fixed=(14, 0, 0),
        concerns=about.has_rle_booleans,
    ),
    Defect(
        "apache/arrow#39210", CPP,
        "a row group without rows is written",
        "readers that expect rows in each row group fail",
        Severity.NOTE, link("apache/arrow#39210", CPP), fixed=(15, 0, 0), test=in_bytes.empty_row_group,
    ),
    Defect(
        "apache/arrow#47973", CPP,
        "very large pages of dictionary indexes lose bits",
        "values of the page are wrong",
        Severity.DAMAGE, link("apache/arrow#47973", CPP), fixed=(23, 0, 0), concerns=about.has_huge_dictionary_pages,
    ),
    by_check(
        "apache/arrow#50182", CPP, Severity.WRONG,
        "the minimum of a column of infinities is the largest finite number, marked as exact",
        "MIN or MAX by the statistics gives a value that is not there",
        concerns=about.has_floats,
    ),
    by_check(
        "apache/arrow#50778", CPP, Severity.PORTABILITY,
        "the histogram of levels counts the first 16,384 of them twice",
        "a reader that sizes its buffers by it takes too much",
    ),
    Defect(
        "apache/arrow-rs#641", RUST,
        "bounds of text compare by length first",
        "a reader that trusts them skips rows that match",
        Severity.WRONG, link("apache/arrow-rs#641", RUST), fixed=(5, 2, 0), concerns=about.has_byte_bounds,
    ),
    by_check(
        "apache/arrow-rs#6310", RUST, Severity.PORTABILITY,
        "the column index has bounds for pages of nulls, or too few",
        "readers that check it refuse the index",
    ),
    Defect(
        "apache/arrow-rs#6490", RUST,
        "null_count is left out if it is 0",
        "a condition IS NULL skips nothing",
        Severity.NOTE, link("apache/arrow-rs#6490", RUST), fixed=(53, 1, 0), test=in_bytes.null_count_left_out,
    ),
    Defect(
        "apache/arrow-rs#7686", RUST,
        "bounds of INT96 compare its three integers",
        "a reader that trusts them skips rows that match",
        Severity.WRONG, link("apache/arrow-rs#7686", RUST), fixed=(56, 0, 0), concerns=about.has_int96,
    ),
    by_check(
        "apache/arrow-go#806", GO, Severity.WRONG,
        "distinct_count is 0, whatever the values are",
        "a reader that plans a join or a COUNT(DISTINCT) by it plans wrongly",
    ),
    by_check(
        "apache/arrow-go#887", GO, Severity.WRONG,
        "with a page index, a row continues on the next page",
        "a reader that skips pages reads wrong rows",
        concerns=about.has_nested,
    ),
)  # fmt: skip
