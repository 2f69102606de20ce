"""The RLE/bit-packing hybrid."""

import random

import numpy as np
import pyarrow as pa
import pytest
from engine.hostile import forge
from hypothesis import given, settings
from hypothesis import strategies as st

import pqexplore
from pqexplore.engine.errors import CorruptFileError, ParquetError, UnsupportedFeatureError, UsageError
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.encodings import bits, dictionary, rle, rle_boolean, run_expansion, run_scan
from pqexplore.engine.format.encodings.packed_rows import unpack_rows
from pqexplore.engine.format.encodings.run_steps import LENGTH
from pqexplore.engine.format.encodings.run_values import histogram
from pqexplore.engine.format.varint import varint

# what it shows | bytes | bit width | values
STREAMS = [
    ("the specification's packed example", "03 88c6fa", 3, [0, 1, 2, 3, 4, 5, 6, 7]),
    ("an RLE run: 10 times 4", "14 04", 3, [4] * 10),
    ("a value of 9 bits takes two bytes", "06 2c01", 9, [300] * 3),
    ("a value of 17 bits takes three bytes", "04 010001", 17, [65537] * 2),
    ("a value of 32 bits takes four bytes", "02 ffffffff", 32, [4294967295]),
    ("a header of two bytes: 100 times 1", "c801 01", 1, [1] * 100),
    ("RLE, then packed", "10 01 03 55", 1, [1] * 8 + [1, 0] * 4),
    ("packed, then RLE", "03 55 10 01", 1, [1, 0] * 4 + [1] * 8),
    ("two groups in one run", "05 88c6fa 88c6fa", 3, [*range(8), *range(8)]),
    ("the last group is padded", "03 88c6fa", 3, [0, 1, 2]),
    ("the last group's padding is not stored", "03 88", 3, [0, 1]),
    ("an RLE run longer than needed", "feffffff0f 01", 1, [1] * 5),
    ("bytes after the runs", "06 01 ffffffff", 1, [1, 1, 1]),
    ("zeros after the runs", "06 01 0000", 1, [1, 1, 1]),
    ("width 0 has runs without bytes", "10", 0, [0] * 8),
    ("width 0 needs no runs", "", 0, [0] * 5),
    ("no values need no bytes", "", 5, []),
]


@pytest.mark.parametrize(("stream", "bit_width", "values"), [case[1:] for case in STREAMS], ids=[c[0] for c in STREAMS])
def test_streams(stream, bit_width, values):
    data = bytes.fromhex(stream)
    assert rle.decode(data, bit_width, len(values)).tolist() == values
    assert traced(rle.scan(data, bit_width, len(values)).trace()) == values
    assert rle.decode(memoryview(b"##" + data), bit_width, len(values), start=2).tolist() == values


def traced(steps):
    """The values of the steps, which must be numbered without a gap."""
    out = []
    for step in steps:
        assert step.first == len(out) or step.count == 0
        out += [] if step.values is None else step.values.tolist()
        assert step.count == (0 if step.values is None else len(step.values))
    return out


# what is wrong | bytes | bit width | wanted | message | offset
DAMAGED = [
    ("too few values", "06 01", 1, 4, "3 values of 1 bits, expected 4", 2),
    ("nothing at all", "", 1, 4, "0 values", 0),
    ("a packed run cut off", "05 88c6fa 88", 3, 16, "10 values of 3 bits, expected 16", 5),
    ("an RLE run without its value", "06", 1, 3, "ends inside an RLE run", 0),
    ("an RLE value cut in half", "06 01", 9, 3, "ends inside an RLE run", 0),
    ("a header cut off", "06 01 ff", 1, 9, "ends inside a run's header", 2),
    ("a header without an end", "06 01 ffffffffffff01", 1, 9, "header is more than 32 bits", 2),
    ("a header of 33 bits", "8080808010 01", 1, 9, "header is more than 32 bits", 0),
    ("an RLE run of length 0", "06 01 00 01 06 01", 1, 6, "no values", 2),
    ("a packed run of 0 groups", "01 01 01 01", 1, 6, "no values", 0),
    ("an RLE value wider than the width", "06 08", 3, 3, "value 8, which does not fit", 1),
    ("an RLE value wider, second byte", "06 0002", 9, 3, "value 512, which", 1),
    ("2^31 groups that are not there", "ffffffff0f", 8, 9, "0 values of 8 bits", 5),
    ("an empty run of width 0", "00", 0, 3, "no values", 0),
    ("a width over 32", "02 0000000000", 33, 1, "bit width is 0 to 32, not 33", None),
    ("fewer than no values", "02 00", 1, -1, "cannot have -1", None),
]


