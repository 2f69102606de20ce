"""Point lookups: what Bloom filters say of a value in all row groups, and how often they are wrong."""

import pathlib

import numpy as np
import pyarrow as pa
import pytest
from made import rebuilt

import pqexplore
from pqexplore.insight.ask.lookups import probes, sentences

ROWS = 2_000


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Ten row groups of 200 even numbers in no order, with filters that are too small; `plain` has no filter."""
    found = tmp_path_factory.mktemp("lookups") / "bloom.parquet"
    numbers = 2 * np.random.default_rng(4).permutation(ROWS)
    pqexplore.write(
        pa.table({"n": numbers, "plain": numbers}),
        found,
        pqexplore.WriteOptions(row_group_rows=200, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 128}}),
    )
    return str(found)


def test_every_filter_is_asked_for_every_value(path):
    plan = pqexplore.ask(path, "n IN (4, 5)")
    found = plan.lookups.to_pylist()
    assert len(found) == 20 and {one["value"] for one in found} == {"4", "5"}
    there = plan.file.read(["n"])["n"].to_pylist().index(4) // 200
    assert [one["passes"] for one in found if one["row_group"] == there and one["value"] == "4"] == [True]
    for one in found:
        filter_ = plan.file.node(one["address"])
        assert filter_.kind == "bloom_filter" and 0 < one["fpp"] < 1


def test_the_expected_number_of_false_answers_is_that_which_is_seen(path):
    absent = range(1, 2 * ROWS, 20)
    plan = pqexplore.ask(path, f"n IN ({', '.join(map(str, absent))})")
    found = probes(plan)
    assert len(found) == 10 * 100  # the first hundred values
    passing, expected = sum(one.passes for one in found), sum(one.fpp for one in found)
    assert abs(passing - expected) < 4 * expected**0.5 + 1


def said(path, where):
    plan = pqexplore.ask(path, where)
    return list(sentences(probes(plan), len(plan.groups)))


def test_the_sentence(path):
    [text] = said(path, "n = 5")
    assert text.startswith("n = 5: of 10 Bloom filters, ")
    assert text.endswith(" would.") and "for a value that is in none of the row groups, " in text
    assert said(path, "n > 5") == []
    assert said(path, "plain = 5") == []


def test_row_groups_without_a_filter_are_named(path, tmp_path):
    """Two of the ten row groups lose the offset of their filter."""
    offset = "row_groups__{}__columns__0__meta_data__bloom_filter_offset"
    found = tmp_path / "some.parquet"
    data = pathlib.Path(path).read_bytes()
    found.write_bytes(rebuilt(data, **{offset.format(group): None for group in (3, 4)}))
    [text] = said(str(found), "n = 5")
    assert text.startswith("n = 5: of 8 Bloom filters, ")
    assert "in none of their row groups" in text
    assert text.endswith("The other 2 row groups have no filter that was read.")
