import json

import pytest

import pqexplore
from pqexplore.engine.writer.samples import write_sample
from pqexplore.widget import lenses
from pqexplore.widget.lenses import geospatial

CHUNK = "row_groups/0/columns/0"


@pytest.fixture
def sample(tmp_path):
    write_sample("geometry", str(tmp_path / "f"))
    with pqexplore.open(tmp_path / "f") as file:
        yield file


def shown(file, address):
    payload = lenses.finish(lenses.show(file, address, "geospatial"))
    json.dumps(payload, allow_nan=False)
    return payload


@pytest.mark.parametrize(
    ("address", "kind"),
    [(CHUNK, "boxes"), ("schema/1", "boxes"), (f"{CHUNK}/pages/1/values/0", "value")],
)
def test_where_it_applies(sample, address, kind):
    payload = shown(sample, address)
    assert payload["picture"]["kind"] == kind
    for to in payload["table"]["addresses"]:
        assert sample.node(to) is not None


def test_where_it_does_not(sample, file):
    for other, address in [
        (sample, ""),
        (sample, f"{CHUNK}/pages/1"),
        (file, CHUNK),
        (file, "schema/1"),
        (file, "row_groups/0/columns/1/pages/1/values/0"),
    ]:
        assert not geospatial.applies(other.node(address)), address
