"""How the picture of a Bloom filter and its replies travel."""

import json

import numpy as np
import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import lenses
from pqexplore.insight.lenses import bloom
from pqexplore.widget import lens as lens_view
from pqexplore.widget import rpc
from pqexplore.widget.operations import OPERATIONS

CHUNK = "row_groups/0/columns/0"


@pytest.fixture
def sample(tmp_path):
    write_sample("bloom-filter", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        yield file


def shown(file, address):
    payload = lenses.finish(lens_view.show(file, address, "bloom"))
    json.dumps(payload, allow_nan=False)
    return payload


def test_blocks_come_as_columns_of_numbers(sample):
    result, (bits,) = rpc.call(OPERATIONS, sample, "bloom_blocks", {"address": CHUNK})
    assert result == {"columns": [("bits", "u2")], "per_cell": 1}
    counts = np.frombuffer(bits, "<u2")
    assert len(counts) == 128 and counts[66] == 93 and counts.sum() == 12_584


def test_a_probe_is_a_json_object_with_named_bits(sample):
    result, _ = rpc.call(OPERATIONS, sample, "bloom_probe", {"address": CHUNK, "value": "right 25"})
    json.dumps(result, allow_nan=False)
    assert result["bits"][0].keys() == {"word", "bit", "set", "byte"}
    assert result["span"].keys() == {"start", "end", "space"}


def test_many_blocks_share_cells(tmp_path, monkeypatch):
    monkeypatch.setattr(bloom, "CELLS", 10)
    options = pqexplore.WriteOptions(bloom_filter=True, bloom_filter_bytes=1_024)
    pqexplore.write(pa.table({"n": np.arange(300)}), tmp_path / "f", options)
    with pqexplore.open(tmp_path / "f") as file:
        result, (bits,) = rpc.call(OPERATIONS, file, "bloom_blocks", {"address": CHUNK})
        assert result["per_cell"] == 4 and len(bits) == 2 * 8
        assert shown(file, CHUNK)["picture"]["per_cell"] == 4


def test_a_chunk_without_a_filter_has_no_picture(file):
    payload = shown(file, CHUNK)
    assert payload["picture"] is None and "no Bloom filter" in payload["empty"]
