"""The charts of answers, as plotly figures for notebooks and dashboards of one's own (`Answer.figure`).

A lens whose chart is a bar for each row has a line in `barred`; each other lens with a chart has a module here, named as
the lens. A figure draws what the answer's table lists, so its numbers are the table's. plotly is imported when a figure
is made.
"""

from __future__ import annotations

from pqexplore.insight.figures import barred, bloom, column, compare, overview, page_index, statistics
from pqexplore.insight.figures.charts import Charts

CHARTS = Charts(
    "lens",
    {
        "overview": overview.draw,
        "column": column.draw,
        "statistics": statistics.draw,
        "page_index": page_index.draw,
        "bloom": bloom.draw,
        "compare": compare.draw,
        **barred.DRAWN,
    },
    {
        "rows": "it shows values, as `read` gives them",
        "schema": "it shows names and types, not numbers",
        "value": "it follows one value, and has no numbers to compare",
        "page": "it has no table; `layout` and `nesting` at the page draw its parts and its levels",
        "geospatial": "its picture is a map, and its table has bounds only",
        "facts": "its values are of many kinds",
    },
)
"""The charts of the lenses, and why the others have none."""
