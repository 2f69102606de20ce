"""Which rows of a table meet a condition.

The condition is about the table's present columns, also those of partitions, which no file has. So the rows are brought
into the table's columns first; then they are judged as those of a file with these columns, by `insight.ask`.
"""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Mask
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.insight.ask import bound, matching, sql
from pqexplore.insight.ask.binding import bind


class Condition:
    """A condition in Spark's SQL, and the columns it is about. UsageError if it does not fit the columns of `schema`."""

    def __init__(self, text: str, schema: pa.Schema) -> None:
        self._clause = sql.parse(text)
        with _as_file(schema.empty_table()) as empty:
            leaves = bound.columns(bind(self._clause, empty.schema))
        wanted = {leaf.path[0] for leaf in leaves}
        self.columns = [name for name in schema.names if name in wanted] or schema.names[:1]

    def mask(self, rows: pa.Table) -> Mask:
        """Whether each row meets it, for rows with `columns`. UsageError for a clause that cannot be evaluated."""
        if not rows.num_rows:
            return np.zeros(0, bool)
        with _as_file(rows) as file:
            condition = bind(self._clause, file.schema)
            return np.concatenate([matching.rows(file, group.index, condition, None) for group in file.row_groups])


def _as_file(rows: pa.Table) -> ParquetFile:
    """Rows as a file in memory."""
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(rows, sink, compression="none", use_dictionary=False, write_statistics=False, store_schema=False)
    return open_file(sink.getvalue())
