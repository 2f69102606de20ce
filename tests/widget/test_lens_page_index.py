import json

import numpy as np
import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.widget import lenses
from pqexplore.widget.lenses import page_index

CHUNK = "row_groups/0/columns/0"


def shown(file, address):
    payload = lenses.finish(lenses.show(file, address, "page_index"))
    json.dumps(payload, allow_nan=False)
    return payload


@pytest.mark.parametrize("address", [CHUNK, f"{CHUNK}/column_index", f"{CHUNK}/offset_index"])
def test_a_chunk_and_its_indexes_show_the_same(file, address):
    payload = shown(file, address)
    assert payload["picture"]["chunk"] == CHUNK
    assert payload["picture"]["pages"] == payload["table"]["total"]
    first = lenses.applying(file.node(address))[0]["name"]
    assert (first == "page_index") is (address != CHUNK)


def test_pages_come_as_columns(file):
    result, buffers = page_index.indexed(file, CHUNK)
    names = [name for name, _ in result["columns"]]
    columns = {
        name: np.frombuffer(buffer, dtype)
        for (name, dtype), buffer in zip(result["columns"], buffers, strict=True)
    }
    assert names[:4] == ["first_row", "rows", "offset", "size"]
    assert columns["rows"].sum() == 600
    assert columns["first_row"][1] == columns["rows"][0]
    file.cache.clear()
    assert page_index.indexed(file, CHUNK)[1] == buffers


def test_texts_come_by_the_block(file):
    result = page_index.texts(file, CHUNK, 0)
    assert result["texts"][0].startswith("0 … ")
    with pytest.raises(UsageError):
        page_index.texts(file, CHUNK, 7)


def test_no_page_index(hostile_file):
    payload = shown(hostile_file, CHUNK)
    assert payload["picture"] is None and "no page index" in payload["empty"]
