"""The writers by the application that `created_by` names, those who build them, and the programs that use them.

An application is compared whole and in lower case: many writers begin with the name of another.
"""

from __future__ import annotations

import dataclasses
import re

from pqexplore.engine.check.writers import ARROW_GO
from pqexplore.engine.format.created_by import CreatedBy


@dataclasses.dataclass(frozen=True, slots=True)
class Library:
    """A writer: a stable name, its title, who makes it, what `created_by` calls it (lower case), and where it is from."""

    name: str
    title: str
    vendor: str
    applications: tuple[str, ...]
    url: str


def _github(name: str, title: str, vendor: str, repository: str, *applications: str) -> Library:
    return Library(name, title, vendor, applications, f"https://github.com/{repository}")


LIBRARIES = (
    _github("parquet-java", "Parquet Java", "Apache", "apache/parquet-java", "parquet-mr", "parquet-java"),
    _github("arrow-cpp", "Arrow C++", "Apache", "apache/arrow", "parquet-cpp-arrow", "parquet-cpp"),
    _github("arrow-rs", "arrow-rs", "Apache", "apache/arrow-rs", "parquet-rs"),
    _github("arrow-go", "Arrow Go", "Apache", "apache/arrow-go"),
    _github("datafusion", "DataFusion", "Apache", "apache/datafusion", "datafusion"),
    _github("impala", "Impala", "Apache", "apache/impala", "impala"),
    _github("doris", "Doris", "Apache", "apache/doris"),
    _github("starrocks", "StarRocks", "StarRocks", "StarRocks/starrocks"),
    _github("trino", "Trino", "Trino", "trinodb/trino", "parquet-mr-trino"),
    _github("velox", "Velox", "Meta", "facebookincubator/velox", "parquet-cpp-velox"),
    _github("duckdb", "DuckDB", "DuckDB", "duckdb/duckdb", "duckdb"),
    _github("polars", "Polars", "Polars", "pola-rs/polars", "polars"),
    _github("arrow2", "arrow2", "Jorge Leitao", "jorgecarleitao/arrow2", "arrow2 - native rust implementation of arrow"),
    _github("delta-rs", "delta-rs", "Delta Lake", "delta-io/delta-rs", "delta-rs"),
    _github("fastparquet", "fastparquet", "Dask", "dask/fastparquet", "fastparquet-python"),
    _github("xitongsys", "parquet-go of xitongsys", "xitongsys", "xitongsys/parquet-go"),
    _github("fraugster", "parquet-go of fraugster", "Fraugster", "fraugster/parquet-go"),
    _github("hangxie", "parquet-go of hangxie", "hangxie", "hangxie/parquet-go", "github.com/hangxie/parquet-go", "github.com/hangxie/parquet-go/v2", "github.com/hangxie/parquet-go/v3"),
    _github("segmentio", "parquet-go of Segment", "Segment", "segmentio/parquet-go", "github.com/segmentio/parquet-go"),
    _github("parquet-go", "parquet-go", "parquet-go", "parquet-go/parquet-go", "github.com/parquet-go/parquet-go"),
    _github("parquet-net", "Parquet.Net", "Ivan Gavryliuk", "aloneguid/parquet-dotnet", "parquet.net", "parquet-dotnet"),
    _github("cudf", "cuDF", "NVIDIA", "rapidsai/cudf", "cudf"),
    _github("rapids-spark", "RAPIDS Accelerator for Spark", "NVIDIA", "NVIDIA/spark-rapids", "rapids spark plugin"),
    _github("hyparquet", "hyparquet-writer", "Hyperparam", "hyparam/hyparquet-writer", "hyparquet"),
    _github("nanoparquet", "nanoparquet", "r-lib", "r-lib/nanoparquet", "https://github.com/gaborcsardi/nanoparquet"),
    _github("miniparquet", "miniparquet", "Gábor Csárdi", "gaborcsardi/miniparquet", "https://github.com/gaborcsardi/miniparquet"),
    _github("parquetjs", "parquet.js", "ironSource", "ironSource/parquetjs", "parquet.js", "parquets", "@dsnp/parquetjs"),
    _github("clickhouse", "ClickHouse", "ClickHouse", "ClickHouse/ClickHouse", "clickhouse"),
    _github("hardwood", "Hardwood", "Hardwood", "hardwood-hq/hardwood", "hardwood", "hardwood-test-datagen"),
    _github("flow-php", "flow-php", "Flow PHP", "flow-php/flow", "flow-php parquet"),
    _github("parquet-jl", "Parquet.jl", "Julia", "JuliaIO/Parquet.jl", "parquet.jl"),
    _github("pg-parquet", "pg_parquet", "Crunchy Data", "CrunchyData/pg_parquet", "pg_parquet"),
    _github("databend", "Databend", "Databend", "databendlabs/databend", "databend"),
    _github("carquet", "carquet", "Vitruves", "Vitruves/carquet", "carquet"),
    Library("photon", "Photon", "Databricks", ("photon",), "https://docs.databricks.com/aws/en/compute/photon"),
    Library("kusto", "Azure Data Explorer", "Microsoft", ("kusto export",), "https://learn.microsoft.com/en-us/kusto/management/data-export/"),
    Library("aws-dms", "AWS Database Migration Service", "Amazon", ("aws",), "https://docs.aws.amazon.com/dms/latest/userguide/CHAP_Target.S3.html"),
    Library("hvr", "HVR", "Fivetran", ("hvr",), "https://fivetran.com/docs/hvr6"),
    Library("xtract", "Xtract Universal", "Theobald Software", ("xtract universal",), "https://theobald-software.com/en/xtract-universal/"),
    Library("pqexplore", "pqexplore", "pqexplore", ("pqexplore",), ""),
    Library("snowflake", "Snowflake", "Snowflake", (), "https://docs.snowflake.com/en/sql-reference/sql/copy-into-location"),
)  # fmt: skip
"""Those without an application are recognised by more than it: see `library`, and `fingerprint`."""

