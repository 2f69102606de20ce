"""ALP: bytes in, floating point out, bit for bit."""

import struct
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.format.encodings import alp

INT64, FLOAT, DOUBLE = 2, 4, 5
BITS = {FLOAT: np.uint32, DOUBLE: np.uint64}


def bits_of(array: pa.Array) -> np.ndarray:
    values = array.to_numpy(zero_copy_only=False)
    return values.view(f"u{values.itemsize}")


# 1500.0, NaN, 2500.0, 333.5 with exponent 4 and factor 3: 15000, -, 25000, 3335. The smallest is 3335; the
# distances 11665, 0 (the exception), 21665, 0 need 15 bits.
EXAMPLE_DELTAS = (11665 | 0 << 15 | 21665 << 30 | 0 << 45).to_bytes(8, "little")
EXAMPLE = (
    struct.pack("<BBBiI", 0, 0, 10, 4, 4)
    + struct.pack("<BBHqB", 4, 3, 1, 3335, 15)
    + EXAMPLE_DELTAS
    + struct.pack("<Hd", 1, float("nan"))
)


def test_the_worked_check():
    values = pa.array([1500.0, float("nan"), 2500.0, 333.5])
    decoded = alp.decode(EXAMPLE, 4, DOUBLE)
    assert decoded.type == pa.float64()
    assert bits_of(decoded).tolist() == bits_of(values).tolist()
    assert alp.encode(values, scale=(4, 3)) == EXAMPLE


@pytest.mark.parametrize("type_", [pa.float32(), pa.float64()], ids=str)
@given(st.lists(st.floats(width=32), max_size=40))
def test_no_other_scale_makes_a_vector_smaller(type_, values):
    array = pa.array(values, type_)
    chosen = len(alp.encode(array))
    highest = alp.precision_of(FLOAT if type_ == pa.float32() else DOUBLE).max_exponent
    assert all(chosen <= len(alp.encode(array, scale=(e, f))) for e in range(highest + 1) for f in range(e + 1))


def test_trace_of_the_worked_check():
    header, offsets, vector = alp.scan(EXAMPLE, 4, DOUBLE).trace()
    assert (header.start, header.end, header.facts["num_elements"]) == (0, 7, 4)
    assert (offsets.start, offsets.end) == (7, 11)
    assert (vector.start, vector.end, vector.first, vector.count) == (11, len(EXAMPLE), 0, 4)
    assert vector.facts == {
        "exponent": 4,
        "factor": 3,
        "frame_of_reference": 3335,
        "bit_width": 15,
        "num_exceptions": 1,
    }
    assert [(part.kind, part.end - part.start) for part in vector.parts] == [
        ("parameters", 13),
        ("deltas", 8),
        ("exception positions", 2),
        ("exceptions", 8),
    ]
    assert vector.parts[2].facts["positions"].tolist() == [1]


def test_float_is_computed_in_single_precision():
    # One multiplication more or in double precision, and some of these would be another float.
    values = np.round(np.linspace(-50, 50, 999), 3).astype(np.float32)
    page = alp.encode(pa.array(values), scale=(3, 0))
    integers = np.rint(values.astype(np.float64) * 1000).astype(np.float32)
    expected = integers * np.float32(1) * np.float32(0.001)
    exact = expected == values
    [vector] = alp.scan(page, 999, FLOAT).vectors
    assert 0 < vector.exceptions == int((~exact).sum()) < 999
    assert np.array_equal(alp.decode(page, 999, FLOAT).to_numpy(), values)


@pytest.mark.parametrize("physical_type", [FLOAT, DOUBLE])
def test_the_constants_are_correctly_rounded(physical_type):
    kind = alp.precision_of(physical_type)
    for n, power in enumerate(kind.negative_powers):
        neighbours = (np.nextafter(power, kind.float_type(2)), np.nextafter(power, kind.float_type(0)))
        error = abs(Fraction(float(power)) - Fraction(1, 10**n))
        assert all(error <= abs(Fraction(float(x)) - Fraction(1, 10**n)) for x in neighbours)
    assert [int(power) for power in kind.powers] == [10**n for n in range(kind.max_exponent + 1)]


