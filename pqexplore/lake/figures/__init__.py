"""The charts of the lake explorer's panels, as plotly figures (`Answer.figure`).

Each panel that has one has a module here, named as the panel.
"""

from __future__ import annotations

from pqexplore.insight.figures.charts import Charts
from pqexplore.lake.figures import columns, drift, fleet, health, overlap, query, skipping

CHARTS = Charts(
    "panel",
    {
        "fleet": fleet.draw,
        "columns": columns.draw,
        "overlap": overlap.draw,
        "drift": drift.draw,
        "health": health.draw,
        "query": query.draw,
        "skipping": skipping.draw,
    },
    {
        "doctor": "it is a list of findings; `health` counts them by rule",
        "asked": "each of its questions has a table of its own",
        "objects": "its table has the values of the indexes",
    },
)
"""The charts of the panels, and why the others have none."""
