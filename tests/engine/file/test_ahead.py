"""What reading a file of a store costs: requests, bytes, round trips; ranges that are read at the same time."""

import contextlib
import functools
import io

import numpy as np
import pyarrow as pa
import pytest
from engine.file.store import Store
from engine.file.web import serving
from engine.threads import together
from made import parquet
from needs import ONE_COLUMN_METADATA

import pqexplore
from pqexplore import cli
from pqexplore.engine.errors import CorruptFileError, LimitExceededError
from pqexplore.engine.file import prefetch
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.prefetch import merged
from pqexplore.engine.file.source import Source
from pqexplore.engine.format.thrift.encode import encode

# ranges | the requests that they become
MERGED = [
    ([], []),
    ([(100, 10)], [(100, 10)]),
    ([(0, 10), (10, 10)], [(0, 20)]),
    ([(50, 10), (0, 10)], [(0, 60)]),
    ([(0, 100), (10, 5)], [(0, 100)]),
    ([(0, 10), (10 + prefetch.GAP, 10)], [(0, prefetch.GAP + 20)]),
    ([(0, 10), (11 + prefetch.GAP, 10)], [(0, 10), (11 + prefetch.GAP, 10)]),
    ([(0, prefetch.MERGED), (prefetch.MERGED, 1)], [(0, prefetch.MERGED), (prefetch.MERGED, 1)]),
    ([(0, prefetch.MERGED), (5, 9), (9, prefetch.MERGED)], [(0, prefetch.MERGED + 9)]),
]


@pytest.mark.parametrize(("ranges", "requests"), MERGED)
def test_ranges_near_each_other_become_one_request(ranges, requests):
    assert merged(ranges) == requests


def test_the_smallest_gaps_are_joined_until_too_much_is_read_between():
    gaps = [7000, 100, 7000, 50, 7000, 8000, 7000, 7000, 6000]
    starts = np.cumsum([0, *(10 + gap for gap in gaps)]).tolist()
    requests = merged([(start, 10) for start in starts])
    assert sum(length for _, length in requests) <= 100 + prefetch.SPARE
    assert [length for _, length in requests] == [21_210, 10, 10, 6020]
    far = merged([*((start, 10) for start in starts), (prefetch.SHARE * 60_000, 10)])
    assert len(far) == 2  # little of so many bytes is read in vain


FAR = [(place * 20_000, 100) for place in range(50)]


def test_expected_ranges_are_read_at_the_same_time_and_once():
    store = Store()
    with store.source.expecting(FAR):
        for _ in range(2):
            for start, length in FAR:
                assert bytes(store.source.read(start, length)) == store.data[start : start + length]
        assert bytes(store.source.read(40_010, 20)) == store.data[40_010:40_030]
    assert sorted(store.requests) == FAR
    assert store.source.bytes_read == sum(length for _, length in FAR)
    assert store.source.reads == len(FAR)
    assert 1 < store.most <= prefetch.AT_ONCE
    store.source.read(*FAR[0])
    assert len(store.requests) == len(FAR) + 1  # outside the `with` nothing is kept


def test_what_was_not_expected_is_read_as_ever():
    store = Store()
    with store.source.expecting(FAR):
        assert bytes(store.source.read(10_000, 7)) == store.data[10_000:10_007]
        assert store.requests == [(10_000, 7)]
        assert bytes(store.source.read(0, 101)) == store.data[:101]  # longer than what came
        assert (0, 101) in store.requests


def test_ranges_outside_the_file_are_left_out():
    store = Store(1000, seconds=0)
    with store.source.expecting([(-5, 10), (0, 10), (990, 50), (1000, 5), (1 << 60, 5), (5, -1)]):
        store.source.read(0, 10)
    assert store.requests == [(0, 1000)]


def test_one_batch_is_in_memory(monkeypatch):
    monkeypatch.setattr(prefetch, "BATCH_RANGES", 4)
    store = Store(seconds=0)
    with store.source.expecting(FAR):
        store.source.read(*FAR[0])
        assert sorted(store.requests) == FAR[:4]
        store.source.read(*FAR[4])
        assert sorted(store.requests) == FAR[:8]
        store.source.read(*FAR[0])  # was there before: one request, not a batch
        assert len(store.requests) == 9
    monkeypatch.setattr(prefetch, "BATCH_BYTES", 3 * (100 + prefetch.GAP))
    store = Store(seconds=0)
    with store.source.expecting(FAR):
        store.source.read(*FAR[0])
    assert sorted(store.requests) == FAR[:3]


def test_an_error_of_one_range_is_raised_with_its_offset():
    store, many = Store(8 << 20, fails={60_000}), [(place * 20_000, 9) for place in range(400)]
    with store.source.expecting(many), pytest.raises(CorruptFileError, match="changed") as raised:
        store.source.read(0, 9)
    assert raised.value.offset == 60_000
    assert len(store.requests) < len(many)  # the others are given up


def test_many_threads_share_what_is_read_ahead():
    store, wrong = Store(), []

    def work(number):
        for start, length in FAR[number:] + FAR[:number]:
            if bytes(store.source.read(start, length)) != store.data[start : start + length]:
                wrong.append(start)

    with store.source.expecting(FAR):
        assert together(*(functools.partial(work, n) for n in range(8))) == []
    assert not wrong
    assert len(store.requests) <= 2 * len(FAR)


