"""Small files that hurt, through everything that can be asked: an answer or a ParquetError, in 10 s and 1 GiB.

The files are forged here (`engine.hostile.forge`); those that were found elsewhere are tried too, where they lie beside
the project. Each pair of file and entry runs in a process of its own, whose time and memory are measured.
"""

import pytest
from conftest import ROOT
from corpus.entries import ENTRIES, FOOTER_ENTRIES, measure
from engine.hostile import forge

ATTACK = ROOT.parent / "shared" / "attack"

FOUND = sorted(ATTACK.glob("*.parquet"))

QUICK_FOOTERS = ("empty_elements", "empty_row_groups")
"""Forged files that are tried without the marker `full`: they are asked a few things, the others all."""


def matrix(data, entries, record_property, name, **bounds):
    """Ask everything; the entries that failed, with what they came to. The costliest is stated at the end of the run."""
    found = {entry: measure(data, entry, **bounds) for entry in entries}
    slowest = max(found, key=lambda entry: found[entry].seconds)
    largest = max(found, key=lambda entry: found[entry].bytes)
    record_property(
        "stated",
        f"attack {name}, {len(data):,} bytes: {len(found)} entries, slowest {slowest} {found[slowest].seconds:.1f} s, "
        f"largest {largest} {found[largest].bytes >> 20:,} MiB",
    )
    return {entry: str(outcome) for entry, outcome in found.items() if not outcome.fine}


@pytest.mark.full
@pytest.mark.parametrize("name", forge.ATTACKS)
def test_few_bytes_that_stand_for_many_values(name, record_property):
    data = forge.ATTACKS[name]()
    assert matrix(data, ENTRIES, record_property, name) == {}


@pytest.mark.full
@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_files_that_were_found(path, record_property):
    assert matrix(path.read_bytes(), ENTRIES, record_property, path.stem) == {}


def test_the_files_that_were_found_are_there(record_property):
    if not FOUND:
        record_property("stated", "attack: the files that were found are not beside the project")


@pytest.mark.parametrize(
    "name", [name if name in QUICK_FOOTERS else pytest.param(name, marks=pytest.mark.full) for name in forge.FOOTERS]
)
def test_footers_of_a_million_parts(name, record_property):
    data = forge.FOOTERS[name]()
    bounds = {"seconds": 8, "most": 512 << 20}  # 5 s of budget, and what a step takes
    assert matrix(data, FOOTER_ENTRIES, record_property, name, **bounds) == {}


def test_a_value_of_a_run_of_67_million_is_had_without_the_others():
    import pqexplore

    with pqexplore.open(forge.dictionary_run()) as f:
        values = f.node("row_groups/0/columns/0/pages/1/values").children
        assert len(values) == forge.RUN
        facts = {fact.name: fact.value for fact in values[forge.RUN - 1].facts}
        assert facts["physical"] == 7 and facts["dictionary index"] == 0
        assert not f.cache.has(("row_groups/0/columns/0/pages/1", "physical"))
        assert not f.cache.has(("row_groups/0/columns/0/pages/1", "ids"))


def test_check_counts_long_runs_without_making_their_values():
    import pqexplore

    with pqexplore.open(forge.dictionary_run(pages=3)) as f:
        assert [one.rule for one in f.check() if one.severity.level != "note"] == []
        for page in (1, 2, 3):
            assert not f.cache.has((f"row_groups/0/columns/0/pages/{page}", "physical"))
