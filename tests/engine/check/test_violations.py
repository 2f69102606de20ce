"""Each planted violation is found by its rule, at its place, and its near miss is not."""

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


@pytest.mark.parametrize("name", ROWS)
def test_the_rule_sees_the_violation_and_not_its_near_miss(name):
    row = ROWS[name]
    keys = None if row.keys is None else pqexplore.Decryption(**row.keys)
    with pqexplore.open(row.make(), decryption=keys) as file:
        found = [one for one in file.check() if one.rule == row.rule]
    assert found, f"no finding {row.rule}"
    assert {one.severity for one in found} == {row.severity}
    if row.address:
        assert row.address in {one.address for one in found}
    if row.near is not None:
        with pqexplore.open(row.near(), decryption=keys) as file:
            assert [one for one in file.check() if one.rule == row.rule] == []
