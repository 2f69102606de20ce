"""Who wrote a file, by its created_by and its key-value metadata."""

import csv

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.insight.writers.known import BY_NAME, LIBRARIES
from pqexplore.insight.writers.writer import by_name, named, program

# created_by | name, version, built by
WRITERS = [
    ("parquet-mr version 1.13.1 (build db41)", "parquet-java", (1, 13, 1), ""),
    ("parquet-mr", "parquet-java", None, ""),
    ("parquet-mr version 1.5.0-cdh5.12.0-SNAPSHOT (build ${buildNumber})", "parquet-java", (1, 5, 0), "Cloudera CDH"),
    ("parquet-mr version 1.10.99.7.2.16.0-233 (build 1)", "parquet-java", (1, 10, 99, 7, 2, 16, 0), "Cloudera CDP"),
    ("parquet-mr version 1.10.0.3.1.5.0-152", "parquet-java", (1, 10, 0, 3, 1, 5, 0), "Hortonworks HDP"),
    ("parquet-mr version 1.10.1.2-databricks4 (build 1)", "parquet-java", (1, 10, 1, 2), "Databricks"),
    ("parquet-mr version 1.16.0-databricks-0001 (build 4)", "parquet-java", (1, 16, 0), "Databricks"),
    ("parquet-mr version 1.12.2-amzn-athena-1 (build 1)", "parquet-java", (1, 12, 2), "Amazon Athena"),
    ("parquet-mr version 1.11.1-uber-0.10 (build d)", "parquet-java", (1, 11, 1), "Uber"),
    ("parquet-mr version 1.8.1-drill-r0 (build 6)", "parquet-java", (1, 8, 1), "Apache Drill"),
    ("parquet-mr version 1.12.0-201812210311360288-a86293f (build ce", "parquet-java", (1, 12, 0), "Dremio"),
    ("parquet-mr version 1.16.0-SNAPSHOT (build ee)", "parquet-java", (1, 16, 0), ""),
    ("parquet-mr-trino version 481 (build n/a)", "trino", (481, 0, 0), ""),
    ("parquet-mr version 2.6.0", "velox", (2, 6, 0), ""),
    ("parquet-cpp-velox version 0.0.0", "velox", (0, 0, 0), ""),
    ("parquet-cpp version 1.5.1-SNAPSHOT", "arrow-cpp", (1, 5, 1), ""),
    ("parquet-cpp", "arrow-cpp", None, ""),
    ("parquet-cpp-arrow version 26.0.1", "arrow-cpp", (26, 0, 1), ""),
    ("parquet-cpp-arrow version 19.0.1 starrocks-3.5.2", "starrocks", (19, 0, 1), ""),
    ("doris-2.1.0-rc11(parquet-cpp-arrow version 17.0.0)", "doris", (17, 0, 0), ""),
    ("DuckDB", "duckdb", None, ""),
    ("DuckDB version v1.4.0 (build 1)", "duckdb", (1, 4, 0), ""),
    ("Polars", "polars", None, ""),
    ("Arrow2 - Native Rust implementation of Arrow", "arrow2", None, ""),
    ("parquet-rs version 53.2.0", "arrow-rs", (53, 2, 0), ""),
    ("datafusion version 52.5.0", "datafusion", (52, 5, 0), ""),
    ("Polars (python) version 2.1.0 (build 7f90)", "polars", (2, 1, 0), ""),
    ("delta-rs version py-1.6.6", "delta-rs", (1, 6, 6), ""),
    ("delta-rs version 0.17.1", "delta-rs", (0, 17, 1), ""),
    ("fastparquet-python version 2024.5.0 (build 0)", "fastparquet", (2024, 5, 0), ""),
    ("parquet-go version latest", "xitongsys", None, ""),
    ("parquet-go", "fraugster", None, ""),
    ("parquet-go version 18.0.0-SNAPSHOT", "arrow-go", (18, 0, 0), ""),
    ("github.com/hangxie/parquet-go/v3", "hangxie", None, ""),
    ("github.com/hangxie/parquet-go v2 latest", "hangxie", (2, 0, 0), ""),
    ("github.com/segmentio/parquet-go version 0.0.0(build 1)", "segmentio", (0, 0, 0), ""),
    ("github.com/parquet-go/parquet-go version 0.30.1(build )", "parquet-go", (0, 30, 1), ""),
    ("Parquet.Net version 3.3.4 (build 'eec8')", "parquet-net", (3, 3, 4), ""),
    ("parquet-dotnet", "parquet-net", None, ""),
    ("impala version 2.6.0-cdh5-INTERNAL (build fe23)", "impala", (2, 6, 0), "Cloudera CDH"),
    ("cudf version 24.06.00", "cudf", (24, 6, 0), ""),
    ("RAPIDS Spark Plugin", "rapids-spark", None, ""),
    ("hyparquet", "hyparquet", None, ""),
    ("https://github.com/gaborcsardi/nanoparquet", "nanoparquet", None, ""),
    ("https://github.com/gaborcsardi/miniparquet", "miniparquet", None, ""),
    ("parquet.js", "parquetjs", None, ""),
    ("ClickHouse v25.9.1.1-testing", "clickhouse", (25, 9, 1, 1), ""),
    ("ClickHouse version 25.10.1 (build 5b1d)", "clickhouse", (25, 10, 1), ""),
    ("hardwood version 1.1.0 (build a093aab)", "hardwood", (1, 1, 0), ""),
    ("flow-php parquet version 0.5.0", "flow-php", (0, 5, 0), ""),
    ("Parquet.jl version 1.0.0-DEV", "parquet-jl", (1, 0, 0), ""),
    ("pg_parquet", "pg-parquet", None, ""),
    ("Databend 1.2.680-p2", "databend", (1, 2, 680), ""),
    ("Carquet", "carquet", None, ""),
    ("Photon 0.2", "photon", (0, 2, 0), ""),
    ("Kusto export", "kusto", None, ""),
    ("AWS", "aws-dms", None, ""),
    ("HVR 5.3.0/9 (linux)", "hvr", (5, 3, 0), ""),
    ("Xtract Universal", "xtract", None, ""),
    ("pqexplore version 0.1", "pqexplore", (0, 1, 0), ""),
    ("parquet-mr-of-mine version 1.8.0", "", (1, 8, 0), ""),
    ("a parquet-mr version 1.8.0", "", (1, 8, 0), ""),
    ("parquet-go version 0.9.0", "", (0, 9, 0), ""),
]  # fmt: skip


