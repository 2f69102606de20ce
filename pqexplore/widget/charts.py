"""Plotly figures for the view: made in Python, drawn by the plotly.js of the installed plotly package.

plotly.js is sent once a page, compressed; nothing is fetched from elsewhere.
"""

from __future__ import annotations

import functools
import gzip
import importlib.resources
import json
from typing import Any

from pqexplore.engine.errors import UsageError


def plotly(file: Any) -> tuple[dict[str, Any], list[bytes]]:
    """The source of plotly.js, compressed with gzip."""
    return {"bytes": len(_source())}, [_source()]


def figure(made: Any) -> dict[str, Any]:
    """A plotly figure as JSON for a picture.

    A mark leads to a node where its `customdata` is the node's address. Colours of text, grid and background are the
    page's own and left to the view.
    """
    made.update_layout(template="none", margin={"l": 56, "r": 12, "t": 8, "b": 40})
    loaded: dict[str, Any] = json.loads(made.to_json())
    return {"data": loaded["data"], "layout": loaded["layout"]}


@functools.cache
def _source() -> bytes:
    try:
        found = importlib.resources.files("plotly").joinpath("package_data/plotly.min.js")
        return gzip.compress(found.read_bytes(), 6, mtime=0)
    except (ImportError, OSError) as error:
        raise UsageError(f"the plotly package has no plotly.js: {error}") from error