@pytest.mark.parametrize(
    ("stream", "bit_width", "count", "message", "offset"), [case[1:] for case in DAMAGED], ids=[c[0] for c in DAMAGED]
)
@pytest.mark.parametrize("read", [rle.decode, lambda *a: list(rle.scan(*a).trace())], ids="dt")
def test_damaged_streams(stream, bit_width, count, message, offset, read):
    with pytest.raises(CorruptFileError, match=message) as caught:
        read(bytes.fromhex(stream), bit_width, count)
    assert caught.value.offset == offset


def test_trace_gives_the_runs_before_the_damage():
    steps = rle.scan(bytes.fromhex("06 01 03 55 00 01"), 1, 100).trace()
    assert next(steps).values.tolist() == [1, 1, 1]
    assert next(steps).values.tolist() == [1, 0] * 4
    with pytest.raises(CorruptFileError):
        next(steps)


def test_trace_explains_a_run():
    repeated, packed = rle.scan(bytes.fromhex("10 05 03 88c6fa"), 3, 13).trace()
    assert (repeated.kind, repeated.start, repeated.end) == ("rle run", 0, 2)
    assert (repeated.facts["run_length"], repeated.facts["value"]) == (8, 5)
    assert [(part.kind, part.start, part.end) for part in repeated.parts] == [
        ("run header", 0, 1),
        ("repeated value", 1, 2),
    ]
    assert (packed.kind, packed.start, packed.end, packed.first) == ("bit-packed run", 2, 6, 8)
    assert packed.facts["bit_start"] == 24
    assert packed.facts["bit_end"] == 24 + 5 * 3
    assert packed.facts["padding_values"] == 3
    assert packed.parts[0].facts == {"header": 3, "groups": 1}


def test_trace_from_a_value_on_begins_with_its_run():
    data = bytes.fromhex("10 01 10 00 10 01")
    assert [step.first for step in rle.scan(data, 1, 24).trace(first=8)] == [8, 16]
    assert [step.first for step in rle.scan(data, 1, 24).trace(first=15)] == [8, 16]


def test_a_long_run_takes_no_memory_before_it_is_needed():
    (step,) = rle.scan(bytes.fromhex("feffffff0f 01"), 1, (1 << 31) - 1).trace()
    assert step.count == (1 << 31) - 1
    assert step.values.strides == (0,)


ENCODED = [
    ([], 3, ""),
    ([4] * 10, 3, "14 04"),
    ([0, 1, 2, 3, 4, 5, 6, 7], 3, "03 88c6fa"),
    ([300] * 8, 9, "10 2c01"),
    ([1, 0, 1] + [1] * 13, 1, "03 fd 10 01"),  # the packed run takes five of the ones that follow
    ([0] * 9, 0, "12"),
    ([1] * 7, 1, "03 7f"),
]


@pytest.mark.parametrize(("values", "bit_width", "stream"), ENCODED)
def test_encoded(values, bit_width, stream):
    assert rle.encode(np.array(values, np.uint32), bit_width) == bytes.fromhex(stream)


@pytest.mark.parametrize(("values", "bit_width"), [([8] * 20, 3), ([8], 3), ([-1] * 9, 3), ([0], 33)])
def test_values_that_cannot_be_encoded(values, bit_width):
    with pytest.raises(UsageError):
        rle.encode(np.array(values), bit_width)


