"""Values as indexes into a dictionary."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError, LimitExceededError
from pqexplore.engine.format.encodings import dictionary
from pqexplore.engine.limits import Limits

# bytes (bit width, runs) | ids
PAGES = [
    ("03 03 88c6fa", [0, 1, 2, 3, 4, 5, 6, 7]),
    ("01 06 01", [1, 1, 1]),
    ("00 06", [0, 0, 0]),
    ("00", [0, 0, 0]),
    ("20 06 01000000", [1, 1, 1]),
    ("05", []),
    ("", []),
    ("63", []),
]


@pytest.mark.parametrize(("page", "ids"), PAGES)
def test_ids(page, ids):
    data = bytes.fromhex(page)
    assert dictionary.decode_ids(data, len(ids), 8).tolist() == ids
    steps = [step.values for step in dictionary.scan(data, len(ids)).trace() if step.count]
    assert [i for values in steps for i in values.tolist()] == ids


# bytes | values | entries | message | offset
DAMAGED = [
    ("", 1, 8, "no bytes", 0),
    ("21 06 0000000000", 1, 8, "is 33, at most 32", 0),
    ("03 06 01", 4, 8, "3 values of 3 bits, expected 4", 3),
    ("03 06 08", 3, 8, "value 8, which does not fit", 2),
    ("03 06", 3, 8, "ends inside an RLE run", 1),
    ("03 03 88c6fa", 8, 7, "value 7 is the dictionary id 7, but the dictionary has 7", None),
    ("03 06 01 06 05", 6, 5, "value 3 is the dictionary id 5", None),
    ("20 06 ffffffff", 3, 5, "value 0 is the dictionary id 4,294,967,295", None),
    ("00 06", 3, 0, "the dictionary has 0 entries", None),
    ("03 06 01", -3, 8, "cannot have -3", None),
]


@pytest.mark.parametrize(("page", "count", "entries", "message", "offset"), DAMAGED)
def test_damaged_pages(page, count, entries, message, offset):
    data = bytes.fromhex(page)
    values = pa.array(range(entries), pa.int64())
    for read in (
        lambda: dictionary.decode_ids(data, count, entries),
        lambda: list(dictionary.scan(data, count).trace_entries(values, 0)),
    ):
        with pytest.raises(CorruptFileError, match=message) as caught:
            read()
        assert caught.value.offset == offset


DICTIONARIES = [
    pa.array([True, False]),
    pa.array([1, -1], pa.int32()),
    pa.array([1, -1], pa.int64()),
    pa.array([1.5, -0.0], pa.float32()),
    pa.array([1.5, 0.0]),
    pa.array([b"a" * 12, b"b" * 12], pa.binary(12)),
    pa.array([b"", b""], pa.binary(0)),
    pa.array([b"long and short", b""], pa.binary()),
]


@pytest.mark.parametrize("entries", DICTIONARIES, ids=lambda array: str(array.type))
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_entries_of_all_types(entries, dtype):
    taken = dictionary.take(entries, np.array([1, 0, 1], dtype))
    assert taken.equals(pa.concat_arrays([entries[1:], entries[:1], entries[1:]]))
    assert dictionary.take(entries[:0], np.zeros(0, dtype)).equals(entries[:0])


def test_a_few_long_entries_many_times_meet_a_limit():
    entries = pa.array([b"", b"x" * 100_000])
    ids = np.ones(30_000, np.uint8)
    with pytest.raises(LimitExceededError, match="3,000,000,000"):
        dictionary.take(entries, ids, limits=Limits(read_bytes=1 << 30))
    few = np.zeros(30_000, np.uint8)
    few[-1] = 1
    taken = dictionary.take(entries, few, limits=Limits(read_bytes=1 << 30))
    assert taken.type == pa.binary()
    assert len(taken[-1].as_py()) == 100_000
    with pytest.raises(LimitExceededError):
        dictionary.take(pa.array([b"x" * 1000], pa.binary(1000)), few, limits=Limits(read_bytes=999))


def test_trace_shows_width_runs_and_entries():
    entries = pa.array([b"no", b"yes"])
    width, run = dictionary.scan(bytes.fromhex("01 06 01"), 3).trace_entries(entries, 0)
    assert (width.kind, width.start, width.end, width.facts) == ("bit width", 0, 1, {"bit_width": 1})
    assert (run.kind, run.start, run.end) == ("rle run", 1, 3)
    assert run.values.to_pylist() == [b"yes"] * 3
    assert run.facts["ids"].tolist() == [1, 1, 1]


@given(st.lists(st.integers(0, 40), max_size=60), st.integers(1, 12))
@settings(max_examples=100, deadline=None)
def test_build_encode_decode_and_trace_agree(some, repeat):
    values = pa.array([value for value in some for _ in range(repeat)], pa.int64())
    entries, ids = dictionary.build(values)
    assert len(entries) == len(set(some))
    page = dictionary.encode(ids)
    decoded = dictionary.decode_ids(page, len(ids), len(entries))
    assert dictionary.take(entries, decoded).equals(values)
    traced = dictionary.scan(page, len(ids)).trace_entries(entries, 0)
    steps = [step.values for step in traced if step.count]
    assert pa.concat_arrays([values[:0], *steps]).equals(values)


@pytest.mark.parametrize("entries", DICTIONARIES, ids=lambda array: str(array.type))
def test_build_keeps_the_values_of_all_types(entries):
    built, ids = dictionary.build(entries)
    assert dictionary.take(built, ids).equals(entries)


def test_build_tells_zeros_and_nans_apart_by_their_bytes():
    odd = np.array([0x8000000000000000, 0, 0x7FF8000000000001, 0x7FF8000000000000], np.uint64)
    values = pa.array(odd.view(np.float64))
    entries, ids = dictionary.build(values)
    assert ids.tolist() == [0, 1, 2, 3]
    assert entries.view(pa.uint64()).to_pylist() == odd.tolist()


@pytest.mark.parametrize("allowed", [99_999, 100_000])
def test_the_limit_of_what_is_read_holds_for_small_results_too(allowed):
    entries, ids = pa.array([b"x" * 100], pa.binary()), np.zeros(1000, np.uint8)
    if allowed < 100_000:
        with pytest.raises(LimitExceededError, match="read_bytes"):
            dictionary.take(entries, ids, limits=Limits(read_bytes=allowed))
    else:
        assert len(dictionary.take(entries, ids, limits=Limits(read_bytes=allowed))) == 1000
