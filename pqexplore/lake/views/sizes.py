"""Sizes of files and row groups, and bytes that hold no data."""

from __future__ import annotations

from pqexplore.lake.views.view import View

TARGET = ("target_bytes", 128 << 20)

VIEWS = (
    View(
        "small_files",
        "Per partition: how many files are smaller than half the target size, and how many files of the target size "
        "would hold the same data.",
        """
        SELECT partition_values,
               count(*) AS num_files,
               count(*) FILTER (WHERE size < {target_bytes} / 2) AS small_files,
               CAST(sum(size) AS BIGINT) AS total_bytes,
               CAST(sum(num_rows) AS BIGINT) AS num_rows,
               CAST(floor(median(size)) AS BIGINT) AS median_bytes,
               min(size) AS smallest_bytes,
               max(size) AS largest_bytes,
               CAST(ceil(sum(size) / {target_bytes}) AS BIGINT) AS target_files,
               CAST(floor(sum(num_rows) / ceil(sum(size) / {target_bytes})) AS BIGINT) AS target_rows
        FROM files
        WHERE status = 'ok'
        GROUP BY partition_values
        ORDER BY small_files DESC, partition_values
        """,
        (TARGET,),
    ),
    View(
        "skew",
        "Per partition: the largest file and row group, compared with the median. If a ratio is far above 1, a query "
        "waits for one slow task.",
        """
        WITH by_file AS (
          SELECT partition_values,
                 count(*) AS num_files,
                 median(size) AS median_bytes,
                 max(size) AS max_bytes,
                 median(num_rows) AS median_rows,
                 max(num_rows) AS max_rows
          FROM files
          WHERE status = 'ok'
          GROUP BY partition_values
        ), by_group AS (
          SELECT f.partition_values,
                 count(*) AS num_row_groups,
                 median(g.num_rows) AS median_group_rows,
                 min(g.num_rows) AS min_group_rows,
                 max(g.num_rows) AS max_group_rows,
                 max(g.uncompressed_bytes) AS max_group_bytes
          FROM row_groups g JOIN files f ON f.path = g.path
          WHERE f.status = 'ok'
          GROUP BY f.partition_values
        )
        SELECT a.partition_values,
               a.num_files,
               CAST(floor(a.median_bytes) AS BIGINT) AS median_bytes,
               a.max_bytes,
               a.max_bytes / nullif(a.median_bytes, 0) AS bytes_ratio,
               CAST(floor(a.median_rows) AS BIGINT) AS median_rows,
               a.max_rows,
               a.max_rows / nullif(a.median_rows, 0) AS rows_ratio,
               b.num_row_groups,
               CAST(floor(b.median_group_rows) AS BIGINT) AS median_group_rows,
               b.min_group_rows,
               b.max_group_rows,
               b.max_group_bytes
        FROM by_file a LEFT JOIN by_group b ON a.partition_values = b.partition_values
        ORDER BY bytes_ratio DESC, a.partition_values
        """,
    ),
    View(
        "wasted_bytes",
        "Bytes that hold no values, by purpose, and their share of all files.",
        """
        WITH total AS (
          SELECT CAST(sum(size) AS DOUBLE) AS all_bytes FROM files WHERE status = 'ok'
        ), kinds AS (
          SELECT 'footers' AS kind, count(*) AS num_files, CAST(sum(footer_bytes) AS BIGINT) AS num_bytes
          FROM files WHERE status = 'ok'
          UNION ALL
          SELECT 'nothing claims them', count(*), CAST(sum(gap_bytes) AS BIGINT)
          FROM files WHERE status = 'ok' AND gap_bytes > 0
          UNION ALL
          SELECT 'page indexes', count(*), CAST(sum(index_bytes) AS BIGINT)
          FROM files WHERE status = 'ok' AND index_bytes > 0
          UNION ALL
          SELECT 'Bloom filters', count(*), CAST(sum(bloom_bytes) AS BIGINT)
          FROM files WHERE status = 'ok' AND bloom_bytes > 0
          UNION ALL
          SELECT 'Bloom filters beside a complete dictionary',
                 count(DISTINCT path), CAST(sum(bloom_filter_bytes) AS BIGINT)
          FROM column_chunks
          WHERE bloom_filter_bytes > 0 AND has_dictionary AND NOT dictionary_fallback
          UNION ALL
          SELECT 'files of no rows', count(*), CAST(sum(size) AS BIGINT)
          FROM files WHERE status = 'ok' AND num_rows = 0
          UNION ALL
          SELECT 'files that cannot be read', count(*), CAST(sum(size) AS BIGINT)
          FROM files WHERE status = 'error'
          UNION ALL
          SELECT 'files that earlier versions of the table need', count(*), CAST(sum(size) AS BIGINT)
          FROM files WHERE status = 'not-read' AND state = 'removed'
          UNION ALL
          SELECT 'files that the log of the table does not name', count(*), CAST(sum(size) AS BIGINT)
          FROM files WHERE status = 'not-read' AND state IN ('unreferenced', 'orphan')
        )
        SELECT kind, num_files, coalesce(num_bytes, 0) AS num_bytes, num_bytes / nullif(all_bytes, 0) AS share
        FROM kinds CROSS JOIN total
        WHERE num_files > 0
        ORDER BY num_bytes DESC, kind
        """,
    ),
    View(
        "orphans",
        "Files in the folder of a Delta or Iceberg table that its log does not name: `orphan` if every version of the log "
        "is there and none names it, `unreferenced` if parts of the log are gone. Files that earlier versions need are not "
        "listed.",
        """
        SELECT path, size, modified, hidden, state, state_reason, table_path
        FROM files
        WHERE status = 'not-read' AND state IN ('unreferenced', 'orphan')
        ORDER BY size DESC, path
        """,
    ),
    View(
        "not_live",
        "Files in the folder of a Delta or Iceberg table that hold no live data of the table, by state, each with an example.",
        """
        SELECT table_path, state,
               count(*) AS num_files,
               CAST(sum(size) AS BIGINT) AS total_bytes,
               min(path) AS example,
               min_by(state_reason, path) AS example_reason
        FROM files
        WHERE status = 'not-read' AND table_path IS NOT NULL
        GROUP BY table_path, state
        ORDER BY table_path, state
        """,
    ),
    View(
        "column_sizes",
        "Bytes of each column in all files, the largest column first.",
        """
        WITH total AS (SELECT CAST(sum(compressed_bytes) AS DOUBLE) AS all_bytes FROM column_chunks)
        SELECT column_name,
               count(DISTINCT path) AS num_files,
               count(*) AS num_chunks,
               CAST(sum(compressed_bytes) AS BIGINT) AS compressed_bytes,
               CAST(sum(uncompressed_bytes) AS BIGINT) AS uncompressed_bytes,
               sum(uncompressed_bytes) / nullif(CAST(sum(compressed_bytes) AS DOUBLE), 0) AS ratio,
               sum(compressed_bytes) / nullif(max(all_bytes), 0) AS share,
               CAST(sum(num_values) AS BIGINT) AS num_values,
               CAST(sum(null_count) AS BIGINT) AS null_count
        FROM column_chunks CROSS JOIN total
        GROUP BY column_name
        ORDER BY compressed_bytes DESC, column_name
        """,
    ),
)
