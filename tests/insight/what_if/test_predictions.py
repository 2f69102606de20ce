"""Predictions held against files that are then written: 12 files of many natures, with 6 sets of options."""

import os

import pytest
from insight.what_if.prediction_cases import FILES, OPTIONS, options, write

import pqexplore

QUICK = ("few texts", "decimals", "nested", "dictionary fallback")
"""Files that `make test` takes; the others are in `make test-full`."""


def marked(names):
    """The names as parameters, those that are not quick marked as slow."""
    return [pytest.param(one, marks=() if one in QUICK else pytest.mark.full) for one in names]


@pytest.fixture(scope="module", params=marked(FILES))
def source(request, tmp_path_factory):
    """A file, the trial of it, and a trial of a third of its bytes."""
    path = tmp_path_factory.mktemp("predictions") / "source.parquet"
    write(request.param, path)
    third = pqexplore.Budget(bytes=os.path.getsize(path) // 3)
    return path, pqexplore.what_if(path), pqexplore.what_if(path, budget=third)


@pytest.mark.parametrize("name", OPTIONS)
def test_a_file_has_the_size_that_was_predicted(source, name, tmp_path):
    path, whole, third = source
    with pqexplore.open(path) as file:
        chosen = options(name, whole, file.schema)
    pqexplore.rewrite(path, tmp_path / "new.parquet", chosen, verify=False)
    real = os.path.getsize(tmp_path / "new.parquet")
    exact, sampled = whole.predict(chosen), third.predict(chosen)
    assert (exact.size, exact.error, exact.sampled) == (real, 0, False)
    off = sampled.size / real - 1
    print(f"{path.parent.name}, {name}: {off:+.2%} from a third of its bytes")
    assert abs(off) < 0.05
    assert sampled.sampled or sampled.size == real
