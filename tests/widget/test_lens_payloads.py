"""How pictures and replies of lenses travel: hostile names, damage, and what is large."""

import json

import numpy as np
import pyarrow as pa
import pytest
from made import open_sample, ours, parquet, rebuilt
from widget.pages import shown
from widget.samples import HOSTILE, orders

import pqexplore
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.insight import lenses
from pqexplore.insight.lenses import bloom, dictionary, encoding
from pqexplore.widget import lens as lens_view
from pqexplore.widget import rpc, tree
from pqexplore.widget.operations import OPERATIONS

CHUNK = "row_groups/0/columns/0"


def test_many_blocks_share_cells(monkeypatch):
    monkeypatch.setattr(bloom, "CELLS", 10)
    data = ours(pa.table({"n": np.arange(300)}), bloom_filter=True, bloom_filter_bytes=1_024)
    with pqexplore.open(data) as file:
        result, (bits,) = rpc.call(OPERATIONS, file, "bloom_blocks", {"address": CHUNK})
        assert result["per_cell"] == 4 and len(bits) == 2 * 8
        assert shown(file, CHUNK, "bloom")["picture"]["per_cell"] == 4


# The stepper's replies for the view: JSON, on a damaged page and with a hostile name.


def payload(file, address):
    made = lenses.finish(lens_view.show(file, address, "nesting"))
    json.dumps(made, allow_nan=False)
    return made


def test_a_broken_page_raises(broken_file):
    with pytest.raises(ParquetError):
        payload(broken_file, "row_groups/0/columns/0/pages/1")


def test_a_hostile_name_is_only_text(hostile_file):
    made = payload(hostile_file, "row_groups/0/columns/0")
    assert "<img" in made["picture"]["column"]


# The tree shows the parts of a Variant below its value.


VALUE = "row_groups/0/columns/1/pages/1/values/22"


def test_the_value_of_a_variant_shows_its_parts(file):
    with open_sample("variant") as opened:
        shown = tree.children(opened, VALUE).items
        assert [child.kind for child in shown][:2] == ["variant_header", "variant_num_elements"]
        assert lenses.finish(tree.node(opened, VALUE)).children == len(shown) == 5
        assert not lenses.finish(tree.node(opened, VALUE)).leaf
    assert lenses.finish(tree.node(file, "row_groups/0/columns/1/pages/1/values/0")).leaf


# The figure of the compare lens travels for any values.


@pytest.mark.parametrize("values", [
    pa.array([None, None], pa.int64()),
    pa.array([float("nan"), float("inf")]),
    pa.array([b"\xff" * 100, b""]),
    pa.array([[1], []]),
    pa.array([0, 1], pa.timestamp("ns", "UTC")),
    pa.array([-(2**62), 2**62]),
    pa.array([True, False]),
    pa.array([], pa.string()),
], ids=str)  # fmt: skip
def test_any_values_can_be_drawn(values):
    data = parquet(pa.table({"x": values}), row_group_size=1)
    with pqexplore.open(data) as file:
        index = file.schema.leaves[0].index
        assert shown(file, f"schema/{index}", "compare")["answer"].endswith(".")


def test_a_damaged_chunk_leaves_the_others(broken_file):
    assert shown(broken_file, "schema/1", "compare")["picture"]["groups"] == 2


# The dictionary lens as the view gets it: with progress, asked before it decodes much, empty with a reason.


def test_it_asks_before_it_decodes_much(file, monkeypatch):
    monkeypatch.setattr(lens_view, "ASKS_BEYOND", 10)
    node = file.node("row_groups/0/columns/1")
    assert shown(file, node.address, "dictionary")["ask"]["bytes"] == dictionary.cost(file, node) > 10
    assert shown(file, node.address, "dictionary", sure=True)["picture"]


def test_a_chunk_whose_dictionary_is_damaged_raises_only_our_errors(broken_file):
    for chunk in broken_file.row_groups[0].columns:
        try:
            shown(broken_file, chunk.address, "dictionary")
        except ParquetError as error:
            assert error.address


# How the strips of the layout lens travel: a long one as columns.


def test_names_of_a_hostile_file_are_data(hostile_file):
    strips = shown(hostile_file, "row_groups/0", "layout")["picture"]["strips"]
    assert strips[1]["labels"] == [HOSTILE]


# The picture of the overview travels, whatever the file holds.


def overview_shown(data):
    with pqexplore.open(data) as f:
        payload = lenses.finish(lens_view.show(f, "", "overview"))
    assert len(json.dumps(payload, allow_nan=False)) < 512 << 10
    return payload


def test_a_file_of_many_columns_and_row_groups_has_a_small_picture():
    table = pa.table({f"c{i}": list(range(20)) for i in range(60)})
    whole = overview_shown(parquet(table, row_group_size=1))["picture"]["tiles"][0]
    assert (whole["address"], whole["above"], whole["start"]) == ("", -1, 0)


