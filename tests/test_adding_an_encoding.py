"""An encoding is its own module, a line in the registry and a name in the Thrift enum: then everything knows it.

Nothing else is touched here, so nothing else names the encodings.
"""

import numpy as np
import pyarrow as pa
import pytest
from engine.format.encodings import negated

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.encodings import REGISTRY
from pqexplore.engine.format.thrift.structs import Encoding
from pqexplore.insight import lenses
from pqexplore.widget import lens as lens_view

VALUES = [*range(-50, 50), -(1 << 31), (1 << 31) - 1]
VALUE = "row_groups/0/columns/0/pages/0/values/17"


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(REGISTRY, 11, negated.ENCODING)
    monkeypatch.setitem(Encoding._member_map_, "NEGATED", negated.NEGATED)
    monkeypatch.setitem(Encoding._value2member_map_, 11, negated.NEGATED)


def written(path, **options):
    table = pa.table({"n": pa.array(VALUES, pa.int32())})
    pqexplore.write(table, path, pqexplore.WriteOptions(encoding="NEGATED", codec="UNCOMPRESSED", **options))
    return table


@pytest.fixture
def path(tmp_path):
    written(tmp_path / "negated.parquet")
    return tmp_path / "negated.parquet"


def test_it_is_written_and_read(path):
    with pqexplore.open(path) as file:
        assert file.row_groups[0].columns[0].pages[0].encoding == 11
        assert file.row_groups[0].columns[0].metadata.encodings.count(11) == 1
        assert file.read()["n"].to_pylist() == VALUES
    assert (~np.array(VALUES, "<i4")).tobytes() in path.read_bytes()


def test_it_is_traced(path):
    with pqexplore.open(path) as file:
        steps = list(file.row_groups[0].columns[0].pages[0].trace())
        assert pa.concat_arrays([step.values for step in steps]).to_pylist() == VALUES
        assert steps[3].label == "-47, inverted"
        node = file.node(VALUE)
        assert len(node.span) == 4
        assert {fact.name: fact.value for fact in node.facts}["value"] == str(VALUES[17])


def test_it_is_checked(path):
    with pqexplore.open(path) as file:
        assert file.check() == []
    raw = path.read_bytes().replace((~np.array([-50, -49], "<i4")).tobytes(), bytes(8))
    with pqexplore.open(raw) as file:  # the values are other ones: the statistics say so
        assert {finding.rule for finding in file.check()} >= {"crc-mismatch"}


def test_it_is_salvaged(path):
    raw = path.read_bytes()
    found = pqexplore.salvage(raw[:-30]).open()
    assert found.read().column(0).to_pylist() == VALUES


def test_it_is_for_its_types(tmp_path):
    table = pa.table({"n": pa.array([1.5])})
    with pytest.raises(UsageError, match="NEGATED encodes INT32; the column is DOUBLE"):
        pqexplore.write(table, tmp_path / "x", pqexplore.WriteOptions(encoding="NEGATED"))


def test_it_is_shown_in_the_lens(path):
    with pqexplore.open(path) as file:
        shown = lenses.finish(lens_view.show(file, VALUE, "encoding"))
    assert shown["answer"].startswith("Value 17 is in step 17, ")
    assert "In all: 102 values with all bits inverted: 408 bytes, as many" in shown["answer"]
    step = shown["picture"]["step"]
    assert step["rows"][0]["logical"] == str(VALUES[17])
    assert step["rows"][0]["how"] == f"all bits inverted: {VALUES[17]}"
    assert step["parts"][0]["name"] == "inverted"
    assert {one["encoding"] for one in shown["picture"]["sections"]} == {"RLE", "NEGATED"}
