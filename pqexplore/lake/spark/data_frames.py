"""Which files a Spark DataFrame or a table of a Spark catalog has.

`inputFiles` gives all files of the folders that a DataFrame reads, also those that its partition filters leave out. A
classic session lists the files of each scan in the plan, by the scan's own partition filters. A session of Spark Connect
prints the plan: its partition filters are applied to the folders' names if that gives the same answer whatever the
column's type is; else the DataFrame is refused. Conditions on rows, limits and joins leave out no file.
"""

from __future__ import annotations

import re
import sys
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import clip, printable
from pqexplore.lake.spark import catalyst_expressions, partition_filters, physical_plan_parser
from pqexplore.lake.store import delta_writer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

WITHOUT_FILES = ("LocalTableScanExec", "RangeExec", "RDDScanExec", "OneRowRelationExec")
"""Leaves of a plan that read no files."""

_SAFE = re.compile(r"[\w .:+-]*")
"""Literals that can be read in one way only where Spark prints them without quotes."""

_NUMBER = re.compile(r"[-.:\d ]+")
"""The same in a list: a text may have a comma."""


def table(session: SparkSession, name: str) -> DataFrame | None:
    """The table or temporary view of this name, as the session resolves it; None if there is none."""
    try:
        found = session.table(name)
        found.inputFiles()  # Spark Connect looks for the table only now
    except _refusals():
        return None
    return found


class Logged(NamedTuple):
    """A table with a log: its folder, `delta` or `iceberg`, and the snapshot that Iceberg's catalog says is current."""

    folder: str
    format: str
    snapshot: int | None = None


def logged(session: SparkSession, name: str) -> Logged | None:
    """The folder of a Delta or Iceberg table by its name; None for other tables, and for views.

    DESCRIBE DETAIL is by Databricks' documentation, and was not run there; DESCRIBE TABLE EXTENDED is Spark's.
    """
    if delta_writer.available(session):
        for row in _rows(session, f"DESCRIBE DETAIL {name}"):
            if row["format"] == "delta":
                return Logged(str(row["location"]), "delta")
    details = _details(session, name)
    folder, format = details.get("Location"), details.get("Provider", "").lower()
    if not folder or format not in ("delta", "iceberg"):
        return None
    main = f"SELECT snapshot_id FROM {name}.refs WHERE name = 'main'"
    current = _rows(session, main) if format == "iceberg" else []
    return Logged(folder, format, current[0]["snapshot_id"] if current else None)


def roots(session: SparkSession, source: DataFrame | str) -> list[str]:
    """Where a DataFrame, or a table or view by its name, has its files, without listing them: paths and URLs.

    Empty if the session does not know the name, or the plan does not say it.
    """
    if isinstance(source, str):
        location = _details(session, source).get("Location")
        if location:
            return [location]
    try:
        frame = session.table(source) if isinstance(source, str) else source
        plan = physical_plan_parser.explained(frame)
    except _refusals():
        return []
    return [root for scan in physical_plan_parser.scans(plan) for root in scan.roots]


def _details(session: SparkSession, name: str) -> dict[str, str]:
    """What DESCRIBE TABLE EXTENDED says of a table, apart from its columns; empty for what the session does not know."""
    details: dict[str, str] | None = None
    for row in _rows(session, f"DESCRIBE TABLE EXTENDED {name}"):
        if row["col_name"] == "# Detailed Table Information":
            details = {}  # what came before are columns, of any name
        elif details is not None:
            details[row["col_name"]] = str(row["data_type"])
    return details or {}


def _rows(session: SparkSession, text: str) -> list[Row]:
    """The rows of a statement; none if Spark refuses it, such as for a view."""
    try:
        found: list[Row] = session.sql(text).collect()
    except _refusals():
        return []
    return found


def _refusals() -> tuple[type[BaseException], ...]:
    """Errors of Spark itself, such as for a name that it does not know."""
    errors = sys.modules.get("pyspark.errors")
    return () if errors is None else (errors.PySparkException,)


