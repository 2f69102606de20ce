"""Defects of engines that write Parquet with code of their own: DuckDB, Polars, Impala, cuDF, ClickHouse."""

from __future__ import annotations

from pqexplore.engine.rule import Severity
from pqexplore.insight.writers import concerns as about
from pqexplore.insight.writers import in_bytes
from pqexplore.insight.writers.defect import VALUES, Defect
from pqexplore.insight.writers.defects.table import by_check, link

DUCKDB, POLARS, IMPALA, CUDF, CLICKHOUSE = "duckdb", "polars", "impala", "cudf", "clickhouse"

DEFECTS = (
    by_check(
        "duckdb/duckdb#10829", DUCKDB, Severity.PORTABILITY,
        "data_page_offset leaves out the header of the dictionary page",
        "a reader that goes to the first data page finds no header there",
        concerns=about.has_dictionary,
    ),
    by_check(
        "duckdb/duckdb#12096", DUCKDB, Severity.PORTABILITY,
        "dictionary_page_offset is set in chunks without a dictionary page",
        "Impala refuses the file",
    ),
    by_check(
        "duckdb/duckdb#20650", DUCKDB, Severity.SLOW,
        "column_orders is absent",
        "careful readers ignore the bounds of text, and skip nothing by them",
    ),
    Defect(
        "duckdb/duckdb#20014", DUCKDB,
        "bounds of FLOAT and DOUBLE leave out infinities",
        "a reader that trusts them skips rows with infinities",
        Severity.WRONG, link("duckdb/duckdb#20014", DUCKDB), fixed=(1, 4, 3), concerns=about.has_floats,
    ),
    Defect(
        "duckdb/duckdb#23496", DUCKDB,
        "the metadata of a Variant says that its strings are sorted, and they are not",
        "a reader that searches the keys by their order misses fields",
        Severity.WRONG, link("duckdb/duckdb#23496", DUCKDB), fixed=(2, 0, 0), concerns=about.has_variants,
    ),
    by_check(
        "pola-rs/polars#26531", POLARS, Severity.PORTABILITY,
        "dictionary_page_offset is not set, and data_page_offset is where the dictionary page is",
        "a reader that looks for the dictionary by its offset finds none",
        concerns=about.has_dictionary,
    ),
    by_check(
        "pola-rs/polars#29321", POLARS, Severity.WRONG,
        "null_count is multiplied by the number of pages",
        "a condition IS NOT NULL skips rows that match",
        concerns=about.has_nulls_by_dictionary,
    ),
    by_check(
        "pola-rs/polars#29347", POLARS, Severity.WRONG,
        "bounds of decimals are merged without their sign, so min can be above max",
        "a reader that trusts them skips rows that match",
        concerns=about.has_decimals,
    ),
    by_check(
        "IMPALA-6527", IMPALA, Severity.WRONG,
        "bounds of FLOAT and DOUBLE can be NaN",
        "a reader that compares with NaN skips row groups that match",
        concerns=about.has_floats,
    ),
    Defect(
        "IMPALA-3006", IMPALA,
        "BIT_PACKED levels begin at the lowest bit of a byte, not at the highest",
        "a reader that follows the specification puts nulls into the wrong rows",
        Severity.WRONG, link("IMPALA-3006", IMPALA), test=in_bytes.bit_packed_nulls, pages=True,
        concerns=about.has_bit_packed_levels, misleads=VALUES,
    ),
    Defect(
        "IMPALA-10186", IMPALA,
        "a chunk ends with a data page without values",
        "Hive refuses the file",
        Severity.PORTABILITY, link("IMPALA-10186", IMPALA), fixed=(4, 3, 0), test=in_bytes.empty_page, pages=True,
    ),
    by_check(
        "rapidsai/cudf#9221", CUDF, Severity.WRONG,
        "null_count is a number without meaning",
        "a condition IS NULL, or IS NOT NULL, skips rows that match",
    ),
    Defect(
        "rapidsai/cudf#22299", CUDF,
        "strings of a dictionary can become empty at the border of row groups",
        "values of the column are wrong",
        Severity.DAMAGE, link("rapidsai/cudf#22299", CUDF), since=(26, 2, 1), concerns=about.has_dictionary,
    ),
    Defect(
        "ClickHouse/ClickHouse#83754", CLICKHOUSE,
        "bounds of decimals in bytes are compared without their sign",
        "a reader that trusts them skips rows with negative numbers",
        Severity.WRONG, link("ClickHouse/ClickHouse#83754", CLICKHOUSE), fixed=(25, 8, 0), concerns=about.has_decimals,
    ),
    by_check(
        "ClickHouse/ClickHouse#83876", CLICKHOUSE, Severity.WRONG,
        "first_row_index of the offset index is wrong",
        "a reader that skips pages reads wrong rows",
    ),
)  # fmt: skip
