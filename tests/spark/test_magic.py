"""`%pqexplore` beside a Spark session: DataFrames and names of tables are sources."""

import pytest

pytest.importorskip("IPython")

from IPython import get_ipython
from IPython.core.error import UsageError
from IPython.testing.globalipapp import start_ipython

from pqexplore.cli import notebook_variables


@pytest.fixture(scope="module")
def shell(spark, tmp_path_factory):
    shell = start_ipython() or get_ipython()  # another test may have started it
    shell.run_line_magic("load_ext", "pqexplore")
    folder = tmp_path_factory.mktemp("orders")
    spark.range(10).repartition(2).write.parquet(str(folder / "files"))
    spark.sql(f"CREATE TABLE magic_orders USING parquet LOCATION '{folder / 'files'}'")
    shell.user_ns["df"] = spark.table("magic_orders")
    shell.user_ns["folder"] = str(folder / "files")
    yield shell
    spark.sql("DROP TABLE magic_orders")


@pytest.mark.parametrize("source", ["df", "default.magic_orders", "spark_catalog.default.magic_orders"])
def test_sources_of_spark(shell, source):
    tables = shell.run_line_magic("pqexplore", f"head {source}")
    assert sorted(n for one in tables for n in one["id"].to_pylist()) == list(range(10))


def test_few_files_are_read_without_spark(shell, capsys):
    with shell.run_line_magic("pqexplore", "lake default.magic_orders") as lake:
        assert lake.spark is None
        assert lake.sql("SELECT count(*) AS n FROM files").to_pylist() == [{"n": 2}]
    made = shell.run_line_magic("pqexplore", "df")
    assert type(made).__name__ == "LakeExplorer" and made.subject.spark is None
    assert "active Spark session" not in capsys.readouterr().out


@pytest.mark.parametrize("source", ["df", "default.magic_orders", "folder"])
def test_many_files_are_explored_as_a_lake_and_read_by_spark(shell, spark, monkeypatch, capsys, source):
    monkeypatch.setattr(notebook_variables, "MANY", 2)
    made = shell.run_line_magic("pqexplore", source)
    assert type(made).__name__ == "LakeExplorer" and made.subject.spark is spark
    assert "2 files: read by the active Spark session" in capsys.readouterr().out


def test_the_verb_says_that_spark_read_the_files(shell, spark, monkeypatch, capsys):
    monkeypatch.setattr(notebook_variables, "MANY", 2)
    table = shell.run_line_magic("pqexplore", "lake folder --sql 'SELECT count(*) AS n FROM files WHERE num_rows > 0'")
    assert table.to_pylist() == [{"n": 2}]
    assert "2 files: read by the active Spark session" in capsys.readouterr().err


def test_what_spark_does_not_know(shell):
    with pytest.raises(UsageError, match="cannot name the table nix.default.x"):
        shell.run_line_magic("pqexplore", "head nix.default.x")
    with pytest.raises(UsageError, match="No such file"):
        shell.run_line_magic("pqexplore", "head default.no_such_table")
