"""What is said of Spark and parquet-java, each with its source."""

from __future__ import annotations

from pqexplore.insight.ask.engines.engine import Statement

STATEMENTS: tuple[Statement, ...] = ()
