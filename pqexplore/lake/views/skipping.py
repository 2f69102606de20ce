"""Views of data skipping: overlap of the files' ranges, sort order, and coverage by statistics and indexes.

A range goes from `min_key` to `max_key`, so one query serves every type. A file whose range is unknown must always be
read, so it counts for each query. Nulls of a Variant's column rule nothing out if values may be in `value` beside it.
"""

from __future__ import annotations

from pqexplore.lake.views.view import View

RANGES = """
        ranges AS (
          SELECT path, column_name, logical_type,
                 min(min_key) AS low_key,
                 max(max_key) AS high_key,
                 count(*) FILTER (WHERE null_count = num_values AND bounds NOT LIKE 'variant-%') AS null_chunks,
                 count(*) AS num_chunks,
                 count(*) FILTER (
                   WHERE (min_key IS NULL OR max_key IS NULL)
                     AND NOT coalesce(null_count = num_values AND bounds NOT LIKE 'variant-%', FALSE)
                 ) AS unknown_chunks
          FROM (SELECT /*+ REPARTITION(column_name, logical_type) */ * FROM column_chunks) by_column
          GROUP BY column_name, logical_type, path
        )"""

VIEWS = (
    View(
        "overlap",
        "Per column: how many files may contain a value. max_depth is the maximum number of files for one value. "
        "point_files is how many files a query for one value reads, on average over the files' lower bounds; range_files "
        "is the same for a range over `share` of the files. 1 is best; if it is all files, nothing is skipped.",
        """
        WITH """
        + RANGES.strip()
        + """, ends AS (
          SELECT column_name, logical_type, null_chunks, num_chunks, unknown_chunks, closing,
                 unknown_chunks = 0 AND low_key IS NOT NULL AS ranged,
                 CASE WHEN closing = 0 THEN low_key ELSE high_key END AS key
          FROM ranges CROSS JOIN (SELECT 0 AS closing UNION ALL SELECT 1 AS closing) both_ends
        ), depths AS (
          SELECT *,
                 sum(CASE WHEN NOT ranged THEN 0 WHEN closing = 0 THEN 1 ELSE -1 END)
                   OVER (PARTITION BY column_name, logical_type ORDER BY key, closing) AS depth
          FROM ends
        ), counted AS (
          SELECT column_name, logical_type,
                 count(*) FILTER (WHERE closing = 0) AS num_files,
                 count(*) FILTER (WHERE closing = 0 AND ranged) AS ranged_files,
                 count(*) FILTER (WHERE closing = 0 AND null_chunks = num_chunks) AS null_files,
                 count(*) FILTER (WHERE closing = 0 AND unknown_chunks > 0) AS unknown_files,
                 CAST(max(depth) FILTER (WHERE closing = 0 AND ranged) AS BIGINT) AS max_depth,
                 avg(CAST(depth AS DOUBLE)) FILTER (WHERE closing = 0 AND ranged) AS mean_depth
          FROM depths
          GROUP BY column_name, logical_type
        )
        SELECT column_name, logical_type, num_files, ranged_files, null_files, unknown_files, max_depth, mean_depth,
               coalesce(mean_depth, 0) + unknown_files AS point_files,
               least(ranged_files, coalesce(mean_depth, 0) + {share} * ranged_files) + unknown_files AS range_files,
               (coalesce(mean_depth, 0) + unknown_files) / num_files AS point_share
        FROM counted
        ORDER BY point_share, column_name, logical_type
        """,
        (("share", 0.01),),
        columns="""
        column_name — The leaf's dotted path.
        logical_type — Its type: values of different types do not compare.
        num_files — Files that have the column in this type.
        ranged_files — Those whose range is known.
        null_files — Those that hold nulls only.
        unknown_files — Those without trustworthy bounds: every query reads them.
        max_depth — Maximum number of files whose range contains one value.
        mean_depth — Files whose range contains a value, on average over the lower bounds.
        point_files — Files that a query for one value reads, on average.
        range_files — Files that a query for a range over `share` of the files reads, on average.
        point_share — point_files of num_files.
        """,
    ),
    View(
        "sortedness",
        "Per column: files whose row groups ascend or descend without overlap, and row groups that declare to be sorted "
        "by the column. At level pages also: chunks whose column index declares its pages to be in order, and row groups that "
        "declare to be sorted although their column index declares no order.",
        """
        WITH steps AS (
          SELECT path, leaf, column_name, row_group, min_key, max_key,
                 lag(min_key) OVER (PARTITION BY path, leaf ORDER BY row_group) AS min_before,
                 lag(max_key) OVER (PARTITION BY path, leaf ORDER BY row_group) AS max_before
          FROM (SELECT /*+ REPARTITION(path) */ * FROM column_chunks) by_path
        ), by_file AS (
          SELECT path, column_name,
                 count(*) AS num_groups,
                 count(*) FILTER (WHERE row_group > 0 AND max_before <= min_key) AS up,
                 count(*) FILTER (WHERE row_group > 0 AND min_before >= max_key) AS down
          FROM steps
          GROUP BY path, column_name
        ), by_column AS (
          SELECT column_name,
                 count(*) AS num_files,
                 count(*) FILTER (WHERE num_groups > 1) AS several_groups,
                 count(*) FILTER (WHERE num_groups > 1 AND up = num_groups - 1) AS ascending_files,
                 count(*) FILTER (WHERE num_groups > 1 AND down = num_groups - 1) AS descending_files
          FROM by_file
          GROUP BY column_name
        ), declared AS (
          SELECT c.column_name,
                 count(*) AS declared_groups,
                 count(*) FILTER (WHERE i.boundary_order = 'UNORDERED') AS declared_unordered
          FROM row_groups g
          JOIN column_chunks c ON c.path = g.path AND c.row_group = g.row_group AND c.leaf = g.sorted_by
          LEFT JOIN indexes i ON i.path = g.path AND i.row_group = g.row_group AND i.leaf = g.sorted_by
          GROUP BY c.column_name
        ), indexed AS (
          SELECT column_name,
                 count(*) FILTER (WHERE boundary_order IS NOT NULL) AS indexed_chunks,
                 count(*) FILTER (WHERE boundary_order IN ('ASCENDING', 'DESCENDING')) AS ordered_chunks
          FROM indexes
          GROUP BY column_name
        )
        SELECT b.column_name, b.num_files, b.several_groups, b.ascending_files, b.descending_files,
               coalesce(d.declared_groups, 0) AS declared_groups,
               coalesce(d.declared_unordered, 0) AS declared_unordered,
               coalesce(i.indexed_chunks, 0) AS indexed_chunks,
               coalesce(i.ordered_chunks, 0) AS ordered_chunks
        FROM by_column b
        LEFT JOIN declared d ON d.column_name = b.column_name
        LEFT JOIN indexed i ON i.column_name = b.column_name
        ORDER BY declared_groups DESC, ascending_files DESC, b.column_name
        """,
        columns="""
        column_name — The leaf's dotted path.
        num_files — Files that have it.
        several_groups — Those with several row groups.
        ascending_files — Those of several row groups that ascend without overlap.
        descending_files — Those of several row groups that descend without overlap.
        declared_groups — Row groups that declare to be sorted by the column first.
        declared_unordered — Those of them whose column index declares no order.
        indexed_chunks — Chunks with a column index, at level pages.
        ordered_chunks — Those whose column index declares an order.
        """,
    ),
    View(
        "coverage",
        "Per column: the share of chunks that have statistics, indexes, Bloom filters and checksums, which let readers "
        "skip and check data. Checksums are known only at level pages, and null otherwise.",
        """
        WITH chunks AS (
          SELECT column_name,
                 count(*) AS num_chunks,
                 avg(CASE WHEN statistics IN ('min_max', 'legacy') THEN 1e0 ELSE 0e0 END) AS bounds,
                 avg(CASE WHEN bounds = 'trusted' THEN 1e0 ELSE 0e0 END) AS trusted_bounds,
                 avg(CASE WHEN null_count IS NOT NULL THEN 1e0 ELSE 0e0 END) AS null_counts,
                 avg(CASE WHEN column_index_offset IS NOT NULL THEN 1e0 ELSE 0e0 END) AS column_indexes,
                 avg(CASE WHEN offset_index_offset IS NOT NULL THEN 1e0 ELSE 0e0 END) AS offset_indexes,
                 avg(CASE WHEN bloom_filter_offset IS NOT NULL THEN 1e0 ELSE 0e0 END) AS bloom_filters,
                 avg(CASE WHEN has_size_statistics THEN 1e0 ELSE 0e0 END) AS size_statistics
          FROM column_chunks
          GROUP BY column_name
        ), sums AS (
          SELECT column_name, avg(CASE WHEN has_crc THEN 1e0 ELSE 0e0 END) AS checksums
          FROM pages
          GROUP BY column_name
        )
        SELECT c.column_name, c.num_chunks,
               CAST(c.bounds AS DOUBLE) AS bounds,
               CAST(c.trusted_bounds AS DOUBLE) AS trusted_bounds,
               CAST(c.null_counts AS DOUBLE) AS null_counts,
               CAST(c.column_indexes AS DOUBLE) AS column_indexes,
               CAST(c.offset_indexes AS DOUBLE) AS offset_indexes,
               CAST(c.bloom_filters AS DOUBLE) AS bloom_filters,
               CAST(c.size_statistics AS DOUBLE) AS size_statistics,
               CAST(s.checksums AS DOUBLE) AS checksums
        FROM chunks c LEFT JOIN sums s ON c.column_name = s.column_name
        ORDER BY c.column_name
        """,
        columns="""
        column_name — The leaf's dotted path.
        num_chunks — Its column chunks.
        bounds — Share with min and max.
        trusted_bounds — Share whose bounds a reader may use.
        null_counts — Share whose nulls are counted.
        column_indexes — Share with a column index.
        offset_indexes — Share with an offset index.
        bloom_filters — Share with a Bloom filter.
        size_statistics — Share with size statistics.
        checksums — Share of the pages with a checksum; null below level pages.
        """,
    ),
)
