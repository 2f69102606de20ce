"""Which rows of a table meet a condition.

The condition is about the table's present columns, also those of partitions, which no file has. So the rows are brought
into the table's columns first; then they are judged as those of a file with these columns, by `insight.ask`.
"""

from __future__ import annotations

import io
from collections.abc import Collection

import numpy as np
import pyarrow as pa

from pqexplore.engine.arrays import Mask
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.insight.ask import bound, matching, sql
from pqexplore.insight.ask.binding import bind


class Condition:
    """A condition in Spark's SQL, and the columns it is about. UsageError if it does not fit the columns of `schema`.

    `uuids` are columns whose 16 bytes are UUIDs.
    """

    def __init__(self, text: str, schema: pa.Schema, uuids: Collection[str] = ()) -> None:
        self._clause, self._uuids = sql.parse(text), uuids
        with self._as_file(schema.empty_table()) as empty:
            leaves = bound.columns(bind(self._clause, empty.schema))
        wanted = {leaf.path[0] for leaf in leaves}
        self.columns = [name for name in schema.names if name in wanted] or schema.names[:1]

    def mask(self, rows: pa.Table) -> Mask:
        """Whether each row meets it, for rows with `columns`. UsageError for a clause that cannot be evaluated."""
        if not rows.num_rows:
            return np.zeros(0, bool)
        with self._as_file(rows) as file:
            condition = bind(self._clause, file.schema)
            return np.concatenate([matching.rows(file, group.index, condition, None) for group in file.row_groups])

    def _as_file(self, rows: pa.Table) -> ParquetFile:
        """Rows as a file in memory."""
        import pyarrow.parquet as pq

        for name in self._uuids:
            if name in rows.column_names and hasattr(pa, "uuid"):  # from pyarrow 18 on
                typed = pa.ExtensionArray.from_storage(pa.uuid(), rows[name].combine_chunks())
                rows = rows.set_column(rows.column_names.index(name), name, typed)
        sink = io.BytesIO()
        pq.write_table(rows, sink, compression="none", use_dictionary=False, write_statistics=False, store_schema=False)
        return open_file(sink.getvalue())
