"""A plan for the files of a lake as DataFrames."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import printable
from pqexplore.insight.ask.ruling import PARTITION
from pqexplore.lake.asking.clauses import tops_of
from pqexplore.lake.asking.judging import STAGES, with_partitions
from pqexplore.lake.asking.on_spark import folder_rulings, ruled, staged, verdict
from pqexplore.lake.asking.one_file import open_plan
from pqexplore.lake.asking.outcome import INCOMPLETE, UNREADABLE
from pqexplore.lake.asking.partitions import Partitions
from pqexplore.lake.asking.plan import undecided
from pqexplore.lake.asking.schemas import Families, footers_of
from pqexplore.lake.asking.signatures import COLUMNS
from pqexplore.lake.asking.summary import KEPT, Counted, Counts
from pqexplore.lake.asking.tables import BELIEVED, BY_LOG_SINCE, FILE_COLUMNS, projected, renamed_tops, stored_footer

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from pqexplore.insight.ask import predicate
    from pqexplore.insight.ask.engines import Engine
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.lake.asking.plan import LostRows
    from pqexplore.lake.lake import Lake

MOST_FOLDERS = 100_000
"""Max distinct folders of partitions."""


class SparkLakePlan(Counted):
    """What an engine reads of many files for a condition; the same as `LakePlan`, with DataFrames.

    `files` and `row_groups` are DataFrames with the columns of `LakePlan`'s tables. Where the engine may lose rows is
    not worked out; ask one file (`open`), or the lake without Spark.
    """

    def __init__(
        self,
        lake: Lake,
        session: SparkSession,
        where: str,
        clause: predicate.Clause,
        engine: Engine,
        columns: Sequence[str] | None,
        only: Collection[str] | None,
    ) -> None:
        self.lake = lake
        self.where = where
        self.clause = clause
        self.engine = engine
        self.columns = None if columns is None else tuple(columns)
        self.owns_lake = False
        self._session = session
        self._files = _files(lake, session, only)
        self._schemas = lake._store.read(lake.manifest, "schemas")
        self._families = self._bound()
        self._used = [engine.usable(one.bound, one.schema) for one in self._families.all]
        self._decide()

    def _bound(self) -> Families:
        files = self._files
        texts = [row[0] for row in files.select("folder").distinct().limit(MOST_FOLDERS + 1).collect()]
        if len(texts) > MOST_FOLDERS:
            raise UsageError(f"the lake has more than {MOST_FOLDERS:,} different folders")
        self._texts = texts
        ids = {
            row["schema_id"]: row
            for row in files.where("status = 'ok' AND schema_id IS NOT NULL")
            .groupBy("schema_id")
            .agg(
                F.count("*").alias("files"),
                F.max(F.col("table_path").isNotNull()).alias("tabled"),
                F.min("path").alias("path"),
            )
            .collect()
        }
        self._schema_files = {name: row["files"] for name, row in ids.items()}
        stored = footers_of(self._schemas.select(["schema_id", "leaf", "footer"]).to_pylist())
        tabled = {name for name, row in ids.items() if row["tabled"]}
        return Families(
            self.clause,
            {name: stored.get(name) for name in ids}.items(),
            Partitions(texts),
            tabled,
            renamed_tops(self._schemas, tabled),
            lambda name: stored_footer(self.lake, ids[name]["path"]),
        )

    def _decide(self) -> None:
        session, families = self._session, self._families
        placed = [(name, one.family) for name, one in families.placed.items()]
        of_schema = session.createDataFrame(placed, "schema_id string, family int")
        files = self._files.join(F.broadcast(of_schema), "schema_id", "left")
        readable = (F.col("status") == "ok") & F.col("family").isNotNull()
        files = files.withColumn("family", F.when(readable, F.col("family")).otherwise(-1))
        chunks = _chunks(self.lake, self._schemas, self.clause)
        tests, rulings = ruled(session, families, self._used, self.engine, files, chunks)
        names, by_folder = folder_rulings(session, families, self._texts)
        by_folder = by_folder.withColumnRenamed("partition_values", "folder")
        of_file = files.join(F.broadcast(by_folder), "folder", "left")
        groups = (
            self._groups()
            .join(of_file.select("path", "family", *names.values()), "path")
            .join(rulings, ["path", "row_group"], "left")
        )
        if families.all:
            found = staged(families, self._used, self.engine, tests, names)
            groups = groups.withColumn("found", found)
        else:
            kind = "struct<stage: int, by: string, reason: string, evidence: string>"
            groups = groups.withColumn("found", F.lit(None).cast(kind))
        groups = groups.withColumn("stage", F.coalesce(F.col("found.stage"), F.lit(KEPT)))
        self._by_group = groups.withColumns({name: F.coalesce(F.col(f"found.{name}"), F.lit("")) for name in _WORDS})
        folder_tree = with_partitions(families.unreadable.bound, families.unreadable.partitions)
        own = {test: F.col(name) for test, name in names.items()}
        self._by_file = self._of_files(of_file, verdict(folder_tree, own))

    def _groups(self) -> DataFrame:
        groups = self.lake.tables["row_groups"].select(
            "path", "row_group", "num_rows", F.col("compressed_bytes").alias("bytes")
        )
        if self.columns is None:
            return groups.withColumn("bytes", F.coalesce("bytes", F.lit(0)))
        known = pc.unique(self._schemas["column_name"]).to_pylist()
        names = sorted(projected(known, self.columns, self.clause))
        sizes = (
            self.lake.tables["column_chunks"]
            .where(F.col("column_name").isin(names))
            .groupBy("path", "row_group")
            .agg(F.sum("compressed_bytes").alias("bytes"))
        )
        return (
            groups.drop("bytes")
            .join(sizes, ["path", "row_group"], "left")
            .withColumn("bytes", F.coalesce("bytes", F.lit(0)))
        )

    def _of_files(self, files: DataFrame, by_folder: Column) -> DataFrame:
        """A row for each file, with the stage that skips it and why."""
        rank = F.when(F.col("stage") < 0, len(STAGES)).otherwise(F.col("stage"))
        deciding = F.struct(rank.alias("rank"), (-F.col("row_group")).alias("at"), "by", "reason")
        each = self._by_group.groupBy("path").agg(
            F.count("*").alias("of_row_groups"),
            F.sum((F.col("stage") < 0).cast("long")).alias("row_groups"),
            F.max("stage").alias("last"),
            F.max(deciding).alias("deciding"),
        )
        rows = files.withColumn("own", by_folder).join(each, "path", "left")
        rows = rows.fillna(0, ["of_row_groups", "row_groups"])
        unreadable = F.col("family") < 0
        incomplete = F.col("of_row_groups") != F.coalesce(F.col("num_row_groups"), F.lit(0))
        pruned = F.when(F.col("own.by") == PARTITION, 0).otherwise(1)
        stage = (
            F.when(unreadable, F.when(F.col("own.possible"), KEPT).otherwise(pruned))
            .when(incomplete | (F.col("row_groups") > 0), KEPT)
            .when(F.col("of_row_groups") == 0, STAGES.index("number of rows"))
            .otherwise(F.col("last"))
        )
        rows = rows.withColumn("stage", stage)
        error = F.concat(F.lit(UNREADABLE), F.coalesce("error", F.lit("unknown error")))
        empty = F.col("of_row_groups") == 0
        by = (
            F.when(unreadable, F.when(F.col("own.possible"), "").otherwise(F.col("own.by")))
            .when(incomplete, "")
            .when(empty, "number of rows")
            .otherwise(F.col("deciding.by"))
        )
        reason = (
            F.when(unreadable, F.when(F.col("own.possible"), error).otherwise(F.col("own.said")))
            .when(incomplete, INCOMPLETE)
            .when(empty, "it has no row groups")
            .otherwise(F.col("deciding.reason"))
        )
        return rows.withColumns({"by": by, "reason": reason})

    # The outcome.

    @property
    def files(self) -> DataFrame:
        """A row for each file: file, kept, by, reason, row_groups (that are read), of_row_groups, size."""
        return self._by_file.select(
            F.col("path").alias("file"),
            (F.col("stage") < 0).alias("kept"),
            "by",
            "reason",
            "row_groups",
            "of_row_groups",
            "size",
        )

    @property
    def row_groups(self) -> DataFrame:
        """A row for each row group: file, row_group, num_rows, kept, by, reason, evidence, bytes (that would be read)."""
        return self._by_group.select(
            F.col("path").alias("file"), "row_group", "num_rows", (F.col("stage") < 0).alias("kept"), *_WORDS, "bytes"
        )

    @functools.cached_property
    def counts(self) -> Counts:
        """Files, row groups and bytes by stage: one job over files and one over row groups."""
        files = (
            self._by_file.groupBy("stage", (F.col("family") < 0).alias("unreadable"))
            .agg(F.count("*").alias("files"), F.sum("size").alias("size"))
            .collect()
        )
        groups = (
            self._by_group.groupBy("stage").agg(F.count("*").alias("groups"), F.sum("bytes").alias("bytes")).collect()
        )
        by_stage: dict[int, int] = {}
        for row in files:
            by_stage[row["stage"]] = by_stage.get(row["stage"], 0) + row["files"]
        damaged = [row for row in files if row["unreadable"]]
        return Counts(
            by_stage,
            {row["stage"]: row["groups"] for row in groups},
            {row["stage"]: row["bytes"] or 0 for row in groups},
            {row["stage"]: row["files"] for row in damaged},
            {row["stage"]: row["size"] or 0 for row in damaged},
            sum(row["size"] or 0 for row in files),
        )

    @property
    def sentence(self) -> str:
        """See `LakePlan`."""
        return printable(self.counts.sentence(self.engine.title))

    @property
    def wrong_rows(self) -> tuple[LostRows, ...]:
        """Empty: where the engine may lose rows is not worked out on Spark."""
        return ()

    @functools.cached_property
    def remarks(self) -> tuple[str, ...]:
        """What was assumed, and which conditions decide nothing and why."""
        counts = [0] * len(self._families.all)
        for name, one in self._families.placed.items():
            counts[one.family] += self._schema_files.get(name, 0)
        made = list(undecided(self._families, counts, self.num_files, self.engine))
        old = self.lake.manifest.schema_version < BY_LOG_SINCE
        if old and self._families.unreadable.partitions:
            tabled = self._files.where("table_path IS NOT NULL AND folder <> ''")
            made += [BELIEVED] if tabled.limit(1).collect() else []
        damaged = self._by_file.where("family < 0 AND stage < 0").orderBy("path").limit(3).collect()
        made += [f"{row['path']} cannot be read, so it is not skipped: {row['error']}" for row in damaged]
        if self.engine.name != "format":
            made.append(
                "On Spark, bounds that a careful reader does not trust skip nothing, and it is not worked out where "
                f"{self.engine.title} may lose rows; open a file for both."
            )
        return tuple(dict.fromkeys(map(printable, made)))

    def first_files(self, count: int) -> list[dict[str, Any]]:
        """The first rows of `files`, those that are read before those that are skipped."""
        rows = self.files.orderBy(F.col("kept").desc(), "file").limit(count).collect()
        return [row.asDict() for row in rows]

    def open(self, file: str) -> Plan:
        """See `LakePlan.open`."""
        found = self._files.where(F.col("path") == file).limit(1).collect()
        if not found:
            raise UsageError(f"the lake has no file {file!r} that a query reads")
        row = found[0].asDict()
        return open_plan(self.lake, self._families, row, self.where, self.columns, self.engine)

    def close(self) -> None:
        """Removes the tables if `pqexplore.ask` made them."""
        if self.owns_lake:
            self.lake.close()

    def __enter__(self) -> SparkLakePlan:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<SparkLakePlan {self.engine.name}: {self.sentence}>"


_WORDS = ("by", "reason", "evidence")


def _files(lake: Lake, session: SparkSession, only: Collection[str] | None) -> DataFrame:
    table: Any = lake.tables["files"]
    found: DataFrame = table.where("status IN ('ok', 'error')").select(*FILE_COLUMNS)
    if only is not None:
        paths = session.createDataFrame([(path,) for path in only], "path string")
        found = found.join(paths, "path", "left_semi")
    return found.withColumn("folder", F.coalesce("partition_values", F.lit("")))


def _chunks(lake: Lake, schemas: pa.Table, clause: predicate.Clause) -> DataFrame:
    """The chunks of the columns of a condition."""
    tops = pa.array(sorted(tops_of(clause)), pa.string())
    named = schemas["column_name"].filter(pc.is_in(pc.utf8_lower(schemas["top_level"]), tops))
    table: Any = lake.tables["column_chunks"]
    wanted = pc.unique(named).to_pylist()
    found: DataFrame = table.where(F.col("column_name").isin(wanted)).select("path", "row_group", "leaf", *COLUMNS)
    return found
