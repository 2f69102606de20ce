import json

import numpy as np
import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.samples import write_sample
from pqexplore.widget import lenses
from pqexplore.widget.lenses import bloom

CHUNK = "row_groups/0/columns/0"


@pytest.fixture
def sample(tmp_path):
    write_sample("bloom-filter", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        yield file


def shown(file, address):
    payload = lenses.finish(lenses.show(file, address, "bloom"))
    json.dumps(payload, allow_nan=False)
    return payload


@pytest.mark.parametrize(
    ("below", "first", "block"),
    [
        ("", False, None),
        ("/bloom_filter", True, None),
        ("/bloom_filter/header", False, None),
        ("/bloom_filter/bitset", True, None),
        ("/bloom_filter/bitset/66", True, 66),
    ],
)
def test_a_chunk_and_the_parts_of_its_filter(sample, below, first, block):
    payload = shown(sample, CHUNK + below)
    assert payload["picture"]["chunk"] == CHUNK and payload["picture"]["block"] == block
    names = [lens["name"] for lens in lenses.applying(sample.node(CHUNK + below))]
    assert (names[0] == "bloom") is first


def test_blocks_come_as_numbers(sample):
    result, (bits,) = bloom.blocks(sample, CHUNK)
    assert result == {"columns": [("bits", "u2")], "per_cell": 1}
    counts = np.frombuffer(bits, "<u2")
    assert len(counts) == 128 and counts[66] == 93 and counts.sum() == 12_584


def test_words_of_a_block(sample):
    words = bloom.words(sample, CHUNK, 66)["words"]
    assert sum(word.bit_count() for word in words) == 93
    with pytest.raises(UsageError):
        bloom.words(sample, CHUNK, 128)


def test_a_question(sample):
    made = bloom.ask(sample, CHUNK, "right 25")
    json.dumps(made, allow_nan=False)
    assert made["verdict"] == "may be there" and made["block"] == 66
    assert made["hash"] == "840905e8b665b2a9" and made["plain"] == b"right 25".hex(" ")
    start, end, space = made["span"]
    stored = sample.bytes(sample.node(f"{CHUNK}/bloom_filter/bitset/66").span)
    assert (end - start, space) == (32, "file")
    assert stored == sample.source.read(start, 32)
    assert bloom.ask(sample, CHUNK, "nothing here")["verdict"] == "certainly not there"


def test_questions_that_cannot_be_asked(sample, file):
    with pytest.raises(UsageError):
        bloom.ask(sample, CHUNK, "x" * 5_000)
    with pytest.raises(UsageError, match="no Bloom filter"):
        bloom.ask(file, CHUNK, "1")


def test_many_blocks_share_cells(tmp_path, monkeypatch):
    monkeypatch.setattr(bloom, "CELLS", 10)
    options = pqexplore.WriteOptions(bloom_filter=True, bloom_filter_bytes=1_024)
    pqexplore.write(pa.table({"n": np.arange(300)}), tmp_path / "f", options)
    with pqexplore.open(tmp_path / "f") as file:
        result, (bits,) = bloom.blocks(file, CHUNK)
        assert result["per_cell"] == 4 and len(bits) == 2 * 8
        assert shown(file, CHUNK)["picture"]["per_cell"] == 4


def test_no_filter(file):
    payload = shown(file, CHUNK)
    assert payload["picture"] is None and "no Bloom filter" in payload["empty"]
