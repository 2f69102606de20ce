"""Arrow to numpy without pandas: the same as Arrow's own `to_numpy`; and what older versions of pyarrow do otherwise."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqexplore.engine.arrays import arrow_numbers, floats_of_halves, is_nested, numpy_numbers

TYPES = [pa.bool_(), pa.int8(), pa.uint16(), pa.int32(), pa.int64(), pa.uint64(), pa.float32(), pa.float64()]


@pytest.mark.parametrize("kind", TYPES, ids=str)
@given(st.lists(st.integers(0, 1), max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_numbers_and_truth_values_of_any_slice(kind, values, start, length):
    array = pa.array(values, pa.int64()).cast(kind).slice(start, length)
    numbers = numpy_numbers(array)
    expected = array.to_numpy(zero_copy_only=False)
    assert numbers.dtype == expected.dtype
    assert np.array_equal(numbers, expected)
    assert arrow_numbers(numbers).equals(array)


def test_halves_as_floats():
    values = [1.5, None, float("-inf"), -0.0, 65504.0, 2.0**-24]
    array = pa.array([None if one is None else np.float16(one) for one in values], pa.float16())
    made = floats_of_halves(pa.chunked_array([array, array.slice(1, 2), array.slice(0, 0)]))
    assert made.equals(pa.chunked_array([pa.array([*values, *values[1:3]], pa.float32())]))
    assert floats_of_halves(pa.chunked_array([], pa.float16())).equals(pa.chunked_array([], pa.float32()))
    assert floats_of_halves(pa.chunked_array([pa.array([np.float16("nan"), None])])).null_count == 1


NESTED = [
    pa.list_(pa.int8()),
    pa.list_(pa.int8(), 2),
    pa.large_list(pa.int8()),
    pa.map_(pa.string(), pa.int8()),
    pa.struct([]),
]


@pytest.mark.parametrize("kind", [*NESTED, *TYPES, pa.binary(2), pa.null()], ids=str)
def test_nested_types(kind):
    assert is_nested(kind) == (kind in NESTED)
