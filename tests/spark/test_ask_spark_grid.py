"""What Spark reads of the files of `grid_cases`, compared with the plans: row groups by stage, rows read, rows returned.

The same files and conditions as in `tests/insight/ask/test_engine_grid.py`. PQEXPLORE_GRID names the folder with the files,
where writers are missing that Spark's environment cannot have.
"""

from __future__ import annotations

import collections
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
    """The file without its timestamps in nanoseconds, for which Spark refuses a whole file."""
    spark.conf.set("spark.sql.legacy.parquet.nanosAsLong", "true")
    schema = spark.read.parquet(str(path)).schema
    spark.conf.unset("spark.sql.legacy.parquet.nanosAsLong")
    known = [(field.name, field.dataType.simpleString()) for field in schema]
    read = ", ".join(f"`{name}` {kind}" for name, kind in known if (name, kind) != ("ns", "bigint"))
    return spark.read.schema(read).parquet(str(path))


def verdict(said: dict[str, str], plan: Any) -> str:
    """One of `VERDICTS`, or what differs."""
    if said["predicate"] == "no scan":  # the optimizer knows that no row can match
        return f"no scan, the plan reads {len(plan.kept)} row groups" if plan.kept else "agree"
    found = compared(said, plan)
    if found:
        return str(found)
    matches = plan.verify().matches
    rows = sum(matches["matching"].to_pylist()) - sum(matches["lost"].to_pylist())
    if int(said["rows"]) == rows:
        return "agree"
    others = any("TRUE for null in Spark" in remark for remark in plan.remarks)
    return "otherwise" if others else f"{said['rows']} rows returned, the plan says {rows}"


def verdicts(spark: Any, files: dict[str, Path], every: int) -> Iterator[tuple[str, str]]:
    """(case, verdict) for each `every`th condition of each file, others for each file."""
    conf, ask = spark._jsc.hadoopConfiguration(), spark._jvm.pqexplore.spark.ParquetJava.ask
    for at, (name, path) in enumerate(files.items()):
        rows = frame(spark, path)
        for sql in list(asked_of(path))[at % every :: every]:
            plan = plan_of(path, sql)
            if sql.startswith("ns ") and "ns" not in rows.columns:
                refuses = any("Spark refuses `ns`" in remark for remark in plan.remarks)
                yield f"{name}: {sql}", "refused" if refuses else "the plan does not say that Spark refuses it"
                continue
            said = ask(rows.where(sql)._jdf, str(path), conf)
            yield f"{name}: {sql}", verdict(dict(line.split("=", 1) for line in said.split("\n")), plan)


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