@pytest.mark.parametrize(("created_by", "name", "version", "built_by"), WRITERS)
def test_a_created_by_names_its_writer(created_by, name, version, built_by):
    found = named(created_by)
    assert (found.name, found.version, found.built_by) == (name, version, built_by)
    assert found.text == created_by and found.why == ()
    former = "parquet-cpp" if created_by.split()[0] == "parquet-cpp" else ""
    assert found.title == (former or BY_NAME[name].title if name else created_by.split(" version")[0])


def test_no_created_by_names_nobody():
    assert [named(text) for text in (None, "", "  ")] == [None] * 3


def test_every_application_is_in_the_table():
    asked = {named(text).name for text, *_ in WRITERS}
    assert {one.name for one in LIBRARIES if one.applications} <= asked
    assert len(LIBRARIES) >= 40
    assert len(BY_NAME) == len(LIBRARIES)
    applications = [name for one in LIBRARIES for name in one.applications]
    assert len(set(applications)) == len(applications) and all(a == a.lower() for a in applications)


PROGRAMS = [
    # the file's key-value metadata, its library, the program that used the library
    ({"org.apache.spark.version": "3.5.9"}, "parquet-java", "Apache Spark 3.5.9"),
    ({"pandas": '{"pandas_version": "2.2.0"}'}, "arrow-cpp", "pandas 2.2.0"),
    ({"pandas": "[" * 100_000}, "arrow-cpp", "pandas"),
    ({"pandas": None}, "fastparquet", "pandas"),
    ({"iceberg.schema": "{}", "pandas": "{}"}, "arrow-cpp", "Apache Iceberg"),
    ({"sfVer": "1"}, "snowflake", "Snowflake"),
    ({"drill.version": "1.7.0"}, "parquet-java", "Apache Drill 1.7.0"),
    ({"drill.version": "1.7.0"}, "arrow-cpp", ""),
    ({"drill.version": "1.7.0", "pandas": "{}"}, "arrow-cpp", "pandas"),
    ({"org.apache.spark.version": "3.5.9"}, "duckdb", ""),
    ({"pandas": "{}"}, "", ""),
    ({"mine": "1"}, "arrow-cpp", ""),
]


@pytest.mark.parametrize(("pairs", "library", "expected"), PROGRAMS)
def test_the_program_is_known_by_its_keys_if_it_writes_with_the_library(pairs, library, expected):
    assert program(pairs, library) == expected


def test_keys_that_arrow_took_over_from_the_file_it_read_do_not_name_its_program(tmp_path):
    table = pa.table({"n": [1]}).replace_schema_metadata({"drill.version": "1.7.0"})
    pq.write_table(table, tmp_path / "x.parquet")
    with pqexplore.open(tmp_path / "x.parquet") as file:
        assert str(by_name(file)) == f"Arrow C++ {pa.__version__}"


def test_a_writer_in_words(tmp_path):
    assert str(named("parquet-mr version 1.16.0-databricks-0001 (build 4)")) == (
        "Parquet Java 1.16.0-databricks-0001 (built by Databricks)"
    )
    assert str(named("\x1b[2Jme")) == "\\x1b[2Jme"
    assert len(str(named("x" * 200_000 + " version " + "9" * 5_000))) < 200


def test_writers_of_the_corpus_are_known(corpus):
    unknown = set()
    with (corpus / "catalog.csv").open(newline="") as catalog:
        for row in csv.DictReader(catalog):
            found = named(row["created_by"])
            if found and not found.name:
                unknown.add(row["created_by"])
    assert unknown == {"UrbanLogiq", "cpp version BuildInfo:GitBranch:master,GitVersion:7def947,BuildTime:1672903249"}


def test_the_program_of_a_file_is_known(corpus):
    with pqexplore.open(next((corpus / "spark-samples-3.5.9").rglob("part-*.parquet"))) as file:
        found = by_name(file)
    assert (found.name, found.program) == ("parquet-java", "Apache Spark 3.5.9")