def test_hostile_names_are_shown_as_they_are():
    picture = overview_shown(parquet(pa.table({HOSTILE: [HOSTILE]})))["picture"]
    assert HOSTILE in [tile["label"] for tile in picture["tiles"]]
    assert picture["largest"][0]["name"] == HOSTILE


@pytest.mark.parametrize(
    "changes", [{"schema__0__num_children": 5}, {"row_groups": []}, {"row_groups__0__columns": []}], ids=str
)
def test_a_damaged_footer_leaves_an_answer(changes):
    payload = overview_shown(rebuilt(parquet(orders()), **changes))
    assert payload["answer"].endswith(".") and payload["picture"]


# How the ranges of the statistics lens travel.


def test_the_bloom_filter_of_a_column_that_needs_a_key_says_so():
    encryption = pqexplore.Encryption(bytes(16), {"b": bytes(range(16))}, plaintext_footer=True)
    with pqexplore.open(ours(pa.table({"a": [1, 2], "b": [3, 4]}), encryption=encryption)) as locked:
        payload = shown(locked, "row_groups/0/columns/1", "bloom")
    assert "names no Bloom filter" in payload["answer"]


# The microscope as the view gets it: small, JSON, and the same step whichever way one asks for it.


IDS = "row_groups/0/columns/1/pages/1"


def made(tmp_path, table, **options):
    path = tmp_path / "made.parquet"
    pqexplore.write(table, path, pqexplore.WriteOptions(**options))
    return pqexplore.open(path)


def test_step_value_and_byte_lead_to_the_same_step(file):
    by_value = encoding.derive(file, IDS, value=3)
    by_step = encoding.derive(file, IDS, step=by_value.number)
    base = shown(file, IDS, "encoding")["picture"]["base"]
    by_byte = encoding.derive(file, IDS, byte=by_value.start - base)
    assert by_value.parts[0] == by_step.parts[0] == by_byte.parts[0]
    assert by_value.number == by_step.number == by_byte.number


@pytest.mark.parametrize(
    "asked", [{}, {"step": 0, "value": 0}, {"step": "0"}, {"step": True}, {"step": 10_000}, {"byte": 1.5}]
)
def test_what_cannot_be_asked_is_refused(file, asked):
    with pytest.raises(UsageError):
        encoding.derive(file, IDS, **asked)


def test_a_page_of_many_runs_stays_small(tmp_path):
    # every second group of eight is a run of its own
    ids = np.tile(np.concatenate([np.zeros(8, int), np.arange(8) % 5]), 20_000)
    table = pa.table({"n": pa.array(ids).cast(pa.string())})
    file = made(tmp_path, table, page_rows=None, page_bytes=1 << 22)
    address = next(p.address for p in file.row_groups[0].columns[0].pages if p.is_data)
    payload = shown(file, address, "encoding")
    picture = payload["picture"]
    assert picture["total"] == picture["listed"] == 1 + 2 * 20_000
    assert len(picture["bytes"]["start"]) <= 1_200
    assert (payload["table"]["listed"], payload["table"]["total"]) == (1_000, 40_001)
    last = encoding.derive(file, address, value=len(ids) - 1)
    assert last.first + last.count == len(ids)


def test_a_damaged_page_says_so(broken_file):
    address = "row_groups/0/columns/0/pages/1"
    with pytest.raises(ParquetError):
        shown(broken_file, address, "encoding")


def test_damage_behind_good_steps_shows_these(tmp_path):
    table = pa.table({"n": [f"value {i}" for i in range(50)]})
    file = made(tmp_path, table, encoding="PLAIN", codec="UNCOMPRESSED", checksum=False)
    page = next(iter(file.row_groups[0].columns[0].pages))
    span = page.body.section("values").span
    raw = bytearray((tmp_path / "made.parquet").read_bytes())
    raw[span.start + 12 * 20 + 3] = 0x7F  # far too long
    with pqexplore.open(bytes(raw)) as damaged:
        payload = shown(damaged, f"{page.address}/values", "encoding")
        assert 15 < payload["picture"]["listed"] < 50
        assert payload["picture"]["problem"]
        assert "it cannot be followed" in payload["answer"]
        assert encoding.derive(damaged, page.address, step=3).parts[1].shown


def test_a_locked_chunk_has_nothing_to_take_apart():
    with open_sample("plaintext-footer-bloom", keys=False) as file:
        for chunk in file.row_groups[0].columns:
            if chunk.encrypted:
                node = file.node(chunk.address)
                assert not encoding.LENS.applies(node)
                return
    pytest.fail("the sample has no encrypted column")


def test_hostile_names_are_only_text(hostile_file):
    page = hostile_file.row_groups[0].columns[0].pages[1]
    row = shown(hostile_file, f"{page.address}/values/0", "encoding")["picture"]["step"]["rows"][0]
    assert row["logical"].startswith("<img")
