"""The pages of a column chunk: their sizes, and the ranges by which a query skips them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.parts import parts
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, look: Style) -> go.Figure:
    """Bytes, rows and range of each page."""
    panels = (("bytes", "size", style.BYTES, ""), ("rows", "rows", style.COUNT, ""))
    return parts(made, look, panels, title="data page of the column chunk")
