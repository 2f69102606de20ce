"""Lenses name kinds of nodes that exist."""

import dataclasses

import pytest

from pqexplore.engine.kind import Kind
from pqexplore.insight.lenses import LENSES


@pytest.mark.parametrize("name", LENSES)
def test_the_kinds_of_a_lens_are_kinds_of_nodes(name):
    lens = LENSES[name]
    assert (lens.kinds or frozenset()) | lens.first <= frozenset(Kind)


def test_the_lenses_of_a_kind_follow_a_lens_that_is_put_in_the_place_of_another(monkeypatch):
    assert "schema" in {lens.name for lens in LENSES.of_kind("schema")}
    other = dataclasses.replace(LENSES["schema"], kinds=frozenset({"magic"}))
    monkeypatch.setitem(LENSES, "schema", other)
    assert "schema" not in {lens.name for lens in LENSES.of_kind("schema")}
    assert other in LENSES.of_kind("magic")
