"""Tables that tasks write and no store keeps: their rows are read once, and removed with their run."""

from __future__ import annotations

from pqexplore.lake.store.table_definition import definition
from pqexplore.lake.tables import TABLES

DIAGNOSES = TABLES["diagnoses"]
"""Also what `Lake.diagnose` makes, which no store keeps; a scan keeps what it says of some files of many."""

TRIALS = definition(
    "trials",
    "One row for each file, column and choice of encoding and codec. A column that was not tried has one row without a "
    "choice, and so has a file that could not be tried. It is made by `Lake.what_if`.",
    """
    run_id: string — The run in which the row was made.
    path: string — The file.
    column_name: string — The leaf's dotted path; null if the file could not be tried.
    physical_type: string — How values are stored.
    today: bigint — Bytes of the column's chunks in the file.
    row_groups: int — Row groups that were measured.
    encoding: int — Number of the encoding; null without a choice.
    dictionary_bytes: bigint — Limit of the dictionary; null without one.
    codec: int — Number of the codec.
    level: int — Level of the codec; null if it has none.
    bytes: double — Bytes of the chunks in this choice.
    variance: double — Variance of bytes: 0 if all was measured; null if unknown.
    seconds: double — Time to encode and compress what was measured.
    untried: string — Why the column or the file was not tried; null if it was.
    """,
)

DEFINITIONS = TABLES | {TRIALS.name: TRIALS}
"""Every table that tasks write parts of."""
