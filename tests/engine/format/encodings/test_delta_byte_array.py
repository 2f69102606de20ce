"""DELTA_BYTE_ARRAY: bytes in, byte arrays out."""

import pyarrow as pa
import pytest

from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UnsupportedFeatureError
from pqexplore.engine.format.encodings import delta_binary_packed, delta_byte_array
from pqexplore.engine.limits import Limits

INT32, BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY = 1, 6, 7

WORDS = [b"axis", b"axle", b"babble", b"babyhood"]


def stream_of(prefixes: list[int], suffixes: list[int], data: bytes) -> bytes:
    parts = [delta_binary_packed.encode(pa.array(part, pa.int32())) for part in (prefixes, suffixes)]
    return b"".join((*parts, data))


def test_the_specifications_example():
    stream = stream_of([0, 2, 0, 3], [4, 2, 6, 5], b"axislebabbleyhood")
    assert delta_byte_array.encode(pa.array(WORDS)) == stream
    decoded = delta_byte_array.decode(stream, 4, BYTE_ARRAY)
    assert decoded.type == pa.binary()
    assert decoded.to_pylist() == WORDS


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([], id="none"),
        pytest.param([b"", b"", b""], id="empty ones"),
        pytest.param([b"a"] * 50, id="all equal: suffixes are empty"),
        pytest.param([b"ab", b"cd", b""], id="no prefixes: nothing is copied"),
        pytest.param([b"x" * n for n in range(200)], id="prefixes longer than one copy of 64"),
        pytest.param([b"y" * n for n in (0, 60, 61, 64, 65, 256, 257)], id="suffixes about 60"),
        pytest.param([b"z" * 65535, b"z" * 65536, b"z" * 65537 + b"q", b"a" * 70000, b"a" * 3, b"abc"],
            id="longer than two bytes can say"),
        pytest.param([b"a" * 100, b"a" * 40, b"a" * 40 + b"b" * 70, b"a" * 41], id="shrinking"),
    ],
)  # fmt: skip
def test_encode_and_decode(values):
    array = pa.array(values, pa.binary())
    decoded = delta_byte_array.decode(delta_byte_array.encode(array), len(values), BYTE_ARRAY)
    assert decoded.equals(array)


def test_fixed_length():
    array = pa.array([b"aab", b"aac", b"bac"], pa.binary(3))
    stream = delta_byte_array.encode(array)
    assert stream == stream_of([0, 2, 0], [3, 1, 3], b"aabcbac")
    assert delta_byte_array.decode(stream, 3, FIXED_LEN_BYTE_ARRAY, 3).equals(array)
    assert delta_byte_array.decode(b"", 0, FIXED_LEN_BYTE_ARRAY, 3).type == pa.binary(3)
    with pytest.raises(CorruptFileError, match="value 0 has 3 bytes, the column's type_length is 4"):
        delta_byte_array.decode(stream, 3, FIXED_LEN_BYTE_ARRAY, 4)


def test_fixed_length_of_nothing():
    array = pa.array([b"", b""], pa.binary(0))
    stream = delta_byte_array.encode(array)
    assert delta_byte_array.decode(stream, 2, FIXED_LEN_BYTE_ARRAY, 0).equals(array)


BAD = [
    (stream_of([1], [1], b"a"), 1, "value 0 repeats 1 bytes of the value before it, which has 0"),
    (stream_of([0, 3], [2, 0], b"ab"), 2, "value 1 repeats 3 bytes of .* which has 2"),
    (stream_of([0, -1], [2, 1], b"abc"), 2, "value 1 repeats -1 bytes"),
    (stream_of([0, 1], [2, -1], b"ab"), 2, "value 1 has the negative length -1"),
    (stream_of([0, 1], [2, 1], b"ab"), 2, "come to 3 bytes, but only 2 follow"),
    (stream_of([0], [1, 1], b"ab"), 2, "counts 1 values, the page has 2"),
    (stream_of([0, 0], [1], b"a"), 2, "counts 1 values, the page has 2"),
    (b"", 2, "end inside the block size"),
]


@pytest.mark.parametrize(("stream", "count", "message"), BAD)
def test_damage_is_named(stream, count, message):
    with pytest.raises(CorruptFileError, match=message):
        delta_byte_array.decode(stream, count, BYTE_ARRAY)
    with pytest.raises(CorruptFileError, match=message):
        list(delta_byte_array.scan(stream, count, BYTE_ARRAY).trace())


def test_values_that_repeat_themselves_into_the_limit():
    # 100,000 values of 100,000 bytes in a page of 100 KB: 10 GB.
    count = 100_000
    stream = stream_of([0] + [count] * (count - 1), [count] + [0] * (count - 1), bytes(count))
    assert len(stream) < 120_000
    with pytest.raises(LimitExceededError, match=r"page_bytes=10000000000"):
        delta_byte_array.decode(stream, count, BYTE_ARRAY)
    with pytest.raises(LimitExceededError, match="page_bytes"):
        delta_byte_array.decode(delta_byte_array.encode(pa.array(WORDS)), 4, BYTE_ARRAY, limits=Limits(page_bytes=20))


@pytest.mark.parametrize("size", [60, 61, 64, 65, (1 << 16) - 1, 1 << 16, (1 << 16) + 1, 200_000])
def test_values_longer_than_a_snappy_offset(size):
    """Prefixes and suffixes around the sizes where copies and literals take more bytes in a Snappy block."""
    one = bytes(range(256)) * (size // 256 + 1)
    values = [one[:size], one[:size] + b"end", one[:7], one[:7] + one[:size], b"", one[:size], b"x"]
    stream = delta_byte_array.encode(pa.array(values))
    assert delta_byte_array.decode(stream, len(values), BYTE_ARRAY).to_pylist() == values
    assert delta_byte_array.reference(stream, len(values), BYTE_ARRAY) == values


def test_other_types_are_not_supported():
    with pytest.raises(UnsupportedFeatureError):
        delta_byte_array.decode(b"", 0, INT32)


def test_trace():
    stream = delta_byte_array.encode(pa.array(WORDS))
    prefixes, suffixes, *values = delta_byte_array.scan(stream, 4, BYTE_ARRAY).trace()
    assert (prefixes.kind, suffixes.kind) == ("prefix lengths", "suffix lengths")
    assert (prefixes.start, prefixes.end) == (0, suffixes.start)
    assert [step.facts for step in values] == [
        {"prefix_length": prefix, "suffix_length": suffix} for prefix, suffix in [(0, 4), (2, 2), (0, 6), (3, 5)]
    ]
    spans = [stream[step.start : step.end] for step in values]
    assert spans == [b"axis", b"le", b"babble", b"yhood"]
    assert values[-1].end == len(stream)


def test_trace_from_a_value_on():
    stream = delta_byte_array.encode(pa.array(WORDS))
    _, _, *values = delta_byte_array.scan(stream, 4, BYTE_ARRAY).trace(first=2)
    assert [step.first for step in values] == [2, 3]
    assert [stream[step.start : step.end] for step in values] == [b"babble", b"yhood"]
    assert [step.values[0].as_py() for step in values] == WORDS[2:]
