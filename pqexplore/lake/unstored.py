"""Tables that tasks write and no store keeps: their rows are read once, and removed with their run."""

from __future__ import annotations

from pqexplore.lake.tables import TABLES, definition

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

DEFINITIONS = TABLES | {one.name: one for one in (DIAGNOSES,)}
"""Every table that tasks write parts of."""
