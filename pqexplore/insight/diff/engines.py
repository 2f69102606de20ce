"""What engines make of two files as one table, if these differ in one thing: seen by running them.

Each reads a list of the first and the second file with its defaults, and takes the schema of the first: pyarrow 26
(`read_table`), DuckDB 2.0 (`read_parquet`), polars 2.1 (`scan_parquet`), Spark 4.3 (`read.parquet`). The tests run all
four again, also with the column in a list and in a struct. Iceberg's answers are the rules of its specification, for
columns with the same field id.
Source: https://iceberg.apache.org/spec/#schema-evolution
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Outcome(Enum):
    """What an engine makes of a second file that differs; the member's value is the word for it.

    `HARMLESS`: its values come in their own type. `WIDENS`: they come in another type, which holds them. `FAILS`: the
    query ends with an error, at the latest with values that do not fit. `LOSES`: the query returns, and values or
    columns are gone, or mean something else.
    """

    LOSES = "loses"
    FAILS = "fails"
    WIDENS = "widens"
    HARMLESS = "harmless"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _RANKS[self]


_RANKS = {outcome: rank for rank, outcome in enumerate(Outcome)}

LOSES, FAILS, WIDENS, HARMLESS = Outcome

Answer = tuple[Outcome, str]


def _all(outcome: Outcome, text: str) -> dict[str, Answer]:
    return dict.fromkeys(("pyarrow", "DuckDB", "polars", "Spark"), (outcome, text))


_READ = _all(HARMLESS, "reads both")
_WIDER = _all(WIDENS, "reads both, with the first file's type")
_POLARS: dict[str, Answer] = {"polars": (FAILS, "refuses: data type mismatch")}
_SPARK: dict[str, Answer] = {"Spark": (FAILS, "refuses: it reads with the first file's type")}
_SCHEMA = _POLARS | _SPARK
WITHOUT = "refuses without "
"""How the words of an engine begin that reads both with the option that follows."""
LEFT_OUT = "leaves the new "
"""How the words of an engine begin that reads the first file's columns alone."""


def _cast(option: str) -> dict[str, Answer]:
    """polars, which casts to a wider type only with this option."""
    return {"polars": (FAILS, f"{WITHOUT}cast_options=pl.ScanCastOptions({option}='upcast')")}


_PROMOTED: dict[str, Answer] = {"Iceberg": (WIDENS, "allows the promotion")}
_ALLOWED: dict[str, Answer] = {"Iceberg": (HARMLESS, "allows the change: it finds columns by field id")}  # fmt: skip
_FORBIDDEN: dict[str, Answer] = {"Iceberg": (FAILS, "does not allow the change")}
_TOO_LARGE: Answer = (FAILS, "refuses values that do not fit the narrower type")
_FRACTION: Answer = (FAILS, "refuses values with a fraction")
_ROUNDED: Answer = (LOSES, "rounds the second file's values to whole numbers")
_KIND = _all(LOSES, "takes the second file's times as those of the first kind")

