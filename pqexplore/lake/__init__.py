"""Explores the metadata of many Parquet files at once.

`scan` lists the files of a lake, reads every footer (at level pages also every page header), and stores the result in a
folder as eleven small Parquet tables (see `tables`). Spark reads the files if a session is given, else processes of this
machine. `open` opens stored tables again, also in another session.

    from pqexplore.lake import scan
    lake = scan(None, "warehouse/events", out="lakes/events")      # None: without Spark; or a SparkSession
    lake.tables["files"]              # a pyarrow Table; with Spark a DataFrame
    lake.views["small_files"]         # a stored question; `lake.views` lists all of them
    lake.sql("SELECT path, error FROM files WHERE status = 'error'")
    lake.refresh()                    # reads files that are new, changed or could not be read
    lake.runs                         # all runs
    lake.history()                    # compares them

`lake.sql` can use every table and view by name. Modules are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_MODULES = {
    "scan": "pqexplore.lake.scanning.scan",
    "open": "pqexplore.lake.scanning.scan",
    "open_table": "pqexplore.lake.rows.opening_tables",
    "LakeTable": "pqexplore.lake.rows.lake_table",
    "Lake": "pqexplore.lake.lake",
    "diff": "pqexplore.lake.comparing",
    "local_session": "pqexplore.lake.spark.session",
}
_SUBPACKAGES = ("metadatastore",)

__all__ = ["Lake", "LakeTable", "diff", "local_session", "metadatastore", "open", "open_table", "scan"]

if TYPE_CHECKING:
    from pqexplore.lake import metadatastore as metadatastore
    from pqexplore.lake.comparing import diff as diff
    from pqexplore.lake.lake import Lake as Lake
    from pqexplore.lake.rows.lake_table import LakeTable as LakeTable
    from pqexplore.lake.rows.opening_tables import open_table as open_table
    from pqexplore.lake.scanning.scan import open as open
    from pqexplore.lake.scanning.scan import scan as scan
    from pqexplore.lake.spark.session import local_session as local_session


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value = getattr(importlib.import_module(_MODULES[name]), name)
    elif name in _SUBPACKAGES:
        value = importlib.import_module(f"pqexplore.lake.{name}")
    else:
        raise AttributeError(f"module 'pqexplore.lake' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
