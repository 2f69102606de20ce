"""The charts of the lake explorer's panels, as plotly figures (`Answer.figure`).

Each panel that has one has a module here, named as the panel.
"""

from __future__ import annotations

from pqexplore.insight.figures.charts import Charts
from pqexplore.lake.figures import columns, drift, fleet, health, overlap, skipping

CHARTS = Charts(
    "panel",
    {
        "fleet": fleet.draw,
        "columns": columns.draw,
        "overlap": overlap.draw,
        "drift": drift.draw,
        "health": health.draw,
        "skipping": skipping.draw,
    },
)
"""The charts of the panels."""
