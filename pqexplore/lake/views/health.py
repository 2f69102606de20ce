"""Views of problems: unreadable files, findings, schema drift, logs that disagree with footers."""

from __future__ import annotations

from pqexplore.engine.file.footer_tail import CUT_OFF
from pqexplore.lake.views.view import NAMED_LEAVES, TABLE, View

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
        columns="""
        error_code — Kind of the error: see the column error_code of the table files.
        phase — The step that failed.
        num_files — Files with this error.
        total_bytes — Their bytes.
        example — One of them.
        example_error — What is wrong with it.
        """,
    ),
    View(
        "empty_and_truncated",
        "Files that were not written to their end, by name: `zero bytes`, `fewer than 12 bytes` (the smallest Parquet file "
        "has 12), or `cut off or still being written` (it begins as a Parquet file and does not end as one).",
        """
        SELECT path, kind, size, modified, error
        FROM (
          SELECT path, size, modified, error,
                 CASE WHEN size = 0 THEN 'zero bytes'
                      WHEN size < 12 THEN 'fewer than 12 bytes'
                      WHEN error LIKE '%"""
        + CUT_OFF
        + """' THEN 'cut off or still being written' END AS kind
          FROM files
          WHERE status = 'error' AND error_code = 'not-parquet'
        ) kinds
        WHERE kind IS NOT NULL
        ORDER BY kind, path
        """,
        columns="""
        path — The file.
        kind — What it lacks.
        size — Bytes of the file.
        modified — When the file was last changed: one that is still being written was changed just now.
        error — What is wrong, in a sentence.
        """,
    ),
    View(
        "duplicates",
        "Files that may be copies of another: their size and their footer are equal. A footer has the bounds of each column "
        "chunk if with_bounds is above 0; without bounds, other values can have an equal footer. Compare the bytes before "
        "you remove a file. Files without rows are left out.",
        """
        WITH hashed AS (
          SELECT path, size, footer_hash, num_rows, modified,
                 min(path) OVER (PARTITION BY size, footer_hash) AS copy_of,
                 count(*) OVER (PARTITION BY size, footer_hash) AS num_files
          FROM files
          WHERE status = 'ok' AND footer_hash IS NOT NULL AND num_rows > 0
        ), copies AS (
          SELECT * FROM hashed WHERE num_files > 1 AND path <> copy_of
        ), bounded AS (
          SELECT c.path, count(*) AS with_bounds
          FROM column_chunks c JOIN copies d ON d.path = c.path
          WHERE c.bounds = 'trusted'
          GROUP BY c.path
        )
        SELECT c.path, c.copy_of, c.num_files, c.size, c.num_rows, coalesce(b.with_bounds, 0) AS with_bounds, c.modified
        FROM copies c LEFT JOIN bounded b ON b.path = c.path
        ORDER BY c.size DESC, c.copy_of, c.path
        """,
        columns="""
        path — The file.
        copy_of — The first file, by name, with the same size and footer.
        num_files — Files with this size and footer, the first one included.
        size — Bytes of the file.
        num_rows — Its rows.
        with_bounds — Its column chunks with trustworthy bounds.
        modified — When the file was last changed.
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
        columns="""
        path — The table's root folder.
        format — delta or iceberg.
        error_code — Kind of the error: see the column error_code of the table tables.
        error — What is wrong with the log.
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
        columns="""
        rule — Stable name of the rule.
        severity — error, warning or note.
        num_findings — Findings of the rule.
        num_files — Files that have one.
        example — One of them.
        example_address — The place in it.
        example_message — What is wrong there.
        """,
    ),
    View(
        "schema_drift",
        "Each definition of each column of a table: how many files have it, since when, and where. `drift` is `several "
        "definitions`, `not in all files`, or `in all files`. Columns of a table with a log go by the table's names: a renamed "
        "column is one column, and one that the table dropped is none.",
        """
        WITH seen AS (
          SELECT table_name, column_name, physical_type, logical_type, definition,
                 CAST(sum(num_files) AS BIGINT) AS num_files,
                 min(since) AS since,
                 max(last_seen) AS last_seen,
                 min_by(first_path, since) AS first_path,
                 min(first_partition) AS first_partition,
                 max(last_partition) AS last_partition
          FROM """
        + NAMED_LEAVES
        + """ leaves
          GROUP BY table_name, column_name, physical_type, logical_type, definition
        ), total AS (
          SELECT """
        + TABLE
        + """ AS total_name, count(*) AS all_files FROM files WHERE status = 'ok' GROUP BY 1
        ), counted AS (
          SELECT seen.*, all_files,
                 count(*) OVER (PARTITION BY table_name, column_name) AS definitions,
                 sum(num_files) OVER (PARTITION BY table_name, column_name) AS column_files
          FROM seen JOIN total ON table_name = total_name
        )
        SELECT column_name, physical_type, logical_type, definition,
               CASE WHEN definitions > 1 THEN 'several definitions'
                    WHEN column_files < all_files THEN 'not in all files'
                    ELSE 'in all files' END AS drift,
               num_files,
               num_files / CAST(all_files AS DOUBLE) AS share,
               since, last_seen, first_path, first_partition, last_partition, table_name
        FROM counted
        ORDER BY CASE WHEN definitions > 1 THEN 0 WHEN column_files < all_files THEN 1 ELSE 2 END,
                 column_name, since, definition, table_name
        """,
        columns="""
        column_name — The leaf's dotted path.
        physical_type — How values are stored.
        logical_type — What they mean.
        definition — Repetition, name and annotation of each field from below the root to the leaf.
        drift — several definitions, not in all files, or in all files.
        num_files — Files that have this definition.
        share — num_files of all readable files of the table.
        since — When the oldest of them was last changed.
        last_seen — When the newest of them was last changed.
        first_path — The oldest of them.
        first_partition — Their first partition, by name.
        last_partition — Their last partition, by name.
        table_name — The table: the folder of its log, or of its files, without key=value.
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
        columns="""
        partition_values — Partition values: those of the table's log, else the key=value folders of the paths.
        schema_id — Fingerprint of the schema.
        num_files — Files that have it.
        num_columns — Its leaf columns.
        since — When the oldest of them was last changed.
        last_seen — When the newest of them was last changed.
        example — One of the files.
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
        columns="""
        path — The file.
        listed_rows — Rows, as the log says.
        num_rows — Rows, as the footer says; null if it cannot be read.
        status — ok or error.
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
        columns="""
        path — The file.
        table_path — The table; null outside of tables.
        num_rows — Rows that the file stores.
        deleted_rows — Rows that are deleted; null if unknown.
        live_rows — Rows that a reader of the table gets; null if unknown.
        """,
    ),
    View(
        "log_statistics",
        "Statistics in the log of a Delta or Iceberg table that contradict the file's footer: readers that go by the log "
        "lose rows of these files, or count wrong. Wider bounds, as of truncated texts, are no contradiction.",
        """
        SELECT path, table_path, column_name, statistic, log_value, footer_value, message
        FROM log_conflicts
        WHERE statistic <> 'type'
        UNION ALL
        SELECT path, table_path, NULL, 'row count', CAST(listed_rows AS STRING), CAST(num_rows AS STRING),
               'the log and the footer state different row counts'
        FROM files
        WHERE status = 'ok' AND state = 'live' AND listed_rows <> num_rows
        ORDER BY path, column_name, statistic
        """,
        columns="""
        path — The file.
        table_path — The table.
        column_name — The column; null for the row count.
        statistic — What the log states.
        log_value — Its value in the log.
        footer_value — Its value in the footer.
        message — What contradicts what, in a sentence.
        """,
    ),
)
