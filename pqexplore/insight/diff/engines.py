"""What engines make of two files as one table, if these differ in one thing: seen by running them.

Each reads a list of the first and the second file with its defaults, and takes the schema of the first: pyarrow 26
(`read_table`), DuckDB 2.0 (`read_parquet`), polars 2.1 (`scan_parquet`), Spark 4.3 (`read.parquet`). The tests run the
first three again. Iceberg's rules of evolution are those of its specification.
Source: https://iceberg.apache.org/spec/#schema-evolution
"""

from __future__ import annotations

from collections.abc import Mapping

from pqexplore.insight.doctor.readers.reader import Verdict

READS, WRONG, REFUSES = Verdict.READS, Verdict.WRONG, Verdict.REFUSES

Answer = tuple[Verdict, str]

_ALL_READ: dict[str, Answer] = {
    "pyarrow": (READS, "reads both"),
    "DuckDB": (READS, "reads both"),
    "polars": (READS, "reads both"),
    "Spark": (READS, "reads both"),
}
_POLARS: dict[str, Answer] = {"polars": (REFUSES, "refuses: data type mismatch")}
_ICEBERG: dict[str, Answer] = {"Iceberg": (READS, "allows the promotion")}
_NO_ICEBERG: dict[str, Answer] = {"Iceberg": (REFUSES, "does not allow the change")}

ANSWERS: dict[str, dict[str, Answer]] = {
    "column-removed": _ALL_READ | {
        "pyarrow": (READS, "fills the missing column with nulls"),
        "DuckDB": (REFUSES, "refuses without union_by_name = true"),
        "polars": (REFUSES, "refuses without missing_columns='insert'"),
        "Spark": (READS, "fills the missing column with nulls"),
    },
    "column-added": _ALL_READ | {
        "pyarrow": (WRONG, "leaves the new column out"),
        "DuckDB": (WRONG, "leaves the new column out without union_by_name = true"),
        "polars": (REFUSES, "refuses without extra_columns='ignore'"),
        "Spark": (WRONG, "leaves the new column out without mergeSchema"),
    },
    "name-case": _ALL_READ | {
        "pyarrow": (WRONG, "fills the column with nulls in the second file"),
        "polars": (REFUSES, "refuses: an extra column"),
        "Spark": (READS, "reads both, unless spark.sql.caseSensitive is true"),
    },
    "column-order": _ALL_READ,
    "nullability": _ALL_READ,
    "integer-wider": _POLARS | _ICEBERG | {
        "pyarrow": (REFUSES, "refuses values that do not fit the narrower type"),
        "DuckDB": (REFUSES, "refuses values that do not fit the narrower type"),
        "Spark": (REFUSES, "refuses: it reads with the first file's type"),
    },
    "integer-narrower": _ALL_READ | _POLARS | _NO_ICEBERG,
    "float-wider": _POLARS | _ICEBERG | {
        "pyarrow": (WRONG, "rounds the second file's values to FLOAT"),
        "DuckDB": (WRONG, "rounds the second file's values to FLOAT"),
        "Spark": (REFUSES, "refuses: it reads with the first file's type"),
    },
    "float-narrower": _ALL_READ | _POLARS | _NO_ICEBERG,
    "integer-to-float": _POLARS | _NO_ICEBERG | {
        "pyarrow": (REFUSES, "refuses values with a fraction"),
        "DuckDB": (WRONG, "rounds the second file's values to whole numbers"),
        "Spark": (REFUSES, "refuses: it reads with the first file's type"),
    },
    "date-to-timestamp": _POLARS | {
        "pyarrow": (WRONG, "drops the time of the day"),
        "DuckDB": (WRONG, "drops the time of the day"),
        "Spark": (REFUSES, "refuses: it reads with the first file's type"),
        "Iceberg": (READS, "allows the promotion to a timestamp without a zone, from version 3 on"),
    },
    "text-to-binary": _POLARS | {
        "pyarrow": (REFUSES, "refuses bytes that are no UTF-8"),
        "DuckDB": (WRONG, "shows bytes that are no UTF-8 as escapes"),
        "Spark": (WRONG, "shows bytes that are no UTF-8 as �"),
    } | _NO_ICEBERG,
    "binary-to-text": _ALL_READ | _POLARS | _NO_ICEBERG,
    "unit-finer": _POLARS | {
        "pyarrow": (REFUSES, "refuses values that the coarser unit does not hold"),
        "Spark": (READS, "reads both"),
    },
    "unit-coarser": _POLARS | {"pyarrow": (READS, "reads both"), "Spark": (READS, "reads both")},
    "zone": {
        "pyarrow": (WRONG, "takes the second file's times as those of the first kind"),
        "polars": (WRONG, "takes the second file's times as those of the first kind"),
        "Spark": (WRONG, "takes the second file's times as those of the first kind"),
    } | _NO_ICEBERG,
    "decimal-wider": _POLARS | _ICEBERG | {
        "pyarrow": (READS, "reads both, if the values fit the narrower type"),
        "DuckDB": (READS, "reads both, if the values fit the narrower type"),
        "Spark": (REFUSES, "refuses: it reads with the first file's type"),
    },
    "decimal-narrower": _ALL_READ | _POLARS | _NO_ICEBERG,
    "text-to-number": _POLARS | _NO_ICEBERG | {
        "pyarrow": (READS, "writes the second file's numbers as text"),
        "DuckDB": (READS, "writes the second file's numbers as text"),
        "Spark": (REFUSES, "refuses: it reads with the first file's type"),
    },
    "number-to-text": _POLARS | _NO_ICEBERG | {
        "pyarrow": (REFUSES, "refuses text that is no number"),
        "DuckDB": (REFUSES, "refuses text that is no number"),
        "Spark": (REFUSES, "refuses: it reads with the first file's type"),
    },
}  # fmt: skip
"""By the kind of difference, what each engine does; an engine that is missing was not seen."""


def on_both(kind: str) -> Mapping[str, str]:
    """What engines make of both files, by engine, in words; empty if that was not seen for this kind."""
    return {engine: text for engine, (_, text) in ANSWERS.get(kind, {}).items()}
