"""What a query reads: plans of a file of 1,000 row groups × 1,000 columns, after opening."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow.dataset as ds
import pyarrow.parquet as pq

import pqexplore
from benchmarks.files import Files
from benchmarks.measure import Row, interleaved

PREDICATES = (
    # what it is, the condition, the same for pyarrow
    ("one row group kept", "column_0 = 3", ds.field("column_0") == 3),
    ("none kept", "column_2 < 0", ds.field("column_2") < 0),
    ("45 % kept", "column_4 > 5500", ds.field("column_4") > 5500),
    (
        "two columns, 45 % kept",
        "column_6 > 5500 AND column_501 < 0.5",
        (ds.field("column_6") > 5500) & (ds.field("column_501") < 0.5),
    ),
)


def rows(files: Files) -> Iterator[Row]:
    path = files.filtered
    file = pqexplore.open(path)
    pqexplore.ask(file, "column_8 = 1", columns=["column_9"])  # indexes the footer
    [fragment] = ds.dataset(path).get_fragments()
    fragment.ensure_complete_metadata()
    size = pq.read_metadata(path).num_row_groups
    for what, where, expression in PREDICATES:
        before = file.bytes_read

        def ours(where: str = where) -> Any:
            return pqexplore.ask(file, where, columns=["column_9"])

        def pyarrow(expression: ds.Expression = expression) -> Any:
            return fragment.split_by_row_group(expression)

        plan = ours()
        read = file.bytes_read - before
        times = interleaved({"ours": ours, "pyarrow": pyarrow}, rounds=5)
        yield Row(
            f"a plan of {size:,} row groups × 1,000 columns: {what}",
            times,
            times["ours"],
            0.1,
            "",
            note=f"reads {len(plan.kept):,} row groups; planning read {read:,} bytes",
        )
