"""Whatever opens has a layout that tiles it: every byte has one owner, from 0 to the end."""

import random

import pytest
from engine.hostile import mutations
from engine.hostile.exercise import assert_tiles
from engine.hostile.made import FILES
from hypothesis import given, settings
from hypothesis import strategies as st
from needs import has

import pqexplore
from pqexplore.engine.errors import ParquetError


@pytest.mark.parametrize("level", ["pages", "chunks"])
@pytest.mark.parametrize("name", FILES)
def test_files_of_the_project(name, level):
    data = FILES[name]()
    with pqexplore.open(data) as file:
        assert_tiles(file.layout(level), len(data))
        if level == "pages" and has("pyarrow", "18"):  # older ones write a second ColumnMetaData
            assert "gap" not in file.layout()["kind"].to_pylist()


KINDS = [kind for kind in mutations.KINDS if kind != "truncated"]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=6, deadline=None)
@given(name=st.sampled_from(sorted(FILES)), seed=st.integers(0, 1 << 32))
def test_broken_files_that_open(kind, name, seed):
    data = mutations.mutate(kind, FILES[name](), random.Random(seed), other=FILES["types"]())
    if data is None:
        return
    try:
        file = pqexplore.open(data)
    except ParquetError:
        return
    with file:
        assert_tiles(file.layout(), len(data))


@pytest.mark.full
def test_files_of_the_corpus(corpus):
    count = 0
    for path in sorted(corpus.rglob("*.par*")):
        if not path.is_file() or path.suffix not in (".parquet", ".parq"):
            continue
        try:
            file = pqexplore.open(path)
        except ParquetError:
            continue
        with file:
            assert_tiles(file.layout(), file.size)
        count += 1
    assert count > 500
