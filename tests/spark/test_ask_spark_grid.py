"""What Spark reads of the files of `grid_cases`, compared with the plans: row groups by stage, rows read, rows returned.

The same files and conditions as in `tests/insight/ask/test_engine_grid.py`. PQEXPLORE_GRID names the folder with the files,
where writers are missing that Spark's environment cannot have.
"""

import collections
import functools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from insight.ask.grid_cases import FILES, asked_of, write_files
from spark.held_plans import compared, plan_of

VERDICTS = ("agree", "otherwise", "refused")


@pytest.fixture(scope="module")
def grid_files(tmp_path_factory) -> dict[str, Path]:
    made = os.environ.get("PQEXPLORE_GRID")
    if made is None:
        return write_files(tmp_path_factory.mktemp("grid"))
    return {name: Path(made, f"{name}.parquet") for name in FILES}


def frame(spark: Any, path: Path) -> Any:
    """The file without timestamps of nanoseconds in INT64, for which Spark refuses a whole file; it reads those in INT96."""
    spark.conf.set("spark.sql.legacy.parquet.nanosAsLong", "true")
    schema = spark.read.parquet(str(path)).schema
    spark.conf.unset("spark.sql.legacy.parquet.nanosAsLong")
    read = ", ".join(
        f"`{field.name}` {field.dataType.simpleString()}"
        for field in schema
        if (field.name, field.dataType.simpleString()) != ("ns", "bigint")
    )
    return spark.read.schema(read).parquet(str(path))


def refuses(spark: Any, path: Path) -> bool:
    """Whether Spark refuses to read the file as it is."""
    from pyspark.errors import PySparkException

    try:
        spark.read.parquet(str(path)).collect()
    except PySparkException as error:
        return "NANOS" in str(error)
    return False


def rows_returned(rows: Any, conditions: list[str], at_once: int = 20) -> dict[str, int]:
    """How many rows Spark returns for each condition; one query has several."""
    counts = dict.fromkeys(conditions, 0)
    for start in range(0, len(conditions), at_once):
        parts = [
            rows.where(sql).selectExpr(f"{start + at} AS asked")
            for at, sql in enumerate(conditions[start : start + at_once])
        ]
        for row in functools.reduce(lambda a, b: a.unionAll(b), parts).groupBy("asked").count().collect():
            counts[conditions[row["asked"]]] = row["count"]
    return counts


def verdict(said: dict[str, str], returned: int, plan: Any) -> str:
    """One of `VERDICTS`, or what differs."""
    if said["predicate"] == "no scan":  # the optimizer knows that no row can match
        return f"no scan, the plan reads {len(plan.kept)} row groups" if plan.kept else "agree"
    found = compared(said, plan)
    if found:
        return str(found)
    matches = plan.verify().matches
    rows = sum(matches["matching"].to_pylist()) - sum(matches["lost"].to_pylist())
    if returned == rows:
        return "agree"
    others = any("TRUE for null in Spark" in remark for remark in plan.remarks)
    return "otherwise" if others else f"{returned} rows returned, the plan says {rows}"


def verdicts(spark: Any, files: dict[str, Path], every: int) -> Iterator[tuple[str, str]]:
    """(case, verdict) for each `every`th condition of each file, others for each file."""
    conf, ask = spark._jsc.hadoopConfiguration(), spark._jvm.pqexplore.spark.ParquetJava.ask
    for at, (name, path) in enumerate(files.items()):
        rows, refused = frame(spark, path), False
        conditions = list(asked_of(path))[at % every :: every]
        plans = {sql: plan_of(path, sql) for sql in conditions}
        taken = [sql for sql, plan in plans.items() if not any("Spark refuses `ns`" in one for one in plan.remarks)]
        answers = dict(zip(taken, ask([rows.where(sql)._jdf for sql in taken], str(path), conf), strict=True))
        returned = rows_returned(rows, taken)
        for sql in conditions:
            if sql in answers:
                said = dict(line.split("=", 1) for line in answers[sql].split("\n"))
                yield f"{name}: {sql}", verdict(said, returned[sql], plans[sql])
            else:
                refused = refused or refuses(spark, path)
                yield f"{name}: {sql}", "refused" if refused else "the plan says that Spark refuses it, and it does not"


def counted(found: Iterator[tuple[str, str]]) -> tuple[collections.Counter[str], list[str]]:
    """How many cases had each verdict, and what differs."""
    both = list(found)
    counts = collections.Counter(one for _, one in both if one in VERDICTS)
    return counts, [f"{case}: {one}" for case, one in both if one not in VERDICTS]


def test_spark_reads_what_its_plans_say(spark, grid_files, record_property):
    counts, differences = counted(verdicts(spark, grid_files, every=40))
    record_property("stated", f"spark: {dict(counts)}, {len(differences)} differ")
    assert differences == []
    assert counts["agree"] > 20


@pytest.mark.full
def test_spark_reads_what_its_plans_say_for_every_condition(spark, grid_files, record_property):
    counts, differences = counted(verdicts(spark, grid_files, every=1))
    record_property("stated", f"spark: {dict(counts)}, {len(differences)} differ")
    assert differences == []
    assert counts["agree"] > 180 * len(grid_files)
    assert counts["refused"] < 0.02 * counts.total()
