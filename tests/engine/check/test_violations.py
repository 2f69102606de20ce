"""Each planted violation is found by its rule, at its place, and nothing is found in its near miss."""

import importlib
import pkgutil

import pytest
from engine.check import violations

import pqexplore

ROWS = {
    f"{module.name}: {row.name}": row
    for module in pkgutil.iter_modules(violations.__path__)
    for row in importlib.import_module(f"{violations.__name__}.{module.name}").VIOLATIONS
}


def test_there_are_at_least_two_hundred_violations():
    assert len(ROWS) >= 200


def findings(data, row):
    keys = None if row.keys is None else pqexplore.Decryption(**row.keys)
    with pqexplore.open(data, decryption=keys) as file:
        return list(file.check())


@pytest.mark.parametrize("name", ROWS)
def test_the_rule_sees_the_violation_and_nothing_else_is_called_wrong(name):
    row = ROWS[name]
    found = findings(row.make(), row)
    seen = [one for one in found if one.rule == row.rule]
    assert seen, f"no finding {row.rule}"
    assert {one.severity.level for one in seen} == {row.severity}
    if row.address:
        assert row.address in {one.address for one in seen}
    expected = [*([] if row.severity == "note" else [row.rule]), *row.also]
    assert {one.rule for one in found if one.severity.level != "note"} == set(expected)


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.near is not None])
def test_the_rule_does_not_see_the_near_miss(name):
    row = ROWS[name]
    found = findings(row.near(), row)
    assert (row.rule, row.severity) not in {(one.rule, one.severity.level) for one in found}
    assert [one for one in found if one.severity.level != "note" and one.rule not in row.also] == []
