"""The bytes of the columns of all files, the largest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.bars import bars
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw(made: Answer, look: Style) -> go.Figure:
    """Bytes in the files, and before compression."""
    return bars(
        made,
        look,
        name="column_name",
        value="compressed_bytes",
        title="bytes of the column's chunks",
        axis=style.BYTES,
        beside=("uncompressed_bytes", "before compression"),
        label="in the files",
    )
