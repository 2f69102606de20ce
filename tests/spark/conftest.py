"""A Spark session for the tests that hold our reading against Spark's."""

import concurrent.futures
import contextlib
import importlib.metadata
import importlib.util
import os
import pathlib
import sys

import pytest

from pqexplore.lake.spark import session as sessions

HERE = pathlib.Path(__file__).parent
MASTER_KEYS = {"keyA": "AAECAwQFBgcICQoLDA0ODw==", "keyB": "AAECAAECAAECAAECAAECAA=="}

QUICK_JAVA = " ".join(
    (
        "-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=0.2",  # compile early, and do not optimise
        "-XX:ReservedCodeCacheSize=400m",  # 48 MB is soon full, and then code is removed and compiled again and again
        "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote",
        "-XX:+UseSerialGC",
    )
)
"""Java runs a minute here: what pays off in hours is left out."""
QUICK = {"spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.sql.adaptive.enabled": "false"}
"""No Java code is compiled for a query of a few rows, and it is planned once. The answers are the same."""
SHIPPED = {"spark.sql.codegen.factoryMode": "FALLBACK", "spark.sql.adaptive.enabled": "true"}


def at_once(do, items) -> list:
    """What a function gives for each item; the session's two threads are kept busy."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(do, items))


@contextlib.contextmanager
def configured(session, settings):
    """Settings of a session for a while; those that its version does not have are no fault."""
    before = {name: session.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        session.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            session.conf.unset(name) if value is None else session.conf.set(name, value)


def answers(spark, path, asked: list[str]) -> dict[str, set[str]]:
    """The names of the files with rows of each condition, by condition; conditions that Spark refuses are left out."""
    from pyspark.sql.functions import expr

    cases = [expr(f"max(IF({one}, 1, 0)) AS c{n}") for n, one in enumerate(asked)]
    frame = spark.read.parquet(str(path)).groupBy(expr("_metadata.file_name AS file_of_row"))
    try:
        rows = frame.agg(*cases).collect()
    except Exception:  # whatever Spark refuses, such as a cast with ANSI; Connect and classic have other classes for it
        if len(asked) == 1:
            return {}
        half = len(asked) // 2
        return answers(spark, path, asked[:half]) | answers(spark, path, asked[half:])
    return {one: {row["file_of_row"] for row in rows if row[f"c{n}"]} for n, one in enumerate(asked)}


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
        "spark.driver.extraJavaOptions": QUICK_JAVA,
        **QUICK,
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
    _compile(session, ["LocalKms.java", "ParquetJava.java"] if session.version >= "4" else ["LocalKms.java"], classes)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def as_shipped(session):
    """Queries are planned and run as by default: for tests of what we read in plans, or of how jobs run."""
    with configured(session, SHIPPED):
        yield


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
    with configured(made, QUICK):
        yield made
    made.stop()


def _compile(session, sources: list[str], classes: pathlib.Path) -> None:
    """Compile Java files with janino, which Spark brings along."""
    java = session._jvm
    files = session.sparkContext._gateway.new_array(java.java.io.File, len(sources))
    for number, source in enumerate(sources):
        files[number] = java.java.io.File(str(HERE / source))
    compiler = java.org.codehaus.janino.Compiler()
    compiler.setDestinationDirectory(java.java.io.File(str(classes)), False)
    compiler.compile(files)