BY_NAME = {one.name: one for one in LIBRARIES}
_BY_APPLICATION = {name: one for one in LIBRARIES for name in one.applications}

FORMER = frozenset(("parquet-cpp",))
"""Applications with versions of their own, by which a writer went before: they are its title, too."""


def library(created_by: CreatedBy) -> Library | None:
    """The writer that a created_by names; None if it is not known."""
    application = created_by.application.lower()
    if application == "parquet-go":
        if created_by.version is not None:
            return BY_NAME["arrow-go"] if created_by.version >= ARROW_GO else None
        return BY_NAME["xitongsys" if created_by.version_text == "latest" else "fraugster"]
    if application == "parquet-mr" and created_by.version and created_by.version >= (2, 0, 0):
        return BY_NAME["velox"]  # it said "parquet-mr version 2.6.0"; Parquet Java has no version 2
    if application == "parquet-cpp-arrow" and "starrocks-" in created_by.suffix:
        return BY_NAME["starrocks"]
    if application.startswith("doris-") and "(parquet-cpp-arrow" in application:
        return BY_NAME["doris"]
    return _BY_APPLICATION.get(application)


BUILDS = (
    (re.compile(r"cdh\d"), "Cloudera CDH"),
    (re.compile("databricks"), "Databricks"),
    (re.compile("amzn-athena"), "Amazon Athena"),
    (re.compile("amzn"), "Amazon"),
    (re.compile("uber"), "Uber"),
    (re.compile("drill"), "Apache Drill"),
    (re.compile(r"^-\d{18}-[0-9a-f]{7}$"), "Dremio"),
)
"""Who builds a library, by the suffix of its version."""

BUILDS_BY_FOURTH = {7: "Cloudera CDP", 3: "Hortonworks HDP"}
"""Who builds a library, by the fourth of seven numbers: 1.10.99.7.2.16.0-233, 1.10.0.3.1.5.0-152."""


def built_by(created_by: CreatedBy) -> str:
    """Who built the library, by its version; "" if its project did, or that is not known."""
    suffix = created_by.suffix.lower()
    for pattern, name in BUILDS:
        if pattern.search(suffix):
            return name
    if created_by.version and len(created_by.version) == 7:
        return BUILDS_BY_FOURTH.get(created_by.version[3], "")
    return ""


JAVA = ("parquet-java",)
PROGRAMS = (
    ("org.apache.spark.version", "Apache Spark", (*JAVA, "photon", "rapids-spark", "velox")),
    ("iceberg.schema", "Apache Iceberg", (*JAVA, "arrow-cpp", "arrow-rs", "trino")),
    ("hoodie_min_record_key", "Apache Hudi", JAVA),
    ("org.apache.hudi.bloomfilter", "Apache Hudi", JAVA),
    ("drill-writer.version", "Apache Drill", JAVA),
    ("drill.version", "Apache Drill", JAVA),
    ("writer.date.proleptic", "Apache Hive", JAVA),
    ("pig.schema", "Apache Pig", JAVA),
    ("thrift.class", "Apache Thrift", JAVA),
    ("sfVer", "Snowflake", ("snowflake", "arrow-cpp", *JAVA)),
    ("pandas", "pandas", ("arrow-cpp", "fastparquet", "cudf")),
    ("r", "R", ("arrow-cpp", "nanoparquet", "miniparquet")),
)
"""Keys of the key-value metadata by which a program that uses a library is recognised, the most specific first.

With each, the libraries that the program writes with: another one that has the key took it over with the table, as Arrow
does with the keys of a file that it read.
"""

VERSIONED = frozenset(("org.apache.spark.version", "drill.version"))
"""The keys whose value is the program's version."""