@st.composite
def run_data(draw):
    """Values with runs of all sizes, many of equal size in a row."""
    bit_width = draw(st.sampled_from([0, 1, 2, 3, 7, 8, 9, 10, 16, 17, 24, 25, 32]))
    value = st.integers(0, (1 << bit_width) - 1)
    values = []
    for _ in range(draw(st.integers(0, 6))):
        size = draw(st.sampled_from([1, 3, 8, 10, 64, 500]))
        repeats = draw(st.sampled_from([1, 2, 5, 90]))
        some = draw(st.lists(value, min_size=1, max_size=6))
        if size < 64:
            values += [one for one in some * repeats for _ in range(size)]
        else:
            values += some[:1] * size
    return bit_width, np.array(values, np.uint32)


@given(run_data(), st.sampled_from([1, 8, 50]), st.sampled_from([b"", b"\0\0\0\0", b"\xff" * 9]))
@settings(max_examples=150, deadline=None)
def test_encode_decode_and_trace_agree(case, minimum_run, after):
    bit_width, values = case
    data = rle.encode(values, bit_width, minimum_run=minimum_run)
    assert rle.decode(data + after, bit_width, len(values)).tolist() == values.tolist()
    steps = list(rle.scan(data + after, bit_width, len(values)).trace())
    assert traced(steps) == values.tolist()
    edges = [0, *(step.end for step in steps)]
    assert edges == [*(step.start for step in steps), len(data)]


@given(run_data(), st.data())
@settings(max_examples=150, deadline=None)
def test_whatever_happens_to_the_bytes_is_a_parquet_error(case, data):
    bit_width, values = case
    stream = bytearray(rle.encode(values, bit_width))
    for _ in range(data.draw(st.integers(1, 3))):
        if stream:
            stream[data.draw(st.integers(0, len(stream) - 1))] = data.draw(st.integers(0, 255))
    del stream[data.draw(st.integers(0, len(stream))) :]
    outcomes = []
    for read in (rle.decode, lambda *a: np.array(traced(rle.scan(*a).trace()))):
        try:
            outcomes.append(read(bytes(stream), bit_width, len(values)).tolist())
        except ParquetError as error:
            outcomes.append(type(error))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0] is CorruptFileError or len(outcomes[0]) == len(values)


@pytest.mark.parametrize(
    ("stream", "values", "consumed"),
    [("02000000 06 01", [1, 1, 1], 6), ("02000000 06 01 ffff", [1, 1, 1], 6), ("00000000", [], 4), ("", [], 0)],
)
def test_a_length_in_front(stream, values, consumed):
    data = bytes.fromhex(stream)
    decoded, end = rle.decode_prefixed(data, 1, len(values))
    assert (decoded.tolist(), end) == (values, consumed)
    assert traced(rle.scan(data, 1, len(values), prefix=LENGTH).trace()) == values


@pytest.mark.parametrize(
    ("stream", "message", "offset"),
    [
        ("020000", "only 3 bytes are left", 0),
        ("03000000 06 01", "take 3 bytes, but only 2 are left", 0),
        ("ffffffff 06 01", "take 4,294,967,295 bytes", 0),
        ("01000000 06 01", "ends inside an RLE run", 4),
        ("", "only 0 bytes", 0),
    ],
)
def test_a_wrong_length_in_front(stream, message, offset):
    for read in (rle.decode_prefixed, lambda *a: list(rle.scan(*a, prefix=LENGTH).trace())):
        with pytest.raises(CorruptFileError, match=message) as caught:
            read(bytes.fromhex(stream), 1, 3)
        assert caught.value.offset == offset


