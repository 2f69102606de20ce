"""The record of a view."""

from __future__ import annotations

import dataclasses

TABLE = """coalesce(table_path, regexp_replace(regexp_replace(path, '/[^/]*$', ''), '/[^/=]+=.*$', ''))"""
"""The table of a file: that of its log, or its folder without `key=value` (`doctor.together.table_of`)."""

NAMED_LEAVES = f"""(
          SELECT u.*, s.physical_type, s.logical_type,
                 coalesce(t.table_column, s.column_name) AS column_name,
                 coalesce(t.definition, s.definition) AS definition
          FROM (
            SELECT table_path, {TABLE} AS table_name, schema_id,
                   count(*) AS num_files,
                   min(modified) AS since,
                   max(modified) AS last_seen,
                   min_by(path, modified) AS first_path,
                   min(partition_values) AS first_partition,
                   max(partition_values) AS last_partition
            FROM files
            WHERE status = 'ok'
            GROUP BY table_path, {TABLE}, schema_id
          ) u JOIN schemas s ON u.schema_id = s.schema_id
          LEFT JOIN table_columns t
            ON u.table_path = t.table_path AND s.schema_id = t.schema_id AND s.leaf = t.leaf
          WHERE t.leaf IS NULL OR t.table_column IS NOT NULL
        )"""
"""The leaves of each schema of a table's readable files, by the names of the table, without columns that it dropped; and
how many files have the schema, since when, and where.
"""


@dataclasses.dataclass(frozen=True)
class View:
    """A question about a lake, and the query that answers it, in the SQL that Spark and DuckDB share.

    `parameters` are the numbers in the query: pairs of a name and a default. `columns` says what each column of the answer
    means, a line for each: name, dash, meaning.
    """

    name: str
    question: str
    text: str
    parameters: tuple[tuple[str, int | float], ...] = ()
    columns: str = ""

    @property
    def meanings(self) -> dict[str, str]:
        """What each column of the answer means, in their order."""
        lines = (line.strip().partition(" — ") for line in self.columns.strip().splitlines())
        return {name: meaning for name, _, meaning in lines}

    def sql(self, **parameters: int | float) -> str:
        """The query, with its parameters filled in. KeyError for a parameter that the query does not have."""
        chosen = dict(self.parameters)
        for name, value in parameters.items():
            if name not in chosen:
                has = ", ".join(chosen) or "none"
                raise KeyError(f"view {self.name} has no parameter {name!r}; it has {has}")
            chosen[name] = float(value) if isinstance(value, float) else int(value)
        return self.text.format(**chosen).strip()