def files(frame: DataFrame) -> list[str]:
    """The Parquet files that the scans of a DataFrame select, as URLs.

    UsageError if it reads no files, or it cannot be decided which files its partition filters select.
    """
    listed = sorted({str(path) for path in frame.inputFiles()})
    if not listed:
        raise UsageError("the DataFrame reads no files: its rows are cached or computed; pass the table or the folder")
    java = getattr(frame, "_jdf", None)
    try:
        found = None if java is None else _selected(java)
    except UsageError:
        raise
    except Exception:  # a cluster may forbid access to the JVM; its errors are not Spark's
        found = None
    return sorted(set(_by_text(frame, listed) if found is None else found))


def _selected(java: Any) -> list[str] | None:
    """The files that the scans of a classic session's plan list; None if the plan has other scans of files."""
    found: list[str] = []
    leaves = java.queryExecution().sparkPlan().collectLeaves()
    for place in range(leaves.size()):
        leaf = leaves.apply(place)
        kind = leaf.getClass().getSimpleName()
        if kind in WITHOUT_FILES:
            continue
        if kind != "FileSourceScanExec":
            return None
        relation = leaf.relation()
        if "Parquet" not in relation.fileFormat().getClass().getSimpleName():
            continue
        filters = _static(leaf.partitionFilters())
        try:
            folders = relation.location().listFiles(filters, leaf.dataFilters())
        except Exception:  # of the JVM, such as for a subquery, which has no value before it runs
            raise _undecided(filters.mkString(", ")) from None
        for number in range(folders.size()):
            some = folders.apply(number).files()
            found += (_url(some.apply(at)) for at in range(some.size()))
    return found


def _static(filters: Any) -> Any:
    """The filters without those that Spark finds while a query runs, from the other side of a join."""
    for place in range(filters.size() - 1, -1, -1):
        if "dynamicpruning" in filters.apply(place).toString():
            filters = filters.diff(filters.slice(place, place + 1))
    return filters


def _url(status: Any) -> str:
    return str(status.getPath().toUri().toString())


def _by_text(frame: DataFrame, listed: Sequence[str]) -> list[str]:
    """The files that the printed partition filters leave; all if there are none."""
    scans = physical_plan_parser.scans(physical_plan_parser.explained(frame)) if hasattr(frame, "explain") else []
    if all(scan.partition_filters in ("", "[]") for scan in scans):
        return list(listed)
    found: set[str] = set()
    for scan in scans:
        text = scan.partition_filters
        text = re.sub(r"(, )?dynamicpruningexpression\([^\[\]]*\)", "", text)
        nodes = catalyst_expressions.Reader(scan.columns, scan.types).elements(text)
        if (len(text) > 2 and not nodes) or not all(map(_is_clear, nodes)):
            raise _undecided(text)
        for path in listed:
            if scan.all_roots and not any(physical_plan_parser.below(path, root) for root in scan.roots):
                continue
            known = partition_filters.values(urllib.parse.unquote(path))
            if all(_selects(node, known, text) for node in nodes):
                found.add(path)
    return list(found)


def _is_clear(node: catalyst_expressions.Node) -> bool:
    """Whether a printed condition can be read in one way only."""
    for one in _parts(node):
        if isinstance(one, catalyst_expressions.Other):
            return False
        if isinstance(one, catalyst_expressions.Test):
            safe = _NUMBER if one.operator == "in" else _SAFE
            if not all(map(safe.fullmatch, one.values)):
                return False
    return True


def _parts(node: catalyst_expressions.Node) -> Iterator[catalyst_expressions.Node]:
    yield node
    if isinstance(node, catalyst_expressions.Not):
        yield from _parts(node.part)
    elif isinstance(node, catalyst_expressions.Joined):
        yield from _parts(node.left)
        yield from _parts(node.right)


def _selects(node: catalyst_expressions.Node, known: Mapping[str, str | None], text: str) -> bool:
    """Whether a partition filter is TRUE. UsageError if that depends on the column's type."""
    found = partition_filters.verdict(node, known, certain=True)
    if found is None:
        name = node.column.path[0].lower() if isinstance(node, catalyst_expressions.Test) else ""
        if name in known and known[name] is None:  # NULL is not TRUE
            return False
        raise _undecided(text)
    return found


def _undecided(filters: str) -> UsageError:
    return UsageError(
        f"it is not certain which files the DataFrame's partition filters select: {clip(printable(filters), 200)}; pass the "
        "folders or files themselves, or df.inputFiles() for all files of its folders"
    )
