"""Each sick sample has one fault, which the first screen names first, and always the same bytes."""

import pytest
from insight.doctor.sick_cases import SICK_CASES
from quick import quick

import pqexplore
from pqexplore.engine.writer.samples import SICK, write_sample
from pqexplore.insight.doctor.verdict import lead
from pqexplore.insight.lenses import LENSES, answer_of, finish


def test_every_sick_sample_has_a_case():
    assert set(SICK_CASES) == {*SICK, "legacy-lists"} and len(SICK_CASES) == 12


@pytest.mark.parametrize("name", quick(SICK_CASES, *({*SICK_CASES} - {"sick-footer"})))
def test_the_overview_of_a_sick_sample_begins_with_its_fault(tmp_path, name):
    write_sample(name, tmp_path / "a.parquet")
    rule, words = SICK_CASES[name]
    with pqexplore.open(tmp_path / "a.parquet") as file:
        answer = finish(answer_of(file, file.root, LENSES["overview"]))
        [card] = answer.picture.cards.problems
        assert card.rule == rule and words in card.sentence
        [worst] = [one for one in answer.findings if one.rule == rule]
        assert answer.sentence.startswith(lead(worst))
        assert words in answer.line or words in lead(worst)
        assert file.size < 1_300_000


@pytest.mark.parametrize("name", [name for name in SICK if name not in ("sick-footer", "sick-codec")])
def test_a_sick_sample_always_has_the_same_bytes(tmp_path, name):
    for copy in "ab":
        write_sample(name, tmp_path / copy)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
