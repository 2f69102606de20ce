"""A column across the row groups: its bytes, its ratio, its ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from pqexplore.insight.answer import Answer
from pqexplore.insight.figures import style
from pqexplore.insight.figures.parts import parts
from pqexplore.insight.figures.style import Style

if TYPE_CHECKING:
    import plotly.graph_objects as go


class _Compared(Protocol):
    outlier: int | None


def draw(made: Answer, look: Style) -> go.Figure:
    """Bytes, ratio and range of each row group; the one that stands out in another colour, hatched."""
    panels = (
        ("bytes", "compressed", style.BYTES, "uncompressed"),
        ("ratio", "ratio", {"rangemode": "tozero", "ticksuffix": " ×"}, ""),
    )
    odd = None if made.picture is None else cast(_Compared, made.picture).outlier
    return parts(made, look, panels, title="row group", odd=odd)