ANSWERS: dict[str, dict[str, Answer]] = {
    "column-removed": _ALLOWED | {
        "pyarrow": (HARMLESS, "fills the missing column with nulls"),
        "DuckDB": (FAILS, "refuses without union_by_name = true"),
        "polars": (FAILS, "refuses without missing_columns='insert'"),
        "Spark": (HARMLESS, "fills the missing column with nulls"),
    },
    "column-added": _ALLOWED | {
        "pyarrow": (LOSES, f"{LEFT_OUT}column out"),
        "DuckDB": (LOSES, f"{LEFT_OUT}column out without union_by_name = true"),
        "polars": (FAILS, "refuses without extra_columns='ignore'"),
        "Spark": (LOSES, f"{LEFT_OUT}column out without mergeSchema"),
    },
    "struct-field-removed": _ALLOWED | {
        "pyarrow": (HARMLESS, "fills the missing field with nulls"),
        "DuckDB": (HARMLESS, "fills the missing field with nulls"),
        "polars": (FAILS, "refuses without cast_options=pl.ScanCastOptions(missing_struct_fields='insert')"),
        "Spark": (HARMLESS, "fills the missing field with nulls"),
    },
    "struct-field-added": _ALLOWED | {
        "pyarrow": (LOSES, f"{LEFT_OUT}field out"),
        "DuckDB": (LOSES, f"{LEFT_OUT}field out"),
        "polars": (FAILS, "refuses: an extra struct field"),
        "Spark": (LOSES, f"{LEFT_OUT}field out without mergeSchema"),
    },
    "shape": _all(FAILS, "refuses: one is a group, the other is not") | _FORBIDDEN,
    "name-case": _READ | {
        "pyarrow": (LOSES, "fills the column with nulls in the second file"),
        "polars": (FAILS, "refuses: an extra column"),
        "Spark": (HARMLESS, "reads both, unless spark.sql.caseSensitive is true"),
    },
    "column-order": _READ | _ALLOWED,
    "nullability": _READ | _ALLOWED,
    "nullability-required": _READ | _FORBIDDEN,
    "integer-wider": _SCHEMA | _PROMOTED | {"pyarrow": _TOO_LARGE, "DuckDB": _TOO_LARGE},
    "integer-narrower": _WIDER | _cast("integer_cast") | _FORBIDDEN,
    "float-wider": _SCHEMA | _PROMOTED | {
        "pyarrow": (LOSES, "rounds the second file's values to FLOAT"),
        "DuckDB": (LOSES, "rounds the second file's values to FLOAT"),
    },
    "float-narrower": _WIDER | _cast("float_cast") | _FORBIDDEN,
    "integer-to-float": _SCHEMA | _FORBIDDEN | {"pyarrow": _FRACTION, "DuckDB": _ROUNDED},
    "float-to-integer": _WIDER | _FORBIDDEN | {
        "polars": (FAILS, "refuses without cast_options=pl.ScanCastOptions(integer_cast='allow-float')"),
    },
    "float-to-longer-integer": _SCHEMA | _FORBIDDEN | {
        "pyarrow": (FAILS, "refuses integers that the float cannot hold"),
        "DuckDB": (LOSES, "rounds integers that the float cannot hold"),
    },
    "integer-to-decimal": _SCHEMA | _FORBIDDEN | {"pyarrow": _FRACTION, "DuckDB": _ROUNDED},
    "decimal-to-integer": _WIDER | _POLARS | _FORBIDDEN,
    "decimal-to-longer-integer": _SCHEMA | _FORBIDDEN | {
        "pyarrow": (FAILS, "refuses: the decimal has too few digits for the integer type"),
        "DuckDB": (FAILS, "refuses integers with more digits than the decimal"),
    },
    "decimal-wider": _SCHEMA | _PROMOTED | {"pyarrow": _TOO_LARGE, "DuckDB": _TOO_LARGE},
    "decimal-narrower": _WIDER | _cast("integer_cast") | _FORBIDDEN,
    "decimal-scale-wider": _SCHEMA | _FORBIDDEN | {
        "pyarrow": (FAILS, "refuses values with more digits after the point"),
        "DuckDB": (LOSES, "rounds the second file's values to fewer digits after the point"),
    },
    "decimal-scale-narrower": _WIDER | _POLARS | _FORBIDDEN,
    "date-to-timestamp": _SCHEMA | {
        "pyarrow": (LOSES, "drops the time of the day"),
        "DuckDB": (LOSES, "drops the time of the day"),
        "Iceberg": (WIDENS, "allows the promotion to a timestamp without a zone, from version 3 on"),
    },
    "timestamp-to-date": _WIDER | _POLARS | _FORBIDDEN,
    "text-to-binary": _POLARS | _FORBIDDEN | {
        "pyarrow": (FAILS, "refuses bytes that are no UTF-8"),
        "DuckDB": (LOSES, "shows bytes that are no UTF-8 as escapes"),
        "Spark": (LOSES, "shows bytes that are no UTF-8 as �"),
    },
    "binary-to-text": _WIDER | _POLARS | _FORBIDDEN,
    "unit-finer": _POLARS | {
        "pyarrow": (FAILS, "refuses values that the coarser unit does not hold"),
        "DuckDB": (HARMLESS, "reads both"),
        "Spark": (HARMLESS, "reads both"),
    },
    "unit-coarser": _cast("datetime_cast") | {
        "pyarrow": (WIDENS, "reads both, with the first file's type"),
        "DuckDB": (HARMLESS, "reads both"),
        "Spark": (HARMLESS, "reads both"),
    },
    "unit-to-ns": _SCHEMA | _FORBIDDEN | {
        "pyarrow": (FAILS, "refuses values that the coarser unit does not hold"),
        "DuckDB": (LOSES, "drops the nanoseconds"),
    },
    "unit-from-ns": _WIDER | _cast("datetime_cast") | _FORBIDDEN | {
        "Spark": (FAILS, "refuses the first file: it has no nanoseconds"),
    },
    "zone": _KIND | _FORBIDDEN,
    "text-to-number": _SCHEMA | _FORBIDDEN | {
        "pyarrow": (WIDENS, "writes the second file's numbers as text"),
        "DuckDB": (WIDENS, "writes the second file's numbers as text"),
    },
    "number-to-text": _SCHEMA | _FORBIDDEN | {
        "pyarrow": (FAILS, "refuses text that is no number"),
        "DuckDB": (FAILS, "refuses text that is no number"),
    },
    "boolean-to-integer": _SCHEMA | _FORBIDDEN | {
        "pyarrow": (LOSES, "takes every number but 0 as true"),
        "DuckDB": (LOSES, "takes every number but 0 as true"),
    },
    "integer-to-boolean": _SCHEMA | _FORBIDDEN | {
        "pyarrow": (WIDENS, "reads true and false as 1 and 0"),
        "DuckDB": (WIDENS, "reads true and false as 1 and 0"),
    },
}  # fmt: skip
"""By the kind of difference, what each engine does; an engine that is missing was not seen."""


def on_both(kind: str) -> Mapping[str, str]:
    """What engines make of both files, by engine, in words; empty if that was not seen for this kind."""
    return {engine: text for engine, (_, text) in _of(kind)}


def outcomes(kind: str) -> Mapping[str, Outcome]:
    """The outcome by engine; empty if it was not seen for this kind."""
    return {engine: outcome for engine, (outcome, _) in _of(kind)}


def _of(kind: str) -> list[tuple[str, Answer]]:
    """The answers for a kind, those of engines that were run before Iceberg's rules."""
    return sorted(ANSWERS.get(kind, {}).items(), key=lambda pair: pair[0] == "Iceberg")
