"""Random conditions on random files: Spark says which files have rows of the answer, and none of these is skipped.

`any_predicate.CLAUSES` has the mix. A file without a row of the answer could be skipped by an ideal index. The share of
these that a store does skip is printed, and must not sink.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pyarrow.parquet as pq
import pytest
from lake.metadatastore.any_predicate import FILES, STORES, condition, table

from pqexplore.lake import metadatastore

BATCH = 50
"""Conditions of one query."""
SHARE = 0.65
"""The least share of the ideal over all stores."""


def answers(spark, path: str, asked: list[str]) -> dict[str, set[str]]:
    """The names of the files with rows of each condition, by condition; conditions that Spark refuses are left out."""
    cases = ", ".join(f"max(IF({one}, 1, 0)) AS c{n}" for n, one in enumerate(asked))
    frame = spark.read.parquet(path).selectExpr("*", "_metadata.file_name AS file_of_row")
    frame.createOrReplaceTempView("fuzzed")
    try:
        rows = spark.sql(f"SELECT file_of_row, {cases} FROM fuzzed GROUP BY file_of_row").collect()
    except Exception:  # whatever Spark refuses, such as a cast with ANSI; Connect and classic have other classes for it
        if len(asked) == 1:
            return {}
        half = len(asked) // 2
        return answers(spark, path, asked[:half]) | answers(spark, path, asked[half:])
    return {one: {row["file_of_row"] for row in rows if row[f"c{n}"]} for n, one in enumerate(asked)}


@pytest.mark.full
@pytest.mark.parametrize("ansi", ["true", "false"])
def test_no_file_with_a_row_of_sparks_answer_is_skipped(spark, tmp_path, record_property, ansi):
    random = Random(20_260_401)
    could, skipped = Counter(), Counter()
    asked = 0
    names = ("spark.sql.ansi.enabled", "spark.sql.session.timeZone")
    old = {name: spark.conf.get(name) for name in names}
    try:
        spark.conf.set("spark.sql.ansi.enabled", ansi)
        for zone, indexes in STORES.items():
            spark.conf.set("spark.sql.session.timeZone", zone)
            root = tmp_path / zone.replace("/", "-")
            root.mkdir()
            for number in range(FILES):
                pq.write_table(table(random, number), root / f"f{number:02}.parquet")
            store = metadatastore.build(None, root, indexes, tmp_path / "md")
            assert not store.omitted
            conditions = [condition(random) for _ in range(485)]
            for start in range(0, len(conditions), BATCH):
                batch = list(dict.fromkeys(conditions[start : start + BATCH]))
                for one, having in answers(spark, str(root), batch).items():
                    found = store.evaluate(one, timezone=zone)
                    kept = {store.object(name).path.rpartition("/")[2] for name in found.kept}
                    assert having <= kept, (one, zone, sorted(having - kept))
                    could[zone] += FILES - len(having)
                    skipped[zone] += FILES - len(kept)
                    asked += 1
    finally:
        for name, value in old.items():
            spark.conf.set(name, value)
    each = ", ".join(f"{zone} {skipped[zone] / could[zone]:.0%}" for zone in STORES)
    share = skipped.total() / could.total()
    record_property(
        "stated",
        f"{asked:,} conditions, ANSI {ansi}: skipped {skipped.total():,} of {could.total():,} files that could be "
        f"skipped, {share:.1%} ({each})",
    )
    assert asked > 1_500
    assert share >= SHARE
