"""Broken files, many: whatever is asked of them, nothing but ParquetError comes out, within 10 s and 1 GiB each."""

import itertools
import os
import random
import re
import time

import pytest
from conftest import ROOT
from corpus import entries
from engine.hostile import campaign, exercise, mutations

from pqexplore.cli.verbs import VERBS
from pqexplore.insight import lenses

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")

SEED = 20_240_607
MINUTES = float(os.environ.get("PQEXPLORE_FUZZ_MINUTES", "3"))
QUICK, SMALL = 20, 10_000
"""Mutants of the short test, and the bytes of its seeds."""


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    return campaign.project_seeds(tmp_path_factory.mktemp("seeds"))


def failures(made, numbers):
    """What failed, with all that is needed to see it again."""
    report = campaign.Report(ROOT / ".cache" / "fuzz" / "findings")
    for mutant, outcome in made.run(numbers):
        report.add(mutant, outcome)
    return report.text() if report.failures else ""


def test_files_of_the_project_broken_in_a_few_ways(seeds):
    small = [seed for seed in seeds if len(seed.data) <= SMALL]
    assert not failures(campaign.Campaign(SEED, small), range(QUICK))


def for_minutes(minutes):
    end = time.monotonic() + minutes * 60
    return itertools.takewhile(lambda _: time.monotonic() < end, itertools.count())


@pytest.mark.full
def test_files_of_the_project_broken_for_a_while(seeds):
    assert not failures(campaign.Campaign(SEED + 1, seeds), for_minutes(MINUTES / 2))


@pytest.mark.full
def test_files_of_the_corpus_broken_for_a_while(seeds, corpus):
    made = campaign.Campaign(SEED + 2, seeds, campaign.foreign_seeds(corpus))
    assert not failures(made, for_minutes(MINUTES / 2))


def test_a_crash_an_endless_loop_and_a_large_allocation_are_noticed():
    def loop():
        while True:
            try:
                while True:
                    pass
            except Exception:
                pass

    def fail():
        raise IndexError("out of a decoder")

    asks = {
        "fine": lambda: 1,
        "crash": os.abort,
        "loop": loop,
        "memory": lambda: bytearray(2 * exercise.BYTES),
        "error": fail,
        "good": lambda: 2,
    }
    outcomes = dict(exercise.run(asks.items(), seconds=1))
    assert {name for name, outcome in outcomes.items() if outcome.fine} == {"fine", "good"}
    assert "signal" in outcomes["crash"].said
    assert re.search("OutOfTime|no answer", outcomes["loop"].said)  # the latter on a busy machine
    assert "MemoryError" in outcomes["memory"].said
    assert "IndexError" in outcomes["error"].said
    assert "in fail" in outcomes["error"].trace


def test_more_memory_than_allowed_is_noticed_though_it_was_given_back():
    outcome = exercise.measure(lambda: len(b"\1" * (64 << 20)), most=32 << 20)
    assert not outcome.fine and "more memory than 32 MiB" in outcome.said
    assert exercise.measure(lambda: len(b"\1" * (16 << 20)), most=32 << 20).fine


def test_a_mutant_is_told_by_its_number(seeds):
    twice = [campaign.Campaign(SEED, seeds) for _ in range(2)]
    for number in range(0, 400, 39):
        a, b = (made.mutant(number) for made in twice)
        assert (a.kind, a.entry, a.seed, a.data) == (b.kind, b.entry, b.seed, b.data)


def test_every_kind_of_mutation_breaks_a_file_of_the_project(seeds):
    rng = random.Random(SEED)
    other = seeds[0].data
    for kind in mutations.KINDS:
        assert any(
            mutations.mutate(kind, seed.data, rng, seed.decryption, other) not in (None, seed.data) for seed in seeds
        ), kind


def test_kinds_and_entries_come_equally_often():
    kinds, asked = zip(*campaign.PAIRS)
    assert len({kinds.count(kind) for kind in kinds}) == 1
    assert len({asked.count(entry) for entry in asked}) == 1


READ_NO_FILE = {"sample", "completion", "explain"}
SERVE = {"mcp", "view"}
"""Verbs that answer by the code of others, in processes of their own, until they are ended."""


def test_each_verb_and_each_lens_is_asked_of_broken_files():
    words = {word for name in entries.ENTRIES for word in name.removeprefix("cli ").split()}
    assert set(VERBS) - READ_NO_FILE - SERVE <= words
    assert {f"lens {name}" for name in lenses.LENSES} <= entries.ENTRIES.keys()


KEYS = {"column_keys": {"a": b"\1\2"}}


def test_a_kept_failure_is_asked_again(tmp_path):
    mutant = campaign.Mutant(7, "bits", "open", "x", b"PAR1", KEYS, 3)
    report = campaign.Report(tmp_path)
    report.add(mutant, exercise.Outcome("TypeError: of 3 kinds", False, 0.1, 1, "trace"))
    (path,) = tmp_path.glob("*.parquet")
    again = campaign.kept(path)
    assert again == mutant
    assert f"python tools/fuzz.py --again {path}" in report.text()
