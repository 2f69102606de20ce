"""The charts of answers, as plotly figures for notebooks and dashboards of one's own (`Answer.figure`).

Each lens that has one has a module here, named as the lens. A figure draws what the answer's table lists, so its numbers
are the table's. plotly is imported when a figure is made.
"""

from __future__ import annotations

from pqexplore.insight.figures import (
    bloom,
    compare,
    dictionary,
    layout,
    nesting,
    overview,
    page_index,
    statistics,
)
from pqexplore.insight.figures.charts import Charts

CHARTS = Charts(
    "lens",
    {
        "overview": overview.draw,
        "layout": layout.draw,
        "statistics": statistics.draw,
        "page_index": page_index.draw,
        "dictionary": dictionary.draw,
        "nesting": nesting.draw,
        "bloom": bloom.draw,
        "compare": compare.draw,
    },
)
"""The charts of the lenses."""
