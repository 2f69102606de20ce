"""A Spark session for the tests that hold our reading against Spark's."""

import importlib.metadata
import importlib.util
import os
import pathlib
import sys

import pytest

from pqexplore.lake import session as sessions

HERE = pathlib.Path(__file__).parent
MASTER_KEYS = {"keyA": "AAECAwQFBgcICQoLDA0ODw==", "keyB": "AAECAAECAAECAAECAAECAA=="}


def pytest_collection_modifyitems(items) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.spark)


def _missing(problem: str) -> None:
    """Skip with one line, or fail where Spark is required."""
    if os.environ.get("PQEXPLORE_REQUIRE_SPARK"):
        pytest.fail(f"PQEXPLORE_REQUIRE_SPARK is set, and {problem}")
    pytest.skip(problem)


def iceberg_jar() -> str | None:
    """Iceberg's runtime for Spark 3.5, which a package has; None for other versions of Spark, or without the package."""
    found = importlib.util.find_spec("snowpark_connect_deps_iceberg")
    if found is None or not importlib.metadata.version("pyspark").startswith("3.5."):
        return None
    folder = pathlib.Path(*found.submodule_search_locations)
    return str(next(folder.glob("jars/iceberg-spark-runtime-3.5_2.12-*.jar")))


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A local session of two threads, with the key service of `LocalKms.java` on its class path."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        _missing("pyspark is not installed")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    classes = tmp_path_factory.mktemp("classes")
    keys = ",".join(f"{name}:{key}" for name, key in MASTER_KEYS.items())
    crypto = "org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory"
    options = {
        "spark.master": os.environ.get("PQEXPLORE_SPARK_MASTER", "local[2]"),
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        "spark.driver.extraClassPath": str(classes),
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.session.timeZone": "UTC",
        "spark.hadoop.parquet.encryption.key.list": keys,
        "spark.hadoop.parquet.encryption.kms.client.class": "pqexplore.spark.LocalKms",
        "spark.hadoop.parquet.crypto.factory.class": crypto,
    }
    if (jar := iceberg_jar()) is not None:
        options |= {
            "spark.jars": jar,
            "spark.sql.catalog.berg": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.berg.type": "hadoop",
            "spark.sql.catalog.berg.warehouse": str(tmp_path_factory.mktemp("berg")),
        }
    try:
        session = sessions.local_session(options)
    except Exception as error:
        _missing(f"no Spark session starts ({str(error).splitlines()[0]}): Java 17 is needed")
    session.sparkContext.setLogLevel("ERROR")
    for source in ("LocalKms.java", "ParquetJava.java"):
        if source == "LocalKms.java" or session.version >= "4":
            _compile(session, HERE / source, classes)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def session(request):
    """The local session, or one of Spark Connect where PQEXPLORE_SPARK_REMOTE names its server."""
    remote = os.environ.get("PQEXPLORE_SPARK_REMOTE")
    if remote is None:
        yield request.getfixturevalue("spark")
        return
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = SparkSession.builder.remote(remote).getOrCreate()
    made.conf.set("spark.sql.session.timeZone", "UTC")
    made.conf.set("spark.sql.shuffle.partitions", "2")
    yield made
    made.stop()


def _compile(session, source: pathlib.Path, classes: pathlib.Path) -> None:
    """Compile one Java file with janino, which Spark brings along."""
    java = session._jvm
    files = session.sparkContext._gateway.new_array(java.java.io.File, 1)
    files[0] = java.java.io.File(str(source))
    compiler = java.org.codehaus.janino.Compiler()
    compiler.setDestinationDirectory(java.java.io.File(str(classes)), False)
    compiler.compile(files)
