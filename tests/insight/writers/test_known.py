"""Who wrote a file, by its created_by and its key-value metadata."""

import csv
from pathlib import Path

import pyarrow as pa
import pytest
from made import parquet
from table_files import table_rows

import pqexplore
from pqexplore.insight.writers.known import BY_NAME, LIBRARIES
from pqexplore.insight.writers.writer import by_name, named, program

WRITERS = table_rows(Path(__file__).parent / "tables" / "created_by.txt", "created_by, name, version, built by")


@pytest.mark.parametrize(("created_by", "name", "version", "built_by"), WRITERS)
def test_a_created_by_names_its_writer(created_by, name, version, built_by):
    found = named(created_by)
    numbers = "" if found.version is None else ".".join(map(str, found.version))
    assert (found.name, numbers, found.built_by) == (name, version, built_by)
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


def test_keys_that_arrow_took_over_from_the_file_it_read_do_not_name_its_program():
    table = pa.table({"n": [1]}).replace_schema_metadata({"drill.version": "1.7.0"})
    with pqexplore.open(parquet(table)) as file:
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
