"""How the strips of the layout lens travel: a long one as columns."""

import json

import numpy as np
import pyarrow as pa
from widget.samples import HOSTILE, parquet

import pqexplore
from pqexplore.insight import lenses
from pqexplore.widget import lens as lens_view
from pqexplore.widget import rpc
from pqexplore.widget.operations import OPERATIONS


def shown(file, address):
    payload = lenses.finish(lens_view.show(file, address, "layout"))
    assert len(json.dumps(payload, allow_nan=False)) < 512 << 10
    return payload


def test_long_strips_are_fetched():
    table = pa.table({"x": np.arange(20_000)})
    data = parquet(table, data_page_size=64, write_batch_size=16, use_dictionary=False)
    with pqexplore.open(data) as file:
        address = "row_groups/0/columns/0"
        strips = shown(file, address)["picture"]["strips"]
        long = next(s for s in strips if s["count"] > 600)
        assert long["starts"] is None
        asked = {"address": address, "at": strips.index(long)}
        result, buffers = rpc.call(OPERATIONS, file, "strip", asked)
        assert [name for name, _ in result["columns"]] == ["start", "kind"]
        starts = np.frombuffer(buffers[0], f"<{result['columns'][0][1]}")
        assert starts.tolist() == [page.span.start for page in file.node(address).children[1:]]


def test_names_of_a_hostile_file_are_data(hostile_file):
    strips = shown(hostile_file, "row_groups/0")["picture"]["strips"]
    assert strips[1]["labels"] == [HOSTILE]
