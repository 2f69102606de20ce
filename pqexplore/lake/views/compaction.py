"""Views for the upkeep of tables: small files that are worth joining, and deleted rows that reads must filter."""

from __future__ import annotations

from pqexplore.lake.target_sizes import TARGETS
from pqexplore.lake.views.view import View


def _of_format(field: str) -> str:
    """The size of a format's target as SQL; `target_bytes` overrides it."""
    cases = " ".join(
        f"WHEN t.format = '{name}' THEN {getattr(target, field)}" for name, target in TARGETS.items() if name
    )
    return f"CASE WHEN {{target_bytes}} > 0 THEN {{target_bytes}} {cases} ELSE {getattr(TARGETS[''], field)} END"


VIEWS = (
    View(
        "compaction_plan",
        "Per folder and schema: which small files to join into how many files of the target size, and what a job would "
        "read and write. The target is that of the table's format (Delta 1 GiB, Iceberg 512 MiB, files without a log 128 "
        "MiB), or `target_bytes`. Folders where that saves no file are left out, and tables whose live files are unknown.",
        f"""
        WITH targeted AS (
          SELECT f.path, f.table_path, f.partition_values, f.schema_id, f.size, f.num_rows, f.compressed_bytes,
                 CASE WHEN f.table_path IS NULL THEN regexp_replace(f.path, '/[^/]*$', '')
                      WHEN coalesce(f.partition_values, '') = '' THEN f.table_path
                      ELSE f.table_path || '/' || f.partition_values END AS folder,
                 {_of_format("bytes")} AS target_bytes,
                 {_of_format("below")} AS below
          FROM files f LEFT JOIN tables t ON t.path = f.table_path
          WHERE f.status = 'ok' AND coalesce(f.state, 'live') = 'live' AND f.size > 0
        ), planned AS (
          SELECT table_path, folder, partition_values, schema_id, target_bytes,
                 count(*) AS num_files,
                 CAST(ceil(sum(size) / CAST(target_bytes AS DOUBLE)) AS BIGINT) AS files_after,
                 CAST(sum(size) AS BIGINT) AS bytes_read,
                 CAST(sum(compressed_bytes) AS BIGINT) AS bytes_written,
                 CAST(sum(num_rows) AS BIGINT) AS num_rows,
                 array_sort(array_agg(path)) AS paths
          FROM targeted
          WHERE size < below
          GROUP BY table_path, folder, partition_values, schema_id, target_bytes
        )
        SELECT table_path, folder, partition_values, schema_id, num_files, files_after, bytes_read, bytes_written,
               num_rows, CAST(target_bytes AS BIGINT) AS target_bytes, paths
        FROM planned
        WHERE files_after < num_files
        ORDER BY num_files - files_after DESC, folder, schema_id
        """,
        (("target_bytes", 0),),
        """
        table_path — The table of the files; null outside of tables.
        folder — The folder of the files; of a table with a log, its folder and the partition values.
        partition_values — Partition values: those of the table's log, else the key=value folders of the paths.
        schema_id — Their schema: files of different schemas are not joined.
        num_files — Small files that would be joined.
        files_after — Files of the target size that hold the same bytes; a job that does not divide files can need more.
        bytes_read — Bytes of the small files.
        bytes_written — Bytes of their column chunks: about what the new files take.
        num_rows — Their rows, deleted ones included.
        target_bytes — The target size.
        paths — The small files.
        """,
    ),
    View(
        "delete_load",
        "Per table and partition: rows that deletion vectors or delete files delete. Each read of the partition filters "
        "them out, until a compaction removes them.",
        """
        SELECT table_path, partition_values,
               count(*) FILTER (WHERE status <> 'not-read') AS num_files,
               count(*) FILTER (WHERE status <> 'not-read' AND deleted_rows > 0) AS files_with_deletes,
               count(*) FILTER (WHERE status <> 'not-read' AND deleted_rows IS NULL) AS unknown_files,
               CAST(sum(CASE WHEN status <> 'not-read' THEN coalesce(num_rows, listed_rows) END) AS BIGINT) AS num_rows,
               CAST(coalesce(sum(CASE WHEN status <> 'not-read' THEN deleted_rows END), 0) AS BIGINT) AS deleted_rows,
               sum(CASE WHEN status <> 'not-read' THEN deleted_rows END)
                 / nullif(CAST(sum(CASE WHEN status <> 'not-read' THEN coalesce(num_rows, listed_rows) END) AS DOUBLE), 0)
                 AS share,
               count(*) FILTER (WHERE state = 'deletes') AS delete_files,
               CAST(coalesce(sum(CASE WHEN state = 'deletes' THEN size END), 0) AS BIGINT) AS delete_bytes
        FROM files
        WHERE table_path IS NOT NULL AND (status IN ('ok', 'error') AND state = 'live' OR state = 'deletes')
        GROUP BY table_path, partition_values
        HAVING count(*) FILTER (WHERE deleted_rows > 0 OR state = 'deletes') > 0
        ORDER BY deleted_rows DESC, table_path, partition_values
        """,
        columns="""
        table_path — The table.
        partition_values — Partition values: those of the table's log, else the key=value folders of the paths.
        num_files — Live data files.
        files_with_deletes — Those with deleted rows.
        unknown_files — Those whose deleted rows are not known.
        num_rows — Rows stored in the live data files.
        deleted_rows — Those of them that are deleted, as far as it is known.
        share — deleted_rows of num_rows.
        delete_files — Delete files in use.
        delete_bytes — Their bytes.
        """,
    ),
)
