"""Views of what files lack for skipping data, by name, and of columns that hold next to nothing."""

from __future__ import annotations

from pqexplore.lake.views.view import View

ORDERED = """physical_type <> 'INT96' AND logical_type NOT IN ('INTERVAL', 'UNKNOWN') AND logical_type NOT LIKE 'GEO%'
            AND column_name NOT IN (SELECT column_name FROM schemas WHERE definition LIKE '% (VARIANT)%')"""
"""Columns whose values have an order. Chunks of others cannot have bounds that a reader may use."""

VALUES = "num_values > 0 AND NOT locked AND NOT coalesce(null_count = num_values, FALSE)"
"""Column chunks that are known to have values, as far as the footer says it."""

VIEWS = (
    View(
        "without_statistics",
        "Files with column chunks that have values, and neither min and max nor min_value and max_value, by name: no "
        "reader can skip these chunks by statistics. Columns whose values have no order (INT96, INTERVAL, VARIANT, geography) are left "
        "out.",
        f"""
        WITH lacking AS (
          SELECT path,
                 count(*) AS num_chunks,
                 count(*) FILTER (WHERE statistics = 'none') AS no_statistics,
                 count(*) FILTER (WHERE statistics IN ('none', 'counts')) AS no_bounds,
                 count(DISTINCT CASE WHEN statistics IN ('none', 'counts') THEN column_name END) AS num_columns,
                 min(CASE WHEN statistics IN ('none', 'counts') THEN column_name END) AS example_column,
                 CAST(sum(CASE WHEN statistics IN ('none', 'counts') THEN compressed_bytes END) AS BIGINT)
                   AS compressed_bytes
          FROM column_chunks
          WHERE {VALUES} AND {ORDERED}
          GROUP BY path
        )
        SELECT l.path, f.created_by, l.num_chunks, l.no_statistics, l.no_bounds, l.num_columns, l.example_column,
               l.compressed_bytes
        FROM lacking l JOIN files f ON f.path = l.path
        WHERE l.no_bounds > 0
        ORDER BY l.compressed_bytes DESC, l.path
        """,
        columns="""
        path — The file.
        created_by — The writer and its version, as the footer says.
        num_chunks — Column chunks that could have bounds.
        no_statistics — Those without any statistics.
        no_bounds — Those without bounds, those without any statistics included.
        num_columns — Columns that lack bounds in some chunk.
        example_column — One of them.
        compressed_bytes — Bytes of the chunks without bounds.
        """,
    ),
    View(
        "without_page_index",
        "Files with column chunks that have values, and no column index or no offset index, by name: a reader cannot skip "
        "pages of these chunks by the page index. A column index is missed only where values have an order; a chunk of one page loses nothing.",
        f"""
        WITH judged AS (
          SELECT path, column_name, compressed_bytes, data_pages,
                 offset_index_offset IS NULL AS no_offset_index,
                 column_index_offset IS NULL AND {ORDERED} AS no_column_index
          FROM (SELECT /*+ REPARTITION(path) */ * FROM column_chunks) by_path
          WHERE num_values > 0 AND NOT locked
        ), lacking AS (
          SELECT path,
                 count(*) AS num_chunks,
                 count(*) FILTER (WHERE no_column_index) AS no_column_index,
                 count(*) FILTER (WHERE no_offset_index) AS no_offset_index,
                 count(*) FILTER (WHERE (no_column_index OR no_offset_index) AND data_pages > 1) AS several_pages,
                 count(DISTINCT CASE WHEN no_column_index OR no_offset_index THEN column_name END) AS num_columns,
                 min(CASE WHEN no_column_index OR no_offset_index THEN column_name END) AS example_column,
                 CAST(sum(CASE WHEN no_column_index OR no_offset_index THEN compressed_bytes END) AS BIGINT)
                   AS compressed_bytes
          FROM judged
          GROUP BY path
        )
        SELECT l.path, f.created_by, l.num_chunks, l.no_column_index, l.no_offset_index, l.several_pages, l.num_columns,
               l.example_column, l.compressed_bytes
        FROM lacking l JOIN files f ON f.path = l.path
        WHERE l.num_columns > 0
        ORDER BY l.compressed_bytes DESC, l.path
        """,
        columns="""
        path — The file.
        created_by — The writer and its version, as the footer says.
        num_chunks — Column chunks with values.
        no_column_index — Those without a column index, of columns whose values have an order.
        no_offset_index — Those without an offset index.
        several_pages — Those without an index that have several data pages, as the encoding statistics say.
        num_columns — Columns that lack an index in some chunk.
        example_column — One of them.
        compressed_bytes — Bytes of the chunks without an index.
        """,
    ),
    View(
        "constant_columns",
        "Columns without a value, or with only one, as the statistics of all files prove: `no value`, `one value`, "
        "`one value or null`, or `one value, nulls not counted`. Columns are left out if a chunk of them lacks statistics, "
        "and floating-point columns if NaNs are not counted.",
        """
        WITH chunks AS (
          SELECT path, column_name, logical_type, min_key, max_key, min_text, null_count, compressed_bytes,
                 coalesce(null_count = num_values, FALSE) AS empty,
                 coalesce(min_key = max_key AND octet_length(min_key) < 256
                   AND (coalesce(nan_count, -1) = 0
                     OR physical_type NOT IN ('FLOAT', 'DOUBLE') AND logical_type <> 'FLOAT16'), FALSE) AS constant
          FROM column_chunks
          WHERE num_values IS NULL OR num_values > 0
        ), proven AS (
          SELECT column_name
          FROM chunks
          GROUP BY column_name
          HAVING count(*) FILTER (WHERE empty OR constant) = count(*)
        ), by_column AS (
          SELECT column_name,
                 min(logical_type) AS logical_type,
                 max(logical_type) AS last_type,
                 count(DISTINCT path) AS num_files,
                 count(*) AS num_chunks,
                 count(*) FILTER (WHERE empty) AS empty_chunks,
                 min(CASE WHEN NOT empty THEN min_key END) AS low,
                 max(CASE WHEN NOT empty THEN max_key END) AS high,
                 min(CASE WHEN NOT empty THEN min_text END) AS text,
                 count(null_count) AS counted_chunks,
                 sum(null_count) AS nulls,
                 CAST(sum(compressed_bytes) AS BIGINT) AS compressed_bytes
          FROM chunks
          WHERE column_name IN (SELECT column_name FROM proven)
          GROUP BY column_name
        )
        SELECT column_name, logical_type,
               CASE WHEN empty_chunks = num_chunks THEN 'no value'
                    WHEN counted_chunks < num_chunks THEN 'one value, nulls not counted'
                    WHEN nulls > 0 THEN 'one value or null'
                    ELSE 'one value' END AS kind,
               text AS value,
               num_files, num_chunks, compressed_bytes
        FROM by_column
        WHERE empty_chunks = num_chunks OR (logical_type = last_type AND low = high)
        ORDER BY compressed_bytes DESC, column_name
        """,
        columns="""
        column_name — The leaf's dotted path.
        logical_type — Its type; if its chunks have several, the first by name.
        kind — What the statistics prove.
        value — The only value as readable text, truncated; null if there is none.
        num_files — Files that have the column.
        num_chunks — Its column chunks with values or nulls.
        compressed_bytes — Bytes of these chunks.
        """,
    ),
)
