"""The same questions about ten thousand files.

`scan` lists the files of a lake, reads every footer (and, if asked, every page header), and stores what it learns as
eight small tables (`tables` says what is in them) in a folder, as Parquet. The work is done by Spark, where a session is
given, or else by processes of this machine. Stored tables outlive the session: `open` finds them again.

    from pqexplore.lake import scan
    lake = scan(None, "warehouse/events", out="lakes/events")      # None: without Spark; or a SparkSession
    lake.tables["files"]              # a pyarrow Table; with Spark a DataFrame
    lake.views["small_files"]         # an answer; `lake.views` says which there are, and what each means
    lake.sql("SELECT path, error FROM files WHERE status = 'error'")
    lake.refresh()                    # reads again what is new, changed or could not be read
    lake.runs                         # what was done when

Every table and view is a name in `lake.sql`. Nothing is imported before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_HOME = {
    "scan": "pqexplore.lake.lake",
    "open": "pqexplore.lake.lake",
    "Lake": "pqexplore.lake.lake",
}
_ROOMS = ("metadatastore",)

__all__ = ["Lake", "metadatastore", "open", "scan"]

if TYPE_CHECKING:
    from pqexplore.lake import metadatastore as metadatastore
    from pqexplore.lake.lake import Lake as Lake
    from pqexplore.lake.lake import open as open
    from pqexplore.lake.lake import scan as scan


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    elif name in _ROOMS:
        value = importlib.import_module(f"pqexplore.lake.{name}")
    else:
        raise AttributeError(f"module 'pqexplore.lake' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
