"""Stored questions about a lake, each with the SQL query that answers it.

`VIEWS` has all views by name; each module here has the views of one subject. The SQL uses only what Spark and DuckDB
share, so both give the same answer.
"""

from __future__ import annotations

from pqexplore.lake.views import compaction, formats, health, lacking, readers, sizes, skipping, states
from pqexplore.lake.views.view import View

__all__ = ["VIEWS", "View"]

VIEWS: dict[str, View] = {
    view.name: view
    for module in (sizes, compaction, skipping, lacking, formats, readers, health, states)
    for view in module.VIEWS
}
"""Every view by name."""
