"""DELTA_BINARY_PACKED: bytes in, integers out; the specification's examples first."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.format.encodings import delta_binary_packed, delta_stream

INT32, INT64, DOUBLE = 1, 2, 5

EXAMPLES = [
    # 8 values a block, 1 miniblock, 5 values, first 1; min delta 1, bit width 0, no packed bytes
    pytest.param("08 01 05 02  02 00", [1, 2, 3, 4, 5], id="specification, example 1"),
    # first 7; min delta -2, bit width 2, 0 0 0 3 3 3 3 and one of padding
    pytest.param("08 01 08 0e  03 02 c0 3f", [7, 5, 3, 1, 2, 3, 4, 5], id="specification, example 2"),
    pytest.param("08 01 08 0e  03 02 c0 ff", [7, 5, 3, 1, 2, 3, 4, 5], id="padding of ones"),
    pytest.param("80 01 04 00 00", [], id="no values, but a header"),
    pytest.param("", [], id="no values and no bytes"),
    pytest.param("80 01 04 01 13", [-10], id="one value: no block"),
    # the widths of the three unneeded miniblocks are garbage, and they have no bytes
    pytest.param("80 01 04 03 00  00 01 ff 63 41  02 00 00 00", [0, 0, 1],
        id="unneeded miniblocks with arbitrary widths"),
    pytest.param("08 01 02 02  02 00 de ad be ef", [1, 2], id="bytes behind the stream"),
]  # fmt: skip


@pytest.mark.parametrize("physical_type", [INT32, INT64])
@pytest.mark.parametrize(("stream", "values"), EXAMPLES)
def test_decode(stream, values, physical_type):
    decoded = delta_binary_packed.decode(bytes.fromhex(stream), len(values), physical_type)
    assert decoded.type == (pa.int32() if physical_type == INT32 else pa.int64())
    assert decoded.to_pylist() == values


def test_differences_wrap_around_at_the_width_of_the_type():
    # From the greatest to the smallest is a step of +1 in two's complement.
    int64 = "08 01 02 fe ff ff ff ff ff ff ff ff 01  02 00"
    assert delta_binary_packed.decode(bytes.fromhex(int64), 2, INT64).to_pylist() == [2**63 - 1, -(2**63)]
    int32 = "08 01 02 fe ff ff ff 0f  02 00"
    assert delta_binary_packed.decode(bytes.fromhex(int32), 2, INT32).to_pylist() == [2**31 - 1, -(2**31)]


def test_a_min_delta_of_ten_bytes():
    # zigzag of -2^63
    stream = "08 01 02 00  ff ff ff ff ff ff ff ff ff 01 00"
    assert delta_binary_packed.decode(bytes.fromhex(stream), 2, INT64).to_pylist() == [0, -(2**63)]


def test_a_stream_among_others_ends_where_the_next_thing_begins():
    stream = b"before" + bytes.fromhex("08 01 08 0e 03 02 c0 3f") + b"after"
    blocks = delta_binary_packed.Blocks(stream, delta_stream.find_blocks(stream, 6, 8, 64), 64)
    assert blocks.integers.tolist() == [7, 5, 3, 1, 2, 3, 4, 5]
    assert stream[blocks.end :] == b"after"


BAD = [
    ("", 1, INT64, "end inside the block size", 0),
    ("80", 1, INT64, "end inside the block size", 1),
    ("80 80 80 80 80 80 80 80 80 80 80", 1, INT64, "more than 10 bytes", 10),
    ("80 01 04 05", 5, INT64, "end inside the first value", 4),
    ("00 01 05 02 02 00", 5, INT64, "a block of 0 values", 0),
    ("80 80 80 80 10 01 05 02 02 00", 5, INT64, "a block of 4,294,967,296 values", 0),
    ("80 01 00 05 02", 5, INT64, "0 miniblocks", 0),
    ("80 01 03 05 02", 5, INT64, "3 miniblocks in a block of 128", 0),
    ("80 01 20 05 02", 5, INT64, "32 miniblocks in a block of 128", 0),
    ("08 01 05 02 02 00", 4, INT64, "counts 5 values, the page has 4", 0),
    ("08 01 05 02 02 00", 6, INT64, "counts 5 values, the page has 6", 0),
    ("08 01 05 02", 5, INT64, "end inside its min delta", 4),
    ("08 01 05 02 80", 5, INT64, "end inside its min delta", 4),
    ("08 01 05 02" + "80" * 11 + "00", 5, INT64, "more than 10 bytes", 4),
    ("08 01 05 02 02", 5, INT64, "it ends at byte 6, but there are only 5", 4),
    ("08 01 08 0e 03 02 c0", 8, INT64, "it ends at byte 8, but there are only 7", 4),
    ("08 01 05 02 02 41" + "00" * 65, 5, INT64, "a bit width of 65 for integers of 64", 4),
    ("08 01 05 02 02 21" + "00" * 33, 5, INT32, "a bit width of 33 for integers of 32", 4),
    # The second of two blocks is damaged.
    ("08 01 0a 02 02 00 02 41" + "00" * 65, 10, INT64, "block 1: a bit width of 65", 6),
]


@pytest.mark.parametrize(("stream", "count", "physical_type", "message", "offset"), BAD)
def test_damage_is_named_and_placed(stream, count, physical_type, message, offset):
    with pytest.raises(CorruptFileError, match=message) as error:
        delta_binary_packed.decode(bytes.fromhex(stream), count, physical_type)
    assert error.value.offset == offset


def test_a_count_that_the_bytes_cannot_hold_is_refused_before_anything_is_allocated():
    stream = bytes.fromhex("80 01 04") + b"\xff" * 8 + b"\x01\x00"
    with pytest.raises(CorruptFileError, match="end inside its min delta"):
        delta_binary_packed.decode(stream, (1 << 57) - 1, INT64)


def test_other_types_are_not_supported():
    with pytest.raises(UnsupportedFeatureError):
        delta_binary_packed.decode(b"", 0, DOUBLE)


def test_trace_shows_blocks_and_miniblocks():
    values = pa.array([*range(0, 64, 2), *range(100, 400, 3), 7], pa.int64())
    stream = delta_binary_packed.encode(values)
    header, first, block, last = delta_binary_packed.scan(stream, len(values), INT64).trace()
    assert header.facts == {"block_size": 128, "miniblocks": 4, "miniblock_size": 32, "total_count": 133}
    assert (header.start, header.end, header.count) == (0, 5, 0)
    assert (first.start, first.end, first.values.tolist()) == (5, 6, [0])
    assert (block.first, block.count, block.start) == (1, 128, 6)
    assert block.facts["min_delta"] == 2
    assert [part.kind for part in block.parts] == ["min delta", "bit widths", *["miniblock"] * 4]
    assert [part.facts["bit_width"] for part in block.parts[2:]] == block.facts["bit_widths"]
    assert [part.end for part in block.parts] == [*[part.start for part in block.parts[1:]], block.end]
    assert (last.first, last.count, last.end) == (129, 4, len(stream))
    assert last.values.tolist() == [391, 394, 397, 7]
    assert [part.facts.get("padding") for part in last.parts] == [None, None, 28]


def test_trace_yields_what_lies_before_the_damage():
    # Three blocks of eight; the third is cut off.
    values = pa.array(range(0, 25, 1), pa.int64())
    stream = delta_binary_packed.encode(values, block_size=8, miniblocks=1)[:-1]
    steps = delta_binary_packed.scan(stream, 25, INT64).trace()
    met = [next(steps) for _ in range(4)]
    assert [step.kind for step in met] == ["header", "first value", "block", "block"]
    with pytest.raises(CorruptFileError, match="block 2"):
        next(steps)


def test_trace_from_a_value_on_begins_with_its_block():
    values = pa.array(range(0, 50, 2), pa.int64())
    stream = delta_binary_packed.encode(values, block_size=8, miniblocks=1)
    for first, blocks in [(0, 3), (8, 3), (9, 2), (16, 2), (17, 1), (24, 1)]:
        header, start, *some = delta_binary_packed.scan(stream, 25, INT64).trace(first=first)
        assert (header.kind, start.kind) == ("header", "first value")
        assert [step.label[:7] for step in some] == [f"block {n}" for n in range(3 - blocks, 3)]
        found = np.concatenate([step.values for step in some])
        assert found.tolist() == values.to_pylist()[-8 * blocks :]


@st.composite
def integers(draw):
    """Values whose differences change their width along the way, as arrays of either type."""
    bits = draw(st.sampled_from([32, 64]))
    runs = draw(st.lists(st.tuples(st.integers(0, bits - 1), st.integers(1, 300), st.integers(0, 2**32)), max_size=6))
    pieces = [
        np.random.default_rng(seed).integers(-(2**width) // 2, 2**width // 2 + 1, count) for width, count, seed in runs
    ]
    joined = np.concatenate(pieces) if pieces else np.zeros(0, np.int64)
    return joined.astype(f"i{bits // 8}")


LAYOUTS = st.sampled_from([(128, 4), (128, 1), (256, 4), (2048, 8), (8, 1), (64, 8)])


@settings(max_examples=60, deadline=None)
@given(values=integers(), layout=LAYOUTS)
def test_encode_decode_and_trace_agree(values, layout):
    physical_type = INT32 if values.dtype == np.int32 else INT64
    array = pa.array(values)
    stream = delta_binary_packed.encode(array, *layout)
    assert delta_binary_packed.decode(stream, len(values), physical_type).equals(array)
    steps = list(delta_binary_packed.scan(memoryview(stream), len(values), physical_type).trace())
    yielded = [step.values for step in steps if step.count]
    assert np.array_equal(np.concatenate([*yielded, values[:0]]), values)
    # The steps tile the stream.
    assert [step.start for step in steps] == [0, *[step.end for step in steps[:-1]]]
    assert steps[-1].end == len(stream)


@pytest.mark.parametrize("layout", [(128, 4), (2048, 1), (96, 4)])
@pytest.mark.parametrize("dtype", ["i4", "i8"])
@pytest.mark.parametrize("widths", [[4], [3, 7], [9, 15, 16], [17, 30], [31], [20, 40, 57], [5, 62]])
def test_more_deltas_than_are_summed_at_a_time(widths, dtype, layout):
    # How many deltas are cut out of a word depends on the widest miniblock.
    rng = np.random.default_rng(3)
    each = 2 * layout[0]
    limits = (1 << np.resize(widths, 70_000 // each).astype(object)).astype(np.uint64)
    deltas = rng.integers(0, limits.repeat(each), dtype=np.uint64)
    values = deltas.cumsum().astype(dtype)
    stream = delta_binary_packed.encode_integers(values, *layout)
    structure = delta_binary_packed.scan(stream, len(values), INT32 if dtype == "i4" else INT64)
    assert np.array_equal(structure.integers, values)
    assert structure.end == len(stream)


def test_long_streaks_of_equal_blocks_are_found_whole():
    # Longer than one batch of the search, with a break in the middle.
    values = np.arange(128 * 9000, dtype=np.int64)
    values[500_000:] += 12345
    stream = delta_binary_packed.encode_integers(values)
    structure = delta_stream.find_blocks(stream, 0, len(values), 64)
    assert len(structure.block_starts) == 9000
    assert structure.end == len(stream)
    assert np.array_equal(delta_binary_packed.decode(stream, len(values), INT64).to_numpy(), values)
