"""The figure of the compare lens travels for any values."""

import json

import pyarrow as pa
import pytest
from widget.samples import parquet

import pqexplore
from pqexplore.insight import lenses
from pqexplore.widget import lens as lens_view


def shown(file, address):
    payload = lenses.finish(lens_view.show(file, address, "compare"))
    assert len(json.dumps(payload, allow_nan=False)) < 512 << 10
    return payload


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


def test_a_damaged_chunk_leaves_the_others(broken_file):
    assert shown(broken_file, "schema/1")["picture"]["groups"] == 2
