"""Views of problems: unreadable files, findings, schema drift, logs that disagree with footers."""

from __future__ import annotations

from pqexplore.lake.views.view import NAMED_LEAVES, View

VIEWS = (
    View(
        "errors",
        "Files that cannot be read, by kind of error, each with an example.",
        """
        SELECT error_code, phase,
               count(*) AS num_files,
               CAST(sum(size) AS BIGINT) AS total_bytes,
               min(path) AS example,
               min_by(error, path) AS example_error
        FROM files
        WHERE status = 'error'
        GROUP BY error_code, phase
        ORDER BY num_files DESC, error_code, phase
        """,
    ),
    View(
        "broken_tables",
        "Delta and Iceberg tables whose log cannot be read: their live files are unknown.",
        """
        SELECT path, format, error_code, error
        FROM tables
        WHERE status = 'error'
        ORDER BY path
        """,
    ),
    View(
        "findings_by_rule",
        "Problems inside readable files, by rule, each with an example.",
        """
        SELECT rule, severity,
               count(*) AS num_findings,
               count(DISTINCT path) AS num_files,
               min(path) AS example,
               min_by(address, path) AS example_address,
               min_by(message, path) AS example_message
        FROM findings
        GROUP BY rule, severity
        ORDER BY CASE severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, num_files DESC, rule
        """,
    ),
    View(
        "schema_drift",
        "Each definition of each column: how many files have it, since when, and where. `drift` is `several "
        "definitions`, `not in all files`, or `in all files`. Columns of a table with a log go by the table's names: a renamed "
        "column is one column, and one that the table dropped is none.",
        """
        WITH seen AS (
          SELECT column_name, physical_type, logical_type, definition,
                 count(*) AS num_files,
                 min(modified) AS since,
                 max(modified) AS last_seen,
                 min_by(path, modified) AS first_path,
                 min(partition_values) AS first_partition,
                 max(partition_values) AS last_partition
          FROM """
        + NAMED_LEAVES
        + """ leaves
          GROUP BY column_name, physical_type, logical_type, definition
        ), total AS (
          SELECT count(*) AS all_files FROM files WHERE status = 'ok'
        ), counted AS (
          SELECT seen.*, all_files,
                 count(*) OVER (PARTITION BY column_name) AS definitions,
                 sum(num_files) OVER (PARTITION BY column_name) AS column_files
          FROM seen CROSS JOIN total
        )
        SELECT column_name, physical_type, logical_type, definition,
               CASE WHEN definitions > 1 THEN 'several definitions'
                    WHEN column_files < all_files THEN 'not in all files'
                    ELSE 'in all files' END AS drift,
               num_files,
               num_files / CAST(all_files AS DOUBLE) AS share,
               since, last_seen, first_path, first_partition, last_partition
        FROM counted
        ORDER BY CASE WHEN definitions > 1 THEN 0 WHEN column_files < all_files THEN 1 ELSE 2 END,
                 column_name, since, definition
        """,
    ),
    View(
        "schemas_by_partition",
        "Per partition: its schemas, how many files have each, and since when.",
        """
        SELECT partition_values, schema_id,
               count(*) AS num_files,
               max(num_columns) AS num_columns,
               min(modified) AS since,
               max(modified) AS last_seen,
               min(path) AS example
        FROM files
        WHERE status = 'ok'
        GROUP BY partition_values, schema_id
        ORDER BY partition_values, since, schema_id
        """,
    ),
    View(
        "log_disagreements",
        "Files of a Delta or Iceberg table for which the log and the footer state different row counts.",
        """
        SELECT path, listed_rows, num_rows, status
        FROM files
        WHERE status IN ('ok', 'error') AND listed_rows IS NOT NULL AND (num_rows IS NULL OR listed_rows <> num_rows)
        ORDER BY path
        """,
    ),
    View(
        "live_rows",
        "Per file: the rows that it stores, how many of them deletion vectors or delete files delete, and how many a reader of "
        "the table gets. Equality deletes name values and not rows: how many they delete is unknown (null), at most all.",
        """
        SELECT path, table_path, num_rows,
               CASE WHEN state IS NULL THEN 0 ELSE deleted_rows END AS deleted_rows,
               num_rows - CASE WHEN state IS NULL THEN 0 ELSE deleted_rows END AS live_rows
        FROM files
        WHERE status = 'ok' AND (state = 'live' OR state IS NULL)
        ORDER BY deleted_rows DESC NULLS LAST, path
        """,
    ),
    View(
        "log_statistics",
        "Statistics in the log of a Delta or Iceberg table that contradict the file's footer: readers that go by the log "
        "lose rows of these files, or count wrong. Wider bounds, as of truncated texts, are no contradiction.",
        """
        SELECT path, table_path, column_name, statistic, log_value, footer_value, message
        FROM log_conflicts
        UNION ALL
        SELECT path, table_path, NULL, 'row count', CAST(listed_rows AS STRING), CAST(num_rows AS STRING),
               'the log and the footer state different row counts'
        FROM files
        WHERE status = 'ok' AND state = 'live' AND listed_rows <> num_rows
        ORDER BY path, column_name, statistic
        """,
    ),
)
