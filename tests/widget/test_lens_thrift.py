"""The Thrift lens as the view gets it."""

import json

import pyarrow as pa
import pytest

import pqexplore
from pqexplore.widget import lenses
from pqexplore.widget.lenses import thrift


def shown(file, address):
    payload = lenses.finish(lenses.show(file, address, "thrift"))
    assert len(json.dumps(payload, allow_nan=False)) < 512_000
    return payload


@pytest.mark.parametrize(
    ("address", "applies"),
    [
        ("footer", True),
        ("footer/created_by", True),
        ("row_groups/0/columns/0/metadata", True),
        ("row_groups/0/columns/0/column_index", True),
        ("row_groups/0/columns/0/offset_index", True),
        ("row_groups/0/columns/0/pages/0/header", True),
        ("", False),
        ("row_groups/0/columns/0/pages/0", False),
        ("row_groups/0/columns/0/pages/1/values", False),
    ],
)
def test_it_is_for_structs(file, address, applies):
    node = file.node(address)
    assert thrift.applies(node) is applies
    if applies:
        assert shown(file, address)["picture"]["items"]


def test_a_wide_footer_stays_small():
    import io

    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(pa.table({f"column {i}": [i] for i in range(2_000)}), sink)
    with pqexplore.open(sink.getvalue()) as file:
        payload = shown(file, "footer/schema")
        assert payload["picture"]["total"] == 2_001
        assert len(payload["picture"]["items"]) == 120
        assert payload["table"]["total"] == 2_001


def test_hostile_text_is_only_text(hostile_file):
    items = shown(hostile_file, "footer/schema/1")["picture"]["items"]
    assert next(one for one in items if one["name"] == "name")["value"].startswith("<img")


def test_a_damaged_struct_shows_what_was_read():
    from widget.samples import orders, parquet

    raw = bytearray(parquet(orders(), compression="none", write_page_index=True))
    address = "row_groups/0/columns/0/column_index"
    with pqexplore.open(bytes(raw)) as file:
        end = file.node(address).span.end
    raw[end - 4 : end] = b"\xff\xff\xff\xff"
    with pqexplore.open(bytes(raw)) as file:
        payload = shown(file, address)
    assert payload["picture"]["items"][0]["name"] == "null_pages"
    assert "It is damaged: " in payload["answer"]
