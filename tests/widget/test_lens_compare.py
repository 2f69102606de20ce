"""The bars of the comparison: their numbers are the chunks'."""

import json

import pyarrow as pa
import pytest
from widget.samples import parquet

import pqexplore
from pqexplore.widget import lenses


def shown(file, address):
    payload = lenses.finish(lenses.show(file, address, "compare"))
    assert len(json.dumps(payload, allow_nan=False)) < 512 << 10
    return payload


@pytest.mark.parametrize("address", ["schema/1", "row_groups/1/columns/0"])
def test_bars_are_the_sizes_of_the_chunks(file, address):
    figure = shown(file, address)["picture"]["figure"]
    traces = {trace["name"]: trace for trace in figure["data"]}
    chunks = [group.columns[0] for group in file.row_groups]
    assert traces["in the file"]["y"] == [len(chunk.span) for chunk in chunks]
    assert traces["before compression"]["y"] == [
        chunk.metadata.total_uncompressed_size for chunk in chunks
    ]
    assert [mark[0] for mark in traces["in the file"]["customdata"]] == [c.address for c in chunks]
    assert traces["range"]["base"] == [0.0, 600.0]
    assert traces["range"]["y"] == [599.0, 399.0]
    assert ("shapes" in figure["layout"]) is address.startswith("row_groups")


def test_it_applies_to_leaves_and_chunks_only(file):
    applies = lenses.LENSES["compare"].applies
    assert applies(file.node("schema/1")) and applies(file.node("row_groups/0/columns/1"))
    assert not any(applies(file.node(a)) for a in ("schema", "schema/4", "schema/0", ""))


@pytest.mark.parametrize(
    "values",
    [
        pa.array([None, None], pa.int64()),
        pa.array([float("nan"), float("inf")]),
        pa.array([b"\xff" * 100, b""]),
        pa.array([[1], []]),
        pa.array([0, 1], pa.timestamp("ns", "UTC")),
        pa.array([-(2**62), 2**62]),
        pa.array([True, False]),
        pa.array([], pa.string()),
    ],
    ids=str,
)
def test_any_values_can_be_drawn(values):
    data = parquet(pa.table({"x": values}), row_group_size=1)
    with pqexplore.open(data) as file:
        index = file.schema.leaves[0].index
        assert shown(file, f"schema/{index}")["answer"].endswith(".")


def test_many_row_groups_have_bars_up_to_a_limit():
    data = parquet(pa.table({"x": list(range(700))}), row_group_size=1)
    with pqexplore.open(data) as file:
        picture = shown(file, "schema/1")["picture"]
        assert (picture["drawn"], picture["groups"]) == (500, 700)


def test_a_locked_or_broken_chunk_leaves_the_others(broken_file):
    assert shown(broken_file, "schema/1")["picture"]["groups"] == 2
