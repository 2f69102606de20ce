"""The explorer as an app: a Parquet file opens by a double click in Jupyter's file browser, or by `pqexplore view`.

It is an extension of jupyter_server (extra `app`). A WebSocket under the server's own token carries the messages that the
widget sends by comm; each document has a process of its own, in which the engine runs.
"""

from __future__ import annotations

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from pqexplore.app.extension import ParquetApp

    return [{"module": "pqexplore.app", "app": ParquetApp}]


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "pqexplore"}]
