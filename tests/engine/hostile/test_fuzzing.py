"""Broken files, many: whatever is asked of them, nothing but ParquetError comes out, within 10 s and 1 GiB each."""

import os
import random
import time

import pytest
from engine.hostile import exercise, mutations
from engine.hostile.made import FILES

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")

SEED = 20_240_607
MINUTES = float(os.environ.get("PQEXPLORE_FUZZ_MINUTES", "3"))
LARGEST = 64 << 10
"""Bytes of a corpus file that is mutated; larger ones say no more and take longer."""


def report(failures):
    """What went wrong, with all that is needed to see it again."""
    return "\n\n".join(f"{name}\n{wrong}" for name, _, wrong in failures)


def mutants(files, seed, until):
    """`(name, bytes)` of broken files, until `until()`; the name gives the file and the seed."""
    rng = random.Random(seed)
    names = sorted(files)
    while not until():
        name = rng.choice(names)
        one = rng.getrandbits(40)
        way, data = mutations.mutate(files[name](), one)
        yield f"{name} by {way}, seed {one}", data


def test_files_of_the_project_broken_in_a_few_ways():
    count = iter(range(50))
    files = mutants(FILES, SEED, lambda: next(count, None) is None)
    failures = list(exercise.run(files))
    assert not failures, report(failures)


@pytest.mark.full
def test_files_of_the_project_broken_for_a_while():
    end = time.monotonic() + MINUTES * 60 / 2
    failures = list(exercise.run(mutants(FILES, SEED + 1, lambda: time.monotonic() > end)))
    assert not failures, report(failures)


@pytest.mark.full
def test_files_of_the_corpus_broken_for_a_while(corpus):
    paths = [
        path
        for path in corpus.rglob("*")
        if path.suffix in (".parquet", ".parq")
        and path.is_file()
        and 0 < path.stat().st_size < LARGEST
    ]
    files = {str(path.relative_to(corpus)): path.read_bytes for path in paths}
    end = time.monotonic() + MINUTES * 60 / 2
    failures = list(exercise.run(mutants(files, SEED + 2, lambda: time.monotonic() > end)))
    assert not failures, report(failures)


def test_a_crash_an_endless_loop_and_a_large_allocation_are_noticed(monkeypatch):
    def ask(data):
        if data == b"crash":
            os.abort()
        if data == b"loop":
            while True:
                pass
        if data == b"memory":
            bytearray(2 * exercise.BYTES)
        if data == b"error":
            raise IndexError("out of a decoder")

    monkeypatch.setattr(exercise, "ask", ask)
    cases = [(name, name.encode()) for name in ("fine", "crash", "loop", "memory", "error", "good")]
    failures = {name: wrong for name, _, wrong in exercise.run(cases, seconds=1)}
    assert set(failures) == {"crash", "loop", "memory", "error"}
    assert "signal" in failures["crash"]
    assert "TimeoutError" in failures["loop"]
    assert "MemoryError" in failures["memory"]
    assert "IndexError" in failures["error"]


def test_mutations_are_told_by_their_seed():
    data = FILES["types"]()
    for seed in range(30):
        assert mutations.mutate(data, seed) == mutations.mutate(data, seed)
