"""What a query reads of a file and of many files, as the tables of a lake say it."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.engine.errors import UsageError


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """A file of three row groups: x is 0 to 9, 10 to 19, 20 to 29."""
    path = tmp_path_factory.mktemp("one") / "one.parquet"
    pq.write_table(pa.table({"x": range(30), "y": range(30)}), path, row_group_size=10)
    return path


SOURCES = {
    "path": lambda path: path,
    "text": str,
    "bytes": lambda path: path.read_bytes(),
    "file object": lambda path: io.BytesIO(path.read_bytes()),
    "open file": pqexplore.open,
}


@pytest.mark.parametrize("source", SOURCES)
def test_one_file_is_asked(one, source):
    with pqexplore.ask(SOURCES[source](one), "x >= 20", ["x"]) as plan:
        assert [group.index for group in plan.kept] == [2]
        assert plan.row_groups["reason"][0].as_py() == "the max 9 is too small"


def test_a_plan_closes_only_the_file_that_it_opened(one):
    opened = pqexplore.ask(one, "x >= 20")
    opened.close()
    with pytest.raises(ValueError, match="closed"):
        opened.file.read()
    with pqexplore.open(one) as file:
        pqexplore.ask(file, "x >= 20").close()
        assert file.read().num_rows == 30


def test_a_condition_that_cannot_be_asked_is_an_error(one):
    with pytest.raises(UsageError, match="no column 'z'"):
        pqexplore.ask(one, "z = 1")
