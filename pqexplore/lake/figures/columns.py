"""The bytes of the columns of all files, the largest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer, Bars
from pqexplore.insight.figures.bars import bars
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, look: Style) -> go.Figure:
    """Bytes in the files, and before compression."""
    beside = ("uncompressed_bytes", "before compression")
    title = "bytes of the column's chunks"
    return bars(made, Bars("column_name", "compressed_bytes", title, "bytes", beside, "in the files"), look)
