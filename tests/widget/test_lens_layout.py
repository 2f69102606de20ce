"""The strips as the view gets them: small, complete, and fetched as columns where they are long."""

import json

import numpy as np
import pyarrow as pa
import pytest
from widget.samples import HOSTILE, parquet

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.widget import lenses
from pqexplore.widget.lenses import layout


def shown(file, address):
    payload = lenses.finish(lenses.show(file, address, "layout"))
    assert len(json.dumps(payload, allow_nan=False)) < 512 << 10
    return payload


def test_small_strips_travel_with_the_answer(file):
    strips = shown(file, "row_groups/0/columns/2/pages/1")["picture"]["strips"]
    assert [s["count"] for s in strips] == [len(s["starts"]) for s in strips]
    assert strips[1]["labels"] == ["id", "city", "tags.list.element", "when", "score"]
    assert strips[2]["template"] == "row_groups/0/columns/2/pages/#"
    assert [s["guessed"] for s in strips[:3]] == [False, False, False]


def test_long_strips_are_fetched():
    table = pa.table({"x": np.arange(20_000)})
    data = parquet(table, data_page_size=64, write_batch_size=16, use_dictionary=False)
    with pqexplore.open(data) as file:
        address = "row_groups/0/columns/0"
        strips = shown(file, address)["picture"]["strips"]
        long = next(s for s in strips if s["count"] > 600)
        assert long["starts"] is None
        result, buffers = layout.strip(file, address, strips.index(long))
        assert [name for name, _ in result["columns"]] == ["start", "kind"]
        starts = np.frombuffer(buffers[0], f"<{result['columns'][0][1]}")
        assert starts.tolist() == [page.span.start for page in file.node(address).children[1:]]


def test_strips_that_are_not_there(file):
    with pytest.raises(UsageError):
        layout.strip(file, "", 99)


def test_what_cannot_be_opened_says_why(broken_file):
    payload = shown(broken_file, "row_groups/0/columns/0/pages/1")
    assert "cannot be opened" in payload["empty"]
    assert len(payload["picture"]["strips"]) >= 3


def test_names_of_a_hostile_file_are_data(hostile_file):
    strips = shown(hostile_file, "row_groups/0")["picture"]["strips"]
    assert strips[1]["labels"] == [HOSTILE]