def test_encode_with_a_length_in_front():
    assert rle.encode_prefixed([1] * 8, 1) == bytes.fromhex("02000000 10 01")


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 9))
@settings(max_examples=60)
def test_booleans(some, repeat):
    values = pa.array([value for value in some for _ in range(repeat)], pa.bool_())
    data = rle_boolean.encode(values)
    assert rle_boolean.decode(data, len(values), 0).equals(values)
    steps = [step.values for step in rle_boolean.scan(data, len(values), 0).trace() if step.count]
    assert pa.concat_arrays([values[:0], *steps]).equals(values)


def test_only_booleans_are_values_in_runs():
    for read in (rle_boolean.decode, lambda *a: list(rle_boolean.scan(*a).trace())):
        with pytest.raises(UnsupportedFeatureError, match=r"physical type INT32 \(1\)"):
            read(bytes.fromhex("02000000 06 01"), 3, 1)


@st.composite
def even_streams(draw):
    """(bytes, bit width, values wanted): runs of one kind, whole or with a byte or two changed.

    They have one size, but that some RLE runs are so long that their headers take several bytes.
    """
    bit_width = draw(st.integers(1, 20))
    runs, header = draw(st.integers(1, 9)), draw(st.integers(2, 127))
    size = (header >> 1) * bit_width if header & 1 else (bit_width + 7) >> 3
    count = runs * (header >> 1) * (8 if header & 1 else 1)
    raw = bytearray()
    for _ in range(runs):
        if not header & 1 and draw(st.integers(0, 3)) == 0:
            longer = draw(st.integers(64, 20_000))
            count += longer
            raw += varint(longer << 1)
        else:
            raw.append(header)
        raw += draw(st.binary(min_size=size, max_size=size))
        if not header & 1:  # most repeated values fit
            raw[-1] &= draw(st.sampled_from([255, (1 << ((bit_width - 1) % 8 + 1)) - 1]))
    for _ in range(draw(st.integers(0, 2))):
        raw[draw(st.integers(0, len(raw) - 1))] = draw(st.integers(0, 255))
    cut = draw(st.integers(0, min(3, len(raw) - 1)))
    return bytes(raw[: len(raw) - cut]), bit_width, draw(st.integers(1, count + 9))


@settings(max_examples=300, deadline=None)
@given(even_streams())
def test_the_shortcuts_change_nothing(stream):
    def decoded():
        try:
            return rle.decode(*stream).tolist()
        except CorruptFileError as error:
            return str(error)

    quickly = decoded()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_one_run", "_even_runs", "_repeats"):
            patch.setattr(run_expansion, name, lambda *arguments: None)
        assert decoded() == quickly


@pytest.mark.parametrize(
    ("shortcut", "stream", "bit_width", "values"),
    [
        ("_one_run", "0a 03", 2, [3] * 5),
        ("_even_runs", "03 88c6fa 03 88c6fa 03 88", 3, [*range(8), *range(8), 0, 1]),
        ("_repeats", "04 0501 02 0700", 9, [261, 261, 7]),
        ("_repeats", "02 01 c801 00 04 01 07", 1, [1, *[0] * 100, 1, 1]),
        ("_repeats", "c801 00 8001 01 03 ff", 1, [*[0] * 100, *[1] * 64]),
    ],
)
def test_each_shortcut_is_taken(shortcut, stream, bit_width, values):
    found = getattr(run_expansion, shortcut)(bytes.fromhex(stream), bit_width, len(values), 0)
    assert found.tolist() == values


