"""Variants that take fewer bytes if they are shredded: as many as in the file that is then written so."""

import io

import numpy as np
import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.format.variant.decode import decode_array
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.engine.format.variant.proposal import propose_schema
from pqexplore.insight.steps import finish
from pqexplore.insight.what_if import shredding
from pqexplore.insight.what_if.saving import Kind

ROWS = 2_000
_RANDOM = np.random.default_rng(9)
EVENTS = [
    {"id": at, "kind": ("buy", "sell")[at % 2], "at": {"x": float(_RANDOM.integers(90))}, "n": int(_RANDOM.integers(9))}
    for at in range(ROWS)
]  # fmt: skip
MIXED = [event if at % 3 else None for at, event in enumerate(EVENTS)]
# Each object has a field of its own.
SINGLE = [{f"k{at}": _RANDOM.bytes(8).hex()} for at in range(200)]


def written(values, **shredded):
    out = io.BytesIO()
    column = {"logical_type": "VARIANT", **shredded}
    options = pqexplore.WriteOptions(row_group_rows=900, columns={"v": column})
    pqexplore.write(pa.table({"v": encode_array(values, share_metadata=True), "n": range(len(values))}), out, options)  # fmt: skip
    return out.getvalue()


def found(data):
    return [one for one in pqexplore.what_if(data).savings if one.kind is Kind.SHREDDING]


@pytest.mark.parametrize("values", [EVENTS, MIXED], ids=["events", "with nulls"])
def test_the_bytes_are_those_of_the_file_that_is_written(values):
    data = written(values)
    [one] = found(data)
    assert one.choice == "shredded by at.x, id, kind and n"
    assert one.sentence.startswith("By all rows, the Variants of `v` take ")
    with pqexplore.open(data) as file:
        array = file.read(["v"])["v"].combine_chunks()
        today = sum(len(group.columns[at].span) for group in file.row_groups for at in (0, 1))
    kind = propose_schema(array.slice(0, 900))
    with pqexplore.open(written(values, shredding=kind)) as file:
        made = sum(len(chunk.span) for group in file.row_groups for chunk in group.columns[:-1])
        assert repr(decode_array(file.read(["v"])["v"].combine_chunks())) == repr(decode_array(array))  # fmt: skip
    assert (one.without, one.bytes, one.sampled) == (today, made, False)
    assert made < today


@pytest.mark.parametrize("values, options", [
    (SINGLE, {}),
    ([None] * ROWS, {}),
    (EVENTS, {"shredding": pa.struct([("id", pa.int64())])}),
], ids=["nothing in common", "only nulls", "shredded already"])  # fmt: skip
def test_near_misses_are_not_found(values, options):
    assert found(written(values, **options)) == []


def test_a_sample_says_so(monkeypatch):
    monkeypatch.setattr(shredding, "ROWS", 500)
    data = written(EVENTS)
    with pqexplore.open(data) as file:
        trial = pqexplore.what_if(file)
        [one] = finish(shredding.shredding(file, trial.columns, pqexplore.Budget().start()))
    assert one.sampled and one.error is None
    assert one.sentence.startswith("By 1,200 of 2,000 rows, the Variants of `v` take about ")
