"""Lenses name kinds of nodes that exist."""

import pytest

from pqexplore.engine.kind import Kind
from pqexplore.insight.lenses import LENSES


@pytest.mark.parametrize("name", LENSES)
def test_the_kinds_of_a_lens_are_kinds_of_nodes(name):
    lens = LENSES[name]
    assert (lens.kinds or frozenset()) | lens.first <= frozenset(Kind)