@pytest.mark.parametrize("bit_width", [1, 12])
def test_many_repeats_of_all_lengths(bit_width):
    # More runs than are looked at together; now and then, one has a header of two bytes.
    counts = np.tile([*[3, 10, 63] * 20, 64, 500], 200)
    values = np.arange(counts.size) % (1 << bit_width)
    pieces = [varint(2 * n) + v.tobytes()[: (bit_width + 7) // 8] for n, v in zip(counts, values)]
    raw = b"".join(pieces)
    assert run_expansion._repeats(raw, bit_width, int(counts.sum()), 0) is not None
    decoded = rle.decode(raw + b"\x03", bit_width, int(counts.sum()))
    assert np.array_equal(decoded, values.repeat(counts))


# what it shows | bytes | bit width | wanted | the value
ONE_RUN = [
    ("a run", "0a 03", 2, 5, 3),
    ("a longer run", "0c 03", 2, 5, 3),
    ("a header of two bytes", "c801 01", 1, 100, 1),
    ("a value of two bytes, and more behind it", "06 2c01 ffff", 9, 3, 300),
    ("a shorter run", "08 03", 2, 5, None),
    ("a packed run", "03 ff", 1, 8, None),
    ("a value of too many bits", "0a 04", 2, 5, None),
    ("no value", "0a", 2, 5, None),
    ("no bytes", "", 2, 5, None),
    ("no values are wanted", "0a 03", 2, 0, None),
    ("a header that is none", "ffffffffff 01", 1, 2, None),
]


@pytest.mark.parametrize(
    ("stream", "bit_width", "count", "value"), [c[1:] for c in ONE_RUN], ids=[c[0] for c in ONE_RUN]
)
def test_the_value_of_one_run(stream, bit_width, count, value):
    raw = bytes.fromhex(stream)
    assert rle.repeated_value(raw, bit_width, count, prefixed=False) == value
    length = len(raw).to_bytes(4, "little")
    assert rle.repeated_value(length + raw + b"x", bit_width, count, prefixed=True) == value
    assert rle.repeated_value(b"\xff\0\0\0" + raw, bit_width, count, prefixed=True) is None
    if value is not None:
        assert set(rle.decode(raw, bit_width, count).tolist()) == {value}


@pytest.mark.parametrize(
    ("text", "bit_width", "count", "fills"),
    [
        ("14 01", 1, 10, True),
        ("14 01", 1, 9, False),  # one value is left over
        ("14 01", 1, 11, False),
        ("14 01 00", 1, 10, False),
        ("03 ff", 1, 8, True),
        ("03 ff", 1, 5, True),  # padding
        ("05 ff ff", 1, 8, False),  # a group is left over
        ("05 ff", 1, 9, False),  # cut short
        ("03 ff 04 01", 1, 10, True),
        ("00 01 14 01", 1, 10, False),  # a run without values
        ("80 02 05", 3, 128, True),
        ("80 80 80 80 80 01 00", 1, 8, False),
        ("", 1, 0, False),
    ],
)
def test_runs_that_fill_their_bytes(text, bit_width, count, fills):
    raw = bytes.fromhex(text)
    assert run_scan.fills(raw, bit_width, count, 0) is fills
    assert run_scan.fills(b"\x01\x02" + raw, bit_width, count, 2) is fills


def test_runs_that_fill_their_bytes_have_no_fault():
    rng = random.Random(1)
    filling = 0
    for _ in range(3_000):
        bit_width, count = rng.choice([0, 1, 2, 9]), rng.choice([1, 3, 8, 9, 24, 40])
        raw = bytes(rng.choice([2, 3, 4, 5, 16, 128]) for _ in range(rng.randrange(1, 7)))
        if run_scan.fills(raw, bit_width, count, 0):
            filling += 1
            found = rle.scan(raw, bit_width, count)
            assert found.error is None and found.end == len(raw)
            assert not found.leftovers(len(raw)) and not list(found.faults())
    assert filling > 50


# Runs of equal count and any widths, unpacked together, are what each run unpacked alone is.


ALL_WIDTHS = list(range(65))


@pytest.mark.parametrize(
    ("widths", "columns"),
    [
        pytest.param(ALL_WIDTHS, 8, id="each width once, short"),
        pytest.param(ALL_WIDTHS, 4096, id="each width once, long"),
        pytest.param([13] * 300, 32, id="one width"),
        pytest.param([13] * 300 + [0] * 5 + [64], 32, id="one common, two rare"),
        pytest.param([9, 10] * 200 + ALL_WIDTHS[::-1], 32, id="two common, many rare"),
        pytest.param([0, 0], 8, id="nothing packed"),
    ],
)
@pytest.mark.parametrize("gap", [0, 3])
def test_unpack_rows(widths, columns, gap):
    rng = np.random.default_rng(1)
    order = rng.permutation(len(widths))
    widths = np.array(widths)[order]
    runs = [
        rng.integers(0, 2**64, columns, np.uint64) >> np.uint64(64 - w) if w else np.zeros(columns, np.uint64)
        for w in widths.tolist()
    ]
    packed = [bits.pack(run, w) for run, w in zip(runs, widths.tolist(), strict=True)]
    octets = np.frombuffer(bytes(gap).join(packed), np.uint8)
    sizes = np.array([len(run) for run in packed])
    starts = np.cumsum(sizes + gap) - sizes - gap
    out = np.full((len(widths), columns), 99, np.uint64)
    unpack_rows(octets, starts, widths.astype(np.uint8), out)
    assert np.array_equal(out, np.array(runs))


# Values as runs are the values: counted, looked up, and cut out without expanding them.


RUNS = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 40)), max_size=12)


