"""DuckDB."""

from pqexplore.insight.ask.engines.engine import Engine
from pqexplore.insight.ask.ruling import BLOOM, BOUNDS


class DuckDB(Engine):
    name = "duckdb"
    title = "DuckDB 2.0"
    stages = (BOUNDS, BLOOM)
    nan_largest = True


ENGINE = DuckDB()
