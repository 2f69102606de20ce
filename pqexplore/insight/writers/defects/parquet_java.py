"""Defects of Parquet Java (parquet-mr), and of the programs that use it."""

from __future__ import annotations

from pqexplore.engine.format.thrift.structs import Encoding
from pqexplore.engine.rule import Severity
from pqexplore.insight.writers import concerns as about
from pqexplore.insight.writers import in_bytes
from pqexplore.insight.writers.defect import SPLITS, VALUES, Defect
from pqexplore.insight.writers.defects.table import by_check, link

JAVA = "parquet-java"

DEFECTS = (
    by_check(
        "PARQUET-816", JAVA, Severity.DAMAGE,
        "total_compressed_size leaves out the header of the dictionary page",
        "a reader that takes the size at its word cuts off the last page",
        concerns=about.has_dictionary,
    ),
    Defect(
        "PARQUET-251", JAVA,
        "bounds of BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY columns come from a buffer that was used again",
        "a reader that trusts them skips rows that match",
        Severity.WRONG, link("PARQUET-251", JAVA), fixed=(1, 8, 0), unnumbered=True, concerns=about.has_overwritten_bounds,
    ),
    Defect(
        "PARQUET-1025", JAVA,
        "min and max of text and bytes are compared as signed bytes, so bytes from 0x80 on come before all others",
        "a reader that trusts them skips rows that match",
        Severity.WRONG, link("PARQUET-1025", JAVA), fixed=(1, 10, 0), unnumbered=True, test=in_bytes.signed_order,
        concerns=about.has_old_byte_bounds,
    ),
    Defect(
        "PARQUET-1065", JAVA,
        "INT96 columns have bounds, compared as signed bytes",
        "a reader that uses them skips rows that match; careful readers ignore them",
        Severity.NOTE, link("PARQUET-1065", JAVA), fixed=(1, 10, 0), unnumbered=True, test=in_bytes.int96_bounds,
        concerns=about.has_int96,
    ),
    Defect(
        "PARQUET-246", JAVA,
        "DELTA_BYTE_ARRAY keeps the last value of a page for the next one, so the first value of a page has a prefix",
        "a reader that decodes a page by itself fails, or returns wrong values",
        Severity.DAMAGE, link("PARQUET-246", JAVA), fixed=(1, 8, 0), unnumbered=True,
        concerns=about.has_encoding(Encoding.DELTA_BYTE_ARRAY),
    ),
    by_check(
        "PARQUET-1850", JAVA, Severity.PORTABILITY,
        "dictionary_page_offset is never set, and data_page_offset is where the dictionary page is",
        "a reader that looks for the dictionary by its offset finds none",
        concerns=about.has_dictionary,
    ),
    Defect(
        "PARQUET-1402", JAVA,
        "dictionary_page_offset is 0 in chunks without a dictionary",
        "a reader that begins a chunk at its smallest offset reads from the beginning of the file",
        Severity.PORTABILITY, link("PARQUET-1402", JAVA), built_by="Dremio", test=in_bytes.dictionary_at_zero,
    ),
    by_check(
        "PARQUET-2078", JAVA, Severity.WRONG,
        "RowGroup.file_offset is that of an earlier dictionary page",
        "a reader that splits files by it loses row groups, or reads them twice",
        test=in_bytes.wrong_file_offset, misleads=SPLITS,
    ),
    by_check(
        "PARQUET-1879", JAVA, Severity.PORTABILITY,
        "the key-value group of a map has a logical type that no reader knows",
        "readers of other versions fail to read the schema",
        concerns=about.has_nested,
    ),
    by_check(
        "PARQUET-1246", JAVA, Severity.WRONG,
        "bounds of FLOAT and DOUBLE can be NaN, and zeros keep their sign",
        "a reader that compares with NaN skips row groups that match",
        concerns=about.has_floats,
    ),
    by_check(
        "PARQUET-2164", JAVA, Severity.PORTABILITY,
        "the size of a large row group overflows and becomes negative",
        "readers refuse the file, or plan its splits wrongly",
        test=in_bytes.negative_sizes,
    ),
    by_check(
        "apache/parquet-java#3585", JAVA, Severity.PORTABILITY,
        "without statistics, num_nulls of a V2 page is -1",
        "readers that check it refuse the page",
    ),
    Defect(
        "apache/parquet-java#3122", JAVA,
        "a V2 page of nothing but nulls says that its values are compressed, and has no byte of them",
        "readers that decompress nothing fail: Snappy has no empty input",
        Severity.PORTABILITY, link("apache/parquet-java#3122", JAVA), fixed=(1, 16, 0),
        test=in_bytes.compressed_nothing, pages=True,
    ),
    Defect(
        "apache/parquet-java#3574", JAVA,
        "a bound above the size limit drops all statistics of the chunk, null_count too",
        "a condition on the column, even IS NULL, skips nothing; some programs take the count for all nulls",
        Severity.NOTE, link("apache/parquet-java#3574", JAVA), since=(1, 10, 0), test=in_bytes.statistics_dropped,
        concerns=about.has_byte_bounds,
    ),
    Defect(
        "apache/parquet-java#3637", JAVA,
        "a dictionary writer that fell back is used again for the next row group",
        "values of later row groups can be wrong",
        Severity.DAMAGE, link("apache/parquet-java#3637", JAVA), fixed=(1, 18, 0), concerns=about.gave_up_dictionaries,
    ),
    Defect(
        "PARQUET-2052", JAVA,
        "very large binary values with a dictionary overflow the size of a page",
        "the page cannot be read",
        Severity.DAMAGE, link("PARQUET-2052", JAVA), fixed=(1, 12, 1), concerns=about.has_huge_dictionary_pages,
    ),
    Defect(
        "PARQUET-2257", JAVA,
        "the footer gives the place of a Bloom filter, and not its length",
        "a reader on an object store needs one request more for each filter",
        Severity.NOTE, link("PARQUET-2257", JAVA), fixed=(1, 14, 0), test=in_bytes.filter_without_length,
        concerns=about.has_filters,
    ),
    by_check(
        "ARROW-17453", JAVA, Severity.PORTABILITY,
        "V2 pages of columns without lists have repetition levels",
        "readers that take their length for 0 read all levels wrongly",
        built_by="Amazon Athena",
    ),
    Defect(
        "DRILL-4203", JAVA,
        "dates are shifted by 4,881,176 days, twice the Julian day of 1970",
        "every reader but Drill returns dates after the year 5000",
        Severity.WRONG, link("DRILL-4203", JAVA), unnumbered=True, test=in_bytes.shifted_dates, concerns=about.of_drill,
        misleads=VALUES,
    ),
    Defect(
        "SPARK-31404", JAVA,
        "dates and timestamps before 1582-10-15 are in the hybrid calendar",
        "readers other than Spark return other days for them",
        Severity.WRONG, link("SPARK-31404", JAVA), unnumbered=True, test=in_bytes.old_calendar,
        concerns=about.has_legacy_dates, misleads=VALUES,
    ),
    Defect(
        "facebookincubator/velox#12965", "velox",
        "created_by says \"parquet-mr version 2.6.0\", a version that Parquet Java never had",
        "readers that work around defects by version apply those of another writer",
        Severity.NOTE, link("facebookincubator/velox#12965", "velox"), test=in_bytes.claims_parquet_mr,
    ),
)  # fmt: skip
