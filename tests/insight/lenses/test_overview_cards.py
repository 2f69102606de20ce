"""The cards of the overview: the worst finding first, its figure, its place, and the notes."""

import pytest
from engine.check import forged
from insight.doctor.doctor_cases import CASES, NUMBERS, written
from needs import ONE_COLUMN_METADATA

import pqexplore
from pqexplore.engine.check import sample
from pqexplore.engine.format.thrift.structs import Statistics
from pqexplore.insight.doctor import first_look
from pqexplore.insight.doctor.rules import RULES
from pqexplore.insight.lenses import LENSES, finish, overview, overview_cards
from pqexplore.widget.operations import OPERATIONS

FILES = {case.rule: case.make for case in CASES}
GROUPS = FILES["small-row-groups"]


def cards_of(file):
    return finish(overview.answer(file, file.root)).picture.cards


@pytest.mark.parametrize(("rule", "figure"), [
    ("small-row-groups", "199 requests"),
    ("bloom-filter-oversized", "1.02 MB, 88 % of the file"),
    ("no-statistics", "2 row groups"),
    ("duplicate-names", ""),
])  # fmt: skip
def test_a_card_has_the_number_that_matters(rule, figure):
    with pqexplore.open(FILES[rule]()) as file:
        card = next(one for one in cards_of(file).problems if one.rule == rule)
    assert card.figure == figure


@ONE_COLUMN_METADATA
def test_notes_are_listed_and_are_no_cards():
    with pqexplore.open(GROUPS()) as file:
        found = cards_of(file)
    assert [one.rule for one in found.problems] == ["small-row-groups"]
    assert [one.rule for one in found.notes] == ["order-not-declared"]
    assert (found.more, found.more_notes, found.checked) == (0, 0, True)


def test_one_fault_in_many_row_groups_is_one_card():
    """So that one fault in many pages does not hide the others."""
    data = bytearray(written(NUMBERS, row_group_size=1_000, write_page_checksum=True, compression="none"))
    with pqexplore.open(bytes(data)) as file:
        for group in file.row_groups:
            data[group.columns[0].pages[1].span.end - 1] ^= 1
    with pqexplore.open(bytes(data)) as file:
        found = cards_of(file)
    first, *others = found.problems
    assert (first.rule, first.alike) == ("crc-mismatch", 0)
    assert first.sentence.endswith("The same fault is in row groups 1, 2, 3 and 16 more.")
    assert {one.rule: one.alike for one in others}["small-row-groups"] == 0
    assert found.more == 0


def test_a_card_opens_a_lens_that_there_is():
    for rule, lens in overview_cards.LENSES.items():
        assert lens in LENSES
        assert rule in RULES


@pytest.mark.parametrize("rule", [rule for rule in overview_cards.LENSES if rule in FILES])
def test_the_lens_of_a_card_applies_at_its_place(rule):
    with pqexplore.open(FILES[rule]()) as file:
        found = cards_of(file)
        card = next(one for one in (*found.problems, *found.notes) if one.rule == rule)
        assert LENSES[card.lens].applies(file.node(card.address))


def inverted():
    """A file whose statistics have a minimum above the maximum."""
    stored = Statistics(min_value=forged.raw(9), max_value=forged.raw(2))
    return forged.one_column([forged.page([1, 3])], metadata={"statistics": stored})


GLANCES = {
    # the file, whether a first look sees that it is wrong
    "a wrong checksum": (lambda: forged.one_column([forged.page([1], crc=1)]), True),
    "a minimum above the maximum": (inverted, True),
    "no fault": (lambda: written(NUMBERS, write_page_checksum=True), False),
    "a bound that only the values contradict": (
        lambda: forged.one_column(
            [forged.page([1, 3])], metadata={"statistics": Statistics(min_value=forged.raw(1), max_value=forged.raw(2))}
        ),
        True,
    ),
}


@pytest.mark.parametrize(("make", "seen"), GLANCES.values(), ids=GLANCES)
def test_the_first_screen_sees_damage(make, seen):
    with pqexplore.open(make()) as file:
        assert bool(cards_of(file).problems) == seen


def test_beyond_the_budget_no_page_is_looked_at(monkeypatch):
    monkeypatch.setattr(first_look, "BYTES", 10)
    monkeypatch.setattr(sample, "BUDGET", 10)
    with pqexplore.open(GLANCES["a wrong checksum"][0]()) as file:
        assert cards_of(file).problems == []


def test_after_the_check_of_all_bytes_the_cards_have_what_it_found(monkeypatch):
    monkeypatch.setattr(sample, "BUDGET", 10)
    with pqexplore.open(GLANCES["a bound that only the values contradict"][0]()) as file:
        assert cards_of(file).problems == []
        steps = OPERATIONS["check"](file)
        assert 0 <= next(steps) <= 1
        finish(steps)
        found = cards_of(file)
    assert [one.rule for one in found.problems] == ["statistics-bound"]
    assert found.checked
