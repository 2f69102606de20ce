"""Tables in memory, and Spark DataFrames of one file take the place of a file."""

import io
import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pytest
from made import parquet
from needs import has

import pqexplore
from pqexplore import UsageError

TABLE = pa.table({"n": pa.array([3, None, 1], pa.int64()), "s": ["a", "b", "c"]})


class OnlyStream:
    def __arrow_c_stream__(self, requested_schema=None):
        return TABLE.__arrow_c_stream__(requested_schema)


class Spark:
    """What matters of a DataFrame of Spark; newer ones give a stream, too."""

    def __init__(self, *files):
        self.files = files

    def inputFiles(self):
        return list(self.files)

    def __arrow_c_stream__(self, requested_schema=None):
        raise AssertionError("the rows are computed")


def polars_table():
    if not has("pyarrow", "16"):
        pytest.skip("pyarrow < 16: it does not know string views, which polars gives")
    return pytest.importorskip("polars").from_arrow(TABLE)


MAKE = {
    "arrow": lambda: TABLE,
    "batch": lambda: TABLE.to_batches()[0],
    "reader": TABLE.to_reader,
    "pandas": lambda: TABLE.to_pandas(types_mapper=pd.ArrowDtype),
    "old pandas": lambda: pd.DataFrame({"n": pd.array([3, None, 1], "Int64"), "s": list("abc")}),
    "polars": polars_table,
    "stream": OnlyStream,
}


@pytest.mark.parametrize("name", MAKE)
def test_a_table_is_opened_as_the_file_that_the_writer_makes(name):
    with pqexplore.open(MAKE[name]()) as file:
        assert file.name == "table in memory"
        assert file.created_by.startswith("pqexplore")
        assert file.read().to_pylist() == TABLE.to_pylist()


@pytest.mark.parametrize("name", MAKE)
def test_a_table_is_written(name):
    out = io.BytesIO()
    assert pqexplore.plan(MAKE[name]()).size == pqexplore.write(MAKE[name](), out).size
    assert pqexplore.open(out.getvalue()).read().to_pylist() == TABLE.to_pylist()


def test_an_open_file_is_written_anew_and_is_not_opened_twice():
    file, out = pqexplore.open(parquet(TABLE)), io.BytesIO()
    pqexplore.write(file, out)
    assert pqexplore.open(out.getvalue()).read().equals(TABLE)
    with pytest.raises(UsageError, match="a ParquetFile is open already"):
        pqexplore.open(file)


def test_questions_take_tables():
    frame = MAKE["old pandas"]()
    assert pqexplore.ask(frame, "n > 5").sentence == pqexplore.ask(TABLE, "n > 5").sentence
    assert pqexplore.diagnose(frame).name == "table in memory"
    assert pqexplore.diff(TABLE, parquet(TABLE), "data").level == "data"
    assert pqexplore.explore(frame).file.num_rows == 3


def test_a_spark_data_frame_is_its_one_file(tmp_path):
    path = tmp_path / "a b.parquet"
    path.write_bytes(parquet(TABLE))
    assert pqexplore.open(Spark(path.as_uri())).num_rows == 3
    assert pqexplore.diagnose(Spark(str(path))).name == str(path)


@pytest.mark.parametrize(
    "source, words",
    [
        (Spark(), "reads no files: give its rows, df.toPandas()"),
        (Spark("a", "b"), "reads 2 files: name one of df.inputFiles(), or look at all of them"),
        (3, "a table of Arrow, pandas or polars is expected, not int"),
        (pd.Series([1]), "no Arrow table|is expected, not Series|schema"),
        (pd.DataFrame({"x": [1, "a"]}), "DataFrame is no Arrow table"),
    ],
)
def test_what_is_no_file_is_refused(source, words):
    with pytest.raises(UsageError, match=words.replace("(", r"\(").replace(")", r"\)")):
        pqexplore.open(source)


@pytest.mark.parametrize("source", [[1], {"n": [1]}, "a.parquet"])
def test_only_tables_are_written(source):
    with pytest.raises(UsageError, match="an Arrow, pandas or polars table is expected"):
        pqexplore.write(source, io.BytesIO())


def test_a_table_in_memory_may_be_found_by_the_garbage_collector():
    """Its bytes are no exported buffer of a BytesIO: Python ends with a crash when it collects the two in one cycle."""
    program = """if True:
        import gc, pqexplore, pyarrow as pa
        for _ in range(20):
            holder = type("Holder", (), {})()
            holder.file, holder.itself = pqexplore.open(pa.table({"n": [1, 2]})), holder
            holder.file.read()
            del holder
            gc.collect()"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
