"""Answers "what does this query read, and why?" for many files, from the tables of a lake; no data file is opened.

1. `schemas` binds the condition to each distinct schema of the lake. A column that a schema does not have is NULL.
2. `partitions` compares it with the `key=value` folders of the paths.
3. `equivalence_classes` sorts column chunks by everything that an engine's rules look at: where min and max lie among the
   literals, whether there are nulls, who wrote the file. `made_footers` asks the engine about one chunk of each class.
4. `verdicts` combines the rulings over AND and OR, once for each combination that there is.
5. `arrow_cases` finds the classes and combinations in Arrow's tables, `spark_plan` with Spark. `lake_plan` says what was found,
   `local_plan` and `spark_plan` hold it.

`ask` is the public function, for one file and for many. `indexed` asks a Metadatastore.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack, cast, overload

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.insight.ask.planning import plan_of
from pqexplore.lake.lake import Lake
from pqexplore.lake.listing.choice import is_file
from pqexplore.lake.metadatastore.store import Store
from pqexplore.lake.scanning.scan import scan
from pqexplore.lake.store.open_store import stored

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pqexplore.engine.file.caller_types import Readable
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.lake.asking.indexed import StorePlan
    from pqexplore.lake.asking.lake_plan import LakePlan
    from pqexplore.lake.lake import Lake
    from pqexplore.lake.listed_files import LakeSource
    from pqexplore.lake.metadatastore.store import Store
    from pqexplore.lake.places.opening import OpenOptions


@overload
def ask(
    source: ParquetFile,
    where: str,
    columns: Sequence[str] | None = ...,
    engine: str = ...,
    *,
    timezone: str | None = ...,
) -> Plan: ...


@overload
def ask(
    source: Lake, where: str, columns: Sequence[str] | None = ..., engine: str = ..., *, timezone: str | None = ...
) -> LakePlan: ...


@overload
def ask(
    source: Readable | ParquetFile | Lake | Store | LakeSource,
    where: str,
    columns: Sequence[str] | None = ...,
    engine: str = ...,
    *,
    timezone: str | None = ...,
    spark: SparkSession | None = ...,
    follow_outside: bool = ...,
    **options: Unpack[OpenOptions],
) -> Plan | LakePlan | StorePlan: ...


def ask(
    source: Readable | ParquetFile | Lake | Store | LakeSource,
    where: str,
    columns: Sequence[str] | None = None,
    engine: str = "format",
    *,
    timezone: str | None = None,
    spark: SparkSession | None = None,
    follow_outside: bool = False,
    **options: Unpack[OpenOptions],
) -> Plan | LakePlan | StorePlan:
    """What a query with the condition `where` reads, what it skips, and why.

    - `source` is what `pqexplore.open` takes, or a file that is open: then a `Plan` is returned. It keeps the file open
      until `plan.close()`.
    - For a folder, pattern, list of files, Delta or Iceberg table, or a `Lake`, it is a `LakePlan`. A folder is scanned
      first, with `spark` if it is given; `plan.close()` removes the tables. For a Metadatastore, or its folder, it is a
      `StorePlan`.
    - `where` is a condition in Spark's SQL. `timezone` is the session's, for timestamps without a zone. `columns` are
      those that the query reads, None for all.
    - `engine` is a name of `pqexplore.insight.ask.engines.ENGINES`; `format` uses all that the format allows.
    - `follow_outside` is that of `lake.scan`, and of `lake.open` if the folder is a store.
    - The other arguments are those of `pqexplore.open`.

    Raises UsageError for a condition that cannot be asked, and the errors of `pqexplore.open`.
    """
    if isinstance(source, ParquetFile):
        return plan_of(source, where, columns, engine, timezone)
    if isinstance(source, Lake):
        return source.ask(where, columns, engine, timezone=timezone)
    if isinstance(source, Store):
        return source.ask(where, timezone=timezone)
    if is_file(source, options.get("filesystem"), options.get("storage_options")):
        return _ask_file(open_file(cast("Readable", source), **options), where, columns, engine, timezone)
    many = cast("LakeSource", source)
    if isinstance(many, str | os.PathLike) and os.path.isdir(many):
        known = stored(os.fspath(many), spark, options.get("decryption"), follow_outside)
        if known is not None:
            return ask(known, where, columns, engine, timezone=timezone)
    lake = scan(
        spark,
        many,
        storage_options=options.get("storage_options"),
        follow_outside=follow_outside,
        limits=options.get("limits"),
    )
    try:
        plan = lake.ask(where, columns, engine, timezone=timezone)
    except BaseException:
        lake.close()
        raise
    plan.owns_source = True
    return plan


def _ask_file(file: ParquetFile, where: str, columns: Sequence[str] | None, engine: str, timezone: str | None) -> Plan:
    try:
        plan = plan_of(file, where, columns, engine, timezone)
    except BaseException:
        file.close()
        raise
    plan.owns_source = True
    return plan
