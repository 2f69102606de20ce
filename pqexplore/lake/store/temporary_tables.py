"""Tables that tasks write and no store keeps: their rows are read once, and removed with their run."""

from __future__ import annotations

from pqexplore.lake.store.table_definition import definition
from pqexplore.lake.tables import TABLES

DIAGNOSES = definition(
    "diagnoses",
    "One row for each file and each rule of the doctor that found something in it, and one with the rule `read` for each "
    "file that was read. It is made by `Lake.diagnose`.",
    """
    run_id: string — The run in which the row was made.
    path: string — The file.
    rule: string — The rule's name; read for the row of a file that was read.
    severity: string — damage, wrong answer possible, slow, wasteful, portability, note.
    places: bigint — How often the rule found something in the file.
    sentence: string — What it found, at the worst place.
    address: string — The worst place; empty for the file.
    columns: array<string> — The columns concerned, the first ones.
    bytes: bigint — Bytes wasted, or read in vain; null if unknown.
    requests: bigint — Requests in vain; null if unknown.
    row_groups: bigint — Row groups read in vain; null if unknown.
    rows: bigint — Rows that can be wrong or lost; null if unknown.
    writer: string — The writer and its version; empty if unknown.
    date: string — The file's date, YYYY-MM-DD; empty if unknown.
    dated_by: string — Where the date is from: partition folder, modification time; empty if unknown.
    details: string — The cost in words, the fix, the code by writer and the source, as JSON.
    """,
)

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

DEFINITIONS = TABLES | {one.name: one for one in (DIAGNOSES, TRIALS)}
"""Every table that tasks write parts of."""
