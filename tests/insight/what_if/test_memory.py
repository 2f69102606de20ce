"""The memory of a trial, a prediction and a rewrite follows a row group, not the file."""

import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore

ROWS = 20_000
BUDGET = pqexplore.Budget(seconds=1_000)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files of 2 and of 20 equal row groups."""
    random = np.random.default_rng(5)
    group = pa.table({"a": random.integers(0, 1 << 40, ROWS), "f": random.normal(size=ROWS)})
    folder = tmp_path_factory.mktemp("memory")
    for count in (2, 20):
        path = folder / f"{count}.parquet"
        pq.write_table(pa.concat_tables([group] * count), path, row_group_size=ROWS, use_dictionary=False)  # fmt: skip
    return folder


def rewritten(path):
    options = pqexplore.WriteOptions(row_group_rows=15_000)
    pqexplore.rewrite(path, path.with_suffix(".new"), options, overwrite=True)


def predicted(path):
    with pqexplore.open(path) as file:
        pqexplore.what_if(file, ["a"], pqexplore.Budget(bytes=1)).predict(pqexplore.WriteOptions(row_group_rows=15_000))


def tried(path):
    pqexplore.what_if(path, ["a"], BUDGET)


@pytest.mark.parametrize("work", [rewritten, predicted, pytest.param(tried, marks=pytest.mark.full)])  # fmt: skip
def test_ten_times_the_row_groups_take_no_more_memory(work, files):
    peaks = {}
    work(files / "2.parquet")  # what is loaded once
    for count in (2, 20):
        arrow = pa.total_allocated_bytes()
        tracemalloc.start()
        work(files / f"{count}.parquet")
        peaks[count] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert pa.total_allocated_bytes() - arrow < 1 << 20
    assert peaks[20] < 1.3 * peaks[2] + (1 << 19)  # the footer, the indexes and the list of sizes grow


@pytest.mark.full
def test_dictionaries_of_row_groups_that_are_done_are_not_kept(tmp_path):
    """40 row groups, each with a dictionary of 1 MB in Arrow's memory, in both files."""
    names = pa.array([f"{i:040d}" for i in range(25_000)])
    group = pa.table({"a": pa.concat_arrays([names, names])})
    path = tmp_path / "texts.parquet"
    pq.write_table(pa.concat_tables([group] * 40), path, row_group_size=len(group))
    whole, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(pool)
    try:
        pqexplore.rewrite(path, tmp_path / "new.parquet")
    finally:
        pa.set_memory_pool(whole)
    assert pool.max_memory() < 60 << 20
