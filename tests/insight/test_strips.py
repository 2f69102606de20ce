"""Strips tile what they expand, lead down to what is selected, and name what nobody owns."""

import numpy as np
import pyarrow as pa
import pytest
from made import events, parquet

import pqexplore
from pqexplore.insight.placement import placement
from pqexplore.insight.strips import strips

PLACES = [
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


def places(file):
    return [p for p in PLACES if "index" not in p or file.row_groups[0].columns[0].column_index]


def test_every_strip_is_tiled_without_a_gap(file):
    for address in places(file):
        for strip in strips(file, address):
            assert strip.starts[0] == strip.start and strip.ends[-1] == strip.end
            assert np.array_equal(strip.starts[1:], strip.ends[:-1])
            assert (strip.ends > strip.starts).all()


def test_each_strip_is_the_tile_above_it(file):
    for address in places(file):
        made = strips(file, address)
        for above, below in zip(made, made[1:], strict=False):
            span = (int(above.starts[above.chosen]), int(above.ends[above.chosen]))
            if below.space == above.space:
                assert (below.start, below.end) == span


def test_the_way_leads_to_what_is_selected(file):
    for address in places(file)[1:]:
        chosen = [s.address_of(s.chosen) for s in strips(file, address) if s.chosen >= 0]
        assert address in chosen, address


def test_every_tile_leads_somewhere(file):
    for address in places(file):
        for strip in strips(file, address):
            for tile in range(len(strip)):
                file.node(strip.address_of(tile))


def test_equal_neighbours_share_a_tile_of_the_file():
    with pqexplore.open(parquet(events(), row_group_size=600, write_page_index=True)) as file:
        first = strips(file, "")[0]
        labels = [first.label_of(i) for i in range(len(first))]
        columns = 2 * len(file.schema.leaves)
        assert labels == [
            "magic",
            "row group 0",
            "row group 1",
            f"column indexes ({columns})",
            f"offset indexes ({columns})",
            "footer",
            "footer length",
            "closing magic",
        ]


def test_a_compressed_page_opens_into_its_sections(file):
    made = strips(file, "row_groups/0/columns/3/pages/1/values")
    last = made[-1]
    assert last.space.endswith(":decompressed")
    assert [last.kind_of(i) for i in range(len(last))] == [
        "repetition_levels",
        "definition_levels",
        "values",
    ]
    assert last.kind_of(last.chosen) == "values"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("", "the row groups"),
        ("row_groups/0", "8 column chunks in"),
        ("row_groups/0/columns/1", "a dictionary page of"),
        ("row_groups/0/columns/1", "and one data page of"),
        ("magic", "4 bytes from byte 0 on"),
    ],
)
def test_sentences(file, address, words):
    said = placement(file, file.node(address)).sentence
    assert words.replace("the row groups", "2 row groups") in said


def test_the_table_has_the_parts_with_their_bytes(file):
    made = placement(file, file.node("row_groups/0"))
    group = file.row_groups[0]
    assert made.table.column("part") == [".".join(c.leaf.path) for c in group.columns]
    assert made.table.column("size") == [len(c.span) for c in group.columns]
    assert [s.start for s in made.table.spans] == [c.span.start for c in group.columns]
    assert abs(sum(made.table.column("share")) - 1) < 1e-9


def test_bytes_that_nobody_owns_are_named():
    data = parquet(pa.table({"x": [1]}))
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    with pqexplore.open(data[:start] + bytes(16) + data[start:]) as file:
        made = placement(file, file.root)
        assert "16 bytes belong to nobody: padding: all zero" in made.sentence
        row = made.table.rows[made.table.column("kind").index("gap")]
        assert row[-1] == "padding: all zero"
        assert row[:4] == ("nobody's", "gap", start, 16)


def test_a_file_without_rows_has_its_ends():
    with pqexplore.open(parquet(pa.table({"x": pa.array([], pa.int64())}))) as file:
        made = strips(file, "")
        assert made[0].label_of(0) == "magic"
        assert placement(file, file.root).sentence.endswith("every byte has an owner.")
