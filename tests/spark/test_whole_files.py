"""Files that only Spark reaches are read whole, and the cost is said before."""

import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_lake

import pqexplore.lake
from pqexplore.engine.errors import CredentialsError, UsageError
from pqexplore.lake.spark import binary_files
from pqexplore.lake.tables import TABLES

ODD = "day=0/an [odd] {name}*.parquet"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("whole") / "files"
    for number, name in enumerate(["a.parquet", "day=0/b.parquet", ODD]):
        path = found / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(made_lake.table(number), path)
    (found / "broken.parquet").write_bytes(b"PAR1 and no footer")
    (found / "notes.txt").write_text("no file of the lake")
    return found


def contents(lake, table):
    """The rows of a table, without what differs from run to run."""
    skipped = {"run_id", "seconds", "bytes_read", "modified", "retries"}
    found = lake.sql(f"SELECT * FROM {table}")
    rows = found.toArrow() if hasattr(found, "toArrow") else found
    return sorted(
        json.dumps({k: v for k, v in row.items() if k not in skipped}, default=str, sort_keys=True)
        for row in rows.to_pylist()
        if row.get("status") != "not-read"  # Spark does not list what is not data
    )


def test_the_rows_are_those_of_a_scan_that_opens_the_files(spark, folder, tmp_path):
    here = pqexplore.lake.scan(None, folder, out=tmp_path / "here", processes=0)
    cost = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
    reports = []
    with pytest.warns(UserWarning, match=rf"reads whole files: 4 files, {cost:,} bytes") as told:
        through = pqexplore.lake.scan(
            spark,
            str(folder),
            out=tmp_path / "through",
            through="binaryFile",
            progress=lambda one: reports.append((one.files, len(told))),
        )
    assert reports[0] == (0, 1), "the cost is said before the first file is read"
    for table in TABLES:
        if table != "runs":
            assert contents(pqexplore.lake.open(tmp_path / "through"), table) == contents(here, table)  # fmt: skip
    assert through.manifest.run["bytes_read"] == cost
    assert reports[-1][0] == 4
    with pytest.raises(UsageError, match="cannot be refreshed"):
        through.refresh()


def test_a_dataframe_gives_the_files_that_it_reads(spark, folder, tmp_path):
    frame = spark.read.parquet(str(folder / "a.parquet"), str(folder / "day=0/b.parquet"))
    with pytest.warns(UserWarning, match="2 files"):
        lake = pqexplore.lake.scan(spark, frame, out=tmp_path / "s", through="binaryFile")
    found = pqexplore.lake.open(lake.path).tables["files"]
    assert sorted(map(os.path.basename, found["path"].to_pylist())) == ["a.parquet", "b.parquet"]
    assert set(found["status"].to_pylist()) == {"ok"}


def test_files_that_are_gone_or_too_large(spark, folder, tmp_path, monkeypatch):
    def remove(progress):
        if not progress.files:
            (tmp_path / "files" / "b.parquet").unlink(missing_ok=True)

    (tmp_path / "files").mkdir()
    for name, rows in (("a", 3), ("b", 3), ("large", 90_000)):
        pq.write_table(pa.table({"id": range(rows)}), tmp_path / "files" / f"{name}.parquet")
    monkeypatch.setattr(binary_files, "LARGEST", 20_000)
    with pytest.warns(UserWarning):
        lake = pqexplore.lake.scan(
            spark, str(tmp_path / "files"), out=tmp_path / "s", through="binaryFile", progress=remove
        )  # fmt: skip
    found = pqexplore.lake.open(lake.path).tables["files"].to_pylist()
    codes = {os.path.basename(row["path"]): row["error_code"] for row in found}
    assert codes == {"a.parquet": None, "b.parquet": "missing", "large.parquet": "limit"}


def test_a_table_with_a_log_is_refused(spark, folder, tmp_path):
    for name, log in (("delta", "_delta_log/0.json"), ("iceberg", "metadata/v1.metadata.json")):
        part = tmp_path / name / "day=0"
        part.mkdir(parents=True)
        pq.write_table(made_lake.table(1), part / "a.parquet")
        (tmp_path / name / log).parent.mkdir()
        (tmp_path / name / log).write_text("{}")
        for source in (tmp_path / name, part):
            with pytest.raises(UsageError, match=f"{name} is a table with a log"):
                binary_files.whole_files(spark, str(source), ["*.parquet"])


def test_what_can_be_wrong(spark, tmp_path):
    with pytest.raises(UsageError, match="Spark finds no such file or folder"):
        binary_files.whole_files(spark, str(tmp_path / "nowhere"), ["*.parquet"])
    with pytest.raises(UsageError, match="has no file named"):
        binary_files.whole_files(spark, str(tmp_path), ["*.parquet"])
    for session, through in ((None, "binaryFile"), (spark, "parquet")):
        with pytest.raises(UsageError, match="through is 'binaryFile', with a Spark session"):
            pqexplore.lake.scan(session, tmp_path, through=through)
    dump = "java.nio.file.AccessDeniedException: s3a://b/x: Status Code: 403; Request ID: 4442587FB7D0A2F9"
    with pytest.raises(CredentialsError) as caught, binary_files._told("s3a://b/x"):
        raise RuntimeError(dump)
    assert str(caught.value) == "s3a://b/x: Spark's own credentials may not read it"


def test_credentials_are_not_in_the_text_of_a_plan(spark):
    """What a task needs travels in its pickled function, which plans and `explain` do not show."""
    from pqexplore.lake.listed_files import Entry, Options
    from pqexplore.lake.spark import job as on_spark
    from pqexplore.lake.store.table_definition import ddl

    options = Options("run", storage_options=(("key", "AKIATEMP"), ("secret", "temporary-secret")))
    frame = on_spark.paths(spark, [Entry("s3://b/x.parquet")]).mapInArrow(
        on_spark.reader(options, "/nowhere", "marker"), ddl(on_spark.ANSWERS)
    )
    execution = frame._jdf.queryExecution()
    said, lineage = execution.toString(), execution.toRdd().toDebugString()
    assert "MapInArrow" in said and "MapPartitionsRDD" in lineage
    for text in (said, lineage):
        assert "temporary-secret" not in text and "AKIATEMP" not in text
    assert "temporary-secret" not in repr(frame)
