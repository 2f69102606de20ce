"""How the ranges of the statistics lens travel."""

import json

import numpy as np
import pyarrow as pa
import pytest
from widget.samples import parquet

import pqexplore
from pqexplore.insight import lenses
from pqexplore.widget import lens as lens_view
from pqexplore.widget import rpc
from pqexplore.widget.operations import OPERATIONS


def shown(file, address, lens="statistics"):
    payload = lenses.finish(lens_view.show(file, address, lens))
    assert len(json.dumps(payload, allow_nan=False)) < 512 << 10
    return payload


def test_addresses_of_lanes_and_rows_are_nodes(file):
    payload = shown(file, "row_groups/1/columns/0")
    picture = payload["picture"]
    assert payload["answer"].startswith("The ")
    assert picture["verdict"] == "sorted" and picture["mine"] == 1
    assert picture["lanes"]["text"][:2] == ["0 … 599", "600 … 999"]
    own = picture["lanes"]["address"][1]
    assert own == "row_groups/1/columns/0/metadata/meta_data/statistics"
    assert file.node(own).kind == "field" or file.node(own).span is not None
    for address in payload["table"]["addresses"]:
        assert file.node(address) is not None


def test_a_leaf_of_the_schema_shows_all_row_groups(file):
    picture = shown(file, "schema/1")["picture"]
    assert picture["groups"] == 2 and picture["parts"] > 2


def test_many_pages_travel_as_columns():
    table = pa.table({"n": np.arange(40_000)})
    data = parquet(table, write_page_index=True, data_page_size=64, write_batch_size=50, use_dictionary=False)
    with pqexplore.open(data) as file:
        address = "row_groups/0/columns/0"
        assert shown(file, address)["picture"]["lanes"] is None
        for _ in range(2):
            result, buffers = rpc.call(OPERATIONS, file, "ranges", {"address": address})
            names = [name for name, _ in result["columns"]]
            assert names == [*("name", "text", "address", "low", "high", "page", "state", "start", "end")]
            sizes = dict(zip(names[3:], [len(b) for b in buffers[-6:]], strict=True))
            assert sizes["low"] == 4 * 801 and sizes["end"] == 8 * 801
            high = np.frombuffer(buffers[-5], "<f4")
            assert high[0] == 1.0 and high[-1] == 1.0 and high[1] == pytest.approx(49 / 39_999, abs=1e-6)
            file.cache.clear()


def test_hostile_names_and_values_are_shown(hostile_file):
    assert shown(hostile_file, "row_groups/0/columns/0")["picture"]["parts"] >= 1


def test_the_bloom_filter_of_a_column_that_needs_a_key_says_so(tmp_path):
    encryption = pqexplore.Encryption(bytes(16), {"b": bytes(range(16))}, plaintext_footer=True)
    table = pa.table({"a": [1, 2], "b": [3, 4]})
    pqexplore.write(table, tmp_path / "f", pqexplore.WriteOptions(encryption=encryption))
    with pqexplore.open(tmp_path / "f") as locked:
        payload = shown(locked, "row_groups/0/columns/1", "bloom")
    assert "names no Bloom filter" in payload["answer"]
