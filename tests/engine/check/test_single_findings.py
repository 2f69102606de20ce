"""One violation is one finding: an error or a warning is not repeated in other words at another place."""

import pytest
from engine.check.test_violations import ROWS

import pqexplore

MODULES = ("footer", "schema", "logical_types", "row_groups")


@pytest.mark.parametrize("name", [name for name in ROWS if name.split(":")[0] in MODULES])
def test_a_violation_is_one_finding(name):
    row = ROWS[name]
    with pqexplore.open(row.make()) as file:
        found = [one for one in file.check() if one.severity != "note"]
    expected = [] if row.severity == "note" else [row.rule]
    assert sorted(one.rule for one in found) == sorted([*expected, *row.also]), found


@pytest.mark.parametrize("name", [name for name in ROWS if name.split(":")[0] in MODULES])
def test_a_near_miss_is_right(name):
    row = ROWS[name]
    if row.near is not None:
        with pqexplore.open(row.near()) as file:
            assert [one for one in file.check() if one.severity != "note"] == []
