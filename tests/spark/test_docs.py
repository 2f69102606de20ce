"""The blocks of README.md and docs/*.md that need Spark run as written, in a fresh folder."""

import shutil
from pathlib import Path

import pytest
import test_docs as docs

import pqexplore
from pqexplore.engine.writer.samples import write_sample

BLOCKS = [
    pytest.param(text, id=page.name)
    for page in docs.PAGES
    for _, text, _ in docs.blocks(page, docs.WITH_STORES)
    if text.startswith(docs.ON_SPARK)
]


@pytest.fixture
def folder(tmp_path, monkeypatch, spark):
    """Two folders of files, a Delta table, and a table of Spark as the pages name them. Python and Java stand in the same folder."""
    monkeypatch.chdir(tmp_path)
    java = spark._jvm.org.apache.hadoop.fs
    files = java.FileSystem.get(spark._jsc.hadoopConfiguration())
    before = files.getWorkingDirectory()
    files.setWorkingDirectory(java.Path(str(tmp_path)))
    write_sample("events", "events.parquet")
    for place in (Path("warehouse/events"), Path("volume/events")):
        place.mkdir(parents=True)
        for name in ("a", "b"):
            shutil.copy("events.parquet", place / f"{name}.parquet")
    docs.delta_table(Path("events"))
    spark.sql(f"CREATE TABLE events USING parquet LOCATION '{tmp_path}/volume/events'")
    yield
    spark.sql("DROP TABLE events")
    files.setWorkingDirectory(before)


@pytest.mark.parametrize("text", BLOCKS)
def test_a_block_runs(text, folder, spark):
    shown = []
    names = {"pqexplore": pqexplore, "spark": spark, "display": lambda frame: shown.append(frame)}
    # a session of this machine has no catalog `main`
    docs.run_python(text.replace('"main.default.', '"default.'), "block", names)
    assert names["lake"].manifest.run["num_files"] == 2
    assert len(shown) == text.count("\ndisplay(")
    if "store" in names:
        assert len(names["store"].evaluate("id < 0").kept) == 0
