"""How the pages of the page index lens travel."""

import json

import numpy as np
import pytest

from pqexplore.insight import lenses
from pqexplore.widget import lens as lens_view
from pqexplore.widget import rpc
from pqexplore.widget.operations import OPERATIONS

CHUNK = "row_groups/0/columns/0"


def shown(file, address):
    payload = lenses.finish(lens_view.show(file, address, "page_index"))
    json.dumps(payload, allow_nan=False)
    return payload


@pytest.mark.parametrize("address", [CHUNK, f"{CHUNK}/column_index", f"{CHUNK}/offset_index"])
def test_a_chunk_and_its_indexes_show_the_same(file, address):
    payload = shown(file, address)
    assert payload["picture"]["chunk"] == CHUNK
    assert payload["picture"]["pages"] == payload["table"]["total"]
    first = lenses.applying(file.node(address))[0].name
    assert (first == "page_index") is (address != CHUNK)


def test_pages_come_as_columns(file):
    asked = {"address": CHUNK}
    result, buffers = rpc.call(OPERATIONS, file, "indexed_pages", asked)
    names = [name for name, _ in result["columns"]]
    columns = {
        name: np.frombuffer(buffer, dtype) for (name, dtype), buffer in zip(result["columns"], buffers, strict=True)
    }
    assert names[:4] == ["first_row", "rows", "offset", "size"]
    assert columns["rows"].sum() == 600
    assert columns["first_row"][1] == columns["rows"][0]
    file.cache.clear()
    assert rpc.call(OPERATIONS, file, "indexed_pages", asked)[1] == buffers


def test_a_chunk_without_a_page_index_has_no_picture(hostile_file):
    payload = shown(hostile_file, CHUNK)
    assert payload["picture"] is None and "no page index" in payload["empty"]
