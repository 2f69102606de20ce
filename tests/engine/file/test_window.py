"""How much of a store is read for page headers that no index lists, and how many chunks at the same time."""

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
from engine.file.store import Store
from engine.threads import together
from made import parquet

import pqexplore
from pqexplore.engine.errors import LimitExceededError, UsageError
from pqexplore.engine.file.chunk_indexes import read_ahead
from pqexplore.engine.file.chunk_walks import WALKS_AT_ONCE, walk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.source import Source
from pqexplore.engine.file.window import HEADER_GUESS, LONG_HEADER, REMOTE_WINDOW, Window

KB, MB = 1 << 10, 1 << 20

# pages of a chunk | their average by the footer, 0 if unknown | requests | bytes, at most
WALKS = [
    ([20 * KB] * 800, 0, 7, 16 * MB),
    ([20 * KB] * 800, 20 * KB, 4, 16 * MB),
    ([20 * KB] * 5, 20 * KB, 1, 100 * KB),
    ([MB] * 16, 0, 16, REMOTE_WINDOW + 15 * LONG_HEADER),
    ([MB] * 16, MB, 16, 16 * LONG_HEADER),
    ([MB, *[20 * KB] * 800], 20 * KB, 5, 17 * MB),
    ([MB, *[20 * KB] * 800], 0, 10, 17 * MB),  # a dictionary page, then small pages
    ([*[20 * KB] * 50, *[MB] * 10], 0, 14, 4 * MB),
    ([*[20 * KB] * 400, *[MB] * 40], 0, 50, 17 * MB),
    ([MB] * 16, KB, 14, 5 * MB),  # the footer is wrong
    ([KB] * 4000, MB, 7, 4 * MB),
]


@pytest.mark.parametrize(("pages", "average", "requests", "most"), WALKS)
def test_blocks_grow_where_pages_are_small(pages, average, requests, most):
    size = sum(pages)
    source = Source("store", 2 * size, lambda start, length: bytes(length), local=False)
    window = Window(source, 0, size, 2 * size, page=average)
    for offset in np.cumsum([0, *pages[:-1]]).tolist():
        assert len(window.at(offset, HEADER_GUESS)) == HEADER_GUESS
    assert source.reads <= requests
    assert source.bytes_read <= most
    assert all(start + length <= size for start, length in source.ranges)  # not the next chunk


def test_a_local_file_is_read_by_headers():
    source = Source("file", MB, lambda start, length: bytes(length), local=True)
    window = Window(source, 0, MB, MB, page=MB)
    for offset in range(0, MB, 100 * KB):
        window.at(offset, HEADER_GUESS)
    assert {length for _, length in source.ranges} == {HEADER_GUESS}


@pytest.fixture(scope="module")
def data():
    """24 chunks of 640 kB, without a page index."""
    rng, rows = np.random.default_rng(2), 640_000
    options = {"use_dictionary": False, "compression": "none"}
    table = pa.table({name: rng.random(rows) for name in "abc"})
    return parquet(table, row_group_size=rows // 8, data_page_size=20_000, **options)


def test_several_chunks_are_walked_at_the_same_time(data):
    store = Store(data)
    made = store.open().layout()
    assert made.equals(pqexplore.open(data).layout())
    assert 1 < store.most <= WALKS_AT_ONCE
    assert len(store.requests) <= 24 + 2  # one for each chunk; before, three


def test_a_chunk_that_is_damaged_does_not_stop_the_others(data):
    broken = bytearray(data)
    for number in (3, 11):
        chunk = pqexplore.open(data).row_groups[number // 3].columns[number % 3]
        broken[chunk.pages[2].span.start : chunk.pages[2].span.start + 20] = b"\xff" * 20
    store, local = Store(bytes(broken)), pqexplore.open(bytes(broken))
    file = store.open()
    assert file.layout().equals(local.layout())
    assert len(file.findings) == 2
    assert file.findings == local.findings


def test_walks_that_nobody_waits_for_stop(data):
    store = Store(data, seconds=0.05)
    file = store.open()
    chunks = read_ahead(file, file.chunks())
    first = next(chunks)
    chunks.close()
    asked = len(store.requests)
    assert asked < 24
    time.sleep(0.2)
    assert len(store.requests) <= asked + WALKS_AT_ONCE
    assert len(first.frames.frames) == len(pqexplore.open(data).row_groups[0].columns[0].frames.frames)


def test_a_layout_that_is_cancelled_stops(data):
    store = Store(data)
    file = store.open()
    fetch = store.fetch

    def cancelling(start, length):
        if len(store.requests) > 6:
            file.budget.cancel()
        return fetch(start, length)

    file = ParquetFile(Source("store", len(data), cancelling, local=False))
    with pytest.raises(LimitExceededError, match="cancelled"):
        file.layout()
    assert len(store.requests) < 24


def test_an_error_of_the_store_is_raised(data):
    def failing(start, length):
        if start > len(data) // 2 and start + length < len(data) - 10_000:
            raise OSError("gone")
        return data[start : start + length]

    file = ParquetFile(Source("store", len(data), failing, local=False))
    with pytest.raises(OSError, match="gone"), contextlib.suppress(LimitExceededError):
        file.layout()


def test_a_walk_that_was_dropped_before_it_began_is_made_by_who_needs_it(data):
    chunk = Store(data).open().row_groups[0].columns[0]
    busy, pool = threading.Event(), ThreadPoolExecutor(1)
    pool.submit(busy.wait)
    chunk.coming = pool.submit(walk, chunk)
    pool.shutdown(wait=False, cancel_futures=True)
    assert together(lambda: chunk.frames, seconds=5) == []
    assert chunk.walked is not None
    busy.set()


def test_a_walk_that_another_thread_makes_stops_when_it_is_cancelled():
    values = pa.array([bytes(400)] * 30_000)
    options = {"use_dictionary": False, "compression": "none", "write_batch_size": 1000}
    made = parquet(pa.table({"a": values, "b": values}), data_page_size=1 << 20, **options)
    store = Store(made, seconds=0.05)
    file = store.open()
    opened = len(store.requests)

    def cancel():
        while len(store.requests) < opened + 4:
            time.sleep(0.001)
        file.budget.cancel()

    (error,) = together(file.layout, cancel)
    assert isinstance(error, LimitExceededError) and "cancelled" in str(error)
    assert len(store.requests) - opened < 12
    complete = Store(made)
    complete.open().layout()
    assert len(complete.requests) > 20


def test_threads_that_walk_the_same_chunks_end(data):
    expected = pqexplore.open(data).layout()
    pages = [len(chunk.pages) for chunk in pqexplore.open(data).chunks()]
    store = Store(data, seconds=0.001)
    file = store.open()

    def layout():
        assert file.layout().equals(expected)

    def walks():
        assert [len(chunk.frames.frames) for chunk in file.chunks()] == pages

    def some():
        chunks = read_ahead(file, file.chunks())
        for _ in range(5):
            next(chunks)
        chunks.close()

    assert together(*[layout, walks, some] * 4) == []


def test_a_file_that_is_closed_while_it_is_walked_ends(data):
    store = Store(data)
    file = store.open()

    def close():
        while len(store.requests) < 6:
            time.sleep(0.001)
        file.close()

    (error,) = together(file.layout, close)
    assert isinstance(error, UsageError) and "closed" in str(error)
