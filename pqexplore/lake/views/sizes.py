"""Sizes of files and row groups, and bytes that hold no data."""

from __future__ import annotations

from pqexplore.insight.doctor.rules.layout import FEW_ROWS, LARGE, REQUEST
from pqexplore.lake.target_sizes import TARGET
from pqexplore.lake.views.view import View

TARGETED = ("target_bytes", TARGET)

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
        (TARGETED,),
        columns="""
        partition_values — Partition values: those of the table's log, else the key=value folders of the paths; empty without any.
        num_files — Readable files.
        small_files — Those smaller than half the target size.
        total_bytes — Bytes of all of them.
        num_rows — Their rows.
        median_bytes — Bytes of the file in the middle.
        smallest_bytes — Bytes of the smallest file.
        largest_bytes — Bytes of the largest file.
        target_files — Files of the target size that hold the same bytes.
        target_rows — Rows that each of these has.
        """,
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
        columns="""
        partition_values — Partition values: those of the table's log, else the key=value folders of the paths.
        num_files — Readable files.
        median_bytes — Bytes of the file in the middle.
        max_bytes — Bytes of the largest file.
        bytes_ratio — max_bytes by median_bytes.
        median_rows — Rows of the file in the middle.
        max_rows — Rows of the file with the most.
        rows_ratio — max_rows by the median of the rows.
        num_row_groups — Row groups of the files.
        median_group_rows — Rows of the row group in the middle.
        min_group_rows — Rows of the row group with the fewest.
        max_group_rows — Rows of the row group with the most.
        max_group_bytes — Bytes of the largest row group before compression.
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
        columns="""
        kind — What the bytes are for.
        num_files — Files that have such bytes.
        num_bytes — The bytes.
        share — num_bytes of the bytes of all readable files.
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
        columns="""
        path — The file.
        size — Bytes of the file.
        modified — When it was last changed.
        hidden — Whether its name, or a folder's, begins with _ or a dot.
        state — orphan or unreferenced.
        state_reason — The reason for the state, in a sentence.
        table_path — The table in whose folder it is.
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
        columns="""
        table_path — The table.
        state — The state of the files: see the column state of the table files.
        num_files — Files in this state.
        total_bytes — Their bytes.
        example — One of them.
        example_reason — The reason for its state.
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
               nullif(sum(uncompressed_bytes), 0) / nullif(CAST(sum(compressed_bytes) AS DOUBLE), 0) AS ratio,
               sum(compressed_bytes) / nullif(max(all_bytes), 0) AS share,
               CAST(sum(num_values) AS BIGINT) AS num_values,
               CAST(sum(null_count) AS BIGINT) AS null_count
        FROM column_chunks CROSS JOIN total
        GROUP BY column_name
        ORDER BY compressed_bytes DESC, column_name
        """,
        columns="""
        column_name — The leaf's dotted path.
        num_files — Files that have it.
        num_chunks — Its column chunks.
        compressed_bytes — Bytes of the chunks in the files.
        uncompressed_bytes — The same, decompressed.
        ratio — uncompressed_bytes by compressed_bytes.
        share — compressed_bytes of all columns' bytes.
        num_values — Values, nulls included.
        null_count — Nulls, as far as the statistics say.
        """,
    ),
    View(
        "row_group_sizes",
        "Per writer: how many row groups are too small or too large. Too small is one of fewer than `few_rows` rows and "
        "`small_bytes` bytes that is not the last of its file (rows: DuckDB's performance guide; bytes: a typical request to "
        "an object store, by Amazon's). Too large is one of more than "
        "`large_bytes` before compression (the specification recommends up to 1 GiB).",
        """
        WITH judged AS (
          SELECT f.writer, f.created_by, g.path, g.num_rows, g.compressed_bytes, g.uncompressed_bytes,
                 g.row_group < f.num_row_groups - 1
                   AND g.num_rows < {few_rows} AND g.compressed_bytes < {small_bytes} AS small,
                 g.uncompressed_bytes > {large_bytes} AS large
          FROM row_groups g JOIN files f ON f.path = g.path
          WHERE f.status = 'ok'
        )
        SELECT writer, created_by,
               count(DISTINCT path) AS num_files,
               count(*) AS num_row_groups,
               count(*) FILTER (WHERE small) AS small_groups,
               count(DISTINCT CASE WHEN small THEN path END) AS small_files,
               count(*) FILTER (WHERE large) AS large_groups,
               count(DISTINCT CASE WHEN large THEN path END) AS large_files,
               CAST(floor(median(num_rows)) AS BIGINT) AS median_rows,
               CAST(floor(median(compressed_bytes)) AS BIGINT) AS median_bytes,
               max(uncompressed_bytes) AS max_uncompressed_bytes,
               min(CASE WHEN small THEN path END) AS small_example,
               min(CASE WHEN large THEN path END) AS large_example
        FROM judged
        GROUP BY writer, created_by
        ORDER BY small_groups + large_groups DESC, num_row_groups DESC, created_by
        """,
        (("few_rows", FEW_ROWS), ("small_bytes", REQUEST), ("large_bytes", LARGE)),
        """
        writer — The writer's name, without the version.
        created_by — The writer and its version, as the footer says.
        num_files — Files of the writer with a row group.
        num_row_groups — Their row groups.
        small_groups — Row groups that are too small.
        small_files — Files with such a row group.
        large_groups — Row groups that are too large.
        large_files — Files with such a row group.
        median_rows — Rows of the row group in the middle.
        median_bytes — Bytes in the file of the row group in the middle.
        max_uncompressed_bytes — Bytes of the largest row group before compression.
        small_example — A file with a row group that is too small.
        large_example — A file with a row group that is too large.
        """,
    ),
    View(
        "growth",
        "Per day (UTC): files that were last changed on it, and how large the lake has become by them. Files that have "
        "been removed since, or written again, are not counted on their first day.",
        """
        WITH by_day AS (
          SELECT CAST(modified AS DATE) AS day,
                 count(*) AS num_files,
                 CAST(sum(num_rows) AS BIGINT) AS num_rows,
                 CAST(sum(size) AS BIGINT) AS total_bytes,
                 count(DISTINCT created_by) AS num_writers
          FROM files
          WHERE status = 'ok' AND modified IS NOT NULL
          GROUP BY CAST(modified AS DATE)
        )
        SELECT day, num_files, num_rows, total_bytes, num_writers,
               CAST(sum(num_files) OVER (ORDER BY day) AS BIGINT) AS files_so_far,
               CAST(sum(num_rows) OVER (ORDER BY day) AS BIGINT) AS rows_so_far,
               CAST(sum(total_bytes) OVER (ORDER BY day) AS BIGINT) AS bytes_so_far
        FROM by_day
        ORDER BY day
        """,
        columns="""
        day — The day; of the session's time zone if Spark answers.
        num_files — Readable files that were last changed on it.
        num_rows — Their rows.
        total_bytes — Their bytes.
        num_writers — Different texts of created_by among them.
        files_so_far — Files up to this day.
        rows_so_far — Rows up to this day.
        bytes_so_far — Bytes up to this day.
        """,
    ),
)
