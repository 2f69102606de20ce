"""Each rule about many files has an example on its page: the folder triggers it, and the near miss does not."""

import pytest
from lake.rule_examples import EXAMPLES

import pqexplore.lake
from pqexplore.lake.doctor.rules import RULES


def rules_of(folder):
    lake = pqexplore.lake.scan(None, str(folder), processes=0)
    return {one.rule for one in lake.diagnose().findings}


def test_every_rule_has_an_example():
    assert [one.rule for one in EXAMPLES] == [one.name for one in RULES]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.rule)
def test_the_example_triggers_its_rule_and_the_near_miss_does_not(example, tmp_path):
    for name in ("it", "near"):
        (tmp_path / name).mkdir()
    example.plant(tmp_path / "it")
    example.spare(tmp_path / "near")
    assert example.rule in rules_of(tmp_path / "it")
    assert example.rule not in rules_of(tmp_path / "near")
