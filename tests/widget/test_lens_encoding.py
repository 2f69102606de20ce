"""The microscope as the view gets it: small, JSON, and the same step whichever way one asks for it."""

import json

import numpy as np
import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.insight import lenses
from pqexplore.insight.lenses import encoding
from pqexplore.widget import lens as lens_view

IDS = "row_groups/0/columns/1/pages/1"


def shown(file, address, lens="encoding"):
    payload = lenses.finish(lens_view.show(file, address, lens))
    assert len(json.dumps(payload, allow_nan=False)) < 512_000
    return payload


def made(tmp_path, table, **options):
    path = tmp_path / "made.parquet"
    pqexplore.write(table, path, pqexplore.WriteOptions(**options))
    return pqexplore.open(path)


@pytest.mark.parametrize(
    ("address", "section"),
    [
        (IDS, f"{IDS}/values"),
        (f"{IDS}/values/3", f"{IDS}/values"),
        (f"{IDS}/definition_levels", f"{IDS}/definition_levels"),
        (f"{IDS}/definition_levels/7", f"{IDS}/definition_levels"),
        ("row_groups/0/columns/1/pages/0", "row_groups/0/columns/1/pages/0/values"),
    ],
)
def test_each_place_shows_its_section(file, address, section):
    assert shown(file, address)["picture"]["section"] == section


def test_a_value_opens_its_own_step(file):
    picture = shown(file, f"{IDS}/values/3")["picture"]
    assert picture["step"]["focus"] == 3
    assert picture["step"]["rows"][0]["index"] == 3


def test_step_value_and_byte_lead_to_the_same_step(file):
    by_value = encoding.derive(file, IDS, value=3)
    by_step = encoding.derive(file, IDS, step=by_value.number)
    base = shown(file, IDS)["picture"]["base"]
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
    payload = shown(file, address)
    picture = payload["picture"]
    assert picture["total"] == picture["listed"] == 1 + 2 * 20_000
    assert len(picture["bytes"]["start"]) <= 1_200
    assert (payload["table"]["listed"], payload["table"]["total"]) == (1_000, 40_001)
    last = encoding.derive(file, address, value=len(ids) - 1)
    assert last.first + last.count == len(ids)


def test_a_damaged_page_says_so(broken_file):
    address = "row_groups/0/columns/0/pages/1"
    with pytest.raises(ParquetError):
        shown(broken_file, address)


def test_damage_behind_good_steps_shows_these(tmp_path):
    table = pa.table({"n": [f"value {i}" for i in range(50)]})
    file = made(tmp_path, table, encoding="PLAIN", codec="UNCOMPRESSED", checksum=False)
    page = next(iter(file.row_groups[0].columns[0].pages))
    span = page.body.section("values").span
    raw = bytearray((tmp_path / "made.parquet").read_bytes())
    raw[span.start + 12 * 20 + 3] = 0x7F  # far too long
    with pqexplore.open(bytes(raw)) as damaged:
        payload = shown(damaged, f"{page.address}/values")
        assert 15 < payload["picture"]["listed"] < 50
        assert payload["picture"]["problem"]
        assert "it cannot be followed" in payload["answer"]
        assert encoding.derive(damaged, page.address, step=3).parts[1].shown


def test_a_locked_chunk_has_nothing_to_take_apart(tmp_path):
    from pqexplore.engine.writer.samples import SAMPLES

    path = tmp_path / "encrypted.parquet"
    SAMPLES["plaintext-footer-bloom"].write(path)
    with pqexplore.open(path) as file:
        for chunk in file.row_groups[0].columns:
            if chunk.encrypted:
                node = file.node(chunk.address)
                assert not encoding.LENS.applies(node)
                return
    pytest.fail("the sample has no encrypted column")


def test_hostile_names_are_only_text(hostile_file):
    page = hostile_file.row_groups[0].columns[0].pages[1]
    row = shown(hostile_file, f"{page.address}/values/0")["picture"]["step"]["rows"][0]
    assert row["logical"].startswith("<img")