@pytest.mark.parametrize("physical_type", [FLOAT, DOUBLE])
def test_every_bit_is_kept(physical_type):
    quiet_nan_bits = {FLOAT: 0x7FC00000, DOUBLE: 0x7FF8000000000000}[physical_type]
    dtype = np.dtype(BITS[physical_type])
    odd = np.array([quiet_nan_bits | 5, 1, 1 << (8 * dtype.itemsize - 1)], dtype)
    floats = odd.view(f"f{dtype.itemsize}")
    values = pa.array(np.concatenate([floats, np.array([np.inf, -np.inf, 0.5, 1e30], floats.dtype)]))
    decoded = alp.decode(alp.encode(values), len(values), physical_type)
    assert bits_of(decoded).tolist() == bits_of(values).tolist()


@pytest.mark.parametrize("page", [b"", struct.pack("<BBBi", 0, 0, 10, 0)])
def test_no_values(page):
    assert alp.decode(page, 0, DOUBLE).to_pylist() == []
    assert [step for step in alp.scan(page, 0, DOUBLE).trace() if step.count] == []


def test_integers_that_differ_by_as_many_bits_as_there_are():
    values = pa.array([-9e18, 9e18])
    page = alp.encode(values, scale=(0, 0))
    (step,) = [step for step in alp.scan(page, 2, DOUBLE).trace() if step.count]
    assert step.facts["bit_width"] == 64
    assert alp.decode(page, 2, DOUBLE).equals(values)


def test_decimals_become_small():
    values = np.round(np.random.default_rng(0).normal(0, 100, 5000), 2)
    assert len(alp.encode(pa.array(values))) < values.nbytes / 3


def changed(position: int, replacement: bytes) -> bytes:
    return EXAMPLE[:position] + replacement + EXAMPLE[position + len(replacement) :]


BAD = [
    (EXAMPLE[:6], "its header has 7"),
    (changed(2, b"\x02"), "log of the vector size is 2"),
    (changed(2, b"\x10"), "log of the vector size is 16"),
    (changed(3, b"\x05"), "counts 5 values, the page has 4"),
    (changed(6, b"\xff"), "the page has 4"),
    (EXAMPLE[:9], "offsets of 1 vectors end at byte 11"),
    (changed(7, b"\x00"), "vector 0: it is said to begin at byte 7"),
    (changed(7, b"\xff\xff\xff\xff"), "vector 0: it is said to begin"),
    (changed(11, b"\x13"), "exponent 19"),
    (changed(12, b"\x05"), "factor 5"),
    (changed(13, b"\x05"), "5 exceptions among 4 values"),
    (changed(23, b"\x41"), "bit width of 65"),
    (EXAMPLE[:-1], "it ends at byte"),
    (changed(32, b"\x04"), "an exception at position 4"),
]


@pytest.mark.parametrize(("page", "message"), BAD)
def test_damage_is_named(page, message):
    with pytest.raises(CorruptFileError, match=message):
        alp.decode(page, 4, DOUBLE)
    with pytest.raises(CorruptFileError, match=message):
        list(alp.scan(page, 4, DOUBLE).trace())


@pytest.mark.parametrize("position", [0, 1])
def test_modes_of_the_future_are_not_supported(position):
    with pytest.raises(UnsupportedFeatureError, match="compression mode"):
        alp.decode(changed(position, b"\x01"), 4, DOUBLE)
    with pytest.raises(UnsupportedFeatureError):
        alp.decode(EXAMPLE, 4, INT64)


FLOATS = st.one_of(
    st.lists(st.integers(-(10**7), 10**7).map(lambda n: n / 100), max_size=120),
    st.lists(st.floats(width=32), max_size=120),
    st.lists(st.floats(), max_size=60),
)


@settings(max_examples=30, deadline=None)
@given(values=FLOATS, physical_type=st.sampled_from([FLOAT, DOUBLE]), log_size=st.integers(3, 7))
def test_encode_decode_and_trace_agree(values, physical_type, log_size):
    with np.errstate(over="ignore"):
        array = pa.array(np.array(values, np.float32 if physical_type == FLOAT else np.float64))
    page = alp.encode(array, log_size)
    decoded = alp.decode(page, len(array), physical_type)
    assert np.array_equal(bits_of(decoded), bits_of(array))
    steps = list(alp.scan(memoryview(page), len(array), physical_type).trace())
    yielded = [step.values.view(BITS[physical_type]) for step in steps if step.count]
    assert np.array_equal(np.concatenate([*yielded, bits_of(array)[:0]]), bits_of(array))
    assert [step.start for step in steps] == [0, *[step.end for step in steps[:-1]]]
