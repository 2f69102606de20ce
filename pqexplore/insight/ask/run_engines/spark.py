"""Runs a plan's query on Spark, in the active session or in a new one of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.source import local_path
from pqexplore.insight.ask.run_engines import Observation

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan


def observe(plan: Plan) -> Observation:
    """Count the rows of the query, and the rows that Spark's scan produces before its filter.

    Without an active session, a local one is started, and stopped afterwards; it needs Java. Spark Connect does not tell
    the rows of the scan. Raises UsageError if PySpark is not installed, or if Spark cannot take the query.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise UsageError("PySpark is not installed: `pip install pqexplore[spark]`") from None
    path = local_path(plan.file.name)
    if path is None or not os.path.exists(path):
        raise UsageError("Spark is run on files of this machine only")
    running = SparkSession.getActiveSession()
    try:
        session = running or _local(SparkSession)
        try:
            frame = session.read.parquet(path).where(plan.where).groupBy().count()
            rows = int(frame.collect()[0][0])
            return Observation("spark", str(session.version), rows, rows_scanned=_rows_scanned(frame))
        finally:
            if running is None:
                session.stop()
    except UsageError:
        raise
    except Exception as error:  # PySpark, py4j and Java each raise their own
        lines = str(error).splitlines() or [type(error).__name__]
        raise UsageError(f"Spark does not run the query: {lines[0][:300]}") from None


def _local(builder: Any) -> Any:
    options = {"spark.master": "local[1]", "spark.ui.enabled": "false"}
    return builder.builder.config(map=options).getOrCreate()


def _rows_scanned(frame: Any) -> int | None:
    """The metric numOutputRows of the scans in an executed plan; None if the session does not show them."""
    classic = getattr(frame, "_jdf", None)
    if classic is None:
        return None
    nodes = _nodes(classic.queryExecution().executedPlan())
    scans = [node for node in nodes if node.getClass().getSimpleName() == "FileSourceScanExec"]
    return sum(int(scan.metrics().apply("numOutputRows").value()) for scan in scans)


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    name = node.getClass().getSimpleName()
    if name == "AdaptiveSparkPlanExec":
        yield from _nodes(node.executedPlan())
    elif name.endswith("QueryStageExec"):
        yield from _nodes(node.plan())
    children = node.children()
    for i in range(children.size()):
        yield from _nodes(children.apply(i))
