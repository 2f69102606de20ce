"""Of files by several writers with one difference: each view names that one, and no other."""

import inspect
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from insight.diff.planted_pairs import PLANTED
from needs import needs

import pqexplore
from pqexplore.cli import main

FASTPARQUET = needs("fastparquet", "2024", "it is not installed")


def stored(data):
    """The bytes of all column chunks, as pyarrow reads the footer."""
    metadata = pq.read_metadata(io.BytesIO(data))
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    return sum(group.column(at).total_compressed_size for group in groups for at in range(group.num_columns))


@pytest.fixture
def files(tmp_path):
    def make(pair):
        paths = []
        for name, write in (("first", pair.first), ("second", pair.second)):
            (tmp_path / name).mkdir()
            data = write(tmp_path / name) if "tmp" in inspect.signature(write).parameters else write()
            paths.append(str(tmp_path / name / f"{name}.parquet"))
            Path(paths[-1]).write_bytes(data)
        return paths

    return make


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(pair, id=pair.name, marks=FASTPARQUET if pair.name.startswith("fastparquet") else ())
        for pair in PLANTED
    ],
)
def test_each_view_names_the_one_difference(pair, files, capsys):
    first, second = files(pair)
    data = [Path(path).read_bytes() for path in (first, second)]
    found = pqexplore.diff(*data, pair.level)
    assert [one.what for one in found.differences] == [pair.what], found.table.to_pylist()
    assert pair.said in found.sentence
    more = len(data[1]) - len(data[0])
    assert (sum(found.causes.values()), found.totals.startswith(f"{more:+,} bytes: ")) == (more, more != 0)
    if more:
        assert more - found.causes.get("rest", 0) == stored(data[1]) - stored(data[0])
    assert found.table["what"].to_pylist() == [pair.what]
    assert main(["diff", first, second, "--level", pair.level, "--json"]) == 1
    assert [one["what"] for one in json.loads(capsys.readouterr().out)["differences"]] == [pair.what]
    assert main(["diff", first, second, "--level", pair.level]) == 1
    assert capsys.readouterr().out.count(f"[{pair.what}]") == 1
    back = pqexplore.diff(*data[::-1], pair.level)
    assert len(back.differences) == 1
    assert pqexplore.diff(data[1], data[1], pair.level).same
