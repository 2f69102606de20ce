"""The layout lens: strips fill the tile that they expand, lead down to the selected node, and name unowned bytes."""

import numpy as np
import pyarrow as pa
import pytest
from made import events, parquet
from needs import ONE_COLUMN_METADATA

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight.lenses import layout
from pqexplore.insight.lenses.layout.strips import strips_to

ADDRESSES = [
    "",
    "magic",
    "row_groups/1",
    "row_groups/0/columns/3",
    "row_groups/0/columns/3/pages/1",
    "row_groups/0/columns/3/pages/1/header",
    "row_groups/0/columns/3/pages/1/values",
    "row_groups/0/columns/2/offset_index",
    "footer",
    "footer_magic",
]


@pytest.fixture(scope="module", params=[True, False], ids=["indexed", "walked"])
def file(request):
    data = parquet(events(), row_group_size=600, write_page_index=request.param)
    with pqexplore.open(data) as opened:
        yield opened


def addresses(file):
    return [a for a in ADDRESSES if "index" not in a or file.row_groups[0].columns[0].column_index]


def test_every_strip_is_tiled_without_a_gap(file):
    for address in addresses(file):
        for strip in strips_to(file, address):
            assert strip.starts[0] == strip.start and strip.ends[-1] == strip.end
            assert np.array_equal(strip.starts[1:], strip.ends[:-1])
            assert (strip.ends > strip.starts).all()


def test_each_strip_is_the_tile_above_it(file):
    for address in addresses(file):
        strips = strips_to(file, address)
        for above, below in zip(strips, strips[1:], strict=False):
            span = (int(above.starts[above.chosen]), int(above.ends[above.chosen]))
            if below.space == above.space:
                assert (below.start, below.end) == span


def test_the_chosen_tiles_lead_to_the_selected_node(file):
    for address in addresses(file)[1:]:
        chosen = [s.address_of(s.chosen) for s in strips_to(file, address) if s.chosen >= 0]
        assert address in chosen, address


def test_every_tile_has_the_address_of_a_node(file):
    for address in addresses(file):
        for strip in strips_to(file, address):
            for tile in range(len(strip)):
                file.node(strip.address_of(tile))


def test_a_compressed_page_opens_into_its_sections(file):
    strips = strips_to(file, "row_groups/0/columns/3/pages/1/values")
    last = strips[-1]
    assert last.space.endswith(":decompressed")
    assert [last.kind_of(i) for i in range(len(last))] == ["repetition_levels", "definition_levels", "values"]
    assert last.kind_of(last.chosen) == "values"


@ONE_COLUMN_METADATA
def test_bytes_that_nobody_owns_are_named():
    data = parquet(pa.table({"x": [1]}))
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    with pqexplore.open(data[:start] + bytes(16) + data[start:]) as file:
        answer = layout.answer(file, file.root)
        assert "16 bytes belong to nobody: padding: all zero" in answer.sentence
        row = answer.table.rows[answer.table.column("kind").index("gap")]
        assert row[-1] == "padding: all zero"
        assert row[:4] == ("nobody's", "gap", start, 16)


def test_the_tiles_of_a_long_strip_are_columns():
    table = pa.table({"x": np.arange(20_000)})
    data = parquet(table, data_page_size=64, write_batch_size=16, use_dictionary=False)
    with pqexplore.open(data) as file:
        node = file.node("row_groups/0/columns/0")
        strips = layout.answer(file, node).picture.strips
        long = next(strip for strip in strips if strip.count > 600)
        assert long.starts is None and long.labels is None
        columns = layout.tiles(file, node.address, strips.index(long)).columns.by_name
        assert list(columns) == ["start", "kind"]
        assert columns["start"].tolist() == [page.span.start for page in node.children[1:]]


def test_a_strip_that_is_not_there_raises(file):
    with pytest.raises(UsageError, match="none of number 99"):
        layout.tiles(file, "", 99)


def test_a_damaged_page_says_why_it_cannot_be_opened():
    data = bytearray(parquet(events(), compression="snappy"))
    with pqexplore.open(bytes(data)) as file:
        frame = next(page for page in file.row_groups[0].columns[0].pages if page.is_data).frame
    data[frame.header_end : frame.end] = b"\xff" * (frame.end - frame.header_end)
    with pqexplore.open(bytes(data)) as file:
        answer = layout.answer(file, file.node("row_groups/0/columns/0/pages/1"))
    assert "cannot be opened" in answer.empty
    assert len(answer.picture.strips) >= 3