def test_a_layout_that_is_cancelled_stops_after_a_batch(monkeypatch):
    monkeypatch.setattr(prefetch, "BATCH_RANGES", 4)
    rows = 400_000
    table = pa.table({"a": np.random.default_rng(1).random(rows)})
    options = {"use_dictionary": False, "compression": "none", "write_page_index": True}
    data, asked = parquet(table, row_group_size=20_000, **options), []

    def fetch(start, length):
        asked.append(start)
        if len(asked) > 8:
            file.budget.cancel()
        return data[start : start + length]

    file = ParquetFile(Source("store", len(data), fetch, local=False))
    with pytest.raises(LimitExceededError, match="cancelled"):
        file.layout()
    assert len(asked) <= 8 + 4 + 1


def test_a_local_file_is_not_read_ahead():
    source = Source("file", 1 << 20, lambda start, length: bytes(length), local=True)
    with source.expecting(FAR):
        source.keep_head()
        source.read(0, 100)
    assert list(source.ranges) == [(0, 100)]


# Budgets of a file of 100 MB: 10 row groups of 4 columns.


@pytest.fixture(scope="module")
def large():
    rows = 400_000
    values = np.arange(rows * 16, dtype=np.float32).tobytes()
    column = pa.FixedSizeBinaryArray.from_buffers(pa.binary(64), rows, [None, pa.py_buffer(values)])
    options = {"use_dictionary": False, "compression": "none", "write_page_index": True}
    data = parquet(pa.table([column] * 4, list("abcd")), row_group_size=rows // 10, **options)
    assert len(data) > 100_000_000
    with serving(data) as server:
        yield server


@pytest.fixture
def remote(large):
    file = pqexplore.open(large.url("ranges/x.parquet"))
    large.seen.clear()
    large.sent = 0
    return file


@ONE_COLUMN_METADATA
def test_the_summary_of_100_mb_costs_two_requests(large):
    large.seen.clear()
    large.sent = 0
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert cli.main([large.url("ranges/x.parquet")]) == 0
    assert "400,000 rows" in out.getvalue()
    assert "lacks  page checksums" in out.getvalue()
    assert len(large.seen) <= 2 and large.sent <= 128_000


def test_all_pages_of_a_chunk_cost_their_headers(large, remote):
    chunk, before = remote.row_groups[3].columns[2], remote.bytes_read
    pages = list(chunk.pages)
    assert len(pages) >= 2
    assert remote.bytes_read - before <= len(pages) * 128  # the offset index came with the footer
    assert large.sent <= len(pages) * 256  # each range has a header in the answer
    assert len(large.seen) == 1
    local = pqexplore.open(large.data).row_groups[3].columns[2].pages
    assert [page.header for page in pages] == [page.header for page in local]
    assert [page.span for page in chunk.pages[1:]] == [page.span for page in local[1:]]
    assert len(large.seen) == 1


def test_the_layout_costs_a_hundredth_of_the_file(large, remote):
    made = remote.layout()
    assert large.sent <= len(large.data) / 1000
    assert len(large.seen) <= 2
    assert made.equals(pqexplore.open(large.data).layout())
    assert not remote.findings


def test_chunks_of_one_page_cost_their_headers():
    rows = 200_000
    table = pa.table({name: np.random.default_rng(5).random(rows) for name in "ab"})
    options = {"use_dictionary": False, "compression": "none", "write_page_index": True}
    data = parquet(table, row_group_size=10_000, **options)
    with serving(data) as server, pqexplore.open(server.url("ranges/x")) as file:
        before = file.bytes_read
        assert file.layout().equals(pqexplore.open(data).layout())
        assert file.bytes_read - before <= 128 * 2 * rows // 10_000


def test_small_pages_between_large_ones_do_not_make_the_layout_expensive():
    rng, rows = np.random.default_rng(7), 1_000_000
    table = pa.table({"few": rng.integers(0, 2, rows), "large": rng.random(rows)})
    options = {"use_dictionary": ["few"], "compression": "none", "write_page_index": True}
    data = parquet(table, **options)
    store = Store(data)
    file = store.open()
    store.requests.clear()
    assert file.layout().equals(pqexplore.open(data).layout())
    assert sum(length for _, length in store.requests) <= len(data) / 100


def test_a_file_that_changes_meanwhile_is_noticed(large, remote):
    large.tag = '"2"'
    try:
        assert remote.layout()["kind"].to_pylist().count("page_header") == 0
        assert {one.rule for one in remote.findings} == {"unreadable"}
        assert all("changed while it was open" in one.message for one in remote.findings)
    finally:
        large.tag = '"1"'


def test_pages_are_where_their_headers_say_if_the_offset_index_is_wrong():
    table = pa.table({"a": np.arange(40_000), "b": np.arange(40_000) * 7})
    options = {"use_dictionary": False, "compression": "none", "write_page_index": True}
    data = bytearray(parquet(table, data_page_size=30_000, **options))
    with pqexplore.open(bytes(data)) as file:
        chunk = file.row_groups[0].columns[0]
        start, index = chunk.struct.offset_index_offset, chunk.offset_index
        assert len(chunk.pages) > 5
    one, other = index.page_locations[2:4]
    one.compressed_page_size += 1
    other.offset += 1
    other.compressed_page_size -= 1
    wrong = encode(index)
    data[start : start + len(wrong)] = wrong
    with (
        pqexplore.open(bytes(data)) as local,
        serving(bytes(data)) as server,
        pqexplore.open(server.url("ranges/x")) as file,
    ):
        assert file.row_groups[0].columns[0].expected_headers[3][0] == other.offset
        assert file.layout().equals(local.layout())
        assert [one.rule for one in file.findings] == ["offset-index-disagrees"]
        assert file.findings == local.findings
