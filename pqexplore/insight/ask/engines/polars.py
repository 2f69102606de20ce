"""polars."""

from pqexplore.insight.ask.engines.engine import Engine
from pqexplore.insight.ask.ruling import BOUNDS


class Polars(Engine):
    name = "polars"
    title = "polars 2.1"
    stages = (BOUNDS,)
    nan_largest = True


ENGINE = Polars()
