"""A column over its row groups: its bytes, its ratio, its ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.parts import Panel, parts
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go

PANELS: tuple[Panel, ...] = (
    ("bytes", "compressed", style.BYTES, "uncompressed"),
    ("ratio", "ratio", {"rangemode": "tozero", "ticksuffix": " ×"}, ""),
)


def draw(made: Answer, look: Style) -> go.Figure:
    """Bytes, ratio and range of each row group."""
    return parts(made, look, PANELS, title="row group")
