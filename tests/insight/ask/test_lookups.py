"""Point lookups: what Bloom filters say of a value in all row groups, and how often they are wrong."""

import numpy as np
import pyarrow as pa
import pytest

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
        pqexplore.WriteOptions(
            row_group_rows=200,
            columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 128}},
        ),
    )
    return str(found)


def test_every_filter_is_asked_for_every_value(path):
    plan = pqexplore.ask(path, "n IN (4, 5)")
    found = plan.lookups.to_pylist()
    assert len(found) == 20 and {one["value"] for one in found} == {"4", "5"}
    there = plan.file.read(["n"])["n"].to_pylist().index(4) // 200
    assert [
        one["passes"] for one in found if one["row_group"] == there and one["value"] == "4"
    ] == [True]
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


def test_the_sentence(path):
    [said] = sentences(probes(pqexplore.ask(path, "n = 5")))
    assert said.startswith("n = 5: of 10 Bloom filters, ") and "for a value that is in none" in said
    assert list(sentences(probes(pqexplore.ask(path, "n > 5")))) == []
    assert list(sentences(probes(pqexplore.ask(path, "plain = 5")))) == []
