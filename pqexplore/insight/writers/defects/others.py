"""Defects of the writers in Go, .NET, JavaScript and Python."""

from __future__ import annotations

from pqexplore.engine.rule import Severity
from pqexplore.insight.writers import concerns as about
from pqexplore.insight.writers import in_bytes
from pqexplore.insight.writers.defect import Defect
from pqexplore.insight.writers.defects.table import by_check, link

XITONGSYS, PARQUET_GO, DOTNET = "xitongsys", "parquet-go", "parquet-net"
HYPARQUET, FASTPARQUET = "hyparquet", "fastparquet"

DEFECTS = (
    by_check(
        "xitongsys/parquet-go#547", XITONGSYS, Severity.PORTABILITY,
        "compressed_page_size in the offset index leaves out the page header",
        "Athena, Spark and others that read pages by the offset index fail",
    ),
    Defect(
        "xitongsys/parquet-go#473", XITONGSYS,
        "the column index has no null_counts",
        "Trino refuses the file",
        Severity.PORTABILITY, link("xitongsys/parquet-go#473", XITONGSYS), test=in_bytes.index_without_counts, pages=True,
    ),
    by_check(
        "release 0.26.2", PARQUET_GO, Severity.PORTABILITY,
        "SizeStatistics are wrong",
        "a reader that sizes its buffers by them takes too much, or too little",
        url="https://github.com/parquet-go/parquet-go/releases/tag/v0.26.2",
    ),
    Defect(
        "release 0.31.0", PARQUET_GO,
        "values are lost when a column gives up its dictionary",
        "rows of the column are wrong",
        Severity.DAMAGE, "https://github.com/parquet-go/parquet-go/releases/tag/v0.31.0", fixed=(0, 31, 0),
        concerns=about.has_dictionary,
    ),
    by_check(
        "elastacloud/parquet-dotnet#334", DOTNET, Severity.DAMAGE,
        "num_rows of the footer is 0",
        "readers that trust it return no rows",
    ),
    by_check(
        "aloneguid/parquet-dotnet#261", DOTNET, Severity.NOTE,
        "created_by is \"Parquet.Net v4.4.6\", without the word \"version\"",
        "readers that look for the word cannot tell the version",
    ),
    by_check(
        "hyparam/hyparquet-writer#31", HYPARQUET, Severity.WRONG,
        "max_value of text is cut to 16 bytes and not rounded up",
        "a reader that trusts it skips rows that match",
        concerns=about.has_byte_bounds,
    ),
    by_check(
        "fastparquet, writer.py", FASTPARQUET, Severity.NOTE,
        "zero bytes follow the values of a page",
        "readers ignore them",
        url="https://github.com/dask/fastparquet/blob/main/fastparquet/writer.py",
    ),
)  # fmt: skip
