"""The parts of a node in the order of the file, and their sizes: those of a column chunk are its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.bars import bars
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, look: Style) -> go.Figure:
    """A bar for each part."""
    return bars(made, look, name="part", value="size", title="bytes in the file", axis=style.BYTES)
