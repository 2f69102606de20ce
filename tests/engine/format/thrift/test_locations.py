"""Offset indexes in, places of pages out: the same as through the structs, or nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.file import chunk_indexes
from pqexplore.engine.format.thrift import fast
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import OffsetIndex, PageLocation


def stored(places, **others):
    return encode(
        OffsetIndex(
            page_locations=[PageLocation(offset=o, compressed_page_size=s, first_row_index=f) for o, s, f in places],
            **others,
        )
    )


REGULAR = [(4 + 1000 * i, 1000, 77 * i) for i in range(200)]


def test_bytes_after_the_page_locations_are_ignored():
    raw = stored(REGULAR, unencoded_byte_array_data_bytes=[5] * 200)
    assert chunk_indexes.scan(raw)[0].tolist() == [place[0] for place in REGULAR]
    assert chunk_indexes.scan(memoryview(raw))[1].tolist() == [1000] * 200


numbers = st.one_of(st.integers(-(2**54), 2**54), st.integers(-200, 200))
sizes = st.one_of(st.integers(-(2**31), 2**31 - 1), st.integers(0, 300))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(numbers, sizes, numbers), min_size=100, max_size=130))
def test_any_numbers(places):
    offsets, sizes = chunk_indexes.scan(stored(places))
    assert list(zip(offsets.tolist(), sizes.tolist(), strict=True)) == [p[:2] for p in places]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damage_is_left_alone_or_read_as_the_c_reader_reads_it(data):
    raw = bytearray(stored(REGULAR))
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    found = chunk_indexes.scan(bytes(raw))
    if found is None:
        return
    try:
        places = fast.decode(OffsetIndex, bytes(raw))[0].page_locations
    except CorruptFileError as error:  # what comes after the places is not looked at
        assert error.offset is not None and error.offset >= len(raw) - 1
        return
    assert np.array_equal(found[0], [place.offset for place in places])


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        stored([(4, 10, 0)]),
        stored([(1 << 62, 10, 0)] * 100),  # more bytes than a word has
        stored(REGULAR)[:900],
        b"\x19\xfc" + b"\xff" * 1000,
        b"\x19\xfc\x64" + bytes(1000),
    ],
)
def test_irregular_page_locations_give_none(raw):
    assert chunk_indexes.scan(raw) is None
