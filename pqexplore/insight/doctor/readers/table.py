"""What is known of the readers: feature × engine → reads, reads wrongly or refuses, with the source of each cell.

A cell that is missing is not known; nothing is guessed. A verdict is about the version in `VERSIONS`; `since` is given only
where the project's own statement names a version.
"""

from __future__ import annotations

import dataclasses

from pqexplore.engine.rule import Source
from pqexplore.insight.doctor.readers.reader import Verdict

VERSIONS = {
    "pyarrow": "26.0.1",
    "DuckDB": "2.0.0",
    "polars": "2.1.0",
    "fastparquet": "2026.9.0",
    "DataFusion": "55.0.0",
    "Spark": "4.3.0",
    "ClickHouse": "",
    "hyparquet": "1.31.5",
    "Trino": "(source code)",
    "Impala": "(source code)",
    "parquet-go": "(source code)",
}
"""The readers, and the version of each that was run. ClickHouse was run inside Python (chDB), in a version that was not
recorded; Spark includes parquet-java, and DataFusion arrow-rs. The last three were not run: what is known of them is in
their source code, at the commit that the source of the cell names."""

_TRINO = "https://github.com/trinodb/trino/blob/{}/lib/trino-parquet/src/main/java/io/trino/parquet"

SOURCES = {
    "run": Source("run on the sample files, 22 November 2026 (docs/status.md)", ""),
    "testing": Source(
        "run on a file of apache/parquet-testing, 22 November 2026", "https://github.com/apache/parquet-testing"
    ),
    "status": Source(
        "implementation status, data of December 2025 and January 2026",
        "https://parquet.apache.org/docs/file-format/implementationstatus/",
    ),
    "own": Source("run on a file made for it, 22 November 2026", ""),
    "trino-decoders": Source(
        "source code of Trino, ValueDecoders.java",
        f"{_TRINO.format('02e3bc9f818eab65aa9cd02e5ca958eb03987902')}/reader/decoders/ValueDecoders.java",
    ),
    "trino-codecs": Source(
        "source code of Trino, ParquetCompressionUtils.java",
        f"{_TRINO.format('1cce6b48540a1eae42bc17fab8b0061715f129bc')}/ParquetCompressionUtils.java",
    ),
    "impala": Source(
        "source code of Impala, parquet-metadata-utils.cc",
        "https://github.com/apache/impala/blob/4f5205a3d87821220a8dea9164a122788322884a/be/src/exec/parquet/parquet-metadata-utils.cc",
    ),
    "parquet-go": Source(
        "source code of parquet-go, encoding.go",
        "https://github.com/parquet-go/parquet-go/blob/3f91883b6651587194d9afd4c7645e39b3e99033/encoding.go",
    ),
}
"""Where cells come from, by the key in `Cell.source`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """What one engine does with one feature.

    `verdict`: READS, WRONG or REFUSES. `what` says how, or has the words of the error. `whole`: whether columns without
    the feature cannot be read either. `since`: the first version that reads it, "" if not known. `source`: a key of
    `SOURCES`.
    """

    verdict: Verdict
    what: str = ""
    source: str = "run"
    since: str = ""
    whole: bool = False


def ok(since: str = "", source: str = "run") -> Cell:
    """The engine reads it."""
    return Cell(Verdict.READS, "", source, since)


def wrong(what: str, source: str = "run") -> Cell:
    """The engine gives other values, without an error."""
    return Cell(Verdict.WRONG, what, source)


def no(what: str, source: str = "run") -> Cell:
    """The engine refuses the columns that have it."""
    return Cell(Verdict.REFUSES, what, source)


def stop(what: str, source: str = "run") -> Cell:
    """The engine refuses the whole file."""
    return Cell(Verdict.REFUSES, what, source, whole=True)


@dataclasses.dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known of one feature: what to call it in a sentence, and a cell for each engine that is known."""

    title: str
    cells: dict[str, Cell]


Row = tuple[str, Knowledge]


def row(feature: str, title: str, common: str = "", **cells: Cell) -> Row:
    """A row of the table. The engines named in `common` read the feature."""
    names = {name.lower().replace("-", "_"): name for name in VERSIONS}
    known = {names[one.lower()]: ok() for one in common.split()}
    return feature, Knowledge(title, known | {names[one]: cell for one, cell in cells.items()})
