"""Views of the states of files: live, removed, named by no log, hidden, markers."""

from __future__ import annotations

from pqexplore.lake.views.view import View

VIEWS = (
    View(
        "file_states",
        "Files by table and state, with their bytes and the times of the oldest and the newest. `hidden` are files that the "
        "log does not name, or outside of tables, and whose names or folders begin with `_` or a dot; `no-log` are the "
        "others outside of tables. From `first_removable` on, maintenance may delete the first of them.",
        """
        WITH stated AS (
          SELECT table_path, size, modified, kept_until,
                 CASE WHEN hidden AND (state IS NULL OR state IN ('orphan', 'unreferenced')) THEN 'hidden'
                      WHEN state IS NULL THEN 'no-log'
                      ELSE state END AS file_state
          FROM files
          WHERE status <> 'vanished'
        )
        SELECT table_path, file_state AS state,
               count(*) AS num_files,
               CAST(sum(size) AS BIGINT) AS total_bytes,
               min(modified) AS oldest,
               max(modified) AS newest,
               min(kept_until) AS first_removable
        FROM stated
        GROUP BY table_path, file_state
        ORDER BY table_path NULLS FIRST, file_state
        """,
        columns="""
        table_path — The table; null outside of tables.
        state — The state of the files.
        num_files — Files in this state.
        total_bytes — Their bytes.
        oldest — When the oldest of them was last changed.
        newest — When the newest of them was last changed.
        first_removable — From when on maintenance may delete the first of them.
        """,
    ),
    View(
        "removable",
        "Files that maintenance may delete now, by table and state, with the settings that allow it: `VACUUM` of Delta, "
        "`expire_snapshots` (removed files) and `remove_orphan_files` (the others) of Iceberg. By the logs of the last scan.",
        """
        SELECT f.table_path, t.format, f.state,
               count(*) AS num_files,
               CAST(sum(f.size) AS BIGINT) AS total_bytes,
               min(f.path) AS example,
               min_by(f.state_reason, f.path) AS example_reason,
               max(t.retention) AS retention
        FROM files f JOIN tables t ON f.table_path = t.path
        WHERE f.status = 'not-read' AND f.kept_until <= CURRENT_TIMESTAMP
        GROUP BY f.table_path, t.format, f.state
        ORDER BY f.table_path, f.state
        """,
        columns="""
        table_path — The table.
        format — delta or iceberg.
        state — The state of the files.
        num_files — Files in this state that may be deleted.
        total_bytes — Their bytes.
        example — One of them.
        example_reason — The reason for its state.
        retention — The settings that allow it.
        """,
    ),
)