@given(RUNS, st.integers(1, 20), st.data())
def test_runs_hold_what_decode_gives(runs, minimum, data):
    given_values = [value for value, count in runs for _ in range(count)]
    encoded = rle.encode(np.array(given_values, np.uint8), 3, minimum_run=minimum)
    values = rle.decode(encoded, 3, len(given_values))
    found = rle.run_values(encoded, 3, len(given_values))
    assert len(found) == len(values)
    assert found.histogram(8).tolist() == np.bincount(values, minlength=8).tolist()
    assert histogram(values, 8).tolist() == found.histogram(8).tolist()
    sparse = found.histogram(4_000)  # far more counts than values
    assert (sparse[:8].tolist(), sparse[8:].any()) == (found.histogram(8).tolist(), False)
    start = data.draw(st.integers(0, len(values)))
    stop = data.draw(st.integers(start, len(values) + 3))
    assert found.part(start, stop).tolist() == values[start:stop].tolist()
    if start < len(values):
        assert found.at(start) == values[start]


@pytest.mark.parametrize(
    ("encoded", "width", "count"),
    [(b"", 0, 5), (b"\x0a", 0, 5), (b"\x03", 0, 5), (b"\x0a\x01\x03\x55", 1, 13)],
    ids=["no bits and no runs", "an RLE run without bits", "a packed run without bits", "both"],
)
def test_runs_of_few_bits(encoded, width, count):
    found = rle.run_values(encoded, width, count)
    assert found.part(0, count).tolist() == rle.decode(encoded, width, count).tolist()


def test_an_id_beyond_the_dictionary_is_the_same_error():
    data = b"\x02" + b"\x0a\x01" + b"\x04\x03"
    messages = []
    for read in (dictionary.decode_ids, dictionary.id_runs):
        with pytest.raises(CorruptFileError) as caught:
            read(data, 7, 2)
        messages.append(str(caught.value))
    assert messages[0] == messages[1] and "value 5 " in messages[0]


def test_parts_and_counts_of_a_long_page_are_those_of_the_whole(monkeypatch):
    data = forge.dictionary_run(count=1_000), forge.null_runs(count=1_000)
    for one, name in zip(data, ("values", "definition_levels"), strict=True):
        found = []
        for long in (1 << 20, 10):
            monkeypatch.setattr("pqexplore.engine.file.page.LONG", long)
            with pqexplore.open(one) as f:
                page = next(page for page in f.row_groups[0].columns[0].pages if page.is_data)
                assert isinstance(page, Page)
                if name == "values":
                    found.append((page.physical_part(3, 6), page.values_part(3, 6)))
                else:
                    found.append(page.level_counts(name).tolist())
                found.append([str(one) for one in f.check()])
        assert found[:2] == found[2:]
