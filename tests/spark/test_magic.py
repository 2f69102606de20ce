"""`%pqexplore` beside a Spark session: DataFrames and names of tables are sources."""

import pytest

pytest.importorskip("IPython")

from IPython.core.error import UsageError
from IPython.testing.globalipapp import start_ipython


@pytest.fixture(scope="module")
def shell(spark, tmp_path_factory):
    shell = start_ipython()
    shell.run_line_magic("load_ext", "pqexplore")
    folder = tmp_path_factory.mktemp("orders")
    spark.range(10).repartition(2).write.parquet(str(folder / "files"))
    spark.sql(f"CREATE TABLE magic_orders USING parquet LOCATION '{folder / 'files'}'")
    shell.user_ns["df"] = spark.table("magic_orders")
    yield shell
    spark.sql("DROP TABLE magic_orders")


@pytest.mark.parametrize(
    "source", ["df", "default.magic_orders", "spark_catalog.default.magic_orders"]
)
def test_sources_of_spark(shell, source):
    tables = shell.run_line_magic("pqexplore", f"head {source}")
    assert sorted(n for one in tables for n in one["id"].to_pylist()) == list(range(10))
    with shell.run_line_magic("pqexplore", f"lake {source}") as lake:
        assert lake.sql("SELECT count(*) AS n FROM files").to_pylist() == [{"n": 2}]


def test_what_spark_does_not_know(shell):
    with pytest.raises(UsageError, match="cannot name the table nix.default.x"):
        shell.run_line_magic("pqexplore", "head nix.default.x")
    with pytest.raises(UsageError, match="No such file"):
        shell.run_line_magic("pqexplore", "head default.no_such_table")
